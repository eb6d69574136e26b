"""One fit of one candidate on one fold.

A fit that raises is an outcome like any other: its model loses only itself. So is one that takes longer than it may; a forest ends
by itself, with the trees that it has. Boosting of many rows ends by a curve of rows that it holds back; the number of its passes is
part of the outcome, and with their mean over the folds it is fitted again on all rows, none held back.

Bytes of a model are those of its file; of a large one, which takes longer to write than to fit, they are estimated: b bytes in
memory, of which every so many are compressed to a share q, make a file of about q b.
"""

import pickle
import time
import warnings
import zlib
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from novum.base.candidacy import EARLY, PASSES, stops_early
from novum.exceptions import FileFormatError, ParameterError
from novum.persistence.files import file_bytes
from novum.report.numbers import num
from novum.runtime.message_text import in_one_line
from novum.study.comparison.candidates import Candidate, model_of
from novum.study.comparison.clock import TimeIsUp, within
from novum.study.comparison.limits import limited_columns, with_limits
from novum.study.comparison.pipelines import PLAIN, Treatment, columns_for, pipeline_of, with_native
from novum.study.comparison.treatments import TIME_SHARE, choose_treatment, family_of
from novum.study.comparison.tuning import Judge, grow_model, predict_rows
from novum.study.scoring.measures import Predicted

__all__ = [
    "CandidateFit",
    "FittedCandidate",
    "Fold",
    "Outcome",
    "Rows",
    "failed",
    "fit_candidate",
    "fit_task",
    "size_of",
]

MOST_PREPARED = 2**30  # bytes of prepared matrices that are kept
MOST_BYTES, FIRST_BYTES = 2**25, 2**28  # of a fold's model that is kept, and of that of the first fold
EXACT_BYTES = 2**18  # of a model in memory whose file is made to be measured
FEW_READ = 2_000  # training rows up to which every training part decides how its columns are read
LATE = 1.5  # times its seconds: when a fit is ended that was to end by itself
CHUNK, CHUNKS = 2**14, 16  # bytes, and how many of such, that tell how far a larger one is compressed


class Rows(NamedTuple):
    """What all fits share."""

    frame: Any  # prepared: pandas, numbers and categories
    y: np.ndarray
    weight: np.ndarray | None
    judge: Judge
    prepared: dict[Any, Any] | None = None  # matrices of folds, which many candidates share; None keeps none
    treatments: dict[str, Treatment] | None = (
        None  # by family, for fits whose settings are known, as the first fit chose them
    )
    readings: dict[str, Any] | None = None  # of the columns by a family of models, decided once where rows are many

    def some(self, chosen: np.ndarray, judge: Judge) -> "Rows":
        """Return some of the rows, by their numbers, as a comparison takes them."""
        weight = None if self.weight is None else self.weight[chosen]
        frame = self.frame.iloc[chosen].reset_index(drop=True)
        return Rows(frame, self.y[chosen], weight, judge, {}, readings=self.readings)


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
    aim: float | None = None  # that it is to take, where what can end by itself may do so; None: as many as it may
    keep: bool = False  # whether the fitted model is wanted, too
    stages: tuple[tuple[int, int], ...] = ()  # other models that are its first passes, and how many


class Outcome(NamedTuple):
    """What one fit gave."""

    model: int
    fold: int
    score: float
    seconds: float
    messages: list[str]  # warnings of the fit
    error: str
    predicted: Predicted | None = None
    settings: dict[str, Any] = {}  # that the fit found by itself: when it ended
    criterion: float = float("nan")  # what settings are chosen by
    size: int = 0  # bytes of the model's file; of the first fold
    last: float = 0.0  # seconds of the fit alone
    pipeline: Any = None  # fitted on the fold, where it was wanted
    stages: tuple["Outcome", ...] = ()  # of its first passes
    late: bool = False  # whether it gave nothing because its time was over


class FittedCandidate(NamedTuple):
    """A candidate fitted on rows."""

    pipeline: Any
    change: dict[str, Any]  # of its first settings
    seconds: float = 0.0  # of the fit alone
    ended: dict[str, Any] = {}  # settings with which it would end where it did, no rows held back


