r"""Targets about their middle and in units of their own size.

Targets are divided by their size t, a power of two, which turns an objective of power q (normal 0, Poisson 1, gamma 2) into t^(2-q)
times the same problem:

    log link:  a -> a - log t, alpha -> alpha t^(q-2),     identity:  b -> b/t, a -> (a - middle)/t, alpha -> alpha t^q      (1)

so that a largest gradient of `tol` means the same in all units.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.fold.blocks import Block, Source
from novum.linear_model.newton.block_rows import target_and_weight
from novum.linear_model.newton.losses.loss import Array
from novum.linear_model.newton.losses.tweedie import Tweedie

__all__ = ["TargetUnit", "deviation_unit", "target_unit"]


class Deviation(NamedTuple):
    size: float


class TargetUnit(NamedTuple):
    """(1), and the middle that the intercept takes up where the link is the identity."""

    unit: float  # t
    middle: float
    log: bool

    def target(self, y: Any) -> Any:
        """Return the targets in the frame."""
        return (y - self.middle) / self.unit

    def inward(self, theta: Array) -> Array:
        """Return coefficients and intercept in the frame."""
        if self.log:
            return np.append(theta[:-1], theta[-1] - np.log(self.unit))
        return np.append(theta[:-1], theta[-1] - self.middle) / self.unit

    def outward(self, theta: Array) -> Array:
        """Return coefficients and intercept in the user's units."""
        if self.log:
            return np.append(theta[:-1], theta[-1] + np.log(self.unit))
        return np.append(theta[:-1] * self.unit, theta[-1] * self.unit + self.middle)

    def penalty(self, power: float, alpha: float) -> float:
        """Return alpha of (1)."""
        with np.errstate(over="ignore"):
            return alpha * float(np.float64(self.unit) ** (power - (2 if self.log else 0))) if alpha else 0.0


def deviation(middle: float, block: Block) -> Deviation:
    """Return the weighted sum of |y - middle| of a block."""
    y, w = target_and_weight(block)
    return Deviation(float(w @ np.abs(y - middle)))


def power_of_two(size: float) -> float:
    """Return the power of two nearest to a size, one where there is none."""
    exponent = int(np.rint(np.log2(size))) if 0 < size < np.inf else 0
    return float(np.ldexp(1.0, exponent))


def deviation_unit(source: Source, middle: float, weight: float) -> TargetUnit:
    """Return the frame of targets about a middle, in units of their mean distance from it."""
    size = source.without_features().total(deviation, middle).size / weight
    return TargetUnit(power_of_two(size), middle, False)


def target_unit(
    loss: Tweedie, source: Source, *, mean: float, size: float, weight: float, intercept: bool
) -> TargetUnit:
    """Return the frame of the targets: their mean size, and under a normal distribution with an intercept their mean for zero."""
    if loss.power == 0 and loss.link == "identity" and intercept:
        return deviation_unit(source, mean, weight)
    return TargetUnit(power_of_two(size), 0.0, loss.link == "log")
