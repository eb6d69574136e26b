"""A warning points at the caller's line, whatever lies between it and the place that noticed."""

import inspect
import warnings
from threading import Thread

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novum.base.discovery import all_estimators
from novum.linear_model import LogisticRegression
from novum.mixture import GaussianMixture
from novum.runtime import warn as module

X = np.abs(np.random.default_rng(0).normal(size=(60, 4)))
CLASSES = (X[:, 1] > np.median(X[:, 1])).astype(int)
TARGET = X @ [1.0, 2.0, 3.0, 4.0]
SHORT = ({"max_iter": 1}, {"max_iter": 1, "tol": 0.0}, {"max_iter": 2, "tol": 1e-12})
METHODS = ("fit", "fit_predict", "fit_transform", "partial_fit")


def in_a_thread():
    thread = Thread(target=lambda: LogisticRegression(max_iter=1).fit(X, CLASSES))
    thread.start()
    thread.join()


@pytest.mark.parametrize(
    "call",
    [
        lambda: LogisticRegression(max_iter=1).fit(X, CLASSES),
        lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1)).fit(X, CLASSES),
        lambda: cross_val_score(LogisticRegression(max_iter=1), X, CLASSES),
        lambda: GridSearchCV(LogisticRegression(max_iter=1), {"C": [1.0, 2.0]}).fit(X, CLASSES),
        lambda: make_pipeline(StandardScaler(), GaussianMixture(3, max_iter=1, random_state=0)).fit_predict(X),
        in_a_thread,
    ],
    ids=["fit", "pipeline", "cross_val_score", "GridSearchCV", "fit_predict", "thread"],
)
def test_a_warning_points_at_the_line_that_called(call):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        call()
    assert said and {w.filename for w in said} == {__file__}


def provoked(cls):
    """Yield the warnings of an estimator that is stopped too early, called in every way it has."""
    known = set(inspect.signature(cls).parameters)
    for settings in (s for s in SHORT if set(s) <= known):
        for name in (m for m in METHODS if hasattr(cls, m)):
            for target in (CLASSES, TARGET):
                with warnings.catch_warnings(record=True) as said:
                    warnings.simplefilter("always")
                    try:
                        getattr(cls(**settings), name)(X, target)
                    except (ValueError, TypeError):  # another kind of target, rows or parameters
                        continue
                yield from said


# networks on PyTorch and agents take other data; scikit-learn's own warnings come through its own functions
ITERATIVE = [
    cls
    for _, cls in all_estimators()
    if "reinforcement" not in cls.__module__ and ("neural_network" not in cls.__module__ or "mlp" in cls.__module__)
]


def test_no_provoked_warning_points_into_the_library():
    home = module.OURS[0]
    said = [(cls.__name__, w) for cls in ITERATIVE for w in provoked(cls)]
    assert len(said) > 150
    assert [(name, w.filename, w.lineno) for name, w in said if w.filename.startswith(home)] == []
