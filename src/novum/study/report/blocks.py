"""Blocks of a report: what is said, drawn and tabulated about one thing. HTML and Markdown show the same blocks."""

import base64
from typing import Any, NamedTuple

from novum.study.report.output import rows_as_csv

__all__ = ["Block", "Cell", "download", "table_csv"]


class Cell(NamedTuple):
    """A cell of a table: what is shown and what it sorts by."""

    text: str
    value: Any = ""


class Block(NamedTuple):
    """One thing that was found."""

    name: str  # of its element and its file
    title: str
    words: list[str]
    pictures: list[tuple[str, str]] = []  # caption and SVG
    caption: str = ""  # of the table
    heads: list[str] = []
    rows: list[list[Cell]] = []
    text: str = ""  # shown as it stands
    folded: bool = False  # whether the table opens by a click
    wide: tuple[int, ...] = ()  # columns whose cells may break

    @property
    def csv(self) -> str:
        """The table as an address that holds it as CSV; "" without a table."""
        return download(table_csv(self.heads, self.rows)) if self.rows else ""


def table_csv(heads: list[str], rows: list[list[Cell]]) -> str:
    """Return a table as CSV: the values of its cells, or their texts."""
    return rows_as_csv(heads, [[cell.text if cell.value == "" else cell.value for cell in row] for row in rows])


def download(text: str) -> str:
    """Return a CSV as an address that holds it."""
    return "data:text/csv;charset=utf-8;base64," + base64.b64encode(text.encode()).decode()
