"""Fixed points of the factorised posterior against optimisers and integrals that know nothing of its updates."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import integrate, stats
from scipy.optimize import minimize
from scipy.special import betaln, digamma, gammaln, logsumexp, multigammaln

from novum.distributions import Gamma, Normal, NormalGamma
from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.linear_model import BayesianRidge
from novum.mixture import BayesianGaussianMixture
from novum.variational import mean_field, vb_normal

NOTES = np.array([1, 2, 4, 3.5, 2.2])
PRIOR = NormalGamma(mean=0, strength=1, shape=2, rate=1)


def table_bound(logits, table):
    """Return the bound of independent softmax factors, by enumeration."""
    q, at = [], 0
    for size in table.shape:
        one = np.exp(logits[at : at + size] - logsumexp(logits[at : at + size]))
        q, at = [*q, one], at + size
    joint = q[0]
    for one in q[1:]:
        joint = np.multiply.outer(joint, one)
    return float((joint * (table - np.log(joint))).sum()), q


@pytest.mark.notes("002", "mean-field")
@pytest.mark.parametrize("seed", range(3))
def test_fixed_point_over_a_table_is_the_maximum_of_the_bound(seed):
    rng = np.random.default_rng(seed)
    table = 2.0 * rng.standard_normal((3, 2, 2)) - 5
    found = mean_field(table, random_state=0)
    runs = [minimize(lambda u: -table_bound(u, table)[0], rng.standard_normal(7), tol=1e-11) for _ in range(5)]
    best = min(runs, key=lambda run: run.fun)
    assert found.elbo == pytest.approx(-best.fun, abs=1e-9)
    for axis, q in enumerate(table_bound(best.x, table)[1]):
        np.testing.assert_allclose(found[axis], q, atol=1e-5)
    for axis in range(3):  # equation (1), by sums over all cells
        others = [found[k] for k in range(3) if k != axis]
        moved = np.moveaxis(table, axis, 0)
        log = np.array([(cells * np.multiply.outer(*others)).sum() for cells in moved])
        np.testing.assert_allclose(found[axis], np.exp(log - logsumexp(log)), atol=1e-9)
    assert found.log_evidence == pytest.approx(np.log(np.exp(table).sum()), rel=1e-12)
    assert found.kl > 0 and (np.diff(found.bounds) > -1e-12).all() and found.n_iter > 3


@pytest.mark.notes("002", "mean-field")
def test_tables_that_factorise_are_exact_and_those_that_exclude_are_reported():
    p, r = np.array([0.3, 0.7]), np.array([0.2, 0.5, 0.3])
    found = mean_field(np.log(0.01 * np.multiply.outer(p, r)), n_init=1)
    np.testing.assert_allclose(found[0], p, atol=1e-12)
    assert found.kl == pytest.approx(0, abs=1e-12)
    one = mean_field(np.log(np.array([[0.5, 0], [0, 0.5]]), where=np.eye(2) > 0, out=np.full((2, 2), -np.inf)))
    assert one.elbo == pytest.approx(np.log(0.5), abs=1e-9)  # one of two modes, chosen by the start
    with pytest.warns(DataWarning, match="lies on cells of probability zero"):
        mean_field(np.array([[0, -np.inf], [-np.inf, 0]]), n_init=1)
    with pytest.raises(DataError, match="every cell of the table is -inf"):
        mean_field(np.full((2, 2), -np.inf))
    with pytest.warns(NotConverged, match="stopped after max_iter=1 sweeps"):
        mean_field(np.log([[0.3, 0.1], [0.05, 0.15]]), n_init=1, max_iter=1)
    for wrong in (Normal, BayesianRidge, "table"):
        with pytest.raises(ParameterError, match=r"there are no conjugate updates for it"):
            mean_field(wrong)
    with pytest.raises(ParameterError, match="bound goes with updates of your own"):
        mean_field(np.zeros((2, 2)), bound=lambda q: 0.0)


@pytest.mark.notes("002", "vb-gaussian")
def test_normal_with_the_numbers_of_the_notes():
    found = vb_normal(NOTES, PRIOR)
    assert float(found.mean.mean) == pytest.approx(2.116667, abs=5e-7)
    assert 1 / float(found.mean.var) == pytest.approx(4.088328, abs=5e-7)
    assert float(found.precision.shape) == 5 and float(found.precision.rate) == pytest.approx(7.337963, abs=5e-7)
    assert found.elbo == pytest.approx(-11.586013, abs=5e-7)
    assert found.log_evidence == pytest.approx(-11.531489, abs=5e-7)


def log_joint_of_normal(x, prior, mu, tau):
    mean, strength, shape, rate = prior
    value = sum(stats.norm.logpdf(one, mu, tau**-0.5) for one in x)
    return (
        value + stats.norm.logpdf(mu, mean, (strength * tau) ** -0.5) + stats.gamma.logpdf(tau, shape, scale=1 / rate)
    )


@pytest.mark.notes("002", "vb-gaussian")
def test_normal_fixed_point_maximises_the_bound_by_quadrature():
    """The bound by nodes and weights for both factors, maximised over their four parameters."""
    x, prior = np.array([3.0, 1.2, -0.4]), (0.5, 0.7, 1.5, 2.0)
    found = vb_normal(x, NormalGamma(*prior))
    hermite, hermite_weights = np.polynomial.hermite_e.hermegauss(6)
    grid = (np.arange(600) + 0.5) / 600

    def bound(free):
        m, s, a, b = free[0], np.exp(free[1]), np.exp(free[2]), np.exp(free[3])
        tau = stats.gamma.ppf(grid, a, scale=1 / b)
        mu = m + s * hermite
        joint = log_joint_of_normal(x, prior, mu[:, None], tau[None, :])
        energy = hermite_weights @ joint.mean(axis=1) / np.sqrt(2 * np.pi)
        return -(energy + stats.norm.entropy(m, s) + stats.gamma.entropy(a, scale=1 / b))

    at = np.array(
        [
            float(found.mean.mean),
            0.5 * np.log(found.mean.var),
            np.log(found.precision.shape),
            np.log(found.precision.rate),
        ]
    )
    assert -bound(at) == pytest.approx(found.elbo, abs=1e-2)  # midpoints of quantiles cut the tails
    best = minimize(bound, at + [0.3, -0.2, 0.2, 0.2], tol=1e-10)
    np.testing.assert_allclose(best.x, at, atol=2e-2)
    evidence = integrate.dblquad(
        lambda mu, tau: np.exp(log_joint_of_normal(x, prior, mu, tau)), 0, np.inf, -np.inf, np.inf, epsabs=1e-12
    )[0]
    assert found.log_evidence == pytest.approx(np.log(evidence), abs=1e-6) and found.kl > 0.01


@pytest.mark.notes("002", "vb-gaussian")
@pytest.mark.parametrize("scale", [1e-4, 1.0, 1e5])
def test_normal_fixed_point_in_closed_form(scale):
    """At rest b solves a linear equation: b = c + b / (2 a), c what does not depend on Var[mu]."""
    rng = np.random.default_rng(1)
    x, w = scale * (3 + rng.standard_normal(7)), rng.integers(1, 4, 7)
    prior = NormalGamma(scale, 0.5, 0.7, scale**2)
    found = vb_normal(x, prior, sample_weight=w)
    repeated = vb_normal(np.repeat(x, w), prior)
    n, shape = w.sum(), 0.7 + (w.sum() + 1) / 2
    m = (0.5 * scale + w @ x) / (0.5 + n)
    rest = scale**2 + 0.5 * (w @ (x - m) ** 2 + 0.5 * (m - scale) ** 2)
    assert float(found.precision.rate) == pytest.approx(rest / (1 - 0.5 / shape), rel=1e-9)
    assert float(found.precision.rate) == pytest.approx(float(repeated.precision.rate), rel=1e-12)
    assert found.elbo == pytest.approx(repeated.elbo, rel=1e-10) and found.elbo < found.log_evidence
    assert (np.diff(found.bounds) > -1e-9).all() and found.converged


def test_normal_refuses_what_it_cannot_use():
    for prior in (None, Normal(0, 1), NormalGamma([0, 1], 1, 1, 1)):
        with pytest.raises(ParameterError, match=r"prior must be one novum\.distributions\.NormalGamma"):
            vb_normal(NOTES, prior)
    with pytest.raises(DataError, match="vb_normal: data holds NaN"):
        vb_normal([1, np.nan], PRIOR)
    with pytest.warns(NotConverged, match="vb_normal: stopped after max_iter=2"):
        vb_normal(NOTES, PRIOR, max_iter=2)
    assert isinstance(mean_field(PRIOR, NOTES).precision, Gamma)


def test_normal_picture_draws_both_posteriors():
    found = vb_normal(NOTES, PRIOR)
    ax = Figure().subplots()
    found.plot(ax)
    exact, factorised = ax.collections[:2]
    log_exact, log_q = found._grids()[2:]
    for k, (collection, density) in enumerate(((exact, found.exact), (factorised, None))):
        peak = (log_exact, log_q)[k].max()
        for path, level in zip(collection.get_paths(), sorted(np.log([0.9, 0.5, 0.1]))):
            points = path.vertices[:: max(1, len(path.vertices) // 7)][:-1]
            drawn = (
                density.log_prob(points)
                if density is not None
                else stats.norm.logpdf(points[:, 0], float(found.mean.mean), np.sqrt(float(found.mean.var)))
                + stats.gamma.logpdf(points[:, 1], 5, scale=1 / 7.33796296)
            )
            np.testing.assert_allclose(drawn, peak + level, atol=0.02)
    trace = Figure().subplots()
    mean_field(np.log([[0.3, 0.1], [0.05, 0.15]]), n_init=1).plot(trace)
    assert trace.lines[1].get_ydata()[0] == pytest.approx(np.log(0.6))
    assert (np.diff(trace.lines[0].get_ydata()) > -1e-12).all()


def regression_bound(free, X, y, prior):
    """Return the bound of y ~ N(X w, 1/alpha) term by term, with full covariance matrices."""
    n, p = X.shape
    a, b, c, d = np.exp(free[:4])  # Gamma of the noise, Gamma of the weights
    m, L = free[4 : 4 + p], np.zeros((p, p))
    L[np.tril_indices(p)] = free[4 + p :]
    S = L @ L.T
    a1, a2, l1, l2 = prior
    alpha, lam, log_alpha, log_lam = a / b, c / d, digamma(a) - np.log(b), digamma(c) - np.log(d)
    error = np.sum((y - X @ m) ** 2) + np.trace(X.T @ X @ S)
    value = 0.5 * n * (log_alpha - np.log(2 * np.pi)) - 0.5 * alpha * error
    value += 0.5 * p * (log_lam - np.log(2 * np.pi)) - 0.5 * lam * (m @ m + np.trace(S))
    value += a1 * np.log(a2) - gammaln(a1) + (a1 - 1) * log_alpha - a2 * alpha
    value += l1 * np.log(l2) - gammaln(l1) + (l1 - 1) * log_lam - l2 * lam
    value += stats.gamma.entropy(a, scale=1 / b) + stats.gamma.entropy(c, scale=1 / d)
    return value + 0.5 * p * (1 + np.log(2 * np.pi)) + np.log(np.abs(np.diag(L))).sum()


@pytest.mark.notes("002", "mean-field")
@pytest.mark.notes("003", "posterior-approximations")
def test_regression_against_optimiser_and_integral():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((9, 2)) @ [[1, 0.4], [0, 0.8]]
    y = X @ [1.0, -0.5] + 0.4 * rng.standard_normal(9)
    prior = (1.5, 0.8, 2.0, 1.2)
    names = ("alpha_1", "alpha_2", "lambda_1", "lambda_2")
    model = BayesianRidge(fit_intercept=False, **dict(zip(names, prior)))
    found = mean_field(model, X, y)
    noise, size, weights = (found[k] for k in ("noise_precision", "weight_precision", "weights"))
    L = np.linalg.cholesky(weights.cov)
    gammas = np.log([float(v) for v in (noise.shape, noise.rate, size.shape, size.rate)])
    at = np.concatenate([gammas, weights.mean, L[np.tril_indices(2)]])
    assert regression_bound(at, X, y, prior) == pytest.approx(found.elbo, abs=1e-9)
    best = minimize(lambda v: -regression_bound(v, X, y, prior), at + 0.1, tol=1e-11)
    np.testing.assert_allclose(best.x, at, atol=2e-4)
    assert -best.fun == pytest.approx(found.elbo, abs=1e-8)

    def joint(alpha, lam):
        cov = np.eye(9) / alpha + X @ X.T / lam
        log = stats.multivariate_normal.logpdf(y, np.zeros(9), cov)
        return np.exp(log + stats.gamma.logpdf(alpha, 1.5, scale=1 / 0.8) + stats.gamma.logpdf(lam, 2.0, scale=1 / 1.2))

    nodes = np.linspace(0, 14, 57)[1:]
    evidence = np.log(sum(joint(u, v) for u in nodes for v in nodes) * 0.25**2)
    assert found.elbo < evidence < found.elbo + 0.15 and (np.diff(found.bounds) > -1e-12).all()


@pytest.mark.notes("002", "mean-field")
def test_regression_with_an_intercept_is_that_of_a_very_wide_prior():
    rng = np.random.default_rng(5)
    X, noise = rng.standard_normal((30, 3)), rng.standard_normal(30)
    y = 7 + X @ [1.0, 0.0, -2.0] + 0.5 * noise
    found = mean_field(BayesianRidge(), X, y)
    shifted = mean_field(BayesianRidge(), X + 3, y - 100)
    np.testing.assert_allclose(found["weights"].mean, shifted["weights"].mean, rtol=1e-8)
    assert float(found["noise_precision"].shape) == pytest.approx(14.5 + 1e-6)
    wide = mean_field(BayesianRidge(), np.column_stack([X, X[:, 0]]), y)  # rank three of four
    np.testing.assert_allclose(
        np.linalg.eigvalsh(wide["weights"].cov)[-1], 1 / (float(wide["weight_precision"].mean)), rtol=1e-6
    )
    with pytest.raises(ParameterError, match="a bound of the evidence needs proper priors"):
        mean_field(BayesianRidge(alpha_1=0.0), X, y)


def mixture_evidence(x, alpha, mean, beta, nu, scale):
    """Return log p(x) of a mixture of two 1-d Gaussians under Dirichlet and normal-Wishart priors, over all assignments."""

    def cluster(part):
        n = len(part)
        if not n:
            return 0.0
        center = part.mean()
        new = scale + ((part - center) ** 2).sum() + beta * n / (beta + n) * (center - mean) ** 2
        gain = (
            multigammaln((nu + n) / 2, 1)
            - multigammaln(nu / 2, 1)
            + nu / 2 * np.log(scale)
            - (nu + n) / 2 * np.log(new)
        )
        return gain + 0.5 * np.log(beta / (beta + n)) - 0.5 * n * np.log(np.pi)

    total = []
    for code in range(2 ** len(x)):
        z = (code >> np.arange(len(x))) & 1
        k = z.sum()
        weights = betaln(alpha + k, alpha + len(x) - k) - betaln(alpha, alpha)
        total.append(weights + cluster(x[z == 0]) + cluster(x[z == 1]))
    return logsumexp(total)


@pytest.mark.notes("002", "vb-em")
def test_mixture_bound_against_all_assignments_and_at_rest():
    x = np.array([-2.1, -1.7, -2.4, 1.9, 2.2, 2.6, 1.4])
    model = BayesianGaussianMixture(
        n_components=2,
        weight_concentration_prior_type="dirichlet_distribution",
        weight_concentration_prior=1.3,
        mean_precision_prior=0.4,
        mean_prior=[0.2],
        degrees_of_freedom_prior=3.0,
        covariance_prior=[[0.7]],
        random_state=0,
    )
    found = mean_field(model, x[:, None], tol=1e-13)
    evidence = mixture_evidence(x, 1.3, 0.2, 0.4, 3.0, 0.7)
    assert found.elbo < evidence < found.elbo + 1.0  # two labellings of one clustering are log 2 of it
    assert (np.diff(found.bounds) > -1e-10).all()
    alpha = np.asarray(found["weights"].alpha)
    parts = [found[f"component {k}"] for k in range(2)]
    log = np.empty((len(x), 2))
    for k, q in enumerate(parts):  # the update of the assignments from the factors of the parameters
        nu, scale, beta = float(q.df), float(np.ravel(q.scale)[0]), float(q.strength)
        expected_log = digamma(nu / 2) + np.log(2 / scale)
        log[:, k] = digamma(alpha[k]) - digamma(alpha.sum()) + 0.5 * expected_log
        log[:, k] -= 0.5 * (1 / beta + nu / scale * (x - float(np.ravel(q.center)[0])) ** 2)
    r = np.exp(log - logsumexp(log, axis=1, keepdims=True))
    mass, center = r.sum(axis=0), r.T @ x / r.sum(axis=0)
    np.testing.assert_allclose(alpha, 1.3 + mass, atol=1e-5)  # and those of the parameters from the assignments
    for k, q in enumerate(parts):
        scatter = r[:, k] @ (x - center[k]) ** 2
        new = 0.7 + scatter + 0.4 * mass[k] / (0.4 + mass[k]) * (center[k] - 0.2) ** 2
        assert float(np.ravel(q.scale)[0]) == pytest.approx(new, rel=1e-5)
        assert float(np.ravel(q.center)[0]) == pytest.approx(
            (0.4 * 0.2 + mass[k] * center[k]) / (0.4 + mass[k]), rel=1e-5
        )
        assert float(q.df) == pytest.approx(3 + mass[k], rel=1e-5)
    with pytest.raises(ParameterError, match="weight_concentration_prior_type='dirichlet_distribution' only"):
        mean_field(BayesianGaussianMixture(), x[:, None])


@pytest.mark.notes("002", "vb-em")
def test_latents_and_parameters_together_by_updates_of_ones_own():
    """Two coins of unknown bias, tossed in series: q(z) q(bias), compared with an optimiser of the bound and the exact evidence."""
    heads, n = np.array([4.0, 5, 1, 0, 4]), 5
    prior = 1.5

    def log_bias(q):
        a = q["bias"]
        return digamma(a) - digamma(a.sum(axis=1, keepdims=True))

    def update_z(q):
        log = log_bias(q)
        table = heads[:, None] * log[:, 0] + (n - heads)[:, None] * log[:, 1]
        return np.exp(table - logsumexp(table, axis=1, keepdims=True))

    def update_bias(q):
        return prior + np.stack([q["z"].T @ heads, q["z"].T @ (n - heads)], axis=1)

    def bound(q):
        log, a, r = log_bias(q), q["bias"], q["z"]
        value = (r * (heads[:, None] * log[:, 0] + (n - heads)[:, None] * log[:, 1] + np.log(0.5))).sum()
        value -= np.where(r > 0, r * np.log(np.where(r > 0, r, 1)), 0).sum()
        value += ((prior - 1) * log).sum() - 2 * betaln(prior, prior)
        return value - ((a - 1) * log).sum() + betaln(a[:, 0], a[:, 1]).sum()

    start = {"z": np.tile([0.6, 0.4], (5, 1)), "bias": np.array([[2.0, 1.0], [1.0, 2.0]])}
    found = mean_field({"z": update_z, "bias": update_bias}, start=start, bound=bound)

    def free_bound(u):
        r = 1 / (1 + np.exp(-u[:5]))
        return -bound({"z": np.stack([r, 1 - r], axis=1), "bias": np.exp(u[5:]).reshape(2, 2)})

    at = np.concatenate([np.log(found["z"][:, 0] / found["z"][:, 1]), np.log(found["bias"]).ravel()])
    best = minimize(free_bound, at + 0.2 * np.cos(np.arange(9)), tol=1e-11)
    assert found.elbo == pytest.approx(-best.fun, abs=1e-8)
    np.testing.assert_allclose(at, best.x, atol=1e-3)
    terms = []
    for code in range(32):
        z = ((code >> np.arange(5)) & 1).astype(bool)
        parts = [betaln(prior + heads[s].sum(), prior + (n - heads[s]).sum()) - betaln(prior, prior) for s in (z, ~z)]
        terms.append(5 * np.log(0.5) + sum(parts))
    assert found.elbo < logsumexp(terms) < found.elbo + 1.0
    with pytest.warns(DataWarning, match="lowered the bound"):
        mean_field({"z": update_z, "bias": lambda q: 1 + update_bias(q) / 3}, start=dict(found.factors), bound=bound)
    with pytest.raises(ParameterError, match="updates of your own need start="):
        mean_field({"z": update_z})
    with pytest.raises(ParameterError, match="there is no factor 'bias'"):
        mean_field({"z": update_z, "bias": update_bias}, start={"z": 0}, bound=bound)
