"""Forests of 100 trees against scikit-learn and scikit-learn-intelex, fit and predict; quality: score of new rows."""

import numpy as np
import sklearn.ensemble as peer
from sklearn.datasets import make_classification, make_regression
from sklearnex import ensemble as intelex

from benchmarks.harness import Case
from novum import ensemble
from novum.runtime.threads import thread_count

NEW_ROWS, COLUMNS, TREES = 5_000, 30, 100


def make_classes(n):
    X, y = make_classification(n + NEW_ROWS, COLUMNS, n_informative=10, n_redundant=5, flip_y=0.1, random_state=0)
    return np.ascontiguousarray(X[:n]), y[:n], X[n:], y[n:]


def make_numbers(n):
    X, y = make_regression(n + NEW_ROWS, COLUMNS, n_informative=10, noise=50, random_state=0)
    return np.ascontiguousarray(X[:n]), y[:n], X[n:], y[n:]


def forest(module, name, **options):
    cls = getattr(module, name)
    return lambda data: cls(TREES, n_jobs=thread_count(), random_state=0, **options).fit(*data[:2])


def score_of_new_rows(model, data):
    return float(f"{model.score(data[2], data[3]):.2g}")


def case(title, name, make, rows, least, modules, **options):
    known = {"novum": ensemble, "scikit-learn": peer, "scikit-learn-intelex": intelex}
    runs = {label: forest(known[label], name, **options) for label in ("novum", *modules)}
    return Case(title, make, runs, score_of_new_rows, rows, least)


BOTH = ("scikit-learn", "scikit-learn-intelex")
CASES = [
    case(
        "random forest, 2 classes",
        "RandomForestClassifier",
        make_classes,
        (3_000, 12_000, 48_000),
        {"scikit-learn": 4.0, "scikit-learn-intelex": 1.0},
        BOTH,
    ),
    case(
        "random forest, numbers, a third of the columns",
        "RandomForestRegressor",
        make_numbers,
        (3_000, 12_000),
        {"scikit-learn": 4.0, "scikit-learn-intelex": 1.0},
        BOTH,
        max_features=10,
    ),
    case(
        "extra trees, 2 classes",
        "ExtraTreesClassifier",
        make_classes,
        (3_000, 12_000, 48_000),
        {"scikit-learn": 1.0},
        BOTH[:1],
    ),
    case("extra trees, numbers", "ExtraTreesRegressor", make_numbers, (3_000, 12_000), {"scikit-learn": 1.0}, BOTH[:1]),
]
