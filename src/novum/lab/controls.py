"""What a person may set in a scene: controls with a domain, declared as class attributes, and the sentence for a value outside it.

A control checks a value that came from a page: exactly the declared kind, finite, inside its bounds; anything else is refused by a
sentence that names the control, the value and the remedy. Nothing of a value becomes a name, a path or code.
"""

from dataclasses import dataclass, fields
from math import isfinite
from typing import Any

from novum.report.numbers import counted

__all__ = [
    "LARGEST_SEED",
    "Choice",
    "Control",
    "Graph",
    "Matrix",
    "Number",
    "Refusal",
    "Slider",
    "Table",
    "Text",
    "Toggle",
    "finite",
    "shown_value",
]

LARGEST_SEED = 2**31 - 1
SHORT = 40  # characters of a refused value that a sentence repeats
MOST_NODES = 60


class Refusal(ValueError):
    """A sentence for the person at the page, and the control that it is about."""

    def __init__(self, sentence: str, control: str | None = None) -> None:
        super().__init__(sentence)
        self.sentence, self.control = sentence, control


def shown_value(value: Any) -> str:
    """Return a value as a sentence repeats it."""
    text = repr(value)
    return text if len(text) <= SHORT else text[: SHORT - 3] + "..."


def finite(value: Any) -> bool:
    """Return whether a value is a finite number of JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 and isfinite(value)


@dataclass(frozen=True, kw_only=True)
class Control:
    """A thing that can be set. `hidden_when` = {"control": value} hides it while another control has that value."""

    hidden_when: dict[str, Any] | None = None

    def check(self, name: str, value: Any) -> Any:
        """Return the value as scenes use it, or raise a Refusal."""
        raise NotImplementedError(type(self).__name__)

    def described(self, name: str) -> dict[str, Any]:
        """Return the control as the page reads it."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"name": name, "kind": type(self).__name__.lower(), **{k: v for k, v in own.items() if v is not None}}

    def refuse(self, name: str, value: Any, remedy: str) -> Refusal:
        """Return the refusal of a value."""
        return Refusal(f"{name}={shown_value(value)}: {remedy}.", name)


@dataclass(frozen=True)
class Slider(Control):
    """A number between two bounds; `log` moves it by ratios, `integer` by ones."""

    min: float
    max: float
    default: float
    step: float | None = None
    log: bool = False
    integer: bool = False

    def check(self, name: str, value: Any) -> float:
        kind = "a whole number" if self.integer else "a number"
        whole = finite(value) and (not self.integer or value == int(value))
        if not whole or not self.min <= value <= self.max:
            raise self.refuse(name, value, f"must be {kind} from {self.min:g} to {self.max:g}")
        return int(value) if self.integer else float(value)


@dataclass(frozen=True)
class Number(Control):
    """A number that is typed."""

    min: float
    max: float
    default: float
    integer: bool = False

    check = Slider.check


