"""Tables as text: cells parted by a mark, or JSON. What is wrong with one is said with the line it is in."""

import csv
import io
import json
import re
from typing import Any

from novum.exceptions import DataError, ParameterError, SourceError
from novum.fold.readers.dialect import MISSING, decimal_mark, encoding_of, likely_mark
from novum.study.table import check_names

__all__ = ["read_text"]

HEAD = 65536  # bytes and characters looked at to tell what a text is
MAX_BLOCK = 2**31 - 2
MANY_LINES = 200  # that tell the dialect
LONGEST_NAME = 200
WEB = re.compile(r"\s*<(!doctype|html|\?xml)", re.IGNORECASE)


def read_text(name: str, data: bytes, separator: str | None, encoding: str | None, notes: list[str]) -> Any:
    """Return the Arrow table of a text; what had to be found out and is unusual goes to the notes."""
    if separator is not None and len(separator) != 1:
        raise ParameterError(f"{name}: the separator {separator!r} must be one character.")
    text = as_utf8(name, data, encoding, notes)
    start = text[:HEAD].decode("utf-8", errors="ignore").lstrip("\ufeff \t\r\n")
    if not start:
        raise DataError(f"{name}: has nothing but empty lines.")
    if WEB.match(start):
        raise DataError(f"{name}: is a page of the web or XML, not a table; save the table itself.")
    if start[0] in "{[" and separator is None:
        return read_json(name, text, start[0])
    return read_cells(name, text, separator, notes)


def as_utf8(name: str, data: bytes, encoding: str | None, notes: list[str]) -> bytes:
    """Return a text in UTF-8 with line ends as Unix has them."""
    used = encoding or encoding_of(data[:HEAD])
    if encoding is None and used == "utf-8":  # the first bytes may be plain where later ones are not
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            used = encoding_of(data, whole=True)
    if used.startswith(("utf-16", "utf-32")) is False and b"\x00" in data[:HEAD]:
        raise DataError(f"{name}: is a binary file, not a table of text.")
    if used != "utf-8":
        try:
            data = data.decode(used).encode("utf-8")
        except LookupError:
            raise ParameterError(
                f"{name}: {encoding!r} is no encoding that Python knows; utf-8 and latin-1 are."
            ) from None
        except UnicodeError as error:
            line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
            raise DataError(f"{name}: line {line} is not {used} text; name its encoding with --encoding.") from None
        if encoding is None and used != "utf-8-sig":
            notes.append(f"the file is not UTF-8: read as {used}; --encoding says another")
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if data.count(b"\r") > data.count(b"\n"):  # an old Mac, or a few programs that follow it
            data = data.replace(b"\r", b"\n")
    return data


# ---------------------------------------------------------------------------------------------------- JSON


def read_json(name: str, text: bytes, first: str) -> Any:
    """Return the table of a list of objects, or of one object per line."""
    import pyarrow as pa

    try:
        if first == "[":
            rows = json.loads(text)
        else:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError as error:
        if first == "{":
            try:
                held = json.loads(text)
            except json.JSONDecodeError:
                raise DataError(f"{name}: is not readable JSON: {error.msg} in line {error.lineno}.") from None
            rows = next(iter(held.values())) if len(held) == 1 else None
        else:
            raise DataError(f"{name}: is not readable JSON: {error.msg} in line {error.lineno}.") from None
    except RecursionError:
        raise DataError(f"{name}: is JSON nested too deep for a table.") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(
            f"{name}: is JSON, but no list of objects; write an object per row, as JSON lines or in a list."
        )
    if not rows:
        raise DataError(f"{name}: is an empty list.")
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


# ---------------------------------------------------------------------------------------------------- cells


