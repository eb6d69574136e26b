r"""Penalties on weights: the price of complexity that is added to a risk.

    L2           strength ||w||^2 / 2          prox: w / (1 + t strength)                                    (1)
    L1           strength ||w||_1              prox: sign(w) max(|w| - t strength, 0);  subgradient 0 at 0    (2)
    elastic net  strength (share ||w||_1 + (1 - share) ||w||^2 / 2)                                          (3)

The proximal map argmin_u ||u - w||^2 / 2 + t penalty(u) is what takes kinks in one step.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.runtime.checks import check_number
from novum.runtime.typing import Numbers

__all__ = ["ElasticNetPenalty", "L1Penalty", "L2Penalty", "Penalty"]

Array = NDArray[Any]


class Penalty:
    """The elastic net (3) with any share; the base of the three.

    elastic net  strength (share ||w||_1 + (1 - share) ||w||^2 / 2)    (3)
    """

    strength: float
    share = 0.0

    @property
    def l1(self) -> float:
        """Weight of ||w||_1."""
        return self.strength * self.share

    @property
    def l2(self) -> float:
        """Weight of ||w||^2 / 2."""
        return self.strength * (1 - self.share)

    @property
    def smooth(self) -> bool:
        """Whether there is no kink."""
        return self.l1 == 0

    def value(self, weights: Numbers) -> float:
        """Return the penalty."""
        weights = np.asarray(weights, dtype=np.float64)
        return self.l1 * float(np.abs(weights).sum()) + self.l2 / 2 * float(np.vdot(weights, weights))

    def gradient(self, weights: Numbers) -> Array:
        """Return the gradient, with the subgradient 0 of |w| at 0."""
        weights = np.asarray(weights, dtype=np.float64)
        return self.l1 * np.sign(weights) + self.l2 * weights

    def prox(self, weights: Numbers, step: float) -> Array:
        """Return argmin_u ||u - w||^2 / 2 + step penalty(u)."""
        weights = np.asarray(weights, dtype=np.float64)
        return np.sign(weights) * np.maximum(np.abs(weights) - step * self.l1, 0) / (1 + step * self.l2)

    def _check(self) -> None:
        owner = type(self).__name__
        object.__setattr__(self, "strength", check_number(owner, "strength", self.strength, 0))


@dataclass(frozen=True)
class L2Penalty(Penalty):
    """Half the squared length (1) times `strength`; the sum of squares times lambda is `strength=2 * lambda`.

    L2   strength ||w||^2 / 2   prox: w / (1 + t strength)    (1)
    """

    strength: float = 1.0

    def __post_init__(self) -> None:
        self._check()


@dataclass(frozen=True)
class L1Penalty(Penalty):
    """The sum of absolute weights (2) times `strength`: it sets weights to zero.

    L1   strength ||w||_1   prox: sign(w) max(|w| - t strength, 0);  subgradient 0 at 0    (2)
    """

    strength: float = 1.0
    share = 1.0

    def __post_init__(self) -> None:
        self._check()


@dataclass(frozen=True)
class ElasticNetPenalty(Penalty):
    """Both (3).

    elastic net  strength (share ||w||_1 + (1 - share) ||w||^2 / 2)    (3)
    """

    strength: float = 1.0
    share: float = 0.5

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "share", check_number("ElasticNetPenalty", "share", self.share, 0, 1))
