"""Rows of a request, checked cell by cell against the columns that the model was made for.

They come as JSON, or as lines of JSON or CSV (novum.study.serving.formats). Any error is one sentence that names row, column and
value. Nothing of a request is ever run, opened or imported.
"""

import json
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from novum.fold.readers.cells import Form, dates_of, numbers_of
from novum.report.numbers import counted
from novum.study.data.schema import Schema, number_as_written
from novum.study.data.table import BOOL, DATE, NUMBER, TEXT, Column, Table

__all__ = ["OPTIONS", "Refusal", "Request", "as_request", "parse", "read_request"]

LONGEST_CELL = 10_000  # characters
LARGEST = 1e308
DEEPEST = 8  # a request is an object with a list of objects
OPTIONS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "predict": {"proba": bool, "interval": bool, "level": (int, float), "unseen": bool},
    "explain": {"class": str, "level": (int, float), "unseen": bool},
}
KINDS = {bool: "true or false", str: "a text", (int, float): "a number"}


class Refusal(Exception):
    """A request that cannot be served: a status of HTTP and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class Request(NamedTuple):
    """The rows and options of a request."""

    table: Table
    options: dict[str, Any]
    notes: list[str] = []  # on what was odd about the body


def no_constant(text: str) -> float:
    raise Refusal(422, f"{text} is no number of JSON; write null for what is not known.")


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON, or refuse one in which a name stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Refusal(422, f"the name {twice[:80]!r} stands twice in one object.")
    return found


def parse(body: bytes) -> Any:
    """Return what the body of a request says."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Refusal(400, "the body is not UTF-8.") from error
    depth = deepest = 0
    for mark in text:  # brackets inside texts count too: such a request is odd enough to be refused
        depth += (mark in "[{") - (mark in "]}")
        deepest = max(deepest, depth)
    if deepest > 1_000:
        raise Refusal(400, "the body is nested too deeply.")
    try:
        return json.loads(text, parse_constant=no_constant, object_pairs_hook=unique_names)
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Refusal(400, f"the body is no JSON{where}.") from error


def read_request(body: bytes, kind: str, schema: Schema, most_rows: int) -> Request:
    """Return the rows and options of a request to predict or to explain, or refuse it."""
    given = parse(body)
    if isinstance(given, list):
        given = {"rows": given}
    if not isinstance(given, dict) or "rows" not in given:
        raise Refusal(422, 'the body must be an object with "rows", a list of objects, one for every row.')
    options = {name: value for name, value in given.items() if name != "rows"}
    return as_request(given["rows"], options, kind, schema, most_rows)


def as_request(
    rows: Any, options: dict[str, Any], kind: str, schema: Schema, most_rows: int, notes: list[str] | None = None
) -> Request:
    """Return rows and options as a request, or refuse what does not fit."""
    for name, value in options.items():
        wanted = OPTIONS[kind].get(name)
        if wanted is None:
            raise Refusal(422, f"{name[:80]!r} is no option of /{kind}; it takes rows, {', '.join(OPTIONS[kind])}.")
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            raise Refusal(422, f"{name} must be {KINDS[wanted]}; it is {shown(value)}.")
    level: Any = options.get("level", 0.9)
    if not 0.5 <= level < 1:
        raise Refusal(422, f"level must be from 0.5 to below 1; it is {shown(level)}.")
    if not isinstance(rows, list) or not rows:
        raise Refusal(422, f"rows must be a list of at least one object; it is {shown(rows)}.")
    if len(rows) > most_rows:
        raise Refusal(413, f"{counted(len(rows), 'row', 'are')} too many; send at most {most_rows:,} at a time.")
    return Request(table_from(rows, schema, bool(options.get("unseen"))), options, notes or [])


