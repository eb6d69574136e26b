r"""The binomial distribution: successes in n independent trials.

    log P(x) = log C(n, x) + x log p + (n - x) log(1 - p),   x = 0, ..., n                         (1)
    eta = log(p / (1 - p)),   u = x,   h = C(n, x),   A = n log(1 + e^eta)                         (2)
    p = sum w x / (n sum w);   under a Beta(a, b) prior   p = (sum w x + a - 1) / (n sum w + a + b - 2)   (3)

The number of trials is known, not learned.
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrik, betainc, betaincc, expit, gammaln

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.continuous.beta import Beta
from novum.distributions.discrete.counts import count_quantile, summed_entropy
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.learning.priors import beta_mode
from novum.distributions.numerics.deviance import bernoulli_divergence, binomial_log
from novum.distributions.numerics.ops import NUMPY, where_inside
from novum.distributions.numerics.tails import log_beta_tail, whole_isf
from novum.distributions.parameters import Parameter, probability, whole_numbers
from novum.exceptions import DataError, ParameterError
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Binomial"]


LARGE_N = 1e4  # beyond it the plain probability cancels in its twelfth digit


class Constants(NamedTuple):
    n: NDArray
    log_success: NDArray
    log_failure: NDArray
    log_factorial: NDArray
    certain: NDArray  # whether a p is 0 or 1, so that 0 log 0 can occur


class Counts(NamedTuple):
    """Mass of the rows and their successes."""

    mass: NDArray
    successes: NDArray


class Binomial(ExponentialFamily):
    """The number of successes in n trials.

    Parameters
    ----------
    n : int or array
        Trials.
    p : float or array
        Probability of success.

    Examples
    --------
    >>> from novum.distributions import Binomial
    >>> model = Binomial(7, 0.5)
    >>> float(model.prob(4).round(7)), float(model.mean), float(model.var)
    (0.2734375, 3.5, 1.75)
    >>> float(Binomial.fit([4, 5, 3], n=7).p.round(6))
    0.571429
    """

    n = Parameter()
    p = Parameter()
    _sums = Counts
    _domain = "counts 0, ..., n"
    _prior_advice = "give a Beta"
    _fit_options = ("n",)
    n_parameters = 1

    def __init__(self, n: int | Numbers, p: float | Numbers) -> None:
        self._set(n=(whole_numbers("Binomial", "n", n), 0), p=(probability("Binomial", "p", p), 0))

    @cached_property
    def _constants(self) -> Constants:
        with np.errstate(divide="ignore"):
            certain = np.array(((self.p == 0) | (self.p == 1)).any())
            return Constants(self.n, np.log(self.p), np.log1p(-self.p), gammaln(self.n + 1), certain)

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        rest = constants.n - x
        with ops.quiet():
            success, failure = x * constants.log_success, rest * constants.log_failure
        if constants.certain:
            success, failure = ops.where(x == 0, 0.0, success), ops.where(rest == 0, 0.0, failure)
        value = constants.log_factorial - ops.gammaln(x + 1) - ops.gammaln(rest + 1) + success + failure
        return where_inside(ops, (ops.floor(abs(x)) == x) & (rest >= 0), value, x + rest)

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants[:4])

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.binomial(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        u = stream.uniform("binomial", 0, count, self._columns()).reshape(count, *self.batch_shape)
        return self.quantile(u).astype(np.int64)

    @property
    def _large(self) -> bool:
        return bool((self.n > LARGE_N).any())

    def _large_log_prob(self, x: Any) -> Any:
        count = (np.floor(x) == x) & (x >= 0) & (x <= self.n)
        value = binomial_log(np.where(count, x, 0.0), self.n, self.p, 1 - self.p)
        return where_inside(NUMPY, count, value, x + 0.0 * self.n)

    def _split(self, x: Any) -> tuple[NDArray, NDArray, NDArray]:
        """Return the whole counts below x, and the two parameters of the incomplete beta function of p."""
        k = np.floor(np.asarray(x, np.float64))
        inner = np.clip(k, 0.0, np.maximum(self.n - 1, 0.0))
        return k, inner + 1, np.maximum(self.n - inner, 1e-300)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        k, a, b = self._split(x)
        return np.where(k < 0, 0.0, np.where(k >= self.n, 1.0, betaincc(a, b, self.p)))[()]

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        k, a, b = self._split(x)
        return np.where(k < 0, 1.0, np.where(k >= self.n, 0.0, betainc(a, b, self.p)))[()]

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        k, a, b = self._split(x)
        inner = log_beta_tail(b, a, 1 - self.p, self.p)
        return np.where(k < 0, -np.inf, np.where(k >= self.n, 0.0, inner))[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        k, a, b = self._split(x)
        inner = log_beta_tail(a, b, self.p, 1 - self.p)
        return np.where(k < 0, 0.0, np.where(k >= self.n, -np.inf, inner))[()]

    def isf(self, q: Numbers) -> Any:
        """Return the least count x with P(X > x) <= q."""
        return whole_isf(q, self.sf, self.mean, self.std, self.n)

    def quantile(self, q: Numbers) -> Any:
        """Return the least count x with P(X <= x) >= q."""
        return count_quantile(q, self.cdf, lambda r: bdtrik(r, self.n, self.p), self.mean, self.std, self.n)

    @property
    def mean(self) -> Any:
        return self.n * self.p

    @property
    def var(self) -> Any:
        return self.n * self.p * (1 - self.p)

    @property
    def mode(self) -> Any:
        return np.minimum(np.floor((self.n + 1) * self.p), self.n)

    @property
    def support(self) -> Any:
        return Support("integers", 0, self.n)

    def entropy(self) -> Any:
        if not self.batch_shape:
            return summed_entropy(self.mean, self.std, self.n, self.log_prob)
        each = [Binomial(n, p).entropy() for n, p in zip(self.n.ravel(), self.p.ravel())]
        return np.reshape(each, self.batch_shape)

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other), for equal numbers of trials."""
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        if np.any(self.n != other.n):
            raise ParameterError(f"Binomial.kl(other={other!r}): other must have the same number of trials n.")
        return bernoulli_divergence(self.p, other.p, self.n)

    def natural_parameters(self) -> tuple[NDArray, ...]:
        with np.errstate(divide="ignore"):
            return (np.log(self.p) - np.log1p(-self.p),)

    def log_partition(self) -> Any:
        with np.errstate(divide="ignore"):
            return -self.n * np.log1p(-self.p)

    def sufficient_statistics(self, x: Numbers) -> Any:
        return (x,)

    def log_base_measure(self, x: Numbers) -> Any:
        x = np.asarray(x, np.float64)
        return gammaln(self.n + 1) - gammaln(x + 1) - gammaln(self.n - x + 1)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return (self.mean,)

    @classmethod
    def from_natural(cls, *eta: Any, n: Numbers = 1) -> Self:
        """Return the distribution with natural parameter eta and n trials."""
        return cls(n, expit(eta[0]))

    def from_mean_statistics(self, *mean: Any) -> Any:
        share = mean[0] / np.where(self.n > 0, self.n, 1.0)
        if (share > 1 + 1e-9).any():
            raise DataError(f"Binomial: the data hold more successes than n={np.max(self.n):g} trials; raise n.")
        return Binomial(self.n, np.minimum(share, 1.0))

    def _posterior_mode(self, statistics: Any, prior: Distribution) -> Any:
        if not isinstance(prior, Beta):
            return super()._posterior_mode(statistics, prior)
        failures = self.n * statistics.mass - statistics.successes
        return Binomial(self.n, beta_mode("Binomial", statistics.successes, failures, prior))

    def _inside(self, x: Any) -> Any:
        return (x >= 0) & (x == x.round()) & (x <= float(self.n.max(initial=0)))

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, *, n: Any = None, **options: Any) -> Any:
        if n is None:
            raise ParameterError("Binomial.fit(n=None): the number of trials is not learned; give n.")
        return cls(np.broadcast_to(whole_numbers("Binomial", "n", n), tuple(x.shape[1:])), 0.5)
