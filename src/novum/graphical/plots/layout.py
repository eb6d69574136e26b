r"""Where to put the nodes of a graph on paper.

Directed graphs in layers (Sugiyama, Tagawa and Toda 1981): the layer of a node is the longest way to it from a root (17), roots
move down next to their first child; arcs over several layers get a point in each; the order within a layer follows the mean
place of the neighbors in the layer before (18), down and up, and the order with fewest crossings is kept; coordinates are drawn
towards the mean of the neighbors as far as the widths of the boxes let them: a monotone regression (19).

Undirected graphs so that distances on paper are like those along edges, d_ij: sum_ij (|p_i - p_j| - d_ij)^2 / d_ij^2 is made
small by majorization (20) (Gansner, Koren and North 2004). Nothing is random.
"""

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Layout", "layered_layout", "spring_layout"]

GAP = (0.35, 0.55)  # inches between boxes, across and down
ORDER_SWEEPS, PLACE_SWEEPS = 12, 24  # both settle after a few
STRESS_STEPS, SETTLED = 300, 1e-4  # of an edge: nobody sees it
STRAIGHT = 0.12  # inches beside a line that may be overlooked: less than half a gap

Array = NDArray[np.float64]
Point = tuple[float, float]


class Layout(NamedTuple):
    """Centers of the boxes in inches, y upwards, and the points that arcs over several layers pass."""

    at: dict[Any, Point]
    via: dict[tuple[Any, Any], list[Point]]


def layers_of(parents: Mapping[Any, Sequence[Any]], order: Sequence[Any]) -> dict[Any, int]:
    """Return (17)."""
    layer: dict[Any, int] = {}
    for node in order:
        layer[node] = max((layer[p] + 1 for p in parents[node]), default=0)
    first: dict[Any, int] = {}
    for node in order:
        for parent in parents[node]:
            first[parent] = min(first.get(parent, layer[node]), layer[node])
    return {node: first.get(node, 1) - 1 if not parents[node] else layer[node] for node in order}


def crossings(upper: Sequence[Any], lower: Sequence[Any], above: Mapping[Any, Sequence[Any]]) -> int:
    place = {node: i for i, node in enumerate(upper)}
    seen: list[int] = []
    total = 0
    for node in lower:
        ends = sorted(place[p] for p in above[node])
        total += sum(len(seen) - bisect_right(seen, end) for end in ends)
        for end in ends:
            insort(seen, end)
    return total


def order_rows(rows: list[list[Any]], above: dict[Any, list[Any]], below: dict[Any, list[Any]]) -> list[list[Any]]:
    """Return the rows with few crossings, by (18)."""

    def score(found: list[list[Any]]) -> int:
        return sum(crossings(up, down, above) for up, down in pairwise(found))

    best, least = [list(row) for row in rows], score(rows)
    for sweep in range(ORDER_SWEEPS):
        if not least:
            break
        down = sweep % 2 == 0
        near = above if down else below
        for i in range(1, len(rows)) if down else range(len(rows) - 2, -1, -1):
            place = {node: j for j, node in enumerate(rows[i - 1 if down else i + 1])}
            now = {node: j for j, node in enumerate(rows[i])}
            mean = {n: sum(place[m] for m in near[n]) / len(near[n]) if near[n] else now[n] for n in rows[i]}
            rows[i].sort(key=mean.__getitem__)
        if (found := score(rows)) < least:
            best, least = [list(row) for row in rows], found
    return best


def nearest_places(wanted: Array, width: Array, weight: Array) -> Array:
    """Return (19): the places nearest to those wanted at which neighboring boxes do not touch."""
    from scipy.optimize import isotonic_regression

    offset = np.concatenate([[0], np.cumsum((width[1:] + width[:-1]) / 2 + GAP[0])])
    return isotonic_regression(wanted - offset, weights=weight).x + offset


def layered_layout(
    parents: Mapping[Any, Sequence[Any]],
    order: Sequence[Any],
    sizes: Mapping[Any, Point],
    parts: Sequence[Sequence[Any]],
) -> Layout:
    """Return the layout of a directed graph; `order` is topological, `sizes` are (width, height), parts stand side by side."""
    at: dict[Any, Point] = {}
    via: dict[tuple[Any, Any], list[Point]] = {}
    left = 0.0
    layer = layers_of(parents, order)
    tall = [0.0] * (max(layer.values(), default=0) + 1)
    for node, i in layer.items():
        tall[i] = max(tall[i], sizes[node][1])
    depth = [-sum(tall[:i]) - tall[i] / 2 - i * GAP[1] for i in range(len(tall))]
    for part in parts:
        inside = set(part)
        nodes = [node for node in order if node in inside]
        rows, above, below = with_points(nodes, parents, layer)
        x = sweep_places(order_rows(rows, above, below), above, below, {n: sizes[n][0] for n in nodes})
        start = min(x[n] - sizes[n][0] / 2 for n in nodes)
        for node in nodes:
            at[node] = (x[node] - start + left, depth[layer[node]])
        for row in rows:
            for point in row:
                if point not in inside:
                    _, parent, child, i = point
                    via.setdefault((parent, child), []).append((x[point] - start + left, depth[i]))
        left = max(at[n][0] + sizes[n][0] / 2 for n in nodes) + 2 * GAP[0]
    return Layout(at, {arc: points for arc, points in via.items() if is_bent(at[arc[0]], points, at[arc[1]])})


