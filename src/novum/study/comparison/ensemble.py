r"""The ensemble of the best: which models are in it, with which weights, and how good it is on rows that had no say in either.

Members are the best settings of the best candidates, then further settings of these. A fold f is judged with the weights of

    w^(f) = weights learned from the predictions of the other folds                                                  (1)

(novum.study.comparison.blend), so its rows say nothing about the mean that judges them.
"""

from typing import NamedTuple

import numpy as np

from novum.base.candidacy import EARLY, PASSES
from novum.study.comparison.blend import steady_weights
from novum.study.comparison.board import Board
from novum.study.comparison.tuning import Judge
from novum.study.data.task import CLASSIFICATION
from novum.study.scoring.measures import Predicted

__all__ = ["Mixture", "best_mixture"]

MOST_NAMES, MOST_MEMBERS, MOST_PARTS = 6, 12, 6  # names that are tried, settings of them, and what stays
LEAST_WEIGHT = 0.02


class Mixture(NamedTuple):
    """A weighted mean of models that were compared."""

    places: list[int]  # of its parts on the board
    weights: list[float]
    values: np.ndarray  # (folds,): its scores


class Evidence(NamedTuple):
    """What the weights are learned from."""

    made: dict[int, np.ndarray]  # (members, rows[, classes]) by fold
    truth: np.ndarray  # numbers, or the numbers of the classes
    board: Board

    def weights(self, folds: list[int]) -> np.ndarray:
        """Return the weights that the predictions of some folds speak for."""
        rows, tests = self.board.rows, [self.board.folds[f].test for f in folds]
        test = np.concatenate(tests)
        weight = None if rows.weight is None else rows.weight[test]
        return steady_weights(
            np.concatenate([self.made[f] for f in folds], axis=1), self.truth[test], weight, rows.judge.measure.name
        )


def members_of(board: Board, used: np.ndarray) -> list[int]:
    """Return what may be in the ensemble: the best of every name, the best first, then further settings of these."""
    judge = board.rows.judge
    ranked = [c for c in board.ranked(used) if not board.candidates[c].baseline]
    places = np.flatnonzero(used).tolist()
    ranked = [c for c in ranked if all(usable(board.done[c, f].predicted, judge.kind) for f in places)]
    best: dict[str, int] = {}
    for c in ranked:
        best.setdefault(board.candidates[c].name, c)
    first = list(best.values())[:MOST_NAMES]
    if len(first) < 2:
        return []
    names = {board.candidates[c].name for c in first}
    others, tried = [], {settings_but_passes(board, c) for c in first}
    for c in ranked:
        settings = settings_but_passes(board, c)
        if board.candidates[c].name in names and settings not in tried:
            others.append(c)
            tried.add(settings)
    return (first + others)[:MOST_MEMBERS]


def settings_but_passes(board: Board, c: int) -> str:
    """Return what tells a candidate and its settings apart from all that is not the same model, earlier or later."""
    candidate = board.candidates[c]
    return repr((candidate.name, {name: v for name, v in candidate.change.items() if name not in (PASSES, EARLY)}))


def best_mixture(board: Board, used: np.ndarray) -> Mixture | None:
    """Return the ensemble of the best; None where it would have one part."""
    rows, judge = board.rows, board.rows.judge
    folds = np.flatnonzero(used).tolist()
    members = members_of(board, used)
    if len(members) < 2 or len(folds) < 2:
        return None
    made = {f: np.stack([prediction_array(board.done[c, f].predicted, judge.kind) for c in members]) for f in folds}
    truth = np.searchsorted(judge.classes, rows.y) if judge.kind == CLASSIFICATION else rows.y.astype(np.float64)
    evidence, values = Evidence(made, truth, board), []
    for f in folds:
        others = [g for g in folds if g != f and board.folds[g].repeat == board.folds[f].repeat]
        if not others:
            return None
        mixed = np.tensordot(evidence.weights(others), made[f], axes=1)
        test = board.folds[f].test
        weight = None if rows.weight is None else rows.weight[test]
        values.append(judge.measure.score(rows.y[test], decided(mixed, judge), judge.classes, weight))
    final = fewer(evidence.weights(folds))
    parts = [(c, float(w)) for c, w in zip(members, final) if w > 0]
    if len(parts) < 2 or not np.isfinite(values).all():
        return None
    return Mixture([c for c, _ in parts], [w for _, w in parts], np.array(values))


def fewer(weights: np.ndarray) -> np.ndarray:
    """Return the weights without the small ones; those of at most so many parts."""
    least = np.sort(weights)[-min(MOST_PARTS, len(weights))]
    kept = np.where((weights < LEAST_WEIGHT) | (weights < least), 0.0, weights)
    return kept / kept.sum()


def usable(said: Predicted | None, kind: str) -> bool:
    return said is not None and (kind != CLASSIFICATION or said.proba is not None)


def prediction_array(said: Predicted | None, kind: str) -> np.ndarray:
    assert said is not None
    return np.asarray(said.proba if kind == CLASSIFICATION else said.values)


def decided(mixed: np.ndarray, judge: Judge) -> Predicted:
    """Return the ensemble's prediction from its mean."""
    if judge.kind != CLASSIFICATION:
        return Predicted(mixed, None)
    best = np.argmax(mixed, axis=1) if judge.costs is None else np.argmin(mixed @ judge.costs, axis=1)
    return Predicted(judge.classes[best], mixed)
