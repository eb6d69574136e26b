"""Read a table from a CSV or Parquet file, or say in one sentence why it is none.

The format is told by the first bytes, not by the name. Nothing is guessed silently: a row that is longer or shorter than
the header, bytes that are no UTF-8, two columns of one name are errors that name the line. Delimiter, decimal mark and missing
cells are those of `novum.scan` (novum.fold.readers.dialect). Compressed text is unpacked, and a Parquet file read, only as far
as the memory allows, so no small file becomes a large one.
"""

import codecs
import os
import re
from pathlib import Path
from typing import Any

from novum.exceptions import DataError, SourceError
from novum.fold.readers.dialect import MISSING, decimal_mark, delimiter_of
from novum.study.table import Table, check_names, table_of

__all__ = ["read_table"]

MAGIC = {
    b"PK\x03\x04": "a zip archive or an Excel workbook; unpack it, or save the sheet as CSV",
    b"PK\x05\x06": "an empty zip archive",
    b"\xfd7zXZ": "compressed by xz; unpack it first",
    b"\x28\xb5\x2f\xfd": "compressed by zstandard; unpack it first",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save the sheet as CSV",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bz2"}  # compressed text, by its first bytes
HEAD = 65536  # bytes looked at to tell the format
PIECE = 2**20  # bytes unpacked at a time
MEMORY_SHARE = 0.25  # of the memory that is free, for the table as read; the study makes a few copies
UNKNOWN_MEMORY = 2**31
MAX_CSV = 2**31 - 2  # pyarrow's largest block: types are decided from the whole file


def read_table(path: str | os.PathLike) -> Table:
    """Return the table in a file.

    Raises
    ------
    SourceError
        If there is no such file, or it cannot be read.
    DataError
        If it holds no table.
    """
    path = Path(path)
    try:
        if path.is_dir():
            raise SourceError(f"{path}: is a folder; name a CSV or Parquet file in it.")
        size = path.stat().st_size
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except FileNotFoundError:
        raise SourceError(f"{path}: no such file.") from None
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror}.") from error
    if not size:
        raise DataError(f"{path}: is empty; a table has a header line and rows.")
    for magic, what in MAGIC.items():
        if head.startswith(magic):
            raise DataError(f"{path}: is {what}.")
    if size > room():
        raise DataError(f"{path}: has {size:,} bytes, more than the memory here allows; study a sample of its rows.")
    if head.startswith(b"PAR1"):
        native = read_parquet(path)
    else:
        packed = next((kind for magic, kind in PACKED.items() if head.startswith(magic)), None)
        native = read_csv(path, unpacked(path, packed))
    table = table_of(native, str(path))
    if not table.n_rows:
        raise DataError(f"{path}: has a header and no rows.")
    return table


def room() -> int:
    """Return how many bytes a table may take."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN_MEMORY
    return max(int(free * MEMORY_SHARE), 2**26)


def unpacked(path: Path, compression: str | None) -> bytes:
    """Return the text of a file, unpacked piece by piece as long as there is room."""
    import pyarrow as pa

    pieces, left = [], min(room(), MAX_CSV)
    try:
        with pa.input_stream(str(path), compression=compression) as stream:
            while piece := stream.read(PIECE):
                left -= len(piece)
                if left < 0:
                    raise DataError(f"{path}: unpacks to more than the memory here allows; study a sample of its rows.")
                pieces.append(piece)
    except (pa.ArrowException, MemoryError, OSError, EOFError) as error:
        raise SourceError(f"{path}: cannot be read: {str(error).splitlines()[0][:200]}.") from error
    return b"".join(pieces)


def read_csv(path: Path, text: bytes) -> Any:
    """Return the Arrow table of the text of a CSV file."""
    import pyarrow as pa
    from pyarrow import csv

    if b"\x00" in text[:HEAD]:
        raise DataError(f"{path}: is a binary file, not a table of text.")
    check_utf8(path, text)
    lines = text[:HEAD].decode("utf-8-sig", errors="ignore").replace("\r\n", "\n").split("\n")
    empty = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    lines = lines[empty:]
    if not lines:
        raise DataError(f"{path}: has nothing but empty lines.")
    delimiter = delimiter_of(lines[0])
    names = header(path, lines[0], delimiter)
    block = min(max(len(text), 2**16), MAX_CSV)
    try:
        return csv.read_csv(
            pa.BufferReader(text),
            csv.ReadOptions(use_threads=False, block_size=block, column_names=names, skip_rows=empty + 1),
            csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                null_values=list(MISSING), strings_can_be_null=True, decimal_point=decimal_mark(lines[1:], delimiter)
            ),
        )
    except pa.ArrowInvalid as error:
        raise DataError(f"{path}: {csv_problem(str(error))}") from error
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise SourceError(f"{path}: cannot be read: {str(error).splitlines()[0][:200]}.") from error


def check_utf8(path: Path, text: bytes) -> None:
    """Raise with the line number if the text is not UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(
        0, len(text) + 1, PIECE
    ):  # decoded piece by piece: the whole as one string would take as much again
        piece = text[start : start + PIECE]
        try:
            decoder.decode(piece, final=start + PIECE > len(text))
        except UnicodeDecodeError as error:
            at = start + error.start - (len(error.object) - len(piece))
            line = text.count(b"\n", 0, at) + 1
            raise DataError(
                f"{path}: line {line} is not UTF-8 text (byte 0x{text[at]:02x}); "
                "save the file as UTF-8, it may be in Latin-1 or Windows-1252."
            ) from None


def header(path: Path, line: str, delimiter: str) -> list[str]:
    """Return the names of the columns; a column without one is called by its number."""
    import csv

    cells = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))]
    if len(cells) > 1 and all(is_number(cell) for cell in cells):
        raise DataError(
            f"{path}: its first line holds numbers; a table needs a first line with the names of the columns."
        )
    names = [cell or f"(column {position})" for position, cell in enumerate(cells, start=1)]
    check_names(names, str(path))
    return names


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def csv_problem(text: str) -> str:
    """Return what is wrong with a CSV file, from what pyarrow says."""
    ragged = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", text)
    if ragged:
        row, expected, got = ragged.groups()
        place = f"row {row} (the header is row 1)" if row else "a row"
        return f"{place} has {got} cells where the header has {expected}; correct the file."
    return f"is not a readable CSV file: {text.splitlines()[0][:200]}"


def read_parquet(path: Path) -> Any:
    """Return the Arrow table of a Parquet file, read piece by piece as long as there is room."""
    import pyarrow as pa
    from pyarrow import parquet

    left = room()
    try:
        with parquet.ParquetFile(path) as file:
            claimed = file.metadata.num_rows * file.metadata.num_columns
            if claimed > left:  # a byte per cell is the least that any column takes
                raise DataError(f"{path}: claims {claimed:,} cells, more than the memory here allows.")
            check_names(file.schema_arrow.names, str(path))
            pieces = []
            for piece in file.iter_batches(batch_size=8192):
                left -= piece.nbytes
                if left < 0:
                    raise DataError(f"{path}: unpacks to more than the memory here allows; study a sample of its rows.")
                pieces.append(piece)
            return pa.Table.from_batches(pieces, schema=file.schema_arrow)
    except (pa.ArrowException, MemoryError, OSError) as error:
        raise SourceError(f"{path}: cannot be read as Parquet: {str(error).splitlines()[0][:200]}.") from error
