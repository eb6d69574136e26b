"""z, t, proportion, chi-squared, F and permutation tests, power and the t-table: against SciPy, statsmodels and the notes."""

import pickle
from math import comb

import numpy as np
import pytest
from artists import bars, canvas, curve
from scipy import stats

from novum.evaluation import (
    TestResult,
    chi_squared_test,
    f_test,
    permutation_test,
    power,
    proportion_test,
    rejection_rate,
    sample_size,
    sample_std,
    t_test,
    z_test,
)
from novum.exceptions import DataError, ParameterError
from novum.teaching import t_table

rng = np.random.default_rng(0)
x, y = rng.normal(0.3, 1, 12), rng.normal(0, 2, 9)
FOUR = [1.2, 0.4, 2.1, 1.9]  # the catalogue's sample
SIDES = pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])


@pytest.mark.notes("000-a", "z-test")
def test_z_of_the_notes():
    test = z_test(FOUR, sigma=1, mean=1)
    assert test.statistic == pytest.approx(0.8, abs=1e-12) and test.p_value == pytest.approx(0.423711, abs=5e-7)
    assert not test.reject(0.05)
    for n, c in ((4, 0.98), (25, 0.392), (100, 0.196)):  # accept while |mean - 1| <= 1.96/sqrt n
        low, high = z_test(np.ones(n), sigma=1, mean=1).interval(0.95)
        assert (high - low) / 2 == pytest.approx(c, abs=2e-5)


@pytest.mark.notes("000-a", "z-test")
@SIDES
def test_z_and_proportions_by_their_definition(alternative):
    tail = {"two-sided": lambda z: 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf, "less": stats.norm.cdf}[
        alternative
    ]
    z = (x.mean() - y.mean()) / np.sqrt(2.25 / 12 + 4 / 9)
    two = z_test(x, y, sigma=(1.5, 2), alternative=alternative)
    assert (two.statistic, two.p_value) == pytest.approx((z, tail(z)), rel=1e-12)
    z = (38 / 60 - 0.5) / np.sqrt(0.25 / 60)
    one = proportion_test(38, 60, alternative=alternative)
    assert (one.statistic, one.p_value) == pytest.approx((z, tail(z)), rel=1e-12)
    z = (0.45 - 1 / 3) / np.sqrt(75 / 190 * 115 / 190 * (1 / 100 + 1 / 90))
    two = proportion_test([45, 30], [100, 90], alternative=alternative)
    assert (two.statistic, two.p_value) == pytest.approx((z, tail(z)), rel=1e-12)
    exact, reference = (
        proportion_test(38, 60, proportion=0.55, exact=True, alternative=alternative),
        stats.binomtest(38, 60, 0.55, alternative),
    )
    distribution = stats.binom(60, 0.55)  # two-sided: twice the smaller tail, as the interval
    expected = 2 * min(distribution.sf(37), distribution.cdf(38)) if alternative == "two-sided" else reference.pvalue
    assert exact.p_value == pytest.approx(expected, rel=1e-12)
    assert exact.interval(0.95) == pytest.approx(tuple(reference.proportion_ci(0.95)), abs=1e-10)
    wilson = stats.binomtest(38, 60).proportion_ci(0.95, method="wilson")
    assert proportion_test(38, 60).interval() == pytest.approx(tuple(wilson), rel=1e-12)


@pytest.mark.parametrize("n, p0", [(30, 0.7), (12, 0.5), (9, 0.05)])
def test_the_exact_test_its_region_and_its_interval_agree(n, p0):
    for level in (0.05, 0.1, 2 * 79 / 4096):  # of twelve coins: a level that a count meets exactly
        for s in range(n + 1):
            test = proportion_test(s, n, proportion=p0, exact=True)
            (low, high), (first, last) = test.acceptance_region(level), test.interval(1 - level)
            assert test.reject(level) == (not low <= s <= high)
            if abs(test.p_value - level) > 1e-9:
                assert test.reject(level) == (not first <= p0 <= last)


def test_one_sided_intervals_stay_where_the_parameter_lives():
    for exact in (False, True):
        assert proportion_test(7, 9, exact=exact, alternative="greater").interval().upper == 1
        assert proportion_test(7, 9, exact=exact, alternative="less").interval().lower == 0
    assert proportion_test([7, 3], [9, 9], alternative="greater").interval().upper == 1
    assert f_test(x, y, alternative="less").interval().lower == 0
    assert repr(f_test(x, y, alternative="less")).startswith("F test of variances, one-sided (less)")


