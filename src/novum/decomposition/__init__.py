"""Few coordinates for many columns: principal components, their probabilistic form, factor analysis, independent components."""

from novum.decomposition.factor_analysis import FactorAnalysis
from novum.decomposition.fast_ica import FastICA
from novum.decomposition.fast_ica import fastica as fastica  # scikit-learn's function, for code that imports it
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
    "plot_components",
]
