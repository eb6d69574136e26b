"""Misprints of 002, each shown by a computation."""

import numpy as np
import pytest
from scipy import integrate, special, stats

from novum.distributions import NormalGamma
from novum.optimize import solve_qp

RNG = np.random.default_rng(7)
PHI, T = np.column_stack([np.ones(5), np.linspace(-1, 1, 5)]), np.array([-0.9, -0.4, -0.35, 0.1, 0.15])


def test_002_densities_exceed_one():
    assert stats.uniform(0, 0.5).pdf(0.2) == 2


def test_002_bias_grows_with_lambda():
    x = np.linspace(0, 1, 25)
    Phi = np.column_stack([np.ones(25), np.exp(-((x[:, None] - np.linspace(0, 1, 9)) ** 2) / 0.02)])
    truth = np.sin(2 * np.pi * x)
    bias = []
    for lam in (1e-3, 1.0, 100.0):
        H = Phi @ np.linalg.solve(lam * np.eye(10) + Phi.T @ Phi, Phi.T)
        bias.append(np.mean((H @ truth - truth) ** 2))  # expected fit minus truth
    assert bias[0] < bias[1] < bias[2]


def test_002_posterior_precision():
    alpha, beta = 2.0, 25.0
    w = np.array([0.2, -0.4])

    def log_posterior(v):
        return -0.5 * beta * np.sum((T - PHI @ v) ** 2) - 0.5 * alpha * v @ v

    h, E = 1e-4, np.eye(2)

    def second(a, b):
        corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        return sum(i * j * log_posterior(w + h * (i * E[a] + j * E[b])) for i, j in corners) / (4 * h * h)

    hessian = -np.array([[second(a, b) for b in (0, 1)] for a in (0, 1)])
    np.testing.assert_allclose(hessian, alpha * np.eye(2) + beta * PHI.T @ PHI, rtol=1e-5)
    assert not np.allclose(hessian, np.eye(2) / alpha + beta * PHI.T @ PHI, rtol=1e-3)
    many = 1e6
    S = np.linalg.inv(alpha * np.eye(2) + beta * many * PHI.T @ PHI)
    np.testing.assert_allclose(S, np.linalg.inv(many * PHI.T @ PHI) / beta, rtol=1e-5)


def test_002_log_odds_direction():
    p1, p2 = 0.3 * stats.norm.pdf(1.0, 0, 1), 0.7 * stats.norm.pdf(1.0, 2, 1)
    assert special.expit(np.log(p1 / p2)) == pytest.approx(p1 / (p1 + p2))
    assert special.expit(np.log(p2 / p1)) == pytest.approx(p2 / (p1 + p2))


def test_002_trace_of_squared_residuals():
    X, W, Y = RNG.normal(size=(4, 2)), RNG.normal(size=(2, 3)), RNG.normal(size=(4, 3))
    R = X @ W - Y
    triple = 0.5 * sum((sum(X[n, d] * W[d, k] for d in range(2)) - Y[n, k]) ** 2 for n in range(4) for k in range(3))
    assert 0.5 * np.trace(R.T @ R) == pytest.approx(triple)
    printed = 0.5 * sum(X[n, d] * W[d, k] - Y[n, k] for n in range(4) for d in range(2) for k in range(3))
    assert printed != pytest.approx(triple)


def test_002_reweighted_least_squares():
    t = np.array([0.0, 0, 1, 0, 1])

    def run(weighted):
        w = np.zeros(2)
        for _ in range(12):
            y = special.expit(PHI @ w)
            R = np.diag(y * (1 - y))
            z = PHI @ w - (y - t) / np.maximum(np.diag(R), 1e-12)
            w = np.linalg.lstsq(PHI.T @ R @ PHI, PHI.T @ (R @ z if weighted else z))[0]
            if np.abs(w).max() > 1e3:
                break
        return w

    right = run(True)
    np.testing.assert_allclose(PHI.T @ (special.expit(PHI @ right) - t), 0, atol=1e-9)
    assert np.abs(run(False)).max() > 1e3


def test_002_cross_entropy_bracket():
    t, y = np.array([1.0, 0.0]), np.array([0.8, 0.3])
    right = -np.sum(t * np.log(y) + (1 - t) * np.log(1 - y))
    assert right == pytest.approx(-stats.bernoulli.logpmf(t.astype(int), y).sum())
    assert np.sum(-t * np.log(y) + (1 - t) * np.log(1 - y)) != pytest.approx(right)


