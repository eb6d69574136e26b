"""Probabilities along curves, where the rows suffice and a temperature does not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.isotonic import IsotonicRegression

import novum
from novum.study import Study, predict_table
from novum.study.comparison.calibration import helpful_temperature
from novum.study.comparison.isotonic import IsotonicScaled, along_curves, fit_curves, helpful_curves
from novum.study.insight.readable import read_model


def bent(n, seed=0, classes=2):
    """Return probabilities that are bent, which no temperature straightens, and classes drawn from the right ones."""
    rng = np.random.default_rng(seed)
    right = rng.dirichlet(np.ones(classes), n)
    truth = (right.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    said = right.copy()
    said[:, 1] = 0.15 * right[:, 1] ** 3
    return said / said.sum(axis=1, keepdims=True), truth, right


def test_the_steps_are_those_of_isotonic_regression():
    proba, truth, _ = bent(800)
    weight = np.random.default_rng(1).uniform(0.5, 1.5, 800)
    weight *= 800 / weight.sum()
    (curve,) = fit_curves((proba, truth, weight))
    order = np.argsort(proba[:, 1]).reshape(40, 20)
    rows, sums = weight[order].sum(axis=1), (weight * truth)[order].sum(axis=1)
    steps = IsotonicRegression().fit_transform(np.arange(40), (sums + 0.5) / (rows + 1), sample_weight=rows)
    found = np.interp(proba[:, 1], *curve)
    np.testing.assert_allclose(found[order], np.repeat(steps[:, None], 20, axis=1))
    other = fit_curves((proba, truth, 3 * weight))[0]
    np.testing.assert_allclose(other, curve)
    ties = fit_curves((proba.round(1), truth, None))[0]  # equal predictions are in one bin
    assert len(np.unique(ties[0])) == len(ties[0]) and np.all(np.diff(ties[1]) >= 0)


@pytest.mark.parametrize("classes", [2, 4])
def test_bent_probabilities_are_straightened(classes):
    proba, truth, right = bent(20_000, classes=classes)
    found = along_curves(proba, fit_curves((proba, truth, None)))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.min() > 0 and found.max() < 1
    if classes == 2:
        assert np.abs(found - right).mean() < 0.02 < 0.2 < np.abs(proba - right).mean()
        order = np.argsort(proba[:, 1])
        assert np.all(np.diff(found[order, 1]) >= 0)
    else:
        assert np.abs(found - right).mean() < 0.5 * np.abs(proba - right).mean()


def test_curves_are_taken_only_where_they_help_and_rows_suffice():
    def folds_of(n):
        return [(*bent(n, seed)[:2], None) for seed in range(5)]

    parts = folds_of(400)
    temperature = helpful_temperature(parts, 0.25)
    assert len(helpful_curves(parts, 0.25, temperature)) == 1
    assert helpful_curves(folds_of(199), 0.25) == []
    right = [(one[2], one[1], None) for one in (bent(400, seed) for seed in range(5))]
    assert helpful_curves(right, 0.25) == [] == helpful_curves(parts[:1], 0.25)


def steps_table(n=6_000):
    """Return a table on which the odds are no line: a column says next to nothing up to a point, and almost all beyond."""
    rng = np.random.default_rng(4)
    x = rng.exponential(size=n)
    y = np.where(rng.random(n) < np.where(x > 1, 0.7, 0.02), "yes", "no")
    return pd.DataFrame({"x": x, "z": rng.normal(size=n), "y": y})


def test_a_kept_model_goes_along_curves_and_is_saved_and_read(tmp_path):
    options = {"folds": 4, "repeats": 1, "n_jobs": 1, "tune": False, "ensemble": False}
    frame = steps_table()
    result = Study(frame, "y", models=["LogisticRegression"], **options).run()
    assert isinstance(result.model[-1], IsotonicScaled) and isinstance(result.judged_model[-1], IsotonicScaled)
    assert result.reason.endswith("its probabilities are calibrated (isotonic)")
    held = result.hold_out
    true = (held.y == "yes").astype(int)
    raw = result.judged_model[-1].estimator
    X = result.judged_model[0].transform(result.formalisation.frame.iloc[result.formalisation.held])
    plain = raw.predict_proba(X)
    rows = np.arange(len(true))
    assert -np.log(held.proba[rows, true]).mean() < -np.log(plain[rows, true]).mean() - 0.01
    result.write_report(tmp_path / "out")
    assert not result.unsaved
    loaded = novum.load(tmp_path / "out" / "model.novum")
    said = predict_table(loaded, frame, proba=True)
    assert list(said.values) == list(result.predict(frame))
    start = result.formalisation
    direct = result.model[-1].predict_proba(result.model[0].transform(start.frame))
    np.testing.assert_allclose(said.probabilities["yes"], direct[:, 1])
    assert result.explanation.importances[0].column == "x"
    ordered = Study(frame, "y", models=["LogisticRegression"], scoring="auc", **options).run()
    assert not isinstance(ordered.model[-1], IsotonicScaled)
    assert read_model(result.judged_model, start.frame.iloc[start.train], start.task.y[start.train], None) is not None
