"""Few coordinates for many columns: principal components, their probabilistic form, factor analysis."""

from novum.decomposition.factor_analysis import FactorAnalysis
from novum.decomposition.incremental import IncrementalPCA
from novum.decomposition.kernel_pca import KernelPCA
from novum.decomposition.pca import PCA
from novum.decomposition.plots import plot_components
from novum.decomposition.probabilistic import ProbabilisticPCA

__all__ = ["PCA", "FactorAnalysis", "IncrementalPCA", "KernelPCA", "ProbabilisticPCA", "plot_components"]
