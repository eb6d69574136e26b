"""Joint tests whatever the units of columns, against high precision; likelihood ratios against a model inside the fitted one."""

from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from novum.exceptions import DataError, ParameterError
from novum.linear_model import GammaRegressor, LinearRegression, LogisticRegression, PoissonRegressor, TweedieRegressor
from novum.linear_model.generalized.inference import null_mean
from novum.linear_model.newton.losses.tweedie import Tweedie

UNITS = [(1.0, 1.0, 1.0), (0.01, 1e4, 1.0), (1e-9, 1e9, 1.0), (1e8, 1e-3, 1e5)]


def precise_f(X, y, tested):
    """Return F of the hypothesis that some slopes are zero, from two fits in 60 digits."""
    with mp.workdps(60):
        Z = mp.matrix(np.column_stack([np.ones(len(X)), X]).tolist())
        b = mp.matrix(y.tolist())

        def rss(columns):
            A = mp.matrix([[Z[i, j] for j in columns] for i in range(Z.rows)])
            coef = mp.lu_solve(A.T * A, A.T * b)
            rest = b - A * coef
            return (rest.T * rest)[0]

        whole = range(Z.cols)
        left = [j for j in whole if j - 1 not in tested]
        free, bound = rss(list(whole)), rss(left)
        return float((bound - free) / len(tested) / (free / (Z.rows - Z.cols)))


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("near", [1.0, 1e-3, 1e-6])
def test_least_squares_keeps_every_hypothesis(units, near):
    rng = np.random.default_rng(int(1 / near) % 97)
    X = rng.normal(size=(40, 3))
    X[:, 1] = X[:, 0] + near * X[:, 1]  # nearly the same column: the direction that is known well must stay in the test
    y = 0.5 * X[:, 0] + 0.3 * X[:, 2] + rng.normal(size=40)
    X = X * units
    found = LinearRegression().fit(X, y).inference()
    for tested in ([0, 1], [0, 2], [0, 1, 2]):
        test = found.hypothesis([f"x{j}" for j in tested])
        assert test.df == (len(tested), 36)
        assert test.statistic == pytest.approx(precise_f(X, y, tested), rel=1e-8)
    robust = LinearRegression().fit(X, y).inference(X, y, covariance="HC1")
    plain = LinearRegression().fit(X / units, y).inference(X / units, y, covariance="HC1")
    assert robust.hypothesis(["x0", "x2"]).statistic == pytest.approx(
        plain.hypothesis(["x0", "x2"]).statistic, rel=max(1e-6, 1e-10 / near)
    )
    assert robust.f_statistic == pytest.approx(plain.f_statistic, rel=max(1e-5, 1e-10 / near))


@pytest.mark.parametrize("units", UNITS[:2])
@pytest.mark.parametrize("kind", ["logistic", "classes", "poisson"])
def test_likelihoods_keep_every_hypothesis(kind, units):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 3))
    eta = 0.8 * X[:, 0] - 0.5 * X[:, 1]

    def statistics(rows):
        if kind == "poisson":
            y = np.random.default_rng(5).poisson(np.exp(eta))
            return PoissonRegressor(alpha=0).fit(rows, y).inference(rows, y)
        y = (eta + np.random.default_rng(5).logistic(size=200) > 0).astype(int)
        if kind == "classes":
            y = y + (X[:, 2] + np.random.default_rng(6).normal(size=200) > 1)
        return LogisticRegression(C=np.inf, tol=1e-12).fit(rows, y).inference()

    plain, scaled = statistics(X), statistics(X * units)
    names = [name for name in plain.names if name.endswith(("x0", "x1"))]
    a, b = plain.hypothesis(names), scaled.hypothesis(names)
    place = [plain.names.index(name) for name in names]
    V = plain.covariance[np.ix_(place, place)]
    assert a.statistic == pytest.approx(plain.coef[place] @ np.linalg.solve(V, plain.coef[place]), rel=1e-9)
    assert a.df == b.df == (len(names),) and b.statistic == pytest.approx(a.statistic, rel=1e-5)


def test_repeated_and_contradicting_contrasts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * [1e-6, 1.0, 1e6]
    y = X @ [1e6, 1.0, 1e-6] + rng.normal(size=50)
    found = LinearRegression().fit(X, y).inference()
    twice = found.hypothesis(["x0", "x2", {"x0": 3e6, "x2": 1e-6}])
    assert twice.df == (2, 46) and twice.statistic == pytest.approx(found.hypothesis(["x0", "x2"]).statistic)
    assert "3 contrasts, of which the data tell 2 apart" in repr(twice)
    same = found.hypothesis([{"x0": 1.0}, {"x0": 2.0}], [0.5, 1.0])
    assert same.df == (1, 46) and same.p_value == pytest.approx(found.hypothesis("x0", 0.5).p_value)
    with pytest.raises(ParameterError, match="contradicts theirs"):
        found.hypothesis([{"x0": 1.0}, {"x0": 2.0}], [0.5, 0.9])
    doubled = np.column_stack([X, X[:, 0]])
    tied = LinearRegression().fit(doubled, y).inference()
    assert tied.hypothesis(["x0", "x3"]).statistic == pytest.approx(found.hypothesis("x0").statistic, rel=1e-8)
    assert tied.hypothesis(["x0", "x3"]).df == (1, 46)
    with pytest.raises(DataError, match="no variance"):
        LinearRegression().fit(np.column_stack([X, np.ones(50)]), y).inference().hypothesis("x3")


@pytest.mark.parametrize("seed", range(6))
def test_likelihood_ratios_are_never_negative(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)) + rng.normal(size=2)
    for model, y, deviance in (
        (PoissonRegressor(alpha=0, fit_intercept=False), rng.poisson(5.0, 80), None),
        (GammaRegressor(alpha=0, fit_intercept=False), rng.gamma(2.0, 3.0, 80), None),
        (TweedieRegressor(power=0, alpha=0, fit_intercept=False), rng.normal(size=80) + 7, None),
        (PoissonRegressor(alpha=0), rng.poisson(5.0, 80), "mean"),
    ):
        found = model.fit(X, y).inference(X, y)
        assert found.likelihood_ratio >= -1e-9 and 0 <= found.likelihood_ratio_p_value <= 1
        at = np.full(80, y.mean() if deviance else 0.0 if model._family().link == "identity" else 1.0)
        assert found.null_deviance == pytest.approx(model._family().deviance(y.astype(float), at).sum(), rel=1e-12)
    assert (
        np.isnan(null_mean(Tweedie(1.0, "identity"), 3.0, False))
        and null_mean(Tweedie(1.0, "identity"), 3.0, True) == 3
    )
    untold = replace(found, null_deviance=np.nan, likelihood_ratio=np.nan)
    assert "do not exist: without an intercept" in repr(untold)


def test_p_values_without_an_intercept_are_uniform_under_the_null():
    rng, p = np.random.default_rng(1), []
    for _ in range(300):
        X = rng.normal(size=(60, 2)) + 1
        y = rng.poisson(np.ones(60))
        p.append(PoissonRegressor(alpha=0, fit_intercept=False).fit(X, y).inference(X, y).likelihood_ratio_p_value)
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert_allclose(np.mean(np.array(p) < 0.05), 0.05, atol=0.04)
