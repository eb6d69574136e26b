"""The No-U-Turn sampler: against its recursive twin, exact moments, published posteriors; calibrated; resumable."""

import ctypes

import numpy as np
import pytest
from reference import sampling as reference
from scipy import LowLevelCallable, stats

from novum.exceptions import NotConverged
from novum.linear_model import LogisticRegression
from novum.sampling import HamiltonianMonteCarlo, LogisticPosterior, convergence
from novum.sampling.driver import Request
from novum.sampling.hamiltonian import empty_record

UNJUDGED = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")  # short chains
COVARIANCE = np.array([[2.0, 1.2, 0.0], [1.2, 1.0, 0.3], [0.0, 0.3, 3.0]])
PRECISION = np.linalg.inv(COVARIANCE)


def gaussian(x):
    slope = -(PRECISION @ x)
    return 0.5 * float(x @ slope), slope


def bent(x):
    """A banana: no Gaussian, so that energies differ along a trajectory."""
    y = x[1] - x[0] ** 2
    return -0.5 * (x[0] ** 2 + 4 * y**2 + x[2] ** 2), np.array([-x[0] + 8 * x[0] * y, -4 * y, -x[2]])


@pytest.mark.parametrize("metric", ["diagonal", "dense"])
@pytest.mark.parametrize("density", [gaussian, bent])
def test_trajectories_equal_plain_recursion(metric, density):
    """Same numbers, same draws: every doubling, merge, turn and choice."""
    from novum import _core

    covariance = np.array([1.5, 0.7, 2.0]) if metric == "diagonal" else COVARIANCE
    sampler = HamiltonianMonteCarlo(density, True, metric=metric, max_depth=6)
    learned = {"step_size": 0.35, "covariance": covariance}
    record, start = empty_record(40, 3), np.array([0.3, -0.4, 0.5])
    chain = sampler._chain(Request(40, 0, 1, 11), 2, start, 0, learned, record)
    assert _core.sampling.chains.drive([chain], density, None, True, False) == -1
    matrix = np.diag(covariance) if covariance.ndim == 1 else covariance
    twin = reference.Nuts(lambda x: density(x)[0], lambda x: density(x)[1], matrix, 0.35, 6, 11, 2)
    x = start
    for k in range(40):
        x = twin(x, k)
        np.testing.assert_allclose(record["draws"][k], x, rtol=1e-8, atol=1e-8)
        assert record["steps"][k] == twin.n_steps
        x = record["draws"][k]  # rounding must not grow from draw to draw
        assert record["log_prob"][k] == pytest.approx(density(x)[0], rel=1e-12)
    assert len(set(record["depth"])) > 1


@pytest.mark.notes("002", "mcmc")
@pytest.mark.parametrize("metric", ["diagonal", "dense"])
def test_moments_of_a_correlated_gaussian(metric):
    chains = HamiltonianMonteCarlo(gaussian, True, metric=metric).sample(2000, start=3, random_state=1)
    assert chains.diagnosis and chains.statistics["diverging"].sum() == 0
    for j in range(3):
        assert abs(chains.diagnosis.mean[j]) < 4 * chains.diagnosis.mcse_mean[j]
        for i in range(j + 1):
            product = chains.draws[:, :, i] * chains.draws[:, :, j]
            assert abs(product.mean() - COVARIANCE[i, j]) < 4 * convergence.mcse_mean(product)
    assert chains.statistics["acceptance_rate"].mean() == pytest.approx(0.87, abs=0.08)
    if metric == "dense":
        np.testing.assert_allclose(chains.settings["covariance"][0], COVARIANCE, rtol=0.4, atol=0.5)


@UNJUDGED
def test_draws_do_not_depend_on_who_runs_them():
    sampler = HamiltonianMonteCarlo(gaussian, True)
    options = {"start": 3, "n_warmup": 200, "random_state": 5}
    whole = sampler.sample(300, **options)
    parallel = sampler.sample(300, n_jobs=2, **options)
    np.testing.assert_array_equal(whole.draws, parallel.draws)
    resumed = sampler.sample(200, resume=sampler.sample(100, **options))
    np.testing.assert_array_equal(whole.draws, resumed.draws)
    for name, values in whole.statistics.items():
        np.testing.assert_array_equal(values, resumed.statistics[name])
        np.testing.assert_array_equal(values, parallel.statistics[name])
    fewer = sampler.sample(300, n_chains=4, **options).draws[:2]
    np.testing.assert_array_equal(fewer, whole.draws[:2])
    thinned = sampler.sample(60, thin=5, **options)
    np.testing.assert_array_equal(thinned.draws, whole.draws[:, 4::5])
    two = HamiltonianMonteCarlo(lambda x: gaussian(x)[0], lambda x: gaussian(x)[1]).sample(300, **options)
    np.testing.assert_array_equal(two.draws, whole.draws)
    listed = HamiltonianMonteCarlo(lambda x: (gaussian(x)[0], gaussian(x)[1].tolist()), True).sample(300, **options)
    np.testing.assert_array_equal(listed.draws, whole.draws)


