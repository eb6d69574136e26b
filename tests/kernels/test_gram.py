"""The compiled Gram programs against kernels written out pair by pair, at odd shapes, in both precisions, with all derivatives."""

import numpy as np
import pytest
from reference import kernels as reference
from sklearn.gaussian_process import kernels as peer

from novum.exceptions import DataError, ParameterError
from novum.kernels import (
    RBF,
    Constant,
    Exponential,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    QuadraticForm,
    RationalQuadratic,
    Sigmoid,
    White,
)

RNG = np.random.default_rng(0)
SCALES = np.array([0.7, 1.9, 1.2])

LEAVES = [
    (RBF(1.3), lambda x, z: reference.rbf(x, z, 1.3)),
    (RBF(SCALES), lambda x, z: reference.rbf(x, z, SCALES)),
    (Matern(SCALES, nu=0.5), lambda x, z: reference.matern(x, z, SCALES, 0.5)),
    (Matern(0.8, nu=1.5), lambda x, z: reference.matern(x, z, 0.8, 1.5)),
    (Matern(SCALES, nu=2.5), lambda x, z: reference.matern(x, z, SCALES, 2.5)),
    (Matern(1.1, nu=0.9), lambda x, z: reference.matern(x, z, 1.1, 0.9)),
    (Laplacian(SCALES), lambda x, z: reference.laplacian(x, z, SCALES)),
    (RationalQuadratic(0.9, 1.7), lambda x, z: reference.rational(x, z, 0.9, 1.7)),
    (Periodic(0.8, 1.4), lambda x, z: reference.periodic(x, z, 0.8, 1.4)),
    (Linear(), reference.dot),
    (Polynomial(degree=3, coef0=0.5, gamma=0.3), lambda x, z: (0.3 * x @ z + 0.5) ** 3),
    (Sigmoid(gamma=0.4, coef0=-0.2), lambda x, z: np.tanh(0.4 * x @ z - 0.2)),
    (Exponential(0.2 * Linear()), lambda x, z: np.exp(0.2 * x @ z)),
    (Constant(2.5), lambda x, z: 2.5),
]
NAMES = [repr(kernel) for kernel, _ in LEAVES]


@pytest.mark.parametrize("kernel, function", LEAVES, ids=NAMES)
@pytest.mark.parametrize("n, m", [(1, 1), (7, 70), (65, 3)])
def test_every_pair(kernel, function, n, m):
    X, Y = RNG.standard_normal((n, 3)), RNG.standard_normal((m, 3)) + 0.3
    want = reference.pairs(function, X, Y)
    np.testing.assert_allclose(kernel(X, Y), want, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel(X), reference.pairs(function, X, X), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diag(X), np.diag(kernel(X)), rtol=1e-12)
    if kernel.requires_vector_input and kernel.compile(X) is not None:
        single = kernel(X.astype(np.float32), Y.astype(np.float32))
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, want, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    "kernel",
    [
        RBF(1.3),
        2.0 * RBF(SCALES) + White(0.3) + 0.4 * Linear(),
        Matern(SCALES, nu=0.5) * RationalQuadratic(0.9, 1.7),
        Matern(SCALES, nu=1.5) + Matern(0.7, nu=2.5) * Periodic(0.8, 1.4),
        Matern(SCALES, nu=0.9),
        Laplacian(SCALES) * Laplacian(0.5) ** 2,
        Polynomial(RBF(0.8) + 0.5, degree=3, coef0=0.7, gamma=0.4, coef0_bounds=(0.1, 2), gamma_bounds=(0.1, 2)),
        Polynomial(degree=2, coef0=0.7, gamma=0.4, coef0_bounds=(0.1, 2), gamma_bounds=(0.1, 2)),
        Sigmoid(RBF(0.8), gamma=0.4, coef0=-0.2, gamma_bounds=(0.1, 2)),
        (RBF(SCALES) * Constant(0.3)).exp(),
        (RBF(SCALES) + Constant(0.3)) ** 2.5,
        (RBF(SCALES) + 0.2 * Linear()).normalized(),
        RBF(0.8).of(lambda X: np.sin(X[:, :2])) + White(0.1),
        (2.0 * RBF(0.8)).weighted(lambda X: 1 + X[:, 0] ** 2),
        RBF(SCALES, length_scale_bounds="fixed") * Constant(2.0) + RationalQuadratic(0.9, 1.7, alpha_bounds="fixed"),
    ],
    ids=str,
)
def test_derivatives_are_differences(kernel):
    X = RNG.standard_normal((9, 3))
    K, dK = kernel(X, eval_gradient=True)
    np.testing.assert_allclose(K, kernel(X), rtol=1e-13)
    theta, h = kernel.theta, 1e-5
    assert dK.shape == (9, 9, theta.size) == (9, 9, len(kernel.bounds) if theta.size else 0)
    for s in range(theta.size):
        step = h * np.eye(theta.size)[s]
        numeric = (kernel.clone_with_theta(theta + step)(X) - kernel.clone_with_theta(theta - step)(X)) / (2 * h)
        np.testing.assert_allclose(dK[:, :, s], numeric, atol=2e-9, rtol=1e-7)
    A = RNG.standard_normal((9, 9))
    A, v = A + A.T, RNG.standard_normal((9, 2))
    want = np.einsum("ij,ijs->s", -0.5 * A + v @ v.T, dK)
    np.testing.assert_allclose(kernel.gradient_trace(X, A, vectors=v, scale=-0.5), want, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(
        kernel.gradient_trace(X, np.tril(A)), np.einsum("ij,ijs->s", A, dK), rtol=1e-10, atol=1e-11
    )
    np.testing.assert_allclose(kernel.gram_times(X, v), K @ v, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200, 517])
