"""Probability distributions: densities, draws, moments, divergences and fits, one protocol for all."""

from novum.distributions._base import Distribution, Support
from novum.distributions.bernoulli import Bernoulli
from novum.distributions.beta import Beta
from novum.distributions.binomial import Binomial
from novum.distributions.categorical import Categorical
from novum.distributions.conjugate.predictive import Predictive
from novum.distributions.conjugate.registry import ConjugatePairs, conjugate_pairs, conjugate_prior
from novum.distributions.conjugate.rules import ConjugatePair
from novum.distributions.conjugate.sequence import PosteriorSequence, posterior_sequence
from novum.distributions.continuous import Continuous
from novum.distributions.dirichlet import Dirichlet
from novum.distributions.discrete import Discrete
from novum.distributions.estimation.compare import LikelihoodRanking, rank_by_likelihood
from novum.distributions.estimation.grid import GridPosterior, posterior_grid
from novum.distributions.estimation.optimum import maximum_a_posteriori, maximum_likelihood
from novum.distributions.estimation.result import Estimate, Profile
from novum.distributions.estimation.sample_mean import (
    MeanPaths,
    StandardizedMeans,
    chebyshev_bound,
    mean_paths,
    sample_mean,
    standardized_means,
)
from novum.distributions.exponential import Exponential
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.gamma import Gamma
from novum.distributions.gaussian.operations import LinearGaussianModel, linear_gaussian
from novum.distributions.mixture_distribution import MixtureDistribution
from novum.distributions.multinomial import Multinomial
from novum.distributions.multivariate_normal import MultivariateNormal
from novum.distributions.multivariate_student_t import MultivariateStudentT
from novum.distributions.normal import Normal
from novum.distributions.normal_gamma import NormalGamma
from novum.distributions.normal_inverse_wishart import NormalInverseWishart
from novum.distributions.poisson import Poisson
from novum.distributions.student_t import StudentT
from novum.distributions.tables.conditional import ConditionalTable
from novum.distributions.tables.independence import IndependenceCheck, IndependenceTest, Statement
from novum.distributions.tables.joint import JointTable
from novum.distributions.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "ConditionalTable",
    "ConjugatePair",
    "ConjugatePairs",
    "Continuous",
    "Dirichlet",
    "Discrete",
    "Distribution",
    "Estimate",
    "Exponential",
    "ExponentialFamily",
    "Gamma",
    "GridPosterior",
    "IndependenceCheck",
    "IndependenceTest",
    "JointTable",
    "LikelihoodRanking",
    "LinearGaussianModel",
    "MeanPaths",
    "MixtureDistribution",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateStudentT",
    "Normal",
    "NormalGamma",
    "NormalInverseWishart",
    "Poisson",
    "PosteriorSequence",
    "Predictive",
    "Profile",
    "StandardizedMeans",
    "Statement",
    "StudentT",
    "Support",
    "Uniform",
    "chebyshev_bound",
    "conjugate_pairs",
    "conjugate_prior",
    "linear_gaussian",
    "maximum_a_posteriori",
    "maximum_likelihood",
    "mean_paths",
    "posterior_grid",
    "posterior_sequence",
    "rank_by_likelihood",
    "sample_mean",
    "standardized_means",
]
