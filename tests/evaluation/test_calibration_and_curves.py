"""Calibration and curves against scikit-learn's and their definitions."""

import numpy as np
import pytest
from artists import canvas
from numpy.testing import assert_allclose
from sklearn import metrics
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer

from novum.evaluation import (
    PrecisionRecallDisplay,
    RocCurveDisplay,
    calibration,
    delong_interval,
    evaluate_predictions,
    wilson_interval,
)
from novum.exceptions import DataError, ParameterError
from novum.naive_bayes import GaussianNB

# tables of a few rows: that their intervals are in doubt is told, and tested in test_doubts.py
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

rng = np.random.default_rng(0)
y = rng.integers(2, size=400)
p = 1 / (1 + np.exp(-(1.5 * y + rng.normal(size=400) - 0.7)))


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_bins_are_scikit_learns(strategy):
    found = calibration(y, p, n_bins=8, strategy=strategy)
    observed, predicted = calibration_curve(y, p, n_bins=8, strategy=strategy)
    assert_allclose(found.observed, observed, rtol=1e-12)
    assert_allclose(found.predicted, predicted, rtol=1e-12)
    k = round(found.observed[0] * found.weight[0])
    assert_allclose((found.lower[0], found.upper[0]), wilson_interval(k, int(found.weight[0])), rtol=1e-12)
    assert_allclose(found.expected_error, found.weight @ np.abs(observed - predicted) / 400)
    assert found.largest_error == pytest.approx(np.abs(observed - predicted).max())


@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_of_brier_add_up(weighted):
    w = rng.uniform(0.2, 2, size=400) if weighted else None
    found = calibration(y, p, n_bins=7, sample_weight=w)
    assert found.brier == pytest.approx(metrics.brier_score_loss(y, p, sample_weight=w), rel=1e-12)
    parts = found.reliability - found.resolution + found.uncertainty + found.within
    assert parts == pytest.approx(found.brier, rel=1e-12)
    rounded = calibration(y, np.round(p, 1), n_bins=20)
    assert rounded.within == pytest.approx(0, abs=1e-15)  # one forecast per bin: Murphy's three parts
    assert rounded.uncertainty == pytest.approx(y.mean() * (1 - y.mean()))


def test_error_agrees_with_evaluate_and_several_classes():
    assert evaluate_predictions(y, y_proba=p, n_resamples=50)["ece"].value == pytest.approx(
        calibration(y, p).expected_error
    )
    q = rng.dirichlet(np.ones(3), size=200)
    t = np.array([rng.choice(3, p=row) for row in q])
    found = calibration(t, q)
    right, top = t == q.argmax(axis=1), q.max(axis=1)
    assert found.brier == pytest.approx(np.mean((top - right) ** 2)) and found.to_frame().shape[1] == 5
    assert found.plot().get_xlabel() == "predicted probability" and "<table>" in found._repr_html_()
    perfect = calibration([0, 1], [0.0, 1.0])
    assert perfect.expected_error == 0 and perfect.reliability == 0


def test_calibration_refuses():
    with pytest.raises(ParameterError, match="strategy='other'"):
        calibration(y, p, strategy="other")
    with pytest.raises(DataError, match="must hold probabilities"):
        calibration(y, 3 * p)


@pytest.mark.parametrize("weighted", [False, True])
def test_roc_curve(weighted):
    w = rng.uniform(0.2, 2, size=400) if weighted else None
    display = RocCurveDisplay.from_predictions(y, np.round(p, 2), sample_weight=w, n_resamples=100)
    fpr, tpr, _ = metrics.roc_curve(y, np.round(p, 2), sample_weight=w, drop_intermediate=False)
    assert_allclose(display.x, fpr, atol=1e-12)
    assert_allclose(display.y, tpr, atol=1e-12)
    assert display.area == pytest.approx(metrics.roc_auc_score(y, np.round(p, 2), sample_weight=w), rel=1e-12)
    assert_allclose(display.area_interval, delong_interval(y, np.round(p, 2), sample_weight=w))
    on_curve = np.interp(display.places, display.x, display.y)
    assert np.mean((display.lower <= on_curve + 0.02) & (on_curve - 0.02 <= display.upper)) > 0.97
    ax = display.plot()
    assert ax.get_xlabel() == "false-positive rate" and "area" in ax.get_legend().get_texts()[0].get_text()


@pytest.mark.notes("000-a", "pr-curve")
@pytest.mark.notes("000-a", "auprc")
def test_precision_recall_curve():
    display = PrecisionRecallDisplay.from_predictions(y, p, n_resamples=100)
    precision, recall, _ = metrics.precision_recall_curve(y, p)
    assert_allclose(np.sort(display.x), np.sort(recall), atol=1e-12)
    assert display.area == pytest.approx(metrics.average_precision_score(y, p), rel=1e-12)
    assert display.area_trapezoid == pytest.approx(metrics.auc(recall, precision), rel=1e-12)
    assert display.prevalence == pytest.approx(y.mean()) and display.plot().get_ylabel() == "precision"
    assert (display.lower <= display.upper).all()
    order = np.argsort(-p, kind="stable")
    for r, found in zip(display.x, display.y):  # counting rows at every threshold whose recall is r
        at = [k for k in range(1, len(y) + 1) if np.isclose(y[order[:k]].sum() / y.sum(), r)]
        assert not at or any(np.isclose(found, y[order[:k]].mean()) for k in at)
    places = np.linspace(0, 1, len(display.lower))
    reached = np.array(
        [next(k for k in range(1, len(y) + 1) if y[order[:k]].sum() >= r * y.sum() - 1e-9) for r in places]
    )
    there = np.array([y[order[:k]].mean() for k in reached])
    inside = (display.lower - 0.05 <= there) & (there <= display.upper + 0.05)
    assert inside.mean() > 0.95  # the band of the precision is about the precision
    ax = display.plot(canvas())
    drawn = ax.lines[0].get_xydata()
    assert_allclose(drawn, np.column_stack([display.x, display.y]))
    X, t = load_breast_cancer(return_X_y=True)
    model = GaussianNB().fit(X, t)
    both = [kind.from_estimator(model, X, t, n_resamples=20) for kind in (RocCurveDisplay, PrecisionRecallDisplay)]
    assert both[0].area == pytest.approx(metrics.roc_auc_score(t, model.predict_proba(X)[:, 1]))
    assert "GaussianNB" in repr(both[1])


def test_curves_refuse():
    with pytest.raises(DataError, match="3 different labels"):
        RocCurveDisplay.from_predictions([0, 1, 2], [1.0, 2, 3])
    X, t = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.raises(DataError, match="one class against the rest"):
        RocCurveDisplay.from_estimator(GaussianNB().fit(X, t), X, t)
    with pytest.raises(DataError, match="neither predict_proba nor decision_function"):
        RocCurveDisplay.from_estimator(object(), X, t)
