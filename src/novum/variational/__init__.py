"""Approximate inference: expectation maximisation, bounds of the evidence, factorised posteriors, Laplace, pathwise gradients."""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.variational.bounds import Bound, elbo
    from novum.variational.coordinate_ascent import MeanField
    from novum.variational.expectation_maximization import ExpectationMaximization, em
    from novum.variational.factorized import mean_field
    from novum.variational.laplace_approximation import LaplaceApproximation, laplace
    from novum.variational.normal import VariationalNormal, vb_normal
    from novum.variational.path_gradients import GradientEstimate, pathwise_gradient
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".bounds": "Bound elbo",
            ".coordinate_ascent": "MeanField",
            ".expectation_maximization": "ExpectationMaximization em",
            ".factorized": "mean_field",
            ".laplace_approximation": "LaplaceApproximation laplace",
            ".normal": "VariationalNormal vb_normal",
            ".path_gradients": "GradientEstimate pathwise_gradient",
        },
    )

__all__ = [
    "Bound",
    "ExpectationMaximization",
    "GradientEstimate",
    "LaplaceApproximation",
    "MeanField",
    "VariationalNormal",
    "elbo",
    "em",
    "laplace",
    "mean_field",
    "pathwise_gradient",
    "vb_normal",
]
