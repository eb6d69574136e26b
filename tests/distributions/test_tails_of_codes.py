"""Tails of a categorical distribution, its outcomes in the order of their codes, against sums of its probabilities."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from novum.distributions import Categorical


def test_tails_are_sums_over_the_codes():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), size=3)
    distribution = Categorical(p)
    for x in (-1, -0.5, 0, 0.7, 1, 3, 3.999, 4, 9, np.inf, -np.inf):
        below = p[:, np.arange(5) <= x].sum(axis=1)
        assert_allclose(distribution.cdf(x), below, rtol=1e-14)
        assert_allclose(distribution.sf(x), p[:, np.arange(5) > x].sum(axis=1), rtol=1e-14)
        with np.errstate(divide="ignore"):
            assert_allclose(distribution.log_cdf(x), np.log(below), rtol=1e-12, atol=1e-14)
    assert distribution.cdf(np.arange(4)[:, None]).shape == (4, 3) and np.isnan(distribution.cdf(np.nan)).all()


def test_small_tails_keep_their_digits():
    tiny = [1e-20, 3e-18]
    distribution = Categorical([0.25, 0.75 - sum(tiny), *tiny])
    assert distribution.sf(1) == pytest.approx(sum(tiny), rel=1e-14) and distribution.sf(2) == pytest.approx(
        3e-18, rel=1e-14
    )
    assert (
        distribution.log_cdf(1) == pytest.approx(-sum(tiny), rel=1e-12)
        and distribution.cdf(3) == 1.0
        and distribution.sf(3) == 0.0
    )


def test_quantiles_turn_the_tails_around():
    distribution = Categorical([0.2, 0.0, 0.3, 0.5])
    assert_array_equal(distribution.quantile([0.0, 0.1, 0.2, 0.21, 0.5, 0.51, 1.0]), [0, 0, 0, 2, 2, 3, 3])
    assert_array_equal(distribution.isf([1.0, 0.9, 0.8, 0.5, 0.49, 0.0]), [0, 0, 0, 2, 3, 3])
    assert np.isnan(distribution.quantile([-0.1, 1.1, np.nan])).all()
    batch = Categorical([[0.2, 0.8], [0.9, 0.1]])
    assert_array_equal(batch.quantile(0.5), [1, 0])
