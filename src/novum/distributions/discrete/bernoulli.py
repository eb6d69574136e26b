r"""The Bernoulli distribution: one trial that succeeds with probability p.

log P(x) = x log p + (1 - x) log(1 - p),   x in {0, 1}                                         (1)
eta = log(p / (1 - p)),   u = x,   h = 1,   A = log(1 + e^eta)                                 (2)
p = sum w x / sum w;   under a Beta(a, b) prior   p = (sum w x + a - 1) / (sum w + a + b - 2)  (3)
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, expit, xlog1py

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.continuous.beta import Beta
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.learning.priors import beta_mode
from novum.distributions.numerics.deviance import bernoulli_divergence
from novum.distributions.numerics.tails import log_of, log_one_minus
from novum.distributions.parameters import Parameter, probability
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Bernoulli"]


class Constants(NamedTuple):
    log_success: NDArray
    log_failure: NDArray


class Counts(NamedTuple):
    """Mass of all rows and of the successes."""

    mass: NDArray
    successes: NDArray


class Bernoulli(ExponentialFamily):
    """A trial with outcome 1 (probability p) or 0.

    Parameters
    ----------
    p : float or array
        Probability of 1.

    Examples
    --------
    >>> from novum.distributions import Bernoulli, Beta
    >>> tosses = [1, 1, 0, 0, 0, 1, 1]
    >>> Bernoulli.fit(tosses)
    Bernoulli(p=0.57142857)
    >>> Bernoulli.fit(tosses, prior=Beta(2, 2))  # the mode of the posterior: 5/9
    Bernoulli(p=0.55555556)
    """

    p = Parameter()
    _sums = Counts
    _domain = "zeros and ones"
    _prior_advice = "give a Beta"
    support = Support("integers", 0, 1)
    n_parameters = 1

    def __init__(self, p: float | Numbers) -> None:
        self._set(p=(probability("Bernoulli", "p", p), 0))

    @cached_property
    def _constants(self) -> Constants:
        with np.errstate(divide="ignore"):
            return Constants(np.log(self.p), np.log1p(-self.p))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        other = ops.where(x == 0, constants.log_failure, ops.where(x == x, -np.inf, x))
        return ops.where(x == 1, constants.log_success, other)

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants[:2])

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.bernoulli(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        drawn = stream.uniform("bernoulli", 0, count, self._columns()).reshape(count, *self.batch_shape)
        return (drawn < self.p).astype(np.int64)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        x = np.asarray(x, np.float64)
        return np.where(np.isnan(x), np.nan, np.where(x < 0, 0.0, np.where(x < 1, 1 - self.p, 1.0)))[()]

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        x = np.asarray(x, np.float64)
        return np.where(np.isnan(x), np.nan, np.where(x < 0, 1.0, np.where(x < 1, self.p, 0.0)))[()]

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        x = np.asarray(x, np.float64)
        inner = np.where(x < 0, -np.inf, np.where(x < 1, log_one_minus(self.p), 0.0))
        return np.where(np.isnan(x), np.nan, inner)[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return log_of(self.sf(x))

    def isf(self, q: Numbers) -> Any:
        """Return the least outcome x with P(X > x) <= q."""
        q = np.asarray(q, np.float64)
        return np.where((q >= 0) & (q <= 1), np.where(q >= self.p, 0.0, 1.0), np.nan)[()]

    def quantile(self, q: Numbers) -> Any:
        """Return the least outcome x with P(X <= x) >= q."""
        q = np.asarray(q, np.float64)
        return np.where((q >= 0) & (q <= 1), np.where(q <= 1 - self.p, 0.0, 1.0), np.nan)[()]

    @property
    def mean(self) -> Any:
        return self.p

    @property
    def var(self) -> Any:
        return self.p * (1 - self.p)

    @property
    def mode(self) -> Any:
        return (self.p > 0.5).astype(np.float64)

    def entropy(self) -> Any:
        return entr(self.p) - xlog1py(1 - self.p, -self.p)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other); infinite where other cannot do what self does."""
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        return bernoulli_divergence(self.p, other.p)

    def natural_parameters(self) -> tuple[NDArray, ...]:
        with np.errstate(divide="ignore"):
            return (np.log(self.p) - np.log1p(-self.p),)

    def log_partition(self) -> Any:
        with np.errstate(divide="ignore"):
            return -np.log1p(-self.p)

    def sufficient_statistics(self, x: Numbers) -> Any:
        return (x,)

    def log_base_measure(self, x: Numbers) -> Any:
        return np.zeros(np.shape(x))

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (self.p,)

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        return cls(expit(eta[0]))

    def from_mean_statistics(self, *mean: Any) -> Self:
        return type(self)(np.clip(mean[0], 0.0, 1.0))  # rounding of weighted sums

    def _posterior_mode(self, statistics: Any, prior: Any) -> Any:
        if not isinstance(prior, Beta):
            return super()._posterior_mode(statistics, prior)
        return Bernoulli(beta_mode("Bernoulli", statistics.successes, statistics.mass - statistics.successes, prior))

    def _inside(self, x: Any) -> Any:
        return (x == 0) | (x == 1)

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        return cls(np.full(tuple(x.shape[1:]), 0.5))