def test_sample_sizes_up_to_the_largest():
    assert sample_size("z", 1e-4) == pytest.approx(784_888_000, rel=1e-3)
    n = sample_size("t", 1e-4)
    assert power("t", 1e-4, n) >= 0.8 > power("t", 1e-4, n - 10**6)
    with pytest.raises(ParameterError, match="do not reach"):
        sample_size("z", 5e-5)


def test_power_by_its_definition():
    t, shift = stats.t.isf(0.025, 19), 0.5 * np.sqrt(20)
    assert power("t", 0.5, 20) == pytest.approx(stats.nct.sf(t, 19, shift) + stats.nct.cdf(-t, 19, shift), abs=1e-10)
    z = stats.norm.isf(0.05)
    assert power("two-sample z", 0.5, 30, ratio=2, alternative="greater") == pytest.approx(
        stats.norm.sf(z - 0.5 * np.sqrt(20)), abs=1e-12
    )
    s0, s1 = np.sqrt(0.24 / 80), np.sqrt(0.55 * 0.45 / 80)
    assert power("proportion", (0.4, 0.55), 80, alternative="greater") == pytest.approx(
        stats.norm.sf((z * s0 - 0.15) / s1), abs=1e-12
    )
    _, (low, high) = rejection_rate(
        lambda both: t_test(*both, equal_variances=True),
        lambda g: (g.normal(0.8, 1, 15), g.normal(0, 1, 30)),
        n_repeats=800,
        random_state=0,
    )
    assert low - 0.01 < power("two-sample t", 0.8, 15, ratio=2) < high + 0.01


@pytest.mark.notes("000-a", "t-test")
@pytest.mark.notes("000-a", "sample-std")
def test_t_of_the_notes():
    test = t_test(FOUR, mean=1)
    assert sample_std(FOUR) == pytest.approx(0.770281, abs=5e-7) == test.standard_error * 2
    assert test.statistic == pytest.approx(1.038582, abs=5e-7) and test.p_value == pytest.approx(0.375355, abs=5e-7)
    assert test.critical_values(0.05)[1] == pytest.approx(3.182446, abs=5e-7) and not test.reject()
    assert test.acceptance_region().lower == -test.acceptance_region().upper


@pytest.mark.notes("000-a", "test-mean-zero")
def test_mean_zero_is_the_default():
    assert t_test(x).p_value == pytest.approx(stats.ttest_1samp(x, 0).pvalue, rel=1e-12)
    assert t_test(x).null_value == 0 and "mean" in t_test(x).parameter
    known = z_test(x, sigma=1.3)
    assert known.statistic == pytest.approx(x.mean() / (1.3 / np.sqrt(len(x))), rel=1e-12) and known.null_value == 0
    assert known.p_value == pytest.approx(2 * stats.norm.sf(abs(known.statistic)), rel=1e-12)


@pytest.mark.notes("000-a", "t-test")
@pytest.mark.notes("000-a", "confidence-interval")
@SIDES
@pytest.mark.parametrize("kind", ["one", "welch", "pooled", "paired"])
def test_t_is_scipys(kind, alternative):
    options = {"alternative": alternative}
    pairs = {
        "one": (t_test(x, mean=0.2, **options), stats.ttest_1samp(x, 0.2, **options)),
        "welch": (t_test(x, y, **options), stats.ttest_ind(x, y, equal_var=False, **options)),
        "pooled": (t_test(x, y, equal_variances=True, **options), stats.ttest_ind(x, y, **options)),
        "paired": (t_test(x[:9], y, paired=True, **options), stats.ttest_rel(x[:9], y, **options)),
    }
    ours, theirs = pairs[kind]
    assert (ours.statistic, ours.p_value, ours.df) == pytest.approx(
        (theirs.statistic, theirs.pvalue, theirs.df), rel=1e-11
    )
    assert ours.interval(0.9) == pytest.approx(theirs.confidence_interval(0.9), rel=1e-10)
    for level in (0.01, 0.05, 0.3):  # the interval holds the hypothesis where the test accepts
        low, high = ours.interval(1 - level)
        assert (low <= ours.null_value <= high) == (not ours.reject(level))
        region = ours.acceptance_region(level)
        assert (region.lower <= ours.statistic <= region.upper) == (not ours.reject(level))


