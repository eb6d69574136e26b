"""The kernels of the notes with their numbers, the rules that build kernels from kernels, and what is known of each."""

import numpy as np
import pytest
from sklearn.metrics import pairwise

from novum.kernels import (
    RBF,
    Constant,
    Exponential,
    Gaussian,
    Linear,
    Polynomial,
    QuadraticForm,
    Radial,
    Sigmoid,
)

RNG = np.random.default_rng(1)
X, Y = RNG.standard_normal((12, 3)), RNG.standard_normal((7, 3))
U, V, W = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), np.array([[3.0, -1.0]])


def close(found, want):
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)


@pytest.mark.notes("000-a", "dot-product")
@pytest.mark.notes("000-c", "linear-kernel")
@pytest.mark.notes("003", "linear-kernel")
def test_linear():
    assert Linear()(U, V)[0, 0] == 11
    close(Linear()(X, Y), [[sum(a * b for a, b in zip(x, z)) for z in Y] for x in X])


@pytest.mark.notes("000-c", "poly-kernel-homogeneous")
@pytest.mark.notes("000-c", "poly-kernel-inhomogeneous")
@pytest.mark.notes("000-c", "poly-kernel")
@pytest.mark.notes("004", "polynomial-kernel")
def test_polynomials_of_the_notes():
    for coef0, degree, first, second in (
        (0.0, 2, 121, 1),
        (1.0, 2, 144, 4),
        (1.0, 3, 1728, 8),
        (2.5, 2, 13.5**2, 3.5**2),
    ):
        kernel = Polynomial(degree=degree, coef0=coef0)
        assert (kernel(U, V)[0, 0], kernel(U, W)[0, 0]) == (first, second)
    close(Polynomial(degree=4, coef0=0.3, gamma=0.7)(X, Y), pairwise.polynomial_kernel(X, Y, 4, 0.7, 0.3))
    assert Polynomial(degree=2, coef0=1.0)([[2.0]], [[3.0]])[0, 0] == 49


@pytest.mark.notes("002", "kernel-poly")
@pytest.mark.notes("002", "kernel-linear")
def test_polynomial_is_the_linear_kernel_of_its_features():
    def features(points):
        x, y = np.asarray(points).T
        root = np.sqrt(2)
        return np.stack([np.ones_like(x), root * x, root * y, x**2, y**2, root * x * y], axis=1)

    P, Q = X[:, :2], Y[:, :2]
    close(Polynomial(degree=2)(P, Q), Linear().of(features)(P, Q))
    close(Polynomial(degree=2)(P, Q), features(P) @ features(Q).T)
    assert Linear().of(features)(U, W)[0, 0] == pytest.approx(4) and features(U).shape[1] == 6


@pytest.mark.notes("000-c", "gaussian-kernel")
@pytest.mark.notes("002", "kernel-gaussian")
@pytest.mark.notes("003", "gaussian-kernel")
@pytest.mark.notes("004", "rbf-kernel")
def test_gaussian():
    assert RBF(2.0)(U, V)[0, 0] == pytest.approx(0.367879, abs=5e-7)
    assert RBF(1.0)(U, W)[0, 0] == pytest.approx(0.00150344, abs=5e-9)  # gamma = 1 / (2 l^2) = 0.5
    close(RBF(0.8)(X, Y), pairwise.rbf_kernel(X, Y, gamma=0.5 / 0.8**2))
    f = np.exp(-np.einsum("ij,ij->i", X, X) / (2 * 0.8**2))
    factored = Exponential(Linear() * (1 / 0.8**2)).weighted(
        lambda Z: np.exp(-np.sum(np.square(Z), axis=1) / (2 * 0.8**2))
    )
    close(factored(X), f[:, None] * np.exp(X @ X.T / 0.8**2) * f[None, :])
    np.testing.assert_allclose(factored(X), RBF(0.8)(X), rtol=1e-10)


@pytest.mark.notes("003", "se-kernel")
def test_amplitude_and_length_scale():
    assert (1.0 * RBF(1.0))([[0.0]], [[2.0]])[0, 0] == pytest.approx(0.1353353, abs=5e-8)  # the norm squared
    one_each = np.array([0.5, 1.7, 3.0])
    close((2.5 * RBF(one_each))(X, Y), 2.5 * np.exp(-(((X[:, None] - Y) / one_each) ** 2).sum(axis=2) / 2))
    assert RBF(one_each).anisotropic and not RBF(1.7).anisotropic and not RBF([1.7]).anisotropic
    close((2.5 * RBF([1.7]))(X, Y), (2.5 * RBF(1.7))(X, Y))
    close((2.5 * RBF(1.7))(X, Y), 2.5 * np.exp(-((X[:, None] - Y) ** 2).sum(axis=2) / (2 * 1.7**2)))


