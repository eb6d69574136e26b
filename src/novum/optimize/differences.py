"""Derivatives by central differences, for objectives given without them.

    df / dx[i]         ~  (f(x + h e[i]) - f(x - h e[i])) / 2h,                       error O(h^2 + eps / h)       (1)
    d2f / dx[i] dx[j]  ~  (f(+,+) - f(+,-) - f(-,+) + f(-,-)) / 4h^2,                 error O(h^2 + eps / h^2)     (2)

The steps eps^(1/3) and eps^(1/4), relative to max(1, |x[i]|), balance the two parts of the error.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["numeric_hessian", "numeric_jacobian"]

EPS = float(np.finfo(np.float64).eps)


def numeric_jacobian(function: Callable[[Any], Any], x: NDArray[Any]) -> NDArray[Any]:
    """Return (1) of every output, shape (outputs, d); a scalar function has one."""
    steps = EPS ** (1 / 3) * np.maximum(1, np.abs(x))
    columns = []
    for i, h in enumerate(steps):
        up, down = x.copy(), x.copy()
        up[i] += h
        down[i] -= h
        columns.append(np.subtract(np.ravel(function(up)), np.ravel(function(down))) / (up[i] - down[i]))
    return np.stack(columns, axis=1)


def numeric_hessian(function: Callable[[Any], float], x: NDArray[Any]) -> NDArray[Any]:
    """Return (2) for a scalar function."""
    steps = EPS**0.25 * np.maximum(1, np.abs(x))
    hessian = np.empty((x.size, x.size))

    def at(i: int, j: int, si: int, sj: int) -> float:
        point = x.copy()
        point[i] += si * steps[i]
        point[j] += sj * steps[j]
        return function(point)

    for i in range(x.size):
        for j in range(i + 1):
            second = at(i, j, 1, 1) - at(i, j, 1, -1) - at(i, j, -1, 1) + at(i, j, -1, -1)
            hessian[i, j] = hessian[j, i] = second / (4 * steps[i] * steps[j])
    return hessian