def test_one_call_serves_all_chains():
    shapes = set()

    def rows(x):
        shapes.add(x.shape)
        slope = -(x @ PRECISION)
        return 0.5 * np.einsum("ij,ij->i", x, slope), slope

    chains = HamiltonianMonteCarlo(rows, True, vectorized=True).sample(2000, start=3, random_state=2)
    assert shapes == {(4, 3)} and chains.diagnosis
    assert np.all(np.abs(chains.diagnosis.mean) < 4 * chains.diagnosis.mcse_mean)


@UNJUDGED
def test_a_kept_position_does_not_change_under_its_owner():
    kept = []

    def density(x):
        kept.append(x)
        return gaussian(x)

    HamiltonianMonteCarlo(density, True).sample(5, start=3, n_chains=1, n_warmup=5, random_state=0, names=None)
    values = [gaussian(x)[0] for x in kept]
    assert len({id(x) for x in kept}) == len(kept) and len(set(values)) > len(values) / 2


Y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
S = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
NAMES = {"mu": (), "log_tau": (), "theta": (8,)}


def centered(x):
    mu, log_tau, theta = x[0], x[1], x[2:]
    tau2 = np.exp(2 * log_tau)
    z, e = theta - mu, (Y - theta) / S**2
    value = (
        -0.5 * np.sum((Y - theta) * e) - 0.5 * z @ z / tau2 - 8 * log_tau - mu**2 / 50 - np.log1p(tau2 / 25) + log_tau
    )
    slope = np.concatenate([[z.sum() / tau2 - mu / 25, z @ z / tau2 - 7 - 2 * tau2 / (25 + tau2)], e - z / tau2])
    return value, slope


def non_centered(x):
    mu, log_tau, z = x[0], x[1], x[2:]
    tau = np.exp(log_tau)
    e = (Y - mu - tau * z) / S**2
    value = -0.5 * np.sum(e**2 * S**2) - 0.5 * z @ z - mu**2 / 50 - np.log1p(tau**2 / 25) + log_tau
    slope = np.concatenate([[e.sum() - mu / 25, tau * (e @ z) + 1 - 2 * tau**2 / (25 + tau**2)], tau * e - z])
    return value, slope


def test_eight_schools():
    """Centered, the chains diverge and say so; non-centered, they give the published posterior (mu 4.4, tau 3.6)."""
    with pytest.warns(NotConverged, match=r"trajectories diverged.*Raise target_accept"):
        HamiltonianMonteCarlo(centered, True).sample(500, start=10, names=NAMES, random_state=0)
    chains = HamiltonianMonteCarlo(non_centered, True, target_accept=0.9).sample(
        1000, start=10, names=NAMES, random_state=0
    )
    assert chains.diagnosis.complaints == ()
    assert chains["mu"].mean() == pytest.approx(4.4, abs=0.3) and chains["mu"].std() == pytest.approx(3.3, abs=0.3)
    assert np.exp(chains["log_tau"]).mean() == pytest.approx(3.6, abs=0.4)
    assert chains["theta"].shape == (4, 1000, 8)


def test_the_funnel_warns():
    def funnel(x):
        v, r = x[0], x[1:]
        s = np.exp(-v)
        q = r @ r
        return -v * v / 18 - 0.5 * s * q - 4.5 * v, np.concatenate([[-v / 9 + 0.5 * s * q - 4.5], -s * r])

    with pytest.warns(NotConverged) as caught:
        HamiltonianMonteCarlo(funnel, True).sample(500, start=10, random_state=0)
    assert "diverged" in str(caught[0].message) or "R-hat" in str(caught[0].message)


