"""AdaBoost.R2 against a literal transcription of its formulas."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostRegressor as Peer

from novum.ensemble import AdaBoostRegressor
from novum.ensemble.adaboost.regressor import losses, weighted_median
from novum.linear_model import LinearRegression
from novum.tree import DecisionTreeRegressor


def test_losses_and_median_literally():
    residual, present = np.array([0.0, 1.0, 2.0, 8.0]), np.array([True, True, True, False])
    assert_allclose(losses(residual, present, "linear")[:3], [0, 0.5, 1])
    assert_allclose(losses(residual, present, "square")[:3], [0, 0.25, 1])
    assert_allclose(losses(residual, present, "exponential")[:3], 1 - np.exp([0, -0.5, -1]))
    assert_allclose(losses(np.zeros(3), np.ones(3, bool), "linear"), 0)
    votes = np.array([1.0, 2.0, 4.0])
    assert_allclose(weighted_median(np.array([[5.0, 1.0, 3.0], [1.0, 9.0, 2.0]]), votes), [3.0, 2.0])


@pytest.mark.notes("000-c", "boosting")
@pytest.mark.notes("003", "boosting")
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_rounds_follow_the_formulas(loss):
    X, y = load_diabetes(return_X_y=True)
    model = AdaBoostRegressor(n_estimators=6, loss=loss, learning_rate=0.8, random_state=0).fit(X, y)
    weight = np.full(len(y), 1 / len(y))
    for member, error, vote in zip(model.estimators_, model.estimator_errors_, model.estimator_weights_):
        share = losses(np.abs(member.predict(X) - y), weight > 0, loss)
        assert error == pytest.approx(weight @ share, rel=1e-10)
        beta = error / (1 - error)
        assert vote == pytest.approx(-0.8 * np.log(beta), rel=1e-10)
        weight = weight * beta ** (0.8 * (1 - share))
        weight /= weight.sum()
    staged = list(model.staged_predict(X))
    assert len(staged) == len(model) and (staged[-1] == model.predict(X)).all()
    assert (staged[0] == model.estimators_[0].predict(X)).all()


def test_as_good_as_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    train, test = slice(0, 300), slice(300, None)
    ours, theirs = [], []
    for seed in range(5):
        ours.append(
            AdaBoostRegressor(n_estimators=30, random_state=seed).fit(X[train], y[train]).score(X[test], y[test])
        )
        theirs.append(Peer(n_estimators=30, random_state=seed).fit(X[train], y[train]).score(X[test], y[test]))
    assert np.mean(ours) == pytest.approx(np.mean(theirs), abs=3 * np.hypot(np.std(ours), np.std(theirs)) / np.sqrt(5))


def test_same_seed_same_model_and_other_learners():
    X, y = load_diabetes(return_X_y=True)
    first, again = (AdaBoostRegressor(n_estimators=5, random_state=3).fit(X, y).predict(X) for _ in range(2))
    assert (first == again).all()
    linear = AdaBoostRegressor(LinearRegression(), n_estimators=5, random_state=0).fit(X, y)
    assert linear.score(X, y) > 0.4
    perfect = AdaBoostRegressor(DecisionTreeRegressor(), random_state=0).fit(np.zeros((5, 1)), np.ones(5))
    assert len(perfect) == 1 and perfect.estimator_errors_[0] == 0
