"""Lasso over dense and over sparse columns: the same steps, so the same coefficients to rounding, at any tolerance."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import make_regression

from novum.linear_model import ElasticNet, Lasso


def designs(n=150, p=1500, density=0.05, seed=0):
    rng = np.random.default_rng(seed)
    X = scipy.sparse.random(n, p, density, random_state=seed, format="csc")
    w = np.zeros(p)
    w[:20] = 5 * rng.normal(size=20)
    return X, X @ w + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("alpha", [1e-2, 1e-3])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("kind", [Lasso, ElasticNet])
def test_coefficients_agree_at_the_default_tolerance(alpha, intercept, kind):
    X, y = designs()
    dense = kind(alpha, fit_intercept=intercept).fit(X.toarray(), y)
    sparse = kind(alpha, fit_intercept=intercept).fit(X, y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
    assert sparse.n_iter_ == dense.n_iter_


@pytest.mark.parametrize("intercept", [True, False])
def test_coefficients_agree_where_as_many_columns_as_rows_are_chosen(intercept):
    """A loose gap leaves a wide choice of coefficients there: rounding must not be what chooses."""
    X, y = make_regression(n_samples=100, n_features=1500, random_state=0)
    X[X < 2.0] = 0
    models = [Lasso(0.1, fit_intercept=intercept).fit(kind(X), y) for kind in (np.ascontiguousarray, np.asfortranarray)]
    models.append(Lasso(0.1, fit_intercept=intercept).fit(scipy.sparse.csc_array(X), y))
    assert np.count_nonzero(models[0].coef_) > 80
    for model in models[1:]:
        np.testing.assert_allclose(model.coef_, models[0].coef_, atol=1e-6)
        assert model.n_iter_ == models[0].n_iter_


def test_a_constant_sparse_column_far_from_zero_takes_no_part():
    X, y = designs()
    X = scipy.sparse.hstack([X, np.full((X.shape[0], 1), 1e8) + 0.1]).tocsc()
    model = Lasso(1e-3).fit(X, y)
    assert model.coef_[-1] == 0
    np.testing.assert_allclose(model.coef_[:-1], Lasso(1e-3).fit(X[:, :-1], y).coef_, atol=1e-8)