def read_cells(name: str, text: bytes, separator: str | None, notes: list[str]) -> Any:
    """Return the Arrow table of cells parted by a mark."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    empty = len(text) - len(text.lstrip(b"\n \t")) if not text[:1].strip() else 0
    skipped = text[:empty].count(b"\n")
    body = text[text.rfind(b"\n", 0, empty) + 1 if skipped else 0 :]
    above, said = preamble(body)
    skipped, body, separator = skipped + body[:above].count(b"\n"), body[above:], separator or said
    if above and not said:
        notes.append("lines at the top that begin with # are left out")
    lines = some_lines(body)
    mark = separator or likely_mark(lines)
    names, taken = header(name, body, mark)
    if ends_in_mark(lines, mark):
        names.append(f"(column {len(names) + 1})")
    body = without_headers(body, taken, notes)
    options = arrow.ConvertOptions(
        null_values=list(MISSING), strings_can_be_null=True, decimal_point=decimal_mark(lines[1:], mark)
    )
    rest = body[taken:]
    if not rest.strip():
        raise DataError(f"{name}: has a header and no rows.")
    try:
        return arrow.read_csv(
            pa.BufferReader(rest),
            arrow.ReadOptions(use_threads=False, block_size=min(max(len(rest), 2**16), MAX_BLOCK), column_names=names),
            arrow.ParseOptions(delimiter=mark, newlines_in_values=True),
            options,
        )
    except pa.ArrowInvalid as error:
        before = skipped + body[:taken].count(b"\n")
        raise DataError(f"{name}: {csv_problem(str(error), before, len(names))}") from error
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise SourceError(f"{name}: cannot be read: {str(error).splitlines()[0][:200]}.") from error


def preamble(body: bytes) -> tuple[int, str | None]:
    """Return how many bytes stand above the header, comments or Excel's line `sep=;`, and the mark which that names."""
    end = body.find(b"\n") + 1
    first = body[:end].strip().decode("utf-8", errors="ignore").strip('"')
    if end and re.fullmatch(r"sep=.", first):
        return end, first[-1]
    start = 0
    while body[start : start + 1] == b"#" and (end := body.find(b"\n", start) + 1):
        start = end
    after, last = some_lines(body[start:]), body[:start].decode("utf-8", errors="ignore").rstrip("\n").split("\n")[-1]
    mark = likely_mark(after)
    named = last.count(mark) and last.count(mark) == after[0].count(mark)  # a header may begin with # itself
    return (0, None) if named or not any(line.strip() for line in after) else (start, None)


def ends_in_mark(lines: list[str], mark: str) -> bool:
    """Return whether every row ends in a mark that the header does not have, as some programs write them."""
    rows = [line for line in lines[1:-1] or lines[1:] if line.strip()]
    cells = lines[0].count(mark) + 1
    more = bool(rows) and all(line.rstrip("\r ").endswith(mark) for line in rows) and not lines[0].endswith(mark)
    return more and cells > 1 and all('"' in line or line.count(mark) == cells for line in rows)


def without_headers(body: bytes, taken: int, notes: list[str]) -> bytes:
    """Return the text without further copies of its first line, which come from files put one below the other."""
    head = body[:taken]
    if not head.endswith(b"\n") or len(head) < 3 or b"\n" + head not in body[taken - 1 :]:
        return body
    rows = body[taken:].splitlines(keepends=True)
    kept = [row for row in rows if row != head]
    copies = len(rows) - len(kept)
    notes.append(
        f"the header comes back in {copies} row{'s' if copies > 1 else ''}, which {'are' if copies > 1 else 'is'} left out"
    )
    return head + b"".join(kept)


def some_lines(body: bytes) -> list[str]:
    """Return the header, however long, and some lines after it."""
    end = body.find(b"\n")
    end = len(body) if end < 0 else end
    return body[: end + HEAD].decode("utf-8", errors="ignore").split("\n")[:MANY_LINES]


def header(name: str, body: bytes, mark: str) -> tuple[list[str], int]:
    """Return the names of the columns and how many bytes the header takes; a column without one is called by its number."""
    end, quotes = 0, 0
    while True:  # a quoted name may hold a line break
        stop = body.find(b"\n", end)
        stop = len(body) if stop < 0 else stop
        quotes += body[end:stop].count(b'"')
        end = min(stop + 1, len(body))
        if quotes % 2 == 0 or end >= len(body):
            break
    try:
        csv.field_size_limit(max(csv.field_size_limit(), end + 1))
        first = next(csv.reader(io.StringIO(body[:end].decode("utf-8")), delimiter=mark), [])
    except csv.Error as error:
        raise DataError(f"{name}: its first line cannot be read: {error}.") from None
    cells = [cell.strip() for cell in first]
    if quotes % 2:
        raise DataError(f"{name}: a quotation mark in its first line is never closed.")
    if len(cells) > 1 and all(is_number(cell) for cell in cells):
        raise DataError(
            f"{name}: its first line holds numbers; a table needs a first line with the names of the columns."
        )
    if cells and max(map(len, cells)) > LONGEST_NAME and len(cells) < 3:
        raise DataError(
            f"{name}: its first line is a text of {max(map(len, cells)):,} characters, not names of columns."
        )
    names = [cell or f"(column {position})" for position, cell in enumerate(cells, start=1)]
    check_names(names, name)
    return names, end


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def csv_problem(text: str, before: int, n_columns: int) -> str:
    """Return what is wrong with a CSV file, from what pyarrow says; `before` lines stand above what it read."""
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", text)
    if ragged:
        row, _, got = ragged.groups()
        place = f"row {int(row) + before} (the header is row {before})" if row else "a row"
        cells = "1 cell" if got == "1" else f"{got} cells"
        return f"{place} has {cells} where the header has {n_columns}; correct the file."
    return f"is not a readable CSV file: {text.splitlines()[0][:200]}"
