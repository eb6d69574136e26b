"""Learning a hidden rectangle: what examples leave of the hypotheses, and how the true error stands to its bounds."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np

from novum.lab.calls import Call, python_script
from novum.lab.controls import Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points, Preset
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

GRID = 6  # cells of a side: rectangles of the finite class have their corners on its lines
SQUARE = ((0.0, 1.0), (0.0, 1.0))
Box = tuple[int, int, int, int]  # left, right, bottom, top


def uniform(n: int, noise: float, seed: int) -> Call:
    """Return points evenly over the square: clouds without width at places drawn there."""
    path = "sklearn.datasets.make_blobs"
    return Call(path, n, centers=n, cluster_std=0.0, center_box=(0.0, 1.0), random_state=seed)


def holds(box: Box, x: tuple[float, float]) -> bool:
    """Return whether a rectangle holds a point."""
    left, right, bottom, top = box
    return left <= x[0] * GRID < right and bottom <= x[1] * GRID < top


class PacSteps(Scene):
    name = "pac"
    family = "judging"
    rows = ("003/8/pac-consistent", "003/8/vc-bound", "003/8/version-space", "001/1/rectangle-concepts")
    points = Points(
        "plain",
        presets={"uniform": Preset(uniform, SQUARE)},
        n=Slider(1, 300, 60, integer=True),
        limit=300,
        domain=SQUARE,
    )
    left = Slider(0, GRID - 1, 1, integer=True)
    width = Slider(1, GRID, 3, integer=True)
    bottom = Slider(0, GRID - 1, 2, integer=True)
    height = Slider(1, GRID, 3, integer=True)
    epsilon = Slider(0.01, 0.5, 0.1)
    delta = Slider(0.01, 0.5, 0.05)
    rising = "down"
    views = (
        plane(points="X", classes="seen", marked="newest", boxes="boxes", box_classes="kinds", editable=True, equal=True),
        number("error", r"\Pr [ h(x) \ne c(x) ]"),
        number("left_over"),
        number("needed", r"\left\lceil \frac{\ln |H| + \ln \frac{1}{\delta}}{\varepsilon} \right\rceil"),
        curve(
            series=[
                {"value": "error", "label": "value.error"},
                {"value": "finite", "label": "value.finite"},
                {"value": "vc", "label": "value.vc"},
                {"value": "wish", "label": "value.wish", "role": "bound"},
            ]
        ),
        curve(id="space", series=[{"value": "left_over", "label": "value.left_over"}], log_y=True),
    )  # fmt: skip

    def target(self, s: State) -> Box:
        """Return the hidden rectangle."""
        return s.left, s.left + s.width, s.bottom, s.bottom + s.height

    def check(self, s: State) -> None:
        _, right, _, top = self.target(s)
        for name, end in (("width", right), ("height", top)):
            if end > GRID:
                raise Refusal(f"{name}={getattr(s, name)}: the rectangle leaves the square; take it smaller.", name)
        if np.any((s.points.X < 0) | (s.points.X > 1)):
            raise Refusal("points: examples must lie in the unit square.", "points")

    def space(self) -> Any:
        """Return all rectangles of the grid as a version space, nothing seen yet."""
        from novum.theory import VersionSpace

        sides = list(combinations(range(GRID + 1), 2))
        boxes = [(*across, *up) for across, up in product(sides, sides)]
        hypotheses: dict[str, Callable[[Any], bool]] = {str(box): partial(holds, box) for box in boxes}
        cells = [((i + 0.5) / GRID, (j + 0.5) / GRID) for i in range(GRID) for j in range(GRID)]
        return VersionSpace(hypotheses, cells, positive=True)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.theory import RectangleLearner, error_bound, pac_sample_size

        hidden = self.target(s)
        X = s.points.X
        y = np.array([holds(hidden, (float(a), float(b))) for a, b in X]).astype(int)
        space = self.space()
        count = len(space)
        whole = s.width * s.height / GRID**2
        needed = pac_sample_size(s.epsilon, s.delta, hypotheses=count)
        for n in range(len(X) + 1):
            learned = np.zeros((0, 4))
            error = whole
            if n:
                space = space.observe([tuple(map(float, X[n - 1]))], [bool(y[n - 1])])
            if y[:n].any():
                learner = RectangleLearner().fit(X[:n], y[:n])
                mine = learner.box_class_ == list(learner.classes_).index(1)
                low, high = learner.low_[mine][0], learner.high_[mine][0]
                learned = np.array([[low[0], high[0], low[1], high[1]]])
                error = whole - float(np.prod(high - low))
            general = boxes_of(space.general_boundary) if y[:n].any() else np.zeros((0, 4))
            specific = boxes_of(space.specific_boundary) if y[:n].any() else np.zeros((0, 4))
            parts = (general, specific, np.array([hidden]) / GRID, learned)
            drawn = {
                "X": X,
                "seen": np.where(np.arange(len(X)) < n, y, -1),
                "newest": [n - 1] if n else [],
                "boxes": np.vstack(parts),
                "kinds": np.repeat(np.arange(2, 6), [len(part) for part in parts]),
            }
            finite = float(error_bound(n=n, hypotheses=count, delta=s.delta)) if n else 1.0
            values = {
                "error": error,
                "left_over": len(space),
                "needed": needed,
                "finite": min(1.0, finite),
                "vc": min(1.0, float(error_bound(n=n, vc=4, delta=s.delta))) if n else 1.0,
                "wish": s.epsilon,
            }
            said = {"n": n, "left": len(space), "error": error, "bound": values["finite"], "needed": needed}
            key = "start" if n == 0 else "inside" if y[n - 1] else "outside"
            yield Frame(n, values, drawn, (key, said))

    def script(self, s: State, n: int, part: str) -> str:
        left, right, bottom, top = self.target(s)
        x, up = f"X[:, 0] * {GRID}", f"X[:, 1] * {GRID}"
        return python_script(
            [
                s.points.code,
                "from novum.theory import RectangleLearner",
                f"y = (({left} <= {x}) & ({x} < {right}) & ({bottom} <= {up}) & ({up} < {top})).astype(int)[:{n}]",
                f"error = {s.width} * {s.height} / {GRID**2}",
                "if y.any():",
                f"    learner = RectangleLearner().fit(X[:{n}], y)",
                "    mine = learner.box_class_ == list(learner.classes_).index(1)",
                "    error -= float(np.prod(learner.high_[mine][0] - learner.low_[mine][0]))",
                "print(error)",
            ]
        )


def boxes_of(names: list[str]) -> Any:
    """Return rectangles of the grid by their names as parts of the unit square, as views draw them."""
    return np.array([[int(v) for v in name.strip("()").split(",")] for name in names], float).reshape(-1, 4) / GRID
