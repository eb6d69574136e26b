r"""The algebra of Gaussians N(m, S): everything that regression, probabilistic PCA, Gaussian processes and Kalman filters share.

With x = (x_a, x_b) split into coordinates,

    x_a         ~ N(m_a, S_aa)                                                                               (1)
    x_a | x_b   ~ N(m_a + G (x_b - m_b), [I -G] S [I -G]'),      G = S_ab S_bb^-1                            (2)
    A x + b + e ~ N(A m + b, A S A' + R),                         e ~ N(0, R) independent of x               (3)
    N(x | m, S) N(x | n, T) = N(m | n, S + T) N(x | c, C),        G = S (S + T)^-1,
                                c = m + G (n - m),  C = (I - G) S (I - G)' + G T G'                          (4)

and for x ~ N(m, S), y | x ~ N(A x + b, R):

    y     ~ N(A m + b, V),              V = A S A' + R                                                       (5)
    x | y ~ N(m + K (y - A m - b), (I - K A) S (I - K A)' + K R K'),    K = S A' V^-1                        (6)

The covariances in (2), (4) and (6) are written as sums of squares (Joseph's form): they stay positive semi-definite, and an error
in the gain enters them squared. Nothing is inverted: gains come from Cholesky factors. S itself may be singular, only
S_bb, S + T and V are factored. All functions work over leading axes, broadcast against each other; results have no more axes
than their arguments make them depend on. The same in information form: `novum.distributions.gaussian.information`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.distributions.numerics.triangular import log_determinant, solve_lower, squared_length
from novum.exceptions import DataError

__all__ = [
    "Gaussian",
    "GaussianProduct",
    "LinearGaussian",
    "affine",
    "condition",
    "linear_gaussian",
    "log_density",
    "marginal",
    "product",
]

LOG_2PI = float(np.log(2 * np.pi))
Array = NDArray[Any]


class Gaussian(NamedTuple):
    """N(mean, cov)."""

    mean: Array  # (..., d)
    cov: Array  # (..., d, d)


class GaussianProduct(NamedTuple):
    """A product of two densities: exp(log_constant) N(mean, cov)."""

    mean: Array
    cov: Array
    log_constant: Array  # (...)


class LinearGaussian(NamedTuple):
    """What an observation y = A x + b + noise makes of x."""

    posterior: Gaussian  # of x given y, (6)
    marginal: Gaussian  # of y, (5)
    log_evidence: Array  # log N(y | marginal), (...)
    gain: Array  # K, (..., d, m)


def transpose(matrix: Array) -> Array:
    """Return the transpose of the last two axes."""
    return np.swapaxes(matrix, -1, -2)


def times(matrix: Array, vector: Array) -> Array:
    """Return matrix @ vector over leading axes; many vectors by one matrix are one product."""
    return vector @ matrix.T if matrix.ndim == 2 else (matrix @ vector[..., None])[..., 0]


def sandwich(left: Array, middle: Array) -> Array:
    """Return left @ middle @ left', symmetric to the bit."""
    square = left @ middle @ transpose(left)
    return 0.5 * (square + transpose(square))


def factor(owner: str, name: str, cov: Array) -> Array:
    """Return the Cholesky factor."""
    try:
        return np.linalg.cholesky(cov)
    except np.linalg.LinAlgError:
        raise DataError(
            f"{owner}: {name} is not positive definite; its least eigenvalue is {np.linalg.eigvalsh(cov).min():.3g}. "
            "Leave out dependent coordinates, or add noise."
        ) from None


def gain_of(root: Array, cross: Array) -> Array:
    """Return cross @ (root root')^-1, for cross (..., d, m)."""
    half = solve_lower(root, transpose(cross))  # (..., m, d)
    turned = transpose(root)[..., ::-1, ::-1]  # read from its end, an upper triangle is a lower one
    return np.ascontiguousarray(transpose(solve_lower(turned, half[..., ::-1, :])[..., ::-1, :]))


