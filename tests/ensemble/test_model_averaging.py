"""Bayesian model averaging against literal sums and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from novum.ensemble import BayesianModelAveraging
from novum.exceptions import DataError, ParameterError
from novum.linear_model import BayesianLinearRegression, LinearRegression, LogisticRegression, compare_evidence


def line(n=40, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(n, 1))
    return x, np.sin(3 * x[:, 0]) + 0.2 * rng.normal(size=n)


def polynomial(order, model):
    return make_pipeline(PolynomialFeatures(order, include_bias=False), model)


@pytest.mark.notes("002", "bayes-model-averaging")
def test_own_evidence_is_used_and_the_average_is_the_mixture():
    x, t = line()
    pairs = [(str(k), polynomial(k, BayesianLinearRegression(0.1, 25.0))) for k in (1, 3, 5)]
    model = BayesianModelAveraging(pairs).fit(x, t)
    peer = compare_evidence({name: pipe.fit(x, t) for name, pipe in pairs})
    assert_allclose(model.probability_, peer.probability, rtol=1e-12)
    for ours, theirs in zip(model.predict(x, return_std=True), peer.predict(x, return_std=True)):
        assert_allclose(ours, theirs, rtol=1e-9)
    assert model.best == peer.best and abs(model.probability_.sum() - 1) < 1e-12


@pytest.mark.notes("002", "model-combination-likelihood")
def test_the_evidence_of_the_whole_is_the_sum_over_models():
    x, t = line()
    pairs = [(str(k), polynomial(k, BayesianLinearRegression(0.1, 25.0))) for k in (1, 2)]
    model = BayesianModelAveraging(pairs, prior=[0.3, 0.7]).fit(x, t)
    each = model.log_evidence_each_
    assert_allclose(model.log_evidence_, np.logaddexp(np.log(0.3) + each[0], np.log(0.7) + each[1]), rtol=1e-12)


def test_schwarz_for_least_squares_is_bic():
    x, t = line(60)
    model = BayesianModelAveraging([("a", LinearRegression()), ("b", polynomial(3, LinearRegression()))]).fit(x, t)
    for k, (fitted, value) in enumerate(zip(model.estimators_, model.log_evidence_each_)):
        rss = ((t - fitted.predict(x)) ** 2).sum()
        size = (3, 5)[k]  # weights, intercept, variance
        assert_allclose(value, -30 * (np.log(2 * np.pi * rss / 60) + 1) - size / 2 * np.log(60), rtol=1e-12)


def test_classifiers_by_schwarz_and_by_folds():
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)[:, :6]
    pairs = [("linear", LogisticRegression()), ("one column", LogisticRegression(C=1e-4))]
    for evidence in ("bic", "cv"):
        model = BayesianModelAveraging(pairs, evidence=evidence).fit(X, y)
        assert model.best == "linear" and model.probability_[0] > 0.999
        each = np.stack([fitted.predict_proba(X) for fitted in model.estimators_])
        assert_allclose(model.predict_proba(X), np.einsum("k,knc->nc", model.probability_, each), rtol=1e-12)
        assert model.score(X, y) > 0.9
    with pytest.raises(ParameterError, match="cannot be counted"):
        BayesianModelAveraging([("nearest", KNeighborsClassifier())], evidence="bic").fit(X, y)


def test_a_prior_of_one_selects_and_refusals():
    x, t = line()
    pairs = [("a", LinearRegression()), ("b", polynomial(3, LinearRegression()))]
    assert_allclose(
        BayesianModelAveraging(pairs, prior=[1, 0]).fit(x, t).predict(x), LinearRegression().fit(x, t).predict(x)
    )
    with pytest.raises(ParameterError, match="add up to one"):
        BayesianModelAveraging(pairs, prior=[1, 1]).fit(x, t)
    with pytest.raises(ParameterError, match="all classifiers or all regressors"):
        BayesianModelAveraging([("a", LinearRegression()), ("b", LogisticRegression())]).fit(x, t)
    with pytest.raises(DataError, match="not a number"):
        BayesianModelAveraging(pairs, evidence=lambda model, X, y: np.nan).fit(x, t)


def test_members_are_reached_by_name():
    model = BayesianModelAveraging([("plain", LinearRegression()), ("ridge", BayesianLinearRegression(max_iter=50))])
    assert {"estimators", "plain", "ridge__max_iter", "plain__fit_intercept"} <= set(model.get_params())
    assert "plain" not in model.get_params(deep=False)
    model.set_params(ridge__max_iter=70, plain=LinearRegression(fit_intercept=False))
    assert model.estimators[1][1].max_iter == 70 and not model.estimators[0][1].fit_intercept
    assert clone(model).get_params()["ridge__max_iter"] == 70
    assert set(BayesianModelAveraging().get_params()) == {"estimators", "prior", "evidence", "cv"}
