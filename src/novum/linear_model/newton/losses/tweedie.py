r"""The losses of generalised linear models: how the variance follows the mean, and how the mean follows a line.

Tweedie of power q:   variance = phi mu^q        q = 0 normal, 1 Poisson, (1, 2) with mass at zero, 2 gamma, 3 inverse Gaussian
half the unit deviance, without what only y decides:
    l(y, mu) = mu^{2-q}/(2-q) - y mu^{1-q}/(1-q),     q = 1: mu - y log mu,     q = 2: log mu + y/mu                    (1)
slope dl/dmu = (mu - y)/mu^q;   expected curvature 1/mu^q                                                               (2)
log link  mu = exp(eta):   dl/deta = mu^{2-q} - y mu^{1-q},   d^2l/deta^2 = (2-q) mu^{2-q} - (1-q) y mu^{1-q}            (3)
identity  mu = eta:        as (2); d^2l/deta^2 = (1-q)/mu^q + q y/mu^{q+1}
deviance  d = 2 (l(y, mu) - l(y, y)),   the limit y -> 0 where y is zero                                                (4)
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from novum.linear_model.newton.losses.loss import Array, LossRows

__all__ = ["Tweedie"]


@dataclass(frozen=True)
class Tweedie:
    """A distribution of the Tweedie family and a link."""

    power: float
    link: str  # "log" or "identity"
    scaled: ClassVar[bool] = False

    @property
    def kernel(self) -> tuple[str, float] | None:
        """Name and parameter of the loss in the core, which has all but rare pairs of a distribution and a link."""
        q = float(self.power)
        if self.link == "log":
            return {0.0: None, 1.0: ("poisson", q), 2.0: ("gamma", q)}.get(q, ("tweedie", q))
        return ("squares", q) if q == 0 else None

    def mean(self, eta: Array) -> Array:
        """Return mu."""
        return np.exp(eta) if self.link == "log" else eta

    def loss(self, y: Array, mu: Array) -> Array:
        """Return (1); infinite where mu is outside its range."""
        q = self.power
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if q == 0:
                return 0.5 * (y - mu) ** 2
            if q == 1:
                out = mu - xlogy(y, mu)
            elif q == 2:
                out = np.log(mu) + y / mu
            else:
                out = mu ** (2 - q) / (2 - q) - y * mu ** (1 - q) / (1 - q)
            return np.where(mu > 0, out, np.inf)

    def rows(self, y: Array, eta: Array, s: float = 1.0) -> LossRows:
        """Return what a step needs; the curvature is the exact one where that is positive everywhere, else the expected."""
        q, mu = self.power, self.mean(eta)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if self.link == "log":
                grown, drawn = mu ** (2 - q), y * mu ** (1 - q)
                slope = grown - drawn
                curvature = (2 - q) * grown - (1 - q) * drawn if 1 <= q <= 2 else grown
            else:
                slope = (mu - y) / mu**q
                curvature = 1 / mu**q
        return LossRows(self.loss(y, mu), slope, curvature)

    def expected_curvature(self, mu: Array) -> Array:
        """Return the expected curvature by eta: what the information is made of."""
        return np.asarray(mu ** ((2 if self.link == "log" else 0) - self.power))

    def deviance(self, y: Array, mu: Array) -> Array:
        """Return (4)."""
        q = self.power
        if q == 0:
            return np.asarray((y - mu) ** 2)
        if q == 1:
            return np.asarray(2 * (xlogy(y, y / mu) - y + mu))
        if q == 2:
            return np.asarray(2 * (np.log(mu / y) + y / mu - 1))
        with np.errstate(divide="ignore"):
            own = np.maximum(y, 0) ** (2 - q) / ((1 - q) * (2 - q))
        return np.asarray(2 * (own - y * mu ** (1 - q) / (1 - q) + mu ** (2 - q) / (2 - q)))

    def accepts(self, y: Array) -> bool:
        """Return whether all targets lie in the range of the distribution."""
        if self.power <= 0:
            return True
        return bool((y >= 0).all() if self.power < 2 else (y > 0).all())

    def range_text(self) -> str:
        """Return the range of the target in words."""
        return "any number" if self.power <= 0 else "zero or more" if self.power < 2 else "above zero"

    def greatest_curvature(self, s: float) -> float:
        """Return infinity: curvatures grow with the mean without bound, and steps are halved instead of damped."""
        return np.inf
