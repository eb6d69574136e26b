"""The compiled pass against its transcription in NumPy, at odd shapes and far from zero."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.gaussians import statistics

from novum import _core


def example(rng, layout, n, d, k, dtype):
    X = rng.normal(size=(n, d)).astype(dtype)
    weight = rng.integers(0, 3, n).astype(float)
    weight[0] = 1
    shape = {0: (k, d, d), 1: (d, d), 2: (k, d)}[layout]
    factor = rng.uniform(0.3, 1, shape) if layout == 2 else np.triu(rng.normal(size=shape)) * 0.5
    return X, weight, rng.normal(size=(k, d)), factor, rng.normal(size=k), rng.normal(size=d)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", [0, 1, 2])
@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 2, 3), (300, 5, 4), (513, 8, 3), (530, 16, 5), (257, 33, 2)])
def test_pass_is_its_definition(layout, shape, dtype):
    n, d, k = shape
    X, weight, mean, factor, constant, center = example(np.random.default_rng(0), layout, n, d, k, dtype)
    mass, first = np.zeros(k), np.zeros((k, d))
    second = np.zeros({0: (k, d, d), 1: 0, 2: (k, d)}[layout])
    found = _core.gaussians.mixture.statistics(layout, X, weight, mean, factor, constant, center, mass, first, second)
    expected = statistics(layout, X.astype(float), weight, mean, factor, constant)
    assert_allclose(mass, expected[0], rtol=1e-12)
    assert_allclose(first, expected[1], rtol=1e-11, atol=1e-12)
    if layout != 1:
        assert_allclose(
            second, expected[2] if layout == 0 else np.einsum("kii->ki", expected[2]), rtol=1e-11, atol=1e-12
        )
    assert_allclose(found, expected[3:5], rtol=1e-13)

    joint, posterior = np.empty((n, k), dtype), np.empty((n, k), dtype)
    total, label = np.empty(n, dtype), np.empty(n, np.int64)
    _core.gaussians.mixture.evaluate(layout, X, mean, factor, constant, center, joint, posterior, total, label)
    tolerance = 1e-13 if dtype == np.float64 else 1e-6
    assert_allclose(posterior, expected[5], rtol=100 * tolerance, atol=tolerance)
    assert_allclose(joint, expected[6], rtol=10 * tolerance, atol=10 * tolerance)
    assert_allclose(total, expected[7], rtol=10 * tolerance, atol=10 * tolerance)
    assert (label == expected[6].argmax(axis=1)).all()


def test_exponential_and_logarithm_to_the_last_place():
    """One column, unit factor: l is what we like, so the responsibilities are exp and the totals log of known numbers."""
    gap = np.concatenate([np.linspace(0, 700, 50_001), np.geomspace(1e-12, 1, 1001)])
    X = np.sqrt(2 * gap)[:, None]
    total, posterior, joint = np.empty(len(X)), np.empty((len(X), 2)), np.empty((len(X), 2))
    arguments = (np.zeros((2, 1)), np.array([[0.0], [1.0]]), np.zeros(2), np.zeros(1))
    _core.gaussians.mixture.evaluate(2, X, *arguments, joint, posterior, total, None)
    assert_allclose(joint[:, 1], -gap, rtol=1e-15)
    e = np.exp(joint[:, 1].astype(np.longdouble))
    share = e / (1 + e)
    assert (np.abs(posterior[:, 1] - share) <= 2.5 * np.spacing(share.astype(float))).all()  # exp, sum, division
    assert (np.abs(total - np.log1p(e)) <= 2e-16).all()


def test_rows_without_weight_may_hold_anything():
    rng = np.random.default_rng(1)
    for layout in range(3):
        X, weight, mean, factor, constant, center = example(rng, layout, 100, 3, 2, np.float64)
        wild = np.where(weight[:, None] == 0, 1e150, X)
        results = []
        for rows in (X, wild):
            second = np.zeros({0: (2, 3, 3), 1: 0, 2: (2, 3)}[layout])
            sums = (np.zeros(2), np.zeros((2, 3)), second)
            score = _core.gaussians.mixture.statistics(layout, rows, weight, mean, factor, constant, center, *sums)
            results.append((*sums, score))
        for a, b in zip(*results):
            assert np.array_equal(a, b)


def test_no_rows_and_wrong_shapes():
    sums = (np.zeros(1), np.zeros((1, 2)), np.zeros((1, 2, 2)))
    density = (np.zeros((1, 2)), np.eye(2)[None], np.zeros(1), np.zeros(2))
    assert _core.gaussians.mixture.statistics(0, np.empty((0, 2)), None, *density, *sums) == (0.0, 0.0)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.gaussians.mixture.statistics(0, np.empty((3, 3)), None, *density, *sums)
    with pytest.raises(ValueError, match="one weight per row"):
        _core.gaussians.mixture.statistics(0, np.empty((3, 2)), np.ones(2), *density, *sums)
    with pytest.raises(ValueError, match="kind is"):
        _core.gaussians.mixture.statistics(3, np.empty((3, 2)), None, *density, *sums)
