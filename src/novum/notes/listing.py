"""What the notes contain and what became of it, as printable lists."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from novum.notes.misprints import errata
from novum.notes.public_names import PublicName
from novum.notes.tables import SETS, Chapter, Row, chapters, ledger, names_of, page_name, served, shown_names
from novum.report.numbers import counted
from novum.report.result import Result, table_of_records
from novum.report.tables import html_text

__all__ = ["Listing", "notes"]

NAME_WIDTH, API_WIDTH = 44, 58  # two columns and a test fit 150 characters


@dataclass(frozen=True, repr=False)
class Listing(Result):
    """Rows of the ledger, names of the library, what a search answers, and the text that shows them."""

    text: str
    rows: tuple[Row, ...] = field(default=())
    names: tuple[PublicName, ...] = field(default=())
    answers: tuple[str, ...] = field(default=())  # of a search: the names of its lines, best first

    def _result_columns(self) -> dict[str, Any]:
        return table_of_records(self.rows or tuple(self.text.splitlines()))

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return html_text(self.text)


def clip(text: str, width: int) -> str:
    """Return a text of exactly `width` characters."""
    return (text if len(text) <= width else text[: width - 3] + "...").ljust(width)


def rows_of(chapter: Chapter) -> tuple[Row, ...]:
    """Return the items of a chapter, by section."""

    def place(row: Row) -> tuple[tuple[int, str], ...]:
        return tuple((int(part), "") if part.isdigit() else (0, part) for part in row.section.split("."))

    mine = [row for row in ledger() if (row.notes, row.chapter) == (chapter.notes, chapter.chapter)]
    return tuple(sorted(mine, key=place))


def count(rows: tuple[Row, ...]) -> str:
    """Return "served / all" of some rows."""
    return f"{sum(row.key in served() for row in rows)} / {len(rows)}"


def home(rows: tuple[Row, ...]) -> str:
    """Return the module that most names of some rows are in."""
    modules = Counter(".".join(name.split(".")[:2]) for row in rows for name in names_of(row) if "/" not in name)
    return modules.most_common(1)[0][0] if modules else "nothing yet"


def test_name(row: Row) -> str:
    """Return the test that proves a row, without its folder."""
    tests = served().get(row.key, [])
    more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
    return tests[0].rsplit("/", 1)[-1] + more if tests else "not yet"


def overview() -> Listing:
    """Return the five sets with their chapters and how much of each is served."""
    lines = ["Five sets of notes; items served / items. A chapter: novum notes 000 8. A word: novum find viterbi."]
    for number, title in SETS.items():
        mine = [chapter for chapter in chapters() if chapter.notes == number]
        everything = tuple(row for row in ledger() if row.notes == number)
        lines += ["", f"{number}  {clip(title, 52)} {count(everything):>10}"]
        lines += [f"  {c.chapter:>5}  {clip(c.title, 48)} {count(rows_of(c)):>10}" for c in mine]
    return Listing("\n".join(lines), ledger())


def with_number(number: str) -> Listing:
    """Return the chapters of any set that carry a number."""
    found = [c for c in chapters() if number.upper() in (c.chapter.upper(), c.chapter.upper().split(".")[-1])]
    if not found:
        from novum.exceptions import ParameterError

        raise ParameterError.of(
            "notes",
            "no set is called so and no set has such a chapter; without a number all are listed.",
            number=number,
        )
    where = "one of your files" if len(found) == 1 else f"{counted(len(found), 'place')} of your files"
    lines = [f"Chapter {number} is in {where}:"]
    for c in found:
        items = rows_of(c)
        command = f"novum notes {c.notes} {c.chapter}"
        lines.append(f"  {c.notes}  {clip(c.title, 56)} {len(items):3d} items   {count(items):>8} served   {command}")
    return Listing("\n".join(lines), tuple(row for c in found for row in rows_of(c)))


def of_set(number: str) -> Listing:
    """Return the chapters of one set."""
    mine = [c for c in chapters() if c.notes == number]
    everything = tuple(row for row in ledger() if row.notes == number)
    lines = [f"{number} {SETS[number]}: {count(everything)} items served"]
    lines += [f"  {c.chapter:>5}  {clip(c.title, 60)} {count(rows_of(c)):>8}" for c in mine]
    return Listing("\n".join(lines), everything)


def of_chapter(number: str, chapter: str) -> Listing:
    """Return what one chapter became: names, tests, misprints."""
    found = next((c for c in chapters() if (c.notes, c.chapter.upper()) == (number, chapter.upper())), None)
    if found is None:
        known = ", ".join(c.chapter for c in chapters() if c.notes == number)
        from novum.exceptions import ParameterError

        raise ParameterError.of("notes", f"the chapters of {number} are {known}.", number=number, chapter=chapter)
    rows = rows_of(found)
    page = f"docs/notes/{page_name(*found[:2])}.md"
    lines = [f"{number} chapter {found.chapter}, {found.title} -> {home(rows)}; {count(rows)} items served; {page}"]
    width = max((len(row.section) for row in rows), default=1)
    for row in rows:
        names = shown_names(row, API_WIDTH, whole=True).ljust(API_WIDTH)
        lines.append(f"  {row.section:<{width}}  {clip(row.name, NAME_WIDTH)}  {names}  {test_name(row)}")
    misprints = [e for e in errata() if (e.notes, e.chapter) == found[:2]]
    if misprints:
        lines.append(f"  misprints: {', '.join(e.id for e in misprints)} (docs/errata.md)")
    return Listing("\n".join(lines), rows)


def notes(number: str | int | None = None, chapter: str | int | None = None) -> Listing:
    """List the lecture notes: all sets, one set, one chapter, or every chapter with a number.

    Parameters
    ----------
    number : str or int, default=None
        "000" to "004" for a set; anything else is a chapter number looked for in all sets.
    chapter : str or int, default=None
        A chapter of the set: "8", "P1.3" in 002, "II.1" in 004.

    Examples
    --------
    >>> from novum.notes import notes
    >>> notes(8)
    Chapter 8 is in 3 places of your files:
      000  Bayesian Networks ...
      003  Balancing hypothesis space and data set ...
      004  Relevant Machine Learning Topics, part II ...
    """
    if number is None:
        return overview()
    label = str(number)
    if label not in SETS:
        if chapter is not None:
            from novum.exceptions import ParameterError

            raise ParameterError.of("notes", f"the sets are {', '.join(SETS)}.", number=number, chapter=chapter)
        return with_number(label)
    return of_set(label) if chapter is None else of_chapter(label, str(chapter))
