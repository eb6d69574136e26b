r"""Agreement of two clusterings of the same rows, with intervals.

With n_ij rows in cluster i of the one and j of the other, a_i, b_j the sums, C2(n) = n (n - 1) / 2 and H entropies,

    Rand           (C2(n) + 2 sum C2(n_ij) - sum C2(a_i) - sum C2(b_j)) / C2(n)                       (1)
    adjusted Rand  (sum C2(n_ij) - E) / ((sum C2(a_i) + sum C2(b_j)) / 2 - E),   E = sum C2(a_i) sum C2(b_j) / C2(n)    (2)
    mutual         2 I / (H(a) + H(b))         normalised mutual information, the V-measure           (3)
    pairs          sum C2(n_ij) / sqrt(sum C2(a_i) sum C2(b_j))     Fowlkes and Mallows               (4)
    matched        largest share of rows that one name for one name can make agree                    (5)

Intervals come from tables of rows drawn anew, n_ij multinomial: percentiles, moved by the bias of the draws.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.report.result import Result
from novum.runtime.checks import check_level
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed

__all__ = ["Agreement", "adjusted_rand", "clustering_agreement", "contingency"]


def contingency(first: Any, second: Any) -> NDArray:
    """Return the table n_ij."""
    _, a = np.unique(first, return_inverse=True)
    _, b = np.unique(second, return_inverse=True)
    columns = int(b.max()) + 1
    return np.bincount(a * columns + b, minlength=(int(a.max()) + 1) * columns).reshape(-1, columns).astype(float)


def pairs(n: Any) -> Any:
    """Return n (n - 1) / 2."""
    return n * (n - 1) / 2


def pair_sums(table: NDArray) -> tuple[float, float, float, float]:
    """Return the pairs of rows together in both, in the one, in the other, and all of them."""
    return (
        float(pairs(table).sum()),
        float(pairs(table.sum(axis=1)).sum()),
        float(pairs(table.sum(axis=0)).sum()),
        float(pairs(table.sum())),
    )


def rand(table: NDArray) -> float:
    """Return (1)."""
    both, a, b, total = pair_sums(table)
    return (total + 2 * both - a - b) / total if total else 1.0


def adjusted_rand(table: NDArray) -> float:
    """Return (2); 1 where both clusterings are all in one or all alone."""
    both, a, b, total = pair_sums(table)
    expected = a * b / total if total else 0.0
    most = (a + b) / 2
    return (both - expected) / (most - expected) if most != expected else 1.0


def mutual(table: NDArray) -> float:
    """Return (3)."""
    p = table / table.sum()
    a, b = p.sum(axis=1), p.sum(axis=0)

    def entropy(q: NDArray) -> float:
        q = q[q > 0]
        return float(-(q * np.log(q)).sum())

    total = entropy(a) + entropy(b)
    return 2 * (total - entropy(p.ravel())) / total if total > 0 else 1.0


def fowlkes_mallows(table: NDArray) -> float:
    """Return (4)."""
    both, a, b, _ = pair_sums(table)
    return both / np.sqrt(a * b) if a * b > 0 else 0.0


def matched(table: NDArray) -> float:
    """Return (5)."""
    rows, columns = linear_sum_assignment(-table)
    return float(table[rows, columns].sum() / table.sum())


MEASURES: dict[str, Callable[[NDArray], float]] = {
    "Rand": rand,
    "adjusted Rand": adjusted_rand,
    "mutual information": mutual,
    "Fowlkes-Mallows": fowlkes_mallows,
    "matched": matched,
}


@dataclass(repr=False)
class Agreement(Result):
    """Measures of agreement with their intervals, and the table they come from."""

    scoring: list
    value: NDArray
    low: NDArray
    high: NDArray
    table: NDArray

    def _result_columns(self) -> dict[str, Any]:
        return {"scoring": self.scoring, "value": self.value, "low": self.low, "high": self.high}

    def _result_scalars(self) -> dict[str, Any]:
        return {"rows": int(self.table.sum())}

    def _result_picture(self, ax: Any) -> None:
        places = np.arange(len(self.scoring))
        margins = np.abs(np.stack([self.value - self.low, self.high - self.value]))
        ax.errorbar(self.value, places, xerr=margins, fmt="o", capsize=3)
        ax.set_yticks(places, self.scoring)
        ax.set_xlabel("agreement")


def clustering_agreement(
    first: Numbers, second: Numbers, *, level: float = 0.95, n_resamples: int = 1000, random_state: Seed = None
) -> Agreement:
    """Return how far two clusterings agree, whatever their names, with intervals.

    Parameters
    ----------
    first, second : array-like of shape (n_samples,)
        The cluster of every row.
    level : float, default=0.95
        Confidence of the intervals.
    n_resamples : int, default=1000
        Tables drawn for them.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Examples
    --------
    >>> from novum.cluster import clustering_agreement
    >>> found = clustering_agreement([0, 0, 0, 1, 1, 1], list("aaabbc"), random_state=0)
    >>> dict(zip(found.scoring, found.value.round(4).tolist()))["adjusted Rand"]
    0.7059
    """
    first, second = column_or_1d(first), column_or_1d(second)
    check_consistent_length(first, second)
    check_level("clustering_agreement", level)
    table = contingency(first, second)
    n = int(table.sum())
    rng = np.random.default_rng(seed_of(random_state))
    drawn = rng.multinomial(n, table.ravel() / n, size=n_resamples).reshape(n_resamples, *table.shape).astype(float)
    value = np.array([measure(table) for measure in MEASURES.values()])
    draws = np.array([[measure(t) for measure in MEASURES.values()] for t in drawn])
    draws += value - draws.mean(axis=0)  # a row drawn twice agrees with itself: the draws are too high as a whole
    tail = (1 - level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return Agreement(list(MEASURES), value, np.minimum(low, value), np.minimum(np.maximum(high, value), 1.0), table)
