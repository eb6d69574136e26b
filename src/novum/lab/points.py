"""The rows of a scene: drawn by hand, or made by a public function at a preset."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil, floor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call
from novum.lab.controls import Refusal, Slider, finite, shown_value
from novum.report.numbers import counted

__all__ = ["DECIMALS", "Points", "Preset", "Rows"]

DECIMALS = 3  # of a coordinate, so that a link and a run agree
FARTHEST = 1e5
ROWS = Slider(10, 2000, 300, integer=True)
Domain = tuple[tuple[float, float], tuple[float, float]]


class Preset(NamedTuple):
    """Rows that a public function makes: `make(n, noise, seed)` is the call, whose value is X or (X, y)."""

    make: Callable[[int, float, int], Call]
    domain: Domain = ((-4.0, 4.0), (-3.0, 3.0))


class Rows:
    """The rows that a state stands for.

    Attributes
    ----------
    X : array of shape (n, 2), or (n, 1) of points of a curve
    y : array of shape (n,): the class, or the second coordinate of points of a curve
    code : str
        Lines of a script that make the same X and y.
    """

    def __init__(self, points: "Points", given: dict[str, Any], seed: int) -> None:
        self.points, self.given, self.seed = points, given, seed

    @cached_property
    def made(self) -> tuple[NDArray, NDArray]:
        """X and y."""
        kind, classes = self.points.kind, self.points.kind == "classes"
        if "rows" in self.given:
            rows = np.array(self.given["rows"], dtype=float).reshape(-1, self.points.width)
            X, y = rows[:, :2], rows[:, 2].astype(np.int64) if classes else np.zeros(len(rows), np.int64)
        else:
            value = self.call()
            X, y = value if isinstance(value, tuple) else (value, np.zeros(len(value), np.int64))
            X, y = np.asarray(X, float).round(DECIMALS), np.asarray(y)
            if kind == "xy":
                return X[:, :1], y.astype(float).round(DECIMALS)
            y = y % self.points.classes if classes else y.astype(np.int64)
        # as scripts make them: sums of products over memory with gaps may differ in the last digit
        return (X[:, :1].copy(), X[:, 1].copy()) if kind == "xy" else (X, y)

    @property
    def X(self) -> NDArray:
        return self.made[0]

    @property
    def y(self) -> NDArray:
        return self.made[1]

    @property
    def call(self) -> Call:
        """The call of the preset."""
        given = self.given
        return self.points.presets[given["preset"]].make(given["n"], given.get("noise", 0.0), self.seed)

    @property
    def code(self) -> str:
        kind = self.points.kind
        if "rows" in self.given:
            if kind == "classes":
                return f"X = {literal_rows(self.X)}\ny = np.array({self.y.tolist()!r})"
            text = f"X = {literal_rows(self.X)}"
            return f"{text}\ny = np.array({self.y.tolist()!r})" if kind == "xy" else text
        call = self.call
        names = "X, y" if isinstance(call(), tuple) else "X"
        rounded = f"X = X.round({DECIMALS})" + (f"\ny = y.round({DECIMALS})" if kind == "xy" else "")
        if kind == "classes" and call()[1].max() >= self.points.classes:
            rounded += f"\ny = y % {self.points.classes}"
        return f"{call.imports}\n{names} = {call.code}\n{rounded}"

    @cached_property
    def domain(self) -> list[list[float]]:
        """The part of the plane to be shown: that of the preset, wider where rows lie outside."""
        given, preset = self.given, self.points.presets.get(self.given.get("preset", ""))
        box = given.get("domain") or (preset.domain if preset and "rows" not in given else self.points.domain)
        both = np.column_stack([self.X, self.y]) if self.points.kind == "xy" else self.X
        sides = []
        for (low, high), column in zip(box, both.T):
            least, most = float(np.min(column, initial=low)), float(np.max(column, initial=high))
            sides.append([low if least >= low else float(floor(least)), high if most <= high else float(ceil(most))])
        return sides


def literal_rows(X: NDArray) -> str:
    """Return rows as a script writes them."""
    return f"np.array({X.tolist()!r})" if len(X) else f"np.empty((0, {X.shape[1]}))"


@dataclass(frozen=True)
class Points:
    """What rows a scene takes.

    Parameters
    ----------
    kind : {"plain", "classes", "xy", "picture"}
    presets : mapping of names to presets
        The first is the default.
    n : Slider
        How many rows a preset makes.
    noise : Slider or None
    classes : int
        Of points that have one.
    limit : int
        Rows there may be.
    domain : pair of intervals
        Of points drawn by hand.
    """

    kind: str
    presets: Mapping[str, Preset]
    n: Slider = ROWS
    noise: Slider | None = None
    classes: int = 0
    limit: int = 5000
    least: int = 1
    domain: Domain = ((-4.0, 4.0), (-3.0, 3.0))

    @property
    def width(self) -> int:
        """Numbers of a row of a state."""
        return 3 if self.kind == "classes" else 2

    @property
    def default(self) -> dict[str, Any]:
        """The state of the first preset."""
        made = {"preset": next(iter(self.presets)), "n": int(self.n.default)}
        return made if self.noise is None else {**made, "noise": self.noise.default}

    def described(self) -> dict[str, Any]:
        """Return what the page reads."""
        return {
            "kind": self.kind,
            "classes": self.classes,
            "presets": list(self.presets),
            "limit": self.limit,
            "n": self.n.described("n"),
            "noise": self.noise.described("noise") if self.noise else None,
            "domain": [list(side) for side in self.domain],
        }

    def check(self, given: Any) -> dict[str, Any]:
        """Return the points of a state, complete and rounded, or raise a Refusal."""
        if not isinstance(given, dict):
            raise Refusal(f"points={shown_value(given)}: must have a preset or rows.", "points")
        if "rows" in given:
            return self.checked_rows(given)
        unknown = set(given) - {"preset", "n", "noise"}
        if unknown:
            raise Refusal(f"points: {shown_value(sorted(unknown)[0])} is not known here.", "points")
        made = {**self.default, **given}
        if not isinstance(made["preset"], str) or made["preset"] not in self.presets:
            raise Refusal(f"points={shown_value(made['preset'])}: must be one of {', '.join(self.presets)}.", "points")
        made["n"] = self.n.check("n", made["n"])
        if self.noise is None:
            made.pop("noise", None)
        else:
            made["noise"] = self.noise.check("noise", made["noise"])
        return made

    def checked_rows(self, given: dict[str, Any]) -> dict[str, Any]:
        rows, box = given["rows"], given.get("domain")
        if set(given) - {"rows", "domain"}:
            raise Refusal("points: rows stand with a domain at most.", "points")
        if not isinstance(rows, list) or not self.least <= len(rows) <= self.limit:
            number = len(rows) if isinstance(rows, list) else shown_value(rows)
            raise Refusal(f"points: must be {self.least} to {counted(self.limit, 'row')}, not {number}.", "points")
        for row in rows:
            if not isinstance(row, list) or len(row) != self.width or not all(map(finite, row)):
                raise Refusal(f"points: {shown_value(row)} must be {counted(self.width, 'number')}.", "points")
            if max(abs(row[0]), abs(row[1])) > FARTHEST:
                raise Refusal(f"points: {shown_value(row)} must lie within {FARTHEST:g} of zero.", "points")
            if self.kind == "classes" and not (row[2] == int(row[2]) and 0 <= row[2] < self.classes):
                raise Refusal(f"points: {shown_value(row)} must have a class from 0 to {self.classes - 1}.", "points")
        made: dict[str, Any] = {
            "rows": [[round(float(v), DECIMALS) for v in row[:2]] + [int(v) for v in row[2:]] for row in rows]
        }
        if box is not None:
            plain = (
                isinstance(box, list)
                and len(box) == 2
                and all(isinstance(side, list) and len(side) == 2 for side in box)
            )
            if not plain or not all(finite(v) and abs(v) <= FARTHEST for side in box for v in side):
                raise Refusal("points: the domain must be two intervals.", "points")
            if not all(low < high for low, high in box):
                raise Refusal("points: the domain must be two intervals that are not empty.", "points")
            made["domain"] = [[float(v) for v in side] for side in box]
        return made
