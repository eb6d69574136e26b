"""Monte Carlo, inversion, rejection and importance sampling against closed forms."""

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pytest
from artists import bands, canvas, curve
from scipy import stats

from novum import _core
from novum.distributions import Beta, MultivariateNormal, Normal, StudentT, Uniform
from novum.exceptions import DataError, DataWarning, ParameterError, ParameterTypeError
from novum.sampling import importance_sample, inverse_cdf, monte_carlo, rejection_sample
from novum.sampling.importance import pareto_shape


@pytest.mark.notes("002", "monte-carlo")
def test_monte_carlo_is_unbiased_with_the_error_it_says():
    found = [monte_carlo(Normal(1, 4), lambda x: x**2, 500, random_state=seed) for seed in range(400)]
    values, errors = np.array([f.value for f in found]), np.array([f.standard_error for f in found])
    assert abs(values.mean() - 5) < 4 * values.std() / 20
    exact = np.sqrt((4 * 4 * 1 + 2 * 4**2) / 500)  # Var X^2 = 4 m^2 s^2 + 2 s^4
    assert errors.mean() == pytest.approx(exact, rel=0.02) and values.std() == pytest.approx(exact, rel=0.12)
    covered = np.mean([f.low <= 5 <= f.high for f in found])
    assert 0.91 < covered < 0.98
    fixed = np.array([1.0, -2.0, 4.5, 0.25, 3.0])
    few = monte_carlo(lambda n, rng: fixed[:n], lambda x: x**2, 5, level=0.9)
    error = np.sqrt(np.sum((fixed**2 - np.mean(fixed**2)) ** 2) / 4 / 5)
    np.testing.assert_allclose([few.value, few.standard_error], [np.mean(fixed**2), error], rtol=1e-13)
    np.testing.assert_allclose(
        [few.low, few.high], few.value + stats.t(4).ppf(0.95) * error * np.array([-1, 1]), rtol=1e-12
    )
    predictive = monte_carlo(Beta(3, 2), lambda q: stats.binom.pmf(2, 3, q), 100_000, random_state=0)
    assert abs(predictive.value - stats.betabinom.pmf(2, 3, 3, 2)) < 4 * predictive.standard_error


@pytest.mark.notes("002", "monte-carlo")
def test_monte_carlo_takes_functions_of_one_draw_and_arrays():
    one = monte_carlo(lambda n, rng: rng.normal(size=n), lambda x: 1.0 if x > 0 else 0.0, 1000, random_state=3)
    many = monte_carlo(lambda n, rng: rng.normal(size=n), lambda x: (x > 0) * 1.0, 1000, random_state=3)
    assert one.value == many.value and "standard error" in repr(one)
    both = monte_carlo(MultivariateNormal([0, 3], np.eye(2)), n_samples=5000, random_state=0)
    assert both.value.shape == (2,) and np.all(np.abs(both.value - [0, 3]) < 4 * both.standard_error)
    draws = (np.random.default_rng(3).normal(size=1000) > 0) * 1.0
    ax = one.plot(canvas())
    so_far = np.cumsum(draws) / np.arange(1, 1001)
    np.testing.assert_allclose(curve(ax), [np.arange(1, 1001), so_far], rtol=1e-12)
    ((_, low, high),) = bands(ax)
    error = [draws[:n].std() / np.sqrt(n) for n in range(1, 1001)]
    np.testing.assert_allclose(high - so_far, stats.norm.ppf(0.975) * np.array(error), atol=1e-9)
    np.testing.assert_allclose(so_far - low, high - so_far, atol=1e-12)
    with pytest.raises(DataError, match="not finite at the draw"):
        monte_carlo(Normal(0, 1), lambda x: np.full_like(x, np.inf), 10, random_state=0)
    with pytest.raises(ParameterTypeError, match="cannot be drawn from"):
        monte_carlo(3)
    with pytest.raises(DataError, match="an array of shape"):
        monte_carlo(lambda n, rng: np.zeros(3), n_samples=10)


@pytest.mark.notes("002", "inverse-cdf-discrete")
def test_discrete_inversion_at_the_edges():
    assert inverse_cdf([0.2, 0.3, 0.5], u=[0.1, 0.2, 0.6]).tolist() == [0, 1, 2]
    assert inverse_cdf([0.2, 0.3, 0.5], u=[0.0, 0.4999, 0.5, 0.9999999]).tolist() == [0, 1, 2, 2]
    assert inverse_cdf([0.0, 1.0, 0.0], u=[0.0, 0.999999999999]).tolist() == [1, 1]
    assert inverse_cdf({"a": 0.25, "b": 0.75}, u=[0.2, 0.3]).tolist() == ["a", "b"]
    tenths = [0.1] * 10  # their sum rounds below one
    assert inverse_cdf(tenths, u=[np.nextafter(1, 0)]).tolist() == [9]


