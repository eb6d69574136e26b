"""The Matern function against exact arithmetic, for every smoothness and distance; kernels whose parameters are no kernels."""

from math import factorial

import mpmath as mp
import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.kernels import Constant, Matern, White
from novum.kernels.matern_function import matern, matern_slope


def closed_form(a, p):
    """Return m_(p + 1/2)(a) by its polynomial."""
    a = mp.mpf(a)
    terms = (mp.mpf(factorial(p + i)) / (factorial(i) * factorial(p - i)) * (2 * a) ** (p - i) for i in range(p + 1))
    return mp.exp(-a) * mp.mpf(factorial(p)) / factorial(2 * p) * mp.fsum(terms)


def by_bessel(a, nu, shift=0):
    """Return m_nu(a), or with shift=1 its slope -a m_nu'(a), from the definition."""
    a, nu = mp.mpf(a), mp.mpf(nu)
    return mp.mpf(2) ** (1 - nu) / mp.gamma(nu) * a ** (nu + shift) * mp.besselk(nu - shift, a)


def test_half_integers_of_every_size():
    rng = np.random.default_rng(0)
    with mp.workdps(60):
        for p in [0, 1, 2, 5, 10, 28, 29, 30, 45, 60, 100, 170, 300]:
            for a in 10.0 ** rng.uniform(-12, 3.2, size=8):
                right = closed_form(a, p)
                found = float(matern(np.array(a), p + 0.5))
                assert abs(found - right) <= 2e-12 * abs(right) or (right < 1e-300 and found < 1e-290), (p, a)


def test_other_smoothness():
    rng = np.random.default_rng(1)
    with mp.workdps(50):
        for nu in [*10.0 ** rng.uniform(-2.5, 1.4, size=10), 1.0, 2.0, 7.0, 29.0]:
            for a in 10.0 ** rng.uniform(-11, 2.0, size=6):
                for shift, function in enumerate((matern, matern_slope)):
                    right = by_bessel(a, nu, shift)
                    assert abs(float(function(np.array(a), nu)) - right) <= 1e-11 * abs(right), (nu, a, shift)


def test_ends_of_the_range():
    values = Matern(nu=60)([[1e-6], [0.0], [1e200]], [[0.0]]).ravel()
    assert values.tolist() == [pytest.approx(1.0, abs=1e-12), 1.0, 0.0]
    assert Matern(nu=170)([[0.1]], [[0.0]])[0, 0] == pytest.approx(0.9949831, abs=1e-7)
    assert Matern(nu=0.01)([[1e-11]], [[0.0]])[0, 0] == pytest.approx(0.42189905, abs=1e-8)
    gap = 1 - Matern(nu=0.01)([[1e-200]], [[0.0]])[0, 0]
    assert gap == pytest.approx(1 - float(by_bessel(1e-200 * np.sqrt(0.02), 0.01)), rel=1e-9)
    assert Matern(nu=1e6)([[1.0]], [[0.0]])[0, 0] == pytest.approx(np.exp(-0.5), rel=1e-6)


@pytest.mark.parametrize("nu", [0.01, 0.3, 1.0, 1.7, 6.0, 40.0])
@pytest.mark.parametrize("length_scale", [1.3, [0.7, 2.0]])
def test_gradients(nu, length_scale):
    X = np.random.default_rng(2).normal(size=(6, 2))
    kernel = Matern(length_scale, nu=nu)
    K, gradient = kernel(X, eval_gradient=True)
    for j, theta in enumerate(kernel.theta):
        step = np.zeros_like(kernel.theta)
        step[j] = 1e-6
        numeric = (
            kernel.clone_with_theta(kernel.theta + step)(X) - kernel.clone_with_theta(kernel.theta - step)(X)
        ) / 2e-6
        np.testing.assert_allclose(gradient[:, :, j], numeric, atol=1e-8)
        assert np.isfinite(theta)
    np.testing.assert_array_equal(np.diag(K), 1)


@pytest.mark.parametrize(
    "kernel", [Constant(-1.0), White(-2.0), Constant(np.nan), White(np.inf)], ids=["-1", "-2", "nan", "inf"]
)
def test_a_negative_constant_is_no_kernel(kernel):
    for use in (lambda: kernel(np.ones((2, 1))), lambda: kernel.diag(np.ones((2, 1)))):
        with pytest.raises(ParameterError, match="must be a number of at least 0"):
            use()
