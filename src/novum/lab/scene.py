"""A scene: rows, controls, views and the steps of one method, in one file.

    class KMeansSteps(Scene):
        name = "kmeans"
        family = "unsupervised"
        rows = ("000-c/18/kmeans",)
        points = Points("plain", presets=...)
        k = Slider(1, 12, 5, integer=True)
        views = (plane(points="X", ...), number("J", r"J = ..."))

        def frames(self, s): ...        # yields a Frame per step, from real objects of novum
        def script(self, s, n, part): ...   # a program that prints the number shown at step n

Controls are class attributes; `s` has their values as attributes, `s.points` the rows. `seed` is every scene's last control.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from novum.lab.controls import LARGEST_SEED, Control, Number, Refusal, shown_value
from novum.lab.frames import Frame
from novum.lab.points import Points, Rows

__all__ = ["FAMILIES", "Scene", "State"]

FAMILIES = (
    *("regression", "classifiers", "trees", "unsupervised", "kernels", "graphical", "sampling", "networks"),
    *("reinforcement", "judging"),
)


class State:
    """The values of all controls as attributes, and the rows as `points`; `given` is the same as JSON holds it."""

    points: Rows
    seed: int

    def __init__(self, given: dict[str, Any], points: Points | None) -> None:
        self.given = given
        for name, value in given.items():
            setattr(self, name, value)
        if points is not None:
            self.points = Rows(points, given["points"], given["seed"])

    if False:  # pragma: no cover

        def __getattr__(self, name: str) -> Any: ...


class Scene:
    """What every scene declares and does; see the module."""

    name: ClassVar[str]
    family: ClassVar[str]
    rows: ClassVar[tuple[str, ...]]
    views: ClassVar[tuple[dict[str, Any], ...]]
    points: ClassVar[Points | None] = None
    parts: ClassVar[tuple[str, ...]] = ()
    rising: ClassVar[str | None] = None  # whether the shown number must go "up" or "down" from step to step
    deep: ClassVar[bool] = False  # whether it needs the extra "deep"
    controls: ClassVar[dict[str, Control]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Control)}
        cls.controls = {**cls.controls, **own}
        cls.controls["seed"] = cls.controls.pop("seed", Number(0, LARGEST_SEED, 0, integer=True))

    def frames(self, s: State) -> Iterator[Frame]:
        """Yield a frame per step."""
        raise NotImplementedError(type(self).__name__)

    def script(self, s: State, n: int, part: str) -> str:
        """Return a program whose last line prints the shown number of step `n`."""
        raise NotImplementedError(type(self).__name__)

    def check(self, s: State) -> None:
        """Raise a Refusal where values that are fine alone do not go together."""

    @property
    def shown(self) -> str:
        """The value that the script prints: that of the first view of one number."""
        return next(view["value"] for view in self.views if view["kind"] == "number")

    def defaults(self) -> dict[str, Any]:
        """Return the complete state where nothing is set."""
        first = {} if self.points is None else {"points": self.points.default}
        return {**first, **{name: value_of(control) for name, control in self.controls.items()}}

    def state(self, given: Any) -> State:
        """Return the complete state that a page's values stand for, or raise a Refusal."""
        state = self.read(given)
        self.check(state)
        return state

    def read(self, given: Any) -> State:
        """Return the complete state; every value is checked alone, and nothing is computed."""
        if not isinstance(given, dict):
            raise Refusal(f"state={shown_value(given)}: must hold the values of controls by their names.")
        known = self.defaults()
        for name in given:
            if name not in known:
                raise Refusal(f"{shown_value(name)}: the scene {self.name} has no such control.", None)
        made = {**known, **given}
        if self.points is not None:
            made["points"] = self.points.check(made["points"])
        for name, control in self.controls.items():
            made[name] = control.check(name, made[name])
        for name, control in self.controls.items():
            count = getattr(control, "rows", None)
            number = made[count] if isinstance(count, str) else None
            if isinstance(number, int) and isinstance(made[name], list) and len(made[name]) != number:
                raise Refusal(f"{name}: must have {count} = {made[count]} rows, not {len(made[name])}.", name)
        return State(made, self.points)

    def described(self) -> dict[str, Any]:
        """Return the entry of the catalogue, without the titles of its rows."""
        return {
            "name": self.name,
            "family": self.family,
            "deep": self.deep,
            "limit": self.points.limit if self.points else 0,
            "controls": [control.described(name) for name, control in self.controls.items()],
            "points": self.points.described() if self.points else None,
            "views": list(self.views),
            "parts": list(self.parts),
            "rising": self.rising,
            "shown": self.shown,
        }


def value_of(control: Control) -> Any:
    """Return the default of a control, as JSON holds it."""
    default = control.default  # type: ignore[attr-defined]
    return [list(row) for row in default] if isinstance(default, tuple) else default
