"""Tables as JSON: an object per line, or one of the shapes that pandas and others write.

These are a list of objects, an object of lists or of objects by row (`{"a": [1, 2]}`, `{"a": {"0": 1}}`), names apart from rows
(`{"columns": [...], "data": [[...]]}`), rows under one name (`{"data": [{...}]}`) and a list of lists that begins with the names.
An object inside a row becomes columns named by both, with a point between.
"""

import json
from typing import Any

from novum.exceptions import DataError

__all__ = ["read_json"]

ROWS = ("data", "rows", "records", "results", "items")  # names under which programs put the rows
DEEPEST = 3  # objects inside each other that become columns


def read_json(name: str, text: bytes, first: str) -> Any:
    """Return the Arrow table of JSON that begins with `first`."""
    import pyarrow as pa

    try:
        rows = rows_in(parsed(name, text, first))
    except RecursionError:
        raise DataError(f"{name}: is JSON nested too deep for a table.") from None
    if rows is None:
        raise DataError(
            f"{name}: is JSON, but no list of objects; write an object per row, as JSON lines or in a list."
        )
    if not rows:
        raise DataError(f"{name}: is an empty list.")
    rows = [flat(row) for row in rows]
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = {}
    for column in names:
        values = [row.get(column) for row in rows]
        try:
            columns[column] = pa.array(values)
        except (pa.ArrowException, OverflowError):  # mixed kinds
            columns[column] = pa.array(
                [None if v is None else v if isinstance(v, str) else json.dumps(v) for v in values]
            )
    return pa.table(columns)


def parsed(name: str, text: bytes, first: str) -> Any:
    """Return what the text says: a list of the objects on its lines, or the one value that it is."""
    try:
        if first == "[":
            return json.loads(text)
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        return rows if len(rows) > 1 else rows[0]
    except json.JSONDecodeError as error:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise DataError(f"{name}: is not readable JSON: {error.msg} in line {error.lineno}.") from None


def rows_in(held: Any) -> list[dict] | None:
    """Return the rows that a value of JSON holds, None where it holds none."""
    if isinstance(held, list):
        if all(isinstance(row, dict) for row in held):
            return held
        if len(held) > 1 and all(isinstance(row, list) for row in held) and all(isinstance(c, str) for c in held[0]):
            return [dict(zip(held[0], row)) for row in held[1:]]
        return None
    if not isinstance(held, dict):
        return None
    names, data = held.get("columns"), held.get("data")
    if isinstance(names, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        return [dict(zip(map(str, names), row)) for row in data]
    under = [held[key] for key in held if key.casefold() in ROWS or len(held) == 1]
    for rows in under:
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows):
            return rows
    values = list(held.values())
    if values and all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        return [dict(zip(held, row)) for row in zip(*values)]
    if values and all(isinstance(value, dict) and value.keys() == values[0].keys() for value in values):
        return [{name: held[name][row] for name in held} for row in values[0]]
    return [held]


def flat(row: dict, depth: int = 0) -> dict[str, Any]:
    """Return a row whose objects are columns of their own."""
    found: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and depth < DEEPEST:
            found |= {f"{key}.{inner}": cell for inner, cell in flat(value, depth + 1).items()}
        else:
            found[key] = value
    return found
