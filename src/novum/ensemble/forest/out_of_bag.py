r"""Every row judged by the trees that did not see it: an estimate of the error that needs no other rows.

With L_t the rows left out of the sample of tree t,

    f_oob(x_i) = sum_t [i in L_t] value_t(leaf_t(x_i)) / sum_t [i in L_t]                          (1)

A row is left out with probability (1 - 1/n)^n, about 0.368. The curve shows the score of (1) after 1, 2, ..., T trees.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.ensemble.forest.samples import Sampling
from novum.ensemble.forest.votes import Votes
from novum.report.axes import drawing_axes
from novum.report.result import result
from novum.runtime.pool import map_ordered

__all__ = ["OutOfBagCurve", "VoteSums", "curve_of", "out_of_bag"]


class VoteSums(NamedTuple):
    """Numerator and denominator of (1)."""

    value: NDArray  # (n, width)
    trees: NDArray  # (n,)

    @property
    def mean(self) -> NDArray:
        """(1); zeros for a row that every tree saw."""
        return self.value / np.maximum(self.trees, 1)[:, None]


def out_of_bag(votes: Votes, seeds: list[int], sampling: Sampling, X: Any, n_threads: int) -> Iterator[VoteSums]:
    """Yield the sums (1) after every tree; the arrays are the same ones, which grow."""
    X = X.tocsr() if scipy.sparse.issparse(X) else X
    sums = VoteSums(np.zeros((sampling.n, votes.values[0].shape[1])), np.zeros(sampling.n, np.int64))

    def said(t: int) -> tuple[NDArray, NDArray]:
        rows = sampling.left_out(seeds[t])
        return rows, votes.values[t].take(votes.trees[t].apply(X[rows]), axis=0)

    for rows, value in map_ordered(said, range(len(seeds)), n_threads):
        sums.value[rows] += value
        sums.trees[rows] += 1
        yield sums


@result
class OutOfBagCurve(NamedTuple):
    """Out-of-bag score by number of trees.

    Examples
    --------
    >>> from novum.ensemble import RandomForestClassifier
    >>> X, y = [[0.0], [1.0], [2.0], [6.0], [7.0], [8.0]], [0, 0, 0, 1, 1, 1]
    >>> curve = RandomForestClassifier(20, random_state=0).fit(X, y).oob_curve(X, y)
    >>> len(curve.score), float(curve.score[-1])
    (20, 1.0)
    """

    n_trees: NDArray  # (T,)
    score: NDArray  # (T,); of the rows that some tree has left out so far
    n_rows: NDArray  # (T,); how many these are
    ylabel: str

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the curve; returns the axes.

        Parameters
        ----------
        ax : matplotlib axes, default=None
        **options
            For `ax.plot`.
        """
        ax = drawing_axes(ax)
        ax.plot(self.n_trees, self.score, **options)
        ax.set(xlabel="trees", ylabel=self.ylabel)
        return ax


def curve_of(steps: Iterator[VoteSums], score: Callable[[NDArray, NDArray], float], ylabel: str) -> OutOfBagCurve:
    """Return the curve of `score(rows, mean)` over the sums after every tree."""
    scores, numbers = [], []
    for sums in steps:
        rows = np.flatnonzero(sums.trees)
        scores.append(score(rows, sums.value[rows] / sums.trees[rows, None]) if len(rows) else np.nan)
        numbers.append(len(rows))
    return OutOfBagCurve(np.arange(1, len(scores) + 1), np.array(scores), np.array(numbers), ylabel)
