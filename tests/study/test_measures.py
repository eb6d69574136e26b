"""Measures against scikit-learn's, with and without weights, and the intervals of scores."""

import numpy as np
import pytest
from sklearn import metrics

from novum.study.scoring import intervals
from novum.study.scoring.intervals import score_interval
from novum.study.scoring.measures import MEASURES, Predicted, measure_for

rng = np.random.default_rng(0)
N = 300
CLASSES = {2: np.array(["no", "yes"]), 3: np.array([3, 5, 9])}
WEIGHT = rng.random(N)


def classified(k):
    proba = rng.dirichlet(np.ones(k), N).round(2) + 0.01
    proba /= proba.sum(axis=1, keepdims=True)
    truth = np.array([rng.choice(k, p=p) for p in proba])
    return CLASSES[k][truth], Predicted(CLASSES[k][proba.argmax(axis=1)], proba), truth, proba


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_two_classes(weight):
    y, said, truth, proba = classified(2)
    w = {"sample_weight": weight}
    expected = {
        "accuracy": metrics.accuracy_score(y, said.values, **w),
        "balanced_accuracy": metrics.balanced_accuracy_score(y, said.values, **w),
        "f1": metrics.f1_score(y, said.values, pos_label="yes", **w),
        "auc": metrics.roc_auc_score(truth, proba[:, 1], **w),
        "average_precision": metrics.average_precision_score(truth, proba[:, 1], **w),
        "log_loss": metrics.log_loss(y, proba, **w),
        "brier": metrics.brier_score_loss(truth, proba[:, 1], **w),
    }
    for name, value in expected.items():
        measure = measure_for("classification", name, positive=1)
        assert measure.score(y, said, CLASSES[2], weight) == pytest.approx(value, rel=1e-12), name
    other = measure_for("classification", "f1", positive=0).score(y, said, CLASSES[2], weight)
    assert other == pytest.approx(metrics.f1_score(y, said.values, pos_label="no", **w), rel=1e-12)


def test_three_classes():
    y, said, truth, proba = classified(3)
    expected = {
        "f1": metrics.f1_score(y, said.values, average="macro"),
        "auc": metrics.roc_auc_score(y, proba, multi_class="ovr"),
        "average_precision": metrics.average_precision_score(np.eye(3)[truth], proba),
        "log_loss": metrics.log_loss(y, proba),
        "brier": metrics.brier_score_loss(y, proba),
    }
    for name, value in expected.items():
        assert measure_for("classification", name).score(y, said, CLASSES[3]) == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_numbers(weight):
    y, f = rng.normal(size=N), rng.normal(size=N)
    w = {"sample_weight": weight}
    expected = {
        "rmse": metrics.root_mean_squared_error(y, f, **w),
        "mae": metrics.mean_absolute_error(y, f, **w),
        "r2": metrics.r2_score(y, f, **w),
    }
    for name, value in expected.items():
        assert MEASURES[name].score(y, Predicted(f, None), None, weight) == pytest.approx(value, rel=1e-12)
    assert MEASURES["median_error"].score(y, Predicted(f, None)) == metrics.median_absolute_error(y, f)


def test_costs_are_those_of_the_table():
    measure = measure_for("classification", None, costs=[[0, 1], [20, 0]])
    y, said = np.array(["no", "yes", "yes"]), Predicted(np.array(["yes", "no", "yes"]), None)
    assert measure.name == "cost" and measure.score(y, said, CLASSES[2]) == 7.0


@pytest.mark.parametrize(
    "name, n", [("rmse", 40), ("mae", 40), ("r2", 60), ("log_loss", 60), ("auc", 60), ("brier", 60)]
)
def test_intervals_cover(name, n, monkeypatch):
    """A fixed model, so the truth is a number: 95 % intervals hold it in about 95 % of samples, skewed or not."""
    monkeypatch.setattr(intervals, "RESAMPLES", 300)
    draws = np.random.default_rng(1)

    def sample(size):
        if MEASURES[name].kind == "regression":
            x = draws.normal(size=size)
            return x + draws.normal(size=size), Predicted(0.8 * x, None)
        p = draws.beta(2, 2, size)
        y = CLASSES[2][(draws.random(size) < p).astype(int)]
        return y, Predicted(CLASSES[2][(p > 0.5).astype(int)], np.column_stack([1 - p, p]))

    measure = measure_for(MEASURES[name].kind, name, positive=1)
    y, said = sample(200_000)
    truth, hits, studies = measure.score(y, said, CLASSES[2]), 0, 120
    for number in range(studies):
        y, said = sample(n)
        low, high = score_interval(measure, y, said, CLASSES[2], number)
        hits += low <= truth <= high
    assert 0.88 <= hits / studies <= 0.99, hits / studies  # far beyond chance for 120 studies


def test_an_interval_of_equal_values_is_a_point():
    y = np.arange(30.0)
    assert score_interval(MEASURES["mae"], y, Predicted(y + 1, None), None, 0) == (1.0, 1.0)
