"""Shattering: labeling after labeling of some points, and the concept that realizes it, if there is one."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, literal, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.maps import level_map
from novum.lab.points import Points, Preset
from novum.lab.scene import Scene, State
from novum.lab.views import curve, heat, number, plane

MOST = 6  # points: 64 labelings
ON_A_LINE = ("thresholds", "intervals", "interval_unions")
INSIDE, OUTSIDE = 0.78, 0.32  # shades of the map


def ring(n: int, noise: float, seed: int) -> Call:
    """Return points on a circle."""
    return Call("sklearn.datasets.make_circles", (n, 0), random_state=seed)


def scatter(n: int, noise: float, seed: int) -> Call:
    """Return points in no order."""
    return Call("sklearn.datasets.make_blobs", n, centers=[[0.0, 0.0]], cluster_std=0.9, random_state=seed)


class ShatteringSteps(Scene):
    name = "shattering"
    family = "judging"
    rows = ("003/8/shattering", "003/8/fig-shatter", "003/8/vc-dimension", "004/8/shattering")
    points = Points(
        "plain",
        presets={
            "ring": Preset(ring, ((-2.0, 2.0), (-1.5, 1.5))),
            "scatter": Preset(scatter, ((-2.5, 2.5), (-2.0, 2.0))),
        },
        n=Slider(1, MOST, 4, integer=True),
        limit=MOST,
        domain=((-2.0, 2.0), (-1.5, 1.5)),
    )
    concepts = Choice(("lines", "rectangles", "circles", "homogeneous", "polynomials", *ON_A_LINE), "lines")
    k = Slider(1, 3, 2, integer=True, hidden_when={"concepts": [
        "lines", "rectangles", "circles", "homogeneous", "polynomials", "thresholds", "intervals",
    ]})  # fmt: skip
    degree = Slider(1, 3, 2, integer=True, hidden_when={"concepts": [
        "lines", "rectangles", "circles", "homogeneous", *ON_A_LINE,
    ]})  # fmt: skip
    rising = "up"
    views = (
        plane(points="X", classes="labels", map="map", map_kind="level", map_scale="diverging", editable=True, equal=True),
        number("realized", r"|\{ h \cap X \}|"),
        number("growth"),
        number("dimension"),
        heat(values="labelings", rows="names", marked="now", domain="shades", text=False),
        curve(series=[{"value": "realized", "label": "value.realized"}, {"value": "all", "label": "value.all", "role": "bound"}]),
    )  # fmt: skip

    def rows_of(self, s: State) -> NDArray:
        """Return the points, on the line for concepts of a line."""
        return s.points.X[:, :1] if s.concepts in ON_A_LINE else s.points.X

    def options(self, s: State) -> dict[str, int]:
        """Return what the class of concepts takes."""
        return {"k": s.k, "degree": s.degree}

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.theory import growth_function, shatters, vc_dimension

        X, options = self.rows_of(s), self.options(s)
        found = shatters(s.concepts, X, **options)
        d = X.shape[1]
        most = growth_function(s.concepts, len(X), n_features=d, **options)
        dimension = float(vc_dimension(s.concepts, n_features=d, **options))
        realized = 0
        table = np.full((len(X) + 1, len(found.labelings)), 0.5)
        for i, (labels, concept) in enumerate(zip(found.labelings, found.certificates)):
            realized += concept is not None
            table[:-1, i] = labels
            table[-1, i] = concept is not None
            drawn = {
                "X": s.points.X,
                "labels": labels.astype(np.int64),
                "map": level_map(partial(shade_of, concept, d), s.points.domain),
                "labelings": table,
                "names": [*(str(j + 1) for j in range(len(X))), "✓"],
                "now": [[j, i] for j in range(len(X) + 1)],
                "shades": [0.0, 1.0],
            }
            values = {"realized": realized, "all": i + 1, "growth": most, "dimension": dimension}
            said = {"positives": int(labels.sum()), "realized": realized, "tried": i + 1}
            yield Frame(i + 1, values, drawn, ("found" if concept is not None else "none", said))

    def script(self, s: State, n: int, part: str) -> str:
        rows = f"shatters({literal(s.concepts)}, {'X[:, :1]' if s.concepts in ON_A_LINE else 'X'}"
        options = "".join(f", {name}={value}" for name, value in self.options(s).items())
        return python_script(
            [
                s.points.code,
                "from novum.theory import shatters",
                f"found = {rows}{options})",
                f"print(sum(concept is not None for concept in found.certificates[:{n}]))",
            ]
        )


def shade_of(concept: Any, d: int, grid: NDArray) -> NDArray:
    """Return one shade inside a concept of d columns and another outside; the middle one everywhere where there is none."""
    if concept is None:
        return np.full(len(grid), 0.5)
    grid = grid[:, :d]
    inside = concept.contains(grid) if hasattr(concept, "contains") else concept.decision_function(grid) > 0
    return np.where(inside, INSIDE, OUTSIDE)
