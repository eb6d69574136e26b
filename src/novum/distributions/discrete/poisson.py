r"""The Poisson distribution of counts.

    log P(x) = x log r - r - log x!,   x = 0, 1, 2, ...                                            (1)
    eta = log r,  u = x,  h = 1 / x!,  A = e^eta                                                   (2)
    r = sum w x / sum w;   under a Gamma(a, b) prior   r = (sum w x + a - 1) / (sum w + b)         (3)

Draws are quantiles of uniform numbers: the least x with P(X <= x) >= u.
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaincc, gammaln, pdtrik

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.continuous.gamma import Gamma
from novum.distributions.discrete.counts import count_quantile, summed_entropy
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.learning.priors import gamma_mode
from novum.distributions.numerics.deviance import deviance, poisson_log
from novum.distributions.numerics.ops import NUMPY, where_inside
from novum.distributions.numerics.tails import log_gamma_head, log_gamma_tail, whole_isf
from novum.distributions.parameters import Parameter, nonnegative
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Poisson"]


LARGE_RATE = 1e4  # beyond it the plain probability cancels in its twelfth digit


class Constants(NamedTuple):
    log_rate: NDArray
    rate: NDArray
    certain: NDArray  # whether a rate is zero, so that 0 log 0 can occur


class PoissonSums(NamedTuple):
    """Mass and sum of x."""

    mass: NDArray
    total: NDArray


class Poisson(ExponentialFamily):
    """Counts of events that happen at a rate.

    Parameters
    ----------
    rate : float or array
        Zero or more; mean and variance.

    Examples
    --------
    >>> from novum.distributions import Gamma, Poisson
    >>> Poisson.fit([2, 3, 1, 6])
    Poisson(rate=3.)
    >>> Poisson.fit([2, 3, 1, 6], prior=Gamma(2, 1))  # (12 + 2 - 1) / (4 + 1)
    Poisson(rate=2.6)
    """

    rate = Parameter()
    _sums = PoissonSums
    _domain = "counts 0, 1, 2, ..."
    _prior_advice = "give a Gamma"
    support = Support("integers", 0, np.inf)
    n_parameters = 1

    def __init__(self, rate: float | Numbers) -> None:
        self._set(rate=(nonnegative("Poisson", "rate", rate), 0))

    @cached_property
    def _constants(self) -> Constants:
        with np.errstate(divide="ignore"):
            return Constants(np.log(self.rate), self.rate, np.array((self.rate == 0).any()))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        with ops.quiet():  # 0 log 0 at rate zero
            value = x * constants.log_rate
        if constants.certain:
            value = ops.where(x == 0, 0.0, value)
        value = value - ops.gammaln(x + 1)
        value -= constants.rate
        return where_inside(ops, ops.floor(abs(x)) == x, value, x)

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants[:2])

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.poisson(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        u = stream.uniform("poisson", 0, count, self._columns()).reshape(count, *self.batch_shape)
        return self.quantile(u).astype(np.int64)

    @property
    def _large(self) -> bool:
        return bool((self.rate > LARGE_RATE).any())

    def _large_log_prob(self, x: Any) -> Any:
        count = (np.floor(x) == x) & (x >= 0)
        value = poisson_log(np.where(count, x, 0.0), self.rate)
        return where_inside(NUMPY, count, value, x)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        x = np.asarray(x, np.float64)
        if self._large:
            return np.exp(self.log_cdf(x))
        return np.where(x < 0, 0.0, gammaincc(np.floor(np.maximum(x, 0.0)) + 1, self.rate))[()]

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        x = np.asarray(x, np.float64)
        if self._large:
            return np.exp(self.log_sf(x))
        return np.where(x < 0, 1.0, gammainc(np.floor(np.maximum(x, 0.0)) + 1, self.rate))[()]

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        x = np.asarray(x, np.float64)
        inner = log_gamma_tail(np.floor(np.maximum(x, 0.0)) + 1, self.rate)
        return np.where(x < 0, -np.inf, np.where(np.isposinf(x), 0.0, inner))[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        x = np.asarray(x, np.float64)
        inner = log_gamma_head(np.floor(np.maximum(x, 0.0)) + 1, self.rate)
        return np.where(x < 0, 0.0, np.where(np.isposinf(x), -np.inf, inner))[()]

    def isf(self, q: Numbers) -> Any:
        """Return the least count x with P(X > x) <= q."""
        return whole_isf(q, self.sf, self.rate, np.sqrt(self.rate), np.inf)

    def quantile(self, q: Numbers) -> Any:
        """Return the least count x with P(X <= x) >= q."""
        return count_quantile(q, self.cdf, lambda p: pdtrik(p, self.rate), self.rate, np.sqrt(self.rate), np.inf)

    @property
    def mean(self) -> Any:
        return self.rate

    @property
    def var(self) -> Any:
        return self.rate

    @property
    def mode(self) -> Any:
        return np.floor(self.rate)

    def entropy(self) -> Any:
        if not self.batch_shape:
            return summed_entropy(self.rate, np.sqrt(self.rate), np.inf, self.log_prob)
        each = [Poisson(rate).entropy() for rate in self.rate.ravel()]
        return np.reshape(each, self.batch_shape)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other), a deviance."""
        if type(other) is not type(self):
            return super().kl(other)
        return deviance(self.rate, self._same_family(other).rate)[()]

    def natural_parameters(self) -> tuple[NDArray, ...]:
        with np.errstate(divide="ignore"):
            return (np.log(self.rate),)

    def log_partition(self) -> Any:
        return self.rate

    def sufficient_statistics(self, x: Numbers) -> Any:
        return (x,)

    def log_base_measure(self, x: Numbers) -> Any:
        return -gammaln(np.asarray(x) + 1)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (self.rate,)

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        return cls(np.exp(eta[0]))

    def from_mean_statistics(self, *mean: Any) -> Self:
        return type(self)(mean[0])

    def _posterior_mode(self, statistics: Any, prior: Distribution) -> Any:
        if not isinstance(prior, Gamma):
            return super()._posterior_mode(statistics, prior)
        return Poisson(gamma_mode("Poisson", statistics.total, statistics.mass, prior))

    def _inside(self, x: Any) -> Any:
        return (x >= 0) & (x == x.round())

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        return cls(np.ones(tuple(x.shape[1:])))
