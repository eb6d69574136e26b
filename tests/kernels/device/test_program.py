"""Kernels of tensors against the compiled core: matrices, diagonals, sums over blocks of rows, and what has no form there."""

import numpy as np
import pytest

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

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.deep

RNG = np.random.default_rng(0)
X, Z = RNG.standard_normal((60, 3)) + 5.0, RNG.standard_normal((37, 3)) + 5.0
Z[:4] = X[:4]
KERNELS = {
    "constant": Constant(0.7),
    "white": White(0.3),
    "linear": 0.4 * Linear() + Constant(0.1),
    "rbf": 1.5 * RBF([0.7, 1.2, 2.0]) + White(0.05),
    "matern": Matern(0.8, nu=0.5) + Matern([1.0, 0.5, 2.0], nu=1.5) * Matern(1.2, nu=2.5),
    "rational": RationalQuadratic(1.2, 0.7) + White(0.1) * Constant(2.0),
    "laplacian": Laplacian([0.7, 1.5, 3.0]) + Laplacian(2.0),
    "periodic": Periodic(0.9, 2.3) * RBF(2.0),
    "power": (RBF(1.1) + Constant(0.2)) ** 1.5 + White(0.2) ** 2,
    "exponential": Exponential(0.1 * RBF(0.9)) * (Constant(0.5) ** 2).exp(),
    "polynomial": Polynomial(degree=3, coef0=0.5, gamma=0.1, coef0_bounds=(0.1, 9), gamma_bounds=(0.01, 9)),
    "sigmoid": Sigmoid(gamma=0.05, coef0=0.1, gamma_bounds=(0.01, 9)) + White(1.0),
    "mixed": White(0.4) + Constant(0.3),
}


def tensors(*arrays):
    return [torch.as_tensor(array) for array in arrays]


@pytest.mark.parametrize("name", KERNELS)
def test_values_are_those_of_the_core(name):
    from novum.kernels.device.program import device_kernel

    kernel = KERNELS[name]
    there = device_kernel(kernel, 3)
    x, z = tensors(X, Z)
    size = max(1.0, float(np.abs(kernel(X)).max()))
    np.testing.assert_allclose(there.gram(x).numpy(), kernel(X), rtol=1e-12, atol=1e-12 * size)
    np.testing.assert_allclose(there.between(x, z).numpy(), kernel(X, Z), rtol=1e-12, atol=1e-12 * size)
    np.testing.assert_allclose(there.diagonal(x).numpy(), kernel.diag(X), rtol=1e-12)
    one = there.between(x[:1], z[:1]).numpy()
    np.testing.assert_allclose(one, kernel(X[:1], Z[:1]), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e6])
def test_distances_hold_for_length_scales_far_below_the_spread(scale):
    from novum.kernels.device.program import device_kernel

    rows = np.repeat(X, 2, axis=0) + scale * RNG.standard_normal((120, 3))
    gap = np.linalg.norm((rows[:, None] - rows) / scale, axis=2)
    for kernel, known in ((RBF(scale), np.exp(-(gap**2) / 2)), (Matern(scale, nu=0.5), np.exp(-gap))):
        found = device_kernel(kernel, 3).gram(torch.as_tensor(rows)).numpy()
        np.testing.assert_allclose(found, known, rtol=0, atol=1e-13)


def test_sums_over_blocks_of_rows(monkeypatch):
    from novum.kernels.device import program as device_program

    kernel = KERNELS["rbf"]
    x, z, v = tensors(X, Z, RNG.standard_normal((37, 2)))
    expected = kernel(X, Z) @ v.numpy()
    there = device_program.device_kernel(kernel, 3)
    monkeypatch.setattr(device_program, "VALUES", 37 * 5 * 7)
    parts = there.portions(60, 37)
    assert len(parts) == 9 and parts[-1] == slice(56, 60)
    np.testing.assert_allclose(there.times(x, z, v).numpy(), expected, rtol=1e-12)


def test_kernels_without_a_form():
    from novum.kernels.device.program import device_kernel

    assert device_kernel(Matern(nu=0.7), 3) is None
    assert device_kernel(QuadraticForm(np.eye(3)), 3) is None
    assert device_kernel(RBF() + Linear().of(lambda rows: np.log(rows)), 3) is None
    assert device_kernel(RBF().normalized(), 3) is None
