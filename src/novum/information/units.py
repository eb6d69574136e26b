"""Bits, nats or the logarithm of any other base, read in one place."""

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError

__all__ = ["Base", "as_float", "log_of", "unit_name"]

Base = str | float  # "bits", "nats" or the base of the logarithm


def log_of(owner: str, base: Base) -> float:
    """Return the natural logarithm of the base: what a number of nats is divided by."""
    if isinstance(base, str):
        if base in ("bits", "nats"):
            return math.log(2.0) if base == "bits" else 1.0
    elif isinstance(base, numbers.Real) and not isinstance(base, bool) and base > 1 and math.isfinite(base):
        return math.log(float(base))
    raise ParameterError(f"{owner}(base={base!r}): base must be 'bits', 'nats' or a number above 1.")


def unit_name(base: Base) -> str:
    """Return what the unit is called."""
    return base if isinstance(base, str) else f"base {base:g}"


def as_float(nats: Any, owner: str, base: Base) -> float | NDArray[Any]:
    """Return nats in the unit requested: a float, or an array for a batch of distributions."""
    value = np.asarray(nats, dtype=np.float64) / log_of(owner, base) + 0.0  # the sum turns -0.0 into 0.0
    return float(value) if value.ndim == 0 else value
