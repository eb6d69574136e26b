"""Parameters of a Gaussian mixture and the maximization step that makes them from sums, with priors and parts that stay.

The formulas are those of `gaussian`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians import covariance as cov
from novum.engines.gaussians.covariance import MixtureSums
from novum.engines.gaussians.density import Density, density_of
from novum.exceptions import ParameterError
from novum.mixture.em import Solved

__all__ = ["Context", "checked_weights", "first_params", "fitted_attributes", "maximize", "params_of"]


class Params(NamedTuple):
    weights: NDArray  # (k,)
    means: NDArray  # (k, d)
    covariances: NDArray
    factor: NDArray
    density: Density


class Context(NamedTuple):
    """What a fit knows besides the data: the form, what was given, what stays."""

    form: str
    reg: float
    weights: NDArray | None
    means: NDArray | None
    precisions: NDArray | None
    fixed: frozenset
    center: NDArray  # (d,)
    dtype: np.dtype


def checked_weights(values: Any, k: int) -> NDArray:
    """Return given weights after scikit-learn's checks."""
    weights = cov.checked_array(values, (k,), "weights")
    if (weights < 0).any() or (weights > 1).any():
        raise ParameterError(
            "The parameter 'weights' should be in the range [0, 1], but got max value"
            f" {weights.max():.5f}, min value {weights.min():.5f}"
        )
    if abs(1 - weights.sum()) > 1e-6:
        raise ParameterError(
            f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}"
        )
    return weights / weights.sum()


def fitted_attributes(
    form: str, weights: NDArray, means: NDArray, covariances: NDArray, factor: NDArray, dtype: Any
) -> dict[str, Any]:
    """Return the fitted attributes."""
    return {
        "weights_": weights.astype(dtype),
        "means_": means.astype(dtype),
        "covariances_": covariances.astype(dtype),
        "precisions_cholesky_": factor.astype(dtype),
        "precisions_": cov.precision(form, factor).astype(dtype),
    }


def params_of(context: Context, weights: NDArray, means: NDArray, covariances: NDArray, factor: NDArray) -> Params:
    """Return parameters with the density (2) they make."""
    with np.errstate(divide="ignore"):  # a component that has died
        excess = np.log(weights)
    density = density_of(context.form, excess, means, covariances, factor, context.center)
    return Params(weights, means, covariances, factor, density)


def first_params(context: Context, sums: MixtureSums | None, shift: NDArray | None) -> Params:
    """Return the parameters of a start: what was given, the rest from first moments by (5)."""
    weights, means, covariances, factor = context.weights, context.means, None, None
    if sums is not None and shift is not None:
        mass, found, covariances = cov.estimate(context.form, sums, shift, context.reg)
        weights = mass / mass.sum() if weights is None else weights
        means = found if means is None else means
    if context.precisions is not None:
        factor = cov.factor_of_precision(context.form, context.precisions)
        covariances = cov.covariance_of_factor(context.form, factor)
    assert weights is not None and means is not None and covariances is not None
    if factor is None:
        factor = cov.factor_of_covariance(context.form, covariances, context.dtype)
    return params_of(context, weights, means, covariances, factor)


def maximize(context: Context, params: Params, sums: MixtureSums) -> Solved:
    """Return (5), and (6) of the parameters that entered."""
    bound = sums.log_likelihood / sums.weight
    objective = bound
    k, d = params.means.shape
    if context.reg and "covariances" not in context.fixed:
        roughness = cov.kernel_layout(context.form, params.factor, k, d) ** 2
        trace = roughness.reshape(len(roughness), -1).sum(axis=1) if context.form != "tied" else roughness.sum()
        objective -= 0.5 * context.reg * float((sums.mass * trace).sum()) / sums.weight
    if "means" in context.fixed:  # about the means themselves: nothing is subtracted
        sums = sums._replace(first=np.zeros_like(sums.first))
    mass, means, covariances = cov.estimate(context.form, sums, params.means, context.reg)
    weights = params.weights if "weights" in context.fixed else mass / mass.sum()
    if "covariances" in context.fixed:
        covariances, factor = params.covariances, params.factor
    else:
        factor = cov.factor_of_covariance(context.form, covariances, context.dtype)
    return Solved(params_of(context, weights, means, covariances, factor), bound, objective)