def shown(value: Any) -> str:
    """Return a value for a sentence."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


def table_from(rows: list[Any], schema: Schema, unseen: bool) -> Table:
    """Return the rows as a table, or refuse the first cell that does not fit."""
    known = set(schema.names)
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise Refusal(422, f"row {number} must be an object of columns and values; it is {shown(row)}.")
        for name in row:
            if name not in known:
                near = get_close_matches(name, schema.names, n=1)
                hint = "it is what the model predicts; leave it out" if name == schema.target else "leave it out"
                hint = f"did you mean {near[0]!r}?" if near and name != schema.target else f"{hint}."
                raise Refusal(422, f"row {number}: the model has no column {name[:80]!r}; {hint}")
        absent = next((name for name in schema.names if name not in row), None)
        if absent is not None:
            raise Refusal(422, f"row {number}: lacks {absent!r}; write null where it is not known.")
    forms = schema.forms or [[] for _ in schema.names]
    columns = {}
    for name, role, levels, form in zip(schema.names, schema.roles, schema.levels, forms):
        cells = [row[name] for row in rows]
        if role == "number":
            may_be_true = schema.truths is None or name in schema.truths
            columns[name] = Column(name, NUMBER, number_cells(name, cells, form, may_be_true), "number")
        elif role == "date":
            columns[name] = Column(name, DATE, date_cells(name, cells, form), "date")
        else:
            columns[name] = Column(name, TEXT, text_cells(name, cells, levels if not unseen else []), "text")
    return Table(columns, len(rows), "the request")


def refuse_cell(row: int, name: str, wanted: str, value: Any) -> Refusal:
    return Refusal(422, f"row {row + 1}: {name!r} must be {wanted} or null; it is {shown(value)}.")


def number_cells(name: str, cells: list[Any], form: list[Any], may_be_true: bool) -> np.ndarray:
    """Return numbers; a text is read as the cells of the studied table were, where these were texts.

    A truth value is a number only in a column that held truth values.
    """
    found = np.full(len(cells), np.nan)
    for i, value in enumerate(cells):
        if value is None:
            continue
        if isinstance(value, str) and form and len(value) <= LONGEST_CELL:
            found[i] = numbers_of([value], Form(*form))[0]
            if np.isnan(found[i]):
                raise refuse_cell(i, name, "a number", value)
        elif isinstance(value, int | float) and abs(value) <= LARGEST and (may_be_true or not isinstance(value, bool)):
            found[i] = float(value)
        else:
            raise refuse_cell(i, name, "a number", value)
    return found


def date_cells(name: str, cells: list[Any], form: list[Any]) -> np.ndarray:
    """Return dates: as the studied table wrote them, or as 2021-12-31."""
    found = np.full(len(cells), np.datetime64("NaT"), dtype="datetime64[s]")
    for i, value in enumerate(cells):
        if value is None:
            continue
        if not isinstance(value, str) or len(value) > 40:
            raise refuse_cell(i, name, "a date as 2021-12-31", value)
        if form:
            found[i] = dates_of([value], Form(*form))[0]
        if np.isnat(found[i]):
            found[i] = dates_of([value], Form("date", "ymd"))[0]
        if np.isnat(found[i]):
            raise refuse_cell(i, name, "a date as 2021-12-31", value)
    return found


def text_cells(name: str, cells: list[Any], levels: list[str]) -> np.ndarray:
    """Return texts, or refuse a category that the model never saw; an empty text is a missing one."""
    found = np.empty(len(cells), dtype=object)
    for i, value in enumerate(cells):
        if isinstance(value, bool | int | float) and abs(value) <= LARGEST:
            value = number_as_written(float(value), BOOL if isinstance(value, bool) else NUMBER)
        if value is not None and (not isinstance(value, str) or len(value) > LONGEST_CELL):
            raise refuse_cell(i, name, "a text", value)
        found[i] = value.strip() or None if isinstance(value, str) else None
        if levels and found[i] is not None and found[i] not in levels:
            near = get_close_matches(found[i], levels, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"it knows {', '.join(map(repr, levels[:5]))}"
            more = " ..." if not near and len(levels) > 5 else ""
            raise Refusal(
                422,
                f'row {i + 1}: the model never saw {shown(value)} in {name!r}; {hint}{more} Or send "unseen": true.',
            )
    return found
