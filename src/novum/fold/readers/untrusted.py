"""The one door for columns that come from a file: every batch is checked before anything follows what it says.

Lengths, offsets of texts and lists and codes of dictionaries stand in the file, and Arrow's own code follows them unchecked: one
flipped bit would read outside of an array, even for the size of a batch. So a batch passes `checked` first; of plain numbers its
buffers' lengths are enough, anything else is looked through. Checksums of Parquet's pages are verified where its writer stored
them. What is wrong is one of `FAILURES`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

__all__ = ["FAILURES", "arrow_batches", "checked", "open_arrow", "open_parquet", "parquet_batches"]

FAILURES = (OSError, ValueError, MemoryError, OverflowError, pa.ArrowException)
BUFFER_BYTES = 2**18  # per column of a Parquet file: long enough for quick reads
ALL_BUFFERS = 2**24  # of all columns together, where they are many


def is_flat(kind: pa.DataType) -> bool:
    """Return whether a type holds plain numbers: nothing in its values leads to another place."""
    types = pa.types
    return types.is_primitive(kind) or types.is_null(kind) or types.is_boolean(kind)


def checked(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch after the check of all that its columns lead to."""
    batch.validate(full=not all(is_flat(field.type) for field in batch.schema))
    return batch


def open_arrow(source: Any, fields: list[int] | None = None, threads: bool = True) -> Any:
    """Open an Arrow IPC file (Feather version 2), with some of its columns."""
    options = ipc.IpcReadOptions(included_fields=fields or [], use_threads=threads)
    return ipc.open_file(source, options=options)


def arrow_batches(reader: Any) -> Iterator[pa.RecordBatch]:
    """Yield the record batches of an open Arrow file."""
    for index in range(reader.num_record_batches):
        yield checked(reader.get_batch(index))


def open_parquet(source: Any, n_columns: int = 1) -> pq.ParquetFile:
    """Open a Parquet file to be read through small buffers; row groups must have the rows that the file claims."""
    size = max(4096, min(BUFFER_BYTES, ALL_BUFFERS // max(n_columns, 1)))
    reader = pq.ParquetFile(source, buffer_size=size, pre_buffer=False, page_checksum_verification=True)
    metadata = reader.metadata
    counts = [metadata.row_group(index).num_rows for index in range(metadata.num_row_groups)]
    if sum(counts) != metadata.num_rows or min(counts, default=0) < 0:
        reader.close(force=True)
        raise ValueError(f"it claims {metadata.num_rows} rows in row groups of {counts[:4]} ... rows")
    return reader


def parquet_batches(
    reader: pq.ParquetFile, rows: int, columns: list[str] | None = None, groups: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an open Parquet file or of some of its row groups, so many at a time."""
    # Arrow's own threads gain nothing here: a batch is decoded while our threads work on the ones before it.
    for batch in reader.iter_batches(batch_size=rows, row_groups=groups, columns=columns, use_threads=False):
        yield checked(batch)
