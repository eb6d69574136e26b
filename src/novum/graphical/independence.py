r"""Tests of x independent of y given z from data, as PC asks them.

    N[z, x, y]: counts,   E[z, x, y] = N[z, x, .] N[z, ., y] / N[z, ., .]                                            (1)
    G2 = 2 sum N log(N / E),   chi2 = sum (N - E)^2 / E                                                              (2)
    degrees of freedom: sum_z (r_z - 1)(c_z - 1) with the r_z values of x and c_z of y that occur with z             (3)
    mutual information: I(x; y | z) = G2 / (2 N), in nats, against a threshold                                       (4)
    partial correlation r of x, y given z from the inverse of their correlations:
    sqrt(N - |z| - 3) artanh r is standard normal                                                                    (5)

Under independence (2) has the chi-squared distribution with (3). A test answers with a p-value; (4) and an oracle with 1 or 0.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, ndtr

from novum import _core
from novum.exceptions import DataError
from novum.graphical.dag import DAG

__all__ = ["Test", "correlation_test", "count_test", "oracle"]

Array = NDArray[np.float64]
Test = Callable[[int, int, tuple[int, ...]], float]  # numbers of x, y and z to a p-value
MOST_CELLS = 1 << 24  # of the counts (1)


def statistic(counts: Array, chi_squared: bool) -> tuple[float, float]:
    """Return (2) and (3) of counts with the shape (z, x, y)."""
    rows, columns = counts.sum(axis=2), counts.sum(axis=1)
    mass = rows.sum(axis=1)
    seen = mass > 0
    counts, rows, columns, mass = counts[seen], rows[seen], columns[seen], mass[seen]
    expected = rows[:, :, None] * columns[:, None, :] / mass[:, None, None]
    if chi_squared:
        at = expected > 0
        value = float(((counts[at] - expected[at]) ** 2 / expected[at]).sum())
    else:
        at = counts > 0
        value = float(2 * (counts[at] * np.log(counts[at] / expected[at])).sum())
    return max(value, 0.0), float((((rows > 0).sum(axis=1) - 1) * ((columns > 0).sum(axis=1) - 1)).sum())


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
    n = float(codes.shape[1] if weight is None else weight.sum())

    def test(x: int, y: int, given: tuple[int, ...]) -> float:
        scope = [*given, x, y]
        sizes = [cards[v] for v in scope]
        cells = int(np.prod(sizes, dtype=object))
        if cells > MOST_CELLS:
            raise DataError(
                f"{owner}: a test of {names[x]!r} and {names[y]!r} given {len(given)} variables has {cells:,} cells; lower "
                "max_conditioning, or cut variables into fewer states."
            )
        counts = np.zeros(cells)
        _core.factors.network.count_rows(codes, scope, sizes, weight, counts)
        value, freedom = statistic(counts.reshape(-1, sizes[-2], sizes[-1]), kind == "chi2")
        if kind == "mutual_information":
            return float(value / (2 * n) < least_information)
        return float(gammaincc(freedom / 2, value / 2)) if freedom else 1.0

    return test


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
