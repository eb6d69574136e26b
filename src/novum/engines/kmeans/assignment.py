"""What k-means computes on one block of rows, wherever they live: nearest centers, distances to given ones, a Lloyd pass.

Dense tiles and CSR matrices go to the compiled kernels (cpp/include/novum/kmeans/pass.h); a tensor on a processor is a dense tile
without a copy; a tensor on a GPU stays there (`device_passes`). Scores are |c|^2/2 - x.c about an origin near the centers, so data
far from zero lose no digits.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.engines.kmeans import device_passes
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import block_rows
from novum.fold.homes.team import in_short_blocks
from novum.runtime import arrays, devices

__all__ = [
    "ClusterSums",
    "all_distances",
    "distances",
    "host",
    "in_blocks",
    "lloyd_pass",
    "move",
    "nearest",
    "origin",
    "plain_pass",
    "rows_per_block",
    "take_rows",
]

# Looking a row up costs as much as reading this many of its values: blocks of narrow data hold fewer rows.
ROW_VALUES = 8
WORTH_TWO = 2**14  # rows from which on a pass gains more by a second thread than it costs to ask it


class ClusterSums(NamedTuple):
    """Statistics of one pass: what the means and the objective need."""

    first: NDArray  # (k, d): sum of w (x - origin) of every cluster
    mass: NDArray  # (k,): sum of w
    inertia: float  # sum of w |x - c|^2


def rows_per_block(n: int, d: int) -> int:
    """Return how many of n rows in memory a block holds; from some number on there are two blocks at least."""
    rows = block_rows(n, d + ROW_VALUES)
    return min(rows, -(-n // 2)) if n >= WORTH_TWO else rows


def in_blocks(source: Source) -> Source:
    """Return the source in blocks that suit k-means; a tensor on a processor is an array for it, one on a device a single block."""
    source = source.host().cut(rows_per_block)
    if source.on_device:
        return source.whole()
    return in_short_blocks(source, ROW_VALUES) if source.at_hand else source


def origin(centers: NDArray, dtype: np.dtype, sparse: bool) -> NDArray:
    """Return the point about which `lloyd_pass` sums: zero for sparse rows, else close to the centers."""
    out = np.zeros(centers.shape[1], dtype)
    if not sparse:
        _core.kmeans.dense.origin(centers, out)
    return out.astype(np.float64)


def host(X: Any) -> Any:
    """Return a tensor that lives on a processor as an array over the same memory; all else as it is."""
    if X is None or isinstance(X, np.ndarray) or not arrays.is_tensor(X) or not devices.on_host(X):
        return X
    return X.numpy()


def take_rows(X: Any, rows: NDArray) -> NDArray:
    """Return a few rows as a dense float64 array."""
    if scipy.sparse.issparse(X):
        return np.asarray(X[rows].toarray(), dtype=np.float64)
    if not isinstance(X, np.ndarray):
        return arrays.to_numpy(X[arrays.like(X, rows, "int64")]).astype(np.float64)
    return np.asarray(X[rows], dtype=np.float64)


def nearest(centers: NDArray, block: Block) -> Any:
    """Return the index of the nearest center of every row, the lowest of equals."""
    X = host(block.X)
    if arrays.is_tensor(X):
        return device_passes.labels(centers, tensor_origin(centers, X), X)
    label = np.empty(X.shape[0], np.int32)
    if scipy.sparse.issparse(X):
        _core.kmeans.sparse.nearest(X.data, X.indices, X.indptr, centers, label)
    else:
        _core.kmeans.dense.nearest(X, centers, label)
    return label


def distances(centers: NDArray, block: Block, label: Any) -> NDArray:
    """Return the squared distance of every row to the center of its label, as float64."""
    X = host(block.X)
    if arrays.is_tensor(X):
        return arrays.to_numpy(device_passes.distances(centers, X, label))
    out = np.empty(X.shape[0])
    if scipy.sparse.issparse(X):
        _core.kmeans.sparse.distances(X.data, X.indices, X.indptr, centers, label, out)
    else:
        _core.kmeans.dense.distances(X, centers, label, out)
    return out


def all_distances(centers: NDArray, block: Block) -> Any:
    """Return the distance of every row to every center, in the dtype and the home of the rows."""
    X = host(block.X)
    if arrays.is_tensor(X):
        return device_passes.all_distances(centers, tensor_origin(centers, X), X)
    if scipy.sparse.issparse(X):
        square = (X.multiply(X)).sum(axis=1).reshape(-1, 1) - 2 * (X @ centers.T) + (centers**2).sum(axis=1)
        return np.sqrt(np.maximum(np.asarray(square), 0.0)).astype(X.dtype)
    out = np.empty((X.shape[0], len(centers)), X.dtype)
    _core.kmeans.dense.all_distances(X, centers, out)
    return out


def move(centers: NDArray, origin: NDArray, sums: ClusterSums, dtype: np.dtype) -> tuple[NDArray, float]:
    """Return (3), in the dtype of the data, and by how much the centers moved, all squared distances together."""
    after = np.empty_like(centers)
    shift = _core.kmeans.dense.move(centers, origin, sums.first, sums.mass, dtype == np.float32, after)
    return after, shift


def plain_pass(params: Any, block: Block) -> ClusterSums:
    """Return the statistics of one block of a home that remembers nothing between passes."""
    return lloyd_pass(params.centers, block)[0]


def lloyd_pass(centers: NDArray, block: Block) -> tuple[ClusterSums, Any]:
    """Return the statistics of one block, and the labels they rest on."""
    X = host(block.X)
    if not isinstance(X, np.ndarray) and arrays.is_tensor(X):
        return tensor_pass(centers, block)
    label = np.empty(X.shape[0], np.int32)
    first, mass = np.zeros(centers.shape), np.zeros(len(centers))
    weight = host(block.weight)
    if scipy.sparse.issparse(X):
        inertia = _core.kmeans.sparse.step(
            X.data, column=X.indices, start=X.indptr, weight=weight, centers=centers, label=label, sums=first, mass=mass
        )
    else:
        inertia = _core.kmeans.dense.step(X, weight, centers, label, first, mass)
    return ClusterSums(first, mass, inertia), label


def tensor_origin(centers: NDArray, X: Any) -> NDArray:
    """Return the origin of a dense block whose rows are a tensor."""
    return origin(centers, arrays.dtype_of(X), False)


def tensor_pass(centers: NDArray, block: Block) -> tuple[ClusterSums, Any]:
    """Return the statistics of a block of a tensor, added up on its device in float64, and the labels there."""
    sums, label = device_passes.pass_sums(centers, tensor_origin(centers, block.X), block.X, block.weight)
    return ClusterSums(*sums), label
