r"""Where the inducing points of a sparse process stand, and the sample of rows that a search begins with.

The trace of K - K_nm K_mm^-1 K_mn is what the bound loses on the rows: the variance that the points leave unexplained. A pivoted
Cholesky factor takes, one after the other, the row of which most is left,

    i_j = argmax_i s_i,    v_j = (k(x_ij, X) - sum_{l<j} v_l v_l,ij) / sqrt(s_ij),    s <- s - v_j^2                       (1)

(Burt, Rasmussen and van der Wilk, 2020). It follows the kernel: columns that it does not look at are not covered, as centers of
clusters would. m points among n rows take n m^2 operations.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.kmeans.seeding import random_rows
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.gaussian_process.subset import cluster_centers
from novum.runtime import arrays
from novum.runtime.random import Stream

__all__ = ["greedy_rows", "placed_points", "sample_size", "sampled"]

SAMPLE_PER_POINT, LEAST_SAMPLE = 20, 10_000  # rows that points are chosen from, and that a search begins with
NOTHING_LEFT = 1e-10  # of the greatest variance: below, a further point would only repeat others
Array = NDArray[np.float64]


class Share(NamedTuple):
    """What a pass needs to draw rows."""

    stream: Stream
    share: float


class Subsample(NamedTuple):
    """Rows that were drawn, with their targets."""

    X: Any
    y: Any


def sample_size(n_points: int) -> int:
    """Return how many rows stand for all of them while points are chosen."""
    return max(SAMPLE_PER_POINT * n_points, LEAST_SAMPLE)


def block_part(request: Share, block: Block) -> Subsample:
    """Return the rows of a block that are drawn, whatever the blocks."""
    rows = range(block.start, block.start + block.rows)
    kept = request.stream.uniform("rows of a first search", 0, rows) < request.share
    X, y = np.asarray(arrays.to_numpy(block.X))[kept], np.asarray(arrays.to_numpy(block.y))[kept]
    return Subsample(X.astype(np.float64), y.astype(np.float64))


def joined(a: Subsample, b: Subsample) -> Subsample:
    """Return the rows of two blocks."""
    return Subsample(*(np.concatenate(pair) for pair in zip(a, b)))


def sampled(source: Source, share: float, seed: int) -> Source:
    """Return a share of the rows with their targets, in memory."""
    found = source.total(block_part, Share(Stream(seed), share), joined)
    return MemorySource(ArrayTiles(np.ascontiguousarray(found.X)), found.y, None, None)


def greedy_rows(kernel: Any, rows: Array, size: int) -> Array:
    """Return the rows of (1), at most `size`."""
    left = np.array(kernel.diag(rows), dtype=np.float64)
    enough = NOTHING_LEFT * float(left.max(initial=0.0))
    factor, chosen = np.empty((min(size, len(rows)), len(rows))), []
    for j in range(len(factor)):
        i = int(np.argmax(left))
        if not left[i] > enough:
            break
        across = np.asarray(kernel(rows[i : i + 1], rows), np.float64)[0]
        factor[j] = (across - factor[:j, i] @ factor[:j]) / np.sqrt(left[i])
        left = np.maximum(left - factor[j] ** 2, 0.0)
        left[i] = 0.0
        chosen.append(i)
    return np.ascontiguousarray(rows[chosen if chosen else [0]])


def placed_points(source: Source, by: str, size: int, kernel: Any, seed: int) -> Array:
    """Return inducing points of different places.

    `by` is "cluster", "random" or "variance"; the last takes clusters as long as the kernel is None, since points that follow a
    kernel with wrong parameters lead a search to others like them.
    """
    wanted = size if by == "random" else sample_size(size)
    drawn = random_rows(source, wanted, Stream(seed), 0, "inducing points")
    rows = np.unique(np.asarray(arrays.to_numpy(drawn.centers), np.float64), axis=0)  # equal points add nothing
    if by == "variance" and kernel is not None:
        return greedy_rows(kernel, np.ascontiguousarray(rows), size)
    if by == "random" or len(rows) <= size:
        return np.ascontiguousarray(rows)
    return np.unique(cluster_centers(rows, size, seed % (1 << 32)), axis=0)