@pytest.mark.notes("002", "inverse-cdf-discrete")
@pytest.mark.parametrize("k", [1, 2, 17, 1000])
def test_alias_tables_hold_the_distribution_exactly(k):
    p = np.random.default_rng(k).dirichlet(np.full(k, 0.3))
    p[0] = 0 if k > 1 else 1
    p /= p.sum()
    keep, other = np.empty(k), np.empty(k, np.int64)
    _core.sampling.alias.table(p, keep, other)
    masses = np.bincount(np.arange(k), keep, k) + np.bincount(other, 1 - keep, k)
    np.testing.assert_allclose(masses / k, p, atol=1e-14)
    draws = inverse_cdf(p, 200_000, method="alias", random_state=0)
    assert k == 1 or 0 not in draws
    top = np.argsort(p)[-5:]
    np.testing.assert_allclose(np.bincount(draws, minlength=k)[top] / 200_000, p[top], atol=0.006)


@pytest.mark.notes("002", "inverse-cdf-continuous")
def test_continuous_inversion():
    u = np.random.default_rng(0).random(200)
    np.testing.assert_allclose(
        inverse_cdf(lambda v: -np.log1p(-v) / 3, u=u), stats.expon.ppf(u, scale=1 / 3), rtol=1e-14
    )
    np.testing.assert_allclose(inverse_cdf(stats.norm(2, 3).cdf, kind="cdf", u=u), stats.norm.ppf(u, 2, 3), rtol=1e-12)
    np.testing.assert_allclose(
        inverse_cdf(lambda x: 1 - np.exp(-(x**2)), kind="cdf", low=0, u=u), np.sqrt(-np.log1p(-u)), rtol=1e-9
    )
    assert stats.kstest(inverse_cdf(stats.cauchy.cdf, 2000, kind="cdf", random_state=0), "cauchy").pvalue > 0.01
    np.testing.assert_allclose(inverse_cdf(Normal(0, 1), u=u), stats.norm.ppf(u), rtol=1e-10)
    np.testing.assert_allclose(
        inverse_cdf(lambda x: np.exp(np.minimum(x - 2, 0)), kind="cdf", high=2, u=u), 2 + np.log(u), rtol=1e-9
    )
    np.testing.assert_allclose(inverse_cdf(lambda x: (x / 3) ** 2, kind="cdf", low=0, high=3, u=u), 3 * np.sqrt(u))


def test_inversion_refuses_what_is_no_distribution():
    with pytest.raises(DataError, match="sums to"):
        inverse_cdf([0.5, 0.6], 3)
    with pytest.raises(ParameterError, match="one of the two"):
        inverse_cdf([0.5, 0.5])
    with pytest.raises(DataError, match=r"u must lie in \[0, 1\)"):
        inverse_cdf([0.5, 0.5], u=[1.0])
    with pytest.raises(DataError, match="probabilities in"):
        inverse_cdf(lambda x: x, kind="cdf", u=[0.5])
    with pytest.raises(DataError, match="does not come near"):
        inverse_cdf(lambda x: 0 * x + 0.3, kind="cdf", u=[0.5])


@pytest.mark.notes("002", "rejection-sampling")
def test_rejection_keeps_the_share_under_the_target():
    found = rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 20_000, bound=0.25, random_state=0)
    assert abs(found.acceptance_rate - 2 / 3) < 4 * np.sqrt(2 / 9 / found.n_proposed)
    assert abs(found.normalizer - 1 / 6) < 4 * found.normalizer_error
    assert stats.kstest(found.samples, stats.beta(2, 2).cdf).pvalue > 0.01
    log = rejection_sample(lambda x: np.log(x * (1 - x)), Uniform(0, 1), 500, bound=0.25, log=True, random_state=0)
    plain = rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 500, bound=0.25, random_state=0)
    np.testing.assert_allclose(log.samples, plain.samples)
    assert len(plain.samples) == 500 and "acceptance rate" in repr(plain)
    # a proposal that is not flat: a normal target of mass 3 under 6 t(2)
    heavy = rejection_sample(lambda x: 3 * stats.norm.pdf(x, 0.3, 0.8), StudentT(2), 20_000, bound=6, random_state=0)
    assert stats.kstest(heavy.samples, stats.norm(0.3, 0.8).cdf).pvalue > 0.01
    assert heavy.acceptance_rate == 20_000 / heavy.n_proposed == pytest.approx(0.5, abs=0.01)
    assert heavy.normalizer == 6 * heavy.acceptance_rate == pytest.approx(3, abs=4 * heavy.normalizer_error)
    assert heavy.normalizer_error == pytest.approx(6 * np.sqrt(0.25 / heavy.n_proposed), rel=0.01)


