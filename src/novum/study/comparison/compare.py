"""The comparison: every candidate on the same folds, at its first settings, then with the others that are worth a try.

The order of the fits: candidates at their first settings on the first set of folds, boosting before all others; then settings worth
a try, those of the best candidates first (novum.study.comparison.portfolio); then further sets of folds. Whenever it ends early, by
Ctrl-C or by the time limit, one whole set of folds is there for the models that matter most; only whole sets are compared (of the
first two folds, where there was time for no more). A candidate has one row, with its chosen settings. The ensemble
(novum.study.comparison.ensemble) is made of the predictions that are there.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from novum.base.candidacy import EARLY, PASSES
from novum.report.result import result
from novum.study.comparison.board import LEAST_FITS, Board, last_seconds
from novum.study.comparison.calibration import helpful_temperature
from novum.study.comparison.candidates import ENSEMBLE_RANK, STACK_RANK, Candidate
from novum.study.comparison.clock import Clock
from novum.study.comparison.ensemble import Mixture, best_mixture, best_stack, evidence_of
from novum.study.comparison.fits import CandidateFit, FittedCandidate, Fold, Outcome, Rows
from novum.study.comparison.portfolio import stages_of
from novum.study.comparison.workers import Crew, outcomes
from novum.study.scoring.measures import Predicted
from novum.study.scoring.row_values import row_values

__all__ = ["EnsembleMember", "Joint", "Scores", "compare", "models_of", "parts_of"]

FIRST_SHARE = 0.05  # of the time, for each of the first fits
MODEL_SHARE, LEAST_SECONDS = 0.25, 1.0  # of the time, for one model at its first settings; of a fit, whatever the time
MOST_RESERVED = 0.35  # of the time, for the last fits
RESERVED_OF_ALL = 0.3  # where all rows are compared, whose folds have models


@result
class EnsembleMember(NamedTuple):
    """A member of the ensemble, or of the models under a second layer."""

    candidate: Candidate
    weight: float
    bias: tuple[float, ...] | None = None  # of the second layer, which all its members share


@result
class Joint(NamedTuple):
    """What a row of the leaderboard is made of that is made of several."""

    parts: list[EnsembleMember]
    models: list[list[FittedCandidate]]  # by part, of the folds, where time is limited


@result
class Scores(NamedTuple):
    """Scores of the candidates that were compared, on the folds that all of them finished."""

    candidates: list[Candidate]
    values: np.ndarray  # (candidates, folds)
    seconds: np.ndarray  # (candidates,): mean of a fit
    sizes: np.ndarray  # (candidates,): bytes of a model's file
    last: np.ndarray  # (candidates,): mean seconds of the fit alone
    folds: list[Fold]
    fits: int  # done, of `planned`
    planned: int
    elapsed: float
    processes: int
    notes: list[str]
    stopped: str  # "", "interrupted" or "time limit"
    predicted: list[list[Predicted | None]] = []  # (candidates, folds): of the rows that judge a fold
    truth: list[
        tuple[np.ndarray, np.ndarray | None]
    ] = []  # by fold: numbers of the classes of these rows, their weights
    joint: dict[int, Joint] = {}  # by place among the candidates
    models: list[list[FittedCandidate]] = []  # (candidates,): of the folds, where time is limited
    temperatures: list[float] = []  # (candidates,): that the probabilities need, by the folds
    by_rows: list[np.ndarray | None] = []  # (candidates,): what every row adds to the mean


class Progress(Protocol):
    """Keeps outcomes for another day."""

    def find(self, task: CandidateFit) -> Outcome | None: ...
    def keep(self, task: CandidateFit, outcome: Outcome) -> None: ...


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
    start = time.perf_counter()
    clock = clock or Clock(start, None)
    board = Board(rows, folds, clock.seconds)
    planned, stopped, crew = 0, "", Crew(rows, processes)
    try:
        for stage, tasks_of in stages_of(board, candidates, tune):
            each = seconds_of_a_fit(clock, folds, processes)
            if last_rows > len(rows.y):
                each = to_fit_again(each, clock, last_rows / float(np.mean([len(fold.train) for fold in folds])))
            tasks = tasks_of(each)
            tasks = [task._replace(keep=clock.set_by_user, aim=aim_of(task, clock)) for task in tasks]
            planned += len(tasks)
            waiting = []
            for task in tasks:
                known = found_again(progress, task, board) if progress else None
                if known is not None:
                    board.take(known)
                else:
                    waiting.append(task)
            by_place = {(task.model, task.fold): task for task in waiting}
            least = 0 if planned > len(tasks) else LEAST_FITS  # of the first stage alone
            stream = outcomes(rows, waiting, crew, clock, cluster, least)
            try:
                for outcome in stream:
                    board.take(outcome)
                    if progress:
                        task = by_place[outcome.model, outcome.fold]
                        for one in (outcome, *outcome.stages):
                            progress.keep(task._replace(candidate=board.candidates[one.model]), one)
                    advance(board.fits_done, planned)
                    if stage != "further" and board.finished(outcome.model, 0):
                        most = MOST_RESERVED if last_rows > len(rows.y) else RESERVED_OF_ALL
                        clock.reserve(min(board.last_seconds(last_rows), most * (clock.seconds or 0.0)))
                    if stage == "first" and board.finished(outcome.model, 0):
                        mean = float(np.nanmean(board.values(outcome.model)))
                        formed(board.candidates[outcome.model].name, mean)
            finally:
                stream.close()
            if board.fits_done < planned:
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


def found_again(progress: Progress, task: CandidateFit, board: Board) -> Outcome | None:
    """Return the outcome of a fit that was made before, with those of its first passes; None where one of them is missing."""
    candidates = [task.candidate, *(board.candidates[place] for place, _ in task.stages)]
    found = [progress.find(task._replace(candidate=candidate)) for candidate in candidates]
    if any(one is None for one in found):
        return None
    first, *others = [one for one in found if one is not None]
    places = [place for place, _ in task.stages]
    return first._replace(stages=tuple(one._replace(model=place) for place, one in zip(places, others)))


def aim_of(task: CandidateFit, clock: Clock) -> float | None:
    """Return how long a fit that is made in any case is to take, so that a comparison begins in the first part of the time."""
    if task.seconds is not None or clock.seconds is None:
        return None
    return max(LEAST_SECONDS * clock.slowness / 2, FIRST_SHARE * clock.seconds)


def seconds_of_a_fit(clock: Clock, folds: list[Fold], processes: int) -> float | None:
    """Return how long a fit may take, so that no model has more than its share of the time."""
    if clock.seconds is None:
        return None
    return max(
        LEAST_SECONDS * clock.slowness,
        MODEL_SHARE * clock.seconds * processes / sum(fold.repeat == 0 for fold in folds),
    )


def to_fit_again(seconds: float | None, clock: Clock, growth: float) -> float | None:
    """Return how long a fit of a sample's fold may take, so that the last ones, on `growth` times the rows, fit in the reserve."""
    if seconds is None or not clock.set_by_user:
        return seconds
    return min(seconds, MOST_RESERVED * (clock.seconds or 0.0) / last_seconds(1.0, growth))


