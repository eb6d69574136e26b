"""C_p, AIC, BIC, adjusted R^2, degrees of freedom and optimism against hand numbers, least squares' theory and simulation."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novum.evaluation import adjusted_r2, aic, bic, effective_degrees_of_freedom, mallows_cp, model_criteria, optimism
from novum.exceptions import DataError, ParameterError
from novum.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from novum.neighbors import KNeighborsRegressor

X, y = load_diabetes(return_X_y=True)
LINE = [[0.0], [1], [2], [3]], [1.0, 3, 4, 7]  # RSS .7, TSS 18.75


@pytest.mark.notes("003", "mallows-cp")
def test_cp():
    assert mallows_cp(0.7, 2, 0.35, 4) == pytest.approx(0.525, abs=1e-12)
    found = model_criteria(LinearRegression().fit(*LINE), *LINE)  # sigma^2 = .7/(4 - 2) = .35
    assert found.mallows_cp == pytest.approx(0.525, abs=1e-12)


@pytest.mark.notes("003", "aic")
def test_aic():
    assert aic(-2.1898155, 2) == pytest.approx(8.379631, abs=5e-7)
    assert aic(-2.1898155, 3) == pytest.approx(10.379631, abs=5e-7)
    found = model_criteria(LinearRegression().fit(*LINE), *LINE)
    assert found.log_likelihood == pytest.approx(-2.1898155, abs=5e-8) and found.aic == pytest.approx(
        10.379631, abs=5e-7
    )


@pytest.mark.notes("003", "bic")
def test_bic():
    assert bic(n_parameters=2, n_samples=4, rss=0.7, noise_variance=0.35) == pytest.approx(0.4176015, abs=5e-8)
    assert bic(n_parameters=2, n_samples=4, rss=0.7, noise_variance=0.35) < mallows_cp(
        0.7, 2, 0.35, 4
    )  # four rows: lighter than C_p
    assert bic(n_parameters=2, n_samples=8, rss=0.7, noise_variance=0.35) > mallows_cp(0.7, 2, 0.35, 8)
    assert bic(-2.1898155, 3, 4) == pytest.approx(2 * 2.1898155 + 3 * np.log(4), abs=1e-12)


@pytest.mark.notes("003", "adjusted-r2")
def test_adjusted_r2():
    assert adjusted_r2(0.7, 18.75, 4, 1) == pytest.approx(0.944, abs=1e-12)
    found = model_criteria(LinearRegression().fit(*LINE), *LINE)
    assert found.adjusted_r2 == pytest.approx(0.944, abs=1e-12)


@pytest.mark.peer
def test_criteria_are_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    theirs, ours = sm.OLS(y, sm.add_constant(X)).fit(), model_criteria(LinearRegression().fit(X, y), X, y)
    assert ours.log_likelihood == pytest.approx(theirs.llf, rel=1e-12)
    assert ours.adjusted_r2 == pytest.approx(theirs.rsquared_adj, rel=1e-10)
    assert ours.aic - 2 == pytest.approx(theirs.aic, rel=1e-12)  # statsmodels does not count the noise variance
    assert ours.bic - np.log(len(y)) == pytest.approx(theirs.bic, rel=1e-12)
    rows, labels = load_breast_cancer(return_X_y=True)
    rows = StandardScaler().fit_transform(rows)[:, :3]
    theirs = sm.Logit(labels, sm.add_constant(rows)).fit(disp=0)
    ours = model_criteria(LogisticRegression(C=np.inf, tol=1e-10).fit(rows, labels), rows, labels)
    assert (ours.aic, ours.bic) == pytest.approx((theirs.aic, theirs.bic), rel=1e-8)
    assert np.isnan(ours.mallows_cp)


def test_degrees_of_freedom_are_the_trace():
    Z = np.column_stack([np.ones(len(X)), X])
    penalty = np.diag([0.0] + [0.3] * X.shape[1])
    hat = Z @ np.linalg.solve(Z.T @ Z + penalty, Z.T)
    assert effective_degrees_of_freedom(Ridge(alpha=0.3), X) == pytest.approx(np.trace(hat), rel=1e-10)
    assert effective_degrees_of_freedom(LinearRegression(), X) == pytest.approx(11, rel=1e-10)
    assert effective_degrees_of_freedom(KNeighborsRegressor(4), X[:60]) == pytest.approx(15, rel=1e-9)  # n/k
    scaled = make_pipeline(StandardScaler(), Ridge(alpha=5.0))
    Zs = StandardScaler().fit_transform(X[:80])
    assert effective_degrees_of_freedom(scaled, X[:80]) == pytest.approx(
        effective_degrees_of_freedom(Ridge(alpha=5.0), Zs), rel=1e-8
    )
    values = [effective_degrees_of_freedom(Ridge(alpha=a), X) for a in (0.01, 0.1, 1, 10)]
    assert np.all(np.diff(values) < 0)
    found = model_criteria(Ridge(alpha=0.3).fit(X, y), X, y)
    assert found.n_parameters == pytest.approx(np.trace(hat), rel=1e-10)


def test_optimism_is_what_fresh_noise_costs():
    rng = np.random.default_rng(0)
    rows, f = rng.normal(size=(30, 4)), rng.normal(size=30)
    sigma2 = 0.5
    gaps = []
    for _ in range(2000):
        train, fresh = (f + np.sqrt(sigma2) * rng.normal(size=30) for _ in range(2))
        predicted = LinearRegression().fit(rows, train).predict(rows)
        gaps.append(((fresh - predicted) ** 2).mean() - ((train - predicted) ** 2).mean())
    wanted = 2 * sigma2 * 5 / 30
    assert optimism(LinearRegression(), rows, noise_variance=sigma2) == pytest.approx(wanted, rel=1e-12)
    assert np.mean(gaps) == pytest.approx(wanted, abs=4 * np.std(gaps) / np.sqrt(2000))
    simulated = optimism(LinearRegression(), rows, f, noise_variance=sigma2, n_draws=400)
    assert simulated == pytest.approx(wanted, rel=0.15)
    lasso = effective_degrees_of_freedom(Lasso(alpha=0.2), rows, f, noise_variance=sigma2, n_draws=50)
    assert 1 < lasso < 5


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: mallows_cp(-1, 2, 1, 4), "rss"),
        (lambda: mallows_cp(1, 2, 1, 0), "n_samples must be at least 1"),
        (lambda: adjusted_r2(1, 2, 3, 2), "more rows"),
        (lambda: adjusted_r2(1, 0, 9, 2), "tss"),
        (lambda: bic(-3, 2, 4, rss=1, noise_variance=1), "either"),
        (lambda: effective_degrees_of_freedom(Lasso(), X[:50]), "not linear in y"),
        (lambda: effective_degrees_of_freedom(Lasso(), X[:50], noise_variance=1), "pass y"),
        (
            lambda: model_criteria(LinearRegression().fit([[0.0], [1]], [0.0, 1]), [[0.0], [1]], np.array([0.0, 1])),
            "exactly",
        ),
    ],
)
def test_refusals(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()
