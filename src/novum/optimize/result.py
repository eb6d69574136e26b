"""What every driver returns: the point, what it is worth, how the iteration went and why it stopped."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import NotConverged
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.runtime.warn import warn

__all__ = ["Solution", "Trace", "conclude"]

SHOWN = 6  # coordinates of x that a repr spells out


@dataclass(frozen=True, repr=False)
class Solution(Result):
    """Where an iteration ended.

    Attributes
    ----------
    x : ndarray of shape (d,)
    value : float
        The objective at x; NaN where the driver was given no objective.
    gradient_norm : float
        Euclidean norm of the gradient (or of the driver's own measure of optimality) at x.
    n_iter : int
        Updates made.
    converged : bool
    reason : str
        Why it stopped, with the numbers.
    history : ndarray
        The objective before the first update and after each.
    gradient_norms : ndarray
        The same for the norm of the gradient.
    path : ndarray of shape (n_iter + 1, d), optional
        Every point visited, where requested.
    """

    x: NDArray[Any]
    value: float
    gradient_norm: float
    n_iter: int
    converged: bool
    reason: str
    history: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    gradient_norms: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    path: NDArray[Any] | None = None

    def __repr__(self) -> str:
        shown = np.array2string(np.ravel(self.x)[:SHOWN], precision=6, separator=", ")
        dots = f" and {np.size(self.x) - SHOWN} more" if np.size(self.x) > SHOWN else ""
        state = "converged" if self.converged else "not converged"
        times = counted(self.n_iter, "iteration")
        return f"{type(self).__name__}: {state} after {times} ({self.reason}); value {num(self.value):.6g} at x = {shown}{dots}"


class Trace:
    """The record of an iteration: cost, norm and, where requested, point before the first update and after each."""

    def __init__(self, keep_path: bool) -> None:
        self.keep_path = keep_path
        self.costs: list[float] = []
        self.norms: list[float] = []
        self.path: list[NDArray[Any]] = []

    def record(self, x: NDArray[Any], cost: float, norm: float) -> None:
        """Add one line."""
        self.costs.append(cost)
        self.norms.append(norm)
        if self.keep_path:
            self.path.append(x.copy())

    def solution(self, x: NDArray[Any], sign: float, converged: bool, reason: str) -> Solution:
        """Return the solution at x, the last point recorded; `sign` turns costs back into values."""
        costs = np.array(self.costs)
        return Solution(
            x=x,
            value=sign * self.costs[-1],
            gradient_norm=self.norms[-1],
            n_iter=len(self.norms) - 1,
            converged=bool(converged),
            reason=reason,
            history=np.empty(0) if np.isnan(costs).all() else sign * costs,
            gradient_norms=np.array(self.norms),
            path=np.array(self.path) if self.keep_path else None,
        )


def conclude(owner: str, solution: Any, remedy: str) -> Any:
    """Return the solution, after a `NotConverged` warning where it is none."""
    if not solution.converged:
        warn(
            f"{owner}: stopped after {counted(solution.n_iter, 'iteration')}: {solution.reason}; {remedy}.",
            NotConverged,
        )
    return solution
