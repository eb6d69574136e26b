r"""Whether an objective falls without end along the way that an iteration went.

    f(x_0 + s (x - x_0)) for s = 1, 1.01, 1.1, 1.5, 2, 4, 8, 16 falls at every place, in all by more than FALL (1 + |f(x)|)    (1)

Every rule by which an iteration stops can be met on the way to minus infinity: the gradient of -log(1 + x^2) vanishes there, and
a decrease that is small beside |f| is no small decrease when |f| itself grows. At a minimum with a curvature (1) fails at its
first places, of a convex function it fails at every minimum; a function that levels out, such as exp(-x), falls by too little.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.optimize.problem import Array

__all__ = ["ENDLESS", "falls_endlessly"]

PLACES = (1.01, 1.1, 1.5, 2.0, 4.0, 8.0, 16.0)
FALL = 1e-2
ENDLESS = "the objective still falls beyond it along the way from the start: it has no lower bound there"


def falls_endlessly(cost: Callable[[Any], float], start: Array, x: Array) -> bool:
    """Return (1), or whether the cost at x is no number any more; a few evaluations more where a search says it has converged."""
    with np.errstate(over="ignore", invalid="ignore"):
        here = last = cost(x)
        if not np.isfinite(here):
            return True
        way = x - start
        if not way.any():
            return False
        for place in PLACES:
            there = cost(start + place * way)
            if not there < last:
                return False
            last = there
        return bool(here - last > FALL * (1 + abs(here)))
