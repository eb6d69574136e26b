"""Mixtures: densities that are weighted sums of simple ones, learned with missing cells and weights."""

from novum.mixture._plot import plot_ellipses, plot_em_steps
from novum.mixture.bayesian import BayesianGaussianMixture
from novum.mixture.bernoulli import BernoulliMixture
from novum.mixture.gaussian import GaussianMixture
from novum.mixture.generic import Mixture
from novum.mixture.novelty import NoveltyDetector

__all__ = [
    "BayesianGaussianMixture",
    "BernoulliMixture",
    "GaussianMixture",
    "Mixture",
    "NoveltyDetector",
    "plot_ellipses",
    "plot_em_steps",
]
