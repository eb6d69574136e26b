r"""Pointwise bands of ROC and precision-recall curves.

A threshold on the score s gives a rate of true positives t, of false positives u, and a precision. The bands are pointwise:
on resamples of the rows (novum.evaluation.scores.statistics) the curve is read at fixed places, and the band holds the middle
`level` of the values.

    ROC   t at u:        the largest t of thresholds with false-positive rate at most u, linear between thresholds        (1)
    PR    precision at recall r:   that of the highest threshold whose recall is at least r                                (2)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.scores.statistics import count_chunks
from novum.report.result import result

__all__ = ["CurveBand", "Reading", "Sorted", "band_of", "precision_at", "roc_at", "sorted_rows"]

PLACES = 101  # on the horizontal axis
AT_ONCE = 1 << 22  # counts of resamples held at a time
Reading = Callable[[NDArray, NDArray, NDArray], NDArray]


@result
class CurveBand(NamedTuple):
    """The ends of a band at fixed places of the horizontal axis."""

    places: NDArray
    lower: NDArray
    upper: NDArray


@dataclass(frozen=True)
class Sorted:
    """Rows from the best score down."""

    positive: NDArray
    weight: NDArray
    last: NDArray  # ends of groups of equal scores
    order: NDArray

    def cumulated(self, counts: NDArray) -> tuple[NDArray, NDArray]:
        """Return true and false positives at every threshold, for counts (r, n)."""
        mass = counts[:, self.order] * self.weight
        hit = np.cumsum(mass * self.positive, axis=1)[:, self.last]
        return hit, np.cumsum(mass, axis=1)[:, self.last] - hit


def sorted_rows(positive: NDArray, score: NDArray, weight: NDArray | None) -> Sorted:
    """Return the rows in the order of their scores."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    w = np.ones(len(score)) if weight is None else weight
    return Sorted(positive[order], w[order], last, order)


def roc_at(hit: NDArray, false: NDArray, places: NDArray) -> NDArray:
    """Return (1)."""
    u, t = np.append(0, false / false[-1]), np.append(0, hit / hit[-1])
    keep = np.append(np.diff(u) > 0, True)  # the highest t of every u
    return np.interp(places, u[keep], t[keep])


def precision_at(hit: NDArray, false: NDArray, places: NDArray) -> NDArray:
    """Return (2)."""
    there = hit + false > 0
    hit, false = hit[there], false[there]
    first = np.searchsorted(hit, places * hit[-1] - 1e-12 * hit[-1], side="left")
    return (hit / (hit + false))[np.minimum(first, len(hit) - 1)]


def band_of(rows: Sorted, read: Reading, n_resamples: int, seed: int, level: float) -> CurveBand:
    """Return the pointwise band of a curve."""
    places = np.linspace(0, 1, PLACES)
    values = []
    n = len(rows.order)
    for counts in count_chunks(n, n_resamples, seed, max(1, AT_ONCE // n)):
        for hit, false in zip(*rows.cumulated(counts)):
            if hit[-1] > 0 and false[-1] > 0:
                values.append(read(hit, false, places))
    if not values:
        return CurveBand(places, np.full(len(places), np.nan), np.full(len(places), np.nan))
    return CurveBand(places, *np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0))
