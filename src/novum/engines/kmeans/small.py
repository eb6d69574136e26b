"""k-means of rows that are one block in memory, as other learners start from it: all runs in one call, without a Source.

The same numbers as the fold of `seeding` and `lloyd`, bit for bit (a test compares them); what a fold does for many blocks,
bounds and homes would cost more than the kernels here. Rows that are more than a block go to the fold.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.kmeans.assignment import ClusterSums, in_blocks
from novum.engines.kmeans.bounds import Lloyd, start_guide
from novum.engines.kmeans.lloyd import FarthestRows, furthest_rows, labels_of_block, lloyd, relocate, same_clustering
from novum.engines.kmeans.seeding import plus_plus, seeds_in_block
from novum.engines.kmeans.variance import mean_variance
from novum.fold.blocks import Block
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.runtime.random import Stream

__all__ = ["best_centers"]

MAX_ITER, TOL = 300, 1e-4  # the defaults of KMeans; TOL is a share of the mean variance of the columns


class KMeansRun(NamedTuple):
    """What one run came to."""

    centers: NDArray  # (k, d)
    inertia: float
    label: NDArray  # (n,)


def best_centers(X: NDArray, k: int, seed: int, n_runs: int) -> NDArray:
    """Return the centers of the best of several runs of k-means++ and Lloyd's iterations; X is C-contiguous float64."""
    source: Any = in_blocks(MemorySource(ArrayTiles(X)))
    stream = Stream(seed)
    tol = TOL * mean_variance(source)
    small = len(source.bounds) == 1 and start_guide(X[:k], source) is None
    best: KMeansRun | None = None
    for run in range(n_runs):
        if small:
            found = run_in_block(X, seeds_in_block(Block(X), k, stream, run).centers, tol)
        else:
            found = run_in_fold(source, plus_plus(source, k, stream, run).centers, run, tol)
        if best is None or (found.inertia < best.inertia and not same_clustering(found.label, best.label, k)):
            best = found
    assert best is not None
    return best.centers


def run_in_fold(source: MemorySource, start: NDArray, run: int, tol: float) -> KMeansRun:
    """Return one run over many blocks."""
    found = lloyd(source, start, run=run, tol=tol, max_iter=MAX_ITER)
    return KMeansRun(found.params.centers, found.inertia, np.asarray(source.rows(labels_of_block, found.params)))


def run_in_block(X: NDArray, centers: NDArray, tol: float) -> KMeansRun:
    """Return one run over the rows of a block: (2) and (3) of `lloyd` from the seeds."""
    shift = np.inf
    label, sums = assigned(X, centers)
    for _ in range(MAX_ITER):
        before, origin = sums, np.zeros(X.shape[1])
        _core.kmeans.dense.origin(centers, origin)
        if empty := int((sums.mass == 0).sum()):
            sums = relocate(sums, origin, furthest_rows(FarthestRows(Lloyd(centers, -1, 0, None), empty), Block(X)))
        after = np.empty_like(centers)
        shift = _core.kmeans.dense.move(centers, origin, sums.first, sums.mass, False, after)
        centers = after
        if shift == 0 and (before.mass > 0).all():  # the last pass has seen these very centers
            break
        label, sums = assigned(X, centers)
        if shift <= tol:
            break
    return KMeansRun(centers, sums.inertia, label)


def assigned(X: NDArray, centers: NDArray) -> tuple[NDArray, ClusterSums]:
    """Return the nearest center of every row, and the sums of a pass."""
    label, first, mass = np.empty(len(X), np.int32), np.zeros(centers.shape), np.zeros(len(centers))
    inertia = _core.kmeans.dense.step(X, None, centers, label, first, mass)
    return label, ClusterSums(first, mass, inertia)
