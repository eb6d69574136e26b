"""The rows that a tree of a forest is grown on: draws that depend on (seed, tree, draw) alone.

seed of tree t      = philox(seed, t)                                                              (1)
draw k of tree t    = floor(n u),  u = philox(seed of tree t, k);  by cumulated weights if there are any    (2)
count of row i      = Poisson quantile of philox(seed of tree t, i), of mean r w[i],  r = draws / sum w      (3)

So trees can be added, grown in any order and on any number of threads, and their samples need not be kept. In (2) a draw may
be any row; in (3), for rows that lie in blocks, a row is counted without a look at the others. The counts of (2) are those
of (3) given their sum, which (3) hits on average, to within its square root.
"""

import numbers
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import pdtr, pdtrik

from novum.exceptions import DataWarning
from novum.runtime.random import Stream
from novum.runtime.warn import warn

__all__ = ["BlockSampling", "Sampling", "most_draws", "sample_size", "tree_seeds"]

MOST_SEED = 2**31 - 1  # what every consumer of seeds accepts
LARGEST_SHARE = 1 - 2.0**-53  # of the uniform numbers
FEW = 10  # draws below which a share of the rows is more likely an oversight


def tree_seeds(seed: int, first: int, count: int) -> list[int]:
    """Return (1) of trees first, first + 1, ..."""
    return Stream(seed).integers("trees of a forest", 0, range(first, first + count), high=MOST_SEED).tolist()


def sample_size(n: int, max_samples: Any, weight: NDArray | None) -> int:
    """Return how many rows are drawn for a tree; a share is one of the weight."""
    if max_samples is None:
        return n
    if isinstance(max_samples, numbers.Integral):
        return int(max_samples)
    total = n if weight is None else float(weight.sum())
    size = max(int(max_samples * total), 1)
    if size < max(FEW, n ** (1 / 3)):
        what = "the number of samples" if weight is None else "the total sum of sample weights"
        warn(
            f"Using the fractional value max_samples={max_samples!r} when {what} is {total} results in a low number ({size}) of"
            " bootstrap samples. We recommend passing `max_samples` as an integer instead.",
            DataWarning,
        )
    return size


class Sampling(NamedTuple):
    """How the rows of a tree are drawn."""

    n: int
    size: int
    weight: NDArray | None = None  # rows are drawn in proportion to it

    def rows(self, seed: int) -> NDArray:
        """Return (2): the rows drawn for the tree with this seed, in the order of the draws."""
        stream = Stream(seed)
        if self.weight is None:
            return stream.integers("bootstrap", 0, self.size, high=self.n)
        return stream.choice_with_replacement("bootstrap", 0, self.size, self.weight)

    def counts(self, seed: int) -> NDArray:
        """Return how often every row was drawn."""
        return np.bincount(self.rows(seed), minlength=self.n)

    def left_out(self, seed: int) -> NDArray:
        """Return the rows that were not drawn."""
        return np.flatnonzero(self.counts(seed) == 0)


def most_draws(mean: float) -> int:
    """Return the largest count of (3) that a row of this mean can have."""
    return int(np.ceil(pdtrik(LARGEST_SHARE, mean))) + 1 if mean > 0 else 0


def poisson_counts(share: NDArray, mean: Any) -> NDArray:
    """Return, for numbers uniform on [0, 1), how many k have a distribution function of at most that number."""
    if np.ndim(mean) == 0:
        return np.searchsorted(pdtr(np.arange(most_draws(mean)), mean), share, side="right")
    out = np.zeros(len(share), np.int64)
    some = mean > 0
    share, mean = share[some], mean[some]
    count = np.maximum(np.ceil(pdtrik(share, mean)), 0.0)
    count += pdtr(count, mean) <= share  # the inverse is right up to rounding
    count -= (count > 0) & (pdtr(np.maximum(count - 1, 0), mean) > share)
    out[some] = count
    return out


class BlockSampling(NamedTuple):
    """How often the rows of a block are drawn, (3)."""

    n: int
    rate: float  # r

    def counts(self, seed: int, rows: range | None = None, weight: NDArray | None = None) -> NDArray:
        """Return how often each of some rows was drawn; all of them by default."""
        return self.counts_by_tree([seed], range(self.n) if rows is None else rows, weight)[0]

    def counts_by_tree(self, seeds: Iterable[int], rows: range, weight: NDArray | None) -> list[NDArray]:
        """Return how often each of some rows was drawn for every tree."""
        shares = [Stream(seed).uniform("counts of rows", 0, rows) for seed in seeds]
        mean = self.rate if weight is None else self.rate * weight
        return [poisson_counts(share, mean) for share in shares]

    def rows(self, seed: int) -> NDArray:
        """Return the rows drawn for the tree with this seed, in their order."""
        return np.repeat(np.arange(self.n), self.counts(seed))

    def left_out(self, seed: int) -> NDArray:
        """Return the rows that were not drawn."""
        return np.flatnonzero(self.counts(seed) == 0)
