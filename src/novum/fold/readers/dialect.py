"""How people write tables as text: what parts cells, what stands for a missing one, which mark decimals have.

One set of rules for every reader: a file means the same to `novum.scan` and to a study.
"""

import codecs
import re
from pathlib import Path

__all__ = [
    "DELIMITERS",
    "HEAD",
    "MISSING",
    "decimal_mark",
    "encoding_of",
    "encoding_of_file",
    "first_text",
    "text_of",
    "without_quotes",
]

DELIMITERS = (",", ";", "\t", "|")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "?", "#N/A")  # what people write for it
HEAD = 65536  # bytes that tell the dialect
LONGEST_HEADER = 2**22
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


def first_text(path: Path, encoding: str) -> str:
    """Return the beginning of a file, its first line whole, unpacked if it is compressed, with line ends as Unix has them."""
    import pyarrow as pa

    with pa.input_stream(str(path), compression="detect") as stream:
        head = stream.read(HEAD)
        while len(head) < LONGEST_HEADER and not re.search(rb"[\n\r]", head.lstrip()) and (more := stream.read(HEAD)):
            head += more + stream.read(HEAD)
    return text_of(head, encoding)


def text_of(head: bytes, encoding: str) -> str:
    """Return bytes as text without a mark of order, with line ends as Unix has them; a character cut at the end is left out."""
    text = codecs.getincrementaldecoder(encoding)(errors="ignore").decode(head)
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def without_quotes(line: str, quote: str = '"') -> str:
    """Return a line without its quoted parts."""
    return re.sub(f"{quote}[^{quote}]*{quote}", "", line)


def decimal_mark(lines: list[str], delimiter: str) -> str:
    """Return the mark of decimals: a comma only where semicolons part the cells and most numbers have one."""
    if delimiter != ";":
        return "."
    cells = [cell.strip() for line in lines[:LOOK_AT] for cell in line.split(";")]
    commas = sum(bool(re.fullmatch(r"[-+]?\d*,\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    points = sum(bool(re.fullmatch(r"[-+]?\d*\.\d+([eE][-+]?\d+)?", cell)) for cell in cells)
    return "," if commas > points else "."
