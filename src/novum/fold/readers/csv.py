"""CSV, plain or compressed: parsed in blocks of bytes, with types settled once.

The first block decides which columns are numbers; all numbers are then read as floats, so that a column that begins with
integers may go on with fractions. A target that looks like integers is given back as integers. Delimiter, decimal mark, encoding
and missing cells: novum.fold.readers.dialect; numbers written as `$1.2`, `12%` or `1,234.5`: novum.fold.readers.cells.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv

from novum.fold.readers.cells import NUMBER as NUMBERS
from novum.fold.readers.cells import Form, form_of, numbers_of
from novum.fold.readers.columns import ArrowPiece, describe
from novum.fold.readers.dialect import MISSING, decimal_mark, encoding_of_file, first_lines, likely_mark
from novum.fold.readers.table import NUMBER, DataFile

__all__ = ["BLOCK_BYTES", "CsvFile", "float_type", "number_forms", "with_numbers"]

BLOCK_BYTES = 2**21  # of text at a time; also what the types are inferred from, and the longest line


class CsvFile(DataFile):
    """One CSV file; `like` is the first file of the scan, whose types the others share."""

    format = "csv"
    failures = (OSError, ValueError, MemoryError, pa.ArrowException)

    def __init__(self, path: Path, delimiter: str | None = None, like: "CsvFile | None" = None) -> None:
        self.given, self.like = delimiter, like
        self.delimiter, self.decimal = delimiter or ",", "."
        self.encoding = "utf8"
        self.types: dict[str, pa.DataType] = {}
        self.forms: dict[str, Form] = {}  # of numbers that came as text
        self.whole: frozenset[str] = frozenset()  # numbers that look like integers
        super().__init__(path)

    def _connect(self, **options: Any) -> csv.CSVStreamingReader:
        # One thread parses while ours work on what came before; then errors also tell the number of the row.
        read = csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False, encoding=self.encoding)
        convert = csv.ConvertOptions(null_values=list(MISSING), decimal_point=self.decimal, **options)
        return csv.open_csv(str(self.path), read, csv.ParseOptions(delimiter=self.delimiter), convert)

    def _open(self) -> None:
        if self.like is not None:
            self.delimiter, self.decimal, self.encoding = self.like.delimiter, self.like.decimal, self.like.encoding
        else:
            self.encoding = encoding_of_file(self.path)
            if lines := first_lines(self.path, self.encoding):
                self.delimiter = self.given or likely_mark(lines)
                self.decimal = decimal_mark(lines[1:], self.delimiter)
        with self._connect() as reader:
            schema = reader.schema
            text = [field.name for field in schema if pa.types.is_string(field.type)]
            first: Any = reader.read_next_batch() if text and self.like is None else None
        self.unique(schema.names)
        if self.like is not None:
            self.forms = self.like.forms
            self.types = {name: self.like.types.get(name, float_type(schema.field(name).type)) for name in schema.names}
            self.whole = self.like.whole
            self.columns = {name: self.like.columns.get(name, describe(self.types[name])) for name in schema.names}
        else:
            self.types = {field.name: float_type(field.type) for field in schema}
            self.whole = frozenset(field.name for field in schema if pa.types.is_integer(field.type))
            self.columns = {name: describe(kind) for name, kind in self.types.items()}
            self.forms = number_forms(first) if text else {}
            self.columns |= {name: describe(pa.float64()) for name in self.forms}

    def _read(self, keys: Any, rows: Any, threads: Any) -> Iterator[ArrowPiece]:
        # an empty cell is missing in a column of text too, so an empty label is refused like a null one elsewhere
        options = {"column_types": self.types, "include_columns": keys, "strings_can_be_null": True}
        start = 0
        with self._connect(**options) as reader:
            for batch in reader:
                yield ArrowPiece(self, start, with_numbers(batch, self.forms), self.whole)
                start += batch.num_rows


def float_type(inferred: pa.DataType) -> pa.DataType:
    """Return the type to read a column in: floats for every number and for a column that begins empty."""
    number = describe(inferred).kind == NUMBER and not pa.types.is_boolean(inferred)
    return pa.float64() if number else inferred


def number_forms(batch: pa.RecordBatch) -> dict[str, Form]:
    """Return how the columns of text that write numbers are to be read, by name."""
    found = {
        field.name: form_of(batch.column(field.name).unique().to_pylist())
        for field in batch.schema
        if pa.types.is_string(field.type)
    }
    return {name: form for name, form in found.items() if form is not None and form.kind == NUMBERS}


def with_numbers(batch: pa.RecordBatch, forms: dict[str, Form]) -> pa.RecordBatch:
    """Return a batch with numbers in the columns that write them as text; a cell that is none is missing."""
    for name in [name for name in batch.schema.names if name in forms]:
        values = pa.array(numbers_of(batch.column(name).to_pylist(), forms[name]))
        batch = batch.set_column(batch.schema.get_field_index(name), name, values)
    return batch
