"""What a scene shows: views of thirteen kinds, each a list of bindings to the names of its arrays and values.

Every function takes `id` (default: its own name) and bindings; docs/guide/lab.md lists them.
"""

from collections.abc import Callable
from typing import Any

from novum.lab.mathml import mathml

__all__ = [
    "KINDS",
    "bars",
    "curve",
    "graph",
    "grid",
    "heat",
    "image",
    "intervals",
    "network",
    "number",
    "plane",
    "table",
    "tree",
    "trellis",
]

View = dict[str, Any]


def made_of(kind: str, needed: str) -> Callable[..., View]:
    """Return the function that makes views of one kind."""

    def view(*, id: str = kind, **bindings: Any) -> View:
        missing = [name for name in needed.split() if name not in bindings]
        if missing:
            raise TypeError(f"a view {kind} needs {', '.join(missing)}")
        return {"kind": kind, "id": id, **bindings}

    view.__name__ = kind
    view.__doc__ = f"Return a view of kind {kind!r}" + (f"; it needs {needed.replace(' ', ', ')}." if needed else ".")
    return view


plane = made_of("plane", "points")
curve = made_of("curve", "series")
bars = made_of("bars", "values")
heat = made_of("heat", "values")
table = made_of("table", "columns rows")
graph = made_of("graph", "nodes edges")
tree = made_of("tree", "nodes")
trellis = made_of("trellis", "values")
grid = made_of("grid", "rows cols")
network = made_of("network", "layers")
image = made_of("image", "pixels")
intervals = made_of("intervals", "middle low high")


def number(value: str, formula: str = "", **more: Any) -> View:
    """Return a view of one number, beside its formula in LaTeX."""
    made = {"kind": "number", "id": more.pop("id", value), "value": value, **more}
    return {**made, "formula": mathml(formula)} if formula else made


KINDS = (
    *("plane", "curve", "bars", "heat", "table", "graph", "tree", "trellis", "grid", "network", "image"),
    *("intervals", "number"),
)