def fit_candidate(
    rows: Rows,
    candidate: Candidate,
    train: np.ndarray,
    change: dict[str, Any] | None = None,
    seconds: float | None = None,
    *,
    whole: bool = False,
) -> FittedCandidate:
    """Return the pipeline of a candidate fitted on some rows, with its settings or with a change of its first ones.

    Parameters
    ----------
    seconds : float or None
        How long the fit may take; a forest ends early for it, and what goes by passes unless it is to be `whole`.
    """
    y = rows.y[train]
    weight = None if rows.weight is None else rows.weight[train]
    columns, X = prepared_rows(rows, candidate, train, seconds=seconds, again=change is not None)
    candidate = candidate._replace(estimator=with_native(candidate.estimator, columns))
    candidate = with_limits(candidate, columns, rows.frame)
    change = candidate.change if change is None else change
    model = model_of(candidate, change, y)
    if weight is not None and not has_fit_parameter(getattr(model, "regressor", model), "sample_weight"):
        raise ParameterError(f"{candidate.name} takes no weights of rows")
    start = time.perf_counter()
    fitted = grow_model(model, X, y, weight, seconds, whole=whole)
    took, tag = time.perf_counter() - start, candidate.candidacy
    ended = {}
    if tag is not None and EARLY not in change and stops_early(tag, len(y)):
        ended = {PASSES: int(getattr(fitted, "regressor_", fitted).n_iter_), EARLY: False}
    return FittedCandidate(pipeline_of(columns, fitted), change, took, ended)


def prepared_rows(
    rows: Rows,
    candidate: Candidate,
    train: np.ndarray,
    test: np.ndarray | None = None,
    seconds: float | None = None,
    again: bool = False,
) -> tuple[Any, Any]:
    """Return the columns fitted on the training rows and the matrix of these, or of the test rows.

    How columns are read is decided for a family of models: of few rows in every training part, of many once, on the rows that are
    compared, since one of two or three readings by thousands of rows flatters nobody. What models share is made once.
    """
    family, place = family_of(candidate), train.tobytes()
    treatment = PLAIN if candidate.baseline else (rows.treatments or {}).get(family) if again else None
    if treatment is None and rows.prepared is not None:
        treatment = rows.prepared.get((family, place))
    part = rows.frame.iloc[train]
    if treatment is None and rows.readings is not None and len(train) > FEW_READ:
        if family not in rows.readings:
            chosen = train if rows.prepared is None else np.arange(len(rows.y))
            weight = None if rows.weight is None else rows.weight[chosen]
            most = None if seconds is None else seconds / TIME_SHARE  # as long as a fit
            rows.readings[family] = choose_treatment(
                rows.frame.iloc[chosen],
                rows.y[chosen],
                rows=chosen,
                weight=weight,
                judge=rows.judge,
                family=family,
                seconds=most,
                numbers_only=limited_columns(candidate),
            )
        treatment = rows.readings[family]
    if treatment is None:
        weight = None if rows.weight is None else rows.weight[train]
        treatment = choose_treatment(
            part,
            rows.y[train],
            train,
            weight,
            rows.judge,
            family=family,
            seconds=seconds,
            numbers_only=limited_columns(candidate),
        )
        if rows.prepared is not None:
            rows.prepared[family, place] = treatment
        if rows.treatments is not None:
            rows.treatments[family] = treatment
    key = (candidate.scaled, treatment, place, test is None)
    if rows.prepared is not None and key in rows.prepared:
        return rows.prepared[key]
    if test is None:
        columns = columns_for(part, candidate.scaled, treatment, rows.judge.seed)
        made = columns, columns.fit_transform(part, rows.y[train])
    else:
        columns, _ = prepared_rows(rows, candidate, train)
        made = columns, columns.transform(rows.frame.iloc[test])
    if rows.prepared is not None:
        held = sum(matrix_bytes(known[1]) for known in rows.prepared.values() if not isinstance(known, Treatment))
        if matrix_bytes(made[1]) + held <= MOST_PREPARED:
            rows.prepared[key] = made
    return made


