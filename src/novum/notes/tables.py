"""The tables of the notes, read once."""

import csv
import json
from functools import lru_cache
from importlib.resources import files
from math import inf
from typing import Any, NamedTuple

from novum.report.result import result

__all__ = [
    "SETS",
    "Chapter",
    "Row",
    "call_of",
    "chapters",
    "ledger",
    "names_of",
    "page_name",
    "served",
    "server_of",
    "shown_names",
    "table",
]

SETS = {
    "000": "Machine Learning, 2022/23",
    "001": "Machine Learning (Sapienza)",
    "002": "Summary Machine Learning 1 and 2",
    "003": "Machine Learning, 2022",
    "004": "Machine Learning and Intelligent Systems",
}


NONE = "-"  # in `names.tsv`: nothing serves the row yet


@result
class Row(NamedTuple):
    """An item of the notes: where it stands, the capability it needs, and the names once planned for it (`api`).

    The names that serve it today are those of `names_of`.
    """

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
    """Return every item of the notes: the 1053 of `ledger.tsv`, and definitions that it passes over, of `supplements.tsv`.

    Examples
    --------
    >>> from novum.notes import ledger
    >>> len(ledger()), ledger()[0].name
    (1056, 'Six-step design workflow')
    """
    return tuple(Row(**row) for name in ("ledger.tsv", "supplements.tsv") for row in table(name))


@lru_cache(maxsize=1)
def chapters() -> tuple[Chapter, ...]:
    """Return the chapters of the five sets, in order."""
    return tuple(Chapter(**row) for row in table("chapters.tsv"))


@lru_cache(maxsize=1)
def served() -> dict[str, list[str]]:
    """Return the tests that prove each served item, by the key of its row."""
    return json.loads((files("novum.notes") / "served.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def all_names() -> dict[str, tuple[str, ...]]:
    """Return the names of every row, by its key, from `names.tsv`."""
    rows = table("names.tsv")
    return {row["row"]: tuple(name.strip() for name in row["names"].split(",") if name != NONE) for row in rows}


def names_of(row: Row) -> tuple[str, ...]:
    """Return what serves a row: dotted names that can be imported, of novum or scikit-learn, or a page of docs/.

    Examples
    --------
    >>> from novum.notes.tables import ledger, names_of
    >>> names_of(next(row for row in ledger() if row.item == "explaining-away"))
    ('novum.graphical.BayesianNetwork.explaining_away',)
    """
    return all_names()[row.key]


def server_of(row: Row) -> str:
    """Return whose names serve a row: "novum", "scikit-learn" where ours have no part in it, "" where no test has passed.

    Examples
    --------
    >>> from novum.notes.tables import ledger, server_of
    >>> [server_of(row) for row in ledger() if row.item in ("explaining-away", "stacking")]
    ['novum', 'scikit-learn']
    """
    if row.key not in served():
        return ""
    families = {name.partition(".")[0] for name in names_of(row)}
    return "scikit-learn" if "sklearn" in families and "novum" not in families else "novum"


@lru_cache(maxsize=1)
def all_calls() -> dict[str, str]:
    """Return the calls of `calls.tsv`, by the key of their row."""
    return {row["row"]: row["call"] for row in table("calls.tsv")}


def call_of(row: Row) -> str:
    """Return how scikit-learn serves a row, as a line of Python with our learners in it; "" where novum does."""
    return all_calls().get(row.key, "")


def shown_names(row: Row, width: float = inf, *, whole: bool = False) -> str:
    """Return the names of a row, as many as fit into `width`, or that there is none; without "novum." unless `whole`."""
    names = [name if whole else name.removeprefix("novum.") for name in names_of(row)]
    fit = [", ".join(names[:count]) + (", ..." if count < len(names) else "") for count in range(len(names), 0, -1)]
    short = next((text for text in fit if len(text) <= width), fit[-1] if fit else "")
    return short or ("computed in its test" if row.key in served() else "not built yet")


def page_name(notes: str, chapter: str) -> str:
    """Return the name of a chapter's page in docs/notes, without the ending."""
    return f"{notes}-{chapter.zfill(2) if chapter.isdigit() else chapter.replace('.', '-')}"
