r"""Where a mixture starts: moments under first responsibilities, by k-means, by k-means++, at random rows or at random.

As in scikit-learn "kmeans" gives every row to the nearest of the centers that k-means finds, "k-means++" and
"random_from_data" give every component one row, "random" gives every row random shares. Draws belong to rows
(novum.runtime.random), so that blocks and threads do not change them. For the start alone missing cells are filled with the mean of
their column.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians import tensors
from novum.engines.gaussians.covariance import FULL, MixtureSums, layout
from novum.engines.gaussians.density import is_complete, moments_of
from novum.engines.kmeans import assignment, device_seeding, seeding
from novum.engines.kmeans.centers import centers_of, enough, seeded_rows
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source, add
from novum.runtime import arrays, devices
from novum.runtime.random import Stream

__all__ = ["INIT", "Filled", "column_means", "filled_source", "fold_moments", "start_sums"]

INIT = ("kmeans", "k-means++", "random", "random_from_data")


class Columns(NamedTuple):
    """Sums over the observed cells of every column, about a shift."""

    weight: NDArray  # (d,)
    total: NDArray  # (d,)
    gaps: int


class Filling(NamedTuple):
    fill: NDArray  # (d,)
    function: Callable
    params: Any


class Nearest(NamedTuple):
    """Every row to the nearest of some centers."""

    layout: int
    centers: NDArray  # (k, d)


class Shares(NamedTuple):
    """Every row in random shares."""

    layout: int
    shift: NDArray  # (k, d)
    stream: Stream
    run: int


def column_sums(shift: NDArray, block: Block) -> Columns:
    """Return the sums over observed cells of one block."""
    if arrays.is_tensor(block.X) and not devices.on_host(block.X):
        return Columns(*tensors.observed_sums(block.X, block.weight, shift))
    X = arrays.double(arrays.to_numpy(block.X)) - shift
    weight = np.ones(len(X)) if block.weight is None else arrays.to_numpy(block.weight)
    used = weight > 0
    X, weight = X[used], weight[used]
    seen = ~np.isnan(X)
    return Columns(weight @ seen, weight @ np.where(seen, X, 0.0), int((~seen).sum()))


def column_means(source: Source) -> tuple[NDArray, int]:
    """Return the mean of every column's observed cells, and the number of missing ones."""
    first = column_sums(np.zeros(source.n_features), source.first())
    shift = first.total / np.maximum(first.weight, 1e-300)
    sums = source.total(column_sums, shift)
    if (sums.weight == 0).any():
        j = int(np.flatnonzero(sums.weight == 0)[0])
        raise DataError(f"column {j} of X has no observed value; a mixture can learn nothing of it: leave it out.")
    return shift + sums.total / sums.weight, sums.gaps


def apply_filled(filling: Filling, block: Block) -> Any:
    """Return a function of the block with its missing cells filled."""
    X = block.X
    if not is_complete(block):
        if arrays.is_tensor(X):
            X = X.where(~X.isnan(), arrays.like(X, filling.fill))
        else:
            X = np.where(np.isnan(X), filling.fill.astype(X.dtype), X)
    memory = None if block.memory is None else block.memory.setdefault("filled", {})
    return filling.function(filling.params, block._replace(X=X, memory=memory))


class Filled(Source):
    """A source whose missing cells are filled with a value per column, block by block."""

    def __init__(self, source: Source, fill: NDArray) -> None:
        self.source, self.fill = source, fill
        self.n_features, self.n_rows, self.dtype = source.n_features, source.n_rows, source.dtype
        self.names, self.home = source.names, source.home
        self.lists_rows, self.rereads = source.lists_rows, source.rereads

    def total(self, statistics: Any, params: Any = None, merge: Any = add) -> Any:
        return self.source.total(apply_filled, Filling(self.fill, statistics, params), merge)

    def rows(self, function: Any, params: Any = None) -> Any:
        return self.source.rows(apply_filled, Filling(self.fill, function, params))

    def first(self) -> Any:
        return apply_filled(Filling(self.fill, lambda _, block: block, None), self.source.first())

    def map_target(self, function: Any) -> Any:
        return Filled(self.source.map_target(function), self.fill)


def gaps_of(_: None, block: Block) -> Columns:
    """Return whether a block has missing cells, as a number."""
    return Columns(np.zeros(0), np.zeros(0), 0 if is_complete(block) else 1)


def filled_source(source: Source) -> Source:
    """Return the source itself if nothing is missing, else one whose missing cells are filled with their column's mean."""
    if source.total(gaps_of).gaps == 0:
        return source
    mean, _ = column_means(source)
    return Filled(source, mean)


def nearest_moments(params: Nearest, block: Block) -> MixtureSums:
    """Return the moments of one block with every row at its nearest center, about the centers."""
    found = assignment.nearest(params.centers, block)
    if arrays.is_tensor(found) and not devices.on_host(found):
        member = arrays.one_hot(block.X, found, len(params.centers))
        return moments_of(params.layout, member, params.centers, block)
    which = arrays.to_numpy(found)
    member = np.zeros((block.rows, len(params.centers)))
    member[np.arange(block.rows), which] = 1.0
    return moments_of(params.layout, member, params.centers, block)


def shared_moments(params: Shares, block: Block) -> MixtureSums:
    """Return the moments of one block with random responsibilities."""
    rows = range(block.start, block.start + block.rows)
    share = params.stream.uniform("mixture random", params.run, rows, len(params.shift))
    return moments_of(params.layout, share / share.sum(axis=1, keepdims=True), params.shift, block)


def everything(shift: NDArray, block: Block) -> MixtureSums:
    """Return the moments of all rows of one block together."""
    one = arrays.ones(block.X, block.rows, 1) if arrays.is_tensor(block.X) else np.ones((block.rows, 1))
    return moments_of(FULL, one, shift[None], block)


def fold_moments(source: Source) -> tuple[float, NDArray, NDArray]:
    """Return the weight, the mean and the scatter about the mean of all rows; `source` has no missing cells."""
    shift, _ = column_means(source)
    sums = source.total(everything, shift)
    offset = sums.first[0] / sums.mass[0]
    return float(sums.mass[0]), shift + offset, sums.second[0] - sums.mass[0] * np.outer(offset, offset)


def point_sums(kind: int, k: int, d: int) -> MixtureSums:
    """Return the moments of components that have one row each, about those rows."""
    second = np.zeros({0: (k, d, d), 1: (d, d), 2: (k, d)}[kind])
    return MixtureSums(np.ones(k), np.zeros((k, d)), second, 0.0, 0.0, float(k))


def start_sums(
    how: str, form: str, source: Source, k: int, stream: Stream, run: int, owner: str
) -> tuple[MixtureSums, NDArray]:
    """Return first moments and the points they are about; `source` has no missing cells."""
    kind, d = layout(form), source.n_features
    if how == "kmeans":
        seed = int(stream.integers("mixture k-means", run, 1, 2**31)[0])
        centers = centers_of(source, k, seed, owner)
        return source.total(nearest_moments, Nearest(kind, centers)), centers
    if how == "random":
        mean, _ = column_means(source)
        shift = np.ascontiguousarray(np.broadcast_to(mean, (k, d)))
        return source.total(shared_moments, Shares(kind, shift, stream, run)), shift
    if how == "k-means++":
        rows = seeded_rows(source, k, stream, run, owner)
    else:
        draw = device_seeding.random_rows if source.on_device else seeding.random_rows
        rows = enough(draw(source, k, stream, run, "mixture rows").centers, k, owner)
    return point_sums(kind, k, d), np.ascontiguousarray(rows, np.float64)