def log_density_of(root: Array, offset: Array) -> Array:
    """Return log N(offset | 0, root root')."""
    if root.ndim == 2:
        square = squared_length(root, offset)
    else:
        white = solve_lower(root, offset[..., None])[..., 0]
        square = np.einsum("...i,...i->...", white, white)
    return -0.5 * (square + root.shape[-1] * LOG_2PI + log_determinant(root))


def log_density(x: Any, mean: Any, cov: Any) -> Array:
    """Return log N(x | mean, cov).

    Parameters
    ----------
    x, mean : array-like of shape (..., d)
    cov : array-like of shape (..., d, d)
    """
    return log_density_of(factor("log_density", "cov", np.asarray(cov, float)), np.subtract(x, mean, dtype=float))


def split(owner: str, which: Any, d: int) -> tuple[Array, Array]:
    """Return the chosen coordinates and the others."""
    chosen = np.atleast_1d(np.arange(d)[which] if isinstance(which, slice) else np.asarray(which))
    if chosen.dtype == bool:
        chosen = np.flatnonzero(chosen) if chosen.size == d else np.array([d])
    if chosen.dtype.kind not in "iu" or chosen.ndim != 1 or np.any((chosen < -d) | (chosen >= d)):
        raise DataError(f"{owner}: coordinates {which!r} are not among the {d} there are.")
    chosen = chosen % d
    if np.unique(chosen).size < chosen.size:
        raise DataError(f"{owner}: a coordinate is named twice in {which!r}.")
    return chosen, np.setdiff1d(np.arange(d), chosen)


def marginal(mean: Any, cov: Any, keep: Any) -> Gaussian:
    """Return (1).

    Parameters
    ----------
    mean : array-like of shape (..., d)
    cov : array-like of shape (..., d, d)
    keep : int, slice, or array of indices or booleans
        The coordinates a, in the requested order.
    """
    m, S = np.asarray(mean, float), np.asarray(cov, float)
    a, _ = split("marginal", keep, m.shape[-1])
    return Gaussian(m[..., a], S[..., a[:, None], a])


def condition(mean: Any, cov: Any, observed: Any, value: Any) -> Gaussian:
    """Return (2), the distribution of the coordinates that were not observed.

    Parameters
    ----------
    mean : array-like of shape (..., d)
    cov : array-like of shape (..., d, d)
    observed : int, slice, or array of indices or booleans
        The coordinates b.
    value : array-like of shape (..., len(b))
        Leading axes broadcast: many observations of one Gaussian share their covariance, which then has no such axes.

    Examples
    --------
    >>> from novum.distributions.gaussian.algebra import condition
    >>> mean, cov = condition([1, 2], [[2, 0.8], [0.8, 1]], observed=1, value=[3])
    >>> mean.round(12), cov.round(12)
    (array([1.8]), array([[1.36]]))
    """
    m, S = np.asarray(mean, float), np.asarray(cov, float)
    b, a = split("condition", observed, m.shape[-1])
    x = np.asarray(value, float)
    x = x[None] if x.ndim == 0 else x
    if x.shape[-1] != b.size:
        raise DataError(f"condition: value has {x.shape[-1]} entries for {b.size} observed coordinates.")
    root = factor("condition", "the covariance of the observed coordinates", S[..., b[:, None], b])
    gain = gain_of(root, S[..., a[:, None], b])  # G
    order = np.concatenate([a, b])
    eye = np.broadcast_to(np.eye(a.size), (*gain.shape[:-1], a.size))
    rest = sandwich(np.concatenate([eye, -gain], axis=-1), S[..., order[:, None], order])
    return Gaussian(m[..., a] + times(gain, x - m[..., b]), rest)


def check_shape(owner: str, name: str, value: Any, *last: int | None) -> Array:
    """Return an array whose last axes have these lengths, None for any; a number for a vector stays one."""
    array = np.asarray(value, float)
    found = array.shape[max(array.ndim - len(last), 0) :]
    same = len(found) == len(last) and all(n is None or n == k for n, k in zip(last, found))
    if not same and not (array.ndim == 0 and len(last) == 1):
        expected = ", ".join("any" if n is None else str(n) for n in last)
        raise DataError(f"{owner}: {name} has shape {array.shape}; its last axes must be ({expected}).")
    return array


