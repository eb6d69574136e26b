"""Intervals and tests of scores, against hand numbers, SciPy's, and a literal reading of their definitions."""

import itertools

import numpy as np
import pytest
from scipy import optimize, stats

from novum.evaluation import corrected_interval, corrected_test, holm, wilson_interval
from novum.exceptions import DataError, ParameterError

# tables of a few rows: that their intervals are in doubt is reported, and tested in test_doubts.py
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

rng = np.random.default_rng(0)


@pytest.mark.parametrize("successes, n", [(0, 10), (3, 10), (137, 143), (143, 143), (1, 1), (500, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_wilson_is_scipys_and_inverts_the_score_test(successes, n, level):
    ours = wilson_interval(successes, n, level)
    theirs = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)
    z = stats.norm.ppf((1 + level) / 2)
    share = successes / n

    def distance(p):
        return abs(share - p) - z * np.sqrt(p * (1 - p) / n)

    if successes > 0:
        assert ours.lower == pytest.approx(optimize.brentq(distance, 1e-12, share - 1e-9), rel=1e-9)


def test_wilson_by_hand():
    # z = 1.959964, s = 137, n = 143: (137 + 1.92073)/(146.84146) -+ 1.959964 sqrt(137*6/143 + .96036)/146.84146
    assert wilson_interval(137, 143) == pytest.approx((0.91141, 0.98060), abs=1e-4)


@pytest.mark.parametrize("arguments", [(3, 2), (-1, 2), (0, 0), (1.5, 2), (1, 2, 1.0)])
def test_wilson_refuses(arguments):
    with pytest.raises(ParameterError, match="wilson_interval"):
        wilson_interval(*arguments)


def test_interval_by_hand():
    # mean 3, s^2 2.5, J 5, n2/n1 = 1/4: variance of the mean (.2 + .25) 2.5 = 1.125; t_{4, .975} = 2.776445
    assert corrected_interval([1, 2, 3, 4, 5], 1 / 4) == pytest.approx((3 - 2.944865, 3 + 2.944865), abs=2e-6)


def test_without_overlap_it_is_the_plain_t():
    a, b = rng.normal(size=(2, 12))
    ours = corrected_test(a, b, 0)
    theirs = stats.ttest_rel(a, b)
    assert (ours.statistic, ours.p_value) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    assert ours.interval == pytest.approx(theirs.confidence_interval(0.95), rel=1e-12)


def test_correction_widens_by_its_factor():
    scores = rng.normal(size=30)
    plain, wide = corrected_interval(scores, 0), corrected_interval(scores, 1 / 9)
    assert (wide.upper - wide.lower) / (plain.upper - plain.lower) == pytest.approx(np.sqrt(1 + 30 / 9), rel=1e-12)


def test_corrected_test_literally():
    a, b = rng.normal(size=(2, 30))
    d = a - b
    t = d.mean() / np.sqrt((1 / 30 + 1 / 9) * ((d - d.mean()) ** 2).sum() / 29)
    test = corrected_test(a, b, 1 / 9)
    assert test.statistic == pytest.approx(t, rel=1e-12)
    assert test.p_value == pytest.approx(2 * (1 - stats.t.cdf(abs(t), 29)), rel=1e-9)
    assert test.degrees_of_freedom == 29


def test_the_corrected_test_keeps_its_level_where_the_plain_one_does_not():
    """Two equal rules learned from shared rows: scores are dependent, and the plain t rejects far too often."""
    generator = np.random.default_rng(1)
    rejected = {0.0: 0, 1 / 9: 0}
    for _ in range(300):
        # means of ten folds of 90 % of common rows: correlation about n2/(n1 + n2) = .1 between parts
        shared = generator.normal(size=1) * np.sqrt(0.1)
        gaps = shared + generator.normal(size=30) * np.sqrt(0.9)
        for ratio in rejected:
            rejected[ratio] += corrected_test(gaps, np.zeros(30), ratio).p_value < 0.05
    assert rejected[1 / 9] / 300 < 0.08 < 0.2 < rejected[0.0] / 300


def test_no_variance():
    assert corrected_test([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], 0.5).p_value == 1
    certain = corrected_test([0.5, 0.6, 0.7], [0.4, 0.5, 0.6], 0.5)
    assert np.isnan(certain.p_value) and np.isnan(certain.statistic)  # one difference three times proves nothing


@pytest.mark.parametrize(
    "a, b, text", [([1.0], [2.0], "at least two"), ([1, 2, np.nan], [1, 2, 3], "finite"), ([1, 2], [1, 2, 3], "paired")]
)
def test_what_cannot_be_compared(a, b, text):
    with pytest.raises(DataError, match=text):
        corrected_test(a, b, 0.1)


def literal_holm(p):
    """Reject step by step: the adjusted p is the smallest level at which the procedure rejects the hypothesis."""
    m, order = len(p), sorted(range(len(p)), key=lambda i: p[i])
    levels = {}
    for rank, i in enumerate(order):
        steps = [(m - r) * p[order[r]] for r in range(rank + 1)]
        levels[i] = min(1.0, max(steps))
    return [levels[i] for i in range(m)]


def test_holm_literally_in_every_order():
    for p in itertools.permutations([0.001, 0.02, 0.02, 0.4, 0.9]):
        np.testing.assert_allclose(holm(p), literal_holm(p), rtol=1e-15)
    assert holm([]).shape == (0,)


@pytest.mark.peer
def test_holm_is_statsmodels():
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.proportion import proportion_confint

    p = rng.uniform(size=20) ** 3
    np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-14)
    np.testing.assert_allclose(wilson_interval(37, 90), proportion_confint(37, 90, method="wilson"), rtol=1e-12)


def test_holm_refuses():
    with pytest.raises(DataError, match="between 0 and 1"):
        holm([0.2, 1.2])
