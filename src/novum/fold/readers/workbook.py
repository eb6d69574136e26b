"""Excel workbooks: the first sheet, its first line the names of the columns. Read whole, since a sheet is small; needs openpyxl."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from novum.exceptions import DataError, SourceError
from novum.fold.readers.cells import Form
from novum.fold.readers.columns import ArrowPiece
from novum.fold.readers.csv import cell_forms, float_type, typed, with_forms
from novum.fold.readers.second_header import second_header
from novum.fold.readers.table import DataFile, check_names

__all__ = ["WORKBOOK", "WorkbookFile", "sheet_of"]

WORKBOOK = "xl/workbook.xml"
MAX_SHEET = 64 * 2**20  # bytes of a workbook, which grows some ten times when it is read
MOST_ABOVE = 30  # lines above a header
MANY_ROWS = 200  # that tell whether a line is a second header


def sheet_of(name: str, data: bytes, room: int, notes: list[str]) -> tuple[list[str], list[tuple]]:
    """Return the names and the rows of the first sheet; what had to be found out goes to the notes.

    Parameters
    ----------
    room : int
        Bytes that it may take.
    """
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            held = {member.filename: member.file_size for member in archive.infolist()}
    except BadZipFile as error:
        raise SourceError(f"{name}: is a damaged zip archive or workbook.") from error
    if WORKBOOK not in held:
        raise DataError(f"{name}: is a zip archive; unpack it, and name the table in it.")
    if sum(held.values()) > min(room, MAX_SHEET * 8) or len(data) > MAX_SHEET:
        raise DataError(f"{name}: unpacks to more than the memory here allows; save the sheet as CSV or Parquet.")
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise SourceError(f"{name}: is an Excel workbook; pip install openpyxl, or save the sheet as CSV.") from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        rows = [row for row in sheet.iter_rows(values_only=True) if any(cell not in (None, "") for cell in row)]
    except Exception as error:  # openpyxl raises whatever its parts raise
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise SourceError(f"{name}: cannot be read as a workbook: {said.rstrip('.')}.") from error
    if len(book.worksheets) > 1:
        notes.append(f"the workbook has {len(book.worksheets)} sheets; this is the first, {sheet.title!r}")
    if not rows:
        raise DataError(f"{name}: its first sheet, {sheet.title!r}, is empty.")
    top = titles_above(rows)
    if top:
        said = next(str(cell) for cell in rows[0] if cell not in (None, ""))
        notes.append(f"{'a line' if top == 1 else f'{top} lines'} above the header left out: {said!r:.60}")
    head, *rows = without_margins(rows[top:])
    first, *below = [["" if cell is None else str(cell).strip() for cell in row] for row in (head, *rows[:MANY_ROWS])]
    if two := second_header(first, below):
        first, rows = two[0], rows[1:]
        notes.append(two[1])
    names = [cell or f"(column {i})" for i, cell in enumerate(first, start=1)]
    check_names(names, name)
    return names, rows


def without_margins(rows: list[tuple]) -> list[tuple]:
    """Return rows without the columns left and right of the table that no row fills."""
    used = [any(row[i] not in (None, "") for row in rows if i < len(row)) for i in range(max(map(len, rows)))]
    first, last = used.index(True), len(used) - used[::-1].index(True)
    return [(*row, *[None] * (len(used) - len(row)))[first:last] for row in rows]


def titles_above(rows: list[tuple]) -> int:
    """Return how many lines stand above the names: of one cell, where the table is wider and the names are texts."""
    filled = [sum(cell not in (None, "") for cell in row) for row in rows[: MOST_ABOVE + 1]]
    top = next((i for i, cells in enumerate(filled) if cells > 1), 0)
    names = [cell for cell in rows[top] if cell not in (None, "")]
    width = len(without_margins(rows[top:])[0])
    return top if all(isinstance(cell, str) for cell in names) and len(names) >= width - 1 else 0


def arrow_table(names: list[str], rows: list[tuple]) -> Any:
    """Return rows as an Arrow table; a column of mixed kinds becomes text."""
    columns = {}
    for name, values in zip(names, zip(*rows)):
        cells = [None if value == "" else value for value in values]
        try:
            columns[name] = pa.array(cells)
        except (pa.ArrowException, OverflowError):
            columns[name] = pa.array([None if cell is None else str(cell) for cell in cells])
    return pa.table(columns)


class WorkbookFile(DataFile):
    """The first sheet of one workbook; `like` is the first of the scan, whose types the others share."""

    format = "excel"
    failures = (OSError, ValueError, MemoryError, pa.ArrowException)

    types: dict[str, pa.DataType]
    forms: dict[str, Form]  # of numbers and dates that came as text
    whole: frozenset[str]  # numbers that look like integers

    def __init__(self, path: Path, like: "WorkbookFile | None" = None) -> None:
        self.like = like
        super().__init__(path)

    def _open(self) -> None:
        names, rows = sheet_of(str(self), self.path.read_bytes(), MAX_SHEET * 8, [])
        if not rows:
            raise DataError(f"{self}: has a header and no rows.")
        table = arrow_table(names, rows)
        like = self.like
        forms = cell_forms(table) if like is None else like.forms
        types = {field.name: float_type(field.type) for field in table.schema} if like is None else like.types
        whole = frozenset(field.name for field in table.schema if pa.types.is_integer(field.type))
        self.types, self.forms, self.whole = types, forms, whole if like is None else like.whole
        self.columns = typed({name: types.get(name, table.schema.field(name).type) for name in names}, forms)
        self.rows, self.n_rows = table.combine_chunks(), table.num_rows

    def _read(self, keys: list, rows: int, threads: int) -> Iterator[ArrowPiece]:
        start = 0
        table = self.rows.select(keys)
        schema = pa.schema([(key, self.types[key]) for key in keys])
        for batch in table.cast(schema, safe=False).to_batches(max_chunksize=rows):
            yield ArrowPiece(self, start, with_forms(batch, self.forms), self.whole)
            start += batch.num_rows
