"""Parquet: columns are decoded in step, batch by batch, whatever the size of the row groups.

The pages of a column are read through a small buffer instead of a whole column chunk at a time, so memory does not grow with
row groups; what remains is a page or two of every column, 1 MiB each as most writers cut them. Page checksums are verified
where the writer stored them.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from novum.fold.readers.columns import ArrowPiece, describe, index_columns
from novum.fold.readers.table import DataFile
from novum.fold.readers.untrusted import FAILURES, open_parquet, parquet_batches

__all__ = ["ParquetFile"]


class ParquetFile(DataFile):
    """One Parquet file."""

    format = "parquet"
    failures = FAILURES

    def __init__(self, path: Path) -> None:
        self.groups: list[int] = []  # number of the first row of every row group
        super().__init__(path)

    def _connect(self, n_columns: int = 1) -> pq.ParquetFile:
        return open_parquet(pa.OSFile(str(self.path)), n_columns)

    def _open(self) -> None:
        with self._connect() as reader:
            metadata = reader.metadata
            counts = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
            self.n_rows = metadata.num_rows
            self.groups = [0, *accumulate(counts)][:-1] if counts else []
            self.unique(reader.schema_arrow.names)
            self.columns = {field.name: describe(field.type) for field in reader.schema_arrow}
            self.index = index_columns(reader.schema_arrow)

    def _read(self, keys: Any, rows: Any, threads: Any) -> Iterator[ArrowPiece]:
        return self._read_from(0, keys, rows, threads)

    def _read_from(self, start: Any, keys: Any, rows: Any, threads: Any) -> Iterator[ArrowPiece]:
        group = max(0, bisect_right(self.groups, start) - 1)
        start = self.groups[group] if self.groups else 0
        with self._connect(len(keys)) as reader:
            for batch in parquet_batches(reader, rows, keys, range(group, len(self.groups))):
                yield ArrowPiece(self, start, batch)
                start += batch.num_rows

    def ahead(self, start: Any, rows: Any) -> Any:
        return self.place(start, max(start + 1, min(start + rows, self.n_rows)))

    def place(self, start: Any, stop: Any) -> str:
        first, last = (max(0, bisect_right(self.groups, row) - 1) for row in (start, stop - 1))
        groups = f"row group {first}" if first == last else f"row groups {first} to {last}"
        return f"{super().place(start, stop)} ({groups})"
