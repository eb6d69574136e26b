"""Cells that blanks part: one or more of them, two or more of them, or columns that stand one below the other.

A line becomes one with tabs between its cells, so that one reader serves all texts. A cell in quotation marks may hold blanks.
"""

import codecs
import io
import re
from typing import Any, NamedTuple

__all__ = ["WHITESPACE", "Blanks", "TabbedText", "blanks_in", "with_tabs"]

WHITESPACE = "whitespace"
WORD = re.compile(r'"(?:[^"]|"")*"|\S+')
WIDE = re.compile(r"\s{2,}|\t")
FEWEST_LINES = 3  # of columns that stand one below the other
PIECE = 2**20  # characters read at a time


class Blanks(NamedTuple):
    """How blanks part the cells of a line."""

    how: str  # "words", "wide gaps" or "columns"
    starts: tuple[int, ...]  # of columns that stand one below the other

    def cells(self, line: str) -> list[str]:
        """Return the cells of a line."""
        if self.how == "words":
            return [
                cell[1:-1].replace('""', '"') if cell[0] == '"' == cell[-1] else cell for cell in WORD.findall(line)
            ]
        if self.how == "wide gaps":
            return WIDE.split(line.strip())
        line = line.expandtabs()
        return [line[a:b].strip() for a, b in zip(self.starts, (*self.starts[1:], None))]


def blanks_in(lines: list[str]) -> Blanks | None:
    """Return how blanks part the cells of these lines, None where they do not."""
    lines = [line.rstrip("\r") for line in lines if line.strip() and not re.fullmatch(r"[-=+ \t]+", line.strip())]
    if len(lines) < 2:
        return None
    for how in ("words", "wide gaps"):
        blanks = Blanks(how, ())
        counts = [len(blanks.cells(line)) for line in lines]
        if counts[0] > 1 and set(counts[1:]) <= {counts[0]}:
            return blanks
        if how == "words" and counts[0] > 1 and set(counts[1:]) == {counts[0] + 1} and len(lines) > FEWEST_LINES:
            names = [blanks.cells(line)[0] for line in lines[1:]]
            return blanks if len(set(names)) == len(names) else None
    return columns_in([line.expandtabs() for line in lines])


def columns_in(lines: list[str]) -> Blanks | None:
    """Return where columns begin that are blank between in every line, None where they are no table."""
    if len(lines) < FEWEST_LINES:
        return None
    width = max(map(len, lines))
    blank = [all(at >= len(line) or line[at] == " " for line in lines) for at in range(width)]
    starts = tuple(at for at in range(width) if not blank[at] and (at == 0 or blank[at - 1]))
    found = Blanks("columns", starts)
    head, *rows = [found.cells(line) for line in lines]
    if len(starts) < 2 or not all(head) or any(" " in name for name in head):
        return None
    columns = list(zip(*rows))
    numeric = any(all(re.fullmatch(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?|", cell) for cell in column) for column in columns)
    return found if numeric else None


def with_tabs(text: str, blanks: Blanks) -> str:
    """Return lines with a tab between cells; empty lines are left out."""
    made = []
    for line in text.split("\n"):
        if line.strip():
            cells = [
                '"' + c.replace('"', '""') + '"' if '"' in c or "\t" in c else c
                for c in blanks.cells(line.rstrip("\r"))
            ]
            made.append("\t".join(cells))
    return "\n".join(made) + ("\n" if made else "")


class TabbedText(io.RawIOBase):
    """A stream of text whose lines get tabs between their cells as they are read."""

    def __init__(self, source: Any, encoding: str, blanks: Blanks, above: int) -> None:
        self.source, self.blanks, self.above = source, blanks, above
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.rest, self.ready, self.ended = "", b"", False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.ready and not self.ended:
            self.advance()
        taken = self.ready[: len(buffer)]
        buffer[: len(taken)] = taken
        self.ready = self.ready[len(taken) :]
        return len(taken)

    def advance(self) -> None:
        """Make the next lines ready."""
        piece = self.source.read(PIECE)
        self.ended = not piece
        text = self.rest + self.decoder.decode(piece, final=self.ended).replace("\r\n", "\n").replace("\r", "\n")
        lines, self.rest = (text, "") if self.ended else text.rpartition("\n")[::2]
        while self.above and lines:
            lines, self.above = lines.partition("\n")[2], self.above - 1
        self.ready = with_tabs(lines, self.blanks).encode("utf-8")
