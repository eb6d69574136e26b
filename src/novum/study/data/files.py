"""Read a table from a file or standard input, or say in one sentence why it is none.

The format is recognised by the first bytes, not by the name: text of cells (CSV, TSV, ...), JSON lines or a JSON list, Parquet,
Feather, Excel; compressed by gzip, bzip2, xz or zstandard. Nothing is guessed silently: a row that is longer or shorter than the
header and two columns of one name are errors that name the line; an encoding other than UTF-8 is noted. Delimiter, decimal mark
and missing cells are those of `novum.scan` (novum.fold.readers.dialect), and so is what is made of cells such as `$1.2`, `12%`,
`n/d` or `31/12/2021` (novum.fold.readers.cells). Files are unpacked and read only as far as the memory allows, so no small file
becomes a large one.
"""

import hashlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from novum.exceptions import DataError, SourceError
from novum.fold.readers.cells import CODE, Form
from novum.fold.readers.table import check_names
from novum.report.numbers import counted
from novum.study.data.delimited_text import read_text
from novum.study.data.large import sampled_parquet
from novum.study.data.source import Source
from novum.study.data.table import Table, table_of
from novum.study.data.totals import without_totals

__all__ = ["read_table"]

MAGIC = {
    b"PK\x05\x06": "an empty zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as .xlsx or CSV",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"FEA1": "a Feather file of version 1; write it again as version 2 or Parquet",
    b"7z\xbc\xaf": "a 7z archive; unpack it first",
    b"Rar!": "a RAR archive; unpack it first",
    b"\x89HDF": "an HDF5 file; write the table as Parquet or CSV",
    b"\x93NUMPY": "an array of NumPy without names of columns; write a table as Parquet or CSV",
    b"SQLite format 3": "a database; write the table as Parquet or CSV",
}
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\xfd7zXZ": "xz"}  # by their first bytes
ZIP = b"PK\x03\x04"
PIECE = 2**20  # bytes read or unpacked at a time
ROWS_AT_ONCE = 8192  # of a Parquet file
MEMORY_SHARE = 0.25  # of the memory that is free, for the table as read; the study makes a few copies
UNKNOWN_MEMORY = 2**31
MAX_TEXT = 2**31 - 2  # pyarrow's largest block: types are decided from the whole file


def read_table(
    path: str | os.PathLike,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    forms: dict[str, Form] | None = None,
    most_cells: int | None = None,
    advance: Callable[[int, int], None] = lambda done, planned: None,
) -> Table:
    """Return the table in a file.

    Parameters
    ----------
    path : path, or "-" for standard input
    separator : str or None
        What parts the cells of a text: one character, or "whitespace"; None finds it out.
    encoding : str or None
        Of a text; None finds it out.
    forms : dict or None
        How the cells of some columns are to be read, by name; the others decide it by themselves.
    most_cells : int or None
        Of a Parquet file with more cells rows are drawn; None reads all.
    advance : callable
        Called with the rows that are read, of how many, where rows are drawn.

    Raises
    ------
    SourceError
        If there is no such file, or it cannot be read.
    DataError
        If it holds no table.
    """
    import pandas as pd
    import pyarrow as pa

    from novum.fold.readers.workbook import sheet_of

    name = "standard input" if str(path) == "-" else str(path)
    source = Source(Path(name).name, 0, None, separator, encoding, most_cells)
    if most_cells is not None and Path(path).is_file():
        drawn = sampled_parquet(Path(path), name, most_cells, advance)
        if drawn is not None:
            source = source._replace(bytes=Path(path).stat().st_size)
            return table_of(drawn[0], name, forms)._replace(whole=drawn[1], source=source)
    data = bytes_of(path, name)
    source = source._replace(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    data = unpacked(name, data)
    if not data:
        raise DataError(f"{name}: is empty; a table has a header line and rows.")
    for magic, what in MAGIC.items():
        if data.startswith(magic):
            raise DataError(f"{name}: is {what}.")
    notes: list[str] = []
    if data.startswith(b"PAR1"):
        native = read_parquet(name, data)
    elif data.startswith(b"ARROW1"):
        native = read_feather(name, data)
    elif data.startswith(ZIP):
        names, rows = sheet_of(name, data, room(), notes)
        native = pd.DataFrame(rows, columns=names)
    else:
        coded = [column for column, form in (forms or {}).items() if form.kind == CODE]
        native = read_text(name, data, separator, encoding, coded, notes)
    del data
    table = table_of(native, name, forms)
    del native
    pa.default_memory_pool().release_unused()  # what the file took, as bytes and as Arrow's columns
    if not table.n_rows:
        raise DataError(f"{name}: has a header and no rows.")
    table = table._replace(notes=notes, source=source)
    return without_totals(table) if forms is None else table  # rows to predict are all of them


def bytes_of(path: str | os.PathLike, name: str) -> bytes:
    """Return the bytes of a file or of standard input."""
    if str(path) == "-":
        return joined(name, iter(lambda: sys.stdin.buffer.read(PIECE), b""), "has")
    path = Path(path)
    try:
        if path.is_dir():
            raise SourceError(f"{path}: is a folder; name a table in it.")
        size = path.stat().st_size
        if size > room():
            raise DataError(
                f"{path}: has {size:,} bytes, more than the memory here allows; study a sample of its rows."
            )
        return path.read_bytes()
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file.") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}.") from error


