"""Mixtures: densities that are weighted sums of simple ones, learned with missing cells and weights."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.mixture.bayesian import BayesianGaussianMixture
    from novum.mixture.bernoulli import BernoulliMixture
    from novum.mixture.gaussian import GaussianMixture
    from novum.mixture.generic import Mixture
    from novum.mixture.novelty import NoveltyDetector
    from novum.mixture.plots import plot_ellipses
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".bayesian": "BayesianGaussianMixture",
            ".bernoulli": "BernoulliMixture",
            ".gaussian": "GaussianMixture",
            ".generic": "Mixture",
            ".novelty": "NoveltyDetector",
            ".plots": "plot_ellipses",
        },
    )

__all__ = [
    "BayesianGaussianMixture",
    "BernoulliMixture",
    "GaussianMixture",
    "Mixture",
    "NoveltyDetector",
    "plot_ellipses",
]
