"""The settings of a model, sought inside the rows it is fitted on: successive halving over folds that all tries share.

All tries of a candidate's small search space are scored on the first folds; the best third of them goes on to the others; of
these the best mean is taken. Where time is short, the folds count that all of them have. Since it happens inside a training part,
the rows that judge the result have no say in it: a score of a tuned model is that of the whole procedure, search included.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.study.comparison.candidates import Candidate, model_of
from novum.study.data.task import CLASSIFICATION
from novum.study.scoring.measures import MEASURES, Measure, Predicted

__all__ = ["Judge", "fit_model", "predict_rows", "tune"]

FOLDS = 4  # inner folds
FIRST = 2  # of them that judge all tries
KEPT = 3  # one of so many tries goes on
MOST_ROWS = 3_000  # that settings are sought on
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

    def criterion(self, y: Any, predicted: Predicted, weight: Any) -> float:
        """Return what is maximised: the measure; of two equal classifiers the one with the better probabilities."""
        value = self.measure.better(self.measure.score(y, predicted, self.classes, weight))
        if self.kind == CLASSIFICATION and predicted.proba is not None:
            value -= TIE * MEASURES["log_loss"].score(y, predicted, self.classes, weight)
        return value


def fit_model(model: Any, X: np.ndarray, y: np.ndarray, weight: Any) -> Any:
    """Return a model fitted with the weights of the rows, where there are any."""
    return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)


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


def tune(
    judge: Judge,
    candidate: Candidate,
    X: np.ndarray,
    y: np.ndarray,
    rows: np.ndarray,
    weight: Any,
    until: float | None = None,
) -> dict[str, Any]:
    """Return the change of a candidate's settings that does best on folds of these rows.

    Parameters
    ----------
    X, y, weight : of the rows to train on
    rows : int array
        Their numbers in the study, by which groups and times are known.
    until : float or None
        Time of `perf_counter` after which no further try begins, and the best so far is taken.
    """
    tries = [{}, *candidate.candidacy.search] if candidate.candidacy else [{}]
    if len(tries) == 1:
        return {}
    if len(y) > MOST_ROWS:
        some = np.sort(np.random.default_rng(judge.seed).choice(len(y), MOST_ROWS, replace=False))
        X, y, rows = X[some], y[some], rows[some]
        weight = None if weight is None else weight[some]
    folds = judge.split(rows, FOLDS)
    scores: dict[int, list[float]] = {number: [] for number in range(len(tries))}

    def judge_on(part: list[tuple[np.ndarray, np.ndarray]], numbers: list[int]) -> list[int]:
        for train, test in part:
            for number in numbers:
                if until is not None and time.perf_counter() > until:
                    break
                try:
                    model = model_of(candidate, tries[number], y[train], quick=True)
                    fitted = fit_model(model, X[train], y[train], None if weight is None else weight[train])
                    said = predict_rows(judge, fitted, X[test], scored_only=True)
                    score = judge.criterion(y[test], said, None if weight is None else weight[test])
                except Exception:  # a setting that these rows do not bear: the others go on
                    score = -np.inf
                scores[number].append(score if np.isfinite(score) else -np.inf)
        common = max(1, min(len(scores[number]) for number in numbers))
        judged = [number for number in numbers if len(scores[number]) >= common]
        return sorted(judged, key=lambda number: -np.mean(scores[number][:common]))

    order = judge_on(folds[:FIRST], list(scores))
    if folds[FIRST:] and order:  # without any, the time was over before the first try
        order = judge_on(folds[FIRST:], order[: -(-len(order) // KEPT)])
    return tries[order[0]] if order else {}
