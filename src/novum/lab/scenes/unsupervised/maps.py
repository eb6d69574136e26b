"""Maps of rows in space: what every pass or every setting of a method keeps of the neighborhoods, and what it tears apart."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import Call, code_of, literal, python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.scene import Scene, State
from novum.lab.sources.passes import passes
from novum.lab.views import curve, number, plane

NEAR = 5  # neighbors that a map is asked to keep
TIES = 2  # of them that are drawn
COLORS = 6  # along the roll
SIDE = 8  # units of the lattice
WIDTHS = tuple(round(0.05 * 1.6**k, 4) for k in range(13))  # gamma of the kernel
CITIES = {  # degrees north and east
    "Roma": (41.9, 12.5), "Paris": (48.9, 2.4), "Berlin": (52.5, 13.4), "Madrid": (40.4, -3.7), "London": (51.5, -0.1),
    "Lisboa": (38.7, -9.1), "Wien": (48.2, 16.4), "Athina": (38.0, 23.7), "Oslo": (59.9, 10.8), "Warszawa": (52.2, 21.0),
    "Dublin": (53.3, -6.3), "Stockholm": (59.3, 18.1), "Helsinki": (60.2, 24.9), "Praha": (50.1, 14.4),
    "Bucuresti": (44.4, 26.1), "Kyjiv": (50.5, 30.5), "Zagreb": (45.8, 16.0), "Bruxelles": (50.8, 4.4),
}  # fmt: skip


class Data(NamedTuple):
    """Rows of three columns, where they are drawn, their colors, and the lines that make them."""

    X: NDArray
    plane: NDArray
    color: NDArray
    code: list[str]
    names: list[str]


class Shown(NamedTuple):
    """A map of the rows after a step, and what the method looks like in the space of the rows."""

    n: int
    model: Any
    places: NDArray
    lines: list[NDArray]
    setting: float


class MapSteps(Scene):
    name = "maps"
    family = "unsupervised"
    rows = ("004/II.1/mds-named", "004/II.1/som-named", "004/II.1/principal-curves-named", "002/P1.5/kernel-pca")
    shape = Choice(("roll", "letter", "cities"), "roll")
    method = Choice(("mds", "isomap", "som", "curve", "kernel-pca"), "isomap")
    n = Slider(30, 400, 300, integer=True, hidden_when={"shape": "cities"})
    noise = Slider(0.0, 1.0, 0.0, hidden_when={"shape": "cities"})
    views = (
        plane(points="seen", classes="colors", lines="drawn", labels="names", domain="box", equal=True, linked="points"),
        number("kept", r"1 - \frac{2}{n k (2n - 3k - 1)} \sum_i \sum_{j \in U_i} ( r_{ij} - k )"),
        number("torn"),
        number("stress"),
        plane(
            id="map", points="places", classes="colors", segments="ties", labels="map_names", domain="map_box", equal=True,
            linked="points",
        ),
        curve(series=[{"value": "kept", "label": "value.kept"}, {"value": "torn", "label": "value.torn"}]),
    )  # fmt: skip

    def data(self, s: State) -> Data:
        """Return the rows that a map is made of."""
        if s.shape == "cities":
            degrees = np.array(list(CITIES.values()))
            north, east = np.radians(degrees).T
            X = np.column_stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)]) * 6.371
            code = [
                f"north, east = np.radians(np.array({literal(degrees)})).T",
                "X = np.column_stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)]) * 6.371",
            ]
            return Data(X.round(3), degrees[:, ::-1], np.zeros(len(X), int), [*code, "X = X.round(3)"], list(CITIES))
        path = "sklearn.datasets.make_swiss_roll" if s.shape == "roll" else "sklearn.datasets.make_s_curve"
        scale = 5.0 if s.shape == "roll" else 1.0
        call = Call(path, s.n, noise=s.noise * scale / 5, random_state=s.seed)
        X, along = call()
        X = (X / scale).round(3)
        rank = np.argsort(np.argsort(along))
        code = [call.imports, f"X, _ = {call.code}", f"X = (X / {scale!r}).round(3)"]
        return Data(X, X[:, [0, 2]], rank * COLORS // len(X), code, [])

    def model(self, s: State, n: int) -> Any:
        """Return the estimator of a method; of those without passes, with the setting of step n."""
        from novum.decomposition import KernelPCA
        from novum.manifold import MDS, Isomap, PrincipalCurve, SelfOrganizingMap

        match s.method:
            case "mds":
                return MDS(init="random", n_init=1, random_state=s.seed)
            case "som":
                return SelfOrganizingMap(SIDE, SIDE, random_state=s.seed)
            case "curve":
                return PrincipalCurve(span=0.15)
            case "isomap":
                return Isomap(n_neighbors=n)
        return KernelPCA(2, kernel="rbf", gamma=WIDTHS[n])

    def steps(self, s: State, X: NDArray) -> Iterator[Shown]:
        """Yield the maps of a method."""
        if s.method in ("isomap", "kernel-pca"):
            for n in range(3, 13) if s.method == "isomap" else range(len(WIDTHS)):
                model = self.model(s, n)
                yield Shown(n, model, model.fit_transform(X), [], n if s.method == "isomap" else WIDTHS[n])
            return
        for step in passes(self.model(s, 0), X):
            model, lines = step.fitted, []
            if s.method == "mds":
                places = model.embedding_
            elif s.method == "som":
                places = model.positions_[model.predict(X)]
                units = model.units_.reshape(SIDE, SIDE, -1)
                lines = [*units, *units.transpose(1, 0, 2)]
            else:
                arc = model.transform(X)[:, 0]
                places, lines = np.column_stack([arc, np.zeros(len(X))]), [model.curve_]
            yield Shown(step.n, model, places, lines, step.n)

    def frames(self, s: State) -> Iterator[Frame]:
        from novum.manifold import trustworthiness
        from novum.neighbors import NearestNeighbors

        data = self.data(s)
        X = data.X
        _, near = NearestNeighbors(n_neighbors=TIES).fit(X).kneighbors()
        pairs = [(i, int(j)) for i in range(len(X)) for j in near[i]]
        role, before = "now" if s.method == "curve" else "faint", None
        for step in self.steps(s, X):
            Z = step.places
            kept, torn = trustworthiness(X, Z, n_neighbors=NEAR), trustworthiness(Z, X, n_neighbors=NEAR)
            drawn = {
                "seen": data.plane,
                "colors": data.color,
                "drawn": [{"p": self.projected(s, line).tolist(), "role": role} for line in step.lines],
                "box": box_of(data.plane),
                "names": [[*place, name] for place, name in zip(data.plane.tolist(), data.names)],
                "places": Z,
                "ties": np.array([[*Z[i], *Z[j]] for i, j in pairs]),
                "map_box": box_of(Z),
                "map_names": [[*place, name] for place, name in zip(Z.tolist(), data.names)],
            }
            values: dict[str, float | None] = {"kept": float(kept), "torn": float(torn), "stress": None}
            if s.method == "mds":
                values["stress"] = stress_of(step.model)
            key = {"isomap": "neighbors", "kernel-pca": "kernel"}.get(s.method, "start" if step.n == 0 else "passed")
            change = 0.0 if before is None else float(kept - before)
            before = kept
            said = {"n": step.n, "setting": step.setting, "kept": float(kept), "torn": float(torn), "by": change}
            yield Frame(step.n, values, drawn, (key, said))

    def projected(self, s: State, line: NDArray) -> NDArray:
        """Return points of the space where the rows are drawn."""
        if s.shape != "cities":
            return line[:, [0, 2]].round(4)
        reach = np.maximum(np.sqrt((line**2).sum(axis=1)), 1e-9)
        return np.degrees(np.column_stack([np.arctan2(line[:, 1], line[:, 0]), np.arcsin(line[:, 2] / reach)])).round(4)

    def script(self, s: State, n: int, part: str) -> str:
        model = self.model(s, n)
        module = ".".join(type(model).__module__.split(".")[:2])
        lines = [*self.data(s).code, f"from {module} import {type(model).__name__}"]
        if s.method in ("isomap", "kernel-pca"):
            lines.append(f"Z = {code_of(model)}.fit_transform(X)")
        else:
            lines += [
                "from novum.base.passes import PassRecorder",
                f"frames = PassRecorder(stop_at={max(n, 1)})",
                f"{code_of(model)}.set_callbacks(frames).fit(X)",
                f"model = frames[{n}].model",
                {
                    "mds": "Z = model.embedding_",
                    "som": "Z = model.positions_[model.predict(X)]",
                    "curve": "Z = np.column_stack([model.transform(X)[:, 0], np.zeros(len(X))])",
                }[s.method],
            ]
        lines += [
            "from novum.manifold import trustworthiness",
            f"print(float(trustworthiness(X, Z, n_neighbors={NEAR})))",
        ]
        return python_script(lines)


def stress_of(model: Any) -> float:
    """Return the sum of squared differences between distances on a map and those that it is to show."""
    from novum.neighbors import pairwise_distances

    return float(((pairwise_distances(model.embedding_) - model.dissimilarity_matrix_) ** 2).sum() / 2)


def box_of(points: NDArray) -> list[list[float]]:
    """Return the sides of a picture that holds all points."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.maximum(0.08 * (high - low), 0.05 * float((high - low).max()) + 1e-9)
    return np.column_stack([low - room, high + room]).tolist()