def room() -> int:
    """Return how many bytes a table may take."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN_MEMORY
    return max(int(free * MEMORY_SHARE), 2**26)


def joined(name: str, pieces: Iterator[bytes], verb: str) -> bytes:
    """Return the pieces as one, as long as there is room."""
    found, left = [], min(room(), MAX_TEXT)
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise DataError(f"{name}: {verb} more than the memory here allows; study a sample of its rows.")
        found.append(piece)
    return b"".join(found)


def unpacked(name: str, data: bytes) -> bytes:
    """Return what a compressed file holds, unpacked piece by piece as long as there is room; others as they are."""
    import lzma

    import pyarrow as pa

    packed = next((kind for magic, kind in PACKED.items() if data.startswith(magic)), None)
    if packed is None:
        return data
    source = io.BytesIO(data)
    try:
        with lzma.LZMAFile(source) if packed == "xz" else pa.input_stream(source, compression=packed) as stream:
            return joined(name, iter(lambda: stream.read(PIECE), b""), "unpacks to")
    except (pa.ArrowException, lzma.LZMAError, MemoryError, OSError, EOFError) as error:
        raise SourceError(f"{name}: cannot be unpacked: {first_line(error)}.") from error


def first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")


def read_parquet(name: str, data: bytes) -> Any:
    """Return the Arrow table of a Parquet file, read piece by piece as long as there is room."""
    import pyarrow as pa

    from novum.fold.readers.untrusted import FAILURES, open_parquet, parquet_batches

    try:
        with open_parquet(pa.BufferReader(data)) as file:
            claimed = file.metadata.num_rows * file.metadata.num_columns
            if claimed > room():  # a byte per cell is the least that any column takes
                raise DataError(f"{name}: claims {counted(claimed, 'cell')}, more than the memory here allows.")
            check_names(file.schema_arrow.names, name)
            return table_from(name, parquet_batches(file, ROWS_AT_ONCE), file.schema_arrow)
    except DataError:
        raise
    except FAILURES as error:
        raise SourceError(f"{name}: cannot be read as Parquet: {first_line(error)}.") from error


def read_feather(name: str, data: bytes) -> Any:
    """Return the Arrow table of a Feather (Arrow IPC) file."""
    import pyarrow as pa

    from novum.fold.readers.untrusted import FAILURES, arrow_batches, open_arrow

    try:
        with open_arrow(pa.BufferReader(data)) as file:
            check_names(file.schema.names, name)
            return table_from(name, arrow_batches(file), file.schema)
    except DataError:
        raise
    except FAILURES as error:
        raise SourceError(f"{name}: cannot be read as Feather: {first_line(error)}.") from error


def table_from(name: str, batches: Iterator[Any], schema: Any) -> Any:
    """Return checked batches as one table, as long as there is room."""
    import pyarrow as pa

    pieces, left = [], room()
    for piece in batches:
        left -= piece.nbytes
        if left < 0:
            raise DataError(f"{name}: unpacks to more than the memory here allows; study a sample of its rows.")
        pieces.append(piece)
    return pa.Table.from_batches(pieces, schema=schema)
