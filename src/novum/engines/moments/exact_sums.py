"""Sums of floats without rounding, as whole numbers: any cut of the rows into blocks gives the same bits.

sum = 2^-1074 sum_k limb[k] 2^(32 k)                                                               (1)

The limbs are made by cpp/include/novum/moments/exact_sums.h and added like any other statistic.
"""

import numpy as np
from numpy.typing import NDArray

from novum import _core

__all__ = ["LIMBS", "exact_limbs", "exact_ratio", "exact_value"]

LIMBS = _core.moments.exact_sums.LIMBS
LEAST = 1074  # the smallest positive float is 2^-1074


def exact_limbs(values: NDArray, weight: NDArray | None = None) -> NDArray:
    """Return (1) of the products of values and weights, each rounded to a float; those that overflowed are left out."""
    limbs = np.zeros(LIMBS, np.int64)
    _core.moments.exact_sums.add(np.ascontiguousarray(values, np.float64), weight, limbs)
    return limbs


def units_of(limbs: NDArray) -> int:
    """Return the sum in units of 2^-1074."""
    return sum(int(limb) << (32 * k) for k, limb in enumerate(limbs) if limb)


def exact_value(limbs: NDArray) -> float:
    """Return the float nearest to the sum."""
    total = units_of(limbs)
    try:
        return total / (1 << LEAST)
    except OverflowError:
        return np.inf if total > 0 else -np.inf


def exact_ratio(above: NDArray, below: NDArray) -> float:
    """Return the float nearest to the ratio of two sums; the second is not zero."""
    return units_of(above) / units_of(below)
