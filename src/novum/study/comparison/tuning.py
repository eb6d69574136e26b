"""How a comparison judges predictions, and how it has a model fitted: whole, or as far as its time goes."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.base.candidacy import EARLY
from novum.study.data.task import CLASSIFICATION
from novum.study.scoring.measures import MEASURES, Measure, Predicted

__all__ = ["Judge", "fit_model", "grow_model", "predict_rows"]

FIRST_TREES = 10  # one of so many is made to see how long they take
ROOM = 0.7  # of the seconds of a fit, for the trees of a forest: predictions take some, too
MANY_CELLS = 100_000  # of rows that are worth a look at the clock after every pass
TIE = 1e-3  # weight of the log loss among settings that classify equally well

Splitter = Callable[
    [np.ndarray, int], list[tuple[np.ndarray, np.ndarray]]
]  # rows of the study, folds -> positions in them


class Judge(NamedTuple):
    """How predictions are judged, and how rows are parted to judge them."""

    measure: Measure
    kind: str
    classes: Any  # sorted; None for numbers
    seed: int
    split: Splitter
    costs: Any = None  # by true and said class
    time: str = ""  # column of the prepared frame in whose order the rows stand

    def criterion(self, y: Any, predicted: Predicted, weight: Any) -> float:
        """Return what is maximised: the measure; of two equal classifiers the one with the better probabilities."""
        value = self.measure.better(self.measure.score(y, predicted, self.classes, weight))
        if self.kind == CLASSIFICATION and predicted.proba is not None:
            value -= TIE * MEASURES["log_loss"].score(y, predicted, self.classes, weight)
        return value


def fit_model(model: Any, X: np.ndarray, y: np.ndarray, weight: Any) -> Any:
    """Return a model fitted with the weights of the rows, where there are any."""
    return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)


class Deadline:
    """Callback that ends the passes of a fit at a time of `perf_counter`."""

    def __init__(self, at: float) -> None:
        self.at = at

    def setup(self, estimator: Any, context: Any) -> None: ...

    def teardown(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None: ...

    def on_fit_task_end(self, estimator: Any, context: Any) -> bool:
        """Return whether the time is over."""
        return time.perf_counter() > self.at


def grow_model(
    model: Any, X: np.ndarray, y: np.ndarray, weight: Any, seconds: float | None, *, whole: bool = False
) -> Any:
    """Return a fitted model; a forest has as many of its trees as there is time for, what goes by passes as many of these.

    With `whole` it has all passes, since the first few of many are another model; whoever waits ends it.
    """
    settings = model.get_params(deep=False)
    if seconds is not None and X.size >= MANY_CELLS and not whole:
        inner = getattr(model, "regressor", model)
        if getattr(inner, "_reports_passes", False) and EARLY in inner.get_params(deep=False):
            inner.set_callbacks(Deadline(time.perf_counter() + ROOM * seconds))
            fitted = fit_model(model, X, y, weight)
            for one in (inner, getattr(fitted, "regressor_", fitted)):
                one.set_callbacks()
            return fitted
    if seconds is None or not {"n_estimators", "warm_start"} <= set(settings) or settings["n_estimators"] < FIRST_TREES:
        return fit_model(model, X, y, weight)
    wanted, start = settings["n_estimators"], time.perf_counter()
    first = wanted // FIRST_TREES
    fit_model(model.set_params(n_estimators=first, warm_start=True), X, y, weight)
    spent = time.perf_counter() - start
    able = int(first * ROOM * seconds / max(spent, 1e-9))
    if able > first:
        fit_model(model.set_params(n_estimators=min(wanted, able)), X, y, weight)
    return model.set_params(warm_start=False)


def predict_rows(judge: Judge, model: Any, X: Any, *, scored_only: bool = False) -> Predicted:
    """Return what a fitted model says of rows; the class said is the cheapest where there are costs.

    With `scored_only` a model predicts only what the measure looks at: the other part may be a guess from it, or None.
    """
    if judge.kind != CLASSIFICATION:
        return Predicted(np.asarray(model.predict(X), dtype=np.float64), None)
    if not hasattr(model, "predict_proba") or (scored_only and not judge.measure.proba and judge.costs is None):
        return Predicted(model.predict(X), None)
    proba = np.zeros((X.shape[0], len(judge.classes)))
    proba[:, np.searchsorted(judge.classes, model.classes_)] = model.predict_proba(X)
    if judge.costs is not None:
        return Predicted(judge.classes[np.argmin(proba @ judge.costs, axis=1)], proba)
    return Predicted(judge.classes[np.argmax(proba, axis=1)] if scored_only else model.predict(X), proba)
