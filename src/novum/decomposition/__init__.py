"""Few coordinates for many columns: principal components, their probabilistic form, factor analysis."""

from novum.decomposition._plot import plot_components
from novum.decomposition.incremental import IncrementalPCA
from novum.decomposition.pca import PCA

__all__ = ["PCA", "IncrementalPCA", "plot_components"]
