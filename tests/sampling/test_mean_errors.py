"""Intervals of means of draws: rare events, draws that all agree, heavy tails."""

import warnings

import numpy as np
import pytest
from scipy import stats

from novum.distributions import Exponential, Normal, StudentT
from novum.exceptions import DataWarning
from novum.sampling import importance_sample, monte_carlo


def coverage(distribution, function, truth, n, repeats=120):
    """Return how often the interval holds the truth, how often it does or the call warns, and how often it warns."""
    held, warned = np.zeros(repeats, bool), np.zeros(repeats, bool)
    for seed in range(repeats):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = monte_carlo(distribution, function, n, random_state=1000 + seed)
        held[seed], warned[seed] = found.low <= truth <= found.high, bool(said)
    return held.mean(), (held | warned).mean(), warned.mean()


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("p", [0.1, 0.01, 1e-3, 1e-4])
def test_rare_events_keep_their_level_in_silence(p, n):
    place = stats.norm.isf(p)
    held, _, warned = coverage(Normal(), lambda x: x > place, p, n)
    assert held >= 0.92 and warned == 0


def test_events_that_no_draw_met():
    found = monte_carlo(Normal(), lambda x: x > 6, 1000, random_state=0)
    assert found.value == 0 == found.low and found.standard_error > 0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 1000), rel=1e-9)  # (1 - p)^1000 = .025
    always = monte_carlo(Normal(), lambda x: x < 6, 500, level=0.9, random_state=0)
    assert always.high == 1 and always.low == pytest.approx(0.05 ** (1 / 500), rel=1e-9)
    some = monte_carlo(Normal(), lambda x: (x > 2) * 1.0, 1000, random_state=0)
    k = round(1000 * some.value)
    exact = stats.binomtest(k, 1000).proportion_ci(0.95)
    np.testing.assert_allclose([some.low, some.high], [exact.low, exact.high], rtol=1e-9)
    for function in (lambda x: np.maximum(x - 6, 0.0), lambda x: np.full(len(x), 3.25)):
        with pytest.warns(DataWarning, match="one and the same value"):
            found = monte_carlo(Normal(), function, 1000, random_state=0)
        assert np.isnan([found.standard_error, found.low, found.high]).all()
    mixed = lambda x: np.column_stack([x, x**0])  # noqa: E731
    with pytest.warns(DataWarning, match="no variation"):
        found = monte_carlo(Normal(), mixed, 100, random_state=0)
    assert np.isfinite(found.low[0]) and np.isnan(found.low[1])


def test_weighted_draws_that_all_agree():
    log_prob = lambda x: -0.5 * x**2  # noqa: E731
    found = importance_sample(log_prob, StudentT(3), lambda x: x > 50, 1000, random_state=0)
    assert found.value == 0 and 0.5 / 1000 < found.standard_error < 0.01
    assert found.expectation(lambda x: x > 60)[1] > 0
    with pytest.warns(DataWarning, match="no variation"):
        assert np.isnan(found.expectation(lambda x: np.maximum(x - 50, 0.0))[1])
    with pytest.warns(DataWarning, match="no variation"):
        again = importance_sample(log_prob, StudentT(3), lambda x: np.maximum(x - 50, 0.0), 1000, random_state=0)
    assert np.isnan(again.standard_error)
    with pytest.warns(DataWarning, match="weight times value has a tail"):
        importance_sample(StudentT(3).log_prob, StudentT(3), lambda x: np.abs(x) ** 6, 5000, random_state=0)


def test_heavy_tails_are_reported():
    for seed in range(5):
        with pytest.warns(DataWarning, match="no mean exists"):
            found = monte_carlo(StudentT(1), lambda x: x, 10_000, random_state=seed)
        assert np.isnan([found.standard_error, found.low, found.high]).all() and np.isfinite(found.value)
    for sigma, n in ((2, 1000), (3, 100), (3, 1000)):
        _, either, warned = coverage(Normal(0, sigma**2), np.exp, np.exp(sigma**2 / 2), n)
        assert either >= 0.89 and warned > 0.6
    for df, n in ((1, 300), (2, 1000), (3, 1000)):
        assert coverage(StudentT(df), None, 0.0, n)[1] >= 0.92


@pytest.mark.parametrize(
    "distribution, function, truth",
    [
        (Normal(), None, 0.0),
        (Normal(1, 4), lambda x: x**2, 5.0),
        (Exponential(1.0), None, 1.0),
        (StudentT(5), None, 0.0),
    ],
)
def test_healthy_draws_hold_their_level_in_silence(distribution, function, truth):
    held, _, warned = coverage(distribution, function, truth, 1000)
    assert held >= 0.9 and warned <= 0.03
