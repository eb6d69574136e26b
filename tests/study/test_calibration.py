"""Probabilities of the kept model: a temperature, where the folds say that it helps."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

import novum
from novum.evaluation import TemperatureScaledClassifier, at_temperature, best_temperature
from novum.study import Study, predict_table
from novum.study.comparison.blend import Blend
from novum.study.comparison.calibration import helpful_temperature, tempered


def draws(n, sharpness, seed=0, classes=3):
    """Return probabilities that are too sure of themselves by a factor, and classes drawn from the right ones."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(n, classes))
    right = softmax(raw, axis=1)
    truth = (right.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return softmax(sharpness * raw, axis=1), truth


def test_the_temperature_of_a_sharpened_model_is_its_sharpness():
    proba, truth = draws(20_000, 2.5)
    assert best_temperature(proba, truth, None) == pytest.approx(2.5, rel=0.06)
    np.testing.assert_allclose(at_temperature(proba, 2.5), draws(20_000, 1.0)[0], atol=1e-6)
    np.testing.assert_array_equal(at_temperature(proba, 2.5).argmax(axis=1), proba.argmax(axis=1))
    twice = np.r_[truth, truth], np.ones(40_000)
    assert best_temperature(np.r_[proba, proba], *twice) == pytest.approx(
        best_temperature(proba, truth, None), rel=0.05
    )


def test_it_is_taken_only_where_it_helps_out_of_the_fold():
    def folds_of(sharpness, n):
        return [(*draws(n, sharpness, seed), None) for seed in range(5)]

    assert helpful_temperature(folds_of(3.0, 400), 0.25) == pytest.approx(3.0, rel=0.15)
    assert helpful_temperature(folds_of(1.0, 400), 0.25) == 1.0  # it is right as it is
    assert helpful_temperature(folds_of(1.1, 30), 0.25) == 1.0  # too few rows to say so
    assert helpful_temperature(folds_of(3.0, 400)[:1], 0.25) == 1.0


def copies(n=240):
    """Return a table on which naive Bayes is far too sure: one column six times."""
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, n)
    x = y + 1.2 * rng.normal(size=n)
    columns = {f"x{i}": x + 0.05 * rng.normal(size=n) for i in range(6)}
    return pd.DataFrame({**columns, "y": np.where(y == 1, "yes", "no")})


def test_a_kept_model_is_calibrated_saved_and_explained(tmp_path):
    options = {"folds": 4, "repeats": 1, "n_jobs": 1, "tune": False, "ensemble": False}
    frame = copies()
    result = Study(frame, "y", models=["GaussianNB"], **options).run()
    assert isinstance(result.model[-1], TemperatureScaledClassifier) and result.model[-1].temperature > 1.5
    assert "its probabilities are calibrated (temperature" in result.reason
    plain = tempered(result.judged_model, 1.0)
    assert plain is result.judged_model
    result.write_report(tmp_path / "out")
    assert not result.unsaved
    loaded = novum.load(tmp_path / "out" / "model.novum")
    said = predict_table(loaded, frame, proba=True)
    assert list(said.values) == list(result.predict(frame)) and said.probabilities["yes"].max() < 0.999
    inner = result.judged_model[-1].estimator_
    held = result.hold_out
    loss = -np.log(held.proba[np.arange(len(held.y)), (held.y == "yes").astype(int)]).mean()
    raw = at_temperature(held.proba, 1 / result.judged_model[-1].temperature)
    assert loss < -np.log(raw[np.arange(len(held.y)), (held.y == "yes").astype(int)]).mean()
    assert list(inner.classes_) == list(result.judged_model[-1].classes_) and len(result.explanation.importances) == 6


def test_the_mean_of_several_is_calibrated_after_the_mean():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.array(["a", "b"] * 20)
    from novum.naive_bayes import GaussianNB

    parts = [GaussianNB().fit(X, y), GaussianNB(var_smoothing=0.5).fit(X, y)]
    blend = tempered(Blend(parts, [0.25, 0.75]), 2.0)
    mixed = 0.25 * parts[0].predict_proba(X) + 0.75 * parts[1].predict_proba(X)
    np.testing.assert_allclose(blend.predict_proba(X), at_temperature(mixed, 2.0))
    assert blend.temperature == 2.0 and Blend.temperature == 1.0
