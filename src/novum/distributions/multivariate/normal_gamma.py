r"""The Normal-Gamma distribution of a mean mu and a precision tau: the conjugate prior of the normal.

    p(mu, tau) = N(mu | m, 1/(k tau)) Gamma(tau | a, b)                                            (1)
    u = (log tau, tau, tau mu, tau mu^2),  eta = (a - 1/2, -b - k m^2/2, k m, -k/2),  h = (2 pi)^(-1/2),
    A = log Gamma(a) - a log b - 1/2 log k                                                         (2)

An outcome is the pair (mu, tau). The strength k counts the observations that the mean is worth, 2a those of the precision. Without
its precision, mu has Student's t distribution with 2a degrees of freedom, location m and scale sqrt(b / (a k)).
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

from novum.distributions.base import Support
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.continuous.gamma import shape_from
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.numerics.ops import ops_of, where_inside
from novum.distributions.parameters import Parameter, finite, positive
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["NormalGamma"]

LOG_2PI = float(np.log(2 * np.pi))


class Constants(NamedTuple):
    mean: NDArray
    half_strength: NDArray
    power: NDArray  # a - 1/2
    rate: NDArray
    log_norm: NDArray


class NormalGammaSums(NamedTuple):
    """Mass and sums of the four parts of u."""

    mass: NDArray
    log_precision: NDArray
    precision: NDArray
    weighted_mean: NDArray
    weighted_square: NDArray


class NormalGamma(ConjugatePrior, ExponentialFamily):
    """The joint distribution of a mean and a precision; an outcome is the pair.

    Parameters
    ----------
    mean : float or array
        Where the mean is expected; the attribute is `center`, since `mean` is the expectation of the pair.
    strength : float or array
        Observations that this expectation is worth.
    shape, rate : float or array
        Of the Gamma distribution of the precision.

    Examples
    --------
    >>> from novum.distributions import Normal, NormalGamma
    >>> prior = NormalGamma(mean=0.0, strength=1.0, shape=2.0, rate=3.0)
    >>> prior.mode, prior.mean  # of (mean, precision)
    (array([0. , 0.5]), array([0.        , 0.66666667]))
    >>> Normal.fit([1.0, 2.0, 3.0], prior=prior)
    Normal(mean=1.5, var=1.83333333)
    """

    mean = Parameter(shown="_expectation")
    strength = Parameter()
    shape = Parameter()
    rate = Parameter()
    _event_ndim = 1
    _sums = NormalGammaSums
    _domain = "pairs of a mean and a positive precision"

    def __init__(
        self, mean: float | Numbers, strength: float | Numbers, shape: float | Numbers, rate: float | Numbers
    ) -> None:
        self._set(
            (2,),
            mean=(finite("NormalGamma", "mean", mean), 0),
            strength=(positive("NormalGamma", "strength", strength), 0),
            shape=(positive("NormalGamma", "shape", shape), 0),
            rate=(positive("NormalGamma", "rate", rate), 0),
        )

    @cached_property
    def _constants(self) -> Constants:
        return Constants(
            self.center, 0.5 * self.strength, self.shape - 0.5, self.rate, -self.log_partition() - 0.5 * LOG_2PI
        )

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        mu, tau = x[..., 0], x[..., 1]
        with ops.quiet():
            value = constants.power * ops.log(tau) + constants.log_norm
        value = value - tau * (constants.rate + constants.half_strength * (mu - constants.mean) ** 2)
        return where_inside(ops, tau > 0, value, tau)

    def _draw(self, stream: Any, count: Any) -> Any:
        tau = np.exp(log_gamma_draws(stream, "normal-gamma precision", self.shape, count)) / self.rate
        z = stream.normal("normal-gamma mean", 0, count, self._columns()).reshape(count, *self.batch_shape)
        return np.stack([self.center + z / np.sqrt(self.strength * tau), tau], axis=-1)

    @property
    def center(self) -> NDArray:
        """The parameter `mean` of the constructor, m in (1).

        p(mu, tau) = N(mu | m, 1/(k tau)) Gamma(tau | a, b)    (1)
        """
        return self.__dict__["mean"]

    @property
    def _expectation(self) -> NDArray:
        """E[(mu, tau)], along the last axis; that of mu does not exist for shape <= 1/2."""
        return np.stack([np.where(self.shape > 0.5, self.center, np.nan), self.shape / self.rate], axis=-1)

    @property
    def var(self) -> Any:
        """Variances of mu and tau, along the last axis; that of mu is infinite for shape <= 1."""
        variance = np.where(self.shape > 1, self.rate / (self.strength * np.maximum(self.shape - 1, 1e-300)), np.inf)
        return np.stack([variance, self.shape / self.rate**2], axis=-1)

    @property
    def mode(self) -> Any:
        return np.stack([self.center, np.maximum(self.shape - 0.5, 0.0) / self.rate], axis=-1)

    @property
    def support(self) -> Any:
        return Support("vectors", np.array([-np.inf, 0.0]), np.array([np.inf, np.inf]))

    @property
    def n_parameters(self) -> Any:
        return 4

    def entropy(self) -> Any:
        parts = sum(eta * mean for eta, mean in zip(self.natural_parameters(), self.mean_statistics()))
        return self.log_partition() - parts + 0.5 * LOG_2PI

    def natural_parameters(self) -> tuple[NDArray, ...]:
        k, m = self.strength, self.center
        return self.shape - 0.5, -self.rate - 0.5 * k * m * m, k * m, -0.5 * k

    def log_partition(self) -> Any:
        return gammaln(self.shape) - self.shape * np.log(self.rate) - 0.5 * np.log(self.strength)

    def sufficient_statistics(self, x: Any) -> tuple[NDArray, ...]:
        mu, tau = x[..., 0], x[..., 1]
        return ops_of(x).log(tau), tau, tau * mu, tau * mu * mu

    def log_base_measure(self, x: Numbers) -> Any:
        return np.full(np.shape(x)[:-1], -0.5 * LOG_2PI)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        tau = self.shape / self.rate
        log_tau = digamma(self.shape) - np.log(self.rate)
        return log_tau, tau, tau * self.center, 1 / self.strength + tau * self.center**2

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        power, second, third, fourth = (np.asarray(part, np.float64) for part in eta)
        k = -2 * fourth
        m = third / k
        return cls(m, k, power + 0.5, -second - 0.5 * k * m * m)

    def from_mean_statistics(self, *mean: Any) -> Any:
        log_tau, tau, first, second = mean
        shape = shape_from(np.log(tau) - log_tau)
        center = first / tau
        return NormalGamma(center, 1 / (second - center * first), shape, shape / tau)

    def _inside(self, x: Any) -> Any:
        return x[..., 1] > 0

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        return cls(0.0, 1.0, 1.0, 1.0)
