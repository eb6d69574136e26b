"""CSV, plain or compressed: parsed in blocks of bytes, with types settled once.

The first block decides which columns are numbers; all numbers are then read as floats, so that a column that begins with
integers may go on with fractions. A target that looks like integers is given back as integers. Encoding and missing cells:
novum.fold.readers.dialect; what parts the cells, and the lines above them: novum.fold.readers.layout; numbers and dates written as
`$1.2`, `12%`, `1,234.5` or `31/12/2021`: novum.fold.readers.cells.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv

from novum.fold.readers.blanks import TabbedText
from novum.fold.readers.cells import CODE, DATE, Form, code_form, dates_of, form_of, numbers_of, written_as_one_number
from novum.fold.readers.columns import ArrowPiece, describe
from novum.fold.readers.dialect import HEAD, MISSING, encoding_of_file, first_text
from novum.fold.readers.layout import Layout, layout_of, row_handler
from novum.fold.readers.table import NUMBER, DataFile

__all__ = [
    "BLOCK_BYTES",
    "CsvFile",
    "cell_forms",
    "codes_among",
    "float_type",
    "parse_options",
    "stripped",
    "typed",
    "with_forms",
]

EXACT_DIGITS = 10.0**15
BLOCK_BYTES = 2**21  # of text at a time; also what the types are inferred from, and the longest line


class CsvFile(DataFile):
    """One CSV file; `like` is the first file of the scan, whose types the others share."""

    format = "csv"
    failures = (OSError, ValueError, MemoryError, pa.ArrowException)

    encoding: str
    layout: Layout
    types: dict[str, pa.DataType]
    forms: dict[str, Form]  # of numbers and dates that came as text
    whole: frozenset[str]  # numbers that look like integers

    def __init__(self, path: Path, delimiter: str | None = None, like: "CsvFile | None" = None) -> None:
        self.given, self.like = delimiter, like
        super().__init__(path)

    def _connect(self, **options: Any) -> csv.CSVStreamingReader:
        # One thread parses while ours work on what came before; then errors also tell the number of the row.
        layout, blanks = self.layout, self.layout.blanks
        read = csv.ReadOptions(
            block_size=BLOCK_BYTES,
            use_threads=False,
            encoding="utf8" if blanks else self.encoding,
            column_names=layout.names,
            skip_rows=0 if blanks else layout.above,
        )
        convert = csv.ConvertOptions(null_values=list(MISSING), decimal_point=layout.decimal, **options)
        source: Any = str(self.path)
        if blanks:
            packed = pa.input_stream(source, compression="detect")
            source = pa.PythonFile(TabbedText(packed, self.encoding, blanks, layout.above), mode="r")
        return csv.open_csv(source, read, parse_options(layout, []), convert)

    def _open(self) -> None:
        self.encoding = encoding_of_file(self.path) if self.like is None else self.like.encoding
        head = first_text(self.path, self.encoding)
        if not head.strip():
            raise ValueError("it is empty")
        self.layout = layout_of(str(self), head, self.given)
        if self.like is not None:
            shared = self.like.layout
            self.layout = self.layout._replace(mark=shared.mark, decimal=shared.decimal, blanks=shared.blanks)
        with self._connect() as reader:
            schema = reader.schema
            first = next(iter(reader), pa.RecordBatch.from_pylist([], schema=schema))
        names = schema.names
        if self.like is not None:
            self.forms = self.like.forms
            self.types = {name: self.like.types.get(name, float_type(schema.field(name).type)) for name in names}
            self.whole, self.index = self.like.whole, self.like.index
            self.columns = {name: self.like.columns.get(name, describe(self.types[name])) for name in names}
            return
        codes = self._codes(first, head)
        self.types = {field.name: pa.string() if field.name in codes else float_type(field.type) for field in schema}
        self.whole = frozenset(field.name for field in schema if pa.types.is_integer(field.type)) - codes
        self.forms = cell_forms(first)
        self.columns = typed(self.types, self.forms)
        self.index = frozenset(name for name in names if beside_the_data(name, first.column(name), self.layout))

    def _codes(self, first: Any, head: str) -> frozenset[str]:
        """Return the columns of whole numbers whose first cells are codes."""
        suspects = codes_among(pa.Table.from_batches([first]), head.encode(), self.layout.mark)
        if not suspects:
            return frozenset()
        as_text = dict.fromkeys(suspects, pa.string())
        with self._connect(include_columns=suspects, column_types=as_text, strings_can_be_null=True) as reader:
            batch = reader.read_next_batch()
        return frozenset(name for name in suspects if code_form(stripped(batch.column(name))))

    def _read(self, keys: Any, rows: Any, threads: Any) -> Iterator[ArrowPiece]:
        # an empty cell is missing in a column of text too, so an empty label is refused like a null one elsewhere
        options = {"column_types": self.types, "include_columns": keys, "strings_can_be_null": True}
        start = 0
        with self._connect(**options) as reader:
            for batch in reader:
                yield ArrowPiece(self, start, with_forms(batch, self.forms), self.whole)
                start += batch.num_rows


def parse_options(layout: Layout, left_out: list[str], lines_in_cells: bool = False) -> csv.ParseOptions:
    """Return how Arrow is to cut a text into cells; lines that hold none are written down."""
    return csv.ParseOptions(
        delimiter=layout.mark,
        quote_char=layout.quote,
        escape_char=layout.escape,
        newlines_in_values=lines_in_cells,
        invalid_row_handler=row_handler(left_out),
    )


def codes_among(table: Any, text: bytes, mark: str) -> list[str]:
    """Return the columns of numbers whose cells may be codes: with leading zeros, in hexadecimal, or too long for a float."""
    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    long = [field.name for field in table.schema if pa.types.is_floating(field.type) and is_long(table[field.name])]
    ends = rb'["\n\r ' + re.escape(mark.encode()) + rb"]"
    rare = [start for start in (b'"', b" ") if start + b"0" in text[:HEAD]]
    starts = [mark.encode(), b"\n", *rare]  # a search for a plain beginning is fast
    zeros = any(re.search(re.escape(start) + rb"0[\dxX][\da-fA-F]*" + ends, text) for start in starts)
    if zeros or re.match(rb"0[\dxX]", text):
        return [*whole, *long]
    return [*long, *(name for name in whole if is_long(table[name]))]


def is_long(column: Any) -> bool:
    """Return whether numbers have more digits than a float holds."""
    bounds = pc.min_max(column).as_py()
    return (
        bounds["min"] is not None and max(abs(bounds["min"]), abs(bounds["max"])) >= EXACT_DIGITS and bounds["min"] >= 0
    )


def stripped(column: Any) -> list[str]:
    """Return the different cells of a column of text, without blanks around them."""
    return [cell.strip() for cell in column.unique().to_pylist() if cell is not None and cell.strip()]


def beside_the_data(name: str, cells: Any, layout: Layout) -> bool:
    """Return whether a column is no feature unless it is named: an index as pandas or R write it, or a mark at the ends of rows."""
    if name not in layout.unnamed and not (name == layout.names[0] and re.fullmatch(r"Unnamed: \d+", name)):
        return False
    if cells.null_count == len(cells) or not pa.types.is_integer(cells.type):
        return cells.null_count == len(cells) or pa.types.is_string(cells.type)
    return bool(not cells.null_count and (np.diff(cells.to_numpy()) == 1).all())


def float_type(inferred: pa.DataType) -> pa.DataType:
    """Return the type to read a column in: floats for every number and for a column that begins empty."""
    number = describe(inferred).kind == NUMBER
    return inferred if not number or pa.types.is_boolean(inferred) or pa.types.is_temporal(inferred) else pa.float64()


def typed(types: dict[str, pa.DataType], forms: dict[str, Form]) -> dict[str, Any]:
    """Return what columns can serve as, after cells of text were read as their forms say."""
    made = {name: pa.timestamp("s") if form.kind == DATE else pa.float64() for name, form in forms.items()}
    return {name: describe(made.get(name, kind)) for name, kind in types.items()}


def cell_forms(batch: pa.RecordBatch) -> dict[str, Form]:
    """Return how the columns that write numbers or dates as text, or dates as whole numbers, are to be read, by name."""
    found = {
        field.name: form_of(stripped(batch.column(field.name)))
        for field in batch.schema
        if pa.types.is_string(field.type)
    }
    found |= {
        field.name: written_as_one_number(batch.column(field.name).unique().drop_null().to_pylist())
        for field in batch.schema
        if pa.types.is_integer(field.type)
    }
    return {name: form for name, form in found.items() if form is not None and form.kind != CODE}


def with_forms(batch: pa.RecordBatch, forms: dict[str, Form]) -> pa.RecordBatch:
    """Return a batch with numbers and dates in the columns that write them as text; a cell that is none is missing."""
    for name in [name for name in batch.schema.names if name in forms]:
        cells, form = batch.column(name).to_pylist(), forms[name]
        cells = [cell if cell is None or isinstance(cell, str) else f"{cell:.0f}" for cell in cells]
        values = pa.array(dates_of(cells, form)) if form.kind == DATE else pa.array(numbers_of(cells, form))
        batch = batch.set_column(batch.schema.get_field_index(name), name, values)
    return batch