@pytest.mark.notes("000-a", "confidence-interval")
def test_interval_of_the_ten_differences():
    d = [0.01, 0.05, 0.14, -0.05, 0.05, 0.08, 0.07, 0.03, 0.04, 0.04]
    assert t_test(d).interval(0.95) == pytest.approx((0.011085, 0.080915), abs=5e-7)
    assert t_test(d).reject(0.05)
    assert z_test(d, sigma=0.05).interval() == pytest.approx(
        (0.046 - 1.959964 * 0.05 / 10**0.5, 0.046 + 0.0309897), abs=1e-6
    )


@pytest.mark.notes("000-a", "t-table")
def test_t_table_of_the_notes():
    table = t_table()
    assert table.shape == (35, 5)
    printed = {
        1: "3.078 6.314 12.706 31.821 63.657",
        2: "1.886 2.920 4.303 6.965 9.925",
        5: "1.476 2.015 2.571 3.365 4.032",
        9: "1.383 1.833 2.262 2.821 3.250",
        10: "1.372 1.812 2.228 2.764 3.169",
        20: "1.325 1.725 2.086 2.528 2.845",
        30: "1.310 1.697 2.042 2.457 2.750",
        38: "1.304 1.686 2.024 2.429 2.712",
        np.inf: "1.282 1.645 1.960 2.326 2.576",
    }
    for df, row in printed.items():
        np.testing.assert_array_equal(table.loc[df].round(3), [float(value) for value in row.split()])
    np.testing.assert_allclose(
        table.to_numpy(), stats.t.isf(table.columns.to_numpy()[None], table.index.to_numpy()[:, None])
    )


@pytest.mark.notes("000-a", "hypothesis-framework")
def test_the_result_knows_all_a_test_is_about():
    test = t_test(FOUR, mean=1, alternative="greater")
    assert isinstance(test, TestResult)
    assert test.p_value == pytest.approx(stats.t.sf(test.statistic, 3), rel=1e-12)
    assert test.critical_values(0.1) == pytest.approx((stats.t.isf(0.1, 3),))
    assert test.interval().upper == np.inf
    assert "one-sample t-test" in repr(test) and "<pre>" in test._repr_html_()
    assert test.sentence() == (
        "No evidence that the mean is greater than 1 (one-sample t-test: t(3) = 1.04, p = .188; estimate 1.4,"
        " 95 % interval .494 to inf)."
    )
    assert test.to_frame().loc["one-sample t-test", "p_value"] == test.p_value
    assert pickle.loads(pickle.dumps(test)).interval(0.9) == test.interval(0.9)
    generator = np.random.default_rng(1)
    under, (low, high) = rejection_rate(t_test, lambda g: g.normal(size=6), n_repeats=600, random_state=generator)
    assert low < 0.05 < high  # type I
    rate, (low, high) = rejection_rate(t_test, lambda g: g.normal(1.0, 1, size=8), n_repeats=600, random_state=2)
    assert low < power("t", 1.0, 8) < high and rate > under  # power, 1 - type II
    shift = 0.6 / np.sqrt(1 / 20 + 1 / 50)  # of two means, in standard errors of their difference
    assert power("two-sample z", 0.6, 20, ratio=2.5) == pytest.approx(
        stats.norm.sf(1.959963984540054 - shift) + stats.norm.sf(1.959963984540054 + shift), rel=1e-12
    )
    tail = stats.t.isf(0.05, 68)
    assert power("two-sample t", 0.6, 20, ratio=2.5, alternative="greater") == pytest.approx(
        stats.nct.sf(tail, 68, shift), rel=1e-9
    )


def test_chi_squared_is_scipys():
    counts, p = np.array([18, 22, 39, 21]), np.array([0.2, 0.2, 0.4, 0.2])
    ours, theirs = chi_squared_test(counts, p, n_fitted=1), stats.chisquare(counts, p * 100, ddof=1)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    assert chi_squared_test(counts, p * 100).p_value == chi_squared_test(counts, p).p_value
    assert chi_squared_test(counts).p_value == pytest.approx(stats.chisquare(counts).pvalue, rel=1e-12)
    for table in ([[10, 20, 30], [6, 9, 17]], [[12, 5], [3, 9]]):
        theirs = stats.chi2_contingency(table, correction=False)
        ours = chi_squared_test(table)
        assert (ours.statistic, ours.p_value, ours.df) == pytest.approx((theirs[0], theirs[1], theirs[2]), rel=1e-11)
    yates = stats.chi2_contingency([[12, 5], [3, 9]], correction=True)
    assert chi_squared_test([[12, 5], [3, 9]], correction=True).p_value == pytest.approx(yates[1], rel=1e-11)
    assert "below 5" in chi_squared_test([[1, 5], [3, 9]]).remark


