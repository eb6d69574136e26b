r"""The exponential distribution of waiting times.

log p(x) = log r - r x,   x >= 0                                                               (1)
eta = -r,   u = x,   h = 1,   A = -log r                                                       (2)
r = sum w / sum w x;   under a Gamma(a, b) prior   r = (sum w + a - 1) / (sum w x + b)         (3)
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.continuous.gamma import Gamma
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.learning.priors import gamma_mode
from novum.distributions.numerics.deviance import excess
from novum.distributions.numerics.ops import where_inside
from novum.distributions.parameters import Parameter, positive
from novum.exceptions import DataError
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Exponential"]


class Constants(NamedTuple):
    minus_rate: NDArray
    log_rate: NDArray


class ExponentialSums(NamedTuple):
    """Mass and sum of x."""

    mass: NDArray
    total: NDArray


class Exponential(ExponentialFamily):
    """Waiting times at a constant rate.

    Parameters
    ----------
    rate : float or array
        Above zero; the mean is 1 / rate.

    Examples
    --------
    >>> from novum.distributions import Exponential
    >>> Exponential.fit([1.0, 2.0, 6.0])
    Exponential(rate=0.33333333)
    >>> float(Exponential(2.0).cdf(0.5).round(6))
    0.632121
    """

    rate = Parameter()
    _sums = ExponentialSums
    _domain = "numbers of zero or more"
    _prior_advice = "give a Gamma"
    support = Support("reals", 0.0, np.inf)
    n_parameters = 1

    def __init__(self, rate: float | Numbers) -> None:
        self._set(rate=(positive("Exponential", "rate", rate), 0))

    @cached_property
    def _constants(self) -> Constants:
        return Constants(-self.rate, np.log(self.rate))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        value = x * constants.minus_rate
        value += constants.log_rate
        return where_inside(ops, x >= 0, value, x)

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants[:2])

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.exponential(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        drawn = stream.exponential("exponential", 0, count, self._columns())
        return drawn.reshape(count, *self.batch_shape) / self.rate

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        return -np.expm1(-self.rate * np.maximum(x, 0.0))

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        return np.exp(self.log_sf(x))

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        reach = self.rate * np.maximum(x, 0.0)
        with np.errstate(divide="ignore"):
            return np.where(reach < 0.5, np.log(-np.expm1(-reach)), np.log1p(-np.exp(-reach)))[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return -self.rate * np.maximum(x, 0.0)

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q."""
        q = np.asarray(q, np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where((q >= 0) & (q <= 1), -np.log(q) / self.rate, np.nan)[()]

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(np.asarray(q) >= 0, -np.log1p(-np.asarray(q, np.float64)) / self.rate, np.nan)[()]

    @property
    def mean(self) -> Any:
        return 1 / self.rate

    @property
    def var(self) -> Any:
        return 1 / self.rate**2

    @property
    def mode(self) -> Any:
        return np.zeros(self.batch_shape)

    def entropy(self) -> Any:
        return 1 - np.log(self.rate)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other), in the form that keeps its digits for close and for far rates."""
        if type(other) is not type(self):
            return super().kl(other)
        return excess(self._same_family(other).rate / self.rate - 1)[()]

    def natural_parameters(self) -> tuple[NDArray, ...]:
        return (-self.rate,)

    def log_partition(self) -> Any:
        return -np.log(self.rate)

    def sufficient_statistics(self, x: Numbers) -> Any:
        return (x,)

    def log_base_measure(self, x: Numbers) -> Any:
        return np.zeros(np.shape(x))

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (self.mean,)

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        return cls(-np.asarray(eta[0], np.float64))

    def from_mean_statistics(self, *mean: Any) -> Any:
        if (mean[0] <= 0).any():
            raise DataError("Exponential: the data are all zero, so the rate would be infinite; give data above zero.")
        return Exponential(1 / mean[0])

    def _posterior_mode(self, statistics: Any, prior: Distribution) -> Any:
        if not isinstance(prior, Gamma):
            return super()._posterior_mode(statistics, prior)
        return Exponential(gamma_mode("Exponential", statistics.mass, statistics.total, prior))

    def _inside(self, x: Any) -> Any:
        return x >= 0

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        return cls(np.ones(tuple(x.shape[1:])))
