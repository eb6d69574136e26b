"""Columns that depend on each other: coordinate descent alone takes hundreds of epochs, Newton steps over the support end it."""

import numpy as np
import pytest

from novum.linear_model import ElasticNet, Lasso


def dependent(seed):
    """Return fifteen rows of thirty columns, whose lasso at a small penalty fits every row."""
    rng = np.random.default_rng(seed)
    return rng.uniform(size=(15, 30)), rng.integers(0, 3, size=15).astype(float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.7])
def test_the_conditions_of_a_minimum_hold(seed, positive, l1_ratio):
    X, y = dependent(seed)
    alpha = 1e-4
    model = ElasticNet(alpha, l1_ratio=l1_ratio, positive=positive, tol=1e-12, precompute=True).fit(X, y)
    assert model.n_iter_ < 300
    w, A = model.coef_, X - X.mean(axis=0)
    slope = A.T @ (y - y.mean() - A @ w) / len(y) - alpha * (1 - l1_ratio) * w
    at = w != 0
    np.testing.assert_allclose(slope[at], alpha * l1_ratio * np.sign(w[at]), rtol=0, atol=1e-9)
    assert (slope[~at] if positive else np.abs(slope[~at])).max(initial=-1.0) <= alpha * l1_ratio * (1 + 1e-6)


def test_repeated_rows_and_weights_end_at_one_place():
    X, y = dependent(1)
    times = np.arange(15) % 5
    weighted = Lasso(1e-4, tol=1e-10).fit(X, y, sample_weight=times)
    repeated = Lasso(1e-4, tol=1e-10).fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=0, atol=1e-8)
