r"""The pairs of likelihood and conjugate prior, each with its posterior and predictive distribution.

W = sum w_i is the weight of the data, xbar their mean, h successes, N_k counts:

    Bernoulli, Binomial(n)   p     Beta(a, b)            Beta(a + h, b + trials - h)                              (5)
    Categorical, Multinomial p     Dirichlet(alpha)      Dirichlet(alpha + N)                                     (6)
    Poisson                  rate  Gamma(a, b)           Gamma(a + sum x, b + W)                                  (7)
    Exponential              rate  Gamma(a, b)           Gamma(a + W, b + sum x)                                  (8)
    Normal, mean known       1/var Gamma(a, b)           Gamma(a + W/2, b + sum (x - mean)^2 / 2)                 (9)
    Normal, var known        mean  Normal(m, v)          v' = v var / (W v + var),  m' = m + v'/var sum (x - m)   (10)
    MultivariateNormal, cov known  MultivariateNormal    S' = S - S (S + cov/W)^-1 S,  m' = m + S (S + cov/W)^-1 (xbar - m)  (11)
    Normal                   both  NormalGamma(m, k, a, b)   k' = k + W,  m' = m + W (xbar - m)/k',  a' = a + W/2,
                             b' = b + 1/2 sum (x - xbar)^2 + k W (xbar - m)^2 / (2 k')                            (12)
    MultivariateNormal       both  NormalInverseWishart(m, k, nu, P)   k', m' as before,  nu' = nu + W,
                             P' = P + sum (x - xbar)(x - xbar)' + k W/k' (xbar - m)(xbar - m)'                    (13)

Sums about the location of the data keep every digit of (12) and (13) wherever the prior's mean is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from novum.distributions.conjugate.predictive import Predictive
from novum.distributions.continuous.beta import Beta
from novum.distributions.continuous.exponential import Exponential
from novum.distributions.continuous.gamma import Gamma
from novum.distributions.continuous.normal import Normal
from novum.distributions.continuous.student_t import StudentT
from novum.distributions.discrete.bernoulli import Bernoulli
from novum.distributions.discrete.binomial import Binomial
from novum.distributions.discrete.categorical import Categorical
from novum.distributions.discrete.multinomial import Multinomial
from novum.distributions.discrete.poisson import Poisson
from novum.distributions.gaussian import algebra
from novum.distributions.multivariate.dirichlet import Dirichlet
from novum.distributions.multivariate.multivariate_normal import MultivariateNormal
from novum.distributions.multivariate.multivariate_student_t import MultivariateStudentT
from novum.distributions.multivariate.normal_gamma import NormalGamma
from novum.distributions.multivariate.normal_inverse_wishart import NormalInverseWishart
from novum.report.result import Result

__all__ = ["PAIRS", "ConjugatePair"]


@dataclass(frozen=True, repr=False)
class ConjugatePair(Result):
    """One line of the table.

    Attributes
    ----------
    likelihood, prior : type
        The two families.
    unknown : str
        Parameters that the prior is about.
    known : tuple of str
        Parameters that the likelihood object must bring.
    posterior_text, predictive_text : str
        The rules in words.
    bound : callable
        (likelihood, theta) to the likelihood with the unknown parameters theta.
    center : callable
        A prior to a theta near the middle of it.
    posterior : callable
        (prior, likelihood, about, sums) to the posterior, `sums` being statistics about the distribution `about`.
    predictive : callable
        (prior, likelihood) to the distribution of the next observation.
    """

    likelihood: type
    prior: type
    unknown: str
    known: tuple[str, ...]
    posterior_text: str
    predictive_text: str
    bound: Callable[[Any, Any], Any]
    center: Callable[[Any], Any]
    posterior: Callable[[Any, Any, Any, Any], Any]
    predictive: Callable[[Any, Any], Any]

    def __repr__(self) -> str:
        known = f", known {', '.join(self.known)}" if self.known else ""
        return (
            f"ConjugatePair: {self.likelihood.__name__} with unknown {self.unknown}{known}; prior {self.prior.__name__},"
            f" posterior {self.posterior_text}, predictive {self.predictive_text}"
        )


def _share(prior: Beta) -> Any:
    return prior.a / (prior.a + prior.b)


def _shares(prior: Dirichlet) -> Any:
    return prior.alpha / prior.alpha.sum(axis=-1, keepdims=True)


def _ratio(prior: Gamma) -> Any:
    return prior.shape / prior.rate


def _pair_center(prior: NormalGamma) -> Any:
    return np.stack(np.broadcast_arrays(prior.center, prior.shape / prior.rate), axis=-1)


def _matrix_center(prior: NormalInverseWishart) -> Any:
    d = prior.center.shape[-1]
    cov = prior.scale / (prior.df + d + 2)[..., None, None]
    return np.concatenate([prior.center[..., None, :], cov], axis=-2)


def _trials(prior: Beta, successes: Any, trials: Any) -> Beta:
    return Beta(prior.a + successes, prior.b + (trials - successes))


def mean_posterior(prior: Normal, likelihood: Normal, about: Normal, sums: Any) -> Normal:
    """Return (10)."""
    total = sums.first + sums.mass * (about.mean - prior.mean)  # sum (x - m)
    var = 1 / (1 / prior.var + sums.mass / likelihood.var)
    return Normal(prior.mean + var / likelihood.var * total, var)


def vector_posterior(prior: Any, likelihood: Any, about: Any, sums: Any) -> MultivariateNormal:
    """Return (11): the mean of the data is one observation with covariance cov/W."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)[..., None]
    center = about.mean + sums.first / mass
    seen = algebra.linear_gaussian(
        prior.mean, prior.cov, np.eye(prior.mean.shape[-1]), likelihood.cov / mass[..., None], center
    ).posterior
    empty = (sums.mass <= 0)[..., None]
    return MultivariateNormal(np.where(empty, prior.mean, seen.mean), np.where(empty[..., None], prior.cov, seen.cov))