@pytest.mark.notes("003", "gp-composite-kernel")
@pytest.mark.notes("002", "kernel-gp4")
def test_four_parameters_of_a_gaussian_process():
    def four(t0, t1, t2, t3):
        return t0 * RBF(1 / np.sqrt(t1)) + Constant(t2) + t3 * Linear()

    assert four(1, 1, 0.5, 0.2)([[1.0]], [[2.0]])[0, 0] == pytest.approx(1.5065307, abs=5e-8)
    theta = 1.3, 0.7, 0.4, 0.2
    want = [[1.3 * np.exp(-0.35 * np.sum((x - z) ** 2)) + 0.4 + 0.2 * x @ z for z in Y] for x in X]
    close(four(*theta)(X, Y), want)
    close((1.3 * RBF(np.sqrt(0.7)) + 0.4 + 0.2 * Linear())([[0.0]], [[1.0]]), [[1.3 * np.exp(-1 / 1.4) + 0.4]])
    assert np.exp(four(*theta).theta) == pytest.approx([1.3, 1 / np.sqrt(0.7), 0.4, 0.2])


@pytest.mark.notes("004", "sigmoid-kernel")
@pytest.mark.notes("004", "kernel-validity")
def test_sigmoid_is_marked_and_refuted():
    kernel = Sigmoid(gamma=0.5, coef0=-1.0)
    assert kernel(U, W)[0, 0] == pytest.approx(-0.462117, abs=5e-7)
    close(kernel(X, Y), pairwise.sigmoid_kernel(X, Y, 0.5, -1.0))
    points = np.array([[0.0], [1.0], [2.0]])
    found = Sigmoid(gamma=1.0, coef0=-1.0).is_psd(points)
    values = np.linalg.eigvalsh(np.tanh(points @ points.T - 1))
    np.testing.assert_allclose(values, [-1.2698, -0.3227, 1.8259], atol=5e-5)
    assert not found and found.smallest_eigenvalue == pytest.approx(values[0])
    assert found.weights @ Sigmoid(gamma=1.0, coef0=-1.0)(found.points) @ found.weights == pytest.approx(values[0])
    assert kernel.is_valid is False and not kernel.is_psd()
    assert RBF().is_psd(points) and "proves nothing" not in RBF().is_psd(points).verdict


@pytest.mark.notes("002", "kernel-radial")
def test_radial_functions():
    kernel = Radial(lambda s: 1 / np.sqrt(1 + s))
    close(kernel(X, Y), 1 / np.sqrt(1 + ((X[:, None] - Y) ** 2).sum(axis=2)))
    assert kernel.is_stationary() and kernel.is_isotropic() and kernel.is_valid is None and kernel.is_psd()
    wrong = Radial(lambda s: (s < 1).astype(float))  # a window: no kernel
    found = wrong.is_psd(n_trials=50)
    assert not found and found.weights @ wrong(found.points) @ found.weights < -1e-3
    close(kernel.diag(X), np.ones(12))


@pytest.mark.notes("003", "generalised-gaussian-kernel")
def test_gaussian_of_a_kernel():
    close(Gaussian(Linear(), sigma=0.9)(X, Y), RBF(0.9)(X, Y))
    inner = Polynomial(degree=2)
    k = inner(X)
    square = np.diag(k)[:, None] - 2 * k + np.diag(k)[None, :]
    np.testing.assert_allclose(Gaussian(inner, sigma=4.0)(X), np.exp(-square / 32), rtol=1e-10)
    close(Gaussian(inner, sigma=4.0)(X, Y), Gaussian(inner, sigma=4.0)(np.vstack([X, Y]))[:12, 12:])
    assert Gaussian(Linear())([[1.0, 1.0, 1.0]])[0, 0] == 1  # the notes' printed version gives .22313
    kernel = Gaussian(0.7 * RBF(0.8) + Linear(), sigma=1.4)
    dK = kernel(X, eval_gradient=True)[1]
    for s in range(3):
        step = 1e-6 * np.eye(3)[s]
        numeric = (
            kernel.clone_with_theta(kernel.theta + step)(X) - kernel.clone_with_theta(kernel.theta - step)(X)
        ) / 2e-6
        np.testing.assert_allclose(dK[:, :, s], numeric, atol=1e-8)


