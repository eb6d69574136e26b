"""Distances: how far two points lie from each other by seven measures, and which measure knows the classes best."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, literal, python_script
from novum.lab.controls import Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import level_map
from novum.lab.points import Points, Preset
from novum.lab.presets import MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import bars, number, plane, table

METRICS = ("manhattan", "euclidean", "minkowski", "chebyshev", "cosine", "mahalanobis", "learned")
CORNERS = 361  # of a ball as it is drawn
LEAST = 4  # rows of each class, for a matrix of covariances and a neighbor


def long_clouds(n: int, noise: float, seed: int) -> Call:
    """Return two long clouds, one above the other."""
    matrix = [[4.0 * noise**2, 0.0], [0.0, 0.02 * noise**2]]
    means = [[0.0, -0.35], [0.0, 0.35]]
    path = "novum.datasets.make_gaussian_classes"
    return Call(path, n, means=means, covariances=[matrix, matrix], random_state=seed, return_X_y=True)


def turned_clouds(n: int, noise: float, seed: int) -> Call:
    """Return two long clouds that lie askew."""
    matrix = (noise**2 * np.array([[2.01, 1.99], [1.99, 2.01]])).tolist()
    means = [[-0.25, 0.25], [0.25, -0.25]]
    path = "novum.datasets.make_gaussian_classes"
    return Call(path, n, means=means, covariances=[matrix, matrix], random_state=seed, return_X_y=True)


class DistanceSteps(Scene):
    name = "distances"
    family = "trees"
    rows = (
        *("000-c/18/dist-euclidean", "000-c/18/dist-minkowski", "000-c/18/sim-cosine", "000-c/18/metric-learning"),
        *("000-a/3/euclidean-distance", "000-a/5/mahalanobis", "003/4/euclidean-distance"),
    )
    points = Points(
        "classes",
        presets={"turned": Preset(turned_clouds), "long": Preset(long_clouds), **TOUCHING, **MOONS, **XOR},
        n=Slider(20, 400, 40, integer=True),
        noise=Slider(0.2, 1.5, 1.0),
        classes=2,
    )
    pair = Matrix(2, 2, -1e5, 1e5, default=((-1.5, -2.0), (1.5, 2.0)), drag="plane")
    p = Slider(1.0, 10.0, 3.0)
    views = (
        plane(
            points="X", target="y", classes="y", map="map", map_kind="level", map_scale="level", map_levels="contours",
            crosses="pair", lines="between", drag="pair", editable=True, equal=True, linked="points",
        ),
        number("distance", r"d(x, x')"),
        number("nearer"),
        number("error", r"\frac{1}{n} \sum_i \left[ \hat{y}_{-i}(x_i) \ne y_i \right]"),
        table(columns="columns", rows="found", marked="now"),
        bars(values="errors", labels="names"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if min(np.bincount(s.points.y, minlength=2)) < LEAST:
            raise Refusal(f"points: each class needs at least {LEAST} points; add some.", "points")
        if np.linalg.matrix_rank(np.cov(s.points.X.T)) < 2:
            raise Refusal("points: they lie on one line; move one away from it.", "points")
        if s.pair[0] == s.pair[1]:
            raise Refusal("pair: the two crosses stand at one place; move one away.", "pair")
        if [0.0, 0.0] in s.pair:
            raise Refusal("pair: the origin has no direction, which cosines need; move the cross away from it.", "pair")

    def metric(self, s: State, name: str) -> tuple[str, dict[str, Any], list[str]]:
        """Return the library's name of a measure, its options, and the lines that make them."""
        from novum.neighbors import MetricLearner

        if name == "minkowski":
            return name, {"p": s.p}, []
        if name == "mahalanobis":
            return name, {"VI": np.linalg.inv(np.cov(s.points.X.T))}, ["VI = np.linalg.inv(np.cov(X.T))"]
        if name == "learned":
            learned = MetricLearner().fit(s.points.X, s.points.y).mahalanobis_
            lines = ["from novum.neighbors import MetricLearner", "VI = MetricLearner().fit(X, y).mahalanobis_"]
            return "mahalanobis", {"VI": learned}, lines
        return name, {}, []

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.neighbors import KNeighborsClassifier, pairwise_distances

        X, y, pair = s.points.X, s.points.y, np.array(s.pair)
        found: list[list[Any]] = []
        for n, name in enumerate(METRICS):
            metric, options, _ = self.metric(s, name)
            measure: Any = partial(pairwise_distances, metric=metric, **options)
            distance = float(measure(pair[:1], pair[1:])[0, 0])
            given = options if name == "minkowski" else {"metric_params": options or None}
            nearest: Any = KNeighborsClassifier(1, metric=metric, algorithm="brute", **given).fit(X, y)
            error = float((nearest.predict(None) != y).mean())
            found = [*found, [f"label.{name}", distance, error]]
            drawn = {
                "X": X,
                "y": y,
                "pair": pair,
                "between": [
                    {"p": ball_of(name, measure, pair[:1], distance), "role": "now"},
                    {"p": path_of(name, pair), "role": "path"},
                ],
                "map": level_map(partial(shares, measure, pair[:1], distance), s.points.domain),
                "contours": [],
                "columns": ["label.metric", "label.distance", "label.error"],
                "found": found,
                "now": [n],
                "names": [f"label.{one}" for one in METRICS[: n + 1]],
                "errors": [row[2] for row in found],
            }
            nearer = int((measure(pair[:1], X)[0] < distance).sum())
            values = {"distance": distance, "nearer": nearer, "error": error}
            across, up = np.abs(pair[1] - pair[0]).tolist()
            said = {"across": across, "up": up, "p": s.p, "near": nearer, "wrong": round(error * len(y)), **values}
            yield Frame(n, values, drawn, (name, said))

    def script(self, s: State, n: int, part: str) -> str:
        metric, options, lines = self.metric(s, METRICS[n])
        given = "".join(f", {name}={'VI' if name == 'VI' else literal(value)}" for name, value in options.items())
        return python_script(
            [
                s.points.code if "VI" in options else "",
                *lines,
                "from novum.neighbors import pairwise_distances",
                f"pair = {literal(np.array(s.pair))}",
                f"print(float(pairwise_distances(pair[:1], pair[1:], metric={metric!r}{given})[0, 0]))",
            ]
        )


def path_of(name: str, pair: NDArray) -> list[list[float]]:
    """Return what is measured: along the axes, straight, or between two directions seen from the origin."""
    (a, b), (c, d) = pair.tolist()
    if name == "manhattan":
        return [[a, b], [c, b], [c, d]]
    return [[a, b], [0.0, 0.0], [c, d]] if name == "cosine" else [[a, b], [c, d]]


def ball_of(name: str, measure: Any, center: NDArray, distance: float) -> list[list[float]]:
    """Return the points that are as far from the center; a norm grows evenly along a direction, a cosine not at all."""
    if name == "cosine":
        return []
    turns = np.linspace(0.0, 2 * np.pi, CORNERS)
    ways = np.column_stack([np.cos(turns), np.sin(turns)])
    return (center + ways * distance / measure(np.zeros((1, 2)), ways).T).tolist()


def shares(measure: Any, center: NDArray, distance: float, at: NDArray) -> NDArray:
    """Return distances from a point as shares of twice the distance of the other."""
    return measure(center, at)[0] / (2 * max(distance, 1e-300))
