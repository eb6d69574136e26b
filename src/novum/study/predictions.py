"""Use a kept model on a new table: check the columns, predict, say how sure it is, and what was odd or has moved."""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError, ParameterError
from novum.report.numbers import counted, num
from novum.report.result import result
from novum.runtime.checks import check_level
from novum.study.data.schema import Schema, check, forms_of, prepare, schema_of
from novum.study.data.table import Table, table_of
from novum.study.data.task import CLASSIFICATION
from novum.study.memory.conformal import sets_of, widths_of
from novum.study.memory.drift import drift_notes
from novum.study.memory.kept import Memory, is_remembered, memory_of

__all__ = ["Predictions", "Reach", "checked_rows", "predict_checked", "predict_table", "reach_of"]

BETWEEN = " | "  # classes of a set


@result
class Predictions(NamedTuple):
    """Predictions for the rows of a table."""

    name: str  # of the column they make
    values: np.ndarray
    probabilities: dict[str, np.ndarray]  # by class; empty unless requested
    notes: list[str]
    reach: "Reach | None" = None  # intervals or sets, where they were requested
    drift: list[str] = []  # columns that have moved since training, a sentence each


@result
class Reach(NamedTuple):
    """Intervals of numbers, or sets of classes, that hold the truth with a probability of about `level`."""

    level: float
    lower: np.ndarray | None  # of numbers
    upper: np.ndarray | None
    sets: list[list[str]]  # of classes, the most probable first; empty for numbers

    def _result_columns(self) -> dict[str, Any]:
        return {name.strip("_"): list(cells) for name, cells in self.columns("").items()}

    def columns(self, name: str) -> dict[str, Any]:
        """Return them as columns of a table."""
        if self.lower is None or self.upper is None:
            return {f"{name}_set": [BETWEEN.join(one) for one in self.sets]}
        return {f"{name}_lower": self.lower, f"{name}_upper": self.upper}


def checked_rows(frame: Any, schema: Schema, unseen: bool) -> tuple[Table, list[str]]:
    """Return the rows that a model takes, and notes on what was odd, or raise."""
    table = frame if isinstance(frame, Table) else table_of(frame, forms=forms_of(schema))
    return check(table, schema, unseen=unseen)


def reach_of(
    model: Any, schema: Schema, prepared: Any, values: Any, level: float, name: str, memory: Memory | None = None
) -> Reach:
    """Return the intervals or sets of prepared rows, or raise where the model file does not allow them.

    `memory` is what the file keeps, for callers that have read it before.
    """
    level = check_level("predict", level)
    memory = memory or memory_of(model, schema, name, "intervals and sets")
    scores = np.asarray(memory.scores)
    width = widths_of(scores, level)
    if not np.isfinite(width):
        if not len(scores):
            raise DataError(
                f"{name}: its model gives no probabilities, so it has no sets of classes; leave out --interval."
            )
        most = len(scores) / (len(scores) + 1)
        raise ParameterError(
            f"level {level:g}: {name} knows the errors of {counted(len(scores), 'row')}, which allow a level of "
            f"at most {num(most):.3f}."
        )
    if schema.task != CLASSIFICATION:
        return Reach(level, values - width, values + width, [])
    proba = model.predict_proba(prepared)
    marks, order = sets_of(proba, scores, level), np.argsort(-proba, axis=1, kind="stable")
    labels = [str(label) for label in model.classes_]
    sets = [[labels[k] for k in order[i] if marks[i, k]] for i in range(len(proba))]
    return Reach(level, None, None, sets)


def predict_table(
    model: Any,
    frame: Any,
    *,
    proba: bool = False,
    unseen: bool = False,
    level: float | None = None,
    name: str = "the model",
) -> Predictions:
    """Return the predictions of a model that a study saved.

    Parameters
    ----------
    model : estimator
        As `novum.load` gives it.
    frame : pandas, polars or pyarrow frame, or Table
    proba : bool, default=False
        Also the probability of every class.
    unseen : bool, default=False
        Take categories that the model never saw, instead of raising.
    level : float or None, default=None
        Probability with which an interval (of numbers) or a set (of classes) is to hold the truth; None for no intervals.

    Raises
    ------
    DataError
        If a column is missing or of the wrong kind; the message names it.
    """
    schema = schema_of(model, name)
    fitted, notes = checked_rows(frame, schema, unseen)
    found = predict_checked(model, schema, fitted, proba=proba, level=level, name=name)
    drift = []
    if is_remembered(model):
        drift = drift_notes(fitted, schema, memory_of(model, schema, name, "drift").reference)
    return found._replace(notes=notes, drift=drift)


def predict_checked(
    model: Any,
    schema: Schema,
    fitted: Table,
    *,
    proba: bool,
    level: float | None,
    name: str,
    memory: Memory | None = None,
) -> Predictions:
    """Return the predictions of rows that `checked_rows` gave, without notes on them."""
    prepared = prepare(fitted, schema)
    values = model.predict(prepared)
    probabilities: dict[str, np.ndarray] = {}
    if proba:
        if schema.task != CLASSIFICATION or not hasattr(model, "predict_proba"):
            raise DataError(f"{name}: predicts {schema.target!r} without probabilities; leave out --proba.")
        probabilities = dict(zip(map(str, model.classes_), model.predict_proba(prepared).T))
    reach = None if level is None else reach_of(model, schema, prepared, values, level, name, memory)
    return Predictions(f"predicted_{schema.target}", values, probabilities, [], reach)
