"""Few coordinates for many columns: principal components, their probabilistic form, factor analysis, independent components."""

from novum.decomposition.factor_analysis import FactorAnalysis
from novum.decomposition.fast_ica import FastICA, fastica
from novum.decomposition.ica import ICA
from novum.decomposition.incremental import IncrementalPCA
from novum.decomposition.kernel_pca import KernelPCA
from novum.decomposition.pca import PCA
from novum.decomposition.plots import plot_components
from novum.decomposition.probabilistic import ProbabilisticPCA

__all__ = [
    "ICA",
    "PCA",
    "FactorAnalysis",
    "FastICA",
    "IncrementalPCA",
    "KernelPCA",
    "ProbabilisticPCA",
    "fastica",
    "plot_components",
]


def __dir__() -> list[str]:
    return sorted(__all__)
