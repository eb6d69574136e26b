"""Nearest neighbors: whom a query asks as k grows, what they vote, and how often the vote is wrong for rows left out."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import code_of, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import class_map
from novum.lab.points import Points
from novum.lab.presets import BLOBS, MOONS, TOUCHING, XOR
from novum.lab.scene import Scene, State
from novum.lab.views import bars, curve, number, plane

CORNERS = {  # of the unit ball of a distance that is no circle
    "manhattan": np.array([[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]]),
    "chebyshev": np.array([[1, 1], [-1, 1], [-1, -1], [1, -1], [1, 1]]),
}


class NeighborSteps(Scene):
    name = "knn"
    family = "trees"
    rows = ("000-a/3/knn-classifier", "003/4/fig-knn", "000-a/3/fig-influence")
    points = Points(
        "classes",
        presets={**BLOBS, **TOUCHING, **MOONS, **XOR},
        n=Slider(4, 2000, 150, integer=True),
        noise=Slider(0.05, 1.5, 0.8),
        classes=3,
    )
    most = Slider(1, 40, 15, integer=True)
    weights = Choice(("uniform", "distance"), "uniform")
    metric = Choice(("euclidean", "manhattan", "chebyshev"), "euclidean")
    query = Matrix(1, 2, -1e5, 1e5, default=[[0.0, 0.0]])
    views = (
        plane(
            points="X", target="y", classes="y", map="map", segments="links", circles="circle", lines="ball", marked="near",
            crosses="at", pointer="query", editable=True, equal=True, linked="points",
        ),
        number("loo", r"\frac{1}{n} \sum_i \left[ \hat{y}_{-i}(x_i) \ne y_i \right]"),
        number("k"),
        number("radius"),
        bars(values="votes", labels="names", by_class=True),
        curve(series=[{"value": "loo", "label": "value.loo"}]),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if len(s.points.X) <= s.most:
            raise Refusal(f"most={s.most}: there are {len(s.points.X)} points; add some, or ask fewer.", "most")

    def model(self, s: State, k: int) -> Any:
        from novum.neighbors import KNeighborsClassifier

        return KNeighborsClassifier(k, weights=s.weights, metric=s.metric)

    def frames(self, s: State) -> Iterator[Frame]:
        X, y, query = s.points.X, s.points.y, np.array(s.query)
        vote: Any = None
        for k in range(1, s.most + 1):
            model = self.model(s, k).fit(X, y)
            distances, near = model.kneighbors(query)
            shares = model.predict_proba(query)[0]
            before, vote = vote, model.classes_[shares.argmax()]
            radius = float(distances[0, -1])
            votes = np.zeros(3)
            votes[model.classes_] = shares
            drawn = {
                "X": X,
                "y": y,
                "at": query,
                "near": near[0].tolist(),
                "links": np.column_stack([np.repeat(query, k, axis=0), X[near[0]]]),
                "votes": votes,
                "names": ["1", "2", "3"],
                "map": class_map(model.predict, s.points.domain),
                **ball(s.metric, query[0], radius),
            }
            wrong = model.predict(None) != y
            values = {"loo": float(wrong.mean()), "k": k, "radius": radius}
            said = {"k": k, "vote": int(vote) + 1, "share": float(shares.max()), "wrong": int(wrong.sum())}
            yield Frame(k, values, drawn, ("turned" if k > 1 and vote != before else "asked", said))

    def script(self, s: State, n: int, part: str) -> str:
        return python_script(
            [
                s.points.code,
                "from novum.neighbors import KNeighborsClassifier",
                f"model = {code_of(self.model(s, n))}.fit(X, y)",
                "print(float((model.predict(None) != y).mean()))  # every row by the others",
            ]
        )


def ball(metric: str, center: NDArray, radius: float) -> dict[str, Any]:
    """Return what lies within a distance of the query, as a circle or as lines."""
    if metric == "euclidean":
        return {"circle": np.array([[*center, radius]]), "ball": []}
    corners = center + radius * CORNERS[metric]
    return {"circle": np.zeros((0, 3)), "ball": [{"p": corners.tolist(), "role": "margin"}]}
