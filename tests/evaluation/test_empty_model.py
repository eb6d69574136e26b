"""Noise deserves no features: the empty model is on every path of a selection."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor

from novum.evaluation import backward_selection, forward_selection, model_criteria
from novum.linear_model import LinearRegression, LogisticRegression


@pytest.mark.parametrize("select", [forward_selection, backward_selection])
def test_noise_is_dropped(select):
    kept = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        path = select(LinearRegression(), rng.normal(size=(100, 3)), rng.normal(size=100))
        assert () in path.sets and len(path.sets) == 4
        kept += path.support.any()
    assert kept <= 6  # BIC keeps one of three noise columns in about a tenth of all samples


def test_the_empty_model_is_the_mean():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50) + 3
    path = forward_selection(LinearRegression(), X, y)
    constant = model_criteria(LinearRegression().fit(X[:, :1] * 0, y), X[:, :1] * 0, y)
    assert -path.scores[0] == pytest.approx(constant.bic, rel=1e-9)
    through_zero = forward_selection(LinearRegression(fit_intercept=False), X, y, scoring="aic")
    n = len(y)
    log_likelihood = -0.5 * n * (np.log(2 * np.pi * (y @ y) / n) + 1)
    assert -through_zero.scores[0] == pytest.approx(2 - 2 * log_likelihood, rel=1e-12)  # the noise variance alone
    by_folds = forward_selection(LinearRegression(), X, y, scoring="neg_mean_squared_error")
    from sklearn.model_selection import cross_val_score

    mean = cross_val_score(DummyRegressor(), X, y, scoring="neg_mean_squared_error", cv=5).mean()
    assert by_folds.scores[0] == pytest.approx(mean, rel=1e-12)


def test_classes():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    path = forward_selection(LogisticRegression(C=np.inf), X, y)
    assert -path.scores[0] == pytest.approx(2 * 90 * np.log(3) + 2 * np.log(90), rel=1e-12)
    assert not path.support.any() and "kept none" in repr(path)


@pytest.mark.notes("003", "aic")
@pytest.mark.notes("003", "bic")
def test_one_definition_of_the_criteria():
    rng = np.random.default_rng(2)
    X, t = rng.normal(size=(60, 3)), rng.normal(size=60)
    for intercept in (True, False):
        model = LinearRegression(fit_intercept=intercept).fit(X, t)
        ours, inferred = model_criteria(model, X, t), model.inference()
        assert (ours.aic, ours.bic) == pytest.approx((inferred.aic, inferred.bic), rel=1e-12)
    for k in (2, 3):
        y = rng.integers(k, size=60)
        logit = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
        ours, inferred = model_criteria(logit, X, y), logit.inference()
        assert (ours.aic, ours.bic) == pytest.approx((inferred.aic, inferred.bic), rel=1e-10)
