"""Mixtures: densities that are weighted sums of simple ones, learned with missing cells and weights."""

from novum.mixture.bayesian import BayesianGaussianMixture
from novum.mixture.bernoulli import BernoulliMixture
from novum.mixture.gaussian import GaussianMixture
from novum.mixture.generic import Mixture
from novum.mixture.novelty import NoveltyDetector
from novum.mixture.plots import plot_ellipses

__all__ = [
    "BayesianGaussianMixture",
    "BernoulliMixture",
    "GaussianMixture",
    "Mixture",
    "NoveltyDetector",
    "plot_ellipses",
]


def __dir__() -> list[str]:
    return sorted(__all__)
