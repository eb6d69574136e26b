"""Mixtures: densities that are weighted sums of simple ones, learned with missing cells and weights."""

from novum.mixture.bayesian import BayesianGaussianMixture
from novum.mixture.bernoulli import BernoulliMixture
from novum.mixture.gaussian import GaussianMixture
from novum.mixture.generic import Mixture
from novum.mixture.novelty import NoveltyDetector
from novum.mixture.plots import plot_ellipses
from novum.runtime.moved_names import moved_names

__all__ = [
    "BayesianGaussianMixture",
    "BernoulliMixture",
    "GaussianMixture",
    "Mixture",
    "NoveltyDetector",
    "plot_ellipses",
]

__getattr__ = moved_names(
    __name__,
    {
        ".plots": "plot_em_steps",
    },
)
