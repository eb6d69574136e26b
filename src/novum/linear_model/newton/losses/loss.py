"""What a loss l(y, eta) is to Newton's method: value, slope and curvature of every row, by eta = x'b + a.

A loss may have a scale s > 0 beside the line (`scaled`), which is then the last parameter. A new loss is a file with a class of
these members: enough for `newton`, or `damped_newton` where there is a scale. Its estimator follows robust/huber.py. One on
GeneralizedLinearModel (generalized/estimators.py) also needs the other members of `Tweedie`: power, link, mean, deviance, ...
These are not the public losses of `novum.losses`, which know no line and no scale.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Loss", "LossRows"]

Array = NDArray[np.float64]


class LossRows(NamedTuple):
    """Of every row; the last three only where a scale is fitted."""

    loss: Array
    slope: Array  # by eta
    curvature: Array  # by eta, not negative
    scale_slope: Array | None = None  # by s
    cross: Array | None = None  # by eta and s
    scale_curvature: Array | None = None  # by s, twice


class Loss(Protocol):
    """A loss by the linear predictor."""

    @property
    def scaled(self) -> bool:
        """Whether the parameters end with a scale s > 0."""

    @property
    def kernel(self) -> tuple[str, float] | None:
        """Name and parameter of the loss in _core.linear_model.newton, None where only `rows` knows it."""

    def rows(self, y: Array, eta: Array, s: float) -> LossRows:
        """Return what a step needs of every row."""

    def accepts(self, y: Array) -> bool:
        """Return whether all targets are in the range of the loss."""

    def greatest_curvature(self, s: float) -> float:
        """Return the largest curvature by eta that any row can have at a scale, which damping is measured by."""
