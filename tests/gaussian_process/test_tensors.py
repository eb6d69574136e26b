"""Processes of PyTorch tensors against the compiled kernels."""

import numpy as np
import pytest

from novum.gaussian_process import GaussianProcessRegressor
from novum.gaussian_process import evidence as arrays_evidence
from novum.kernels import (
    RBF,
    Constant,
    Exponential,
    Laplacian,
    Linear,
    Matern,
    Periodic,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
    White,
)

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.deep

RNG = np.random.default_rng(0)
X = RNG.standard_normal((130, 3)) + 2.0
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1]]) + 0.1 * RNG.standard_normal((130, 2))
KERNELS = [
    1.5 * RBF([0.7, 1.2, 2.0]) + White(0.05),
    RBF(0.8) * Matern([1.0, 0.5, 2.0], nu=2.5) + 0.3 * Linear() + White(0.1) * Constant(2.0),
    Matern(1.1, nu=1.5) + Matern(0.9, nu=0.5) * RationalQuadratic(1.2, 0.7) + Constant(0.5) + White(0.2),
    RBF(1.0, length_scale_bounds="fixed") + White(0.3) + Constant(0.3) * Constant(2.0),
    0.5 * Laplacian([0.8, 2.0, 1.0]) + Laplacian(1.5) * Periodic(1.1, 4.0) + White(0.1),
    (RBF(1.2) + Constant(0.1)) ** 1.5 + Exponential(0.3 * Matern(1.0)) + (White(0.3) + RBF(1.0)) ** 2,
    Polynomial(degree=2, coef0=0.5, gamma=0.1, coef0_bounds=(0.1, 9), gamma_bounds=(0.01, 9)) + White(0.2),
    Sigmoid(RBF(1.0), gamma=0.8, gamma_bounds=(0.1, 9)) + White(0.5) * White(0.9) + Exponential(White(0.2)),
    White(0.4) + Constant(0.3),
    White(0.4) * Constant(0.3),
]
NAMES = ["rbf", "product", "mixed", "fixed", "roots", "powers", "polynomial", "sigmoid", "flat", "diagonal"]


@pytest.mark.parametrize("kernel", KERNELS, ids=NAMES)
@pytest.mark.parametrize("noise", [0.01, "each"])
def test_evidence_and_gradient_are_those_of_the_compiled_kernels(kernel, noise):
    from novum.gaussian_process.tensors import TensorProcess

    alpha = 0.01 if noise != "each" else np.linspace(0.01, 0.2, 130)
    process = TensorProcess(torch.as_tensor(X), torch.as_tensor(Y), alpha)
    value, gradient = process.objective(kernel)(kernel.theta, True)
    expected = arrays_evidence.log_evidence(kernel, X, Y, alpha)
    assert value == pytest.approx(expected.value, rel=1e-11)
    np.testing.assert_allclose(gradient, expected.gradient, rtol=1e-8, atol=1e-8)


def test_the_inverse_is_made_of_blocks(monkeypatch):
    from novum.gaussian_process import tensors

    monkeypatch.setattr(tensors, "BLOCK", 16)
    for n in (1, 16, 17, 130):
        C = X[:n] @ X[:n].T + 5 * np.eye(n)
        found = tensors.inverse_of(torch.linalg.cholesky(torch.as_tensor(C)))
        np.testing.assert_allclose(found.numpy(), np.linalg.inv(C), atol=1e-11)


def test_fits_and_predictions_of_tensors_are_those_of_arrays():
    kernel = 1.0 * RBF([1.0, 1.0, 1.0]) + White(0.1)
    there = GaussianProcessRegressor(kernel).fit(torch.as_tensor(X), torch.as_tensor(Y[:, 0]))
    here = GaussianProcessRegressor(kernel).fit(X, Y[:, 0])
    assert there.log_marginal_likelihood_value_ == pytest.approx(here.log_marginal_likelihood_value_, abs=1e-6)
    mean, std = there.predict(torch.as_tensor(X[:5]), return_std=True)
    assert torch.is_tensor(mean) and torch.is_tensor(std)
    np.testing.assert_allclose(mean.numpy(), here.predict(X[:5]), atol=1e-4)
    other = GaussianProcessRegressor(Laplacian(1.0) + White(0.1), optimizer=None).fit(
        torch.as_tensor(X), torch.as_tensor(Y)
    )
    assert other.predict(torch.as_tensor(X[:5])).shape == (5, 2)


def test_singular_covariances_get_a_jitter():
    rows = torch.as_tensor(np.repeat(X[:20], 5, axis=0))
    model = GaussianProcessRegressor(RBF(1.0), alpha=0.0, optimizer=None).fit(rows, rows[:, 0])
    assert 0 < model.jitter_ < 1e-6 and np.isfinite(model.log_marginal_likelihood_value_)
