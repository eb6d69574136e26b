"""DeLong's and Clopper and Pearson's intervals against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from novum.evaluation import clopper_pearson_interval, delong_interval, delong_test
from novum.evaluation.intervals.area import area
from novum.evaluation.intervals.proportion import share_interval
from novum.exceptions import DataError, DataWarning, ParameterError

rng = np.random.default_rng(0)


@pytest.mark.parametrize("successes, n", [(0, 10), (3, 10), (137, 143), (10, 10), (1, 1)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_clopper_pearson_is_scipys(successes, n, level):
    theirs = stats.binomtest(successes, n).proportion_ci(level, method="exact")
    assert_allclose(clopper_pearson_interval(successes, n, level), theirs, rtol=1e-10, atol=1e-15)


def test_weighted_share_uses_the_effective_number():
    hit, weight = rng.integers(2, size=50).astype(bool), np.full(50, 0.3)
    assert_allclose(share_interval(hit, weight, 0.95), share_interval(hit, None, 0.95), rtol=1e-12)
    assert share_interval(hit[:0], None, 0.95) == (0, 1)


def literal(y, a, b):
    """Return areas and their covariance by all pairs."""
    i, j = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    psi = [(s[i][:, None] > s[j]) + 0.5 * (s[i][:, None] == s[j]) for s in (a, b)]
    V, U = np.array([p.mean(axis=1) for p in psi]), np.array([p.mean(axis=0) for p in psi])
    return [p.mean() for p in psi], np.cov(V) / len(i) + np.cov(U) / len(j)


@pytest.mark.parametrize("ties", [0, 3])
def test_delong_by_all_pairs(ties):
    y = rng.permutation(np.repeat([0, 1], [40, 25]))
    a, b = np.round(rng.normal(size=(2, 65)) + [[1], [0.4]] * y, 1 if ties else 9)
    areas, covariance = literal(y, a, b)
    half = stats.norm.ppf(0.975) * np.sqrt(covariance[0, 0])
    slope = areas[0] * (1 - areas[0])  # of the inverse of the logit
    ends = expit(logit(areas[0]) + np.array([-half, half]) / slope)
    assert_allclose(delong_interval(y, a), ends, rtol=1e-10)
    test = delong_test(y, a, b)
    z = (areas[0] - areas[1]) / np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    assert_allclose(test.areas, [roc_auc_score(y, s) for s in (a, b)], rtol=1e-12)
    assert (test.statistic, test.p_value) == pytest.approx((z, 2 * stats.norm.sf(abs(z))), rel=1e-9)
    assert test.interval.lower < test.difference < test.interval.upper


def test_weighted_area_and_labels():
    y, s, w = rng.integers(2, size=60), rng.normal(size=60), rng.integers(1, 4, size=60)
    assert area(y == 1, s, w.astype(float)).value == pytest.approx(roc_auc_score(y, s, sample_weight=w), rel=1e-12)
    names = np.array(["no", "yes"])[y]
    assert delong_interval(names, s) == delong_interval(y, s)
    assert_allclose(delong_interval(y, -s, pos_label=0), delong_interval(y, s), rtol=1e-12)


def test_degenerate_areas():
    y = np.repeat([0, 1], 10)
    with pytest.warns(DataWarning, match="separate perfectly"):
        assert delong_interval(y, y) == pytest.approx((0.025 ** (1 / 10), 1))  # separated: ten pairs in order
    with pytest.warns(DataWarning, match="separate perfectly"):
        assert delong_interval(y, -y) == pytest.approx((0, 1 - 0.025 ** (1 / 10)))
    with pytest.warns(DataWarning, match="every score is the same"):
        assert delong_interval(y, np.zeros(20)) == (0.5, 0.5)
    with pytest.warns(DataWarning, match="a single row"):
        assert delong_interval([0, 0, 1], [1.0, 2.0, 1.5]) == (0, 1)
    s = rng.normal(size=20)
    assert delong_test(y, s, s**3).p_value == 1
    with pytest.raises(DataError, match="delong_test: a class has a single row"):
        delong_test([0, 0, 1], [1.0, 2, 3], [1.0, 3, 2])


@pytest.mark.parametrize(
    "y, score, words",
    [
        ([0, 0, 0], [1.0, 2, 3], "1 different label"),
        ([0, 1, 2], [1.0, 2, 3], "3 different labels"),
        ([0, 1], [1.0, np.nan], "NaN or infinity"),
        ([0, 1], [1.0], "shape"),
        ([[0, 1]], [1.0, 2], "one label per row"),
    ],
)
def test_delong_refuses(y, score, words):
    with pytest.raises(DataError, match=words):
        delong_interval(y, score)
    with pytest.raises(ParameterError, match=r"pos_label=7.*no row"):
        delong_interval([0, 1], [1.0, 2], pos_label=7)