def test_a_violated_envelope_is_named_with_its_point():
    with pytest.raises(DataError, match=r"the envelope is violated at x = .*raise bound to") as caught:
        rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 100, bound=0.2, random_state=0)
    needed = float(str(caught.value).split("raise bound to ")[1].split(" ")[0])
    assert 0.2 < needed <= 0.25 + 1e-9
    with pytest.raises(DataError, match="far too wide"):
        rejection_sample(lambda x: (abs(x) < 1e-7) * 1.0, Uniform(-1, 1), 100, bound=2.0, random_state=0)
    with pytest.raises(DataError, match="negative"):
        rejection_sample(lambda x: -x, Uniform(0, 1), 100, random_state=0)
    with pytest.raises(DataError, match="density is NaN at"):
        rejection_sample(lambda x: np.nan * x, Uniform(0, 1), 100, random_state=0)


@pytest.mark.notes("002", "plot-rejection")
def test_the_picture_shows_target_envelope_and_points():
    found = rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 800, bound=0.25, random_state=0)
    lines = {line.get_label(): line for line in found.plot().lines}
    x, y = lines["accepted"].get_data()
    assert np.all(y < x * (1 - x)) and len(x) == 800
    x, y = lines["rejected"].get_data()
    assert np.all((y >= x * (1 - x)) & (y <= 0.25)) and len(x) == found.n_proposed - 800
    x, y = lines["target"].get_data()
    np.testing.assert_allclose(y, x * (1 - x))
    every = np.concatenate([lines[name].get_xdata() for name in ("accepted", "rejected")])
    np.testing.assert_allclose([x[0], x[-1]], [every.min(), every.max()])
    np.testing.assert_allclose(lines["envelope k q"].get_ydata(), 0.25)
    ax = rejection_sample(lambda x: 3 * stats.norm.pdf(x), StudentT(2), 300, bound=6, random_state=0).plot()
    lines = {line.get_label(): line.get_data() for line in ax.lines}
    np.testing.assert_allclose(lines["target"][1], 3 * stats.norm.pdf(lines["target"][0]), rtol=1e-9)
    np.testing.assert_allclose(lines["envelope k q"][1], 6 * stats.t(2).pdf(lines["envelope k q"][0]), rtol=1e-9)
    (x, y), (a, b) = lines["accepted"], lines["rejected"]
    assert np.all(y < 3 * stats.norm.pdf(x)) and np.all(b >= 3 * stats.norm.pdf(a))
    assert np.all(b < 6 * stats.t(2).pdf(a)) and (b > 3 * stats.t(2).pdf(a)).any()
    with pytest.raises(DataError, match="one dimension"):
        rejection_sample(
            lambda x: np.exp(-0.6 * (x**2).sum(axis=1)) / 10,
            MultivariateNormal([0, 0], np.eye(2)),
            1,
            bound=1.0,
            random_state=0,
        ).plot()


@pytest.mark.notes("002", "importance-sampling")
def test_importance_sampling_against_closed_forms():
    proposal = StudentT(5)
    found = importance_sample(lambda x: -0.5 * (x - 1) ** 2, proposal, lambda x: x**2, 100_000, random_state=0)
    assert abs(found.value - 2) < 4 * found.standard_error
    assert abs(found.log_normalizer - 0.5 * np.log(2 * np.pi)) < 4 * found.log_normalizer_error
    w = np.exp(-0.5 * (found.samples - 1) ** 2) / stats.t(5).pdf(found.samples)
    np.testing.assert_allclose(found.weights, w / w.sum(), rtol=1e-9)
    assert found.value == pytest.approx(np.sum(w * found.samples**2) / w.sum(), rel=1e-10)
    assert found.effective_size == pytest.approx(w.sum() ** 2 / np.sum(w**2), rel=1e-9)
    assert found.log_normalizer == pytest.approx(np.log(w.mean()), rel=1e-9)
    assert found.log_normalizer_error == pytest.approx(w.std() / w.mean() / np.sqrt(len(w)), rel=1e-9)
    share = w / w.sum()
    error = np.sqrt(np.sum(share**2 * (found.samples**2 - found.value) ** 2))  # the delta method, term by term
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    mean, error = found.expectation(lambda x: x)
    assert abs(mean - 1) < 4 * error and mean == pytest.approx(share @ found.samples, rel=1e-9)
    assert error == pytest.approx(np.sqrt(np.sum((share * (found.samples - mean)) ** 2)), rel=1e-9)
    assert abs(found.resample(50_000, 0).mean() - 1) < 0.03
    one = importance_sample(lambda x: -0.5 * x**2, proposal, lambda x: x, 1, random_state=0)
    assert one.value == one.samples[0]  # with one draw the weights cancel: biased


