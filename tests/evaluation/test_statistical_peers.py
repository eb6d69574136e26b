"""Tests and power against statsmodels."""

import numpy as np
import pytest
from scipy import stats

from novum.evaluation import power, proportion_test, z_test

pytestmark = pytest.mark.peer
sm_power = pytest.importorskip("statsmodels.stats.power")
sm_proportion = pytest.importorskip("statsmodels.stats.proportion")
ztest = pytest.importorskip("statsmodels.stats.weightstats").ztest
rng = np.random.default_rng(0)
x, y = rng.normal(0.3, 1, 12), rng.normal(0, 2, 9)
SIDES = pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])


@SIDES
def test_z_is_statsmodels(alternative):
    theirs = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[alternative]
    ours = z_test(x, sigma=x.std(ddof=1), mean=0.1, alternative=alternative)
    assert (ours.statistic, ours.p_value) == pytest.approx(ztest(x, value=0.1, alternative=theirs), rel=1e-10)
    two = z_test(x, y, sigma=(1.5, 2), alternative=alternative)
    z = (x.mean() - y.mean()) / np.sqrt(2.25 / 12 + 4 / 9)
    assert two.statistic == pytest.approx(z, rel=1e-12)
    assert two.p_value == pytest.approx(
        {"two-sided": 2 * stats.norm.sf(abs(z)), "greater": stats.norm.sf(z), "less": stats.norm.cdf(z)}[alternative],
        rel=1e-12,
    )


@SIDES
def test_one_proportion(alternative):
    theirs = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[alternative]
    ours = proportion_test(38, 60, proportion=0.5, alternative=alternative)
    z, p = sm_proportion.proportions_ztest(38, 60, 0.5, alternative=theirs, prop_var=0.5)
    assert (ours.statistic, ours.p_value) == pytest.approx((z, p), rel=1e-11)
    exact = proportion_test(38, 60, proportion=0.55, exact=True, alternative=alternative)
    reference = stats.binomtest(38, 60, 0.55, alternative)
    if alternative != "two-sided":  # there SciPy adds up the outcomes no likelier, which disagrees with its interval
        assert exact.p_value == pytest.approx(reference.pvalue, rel=1e-12)
    low, high = reference.proportion_ci(0.95)
    found = exact.interval(0.95)
    assert (max(found.lower, 0), min(found.upper, 1)) == pytest.approx((low, high), abs=1e-10)
    if alternative == "two-sided":
        assert ours.interval() == pytest.approx(sm_proportion.proportion_confint(38, 60, method="wilson"), rel=1e-10)


@SIDES
def test_two_proportions(alternative):
    theirs = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[alternative]
    ours = proportion_test([45, 30], [100, 90], alternative=alternative)
    assert (ours.statistic, ours.p_value) == pytest.approx(
        sm_proportion.proportions_ztest([45, 30], [100, 90], alternative=theirs), rel=1e-11
    )
    if alternative == "two-sided":
        low, high = sm_proportion.confint_proportions_2indep(45, 100, 30, 90, method="newcomb")
        assert ours.interval() == pytest.approx((low, high), abs=1e-10)


@SIDES
def test_power_is_statsmodels(alternative):
    theirs = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}[alternative]
    for effect, n in ((0.5, 20), (-0.3, 35), (0.8, 12)):
        assert power("t", effect, n, alternative=alternative) == pytest.approx(
            sm_power.TTestPower().power(effect, n, 0.05, alternative=theirs), abs=1e-10
        )
        assert power("two-sample t", effect, n, ratio=2, alternative=alternative) == pytest.approx(
            sm_power.TTestIndPower().power(effect, n, 0.05, ratio=2, alternative=theirs), abs=1e-10
        )
        assert power("two-sample z", effect, n, ratio=2, significance=0.1, alternative=alternative) == pytest.approx(
            sm_power.NormalIndPower().power(effect, n, 0.1, ratio=2, alternative=theirs), abs=1e-10
        )
        assert power("z", effect, n, alternative=alternative) == pytest.approx(
            sm_power.normal_power(effect, n, 0.05, alternative=theirs), abs=1e-10
        )
    ours = power("proportion", (0.4, 0.55), 80, alternative=alternative)
    reference = sm_power.normal_power_het(
        0.15, 80, 0.05, std_null=np.sqrt(0.24), std_alternative=np.sqrt(0.55 * 0.45), alternative=theirs
    )
    assert ours == pytest.approx(reference, abs=1e-10)
    reference = sm_proportion.power_proportions_2indep(0.2, 0.3, 100, ratio=0.5, alpha=0.05, alternative=theirs).power
    assert power("two proportions", (0.3, 0.5), 50, ratio=2, alternative=alternative) == pytest.approx(
        reference, abs=1e-10
    )
