"""The compiled log-densities against their definitions, at odd shapes, shared and paired."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference import distributions as slow

from novum import _core

RNG = np.random.default_rng(0)
POINTS = np.array([-1.0, 0.0, 0.3, 1.0, 2.0, 2.5, 3.0, 255.0, 256.0, 1e4, 1e8])
TABLES = {
    "gamma": lambda k: [RNG.normal(size=k), RNG.uniform(1, 2, k), RNG.normal(size=k), RNG.normal(size=k)],
    "beta": lambda k: [RNG.choice([-0.5, 0.0, 2.0], k), RNG.choice([-0.5, 0.0, 2.0], k), RNG.normal(size=k)],
    "bernoulli": lambda k: [RNG.normal(size=k), np.full(k, -np.inf)],
    "poisson": lambda k: [np.r_[np.full(1, -np.inf), RNG.normal(size=k - 1)], RNG.uniform(size=k)],
    "binomial": lambda k: [
        RNG.choice([2.0, 300.0, 1e5], k),
        np.full(k, -np.inf),
        RNG.normal(size=k),
        RNG.normal(size=k),
    ],
    "exponential": lambda k: [-RNG.uniform(size=k), RNG.normal(size=k)],
    "uniform": lambda k: [np.zeros(k), RNG.uniform(1, 3, k), RNG.normal(size=k)],
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("k", [1, 3])
def test_scalar_families(name, k):
    table = np.stack(TABLES[name](k))
    kernel, one = getattr(_core.distributions.density, name), getattr(slow, name)
    shared = np.empty((POINTS.size, k))
    kernel(POINTS, table, shared)
    expected = [[one(x, *table[:, j]) for j in range(k)] for x in POINTS]
    assert_allclose(shared, expected, rtol=1e-13)
    paired = np.repeat(POINTS[:, None], k, axis=1)
    out = np.empty_like(paired)
    kernel(paired, table, out)
    assert_allclose(out, expected, rtol=1e-13)
    lonely = np.empty(k)
    kernel(np.array(np.nan), table, lonely)
    assert np.isnan(lonely).all()
    with pytest.raises(ValueError, match="inconsistent shapes"):
        kernel(POINTS, table, np.empty(POINTS.size * k + 1))
    with pytest.raises(ValueError, match="number of constants"):
        kernel(POINTS, table[1:], shared)


@pytest.mark.parametrize("d, k, n", [(1, 1, 1), (3, 2, 5), (7, 1, 33), (16, 4, 16), (40, 3, 17)])
def test_squared_length(d, k, n):
    mean, factor = RNG.normal(size=(k, d)), np.tril(RNG.normal(size=(k, d, d))) * 0.1 + 2 * np.eye(d)
    x, out = RNG.normal(size=(n, d)), np.empty((n, k))
    _core.distributions.density.squared_length(x, mean, factor, out)
    expected = [[slow.squared_length(row, mean[j], factor[j]) for j in range(k)] for row in x]
    assert_allclose(out, expected, rtol=1e-13)
    paired = RNG.normal(size=(n, k, d))
    _core.distributions.density.squared_length(paired, mean, factor, out)
    expected = [[slow.squared_length(paired[i, j], mean[j], factor[j]) for j in range(k)] for i in range(n)]
    assert_allclose(out, expected, rtol=1e-13)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.distributions.density.squared_length(x, mean, factor, np.empty(n * k + 1))
