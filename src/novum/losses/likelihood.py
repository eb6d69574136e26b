r"""Losses that are negative log-likelihoods of a distribution with a parameter to predict.

    Gaussian  beta / 2 (f - t)^2 - log(beta) / 2 + log(2 pi) / 2,   f the mean, beta the noise precision     (1)
    beta^     = sum w / sum w (f - t)^2,     the precision that minimises the summed (1) for given f           (2)
    Poisson   exp(f) - t f + log t!,         f the logarithm of the rate, t = 0, 1, 2, ...                     (3)
    gamma     t exp(-f) + f,                 f the logarithm of the mean, t > 0                                (4)

Without the terms that do not depend on f, (1) is half the squared error times beta: the same f is best for every beta,
so f is fitted first and beta afterwards. (4) is written for shape 1, the exponential distribution, without log-terms in t: any
other shape multiplies it.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from novum.exceptions import DataError
from novum.losses.base import Array, Loss
from novum.losses.residual import ResidualLoss
from novum.runtime.checks import check_number, float_array, row_weights
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["GammaLoss", "GaussianLoss", "PoissonLoss"]

LOG_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True)
class GaussianLoss(ResidualLoss):
    """Negative log-likelihood (1) of Gaussian noise with known precision.

        Gaussian  beta / 2 (f - t)^2 - log(beta) / 2 + log(2 pi) / 2,   f the mean, beta the noise precision    (1)

    Examples
    --------
    >>> from novum.losses import GaussianLoss, empirical_risk
    >>> beta = GaussianLoss.estimate_precision([1, 3, 2, 5], [1.1, 2.2, 3.3, 4.4])
    >>> round(beta, 6), round(empirical_risk(GaussianLoss(beta), [1, 3, 2, 5], [1.1, 2.2, 3.3, 4.4]), 6)
    (1.481481, 1.222417)
    """

    precision: float = 1.0
    name: ClassVar[str] = "Gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "precision", check_number("GaussianLoss", "precision", self.precision, 0, open_low=True)
        )

    @property
    def smoothness(self) -> float:  # type: ignore[override]
        """The precision."""
        return self.precision

    def residual_value(self, residual: Array) -> Array:
        """Return (1).

        Gaussian  beta / 2 (f - t)^2 - log(beta) / 2 + log(2 pi) / 2,   f the mean, beta the noise precision    (1)
        """
        return self.precision / 2 * np.square(residual) + (LOG_TWO_PI - float(np.log(self.precision))) / 2

    def residual_slope(self, residual: Array) -> Array:
        """Return beta r."""
        return self.precision * residual

    def residual_curvature(self, residual: Array) -> Array:
        """Return beta."""
        return np.full_like(residual, self.precision)

    def _best_constant(self, target: Array, weight: Array) -> float:
        return float(np.average(target, weights=weight))

    @staticmethod
    def estimate_precision(target: Numbers, prediction: Numbers, sample_weight: RowWeights = None) -> float:
        """Return (2), the maximum-likelihood precision of the noise around given predictions.

        beta^   = sum w / sum w (f - t)^2,   the precision that minimises the summed (1) for given f    (2)
        """
        target, prediction = GaussianLoss().check(target, prediction)
        square = np.square((prediction - target).astype(np.float64)).ravel()
        weight = row_weights("GaussianLoss.estimate_precision", sample_weight, square.size)
        mean = float(np.average(square, weights=weight))
        if mean == 0:
            raise DataError(
                "GaussianLoss.estimate_precision: every prediction equals its target, so the precision is infinite; "
                "use predictions of rows that were held back."
            )
        return 1 / mean


class PoissonLoss(Loss):
    """Negative log-likelihood (3) of counts, in the logarithm of the rate.

    Poisson   exp(f) - t f + log t!,   f the logarithm of the rate, t = 0, 1, 2, ...    (3)
    """

    name: ClassVar[str] = "Poisson"

    def _check_target(self, target: Array, prediction: Array) -> Array:
        target = super()._check_target(target, prediction)
        if target.size and not target.min() >= 0:
            raise DataError(f"PoissonLoss: target holds {target.min():g}; counts are >= 0.")
        return target

    def _value(self, target: Array, prediction: Array) -> Array:
        # t = 0 must not meet f = -infinity in a product.
        linear = np.where(target == 0, 0, target * np.where(target == 0, 0, prediction))
        return (np.exp(prediction) - linear + gammaln(target + 1)).astype(prediction.dtype, copy=False)

    def _gradient(self, target: Array, prediction: Array) -> Array:
        return np.exp(prediction) - target

    def _curvature(self, target: Array, prediction: Array) -> Array:
        return np.exp(prediction) + np.zeros_like(target)

    def response(self, prediction: Numbers) -> Array:
        """Return the rate exp(f)."""
        return np.exp(float_array("PoissonLoss", "prediction", prediction))

    def link(self, mean: Numbers) -> Array:
        """Return the logarithm of the rate."""
        with np.errstate(divide="ignore"):
            return np.log(float_array("PoissonLoss", "mean", mean))

    def _best_constant(self, target: Array, weight: Array) -> float:
        return float(self.link(np.average(target, weights=weight)))


class GammaLoss(Loss):
    """Negative log-likelihood (4) of positive amounts, in the logarithm of their mean.

        gamma   t exp(-f) + f,   f the logarithm of the mean, t > 0    (4)

    Examples
    --------
    >>> from novum.losses import GammaLoss
    >>> GammaLoss().value([2.0], [0.0]), round(GammaLoss().best_constant([1.0, 3.0]), 6)
    (array([2.]), 0.693147)
    """

    name: ClassVar[str] = "gamma"

    def _check_target(self, target: Array, prediction: Array) -> Array:
        target = super()._check_target(target, prediction)
        if target.size and not target.min() > 0:
            raise DataError(f"GammaLoss: target holds {target.min():g}; amounts are > 0.")
        return target

    def _value(self, target: Array, prediction: Array) -> Array:
        return target * np.exp(-prediction) + prediction

    def _gradient(self, target: Array, prediction: Array) -> Array:
        return 1 - target * np.exp(-prediction)

    def _curvature(self, target: Array, prediction: Array) -> Array:
        return target * np.exp(-prediction)

    def response(self, prediction: Numbers) -> Array:
        """Return the mean exp(f)."""
        return np.exp(float_array("GammaLoss", "prediction", prediction))

    def link(self, mean: Numbers) -> Array:
        """Return the logarithm of the mean."""
        with np.errstate(divide="ignore"):
            return np.log(float_array("GammaLoss", "mean", mean))

    def _best_constant(self, target: Array, weight: Array) -> float:
        return float(self.link(np.average(target, weights=weight)))
