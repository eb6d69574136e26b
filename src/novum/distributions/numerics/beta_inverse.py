r"""Quantiles of the Beta distribution far in its tails, where SciPy's inverse loses its digits or answers NaN.

    log I_x(a, b) = log q,   u = log x:   u <- u - (log I - log q) / (x p(x) / I)                  (1)

Newton's method on the logarithm of the tail, kept inside a bracket that is halved where a step leaves it, from the first term of
the series, I = x^a / (a B(a, b)). Both x and 1 - x come from u, so that either end keeps its digits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from novum.distributions.numerics.tails import log_beta_tail

__all__ = ["patched_inverse"]

Array = NDArray[np.float64]
FAR = 1e-30  # probability below which SciPy's inverse is not taken
LOWEST = -745.0  # log of the least float
STEPS = 120
CLOSE = 4e-16


def log_quantile(a: Array, b: Array, q: Array) -> Array:
    """Return log x of (1), `LOWEST` where x is below the floats."""
    target, norm = np.log(q), betaln(a, b)
    low, high = np.full_like(a, LOWEST), np.full_like(a, -1e-300)
    u = np.clip((target + np.log(a) + norm) / a, LOWEST, -1e-3)
    with np.errstate(all="ignore"):
        for _ in range(STEPS):
            x, rest = np.exp(u), -np.expm1(u)
            tail = log_beta_tail(a, b, x, rest)
            above = tail > target
            low, high = np.where(above, low, u), np.where(above, u, high)
            slope = np.exp(a * u + (b - 1) * np.log(rest) - norm - tail)
            following = u - (tail - target) / slope
            inside = (following > low) & (following < high)
            middle = np.where(low < 1e3 * high, -np.sqrt(low * high), 0.5 * (low + high))
            following = np.where(inside, following, middle)
            moved = np.abs(following - u) > CLOSE * np.abs(u)
            u = np.where(tail == target, u, following)
            if not (moved & (tail != target)).any():
                break
    return u


def patched_inverse(a: Any, b: Any, q: Any, inverse: Callable, upper: bool) -> Any:
    """Return SciPy's quantile (`upper`: of the upper tail), and (1) where it cannot be relied on."""
    q = np.asarray(q, np.float64)
    found = inverse(a, b, q)
    far = (q > 0) & ((q < FAR) | (np.isnan(found) & (q < 1)))
    if not np.any(far):
        return found
    places = np.broadcast_to(far, np.shape(found))
    first, second, probability = (np.broadcast_to(part, np.shape(found))[places] for part in (a, b, q))
    u = log_quantile(second, first, probability) if upper else log_quantile(first, second, probability)
    out = np.array(found)
    out[places] = -np.expm1(u) if upper else np.where(u <= LOWEST, 0.0, np.exp(u))
    return out[()]
