r"""Tests of x independent of y given z from data, as PC needs them.

    N[z, x, y]: counts,   E[z, x, y] = N[z, x, .] N[z, ., y] / N[z, ., .]                                            (1)
    G2 = 2 sum N log(N / E),   chi2 = sum (N - E)^2 / E                                                              (2)
    degrees of freedom: sum_z (r_z - 1)(c_z - 1) with the r_z values of x and c_z of y that occur with z             (3)
    mutual information: I(x; y | z) = G2 / (2 N), in nats, against a threshold                                       (4)
    partial correlation r of x, y given z from the inverse of their correlations:
    sqrt(N - |z| - 3) artanh r is standard normal                                                                    (5)

Under independence (2) has the chi-squared distribution with (3). A test answers with a p-value; (4) and an oracle with 1 or 0.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, ndtr

from novum import _core
from novum.exceptions import DataError
from novum.graphical.graphs.dag import DAG

__all__ = ["CountTest", "Test", "correlation_test", "count_test", "oracle", "p_values"]

Array = NDArray[np.float64]
Test = Callable[[int, int, tuple[int, ...]], float]  # numbers of x, y and z to a p-value
MOST_CELLS = 1 << 24  # of the counts (1)
CELLS_TOGETHER = 1 << 15  # of the tables that are worked on at once: they stay in the cache


def statistics(counts: Array, chi_squared: bool) -> tuple[Array, Array]:
    """Return (2) and (3) of several tables of counts, shape (tables, z, x, y)."""
    rows, columns = counts.sum(axis=3), counts.sum(axis=2)
    mass = rows.sum(axis=2)
    expected = rows[:, :, :, None] * columns[:, :, None, :]
    expected /= np.where(mass > 0, mass, 1)[:, :, None, None]
    if chi_squared:
        value = ((counts - expected) ** 2 / np.where(expected > 0, expected, 1)).sum(axis=(1, 2, 3))
    else:
        some = counts > 0
        ratio = np.where(some, counts, 1) / np.where(some, expected, 1)
        value = 2 * (counts * np.log(ratio)).sum(axis=(1, 2, 3))
    freedom = (np.maximum((rows > 0).sum(axis=2) - 1, 0) * np.maximum((columns > 0).sum(axis=2) - 1, 0)).sum(axis=1)
    return np.maximum(value, 0.0), freedom.astype(np.float64)


class CountTest:
    """The test "g2", "chi2" or "mutual_information" on coded rows; `many` answers for several z at once."""

    def __init__(
        self,
        owner: str,
        kind: str,
        cards: list[int],
        codes: NDArray[np.int32],
        weight: Array | None,
        least_information: float,
        names: tuple[Any, ...],
    ) -> None:
        self.owner, self.kind, self.cards, self.codes, self.weight = owner, kind, cards, codes, weight
        self.least, self.names = least_information, names
        self.n = float(codes.shape[1] if weight is None else weight.sum())

    def cells(self, x: int, y: int, given: tuple[int, ...]) -> int:
        found = int(np.prod([self.cards[v] for v in (*given, x, y)], dtype=object))
        if found > MOST_CELLS:
            raise DataError(
                f"{self.owner}: a test of {self.names[x]!r} and {self.names[y]!r} given {len(given)} variables has "
                f"{found:,} cells; lower max_conditioning, or cut variables into fewer states."
            )
        return found

    def many(self, x: int, y: int, sets: Sequence[tuple[int, ...]]) -> Array:
        """Return the p-values given each set; tables of one size are worked on together."""
        out = np.empty(len(sets))
        groups: dict[int, list[int]] = {}
        for i, given in enumerate(sets):
            groups.setdefault(self.cells(x, y, given), []).append(i)
        for cells, members in groups.items():
            step = max(1, CELLS_TOGETHER // cells)
            for begin in range(0, len(members), step):
                part = members[begin : begin + step]
                out[part] = self._p_values(x, y, [sets[i] for i in part], cells)
        return out

    def _p_values(self, x: int, y: int, sets: list[tuple[int, ...]], cells: int) -> Array:
        counts = np.zeros((len(sets), cells))
        for row, given in zip(counts, sets, strict=True):
            scope = [*given, x, y]
            _core.factors.network.count_rows(self.codes, scope, [self.cards[v] for v in scope], self.weight, row)
        shape = (len(sets), -1, self.cards[x], self.cards[y])
        value, freedom = statistics(counts.reshape(shape), self.kind == "chi2")
        if self.kind == "mutual_information":
            return np.asarray(value / (2 * self.n) < self.least, dtype=np.float64)
        return np.where(freedom > 0, gammaincc(np.maximum(freedom, 1) / 2, value / 2), 1.0)

    def table(self, x: int, y: int) -> Array:
        """Return the counts of x and y."""
        counts = np.zeros((self.cards[x], self.cards[y]))
        _core.factors.network.count_rows(self.codes, [x, y], list(counts.shape), self.weight, counts.reshape(-1))
        return counts

    def __call__(self, x: int, y: int, given: tuple[int, ...]) -> float:
        return float(self.many(x, y, [given])[0])


def count_test(
    owner: str,
    kind: str,
    cards: list[int],
    codes: NDArray[np.int32],
    weight: Array | None,
    least_information: float,
    names: tuple[Any, ...],
) -> Test:
    """Return the test "g2", "chi2" or "mutual_information" on coded rows."""
    return CountTest(owner, kind, cards, codes, weight, least_information, names)


def p_values(test: Test, x: int, y: int, sets: Sequence[tuple[int, ...]]) -> Array:
    """Return what a test says given each of several sets."""
    if isinstance(test, CountTest):
        return test.many(x, y, sets)
    return np.array([test(x, y, given) for given in sets], dtype=np.float64)


def correlation_test(owner: str, columns: Array, weight: Array | None, names: tuple[Any, ...]) -> Test:
    """Return the test (5) on rows of numbers, shape (variables, n)."""
    w = np.ones(columns.shape[1]) if weight is None else weight
    n = float(w.sum())
    center = columns - (columns @ w / n)[:, None]
    covariance = center * w @ center.T / n
    deviation = np.sqrt(np.diag(covariance))
    if not (deviation > 0).all():
        raise DataError(f"{owner}: column {names[int(np.argmin(deviation))]!r} is constant; drop it.")
    correlation = covariance / np.outer(deviation, deviation)

    def test(x: int, y: int, given: tuple[int, ...]) -> float:
        if n - len(given) - 3 <= 0:
            return 1.0
        at = [x, y, *given]
        part = correlation[np.ix_(at, at)]
        # what is left of x and y after regression on z; pinv where columns of z repeat each other
        rest = part[:2, :2] - part[:2, 2:] @ np.linalg.pinv(part[2:, 2:], hermitian=True) @ part[2:, :2]
        scale = np.sqrt(max(rest[0, 0], 0.0) * max(rest[1, 1], 0.0))
        r = rest[0, 1] / scale if scale > 1e-12 else 0.0  # x or y is a function of z
        z = np.sqrt(n - len(given) - 3) * np.arctanh(np.clip(abs(r), 0, 1 - 1e-16))
        return float(2 * ndtr(-z))

    return test


def oracle(dag: DAG, names: tuple[Any, ...]) -> Test:
    """Return the test that reads d-separation off a graph."""

    def test(x: int, y: int, given: tuple[int, ...]) -> float:
        return float(bool(dag.d_separated(names[x], names[y], [names[v] for v in given])))

    return test