@pytest.mark.notes("003", "importance-sampling")
def test_ordinary_and_weighted_forms_on_two_points():
    p, q, f = np.array([0.5, 0.5]), np.array([0.2, 0.8]), np.array([1.0, 3.0])
    proposal = (lambda n, rng: (rng.random(n) < 0.8).astype(int), lambda k: np.log(q[k]))
    for normalized in (True, False):
        found = importance_sample(
            lambda k: np.log(p[k]), proposal, lambda k: f[k], 40_000, self_normalized=normalized, random_state=1
        )
        assert abs(found.value - 2) < 4 * found.standard_error < 0.1
    ratio = (p / q)[found.samples]
    assert found.value == pytest.approx(np.mean(ratio * f[found.samples]), rel=1e-12)
    assert found.log_normalizer == pytest.approx(np.log(ratio.mean()), rel=1e-9)
    assert found.log_normalizer_error == pytest.approx(ratio.std() / ratio.mean() / 200, rel=1e-9)
    assert found.effective_size == pytest.approx(ratio.sum() ** 2 / np.sum(ratio**2), rel=1e-9)
    few = importance_sample(lambda k: np.log(p[k]), proposal, lambda k: f[k], 9, self_normalized=False, random_state=2)
    terms = (p / q * f)[few.samples]
    assert few.standard_error == pytest.approx(np.sqrt(np.sum((terms - terms.mean()) ** 2) / 8 / 9), rel=1e-12)


@pytest.mark.notes("002", "importance-sampling")
def test_degenerate_weights_warn():
    with pytest.warns(DataWarning, match="the weights degenerate"):
        found = importance_sample(lambda x: -0.5 * (x / 10) ** 2, Normal(0, 1), lambda x: x**2, 5000, random_state=0)
    assert found.pareto_shape > 0.7
    with pytest.warns(DataWarning, match="are worth"):
        importance_sample(lambda x: -0.5 * (x / 1e-3) ** 2, Uniform(-1, 1), n_samples=5000, random_state=0)
    with pytest.raises(DataError, match="no density at any"):
        importance_sample(lambda x: np.full(len(x), -np.inf), Uniform(0, 1), n_samples=50)
    with pytest.raises(ParameterTypeError, match="give a distribution"):
        importance_sample(lambda x: x, "normal")


@pytest.mark.notes("002", "importance-sampling")
def test_the_shape_of_a_pareto_tail_is_found():
    rng = np.random.default_rng(0)
    for shape in (0.2, 0.9):
        found = [pareto_shape(np.log(rng.pareto(1 / shape, 20_000) + 1)) for _ in range(20)]
        assert np.mean(found) == pytest.approx(shape, abs=0.1)
    logs = rng.normal(size=150) * 1.5  # the profile of Zhang and Stephens (2009) over the tail, term by term
    tail = np.sort(np.exp(logs - logs.max()))[-31:]  # ceil(0.2 n), the threshold below it
    x, size = tail[1:] - tail[0], 35
    grid = [1 / x[-1] + (1 - np.sqrt(size / (j - 0.5))) / (3 * x[7]) for j in range(1, size + 1)]
    k = [np.mean(np.log(1 - theta * x)) for theta in grid]
    height = np.array([30 * (np.log(-theta / one) - one - 1) for theta, one in zip(grid, k)])
    best = np.sum(np.array(grid) * np.exp(height)) / np.sum(np.exp(height))
    assert pareto_shape(logs) == pytest.approx((30 * np.mean(np.log(1 - best * x)) + 5) / 40, rel=1e-9)
    assert pareto_shape(np.zeros(100)) == 0.0 and np.isnan(pareto_shape(np.arange(3.0)))
