"""A loss that is a function of the residual r = f - t, and the quantile that is the best constant of some."""

import numpy as np
from scipy.optimize import brentq

from novum.losses.base import Array, Loss

__all__ = ["ResidualLoss", "weighted_quantile"]

TIE = 1e-12  # relative: cumulated weights this close to the level count as equal to it, so rounding breaks no tie


def weighted_quantile(values: Array, weight: Array, level: float) -> float:
    """Return the minimiser of (5); the middle of the interval where every point of one is as good."""
    order = np.argsort(values, kind="stable")
    values, cumulated = values[order], np.cumsum(weight[order])
    target, slack = level * cumulated[-1], TIE * cumulated[-1]
    low = int(np.searchsorted(cumulated, target - slack))
    high = min(int(np.searchsorted(cumulated, target + slack, side="right")), values.size - 1)
    return float((values[low] + values[high]) / 2)


class ResidualLoss(Loss):
    """A loss rho(f - t); a subclass gives rho, its slope and its curvature."""

    def residual_value(self, residual: Array) -> Array:
        """Return rho(r)."""
        raise NotImplementedError

    def residual_slope(self, residual: Array) -> Array:
        """Return d rho / d r."""
        raise NotImplementedError

    def residual_curvature(self, residual: Array) -> Array:
        """Return d2 rho / d r2."""
        raise NotImplementedError

    def _value(self, target: Array, prediction: Array) -> Array:
        return self.residual_value(prediction - target)

    def _gradient(self, target: Array, prediction: Array) -> Array:
        return self.residual_slope(prediction - target)

    def _curvature(self, target: Array, prediction: Array) -> Array:
        return self.residual_curvature(prediction - target)

    def _value_and_gradient(self, target: Array, prediction: Array) -> tuple[Array, Array]:
        residual = prediction - target
        return self.residual_value(residual), self.residual_slope(residual)

    def _best_constant(self, target: Array, weight: Array) -> float:
        """Solve sum w l'(t, c) = 0 between the extremes, where the sum changes sign."""
        low, high = float(target.min()), float(target.max())
        if low == high:
            return low

        def slope(constant: float) -> float:
            return float(weight @ self._gradient(target, np.full_like(target, constant)))

        return float(brentq(slope, low, high, xtol=1e-15))
