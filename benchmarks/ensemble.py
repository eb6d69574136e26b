"""Histogram boosting against scikit-learn and LightGBM: same numbers of trees and leaves; quality: log-loss of new rows."""

import lightgbm
import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier as SklearnBoosting
from sklearn.metrics import log_loss

from benchmarks.harness import Case
from novum.ensemble import HistGradientBoostingClassifier
from novum.runtime.threads import thread_count

NEW_ROWS, COLUMNS = 20_000, 30


def maker(classes):
    def make(n):
        X, y = make_classification(
            n + NEW_ROWS, COLUMNS, n_informative=15, n_classes=classes, flip_y=0.05, random_state=0
        )
        return np.ascontiguousarray(X[:n]), y[:n], X[n:], y[n:]

    return make


def boosting(cls, trees):
    return lambda data: cls(max_iter=trees, early_stopping=False, random_state=0).fit(*data[:2])


def light(trees):
    return lambda data: lightgbm.LGBMClassifier(n_estimators=trees, n_jobs=thread_count(), verbose=-1).fit(*data[:2])


def loss_of_new_rows(model, data):
    return float(f"{log_loss(data[3], model.predict_proba(data[2])):.2g}")


def case(name, classes, trees, rows):
    peers = {
        "novum": boosting(HistGradientBoostingClassifier, trees),
        "scikit-learn": boosting(SklearnBoosting, trees),
        "LightGBM": light(trees),
    }
    return Case(name, maker(classes), peers, loss_of_new_rows, rows, {"scikit-learn": 1.3})


CASES = [
    case("histogram boosting, 2 classes, 100 trees", 2, 100, (10_000, 40_000, 160_000)),
    case("histogram boosting, 5 classes, 50 x 5 trees", 5, 50, (10_000, 20_000, 40_000)),
]
