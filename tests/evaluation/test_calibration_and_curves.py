"""Calibration and curves against scikit-learn's and their definitions."""

from inspect import Parameter, signature

import numpy as np
import pytest
from artists import canvas
from numpy.testing import assert_allclose
from sklearn import metrics, model_selection
from sklearn.calibration import calibration_curve
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_validate

from novum import evaluation
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

# tables of a few rows: that their intervals are in doubt is reported, and tested in test_doubts.py
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
    display = RocCurveDisplay.from_predictions(
        y, np.round(p, 2), sample_weight=w, n_resamples=100, drop_intermediate=False, ax=canvas()
    )
    fpr, tpr, _ = metrics.roc_curve(y, np.round(p, 2), sample_weight=w, drop_intermediate=False)
    assert_allclose(display.fpr, fpr, atol=1e-12)
    assert_allclose(display.tpr, tpr, atol=1e-12)
    assert display.roc_auc == pytest.approx(metrics.roc_auc_score(y, np.round(p, 2), sample_weight=w), rel=1e-12)
    assert_allclose(display.roc_auc_interval, delong_interval(y, np.round(p, 2), sample_weight=w))
    places, lower, upper = display.band
    on_curve = np.interp(places, display.fpr, display.tpr)
    assert np.mean((lower <= on_curve + 0.02) & (on_curve - 0.02 <= upper)) > 0.97
    (drawn,) = display.ax_.collections
    assert_allclose(drawn.get_paths()[0].get_extents().extents, [0, lower.min(), 1, upper.max()], atol=1e-12)
    assert display.ax_.get_xlabel() == "False Positive Rate (Positive label: 1)"


@pytest.mark.notes("000-a", "pr-curve")
@pytest.mark.notes("000-a", "auprc")
def test_precision_recall_curve():
    display = PrecisionRecallDisplay.from_predictions(y, p, n_resamples=100, ax=canvas())
    precision, recall, _ = metrics.precision_recall_curve(y, p)
    assert_allclose(display.recall, recall, atol=1e-12)
    assert display.average_precision == pytest.approx(metrics.average_precision_score(y, p), rel=1e-12)
    assert display.area_trapezoid == pytest.approx(metrics.auc(recall, precision), rel=1e-12)
    low, high = display.average_precision_interval
    assert low < display.average_precision < high
    assert display.prevalence_pos_label == pytest.approx(y.mean())
    places, lower, upper = display.band
    assert (lower <= upper).all()
    order = np.argsort(-p, kind="stable")
    for r, found in zip(display.recall, display.precision):  # counting rows at every threshold whose recall is r
        at = [k for k in range(1, len(y) + 1) if np.isclose(y[order[:k]].sum() / y.sum(), r)]
        assert not at or any(np.isclose(found, y[order[:k]].mean()) for k in at)
    reached = np.array(
        [next(k for k in range(1, len(y) + 1) if y[order[:k]].sum() >= r * y.sum() - 1e-9) for r in places]
    )
    there = np.array([y[order[:k]].mean() for k in reached])
    inside = (lower - 0.05 <= there) & (there <= upper + 0.05)
    assert inside.mean() > 0.95  # the band of the precision is about the precision
    ax = canvas()
    assert display.plot(ax) is display and display.ax_ is ax and len(ax.collections) == 1
    assert_allclose(ax.lines[0].get_xydata(), np.column_stack([display.recall, display.precision]))
    X, t = load_breast_cancer(return_X_y=True)
    model = GaussianNB().fit(X, t)
    both = [
        kind.from_estimator(model, X, t, n_resamples=20, ax=canvas())
        for kind in (RocCurveDisplay, PrecisionRecallDisplay)
    ]
    assert both[0].roc_auc == pytest.approx(metrics.roc_auc_score(t, model.predict_proba(X)[:, 1]))
    assert "GaussianNB" in repr(both[1])


@pytest.mark.parametrize(
    "name", ["RocCurveDisplay", "PrecisionRecallDisplay", "LearningCurveDisplay", "ValidationCurveDisplay"]
)
def test_displays_have_scikit_learn_s_parameters(name):
    """Names, kinds and defaults are the same, in the same order; ours come after them and by name."""
    theirs = getattr(metrics, name, None) or getattr(model_selection, name)
    ours = getattr(evaluation, name)
    assert issubclass(ours, theirs)
    for method in ("__init__", "plot", "from_estimator", "from_predictions", "from_cv_results"):
        if hasattr(theirs, method):
            wanted = [(q.name, q.kind, q.default) for q in signature(getattr(theirs, method)).parameters.values()]
            found = [(q.name, q.kind, q.default) for q in signature(getattr(ours, method)).parameters.values()]
            more = {"level", "n_resamples", "random_state", "label"} - {q[0] for q in wanted}
            assert [q for q in found if q[0] not in more] == wanted, method
            assert all(kind is Parameter.KEYWORD_ONLY for q, kind, _ in found if q in more)


def test_curves_of_folds_have_no_band():
    X, t = load_breast_cancer(return_X_y=True)
    folds = cross_validate(GaussianNB(), X, t, cv=3, return_estimator=True, return_indices=True)
    for kind in (RocCurveDisplay, PrecisionRecallDisplay):
        display = kind.from_cv_results(folds, X, t, ax=canvas())
        assert len(display.line_) == 3 and display.band is None and not display.ax_.collections
        assert set(display.to_frame()["curve"]) == {0, 1, 2} and repr(display).count(", ") == 3


def test_curves_refuse():
    with pytest.raises(ValueError, match="multiclass"):
        RocCurveDisplay.from_predictions([0, 1, 2], [1.0, 2, 3])
    with pytest.raises(ParameterError, match="n_resamples"):
        RocCurveDisplay.from_predictions([0, 1, 1], [1.0, 2, 3], n_resamples=1)
    X, t = rng.normal(size=(30, 2)), np.arange(30) % 3
    with pytest.raises(ValueError, match="3 classes"):
        RocCurveDisplay.from_estimator(GaussianNB().fit(X, t), X, t)
