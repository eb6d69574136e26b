r"""Predictive distributions that are no family of their own: a likelihood with its parameter drawn from a conjugate prior.

    beta-binomial           log C(n, x) + log B(a + x, b + n - x) - log B(a, b)                                  (14)
    Dirichlet-multinomial   log n! - sum log x_k! + log G(A) - log G(A + n) + sum [log G(alpha_k + x_k) - log G(alpha_k)]  (15)
    negative binomial       log G(a + x) - log G(a) - log x! + a log(b / (b + 1)) - x log(b + 1)                 (16)
    Lomax                   log a + a log b - (a + 1) log(b + x)                                                 (17)

with A = sum alpha and G the gamma function. Moments by the rules of iterated expectation, E[x] = E[E[x | theta]] and
var(x) = E[var(x | theta)] + var(E[x | theta]).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln, xlog1py

from novum._random import Stream, seed_of
from novum.exceptions import ParameterError

__all__ = ["CountPredictive"]

Array = NDArray[Any]


def whole(x: Array) -> Array:
    """Return which are counts."""
    return (x >= 0) & (x == np.floor(x))


def beta_binomial(prior: Any, known: Any, x: Array) -> Array:
    """Return (14)."""
    n = known.n
    inside = whole(x) & (x <= n)
    k = np.where(inside, x, 0.0)
    choose = -np.log(n + 1) - betaln(n - k + 1, k + 1)
    return np.where(inside, choose + betaln(prior.a + k, prior.b + n - k) - betaln(prior.a, prior.b), -np.inf)


def dirichlet_multinomial(prior: Any, known: Any, x: Array) -> Array:
    """Return (15)."""
    inside = whole(x).all(axis=-1) & (x.sum(axis=-1) == known.n)
    k, total = np.where(inside[..., None], x, 0.0), prior.alpha.sum(axis=-1)
    ways = gammaln(known.n + 1) - gammaln(k + 1).sum(axis=-1)
    weight = (gammaln(prior.alpha + k) - gammaln(prior.alpha)).sum(axis=-1)
    return np.where(inside, ways + gammaln(total) - gammaln(total + known.n) + weight, -np.inf)


def negative_binomial(prior: Any, _: Any, x: Array) -> Array:
    """Return (16)."""
    inside = whole(x)
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


KINDS: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    "Binomial": ("beta-binomial", beta_binomial, beta_binomial_moments),
    "Multinomial": ("Dirichlet-multinomial", dirichlet_multinomial, dirichlet_multinomial_moments),
    "Poisson": ("negative binomial", negative_binomial, negative_binomial_moments),
    "Exponential": ("Lomax", lomax, lomax_moments),
}


class CountPredictive:
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
    CountPredictive: negative binomial, from Gamma(shape=8., rate=4.)
    >>> float(predictive.mean), float(predictive.prob(2).round(6))
    (2.0, 0.241592)
    """

    def __init__(self, prior: Any, likelihood: Any):
        family = likelihood if isinstance(likelihood, type) else type(likelihood)
        if family.__name__ not in KINDS:
            raise ParameterError(f"CountPredictive(likelihood={likelihood!r}): it is for {', '.join(KINDS)}.")
        self.prior, self.likelihood, self._family = prior, likelihood, family
        self._name, self._log_density, self._moments = KINDS[family.__name__]

    def log_prob(self, x: Any) -> Any:
        """Return the logarithm of the probability (or density) of x; x broadcasts against the batch of the prior."""
        return self._log_density(self.prior, self.likelihood, np.asarray(x, np.float64))[()]

    def prob(self, x: Any) -> Any:
        """Return the probability (or density) of x."""
        return np.exp(self.log_prob(x))

    @property
    def mean(self) -> Any:
        """The expectation."""
        return self._moments(self.prior, self.likelihood)[0]

    @property
    def var(self) -> Any:
        """The variance (of every coordinate)."""
        return self._moments(self.prior, self.likelihood)[1]

    @property
    def std(self) -> Any:
        """The standard deviation (of every coordinate)."""
        return np.sqrt(self.var)

    def sample(self, size: int | None = None, random_state: Any = None) -> Any:
        """Draw: a parameter from the prior, an observation with it."""
        seed = seed_of(random_state)
        count = 1 if size is None else size
        theta = self.prior.sample(count, random_state=seed)
        known = () if isinstance(self.likelihood, type) else (self.likelihood.n,)
        other = int(Stream(seed).integers("predictive", 0, 1, 2**62)[0])  # a second stream for the observations
        drawn = self._family(*known, theta).sample(random_state=other)
        return drawn[0] if size is None else drawn

    def __repr__(self) -> str:
        return f"CountPredictive: {self._name}, from {self.prior!r}"
