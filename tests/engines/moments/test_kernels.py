"""The compiled kernels of the linear and Gaussian models against their slow references."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import moments as slow

from novum import _core

RNG = np.random.default_rng(0)
SHAPES = [(1, 1, 1), (5, 3, 2), (300, 8, 0), (300, 7, 1), (300, 8, 1), (257, 17, 3), (600, 100, 1), (40, 130, 1)]
REALS = [np.float32, np.float64]


@pytest.mark.parametrize("n, p, q", SHAPES)
@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("target", REALS)
@pytest.mark.parametrize("weighted", [False, True])
def test_design(n, p, q, real, target, weighted):
    X, y, shift = RNG.normal(size=(n, p)).astype(real), RNG.normal(size=(n, q)).astype(target), RNG.normal(size=p + q)
    weight = RNG.uniform(size=n) if weighted else None
    rows, gram = np.empty((n, p + q + 1)), np.empty((p + q + 1, p + q + 1))
    _core.moments.design.shifted_design(X, y, weight, shift, rows)
    _core.moments.design.shifted_gram(X, y, weight, shift, gram)
    expected = slow.shifted_design(X, y, weight, shift)
    assert_allclose(rows, expected, rtol=1e-14)
    assert_allclose(gram, expected.T @ expected, rtol=1e-12, atol=1e-12 * n)
    assert np.array_equal(gram, gram.T)
    coef, residual = RNG.normal(size=(q, p)), np.empty((n, q))
    _core.moments.design.residuals(X, y, shift, coef, residual)
    assert_allclose(residual, slow.residuals(X, y, shift, coef), rtol=1e-11, atol=1e-12)
    gradient = np.zeros((q, p))
    _core.moments.design.correlate(X, residual, shift, gradient)
    assert_allclose(gradient, residual.T @ (X - shift[:p]), rtol=1e-11, atol=1e-11 * np.sqrt(n))


@pytest.mark.parametrize("n, d, k", [(1, 1, 1), (50, 3, 2), (200, 16, 5), (90, 37, 9)])
@pytest.mark.parametrize("real", REALS)
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian(n, d, k, real, weighted):
    X, code, shift = RNG.normal(size=(n, d)).astype(real), RNG.integers(k, size=n), RNG.normal(size=(k, d))
    weight = RNG.uniform(size=n) if weighted else None
    mass, first, second = np.zeros(k), np.zeros((k, d)), np.zeros((k, d))
    _core.moments.diagonal.class_moments(X, code, weight, shift, mass, first, second)
    for ours, theirs in zip((mass, first, second), slow.class_moments(X.astype(float), code, weight, shift, k)):
        assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    mean, precision = RNG.normal(size=(k, d)).astype(real), RNG.uniform(0.1, 2, (k, d)).astype(real)
    constant, out = RNG.normal(size=k), np.empty((n, k), real)
    _core.moments.diagonal.diagonal_log_density(X, mean, precision, constant, out)
    expected = slow.diagonal_log_density(X.astype(float), mean.astype(float), precision.astype(float), constant)
    assert_allclose(
        out, expected, rtol=1e-5 if real == np.float32 else 1e-13, atol=1e-5 if real == np.float32 else 1e-12
    )


def test_kernels_check_shapes_and_codes():
    with pytest.raises(ValueError, match="a code outside the classes"):
        _core.moments.diagonal.class_moments(
            np.zeros((1, 1)), np.array([3]), None, np.zeros((2, 1)), np.zeros(2), np.zeros((2, 1)), np.zeros((2, 1))
        )
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.moments.design.shifted_gram(np.zeros((2, 2)), np.zeros((3, 1)), None, np.zeros(3), np.zeros((4, 4)))


@pytest.mark.levels
@pytest.mark.parametrize("width", ["16", "32"])
def test_narrower_vectors(width):
    """The kernels that block registers by hand, at the widths of older processors."""
    command = [sys.executable, "-m", "pytest", "-q", "-k", "test_design and float64", str(Path(__file__))]
    environment = {**os.environ, "NOVUM_SIMD_BYTES": width}
    assert subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0
