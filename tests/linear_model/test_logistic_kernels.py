"""The compiled passes against their formulas, at odd shapes; the passes of every home against each other."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from reference.linear_model import logistic as reference
from scipy.special import expit

from novum import _core
from novum.fold.blocks import Block
from novum.linear_model.logistic.sums import Direction, Point, evaluate, hessian_product

SHAPES = [(1, 1), (3, 7), (64, 8), (65, 1), (300, 23), (513, 3), (5, 0)]


def sample(n, p, k=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.integers(k, size=n), rng.random(n), rng.normal(size=(1 if k == 2 else k, p + 1))


@pytest.mark.parametrize("n, p", SHAPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
def test_dense_rows_of_two_classes(n, p, dtype, weighted):
    X, y, w, theta = sample(n, p)
    X, w = X.astype(dtype), w if weighted else None
    gradient, hessian, curvature = np.zeros(p + 1), np.zeros((p + 1, p + 1)), np.zeros(n)
    loss = _core.linear_model.logistic.binary_pass(X, y, w, theta[0], 0.7, gradient, hessian, curvature)
    expected = reference.binary(X, y, w, theta[0], 0.7)
    for found, true in zip((loss, gradient, hessian, curvature), expected):
        assert_allclose(found, true, rtol=1e-12, atol=1e-12)
    v, out = theta[0][::-1].copy(), np.zeros(p + 1)
    _core.linear_model.logistic.binary_product(X, curvature, v, 0.7, out)
    assert_allclose(out, expected[2] @ v, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_rows_of_two_classes(index, dtype):
    X, y, w, theta = sample(131, 9)
    X = (X * (np.abs(X) > 1)).astype(dtype)
    S = scipy.sparse.csr_array(X)[5:]
    parts = (S.data, S.indices.astype(index), S.indptr.astype(index))
    gradient, curvature = np.zeros(10), np.zeros(126)
    loss = _core.linear_model.logistic.csr_binary_pass(*parts, y[5:], w[5:], theta[0], 1.0, gradient, curvature)
    expected = reference.binary(X[5:], y[5:], w[5:], theta[0], 1.0)
    assert_allclose(loss, expected[0], rtol=1e-13)
    assert_allclose(gradient, expected[1], rtol=1e-12, atol=1e-12)
    assert_allclose(curvature, expected[3], rtol=1e-12)
    out, squares = np.zeros(10), np.zeros(9)
    _core.linear_model.logistic.csr_binary_product(*parts, curvature, theta[0], 1.0, out)
    assert_allclose(out, expected[2] @ theta[0], rtol=1e-12, atol=1e-12)
    _core.linear_model.logistic.csr_squares(*parts, w[5:], squares)
    assert_allclose(squares, w[5:] @ X[5:].astype(float) ** 2, rtol=1e-6 if dtype == np.float32 else 1e-13)


def test_far_scores_neither_overflow_nor_lose_their_loss():
    score = np.array([-800.0, -40.0, -1e-9, 0.0, 1e-9, 40.0, 800.0])
    for y in (0, 1):
        residual, curvature = np.empty(7), np.empty(7)
        loss = _core.linear_model.logistic.binary_rows(score, np.full(7, y), None, residual, curvature)
        assert_allclose(loss, np.sum(np.logaddexp(0, score) - y * score), rtol=1e-14)
        expected = expit(score) if y == 0 else -expit(-score)
        assert_allclose(residual, expected, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("k", [3, 4, 11])
@pytest.mark.parametrize("sparse", [False, True])
def test_several_classes(k, sparse):
    X, y, w, theta = sample(67, 5, k)
    data = scipy.sparse.csr_array(X) if sparse else X
    point = Point(theta, 1.0, None, hessian=True, keep=1)
    block = Block(data, y, w, 0, {})
    sums = evaluate(point, block)
    expected = reference.multinomial(X, y, w, theta, 1.0)
    assert_allclose(sums.loss, expected[0], rtol=1e-13)
    assert_allclose(sums.gradient, expected[1], rtol=1e-11, atol=1e-12)
    assert_allclose(sums.hessian, expected[2], rtol=1e-11, atol=1e-12)
    v = np.random.default_rng(1).normal(size=theta.shape)
    product = hessian_product(Direction(point, v), block).value
    assert_allclose(product.ravel(), expected[2] @ v.ravel(), rtol=1e-11, atol=1e-11)
    assert_allclose(hessian_product(Direction(point, v), block._replace(memory=None)).value, product, rtol=1e-13)


@pytest.mark.deep
@pytest.mark.parametrize("k", [2, 3])
def test_tensors_give_the_sums_of_arrays(k):
    torch = pytest.importorskip("torch")
    X, y, w, theta = sample(40, 4, k)
    classes = np.linspace(0.5, 1.5, k)
    point = Point(theta, 1.0, classes, hessian=True, keep=3)
    here = Block(X, y, w, 0, {})
    there = Block(torch.tensor(X), torch.tensor(y), torch.tensor(w), 0, {})
    for a, b in zip(evaluate(point, here), evaluate(point, there)):
        assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    direction = Direction(point, theta[:, ::-1].copy())
    assert_allclose(
        hessian_product(direction, here).value, hessian_product(direction, there).value, rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("kind", ["gram", "csc", "dense"])
def test_coordinate_descent_minimises_the_quadratic_model(kind):
    rng = np.random.default_rng(2)
    n, p = 60, 7
    X, r = rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.6), rng.random(n)
    A = reference.rows(X, 1.0)
    H = (A * r[:, None]).T @ A
    slope, value = 20 * rng.normal(size=p + 1), rng.normal(size=p + 1)
    l1, l2 = np.append(np.full(p, 15.0), 0.0), np.append(np.full(p, 2.0), 0.0)
    d, bent, which = np.zeros(p + 1), np.zeros(n), np.arange(p + 1)
    model = (slope, value, l1, l2, d)
    if kind == "gram":
        _core.linear_model.proximal.descend_gram(H, *model, 1e-12, 10_000)
    elif kind == "csc":
        S = scipy.sparse.csc_array(X)
        _core.linear_model.proximal.descend_csc(S.data, S.indices, S.indptr, which, 1.0, r, *model, bent, 1e-12, 10_000)
    else:
        _core.linear_model.proximal.descend_columns(np.asfortranarray(X), which, 1.0, r, *model, bent, 1e-12, 10_000)
    q = slope + H @ d + l2 * d
    new = value + d
    assert (new[:p] == 0).any() and (new[:p] != 0).any()
    assert_allclose(np.where(new != 0, q + l1 * np.sign(new), 0), 0, atol=1e-10)
    assert (np.abs(q) <= l1 + 1e-10)[new == 0].all()
    best = reference.quadratic_model(H, slope, value, l1, l2, d)
    for _ in range(50):
        assert reference.quadratic_model(H, slope, value, l1, l2, d + 1e-3 * rng.normal(size=p + 1)) > best
    if kind != "gram":
        assert_allclose(bent, r * (A @ d), atol=1e-10)


def test_kernels_refuse_what_does_not_fit():
    X, y, _, theta = sample(4, 2)
    with pytest.raises(ValueError, match="codes 0 to K - 1"):
        _core.linear_model.logistic.binary_pass(X, y + 2, None, theta[0], 1.0, np.zeros(3), None, None)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.linear_model.logistic.binary_pass(X, y, None, theta[0], 1.0, np.zeros(2), None, None)
    with pytest.raises(ValueError, match="a column that does not exist"):
        one = np.ones(1)
        _core.linear_model.proximal.descend_columns(
            np.asfortranarray(X), np.array([3]), 1.0, np.ones(4), one, one, one, one, one.copy(), np.zeros(4), 1e-3, 5
        )


@pytest.mark.parametrize("intercept", [0, 1, 2])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n, p", [(1, 1), (40, 7), (65, 30)])
def test_an_epoch_of_the_dual(n, p, dtype, index, intercept):
    X, y, w, _ = sample(n, p, seed=intercept)
    X = scipy.sparse.csr_matrix(np.where(np.abs(X) > 0.7, X, 0).astype(dtype))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    w[0] = w[0] if n == 1 else 0.0
    order, constant = np.random.default_rng(1).permutation(n), 0.8 if intercept else 0.0
    a, theta, sums = np.zeros(n), np.zeros(p + 1), np.zeros(2)
    expected_a, expected = np.zeros(n), np.zeros(p + 1)
    for _ in range(3):
        before = a.copy()
        moved = _core.linear_model.logistic_dual.epoch(
            X.data, X.indices, X.indptr, y, w, 2.5, constant, intercept, order, sums, a, theta
        )
        reference.dual_epoch(X.toarray(), y, w, 2.5, constant, intercept, order, expected_a, expected)
        assert_allclose(a, expected_a, rtol=1e-9, atol=1e-12)
        assert_allclose(theta, expected, rtol=1e-9, atol=1e-9)
        square = (X.toarray().astype(float) ** 2).sum(axis=1) + (constant**2 if intercept == 1 else 0.0)
        assert_allclose(moved, np.sqrt(((a - before) ** 2 * square).sum()), rtol=1e-9, atol=1e-12)
    assert_allclose(sums[0], ((2 * y - 1) * a).sum(), atol=1e-12)


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("wrong", [-1, 5, np.iinfo(np.int32).min, np.iinfo(np.int32).max])
def test_indices_of_sparse_rows_are_checked_before_they_are_followed(index, wrong):
    X = scipy.sparse.random(70, 5, density=0.5, format="csc", random_state=0)
    rows, starts = X.indices.astype(np.int32), X.indptr.astype(np.int64)
    rows[-3] = wrong if wrong < 0 else max(wrong, 70)
    with pytest.raises(ValueError, match="row out of range"):
        _core.linear_model.descent.compressed_products(X.data, rows, starts, np.ones((70, 1)), 0, 5, np.empty((1, 5)))
    order = np.arange(70, dtype=np.int64)
    order[-1] = wrong if wrong < 0 else max(wrong, 70)
    by_row, y = X.tocsr(), np.zeros(70, dtype=np.int64)
    parts = by_row.data, by_row.indices.astype(index), by_row.indptr.astype(index)
    with pytest.raises(ValueError, match="a row that does not exist"):
        _core.linear_model.logistic_dual.epoch(
            *parts, y, None, 1.0, 0.0, 0, order, np.zeros(2), np.zeros(70), np.zeros(6)
        )
