"""What a model file keeps besides the model and its columns, as plain values: no pickle, nothing that runs.

background   a few rows of the table, prepared; explanations compare with them
players      the columns that are explained one by one, most important first; the others together
scores       of rows that the model had not seen; they make intervals and sets
reference    the distribution of every column; it shows drift
usual        an ordinary row of the table: medians and most frequent levels; an example of what the model predicts
"""

import json
from typing import Any, NamedTuple

import numpy as np

from novum.exceptions import DataError
from novum.study.data.schema import Schema
from novum.study.data.table import Table
from novum.study.insight.model_function import frame_columns
from novum.study.insight.shapley import MOST_PLAYERS
from novum.study.memory.drift import as_numbers, reference_of

__all__ = [
    "Memory",
    "background_frame",
    "background_rows",
    "forget",
    "is_remembered",
    "make_memory",
    "memory_from",
    "memory_of",
    "remember",
]

ATTRIBUTE = "novum_memory_"  # of the saved pipeline
MOST_ROWS, LEAST_ROWS, MOST_CELLS = 50, 8, 20_000  # of the background
MOST_SCORES = 2_000
LONGEST_TEXT = 2_000  # characters of a cell of free text


class Memory(NamedTuple):
    """What is kept."""

    background: dict[str, Any]  # by column of the prepared frame: numbers or texts, None where missing
    players: list[str]
    scores: Any  # sorted
    folds: int  # that scores of the training rows come from; 0: of the rows put away alone
    reference: dict[str, Any]
    usual: dict[str, Any]
    positive: str = ""  # of two classes


