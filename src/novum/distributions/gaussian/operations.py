"""Gaussian algebra on distribution objects: what `MultivariateNormal` can do beyond being a density.

The formulas, and the same for plain arrays, are in `novum.distributions.gaussian.algebra`.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from novum.distributions.gaussian import algebra
from novum.distributions.parameters import real
from novum.exceptions import ParameterError, ParameterTypeError
from novum.report.result import result
from novum.runtime.typing import Numbers

if TYPE_CHECKING:
    from novum.distributions.multivariate.multivariate_normal import MultivariateNormal


__all__ = ["GaussianOperations", "LinearGaussianModel", "linear_gaussian"]


class GaussianOperations:
    """Marginals, conditionals, affine images and products, each again a MultivariateNormal."""

    mean: Any
    cov: Any

    def marginal(self, keep: Any) -> Any:
        """Return the distribution of some coordinates, in the order given (an index, a slice, a list or a mask)."""
        return self._made(*algebra.marginal(self.mean, self.cov, keep))

    def condition(self, observed: Any, value: Numbers) -> Any:
        """Return the distribution of the other coordinates, given the values of the observed ones.

        Parameters
        ----------
        observed : int, slice, list of int or mask
        value : array-like of shape (..., number of observed)
            Several observations give a batch.

        Examples
        --------
        >>> from novum.distributions import MultivariateNormal
        >>> MultivariateNormal([1, 2], [[2, 0.8], [0.8, 1]]).condition(1, [3])
        MultivariateNormal(mean=[1.8], cov=[[1.36]])
        """
        return self._made(*algebra.condition(self.mean, self.cov, observed, value))

    def affine(self, A: Numbers, b: Numbers = 0.0, noise: Any = None) -> Any:
        """Return the distribution of A x + b, plus independent noise N(0, noise) where it is given."""
        return self._made(*algebra.affine(self.mean, self.cov, A, b, noise))

    def product(self, other: Any) -> tuple[Any, Any]:
        """Return the normalised product of two densities of the same x, and the log of what it was divided by."""
        if not isinstance(other, type(self)) or other.event_shape != self.event_shape:  # type: ignore[attr-defined]
            name = type(self).__name__
            raise ParameterError(
                f"{name}.product(other={other!r}): other must be a {name} with event_shape {self.event_shape}."  # type: ignore[attr-defined]
            )
        mean, cov, log_constant = algebra.product(self.mean, self.cov, other.mean, other.cov)
        return self._made(mean, cov), log_constant[()]

    def _made(self, mean: Any, cov: Any) -> Any:
        return type(self)(mean, cov)  # type: ignore[call-arg]


@result
class LinearGaussianModel(NamedTuple):
    """What an observation y = A x + b + noise makes of x."""

    posterior: Any  # MultivariateNormal of x given y
    marginal: Any  # MultivariateNormal of y
    log_evidence: Any


def linear_gaussian(
    prior: "MultivariateNormal", A: Numbers, noise: Numbers | float, y: Numbers, b: Numbers = 0.0
) -> LinearGaussianModel:
    """Return the posterior of x and the marginal of y for x ~ prior and y = A x + b + N(0, noise).

    Parameters
    ----------
    prior : MultivariateNormal
        Of x, with d coordinates.
    A : array-like of shape (m, d)
    noise : array-like of shape (m, m), (m,) or float
        Covariance; m numbers are a diagonal, a number a multiple of the identity.
    y : array-like of shape (..., m)
    b : array-like of shape (m,), default=0

    Returns
    -------
    LinearGaussianModel
        Named tuple of posterior, marginal and log_evidence.

    Examples
    --------
    >>> from novum.distributions import MultivariateNormal, linear_gaussian
    >>> found = linear_gaussian(MultivariateNormal([0.5], [[0.5]]), A=[[3]], noise=0.25, y=[2], b=[1])
    >>> found.marginal
    MultivariateNormal(mean=[2.5], cov=[[4.75]])
    >>> found.posterior.mean.round(6), found.posterior.cov.round(6)
    (array([0.342105]), array([[0.026316]]))
    """
    owner = "linear_gaussian"
    if not isinstance(prior, GaussianOperations):
        raise ParameterTypeError(
            f"{owner}(prior={prior!r}): prior must be a MultivariateNormal; of a number it is"
            " MultivariateNormal([mean], [[var]])."
        )
    matrix = np.atleast_2d(real(owner, "A", A))
    covariance = real(owner, "noise", noise)
    y, b = real(owner, "y", y), real(owner, "b", b)
    covariance = covariance * np.eye(matrix.shape[-2]) if covariance.ndim < 2 else covariance
    found = algebra.linear_gaussian(prior.mean, prior.cov, matrix, covariance, y, b)
    family: Any = type(prior)
    return LinearGaussianModel(family(*found.posterior), family(*found.marginal), found.log_evidence[()])
