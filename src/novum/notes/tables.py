"""The tables of the notes, read once."""

import csv
import json
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from novum.report.result import result

__all__ = ["SETS", "Chapter", "Row", "chapters", "ledger", "page_name", "served", "short_api", "table"]

SETS = {
    "000": "Machine Learning, 2022/23",
    "001": "Machine Learning (Sapienza)",
    "002": "Summary Machine Learning 1 and 2",
    "003": "Machine Learning, 2022",
    "004": "Machine Learning and Intelligent Systems",
}


@result
class Row(NamedTuple):
    """An item of the notes: where it stands, and the capability and names that serve it."""

    source: str
    notes: str
    chapter: str
    section: str
    item: str
    name: str
    where: str
    kind: str
    capability: str
    api: str

    @property
    def key(self) -> str:
        """What the row is called in marks of tests: "000-b/ex-fuel-gauge"."""
        return f"{self.source}/{self.item}"


@result
class Chapter(NamedTuple):
    notes: str
    chapter: str
    title: str


def table(name: str) -> list[dict[str, Any]]:
    """Return the rows of a table beside this file."""
    text = (files("novum.notes") / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))


@lru_cache(maxsize=1)
def ledger() -> tuple[Row, ...]:
    """Return every item of the notes.

    Examples
    --------
    >>> from novum.notes import ledger
    >>> len(ledger()), ledger()[0].name
    (1053, 'Six-step design workflow')
    """
    return tuple(Row(**row) for row in table("ledger.tsv"))


@lru_cache(maxsize=1)
def chapters() -> tuple[Chapter, ...]:
    """Return the chapters of the five sets, in order."""
    return tuple(Chapter(**row) for row in table("chapters.tsv"))


@lru_cache(maxsize=1)
def served() -> dict[str, list[str]]:
    """Return the tests that prove each served item, by the key of its row."""
    return json.loads((files("novum.notes") / "served.json").read_text(encoding="utf-8"))


def short_api(row: Row) -> str:
    """Return the names of a row without "novum." and without the star of a proposal."""
    names = [name.strip().rstrip("*").removeprefix("novum.") for name in row.api.split(",")]
    return ", ".join(name for name in names if name)


def page_name(notes: str, chapter: str) -> str:
    """Return the name of a chapter's page in docs/notes, without the ending."""
    return f"{notes}-{chapter.zfill(2) if chapter.isdigit() else chapter.replace('.', '-')}"
