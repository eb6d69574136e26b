r"""Predictive distributions that are no family of their own: a likelihood with its parameter drawn from a conjugate prior.

    beta-binomial           log C(n, x) + log B(a + x, b + n - x) - log B(a, b)                                  (14)
    Dirichlet-multinomial   log n! - sum log x_k! + log G(A) - log G(A + n) + sum [log G(alpha_k + x_k) - log G(alpha_k)]  (15)
    negative binomial       log G(a + x) - log G(a) - log x! + a log(b / (b + 1)) - x log(b + 1)                 (16)
    Lomax                   log a + a log b - (a + 1) log(b + x)                                                 (17)

with A = sum alpha and G the gamma function; the entropy of (17) is log(b/a) + 1/a + 1. Moments by the rules of iterated
expectation, E[x] = E[E[x | theta]] and var(x) = E[var(x | theta)] + var(E[x | theta]).
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, gammaln, nbdtrik, xlog1py

from novum.distributions.base import Distribution, Support
from novum.distributions.discrete.counts import WIDTH, count_quantile
from novum.distributions.numerics.draws import smallest_at_least
from novum.distributions.numerics.ops import real_rows
from novum.distributions.numerics.tails import log_beta_tail, log_share, whole_isf
from novum.exceptions import ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers

__all__ = ["Predictive"]

Array = NDArray[Any]
NEGLIGIBLE = 1e-18  # mass of a tail that no double would feel


def are_counts(x: Array) -> Array:
    """Return which are counts."""
    return (x >= 0) & (x == np.floor(x))


def beta_binomial(prior: Any, known: Any, x: Array) -> Array:
    """Return (14)."""
    n = known.n
    inside = are_counts(x) & (x <= n)
    k = np.where(inside, x, 0.0)
    choose = -np.log(n + 1) - betaln(n - k + 1, k + 1)
    return np.where(inside, choose + betaln(prior.a + k, prior.b + n - k) - betaln(prior.a, prior.b), -np.inf)


def dirichlet_multinomial(prior: Any, known: Any, x: Array) -> Array:
    """Return (15)."""
    inside = are_counts(x).all(axis=-1) & (x.sum(axis=-1) == known.n)
    k, total = np.where(inside[..., None], x, 0.0), prior.alpha.sum(axis=-1)
    ways = gammaln(known.n + 1) - gammaln(k + 1).sum(axis=-1)
    weight = (gammaln(prior.alpha + k) - gammaln(prior.alpha)).sum(axis=-1)
    return np.where(inside, ways + gammaln(total) - gammaln(total + known.n) + weight, -np.inf)


def negative_binomial(prior: Any, _: Any, x: Array) -> Array:
    """Return (16)."""
    inside = are_counts(x)
    k = np.where(inside, x, 0.0)
    a, b = prior.shape, prior.rate
    ways = gammaln(a + k) - gammaln(a) - gammaln(k + 1)
    return np.where(inside, ways - xlog1py(a, 1 / b) - xlog1py(k, b), -np.inf)


def lomax(prior: Any, _: Any, x: Array) -> Array:
    """Return (17)."""
    a, b = prior.shape, prior.rate
    y = np.where(x >= 0, x, 0.0)
    return np.where(x >= 0, np.log(a / b) - xlog1py(a + 1, y / b), -np.inf)


def beta_binomial_moments(prior: Any, known: Any) -> tuple[Array, Array]:
    """Return mean and variance of (14)."""
    total = prior.a + prior.b
    p = prior.a / total
    return known.n * p, known.n * p * (1 - p) * (total + known.n) / (total + 1)


def dirichlet_multinomial_moments(prior: Any, known: Any) -> tuple[Array, Array]:
    """Return mean and variances of (15)."""
    total = prior.alpha.sum(axis=-1, keepdims=True)
    p, n = prior.alpha / total, np.asarray(known.n)[..., None]
    return n * p, n * p * (1 - p) * (total + n) / (total + 1)


def negative_binomial_moments(prior: Any, _: Any) -> tuple[Array, Array]:
    """Return mean and variance of (16)."""
    mean = prior.shape / prior.rate
    return mean, mean * (1 + 1 / prior.rate)


def lomax_moments(prior: Any, _: Any) -> tuple[Array, Array]:
    """Return mean and variance of (17); infinite for shapes up to 1 and 2."""
    a, b = prior.shape, prior.rate
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(a > 1, b / (a - 1), np.inf)
        return mean, np.where(a > 2, a * b**2 / ((a - 1) ** 2 * (a - 2)), np.inf)


def negative_binomial_top(prior: Any) -> float:
    """Return a count beyond which (16) has no mass that a double would feel."""
    top = 64.0
    while (betainc(top + 1, prior.shape, 1 / (prior.rate + 1)) > NEGLIGIBLE).any():
        top *= 2
    return top


class Kind(NamedTuple):
    """What a predictive distribution is called, its log-density, its mean and variance, and the kind of its support."""

    name: str
    log_density: Callable[..., Any]
    moments: Callable[..., Any]
    support: str


KINDS = {
    "Binomial": Kind("beta-binomial", beta_binomial, beta_binomial_moments, "integers"),
    "Multinomial": Kind("Dirichlet-multinomial", dirichlet_multinomial, dirichlet_multinomial_moments, "counts"),
    "Poisson": Kind("negative binomial", negative_binomial, negative_binomial_moments, "integers"),
    "Exponential": Kind("Lomax", lomax, lomax_moments, "reals"),
}


class Predictive(Distribution):
    """The distribution of the next observation where it is none of the families: beta-binomial and its relatives.

    Parameters
    ----------
    prior : Beta, Dirichlet or Gamma
        Of the parameter of the likelihood.
    likelihood : Binomial, Multinomial, or the family Poisson or Exponential

    Examples
    --------
    >>> from novum.distributions import Gamma, Poisson
    >>> predictive = Gamma(2, 1).update([3, 1, 2], likelihood=Poisson).predictive()
    >>> predictive
    Predictive: negative binomial, from Gamma(shape=8., rate=4.)
    >>> float(predictive.mean), float(predictive.prob(2).round(6)), float(predictive.quantile(0.9))
    (2.0, 0.241592, 4.0)
    """

    def __init__(self, prior: Distribution, likelihood: Any) -> None:
        family = likelihood if isinstance(likelihood, type) else type(likelihood)
        if family.__name__ not in KINDS:
            raise ParameterError(f"Predictive(likelihood={likelihood!r}): it is for {', '.join(KINDS)}.")
        trials = np.zeros(()) if isinstance(likelihood, type) else likelihood.n
        self.__dict__.update(prior=prior, likelihood=likelihood, _family=family, _kind=KINDS[family.__name__])
        self.__dict__.update(
            batch_shape=np.broadcast_shapes(prior.batch_shape, trials.shape), event_shape=prior.event_shape
        )

    prior: Any
    likelihood: Any
    _family: Any
    _kind: Kind

    def __repr__(self) -> str:
        return f"Predictive: {self._kind.name}, from {self.prior!r}"

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Predictive):
            return NotImplemented
        return self.prior == other.prior and self.likelihood == other.likelihood

    def __hash__(self) -> int:
        return hash((self.prior, self.likelihood))

    def __getitem__(self, index: Any) -> "Predictive":
        """Return one of a batch, or several."""
        if not self.batch_shape:
            raise ParameterError("Predictive: there is one distribution here, no batch to index.")
        batched = not isinstance(self.likelihood, type) and bool(self.likelihood.batch_shape)
        prior = self.prior[index] if self.prior.batch_shape else self.prior
        return Predictive(prior, self.likelihood[index] if batched else self.likelihood)

    @property
    def _constants(self) -> tuple:
        return ()

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        raise NotImplementedError  # log_prob computes (14) to (17)

    def log_prob(self, x: Numbers) -> Any:
        """Return the logarithm of the probability (or density) of x; x broadcasts against the batch of the prior."""
        rows = arrays.to_numpy(real_rows("Predictive", x))
        self._check_outcomes(rows.shape)
        value = self._kind.log_density(self.prior, self.likelihood, rows)
        return arrays.like(x, value, "float64") if arrays.is_tensor(x) else value[()]

    def _draw(self, stream: Any, count: Any) -> Any:
        """Draw a parameter from the prior, an observation with it."""
        theta = self.prior.sample(count, random_state=stream.seed)
        known = () if isinstance(self.likelihood, type) else (self.likelihood.n,)
        other = int(stream.integers("predictive", 0, 1, 2**62)[0])  # a second stream for the observations
        return np.asarray(self._family(*known, theta).sample(random_state=other))

    @property
    def mean(self) -> Any:
        return self._kind.moments(self.prior, self.likelihood)[0]

    @property
    def var(self) -> Any:
        return self._kind.moments(self.prior, self.likelihood)[1]

    @property
    def support(self) -> Any:
        high = np.inf if isinstance(self.likelihood, type) else self.likelihood.n
        return Support(self._kind.support, 0.0 if self._kind.support == "reals" else 0, high)

    @property
    def n_parameters(self) -> Any:
        return self.prior.n_parameters

    def _scalar(self, what: str) -> None:
        if self.event_shape:
            raise ParameterError(
                f"Predictive.{what}: it exists for numbers, not for vectors of counts; one count is beta-binomial,"
                " Beta(alpha[k], sum of the others).predictive(Binomial(n, 0.5))."
            )

    @cached_property
    def _table(self) -> tuple[NDArray, NDArray]:  # type: ignore[override]
        """The counts of a beta-binomial and their probabilities, along the last axis."""
        counts = np.arange(np.max(self.likelihood.n) + 1, dtype=np.float64)
        p = np.exp(self.log_prob(counts.reshape(-1, *(1,) * len(self.batch_shape))))
        return counts, np.moveaxis(p, 0, -1)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        self._scalar("cdf")
        x = np.asarray(x, np.float64)
        if self._kind.name == "beta-binomial":
            counts, p = self._table
            below = np.minimum((p * (counts <= x[..., None])).sum(axis=-1), 1.0)
            return np.where(np.isnan(x), np.nan, np.where(x >= self.likelihood.n, 1.0, below))[()]
        a, b, y = self.prior.shape, self.prior.rate, np.maximum(x, 0.0)
        inner = (
            -np.expm1(-a * np.log1p(y / b))
            if self._kind.support == "reals"
            else betainc(a, np.floor(y) + 1, b / (b + 1))
        )
        return np.where(x < 0, 0.0, inner)[()]

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        self._scalar("sf")
        x = np.asarray(x, np.float64)
        if self._kind.name == "beta-binomial":
            counts, p = self._table
            above = np.minimum((p * (counts > x[..., None])).sum(axis=-1), 1.0)
            return np.where(np.isnan(x), np.nan, above)[()]
        return np.exp(self.log_sf(x))

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        self._scalar("log_cdf")
        if self._kind.name == "negative binomial":
            x = np.asarray(x, np.float64)
            a, b, k = self.prior.shape, self.prior.rate, np.floor(np.maximum(x, 0.0))
            return np.where(x < 0, -np.inf, log_beta_tail(a, k + 1, b / (b + 1), 1 / (b + 1)))[()]
        return log_share(self.cdf(x), self.sf(x))

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        self._scalar("log_sf")
        x = np.asarray(x, np.float64)
        if self._kind.name == "beta-binomial":
            return log_share(self.sf(x), self.cdf(x))
        a, b, y = self.prior.shape, self.prior.rate, np.maximum(x, 0.0)
        if self._kind.support == "reals":
            return (-a * np.log1p(y / b))[()]
        return np.where(x < 0, 0.0, log_beta_tail(np.floor(y) + 1, a, 1 / (b + 1), b / (b + 1)))[()]

    def isf(self, q: Numbers) -> Any:
        """Return the least x with P(X > x) <= q."""
        self._scalar("isf")
        q = np.asarray(q, np.float64)
        if self._kind.support == "reals":
            good = (q >= 0) & (q <= 1)
            with np.errstate(divide="ignore", over="ignore"):
                reach = self.prior.rate * np.expm1(-np.log(np.where(good, q, 0.5)) / self.prior.shape)
            return np.where(good, reach, np.nan)[()]
        high = np.inf if isinstance(self.likelihood, type) else self.likelihood.n
        return whole_isf(q, self.sf, self.mean, self.std, high)

    def quantile(self, q: Numbers) -> Any:
        """Return the least x with P(X <= x) >= q."""
        self._scalar("quantile")
        q = np.asarray(q, np.float64)
        good = (q >= 0) & (q <= 1)
        if self._kind.name == "beta-binomial":
            cumulative = np.cumsum(self._table[1], axis=-1)
            cumulative[..., -1] = 1.0
            return np.where(good, smallest_at_least(cumulative, q), np.nan)[()]
        a, b = self.prior.shape, self.prior.rate
        if self._kind.support == "reals":
            with np.errstate(divide="ignore", over="ignore"):
                return np.where(good, b * np.expm1(-np.log1p(-np.where(good, q, 0.5)) / a), np.nan)[()]
        far = (
            negative_binomial_top(self.prior) - self.mean
        ) / WIDTH  # tails of small shapes reach further than var says
        return count_quantile(
            q, self.cdf, lambda p: nbdtrik(p, a, b / (b + 1)), self.mean, np.maximum(self.std, far), np.inf
        )

    @property
    def _outcomes(self) -> NDArray:
        """All counts that matter to a sum over this one distribution."""
        top = negative_binomial_top(self.prior) if isinstance(self.likelihood, type) else float(self.likelihood.n)
        return np.arange(top + 1)

    @property
    def mode(self) -> Any:
        if self._kind.name == "negative binomial":
            return np.maximum(np.floor((self.prior.shape - 1) / self.prior.rate), 0.0)
        if self._kind.support == "reals":
            return np.zeros(self.batch_shape)[()]
        self._scalar("mode")
        return self._table[1].argmax(axis=-1).astype(np.float64)

    def entropy(self) -> Any:
        """Return -E[log p(x)] in nats, summed over counts or integrated, for one distribution of numbers."""
        self._scalar("entropy")
        if self._kind.support == "reals":
            a, b = self.prior.shape, self.prior.rate
            return np.log(b / a) + 1 / a + 1
        return self.expect(lambda x: -self.log_prob(x))