def is_bent(start: Point, points: Sequence[Point], end: Point) -> bool:
    """Return whether some point lies beside the straight line."""
    slope = (end[0] - start[0]) / (end[1] - start[1])
    return any(abs(start[0] + slope * (y - start[1]) - x) > STRAIGHT for x, y in points)


def with_points(
    nodes: list[Any], parents: Mapping[Any, Sequence[Any]], layer: Mapping[Any, int]
) -> tuple[list[list[Any]], dict[Any, list[Any]], dict[Any, list[Any]]]:
    """Return the rows, and the neighbors above and below, with a point ("point", parent, child, layer) where an arc passes."""
    rows: list[list[Any]] = [[] for _ in range(max(layer.values(), default=0) + 1)]
    above: dict[Any, list[Any]] = {}
    below: dict[Any, list[Any]] = {}
    for node in nodes:
        rows[layer[node]].append(node)
        above.setdefault(node, [])
        below.setdefault(node, [])
    for child in nodes:
        for parent in parents[child]:
            if parent not in below:
                continue  # in another part
            last = parent
            for i in range(layer[parent] + 1, layer[child]):
                point = ("point", parent, child, i)
                rows[i].append(point)
                above[point], below[point] = [last], []
                below[last].append(point)
                last = point
            above[child].append(last)
            below[last].append(child)
    return [row for row in rows if row], above, below


def sweep_places(
    rows: list[list[Any]], above: dict[Any, list[Any]], below: dict[Any, list[Any]], width: Mapping[Any, float]
) -> dict[Any, float]:
    """Return x by (19), sweeping down and up."""
    x: dict[Any, float] = {}
    widths = [np.array([width.get(node, 0.0) for node in row]) for row in rows]
    for row, w in zip(rows, widths, strict=True):
        start = nearest_places(np.zeros(len(row)), w, np.ones(len(row)))
        x.update(zip(row, (start - start.mean()).tolist(), strict=True))
    for sweep in range(PLACE_SWEEPS):
        indices = range(len(rows)) if sweep % 2 == 0 else range(len(rows) - 1, -1, -1)
        for i in indices:
            near = [[*above[node], *below[node]] for node in rows[i]]
            wanted = np.array(
                [np.mean([x[m] for m in ms]) if ms else x[n] for n, ms in zip(rows[i], near, strict=True)]
            )
            weight = np.array([1.0 if node in width else 4.0 for node in rows[i]])  # long arcs stay straight
            x.update(zip(rows[i], nearest_places(wanted, widths[i], weight).tolist(), strict=True))
    return x


def distances(neighbors: Mapping[Any, Sequence[Any]]) -> Array:
    """Return the numbers of edges between nodes; unconnected parts are a little further apart than the widest of them."""
    place = {node: i for i, node in enumerate(neighbors)}
    d = np.full((len(place), len(place)), np.nan)
    for start, i in place.items():
        d[i, i], queue = 0, [start]
        for node in queue:
            for other in neighbors[node]:
                if np.isnan(d[i, place[other]]):
                    d[i, place[other]] = d[i, place[node]] + 1
                    queue.append(other)
    return np.where(np.isnan(d), np.nanmax(d) / 2 + 1.5, d) if d.size else d


def spring_layout(neighbors: Mapping[Any, Sequence[Any]], unit: float) -> dict[Any, Point]:
    """Return the layout (20) of an undirected graph, its long axis across; `unit` inches are one edge."""
    d = distances(neighbors)
    n = len(d)
    if n < 2:
        return dict.fromkeys(neighbors, (0.0, 0.0))
    centered = d**2 - (d**2).mean(0) - (d**2).mean(1)[:, None] + (d**2).mean()
    values, vectors = np.linalg.eigh(-centered / 2)
    p = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0))
    close = np.linalg.norm(p[:, None] - p[None], axis=2) + np.eye(n)
    if close.min() < 0.05:  # nodes at one place could never part
        angle = 2 * np.pi * np.arange(n) / n
        p = p + 0.05 * np.column_stack([np.cos(angle), np.sin(angle)])
    weight = np.divide(1, d**2, out=np.zeros_like(d), where=d > 0)
    laplacian = np.diag(weight.sum(1)) - weight
    solve = np.linalg.pinv(laplacian)
    for _ in range(STRESS_STEPS):
        z = p[:, 0] + 1j * p[:, 1]
        apart = np.abs(z[:, None] - z)
        pull = -np.divide(weight * d, apart, out=np.zeros_like(d), where=apart > 1e-9)
        np.fill_diagonal(pull, -pull.sum(1))
        following = solve @ (pull @ p)
        moved = np.abs(following - p).max()
        p = following
        if moved < SETTLED:
            break
    p = p - p.mean(0)
    p = p @ np.linalg.svd(p)[2].T
    if p[0, 0] > p[-1, 0]:  # the first node to the left
        p[:, 0] *= -1
    return {node: (float(x) * unit, float(y) * unit) for node, (x, y) in zip(neighbors, p, strict=True)}
