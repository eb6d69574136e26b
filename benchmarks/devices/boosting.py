"""Fifty boosted trees of 31 leaves on 255 bins on a device, and their predictions; the error is that of the whole model."""

import numpy as np

from benchmarks.devices.harness import Case, difference, normal
from novum.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

ROWS, COLUMNS, CHECKED = 2_000_000, 28, 200_000
SETTINGS = {"max_iter": 50, "max_leaf_nodes": 31, "early_stopping": False, "random_state": 0}


def data(rows=ROWS):
    X = normal(rows, COLUMNS)
    y = (X[:, 0] ** 2 + X[:, 1] * X[:, 2] + 0.1 * normal(rows, 1, seed=1)[:, 0]).double()
    return X, y


def fitted(model, target=lambda y: y):
    def make():
        X, y = data()
        return lambda: model(**SETTINGS).fit(X, target(y))

    return make


def predicted():
    X, y = data()
    model = HistGradientBoostingRegressor(**SETTINGS).fit(X, y)
    return lambda: model.predict(X)


def error(model, method, target=lambda y: y):
    def measure():
        X, y = data(CHECKED)
        there = model(**SETTINGS).fit(X, target(y))
        here = model(**SETTINGS).fit(X.cpu().numpy(), target(y).cpu().numpy())
        if there._nodes.shape != here._nodes.shape:
            return float(np.nan)
        return difference(getattr(there, method)(X), getattr(here, method)(X.cpu().numpy()))

    return measure


def above(y):
    return (y > 1).long()


CASES = [
    Case(
        "50 trees, 2e6 x 28, 255 bins, regression",
        1500.0,
        fitted(HistGradientBoostingRegressor),
        None,
        error(HistGradientBoostingRegressor, "predict"),
    ),
    Case(
        "50 trees, 2e6 x 28, 255 bins, two classes",
        1500.0,
        fitted(HistGradientBoostingClassifier, above),
        None,
        error(HistGradientBoostingClassifier, "predict_proba", above),
    ),
    Case("their predictions, 2e6 x 28", None, predicted, None, error(HistGradientBoostingRegressor, "predict")),
]
