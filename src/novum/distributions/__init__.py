"""Probability distributions: densities, draws, moments, divergences and fits, one protocol for all."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.distributions.base import Distribution, Support
    from novum.distributions.conjugate.predictive import Predictive
    from novum.distributions.conjugate.registry import ConjugatePairs, conjugate_pairs, conjugate_prior
    from novum.distributions.conjugate.rules import ConjugatePair
    from novum.distributions.conjugate.sequence import PosteriorSequence, posterior_sequence
    from novum.distributions.continuous.beta import Beta
    from novum.distributions.continuous.exponential import Exponential
    from novum.distributions.continuous.gamma import Gamma
    from novum.distributions.continuous.normal import Normal
    from novum.distributions.continuous.random_variable import Continuous
    from novum.distributions.continuous.student_t import StudentT
    from novum.distributions.continuous.uniform import Uniform
    from novum.distributions.discrete.bernoulli import Bernoulli
    from novum.distributions.discrete.binomial import Binomial
    from novum.distributions.discrete.categorical import Categorical
    from novum.distributions.discrete.multinomial import Multinomial
    from novum.distributions.discrete.poisson import Poisson
    from novum.distributions.discrete.random_variable import Discrete
    from novum.distributions.estimation.compare import LikelihoodRanking, rank_by_likelihood
    from novum.distributions.estimation.grid import GridPosterior, posterior_grid
    from novum.distributions.estimation.optimum import maximum_a_posteriori, maximum_likelihood
    from novum.distributions.estimation.result import Estimate, Profile
    from novum.distributions.exponential_family import ExponentialFamily
    from novum.distributions.gaussian.operations import LinearGaussianModel, linear_gaussian
    from novum.distributions.mixture_distribution import MixtureDistribution
    from novum.distributions.multivariate.dirichlet import Dirichlet
    from novum.distributions.multivariate.multivariate_normal import MultivariateNormal
    from novum.distributions.multivariate.multivariate_student_t import MultivariateStudentT
    from novum.distributions.multivariate.normal_gamma import NormalGamma
    from novum.distributions.multivariate.normal_inverse_wishart import NormalInverseWishart
    from novum.distributions.tables.conditional import ConditionalTable
    from novum.distributions.tables.independence import IndependenceCheck, IndependenceTest, Statement
    from novum.distributions.tables.joint import JointTable
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".base": "Distribution Support",
            ".conjugate.predictive": "Predictive",
            ".conjugate.registry": "ConjugatePairs conjugate_pairs conjugate_prior",
            ".conjugate.rules": "ConjugatePair",
            ".conjugate.sequence": "PosteriorSequence posterior_sequence",
            ".continuous.beta": "Beta",
            ".continuous.exponential": "Exponential",
            ".continuous.gamma": "Gamma",
            ".continuous.normal": "Normal",
            ".continuous.random_variable": "Continuous",
            ".continuous.student_t": "StudentT",
            ".continuous.uniform": "Uniform",
            ".discrete.bernoulli": "Bernoulli",
            ".discrete.binomial": "Binomial",
            ".discrete.categorical": "Categorical",
            ".discrete.multinomial": "Multinomial",
            ".discrete.poisson": "Poisson",
            ".discrete.random_variable": "Discrete",
            ".estimation.compare": "LikelihoodRanking rank_by_likelihood",
            ".estimation.grid": "GridPosterior posterior_grid",
            ".estimation.optimum": "maximum_a_posteriori maximum_likelihood",
            ".estimation.result": "Estimate Profile",
            ".exponential_family": "ExponentialFamily",
            ".gaussian.operations": "LinearGaussianModel linear_gaussian",
            ".mixture_distribution": "MixtureDistribution",
            ".multivariate.dirichlet": "Dirichlet",
            ".multivariate.multivariate_normal": "MultivariateNormal",
            ".multivariate.multivariate_student_t": "MultivariateStudentT",
            ".multivariate.normal_gamma": "NormalGamma",
            ".multivariate.normal_inverse_wishart": "NormalInverseWishart",
            ".tables.conditional": "ConditionalTable",
            ".tables.independence": "IndependenceCheck IndependenceTest Statement",
            ".tables.joint": "JointTable",
        },
    )

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
    "Statement",
    "StudentT",
    "Support",
    "Uniform",
    "conjugate_pairs",
    "conjugate_prior",
    "linear_gaussian",
    "maximum_a_posteriori",
    "maximum_likelihood",
    "posterior_grid",
    "posterior_sequence",
    "rank_by_likelihood",
]
