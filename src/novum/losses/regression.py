r"""Losses of a real prediction f against a real target t: functions of the residual r = f - t.

    squared              scale r^2                                                             (1)
    absolute             |r|                                     slope at 0: 0                  (2)
    Huber                r^2 / 2 if |r| <= delta else delta (|r| - delta / 2)                   (3)
    epsilon-insensitive  max(0, |r| - epsilon)                   slope at |r| = epsilon: 0      (4)
    quantile             max(-level r, (1 - level) r)            slope at 0: 0                  (5)
    Minkowski            |r|^power                               slope at 0: 0                  (6)

The best constants are the mean (1), the median (2), a median of the 2n points t +- epsilon (4) and the quantile of that
level (5); between them Huber (3) and, for powers above one, Minkowski (6) solve sum w l'(t, c) = 0. For a power below
one the sum is concave between targets, so the best constant is a target; as the power falls to 0 it is the mode.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from novum.losses.base import Array, Pieces
from novum.losses.residual import ResidualLoss, weighted_quantile
from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["AbsoluteLoss", "EpsilonInsensitiveLoss", "HuberLoss", "MinkowskiLoss", "QuantileLoss", "SquaredLoss"]

CANDIDATES_AT_ONCE = 2**20  # entries of the table of candidates against targets held at a time


@dataclass(frozen=True)
class SquaredLoss(ResidualLoss):
    """Squared loss (1); `scale=0.5` is the half square of network training.

        squared   scale r^2    (1)

    Examples
    --------
    >>> from novum.losses import SquaredLoss
    >>> SquaredLoss().value([4.0], [1.0]), SquaredLoss(scale=0.5).gradient([4.0], [1.0])
    (array([9.]), array([-3.]))
    """

    scale: float = 1.0
    name: ClassVar[str] = "squared"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", check_number("SquaredLoss", "scale", self.scale, 0, open_low=True))

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        """Curvature 2 scale, the same everywhere."""
        return 2 * self.scale

    def residual_value(self, residual: Array) -> Array:
        """Return (1).

        squared   scale r^2    (1)
        """
        return self.scale * np.square(residual)

    def residual_slope(self, residual: Array) -> Array:
        """Return 2 scale r."""
        return (2 * self.scale) * residual

    def residual_curvature(self, residual: Array) -> Array:
        """Return 2 scale."""
        return np.full_like(residual, 2 * self.scale)

    def _best_constant(self, target: Array, weight: Array) -> float:
        return float(np.average(target, weights=weight))


class AbsoluteLoss(ResidualLoss):
    """Absolute loss (2).

    absolute   |r|   slope at 0: 0    (2)
    """

    name: ClassVar[str] = "absolute"
    differentiable = False
    lipschitz = 1.0

    def residual_value(self, residual: Array) -> Array:
        """Return (2).

        absolute   |r|   slope at 0: 0    (2)
        """
        return np.abs(residual)

    def residual_slope(self, residual: Array) -> Array:
        """Return the sign of r, 0 at 0."""
        return np.sign(residual)

    def residual_curvature(self, residual: Array) -> Array:
        """Return zero."""
        return np.zeros_like(residual)

    def _best_constant(self, target: Array, weight: Array) -> float:
        return weighted_quantile(target, weight, 0.5)

    def pieces(self, target: Numbers) -> Pieces:
        """Return the lines f - t and t - f."""
        target = self._check_target(np.asarray(target), np.empty(0))
        one = np.ones_like(target)
        return Pieces(np.stack([one, -one]), np.stack([-target, target]))


@dataclass(frozen=True)
class HuberLoss(ResidualLoss):
    """Huber loss (3): squared for small residuals, absolute for large ones.

    Huber   r^2 / 2 if |r| <= delta else delta (|r| - delta / 2)    (3)
    """

    delta: float = 1.0
    name: ClassVar[str] = "Huber"
    smoothness = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", check_number("HuberLoss", "delta", self.delta, 0, open_low=True))

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """Slope outside the square."""
        return self.delta

    def residual_value(self, residual: Array) -> Array:
        """Return (3) as c (|r| - c / 2) with c = min(|r|, delta), without a branch.

        Huber   r^2 / 2 if |r| <= delta else delta (|r| - delta / 2)    (3)
        """
        size = np.abs(residual)
        inner = np.minimum(size, self.delta)
        return inner * (size - inner / 2)

    def residual_slope(self, residual: Array) -> Array:
        """Return r cut to [-delta, delta]."""
        return np.clip(residual, -self.delta, self.delta)

    def residual_curvature(self, residual: Array) -> Array:
        """Return 1 within delta, else 0."""
        return np.asarray(np.abs(residual) <= self.delta).astype(residual.dtype)


@dataclass(frozen=True)
class EpsilonInsensitiveLoss(ResidualLoss):
    """Epsilon-insensitive loss (4) of support vector regression: free inside the tube, linear outside.

        epsilon-insensitive  max(0, |r| - epsilon)   slope at |r| = epsilon: 0    (4)

    Examples
    --------
    >>> from novum.losses import EpsilonInsensitiveLoss
    >>> EpsilonInsensitiveLoss(0.5).value(1.0, [1.0, 1.5, 2.0, -1.0])
    array([0. , 0. , 0.5, 1.5])
    """

    epsilon: float = 0.1
    name: ClassVar[str] = "epsilon-insensitive"
    differentiable = False
    lipschitz = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", check_number("EpsilonInsensitiveLoss", "epsilon", self.epsilon, 0))

    def residual_value(self, residual: Array) -> Array:
        """Return (4).

        epsilon-insensitive  max(0, |r| - epsilon)   slope at |r| = epsilon: 0    (4)
        """
        return np.maximum(0, np.abs(residual) - self.epsilon)

    def residual_slope(self, residual: Array) -> Array:
        """Return the sign of r outside the tube, 0 inside and on its wall."""
        return np.sign(residual) * (np.abs(residual) > self.epsilon)

    def residual_curvature(self, residual: Array) -> Array:
        """Return zero."""
        return np.zeros_like(residual)

    def _best_constant(self, target: Array, weight: Array) -> float:
        walls = np.concatenate([target - self.epsilon, target + self.epsilon])
        return weighted_quantile(walls, np.concatenate([weight, weight]), 0.5)

    def pieces(self, target: Numbers) -> Pieces:
        """Return the lines 0, f - t - epsilon and t - f - epsilon."""
        target = self._check_target(np.asarray(target), np.empty(0))
        one, zero = np.ones_like(target), np.zeros_like(target)
        return Pieces(np.stack([zero, one, -one]), np.stack([zero, -target - self.epsilon, target - self.epsilon]))


@dataclass(frozen=True)
class QuantileLoss(ResidualLoss):
    """Quantile ("pinball") loss (5): its best constant is the quantile of that level.

    quantile   max(-level r, (1 - level) r)   slope at 0: 0    (5)
    """

    level: float = 0.5
    name: ClassVar[str] = "quantile"
    differentiable = False

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "level", check_number("QuantileLoss", "level", self.level, 0, 1, open_low=True, open_high=True)
        )

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """The steeper of the two sides."""
        return max(self.level, 1 - self.level)

    def residual_value(self, residual: Array) -> Array:
        """Return (5).

        quantile   max(-level r, (1 - level) r)   slope at 0: 0    (5)
        """
        return np.maximum(-self.level * residual, (1 - self.level) * residual)

    def residual_slope(self, residual: Array) -> Array:
        """Return 1 - level above, -level below, 0 at the target."""
        dtype = residual.dtype.type
        return (residual > 0) * dtype(1 - self.level) - (residual < 0) * dtype(self.level)

    def residual_curvature(self, residual: Array) -> Array:
        """Return zero."""
        return np.zeros_like(residual)

    def _best_constant(self, target: Array, weight: Array) -> float:
        return weighted_quantile(target, weight, self.level)

    def pieces(self, target: Numbers) -> Pieces:
        """Return the lines -level (f - t) and (1 - level) (f - t)."""
        target = self._check_target(np.asarray(target), np.empty(0))
        slopes = np.stack([np.full_like(target, -self.level), np.full_like(target, 1 - self.level)])
        return Pieces(slopes, -slopes * target)


@dataclass(frozen=True)
class MinkowskiLoss(ResidualLoss):
    """Minkowski loss (6); power 2 favours the mean, 1 the median, powers towards 0 the mode.

        Minkowski   |r|^power   slope at 0: 0    (6)

    Examples
    --------
    >>> from novum.losses import MinkowskiLoss
    >>> [MinkowskiLoss(q).best_constant([1, 2, 4, 10]) for q in (2, 1)]
    [4.25, 3.0]
    """

    power: float = 2.0
    name: ClassVar[str] = "Minkowski"

    def __post_init__(self) -> None:
        object.__setattr__(self, "power", check_number("MinkowskiLoss", "power", self.power, 0, open_low=True))

    @property
    def convex(self) -> bool:  # type: ignore[override]
        """Convex from power 1 on."""
        return self.power >= 1

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """Without a kink above power 1."""
        return self.power > 1

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        """Bounded curvature at power 2 only."""
        return 2.0 if self.power == 2 else np.inf

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """Bounded slope at power 1 only."""
        return 1.0 if self.power == 1 else np.inf

    def residual_value(self, residual: Array) -> Array:
        """Return (6).

        Minkowski   |r|^power   slope at 0: 0    (6)
        """
        return np.abs(residual) ** self.power

    def residual_slope(self, residual: Array) -> Array:
        """Return power |r|^(power-1) sign(r), 0 at 0."""
        size = np.where(residual == 0, 1, np.abs(residual))
        return (self.power * size ** (self.power - 1) * np.sign(residual)).astype(residual.dtype, copy=False)

    def residual_curvature(self, residual: Array) -> Array:
        """Return power (power-1) |r|^(power-2); infinite at 0 for powers between 1 and 2, 0 there below."""
        if self.power == 2:
            return np.full_like(residual, 2.0)
        at_zero = np.inf if 1 < self.power < 2 else 0.0
        size = np.where(residual == 0, 1, np.abs(residual))
        bend = self.power * (self.power - 1) * size ** (self.power - 2)
        return np.where(residual == 0, at_zero, bend).astype(residual.dtype, copy=False)

    def _best_constant(self, target: Array, weight: Array) -> float:
        if self.power == 2:
            return float(np.average(target, weights=weight))
        if self.power == 1:
            return weighted_quantile(target, weight, 0.5)
        if self.power > 1:
            return super()._best_constant(target, weight)
        candidates = np.unique(target)
        step = max(1, CANDIDATES_AT_ONCE // target.size)
        risks = [
            self.residual_value(candidates[i : i + step, None] - target) @ weight
            for i in range(0, candidates.size, step)
        ]
        return float(candidates[np.argmin(np.concatenate(risks))])
