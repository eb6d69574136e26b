"""JSON lines, plain or compressed: an object per line, parsed in blocks of bytes, with types settled once.

As with CSV the first block decides which columns there are and which are numbers; these are read as floats. A key that a line lacks
is missing there; one that only later lines have is no column. Numbers and dates written as text: novum.fold.readers.cells.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as json

from novum.fold.readers.cells import Form
from novum.fold.readers.columns import ArrowPiece
from novum.fold.readers.csv import BLOCK_BYTES, cell_forms, float_type, typed, with_forms
from novum.fold.readers.table import DataFile

__all__ = ["JsonLinesFile"]


class JsonLinesFile(DataFile):
    """One file of JSON lines; `like` is the first file of the scan, whose types the others share."""

    format = "JSON lines"
    failures = (OSError, ValueError, MemoryError, pa.ArrowException)

    types: dict[str, pa.DataType]
    forms: dict[str, Form]  # of numbers and dates that came as text
    whole: frozenset[str]  # numbers that look like integers

    def __init__(self, path: Path, like: "JsonLinesFile | None" = None) -> None:
        self.like = like
        super().__init__(path)

    def _connect(self, schema: pa.Schema | None = None) -> Any:
        rest = "infer" if schema is None else "ignore"
        parse = json.ParseOptions(explicit_schema=schema, unexpected_field_behavior=rest)
        source = pa.input_stream(str(self.path), compression="detect")
        return json.open_json(source, json.ReadOptions(use_threads=False, block_size=BLOCK_BYTES), parse)

    def _open(self) -> None:
        with self._connect() as reader:
            names = reader.schema.names
            first: Any = reader.read_next_batch() if self.like is None else None
        self.unique(names)
        if self.like is not None:
            self.types, self.forms, self.whole = self.like.types, self.like.forms, self.like.whole
            self.columns = self.like.columns
            return
        schema = first.schema
        self.types = {field.name: float_type(field.type) for field in schema}
        self.whole = frozenset(field.name for field in schema if pa.types.is_integer(field.type))
        self.forms = cell_forms(first)
        self.columns = typed(self.types, self.forms)

    def _read(self, keys: Any, rows: Any, threads: Any) -> Iterator[ArrowPiece]:
        start = 0
        with self._connect(pa.schema(list(self.types.items()))) as reader:
            for batch in reader:
                chosen = with_forms(batch.select(keys), self.forms)
                yield ArrowPiece(self, start, chosen, self.whole)
                start += batch.num_rows
