"""Approximate inference: expectation maximisation, bounds of the evidence, factorised posteriors, Laplace, pathwise gradients."""

from novum.runtime.moved_names import moved_names
from novum.variational.bounds import elbo
from novum.variational.expectation_maximization import em
from novum.variational.factorized import mean_field
from novum.variational.laplace_approximation import laplace
from novum.variational.normal import vb_normal
from novum.variational.path_gradients import pathwise_gradient

__all__ = ["elbo", "em", "laplace", "mean_field", "pathwise_gradient", "vb_normal"]

__getattr__ = moved_names(
    __name__,
    {
        ".bounds": "Bound",
        ".coordinate_ascent": "MeanField",
        ".expectation_maximization": "ExpectationMaximization",
        ".laplace_approximation": "LaplaceApproximation",
        ".normal": "VariationalNormal",
        ".path_gradients": "GradientEstimate",
    },
)
