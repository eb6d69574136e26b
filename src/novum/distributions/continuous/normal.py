r"""The normal distribution.

    log p(x) = -(x - m)^2 / (2 v) - 1/2 log(2 pi v)                                                (1)
    eta = (m/v, -1/(2v)),  u = (x, x^2),  h = (2 pi)^(-1/2),  A = m^2/(2v) + 1/2 log v             (2)

Maximum likelihood from the sums about the object's own mean c, with mass W = sum w_i:

    first = sum w (x - c),   second = sum w (x - c)^2                                              (3)
    m = c + first/W,   v = second/W - (first/W)^2                                                  (4)

Under a NormalGamma(m0, k, a, b) prior of (mean, precision) the mode of the posterior is

    m = (k m0 + sum w x) / (k + W),   v = (b + 1/2 [W v_ML + k W/(k + W) (m_ML - m0)^2]) / (a + (W - 1)/2)    (5)
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from novum.distributions.base import Distribution, Support
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.multivariate.normal_gamma import NormalGamma
from novum.distributions.numerics.deviance import excess
from novum.distributions.parameters import Parameter, finite, positive
from novum.exceptions import DataError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Normal"]

LOG_2PI = float(np.log(2 * np.pi))
FAR_SHIFT = 1e4  # squared distance of start and mean, in variances, beyond which (4) would lose four digits


class Constants(NamedTuple):
    mean: NDArray
    minus_half_precision: NDArray
    log_peak: NDArray


class NormalSums(NamedTuple):
    """Mass and the sums (3)."""

    mass: NDArray
    first: NDArray
    second: NDArray


def moments_of(sums: NormalSums) -> tuple[NDArray, NDArray]:
    """Return the mean about the shift and the variance of (4); zero where there is no mass."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)
    offset = sums.first / mass
    return offset, np.maximum(sums.second / mass - offset**2, 0.0)


class Normal(ConjugatePrior, ExponentialFamily):
    """The normal distribution with a mean and a variance.

    Parameters
    ----------
    mean : float or array, default=0
    var : float or array, default=1
        The variance, above zero.

    Examples
    --------
    >>> from novum.distributions import Normal
    >>> model = Normal.fit([1.0, 2.0, 3.0, 4.0, 10.0])
    >>> model
    Normal(mean=4., var=10.)
    >>> float(model.log_prob([1.0, 2.0, 3.0, 4.0, 10.0]).sum().round(6))
    -12.851155
    >>> Normal([0.0, 1.0], 4.0).cdf(1.0).round(6)
    array([0.691462, 0.5     ])
    """

    mean = Parameter()
    var = Parameter()
    _sums = NormalSums
    _prior_advice = "give a NormalGamma"
    support = Support("reals", -np.inf, np.inf)
    n_parameters = 2

    def __init__(self, mean: float | Numbers = 0.0, var: float | Numbers = 1.0) -> None:
        self._set(mean=(finite("Normal", "mean", mean), 0), var=(positive("Normal", "var", var), 0))

    @cached_property
    def _constants(self) -> Constants:
        return Constants(self.mean, -0.5 / self.var, -0.5 * (LOG_2PI + np.log(self.var)))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        value = x - constants.mean
        value *= value
        value *= constants.minus_half_precision
        value += constants.log_peak
        return value

    def _draw(self, stream: Any, count: Any) -> Any:
        drawn = stream.normal("normal", 0, count, self._columns()).reshape(count, *self.batch_shape)
        return self.mean + self.std * drawn

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        return ndtr((np.asarray(x) - self.mean) / self.std)

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        return ndtr((self.mean - np.asarray(x)) / self.std)

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        return log_ndtr((np.asarray(x) - self.mean) / self.std)

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return log_ndtr((self.mean - np.asarray(x)) / self.std)

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q."""
        return self.mean + self.std * ndtri(q)

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q."""
        return self.mean - self.std * ndtri(q)

    @property
    def mode(self) -> Any:
        return self.mean

    def entropy(self) -> Any:
        return 0.5 * (1 + LOG_2PI + np.log(self.var))

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other), in the form that keeps its digits for close distributions."""
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        ratio = self.var / other.var - 1
        return 0.5 * (excess(ratio) + (self.mean - other.mean) ** 2 / other.var)

    def natural_parameters(self) -> tuple[NDArray, ...]:
        return self.mean / self.var, -0.5 / self.var

    def log_partition(self) -> Any:
        return 0.5 * (self.mean**2 / self.var + np.log(self.var))

    def sufficient_statistics(self, x: Any) -> tuple[NDArray, ...]:
        return x, x * x

    def log_base_measure(self, x: Numbers) -> Any:
        return np.full(np.shape(x), -0.5 * LOG_2PI)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return self.mean, self.var + self.mean**2

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        first, second = (np.asarray(part, np.float64) for part in eta)
        return cls(-0.5 * first / second, -0.5 / second)

    def from_mean_statistics(self, *mean: Any) -> Self:
        first, second = mean
        return type(self)(first, second - first**2)

    def statistics(self, x: Numbers, weight: RowWeights = None) -> NormalSums:
        """Return the mass and the sums (3) about this mean.

        first = sum w (x - c),   second = sum w (x - c)^2    (3)
        """
        x, weight = self._aligned(x, weight)
        offset = x - arrays.like(x, self.mean, "float64")
        return NormalSums(self._mass(x, weight), self._sum(offset, weight), self._sum(offset * offset, weight))

    def from_statistics(self, statistics: NormalSums, prior: Any = None) -> "Normal":
        """Return (4), or (5) with a NormalGamma prior.

        m = c + first/W,   v = second/W - (first/W)^2    (4)
        m = (k m0 + sum w x) / (k + W),   v = (b + 1/2 [W v_ML + k W/(k + W) (m_ML - m0)^2]) / (a + (W - 1)/2)    (5)
        """
        if prior is not None:
            return self._posterior_mode(statistics, prior)
        offset, var = moments_of(statistics)
        if ((var == 0) & (statistics.mass > 0)).any():
            raise DataError(
                "Normal: the data of a distribution are all equal, so its variance would be zero; give a prior"
                " (NormalGamma) or data that vary."
            )
        return self._kept(statistics, Normal(self.mean + offset, np.where(var > 0, var, 1.0)), None)

    def _posterior_mode(self, statistics: Any, prior: Any) -> Any:
        if not isinstance(prior, NormalGamma):
            return super()._posterior_mode(statistics, prior)
        offset, var = moments_of(statistics)
        mass, mean = statistics.mass, self.mean + offset
        total = prior.strength + mass
        scatter = mass * var + prior.strength * mass / total * (mean - prior.center) ** 2
        center = prior.center + mass / total * (mean - prior.center)
        return Normal(center, (prior.rate + 0.5 * scatter) / (prior.shape + 0.5 * (mass - 1)))

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        near = cls(np.zeros(tuple(x.shape[1:])), 1.0)
        if x.shape[0] == 0:
            return near
        near = cls(arrays.to_numpy(x[0]), 1.0)
        offset, var = moments_of(near.statistics(x, weight))
        return cls(near.mean + offset, np.where(var > 0, var, 1.0))

    def _begin_again(self, found: Any) -> Any:
        return bool(((found.mean - self.mean) ** 2 > FAR_SHIFT * found.var).any())
