"""Deviations of means: the notes' numbers, the three directions of each inequality, and simulation."""

import math

import numpy as np
import pytest
from artists import bands, canvas, curve
from numpy.testing import assert_allclose
from scipy import stats

from novum.distributions import Bernoulli, Exponential, Normal
from novum.exceptions import DataError, ParameterError
from novum.teaching import chebyshev_bound, mean_paths, sample_mean, standardized_means
from novum.theory import bernstein, chebyshev, clt_interval, hoeffding


@pytest.mark.notes("003", "hoeffding")
def test_hoeffding_in_three_directions():
    assert_allclose(hoeffding(100, 0.1), math.exp(-2), rtol=1e-15)
    assert round(hoeffding(100, 0.1), 7) == 0.1353353
    assert_allclose(hoeffding(100, delta=hoeffding(100, 0.1)), 0.1, rtol=1e-14)
    n = hoeffding(epsilon=0.1, delta=0.05)
    assert hoeffding(n, 0.1) <= 0.05 < hoeffding(n - 1, 0.1)
    assert_allclose(hoeffding(50, 0.3, two_sided=True), 2 * hoeffding(50, 0.3), rtol=1e-15)
    assert_allclose(hoeffding(50, 30.0, low=-100, high=200), hoeffding(50, 0.1), rtol=1e-14)
    assert hoeffding(1, 0.01, two_sided=True) == 1.0


@pytest.mark.notes("003", "ucb-radius")
def test_radius_of_an_upper_confidence_bound():
    assert round(hoeffding(10, delta=0.05), 7) == 0.3870228
    for t in (2, 10, 1000):
        assert_allclose(hoeffding(7, delta=float(t) ** -4), math.sqrt(2 * math.log(t) / 7), rtol=1e-14)
    wide = {"low": -1.0, "high": 2.0}  # means of numbers in an interval of length 3
    assert_allclose(hoeffding(40, 0.5, **wide), math.exp(-2 * 40 * 0.25 / 9), rtol=1e-14)
    assert_allclose(hoeffding(40, 0.5, two_sided=True, **wide), 2 * math.exp(-2 * 40 * 0.25 / 9), rtol=1e-14)
    assert_allclose(hoeffding(40, delta=0.1, **wide), 3 * math.sqrt(math.log(10) / 80), rtol=1e-14)
    assert hoeffding(epsilon=0.5, delta=0.1, **wide) == math.ceil(math.log(10) * 9 / (2 * 0.25))


@pytest.mark.notes("004", "lln-demo")
@pytest.mark.notes("000-a", "lln")
@pytest.mark.notes("000-a", "chebyshev")
def test_chebyshev_and_the_exact_tail():
    assert chebyshev(1, 2.0) == 0.25 and round(chebyshev(1, 3.0), 6) == 0.111111
    assert_allclose(2 * stats.norm.sf([2, 3]), [0.045500, 0.002700], atol=5e-7)
    assert chebyshev(1, delta=0.25) == 2.0 and chebyshev(1, 0.5) == 1.0
    assert_allclose(chebyshev(7, 1.5, variance=4.0), chebyshev_bound(Normal(3.0, 4.0), 7, 1.5), rtol=1e-15)


@pytest.mark.notes("000-a", "lln")
@pytest.mark.notes("004", "lln-demo")
def test_law_of_large_numbers():
    assert chebyshev(epsilon=0.1, delta=0.05) == 2000
    assert chebyshev(2000, 0.1) == pytest.approx(0.05, rel=1e-14)
    assert chebyshev(10**8, 0.01) < 1e-3
    paths = mean_paths(Bernoulli(0.3), n=3000, n_paths=20, random_state=1)
    largest = np.abs(paths.means - 0.3).max(axis=1)
    assert largest[-1] < 0.05 < largest[10]
    ax = paths.plot(canvas())
    n = np.arange(1, 3001)
    for k in range(20):
        x, height = curve(ax, k)
        draws = np.diff(np.r_[0, height * n])  # what every mean is the mean of: tosses of the coin
        np.testing.assert_array_equal(x, n)
        np.testing.assert_allclose(draws, np.rint(draws), atol=1e-6)
        assert set(np.rint(draws)) == {0, 1}
    ((x, low, high),) = bands(ax)
    np.testing.assert_allclose(high - low, 4 * np.sqrt(0.21 / n))
    np.testing.assert_allclose((high + low) / 2, 0.3)
    assert curve(ax, 20)[1][0] == pytest.approx(0.3) and ax.get_xlabel() == "draws"


@pytest.mark.notes("000-a", "sample-mean-law")
@pytest.mark.notes("003", "empirical-mean")
def test_distribution_of_the_sample_mean():
    distribution = sample_mean(Exponential(0.5), 25)
    assert_allclose([distribution.mean, distribution.var], [2.0, 4 / 25], rtol=1e-14)
    means = Exponential(0.5).sample((20000, 25), random_state=0).mean(axis=1)
    assert_allclose([means.mean(), means.var()], [2.0, 4 / 25], rtol=0.03)
    x = np.array([1.0, 2.0, 4.0, 7.0])
    found = clt_interval(x)
    assert found.mean == x.mean()
    assert_allclose(found.std**2 / found.n, x.var(ddof=1) / 4, rtol=1e-15)
    assert_allclose(tuple(found), x.mean() + 1.959963985 * np.array([-1, 1]) * x.std(ddof=1) / 2, rtol=1e-9)


