r"""The multivariate normal distribution, by mean m and covariance C = L L'.

    log p(x) = -1/2 |L^-1 (x - m)|^2 - sum_i log L_ii - d/2 log(2 pi)                              (1)
    eta = (C^-1 m, -1/2 C^-1),  u = (x, x x'),  h = (2 pi)^(-d/2),  A = 1/2 m' C^-1 m + 1/2 log |C|  (2)

Maximum likelihood from the sums about the object's own mean c, with mass W:

    first = sum w (x - c),   second = sum w (x - c)(x - c)'                                        (3)
    m = c + first/W,   C = second/W - (first/W)(first/W)'                                          (4)

Under a NormalInverseWishart(m0, k, nu, Psi) prior the mode of the posterior is

    m = (k m0 + W m_ML) / (k + W),   C = (Psi + W C_ML + k W/(k + W) (m_ML - m0)(m_ML - m0)') / (nu + W + d + 2)   (5)
"""

import math
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.distributions.base import Distribution
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.continuous.normal import FAR_SHIFT, LOG_2PI
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.gaussian.operations import GaussianOperations
from novum.distributions.multivariate.elliptical import Elliptical
from novum.distributions.multivariate.normal_inverse_wishart import NormalInverseWishart
from novum.distributions.numerics import triangular
from novum.distributions.parameters import Parameter, finite
from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers, RowWeights

__all__ = ["MultivariateNormal"]


class Constants(NamedTuple):
    mean: NDArray
    factor: NDArray
    log_peak: NDArray


class NormalSums(NamedTuple):
    """Mass and the sums (3)."""

    mass: NDArray
    first: NDArray  # (..., d)
    second: NDArray  # (..., d, d)


def moments_of(sums: NormalSums) -> tuple[NDArray, NDArray]:
    """Return the mean about the shift and the covariance of (4); zero where there is no mass."""
    mass = np.where(sums.mass > 0, sums.mass, 1.0)
    offset = sums.first / mass[..., None]
    return offset, sums.second / mass[..., None, None] - offset[..., None] * offset[..., None, :]