def test_002_outer_product():
    X = RNG.normal(size=(6, 3))
    D = X - X.mean(axis=0)
    outer = sum(np.outer(d, d) for d in D) / 6
    np.testing.assert_allclose(outer, np.cov(X.T, ddof=0))
    assert np.ndim(sum(d @ d for d in D)) == 0


def test_002_hard_assignment():
    density = np.array([0.5, 0.5]) * stats.norm.pdf(0.1, [0.0, 3.0], 1)
    gamma = density / density.sum()
    assert gamma.argmax() == 0  # the near component


def test_002_whitening():
    X = RNG.normal(size=(50, 2)) @ np.array([[2.0, 0.3], [0.0, 0.5]])
    D = X - X.mean(axis=0)
    values, U = np.linalg.eigh(np.cov(D.T, ddof=0))
    np.testing.assert_allclose(np.cov((D @ U / np.sqrt(values)).T, ddof=0), np.eye(2), atol=1e-12)
    np.testing.assert_allclose(np.cov((D @ U * np.sqrt(values)).T, ddof=0), np.diag(values**2), atol=1e-12)


def test_002_dual_ridge():
    lam, new = 0.7, np.array([1.0, 0.3])
    K = PHI @ PHI.T
    primal = np.linalg.solve(lam * np.eye(2) + PHI.T @ PHI, PHI.T @ T)
    dual = np.linalg.solve(K + lam * np.eye(5), T)  # the identity has as many rows as there are points
    np.testing.assert_allclose(PHI.T @ dual, primal)
    assert (PHI @ new) @ dual == pytest.approx(primal @ new)  # k(x_n, x'), a value per training point

    def loss(w):
        return 0.5 * np.sum((PHI @ w - T) ** 2) + 0.5 * lam * w @ w

    assert all(loss(primal) < loss(primal + 1e-3 * e) for e in (*np.eye(2), *-np.eye(2)))


def test_002_gram_may_be_singular():
    values = np.linalg.eigvalsh(PHI @ PHI.T)
    assert np.abs(values[:3]).max() < 1e-12 and values[3] > 0


def test_002_polynomial_features():
    x, z, r = np.array([1.0, 2.0]), np.array([3.0, -1.0]), np.sqrt(2)
    features = [np.array([1, r * v[0], r * v[1], r * v[0] * v[1], v[0] ** 2, v[1] ** 2]) for v in (x, z)]
    assert (1 + x @ z) ** 2 == 4 == pytest.approx(features[0] @ features[1])
    printed = [np.array([1, r * v[0], r * v[1], r * v[0] * v[1], v[0], v[1]]) for v in (x, z)]  # last two not squared
    assert printed[0] @ printed[1] == pytest.approx(-8)


def test_002_lagrange_dual():
    def dual(mu):  # maximise 1 - x^2 under x >= 1: max over x of 1 - x^2 + mu (x - 1)
        x = mu / 2
        return 1 - x * x + mu * (x - 1)

    grid = np.linspace(0, 6, 601)
    best = grid[np.argmin([dual(m) for m in grid])]
    assert best == pytest.approx(2) and dual(best) == pytest.approx(0)  # the maximum 1 - 1^2
    assert dual(0) == 1 and max(dual(m) for m in grid) > 0  # mu = 0 forgets the constraint, maximising does not bind


def test_002_decision_needs_b():
    X, t = np.array([[0.0], [1.0]]), np.array([-1.0, 1.0])
    K = np.outer(t, t) * (X @ X.T)
    a = solve_qp(K + 1e-12 * np.eye(2), -np.ones(2), A_eq=t[None], b_eq=[0.0], lower=np.zeros(2)).x
    raw = (X @ X.T) @ (a * t)
    b = np.mean(t - raw)
    np.testing.assert_allclose(np.sign(raw + b), t)
    assert b == pytest.approx(-1, abs=1e-5)


def test_002_equivalent_kernel():
    alpha, beta, new = 2.0, 25.0, np.array([1.0, 0.3])
    S = np.linalg.inv(alpha * np.eye(2) + beta * PHI.T @ PHI)
    mean = beta * S @ PHI.T @ T
    assert beta * (PHI @ S @ new) @ T == pytest.approx(mean @ new)
    assert (PHI @ np.linalg.inv(S) @ new) @ T != pytest.approx(mean @ new)


def test_002_conjugate_update():
    x = np.array([1, 0, 1, 1])  # Bernoulli: eta = log odds, u(x) = x, g = 1 - mu; prior chi = 1, nu = 3 is Beta(2, 3)
    chi, nu = 1 + x.sum(), 3 + x.size
    posterior = stats.beta(2 + x.sum(), 3 + (1 - x).sum())
    assert posterior.mean() == pytest.approx((chi + 1) / (nu + 2)) and (chi + 1) / (3 + 2) != pytest.approx(
        posterior.mean()
    )


