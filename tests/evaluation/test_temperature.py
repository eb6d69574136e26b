"""Probabilities at a temperature: found out of folds, given, or put around a classifier that is fitted already."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import novum
from novum.evaluation import TemperatureScaledClassifier, at_temperature, best_temperature
from novum.exceptions import DataError, ParameterError
from novum.naive_bayes import GaussianNB
from novum.svm import LinearSVC


def copies(n=600, seed=0):
    """Return rows in which one column stands six times, so that naive Bayes is too sure, and three classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return np.repeat((y + rng.normal(size=n))[:, None], 6, axis=1) + 0.01 * rng.normal(size=(n, 6)), y


def test_at_a_temperature_logits_are_divided_by_it():
    raw = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_allclose(at_temperature(softmax(raw, axis=1), 1.7), softmax(raw / 1.7, axis=1), rtol=1e-12)
    proba = softmax(raw, axis=1)
    assert at_temperature(proba, 1.0) is proba


def test_it_is_the_minimum_of_the_log_loss_out_of_folds():
    X, y = copies()
    model = TemperatureScaledClassifier(GaussianNB(), cv=4).fit(X, y)
    proba = cross_val_predict(GaussianNB(), X, y, cv=StratifiedKFold(4), method="predict_proba")
    grid = np.exp(np.linspace(-1.5, 1.5, 601))
    losses = [log_loss(y, at_temperature(np.clip(proba, 1e-9, None), t)) for t in grid]
    assert model.temperature_ == pytest.approx(grid[np.argmin(losses)], rel=0.01)
    assert model.temperature_ == best_temperature(proba, y) > 1.5
    inner = GaussianNB().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), inner.predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), at_temperature(inner.predict_proba(X), model.temperature_))


def test_a_given_temperature_and_a_fitted_classifier(tmp_path):
    X, y = copies(90)
    inner = GaussianNB().fit(X, y)
    made = TemperatureScaledClassifier.from_fitted(inner, 2.5)
    again = clone(made).fit(X, y)
    np.testing.assert_array_equal(made.predict_proba(X), at_temperature(inner.predict_proba(X), 2.5))
    np.testing.assert_array_equal(again.predict_proba(X), made.predict_proba(X))
    novum.save(made, tmp_path / "model.novum")
    loaded = novum.load(tmp_path / "model.novum")
    np.testing.assert_array_equal(loaded.predict_proba(X), made.predict_proba(X))


def test_weights_count_rows_and_zero_leaves_them_out():
    X, y = copies(300)
    weight = np.random.default_rng(1).integers(0, 3, 300).astype(float)
    there = weight > 0
    all_rows = TemperatureScaledClassifier(GaussianNB()).fit(X, y, weight)
    some = TemperatureScaledClassifier(GaussianNB()).fit(X[there], y[there], weight[there])
    assert all_rows.temperature_ == some.temperature_


def test_what_cannot_be_scaled_is_refused():
    X, y = copies(60)
    with pytest.raises(ParameterError, match="gives no probabilities"):
        TemperatureScaledClassifier(LinearSVC()).fit(X, y)
    y[:] = 0
    y[0] = 1
    with pytest.raises(DataError, match="has 1 row"):
        TemperatureScaledClassifier(GaussianNB()).fit(X, y)
    assert TemperatureScaledClassifier(GaussianNB(), temperature=2.0).fit(X, y).temperature_ == 2.0
