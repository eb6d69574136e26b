"""Discriminant analysis: Gaussian classes with shared or own covariances."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.base.generative import LinearForm
    from novum.discriminant_analysis.linear import LinearDiscriminantAnalysis
    from novum.discriminant_analysis.parameters import parameter_count
    from novum.discriminant_analysis.plots import plot_class_densities, plot_posterior_surface
    from novum.discriminant_analysis.quadratic import QuadraticDiscriminantAnalysis
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "novum.base.generative": "LinearForm",
            ".linear": "LinearDiscriminantAnalysis",
            ".parameters": "parameter_count",
            ".plots": "plot_class_densities plot_posterior_surface",
            ".quadratic": "QuadraticDiscriminantAnalysis",
        },
    )

__all__ = [
    "LinearDiscriminantAnalysis",
    "LinearForm",
    "QuadraticDiscriminantAnalysis",
    "parameter_count",
    "plot_class_densities",
    "plot_posterior_surface",
]
