r"""The losses that boosting descends: definitions, starts and responses from novum.losses, slopes from the compiled kernels.

    F_0 = argmin_c sum_i w_i l(t_i, c)                                                                 (1)

The kernels (cpp/include/novum/trees/boosting.h) compute `gradient` and `curvature` of the same definitions; where the
curvature is no guide (absolute, quantile) it is one and leaves are refitted by the quantile of their residuals, and the
Huber loss takes its bound, one. Its width comes from the data: the `quantile` of |t - median|, 0.9 by default. `score` is
-sum w l / sum w without the terms that depend on the target alone.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.moments.exact_sums import LIMBS, exact_limbs, exact_ratio, exact_value
from novum.losses import (
    AbsoluteLoss,
    CrossEntropyLoss,
    GammaLoss,
    HuberLoss,
    Loss,
    PoissonLoss,
    QuantileLoss,
    SquaredLoss,
)
from novum.losses.residual import weighted_quantile

__all__ = ["FOLDED", "Descent", "descent_of"]

KERNELS = (
    "squared_error",
    "absolute_error",
    "quantile",
    "huber",
    "poisson",
    "gamma",
    "log_loss",
)  # novum::boosting::Loss
FOLDED = (
    "squared_error",
    "absolute_error",
    "quantile",
    "poisson",
    "gamma",
    "log_loss",
)  # what passes over blocks can do
HUBER_SHARE = 0.9  # of the rows whose first residual lies within the square
FARTHEST_START = (
    36.0  # log-odds of a class that never or always occurs: the last that a double distinguishes from certainty
)


class Descent(NamedTuple):
    """One loss, ready to be descended."""

    loss: Loss
    kernel: int
    parameter: float  # level of a quantile, width of Huber's square
    outputs: int  # raw scores per row; more than one: a class each
    refit: float | None  # the level of the quantile that leaves are refitted by

    def start(self, target: NDArray, weight: NDArray | None) -> NDArray:
        """Return (1), one number per output; several classes share out zero."""
        if self.by_mean:
            return self.start_of(self.start_sums(target, weight))
        return np.array([self.loss.best_constant(target, weight)])

    @property
    def by_mean(self) -> bool:
        """Whether (1) is a function of the mean of the target: then blocks of rows can make it."""
        return isinstance(self.loss, SquaredLoss | PoissonLoss | GammaLoss | CrossEntropyLoss)

    def start_sums(self, target: NDArray, weight: NDArray | None) -> NDArray:
        """Return what (1) needs, as exact sums (novum.engines.moments.exact_sums): of w t and w, or the weights of the classes."""
        ones = np.ones(len(target)) if weight is None else weight
        if self.outputs == 1:
            return np.stack([exact_limbs(target, weight), exact_limbs(ones)])
        return np.stack([exact_limbs(ones[target == k]) for k in range(self.outputs)])

    def start_of(self, sums: NDArray) -> NDArray:
        """Return (1) from the sums of all rows."""
        if self.outputs == 1:
            best = float(self.loss.link(exact_ratio(sums[0], sums[1])))
            return np.array([np.clip(best, *self._start_range())])
        share = np.array([exact_ratio(part, sums.sum(axis=0)) for part in sums])
        logs = np.maximum(self.loss.link(share[None])[0], -FARTHEST_START)
        return logs - logs.mean()

    def _start_range(self) -> tuple[float, float]:
        far = FARTHEST_START if isinstance(self.loss, CrossEntropyLoss) else np.inf
        return -far, far

    def slopes(self, team: Any, target: NDArray, raw: NDArray, weight: NDArray | None, pairs: NDArray) -> list:
        """Write gradient and curvature of every output into pairs of shape (outputs, n, 2), in fixed point; return their units."""
        if self.outputs == 1:
            return [_core.trees.boosting.slopes(team, self.kernel, self.parameter, target, raw[0], weight, pairs[0])]
        probability = np.empty_like(raw)
        _core.trees.boosting.softmax(team, raw, probability)
        return [
            _core.trees.boosting.class_slopes(team, probability[k], target, weight, float(k), pairs[k])
            for k in range(self.outputs)
        ]

    def total(self, team: Any, target: NDArray, raw: NDArray, weight: NDArray | None) -> NDArray:
        """Return the sum of the losses of raw scores of shape (outputs, n), exactly."""
        limbs = np.zeros(LIMBS, np.int64)
        if self.outputs > 1:
            _core.trees.boosting.class_total(team, raw, target, weight, limbs)
        else:
            _core.trees.boosting.total(team, self.kernel, self.parameter, target, raw[0], weight, limbs)
        return limbs

    def score(self, team: Any, target: NDArray, raw: NDArray, weight: NDArray | None) -> float:
        """Return minus the mean loss of raw scores of shape (outputs, n)."""
        mass = float(len(target)) if weight is None else exact_value(exact_limbs(weight))
        return -exact_value(self.total(team, target, raw, weight)) / mass


def descent_of(name: str, target: NDArray, weight: NDArray | None, quantile: float | None, outputs: int = 1) -> Descent:
    """Return the descent of the loss called `name`."""
    kernel = KERNELS.index(name)
    if name == "quantile":
        assert quantile is not None  # checked with the parameters
        return Descent(QuantileLoss(quantile), kernel, quantile, 1, quantile)
    if name == "absolute_error":
        return Descent(AbsoluteLoss(), kernel, 0.0, 1, 0.5)
    if name == "huber":
        ones = np.ones(len(target)) if weight is None else weight
        residual = np.abs(target - weighted_quantile(target, ones, 0.5))
        width = weighted_quantile(residual, ones, HUBER_SHARE if quantile is None else quantile)
        width = width if width > 0 else float(residual.max()) or 1.0
        return Descent(HuberLoss(width), kernel, width, 1, None)
    loss = {
        "squared_error": SquaredLoss(scale=0.5),
        "poisson": PoissonLoss(),
        "gamma": GammaLoss(),
        "log_loss": CrossEntropyLoss(),
    }[name]
    return Descent(loss, kernel, 0.0, outputs, None)
