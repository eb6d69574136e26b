"""Gaussian processes: regression, exact and sparse, classification, pictures, and kernels under scikit-learn's names."""

from novum.gaussian_process import kernels
from novum.gaussian_process.classification import GaussianProcessClassifier
from novum.gaussian_process.plots import plot_band, plot_draws, plot_evidence
from novum.gaussian_process.regression import GaussianProcessRegressor
from novum.gaussian_process.sparse import SparseGaussianProcessRegressor

__all__ = [
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "SparseGaussianProcessRegressor",
    "kernels",
    "plot_band",
    "plot_draws",
    "plot_evidence",
]


def __dir__() -> list[str]:
    return sorted(__all__)
