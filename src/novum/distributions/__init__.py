"""Probability distributions: densities, draws, moments, divergences and fits, one protocol for all."""

from novum.distributions._base import Distribution, Support
from novum.distributions.bernoulli import Bernoulli
from novum.distributions.beta import Beta
from novum.distributions.categorical import Categorical
from novum.distributions.dirichlet import Dirichlet
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.gamma import Gamma
from novum.distributions.multivariate_normal import MultivariateNormal
from novum.distributions.normal import Normal
from novum.distributions.normal_gamma import NormalGamma
from novum.distributions.normal_inverse_wishart import NormalInverseWishart
from novum.distributions.poisson import Poisson

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "Distribution",
    "ExponentialFamily",
    "Gamma",
    "MultivariateNormal",
    "Normal",
    "NormalGamma",
    "NormalInverseWishart",
    "Poisson",
    "Support",
]
