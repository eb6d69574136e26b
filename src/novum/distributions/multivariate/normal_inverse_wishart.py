r"""The Normal-inverse-Wishart distribution of a mean vector mu and a covariance S: conjugate to the multivariate normal.

    p(mu, S) = N(mu | m, S/k) IW(S | nu, Psi)                                                      (1)
    log IW(S | nu, Psi) = nu/2 log |Psi| - nu d/2 log 2 - log Gamma_d(nu/2) - (nu + d + 1)/2 log |S| - 1/2 tr(Psi S^-1)
    u = (log |S|, S^-1, S^-1 mu, mu' S^-1 mu),  eta = (-(nu + d + 2)/2, -1/2 (Psi + k m m'), k m, -k/2),
    h = (2 pi)^(-d/2),  A = log Gamma_d(nu/2) + nu d/2 log 2 - nu/2 log |Psi| - d/2 log k          (2)

An outcome is one array of shape (d + 1, d): the mean in its first row, the covariance below (`packed`, `unpacked`). Draws of S use
Bartlett's factor B (lower triangular, B_ii^2 chi-square with nu - i degrees of freedom, i = 0, ..., d - 1, normal below):

    S = T' T,   T = B^-1 L',   Psi = L L'                                                          (3)
"""

from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, multigammaln

from novum.distributions.base import Support
from novum.distributions.conjugate.prior import ConjugatePrior
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.numerics import triangular
from novum.distributions.numerics.draws import log_gamma_draws
from novum.distributions.parameters import Parameter, finite, positive, require
from novum.exceptions import ParameterError
from novum.runtime import arrays
from novum.runtime.typing import Numbers

__all__ = ["NormalInverseWishart", "pack_outcome", "unpack_outcome"]

LOG_2, LOG_2PI = float(np.log(2)), float(np.log(2 * np.pi))


class Constants(NamedTuple):
    mean: NDArray
    strength: NDArray
    df: NDArray
    scale: NDArray
    log_norm: NDArray


class NormalWishartSums(NamedTuple):
    """Mass and sums of the four parts of u."""

    mass: NDArray
    log_determinant: NDArray
    precision: NDArray
    weighted_mean: NDArray
    weighted_square: NDArray


def pack_outcome(mean: Any, cov: Any) -> NDArray:
    """Return a mean and a covariance as one outcome (..., d + 1, d)."""
    mean, cov = np.asarray(mean, np.float64), np.asarray(cov, np.float64)
    shape = np.broadcast_shapes(mean.shape[:-1], cov.shape[:-2])
    d = mean.shape[-1]
    top = np.broadcast_to(mean, (*shape, d))[..., None, :]
    return np.concatenate([top, np.broadcast_to(cov, (*shape, d, d))], axis=-2)


def unpack_outcome(x: Any) -> tuple[Any, Any]:
    """Return the mean and the covariance of outcomes (..., d + 1, d)."""
    return x[..., 0, :], x[..., 1:, :]


def factors(cov: NDArray) -> tuple[NDArray, NDArray]:
    """Return Cholesky factors, and which matrices have one; the identity stands in for the others."""
    flat = cov.reshape(-1, *cov.shape[-2:])
    with np.errstate(invalid="ignore"):
        symmetric = np.abs(flat - flat.swapaxes(-1, -2)).max(axis=(-2, -1)) <= 1e-8 * np.abs(flat).max(axis=(-2, -1))
    good = symmetric & np.isfinite(flat).all(axis=(-2, -1))
    good[good] = np.linalg.eigvalsh(flat[good])[:, 0] > 0
    return (
        np.linalg.cholesky(np.where(good[:, None, None], flat, np.eye(cov.shape[-1]))).reshape(cov.shape),
        good.reshape(cov.shape[:-2]),
    )