def test_002_normal_gamma():
    """The prior is worth beta observations: the likelihood of so many, at precision lam, has the variance 1 / (beta lam)."""
    beta, lam, center = 4, 0.5, 1.5

    def variance(weight):
        total, first, second = (
            integrate.quad(lambda mu, k=k: mu**k * weight(mu), -40, 40, points=[center])[0] for k in (0, 1, 2)
        )
        return second / total - (first / total) ** 2

    observed = center + np.array([-1.0, -0.2, 0.4, 0.8])  # beta values about the center
    likelihood = lambda mu: np.exp(-lam / 2 * np.sum((observed - mu) ** 2))  # noqa: E731
    prior = NormalGamma(mean=center, strength=beta, shape=2.0, rate=3.0)
    given_precision = lambda mu: prior.prob([mu, lam])  # noqa: E731
    assert variance(likelihood) == pytest.approx(0.5) == pytest.approx(variance(given_precision))
    assert beta / lam == 8  # as printed: more observations would make the mean vaguer


def test_002_student_t_normaliser():
    nu, d, x = 3.0, 2, np.array([0.4, -1.0])
    distance = x @ x

    def density(bottom):
        top = special.gamma((d + nu) / 2) / bottom / (np.pi * nu) ** (d / 2)
        return top * (1 + distance / nu) ** (-(d + nu) / 2)

    right = stats.multivariate_t(shape=np.eye(2), df=nu).pdf(x)
    assert density(special.gamma(nu / 2)) == pytest.approx(right) and density(special.gamma(d / 2)) != pytest.approx(
        right
    )


def test_002_categorical_covariance():
    mu = np.array([0.2, 0.3, 0.5])
    exact = np.diag(mu) - np.outer(mu, mu)
    by_sum = sum(p * np.outer(e - mu, e - mu) for p, e in zip(mu, np.eye(3)))
    np.testing.assert_allclose(exact, by_sum)
    assert exact[0, 1] == pytest.approx(-0.06)


def test_002_dirichlet_covariance():
    alpha = np.array([1.0, 2.0, 3.0])
    m = alpha / alpha.sum()
    np.testing.assert_allclose((np.diag(m) - np.outer(m, m)) / 7, stats.dirichlet(alpha).cov())
    assert not np.allclose(-np.outer(alpha, alpha) / 7, stats.dirichlet(alpha).cov())


def test_002_second_mixture():
    S = RNG.normal(size=(100, 2))
    printed = np.column_stack([S @ [0.5, 0.2], (0.3 + 0.4) * S[:, 1]])
    right = S @ np.array([[0.5, 0.3], [0.2, 0.4]])
    assert np.corrcoef(printed[:, 1], S[:, 0])[0, 1] ** 2 < 0.1 < np.corrcoef(right[:, 1], S[:, 0])[0, 1] ** 2


def test_002_density_of_a_mixture_of_sources():
    A = np.array([[2.0, 0.5], [0.3, 1.0]])
    W = np.linalg.inv(A)

    def log_density(x):
        return stats.norm.logpdf(W @ x).sum() - np.log(abs(np.linalg.det(A)))

    x = np.array([0.4, -1.1])
    assert log_density(x) == pytest.approx(stats.multivariate_normal.logpdf(x, cov=A @ A.T))
    assert -np.log(abs(np.linalg.det(A))) == pytest.approx(np.log(abs(np.linalg.det(W))))


def test_002_mutual_information():
    p = np.array([[0.3, 0.2], [0.1, 0.4]])
    product = np.outer(p.sum(axis=1), p.sum(axis=0))

    def H(q):
        return -(q * np.log2(q)).sum()

    assert (p * np.log2(p / product)).sum() == pytest.approx(H(p.sum(axis=0)) + H(p.sum(axis=1)) - H(p))


def test_002_multiplier_of_counts():
    """A multiplier is what the maximum gains per unit of its constraint: sum theta = s, moved a little about one."""
    counts = np.array([3.0, 5.0, 4.0])
    grid = np.linspace(0, 1, 1501)[1:-1]

    def best(s):  # over all divisions of s into three parts
        a, b = (part * s for part in np.meshgrid(grid, grid))
        c = np.where(a + b < s, s - a - b, np.nan)
        with np.errstate(invalid="ignore"):
            return np.nanmax(counts[0] * np.log(a) + counts[1] * np.log(b) + counts[2] * np.log(c))

    multiplier = (best(1.01) - best(0.99)) / 0.02
    assert multiplier == pytest.approx(counts.sum(), rel=1e-3)  # N(pa), not 1 / N(pa)


