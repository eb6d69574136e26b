"""Every model on the same splits: made once, fitted in as many processes as are worth it, failures kept with their names.

A fit that raises has the score NaN, and its error is reported. Nothing depends on the number of processes.
"""

import os
import signal
import time
import warnings
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from novum.exceptions import DataError
from novum.runtime.sklearn_private import num_samples, take_rows

__all__ = ["Fold", "Outcome", "fit_and_score", "outcomes", "run", "splits_of"]

WORTH_PROCESSES = 5.0  # seconds of work in all; starting processes costs about three, once
TRIED_ALONE = 0.5  # seconds of fits in this process before that is judged


class Fold(NamedTuple):
    """One split of the rows."""

    repeat: int
    train: np.ndarray
    test: np.ndarray


class Outcome(NamedTuple):
    """What one fit gave."""

    model: int
    fold: int
    score: float
    seconds: float
    messages: list[str]  # warnings of the fit
    error: str
    prediction: np.ndarray | None = None


class FoldFit(NamedTuple):
    """One fit to be made: the arguments of `fit_and_score`."""

    model: int
    fold: int
    estimator: Any
    X: Any
    y: Any
    split: Fold
    score: Callable[[Any, Any, Any], float]  # (fitted, X, y)
    keep: str = ""  # "labels" or "scores": predictions to keep of the test part


def positive_scores(fitted: Any, X: Any) -> Any:
    """Return what grows with the probability of the second of two classes."""
    return fitted.decision_function(X) if hasattr(fitted, "decision_function") else fitted.predict_proba(X)[:, 1]


def fit_and_score(
    model: int, fold: int, estimator: Any, X: Any, y: Any, split: Fold, score: Callable, keep: str = ""
) -> Outcome:
    """Fit on the training part and score on the other, on one thread; an error is an outcome, not the end."""
    start = time.perf_counter()
    prediction = None
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            fitted = clone(estimator).fit(take_rows(X, split.train), take_rows(y, split.train))
            test = take_rows(X, split.test), take_rows(y, split.test)
            value, error = float(score(fitted, *test)), ""
            if not np.isfinite(value):
                error = f"the score is {value}{' of a single row' if len(split.test) == 1 else ''}"
            if keep:
                prediction = np.asarray(
                    fitted.predict(test[0]) if keep == "labels" else positive_scores(fitted, test[0])
                )
        except Exception as problem:  # whatever a model raises on these rows
            text = (str(problem).splitlines() or [""])[0]
            value, error = float("nan"), f"{type(problem).__name__}: {text:.200}"
    messages = sorted({f"{w.category.__name__}: {(str(w.message).splitlines() or [''])[0]:.160}" for w in caught})
    return Outcome(model, fold, value, time.perf_counter() - start, messages, error, prediction)


def in_worker(owner: int, *arguments: Any) -> Outcome:
    """Do the same in another process, where Ctrl-C is left to the process that owns the comparison."""
    if os.getpid() != owner:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return fit_and_score(*arguments)


def outcomes(tasks: Sequence[tuple], processes: int | None) -> Generator[Outcome, None, None]:
    """Yield the outcomes as they come; None leaves the number of processes to joblib's configuration."""
    if processes == 1:
        yield from (fit_and_score(*task) for task in tasks)
        return
    from joblib import Parallel, delayed

    ordered = Parallel(n_jobs=processes, return_as="generator" if processes is None else "generator_unordered")
    yield from ordered(
        delayed(in_worker if processes else fit_and_score)(*((os.getpid(),) if processes else ()), *task)
        for task in tasks
    )


def run(tasks: Sequence[FoldFit], n_jobs: int | None) -> list[Outcome]:
    """Return all outcomes, in the order of the tasks.

    With `n_jobs` None a backend configured by `joblib.parallel_config` is used; where there is none, the first fits are timed, and
    all cores share the rest if it is worth the start of their processes.
    """
    from joblib import cpu_count
    from joblib.parallel import get_active_backend

    if n_jobs is None and get_active_backend()[1] not in (None, 1):
        done = list(outcomes(tasks, None))
    elif n_jobs is None:
        done, start = [], time.perf_counter()
        while len(done) < len(tasks) and time.perf_counter() - start < TRIED_ALONE:
            done.append(fit_and_score(*tasks[len(done)]))
        left = len(tasks) - len(done)
        usual = np.mean([one.seconds for one in done[1:] or done])  # the first fit pays for imports
        worth = left * usual > WORTH_PROCESSES
        done += outcomes(tasks[len(done) :], cpu_count() if worth else 1)
    else:
        done = list(outcomes(tasks, n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)))
    place = {(task.model, task.fold): i for i, task in enumerate(tasks)}
    return sorted(done, key=lambda one: place[one.model, one.fold])


def splits_of(owner: str, cv: Any, X: Any, y: Any, groups: Any) -> list[Fold]:
    """Return the splits, made once; rows that begin a new pass over the data begin a new repetition."""
    try:
        made = list(cv.split(X, y, groups) if groups is not None else cv.split(X, y))
    except (TypeError, ValueError) as problem:
        raise DataError(f"{owner}(cv={cv!r}): cannot split the rows: {problem}") from problem
    if not made:
        raise DataError(f"{owner}(cv={cv!r}): no split was made.")
    rows = num_samples(X)
    seen, repeat = np.zeros(rows, bool), 0
    folds: list[Fold] = []
    for train, test in made:
        train, test = (
            np.flatnonzero(part) if np.asarray(part).dtype == bool else np.asarray(part) for part in (train, test)
        )
        if len(train) == 0 or len(test) == 0:
            raise DataError(f"{owner}(cv={cv!r}): split {len(folds) + 1} has an empty part.")
        if seen[test].any():
            repeat, seen = repeat + 1, np.zeros(rows, bool)
        seen[test] = True
        folds.append(Fold(repeat, train, test))
    return folds
