"""One fit of one candidate on one fold, and many of them in as many processes as are worth it, to be stopped at any time.

A fit that raises is an outcome like any other: its model loses only itself. Rows are sent to a process once, not with every
fit. Where time is limited the fits run in other processes, which can be ended in the middle of one. Nothing depends on the number
of processes.
"""

import pickle
import signal
import time
import warnings
from collections.abc import Generator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from novum.exceptions import ParameterError
from novum.study.candidates import Candidate, model_of
from novum.study.measures import Predicted
from novum.study.pipelines import columns_for, pipeline_of
from novum.study.tuning import Judge, fit_model, predict_rows, tune

__all__ = ["Clock", "Fitted", "Fold", "Outcome", "Rows", "Task", "fit_candidate", "fit_task", "outcomes", "size_of"]

TRIED_ALONE = 1.5  # seconds of fits in this process before others are thought of
WORTH_PROCESSES = 8.0  # seconds of work left; starting processes costs about three
MANY_CELLS = 500_000  # of a table whose fits go to other processes at once


class Clock:
    """How long there is for fits: until `at`, of `time.perf_counter`; None is for ever."""

    def __init__(self, start: float, limit: float | None) -> None:
        self.limit = None if limit is None else start + limit
        self.at = self.limit

    def reserve(self, seconds: float) -> None:
        """Keep some seconds at the end for other things."""
        if self.limit is not None:
            self.at = self.limit - seconds

    def left(self) -> float | None:
        """Return the seconds until then."""
        return None if self.at is None else max(0.0, self.at - time.perf_counter())


class Rows(NamedTuple):
    """What all fits share."""

    frame: Any  # prepared: pandas, numbers and categories
    y: np.ndarray
    weight: np.ndarray | None
    judge: Judge
    prepared: dict[Any, Any] | None = None  # matrices of folds, which many candidates share; None keeps none


class Fold(NamedTuple):
    """One split of the rows."""

    repeat: int
    train: np.ndarray
    test: np.ndarray


class Task(NamedTuple):
    """One fit to be made."""

    model: int
    fold: int
    candidate: Candidate
    split: Fold


class Outcome(NamedTuple):
    """What one fit gave."""

    model: int
    fold: int
    score: float
    seconds: float
    messages: list[str]  # warnings of the fit
    error: str
    predicted: Predicted | None = None
    settings: dict[str, Any] = {}
    size: int = 0  # bytes of the model
    last: float = 0.0  # seconds of its last fit, without the search for its settings


class Fitted(NamedTuple):
    """A candidate fitted on rows."""

    pipeline: Any
    change: dict[str, Any]  # of its settings that the search took
    seconds: float = 0.0  # of the fit, without the search


def fit_candidate(rows: Rows, candidate: Candidate, train: np.ndarray, change: dict[str, Any] | None = None) -> Fitted:
    """Return the pipeline of a candidate fitted on some rows; its settings are sought among them unless they are given."""
    y = rows.y[train]
    weight = None if rows.weight is None else rows.weight[train]
    columns, X = prepared_rows(rows, candidate.scaled, train)
    if change is None:
        change = tune(rows.judge, candidate, X, y, train, weight) if candidate.tuned else {}
    model = model_of(candidate, change, y)
    if weight is not None and not has_fit_parameter(model, "sample_weight"):
        raise ParameterError(f"{candidate.name} takes no weights of rows")
    start = time.perf_counter()
    fitted = fit_model(model, X, y, weight)
    return Fitted(pipeline_of(columns, fitted), change, time.perf_counter() - start)


def prepared_rows(
    rows: Rows, scaled: bool, train: np.ndarray, test: np.ndarray | None = None
) -> tuple[Any, np.ndarray]:
    """Return the columns fitted on the training rows and the matrix of these, or of the test rows."""
    key = (scaled, train.tobytes(), test is None)
    if rows.prepared is not None and key in rows.prepared:
        return rows.prepared[key]
    if test is None:
        part = rows.frame.iloc[train]
        columns = columns_for(part, scaled)
        made = columns, columns.fit_transform(part)
    else:
        columns, _ = prepared_rows(rows, scaled, train)
        made = columns, columns.transform(rows.frame.iloc[test])
    if rows.prepared is not None and rows.frame.shape[0] * rows.frame.shape[1] <= MANY_CELLS:
        rows.prepared[key] = made
    return made


def size_of(model: Any) -> int:
    """Return about how many bytes a model takes; large arrays are counted, not copied."""
    buffers: list[int] = []
    try:
        text = pickle.dumps(model, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw().nbytes))
    except (
        pickle.PicklingError,
        TypeError,
        AttributeError,
    ):  # an estimator of the user's, which is no reason to lose it
        return 0
    return len(text) + sum(buffers)


