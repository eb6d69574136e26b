"""Tables as text: cells parted by a mark, or JSON (novum.study.data.json_text). What is wrong is said with the line it is in."""

import re
from typing import Any

from novum.exceptions import DataError, ParameterError, SourceError
from novum.fold.readers.blanks import with_tabs
from novum.fold.readers.cells import code_form
from novum.fold.readers.dialect import MISSING, encoding_of
from novum.fold.readers.layout import layout_of, separator_of
from novum.report.numbers import counted
from novum.study.data.json_text import read_json

__all__ = ["read_text"]

HEAD = 65536  # bytes and characters looked at to tell what a text is
MAX_BLOCK = 2**31 - 2
WEB = re.compile(r"\s*<(!doctype|html|\?xml)", re.IGNORECASE)


def read_text(
    name: str, data: bytes, separator: str | None, encoding: str | None, coded: list[str], notes: list[str]
) -> Any:
    """Return the Arrow table of a text; what had to be found out and is unusual goes to the notes."""
    separator = separator_of(separator, name)
    text = as_utf8(name, data, encoding, notes)
    start = text[:HEAD].decode("utf-8", errors="ignore").lstrip("\ufeff \t\r\n")
    if not start:
        raise DataError(f"{name}: has nothing but empty lines.")
    if WEB.match(start):
        raise DataError(f"{name}: is a page of the web or XML, not a table; save the table itself.")
    if start[:9].casefold() == "@relation":
        raise DataError(f"{name}: is an ARFF file; write the table as CSV, for example with scipy.io.arff.loadarff.")
    if start[0] in "{[" and separator is None:
        return read_json(name, text, start[0])
    return read_cells(name, text, separator, coded, notes)


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
    data = data.removeprefix(b"\xef\xbb\xbf").rstrip(b"\x1a")  # the end of a file for old programs
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
        if data.count(b"\r") > data.count(b"\n"):  # an old Mac, or a few programs that follow it
            data = data.replace(b"\r", b"\n")
    return data


def read_cells(name: str, text: bytes, separator: str | None, coded: list[str], notes: list[str]) -> Any:
    """Return the Arrow table of cells parted by a mark; `coded` columns are text, whatever they look like."""
    import pyarrow as pa
    from pyarrow import csv as arrow

    from novum.fold.readers.csv import parse_options

    layout = layout_of(name, first_lines(text), separator)
    notes += layout.notes
    start = after_lines(text, layout.above)
    rest = without_headers(text[:start], text[start:], notes)
    if not rest.strip():
        raise DataError(f"{name}: has a header and no rows.")
    if layout.blanks:
        rest = with_tabs(rest.decode("utf-8"), layout.blanks).encode("utf-8")
    left_out: list[str] = []

    def read(**options: Any) -> Any:
        left_out.clear()
        return arrow.read_csv(
            pa.BufferReader(rest),
            arrow.ReadOptions(
                use_threads=False, block_size=min(max(len(rest), 2**16), MAX_BLOCK), column_names=layout.names
            ),
            parse_options(layout, left_out, lines_in_cells=True),
            arrow.ConvertOptions(
                null_values=list(MISSING), strings_can_be_null=True, decimal_point=layout.decimal, **options
            ),
        )

    try:
        table = read(column_types={column: pa.string() for column in coded if column in layout.names})
        table = with_codes(table, rest, layout.mark, read)
    except pa.ArrowInvalid as error:
        raise DataError(f"{name}: {csv_problem(str(error), layout.above, len(layout.names))}") from error
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise SourceError(f"{name}: cannot be read: {str(error).splitlines()[0][:200]}.") from error
    if left_out:
        lines = "1 line that holds" if len(left_out) == 1 else f"{counted(len(left_out), 'line')} that hold"
        notes.append(f"{lines} no cells left out: {left_out[0]!r:.60}")
    return table


def with_codes(table: Any, text: bytes, mark: str, read: Any) -> Any:
    """Return the table with the digits of codes, which are no numbers, as they were written."""
    import pyarrow as pa

    from novum.fold.readers.csv import codes_among, stripped

    suspects = codes_among(table, text, mark)
    if not suspects:
        return table
    written = read(include_columns=suspects, column_types=dict.fromkeys(suspects, pa.string()))
    for column in suspects:
        if code_form(stripped(written[column])):
            table = table.set_column(table.schema.get_field_index(column), column, written[column])
    return table


def first_lines(body: bytes) -> str:
    """Return the first line that says something, however long, and some lines after it."""
    end = body.find(b"\n", len(body) - len(body.lstrip()))
    return body[: (len(body) if end < 0 else end) + HEAD].decode("utf-8", errors="ignore")


def after_lines(body: bytes, count: int) -> int:
    """Return where the line after so many begins."""
    at = 0
    for _ in range(count):
        at = body.find(b"\n", at) + 1
        if not at:
            return len(body)
    return at


def without_headers(head: bytes, rows: bytes, notes: list[str]) -> bytes:
    """Return the rows without further copies of the header, which come from files put one below the other."""
    header = head[head.rfind(b"\n", 0, -1) + 1 :]
    if not header.endswith(b"\n") or len(header) < 3 or not (rows.startswith(header) or b"\n" + header in rows):
        return rows
    lines = rows.splitlines(keepends=True)
    kept = [line for line in lines if line != header]
    copies = len(lines) - len(kept)
    notes.append(
        f"the header comes back in {copies} row{'s' if copies > 1 else ''}, which {'are' if copies > 1 else 'is'} left out"
    )
    return b"".join(kept)


def csv_problem(text: str, before: int, n_columns: int) -> str:
    """Return what is wrong with a CSV file, from what pyarrow says; `before` lines stand above what it read."""
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", text)
    if ragged:
        row, _, got = ragged.groups()
        place = f"row {int(row) + before} (the header is row {before})" if row else "a row"
        cells = counted(int(got), "cell")
        return f"{place} has {cells} where the header has {n_columns}; correct the file."
    return f"is not a readable CSV file: {text.splitlines()[0][:200]}"
