r"""Starts for chains that only move on: states are stretches of time, so a start gives every state a stretch.

The rows of a sequence are cut where the sum of squares about the means of the stretches is least,

    min over 0 < c_1 < ... < c_{k-1} < n   of   sum_j sum_{t in stretch j} |x_t - mean_j|^2            (8)

by dynamic programming over at most BLOCKS blocks of rows; later starts cut at random.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.sequence.hmm.bundles import Bundle

__all__ = ["shares_in_time"]

BLOCKS = 200  # of a sequence, between which it may be cut
SEARCHED = 50  # sequences that are cut at their best; more are cut evenly
MIXED = 0.05  # of a row that is left to all states, so that none begins impossible


def best_cuts(rows: NDArray, k: int) -> NDArray:
    """Return the stretch of every row by (8)."""
    n = len(rows)
    edges = np.unique(np.linspace(0, n, min(n, BLOCKS) + 1).astype(np.int64))
    blocks = len(edges) - 1
    if blocks <= k:
        return np.minimum(np.arange(n) * k // max(n, 1), k - 1)
    sums = np.vstack([np.zeros(rows.shape[1]), np.cumsum(rows, axis=0)])[edges]
    squares = np.append(0.0, np.cumsum((rows**2).sum(axis=1)))[edges]
    length = edges[None, :] - edges[:, None]
    gap = ((sums[None] - sums[:, None]) ** 2).sum(axis=2)
    cost = squares[None] - squares[:, None] - gap / np.maximum(length, 1)  # of a stretch from edge i to edge j
    cost[length <= 0] = np.inf
    best, came = cost[0], []
    for _ in range(k - 1):
        total = best[:, None] + cost
        came.append(total.argmin(axis=0))
        best = total.min(axis=0)
    cuts, at = [], blocks
    for before in reversed(came):
        at = int(before[at])
        cuts.append(edges[at])
    return np.searchsorted(np.sort(cuts), np.arange(n), side="right")


def shares_in_time(bundle: Bundle, features: NDArray, k: int, rng: Any, run: int) -> NDArray:
    """Return how much of every row belongs to every state, (n, k): stretches in the order of time."""
    which = np.empty(len(features), np.int64)
    few = len(bundle.offsets) - 1 <= SEARCHED
    for first, last in zip(bundle.offsets[:-1], bundle.offsets[1:]):
        n = int(last - first)
        if run:
            ends = np.cumsum(rng.dirichlet(np.full(k, 4.0)))
            which[first:last] = np.minimum(np.searchsorted(ends, (np.arange(n) + 0.5) / n), k - 1)
        elif few:
            which[first:last] = best_cuts(features[first:last], k)
        else:
            which[first:last] = np.arange(n) * k // max(n, 1)
    return (1 - MIXED) * np.eye(k)[which] + MIXED / k
