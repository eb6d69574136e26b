"""Bodies besides JSON: lines of JSON and CSV, as the type of the body says, with options in the address; answers likewise.

    application/json                         {"rows": [...], "proba": true, ...}                       {"predictions": [...], ...}
    application/jsonl, application/x-ndjson  an object a line, ?proba=true&level=0.8                   an object a line
    text/csv                                 a header and rows, ?proba=true&level=0.8                  a header and rows

The answer has the type of the body unless the header Accept names another. What has no place among rows, notes and drift, stands in
the headers Novum-Notes and Novum-Drift as lists of JSON.
"""

import csv
import io
import json
from typing import Any
from urllib.parse import parse_qsl

from novum.fold.readers.dialect import MISSING
from novum.study.data.schema import Schema, listed_names
from novum.study.report.output import rows_as_csv
from novum.study.serving.rows import OPTIONS, Refusal, Request, as_request, parse, read_request

__all__ = ["CSV", "JSON", "LINES", "answer_bytes", "as_bytes", "read_body", "type_of_answer", "type_of_body"]

JSON, LINES, CSV = "application/json", "application/x-ndjson", "text/csv"
TYPES = {JSON: JSON, LINES: LINES, "application/jsonl": LINES, CSV: CSV}
LONGEST_HEADER = 2_000  # characters
BETWEEN = " | "  # classes of a set, as novum predict writes them


def type_of_body(header: str) -> str:
    """Return the type of a body, or refuse it."""
    kind = TYPES.get(header.split(";")[0].strip().lower())
    if kind is None:
        raise Refusal(
            415,
            f"send JSON, with the header Content-Type: {JSON}; or CSV as {CSV}, or an object of JSON a line as {LINES}.",
        )
    return kind


def type_of_answer(header: str, given: str) -> str:
    """Return the type that an answer shall have."""
    wanted = (one.split(";")[0].strip().lower() for one in header.split(","))
    return next((TYPES[one] for one in wanted if one in TYPES), given)


def read_body(body: bytes, given: str, query: str, kind: str, schema: Schema, most_rows: int) -> Request:
    """Return the rows and options of a request, or refuse it."""
    if given == JSON:
        return read_request(body, kind, schema, most_rows)
    options = options_in(query, kind)
    if given == LINES:
        lines = [line for line in body.split(b"\n") if line.strip()]
        if len(lines) > most_rows:
            raise Refusal(413, f"{len(lines):,} rows are too many; send at most {most_rows:,} at a time.")
        return as_request([parse(line) for line in lines], options, kind, schema, most_rows)
    rows, extra = rows_of_csv(body, schema, most_rows)
    notes = [f"not used by the model: {listed_names(extra)}"] if extra else []
    return as_request(rows, options, kind, schema, most_rows, notes)


def options_in(query: str, kind: str) -> dict[str, Any]:
    """Return the options in an address."""
    found: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True, max_num_fields=20):
        wanted = OPTIONS[kind].get(name)
        if wanted is bool:
            found[name] = {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
        elif wanted == (int, float):
            try:
                found[name] = float(text)
            except ValueError:
                found[name] = text
        else:  # a text, or no option at all, which is refused with the others
            found[name] = text
    return found


def rows_of_csv(body: bytes, schema: Schema, most_rows: int) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a CSV with the cells of the model's columns, and the names of other columns."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Refusal(400, "the body is not UTF-8.") from error
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise Refusal(400, f"the body is no CSV: {error}.") from error
    if not lines or not lines[0]:
        raise Refusal(422, "the body must be a header and rows.")
    one = len(lines[0]) == 1  # a blank line is a missing cell then, and no row otherwise
    lines = [line or [""] for line in lines if line or one]
    heads = [name.strip() for name in lines[0]]
    twice = next((name for k, name in enumerate(heads) if name in heads[:k]), None)
    if twice is not None:
        raise Refusal(422, f"the column {twice[:80]!r} stands twice in the header.")
    if len(lines) - 1 > most_rows:
        raise Refusal(413, f"{len(lines) - 1:,} rows are too many; send at most {most_rows:,} at a time.")
    forms = schema.forms or [[] for _ in schema.names]
    about = {name: (role, bool(form)) for name, role, form in zip(schema.names, schema.roles, forms)}
    places = [(place, name, *about[name]) for place, name in enumerate(heads) if name in about]
    truths = set(schema.truths or [])
    rows = []
    for number, cells in enumerate(lines[1:], start=1):
        if len(cells) != len(heads):
            raise Refusal(422, f"row {number} has {len(cells)} cells; the header has {len(heads)}.")
        rows.append({name: cell_value(cells[place], role, form, name in truths) for place, name, role, form in places})
    return rows, [name for name in heads if name not in about and name != schema.target]


def cell_value(text: str, role: str, written: bool, truth: bool) -> Any:
    """Return a cell of CSV as JSON would say it; what is no number stays a text, and is refused where a number must be."""
    text = text.strip()
    if text in MISSING:
        return None
    if role != "number" or written:  # read as the studied table was
        return text
    if truth and text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return float(text)
    except ValueError:
        return text


def as_bytes(value: Any) -> bytes:
    """Return JSON; a number that JSON does not have is null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return json.dumps(finite(value), ensure_ascii=False, allow_nan=False).encode()


def finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and (value != value or abs(value) == float("inf")) else value


def answer_bytes(answer: dict[str, Any], kind: str) -> tuple[bytes, dict[str, str]]:
    """Return an answer in a type, and the headers for what has no place in it."""
    if kind == JSON:
        return as_bytes(answer), {}
    rows = answer["predictions"] if "predictions" in answer else answer["explanations"]
    headers = {f"Novum-{name.title()}": header_text(answer[name]) for name in ("notes", "drift") if answer.get(name)}
    if kind == LINES:
        return b"".join(as_bytes(row) + b"\n" for row in rows), headers
    flat = [flat_row(row, answer["target"]) for row in rows]
    heads = list(dict.fromkeys(name for row in flat for name in row))
    return rows_as_csv(heads, [[row.get(name, "") for name in heads] for row in flat]).encode(), headers


def flat_row(row: dict[str, Any], target: str) -> dict[str, Any]:
    """Return the answer to a row as cells of CSV, named as novum predict names them."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if name == "predicted":
            found[f"predicted_{target}"] = value
        elif name == "probabilities":
            found |= {f"p({label})": p for label, p in value.items()}
        elif name in ("lower", "upper"):
            found[f"predicted_{target}_{name}"] = value
        elif name == "set":
            found[f"predicted_{target}_set"] = BETWEEN.join(value)
        elif isinstance(value, dict):  # contributions, by column
            found |= {f"{name}: {column}": one for column, one in value.items()}
        else:
            found[name] = value
    return found


def header_text(sentences: list[str]) -> str:
    """Return sentences as a header: a list in ASCII, as many as there is room for."""
    kept = list(sentences)
    while len(text := json.dumps(kept, ensure_ascii=True)) > LONGEST_HEADER:
        kept = kept[:-1]
    return text
