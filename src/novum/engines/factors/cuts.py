r"""Numbers cut into a few states: by what they say about the class, or into parts of equal weight.

    a cut of a set S of N rows with k classes into S1, S2 is kept if (Fayyad and Irani 1993)
    H(S) - sum_i N_i/N H(S_i)  >  [log2(N - 1) + log2(3^k - 2) - k H(S) + sum_i k_i H(S_i)] / N                      (1)
    the best one is taken, and both parts are cut further; k_i: classes in S_i, H in bits
    parts of equal weight: a cut after the least value below which lies a share q of the weight, q = 1/m, ..., (m-1)/m   (2)

Cuts lie midway between values that occur. Weights count as repetitions.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["entropy_cuts", "quantile_cuts", "state_of"]

Array = NDArray[np.float64]


def bits(counts: Array) -> Array:
    """Return the entropy in bits of every row of counts."""
    mass = counts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log2(counts / mass[..., None]), 0.0)
        return np.where(mass > 0, -terms.sum(axis=-1) / mass, 0.0)


def class_counts(column: Array, code: NDArray[Any], k: int, weight: Array) -> tuple[Array, Array]:
    """Return the values that occur, sorted, and their weight by class; cells that are missing are left out."""
    seen = ~np.isnan(column)
    values, place = np.unique(column[seen], return_inverse=True)
    counts = np.bincount(place.ravel() * k + code[seen], weight[seen], len(values) * k).reshape(len(values), k)
    return values, counts.astype(np.float64)


def midway(values: Array, after: NDArray[Any]) -> Array:
    """Return cuts midway between the values at `after` and the next ones; where halves round up, the lower value itself."""
    low, high = values[after], values[after + 1]
    middle = low + (high - low) / 2
    return np.where((middle >= low) & (middle < high), middle, low)


def entropy_cuts(column: Array, code: NDArray[Any], k: int, weight: Array) -> Array:
    """Return the cuts of (1)."""
    values, counts = class_counts(column, code, k, weight)
    found, open_parts = [], [(0, len(values))]
    while open_parts:
        begin, end = open_parts.pop()
        if end - begin < 2:
            continue
        below = np.cumsum(counts[begin:end], axis=0)
        total, below = below[-1], below[:-1]
        above = np.cumsum(counts[begin:end][:0:-1], axis=0)[::-1]  # no difference of weights that are nearly equal
        n = total.sum()
        if n < 2:
            continue
        h, low, high = float(bits(total)), bits(below), bits(above)
        gain = h - (below.sum(axis=1) * low + above.sum(axis=1) * high) / n
        at = int(np.argmax(gain))
        present, left, right = ((one > 0).sum() for one in (total, below[at], above[at]))
        splits = present * np.log2(3) + np.log2(1 - 2 * 3.0 ** -float(present))  # log2(3^k - 2), also for many classes
        rest = splits - present * h + left * low[at] + right * high[at]
        if gain[at] > (np.log2(n - 1) + rest) / n:
            found.append(begin + at)
            open_parts += [(begin, begin + at + 1), (begin + at + 1, end)]
    return midway(values, np.sort(np.array(found, dtype=np.intp)))


def quantile_cuts(column: Array, weight: Array, m: int) -> Array:
    """Return the cuts of (2); a column of at most m values is cut between all of them."""
    values, counts = class_counts(column, np.zeros(len(column), dtype=np.intp), 1, weight)
    if len(values) <= m:
        return midway(values, np.arange(max(len(values) - 1, 0)))
    share = np.cumsum(counts[:, 0])
    after = np.unique(np.searchsorted(share, share[-1] * np.arange(1, m) / m * (1 - 1e-12)))
    return midway(values, after[after < len(values) - 1])


def state_of(column: Array, cuts: Array) -> NDArray[np.int32]:
    """Return the number of the part that each number falls in, -1 where it is missing."""
    return np.where(np.isnan(column), -1, np.searchsorted(cuts, column, side="left")).astype(np.int32)
