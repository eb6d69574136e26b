r"""Independence in a table: exact, and tested where the table was counted.

    a independent of b given c   <=>   P(a, b | c) = P(a | c) P(b | c)  wherever P(c) > 0                     (11)
    G    = 2 sum N(a, b, c) log( N(a, b, c) N(c) / (N(a, c) N(b, c)) )                                        (12)
    X^2  = sum (N(a, b, c) - E)^2 / E,    E = N(a, c) N(b, c) / N(c)                                          (13)

Under independence both are about chi-squared with sum_c (|a| - 1)(|b| - 1) degrees of freedom, |a| and |b| counting the values
that occur together with c. G is 2 N times the mutual information in nats.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr
from scipy.stats import chi2

from novum.distributions.tables.axes import sum_to
from novum.exceptions import DataError, ParameterError
from novum.report.result import Result, result
from novum.runtime.checks import check_choice

__all__ = ["IndependenceCheck", "IndependenceTest", "Independences", "Statement", "deviation", "test_counts_of"]

EXACT = 1e-10  # tables are sums and products of few numbers: independence fails by more, or holds


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


class Independences:
    """What a joint table says about the independence of its variables."""

    p: NDArray[Any]
    names: tuple[str, ...]
    states: dict[str, Any]
    n_samples: float | None
    _names: Any

    def _three(self, method: str, a: Any, b: Any, given: Any) -> tuple[NDArray[Any], tuple[str, ...]]:
        groups = [self._names(method, which) for which in (given, a, b)]
        names = groups[0] + groups[1] + groups[2]
        if len(set(names)) < len(names) or not groups[1] or not groups[2]:
            raise ParameterError(f"JointTable.{method}: a, b and given must name different variables.")
        joint = sum_to(self.p, self.names, names)
        sizes = [int(np.prod([len(self.states[name]) for name in group], dtype=int)) for group in groups]
        return joint.reshape(sizes), names

    def independence(
        self, a: Hashable | Iterable[Any], b: Hashable | Iterable[Any], given: Any = (), *, tol: float = EXACT
    ) -> IndependenceCheck:
        """Decide whether a and b (names or tuples of names) are independent, given others or not."""
        joint, names = self._three("independence", a, b, given)
        gap = deviation(joint)
        shape = [len(self.states[name]) for name in names]
        worst = np.unravel_index(int(gap.argmax()), shape)
        at = {name: self.states[name][int(i)] for name, i in zip(names, worst)}
        return IndependenceCheck(float(gap.max()), at, tol)

    def independencies(self, *, tol: float = EXACT) -> list[Statement]:
        """Return every pair of variables that is independent given some set of others, smallest sets first."""
        found = []
        for size in range(len(self.names) - 1):
            for a, b in combinations(self.names, 2):
                others = [name for name in self.names if name not in (a, b)]
                for given in combinations(others, size):
                    if self.independence(a, b, given, tol=tol):
                        found.append(Statement(a, b, given))
        return found

    def test_independence(
        self, a: Hashable | Iterable[Any], b: Hashable | Iterable[Any], given: Any = (), *, statistic: str = "g"
    ) -> IndependenceTest:
        """Test independence by the counts behind the table: statistic "g" (likelihood ratio) or "chi2" (Pearson)."""
        if self.n_samples is None:
            raise DataError(
                "JointTable.test_independence: this table has exact probabilities; `independence` decides those. A test "
                "needs counts: JointTable.from_samples or from_counts."
            )
        joint, _ = self._three("test_independence", a, b, given)
        return test_counts_of(joint * self.n_samples, statistic)
