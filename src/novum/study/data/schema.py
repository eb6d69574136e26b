"""What a kept model expects of a table: names, kinds, known categories. It travels inside the model file.

`prepare` brings a table into the form that the pipelines take: numbers as float64, categories as text, every date as year, month,
weekday and day count, and its hour where the column has times. The same function serves training and prediction, so both see the
same columns.
"""

from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.fold.readers.cells import CODE, UNKNOWN, Form
from novum.report.numbers import counted
from novum.study.comparison.pipelines import WORDS
from novum.study.data.data_card import Card
from novum.study.data.table import BOOL, DATE, NUMBER, TEXT, Column, Table
from novum.study.data.task import LearningTask

__all__ = ["Schema", "attach", "check", "date_columns", "forms_of", "prepare", "schema_for", "schema_of", "time_column"]

ATTRIBUTE = "novum_table_"  # of the saved pipeline
MOST_NAMED = 5  # names in a sentence
DATE_PARTS = ("year", "month", "weekday", "hour", "day")
WITHOUT_HOURS = ("year", "month", "weekday", "day")
ADDED = 3  # fields that older files do not have


class Schema(NamedTuple):
    """The columns a model was made for."""

    target: str
    task: str
    labels: list[str]
    names: list[str]
    roles: list[str]  # "number", "category", "date" or "words"
    levels: list[list[str]]  # known categories; empty for the others
    forms: list[list[Any]] = []  # how cells of text are read, where numbers or dates came as such; empty for the others
    truths: list[str] | None = (
        None  # columns of numbers that were truth values; None: an older file, which does not say
    )
    hours: list[str] = []  # columns of dates with times of day, which become a part


def schema_for(table: Table, card: Card, task: LearningTask) -> Schema:
    """Return the schema of the columns that take part; categories are those of this table."""
    features = card.features
    levels = [sorted(set(table.columns[c.name].values) - {None}) if c.role == "category" else [] for c in features]
    forms = [list(form) if (form := table.columns[c.name].form) else [] for c in features]
    names, roles = [c.name for c in features], [c.role for c in features]
    truths = [c.name for c in features if c.kind == BOOL]
    hours = [c.name for c in features if c.role == "date" and table.columns[c.name].has_hours]
    return Schema(
        target=task.target,
        task=task.kind,
        labels=task.labels,
        names=names,
        roles=roles,
        levels=levels,
        forms=forms,
        truths=truths,
        hours=hours,
    )


def forms_of(schema: Schema) -> dict[str, Form]:
    """Return how the cells of columns are to be read, by name."""
    return {name: Form(*form) for name, form in zip(schema.names, schema.forms) if form}


def attach(model: Any, schema: Schema) -> Any:
    """Write the schema into a pipeline, as plain values that a model file can hold."""
    setattr(model, ATTRIBUTE, dict(schema._asdict()))
    return model


def schema_of(model: Any, name: str = "the model") -> Schema:
    """Return the schema of a model that a study kept, or raise."""
    stored = getattr(model, ATTRIBUTE, None)
    if (
        not isinstance(stored, dict)
        or not set(stored) <= set(Schema._fields)
        or len(stored) < len(Schema._fields) - ADDED
    ):
        raise DataError(
            f"{name}: was not written by a study, so it does not say which columns it needs; call its predict."
        )
    if len({len(stored[field]) for field in ("names", "roles", "levels")}) != 1:
        raise DataError(f"{name}: its description of the columns is damaged.")
    return Schema(**stored)


def prepare(table: Table, schema: Schema) -> Any:
    """Return the pandas frame that the pipelines take."""
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, role in zip(schema.names, schema.roles):
        column = table.columns[name]
        if role == "number":
            columns[name] = column.values
        elif role == "words":
            columns[name + WORDS] = pd.Series(["" if v is None else v for v in column.values], dtype=object)
        elif role == "category":
            columns[name] = pd.Series([np.nan if v is None else v for v in column.values], dtype=object)
        else:
            columns.update(date_parts(column, name in schema.hours))
    return pd.DataFrame(columns, copy=False)  # a large table need not be there twice


def date_parts(column: Column, hours: bool = False) -> dict[str, np.ndarray]:
    """Return a date as numbers."""
    missing = column.missing
    days = column.values.astype("datetime64[D]")
    count = days.astype(np.int64)
    parts = {
        "year": days.astype("datetime64[Y]").astype(np.int64) + 1970,
        "month": days.astype("datetime64[M]").astype(np.int64) % 12 + 1,
        "weekday": (count + 3) % 7,  # day 0 of the count was a Thursday; Monday is 0
        "hour": (column.values - days).astype("timedelta64[s]").astype(np.float64) / 3600,
        "day": count,
    }
    named = dict(zip(DATE_PARTS if hours else WITHOUT_HOURS, date_columns(column.name, hours)))
    return {place: np.where(missing, np.nan, parts[part]) for part, place in named.items()}


