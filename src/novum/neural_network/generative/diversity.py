r"""Whether made rows have the variety of real ones, by nearest neighbours (Naeem et al. 2020).

r_i is the distance of real row i to its k-th neighbour among the real ones.

    coverage = share of real rows i with a made row within r_i                                                     (1)
    density  = 1/k mean over made rows of the number of balls (x_i, r_i) that hold it                             (2)
    spread   = mean distance between made rows / mean distance between real rows                                  (3)

A generator that has the distribution itself covers 1 - 2^-k of equally many real rows, and has density and spread of 1. One
that collapsed to a few modes covers few rows at a density of 1 or more; one that is simply wrong has a density near 0.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.neighbors import pairwise_distances
from novum.report.result import result

__all__ = ["LEAST_COVERAGE", "Diversity", "diversity_of"]

LEAST_COVERAGE = 0.5  # of what a perfect generator covers; half of the modes lost is what nobody wants to miss


@result
class Diversity(NamedTuple):
    """Coverage (1), density (2), spread (3), and the coverage that a perfect generator would have."""

    coverage: float
    density: float
    spread: float
    ideal_coverage: float

    @property
    def collapsed(self) -> bool:
        """Whether less than half of the rows are covered that could be."""
        return self.coverage < LEAST_COVERAGE * self.ideal_coverage


def diversity_of(real: NDArray, made: NDArray, n_neighbors: int = 5) -> Diversity:
    """Return (1) to (3) of two sets of rows."""
    k = min(n_neighbors, len(real) - 1)
    inside = pairwise_distances(real)
    reach = np.partition(inside, k, axis=1)[:, k]  # place 0 is the row itself
    apart = pairwise_distances(real, made)  # (real, made)
    within = apart <= reach[:, None]
    between = pairwise_distances(made)
    n, m = len(real), len(made)
    spread = between.sum() / max(m * (m - 1), 1) / max(inside.sum() / (n * (n - 1)), np.finfo(float).tiny)
    ideal = 1 - (n / (n + m)) ** k if m != n else 1 - 0.5**k
    return Diversity(float(within.any(axis=1).mean()), float(within.sum() / (k * m)), float(spread), float(ideal))