def test_blocks_and_halves_fit_together(n):
    """More than one block of rows, both threads, tails of every kind; against scikit-learn's value and derivative."""
    X = RNG.standard_normal((n, 4))
    scales = [0.5, 1.0, 2.0, 1.5]
    ours, theirs = 2.0 * RBF(scales) + White(0.1), 2.0 * peer.RBF(scales) + peer.WhiteKernel(0.1)
    program = ours.compile(X)
    K, dK = theirs(X, eval_gradient=True)
    np.testing.assert_allclose(program.gram(), K, rtol=1e-13, atol=1e-15)
    assert (program.gram() == program.gram().T).all()
    np.testing.assert_allclose(program.gradient(), dK, rtol=1e-12, atol=1e-15)
    A = RNG.standard_normal((n, n))
    np.testing.assert_allclose(program.trace(A + A.T), np.einsum("ij,ijs->s", A + A.T, dK), rtol=1e-9, atol=1e-9)
    index = RNG.integers(0, n, 11)
    np.testing.assert_array_equal(program.rows(index), program.gram()[index])
    Z = RNG.standard_normal((130, 4))
    cross = ours.compile(X, Z)
    np.testing.assert_allclose(cross.gram(), theirs(X, Z), rtol=1e-13, atol=1e-15)
    v = RNG.standard_normal((130, 3))
    np.testing.assert_allclose(cross.times(v), theirs(X, Z) @ v, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(cross.times(v[:, 0]), theirs(X, Z) @ v[:, 0], rtol=1e-11, atol=1e-12)


def test_results_do_not_depend_on_the_number_of_threads():
    from threadpoolctl import threadpool_limits

    X = RNG.standard_normal((700, 3))
    kernel = 2.0 * Matern(SCALES) + White(0.1)
    with threadpool_limits(1, "openmp"):
        one = kernel(X), kernel.gradient_trace(X, vectors=X)
    two = kernel(X), kernel.gradient_trace(X, vectors=X)
    assert (one[0] == two[0]).all() and (one[1] == two[1]).all()


def test_points_far_from_the_origin_and_near_each_other_keep_their_digits():
    X = 1e6 + 1e-3 * RNG.standard_normal((5, 2))
    near = X - 1e6
    np.testing.assert_allclose(RBF(1e-3)(X), RBF(1e-3)(near), rtol=1e-6)
    assert RBF(1.0)([[0.0]], [[1e200]])[0, 0] == 0 and RationalQuadratic()([[0.0]], [[1e100]])[0, 0] < 1e-199
    assert Exponential(Linear())([[30.0]], [[30.0]])[0, 0] == np.inf
    for kernel in (
        Matern(nu=0.5),
        Matern(nu=1.5),
        Matern([1.0, 1.0], nu=2.5),
        RationalQuadratic(),
        Periodic(),
        Laplacian(),
    ):
        K, dK = kernel(np.array([[0.0, 0.0], [1e200, -1e200]]), eval_gradient=True)
        assert np.isfinite(K).all() and np.isfinite(dK).all() and K[0, 0] == 1
    np.testing.assert_allclose(Periodic(1.0, 0.25)([[0.0]], [[1000.0], [0.125]]), [[1.0, np.exp(-2)]], rtol=1e-12)


def test_quadratic_form_and_feature_maps():
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 0.7]])
    X, Y = RNG.standard_normal((6, 3)), RNG.standard_normal((4, 3))
    np.testing.assert_allclose(QuadraticForm(A)(X, Y), X @ A @ Y.T, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose((QuadraticForm(A) + Linear())(X, Y), X @ (A + np.eye(3)) @ Y.T, rtol=1e-12, atol=1e-14)
    with pytest.raises(ParameterError, match="has the eigenvalue -1"):
        QuadraticForm(-np.eye(3))(X)
    with pytest.raises(DataError, match=r"matrix has shape \(2, 2\), points have 3 columns"):
        QuadraticForm(np.eye(2))(X)
    doubled = RBF(1.0).of(lambda X: 2 * np.asarray(X)) + RBF(1.0)
    np.testing.assert_allclose(doubled(X, Y), RBF(0.5)(X, Y) + RBF(1.0)(X, Y), rtol=1e-13)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: RBF()([[np.nan]]), "RBF: X contains NaN or infinity"),
        (lambda: RBF()([["a"]]), "compares vectors of numbers; strings, sets and"),
        (lambda: RBF()(np.zeros((2, 3)), np.zeros((2, 2))), "X has 3 columns and Y 2"),
        (lambda: RBF(-1.0)([[0.0]]), r"RBF\(length_scale=-1.0\): length_scale must be positive"),
        (lambda: RBF([1.0, 2.0])([[0.0]]), r"same number of dimensions as data \(2!=1\)"),
        (lambda: Matern(nu=-1.0)([[0.0]]), r"Matern\(nu=-1.0\): nu must be positive"),
        (lambda: RationalQuadratic(alpha=0.0)([[0.0]]), "both must be positive"),
        (lambda: Periodic(periodicity=-1.0)([[0.0]]), "both must be positive"),
        (lambda: Polynomial(2)([[0.0]]), r"kernel must be a kernel or None for x'z; for the degree write degree=2"),
        (lambda: -2.0 * RBF(), "a negative number times or plus a kernel is no kernel"),
        (lambda: RBF() + "a", "must be a kernel or a number"),
        (lambda: RBF()([[0.0]], [[1.0]], eval_gradient=True), "Gradient can only be evaluated when Y is None"),
        (lambda: RBF().of(3), "features must be a function"),
        (lambda: RBF().of(lambda X: np.zeros((1, 1)))(np.zeros((2, 1))), "returned 1 rows for 2 objects"),
        (lambda: setattr(RBF(), "theta", [0.0, 1.0]), r"Should be 1; given are 2"),
    ],
)
def test_what_cannot_be_compared_is_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_core_refuses_programs_that_point_nowhere():
    from novum._core.kernels.gram import Program

    X, numbers = np.zeros((3, 2)), np.ones(2)
    good = [3, 0, 0, 0, 0, 0, -1, 0]
    for place, value in ((0, 99), (3, 4), (4, 1), (5, 7)):
        bad = good.copy()
        bad[place] = value
        with pytest.raises(ValueError, match="gram:"):
            Program(np.array([bad], np.int32), numbers, [X], [], 3, 3, True, 1)
    with pytest.raises(ValueError, match="operand behind its operation"):
        Program(np.array([[10, 0, 0, 0, 0, -1, -1, 0]], np.int32), numbers, [X], [], 3, 3, True, 1)
    program = Program(np.array([good], np.int32), numbers, [X], [], 3, 3, True, 1)
    with pytest.raises(ValueError, match="a number per pair"):
        program.fill(np.zeros((2, 3)), 0, 2)
    with pytest.raises(ValueError, match="numbers of rows"):
        program.rows(np.array([3]), np.zeros((1, 3)))