def matrix_bytes(X: Any) -> int:
    """Return what a prepared matrix takes, dense or sparse."""
    return int(X.nbytes if isinstance(X, np.ndarray) else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def size_of(model: Any) -> int:
    """Return how many bytes the file of a model takes, about; one that cannot be saved counts as in memory."""
    parts = in_memory(model)
    total = sum(part.nbytes for part in parts)
    if total > EXACT_BYTES:
        return round(total * compressed_share(parts, total))
    try:
        return file_bytes(model)
    except FileFormatError:
        return total


def compressed_share(parts: list[memoryview], total: int) -> float:
    """Return about what share of their bytes a model's parts take when they are compressed."""
    step, taken, place = max(CHUNK, total // CHUNKS), [], 0
    for part in parts:
        while place < part.nbytes:
            taken.append(bytes(part[place : place + CHUNK]))
            place += step
        place -= part.nbytes
    return sum(len(zlib.compress(chunk)) for chunk in taken) / max(1, sum(len(chunk) for chunk in taken))


def in_memory(model: Any) -> list[memoryview]:
    """Return what a model is in memory; nothing where it cannot be sent to another process."""
    buffers: list[memoryview] = []
    try:
        text = pickle.dumps(model, protocol=5, buffer_callback=lambda buffer: buffers.append(buffer.raw()))
    except (
        pickle.PicklingError,
        TypeError,
        AttributeError,
    ):  # an estimator of the user's, which is no reason to lose it
        return []
    return [memoryview(text), *buffers]


def fit_task(rows: Rows, task: CandidateFit) -> Outcome:
    """Fit on the training part and judge on the other, on one thread; an error is an outcome, not the end."""
    start, fitted, outcome, stages = time.perf_counter(), None, None, []
    with warnings.catch_warnings(record=True) as caught, threadpool_limits(1):
        warnings.simplefilter("always")
        try:
            most = None if task.seconds is None else LATE * task.seconds
            aim = task.seconds if task.aim is None else task.aim
            with within(most):  # what others share is not counted as this one's time
                prepared_rows(rows, task.candidate, task.split.train, seconds=aim)
            with within(most):
                fitted = fit_candidate(rows, task.candidate, task.split.train, seconds=aim)
                outcome = judged(rows, task, fitted)
            for place, passes in task.stages:
                part = pipeline_of(fitted.pipeline[0], fitted.pipeline[-1].first_passes(passes))
                share = fitted.seconds * passes / fitted.pipeline[-1].n_iter_
                made = fitted._replace(pipeline=part, seconds=share)
                stages.append(judged(rows, task, made)._replace(model=place, seconds=share))
        except TimeIsUp:
            error = f"a fit takes longer than {num(task.seconds or 0.0):.3g} s"
            outcome = outcome or failed(task, error, late=True)
        except Exception as problem:  # whatever a model raises on these rows
            outcome = failed(task, f"{type(problem).__name__}: {in_one_line(str(problem))}")
    messages = sorted({f"{w.category.__name__}: {in_one_line(str(w.message))}" for w in caught})
    return outcome._replace(
        seconds=time.perf_counter() - start,
        messages=messages if not task.candidate.tuned else [],
        stages=tuple(stages),
    )


def failed(task: CandidateFit, error: str, seconds: float = 0.0, *, late: bool = False) -> Outcome:
    """Return the outcome of a fit that gave nothing."""
    return Outcome(task.model, task.fold, float("nan"), seconds, [], error, late=late)


def judged(rows: Rows, task: CandidateFit, fitted: FittedCandidate) -> Outcome:
    """Return what a fitted model is worth on the test part of its fold."""
    judge, test = rows.judge, task.split.test
    _, X = prepared_rows(rows, task.candidate, task.split.train, test)
    said = predict_rows(judge, fitted.pipeline[-1], X)
    if said.proba is None and judge.measure.proba:
        raise ParameterError(f"it gives no probabilities, which {judge.measure.title} needs")
    weight = None if rows.weight is None else rows.weight[test]
    value = judge.measure.score(rows.y[test], said, judge.classes, weight)
    if not np.isfinite(value):
        return failed(task, f"the score is {value}")
    sent = sum(part.nbytes for part in in_memory(fitted.pipeline)) if task.keep else 0
    return Outcome(
        model=task.model,
        fold=task.fold,
        score=value,
        seconds=fitted.seconds,
        messages=[],
        error="",
        predicted=said,
        settings=fitted.ended,
        criterion=judge.criterion(rows.y[test], said, weight),
        size=size_of(fitted.pipeline[-1]) if task.fold == 0 else 0,
        last=fitted.seconds,
        pipeline=fitted.pipeline if 0 < sent <= (MOST_BYTES if task.fold else FIRST_BYTES) else None,
    )
