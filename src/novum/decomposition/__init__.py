"""Few coordinates for many columns: principal components, their probabilistic form, factor analysis, independent components."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.decomposition.factor_analysis import FactorAnalysis
    from novum.decomposition.fast_ica import FastICA, fastica
    from novum.decomposition.ica import ICA
    from novum.decomposition.incremental import IncrementalPCA
    from novum.decomposition.kernel_pca import KernelPCA
    from novum.decomposition.pca import PCA
    from novum.decomposition.plots import plot_components
    from novum.decomposition.probabilistic import ProbabilisticPCA
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".factor_analysis": "FactorAnalysis",
            ".fast_ica": "FastICA fastica",
            ".ica": "ICA",
            ".incremental": "IncrementalPCA",
            ".kernel_pca": "KernelPCA",
            ".pca": "PCA",
            ".plots": "plot_components",
            ".probabilistic": "ProbabilisticPCA",
        },
    )

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
