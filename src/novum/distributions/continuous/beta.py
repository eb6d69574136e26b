r"""The Beta distribution of probabilities: the Dirichlet with two outcomes.

    log p(x) = (a - 1) log x + (b - 1) log(1 - x) - log B(a, b),   0 < x < 1                       (1)
    eta = (a, b),  u = (log x, log(1 - x)),  h = 1 / (x (1 - x)),  A = log B(a, b)                 (2)

Maximum likelihood matches the means of both parts of u, by the Newton steps of the Dirichlet.
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, digamma, expit

from novum import _core
from novum.distributions.base import Distribution, Support, cuts
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.multivariate.dirichlet import Dirichlet, finite_alpha
from novum.distributions.numerics.beta_inverse import patched_inverse
from novum.distributions.numerics.deviance import bernoulli_divergence, binomial_log, gamma_remainder
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.numerics.ops import NUMPY, ops_of, where_inside
from novum.distributions.numerics.tails import log_beta_tail
from novum.distributions.parameters import Parameter, positive
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["Beta"]


LARGE_COUNT = 1e4  # of a or b: beyond it the plain density cancels in its twelfth digit


class Constants(NamedTuple):
    power_x: NDArray
    power_rest: NDArray
    log_norm: NDArray


class BetaSums(NamedTuple):
    """Mass, sum of log x, sum of log(1 - x)."""

    mass: NDArray
    log_x: NDArray
    log_rest: NDArray


class Beta(ConjugatePrior, ExponentialFamily):
    """The Beta distribution of a probability.

    Parameters
    ----------
    a, b : float or array
        Above zero; a - 1 successes and b - 1 failures seen before, from a flat start.

    Examples
    --------
    >>> from novum.distributions import Beta
    >>> model = Beta(2.0, 5.0)
    >>> float(model.var.round(6)), float(model.prob(0.5).round(6)), float(model.mode)
    (0.02551, 0.9375, 0.2)
    """

    a = Parameter()
    b = Parameter()
    _sums = BetaSums
    _domain = "numbers between 0 and 1, both left out"
    support = Support("reals", 0.0, 1.0)
    n_parameters = 2

    def __init__(self, a: float | Numbers, b: float | Numbers) -> None:
        self._set(a=(positive("Beta", "a", a), 0), b=(positive("Beta", "b", b), 0))

    @cached_property
    def _constants(self) -> Constants:
        return Constants(self.a - 1, self.b - 1, -betaln(self.a, self.b))

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        with ops.quiet():
            left, right = constants.power_x * ops.log(x), constants.power_rest * ops.log1p(-x)
        inside = (x > 0) & (x < 1)
        value = left + right + constants.log_norm
        return where_inside(ops, inside, value, x, lambda: _edge(constants, x, ops))

    @cached_property
    def _kernel_table(self) -> NDArray:
        return self._table(*self._constants[:3])

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.beta(x, self._kernel_table, out)

    def _draw(self, stream: Any, count: Any) -> Any:
        left, right = (
            log_gamma_draws(stream, f"beta {side}", shape, count) for side, shape in (("a", self.a), ("b", self.b))
        )
        return expit(left - right)

    @property
    def _large(self) -> bool:
        return bool((np.maximum(self.a, self.b) > LARGE_COUNT).any())

    def _large_log_prob(self, x: Any) -> Any:
        inside = (x > 0) & (x < 1)
        some = np.where(inside, x, 0.5)
        total = self.a + self.b
        front = np.log(self.a) + np.log(self.b) - np.log(total) - np.log(some) - np.log1p(-some)
        value = front + binomial_log(self.a, total, some, 1 - some)
        return where_inside(NUMPY, inside, value, x, lambda: _edge(self._constants, x, NUMPY))

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        return betainc(self.a, self.b, np.clip(x, 0.0, 1.0))

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        return betaincc(self.a, self.b, np.clip(x, 0.0, 1.0))

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        x = np.clip(np.asarray(x, np.float64), 0.0, 1.0)
        return log_beta_tail(self.a, self.b, x, 1 - x)

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        x = np.clip(np.asarray(x, np.float64), 0.0, 1.0)
        return log_beta_tail(self.b, self.a, 1 - x, x)

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q."""
        return patched_inverse(self.a, self.b, q, betaincinv, upper=False)

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q."""
        return patched_inverse(self.a, self.b, q, betainccinv, upper=True)

    @property
    def mean(self) -> Any:
        return self.a / (self.a + self.b)

    @property
    def var(self) -> Any:
        total = self.a + self.b
        return self.a / total * (self.b / total) / (total + 1)

    @property
    def mode(self) -> Any:
        """Where the density is largest; of two infinite ends the one that more of the mass is at, 1/2 for the flat distribution."""
        return self._pair().mode[..., 0]

    def _pair(self) -> Dirichlet:
        """The same distribution, of (x, 1 - x)."""
        return Dirichlet(np.stack([self.a, self.b], axis=-1))

    def entropy(self) -> Any:
        return self._pair().entropy()

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other): three of (5) of `deviance.py`, whose d add up to one of the two means."""
        if type(other) is not type(self):
            one = isinstance(other, Distribution) and not (self.batch_shape or other.batch_shape or other.event_shape)
            if not one or not other.support.continuous:
                return super().kl(other)
            # log(1 - x) is lost in the last floats before one: the entropy knows its mean
            return -float(self.entropy()) - self._expect(other.log_prob, cuts(other))
        other = self._same_family(other)
        mine, theirs = self.a + self.b, other.a + other.b
        less = self.a < self.b  # the smaller probability keeps its digits
        probability = np.where(less, other.a, other.b) / theirs
        means = bernoulli_divergence(probability, np.where(less, self.a, self.b) / mine, theirs)
        rest = gamma_remainder(other.a, self.a) + gamma_remainder(other.b, self.b) - gamma_remainder(theirs, mine)
        return np.maximum(means + rest, 0.0)[()]

    def natural_parameters(self) -> tuple[NDArray, ...]:
        return self.a, self.b

    def log_partition(self) -> Any:
        return betaln(self.a, self.b)

    def sufficient_statistics(self, x: Any) -> tuple[NDArray, ...]:
        ops = ops_of(x)
        return ops.log(x), ops.log1p(-x)

    def log_base_measure(self, x: Numbers) -> Any:
        return -np.log(x) - np.log1p(-np.asarray(x))

    def mean_statistics(self) -> tuple[NDArray, ...]:
        total = digamma(self.a + self.b)
        return digamma(self.a) - total, digamma(self.b) - total

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        return cls(*eta)

    def from_mean_statistics(self, *mean: Any) -> Any:
        alpha = finite_alpha("Beta: the data are all equal, so a and b", np.stack(mean, axis=-1))
        return Beta(alpha[..., 0], alpha[..., 1])

    def _inside(self, x: Any) -> Any:
        return (x > 0) & (x < 1)

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        return cls(np.ones(tuple(x.shape[1:])), 1.0)


def _edge(constants: Constants, x: Any, ops: Any) -> Any:
    """Return the log-density at 0 and 1, where one of the two powers decides, and minus infinity outside."""
    out = -np.inf
    for power, place in ((constants.power_x, 0.0), (constants.power_rest, 1.0)):
        limit = ops.where(power > 0, -np.inf, ops.where(power < 0, np.inf, constants.log_norm))
        out = ops.where(x == place, limit, out)
    return out
