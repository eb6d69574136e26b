r"""How far to go along a direction: backtracking to a sufficient decrease.

f(x + t d)  <=  f(x) + SUFFICIENT t g^T d,     t = first, first / 2, first / 4, ...     (Armijo)   (1)
"""

from typing import Any

from numpy.typing import NDArray

from novum.optimize.problem import Problem

__all__ = ["backtracking"]

SUFFICIENT = 1e-4  # the usual small share of the decrease that the tangent promises
SHRINK = 0.5
HALVINGS = 60  # 2^-60 of the first step is below rounding


def backtracking(
    problem: Problem, x: NDArray[Any], cost: float, slope: float, direction: NDArray[Any], first: float
) -> tuple[float, float] | None:
    """Return the first step that meets (1) and the cost there; None where rounding leaves no decrease.

    `slope` is g^T d, negative for a direction of descent.
    """
    step = first
    for _ in range(HALVINGS):
        trial = problem.cost(x + step * direction)
        if trial < cost and trial <= cost + SUFFICIENT * step * slope:
            return step, trial
        step *= SHRINK
    return None
