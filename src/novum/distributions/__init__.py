"""Probability distributions: densities, draws, moments, divergences and fits, one protocol for all."""

from novum.distributions._base import Distribution, Support
from novum.distributions.bernoulli import Bernoulli
from novum.distributions.beta import Beta
from novum.distributions.binomial import Binomial
from novum.distributions.categorical import Categorical
from novum.distributions.continuous import Continuous
from novum.distributions.dirichlet import Dirichlet
from novum.distributions.discrete import Discrete
from novum.distributions.exponential import Exponential
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.gamma import Gamma
from novum.distributions.mixture_distribution import MixtureDistribution
from novum.distributions.multinomial import Multinomial
from novum.distributions.multivariate_normal import MultivariateNormal
from novum.distributions.multivariate_student_t import MultivariateStudentT
from novum.distributions.normal import Normal
from novum.distributions.normal_gamma import NormalGamma
from novum.distributions.normal_inverse_wishart import NormalInverseWishart
from novum.distributions.poisson import Poisson
from novum.distributions.student_t import StudentT
from novum.distributions.table import JointTable
from novum.distributions.table_conditional import ConditionalTable
from novum.distributions.table_independence import IndependenceCheck, IndependenceTest, Statement
from novum.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "ConditionalTable",
    "Continuous",
    "Dirichlet",
    "Discrete",
    "Distribution",
    "Exponential",
    "ExponentialFamily",
    "Gamma",
    "IndependenceCheck",
    "IndependenceTest",
    "JointTable",
    "MixtureDistribution",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateStudentT",
    "Normal",
    "NormalGamma",
    "NormalInverseWishart",
    "Poisson",
    "Statement",
    "StudentT",
    "Support",
    "Uniform",
]