@pytest.mark.notes("000-c", "kernel-sum")
@pytest.mark.notes("000-c", "kernel-product")
@pytest.mark.notes("000-c", "kernel-scale")
@pytest.mark.notes("000-c", "kernel-linear-combination")
def test_sums_products_and_scalings_are_those_of_features():
    def one(Z):
        return np.stack([Z[:, 0], Z[:, 1] ** 2], axis=1)

    def two(Z):
        return np.stack([np.sin(Z[:, 2]), Z[:, 0], np.ones(len(Z))], axis=1)

    def combined(Z):
        return (one(Z)[:, :, None] * two(Z)[:, None, :]).reshape(len(Z), -1)

    a, b = Linear().of(one), Linear().of(two)
    close((a + b)(X, Y), np.hstack([one(X), two(X)]) @ np.hstack([one(Y), two(Y)]).T)
    close((a * b)(X, Y), combined(X) @ combined(Y).T)
    close((3.0 * a)(X, Y), (np.sqrt(3) * one(X)) @ (np.sqrt(3) * one(Y)).T)
    close((0.5 * a + 2.0 * b + 1.5 * RBF(0.7))(X, Y), 0.5 * a(X, Y) + 2 * b(X, Y) + 1.5 * RBF(0.7)(X, Y))
    with pytest.raises(ValueError, match="a negative number times or plus a kernel is no kernel"):
        -1.0 * a
    assert np.linalg.eigvalsh(-1.0 * a(X))[0] < -1  # and this is why


@pytest.mark.notes("002", "kernel-algebra")
@pytest.mark.notes("003", "kernel-algebra")
@pytest.mark.notes("003", "kernel-from-features")
@pytest.mark.notes("003", "psd-matrix-kernel")
def test_ten_rules_give_valid_kernels_with_the_values_of_their_definition():
    k1, k2 = RBF(0.8), Polynomial(degree=2)
    a, b = k1(X, Y), k2(X, Y)
    A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 0.7]])

    def f(Z):
        return 1 + np.asarray(Z)[:, 0] ** 2

    def phi(Z):
        return np.stack([np.sin(Z[:, 0]), Z[:, 1] * Z[:, 2]], axis=1)

    rules = [
        (2.5 * k1, 2.5 * a),
        (k1 + k2, a + b),
        (k1 * k2, a * b),
        (k1.exp(), np.exp(a)),
        (Exponential(k2), np.exp(b)),
        (k1.weighted(f), f(X)[:, None] * a * f(Y)[None, :]),
        (k2.weighted(f), f(X)[:, None] * b * f(Y)[None, :]),
        (Polynomial(k1, degree=3, coef0=0.5, gamma=2.0), (2 * a + 0.5) ** 3),
        (k1**3, a**3),
        (k1.of(phi), k1(phi(X), phi(Y))),
        (Linear().of(phi), phi(X) @ phi(Y).T),
        (QuadraticForm(A), X @ A @ Y.T),
        (
            RBF(0.5).of(lambda Z: Z[:, :1]) + Linear().of(lambda Z: Z[:, 1:]),
            RBF(0.5)(X[:, :1], Y[:, :1]) + X[:, 1:] @ Y[:, 1:].T,
        ),
        (
            RBF(0.5).of(lambda Z: Z[:, :1]) * Linear().of(lambda Z: Z[:, 1:]),
            RBF(0.5)(X[:, :1], Y[:, :1]) * (X[:, 1:] @ Y[:, 1:].T),
        ),
    ]
    for kernel, want in rules:
        np.testing.assert_allclose(kernel(X, Y), want, rtol=1e-11, atol=1e-12)
        assert kernel.is_valid and kernel.is_psd(X)
        values = np.linalg.eigvalsh(kernel(X))
        assert values[0] > -1e-10 * values[-1]
        np.testing.assert_allclose(kernel.diag(X), np.diag(kernel(X)), rtol=1e-10)
    assert (k1**2.5).is_valid is None and Polynomial(coef0=-1.0).is_valid is None and (k1 + Sigmoid()).is_valid is None


@pytest.mark.notes("000-c", "kernel-normalisation")
def test_normalisation_is_the_cosine():
    kernel = (Linear() + 0.5).normalized()
    raw = X @ Y.T + 0.5
    norms = [np.sqrt(np.sum(Z**2, axis=1) + 0.5) for Z in (X, Y)]
    close(kernel(X, Y), raw / np.outer(*norms))
    assert (np.diag(kernel(X)) == 1).all() and np.abs(kernel(X)).max() <= 1 + 1e-12
    assert Linear().normalized()([[0.0, 0.0], [1.0, 0.0]]).tolist() == [
        [0, 0],
        [0, 1],
    ]  # what has no features is like nothing
    close(Linear().normalized()(X, Y), pairwise.cosine_similarity(X, Y))


@pytest.mark.notes("000-c", "kernel-distance")
def test_distance_is_that_of_features():
    def features(Z):
        return np.stack([Z[:, 0] ** 2, np.cos(Z[:, 1])], axis=1)

    kernel = Linear().of(features)
    want = np.linalg.norm(features(X)[:, None] - features(Y)[None], axis=2)
    np.testing.assert_allclose(kernel.distance(X, Y), want, atol=1e-7)
    np.testing.assert_allclose(RBF(0.7).distance(X, Y) ** 2, 2 - 2 * RBF(0.7)(X, Y), atol=1e-12)
    assert (np.diag(kernel.distance(X)) == 0).all() and (kernel.distance(X) == kernel.distance(X).T).all()
