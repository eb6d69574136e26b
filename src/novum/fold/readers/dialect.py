"""How people write tables as text: what parts cells, what stands for a missing one, which mark decimals have.

One set of rules for every reader: a file means the same to `novum.scan` and to a study.
"""

import codecs
import re
from pathlib import Path

__all__ = [
    "DELIMITERS",
    "MISSING",
    "decimal_mark",
    "delimiter_of",
    "encoding_of",
    "encoding_of_file",
    "first_lines",
    "likely_mark",
]

DELIMITERS = (",", ";", "\t", "|")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "#N/A")  # what people write for it
HEAD = 65536  # bytes that tell the dialect
MARKS = (  # byte order marks, the longer ones first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LOOK_AT = 200  # lines that tell the decimal mark


def encoding_of(head: bytes, whole: bool = False) -> str:
    """Return the encoding of a text by its first bytes: UTF-8, UTF-16 with or without mark, else Windows's.

    Parameters
    ----------
    whole : bool, default=False
        Whether these are all bytes; otherwise the last character may be cut.
    """
    for mark, name in MARKS:
        if head.startswith(mark):
            return name
    even, odd = head[::2], head[1::2]
    for part, name in ((odd, "utf-16-le"), (even, "utf-16-be")):
        other = even if part is odd else odd
        if len(part) > 4 and part.count(0) > 0.7 * len(part) and other.count(0) < 0.1 * len(other):
            return name
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head, final=whole)
    except UnicodeDecodeError:
        try:
            head.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "utf-8"


def encoding_of_file(path: Path) -> str:
    """Return the encoding of a file by its first bytes, unpacked if it is compressed."""
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        found = encoding_of(stream.read(HEAD))
    return "utf8" if found.startswith("utf-8") else found  # Arrow skips the mark of UTF-8 by itself


def first_lines(path: Path, encoding: str | None = None) -> list[str]:
    """Return the lines at the beginning of a file, unpacked if it is compressed; empty ones at the top are left out."""
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        head = stream.read(HEAD)
    decoder = codecs.getincrementaldecoder(encoding or encoding_of(head))(errors="ignore")
    lines = decoder.decode(head).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[next((number for number, line in enumerate(lines) if line.strip()), len(lines)) :]


def without_quotes(line: str) -> str:
    """Return a line without its quoted parts."""
    return re.sub(r'"[^"]*"', "", line)


def delimiter_of(header: str) -> str:
    """Return the mark that parts the cells of a header: the one that stands there most often."""
    return max(DELIMITERS, key=lambda mark: without_quotes(header).count(mark))


def likely_mark(lines: list[str]) -> str:
    """Return the mark that parts the cells: the most frequent of the header that the lines below have as often."""
    head, rest = lines[0], [line for line in lines[1:-1] or lines[1:] if line.strip()]
    best = delimiter_of(head)

    def agrees(mark: str) -> float:
        count = without_quotes(head).count(mark)
        return sum(without_quotes(line).count(mark) == count for line in rest) / len(rest) if count and rest else 0.0

    better = max(DELIMITERS, key=lambda mark: (agrees(mark), without_quotes(head).count(mark)))
    return better if agrees(better) > agrees(best) else best


def decimal_mark(lines: list[str], delimiter: str) -> str:
    """Return the mark of decimals: a comma only where semicolons part the cells and most numbers have one."""
    if delimiter != ";":
        return "."
    cells = [cell.strip() for line in lines[:LOOK_AT] for cell in line.split(";")]
    commas = sum(bool(re.fullmatch(r"[-+]?\d*,\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[-+]?\d*\.\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    return "," if commas > points else "."
