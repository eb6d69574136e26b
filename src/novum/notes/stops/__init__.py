"""A tour of the notes: their own numbers, computed now, beside what the page says.

To add a stop, write a function in a file of this folder under `@stop(...)` and name the file in `FILES`.
"""

from importlib import import_module
from time import perf_counter
from typing import Any

from novum.notes.stops.registry import STOPS, Seen, Stop, see, value_text
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


class Tour(Result):
    """The stops in the order of the notes, each with its value and whether it agrees."""

    def __init__(self, visited: list[Seen], seconds: float) -> None:
        self.visited = visited
        self.seconds = seconds

    @property
    def differing(self) -> list[Seen]:
        """The stops whose value is not what the notes, or the reference, say."""
        return [one for one in self.visited if not one.agrees]

    def _lines(self) -> list[str]:
        lines = ['A tour of your notes. Each line is computed now; "notes" is what the page says.']
        before = ("", "")
        for one, value, agrees in self.visited:
            place = f"{one.notes}  {one.place:<6}" if (one.notes, one.place) != before else " " * 11
            before = (one.notes, one.place)
            remark = f"misprint, docs/errata.md#{one.erratum}" if one.erratum else one.remark
            remark = remark if agrees else f"DIFFERS {remark}"
            now = one.unit + value_text(value, one.printed)
            lines.append(f"  {place} {one.label:<52} {now:<15} notes {one.printed:<10} {remark}".rstrip())
        found = f"{len(self.differing)} DIFFER, " if self.differing else ""
        return lines + [f"{len(self.visited)} stops, {found}{self.seconds:.1f} s. All chapters: novum notes"]

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
