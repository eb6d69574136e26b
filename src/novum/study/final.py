"""The kept model: fitted on the rows it is judged with, then on all rows, and put into the form that is saved."""

import warnings
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from threadpoolctl import threadpool_limits

from novum.decision_theory import LossMatrixClassifier
from novum.study.blend import Blend
from novum.study.choose import Leader
from novum.study.compare import Part, Scores, last_seconds
from novum.study.fits import Rows, fit_candidate
from novum.study.tuning import Judge

__all__ = ["affordable", "fit_kept", "fit_seconds", "model_to_save"]


def affordable(leaders: list[Leader], scores: Scores | None, n_rows: int, left: float | None) -> list[Leader]:
    """Return the rows of the leaderboard whose last fits the time that is left allows; the fastest where it allows none."""
    if left is None or scores is None:
        return leaders
    compared = np.mean([len(fold.train) for fold in scores.folds])
    growth = float(n_rows / compared)
    cost = {c: last_seconds(scores.seconds[c], scores.last[c], growth) for c in (leader.position for leader in leaders)}
    fine = [leader for leader in leaders if cost[leader.position] <= left]
    if any(leader.simplicity for leader in fine):
        return fine
    real = [leader for leader in leaders if leader.simplicity] or leaders
    return [min(real, key=lambda leader: cost[leader.position])]


def fit_seconds(scores: Scores, position: int, n_rows: int) -> float:
    """Return about how long a fit of a candidate on so many rows takes, its settings known."""
    compared = float(np.mean([len(fold.train) for fold in scores.folds]))
    return float(scores.last[position] * max(1.0, n_rows / compared))


def fit_kept(
    rows: Rows, parts: list[Part], train: np.ndarray, changes: list[dict[str, Any]] | None = None
) -> tuple[Any, list[dict[str, Any]]]:
    """Return the kept model fitted on some rows, and the changes of settings; these are sought unless they are given.

    What a fit warns about was noted when its candidate was compared.
    """
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        given: list[Any] = [None for _ in parts] if changes is None else list(changes)
        fitted = [fit_candidate(rows, part.candidate, train, change) for part, change in zip(parts, given)]
    model = fitted[0].pipeline
    if len(parts) > 1:
        model = Blend([one.pipeline for one in fitted], [part.weight for part in parts])
    return model, [one.change for one in fitted]


def model_to_save(model: Any, judge: Judge) -> Pipeline:
    """Return one pipeline whatever was kept: it decides by the costs, where there are any."""
    if judge.costs is not None:
        decider = LossMatrixClassifier(model, loss=judge.costs, fitted=True)
        return Pipeline([("model", decider.fit(np.zeros((1, 1)), judge.classes[:1]))])
    return model if isinstance(model, Pipeline) else Pipeline([("model", model)])