def normal_gamma_posterior(prior: NormalGamma, _: Any, about: Normal, sums: Any) -> NormalGamma:
    """Return (12)."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)
    gap = about.mean + sums.first / mass - prior.center
    scatter = np.maximum(sums.second - sums.first**2 / mass, 0.0)
    strength = prior.strength + sums.mass
    return NormalGamma(
        prior.center + sums.mass / strength * gap,
        strength,
        prior.shape + sums.mass / 2,
        prior.rate + scatter / 2 + prior.strength * sums.mass * gap**2 / (2 * strength),
    )


def wishart_posterior(prior: Any, _: Any, about: Any, sums: Any) -> NormalInverseWishart:
    """Return (13)."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)[..., None]
    offset = sums.first / mass
    gap = about.mean + offset - prior.center
    scatter = sums.second - sums.first[..., None] * offset[..., None, :]
    strength = prior.strength + sums.mass
    share = (sums.mass / strength)[..., None]
    scale = prior.scale + scatter + (prior.strength[..., None] * share)[..., None] * gap[..., None] * gap[..., None, :]
    return NormalInverseWishart(prior.center + share * gap, strength, prior.df + sums.mass, scale)


def student(prior: NormalGamma, _: Any) -> StudentT:
    """Return the predictive distribution of (12)."""
    scale = np.sqrt(prior.rate * (prior.strength + 1) / (prior.shape * prior.strength))
    return StudentT(2 * prior.shape, prior.center, scale)


def vector_student(prior: NormalInverseWishart, _: Any) -> MultivariateStudentT:
    """Return the predictive distribution of (13)."""
    df = prior.df - prior.center.shape[-1] + 1
    ratio = (prior.strength + 1) / (prior.strength * df)
    return MultivariateStudentT(df, prior.center, prior.scale * ratio[..., None, None])


