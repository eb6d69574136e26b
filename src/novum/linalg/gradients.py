r"""A gradient or Jacobian compared with differences of the function.

    D(h)[i] = (f(x + h e_i) - f(x - h e_i)) / 2h              error O(h^2)                                    (13)
    (4 D(h/2) - D(h)) / 3                                     error O(h^4), Richardson's extrapolation        (14)

The step h = eps^(1/5) max(1, |x_i|) balances the error h^4 of (14) against the rounding eps / h: both are near 1e-12.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.linalg.input import EPS, finite
from novum.report.numbers import num
from novum.report.result import Result
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["GradientCheck", "check_gradient"]


@dataclass(frozen=True)
class GradientCheck(Result):
    """Whether a gradient agrees with differences; true in an `if` where it does.

    Attributes
    ----------
    given, numeric : ndarray
        The gradient, or Jacobian with a row per output, and its estimate (14).
    error : float
        Largest |given - numeric| relative to 1 + |numeric| at its largest.
    place : tuple of int
        Where in `given` the difference is largest.
    tol : float
    """

    given: NDArray[Any]
    numeric: NDArray[Any]
    error: float
    place: tuple[int, ...]
    tol: float

    def __bool__(self) -> bool:
        return self.error <= self.tol

    def __repr__(self) -> str:
        words = "agrees with" if self else "differs from"
        where = ", ".join(map(str, self.place))
        return (
            f"GradientCheck: {words} differences; largest relative error {self.error:.1e} at [{where}] "
            f"(given {num(self.given[self.place]):.8g}, numeric {num(self.numeric[self.place]):.8g})"
        )


def central(function: Callable[[NDArray[Any]], Any], x: NDArray[Any], step: NDArray[Any]) -> NDArray[Any]:
    """Return (13), the derivative by each variable along the last axis."""
    columns = []
    for i, h in enumerate(step.ravel()):
        place = np.unravel_index(i, x.shape)
        up, down = x.copy(), x.copy()
        up[place] += h
        down[place] -= h
        columns.append(np.subtract(function(up), function(down), dtype=float) / (up[place] - down[place]))
    return np.stack(columns, axis=-1)


def check_gradient(
    function: Callable[[NDArray[Any]], Any],
    gradient: Callable[[NDArray[Any]], Any],
    x: Numbers,
    *,
    tol: float = 1e-8,
) -> GradientCheck:
    """Compare a gradient with differences (14) of its function at x.

        (4 D(h/2) - D(h)) / 3   error O(h^4), Richardson's extrapolation    (14)

    Parameters
    ----------
    function : callable
        x to a number or an array.
    gradient : callable
        x to an array: the gradient in the shape of x or, for a function of m outputs, the Jacobian (m, d).
    x : array-like
        A point inside the domain: the function is evaluated a hundredth or so around it.
    tol : float, default=1e-8
        Largest error that counts as agreement, relative to 1 + the largest entry.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linalg import check_gradient
    >>> M = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> bool(check_gradient(lambda x: x @ M @ x, lambda x: (M + M.T) @ x, [0.5, -1.0]))
    True
    >>> check_gradient(lambda x: x @ M @ x, lambda x: 2 * M @ x, [0.5, -1.0])  # right for symmetric M only
    GradientCheck: differs from differences; largest relative error 3.3e-01 at [0] (given -3, numeric -1)
    """
    owner = "check_gradient"
    point = finite(owner, "x", x, np.ndim(x) or 1).astype(float)
    tol = check_number(owner, "tol", tol, 0)
    given = np.asarray(gradient(point.copy()), dtype=float)
    step = EPS**0.2 * np.maximum(1.0, np.abs(point))
    wide, narrow = central(function, point, step), central(function, point, step / 2)
    numeric = (4 * narrow - wide) / 3
    if numeric.size != given.size:
        raise DataError(
            f"{owner}: the gradient has shape {given.shape}; differences of the function give {numeric.shape}."
        )
    numeric = numeric.reshape(given.shape)
    if not (np.isfinite(numeric).all() and np.isfinite(given).all()):
        raise DataError(
            f"{owner}: the function or its gradient is not finite near x; choose a point inside the domain."
        )
    off = np.abs(given - numeric)
    place = tuple(int(i) for i in np.unravel_index(int(off.argmax()), off.shape))
    return GradientCheck(given, numeric, float(off[place] / (1 + np.abs(numeric).max())), place, tol)