def test_the_logistic_posterior_is_centred_where_the_penalised_fit_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = rng.random(400) < 1 / (1 + np.exp(-(X @ [1.0, -1.0, 0.0] + 0.3)))
    weight = rng.integers(1, 3, 400).astype(float)
    posterior = LogisticPosterior(X, y, 2.0, sample_weight=weight)
    theta = rng.normal(size=4)
    score = X @ theta[:3] + theta[3]
    exact = np.sum(weight * (y * score - np.logaddexp(0, score))) - theta @ theta / 8
    value, slope = posterior(theta)
    assert value == pytest.approx(exact, rel=1e-12)
    residual = weight * (y - 1 / (1 + np.exp(-score)))
    np.testing.assert_allclose(slope, np.append(X.T @ residual, residual.sum()) - theta / 4, rtol=1e-9)
    chains = HamiltonianMonteCarlo(posterior, True).sample(1000, start=4, names=posterior.names, random_state=0)
    assert chains.labels == ("coef[0]", "coef[1]", "coef[2]", "intercept")
    without = LogisticPosterior(X, y, 2.0, fit_intercept=False, sample_weight=weight)
    flat = HamiltonianMonteCarlo(without, True).sample(1000, start=3, random_state=0)
    fitted = LogisticRegression(C=4.0, fit_intercept=False, tol=1e-10).fit(X, y, sample_weight=weight)
    assert np.all(np.abs(flat.diagnosis.mean - fitted.coef_[0]) < 0.3 * flat.diagnosis.sd)
    single = LogisticPosterior(X.astype(np.float32), y, 2.0, sample_weight=weight)
    assert single(theta)[0] == pytest.approx(exact, rel=1e-5)


@UNJUDGED
def test_compiled_functions_draw_what_python_draws():
    """A C function, here Python's behind ctypes, driven without Python's help in the loop."""
    kind = ctypes.CFUNCTYPE(
        ctypes.c_double, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double), ctypes.c_void_p
    )

    @kind
    def density(d, x, gradient, data):
        value, slope = gaussian(np.ctypeslib.as_array(x, (d,)))
        for j in range(d):
            gradient[j] = slope[j]
        return value

    plain = HamiltonianMonteCarlo(gaussian, True).sample(100, start=3, n_warmup=200, random_state=4)
    native = HamiltonianMonteCarlo(LowLevelCallable(density)).sample(100, start=3, n_warmup=200, random_state=4)
    np.testing.assert_array_equal(plain.draws, native.draws)


def ranks_of_truths(shift, n_sets=600, n_draws=49):
    """Return the rank of every true parameter among the draws of its posterior, data sets as chains of one vectorised density."""
    rng = np.random.default_rng(8)
    mu, log_sigma = rng.normal(size=n_sets), 0.5 * rng.normal(size=n_sets)
    y = mu[:, None] + np.exp(log_sigma)[:, None] * rng.normal(size=(n_sets, 5))

    def log_prob(x):
        m, s = x[:, 0], x[:, 1]
        e = (y - m[:, None]) * np.exp(-s)[:, None]
        value = -0.5 * (e**2).sum(axis=1) - 5 * s - 0.5 * (m - shift) ** 2 - 2 * s**2
        return value, np.stack([e.sum(axis=1) * np.exp(-s) - (m - shift), (e**2).sum(axis=1) - 5 - 4 * s], axis=1)

    chains = HamiltonianMonteCarlo(log_prob, True, vectorized=True).sample(
        n_draws, start=2, n_chains=n_sets, n_warmup=300, thin=4, random_state=3
    )
    return np.stack([(chains.draws[:, :, j] < t[:, None]).sum(axis=1) for j, t in enumerate((mu, log_sigma))])


@UNJUDGED  # every chain has a distribution of its own
def test_simulation_based_calibration():
    """Ranks of true parameters among posterior draws are uniform (Talts and others 2018); those under a wrong prior are not."""
    right, wrong = ranks_of_truths(0.0), ranks_of_truths(1.0)
    for row in right:
        counts = np.histogram(row, bins=10, range=(0, 50))[0]
        assert stats.chisquare(counts).pvalue > 0.01
    assert stats.chisquare(np.histogram(wrong[0], bins=10, range=(0, 50))[0]).pvalue < 1e-6


@pytest.mark.deep
@UNJUDGED
def test_pytorch_differentiates():
    torch = pytest.importorskip("torch")
    precision = torch.tensor(PRECISION)
    options = {"start": 3, "n_warmup": 100, "random_state": 0}
    ours = HamiltonianMonteCarlo(gaussian, True).sample(20, **options)
    found = HamiltonianMonteCarlo(lambda x: -0.5 * x @ precision @ x).sample(20, **options)
    assert np.abs(found.draws[:, 0]).max() < 20 and found.draws.shape == ours.draws.shape
    rows = HamiltonianMonteCarlo(lambda x: -0.5 * ((x @ precision) * x).sum(dim=1), vectorized=True).sample(
        200, **options
    )
    assert np.all(np.abs(rows.diagnosis.mean) < 5 * rows.diagnosis.mcse_mean + 0.1)
    with pytest.raises(TypeError, match="must return one that depends on it"):
        HamiltonianMonteCarlo(lambda x: 3.0).sample(10, start=2)
