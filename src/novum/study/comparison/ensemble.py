r"""The ensemble of the best: which models are in it, with which weights, and how good it is on rows that had no say in either.

Members are the best settings of the best candidates, then further settings of these. A fold f is judged with the weights of

    w^(f) = weights learned from the predictions of the other folds                                                  (1)

(novum.study.comparison.blend), so its rows say nothing about the mean that judges them. So is the second layer over the same
members (novum.study.comparison.stack).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.base.candidacy import EARLY, PASSES
from novum.study.comparison.blend import Blend, Combination, steady_weights
from novum.study.comparison.board import Board
from novum.study.comparison.stack import Stack, second_layer
from novum.study.comparison.tuning import Judge
from novum.study.data.task import CLASSIFICATION
from novum.study.scoring.measures import Predicted

__all__ = ["Mixture", "best_mixture", "best_stack", "evidence_of"]

MOST_NAMES, MOST_MEMBERS, MOST_PARTS = 6, 12, 6  # names that are tried, settings of them, and what stays
LEAST_WEIGHT = 0.02
LEAST_STACKED = 300  # rows for a second layer


class Mixture(NamedTuple):
    """A weighted mean of models that were compared, or a second layer over them."""

    places: list[int]  # of its parts on the board
    weights: list[float]
    values: np.ndarray  # (folds,): its scores
    said: list[Predicted | None]  # (folds,): of the rows that judge them
    bias: tuple[float, ...] | None = None  # of the second layer


class Evidence(NamedTuple):
    """What the weights are learned from."""

    members: list[int]  # places on the board, the best first
    made: dict[int, np.ndarray]  # (members, rows[, classes]) by fold
    truth: np.ndarray  # numbers, or the numbers of the classes
    board: Board

    def weights(self, folds: list[int]) -> np.ndarray:
        """Return the weights that the predictions of some folds speak for."""
        return steady_weights(*self.of(folds), self.board.rows.judge.measure.name)

    def layer(self, folds: list[int], chosen: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the second layer over some members that the predictions of some folds speak for."""
        made, truth, weight = self.of(folds)
        center = steady_weights(made, truth, weight, self.board.rows.judge.measure.name)
        return second_layer(made[chosen], truth, weight, center[chosen])

    def of(self, folds: list[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Return what the members say of the rows of some folds, the truth and the weights of the rows."""
        weight, test = self.board.rows.weight, np.concatenate([self.board.folds[f].test for f in folds])
        made = np.concatenate([self.made[f] for f in folds], axis=1)
        return made, self.truth[test], None if weight is None else weight[test]

    def judged(self, learned: Callable[[list[int]], Combination]) -> tuple[np.ndarray, list[Predicted | None]]:
        """Return the score on every fold of what is learned from the other folds of its set, and what it says there."""
        rows, judge, values, said = self.board.rows, self.board.rows.judge, [], list[Predicted | None]()
        for f in self.made:
            fold = self.board.folds[f]
            mixed = learned([g for g in self.made if g != f and self.board.folds[g].repeat == fold.repeat]).combined(
                self.made[f]
            )
            weight = None if rows.weight is None else rows.weight[fold.test]
            found = decided(mixed, judge)
            said.append(found)
            values.append(judge.measure.score(rows.y[fold.test], found, judge.classes, weight))
        return np.array(values), said


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


def evidence_of(board: Board, used: np.ndarray) -> Evidence | None:
    """Return what the best say of rows that they had not seen; None where they are too few."""
    rows, judge = board.rows, board.rows.judge
    folds = np.flatnonzero(used).tolist()
    members = members_of(board, used)
    alone = [f for f in folds if sum(board.folds[g].repeat == board.folds[f].repeat for g in folds) == 1]
    if len(members) < 2 or alone:
        return None
    made = {f: np.stack([prediction_array(board.done[c, f].predicted, judge.kind) for c in members]) for f in folds}
    truth = np.searchsorted(judge.classes, rows.y) if judge.kind == CLASSIFICATION else rows.y.astype(np.float64)
    return Evidence(members, made, truth, board)


def best_mixture(evidence: Evidence) -> Mixture | None:
    """Return the ensemble of the best; None where it would have one part."""
    values, said = evidence.judged(lambda others: Blend([], evidence.weights(others)))
    final = fewer(evidence.weights(list(evidence.made)))
    parts = [(c, float(w)) for c, w in zip(evidence.members, final) if w > 0]
    if len(parts) < 2 or not np.isfinite(values).all():
        return None
    return Mixture([c for c, _ in parts], [w for _, w in parts], values, said)


def best_stack(evidence: Evidence) -> Mixture | None:
    """Return the second layer over the best; None where the rows are too few for it, or it would have one part."""
    folds = list(evidence.made)
    if len(evidence.board.rows.y) < LEAST_STACKED:
        return None
    values, said = evidence.judged(lambda others: Stack([], *evidence.layer(others, slice(None))))
    weights, _ = evidence.layer(folds, slice(None))
    least = max(LEAST_WEIGHT, np.sort(weights)[-min(MOST_PARTS, len(weights))])
    kept = np.flatnonzero(weights >= least)
    if len(kept) < 2 or not np.isfinite(values).all():
        return None
    weights, bias = evidence.layer(folds, kept)
    return Mixture([evidence.members[i] for i in kept], weights.tolist(), values, said, tuple(bias.tolist()))


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
