"""AdaBoost with stumps against scikit-learn: same rounds, same members; quality: error of the last round."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import AdaBoostClassifier as SklearnAdaBoost

from benchmarks.harness import Case
from novum.ensemble import AdaBoostClassifier

COLUMNS, ROUNDS = 30, 100


def make(n):
    return make_classification(n, COLUMNS, n_informative=10, random_state=0)


def fit(cls):
    return lambda data: cls(n_estimators=ROUNDS, random_state=0).fit(*data)


def asked(cls):
    models: dict = {}  # fitted once: only the votes are timed after the first run

    def run(data):
        X, y = data
        if X.shape not in models:
            models[X.shape] = cls(n_estimators=ROUNDS, random_state=0).fit(X, y)
        return models[X.shape].predict(X)

    return run


def last_error(model, data):
    return round(float(model.estimator_errors_[-1]), 6)


def wrong(labels, data):
    return round(float(np.mean(labels != data[1])), 4)


SIZES = (3_000, 12_000, 48_000)
CASES = [
    Case(
        "AdaBoost, 100 stumps, 30 columns",
        make,
        {"novum": fit(AdaBoostClassifier), "scikit-learn": fit(SklearnAdaBoost)},
        last_error,
        SIZES,
        {"scikit-learn": 20.0},
    ),
    Case(
        "AdaBoost predict, 100 stumps, 30 columns",
        make,
        {"novum": asked(AdaBoostClassifier), "scikit-learn": asked(SklearnAdaBoost)},
        wrong,
        SIZES,
        {"scikit-learn": 0.9},
    ),
]