@pytest.mark.notes("000-a", "clt")
def test_central_limit_theorem():
    few, many = (standardized_means(Exponential(1.0), n, random_state=0).distance for n in (1, 200))
    assert few > 0.1 > 0.04 > many
    shown = standardized_means(Exponential(0.5), 9, 500, random_state=3)
    draws = Exponential(0.5).sample((500, 9), random_state=3)
    assert_allclose(shown.values, (draws.mean(axis=1) - 2) / (2 / 3), rtol=1e-12)
    assert shown.distance == pytest.approx(stats.kstest(shown.values, "norm").statistic, rel=1e-12)
    x = np.random.default_rng(0).exponential(size=80)
    for level in (0.5, 0.9, 0.99):
        expected = stats.norm.interval(level, x.mean(), x.std(ddof=1) / math.sqrt(80))
        assert_allclose(tuple(clt_interval(x, level)), expected, rtol=1e-13)
    known = clt_interval(x, std=1.0)
    n = known.sample_size(0.05)
    assert n == math.ceil((stats.norm.ppf(0.975) / 0.05) ** 2) == 1537
    ax = known.plot(canvas())
    assert ax.get_legend_handles_labels()[1] == ["95% interval"]
    at, height = curve(ax)
    assert_allclose([at[0], at[-1]], x.mean() + np.array([-4, 4]) / math.sqrt(80))
    assert_allclose(height, stats.norm.pdf(at, x.mean(), 1 / math.sqrt(80)), rtol=1e-10)
    ((inside, low, high),) = bands(ax)
    assert_allclose(inside, at[(at >= known.lower) & (at <= known.upper)])
    assert_allclose(np.abs(high - low), stats.norm.pdf(inside, x.mean(), 1 / math.sqrt(80)), rtol=1e-10)


def test_bernstein_in_three_directions():
    v, c, n = 0.02, 0.5, 300
    for sides, two in ((1, False), (2, True)):
        tail = bernstein(n, 0.03, variance=v, bound=c, two_sided=two)
        assert_allclose(tail, sides * math.exp(-n * 0.03**2 / (2 * v + 2 * c * 0.03 / 3)), rtol=1e-14)
        assert_allclose(bernstein(n, delta=tail, variance=v, bound=c, two_sided=two), 0.03, rtol=1e-13)
        need = bernstein(epsilon=0.03, delta=0.01, variance=v, bound=c, two_sided=two)
        assert bernstein(need, 0.03, variance=v, bound=c, two_sided=two) <= 0.01
        assert bernstein(need - 1, 0.03, variance=v, bound=c, two_sided=two) > 0.01
    assert bernstein(epsilon=0.1, delta=0.05, variance=0.0) < hoeffding(epsilon=0.1, delta=0.05)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: hoeffding(10), "give two of the three"),
        (lambda: hoeffding(10, 0.1, 0.1), "give two of the three"),
        (lambda: hoeffding(0, 0.1), r"n=0\): n must be at least 1"),
        (lambda: hoeffding(10, -0.1), "epsilon must lie in"),
        (lambda: hoeffding(10, delta=0.0), "delta must lie in"),
        (lambda: hoeffding(10, 0.1, low=1, high=1), "high must lie in"),
        (lambda: chebyshev(10, 0.1, variance=-1.0), "variance must lie in"),
        (lambda: bernstein(10, 0.1, variance=4.0), "variance of at most 1"),
        (lambda: clt_interval([1.0]), "needs two"),
        (lambda: clt_interval([1.0, math.nan]), "NaN"),
        (lambda: clt_interval([1.0, 2.0], level=1.0), "level must lie in"),
    ],
)
def test_errors_name_what_is_wrong(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()


@pytest.mark.slow
def test_radii_hold_and_the_limit_interval_covers():
    rng = np.random.default_rng(0)
    for n in (20, 200):
        draws = rng.beta(0.5, 2.0, size=(40000, n))
        mean, var = 0.2, 0.5 * 2 / (2.5**2 * 3.5)
        off = draws.mean(axis=1) - mean
        for delta in (0.2, 0.05):
            assert (off >= hoeffding(n, delta=delta)).mean() <= delta
            assert (np.abs(off) >= chebyshev(n, delta=delta, variance=var)).mean() <= delta
            assert (off >= bernstein(n, delta=delta, variance=var, bound=0.8)).mean() <= delta
    normal = rng.normal(size=(4000, 100))
    inside = [low <= 0 <= high for low, high in map(clt_interval, normal)]
    assert abs(np.mean(inside) - 0.95) < 0.02
    skewed = rng.exponential(size=(4000, 400))
    assert abs(np.mean([low <= 1 <= high for low, high in map(clt_interval, skewed)]) - 0.95) < 0.02