def make_memory(
    table: Table,
    schema: Schema,
    frame: Any,
    order: list[str],
    scores: np.ndarray,
    folds: int,
    seed: int,
    positive: str = "",
) -> Memory:
    """Return what is to be kept of a study.

    Parameters
    ----------
    table, frame : all rows, as read and as prepared
    order : columns of the table, most important first
    """
    rng = np.random.default_rng(seed)
    count = min(len(frame), int(np.clip(MOST_CELLS // max(1, frame.shape[1]), LEAST_ROWS, MOST_ROWS)))
    rows = np.sort(rng.choice(len(frame), count, replace=False))
    background: dict[str, Any] = {}
    for name in frame.columns:
        cells = frame[name].to_numpy()[rows]
        if cells.dtype.kind == "O":
            background[str(name)] = [None if v != v else str(v)[:LONGEST_TEXT] for v in cells]
        else:
            background[str(name)] = np.asarray(cells, dtype=np.float64)
    if len(scores) > MOST_SCORES:  # evenly along them: their quantiles hardly move
        scores = scores[np.round(np.linspace(0, len(scores) - 1, MOST_SCORES)).astype(int)]
    return Memory(
        background,
        list(order[:MOST_PLAYERS]),
        np.asarray(scores, dtype=np.float64),
        folds,
        reference_of(table, schema),
        usual_row(table, schema),
        positive,
    )


def memory_from(findings: Any, table: Table, schema: Schema, frame: Any, seed: int, positive: int | None) -> Memory:
    """Return what is to be kept after what was found about the model."""
    two = len(schema.labels) == 2
    label = schema.labels[1 if positive is None else positive] if two else ""
    return make_memory(
        table,
        schema=schema,
        frame=frame,
        order=findings.order,
        scores=findings.scores,
        folds=findings.folds,
        seed=seed,
        positive=label,
    )


def usual_row(table: Table, schema: Schema) -> dict[str, Any]:
    """Return an ordinary row as a user would write it."""
    row: dict[str, Any] = {}
    for name, role in zip(schema.names, schema.roles):
        column = table.columns[name]
        known = column.values[~column.missing]
        if role == "number":
            row[name] = float(f"{np.sort(known)[len(known) // 2]:.6g}")
        elif role == "date":
            row[name] = str(np.datetime64(int(np.median(as_numbers(column)[~column.missing])), "D"))
        elif role == "category":
            levels, counts = np.unique(known.astype(str), return_counts=True)
            row[name] = str(levels[np.argmax(counts)])
        else:
            row[name] = "some words"
    return row


def remember(model: Any, memory: Memory) -> Any:
    """Write it into a pipeline, as one text: a model file describes every value of a list apart, at some length."""
    setattr(model, ATTRIBUTE, json.dumps(memory._asdict(), default=as_list, allow_nan=True, separators=(",", ":")))
    return model


def as_list(values: Any) -> list[Any]:
    """Return numbers with all their digits, so that values that differ still do; a missing one is None."""
    return [None if v != v else v for v in np.asarray(values, dtype=np.float64).tolist()]


def as_read(name: str, value: Any) -> Any:
    """Return a part of what was kept, with its numbers in arrays."""
    if name == "scores":
        return np.asarray(value, dtype=np.float64)
    if name == "reference":
        for entry in value.values():
            entry.update(
                {key: np.asarray(entry[key], dtype=np.float64) for key in ("values", "shares") if key in entry}
            )
    return value


def memory_of(model: Any, schema: Schema, name: str, wanted: str) -> Memory:
    """Return what a model file keeps, or raise with what cannot be done without it."""
    stored = getattr(model, ATTRIBUTE, None)
    if stored is None:
        raise DataError(
            f"{name}: was saved without what {wanted} needs (by an older novum, or another program); study the table again."
        )
    try:
        memory = Memory(**{name: as_read(name, value) for name, value in json.loads(stored).items()})
        check_memory(memory, schema)
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError) as error:
        raise DataError(f"{name}: what it keeps for {wanted} is damaged; study the table again.") from error
    return memory


def check_memory(memory: Memory, schema: Schema) -> None:
    """Raise ValueError unless everything fits together."""
    groups = frame_columns(schema)
    columns = [part for parts in groups.values() for part in parts]
    scores = np.asarray(memory.scores, dtype=np.float64)
    lengths = {len(memory.background[name]) for name in columns}
    kinds = {
        name: (int, float) if role in ("number", "date") else (str,) for name, role in zip(schema.names, schema.roles)
    }
    fine = (
        all(
            cell is None or (isinstance(cell, kinds[name]) and not isinstance(cell, bool))
            for name, parts in groups.items()
            for part in parts
            for cell in memory.background[part]
        )
        and all(fits_reference(entry) for entry in memory.reference.values())
        and isinstance(memory.usual, dict)
        and len(lengths) == 1
        and min(lengths) > 0
        and set(memory.players) <= set(schema.names)
        and scores.ndim == 1
        and bool(np.isfinite(scores).all() and (np.diff(scores) >= 0).all())
        and set(memory.reference) == set(schema.names)
    )
    if not fine:
        raise ValueError("parts do not fit together")


def fits_reference(entry: dict[str, Any]) -> bool:
    """Return whether the summary of a column can be compared with."""
    counted = [entry["rows"], entry["missing"], *entry.get("counts", [])]
    values, shares = (np.asarray(entry.get(key, ()), dtype=np.float64) for key in ("values", "shares"))
    return (
        all(isinstance(count, int) and count >= 0 for count in counted)
        and entry["missing"] <= entry["rows"]
        and values.shape == shares.shape == (len(values),)
        and bool(
            np.isfinite(values).all() and (np.diff(values) >= 0).all()
        )  # older files have rounded values: equal ones
        and bool(((shares >= 0) & (shares <= 1)).all() and (np.diff(shares) >= 0).all())
        and len(entry.get("levels", [])) == len(entry.get("counts", []))
        and all(isinstance(level, str) for level in entry.get("levels", []))
    )


def background_frame(memory: Memory, schema: Schema) -> Any:
    """Return the background rows as a prepared frame."""
    import pandas as pd

    columns: dict[str, Any] = {}
    groups = frame_columns(schema)
    numbers = {
        part for name, role in zip(schema.names, schema.roles) if role in ("number", "date") for part in groups[name]
    }
    for parts in groups.values():
        for part in parts:
            cells = memory.background[part]
            given = [np.nan if v is None else v for v in cells]
            columns[part] = pd.Series(given, dtype=np.float64 if part in numbers else object)
    return pd.DataFrame(columns)


def is_remembered(model: Any) -> bool:
    """Return whether a model file keeps anything besides the model."""
    return getattr(model, ATTRIBUTE, None) is not None


def background_rows(model: Any) -> int:
    """Return how many rows of the table a model file keeps."""
    kept = json.loads(getattr(model, ATTRIBUTE, None) or "{}").get("background", {})
    return len(next(iter(kept.values()), ()))


def forget(model: Any) -> Any:
    """Return a model without anything of the table's rows: it predicts, but explains, covers and warns no more."""
    if is_remembered(model):
        delattr(model, ATTRIBUTE)
    return model
