"""`evaluate` of a model: its measures are those that counting its answers by hand gives."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from novum.evaluation import evaluate

pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")  # small tables
FEW = {"n_resamples": 100}


class Reader(BaseEstimator):
    """Answers what a row says: its entries if there are several, its only one otherwise."""

    def fit(self, X, y):
        self.n_features_in_, self.classes_ = np.shape(X)[1], np.unique(y)
        return self

    def predict(self, X):
        return np.squeeze(X)


class ClassReader(ClassifierMixin, Reader):
    """Answers the class that a row names."""


class Scorer(ClassReader):
    """Says the score of class 1 that a row names, and class 1 where it is positive."""

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


class NumberReader(RegressorMixin, Reader):
    """Answers the numbers of a row."""


def evaluated(kind, said, y, **options):
    """Return the evaluation of a reader whose rows say this."""
    X = np.asarray(said, float).reshape(len(y), -1)
    return evaluate(kind().fit(X, y), X, y, **options, **FEW)


@pytest.mark.notes("000-a", "confusion-binary")
@pytest.mark.notes("000-a", "accuracy")
@pytest.mark.notes("000-a", "accuracy-rebalanced")
@pytest.mark.notes("000-a", "precision")
@pytest.mark.notes("000-a", "recall")
@pytest.mark.notes("000-a", "f-measure")
@pytest.mark.notes("001", "sample-error")
@pytest.mark.notes("001", "accuracy")
@pytest.mark.notes("001", "binary-counts")
@pytest.mark.notes("001", "recall")
@pytest.mark.notes("001", "precision")
@pytest.mark.notes("003", "confusion-counts")
@pytest.mark.notes("003", "accuracy")
@pytest.mark.notes("003", "precision")
@pytest.mark.notes("003", "recall")
@pytest.mark.notes("003", "f1")
@pytest.mark.notes("003", "zero-one-loss")
def test_two_classes_are_counted():
    rng = np.random.default_rng(0)
    y, said = rng.random(200) < 0.3, rng.random(200) < 0.4
    pairs = list(zip(y, said))
    TP, FN, FP, TN = (pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False)))
    assert len({TP, FN, FP, TN}) == 4
    found = evaluated(ClassReader, said, y.astype(int))
    assert found.counts() == {"TP": TP, "FN": FN, "FP": FP, "TN": TN}
    precision, recall, ratio = TP / (TP + FP), TP / (TP + FN), (FP + TN) / (TP + FN)
    expected = {
        "accuracy": (TP + TN) / 200,
        "error": (FP + FN) / 200,
        "sample_error": (FP + FN) / 200,
        "zero_one_loss": (FP + FN) / 200,
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
        "rebalanced_accuracy": (ratio * TP + TN) / (ratio * (TP + FN) + FP + TN),
    }
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=1e-12), name


@pytest.mark.notes("004", "zero-one-risk")
def test_plus_and_minus_one():
    y, said = np.random.default_rng(1).choice([-1, 1], size=(2, 60))
    assert evaluated(ClassReader, said, y)["zero_one_risk"].value == np.mean(np.abs(y - said) / 2)


@pytest.mark.notes("000-a", "confusion-multi")
@pytest.mark.notes("000-a", "per-class-metrics")
@pytest.mark.notes("000-a", "multiclass-accuracy")
@pytest.mark.notes("001", "confusion-matrix")
@pytest.mark.notes("002", "confusion-matrix")
def test_three_classes_are_counted():
    rng = np.random.default_rng(2)
    y, said = rng.integers(3, size=150), rng.choice(3, size=150, p=[0.5, 0.3, 0.2])
    table = [[sum((y == i) & (said == j)) for j in range(3)] for i in range(3)]
    found = evaluated(ClassReader, said, y)
    np.testing.assert_array_equal(found.confusion, table)
    assert found["macc"].value == pytest.approx(np.trace(table) / 150, rel=1e-12)
    frame = found.class_frame()
    for c in range(3):
        precision, recall = table[c][c] / sum(said == c), table[c][c] / sum(y == c)
        right = np.mean((y == c) == (said == c))
        np.testing.assert_allclose(
            np.asarray(frame[["precision", "recall", "f_score", "accuracy"]], float)[c],
            [precision, recall, 2 * precision * recall / (precision + recall), right],
            rtol=1e-12,
        )


@pytest.mark.notes("000-a", "rmse")
@pytest.mark.notes("000-a", "pearson")
@pytest.mark.notes("001", "mae")
@pytest.mark.notes("001", "mse")
@pytest.mark.notes("001", "rmse")
def test_errors_of_numbers():
    y, said = np.random.default_rng(3).normal(size=(2, 40))
    said = said + 0.5 * y
    found = evaluated(NumberReader, said, y)
    gap, a, b = y - said, y - y.mean(), said - said.mean()
    squares = sum(g * g for g in gap) / 40
    expected = {"mse": squares, "rmse": squares**0.5, "mae": sum(map(abs, gap)) / 40}
    expected["pearson"] = (a @ b) / ((a @ a) * (b @ b)) ** 0.5
    for name, value in expected.items():
        assert found[name].value == pytest.approx(value, rel=1e-12), name


@pytest.mark.notes("001", "residual-norm")
def test_errors_of_vectors():
    y, said = np.random.default_rng(4).normal(size=(2, 30, 3))
    lengths = [sum(g * g for g in row) ** 0.5 for row in y - said]
    assert evaluated(NumberReader, said, y)["residual_norm"].value == pytest.approx(np.mean(lengths), rel=1e-12)


@pytest.mark.notes("000-a", "auprc")
def test_area_under_precision_and_recall():
    """Without ties every row is a threshold: the area is the sum of trapezoids over recall."""
    rng = np.random.default_rng(5)
    y = (rng.random(40) < 0.4).astype(int)
    score = rng.normal(size=40) + y
    ranked = y[np.argsort(-score)]
    hits = np.cumsum(ranked)
    recall, precision = hits / hits[-1], hits / np.arange(1, 41)
    recall, precision = np.r_[0.0, recall], np.r_[1.0, precision]
    found = evaluated(Scorer, score, y)
    by_steps = np.sum(np.diff(recall) * precision[1:])
    by_trapezoids = np.sum(np.diff(recall) * (precision[1:] + precision[:-1]) / 2)
    assert found["average_precision"].value == pytest.approx(by_steps, rel=1e-12)
    assert found["pr_auc"].value == pytest.approx(by_trapezoids, rel=1e-12)
