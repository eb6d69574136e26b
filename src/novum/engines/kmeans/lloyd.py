"""Lloyd's iterations as a fold: assign every row to its nearest center, move every center to the mean of its rows.

    z_i  = argmin_j |x_i - c_j|, the lowest index of equals                                           (2)
    c_j  = sum_{i: z_i = j} w_i x_i / sum_{i: z_i = j} w_i                                            (3)

A cluster that lost all its rows moves to the row that is furthest from its own center, which leaves its old cluster (as in
scikit-learn); several empty clusters take the furthest rows in turn. The iterations stop when the centers together have
moved by `tol` or less in squared distance; rows that keep their clusters leave the centers where they are, bit for bit.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.kmeans import assignment, device_passes
from novum.engines.kmeans.assignment import ClusterSums
from novum.engines.kmeans.bounds import Lloyd, guided_pass, known_labels, next_guide, pass_of_all, start_guide
from novum.fold.blocks import Block, Source
from novum.fold.engine import fold
from novum.runtime import arrays

__all__ = ["Clusters", "FarthestRows", "furthest_rows", "labels_of_block", "lloyd", "relocate", "same_clustering"]


class Clusters(NamedTuple):
    """What one run came to."""

    params: Lloyd
    inertia: float
    history: list[float]
    n_iter: int
    mass: NDArray  # (k,)


class Furthest(NamedTuple):
    """Rows far from their centers, the furthest first."""

    square: NDArray  # (m,)
    row: NDArray  # (m,): global row numbers
    x: NDArray  # (m, d)
    weight: NDArray  # (m,)
    label: NDArray  # (m,)


class FarthestRows(NamedTuple):
    params: Lloyd
    how_many: int


def furthest_rows(wanted: FarthestRows, block: Block) -> Furthest:
    """Return the rows of one block that are furthest from their centers, leaving out rows without weight."""
    label = known_labels(wanted.params, block)
    if label is None:
        label = assignment.nearest(wanted.params.centers, block)
    if not isinstance(label, np.ndarray):
        rows = device_passes.furthest(wanted.params.centers, block.X, block.weight, label, wanted.how_many)
        return Furthest(rows.square, block.start + rows.row, rows.x, rows.weight, rows.label)
    square = assignment.distances(wanted.params.centers, block, label)
    weight = np.ones(block.rows) if block.weight is None else arrays.to_numpy(block.weight)
    square = np.where(weight > 0, square, -1.0)
    top = np.lexsort((np.arange(block.rows), -square))[: wanted.how_many]
    x = assignment.take_rows(block.X, top)
    return Furthest(square[top], block.start + top, x, weight[top], arrays.to_numpy(label)[top])


def merge_furthest(count: int) -> Callable[[Furthest, Furthest], Furthest]:
    """Return the merge that keeps the `count` furthest rows; among equals the first."""

    def merge(a: Furthest, b: Furthest) -> Furthest:
        both = Furthest(*(np.concatenate(pair) for pair in zip(a, b)))
        top = np.lexsort((both.row, -both.square))[:count]
        return Furthest(*(field[top] for field in both))

    return merge


def relocate(sums: ClusterSums, origin: NDArray, far: Furthest) -> ClusterSums:
    """Return the sums after every empty cluster has taken one of the furthest rows from its cluster."""
    first, mass = sums.first.copy(), sums.mass.copy()
    if not (far.square > 0).any():
        return sums  # fewer distinct rows than clusters: nothing to take
    for empty, x, w, label, square in zip(np.flatnonzero(mass == 0), far.x, far.weight, far.label, far.square):
        if square < 0:
            break  # no more rows with weight
        first[label] -= w * (x - origin)
        mass[label] -= w
        first[empty], mass[empty] = w * (x - origin), w
    return ClusterSums(first, mass, sums.inertia)


def lloyd(
    source: Source, start: NDArray, *, run: int, tol: float, max_iter: int, report: Callable[..., Any] | None = None
) -> Clusters:
    """Repeat (2) and (3) from `start`; the centers are kept in the dtype of the data."""
    dtype, sparse = source.dtype, source.sparse
    shift = [np.inf]

    def update(params: Lloyd, sums: ClusterSums) -> Lloyd:
        origin = assignment.origin(params.centers, dtype, sparse)
        if n_empty := int((sums.mass == 0).sum()):
            far = source.total(furthest_rows, FarthestRows(params, n_empty), merge_furthest(n_empty))
            sums = relocate(sums, origin, far)
        centers, shift[0] = assignment.move(params.centers, origin, sums, dtype)
        bounded = params.guide is not None and shift[0]
        guide = next_guide(params.guide, params.centers, centers) if bounded else params.guide
        return Lloyd(centers, run, params.number + 1, guide)

    start = np.ascontiguousarray(start.astype(dtype), dtype=np.float64)
    guide = start_guide(start, source)
    statistics = assignment.plain_pass if source.rereads else guided_pass
    one_call = pass_of_all if source.joins_rows else None
    fit = fold(
        Lloyd(start, run, 0, guide),
        statistics,
        update,
        source,
        objective=lambda sums: sums.inertia,
        converged=lambda before, after, history: shift[0] <= tol,
        max_iter=max_iter,
        report=report,
        total=one_call,
    )
    if shift[0] == 0 and (fit.last.mass > 0).all():  # the last pass has seen these very centers
        params = fit.params._replace(number=fit.params.number - 1)
        return Clusters(params, fit.last.inertia, fit.history, fit.n_iter, fit.last.mass)
    last = one_call(source, fit.params) if one_call else None
    last = last or source.total(statistics, fit.params)
    return Clusters(fit.params, last.inertia, [*fit.history, last.inertia], fit.n_iter, last.mass)


def labels_of_block(params: Lloyd, block: Block) -> Any:
    """Return the labels of one block under the centers of `params`."""
    label = known_labels(params, block)
    return assignment.nearest(params.centers, block) if label is None else label


def same_clustering(a: Any, b: Any, k: int) -> bool:
    """Return whether two labellings differ by the names of the clusters alone."""
    if not isinstance(a, np.ndarray):
        pairs = (a.long() * k + b).unique()
        return len(pairs) == len(a.unique()) == len(b.unique())
    pairs = np.unique(a.astype(np.int64) * k + b)
    return len(pairs) == len(np.unique(a)) == len(np.unique(b))