PAIRS = (
    ConjugatePair(
        likelihood=Bernoulli,
        prior=Beta,
        unknown="p",
        known=(),
        posterior_text="Beta(a + successes, b + failures)",
        predictive_text="Bernoulli(a / (a + b))",
        bound=lambda _, p: Bernoulli(p),
        center=_share,
        posterior=lambda prior, _, about, s: _trials(prior, s.successes, s.mass),
        predictive=lambda prior, _: Bernoulli(_share(prior)),
    ),
    ConjugatePair(
        likelihood=Binomial,
        prior=Beta,
        unknown="p",
        known=("n",),
        posterior_text="Beta(a + successes, b + failures)",
        predictive_text="beta-binomial",
        bound=lambda known, p: Binomial(known.n, p),
        center=_share,
        posterior=lambda prior, known, about, s: _trials(prior, s.successes, known.n * s.mass),
        predictive=lambda prior, known: Predictive(prior, known),
    ),
    ConjugatePair(
        likelihood=Categorical,
        prior=Dirichlet,
        unknown="p",
        known=(),
        posterior_text="Dirichlet(alpha + counts)",
        predictive_text="Categorical(alpha / sum alpha)",
        bound=lambda _, p: Categorical(p),
        center=_shares,
        posterior=lambda prior, _, about, s: Dirichlet(prior.alpha + s.counts),
        predictive=lambda prior, _: Categorical(_shares(prior)),
    ),
    ConjugatePair(
        likelihood=Multinomial,
        prior=Dirichlet,
        unknown="p",
        known=("n",),
        posterior_text="Dirichlet(alpha + counts)",
        predictive_text="Dirichlet-multinomial",
        bound=lambda known, p: Multinomial(known.n, p),
        center=_shares,
        posterior=lambda prior, _, about, s: Dirichlet(prior.alpha + s.counts),
        predictive=lambda prior, known: Predictive(prior, known),
    ),
    ConjugatePair(
        likelihood=Poisson,
        prior=Gamma,
        unknown="rate",
        known=(),
        posterior_text="Gamma(shape + sum x, rate + n)",
        predictive_text="negative binomial",
        bound=lambda _, rate: Poisson(rate),
        center=_ratio,
        posterior=lambda prior, _, about, s: Gamma(prior.shape + s.total, prior.rate + s.mass),
        predictive=lambda prior, _: Predictive(prior, Poisson),
    ),
    ConjugatePair(
        likelihood=Exponential,
        prior=Gamma,
        unknown="rate",
        known=(),
        posterior_text="Gamma(shape + n, rate + sum x)",
        predictive_text="Lomax",
        bound=lambda _, rate: Exponential(rate),
        center=_ratio,
        posterior=lambda prior, _, about, s: Gamma(prior.shape + s.mass, prior.rate + s.total),
        predictive=lambda prior, _: Predictive(prior, Exponential),
    ),
    ConjugatePair(
        likelihood=Normal,
        prior=Gamma,
        unknown="precision",
        known=("mean",),
        posterior_text="Gamma(shape + n/2, rate + sum (x - mean)^2 / 2)",
        predictive_text="StudentT",
        bound=lambda known, precision: Normal(known.mean, 1 / precision),
        center=_ratio,
        posterior=lambda prior, _, about, s: Gamma(prior.shape + s.mass / 2, prior.rate + s.second / 2),
        predictive=lambda prior, known: StudentT(2 * prior.shape, known.mean, np.sqrt(prior.rate / prior.shape)),
    ),
    ConjugatePair(
        likelihood=Normal,
        prior=Normal,
        unknown="mean",
        known=("var",),
        posterior_text="Normal, precisions add",
        predictive_text="Normal(mean, var + known var)",
        bound=lambda known, mean: Normal(mean, known.var),
        center=lambda prior: prior.mean,
        posterior=mean_posterior,
        predictive=lambda prior, known: Normal(prior.mean, prior.var + known.var),
    ),
    ConjugatePair(
        likelihood=MultivariateNormal,
        prior=MultivariateNormal,
        unknown="mean",
        known=("cov",),
        posterior_text="MultivariateNormal, precisions add",
        predictive_text="MultivariateNormal(mean, cov + known cov)",
        bound=lambda known, mean: MultivariateNormal(mean, known.cov),
        center=lambda prior: prior.mean,
        posterior=vector_posterior,
        predictive=lambda prior, known: MultivariateNormal(prior.mean, prior.cov + known.cov),
    ),
    ConjugatePair(
        likelihood=Normal,
        prior=NormalGamma,
        unknown="mean and precision",
        known=(),
        posterior_text="NormalGamma",
        predictive_text="StudentT",
        bound=lambda _, theta: Normal(theta[..., 0], 1 / theta[..., 1]),
        center=_pair_center,
        posterior=normal_gamma_posterior,
        predictive=student,
    ),
    ConjugatePair(
        likelihood=MultivariateNormal,
        prior=NormalInverseWishart,
        unknown="mean and cov",
        known=(),
        posterior_text="NormalInverseWishart",
        predictive_text="MultivariateStudentT",
        bound=lambda _, theta: MultivariateNormal(theta[..., 0, :], theta[..., 1:, :]),
        center=_matrix_center,
        posterior=wishart_posterior,
        predictive=vector_student,
    ),
)
