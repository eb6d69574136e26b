"""How people write tables as text: what parts cells, what stands for a missing one, which mark decimals have.

One set of rules for every reader: a file means the same to `novum.scan` and to a study.
"""

import re
from pathlib import Path

__all__ = ["DELIMITERS", "MISSING", "decimal_mark", "delimiter_of", "first_lines", "without_quotes"]

DELIMITERS = (",", ";", "\t", "|")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "#N/A")  # what people write for it
HEAD = 65536  # bytes that tell the dialect
LOOK_AT = 200  # lines that tell the decimal mark


def first_lines(path: Path) -> list[str]:
    """Return the lines at the beginning of a file, unpacked if it is compressed; empty ones at the top are left out."""
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        head = stream.read(HEAD)
    lines = head.decode("utf-8-sig", errors="ignore").replace("\r\n", "\n").split("\n")
    return lines[next((number for number, line in enumerate(lines) if line.strip()), len(lines)) :]


def without_quotes(line: str) -> str:
    """Return a line without its quoted parts."""
    return re.sub(r'"[^"]*"', "", line)


def delimiter_of(header: str) -> str:
    """Return the mark that parts the cells of a header: the one that stands there most often."""
    return max(DELIMITERS, key=lambda mark: without_quotes(header).count(mark))


def decimal_mark(lines: list[str], delimiter: str) -> str:
    """Return the mark of decimals: a comma only where semicolons part the cells and most numbers have one."""
    if delimiter != ";":
        return "."
    cells = [cell.strip() for line in lines[:LOOK_AT] for cell in line.split(";")]
    commas = sum(bool(re.fullmatch(r"[-+]?\d*,\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[-+]?\d*\.\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    return "," if commas > points else "."