@dataclass(frozen=True)
class Choice(Control):
    """One of several words."""

    choices: tuple[str, ...]
    default: str

    def check(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise self.refuse(name, value, f"must be one of {', '.join(self.choices)}")
        return value


@dataclass(frozen=True)
class Toggle(Control):
    """On or off."""

    default: bool = False

    def check(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            raise self.refuse(name, value, "must be true or false")
        return value


@dataclass(frozen=True)
class Text(Control):
    """A line of text; what it may hold is for the scene to say."""

    max_length: int
    default: str = ""

    def check(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or len(value) > self.max_length or not value.replace("\n", " ").isprintable():
            raise self.refuse(name, value, f"must be text of at most {counted(self.max_length, 'printable character')}")
        return value


@dataclass(frozen=True)
class Matrix(Control):
    """Rows of numbers; `rows` and `cols` may name a control that counts them, `drag` the view in which they are set.

    None, where it is the default, leaves them to the method. Where `rows` names a choice, another choice takes them away; how many
    there are then, and how many columns where `cols` is None, is for the scene to check.
    """

    rows: int | str
    cols: int | str | None
    min: float
    max: float
    default: Any = None
    labels: Any = None
    drag: str | None = None

    def described(self, name: str) -> dict[str, Any]:
        return {**super().described(name), "default": self.default}

    def check(self, name: str, value: Any) -> list[list[float]] | None:
        if value is None and self.default is None:
            return None
        if not isinstance(value, list) or not value or not all(isinstance(row, list) and row for row in value):
            raise self.refuse(name, value, "must be a list of rows of numbers")
        if isinstance(self.rows, int) and len(value) != self.rows:
            raise self.refuse(name, value, f"must have {counted(self.rows, 'row')}")
        if {len(row) for row in value} != {self.cols if isinstance(self.cols, int) else len(value[0])}:
            raise self.refuse(name, value, "must have rows of the right length")
        if not all(finite(cell) and self.min <= cell <= self.max for row in value for cell in row):
            raise self.refuse(name, value, f"must hold numbers from {self.min:g} to {self.max:g}")
        return [[float(cell) for cell in row] for row in value]


@dataclass(frozen=True)
class Table(Control):
    """Rows of categories that can be edited; `columns` holds the names, `most` the rows there may be."""

    columns: tuple[str, ...]
    default: tuple[tuple[str, ...], ...]
    most: int = 200
    max_length: int = 30

    def check(self, name: str, value: Any) -> list[list[str]]:
        wide = len(self.columns)
        if not isinstance(value, list | tuple) or not 0 < len(value) <= self.most:
            raise self.refuse(name, value, f"must be a list of 1 to {counted(self.most, 'row')}")
        for row in value:
            if not isinstance(row, list | tuple) or len(row) != wide:
                raise self.refuse(name, row, f"must have {counted(wide, 'cell')} in every row")
            for cell in row:
                if not isinstance(cell, str) or not 0 < len(cell) <= self.max_length or not cell.isprintable():
                    raise self.refuse(name, cell, f"must be text of 1 to {self.max_length} printable characters")
        return [list(row) for row in value]


@dataclass(frozen=True)
class Graph(Control):
    """Nodes with places and arcs between them, each arc from the first to the second."""

    default: dict[str, Any]
    most: int = MOST_NODES
    acyclic: bool = True

    def check(self, name: str, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or set(value) != {"nodes", "arcs", "at"}:
            raise self.refuse(name, value, "must have nodes, arcs and at")
        nodes, arcs, at = value["nodes"], value["arcs"], value["at"]
        if not all(isinstance(part, list) for part in (nodes, arcs, at)) or not 0 < len(nodes) <= self.most:
            raise self.refuse(name, nodes, f"must be lists, with 1 to {counted(self.most, 'node')}")
        plain = all(isinstance(node, str) and 0 < len(node) <= 20 and node.isprintable() for node in nodes)
        if not plain or len(set(nodes)) < len(nodes):
            raise self.refuse(name, nodes, "must have different names of 1 to 20 printable characters")
        if len(at) != len(nodes) or not all(
            isinstance(place, list) and len(place) == 2 and all(finite(v) and 0 <= v <= 1 for v in place)
            for place in at
        ):
            raise self.refuse(name, at, "must have a place in the unit square for every node")
        known = set(nodes)
        for arc in arcs:
            pair = isinstance(arc, list) and len(arc) == 2 and all(isinstance(end, str) for end in arc)
            if not pair or not set(arc) <= known or arc[0] == arc[1]:
                raise self.refuse(name, arc, "must join two different nodes")
        pairs = [frozenset(arc) for arc in arcs] if self.acyclic else [tuple(arc) for arc in arcs]
        if len(set(pairs)) < len(pairs):
            raise self.refuse(name, arcs, "must join two nodes once")
        if self.acyclic and has_cycle(nodes, arcs):
            raise self.refuse(name, arcs, "must have no cycle: turn one of its arcs")
        return {"nodes": list(nodes), "arcs": [list(arc) for arc in arcs], "at": [list(map(float, p)) for p in at]}


def has_cycle(nodes: list[str], arcs: list[list[str]]) -> bool:
    """Return whether arcs lead from a node back to it."""
    left = set(nodes)
    while left:
        free = left - {end for start, end in arcs if start in left}
        if not free:
            return True
        left -= free
    return False
