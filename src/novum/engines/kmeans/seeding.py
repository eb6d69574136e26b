"""Where k-means starts: rows drawn far apart (k-means++) or at random, from numbers that depend on the seed alone.

    D(x)^2 = min_j |x - c_j|^2 over the centers chosen so far
    next candidate: row i with probability w_i D(x_i)^2 / sum w D^2                                   (9)
    of 2 + log k candidates, the one that lowers sum w D^2 most                                       (10)

(9) alone is within 8 (log k + 2) of the best objective in expectation (Arthur and Vassilvitskii 2007); (10) does better in
practice. In memory all rows take part. Data that are read in passes (files, Dask) or live on a GPU (`device_seeding`) are first
sampled without replacement by keys (novum.runtime.random), so that k centers do not cost k passes.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.engines.kmeans import assignment
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import ArrayTiles, MemorySource
from novum.runtime import arrays as _array
from novum.runtime.random import Stream

__all__ = ["Seeds", "plus_plus", "random_rows", "rows_at_hand", "seeds_in_block"]

SAMPLE_ROWS, SAMPLE_PER_CENTER = 2**16, 64  # rows that stand for data read in passes: enough to see clusters of 1/1000


class Seeds(NamedTuple):
    centers: NDArray  # (k, d) float64
    rows: NDArray  # (k,): where they are in the data


class Chosen(NamedTuple):
    """Centers chosen so far, and candidates for the next."""

    centers: NDArray  # (j, d)
    candidates: NDArray  # (m, d)
    run: int
    scale: float  # a power of two that brings squared distances near one
    last: int = 0  # which of the candidates before became the last center


class SeedingMemory(NamedTuple):
    """What a block remembers while centers are chosen."""

    run: int
    taken: int  # centers that `square` knows of
    square: NDArray  # (rows,): D^2
    owner: NDArray  # (rows,) int32: the center it belongs to
    potential: float  # sum of w D^2
    trial: NDArray  # (m, rows): squared distances to the candidates tried last
    tried: bool  # whether `trial` is of the centers taken so far


class Potentials(NamedTuple):
    """Results of the blocks, side by side."""

    values: list


class SampledRows(NamedTuple):
    """Rows with the smallest keys."""

    key: NDArray  # (m,)
    row: NDArray  # (m,)
    x: NDArray  # (m, d)


class Sampling(NamedTuple):
    stream: Stream
    purpose: str
    run: int
    size: int


def block_draw(sampling: Sampling, block: Block) -> SampledRows:
    """Return the rows of one block with the smallest keys; rows without weight are never drawn."""
    weight = None if block.weight is None else _array.to_numpy(block.weight)
    rows = range(block.start, block.start + block.X.shape[0])
    keys = sampling.stream.keys(sampling.purpose, sampling.run, rows, weight)
    size = min(sampling.size, block.X.shape[0])
    smallest = np.argpartition(keys, size - 1)[:size] if size else np.arange(0)
    smallest = smallest[np.isfinite(keys[smallest])]
    smallest = smallest[np.lexsort((smallest, keys[smallest]))]
    return SampledRows(keys[smallest], block.start + smallest, assignment.take_rows(block.X, smallest))


def merge_drawn(size: int, a: SampledRows, b: SampledRows) -> SampledRows:
    """Return the `size` smallest keys of two blocks."""
    both = SampledRows(*(np.concatenate(pair) for pair in zip(a, b)))
    smallest = np.lexsort((both.row, both.key))[:size]
    return SampledRows(*(field[smallest] for field in both))


def random_rows(source: Source, k: int, stream: Stream, run: int, purpose: str = "kmeans random") -> Seeds:
    """Return k different rows, drawn in turn with probability proportional to weight; fewer if fewer have weight."""
    drawn = source.total(block_draw, Sampling(stream, purpose, run, k), partial(merge_drawn, k))
    order = np.lexsort((drawn.row, drawn.key))  # of a single block nothing was merged, so nothing sorted
    return Seeds(drawn.x[order], drawn.row[order])


def rows_at_hand(source: Source, k: int, stream: Stream, run: int) -> MemorySource:
    """Return the source itself if it is in memory, else a sample of its rows that is."""
    if source.at_hand:
        return source  # type: ignore[return-value]
    size = max(SAMPLE_ROWS, SAMPLE_PER_CENTER * k)
    drawn = random_rows(source, size, stream, run, "kmeans sample")
    order = np.argsort(drawn.rows)
    return MemorySource(ArrayTiles(drawn.centers[order].astype(source.dtype)))


def block_state(chosen: Chosen, block: Block) -> SeedingMemory:
    """Return the state of a block, up to date with the chosen centers."""
    assert block.memory is not None
    state: SeedingMemory | None = block.memory.get("seeding")
    count = len(chosen.centers)
    if state is None or state.run != chosen.run or state.taken > count:
        n = block.X.shape[0]
        state = SeedingMemory(
            chosen.run, 0, np.empty(n, block.X.dtype), np.zeros(n, np.int32), 0.0, np.empty((0, n)), False
        )
    if state.taken < count:
        potential = absorb(chosen, block, state)
        state = state._replace(taken=count, potential=potential, tried=False)
        block.memory["seeding"] = state
    return state


def absorb(chosen: Chosen, block: Block, state: SeedingMemory) -> float:
    """Bring the squared distances up to date with centers they do not know, return sum w D^2."""
    centers, taken, square = chosen.centers, state.taken, state.square
    if state.tried and taken == len(centers) - 1:
        return _core.kmeans.seeding.adopt(state.trial[chosen.last], block.weight, taken, square, state.owner)
    if not scipy.sparse.issparse(block.X):
        return _core.kmeans.seeding.absorb(block.X, block.weight, centers, taken, square, state.owner, chosen.scale)
    for j in range(taken, len(centers)):
        distance = sparse_square(centers[j], chosen.scale, block).astype(square.dtype)
        np.copyto(square, distance if j == 0 else np.minimum(square, distance))
    return weighted_sum(square, block)


def sparse_square(center: NDArray, scale: float, block: Block) -> NDArray:
    """Return the squared distance of every row to one center, scaled."""
    return assignment.distances(center[None], block, np.zeros(block.X.shape[0], np.int32)) * scale**2


def weighted_sum(values: NDArray, block: Block) -> float:
    """Return sum w v."""
    return float(values.sum(dtype=np.float64) if block.weight is None else values.astype(np.float64) @ block.weight)


def block_potential(chosen: Chosen, block: Block) -> Potentials:
    """Return sum w D^2 of one block."""
    return Potentials([block_state(chosen, block).potential])


def block_gains(chosen: Chosen, block: Block) -> Potentials:
    """Return by how much every candidate would lower sum w D^2 of one block."""
    assert block.memory is not None
    state = block_state(chosen, block)
    gain = np.zeros(len(chosen.candidates))
    if scipy.sparse.issparse(block.X):
        for m, candidate in enumerate(chosen.candidates):
            square = sparse_square(candidate, chosen.scale, block).astype(state.square.dtype)
            gain[m] = weighted_sum(np.maximum(state.square.astype(np.float64) - square, 0.0), block)
    else:
        trial = state.trial
        if len(trial) != len(gain):
            trial = np.empty((len(gain), block.X.shape[0]), state.square.dtype)
        arrays = (state.square, state.owner, chosen.scale, gain, trial)
        _core.kmeans.seeding.gains(block.X, block.weight, chosen.centers, chosen.candidates, *arrays)
        block.memory["seeding"] = state._replace(trial=trial, tried=True)
    return Potentials([gain])


def potentials(source: MemorySource, chosen: Chosen) -> NDArray:
    """Return sum w D^2 of every block."""
    return np.array(source.total(block_potential, chosen).values)


def unit_of(block: Block, center: NDArray) -> float:
    """Return the power of two that brings distances between the rows of a block and `center` near one."""
    far = largest_difference(center, block)
    exponent = -int(np.frexp(far)[1]) if np.isfinite(far) else 0
    most = np.finfo(block.X.dtype).maxexp - 2
    return float(np.ldexp(1.0, max(-most, min(most, exponent))))


def largest_difference(center: NDArray, block: Block) -> float:
    """Return the largest difference in a coordinate between the rows of a block and a center, or zero."""
    if scipy.sparse.issparse(block.X):
        return float(max(np.abs(block.X.data).max(initial=0.0), np.abs(center).max(initial=0.0)))
    return float(np.abs(block.X - center.astype(block.X.dtype)).max(initial=0.0))


def locate(source: MemorySource, chosen: Chosen, parts: NDArray, targets: NDArray) -> tuple[NDArray, NDArray]:
    """Return the rows at which the cumulative sum of w D^2 passes `targets`, and their numbers."""
    edges = np.cumsum(parts)
    where = np.minimum(np.searchsorted(edges, targets, side="right"), np.flatnonzero(parts)[-1])
    rows = np.empty(len(targets), np.int64)
    found = np.empty((len(targets), source.n_features))
    for index in np.unique(where):
        block = source.block(int(index))
        here = np.flatnonzero(where == index)
        rest, inside = targets[here] - (edges[index - 1] if index else 0.0), np.empty(len(here), np.int64)
        _core.kmeans.seeding.locate(block_state(chosen, block).square, block.weight, rest, inside)
        rows[here], found[here] = block.start + inside, assignment.take_rows(block.X, inside)
    return found, rows


def drawn_row(block: Block, stream: Stream, purpose: str, round: int) -> int:
    """Return the row of a block with the smallest key, the one that `random_rows` draws."""
    return int(np.argmin(stream.keys(purpose, round, range(block.start, block.start + len(block.X)), block.weight)))


def seeds_in_block(block: Block, k: int, stream: Stream, run: int, trials: int | None = None) -> Seeds:
    """Return k rows by (9) and (10) of one dense block, all there is: those of `seeds_in_blocks` without a state between rounds."""
    trials = 2 + int(np.log(k)) if trials is None else trials
    X, weight, kernel = block.X, block.weight, _core.kmeans.seeding
    n, centers, rows = len(X), np.empty((k, X.shape[1])), np.empty(k, np.int64)
    drawn = drawn_row(block, stream, "kmeans++ first", run)
    centers[0], rows[0] = X[drawn], block.start + drawn
    scale, square, owner = unit_of(block, centers[0]), np.empty(n, X.dtype), np.zeros(n, np.int32)
    chosen, gain, trial = np.empty(trials, np.int64), np.empty(trials), np.empty((trials, n), X.dtype)
    potential = kernel.absorb(X, weight, centers[:1], 0, square, owner, scale)
    for j in range(1, k):
        if potential > 0:
            kernel.locate(square, weight, stream.uniform("kmeans++", run * k + j, trials) * potential, chosen)
        else:  # every row coincides with a center: any row will do
            chosen = np.array([drawn_row(block, stream, "kmeans++ spare", run * k + j)])
            gain, trial = gain[:1], trial[:1]
        candidates, state = X[chosen].astype(np.float64), (square, owner, scale)
        kernel.gains(X, weight, centers[:j], candidates, *state, out=gain, trial=trial)
        best = int(gain.argmax())
        centers[j], rows[j] = candidates[best], block.start + chosen[best]
        potential = kernel.adopt(trial[best], weight, j, square, owner)
    return Seeds(centers, rows)


def seeds_in_blocks(source: MemorySource, k: int, stream: Stream, run: int, trials: int | None = None) -> Seeds:
    """Return k rows by (9) and (10) of any number of blocks."""
    trials = 2 + int(np.log(k)) if trials is None else trials
    first = random_rows(source, 1, stream, run, "kmeans++ first")
    centers, rows = np.empty((k, source.n_features)), np.empty(k, np.int64)
    centers[0], rows[0] = first.centers[0], first.rows[0]
    scale, best = unit_of(source.first(), centers[0]), 0
    for j in range(1, k):
        chosen = Chosen(centers[:j], centers[:0], run, scale, best)
        parts = potentials(source, chosen)
        if parts.sum() > 0:
            targets = stream.uniform("kmeans++", run * k + j, trials) * parts.sum()
            candidates, found = locate(source, chosen, parts, targets)
        else:  # every row coincides with a center: any row will do
            candidates, found = random_rows(source, 1, stream, run * k + j, "kmeans++ spare")
        gains = np.array(source.total(block_gains, chosen._replace(candidates=candidates)).values)  # (blocks, m)
        best = int(np.argmax(gains.sum(axis=0)))
        centers[j], rows[j] = candidates[best], found[best]
    return Seeds(centers, rows)


def plus_plus(source: MemorySource, k: int, stream: Stream, run: int, trials: int | None = None) -> Seeds:
    """Return k rows by (9) and (10); `trials` candidates per center, 2 + log k if None."""
    if len(source.bounds) == 1 and not source.sparse:
        return seeds_in_block(source.first(), k, stream, run, trials)
    return seeds_in_blocks(source, k, stream, run, trials)
