"""The descent kernels and the two routes to a solution against their definition."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from reference.linear_model import descent as reference

from novum import _core
from novum.linear_model.penalized import designs
from novum.linear_model.penalized.designs import DenseDesign, SparseDesign
from novum.linear_model.penalized.gram_paths import Rule, duality_gap, penalties, trace_gram
from novum.linear_model.penalized.working_set import trace_columns


def problem(n=40, p=12, seed=0, density=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < density)
    return X, X[:, 0] - 2 * X[:, p // 2] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l2", [0.0, 3.0])
@pytest.mark.parametrize(("n", "p"), [(40, 12), (7, 1), (1, 3), (12, 30)])
def test_kernels_find_what_plain_descent_finds(n, p, l2, positive):
    X, y = problem(n, p)
    l1 = 0.3 * np.abs(X.T @ y).max()
    expected = reference.descend(X, y, l1, l2, positive)
    aim = 1e-13 * (y @ y)
    options = (l1, l2, positive, aim, 10_000, None)
    by_gram, by_columns, by_entries = np.zeros(p), np.zeros(p), np.zeros(p)
    gap, epochs, done = _core.linear_model.descent.descend_gram(X.T @ X, X.T @ y, y @ y, *options, by_gram, np.empty(p))
    assert done and 0 <= epochs <= 10_000 and gap <= aim
    residual = np.empty(n)
    assert _core.linear_model.descent.descend_columns(np.ascontiguousarray(X.T), y, *options, by_columns, residual)[2]
    assert_allclose(residual, y - X @ by_columns, atol=1e-12)
    S = scipy.sparse.csc_array(X)
    parts = S.data, S.indices.astype(np.int32), S.indptr.astype(np.int64), np.zeros(p), np.ones(n), float(n)
    assert _core.linear_model.descent.descend_sparse(*parts, y, *options, by_entries, np.empty(n + 1))[2]
    for w in (by_gram, by_columns, by_entries):
        assert_allclose(w, expected, atol=1e-6)
        assert reference.duality_gap(X, y, w, l1, l2, positive) <= 2 * aim


@pytest.mark.parametrize("positive", [False, True])
def test_gap_is_primal_minus_dual_and_bounds_the_distance_to_the_optimum(positive):
    X, y = problem()
    l1, l2 = 2.0, 0.5
    best = reference.objective(X, y, reference.descend(X, y, l1, l2, positive), l1, l2)
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=12) * 0.3
        w = np.abs(w) if positive else w
        r = y - X @ w
        c = X.T @ r - l2 * w
        gap, theta = duality_gap(r @ r, r @ y, c if positive else np.abs(c), w, l1, l2)
        assert_allclose(gap, reference.duality_gap(X, y, w, l1, l2, positive), rtol=1e-12)
        assert 0 < theta <= 1 and reference.objective(X, y, w, l1, l2) - best <= gap


@pytest.mark.parametrize("layout", ["C", "F", "sparse"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_working_sets_solve_the_whole_problem(layout, dtype, weighted):
    X, y = problem(50, 400, density=0.3)
    X = (X + (layout != "sparse")).astype(dtype)
    weight = np.random.default_rng(1).uniform(0, 2, 50) if weighted else None
    given = scipy.sparse.csr_array(X) if layout == "sparse" else np.asarray(X, order=layout)
    design = (SparseDesign if layout == "sparse" else DenseDesign)(given, weight, True)
    target, _ = design.target(y, True)
    w = np.ones(50) if weight is None else weight
    centred = np.sqrt(w)[:, None] * (X.astype(float) - np.average(X.astype(float), axis=0, weights=w))
    assert_allclose(target, np.sqrt(w) * (y - np.average(y, weights=w)), atol=1e-12)
    assert_allclose(design.squares, (centred**2).sum(axis=0), rtol=1e-9 if dtype == np.float64 else 1e-5)
    alphas = np.geomspace(1, 0.05, 12) * np.abs(centred.T @ target).max() / w.sum()
    for l1_ratio in (1.0, 0.6):
        path = penalties(alphas, l1_ratio, w.sum())
        traced = trace_columns(design, target, path, Rule(1e-9 if dtype == np.float64 else 1e-6, 1000))
        assert traced.converged.all()
        for i in range(len(alphas)):
            gap = reference.duality_gap(centred, target, traced.coef[:, i], path.l1[i], path.l2[i])
            assert gap <= (1.01e-9 if dtype == np.float64 else 2e-6) * (target @ target)


def test_both_routes_agree_along_a_path():
    X, y = problem(80, 60)
    design = DenseDesign(X, None, False)
    path = penalties(np.geomspace(1, 1e-3, 20), 1.0, 80.0)
    by_columns = trace_columns(design, y, path, Rule(1e-12, 5000))
    by_gram = trace_gram(X.T @ X, X.T @ y, y @ y, path, Rule(1e-12, 5000))
    assert_allclose(by_columns.coef, by_gram.coef, atol=1e-6)
    for i in range(20):
        assert reference.violation(X, y, by_gram.coef[:, i], path.l1[i], 0.0) < 1e-4


def test_many_columns_in_the_working_set_are_solved_without_a_gram_matrix(monkeypatch):

    X, y = problem(30, 200)
    path = penalties(np.array([0.5, 0.05]), 1.0, 30.0)
    expected = trace_columns(DenseDesign(X, None, True), y - y.mean(), path, Rule(1e-10, 5000))
    monkeypatch.setattr(designs, "GRAM_COLUMNS", 0)
    found = trace_columns(DenseDesign(X, None, True), y - y.mean(), path, Rule(1e-10, 5000))
    assert found.converged.all()
    assert_allclose(found.coef, expected.coef, atol=1e-4)


def test_random_coordinates_are_a_function_of_the_seed():
    X, y = problem()
    path = penalties(np.array([0.05]), 1.0, 40.0)
    runs = [trace_gram(X.T @ X, X.T @ y, y @ y, path, Rule(1e-3, 100, seed=s)) for s in (1, 1, 2)]
    assert np.array_equal(runs[0].coef, runs[1].coef)
    assert_allclose(runs[0].coef, runs[2].coef, atol=1e-4)


def test_kernels_refuse_what_does_not_fit():
    X, y = problem(6, 3)
    options = (1.0, 0.0, False, 1e-6, 10, None)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.linear_model.descent.descend_gram(X.T @ X, X.T @ y, 1.0, *options, np.zeros(2), np.empty(3))
    parts = np.ones(2), np.array([0, 9], np.int32), np.array([0, 1, 2, 2], np.int64), np.zeros(3), np.ones(6), 6.0
    with pytest.raises(ValueError, match="row out of range"):
        _core.linear_model.descent.descend_sparse(*parts, y, *options, np.zeros(3), np.empty(7))
    with pytest.raises(ValueError, match="column out of range"):
        _core.linear_model.descent.gather_columns(X, np.array([3]), np.zeros(3), None, np.empty((1, 6)))
    with pytest.raises(ValueError, match="row out of range"):
        _core.linear_model.descent.compressed_products(
            np.ones(1), np.array([6], np.int32), np.array([0, 1]), np.ones((6, 1)), 0, 1, np.empty((1, 1))
        )
