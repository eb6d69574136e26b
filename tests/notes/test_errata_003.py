"""Misprints of 003, each shown by a computation."""

import itertools

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog, minimize

from novum.linear_model import Ridge
from novum.optimize import solve_qp

X, T = np.column_stack([np.ones(4), np.arange(4.0)]), np.array([1.0, 3, 4, 7])


def test_003_saddle_has_nonzero_determinant():
    hessian = np.diag([2.0, -2.0])
    assert np.linalg.det(hessian) != 0 and np.linalg.eigvalsh(hessian).min() < 0  # no minimum all the same


def test_003_likelihood_gradient():
    w, sigma, h = np.array([0.5, 1.0]), 0.7, 1e-6

    def log_likelihood(v):
        return stats.norm.logpdf(T, X @ v, sigma).sum()

    slope = [(log_likelihood(w + h * e) - log_likelihood(w - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(slope, X.T @ (T - X @ w) / sigma**2, rtol=1e-6)


def test_003_ridge_loss_and_its_minimiser():
    lam = 2.0
    printed = Ridge(alpha=lam, fit_intercept=False).fit(X, T).coef_
    np.testing.assert_allclose(printed, [0.8, 1.7])
    true = minimize(lambda w: np.sum((T - X @ w) ** 2) + lam / 2 * w @ w, [0, 0], tol=1e-12).x
    np.testing.assert_allclose(true, [0.8461538, 1.7948718], atol=1e-6)
    np.testing.assert_allclose(true, np.linalg.solve(lam / 2 * np.eye(2) + X.T @ X, X.T @ T), atol=1e-6)
    half = minimize(lambda w: 0.5 * np.sum((T - X @ w) ** 2) + lam / 2 * w @ w, [0, 0], tol=1e-12).x
    np.testing.assert_allclose(half, printed, atol=1e-6)


def test_003_convexity_of_regions():
    W, b = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([0.0, 1.0])
    a, c = np.array([1.0, 0.0]), np.array([3.0, 5.0])

    def region(x):
        return int(np.argmax(W @ x + b))

    assert region(a) == region(c) == 0 and all(region(s * a + (1 - s) * c) == 0 for s in np.linspace(0, 1, 11))
    assert region(3 * a - 2 * c) == 1  # alpha = 3 leaves the region


def test_003_naive_posterior_is_proportional():
    p = np.array([[[0.2, 0.05], [0.05, 0.1]], [[0.1, 0.2], [0.2, 0.1]]])  # (class, x1, x2)
    prior = p.sum(axis=(1, 2))
    factors = prior * (p.sum(axis=2)[:, 0] / prior) * (p.sum(axis=1)[:, 0] / prior)
    exact = p[:, 0, 0] / p[:, 0, 0].sum()
    assert factors.sum() != pytest.approx(1) and not np.allclose(
        factors / factors.sum(), exact
    )  # neither equal nor exact


def test_003_variance_not_of_squares():
    y, t = np.array([1.0, 2.0, 4.0]), 3.0  # predictions over data sets, truth without noise
    error = np.mean((t - y) ** 2)
    assert error == pytest.approx((t - y.mean()) ** 2 + np.var(y)) and error != pytest.approx(
        (t - y.mean()) ** 2 + np.var(y**2)
    )
    assert np.mean((y - y.mean()) ** 2) == pytest.approx(np.var(y)) != np.var((y - y.mean()) ** 2)


def test_003_squared_bias():
    y, f = np.array([1.0, 3.0]), 2.0
    assert (f - y.mean()) ** 2 == 0 and np.mean((f - y) ** 2) == 1  # an unbiased predictor


def test_003_adjusted_r_squared():
    rss, tss, n, d = 0.7, 18.75, 4, 1
    assert 1 - (rss / (n - d - 1)) / (tss / (n - 1)) == pytest.approx(0.944)
    assert 1 - rss * tss / ((n - d - 1) * (n - 1)) == pytest.approx(-1.1875)


def test_003_scores_of_centred_data():
    data = np.random.default_rng(0).normal(size=(40, 3)) + 10
    centred = data - data.mean(axis=0)
    E = np.linalg.svd(centred, full_matrices=False)[2][:2].T
    np.testing.assert_allclose((centred @ E).mean(axis=0), 0, atol=1e-12)

    def lost(scores, mean):
        return np.sum((data - scores @ E.T - mean) ** 2)

    assert lost(centred @ E, data.mean(axis=0)) < lost(data @ E, 0)


def test_003_pac_failure_probability():
    h, n, eps = 50, 100, 0.1
    delta = h * np.exp(-eps * n)  # probability that some bad hypothesis survives
    assert delta < 0.01 and h * (1 - eps) ** n <= delta  # so the guarantee holds with 1 - delta, not with delta


def test_003_one_parameter_shatters():
    points = 10.0 ** -np.arange(1, 5)  # sin(w x) with one parameter realises every labelling (Vapnik)
    for labels in itertools.product((0, 1), repeat=4):
        w = np.pi * (1 + sum((1 - y) * 10**i for i, y in enumerate(labels, 1)))
        assert [int(v) for v in (np.sin(w * points) > 0)] == list(labels)


def test_003_two_vc_bounds():
    vc, delta = 3, 0.05
    bound = {n: np.sqrt((vc * (np.log(2 * n / vc) + 1) + np.log(4 / delta)) / n) for n in (100, 1000)}
    assert bound == pytest.approx({100: 0.4470027, 1000: 0.1639783}, abs=5e-8)
    needed = {n: (4 * np.log2(2 / delta) + 8 * vc * np.log2(13 / eps)) / eps for n, eps in bound.items()}  # (8.21)
    assert needed[100] > 300 and needed[1000] > 1050  # inverting it would give 100 and 1000 back


def test_003_negative_multiple_is_no_kernel():
    x = np.random.default_rng(0).normal(size=(6, 2))
    assert np.linalg.eigvalsh(2 * x @ x.T).min() > -1e-12 > np.linalg.eigvalsh(-x @ x.T).min()


def test_003_gaussian_kernel_factors():
    x, z, s = np.array([1.0, 0.5]), np.array([-0.2, 2.0]), 1.3

    def f(v):
        return np.exp(-v @ v / (2 * s**2))

    assert f(x) * np.exp(x @ z / s**2) * f(z) == pytest.approx(np.exp(-np.sum((x - z) ** 2) / (2 * s**2)))
    assert np.ndim(np.exp(-x / (2 * s**2))) == 1  # as printed f is a vector


def test_003_kernel_over_a_kernel():
    x = np.ones(3)
    k = x @ x
    assert np.exp(-(k + k - 2 * k) / 2) == 1 and np.exp(-(k + k - k) / 2) == pytest.approx(0.22313, abs=5e-6)


def test_003_nadaraya_watson_weights():
    x_n, x = np.array([0.0, 1.0, 3.0]), 0.8
    g = np.exp(-((x - x_n) ** 2) / 2)
    assert (g / g.sum()).sum() == pytest.approx(1)
    assert (g / (len(x_n) * g)).tolist() == pytest.approx([1 / 3] * 3)  # as printed the kernel cancels


def test_003_squared_exponential():
    assert np.exp(-(2.0**2) / 2) == pytest.approx(0.1353353, abs=5e-8) and np.exp(-2.0 / 2) == pytest.approx(
        0.3678794, abs=5e-8
    )


def test_003_distance_from_a_plane():
    w, k, x = np.array([3.0, 4.0]), 10.0, np.array([4.0, 2.0])
    foot = x - (w @ x - k) / (w @ w) * w
    assert w @ foot == pytest.approx(k)
    assert np.linalg.norm(x - foot) == pytest.approx(abs(w @ x - k) / np.linalg.norm(w)) == 2
    assert abs(w @ x + k) / np.linalg.norm(x) != pytest.approx(2)


def test_003_half_in_the_soft_margin():
    x, t, C = np.array([0.0, 1, 2, 3, 1.6, 1.2]), np.array([-1.0, -1, 1, 1, -1, 1]), 0.3
    A = -np.column_stack([t * x, t, np.eye(6)])
    lower = np.r_[-np.inf, -np.inf, np.zeros(6)]
    slopes = [
        solve_qp(np.diag([scale, *[0.0] * 7]), np.r_[0, 0, np.full(6, C)], A_ub=A, b_ub=-np.ones(6), lower=lower).x[0]
        for scale in (1.0, 2.0)
    ]
    assert slopes == pytest.approx([0.6667, 0.54], abs=5e-5)
    a = solve_qp(
        np.outer(t * x, t * x), -np.ones(6), A_eq=t[None], b_eq=[0.0], lower=np.zeros(6), upper=np.full(6, C)
    ).x
    assert (a * t) @ x == pytest.approx(slopes[0], abs=1e-4)


# the two-state problem: s0 stays (r 0) or moves with .8 (r -1); s1 stays (r 2) or returns (r 0)
P = np.array([[[1, 0], [0.2, 0.8]], [[0, 1], [1, 0]]])  # (s, a, s')
R = np.array([[0.0, -1.0], [2.0, 0.0]])
GAMMA = 0.9


def test_003_transition_matrix_of_a_policy():
    uniform = P.mean(axis=1)
    np.testing.assert_allclose(uniform, [[0.6, 0.4], [0.5, 0.5]])
    np.testing.assert_allclose(uniform.sum(axis=1), 1)
    assert not np.allclose(uniform.T.sum(axis=1), 1)  # with the off-diagonal entries exchanged


def value(policy_matrix, reward):
    return np.linalg.solve(np.eye(2) - GAMMA * policy_matrix, reward)


def test_003_discount_inside_the_bracket():
    V = value(P.mean(axis=1), R.mean(axis=1))
    np.testing.assert_allclose(V, [0.934066, 2.582418], atol=5e-7)
    W = np.zeros(2)
    for _ in range(500):
        W = GAMMA * (R.mean(axis=1) + P.mean(axis=1) @ W)
    np.testing.assert_allclose(W, [0.840659, 2.324176], atol=5e-7)
    np.testing.assert_allclose(W, GAMMA * V)


def test_003_stopping_rule():
    best = np.array([16.341463, 20.0])
    V, gap = np.zeros(2), []
    for _ in range(60):
        new = (R + GAMMA * P @ V).max(axis=1)
        gap.append((np.abs(new - V).max(), np.abs(new - best).max()))
        V = new
    assert all(error <= step * GAMMA / (1 - GAMMA) + 1e-6 for step, error in gap)
    assert any(error > 0.99 * step * GAMMA / (1 - GAMMA) for step, error in gap)  # the bound is reached


def test_003_linear_programme_needs_the_discount():
    rows = [(GAMMA * P[s, a] - np.eye(2)[s], -R[s, a]) for s in (0, 1) for a in (0, 1)]
    right = linprog(np.ones(2), *map(np.array, zip(*rows)), bounds=(None, None))
    np.testing.assert_allclose(right.x, [16.341463, 20], atol=5e-6)
    printed = [(P[s, a] - np.eye(2)[s], -R[s, a]) for s in (0, 1) for a in (0, 1)]
    assert linprog(np.ones(2), *map(np.array, zip(*printed)), bounds=(None, None)).status == 2  # infeasible


def test_003_running_mean():
    values, mean = np.array([2.0, 4.0, 9.0]), 0.0
    for k, v in enumerate(values, 1):
        mean = mean + (v - mean) / k
    assert mean == values.mean()


def test_003_first_visit():
    episode = ["a", "b", "a"]

    def updates(add_before):
        visited, done = set(), []
        for s in episode:
            if add_before:
                visited.add(s)
            if s not in visited:
                done.append(s)
            visited.add(s)
        return done

    assert updates(False) == ["a", "b"] and updates(True) == []


REWARDS, STATES, V0 = [1.0, 0, 2, 5], [0, 1, 2, 1], [0.5, 1.0, 2.0]


def n_step(t, n, first=1):
    """Return the n-step return from time t; `first` is the lower end of the sum."""
    n = min(n, 4 - t)
    total = sum(GAMMA ** (i - 1) * REWARDS[t + i - 1] for i in range(first, n + 1) if t + i - 1 >= 0)
    return total + (GAMMA**n * V0[STATES[t + n]] if t + n < 4 else 0.0)


def test_003_n_step_return():
    assert [n_step(0, n) for n in (1, 2, 3, 4)] == pytest.approx([1.9, 2.62, 3.349, 6.265])
    assert n_step(1, 1, first=0) != pytest.approx(n_step(1, 1))  # counts the reward before t


def test_003_lambda_return():
    def mixed(t, lam):
        last = 4 - t
        return (1 - lam) * sum(lam ** (n - 1) * n_step(t, n) for n in range(1, last)) + lam ** (last - 1) * n_step(
            t, last
        )

    assert [mixed(t, 0.5) for t in range(4)] == pytest.approx([2.80675, 3.015, 4.7, 5.0])
    target, alpha = mixed(1, 0.5), 0.5
    assert target + alpha * (target - target) == target  # a value that equals its return stays
    assert target + alpha * (target + target) != target


def test_003_sarsa_update():
    Q, r, after, alpha = 1.0, 2.0, 3.0, 0.5
    assert Q + alpha * (r + GAMMA * after - Q) == pytest.approx(2.85) and Q + alpha * (r + after - Q) == 3.0


def test_003_importance_ratio():
    target, behaviour, f = np.array([0.5, 0.5]), np.array([0.2, 0.8]), np.array([1.0, 3.0])
    assert behaviour @ (target / behaviour * f) == pytest.approx(target @ f) == 2
    assert behaviour @ (target / target * f) == pytest.approx(2.6)


def test_003_bandit_lower_bound():
    def bound(n, horizon):
        return np.sqrt(n * horizon / 20)

    assert bound(1, 10_000) > 0  # yet one arm has no regret
    assert bound(21 * 10_000, 10_000) > 10_000  # more than the largest regret there can be
    assert np.sqrt(3 * 10_000) / np.sqrt(20) == pytest.approx(38.729833, abs=5e-7)


def test_003_eigenvalue_condition():
    A = np.array([[2.0, 1.0], [1.0, 2.0]])
    assert np.linalg.det(A - 3 * np.eye(2)) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(A @ [1, 1], [3, 3])
    assert np.linalg.matrix_rank(A - 2 * np.eye(2)) == 2  # determinant not null: only the null solution


def test_003_rank_and_eigenvalues():
    N = np.array([[0.0, 1.0], [0.0, 0.0]])
    assert np.linalg.matrix_rank(N) == 1 and np.count_nonzero(np.linalg.eigvals(N)) == 0
