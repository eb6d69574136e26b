r"""Huber's loss with the scale of the noise beside the line.

    l(y, eta, s) = s + s H((y - eta)/s),     H(z) = z^2 where |z| <= e, else 2 e |z| - e^2                                  (1)

With z = (y - eta)/s, inside |z| <= e and outside it:

    d/deta = -2 z,  outside -2 e sign(y - eta);        d/ds = 1 - z^2,  outside 1 - e^2                                     (2)
    second derivatives inside: 2/s by eta, 2 z/s by eta and s, 2 z^2/s by s; outside none                                   (3)

s H(r/s) is the perspective of a convex function, so that (1) is convex in the line and the scale together.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from novum.linear_model.newton.losses.loss import Array, LossRows

__all__ = ["Huber"]


@dataclass(frozen=True)
class Huber:
    """(1): squares near the line, sizes far from it."""

    epsilon: float  # e
    scaled: ClassVar[bool] = True

    @property
    def kernel(self) -> tuple[str, float]:
        """Name and parameter of the loss in the core."""
        return "huber", self.epsilon

    def rows(self, y: Array, eta: Array, s: float) -> LossRows:
        """Return (1) to (3) of every row."""
        e, r = self.epsilon, y - eta
        size = np.abs(r)
        inside = size <= e * s
        z = np.where(inside, r / s, 0.0)
        loss = np.where(inside, s + r * z, s - s * e**2 + 2 * e * size)
        curvature = np.where(inside, 2 / s, 0.0)
        return LossRows(
            loss,
            slope=np.where(inside, -2 * z, -2 * e * np.sign(r)),
            curvature=curvature,
            scale_slope=np.where(inside, 1 - z**2, 1 - e**2),
            cross=curvature * z,
            scale_curvature=curvature * z**2,
        )

    def accepts(self, y: Array) -> bool:
        """Return True: every number is a target."""
        return True

    def greatest_curvature(self, s: float) -> float:
        """Return that of the rows inside."""
        return 2 / s
