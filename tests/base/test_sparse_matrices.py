"""Sparse matrices at the door: entries given twice, structures that break, arrays that are not aligned."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

from novum import _core
from novum.base.sparse_matrices import sound_sparse
from novum.cluster import KMeans
from novum.ensemble import RandomForestClassifier
from novum.exceptions import DataError
from novum.linear_model import Lasso, LogisticRegression, Ridge, SGDClassifier
from novum.naive_bayes import BernoulliNB, MultinomialNB
from novum.neighbors import KNeighborsClassifier
from novum.tree import DecisionTreeClassifier

MODELS = [
    KMeans(3, n_init=1, random_state=0),
    KNeighborsClassifier(3),
    BernoulliNB(binarize=1.5),
    MultinomialNB(),
    LogisticRegression(),
    SGDClassifier(random_state=0),
    Ridge(),
    Lasso(0.01),
    DecisionTreeClassifier(random_state=0),
    RandomForestClassifier(3, random_state=0),
]
NAMES = [type(model).__name__ for model in MODELS]


def table(seed=0, n=60, d=8):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.5, rng.integers(1, 5, (n, d)), 0).astype(float)
    return X, (X[:, 0] + X[:, 1] > 2).astype(int)


def twice(X, kind):
    """Return X with every entry as two halves, in no order."""
    once = kind(X)
    major = np.repeat(np.arange(len(once.indptr) - 1), np.diff(once.indptr))
    order = np.lexsort((np.random.default_rng(0).random(2 * once.nnz), np.tile(major, 2)))
    out = kind(once.shape)
    out.data = np.tile(once.data / 2, 2)[order]
    out.indices = np.tile(once.indices, 2)[order]
    out.indptr = (2 * once.indptr).astype(once.indptr.dtype)
    return out


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.csr_matrix])
def test_entries_given_twice_count_as_their_sum_and_are_not_written(model, kind):
    X, y = table()
    double = twice(X, kind)
    before = [part.copy() for part in (double.data, double.indices, double.indptr)]
    assert_array_equal(double.toarray(), X)
    expected = model.fit(kind(X), y).predict(kind(X))
    found = model.fit(double, y).predict(double)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    for part, was in zip((double.data, double.indices, double.indptr), before, strict=True):
        assert_array_equal(part, was)


def broken(how):
    X = scipy.sparse.csr_array(table()[0])
    if how == "falls":
        X.indptr[3] = X.indptr[-1]
    elif how == "negative":
        X.indptr[2] = -4
    elif how == "short":
        X.indptr = X.indptr[:-5].copy()
    elif how == "long":
        X.indptr[-1] += 100
    elif how == "wide":
        X.indices[5] = 8
    elif how == "far":
        X.indices[5] = 2_000_000_000
    elif how == "left":
        X.indices[5] = -1
    elif how == "fewer":
        X.data = X.data[:-3].copy()
    return X


HOW = ["falls", "negative", "short", "long", "wide", "far", "left", "fewer"]


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
@pytest.mark.parametrize("how", HOW)
def test_a_corrupt_matrix_is_refused_by_name(model, how):
    X, y = table()
    with pytest.raises(DataError, match=f"{type(model).__name__}: X is a corrupt sparse matrix"):
        model.fit(broken(how), y)
    fitted = model.fit(scipy.sparse.csr_array(X), y)
    with pytest.raises(DataError, match="corrupt sparse matrix"):
        fitted.predict(broken(how))


@pytest.mark.parametrize("kind", ["coo", "lil", "bsr", "csc", "dok", "dia"])
def test_other_formats(kind):
    X, _ = table()
    made = scipy.sparse.coo_array(X).asformat(kind)
    assert_array_equal(sound_sparse(made, "x").toarray(), X)
    if kind == "coo":
        made.coords[1][3] = 99
    elif kind == "lil":
        made.rows[2] = [*made.rows[2][:-1], 99]
    elif kind in ("bsr", "csc"):
        made.indices[-1] = 999
    else:
        return
    with pytest.raises(DataError, match="corrupt"):
        sound_sparse(made, "x")


def test_a_sound_matrix_is_taken_as_it_is():
    for X in (scipy.sparse.csr_array(table()[0]), scipy.sparse.csc_matrix(table()[0]), scipy.sparse.csr_array((3, 4))):
        assert sound_sparse(X, "x") is X


def unaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    out = raw[1:].view(x.dtype)[: x.size].reshape(x.shape)
    out[...] = x
    assert not out.flags.aligned
    return out


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_unaligned_arrays_are_copied(model):
    X, y = table()
    expected = model.fit(X, y).predict(X)
    assert_array_equal(model.fit(unaligned(X), unaligned(y)).predict(unaligned(X)), expected)
    sparse = scipy.sparse.csr_array(X)
    expected = model.fit(sparse, y).predict(sparse)
    sparse.data = unaligned(sparse.data)
    assert_array_equal(model.fit(sparse, y).predict(sparse), expected)


def test_kernels_refuse_what_they_would_index_out_of_range():
    data, bad, ends = np.ones(2), np.array([0, 7], np.int32), np.array([0, 1, 2], np.int32)
    y, theta = np.zeros(2, np.int64), np.zeros(4)
    with pytest.raises(ValueError, match="column out of range"):
        _core.linear_model.logistic.csr_binary_pass(data, bad, ends, y, None, theta, 1.0, np.zeros(4), None)
    with pytest.raises(ValueError, match="column out of range"):
        _core.linear_model.logistic.csr_binary_product(data, bad, ends, np.ones(2), theta, 1.0, np.zeros(4))
    with pytest.raises(ValueError, match="column out of range"):
        _core.linear_model.logistic.csr_squares(data, bad, ends, None, np.zeros(3))
    with pytest.raises(ValueError, match="must not fall"):
        _core.linear_model.logistic.csr_squares(
            data, np.zeros(2, np.int32), np.array([0, 5, 2], np.int32), None, np.zeros(3)
        )
    with pytest.raises(ValueError, match="column out of range"):
        _core.linear_model.logistic_dual.epoch(
            data, bad, ends, y, None, 1.0, 1.0, 0, np.arange(2), np.zeros(2), np.zeros(2), np.zeros(4)
        )
    with pytest.raises(ValueError, match="CSC"):
        _core.linear_model.proximal.descend_csc(
            data, bad, ends, np.arange(2), 1.0, np.ones(3), *np.zeros((4, 2)), np.zeros(2), np.zeros(3), 0.1, 1
        )
    X, centers = np.zeros((3, 2)), np.zeros((2, 2))
    label = np.array([0, 1, 2], np.int32)
    with pytest.raises(ValueError, match="no center"):
        _core.kmeans.dense.distances(X, centers, label, np.zeros(3))
    with pytest.raises(ValueError, match="no center"):
        _core.kmeans.seeding.gains(X, None, centers, centers, np.zeros(3), label, 1.0, np.zeros(2), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="other centers"):
        _core.kmeans.dense.gaps(centers, np.array([0, 5], np.int32), np.zeros((2, 8), np.float32))
    index, half = np.full((2, 16), -1, np.int32), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="no center"):
        _core.kmeans.dense.neighbor_step(X, None, centers, index, half, half, label, 3, np.zeros((2, 2)), np.zeros(2))
    with pytest.raises(ValueError, match="no center"):
        _core.kmeans.dense.grouped_step(
            X,
            None,
            centers,
            np.arange(2, dtype=np.int32),
            np.zeros((2, 8), np.float32),
            np.zeros(8),
            label,
            np.zeros((3, 8), np.float32),
            3,
            np.zeros((2, 2)),
            np.zeros(2),
        )
    codes = np.array([[0, 1, 5]], np.int32)
    with pytest.raises(ValueError, match="outside the states"):
        _core.factors.network.count_rows(codes, [0], [2], None, np.zeros(2))
    with pytest.raises(ValueError, match="outside the states"):
        _core.factors.network.family_scores(codes, [2], 0, [[]], None, 0, 1.0, 100, np.zeros(1))
    with pytest.raises(ValueError, match="offsets"):
        _core.classes.counts.category_counts(
            X, np.zeros(3, np.int64), None, np.array([0, 9, 2]), np.zeros(1), np.zeros((2, 1))
        )
