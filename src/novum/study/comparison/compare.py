"""The comparison: every candidate on the same folds, first as it is, then with settings sought inside every training part.

The order of the fits is: candidates at their first settings on the first set of folds, those first that are often among the best;
then the tuned ones, those first that did best; then further sets of folds for all. So whenever it ends early, by Ctrl-C or by the
time limit, one whole set of folds is there for the models that matter most; only whole sets are compared (of the first set two
folds, where there was time for no more). A candidate has one row, the better of the two. The ensemble
(novum.study.comparison.blend) is made of the predictions that are there, and costs no fit.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from novum.report.result import result
from novum.study.comparison.blend import steady_weights
from novum.study.comparison.board import LEAST_FITS, Board
from novum.study.comparison.candidates import ENSEMBLE_RANK, Candidate
from novum.study.comparison.clock import Clock
from novum.study.comparison.fits import CandidateFit, FittedCandidate, Fold, Outcome, Rows
from novum.study.comparison.workers import Crew, outcomes
from novum.study.data.task import CLASSIFICATION
from novum.study.scoring.measures import Predicted

__all__ = ["EnsembleMember", "Scores", "compare", "parts_of"]

FEW_ROWS, MANY_COLUMNS = 3_000, 500
TUNED, TUNED_OF_MANY = 5, 3  # how many of the best are tuned, and of a table of more rows or columns
MOST_PARTS = 5  # models of the ensemble
LEAST_WEIGHT = 0.02
MODEL_SHARE, LEAST_SECONDS = 0.25, 1.0  # of the time, for one model at its first settings; of a fit, whatever the time
MOST_RESERVED = 0.5  # of the time, for the last fits: of more rows than that allows some are taken


@result
class EnsembleMember(NamedTuple):
    """A member of the ensemble."""

    candidate: Candidate
    weight: float


@result
class Scores(NamedTuple):
    """Scores of the candidates that were compared, on the folds that all of them finished."""

    candidates: list[Candidate]
    values: np.ndarray  # (candidates, folds)
    seconds: np.ndarray  # (candidates,): mean of a fit
    sizes: np.ndarray  # (candidates,): bytes of a model's file
    last: np.ndarray  # (candidates,): mean seconds of a fit without the search for its settings
    folds: list[Fold]
    fits: int  # done, of `planned`
    planned: int
    elapsed: float
    processes: int
    notes: list[str]
    stopped: str  # "", "interrupted" or "time limit"
    predicted: list[list[Predicted | None]] = []  # (candidates, folds): of the rows that judge a fold
    parts: list[EnsembleMember] = []  # of the ensemble
    models: list[FittedCandidate | None] = []  # (candidates,): of the first fold, where time is limited


class Progress(Protocol):
    """Keeps outcomes for another day."""

    def find(self, task: CandidateFit) -> Outcome | None: ...
    def keep(self, task: CandidateFit, outcome: Outcome) -> None: ...


def to_tune(board: Board) -> list[Candidate]:
    """Return the candidates whose settings are worth a search, the best first."""
    used = board.used_folds()
    better = board.rows.judge.measure.better
    able = [c for c in board.best_of_each(used) if (tag := board.candidates[c].candidacy) and tag.search]
    able.sort(key=lambda c: -better(board.values(c)[used].mean()))
    many = len(board.rows.y) > FEW_ROWS or board.rows.frame.shape[1] > MANY_COLUMNS
    most = TUNED_OF_MANY if many else TUNED
    return [board.candidates[c]._replace(tuned=True) for c in able[:most]]


def compare(
    candidates: list[Candidate],
    rows: Rows,
    folds: list[Fold],
    *,
    processes: int = 1,
    tune: bool = True,
    ensemble: bool = True,
    clock: Clock | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    last_rows: int = 0,
    advance: Callable[[int, int], None] = lambda done, planned: None,
    formed: Callable[[str, float], None] = lambda name, mean: None,
) -> Scores:
    """Fit every candidate on every fold.

    Parameters
    ----------
    clock : Clock or None
        How long there is; enough of it is kept for the last fits of the best so far.
    last_rows : int
        Rows that the kept model will be fitted on.
    advance : callable
        Called after every fit with how many are done, of how many.
    formed : callable
        Called with the name and mean of a candidate when it has finished its folds.
    """
    board, start = Board(rows, folds), time.perf_counter()
    clock = clock or Clock(start, None)
    planned, stopped, crew = 0, "", Crew(rows, processes)
    further = max(fold.repeat for fold in folds) > 0
    try:
        for stage in ("first", *(("tuned",) if tune else ()), *(("further",) if further else ())):
            seconds = seconds_of_a_fit(clock, folds, processes)
            tasks = (
                board.repeat(seconds)
                if stage == "further"
                else board.add(candidates if stage == "first" else to_tune(board), seconds)
            )
            tasks = [task._replace(keep=clock.set_by_user and task.fold == 0) for task in tasks]
            planned += len(tasks)
            waiting = []
            for task in tasks:
                known = progress.find(task) if progress else None
                if known is not None:
                    board.done[task.model, task.fold] = known
                else:
                    waiting.append(task)
            by_place = {(task.model, task.fold): task for task in waiting}
            least = LEAST_FITS if stage == "first" else 0
            stream = outcomes(rows, waiting, crew, clock, cluster, least)
            try:
                for outcome in stream:
                    place = outcome.model, outcome.fold
                    board.done[place] = outcome
                    if progress:
                        progress.keep(by_place[place], outcome)
                    advance(len(board.done), planned)
                    if stage != "further" and board.finished(outcome.model, 0):
                        clock.reserve(min(board.last_seconds(last_rows), MOST_RESERVED * (clock.seconds or 0.0)))
                        mean = float(np.nanmean(board.values(outcome.model)))
                        formed(label_of(board.candidates[outcome.model]), mean)
            finally:
                stream.close()
            if len(board.done) < planned:
                stopped = "time limit"
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
    finally:
        crew.end()
    if stopped == "time limit":
        board.leave_out()
    scores = gather(board, planned, time.perf_counter() - start, processes, stopped)
    return with_ensemble(scores, board) if ensemble and stopped != "interrupted" else scores


def seconds_of_a_fit(clock: Clock, folds: list[Fold], processes: int) -> float | None:
    """Return how long a fit may take, so that no model has more than its share of the time."""
    if clock.seconds is None:
        return None
    return max(
        LEAST_SECONDS * clock.slowness,
        MODEL_SHARE * clock.seconds * processes / sum(fold.repeat == 0 for fold in folds),
    )


def label_of(candidate: Candidate) -> str:
    return candidate.name + (", tuned" if candidate.tuned else "")


def gather(board: Board, planned: int, elapsed: float, processes: int, stopped: str) -> Scores:
    """Return the largest comparison that is complete."""
    used = board.used_folds()
    chosen = board.best_of_each(used)
    names = {board.candidates[c].name for c in chosen}
    notes: list[str] = []
    for c, candidate in enumerate(board.candidates):
        if (error := board.error(c)) and not candidate.tuned:
            notes.append(f"{candidate.name} is left out: {error}")
        elif error:
            notes.append(f"{candidate.name} is not tuned: {error}")
    said = {
        (board.candidates[c].name, text) for (c, _), one in board.done.items() for text in one.messages if not one.error
    }
    notes += [f"{name} warned: {text}" for name, text in sorted(said) if name in names]
    failed = {board.candidates[c].name for c in range(len(board.candidates)) if board.error(c)}
    unfinished = list(dict.fromkeys(c.name for c in board.candidates if c.name not in names and c.name not in failed))
    notes += [f"not finished: {', '.join(unfinished)}"] if unfinished else []
    order = np.flatnonzero(used).tolist()

    def mean_of(field: str, c: int) -> float:
        return float(np.mean([getattr(board.done[c, f], field) for f in order]))

    return Scores(
        candidates=[board.candidates[c] for c in chosen],
        values=np.array([board.values(c)[used] for c in chosen]).reshape(len(chosen), len(order)),
        seconds=np.array([mean_of("seconds", c) for c in chosen]),
        sizes=np.array([float(board.done[c, 0].size) if (c, 0) in board.done else 0.0 for c in chosen]),
        last=np.array([mean_of("last", c) for c in chosen]),
        folds=[board.folds[f] for f in order],
        fits=len(board.done),
        planned=planned,
        elapsed=elapsed,
        processes=processes,
        predicted=[[one.predicted if (one := board.done.get((c, f))) else None for f in order] for c in chosen],
        notes=notes,
        stopped=stopped,
        models=[fold_model(board.done.get((c, 0))) for c in chosen],
    )


def fold_model(outcome: Outcome | None) -> FittedCandidate | None:
    """Return the model of a fold, where it was kept."""
    return None if outcome is None or outcome.pipeline is None else FittedCandidate(outcome.pipeline, outcome.settings)


def with_ensemble(scores: Scores, board: Board) -> Scores:
    """Return the scores with a row for the ensemble of the best, where it has more than one part."""
    rows, judge = board.rows, board.rows.judge
    used = np.flatnonzero(board.used_folds()).tolist()
    chosen = [c for c in board.best_of_each(board.used_folds()) if not board.candidates[c].baseline]
    means = {c: judge.measure.better(board.values(c)[used].mean()) for c in chosen}
    members = sorted(chosen, key=lambda c: -means[c])[:MOST_PARTS]
    members = [c for c in members if all(usable(board.done[c, f].predicted, judge.kind) for f in used)]
    if len(members) < 2:
        return scores
    made = {f: np.stack([prediction_array(board.done[c, f].predicted, judge.kind) for c in members]) for f in used}
    truth = np.searchsorted(judge.classes, rows.y) if judge.kind == CLASSIFICATION else rows.y

    def weights_from(places: list[int]) -> np.ndarray:
        test = np.concatenate([board.folds[f].test for f in places])
        weight = None if rows.weight is None else rows.weight[test]
        return steady_weights(np.concatenate([made[f] for f in places], axis=1), truth[test], weight)

    values = []
    for f in used:
        others = [g for g in used if g != f and board.folds[g].repeat == board.folds[f].repeat]
        mixed = np.tensordot(weights_from(others), made[f], axes=1)
        test = board.folds[f].test
        weight = None if rows.weight is None else rows.weight[test]
        values.append(judge.measure.score(rows.y[test], decided(mixed, judge), judge.classes, weight))
    final = weights_from(list(used))
    final = np.where(final < LEAST_WEIGHT, 0.0, final)
    parts = [EnsembleMember(board.candidates[c], float(w)) for c, w in zip(members, final / final.sum()) if w > 0]
    if len(parts) < 2 or not np.isfinite(values).all():
        return scores
    names = [one.name for one in scores.candidates]
    places = [names.index(part.candidate.name) for part in parts]
    candidate = Candidate("ensemble", "novum", None, ENSEMBLE_RANK, scaled=True)
    return scores._replace(
        candidates=[*scores.candidates, candidate],
        values=np.vstack([scores.values, values]),
        seconds=np.append(scores.seconds, scores.seconds[places].sum()),
        sizes=np.append(scores.sizes, scores.sizes[places].sum()),
        last=np.append(scores.last, scores.last[places].sum()),
        parts=parts,
    )


def parts_of(scores: Scores, position: int) -> list[EnsembleMember]:
    """Return what a row of the leaderboard is made of: a candidate, or the parts of the ensemble."""
    candidate = scores.candidates[position]
    return scores.parts if candidate.estimator is None else [EnsembleMember(candidate, 1.0)]


def usable(said: Predicted | None, kind: str) -> bool:
    return said is not None and (kind != CLASSIFICATION or said.proba is not None)


def prediction_array(said: Any, kind: str) -> np.ndarray:
    return said.proba if kind == CLASSIFICATION else said.values


def decided(mixed: np.ndarray, judge: Any) -> Predicted:
    """Return the ensemble's prediction from its mean."""
    if judge.kind != CLASSIFICATION:
        return Predicted(mixed, None)
    best = np.argmax(mixed, axis=1) if judge.costs is None else np.argmin(mixed @ judge.costs, axis=1)
    return Predicted(judge.classes[best], mixed)
