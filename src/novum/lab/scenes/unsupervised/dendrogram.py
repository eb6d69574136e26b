"""Hierarchical clustering: merge by merge from single rows upwards, or split by split from all rows downwards."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.lab.calls import python_script
from novum.lab.controls import Choice, Slider
from novum.lab.frames import Frame
from novum.lab.points import Points
from novum.lab.presets import BLOBS, CLOUDS, MOONS
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane, tree

LINKAGES = ("single", "complete", "average", "centroid", "ward")


class DendrogramSteps(Scene):
    name = "dendrogram"
    family = "unsupervised"
    rows = (
        *("000-c/18/agglomerative", "000-c/18/linkages", "004/II.1/dendrogram", "000-c/18/divisive"),
        "000-c/18/plot-dendrogram",
    )
    points = Points(
        "plain",
        presets={**BLOBS, **MOONS, **CLOUDS},
        n=Slider(3, 60, 24, integer=True),
        noise=Slider(0.05, 1.5, 0.4),
        limit=60,
        least=2,
    )
    method = Choice((*LINKAGES, "divisive"), "average")
    cut = Slider(0.0, 20.0, 1.5, hidden_when={"method": "divisive"})
    views = (
        plane(points="X", classes="labels", lines="hulls", marked="joined", editable=True, equal=True, linked="points"),
        number("height", r"\min_{A \ne B} d(A, B)"),
        number("clusters"),
        number("at_cut"),
        tree(nodes="nodes", form="dendrogram", cut="line", drag="cut"),
        curve(series=[{"value": "height", "label": "value.height"}]),
    )

    def frames(self, s: State) -> Iterator[Frame]:
        yield from self.splits(s) if s.method == "divisive" else self.merges(s)

    def merges(self, s: State) -> Iterator[Frame]:
        """Yield a frame per merge of the nearest two clusters."""
        from novum.cluster import linkage

        X = s.points.X
        n = len(X)
        found = linkage(X, s.method)
        children, heights = np.asarray(found)[:, :2].astype(int), np.asarray(found)[:, 2]
        colors = found.cut(height=s.cut)
        count = len(np.unique(colors))
        for t in range(n):
            labels = found.cut(n_clusters=n - t)
            joined = leaves_below(children, n, n + t - 1) if t else []
            sizes = np.bincount(labels)
            drawn = {
                "X": X,
                "labels": np.where(sizes[labels] > 1, colors, -1),
                "hulls": hulls_of(X, labels, colors, joined),
                "joined": joined,
                "nodes": nodes_of(children[:t], heights[:t], n, colors),
            }
            height = float(heights[t - 1]) if t else None
            values = {"height": height, "clusters": n - t, "at_cut": count, "line": s.cut}
            said = {"clusters": n - t, "height": height, "rows": len(joined), "cut": s.cut, "at_cut": count}
            yield Frame(t, values, drawn, ("merged" if t else "alone", said))

    def splits(self, s: State) -> Iterator[Frame]:
        """Yield a frame per split of the cluster that it helps most."""
        X = s.points.X
        for t in range(len(X)):
            model = self.divisive(s, t + 1)
            if model.n_clusters_ <= t:  # what is left are rows in one place
                return
            labels = model.labels_
            parts = [] if not t else np.flatnonzero(np.isin(labels, model.children_[0])).tolist()
            height = float(model.distances_[0]) if t else None
            drawn = {
                "X": X,
                "labels": labels,
                "hulls": hulls_of(X, labels, labels, []),
                "joined": parts,
                "nodes": nodes_of(model.children_, model.distances_, t + 1, np.arange(t + 1)),
            }
            values = {"height": height, "clusters": t + 1, "at_cut": None, "line": None}
            said = {"clusters": t + 1, "height": height, "rows": len(parts), "left": float(model.inertia_)}
            yield Frame(t, values, drawn, ("split" if t else "whole", said))

    def divisive(self, s: State, k: int) -> Any:
        from novum.cluster import DivisiveClustering

        return DivisiveClustering(k, random_state=s.seed).fit(s.points.X)

    def script(self, s: State, n: int, part: str) -> str:
        if not n:
            return python_script([s.points.code, "print(len(X))"])
        if s.method == "divisive":
            return python_script(
                [
                    s.points.code,
                    "from novum.cluster import DivisiveClustering",
                    f"model = DivisiveClustering({n + 1}, random_state={s.seed}).fit(X)",
                    "print(float(model.distances_[0]))",
                ]
            )
        return python_script(
            [
                s.points.code,
                "from novum.cluster import linkage",
                f'print(float(linkage(X, "{s.method}")[{n - 1}, 2]))',
            ]
        )


def leaves_below(children: NDArray, n: int, node: int) -> list[int]:
    """Return the rows below a node."""
    if node < n:
        return [int(node)]
    left, right = children[node - n]
    return sorted(leaves_below(children, n, int(left)) + leaves_below(children, n, int(right)))


def nodes_of(children: NDArray, heights: NDArray, n: int, colors: NDArray) -> list[dict[str, Any]]:
    """Return the forest of the merges so far: the last one active, others in the color of the cut that they lie below."""
    parent = {int(child): n + i for i, pair in enumerate(children) for child in pair}
    nodes: list[dict[str, Any]] = []
    for i in range(n + len(children)):
        node: dict[str, Any] = {"id": i, "parent": parent.get(i), "height": 0.0 if i < n else float(heights[i - n])}
        if i < n:
            node["label"] = str(i + 1)
        elif i == n + len(children) - 1:
            node["role"] = "active"
        else:
            below = {int(colors[leaf]) for leaf in leaves_below(children, n, i)}
            node |= {"role": f"class{below.pop()}"} if len(below) == 1 else {}
        nodes.append(node)
    return nodes


def hulls_of(X: NDArray, labels: NDArray, colors: NDArray, joined: list[int]) -> list[dict[str, Any]]:
    """Return an outline around every cluster of two rows or more, that of the newest one stronger."""
    lines = []
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        if len(rows) < 2:
            continue
        inside = np.unique(colors[rows])
        look: dict[str, Any] = {} if len(inside) > 1 else {"k": int(inside[0])}
        role = "now" if set(rows.tolist()) == set(joined) else "margin"
        lines.append({"p": outline(X[rows]).tolist(), "role": role, **look})
    return lines


def outline(points: NDArray) -> NDArray:
    """Return the corners of the convex hull in order, the first one again at the end (Andrew's chain)."""
    ordered = [tuple(map(float, p)) for p in np.unique(points, axis=0)]
    if len(ordered) < 3:
        return np.array([*ordered, ordered[0]])

    def half(places: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        chain: list[tuple[float, ...]] = []
        for p in places:
            while len(chain) > 1 and turn(chain[-2], chain[-1], p) <= 0:
                chain.pop()
            chain.append(p)
        return chain[:-1]

    corners = half(ordered) + half(ordered[::-1])
    return np.array([*corners, corners[0]])


def turn(a: Any, b: Any, c: Any) -> float:
    """Return twice the signed area of three points."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
