r"""Points whose features under a Gaussian kernel are nearest to a combination of features of given rows.

    P = sum_i g_i phi(x_i),   |phi(x) - P|^2 = 1 - 2 q(x) + |P|^2,   q(x) = sum_i g_i k(x, x_i)                  (1)
    x <- sum_i g_i k(x, x_i) x_i / q(x)                                                                        (2)

(2) rests where the gradient of q is zero (Mika and others, 1999), whatever the widths of the columns. A step that does not raise
q, as negative g can make one, is halved until it does; the start is the row with the largest q, so that the point found is at
least as near as every row.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["PreImages", "fixed_points"]

Array = NDArray[np.float64]
HALVINGS = 30  # of a step, before the point is taken to rest


class PreImages(NamedTuple):
    points: Array  # (p, d)
    converged: bool


def fixed_points(
    between: Callable[[Array, Array], Array], rows: Array, share: Array, max_iter: int, tol: float
) -> PreImages:
    """Repeat (2) for every line g of `share`, (p, n); `between` returns kernels."""
    points = rows[np.argmax(share @ between(rows, rows), axis=1)].copy()  # k is symmetric
    size = tol * (float(rows.std(axis=0).max()) or 1.0)
    active = np.arange(len(points))
    weight = share * between(points, rows)
    for _ in range(max_iter):
        q = weight.sum(axis=1)
        safe = np.where(q > 0, q, 1.0)  # q is not above zero where P is far from all rows: the row nearest to it stays
        step = np.where(q[:, None] > 0, weight @ rows / safe[:, None] - points[active], 0.0)
        step, weight = raised(between, rows, share[active], points[active], step, weight, q)
        points[active] += step
        moving = np.abs(step).max(axis=1) > size
        active, weight = active[moving], weight[moving]
        if not len(active):
            return PreImages(points, True)
    return PreImages(points, False)


def raised(
    between: Callable[[Array, Array], Array],
    rows: Array,
    share: Array,
    points: Array,
    step: Array,
    weight: Array,
    q: Array,
) -> tuple[Array, Array]:
    """Return steps that do not lower q, halved as often as that takes, and the weights g k where they lead."""
    step, found = step.copy(), share * between(points + step, rows)
    for _ in range(HALVINGS):
        lower = found.sum(axis=1) < q - 1e-15 * np.abs(weight).sum(axis=1)
        if not lower.any():
            break
        step[lower] *= 0.5
        found[lower] = share[lower] * between(points[lower] + step[lower], rows)
    else:
        step[lower], found[lower] = 0.0, weight[lower]
    return step, found
