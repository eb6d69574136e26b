"""Contrasts, clusters and intervals of predictions against literal formulas, statsmodels and coverage."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression, LogisticRegression, PoissonRegressor


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 12, 90)
    X = rng.normal(size=(90, 3)) + 0.5 * rng.normal(size=(12, 3))[groups]
    y = X @ [1.0, 0.8, 0.0] + 2 + rng.normal(size=12)[groups] + rng.normal(size=90)
    return X, y, groups


def test_a_contrast_is_estimate_error_and_t(table):
    X, y, _ = table
    found = LinearRegression().fit(X, y).inference()
    test = found.hypothesis({"x0": 1, "x1": -1}, 0.1)
    R = np.array([0, 1.0, -1, 0])
    error = np.sqrt(R @ found.covariance @ R)
    t = (found.coef[1] - found.coef[2] - 0.1) / error
    assert test.statistic == pytest.approx(t**2)
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(t), 86))
    assert test.lower[0] == pytest.approx(found.coef[1] - found.coef[2] - stats.t.ppf(0.975, 86) * error)
    assert test.contrast == ["x0 - x1"]
    assert "F(1, 86)" in repr(test)
    same = found.hypothesis(R, 0.1)
    assert same.p_value == test.p_value


def test_all_slopes_at_once_are_the_f_test_of_the_table(table):
    X, y, _ = table
    found = LinearRegression().fit(X, y).inference()
    test = found.hypothesis(["x0", "x1", "x2"])
    assert (test.statistic, test.p_value) == pytest.approx((found.f_statistic, found.f_p_value))
    twice = found.hypothesis(["x0", "x1", {"x0": 1, "x1": 1}])  # the third says nothing new
    assert twice.df == (2, 86)
    assert twice.statistic == pytest.approx(found.hypothesis(["x0", "x1"]).statistic)


def test_tables_with_z_are_compared_with_chi_squared(table):
    X, y, _ = table
    model = LogisticRegression(C=np.inf).fit(X, y > 2)
    test = model.inference().hypothesis(["x0", "x1"])
    b, V = model.inference().coef[1:3], model.inference().covariance[1:3, 1:3]
    assert test.statistic == pytest.approx(b @ np.linalg.solve(V, b))
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, 2))
    counts = np.random.default_rng(0).poisson(np.exp(0.3 * X[:, 0]))
    assert PoissonRegressor(alpha=0).fit(X, counts).inference(X, counts).hypothesis("x2").df == (1,)


def test_clusters_are_summed_before_they_are_squared(table):
    X, y, groups = table
    model = LinearRegression().fit(X, y)
    found = model.inference(X, y, covariance="CR1", groups=groups)
    Z = np.column_stack([np.ones(90), X])
    r = y - model.predict(X)
    totals = np.array([(Z * r[:, None])[groups == g].sum(axis=0) for g in np.unique(groups)])
    G, B = len(totals), np.linalg.inv(Z.T @ Z)
    V = G / (G - 1) * 89 / 86 * B @ totals.T @ totals @ B
    assert_allclose(found.covariance, V, rtol=1e-10)
    assert_allclose(found.p_value, 2 * stats.t.sf(np.abs(found.statistic), G - 1))
    alone = model.inference(X, y, covariance="CR1", groups=np.arange(90))
    assert_allclose(alone.standard_error, model.inference(X, y, covariance="HC1").standard_error, rtol=1e-9)
    with pytest.raises(ParameterError, match="go together"):
        model.inference(X, y, covariance="cluster")
    with pytest.raises(ParameterError, match="a cluster for each of 90 rows"):
        model.inference(X, y, covariance="cluster", groups=groups[:5])
    with pytest.raises(DataError, match="one cluster only"):
        model.inference(X, y, covariance="cluster", groups=np.zeros(90))


@pytest.mark.peer
def test_clusters_equal_statsmodels(table):
    sm = pytest.importorskip("statsmodels.api")
    X, y, groups = table
    ours = LinearRegression().fit(X, y).inference(X, y, covariance="CR1", groups=groups)
    other = sm.OLS(y, sm.add_constant(X)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    assert_allclose(ours.standard_error, other.bse, rtol=1e-9)
    assert_allclose(ours.p_value, other.pvalues, rtol=1e-8)
    contrast = other.t_test([0, 1, -1, 0])
    assert ours.hypothesis({"x0": 1, "x1": -1}).p_value == pytest.approx(float(contrast.pvalue), rel=1e-8)
    new = np.random.default_rng(1).normal(size=(7, 3))
    frame = sm.OLS(y, sm.add_constant(X)).fit().get_prediction(sm.add_constant(new)).summary_frame(alpha=0.1)
    model = LinearRegression().fit(X, y)
    assert_allclose(model.predict(new, interval="confidence", level=0.9).lower, frame["mean_ci_lower"], rtol=1e-10)
    assert_allclose(model.predict(new, interval="prediction", level=0.9).upper, frame["obs_ci_upper"], rtol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
def test_intervals_follow_their_formula(table, intercept):
    X, y, _ = table
    model = LinearRegression(fit_intercept=intercept).fit(X, y)
    Z = np.column_stack([np.ones(90), X]) if intercept else X
    new = X[:5] + 1
    z = np.column_stack([np.ones(5), new]) if intercept else new
    h = np.einsum("ij,jk,ik->i", z, np.linalg.inv(Z.T @ Z), z)
    freedom = 90 - Z.shape[1]
    s2 = ((y - model.predict(X)) ** 2).sum() / freedom
    for kind, extra in (("confidence", 0), ("prediction", 1)):
        found = model.predict(new, interval=kind, level=0.8)
        half = stats.t.ppf(0.9, freedom) * np.sqrt(s2 * (h + extra))
        assert_allclose(found.upper - found.value, half, rtol=1e-9)
        assert_allclose(found.value - found.lower, half, rtol=1e-9)


@pytest.mark.parametrize(("n", "p", "level"), [(5, 1, 0.5), (12, 3, 0.95), (40, 10, 0.99)])
def test_intervals_cover(n, p, level):
    rng = np.random.default_rng(n)
    mean = new = 0
    for _ in range(1500):
        X = rng.normal(size=(n, p))
        y = X.sum(axis=1) + 3 * rng.normal(size=n)
        x = rng.normal(size=(1, p))
        model = LinearRegression().fit(X, y)
        low, high = model.predict(x, interval="confidence", level=level)[1:]
        mean += low[0] <= x.sum() <= high[0]
        low, high = model.predict(x, interval="prediction", level=level)[1:]
        new += low[0] <= x.sum() + 3 * rng.normal() <= high[0]
    slack = 4 * np.sqrt(level * (1 - level) / 1500)
    assert abs(mean / 1500 - level) < slack
    assert abs(new / 1500 - level) < slack


def test_bad_questions_are_named(table):
    X, y, _ = table
    found = LinearRegression().fit(X, y).inference()
    for wrong, words in [
        ({"z": 1}, "no coefficient 'z'"),
        ([1.0, 2.0], "needs 4 weights"),
        ({"x0": 0}, "not all zero"),
        ([], "at least one"),
    ]:
        with pytest.raises(ParameterError, match=words):
            found.hypothesis(wrong)
    model = LinearRegression().fit(X, y)
    with pytest.raises(ParameterError, match="interval='mean'"):
        model.predict(X, interval="mean")
    with pytest.raises(DataError, match="one target"):
        LinearRegression().fit(X, np.c_[y, y]).predict(X, interval="confidence")
    with pytest.raises(DataError, match="no degrees of freedom"):
        LinearRegression().fit(X[:4], y[:4]).predict(X, interval="confidence")
