"""Probability distributions: densities, draws, moments, divergences and fits, one protocol for all."""

from novum.distributions._base import Distribution
from novum.distributions.bernoulli import Bernoulli
from novum.distributions.beta import Beta
from novum.distributions.binomial import Binomial
from novum.distributions.categorical import Categorical
from novum.distributions.conjugate.registry import conjugate_prior
from novum.distributions.conjugate.sequence import posterior_sequence
from novum.distributions.continuous import Continuous
from novum.distributions.dirichlet import Dirichlet
from novum.distributions.discrete import Discrete
from novum.distributions.estimation.grid import posterior_grid
from novum.distributions.estimation.optimum import maximum_a_posteriori, maximum_likelihood
from novum.distributions.exponential import Exponential
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.gamma import Gamma
from novum.distributions.gaussian.operations import linear_gaussian
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
from novum.distributions.tables.joint import JointTable
from novum.distributions.uniform import Uniform
from novum.runtime.moved_names import moved_names

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
    "JointTable",
    "MixtureDistribution",
    "Multinomial",
    "MultivariateNormal",
    "MultivariateStudentT",
    "Normal",
    "NormalGamma",
    "NormalInverseWishart",
    "Poisson",
    "StudentT",
    "Uniform",
    "conjugate_prior",
    "linear_gaussian",
    "maximum_a_posteriori",
    "maximum_likelihood",
    "posterior_grid",
    "posterior_sequence",
]

__getattr__ = moved_names(
    __name__,
    {
        "._base": "Support",
        ".conjugate.predictive": "Predictive",
        ".conjugate.registry": "ConjugatePairs conjugate_pairs",
        ".conjugate.rules": "ConjugatePair",
        ".conjugate.sequence": "PosteriorSequence",
        ".estimation.compare": "LikelihoodRanking rank_by_likelihood",
        ".estimation.grid": "GridPosterior",
        ".estimation.result": "Estimate Profile",
        ".estimation.sample_mean": "MeanPaths StandardizedMeans chebyshev_bound mean_paths sample_mean standardized_means",
        ".gaussian.operations": "LinearGaussianModel",
        ".tables.independence": "IndependenceCheck IndependenceTest Statement",
    },
)