def gather(board: Board, planned: int, elapsed: float, processes: int, stopped: str) -> Scores:
    """Return the largest comparison that is complete."""
    used = board.used_folds()
    order = np.flatnonzero(used).tolist()
    entries = board.entries(used)
    chosen = [entry.place for entry in entries]
    names = {board.candidates[c].name for c in chosen}
    said = {
        (board.candidates[c].name, text) for (c, _), one in board.done.items() for text in one.messages if not one.error
    }
    notes = [*problems(board), *(f"{name} warned: {text}" for name, text in sorted(said) if name in names)]
    failed = {board.candidates[c].name for c in range(len(board.candidates)) if board.error(c)}
    unfinished = list(dict.fromkeys(c.name for c in board.candidates if c.name not in names and c.name not in failed))
    notes += [f"not finished: {', '.join(unfinished)}"] if unfinished else []
    return Scores(
        candidates=[settled(board, c, used) for c in chosen],
        values=np.array([[board.done[entry.by_fold[f], f].score for f in order] for entry in entries]).reshape(
            len(entries), len(order)
        ),
        seconds=np.array([board.column(c, "seconds")[used].mean() for c in chosen]),
        sizes=np.array([size_on(board, c) for c in chosen]),
        last=np.array([board.column(c, "last")[used].mean() for c in chosen]),
        folds=[board.folds[f] for f in order],
        fits=board.fits_done,
        planned=planned,
        elapsed=elapsed,
        processes=processes,
        predicted=[[one.predicted if (one := board.done.get((c, f))) else None for f in order] for c in chosen],
        truth=[truth_of(board, f) for f in order] if board.rows.judge.classes is not None else [],
        notes=notes,
        stopped=stopped,
        models=[fold_models(board, c, used) for c in chosen],
        temperatures=[1.0 if board.candidates[c].baseline else temperature_of(board, [c], [1.0], used) for c in chosen],
        by_rows=[values_by_rows(board, order, [board.done[e.by_fold[f], f].predicted for f in order]) for e in entries],
    )


def values_by_rows(board: Board, folds: list[int], said: list[Predicted | None]) -> np.ndarray | None:
    """Return what every row adds to the mean of these folds, given what is said of the rows that judge them."""
    rows = board.rows
    if rows.weight is not None:
        return None
    return row_values(rows.judge.measure, rows.y, said, [board.folds[f].test for f in folds], rows.judge.classes)