class MultivariateNormal(Elliptical, GaussianOperations, ConjugatePrior, ExponentialFamily):
    """The normal distribution of vectors.

    Parameters
    ----------
    mean : array of shape (..., d)
    cov : array of shape (..., d, d), (d,) or float
        Symmetric and positive definite; d numbers are a diagonal, a number a multiple of the identity.

    Examples
    --------
    >>> from novum.distributions import MultivariateNormal
    >>> model = MultivariateNormal([0.0, 0.0], [[2.0, 0.5], [0.5, 1.0]])
    >>> float(model.prob([2.0, 1.0]).round(6))
    0.038368
    >>> MultivariateNormal.fit([[0.0, 0], [2, 0], [0, 2], [2, 2], [1, 1]]).cov.round(12)
    array([[0.8, 0. ],
           [0. , 0.8]])
    """

    mean = Parameter()
    cov = Parameter()
    _event_ndim = 1
    _sums = NormalSums
    _domain = "vectors of real numbers"
    _prior_advice = "give a NormalInverseWishart"

    def __init__(self, mean: Numbers, cov: Numbers | float) -> None:
        center = finite("MultivariateNormal", "mean", mean)
        if center.ndim == 0:
            raise ParameterError(
                f"MultivariateNormal(mean={mean!r}): mean must be a vector; for numbers there is Normal."
            )
        matrix = triangular.covariance("MultivariateNormal", "cov", cov, center.shape[-1])
        factor = triangular.cholesky("MultivariateNormal", "cov", matrix)
        self._set(center.shape[-1:], mean=(center, 1), cov=(matrix, 2), factor=(factor, 2))

    @property
    def cholesky(self) -> NDArray:
        """The lower triangular factor L of cov = L L'."""
        return self.__dict__["factor"]

    @cached_property
    def _constants(self) -> Constants:
        log_peak = -0.5 * (self.event_shape[0] * LOG_2PI + triangular.log_determinant(self.cholesky))
        return Constants(self.mean, self.cholesky, log_peak)

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        square = triangular.squared_length(constants.factor, x - constants.mean, spent=True)
        return constants.log_peak - 0.5 * square

    @cached_property
    def _kernel_table(self) -> tuple[NDArray, NDArray]:
        d = self.event_shape[0]
        return np.ascontiguousarray(self.mean).reshape(-1, d), np.ascontiguousarray(self.cholesky).reshape(-1, d, d)

    def _fused(self, x: Any, out: Any) -> None:
        _core.distributions.density.squared_length(x, *self._kernel_table, out)
        out *= -0.5
        out += self._constants.log_peak

    def _draw(self, stream: Any, count: Any) -> Any:
        z = stream.normal("multivariate normal", 0, count, self._columns() * self.event_shape[0])
        z = z.reshape(count, *self.batch_shape, *self.event_shape)
        if not self.batch_shape:
            return self.mean + z @ self.cholesky.T
        return self.mean + (self.cholesky @ z[..., None])[..., 0]

    @property
    def mode(self) -> Any:
        return self.mean

    @property
    def n_parameters(self) -> Any:
        d = self.event_shape[0]
        return d + d * (d + 1) // 2

    @property
    def precision(self) -> NDArray:
        """The inverse of the covariance."""
        inverse = triangular.solve_lower(self.cholesky, np.eye(self.event_shape[0]))
        return inverse.swapaxes(-1, -2) @ inverse

    def entropy(self) -> Any:
        d = self.event_shape[0]
        return 0.5 * (d * (1 + LOG_2PI) + triangular.log_determinant(self.cholesky))

    def kl(self, other: Distribution) -> Any:
        """Return KL(self || other)."""
        if type(other) is not type(self):
            return super().kl(other)
        other = self._same_family(other)
        ratio = triangular.solve_lower(other.cholesky, self.cholesky)  # triangular: the square root of one in the other
        gap = triangular.squared_length(other.cholesky, self.mean - other.mean)
        scale = np.diagonal(ratio, axis1=-2, axis2=-1)
        return 0.5 * (gap + (ratio**2).sum(axis=(-2, -1)) - self.event_shape[0]) - np.log(scale).sum(axis=-1)

    def natural_parameters(self) -> tuple[NDArray, ...]:
        precision = self.precision
        return (precision @ self.mean[..., None])[..., 0], -0.5 * precision

    def log_partition(self) -> Any:
        square = triangular.squared_length(self.cholesky, self.mean)
        return 0.5 * (square + triangular.log_determinant(self.cholesky))

    def sufficient_statistics(self, x: Any) -> tuple[NDArray, ...]:
        return x, x[..., None] * x[..., None, :]

    def log_base_measure(self, x: Numbers) -> Any:
        return np.full(np.shape(x)[:-1], -0.5 * self.event_shape[0] * LOG_2PI)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        return self.mean, self.cov + self.mean[..., None] * self.mean[..., None, :]

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        cov = np.linalg.inv(-2 * np.asarray(eta[1], np.float64))
        return cls((cov @ np.asarray(eta[0])[..., None])[..., 0], cov)

    def from_mean_statistics(self, *mean: Any) -> Self:
        first, second = mean
        return type(self)(first, second - first[..., None] * first[..., None, :])

    def statistics(self, x: Numbers, weight: RowWeights = None) -> NormalSums:
        """Return the mass and the sums (3) about this mean.

        first = sum w (x - c),   second = sum w (x - c)(x - c)'    (3)
        """
        x, weight = self._aligned(x, weight)
        d, n, columns = self.event_shape[0], x.shape[0], self._columns()
        shared = all(size == 1 for size in x.shape[1:-1])
        rows = x.reshape((n, 1 if shared else columns, d))
        weights = None if weight is None else weight.reshape((n, math.prod(weight.shape[1:])))
        first, second = np.empty((columns, d)), np.empty((columns, d, d))
        for j, mean in enumerate(self.mean.reshape(-1, d)):  # a product of matrices each: no batch would be faster
            offset = rows[:, 0 if shared else j] - arrays.like(x, mean, "float64")
            if weights is None:
                weighted = offset
                first[j] = arrays.to_numpy(offset.sum(0))
            else:
                own = weights[:, j if weights.shape[1] > 1 else 0]
                weighted = offset * own[:, None]
                first[j] = arrays.to_numpy(own @ offset)
            second[j] = arrays.to_numpy(weighted.T @ offset)
        batch = self.batch_shape
        return NormalSums(self._mass(x, weight), first.reshape(*batch, d), second.reshape(*batch, d, d))

    def from_statistics(self, statistics: NormalSums, prior: Any = None) -> "MultivariateNormal":
        """Return (4), or (5) with a NormalInverseWishart prior.

        m = c + first/W,   C = second/W - (first/W)(first/W)'    (4)
        m = (k m0 + W m_ML) / (k + W),   C = (Psi + W C_ML + k W/(k + W) (m_ML - m0)(m_ML - m0)') / (nu + W + d + 2)    (5)
        """
        if prior is not None:
            return self._posterior_mode(statistics, prior)
        offset, cov = moments_of(statistics)
        empty = (statistics.mass <= 0)[..., None, None]
        try:
            found = MultivariateNormal(self.mean + offset, np.where(empty, self.cov, cov))
        except ParameterError as error:
            raise DataError(
                f"MultivariateNormal: the rows lie in fewer than {self.event_shape[0]} dimensions, so the covariance is singular;"
                f" give more rows, leave out dependent columns, or give a prior (NormalInverseWishart)."
            ) from error
        return self._kept(statistics, found, None)

    def _posterior_mode(self, statistics: Any, prior: Any) -> Any:
        if not isinstance(prior, NormalInverseWishart):
            return super()._posterior_mode(statistics, prior)
        offset, cov = moments_of(statistics)
        mass = statistics.mass[..., None]
        gap = self.mean + offset - prior.center
        share = mass / (prior.strength[..., None] + mass)
        scatter = (
            mass[..., None] * cov + (prior.strength[..., None] * share)[..., None] * gap[..., None] * gap[..., None, :]
        )
        divisor = prior.df + statistics.mass + self.event_shape[0] + 2
        return MultivariateNormal(prior.center + share * gap, (prior.scale + scatter) / divisor[..., None, None])

    @classmethod
    def _start(cls, x: Any, weight: RowWeights, **options: Any) -> Any:
        d = x.shape[-1]
        near = cls(arrays.to_numpy(x[0]) if x.shape[0] else np.zeros(d), np.eye(d))
        offset, cov = moments_of(near.statistics(x, weight)) if x.shape[0] else (np.zeros(d), np.eye(d))
        scale = np.diagonal(cov)
        return cls(near.mean + offset, np.where(scale > 0, scale, 1.0))

    def _begin_again(self, found: Any) -> Any:
        return bool(((found.mean - self.mean) ** 2 > FAR_SHIFT * found.var).any())
