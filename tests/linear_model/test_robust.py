"""Huber's regression and quantiles against their optimality conditions, scikit-learn and linear programming."""

import numpy as np
import pytest
import scipy.sparse
import sklearn.linear_model as theirs
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import linprog

import novum
from novum.exceptions import ParameterError
from novum.linear_model import HuberRegressor, LinearRegression, QuantileRegressor


def table(n, p, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X @ rng.normal(size=p) + 2 + rng.standard_t(1.5, size=n), rng.integers(0, 3, n).astype(float)


def huber_loss(model, X, y, w):
    e, s, r = model.epsilon, model.scale_, y - X @ model.coef_ - model.intercept_
    z = np.abs(r / s)
    rows = np.where(z <= e, z**2, 2 * e * z - e**2)
    return float(w @ (s + s * rows)) + model.alpha * model.coef_ @ model.coef_


@pytest.mark.parametrize(("n", "p"), [(50, 3), (400, 5), (1500, 12)])
@pytest.mark.parametrize("alpha", [0.0, 1e-4, 1.0])
@pytest.mark.parametrize("epsilon", [1.1, 1.35, 3.0])
def test_huber_is_at_its_minimum(n, p, alpha, epsilon):
    X, y, w = table(n, p)
    ours = HuberRegressor(alpha=alpha, epsilon=epsilon).fit(X, y, w)
    other = theirs.HuberRegressor(alpha=alpha, epsilon=epsilon, max_iter=10_000, tol=1e-9).fit(X, y, w)
    best = huber_loss(ours, X, y, w)
    assert best <= huber_loss(other, X, y, w) * (1 + 1e-12)
    assert_allclose(ours.coef_, other.coef_, atol=2e-3)  # the other one stops early
    r, s, e = y - ours.predict(X), ours.scale_, epsilon
    pull = w * np.where(np.abs(r) <= e * s, 2 * r / s, 2 * e * np.sign(r))
    if s > 1e-6:  # else least absolute deviations, with a kink at the minimum
        assert np.abs(-X.T @ pull + 2 * alpha * ours.coef_).max() < 1e-5 * max(1, w.sum() / 100)
    assert_array_equal(ours.outliers_, np.abs(r) > e * s)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("epsilon", [1.0001, 1.01, 1.1])
def test_huber_where_the_scale_vanishes(intercept, epsilon):
    """With ten rows and a small epsilon the minimum lies at a kink, or at a scale of zero: least absolute deviations."""
    from sklearn.datasets import make_regression

    X, y = make_regression(n_samples=10, n_features=1, random_state=0, noise=1)
    ours = HuberRegressor(epsilon=epsilon, fit_intercept=intercept).fit(X, y)
    other = theirs.HuberRegressor(epsilon=epsilon, fit_intercept=intercept, max_iter=100_000, tol=1e-10).fit(X, y)
    w = np.ones(10)
    assert huber_loss(ours, X, y, w) <= huber_loss(other, X, y, w) * (1 + 1e-7)


def test_huber_without_outliers_is_least_squares():
    X, _, _ = table(200, 3)
    y = X @ [1.0, 2, 3] + np.random.default_rng(1).uniform(-1, 1, 200)
    assert_allclose(HuberRegressor(alpha=0, epsilon=50).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-8)


def test_huber_in_other_homes(tmp_path):
    X, y, w = table(300, 3)
    whole = HuberRegressor().fit(X, y)
    sparse = HuberRegressor().fit(scipy.sparse.csr_matrix(X), y)
    assert_allclose(sparse.coef_, whole.coef_, rtol=1e-8)
    import pandas as pd

    pd.DataFrame(X).assign(y=y).to_csv(tmp_path / "t.csv", index=False)
    scanned = HuberRegressor().fit(novum.scan(str(tmp_path / "t.csv"), target="y"))
    assert_allclose(scanned.coef_, whole.coef_, rtol=1e-6)
    assert not hasattr(scanned, "outliers_")
    assert HuberRegressor(warm_start=True).fit(X, y).fit(X, y).n_iter_ <= 1
    assert_allclose(novum.load(novum.save(whole, tmp_path / "h.novum")).predict(X), whole.predict(X), rtol=0)
    weighed = HuberRegressor().fit(X, y, w)
    k = w.astype(int)
    assert_allclose(weighed.coef_, HuberRegressor().fit(np.repeat(X, k, axis=0), np.repeat(y, k)).coef_, rtol=1e-7)


def programme(X, y, w, q, alpha, intercept):
    """The least of the objective as a linear programme, by SciPy."""
    n, p = X.shape
    Z = np.column_stack([X, np.ones(n)]) if intercept else X
    k = Z.shape[1]
    cost = np.concatenate(
        [np.full(p, alpha), np.zeros(k - p), np.full(p, alpha), np.zeros(k - p), w * q / w.sum(), w * (1 - q) / w.sum()]
    )
    A = np.column_stack([Z, -Z, np.eye(n), -np.eye(n)])
    return linprog(cost, A_eq=A, b_eq=y).fun


@pytest.mark.parametrize("q", [0.02, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.3])
@pytest.mark.parametrize("intercept", [True, False])
def test_quantiles_reach_the_optimum_of_the_programme(q, alpha, intercept):
    X, y, w = table(120, 4)
    model = QuantileRegressor(quantile=q, alpha=alpha, fit_intercept=intercept).fit(X, y, w)
    r = y - model.predict(X)
    found = float(w @ (r * (q - (r < 0)))) / w.sum() + alpha * np.abs(model.coef_).sum()
    assert found == pytest.approx(programme(X, y, w, q, alpha, intercept), rel=1e-9)
    met = (np.abs(r[w > 0]) < 1e-9 * np.abs(y).max()).sum() + (model.coef_ == 0).sum()
    assert met >= 4 + intercept  # a vertex: as many rows are met, or coefficients zero, as there are unknowns


def test_a_share_of_the_targets_lies_below():
    X, y, _ = table(3000, 6)
    for q in (0.1, 0.75):
        below = (y <= QuantileRegressor(quantile=q, alpha=0).fit(X, y).predict(X)).mean()
        assert abs(below - q) <= 7 / 3000


def test_penalties_make_coefficients_vanish():
    X, y, _ = table(300, 8)
    y = 3 * X[:, 0] + np.random.default_rng(0).normal(size=300)
    counts = [(QuantileRegressor(alpha=a).fit(X, y).coef_ != 0).sum() for a in (0.0, 0.1, 10.0)]
    assert counts[0] == 8
    assert counts[1] == 1
    assert counts[2] == 0
    middle = np.sort(y)[149:151]  # any number between the two is a median
    assert middle[0] - 1e-12 <= QuantileRegressor(alpha=10.0).fit(X, y).intercept_ <= middle[1] + 1e-12


def test_odd_tables_of_quantiles():
    X = np.ones((5, 1))
    model = QuantileRegressor(alpha=0, quantile=0.5).fit(X, [1, 2, 3, 4, 100])  # a constant column beside the intercept
    assert_allclose(model.predict(X), 3, atol=1e-8)
    same = QuantileRegressor(alpha=0).fit(np.arange(4.0)[:, None], np.full(4, 7.0))
    assert_allclose(same.predict([[9.0]]), 7, atol=1e-9)
    big = np.random.default_rng(0).normal(size=(60, 2)) * [1e-8, 1e8]
    scaled = QuantileRegressor(alpha=0, quantile=0.3).fit(big, big @ [1e8, 1e-8] + np.sin(np.arange(60)))
    assert_allclose(
        scaled.coef_ * [1e-8, 1e8],
        QuantileRegressor(alpha=0, quantile=0.3)
        .fit(big / [1e-8, 1e8], big @ [1e8, 1e-8] + np.sin(np.arange(60)))
        .coef_,
        rtol=1e-9,
    )
    with pytest.raises(ParameterError, match="quantile"):
        QuantileRegressor(quantile=1.0).fit(X, [1, 2, 3, 4, 5])
