r"""Independence in a table: exact, and tested where the table was counted.

    a independent of b given c   <=>   P(a, b | c) = P(a | c) P(b | c)  wherever P(c) > 0                     (11)
    G    = 2 sum N(a, b, c) log( N(a, b, c) N(c) / (N(a, c) N(b, c)) )                                        (12)
    X^2  = sum (N(a, b, c) - E)^2 / E,    E = N(a, c) N(b, c) / N(c)                                          (13)

Under independence both are about chi-squared with sum_c (|a| - 1)(|b| - 1) degrees of freedom, |a| and |b| counting the values
that occur together with c. G is 2 N times the mutual information in nats.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr
from scipy.stats import chi2

from novum.report.result import Result, result
from novum.runtime.checks import check_choice

__all__ = ["IndependenceCheck", "IndependenceTest", "Statement", "deviation", "test_counts_of"]


@result
class Statement(NamedTuple):
    """a is independent of b given c."""

    a: str
    b: str
    given: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"{self.a} ⊥ {self.b}" + (f" | {', '.join(self.given)}" if self.given else "")


@dataclass(frozen=True)
class IndependenceCheck(Result):
    """Whether (11) holds; true in an `if` where it does.

        a independent of b given c   <=>   P(a, b | c) = P(a | c) P(b | c)  wherever P(c) > 0    (11)

    Attributes
    ----------
    deviation : float
        Largest |P(a, b | c) - P(a | c) P(b | c)|.
    at : dict
        The states where it is largest: a counterexample where (11) fails.
    tol : float
        Deviation up to which (11) counts as true.
    """

    deviation: float
    at: dict[str, Any]
    tol: float

    def __bool__(self) -> bool:
        return self.deviation <= self.tol


@dataclass(frozen=True)
class IndependenceTest(Result):
    """A test of (11) by counts.

        a independent of b given c   <=>   P(a, b | c) = P(a | c) P(b | c)  wherever P(c) > 0    (11)

    Attributes
    ----------
    statistic : float
        G of (12) or X^2 of (13).
    df : int
    p_value : float
        Probability of a statistic as large if (11) holds; 1 where df = 0.
    n : float
        Total count.
    """

    statistic: float
    df: int
    p_value: float
    n: float


def deviation(joint: NDArray[Any]) -> NDArray[Any]:
    """Return |P(a, b | c) - P(a | c) P(b | c)| of a joint (c, a, b); zero where P(c) = 0."""
    weight = joint.sum(axis=(1, 2), keepdims=True)
    given = joint / np.where(weight > 0, weight, 1.0)
    return np.abs(given - given.sum(axis=2, keepdims=True) * given.sum(axis=1, keepdims=True))


def test_counts_of(counts: NDArray[Any], statistic: str) -> IndependenceTest:
    """Return the test of counts (c, a, b)."""
    check_choice("test_independence", "statistic", statistic, ("g", "chi2"))
    total = counts.sum(axis=(1, 2), keepdims=True)
    row, column = counts.sum(axis=2, keepdims=True), counts.sum(axis=1, keepdims=True)
    expected = row * column / np.where(total > 0, total, 1.0)
    if statistic == "g":
        value = 2 * float(rel_entr(counts, expected).sum())
    else:
        value = float(((counts - expected) ** 2 / np.where(expected > 0, expected, 1.0)).sum())
    seen = (np.count_nonzero(row, axis=(1, 2)) - 1).clip(0) * (np.count_nonzero(column, axis=(1, 2)) - 1).clip(0)
    df = int(seen.sum())
    value = max(value, 0.0)
    return IndependenceTest(value, df, float(chi2.sf(value, df)) if df else 1.0, float(counts.sum()))
