r"""Whether a density is smooth at its mode, from differences at several steps.

    D(h) = (2 f(x) - f(x + h) - f(x - h)) / h^2,    A(h) = (f(x + h) - f(x - h)) / h^2                                     (1)

in steps of the density's own width. Of a smooth f, D settles as h falls and A at the mode vanishes like h. At a kink, as of -|x|, D
grows like 1/h; where the curvature differs from one side to the other, A/D settles at (right - left)/(right + left).
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["kinked_axes"]

Array = NDArray[np.float64]
STEPS = (0.2, 0.05, 0.0125)  # widths
GROWTH = 1.5  # of D from one step to the next: 4 at a kink, 2 for |x|^1.5, 1 + O(h^2) of smooth functions
LOPSIDED = 0.2  # |A| / D: a curvature half as large again on one side
NOISE = 64 * np.finfo(float).eps  # relative, of a log-density that is a sum


def kinked_axes(value: Callable[[Array], float], theta: Array, width: Array) -> list[int]:
    """Return the axes along which the density has a kink, or two curvatures, at the mode."""
    center, found = value(theta), []
    for i in range(theta.size):
        bends, leans = [], []
        for h in STEPS:
            step = np.zeros(theta.size)
            step[i] = h * width[i]
            right, left = value(theta + step), value(theta - step)
            blurred = NOISE * max(1.0, abs(center)) > 0.02 * h * h or h * width[i] < 1e3 * np.spacing(abs(theta[i]))
            if blurred or not np.isfinite(right + left):
                break
            bends.append((2 * center - right - left) / h**2)
            leans.append((right - left) / h**2)
        grows = any(after > GROWTH * before > 0 for before, after in pairwise(bends))
        leaning = len(leans) > 1 and all(abs(a) > LOPSIDED * d > 0 for a, d in zip(leans[-2:], bends[-2:]))
        if grows or (leaning and abs(leans[-1]) > 0.5 * abs(leans[-2])):
            found.append(i)
    return found