class NormalInverseWishart(ConjugatePrior, ExponentialFamily):
    """The joint distribution of a mean vector and a covariance matrix; an outcome holds both, (d + 1, d).

    Parameters
    ----------
    mean : array of shape (..., d)
        Where the mean is expected; the attribute is `center`, since `mean` is the expectation of an outcome.
    strength : float or array
        Observations that this expectation is worth.
    df : float or array
        Degrees of freedom, above d - 1.
    scale : array of shape (..., d, d), (d,) or float
        Psi; the expected covariance is scale / (df - d - 1).

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import MultivariateNormal, NormalInverseWishart
    >>> prior = NormalInverseWishart([0.0, 0.0], strength=1.0, df=5.0, scale=np.eye(2))
    >>> MultivariateNormal.fit([[1.0, 2.0]], prior=prior).mean  # one row is enough
    array([0.5, 1. ])
    """

    mean = Parameter(shown="_expectation")
    strength = Parameter()
    df = Parameter()
    scale = Parameter()
    _event_ndim = 2
    _sums = NormalWishartSums
    _domain = "means and positive definite covariances, (d + 1, d) each"
    support = Support("matrices", -np.inf, np.inf)

    def __init__(self, mean: Numbers, strength: float | Numbers, df: float | Numbers, scale: Numbers | float) -> None:
        family = "NormalInverseWishart"
        center = finite(family, "mean", mean)
        if center.ndim == 0:
            raise ParameterError(f"{family}(mean={mean!r}): mean must be a vector; for numbers there is NormalGamma.")
        d = center.shape[-1]
        matrix = triangular.covariance(family, "scale", scale, d)
        freedom = positive(family, "df", df)
        require(family, "df", freedom, freedom > d - 1, f"above d - 1 = {d - 1} for vectors of {d}")
        self._set(
            (d + 1, d),
            mean=(center, 1),
            strength=(positive(family, "strength", strength), 0),
            df=(freedom, 0),
            scale=(matrix, 2),
            factor=(triangular.cholesky(family, "scale", matrix), 2),
        )

    @property
    def _d(self) -> int:
        return self.event_shape[1]

    @cached_property
    def _constants(self) -> Constants:
        return Constants(
            self.center, self.strength, self.df, self.scale, -self.log_partition() - 0.5 * self._d * LOG_2PI
        )

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        mu, cov = unpack_outcome(arrays.to_numpy(x))
        factor, good = factors(cov)
        d = mu.shape[-1]
        inverse = triangular.solve_lower(factor, np.broadcast_to(np.eye(d), factor.shape))
        precision = inverse.swapaxes(-1, -2) @ inverse
        gap = mu - constants.mean
        square = (gap * (precision @ gap[..., None])[..., 0]).sum(axis=-1)
        trace = (constants.scale * precision).sum(axis=(-2, -1))
        log_det = triangular.log_determinant(factor)
        value = constants.log_norm - 0.5 * ((constants.df + d + 2) * log_det + trace + constants.strength * square)
        return np.where(good, value, -np.inf)

    def _draw(self, stream: Any, count: Any) -> Any:
        d, batch = self._d, self.batch_shape
        freedom = self.df[..., None] - np.arange(d)
        chi = np.exp(0.5 * (LOG_2 + log_gamma_draws(stream, "inverse Wishart diagonal", 0.5 * freedom, count)))
        below = stream.normal("inverse Wishart", 0, count, self._columns() * d * d).reshape(count, *batch, d, d)
        bartlett = np.tril(below, -1) + chi[..., None] * np.eye(d)
        upper = np.broadcast_to(self.__dict__["factor"].swapaxes(-1, -2), bartlett.shape)
        root = triangular.solve_lower(bartlett, upper)  # T of (3)
        z = stream.normal("normal-inverse-Wishart mean", 0, count, self._columns() * d).reshape(count, *batch, d)
        offset = (root.swapaxes(-1, -2) @ z[..., None])[..., 0] / np.sqrt(self.strength)[..., None]
        return pack_outcome(self.center + offset, root.swapaxes(-1, -2) @ root)

    @property
    def center(self) -> NDArray:
        """The parameter `mean` of the constructor."""
        return self.__dict__["mean"]

    @property
    def _expectation(self) -> NDArray:
        """E[(mu, S)] as one outcome; NaN for the mean where df <= d, for the covariance where df <= d + 1."""
        excess = self.df - self._d - 1
        center = np.where((self.df > self._d)[..., None], self.center, np.nan)
        return pack_outcome(center, self.scale / np.where(excess > 0, excess, np.nan)[..., None, None])

    @property
    def var(self) -> Any:
        """Variances of every entry of an outcome; NaN where they do not exist."""
        d, nu = self._d, self.df
        excess = np.where(nu > d + 1, nu - d - 1, np.nan)[..., None, None]
        diagonal = np.diagonal(self.scale, axis1=-2, axis2=-1)
        product = diagonal[..., None] * diagonal[..., None, :]
        wide = np.where(nu > d + 3, nu - d - 3, np.nan)[..., None, None]
        above = (excess + 2) * self.scale**2 + excess * product
        return pack_outcome(
            diagonal / excess[..., 0] / self.strength[..., None], above / ((excess + 1) * excess**2 * wide)
        )

    @property
    def mode(self) -> Any:
        return pack_outcome(self.center, self.scale / (self.df + self._d + 2)[..., None, None])

    @property
    def n_parameters(self) -> Any:
        return self._d + self._d * (self._d + 1) // 2 + 2

    def _mean_log_determinant(self) -> NDArray:
        """Return E[log |S|]."""
        halves = 0.5 * (self.df[..., None] - np.arange(self._d))
        return triangular.log_determinant(self.__dict__["factor"]) - self._d * LOG_2 - digamma(halves).sum(axis=-1)

    def entropy(self) -> Any:
        d = self._d
        exponent = 0.5 * (self.df + d + 2) * self._mean_log_determinant() + 0.5 * d * (self.df + 1)
        return self.log_partition() + 0.5 * d * LOG_2PI + exponent

    def natural_parameters(self) -> tuple[NDArray, ...]:
        m, k = self.center, self.strength
        outer = k[..., None, None] * m[..., None] * m[..., None, :]
        return -0.5 * (self.df + self._d + 2), -0.5 * (self.scale + outer), k[..., None] * m, -0.5 * k

    def log_partition(self) -> Any:
        d, nu = self._d, self.df
        log_det = triangular.log_determinant(self.__dict__["factor"])
        return multigammaln(0.5 * nu, d) + 0.5 * nu * (d * LOG_2 - log_det) - 0.5 * d * np.log(self.strength)

    def sufficient_statistics(self, x: Numbers) -> tuple[NDArray, ...]:
        mu, cov = unpack_outcome(arrays.to_numpy(x))
        precision = np.linalg.inv(cov)
        turned = (precision @ mu[..., None])[..., 0]
        return np.linalg.slogdet(cov)[1], precision, turned, (mu * turned).sum(axis=-1)

    def log_base_measure(self, x: Numbers) -> Any:
        return np.full(np.shape(x)[:-2], -0.5 * self._d * LOG_2PI)

    def mean_statistics(self) -> tuple[NDArray, ...]:
        precision = self.df[..., None, None] * np.linalg.inv(self.scale)
        turned = (precision @ self.center[..., None])[..., 0]
        square = self._d / self.strength + (self.center * turned).sum(axis=-1)
        return self._mean_log_determinant(), precision, turned, square

    @classmethod
    def from_natural(cls, *eta: Any) -> Self:
        first, second, third, fourth = (np.asarray(part, np.float64) for part in eta)
        k = -2 * fourth
        m = third / k[..., None]
        scale = -2 * second - k[..., None, None] * m[..., None] * m[..., None, :]
        return cls(m, k, -2 * first - m.shape[-1] - 2, scale)

    def from_mean_statistics(self, *mean: Any) -> Self:
        raise ParameterError(
            "NormalInverseWishart: there is no fit to outcomes; make it from its parameters, or update it with data."
        )
