r"""Linear Gaussian nodes from data: least squares, for every state of the discrete parents.

(b0, b)[d] = argmin sum_{rows with d} (x - b0 - b'u)^2,     v[d] = mean of the squared residuals                  (1)
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.graphical.linear_gaussian.nodes import LinearGaussian
from novum.graphical.linear_gaussian.rows import read_real

if TYPE_CHECKING:
    from novum.graphical.networks.bayesian_network import BayesianNetwork

__all__ = ["fit_real"]

Array = NDArray[np.float64]


def fit_real(
    network: "BayesianNetwork", owner: str, columns: Mapping[Any, Any], codes: NDArray[np.int32], weight: Array | None
) -> float:
    """Set every real node of the network by (1); returns the log-likelihood of their columns."""
    real = [x for x in network.nodes if network.is_real(x)]
    place = {v: i for i, v in enumerate(network.states)}
    values: dict[Any, Array] = {}
    for x in real:
        if x not in columns:
            raise DataError(f"{owner}: no column {x!r}.")
        values[x] = read_real(owner, x, columns[x])
        if np.isnan(values[x]).any():
            raise DataError(
                f"{owner}: row {int(np.argmax(np.isnan(values[x])))} of column {x!r} is missing; drop such rows."
            )
    total = 0.0
    for x in real:
        parents = network.parents[x]
        discrete, numbers = [p for p in parents if p in place], [p for p in parents if p not in place]
        cards = tuple(len(network.states[p]) for p in discrete)
        n = len(values[x])
        w = np.ones(n) if weight is None else weight
        case = (
            np.ravel_multi_index(tuple(codes[place[p]] for p in discrete), cards)
            if discrete
            else np.zeros(n, dtype=np.intp)
        )
        A = np.column_stack([np.ones(n), *(values[p] for p in numbers)])
        b = np.zeros((int(np.prod(cards, dtype=np.int64)), A.shape[1]))
        v = np.ones(len(b))
        for d in range(len(b)):
            rows = (case == d) & (w > 0)
            if rows.sum() <= A.shape[1]:
                raise DataError(
                    f"{owner}: {int(rows.sum())} rows for a state of the discrete parents of {x!r}; "
                    f"{A.shape[1]} coefficients and a variance need more."
                )
            root = np.sqrt(w[rows])
            b[d] = np.linalg.lstsq(A[rows] * root[:, None], values[x][rows] * root, rcond=None)[0]
            residual = values[x][rows] - A[rows] @ b[d]
            v[d] = float(np.average(residual**2, weights=w[rows]))
            if v[d] <= 0:
                raise DataError(
                    f"{owner}: {x!r} is an exact linear function of its parents; its variance would be zero."
                )
            total -= 0.5 * float(w[rows].sum()) * (np.log(2 * np.pi * v[d]) + 1)
        slopes = {p: b[:, i + 1].reshape(cards) for i, p in enumerate(numbers)}
        network.conditionals[x] = LinearGaussian(b[:, 0].reshape(cards), slopes, v.reshape(cards))
    return total
