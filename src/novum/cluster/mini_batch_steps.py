"""Steps of mini-batch k-means: a batch moves the centers it is nearest to; centers that win little are placed anew; when to stop.

The formulas are those of `mini_batch`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.kmeans import assignment
from novum.fold.blocks import Block
from novum.fold.homes.memory import ArrayTiles, MemorySource, SparseTiles
from novum.runtime import arrays
from novum.runtime.random import Stream

__all__ = ["BatchStopping", "Draws", "Progress", "batch_step", "dense_rows", "source_of", "throw_back", "with_weight"]

MOST_REASSIGNED = 0.5  # of the rows of a batch


class Progress(NamedTuple):
    """What a batch leaves for the next."""

    centers: NDArray  # (k, d) float64
    mass: NDArray  # (k,): weight that every center has won
    waited: int  # rows since centers that won little were thrown back


def batch_step(progress: Progress, X: Any, weight: NDArray | None, rate: float | None) -> tuple[Progress, float]:
    """Return the centers after a batch, by (1) or (2), and its inertia before."""
    if rate is not None:
        if arrays.is_sparse(X):
            X = X.toarray()
        centers, mass = progress.centers.copy(), progress.mass.copy()
        label = np.empty(len(X), np.int32)
        inertia = _core.kmeans.online.online(X, weight, float(rate), centers, mass, label)
        return progress._replace(centers=centers, mass=mass), inertia
    sums, _ = assignment.lloyd_pass(progress.centers, Block(X, weight=weight))
    origin = assignment.origin(progress.centers, X.dtype, arrays.is_sparse(X))
    mass = progress.mass + sums.mass
    share = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0)
    # sum of w (x - c) over the batch, from sums about the origin
    pull = sums.first - sums.mass[:, None] * (progress.centers - origin)
    return progress._replace(centers=progress.centers + pull * share[:, None], mass=mass), sums.inertia


def throw_back(progress: Progress, X: Any, ratio: float, keys: NDArray) -> Progress:
    """Return the progress with centers that won less than `ratio` of the largest put on rows of the batch."""
    lost = progress.mass < ratio * progress.mass.max()
    most = int(MOST_REASSIGNED * X.shape[0])
    if lost.sum() > most:
        lost[np.argsort(progress.mass)[most:]] = False
    if not lost.any():
        return progress
    centers, mass = progress.centers.copy(), progress.mass.copy()
    centers[lost] = assignment.take_rows(X, np.argsort(keys)[: lost.sum()])
    mass[lost] = mass[~lost].min()
    return progress._replace(centers=centers, mass=mass)


class BatchStopping:
    """Decides when the batches may end: (3), or centers that hardly move."""

    def __init__(self, rows: int, n: int, tol: float, patience: int | None) -> None:
        self.share, self.tol, self.patience = min(1.0, 2.0 * rows / (n + 1)), tol, patience
        self.average: float | None = None
        self.least, self.waited = np.inf, 0

    def ends(self, step: int, mean_inertia: float, moved: float) -> bool:
        """Return whether batch `step`, counted from one, was the last; the first shows the start only."""
        if step == 1:
            return False
        old = mean_inertia if self.average is None else self.average
        self.average = old * (1 - self.share) + mean_inertia * self.share
        if self.tol > 0 and moved <= self.tol:
            return True
        self.waited = 0 if self.average < self.least else self.waited + 1
        self.least = min(self.least, self.average)
        return self.patience is not None and self.waited >= self.patience


class Draws:
    """Rows drawn with replacement by weight, a batch at a time."""

    def __init__(self, stream: Stream, n: int, weight: NDArray | None) -> None:
        self.stream, self.n = stream, n
        self.edges = None if weight is None else np.cumsum(weight)

    def rows(self, step: int, size: int) -> NDArray:
        """Return the rows of a batch, in ascending order, which memory likes better."""
        u = self.stream.uniform("mini-batch", step, size)
        if self.edges is None:
            return np.sort((u * self.n).astype(np.int64))
        return np.sort(np.searchsorted(self.edges, u * self.edges[-1], side="right").clip(max=self.n - 1))


def dense_rows(X: Any) -> Any:
    """Return dense rows as the kernels take them, one after the other in memory; sparse ones as they are."""
    return X if arrays.is_sparse(X) else np.ascontiguousarray(X)


def with_weight(source: Any) -> Any:
    """Return a source without its rows of weight zero, which are never drawn."""
    if source.weight is None or (source.weight > 0).all():
        return source
    used = source.weight > 0
    return source_of(dense_rows(source.array()[used]), source.weight[used])


def source_of(X: Any, weight: NDArray | None = None) -> MemorySource:
    """Return rows in memory as a source."""
    return MemorySource(SparseTiles(X) if arrays.is_sparse(X) else ArrayTiles(X), None, weight)