def test_002_proportional_fitting():
    empirical = np.array([[0.3, 0.1], [0.2, 0.4]])
    wanted = {0: empirical.sum(axis=1), 1: empirical.sum(axis=0)}

    def fit(keep_old):
        psi = [np.ones((2, 1)), np.ones((1, 2))]
        base = np.array([[1.0, 2.0], [3.0, 1.0]])
        for _ in range(60):
            for axis in (0, 1):
                model = base * psi[0] * psi[1]
                model /= model.sum()
                ratio = (wanted[axis] / model.sum(axis=1 - axis)).reshape(psi[axis].shape)
                psi[axis] = (psi[axis] if keep_old else 1) * ratio
        model = base * psi[0] * psi[1]
        return model / model.sum()

    np.testing.assert_allclose(fit(True).sum(axis=1), wanted[0], atol=1e-12)
    printed = fit(False)
    assert max(np.abs(printed.sum(axis=1) - wanted[0]).max(), np.abs(printed.sum(axis=0) - wanted[1]).max()) > 0.01


def test_002_bernoulli_responsibilities():
    pi, mu, x = np.array([0.4, 0.6]), np.array([[0.2, 0.7], [0.9, 0.4]]), np.array([1, 0])
    joint = pi * np.prod(mu**x * (1 - mu) ** (1 - x), axis=1)
    assert (joint / joint.sum()).sum() == pytest.approx(1)
    assert (joint / np.prod(mu**x * (1 - mu) ** (1 - x), axis=1).sum()).sum() != pytest.approx(1)


def test_002_variational_shape():
    N, a0 = 5, 2.0  # log p(x, mu, tau) in tau: N/2 from the data, 1/2 from p(mu | tau), a0 - 1 from the prior
    tau, c = np.array([0.5, 2.0]), 3.0
    log_q = N / 2 * np.log(tau) + 0.5 * np.log(tau) + (a0 - 1) * np.log(tau) - c * tau
    for shape, same in ((a0 + (N + 1) / 2, True), (a0 + N / 2, False)):
        gamma = stats.gamma(shape, scale=1 / c).logpdf(tau)
        assert (np.diff(gamma)[0] == pytest.approx(np.diff(log_q)[0])) == same


def test_002_transition_indices():
    A, start = np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([1.0, 0.0])
    np.testing.assert_allclose(A.sum(axis=1), 1)  # row: from
    assert (start @ A).sum() == pytest.approx(1) and (A @ start).sum() != pytest.approx(1)


def test_002_natural_gaussian():
    mean, variance, x = 0.4, 0.7, 1.3
    eta = mean / variance, -1 / (2 * variance)

    def density(power):
        g = (-2 * eta[1]) ** power * np.exp(eta[0] ** 2 / (4 * eta[1]))
        return (2 * np.pi) ** -0.5 * g * np.exp(eta[0] * x + eta[1] * x * x)

    right = stats.norm.pdf(x, mean, np.sqrt(variance))
    assert density(0.5) == pytest.approx(right) and density(-0.5) != pytest.approx(right)


def test_002_multivariate_normaliser():
    S, x = np.array([[2.0, 0.3], [0.3, 1.0]]), np.array([0.5, -0.2])
    kernel = np.exp(-0.5 * x @ np.linalg.solve(S, x)) / (2 * np.pi)
    right = stats.multivariate_normal.pdf(x, cov=S)
    assert kernel / np.sqrt(np.linalg.det(S)) == pytest.approx(right) and kernel / np.linalg.det(S) != pytest.approx(
        right
    )


def test_002_natural_beta():
    a, b, x = 2.3, 3.1, 0.37
    g, right = 1 / special.beta(a, b), stats.beta.pdf(0.37, 2.3, 3.1)
    assert 1 / (x * (1 - x)) * g * np.exp(a * np.log(x) + b * np.log(1 - x)) == pytest.approx(right)
    assert g * np.exp(a * np.log(x) + b / x) == pytest.approx(7690, rel=1e-3) and right == pytest.approx(
        1.810, abs=5e-4
    )


def test_002_gamma_normaliser():
    a, b = 2.5, 1.5

    def density(x, bottom):
        return b**a * x ** (a - 1) * np.exp(-b * x) / bottom

    assert integrate.quad(lambda x: density(x, special.gamma(a)), 0, 50)[0] == pytest.approx(1)
    assert integrate.quad(lambda x: density(x, special.gamma(x)), 1e-9, 50)[0] != pytest.approx(1, abs=0.05)
