"""Use a kept model on a new table: check the columns, predict, and say what was odd."""

from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.report.result import result
from novum.study.schema import check, forms_of, prepare, schema_of
from novum.study.table import Table, table_of
from novum.study.task import CLASSIFICATION

__all__ = ["Predictions", "predict_table"]


@result
class Predictions(NamedTuple):
    """Predictions for the rows of a table."""

    name: str  # of the column they make
    values: np.ndarray
    probabilities: dict[str, np.ndarray]  # by class; empty unless asked for
    notes: list[str]


def predict_table(
    model: Any, frame: Any, *, proba: bool = False, unseen: bool = False, name: str = "the model"
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

    Raises
    ------
    DataError
        If a column is missing or of the wrong kind; the message names it.
    """
    schema = schema_of(model, name)
    table = frame if isinstance(frame, Table) else table_of(frame, forms=forms_of(schema))
    fitted, notes = check(table, schema, unseen=unseen)
    prepared = prepare(fitted, schema)
    values = model.predict(prepared)
    probabilities: dict[str, np.ndarray] = {}
    if proba:
        if schema.task != CLASSIFICATION or not hasattr(model, "predict_proba"):
            raise DataError(f"{name}: predicts {schema.target!r} without probabilities; leave out --proba.")
        probabilities = dict(zip(map(str, model.classes_), model.predict_proba(prepared).T))
    return Predictions(f"predicted_{schema.target}", values, probabilities, notes)
