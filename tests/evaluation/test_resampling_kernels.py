"""The compiled bootstrap passes against the rows they stand for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference.evaluation import drawn_rows
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score
from threadpoolctl import threadpool_limits

from novum._core.evaluation import resampling
from novum.evaluation.scores.statistics import Areas, Cells, RowSums, intervals

rng = np.random.default_rng(0)
SEED, PURPOSE = 12345678901234567890, 77


def rows_of(r, n):
    out = np.empty(n, np.int64)
    resampling.rows(SEED, PURPOSE, r, out)
    return out


@pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 1025])
def test_rows_and_counts(n):
    for r in (0, 1, 5):
        assert_array_equal(rows_of(r, n), drawn_rows(SEED, PURPOSE, r, n))
    counts = np.empty((4, n), np.uint8)
    resampling.counts(SEED, PURPOSE, 3, counts)
    for j in range(4):
        assert_array_equal(counts[j], np.bincount(rows_of(3 + j, n), minlength=n))


def test_draws_are_uniform():
    n, draws = 13, 2000
    counts = np.empty((draws, n), np.uint8)
    resampling.counts(1, 2, 0, counts)
    share = counts.sum(axis=0) / (n * draws)
    assert np.abs(share - 1 / n).max() < 4 * np.sqrt(1 / n / (n * draws))
    assert abs(counts[:, 0].var() - (1 - 1 / n)) < 0.12  # binomial(n, 1/n)


@pytest.mark.parametrize("n", [1, 5, 64, 203])
def test_sums_and_cells(n):
    x, code, weight = rng.normal(size=(3, n)), rng.integers(4, size=n).astype(np.int32), rng.uniform(size=n)
    sums, cells, plain = np.empty((6, 3)), np.empty((6, 4)), np.empty((6, 4))
    resampling.sums(SEED, PURPOSE, 2, x, sums)
    resampling.cells(SEED, PURPOSE, 2, code, weight, cells)
    resampling.cells(SEED, PURPOSE, 2, code, None, plain)
    for j in range(6):
        rows = rows_of(2 + j, n)
        assert_allclose(sums[j], x[:, rows].sum(axis=1), rtol=1e-12, atol=1e-12)
        assert_allclose(cells[j], np.bincount(code[rows], weight[rows], minlength=4), rtol=1e-12)
        assert_array_equal(plain[j], np.bincount(code[rows], minlength=4))


@pytest.mark.notes("000-a", "auprc")
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_are_scikit_learns(ties, weighted):
    n = 150
    y, score = rng.integers(2, size=n), rng.normal(size=n)
    score = np.round(score, 0 if ties else 12) + 0.0
    weight = rng.uniform(0.1, 2, size=n) if weighted else None
    statistic = Areas((y == 1)[:, None], score[:, None], weight)
    found, ranking = np.empty((5, 3)), statistic.rankings()[0]
    resampling.ranking(SEED, PURPOSE, 0, *ranking, True, found)
    for r in range(5):
        rows = rows_of(r, n)
        w = None if weight is None else weight[rows]
        precision, recall, _ = precision_recall_curve(y[rows], score[rows], sample_weight=w)
        expected = (
            roc_auc_score(y[rows], score[rows], sample_weight=w),
            average_precision_score(y[rows], score[rows], sample_weight=w),
            auc(recall, precision),
        )
        assert_allclose(found[r], expected, rtol=1e-12)
    one_sided = np.empty((1, 3))
    resampling.areas(y.astype(np.uint8)[None], *ranking, True, one_sided)  # no negative at all
    assert np.isnan(one_sided[0, 0]) and one_sided[0, 1] == pytest.approx(1)


def test_threads_do_not_change_anything():
    y, score = rng.integers(2, size=400), rng.normal(size=400)
    cases = [
        Areas((y == 1)[:, None], score[:, None], None),
        RowSums(("mean",), score[None], lambda S: S),
        Cells(("share",), y, 2, np.ones(400), lambda S: S[..., 1:] / S.sum(axis=-1, keepdims=True)),
    ]
    for statistic in cases:
        with threadpool_limits(1):
            one = intervals(statistic, 0.95, 101, 5)
        assert intervals(statistic, 0.95, 101, 5) == one


def test_kernels_refuse():
    with pytest.raises(ValueError, match="between 1 and 2"):
        resampling.rows(0, 0, 0, np.empty(0, np.int64))
    with pytest.raises(ValueError, match="a code outside"):
        resampling.cells(0, 0, 0, np.array([0, 7], np.int32), None, np.empty((1, 3)))
    with pytest.raises(ValueError, match="a place outside"):
        ones = np.ones(2, np.uint8)
        resampling.ranking(0, 0, 0, np.array([0, 9], np.int32), ones, ones, None, False, np.empty((1, 3)))
