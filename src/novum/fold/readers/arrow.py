"""Arrow IPC files (Feather version 2): record batches as they were written, one at a time.

A record batch is the least that can be read, so memory grows with the largest one; `pyarrow.feather.write_feather` and
`pandas.DataFrame.to_feather` write batches of 65,536 rows. The file is read, not mapped: a mapped file that another process
cuts short would end this one.
"""

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as dataset

from novum.fold.readers.columns import ArrowPiece, describe, index_columns
from novum.fold.readers.table import DataFile
from novum.fold.readers.untrusted import FAILURES, arrow_batches, open_arrow

__all__ = ["ArrowFile"]


class ArrowFile(DataFile):
    """One Arrow IPC file."""

    format = "arrow"
    failures = FAILURES

    def __init__(self, path: Path) -> None:
        self.batches: list[int] = []  # number of the first row of every record batch seen so far
        super().__init__(path)

    def _open(self) -> None:
        with pa.OSFile(str(self.path)) as source:
            if source.read(4) == b"FEA1":
                raise ValueError(
                    "it is Feather version 1; write it again with pyarrow.feather.write_feather(version=2)"
                )
            source.seek(0)
            with open_arrow(source) as reader:
                self.names = reader.schema.names
                self.unique(self.names)
                self.columns = {field.name: describe(field.type) for field in reader.schema}
                self.index = index_columns(reader.schema)
        self.n_rows = dataset.dataset(str(self.path), format="ipc").count_rows()  # from the headers of the batches

    def _read(self, keys: Any, rows: Any, threads: Any) -> Iterator[ArrowPiece]:
        fields = [self.names.index(key) for key in keys]
        start = 0
        with pa.OSFile(str(self.path)) as source, open_arrow(source, fields, threads > 1) as reader:
            batches = arrow_batches(reader)
            for index in range(reader.num_record_batches):
                if index == len(self.batches):
                    self.batches.append(start)
                batch = next(batches)
                yield ArrowPiece(self, start, batch)
                start += batch.num_rows

    def ahead(self, start: Any, rows: Any) -> str:
        return f"record batch {bisect_right(self.batches, start) - 1}, which begins at row {start}"

    def place(self, start: Any, stop: Any) -> Any:
        index = bisect_right(self.batches, start) - 1
        return super().place(start, stop) + (f" (record batch {index})" if index >= 0 else "")
