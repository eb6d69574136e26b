"""Tests of groups and tables against SciPy, R's printed examples and enumeration."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from novum.evaluation import anova, false_discovery_rate, fisher_exact_test, kruskal_wallis_test, mann_whitney_test
from novum.exceptions import DataError

ALTERNATIVES = ("two-sided", "greater", "less")
DEPTHS = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46], [1.15, 0.88, 0.90, 0.74, 1.21]


@pytest.mark.parametrize("sizes", [(1, 1), (3, 4), (5, 9), (20, 30), (100, 90), (150, 150)])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_mann_whitney_equals_scipy(sizes, tied, alternative):
    rng = np.random.default_rng(sum(sizes))
    x, y = rng.normal(size=sizes[0]), rng.normal(0.5, size=sizes[1])
    if tied:
        x, y = x.round(), y.round()
    exact = len(np.unique(np.r_[x, y])) == sum(sizes) and sizes[0] * sizes[1] <= 10_000
    theirs = stats.mannwhitneyu(x, y, alternative=alternative, method="exact" if exact else "asymptotic")
    ours = mann_whitney_test(x, y, alternative=alternative)
    assert ours.statistic == theirs.statistic
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)


def test_mann_whitney_counts_arrangements():
    x, y = np.array([1.5, 4.5, 9.0]), np.array([1.0, 2.0, 3.0, 4.0])
    ours = mann_whitney_test(x, y)
    values = np.sort(np.r_[x, y])
    found = [
        sum(values[i] > values[j] for i in chosen for j in set(range(7)) - set(chosen))
        for chosen in combinations(range(7), 3)
    ]
    assert ours.distribution.probabilities == pytest.approx(np.bincount(found, minlength=13) / len(found), abs=1e-15)
    assert ours.distribution.ppf(0.1) == np.sort(found)[int(np.ceil(0.1 * len(found))) - 1]


def test_mann_whitney_prints_what_r_prints():
    greater = mann_whitney_test(*DEPTHS, alternative="greater")
    assert (greater.statistic, round(greater.p_value, 4)) == (35, 0.1272)
    both = mann_whitney_test(*DEPTHS)
    assert both.estimate == pytest.approx(0.305)
    assert both.interval() == pytest.approx((-0.15, 0.76))
    assert "U = 35, p = .254" in repr(both)


def test_the_interval_of_the_shift_covers():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(400):
        low, high = mann_whitney_test(rng.normal(1, size=9), rng.normal(size=12)).interval(0.9)
        held += low <= 1 <= high
    assert 0.87 < held / 400 < 0.96


@pytest.mark.parametrize("seed", range(12))
def test_several_groups_equal_scipy(seed):
    rng = np.random.default_rng(seed)
    groups = [rng.poisson(3, size=rng.integers(2, 9)) for _ in range(rng.integers(2, 5))]
    theirs, ours = stats.kruskal(*groups), kruskal_wallis_test(*groups)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10, abs=1e-13)
    moved = [g + rng.normal(size=len(g)) for g in groups]
    for equal in (True, False):
        theirs, ours = stats.f_oneway(*moved, equal_var=equal), anova(*moved, equal_variances=equal)
        assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9, abs=1e-13)


def test_anova_of_two_groups_is_the_t_test_squared():
    from novum.evaluation import t_test

    rng = np.random.default_rng(1)
    x, y = rng.normal(size=7), rng.normal(1, 3, size=11)
    assert anova(x, y).p_value == pytest.approx(t_test(x, y, equal_variances=True).p_value, rel=1e-10)
    assert anova(x, y).statistic == pytest.approx(t_test(x, y, equal_variances=True).statistic ** 2)
    assert anova(x, y, equal_variances=False).p_value == pytest.approx(t_test(x, y).p_value, rel=1e-9)
    whole = np.r_[x, y]
    fitted = np.r_[np.full(7, x.mean()), np.full(11, y.mean())]
    assert anova(x, y).estimate == pytest.approx(fitted.var() / whole.var())


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_fisher_equals_scipy(seed, alternative):
    table = np.random.default_rng(seed).integers(0, 8, size=(2, 2)) + np.eye(2, dtype=int)
    ours, theirs = fisher_exact_test(table, alternative=alternative), stats.fisher_exact(table, alternative=alternative)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)
    ratio = stats.contingency.odds_ratio(table)
    assert ours.estimate == pytest.approx(ratio.statistic, rel=1e-8)
    expected = ratio.confidence_interval(0.95, alternative=alternative)
    assert ours.interval() == pytest.approx((expected.low, expected.high), rel=1e-7)


def test_fisher_prints_what_r_prints():
    job = [[1, 2], [9, 1]]
    tea = fisher_exact_test([[3, 1], [1, 3]], alternative="greater")
    assert round(tea.p_value, 4) == 0.2429
    assert tea.estimate == pytest.approx(6.408309, abs=2e-5)  # R looks for the root to four digits or so
    assert tea.interval().lower == pytest.approx(0.3135693, abs=1e-5)
    convictions = fisher_exact_test([[2, 10], [15, 3]], alternative="less")  # twins, R's second example
    assert convictions.p_value == pytest.approx(0.0004652, abs=5e-8)
    assert convictions.estimate == pytest.approx(0.04693661, abs=1e-6)
    assert convictions.interval().upper == pytest.approx(0.2849601, abs=1e-5)
    assert fisher_exact_test(job).p_value == pytest.approx(stats.fisher_exact(job).pvalue)
    large = fisher_exact_test([[90_000, 110_000], [110_000, 90_500]])
    assert 0 <= large.p_value < 1e-300 or large.p_value == 0
    assert large.estimate == pytest.approx(90_000 * 90_500 / 110_000**2, rel=1e-3)


def test_rates_of_false_discovery_equal_scipys():
    rng = np.random.default_rng(0)
    for m in (1, 2, 9, 100):
        p = rng.uniform(size=m) ** 2
        for method in ("bh", "by"):
            assert false_discovery_rate(p, method=method) == pytest.approx(
                stats.false_discovery_control(p, method=method)
            )
    assert len(false_discovery_rate([])) == 0


def test_the_rate_of_false_discovery_is_kept():
    rng = np.random.default_rng(2)
    shares = []
    for _ in range(300):
        z = rng.normal(size=60) + 3 * (np.arange(60) < 15)
        rejected = false_discovery_rate(stats.norm.sf(z)) <= 0.1
        shares.append((rejected & (np.arange(60) >= 15)).sum() / max(rejected.sum(), 1))
    assert 0.055 < np.mean(shares) < 0.1  # at most q times the share of true hypotheses, .075


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kruskal_wallis_test([1, 2]), "give two groups or more"),
        (lambda: kruskal_wallis_test([1, 1], [1, 1]), "all values are equal"),
        (lambda: anova([1], [2]), "no degree of freedom"),
        (lambda: anova([1, 1], [2, 3], equal_variances=False), "does not vary"),
        (lambda: anova([1, np.nan], [2, 3]), "NaN or infinity"),
        (lambda: fisher_exact_test([[1, 2, 3], [4, 5, 6]]), "use chi_squared_test"),
        (lambda: fisher_exact_test([[0, 2], [0, 5]]), "zero throughout"),
        (lambda: fisher_exact_test([[0.5, 2], [1, 5]]), "counts"),
        (lambda: mann_whitney_test([1, 1], [1, 2], method="exact"), "values are tied"),
        (lambda: mann_whitney_test([], [1, 2]), "x has 0 values|at least"),
        (lambda: false_discovery_rate([0.5, 2.0]), "between 0 and 1"),
        (lambda: false_discovery_rate([0.5], method="bonferroni"), "bonferroni"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_equal_values_tell_nothing():
    test = mann_whitney_test([2, 2, 2], [2, 2])
    assert test.p_value == 1
    assert "all values are equal" in repr(test)
    assert isinstance(DataError("x"), ValueError)
