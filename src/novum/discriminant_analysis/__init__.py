"""Discriminant analysis: Gaussian classes with shared or own covariances."""

from novum.discriminant_analysis.linear import LinearDiscriminantAnalysis
from novum.discriminant_analysis.plots import plot_class_densities
from novum.discriminant_analysis.quadratic import QuadraticDiscriminantAnalysis
from novum.runtime.moved_names import moved_names

__all__ = ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "plot_class_densities"]

__getattr__ = moved_names(
    __name__,
    {
        ".linear": "LinearForm",
        ".parameters": "parameter_count",
        ".plots": "plot_posterior_surface",
    },
)
