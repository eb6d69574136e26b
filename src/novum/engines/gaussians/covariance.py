r"""Forms of covariance, and what the algorithms ask of each: estimate (5), factor, determinant, number of free parameters.

    full            one matrix per component                 (k, d, d)
    tied            one matrix for all                       (d, d)
    diag            one variance per component and feature   (k, d)
    spherical       one variance per component               (k,)
    tied_spherical  one variance for all                     ()

A factor is U with U U' = precision, upper triangular (as scikit-learn's `precisions_cholesky_`), or the square root of the
precision where that is diagonal. Kernels know three layouts: full, tied and diagonal.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dtrtri
from sklearn.utils import check_array

from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays

__all__ = [
    "DIAGONAL",
    "EMPTY",
    "FORMS",
    "FULL",
    "TIED",
    "MixtureSums",
    "checked_array",
    "checked_precisions",
    "contiguous",
    "covariance_parameters",
    "dense",
    "estimate",
    "factor_of_covariance",
    "factor_of_precision",
    "kernel_layout",
    "layout",
    "log_determinant",
    "precision",
    "shape_of",
]

FULL, TIED, DIAGONAL = 0, 1, 2  # layouts of the kernels
FORMS = ("full", "tied", "diag", "spherical", "tied_spherical")
EMPTY = 10 * float(
    np.finfo(np.float64).eps
)  # added to every mass, as in scikit-learn: a component without rows divides by it


class MixtureSums(NamedTuple):
    """Statistics of one pass: (4) about the means that entered it, and the value of the objective there."""

    mass: NDArray  # (k,)
    first: NDArray  # (k, d)
    second: NDArray  # (k, d, d), tied: (d, d), diagonal layout: (k, d)
    log_likelihood: float  # sum w log p(x)
    information: float  # sum w r log r
    weight: float  # sum w


def layout(form: str) -> int:
    """Return the layout in which kernels take covariances of a form."""
    return {"full": FULL, "tied": TIED}.get(form, DIAGONAL)


def shape_of(form: str, k: int, d: int) -> tuple[int, ...]:
    """Return the shape of covariances, precisions and factors of a form."""
    return {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,), "tied_spherical": ()}[form]


def estimate(form: str, sums: MixtureSums, shift: NDArray, reg: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return masses, means and covariances by (5): maximum likelihood, plus `reg` on every diagonal."""
    mass = sums.mass + EMPTY
    offset = sums.first / mass[:, None]
    d = shift.shape[1]
    if form == "full":
        covariance = sums.second / mass[:, None, None] - offset[:, :, None] * offset[:, None, :]
        covariance[:, np.arange(d), np.arange(d)] += reg
    elif form == "tied":
        covariance = (sums.second - (mass * offset.T) @ offset) / mass.sum()
        covariance[np.arange(d), np.arange(d)] += reg
    else:
        covariance = sums.second / mass[:, None] - offset**2 + reg
        if form == "spherical":
            covariance = covariance.mean(axis=1)
        elif form == "tied_spherical":
            covariance = np.asarray(mass @ covariance.mean(axis=1) / mass.sum())
    return mass, shift + offset, covariance


def ill_defined(dtype: np.dtype) -> DataError:
    """Return scikit-learn's error for a covariance that has no inverse."""
    hint = (
        " The numerical accuracy can also be improved by passing float64 data instead of float32."
        if dtype == np.float32
        else ""
    )
    return DataError(
        "Fitting the mixture model failed because some components have ill-defined empirical covariance (for instance caused"
        " by singleton or collapsed samples). Try to decrease the number of components, increase reg_covar, or scale the"
        f" input data.{hint}"
    )


def factor_of_covariance(form: str, covariance: NDArray, dtype: np.dtype) -> NDArray:
    """Return U of every covariance."""
    if form not in ("full", "tied"):
        if not (covariance > 0).all():
            raise ill_defined(dtype)
        return 1 / np.sqrt(covariance)
    try:
        lower = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError as error:
        raise ill_defined(dtype) from error
    factor = np.empty_like(lower)
    for one, root in zip(factor.reshape(-1, *lower.shape[-2:]), lower.reshape(-1, *lower.shape[-2:])):
        one[...] = dtrtri(root, lower=1)[0].T  # of a root whose other triangle is zero, and stays so
    if not np.isfinite(factor).all():
        raise ill_defined(dtype)
    return factor


