r"""The Gamma distribution, by shape a and rate b.

    log p(x) = a log b - log Gamma(a) + (a - 1) log x - b x,   x > 0                               (1)
    eta = (a - 1, -b),  u = (log x, x),  h = 1,  A = log Gamma(a) - a log b                        (2)

Maximum likelihood: b = a / mean(x), and the shape solves, with s = log mean(x) - mean(log x) >= 0,

    log a - digamma(a) = s                                                                         (3)

The statistics are taken about the mean c of the object, sum w log(x/c) and sum w (x - c), so that s keeps its digits. Newton's
method runs on 1/a (Minka 2002), which is close to linear in s:

    1/a <- 1/a - (log a - digamma(a) - s) / (a^2 (trigamma(a) - 1/a))                              (4)
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammainc, gammaincc, gammainccinv, gammaincinv, gammaln, ndtri, polygamma

from novum import _core
from novum.distributions.base import Distribution, Support
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.numerics.deviance import digamma_gap, excess, poisson_log, stirling_error
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.numerics.ops import NUMPY, ops_of, where_inside
from novum.distributions.numerics.tails import log_gamma_head, log_gamma_tail
from novum.distributions.parameters import Parameter, positive
from novum.exceptions import DataError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Gamma"]

LOG_2PI = float(np.log(2 * np.pi))
LARGE_SHAPE = 1e4  # beyond it the plain density cancels in its twelfth digit
NEWTON_STEPS = 30  # (4) needs five or six; the rest is for shapes near the ends of the floats
LARGEST_SHAPE = 1e12  # beyond it s is lost in rounding: the data are equal


class Constants(NamedTuple):
    power: NDArray  # a - 1
    rate: NDArray
    log_norm: NDArray
    at_zero: NDArray


class GammaSums(NamedTuple):
    """Mass, sum of log(x/c) and sum of x - c, with c the mean of the object that made them."""

    mass: NDArray
    log_ratio: NDArray
    offset: NDArray


def shape_from(s: NDArray) -> NDArray:
    """Return the solution of (3) for every s > 0."""
    a = (3 - s + np.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)
    for _ in range(NEWTON_STEPS):
        gap = log_minus_digamma(a) - s
        new = 1 / (1 / a - gap / (a * a * (polygamma(1, a) - 1 / a)))
        a, before = np.where(new > 0, new, a / 2), a
        if (np.abs(a - before) <= 4 * np.finfo(float).eps * a).all():
            break
    return a


def log_minus_digamma(a: NDArray) -> NDArray:
    """Return log a - digamma(a), by its asymptotic series where the difference would cancel."""
    return digamma_gap(a)


class Gamma(ConjugatePrior, ExponentialFamily):
    """The Gamma distribution of positive numbers, with mean shape / rate.

    Parameters
    ----------
    shape, rate : float or array
        Above zero. The scale of other libraries is 1 / rate.

    Examples
    --------
    >>> from novum.distributions import Gamma
    >>> model = Gamma(2.0, 4.0)
    >>> float(model.mean), float(model.var)
    (0.5, 0.125)
    >>> fitted = Gamma.fit([0.5, 1.0, 1.5, 3.0])
    >>> float(fitted.mean), float(fitted.shape.round(6))
    (1.5, 2.62099)
    """

    shape = Parameter()
    rate = Parameter()
    _sums = GammaSums
    _domain = "positive numbers"
    support = Support("reals", 0.0, np.inf)
    n_parameters = 2

    def __init__(self, shape: float | Numbers, rate: float | Numbers) -> None:
        self._set(shape=(positive("Gamma", "shape", shape), 0), rate=(positive("Gamma", "rate", rate), 0))

    @cached_property
    def _constants(self) -> Constants:
        log_norm = self.shape * np.log(self.rate) - gammaln(self.shape)
        edge = np.where(self.shape == 1, log_norm, np.where(self.shape < 1, np.inf, -np.inf))
        return Constants(self.shape - 1, self.rate, log_norm, edge)

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        with ops.quiet():
            value = ops.log(x)
            value = value * constants.power
            value -= constants.rate * x
            value += constants.log_norm
        return where_inside(ops, x > 0, value, x, lambda: ops.where(x == 0, constants.at_zero, -np.inf))

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants[:4])

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.gamma(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        return np.exp(log_gamma_draws(stream, "gamma", self.shape, count)) / self.rate

    @property
    def _large(self) -> bool:
        return bool((self.shape > LARGE_SHAPE).any())

    def _large_log_prob(self, x: Any) -> Any:
        some = np.where(x > 0, x, 1.0)
        value = np.log(self.shape) - np.log(some) + poisson_log(self.shape, self.rate * some)
        return where_inside(NUMPY, x > 0, value, x, lambda: np.where(x == 0, self._constants.at_zero, -np.inf))

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        return np.exp(self.log_cdf(x)) if self._large else gammainc(self.shape, self.rate * np.maximum(x, 0.0))

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        return np.exp(self.log_sf(x)) if self._large else gammaincc(self.shape, self.rate * np.maximum(x, 0.0))

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        return log_gamma_head(self.shape, self.rate * np.maximum(x, 0.0))

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        return log_gamma_tail(self.shape, self.rate * np.maximum(x, 0.0))

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q."""
        return self._newton(q, self.log_cdf, 1.0) if self._large else gammaincinv(self.shape, q) / self.rate

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q."""
        return self._newton(q, self.log_sf, -1.0) if self._large else gammainccinv(self.shape, q) / self.rate

    def _newton(self, q: Any, log_tail: Any, sign: float) -> Any:
        """Return where a log-tail is log q: Wilson and Hilferty's start and Newton's method, which SciPy's error of 1e-12 needs.

        A distribution of shape 1e12 is as narrow as 1e-6 of its mean. The logarithm of either tail is concave, so the steps settle.
        """
        q = np.asarray(q, np.float64)
        inner = (q > 0) & (q < 1)
        some = np.where(inner, q, 0.5)
        a = self.shape
        x = a * (1 - 1 / (9 * a) + sign * ndtri(some) / (3 * np.sqrt(a))) ** 3 / self.rate
        small = np.broadcast_to(a <= LARGE_SHAPE, x.shape)
        if small.any():  # of a mixed batch
            x = np.where(small, (gammaincinv if sign > 0 else gammainccinv)(a, some) / self.rate, x)
        for _ in range(NEWTON_STEPS):
            with np.errstate(all="ignore"):
                tail = log_tail(x)
                step = sign * (tail - np.log(some)) * np.exp(tail - self.log_prob(x))
            step = np.where(np.isfinite(step) & ~small, step, 0.0)
            x = x - step
            if (np.abs(step) <= 2 * np.finfo(float).eps * x).all():
                break
        ends = np.where(q == (0 if sign > 0 else 1), 0.0, np.where(q == (1 if sign > 0 else 0), np.inf, np.nan))
        return np.where(inner, x, ends)[()]

    @property
    def mean(self) -> Any:
        return self.shape / self.rate

    @property
    def var(self) -> Any:
        return self.shape / self.rate**2

    @property
    def mode(self) -> Any:
        return np.maximum(self.shape - 1, 0.0) / self.rate

    def entropy(self) -> Any:
        a = self.shape
        bend = stirling_error(a) + (a - 1) * digamma_gap(a)
        return (0.5 * (np.log(a) + LOG_2PI) - np.log(self.rate) + bend)[()]

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other), in a form that keeps its digits for large shapes: (5) of `deviance.py` and the means."""
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        a, b = self.shape, other.shape
        shapes = 0.5 * excess(b / a - 1) + stirling_error(b) - stirling_error(a)
        shapes = shapes + (b - a) * (digamma_gap(a) - 0.5 / a)
        means = b * excess(a / b * (other.rate / self.rate) - 1)
        return np.maximum(means + shapes, 0.0)[()]

    def natural_parameters(self) -> tuple[NDArray, ...]:
        return self.shape - 1, -self.rate

    def log_partition(self) -> Any:
        return gammaln(self.shape) - self.shape * np.log(self.rate)

    def sufficient_statistics(self, x: Numbers) -> Any:
        return ops_of(x).log(x), x

    def log_base_measure(self, x: Numbers) -> Any:
        return np.zeros(np.shape(x))

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return digamma(self.shape) - np.log(self.rate), self.mean

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        return cls(np.asarray(eta[0]) + 1, -np.asarray(eta[1], np.float64))

    def from_mean_statistics(self, *mean: Any) -> Self:
        shape = shape_from(np.log(mean[1]) - mean[0])
        return type(self)(shape, shape / mean[1])

    def statistics(self, x: Numbers, weight: RowWeights = None) -> GammaSums:
        """Return the mass and the sums about this mean."""
        x, weight = self._aligned(x, weight)
        center = arrays.like(x, self.mean, "float64")
        log_ratio = self._sum(ops_of(x).log(x / center), weight)
        return GammaSums(self._mass(x, weight), log_ratio, self._sum(x - center, weight))

    def from_statistics(self, statistics: GammaSums, prior: Any = None) -> "Gamma":
        """Return the solution of (3).

        log a - digamma(a) = s    (3)
        """
        if prior is not None:
            return self._posterior_mode(statistics, prior)
        present = statistics.mass > 0
        mass = np.where(present, statistics.mass, 1.0)
        mean = self.mean + statistics.offset / mass
        s = np.log1p(statistics.offset / mass / self.mean) - statistics.log_ratio / mass
        if (present & (s * LARGEST_SHAPE <= 1)).any():
            raise DataError(
                "Gamma: the data of a distribution are all equal, so its shape would be infinite; give data that vary."
            )
        shape = shape_from(np.where(present, s, 1.0))
        return self._kept(statistics, Gamma(shape, shape / mean), None)

    def _inside(self, x: Any) -> Any:
        return x > 0

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        mean = arrays.to_numpy(x.mean(0)) if x.shape[0] else np.ones(tuple(x.shape[1:]))
        return cls(1.0, 1 / np.where(mean > 0, mean, 1.0))