@SIDES
def test_f_by_its_definition(alternative):
    F = x.var(ddof=1) / y.var(ddof=1)
    distribution = stats.f(11, 8)
    p = {
        "two-sided": 2 * min(distribution.cdf(F), distribution.sf(F)),
        "greater": distribution.sf(F),
        "less": distribution.cdf(F),
    }[alternative]
    ours = f_test(x, y, alternative=alternative)
    assert (ours.statistic, ours.p_value) == pytest.approx((F, p), rel=1e-12)
    low, high = f_test(x, y).interval(0.9)
    assert (low, high) == pytest.approx((F / distribution.ppf(0.95), F / distribution.ppf(0.05)), rel=1e-12)


@SIDES
def test_permutation_by_enumeration(alternative):
    from itertools import combinations

    a, b = np.array([3.1, 4.2, 5.9, 2.2]), np.array([1.0, 2.5, 0.4])
    both, seen = np.concatenate([a, b]), a.mean() - b.mean()
    distribution = np.array([both[list(c)].mean() - np.delete(both, list(c)).mean() for c in combinations(range(7), 4)])
    upper, lower = (distribution >= seen - 1e-12).mean(), (distribution <= seen + 1e-12).mean()
    ours = permutation_test(a, b, alternative=alternative)
    wanted = {"two-sided": min(1, 2 * min(upper, lower)), "greater": upper, "less": lower}[alternative]
    assert ours.p_value == pytest.approx(wanted, abs=1e-12) and f"all {comb(7, 4)}" in ours.name
    flips = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1).T
    distribution = (flips * (a - 2.5)).mean(1)
    one = permutation_test(a, mean=2.5, alternative="greater")
    assert one.p_value == pytest.approx((distribution >= (a - 2.5).mean() - 1e-12).mean(), abs=1e-12)


def test_drawn_permutations_repeat_and_near_the_t_test():
    a, b = rng.normal(0.5, 1, 30), rng.normal(0, 1, 30)
    ours = permutation_test(a, b, random_state=3)
    assert ours.p_value == permutation_test(a, b, random_state=3).p_value
    assert ours.p_value == pytest.approx(t_test(a, b).p_value, abs=0.02)
    custom = permutation_test(a[:6], b[:6], statistic=lambda u, v: np.median(u) - np.median(v))
    assert 0 < custom.p_value <= 1


@pytest.mark.parametrize(
    "test, effect",
    [
        ("z", 0.4),
        ("t", 0.4),
        ("two-sample t", 0.5),
        ("two-sample z", 0.3),
        ("proportion", (0.5, 0.62)),
        ("two proportions", (0.2, 0.3)),
    ],
)
def test_sample_size_is_the_least(test, effect):
    n = sample_size(test, effect, 0.85)
    assert power(test, effect, n) >= 0.85 > power(test, effect, n - 1)
    assert np.all(np.diff(power(test, effect, [n, n + 5, n + 50])) > 0)


def test_sample_size_of_the_textbook():
    assert (
        power("two-sample t", 50, 2) == 1 and sample_size("two-sample t", 50, 0.99) == 2
    )  # a tail that SciPy gives as NaN
    assert sample_size("two-sample t", 0.5, 0.8) == 64
    assert sample_size("t", 0.5, 0.8) == 34  # G*Power, statsmodels
    with pytest.raises(ParameterError, match="zero, tiny, or in the other direction"):
        sample_size("t", -0.5, 0.8, alternative="greater")


