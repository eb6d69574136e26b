r"""What it costs to learn m classes by two-class learners: each against the rest, or every pair.

A learner that takes c n^p on n rows, of m classes with n_1, ..., n_m rows each,

    one against the rest:  m c n^p          every pair:  c sum_{i<j} (n_i + n_j)^p                                  (1)

With equal classes the pairs cost m (m - 1) / 2 (2 n / m)^p, less than the others by a factor 2 / (m - 1) (m / 2)^p: m / (m - 1)
for a learner that grows with its rows, p = 1, and more and more above. Two classes are one problem either way.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from novum.exceptions import DataError
from novum.report.result import Result
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["ReductionCost", "reduction_cost"]


@dataclass(frozen=True)
class ReductionCost(Result):
    """Costs of both reductions in units of the learner's cost of one row, and how many learners each fits.

    Attributes
    ----------
    one_vs_rest, one_vs_one : float
    n_learners : tuple of two int
    """

    one_vs_rest: float
    one_vs_one: float
    n_learners: tuple[int, int]

    @property
    def ratio(self) -> float:
        """How many times dearer one against the rest is."""
        return self.one_vs_rest / self.one_vs_one

    @property
    def cheaper(self) -> str:
        """Which costs less."""
        return "one_vs_one" if self.ratio > 1 else "one_vs_rest"


def reduction_cost(class_counts: Numbers, exponent: float) -> ReductionCost:
    """Return (1): what m classes cost as two-class problems.

        one against the rest:  m n^p        every pair:  sum_{i<j} (n_i + n_j)^p    (1)

    Parameters
    ----------
    class_counts : array-like of shape (m,)
        Rows of every class, at least two classes.
    exponent : float
        p of the learner: about 1 for stochastic descent, 2 to 3 for kernel machines.

    Examples
    --------
    >>> from novum.teaching import reduction_cost
    >>> cost = reduction_cost([100] * 10, exponent=2)
    >>> cost.n_learners, round(cost.ratio, 3), cost.cheaper
    ((10, 45), 5.556, 'one_vs_one')
    """
    counts = np.asarray(class_counts, dtype=np.float64)
    if counts.ndim != 1 or len(counts) < 2 or not np.isfinite(counts).all() or not (counts > 0).all():
        raise DataError("reduction_cost: class_counts must be the rows of at least two classes, each above zero.")
    p, m = check_number("reduction_cost", "exponent", exponent, 0), len(counts)
    pairs = [float(counts[i] + counts[j]) ** p for i, j in combinations(range(m), 2)]
    rest = m * float(counts.sum()) ** p if m > 2 else float(counts.sum()) ** p
    return ReductionCost(rest, float(np.sum(pairs)), (m if m > 2 else 1, len(pairs)))
