"""A hundred trees of depth ten on a device, beside the forest of the processor on all its cores; the error is against files.

Under a limit of leaves a tensor gives the trees of the same rows in files, so predictions differ by nothing.
"""

import tempfile
from pathlib import Path

import numpy as np

import novum
from benchmarks.devices.harness import Case, difference, normal
from novum.ensemble import RandomForestClassifier, RandomForestRegressor

ROWS, COLUMNS, CHECKED = 2_000_000, 28, 100_000
SETTINGS = {"n_estimators": 100, "max_depth": 10, "random_state": 0}
FEW = {"n_estimators": 5, "max_leaf_nodes": 60, "random_state": 0}


def data(rows=ROWS):
    X = normal(rows, COLUMNS)
    y = (X[:, 0] ** 2 + X[:, 1] * X[:, 2] + 0.1 * normal(rows, 1, seed=1)[:, 0]).double()
    return X, y


def above(y):
    return (y > 1).long()


def same(y):
    return y


def fitted(model, target, **more):
    def make():
        X, y = data()
        return lambda: model(**{**SETTINGS, **more}).fit(X, target(y))

    return make


def on_processor(model, target, **more):
    def make():
        X, y = data()
        rows, values = X.cpu().numpy(), target(y).cpu().numpy()
        return lambda: model(**{**SETTINGS, **more}, n_jobs=-1).fit(rows, values)

    return make


def error(model, method, target):
    def measure():
        X, y = data(CHECKED)
        rows, values = X.cpu().numpy(), target(y).cpu().numpy()
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("rows.npy", "target.npy")]
            np.save(paths[0], rows)
            np.save(paths[1], values)
            files = model(**FEW).fit(novum.scan(paths[0], target=paths[1]))
        there = model(**FEW).fit(X, target(y))
        return difference(getattr(there, method)(X), getattr(files, method)(rows))

    return measure


CASES = [
    Case(
        "100 trees of depth 10, 2e6 x 28, two classes",
        None,
        fitted(RandomForestClassifier, above),
        on_processor(RandomForestClassifier, above),
        error(RandomForestClassifier, "predict_proba", above),
        plain_once=True,
    ),
    Case(
        "100 trees of depth 10, 2e6 x 28, regression by a third",
        None,
        fitted(RandomForestRegressor, same, max_features=1 / 3),
        on_processor(RandomForestRegressor, same, max_features=1 / 3),
        error(RandomForestRegressor, "predict", same),
        plain_once=True,
    ),
]