def problems(board: Board) -> list[str]:
    """Return why candidates, or settings of them, are left out: a sentence for each candidate and reason."""
    found = []
    for c, candidate in enumerate(board.candidates):
        if error := board.error(c):
            how = f" with {worded(candidate.change)}" if candidate.tuned else ""
            found.append(f"{candidate.name}{how} is left out: {error}")
    return found


def worded(change: dict[str, Any]) -> str:
    """Return settings in words."""
    return ", ".join(f"{name} {value}" for name, value in change.items())


def settled(board: Board, c: int, used: np.ndarray) -> Candidate:
    """Return a candidate with its settings, and with the passes after which it ended on the folds, their mean."""
    candidate = board.candidates[c]
    ended = [board.done[c, f].settings for f in np.flatnonzero(used).tolist()]
    if not ended or not all(PASSES in one for one in ended):
        return candidate
    passes = max(1, round(float(np.mean([one[PASSES] for one in ended]))))
    return candidate._replace(change={**candidate.change, PASSES: passes, EARLY: False})


def size_on(board: Board, c: int) -> float:
    """Return the bytes of a candidate's file, by its first fold."""
    return float(board.done[c, 0].size) if (c, 0) in board.done else 0.0


def truth_of(board: Board, f: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the numbers of the classes of the rows that judge a fold, and their weights."""
    rows, test = board.rows, board.folds[f].test
    return np.searchsorted(rows.judge.classes, rows.y[test]), None if rows.weight is None else rows.weight[test]


def temperature_of(board: Board, places: list[int], weights: list[float], used: np.ndarray) -> float:
    """Return the temperature that the probabilities of a weighted mean need on the first set of folds; 1 for none."""
    parts, folds = [], [f for f in np.flatnonzero(used).tolist() if board.folds[f].repeat == 0]
    if board.rows.judge.classes is None:
        return 1.0
    for f in folds:
        said = [board.done[c, f].predicted for c in places]
        if any(one is None or one.proba is None for one in said):
            return 1.0
        mixed = np.tensordot(
            np.array(weights), np.stack([np.asarray(one.proba) for one in said if one is not None]), axes=1
        )
        parts.append((mixed, *truth_of(board, f)))
    ratio = sum(len(board.folds[f].test) for f in folds) / sum(len(board.folds[f].train) for f in folds)
    return helpful_temperature(parts, ratio)


def fold_models(board: Board, c: int, used: np.ndarray) -> list[FittedCandidate]:
    """Return the models of the folds, where they were kept."""
    found = [board.done[c, f] for f in np.flatnonzero(used).tolist() if board.folds[f].repeat == 0]
    change = board.candidates[c].change
    return [FittedCandidate(one.pipeline, change, one.last) for one in found if one.pipeline is not None]


def with_ensemble(scores: Scores, board: Board) -> Scores:
    """Return the scores with rows for the ensemble of the best and for a second layer over them, where they have several parts."""
    used = board.used_folds()
    evidence = evidence_of(board, used)
    if evidence is None:
        return scores
    for name, rank, best in (("ensemble", ENSEMBLE_RANK, best_mixture), ("stack", STACK_RANK, best_stack)):
        if (mixture := best(evidence)) is not None:
            scores = with_row(scores, board, used, Candidate(name, "novum", None, rank, scaled=True), mixture)
    return scores


def with_row(scores: Scores, board: Board, used: np.ndarray, candidate: Candidate, mixture: Mixture) -> Scores:
    """Return the scores with a row for what is made of several."""
    places = mixture.places
    parts = [EnsembleMember(settled(board, c, used), w, mixture.bias) for c, w in zip(places, mixture.weights)]
    temperature = temperature_of(board, places, mixture.weights, used) if mixture.bias is None else 1.0

    def total(field: str) -> float:
        return float(sum(board.column(c, field)[used].mean() for c in places))

    return scores._replace(
        candidates=[*scores.candidates, candidate],
        values=np.vstack([scores.values, mixture.values]),
        seconds=np.append(scores.seconds, total("seconds")),
        sizes=np.append(scores.sizes, sum(size_on(board, c) for c in places)),
        last=np.append(scores.last, total("last")),
        joint={**scores.joint, len(scores.candidates): Joint(parts, [fold_models(board, c, used) for c in places])},
        models=[*scores.models, []],
        temperatures=[*scores.temperatures, temperature],
        by_rows=[*scores.by_rows, values_by_rows(board, np.flatnonzero(used).tolist(), mixture.said)],
    )


def parts_of(scores: Scores, position: int) -> list[EnsembleMember]:
    """Return what a row of the leaderboard is made of: a candidate, or the parts of what is made of several."""
    joint = scores.joint.get(position)
    return [EnsembleMember(scores.candidates[position], 1.0)] if joint is None else joint.parts


def models_of(scores: Scores, position: int) -> list[list[FittedCandidate]]:
    """Return the models of the folds of everything that a row is made of, where they were kept."""
    joint = scores.joint.get(position)
    return scores.models[position : position + 1] if joint is None else joint.models