def date_columns(name: str, hours: bool = False) -> list[str]:
    """Return the columns of the prepared frame that a date becomes, the count of days last."""
    return [f"{name} ({part})" for part in (DATE_PARTS if hours else WITHOUT_HOURS)]


def time_column(schema: Schema, name: str | None) -> str:
    """Return the column of the prepared frame that tells the time of rows; "" where it takes no part."""
    roles = dict(zip(schema.names, schema.roles))
    if name is None or roles.get(name) not in ("date", "number"):
        return ""
    return date_columns(name)[-1] if roles[name] == "date" else name


def check(table: Table, schema: Schema, *, unseen: bool = False) -> tuple[Table, list[str]]:
    """Return a table that fits the schema and notes about what was odd, or raise.

    Parameters
    ----------
    unseen : bool, default=False
        Take categories that the model never saw; it then predicts as if the cell said nothing.
    """
    absent = [name for name in schema.names if name not in table.columns]
    if absent:
        near = get_close_matches(absent[0], [n for n in table.columns if n not in schema.names], n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise DataError(f"{table.name}: lacks what the model needs, {listed_names(absent)}{hint}")
    fitted = {name: as_role(table.columns[name], role, table.name) for name, role in zip(schema.names, schema.roles)}
    notes = []
    for name, levels in zip(schema.names, schema.levels):
        new = sorted(set(fitted[name].values) - set(levels) - {None}) if levels else []
        if new and not unseen:
            row = int(np.flatnonzero(fitted[name].values == new[0])[0]) + 1
            raise DataError(
                f"{table.name}: column {name!r} has a value that the model never saw: {new[0]!r:.60} in row {row} "
                f"({len(new)} new in all); correct it, or allow it with --unseen."
            )
        if new:
            notes.append(f"{name}: {counted(len(new), 'value')} that the model never saw: {listed_names(new)}")
    extra = [name for name in table.columns if name not in schema.names and name != schema.target]
    if extra:
        notes.append(f"not used by the model: {listed_names(extra)}")
    notes += [note for column in fitted.values() for note in column.notes]
    gaps = sum(int(column.missing.sum()) for column in fitted.values())
    if gaps:
        notes.append(f"{counted(gaps, 'missing cell')}, filled as in training")
    return table._replace(columns=fitted), notes


def as_role(column: Column, role: str, table: str) -> Column:
    """Return a column in the kind the model knows it by, or raise."""
    fine = {"number": (NUMBER, BOOL), "category": (TEXT,), "words": (TEXT,), "date": (DATE,)}[role]
    empty = column.type in ("empty", "unknown") and bool(column.missing.all())
    if column.kind in fine and not (empty and role != "number"):
        return column
    if empty:  # nothing in it, so it is missing in any kind
        blank: Any = np.full(len(column.values), None, dtype=object)
        if role == "date":
            blank = np.full(len(column.values), np.datetime64("NaT"), dtype="datetime64[s]")
        return column._replace(kind=fine[0], values=blank)
    if (
        role == "number" and column.form is not None and column.form.kind == CODE
    ):  # the studied table had no zeros in front
        return column._replace(kind=NUMBER, values=np.array([np.nan if v is None else float(v) for v in column.values]))
    if role in ("category", "words") and column.kind in (NUMBER, BOOL):  # a portion of the rows may look like numbers
        text = np.empty(len(column.values), dtype=object)
        text[:] = [None if np.isnan(v) else number_as_written(v, column.kind) for v in column.values]
        return column._replace(kind=TEXT, values=text)
    example = ""
    if (
        column.kind == TEXT
        and role in ("number", "date")
        and all(v is None or v.casefold() in UNKNOWN for v in column.values)
    ):
        return as_role(
            column._replace(kind=NUMBER, values=np.full(len(column.values), np.nan), type="empty"), role, table
        )
    if column.kind == TEXT:
        odd = (i for i, value in enumerate(column.values) if value is not None and not is_float(value))
        row = next(odd, 0)
        example = f": row {row + 1} says {column.values[row]!r:.60}"
    raise DataError(f"{table}: column {column.name!r} must hold {role}s and holds {column.type}{example}.")


def number_as_written(value: float, kind: str) -> str:
    """Return a number or truth value as a file would write it."""
    if kind == BOOL:
        return "true" if value else "false"
    return str(int(value)) if value == int(value) else repr(float(value))


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def listed_names(names: list[str]) -> str:
    """Return names for a sentence."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(map(repr, names[:MOST_NAMED])) + more
