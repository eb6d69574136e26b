"""One fit of one candidate on one fold.

A fit that raises is an outcome like any other: its model loses only itself. So is one that takes longer than it may; the search for
settings ends by itself, with the best so far.
"""

import pickle
import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from novum.exceptions import FileFormatError, ParameterError
from novum.persistence.files import file_bytes
from novum.report.numbers import num
from novum.runtime.message_text import in_one_line
from novum.study.comparison.candidates import Candidate, model_of
from novum.study.comparison.clock import TimeIsUp, within
from novum.study.comparison.limits import with_limits
from novum.study.comparison.pipelines import PLAIN, columns_for, pipeline_of, with_native
from novum.study.comparison.treatments import choose_treatment, family_of
from novum.study.comparison.tuning import Judge, fit_model, predict_rows, tune
from novum.study.scoring.measures import Predicted

__all__ = ["CandidateFit", "FittedCandidate", "Fold", "Outcome", "Rows", "fit_candidate", "fit_task", "size_of"]

MANY_CELLS = 500_000  # of a table whose prepared matrices are not kept
MOST_BYTES = 2**28  # of a fold's model that is kept
SEARCH_SHARE = 0.6  # of a fit's seconds; the rest is for the fit with the settings that were found


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


class CandidateFit(NamedTuple):
    """One fit to be made."""

    model: int
    fold: int
    candidate: Candidate
    split: Fold
    seconds: float | None = None  # that it may take
    keep: bool = False  # whether the fitted model is wanted, too


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
    size: int = 0  # bytes of the model's file; of the first fold
    last: float = 0.0  # seconds of its last fit, without the search for its settings
    pipeline: Any = None  # fitted on the fold, where it was wanted


class FittedCandidate(NamedTuple):
    """A candidate fitted on rows."""

    pipeline: Any
    change: dict[str, Any]  # of its settings that the search took
    seconds: float = 0.0  # of the fit, without the search


def fit_candidate(
    rows: Rows,
    candidate: Candidate,
    train: np.ndarray,
    change: dict[str, Any] | None = None,
    seconds: float | None = None,
) -> FittedCandidate:
    """Return the pipeline of a candidate fitted on some rows; its settings are sought among them unless they are given.

    Parameters
    ----------
    seconds : float or None
        How long search and fit may take; the search ends early for it.
    """
    y = rows.y[train]
    weight = None if rows.weight is None else rows.weight[train]
    columns, X = prepared_rows(rows, candidate, train, seconds=seconds)
    candidate = candidate._replace(estimator=with_native(candidate.estimator, columns))
    candidate = with_limits(candidate, columns, rows.frame)
    if change is None:
        until = None if seconds is None else time.perf_counter() + SEARCH_SHARE * seconds
        change = tune(rows.judge, candidate, X, y, train, weight, until) if candidate.tuned else {}
    model = model_of(candidate, change, y)
    if weight is not None and not has_fit_parameter(getattr(model, "regressor", model), "sample_weight"):
        raise ParameterError(f"{candidate.name} takes no weights of rows")
    start = time.perf_counter()
    fitted = fit_model(model, X, y, weight)
    return FittedCandidate(pipeline_of(columns, fitted), change, time.perf_counter() - start)


def prepared_rows(
    rows: Rows, candidate: Candidate, train: np.ndarray, test: np.ndarray | None = None, seconds: float | None = None
) -> tuple[Any, Any]:
    """Return the columns fitted on the training rows and the matrix of these, or of the test rows.

    How columns are read is decided for a family of models; what models share is made once.
    """
    family, place = family_of(candidate), train.tobytes()
    known = {} if rows.prepared is None else rows.prepared
    treatment = PLAIN if candidate.baseline else known.get((family, place))
    part = rows.frame.iloc[train]
    if treatment is None:
        weight = None if rows.weight is None else rows.weight[train]
        treatment = choose_treatment(part, rows.y[train], train, weight, rows.judge, family, seconds)
        if rows.prepared is not None:
            rows.prepared[family, place] = treatment
    key = (candidate.scaled, treatment, place, test is None)
    if rows.prepared is not None and key in rows.prepared:
        return rows.prepared[key]
    if test is None:
        columns = columns_for(part, candidate.scaled, treatment, rows.judge.seed)
        made = columns, columns.fit_transform(part, rows.y[train])
    else:
        columns, _ = prepared_rows(rows, candidate, train)
        made = columns, columns.transform(rows.frame.iloc[test])
    if rows.prepared is not None and rows.frame.shape[0] * rows.frame.shape[1] <= MANY_CELLS:
        rows.prepared[key] = made
    return made


def size_of(model: Any) -> int:
    """Return how many bytes the file of a model takes; one that cannot be saved counts as in memory."""
    try:
        return file_bytes(model)
    except FileFormatError:
        return pickled_bytes(model)


def pickled_bytes(model: Any) -> int:
    """Return about how many bytes a model takes in memory; 0 where it cannot be sent to another process."""
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


def fit_task(rows: Rows, task: CandidateFit) -> Outcome:
    """Fit on the training part and judge on the other, on one thread; an error is an outcome, not the end."""
    start, judge = time.perf_counter(), rows.judge
    said, change, size, last, kept = None, {}, 0, 0.0, None
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            with within(None if task.candidate.tuned else task.seconds):
                fitted = fit_candidate(rows, task.candidate, task.split.train, seconds=task.seconds)
                test = task.split.test
                _, X = prepared_rows(rows, task.candidate, task.split.train, test)
                said, change, last = predict_rows(judge, fitted.pipeline[-1], X), fitted.change, fitted.seconds
            if said.proba is None and judge.measure.proba:
                raise ParameterError(f"it gives no probabilities, which {judge.measure.title} needs")
            weight = None if rows.weight is None else rows.weight[test]
            value, error = judge.measure.score(rows.y[test], said, judge.classes, weight), ""
            if not np.isfinite(value):
                error = f"the score is {value}"
            size = size_of(fitted.pipeline[-1]) if task.fold == 0 else 0
            sent = pickled_bytes(fitted.pipeline) if task.keep else 0
            kept = fitted.pipeline if 0 < sent <= MOST_BYTES else None
        except TimeIsUp:
            said, value, error = None, float("nan"), f"a fit takes longer than {num(task.seconds or 0.0):.3g} s"
        except Exception as problem:  # whatever a model raises on these rows
            value, error = float("nan"), f"{type(problem).__name__}: {in_one_line(str(problem))}"
    messages = sorted({f"{w.category.__name__}: {in_one_line(str(w.message))}" for w in caught})
    seconds = time.perf_counter() - start
    return Outcome(
        model=task.model,
        fold=task.fold,
        score=value,
        seconds=seconds,
        messages=messages if not task.candidate.tuned else [],
        error=error,
        predicted=said,
        settings=change,
        size=size,
        last=last,
        pipeline=kept,
    )
