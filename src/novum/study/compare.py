"""The comparison: every candidate on the same folds, in as many processes as there are cores, to be stopped at any time.

The order of the fits is repetition, candidate, fold. So whenever it ends early, by Ctrl-C or by the time limit, some number
of whole repetitions is there for all candidates, or at least one whole set of folds for some; only these are compared.
"""

import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from novum.evaluation.comparison.shared_folds import Fold, Outcome, outcomes
from novum.study.candidates import Candidate
from novum.study.measures import Measure
from novum.study.pipelines import pipeline_for
from novum.study.task import CLASSIFICATION

__all__ = ["Fold", "Outcome", "Scores", "compare", "make_folds", "plan"]

FOLDS = 10
REPEATS = ((2_000, 3), (20_000, 1))  # rows up to which there are so many repetitions of ten folds
MANY_ROWS_FOLDS = 5  # beyond: one repetition of five
FEW_FITS = 40  # fewer small fits than this are not worth starting processes for


class Scores(NamedTuple):
    """Scores of the candidates that were compared, on the folds that all of them finished."""

    candidates: list[Candidate]
    values: np.ndarray  # (candidates, folds)
    seconds: np.ndarray  # (candidates,): mean of a fit
    folds: list[Fold]
    fits: int  # done, of `planned`
    planned: int
    elapsed: float
    processes: int
    notes: list[str]
    stopped: str  # "", "interrupted" or "time limit"


def plan(n_rows: int, smallest_class: int, folds: int | None, repeats: int | None) -> tuple[int, int]:
    """Return how many folds and repetitions a table of so many training rows gets."""
    usual = next((count for limit, count in REPEATS if n_rows <= limit), None)
    k = folds or (FOLDS if usual else MANY_ROWS_FOLDS)
    return max(2, min(k, smallest_class)), repeats or usual or 1


def make_folds(y: Any, task: str, k: int, repeats: int, seed: int) -> list[Fold]:
    """Return the folds, the same for everybody: stratified for classes."""
    splitter: Any = RepeatedStratifiedKFold if task == CLASSIFICATION else RepeatedKFold
    splits = splitter(n_splits=k, n_repeats=repeats, random_state=seed).split(np.zeros(len(y)), y)
    return [Fold(number // k, train, test) for number, (train, test) in enumerate(splits)]


def measure_fold(measure: Measure, fitted: Any, X: Any, y: Any) -> float:
    """Return the measure of a fitted pipeline on rows."""
    return measure.score(y, fitted.predict(X))


def compare(
    candidates: list[Candidate], frame: Any, y: Any, folds: list[Fold], measure: Measure, *, processes: int = 1,
    time_limit: float | None = None, advance: Callable[[int, int], None] = lambda done, planned: None
) -> Scores:  # fmt: skip
    """Fit every candidate on every fold.

    Parameters
    ----------
    time_limit : float or None
        Seconds after which no more fits are waited for.
    advance : callable
        Told after every fit how many are done, of how many.
    """
    repeats = 1 + max(fold.repeat for fold in folds)
    pipelines = [pipeline_for(candidate, frame) for candidate in candidates]
    tasks = [
        (c, f, pipelines[c], frame, y, fold, partial(measure_fold, measure))
        for repeat in range(repeats)
        for c in range(len(candidates))
        for f, fold in enumerate(folds)
        if fold.repeat == repeat
    ]
    processes = 1 if len(tasks) < FEW_FITS else processes
    done: list[Outcome] = []
    stopped, start = "", time.perf_counter()
    stream = outcomes(tasks, processes)
    try:
        for outcome in stream:
            done.append(outcome)
            advance(len(done), len(tasks))
            if time_limit is not None and time.perf_counter() - start > time_limit and len(done) < len(tasks):
                stopped = "time limit"
                break
    except KeyboardInterrupt:
        stopped = "interrupted"
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib tells that fits were called off, which is what was asked for
            stream.close()
    elapsed = time.perf_counter() - start
    return gather(candidates, folds, done, len(tasks), elapsed, processes, stopped)


def gather(
    candidates: list[Candidate], folds: list[Fold], done: list[Outcome], planned: int, elapsed: float,
    processes: int, stopped: str
) -> Scores:  # fmt: skip
    """Return the largest comparison that is complete: whole repetitions for all candidates, or one for some."""
    values = np.full((len(candidates), len(folds)), np.nan)
    seconds = np.full_like(values, np.nan)
    failed: dict[int, str] = {}
    notes: list[str] = []
    for outcome in done:
        values[outcome.model, outcome.fold] = outcome.score
        seconds[outcome.model, outcome.fold] = outcome.seconds
        if outcome.error:
            failed.setdefault(outcome.model, outcome.error)
    notes += [f"{candidates[c].name} is left out: {error}" for c, error in sorted(failed.items())]
    said = {(candidates[o.model].name, text) for o in done for text in o.messages if o.model not in failed}
    notes += [f"{name} warned: {text}" for name, text in sorted(said)]
    rows = [c for c in range(len(candidates)) if c not in failed]
    repeat = np.array([fold.repeat for fold in folds])
    whole = [r for r in range(repeat.max() + 1) if np.isfinite(values[np.ix_(rows, repeat == r)]).all()]
    columns = np.isin(repeat, whole if whole else [0])
    complete = [c for c in rows if np.isfinite(values[c, columns]).all()]
    unfinished = [candidates[c].name for c in rows if c not in complete]
    notes += [f"not finished: {', '.join(unfinished)}"] if unfinished else []
    return Scores(
        [candidates[c] for c in complete],
        values[complete][:, columns],
        seconds[complete][:, columns].mean(axis=1) if complete else np.empty(0),
        [fold for fold, used in zip(folds, columns) if used],
        len(done),
        planned,
        elapsed,
        processes,
        notes,
        stopped,
    )