def factor_of_precision(form: str, given: NDArray) -> NDArray:
    """Return U of every precision: the Cholesky factor of the matrix read backwards, read backwards."""
    if form not in ("full", "tied"):
        return np.sqrt(given)
    return np.linalg.cholesky(given[..., ::-1, ::-1])[..., ::-1, ::-1].copy()


def precision(form: str, factor: NDArray) -> NDArray:
    """Return U U'."""
    return factor @ np.swapaxes(factor, -1, -2) if form in ("full", "tied") else factor**2


def covariance_of_factor(form: str, factor: NDArray) -> NDArray:
    """Return the covariance that a factor stands for."""
    return np.linalg.inv(precision(form, factor)) if form in ("full", "tied") else factor**-2.0


def log_determinant(form: str, factor: NDArray, k: int, d: int) -> NDArray:
    """Return log |U| of every component."""
    if form in ("full", "tied"):
        return np.broadcast_to(np.log(np.diagonal(factor, axis1=-2, axis2=-1)).sum(axis=-1), (k,))
    if form == "diag":
        return np.log(factor).sum(axis=1)
    return np.broadcast_to(d * np.log(factor), (k,))


def contiguous(values: NDArray) -> NDArray:
    """Return row-major float64, and the very array where it is so.

    What came from another process has a dtype of its own; asked for float64, NumPy would return a view, and parameters that hold
    both would be sent twice.
    """
    return np.ascontiguousarray(values if values.dtype == np.float64 else values.astype(np.float64))


def kernel_layout(form: str, values: NDArray, k: int, d: int) -> NDArray:
    """Return covariances or factors as the kernels take them."""
    if form in ("full", "tied", "diag"):
        return contiguous(values)
    return np.ascontiguousarray(np.broadcast_to(np.reshape(values, (-1, 1)), (k, d)), np.float64)


def dense(form: str, covariance: Any, k: int, d: int) -> NDArray:
    """Return a covariance matrix per component, whatever the form."""
    values = np.asarray(covariance, np.float64)
    if form in ("full", "tied"):
        return np.broadcast_to(values, (k, d, d)).copy()
    return kernel_layout(form, values, k, d)[:, :, None] * np.eye(d)


def covariance_parameters(form: str, k: int, d: int) -> int:
    """Return the number of free parameters."""
    triangle = d * (d + 1) // 2
    return {"full": k * triangle, "tied": triangle, "diag": k * d, "spherical": k, "tied_spherical": 1}[form]


def checked_array(values: Any, shape: tuple[int, ...], name: str) -> NDArray:
    """Return given values as float64, or scikit-learn's words about their shape."""
    given = check_array(np.atleast_1d(arrays.to_numpy(values)), dtype=np.float64, ensure_2d=False, allow_nd=True)
    if shape == () and given.size == 1:
        return given.reshape(())
    if given.shape != shape:
        raise ParameterError(f"The parameter '{name}' should have the shape of {shape}, but got {given.shape}")
    return given


def check_positive(form: str, given: NDArray, name: str) -> None:
    """Raise unless a precision or covariance is positive definite."""
    if form in ("full", "tied"):
        symmetric = np.allclose(given, np.swapaxes(given, -1, -2))
        if not (symmetric and (np.linalg.eigvalsh(given) > 0).all()):
            raise ParameterError(f"'{form} {name}' should be symmetric, positive-definite")
    elif not (given > 0).all():
        raise ParameterError(f"'{form} {name}' should be positive")


def checked_precisions(form: str, values: Any, k: int, d: int) -> NDArray:
    """Return given precisions after scikit-learn's checks."""
    given = checked_array(values, shape_of(form, k, d), f"{form} precision")
    check_positive(form, given, "precision")
    return given
