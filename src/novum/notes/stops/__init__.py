"""A tour of the notes: their own numbers, computed now, beside what the page says.

To add a stop, write a function in a file of this folder under `@stop(...)` and name the file in `FILES`.
"""

from importlib import import_module
from time import perf_counter
from typing import Any

from novum.notes.stops.registry import STOPS, Stop, VisitedStop, see, value_text
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.tables import html_text

__all__ = ["Stop", "Tour", "stops", "tour"]

FILES = (
    "evaluation",
    "networks",
    "trees",
    "learners",
    "neighbors",
    "components",
    "theory",
    "probability",
    "densities",
    "mixtures",
    "generative",
)


HEAD = (
    "A tour of your notes, computed now. 'notes' marks a number that the page prints; 'ours' marks an example of our own\n"
    "where the page prints none, and says how it was checked."
)


def origin(one: Stop) -> str:
    """Return whose number a stop shows: the one that the notes print, their misprint, or one of ours."""
    if one.erratum:
        return f"notes {one.printed}, a misprint: docs/errata.md#{one.erratum}"
    if one.printed != "-":
        return f"notes {one.printed}"
    return f"ours: {one.remark}" if one.remark else "ours"


class Tour(Result):
    """The stops in the order of the notes, each with its value and whether it agrees."""

    def __init__(self, visited: list[VisitedStop], seconds: float) -> None:
        self.visited = visited
        self.seconds = seconds

    @property
    def differing(self) -> list[VisitedStop]:
        """The stops whose value is not what the notes, or the reference, say."""
        return [one for one in self.visited if not one.agrees]

    def _lines(self) -> list[str]:
        lines = [HEAD]
        before = ("", "")
        for one, value, agrees in self.visited:
            place = f"{one.notes}  {one.place:<6}" if (one.notes, one.place) != before else " " * 11
            before = (one.notes, one.place)
            now = one.unit + value_text(value, one.printed)
            verdict = origin(one) if agrees else f"DIFFERS from {origin(one)}"
            lines.append(f"  {place} {one.label:<62} {now:<12} {verdict}")
        found = f"{len(self.differing)} DIFFER, " if self.differing else ""
        theirs = [one.stop for one in self.visited if one.stop.printed != "-"]
        wrong = sum(bool(one.erratum) for one in theirs)
        return lines + [
            f"{counted(len(self.visited), 'stop')}, {found}{num(self.seconds):.1f} s: "
            f"{counted(len(theirs), 'number')} that the notes print ({wrong} misprinted), "
            f"{counted(len(self.visited) - len(theirs), 'example')} of ours. All chapters: novum notes"
        ]

    def _result_columns(self) -> dict[str, Any]:
        names = ("notes", "place", "label", "printed", "remark")
        columns: dict[str, Any] = {name: [getattr(one.stop, name) for one in self.visited] for name in names}
        return {**columns, "value": [one.value for one in self.visited], "agrees": [one.agrees for one in self.visited]}

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return html_text(repr(self))


def stops() -> list[Stop]:
    """Return every stop, in the order of the notes."""
    for name in FILES:
        import_module(f"novum.notes.stops.{name}")

    def order(one: Stop) -> tuple[str, list[tuple[int, str]]]:
        parts = one.place.replace("P", "").split(".")
        return one.notes, [(int(part), "") if part.isdigit() else (0, part) for part in parts]

    return sorted(STOPS, key=order)


def tour() -> Tour:
    """Replay the notes' own numbers.

    Examples
    --------
    >>> from novum.notes import tour
    >>> tour().differing
    []
    """
    begin = perf_counter()
    visited = [see(one) for one in stops()]
    return Tour(visited, perf_counter() - begin)
