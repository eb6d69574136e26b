"""Discriminant analysis: Gaussian classes with shared or own covariances."""

from novum.base.generative import LinearForm
from novum.discriminant_analysis.linear import LinearDiscriminantAnalysis
from novum.discriminant_analysis.parameters import parameter_count
from novum.discriminant_analysis.plots import plot_class_densities, plot_posterior_surface
from novum.discriminant_analysis.quadratic import QuadraticDiscriminantAnalysis

__all__ = [
    "LinearDiscriminantAnalysis",
    "LinearForm",
    "QuadraticDiscriminantAnalysis",
    "parameter_count",
    "plot_class_densities",
    "plot_posterior_surface",
]


def __dir__() -> list[str]:
    return sorted(__all__)