def fit_task(rows: Rows, task: Task) -> Outcome:
    """Fit on the training part and judge on the other, on one thread; an error is an outcome, not the end."""
    start, judge = time.perf_counter(), rows.judge
    said, change, size, last = None, {}, 0, 0.0
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            fitted = fit_candidate(rows, task.candidate, task.split.train)
            test = task.split.test
            _, X = prepared_rows(rows, task.candidate.scaled, task.split.train, test)
            said, change, last = predict_rows(judge, fitted.pipeline[-1], X), fitted.change, fitted.seconds
            if said.proba is None and judge.measure.proba:
                raise ParameterError(f"it gives no probabilities, which {judge.measure.title} needs")
            weight = None if rows.weight is None else rows.weight[test]
            value, error = judge.measure.score(rows.y[test], said, judge.classes, weight), ""
            if not np.isfinite(value):
                error = f"the score is {value}"
            size = size_of(fitted.pipeline[-1])
        except Exception as problem:  # whatever a model raises on these rows
            text = (str(problem).splitlines() or [""])[0]
            value, error = float("nan"), f"{type(problem).__name__}: {text:.200}"
    messages = sorted({f"{w.category.__name__}: {(str(w.message).splitlines() or [''])[0]:.160}" for w in caught})
    seconds = time.perf_counter() - start
    return Outcome(
        task.model,
        task.fold,
        value,
        seconds,
        messages if not task.candidate.tuned else [],
        error,
        said,
        change,
        size,
        last,
    )


SHARED: list[Rows] = []  # of this process, where it works for another


def begin_work(rows: Rows) -> None:
    """Take the rows; Ctrl-C is left to the process that owns the study."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    SHARED[:] = [rows]


def shared_task(task: Task) -> Outcome:
    return fit_task(SHARED[0], task)


def outcomes(
    rows: Rows, tasks: list[Task], processes: int, clock: Clock, cluster: str | None = None,
    least: int = 0
) -> Generator[Outcome, None, None]:  # fmt: skip
    """Yield the outcomes as they come, until all are there or the time is over; the first `least` are made in any case."""
    waiting = list(tasks)
    if clock.left() == 0.0:
        yield from (fit_task(rows, task) for task in waiting[:least])
        return
    if cluster is not None:
        yield from on_cluster(rows, waiting, cluster, clock)
        return
    start, cells = time.perf_counter(), rows.frame.shape[0] * rows.frame.shape[1]
    done = 0
    while waiting and clock.left() != 0.0:
        spent = time.perf_counter() - start
        left = spent / max(done, 1) * len(waiting)
        many = (spent > TRIED_ALONE and left > WORTH_PROCESSES) or (cells > MANY_CELLS and len(waiting) > 1)
        if many and (processes > 1 or clock.at is not None):
            yield from in_processes(rows, waiting, processes, clock)
            return
        yield fit_task(rows, waiting.pop(0))
        done += 1


def in_processes(rows: Rows, tasks: list[Task], processes: int, clock: Clock) -> Generator[Outcome, None, None]:
    """Yield the outcomes of fits in other processes, which are ended when nobody waits for them any more."""
    from concurrent.futures import FIRST_COMPLETED, wait

    from joblib.externals.loky import ProcessPoolExecutor

    pool = ProcessPoolExecutor(processes, initializer=begin_work, initargs=(rows,))
    try:
        waiting = iter(tasks)
        pending = {pool.submit(shared_task, task) for task in islice(waiting, processes)}
        while pending:
            done, pending = wait(pending, timeout=clock.left(), return_when=FIRST_COMPLETED)
            if not done:
                return
            pending |= {pool.submit(shared_task, task) for task in islice(waiting, len(done))}
            yield from (future.result() for future in done)
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def on_cluster(rows: Rows, tasks: list[Task], address: str, clock: Clock) -> Generator[Outcome, None, None]:
    """Yield the outcomes of fits by the workers of a Dask cluster."""
    from distributed import Client, as_completed

    with Client(address, set_as_default=False) as client, client.as_current():
        (there,) = client.scatter([rows], broadcast=True)  # in a list: a tuple would be sent in parts
        futures = [client.submit(fit_task, there, task, pure=False) for task in tasks]
        try:
            for future in as_completed(futures, timeout=clock.left()):
                yield future.result()
        except TimeoutError:
            return
        finally:
            client.cancel(futures)
