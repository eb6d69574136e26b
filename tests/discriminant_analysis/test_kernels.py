"""The kernels of labelled rows against plain NumPy, at odd shapes: one row, one column, no rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from novum import _core

SHAPES = [(0, 3), (1, 1), (7, 1), (5, 8), (300, 9), (600, 17)]


@pytest.mark.parametrize("n, d", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("weighted", [False, True])
def test_scatter_and_counts(n, d, dtype, weighted):
    rng = np.random.default_rng(n + d)
    k = 3
    X, y = rng.integers(0, 4, size=(n, d)).astype(dtype), rng.integers(k, size=n)
    w = rng.integers(0, 3, n).astype(float) if weighted else None
    weight = np.ones(n) if w is None else w
    member, shift = np.eye(k)[y] * weight[:, None], rng.normal(size=(k, d))
    offset = X.astype(np.float64) - shift[y]
    each = np.stack([(offset * member[:, c, None]).T @ offset for c in range(k)])
    for second in (np.zeros((k, d, d)), np.zeros((1, d, d))):
        mass, first = np.zeros(k), np.zeros((k, d))
        _core.moments.scatter.class_scatter(X, y, w, shift, mass, first, second)
        assert_allclose(mass, member.sum(0))
        assert_allclose(first, member.T @ offset, atol=1e-10)
        assert_allclose(second, each if len(second) == k else each.sum(0)[None], atol=1e-9)
    fourth = np.zeros(k)
    _core.moments.scatter.class_fourth(X, y, w, shift, np.full((k, d), 0.5), fourth)
    assert_allclose(fourth, member.T @ ((offset / 2) ** 2).sum(1) ** 2, rtol=1e-12)
    for threshold in (None, 1.5):
        cells = X.astype(np.float64) if threshold is None else threshold < X
        mass, counts = np.zeros(k), np.zeros((k, d))
        _core.classes.counts.class_counts(X, y, w, threshold, mass, counts)
        assert_allclose(counts, member.T @ cells)
        S = sp.csr_array(X)
        mass, tall = np.zeros(k), np.zeros((k, d))
        _core.classes.counts.class_counts_sparse(S.indptr, S.indices, S.data, y, w, threshold, 0, mass, tall)
        assert_allclose(tall, member.T @ cells)
        table, constant = rng.normal(size=(d, k)), rng.normal(size=k)
        out = np.empty((n, k), dtype)
        _core.classes.counts.sparse_scores(S.indptr, S.indices, S.data, threshold, table, constant, out)
        assert_allclose(out, cells @ table + constant, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)


@pytest.mark.parametrize("n, k", [(0, 2), (1, 1), (3, 2), (700, 7)])
@pytest.mark.parametrize("dtype, tol", [(np.float32, 1e-6), (np.float64, 1e-14)])
def test_posterior_of_rows(n, k, dtype, tol):
    score = (50 * np.random.default_rng(0).normal(size=(n, k))).astype(dtype)
    if n:
        score[0, 0] = -np.inf if k > 1 else 0
    exact = score.astype(np.float64)
    exact = exact - exact.max(axis=1, keepdims=True, initial=-np.inf)
    share = np.exp(exact) / np.exp(exact).sum(axis=1, keepdims=True)
    mine, logs, label = score.copy(), score.copy(), np.empty(n, np.int64)
    _core.classes.posterior.normalize_rows(mine, False)
    _core.classes.posterior.normalize_rows(logs, True)
    _core.classes.posterior.best_of_rows(score, label)
    assert_allclose(mine, share, atol=tol)
    with np.errstate(divide="ignore"):
        assert_allclose(np.exp(logs), share, atol=4 * tol)
    assert (label == score.argmax(axis=1)).all()


def test_kernels_refuse_what_does_not_fit():
    X, y = np.zeros((2, 3)), np.array([0, 5])
    with pytest.raises(ValueError, match="a code outside the classes"):
        _core.classes.counts.class_counts(X, y, None, None, np.zeros(2), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="class_scatter"):
        _core.moments.scatter.class_scatter(
            X, y, None, np.zeros((2, 3)), np.zeros(2), np.zeros((2, 3)), np.zeros((1, 3, 3))
        )
    one = np.zeros(1, np.int64)
    assert (
        _core.classes.counts.category_counts(
            np.array([[7.0]]), one, None, np.array([0, 2]), np.zeros(1), np.zeros((2, 1))
        )
        == 0
    )


@pytest.mark.parametrize("k", [1, 3, 4, 5, 10, 13, 24, 31])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("threshold", [None, 0.5])
def test_best_class_without_scores(k, dtype, threshold):
    rng = np.random.default_rng(k)
    for n, d in [(0, 3), (1, 1), (131, 7)]:
        X = rng.integers(0, 3, size=(n, d)).astype(dtype)  # small whole numbers: every sum is exact, and there are ties
        table, constant = rng.integers(-2, 3, size=(d, k)).astype(dtype), rng.integers(-2, 3, size=k).astype(dtype)
        score = (X if threshold is None else (threshold < X).astype(dtype)) @ table + constant
        label, out = np.empty(n, np.int64), np.empty((n, k), dtype)
        assert _core.products.narrow.best(X, table, constant, threshold, label)
        assert (label == score.argmax(axis=1)).all()
        if threshold is None:
            _core.products.narrow.narrow(X, table, constant, out)
            assert (out == score).all()
        S, parts = sp.csr_array(X), (table.astype(np.float64), constant.astype(np.float64))
        assert _core.classes.counts.sparse_best(S.indptr, S.indices, S.data, threshold, *parts, label)
        assert (label == score.argmax(axis=1)).all()
        assert _core.classes.counts.sparse_scores(S.indptr, S.indices, S.data, threshold, *parts, out)
        assert (out == score).all()


def test_scores_that_are_not_finite_are_reported():
    X, one, label = np.ones((9, 2)), np.ones(1), np.empty(9, np.int64)
    X[4, 1] = np.nan
    S = sp.csr_array(X)
    assert not _core.products.narrow.best(X, np.ones((2, 1)), one, None, label)
    assert not _core.classes.counts.sparse_best(S.indptr, S.indices, S.data, None, np.ones((2, 1)), one, label)
    out = np.zeros((1, 2))
    least, finite = _core.classes.counts.class_counts_sparse(
        S.indptr, S.indices, S.data, 0 * label, None, None, 0, np.zeros(1), out
    )
    assert least == 0 and not finite
    with pytest.raises(ValueError, match="CSR"):
        _core.classes.counts.sparse_best(S.indptr, S.indices + 5, S.data, None, np.ones((2, 1)), one, label)
