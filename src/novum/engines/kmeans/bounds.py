"""Bounds that spare a k-means pass most of its work, chosen by cost; they never change a label or a sum.

With u the exact distance of a row to the center of its last label, C the largest |c_j - origin| and E the error that
rounding may make in a score,

    E = eps (d + 8) C (5 C + u^2/C) / 2,   T = sqrt(u^2 + 4 E)                                        (5)
    skip center j  if  |x - c_j| >= T  can be proved                                                  (6)

because then its computed score is above that of the row's own center, as in a full search. Two proofs:

    groups     lower[i, g] - drift_g >= T   or   gap[label, g] >= 2 T     (Yinyang; 16 centers per group)    (7)
    neighbors  |c_label - c_j| >= 2 T  for all but the 15 nearest neighbors of c_label (few dimensions)      (8)

`lower` is private to a block: a bound below the distance to every center of the group but the row's own, plus how far the
group had moved when it was found, so it needs no update while centers drift. Proofs: docs/theory/kmeans.md.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.kmeans.assignment import ClusterSums, host, lloyd_pass
from novum.fold.blocks import Block, Source
from novum.fold.homes.team import plain_rows
from novum.runtime import arrays

__all__ = ["Guide", "Lloyd", "guided_pass", "known_labels", "next_guide", "pass_of_all", "start_guide"]

GROUP = 16  # centers per group: a vector of the kernels
FEW_DIMENSIONS = 4  # up to here 16 neighbors surround a center
WORTH_NEIGHBORS = 3000  # k (d + 3) itemsize: below, scoring all centers costs less than finding out which to score
WORTH_GROUPS = 2**13  # k d itemsize, likewise
ROWS_PER_CENTER = 8  # fewer rows than this per center: the k^2 distances between centers would cost more than they save
PROBE = 16  # while bounds do not pay, one chunk in this many goes on trying them
# Cost in nanoseconds, measured once; they choose who works, never what comes out. A pair of row and group costs its
# multiply-adds plus PAIR if it is looked up, plus SCORED in a pass over all centers; a row with bounds ROW more than one without.
MULTIPLY_ADD, SCORED, PAIR, ROW = 0.03, 1.2, 15.0, 14.0
FULL_SHARE = 0.3  # rows that must look at all centers: beyond this share neighbors do not pay


class Groups(NamedTuple):
    """What (7) needs to know of the centers."""

    order: NDArray  # (k,): centers in the order of their groups
    gap: NDArray  # (k, width) float32: below the distance from a center to the nearest other one of a group
    drift: NDArray  # (width,): how far a group has moved since the run began, at most


class Neighbors(NamedTuple):
    """What (8) needs to know of the centers."""

    nearest: NDArray  # (k, 16): a center, then its nearest others
    half: NDArray  # (k,) float32: below the distance to the nearest other center
    radius: NDArray  # (k,) float32: below the distance to all that are not in `nearest`
    found: NDArray  # (k,) float32: the radius when the neighbors were searched last


Guide = Groups | Neighbors | None


class Lloyd(NamedTuple):
    """Parameters of one pass."""

    centers: NDArray  # (k, d) float64
    run: int  # which start this descends from: bounds of another run mean nothing
    number: int  # pass within the run
    guide: Guide


class BoundsMemory(NamedTuple):
    """What a block remembers of a run."""

    run: int
    number: int  # the pass that made the labels
    label: NDArray  # (rows,) int32
    lower: NDArray | None  # (rows, width) float32
    known: int  # rows, from the first, whose bounds are kept
    new: bool = (
        False  # whether most of these bounds are still to be found: the pass that finds them is no measure of worth
    )


def start_guide(centers: NDArray, source: Source) -> Guide:
    """Return the kind of bounds that pays for data of this shape, or None; homes that reread rows, and devices, keep none."""
    (k, d), itemsize = centers.shape, source.dtype.itemsize
    if (
        source.sparse
        or source.on_device
        or source.rereads
        or source.n_rows is None
        or source.n_rows < ROWS_PER_CENTER * k
    ):
        return None
    if d <= FEW_DIMENSIONS:
        return neighborhoods(centers) if k * (d + 3) * itemsize >= WORTH_NEIGHBORS else None
    width = -(-len(range(0, k, GROUP)) // 8) * 8  # vectors of eight floats
    if k < 3 * GROUP or k * d * itemsize < WORTH_GROUPS or 4 * width > max(64, 2 * d * itemsize):
        return None
    order = np.empty(k, np.int32)
    _core.kmeans.dense.group(centers, order)
    return Groups(order, gaps(centers, order, width), np.zeros(width))


def gaps(centers: NDArray, order: NDArray, width: int) -> NDArray:
    """Return Groups.gap."""
    gap = np.empty((len(centers), width), np.float32)
    _core.kmeans.dense.gaps(centers, order, gap)
    return gap


def neighborhoods(centers: NDArray, before: NDArray | None = None, guide: Neighbors | None = None) -> Neighbors:
    """Return the neighbors of every center; those of the centers `before` are kept as long as they serve."""
    k = len(centers)
    if guide is None:
        out = Neighbors(np.empty((k, GROUP), np.int32), *np.empty((3, k), np.float32))
    else:
        out = Neighbors(*(field.copy() for field in guide))
    _core.kmeans.dense.neighborhoods(centers, before, *out)
    return out


def next_guide(guide: Guide, before: NDArray, after: NDArray) -> Guide:
    """Return the guide of the next pass, when the centers have moved."""
    if guide is None:
        return None
    if isinstance(guide, Neighbors):
        return neighborhoods(after, before, guide)
    step = np.sqrt(((after - before) ** 2).sum(axis=1)) * (1 + 1e-12)  # never below the true distance
    width = guide.gap.shape[1]
    farthest = np.zeros(width)
    np.maximum.at(farthest, np.arange(len(after)) // GROUP, step[guide.order])
    return Groups(guide.order, gaps(after, guide.order, width), guide.drift + farthest)


def guided_pass(params: Lloyd, block: Block) -> ClusterSums:
    """Return the statistics of one block, using and renewing what it remembers."""
    memory = block.memory
    if memory is None:
        return lloyd_pass(params.centers, block)[0]
    state: BoundsMemory | None = memory.get("kmeans")
    if state is not None and (state.run != params.run or len(state.label) != block.rows):
        state = None
    if state is None or params.guide is None or arrays.is_sparse(block.X):
        sums, label = lloyd_pass(params.centers, block)
        memory["kmeans"] = BoundsMemory(params.run, params.number, label, None, 0)
        return sums
    X, weight = host(block.X), host(block.weight)
    label = state.label
    first, mass = np.zeros(params.centers.shape), np.zeros(len(params.centers))
    if isinstance(params.guide, Neighbors):
        known = state.known or block.rows
        inertia, looked = _core.kmeans.dense.neighbor_step(
            X, weight, params.centers, *params.guide[:3], label=label, known=known, sums=first, mass=mass
        )
        known = block.rows if looked <= FULL_SHARE * known else probe_rows(X)
        memory["kmeans"] = BoundsMemory(params.run, params.number, label, None, known)
        return ClusterSums(first, mass, inertia)
    lower, known = state.lower, state.known
    if lower is None:
        lower, known = unknown(block.rows, params.guide), probe_rows(X)
    inertia, looked = _core.kmeans.dense.grouped_step(
        X, weight, params.centers, *params.guide, label=label, lower=lower, known=known, sums=first, mass=mass
    )
    pays = state.new or groups_pay(looked / known, params.centers, X.dtype.itemsize)
    grows = pays and known < block.rows
    if grows:
        lower[known:] = unknown(block.rows - known, params.guide)
        known = block.rows
    elif not pays:
        known = probe_rows(X)
    memory["kmeans"] = BoundsMemory(params.run, params.number, label, lower, known, grows)
    return ClusterSums(first, mass, inertia)


def pass_of_all(source: Source, params: Lloyd) -> ClusterSums | None:
    """Return the statistics of all rows by one call, or None where they go block by block: with bounds, each on its own."""
    if params.guide is not None:
        return None
    k, d = params.centers.shape
    sums = np.empty(1 + k + k * d)
    rows = plain_rows(source, len(sums))
    if rows is None:
        return None
    before: BoundsMemory | None = rows.memories[0].get("kmeans")
    label = None if before is None else before.label.base  # that of the pass before is not needed any more
    if label is None or label.shape != (len(rows.X),):
        label = np.empty(len(rows.X), np.int32)
    with rows.team() as team:
        _core.kmeans.dense.step_blocks(team, rows.step, rows.X, params.centers, label, sums)
    for block, memory in enumerate(rows.memories):
        labels = label[block * rows.step : (block + 1) * rows.step]
        memory["kmeans"] = BoundsMemory(params.run, params.number, labels, None, 0)
    return ClusterSums(sums[1 + k :].reshape(k, d), sums[1 : 1 + k].copy(), float(sums[0]))


def unknown(rows: int, guide: Groups) -> NDArray:
    """Return bounds that say nothing: minus infinity, plus infinity for the padding."""
    lower = np.full((rows, guide.gap.shape[1]), -np.inf, np.float32)
    lower[:, -(-len(guide.order) // GROUP) :] = np.inf
    return lower


def probe_rows(X: NDArray) -> int:
    """Return how many rows of a block try bounds that do not pay at present: whole chunks of the kernels."""
    chunk = _core.kmeans.dense.chunk_rows(X.shape[1], X.dtype.itemsize)
    chunks = -(-X.shape[0] // chunk)
    return min(X.shape[0], -(-chunks // PROBE) * chunk)


def groups_pay(looked: float, centers: NDArray, itemsize: int) -> bool:
    """Return whether looking at so many groups per row costs less than scoring all centers."""
    k, d = centers.shape
    pair = GROUP * d * MULTIPLY_ADD * itemsize / 16
    return ROW + looked * (pair + PAIR) < -(-k // GROUP) * (pair + SCORED)


def known_labels(params: Lloyd, block: Block) -> Any:
    """Return the labels of the pass `params`, if the block remembers them, else None."""
    state: BoundsMemory | None = None if block.memory is None else block.memory.get("kmeans")
    if state is None or (state.run, state.number, len(state.label)) != (params.run, params.number, block.rows):
        return None
    return state.label
