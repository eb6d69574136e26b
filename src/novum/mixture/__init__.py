"""Mixtures: densities that are weighted sums of simple ones, learned with missing cells and weights."""

from novum.mixture.bayesian import BayesianGaussianMixture
from novum.mixture.gaussian import GaussianMixture

__all__ = ["BayesianGaussianMixture", "GaussianMixture"]