def test_values_that_are_all_equal():
    assert t_test([2.0, 2, 2], mean=2).p_value == 1
    assert np.isnan(t_test([2.0, 2, 2], mean=1).p_value)  # no variance, no knowledge
    assert t_test([0.1 + 0.2] * 5, [0.3] * 5, paired=True).p_value == 1  # equal but for rounding
    assert proportion_test([0, 0], [5, 5]).p_value == 1


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: t_test([1.0]), "at least 2"),
        (lambda: t_test([1.0, np.nan]), "NaN"),
        (lambda: t_test([1.0, 2], alternative="both"), "alternative"),
        (lambda: t_test([1.0, 2, 3], [1.0, 2], paired=True), "paired one by one"),
        (lambda: z_test([1.0], sigma=0), "sigma"),
        (lambda: z_test([1.0], sigma=(1, 2)), "sigma"),
        (lambda: proportion_test(5, 3), "more successes"),
        (lambda: proportion_test([1, 2, 3], [4, 5, 6]), "two of both"),
        (lambda: chi_squared_test([1, 2], [0.3, 0.3]), "sum"),
        (lambda: chi_squared_test([[0, 0], [1, 2]]), "zero throughout"),
        (lambda: chi_squared_test([-1, 2]), "counts"),
        (lambda: f_test([1, 2], [3, 3]), "variance is zero"),
        (lambda: power("u", 1, 2), "test"),
        (lambda: power("proportion", 0.5, 20), "two proportions"),
        (lambda: t_test([1.0, 2]).reject(5), "significance"),
        (lambda: t_table([2]), "tails"),
        (lambda: sample_std([1]), "at least two"),
    ],
)
def test_refusals(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()


@pytest.mark.notes("000-a", "fig-pvalue")
def test_pictures():
    pytest.importorskip("matplotlib")
    for test in (
        t_test(FOUR, mean=1),
        z_test(FOUR, sigma=1, mean=1, alternative="less"),
        chi_squared_test([[10, 20], [30, 5]]),
        f_test(x, y),
        permutation_test(x[:5], y[:5]),
        proportion_test(8, 10, exact=True),
    ):
        ax = test.plot(canvas(), significance=0.1)
        assert ax.get_xlabel() and ax.get_ylabel() and ax.get_legend() is not None
    sampled = permutation_test(x[:5], y[:5]).distribution
    q = [0.0, 0.013, 0.5, 0.77, 1.0]
    np.testing.assert_array_equal([sampled.ppf(p) for p in q], np.quantile(sampled.values, q, method="inverted_cdf"))
    for tail in (0.0, 0.03, 0.4, 0.9):  # the smallest value that so few exceed
        least = min(v for v in sampled.values if np.mean(sampled.values > v) <= tail)
        assert sampled.isf(tail) == least
    ax = t_test(FOUR, mean=1).plot(canvas())
    at, density = curve(ax)
    distribution = stats.t(3)
    np.testing.assert_allclose(density, distribution.pdf(at), rtol=1e-9)
    ends = sorted(line.get_xdata()[0] for line in ax.lines[1:])
    assert ends == pytest.approx([-3.182446, 1.038582, 3.182446], abs=1e-6)
    accepted = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    np.testing.assert_allclose([accepted.x0, accepted.x1], distribution.ppf([0.025, 0.975]), rtol=1e-6)
    tails = np.concatenate([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
    step = at[1] - at[0]
    inner = np.abs(tails).min()
    assert 1.038582 - 1e-9 <= inner < 1.038582 + step and tails.min() < -4 and tails.max() > 4  # both tails are shaded
    ax = chi_squared_test([[10, 20], [30, 5], [7, 9]]).plot(canvas())
    distribution = stats.chi2_contingency([[10, 20], [30, 5], [7, 9]], correction=False)
    at, density = curve(ax)
    np.testing.assert_allclose(density[at > 0], stats.chi2(2).pdf(at[at > 0]), rtol=1e-9)
    ends = sorted(line.get_xdata()[0] for line in ax.lines[1:])
    assert ends == pytest.approx(sorted([distribution.statistic, stats.chi2.isf(0.05, 2)]))
    less = z_test(FOUR, sigma=1, mean=1, alternative="less")
    ax = less.plot(canvas())
    tails = np.concatenate([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
    assert tails.max() == pytest.approx(less.statistic, abs=curve(ax)[0][1] - curve(ax)[0][0])
    exact = proportion_test(8, 10, exact=True).plot(canvas())
    k, height = bars(exact)
    np.testing.assert_allclose(height, stats.binom(10, 0.5).pmf(k), rtol=1e-9)
    red = {
        round(at)
        for at, patch in zip(k, exact.containers[0].patches)
        if patch.get_facecolor()[0] > 0.8 and patch.get_facecolor()[1] < 0.5
    }
    assert red == {1, 2, 8, 9} == {0, 1, 2, 8, 9, 10} & set(np.rint(k).astype(int))