def affine(mean: Any, cov: Any, A: Any, b: Any = 0.0, noise: Any = None) -> Gaussian:
    """Return (3).

    Parameters
    ----------
    mean : array-like of shape (..., d)
    cov : array-like of shape (..., d, d)
    A : array-like of shape (..., m, d)
    b : array-like of shape (..., m), default=0
    noise : array-like of shape (..., m, m), optional
        Covariance R of an independent summand; with A = I and b its mean this is the sum of two Gaussians.
    """
    m = np.asarray(mean, float)
    matrix = check_shape("affine", "A", A, None, m.shape[-1])
    rows = matrix.shape[-2]
    mapped = sandwich(matrix, np.asarray(cov, float))
    return Gaussian(
        times(matrix, m) + check_shape("affine", "b", b, rows),
        mapped if noise is None else mapped + check_shape("affine", "noise", noise, rows, rows),
    )


def product(mean: Any, cov: Any, other_mean: Any, other_cov: Any) -> GaussianProduct:
    """Return (4): the product of two densities of the same x.

    Parameters
    ----------
    mean, other_mean : array-like of shape (..., d)
    cov, other_cov : array-like of shape (..., d, d)
        Either may be singular, their sum may not.

    Examples
    --------
    >>> from novum.distributions.gaussian.algebra import product
    >>> mean, cov, _ = product([1], [[2]], [3], [[0.5]])
    >>> mean.round(12), cov.round(12)
    (array([2.6]), array([[0.4]]))
    """
    m, S = np.asarray(mean, float), np.asarray(cov, float)
    d = m.shape[-1]
    n, T = check_shape("product", "other_mean", other_mean, d), check_shape("product", "other_cov", other_cov, d, d)
    root = factor("product", "the sum of the covariances", S + T)
    gain = gain_of(root, S)
    C = sandwich(np.eye(m.shape[-1]) - gain, S) + sandwich(gain, T)
    return GaussianProduct(m + times(gain, n - m), C, log_density_of(root, m - n))


def linear_gaussian(mean: Any, cov: Any, A: Any, noise: Any, y: Any, b: Any = 0.0) -> LinearGaussian:
    """Return (5) and (6): x ~ N(mean, cov) seen through y = A x + b + N(0, noise).

    Parameters
    ----------
    mean : array-like of shape (..., d)
    cov : array-like of shape (..., d, d)
    A : array-like of shape (..., m, d)
    noise : array-like of shape (..., m, m)
    y : array-like of shape (..., m)
        Leading axes broadcast: many y of one model share covariances and gain, which then have no such axes.
    b : array-like of shape (..., m), default=0

    Examples
    --------
    >>> from novum.distributions.gaussian.algebra import linear_gaussian
    >>> found = linear_gaussian([0.5], [[1 / 2]], A=[[3]], noise=[[1 / 4]], y=[2], b=[1])
    >>> found.marginal.mean, found.marginal.cov, found.posterior.mean.round(6), found.posterior.cov.round(6)
    (array([2.5]), array([[4.75]]), array([0.342105]), array([[0.026316]]))
    """
    owner, m, S = "linear_gaussian", np.asarray(mean, float), np.asarray(cov, float)
    matrix = check_shape(owner, "A", A, None, m.shape[-1])
    rows = matrix.shape[-2]
    R, y, b = (
        check_shape(owner, "noise", noise, rows, rows),
        check_shape(owner, "y", y, rows),
        check_shape(owner, "b", b, rows),
    )
    seen = affine(m, S, matrix, b, R)
    root = factor(owner, "the covariance of y", seen.cov)
    gain = gain_of(root, S @ transpose(matrix))
    offset = y - seen.mean
    rest = np.eye(S.shape[-1]) - gain @ matrix
    posterior = Gaussian(m + times(gain, offset), sandwich(rest, S) + sandwich(gain, R))
    return LinearGaussian(posterior, seen, log_density_of(root, offset), gain)
