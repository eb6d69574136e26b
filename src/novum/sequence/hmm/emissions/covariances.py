"""Covariances of Gaussian emissions in four forms: as they may be given, at a start, and above their floor."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.gaussians.covariance import shape_of
from novum.exceptions import ParameterError

__all__ = ["FORMS", "checked_covars", "collapse_text", "covariance_floor", "lifted", "repeated_covariance"]

FORMS = ("spherical", "diag", "full", "tied")
FLOOR_SHARE = 1e-6  # of the variance of a feature: the floor where none was given


def checked_covars(owner: str, form: str, values: Any, k: int, d: int | None = None) -> NDArray:
    """Return given covariances as float64 in the shape of their form, positive definite; hmmlearn's words where it has them."""
    if form not in FORMS:
        raise ParameterError(f"{owner}: covariance_type must be one of {', '.join(map(repr, FORMS))}; got {form!r}.")
    covars = np.array(values, dtype=np.float64)
    if form == "spherical":
        if covars.ndim == 0 or len(covars) != k:
            raise ParameterError(f"{owner}: 'spherical' covars have length n_components; got shape {covars.shape}.")
        covars = covars.reshape(k, -1)[:, 0].copy()
    wanted = {"spherical": 1, "diag": 2, "full": 3, "tied": 2}[form]
    size = covars.shape[-1] if d is None and covars.ndim else d
    shape = shape_of(form, k, size or 0)
    if covars.ndim != wanted or covars.shape != shape:
        raise ParameterError(f"{owner}: {form!r} covars must have shape {shape}; got {covars.shape}.")
    matrices = form in ("full", "tied")
    if matrices:
        good = np.allclose(covars, np.swapaxes(covars, -1, -2)) and (np.linalg.eigvalsh(covars) > 0).all()
    else:
        good = (covars > 0).all()
    if not good:
        what = "symmetric, positive-definite" if matrices else "positive"
        raise ParameterError(f"{owner}: {form!r} covars must be {what}.")
    return covars


def covariance_floor(min_covar: Any, variance: NDArray) -> NDArray:
    """Return the least variance of every feature: as given, or a share of the feature's own."""
    if min_covar is not None:
        return np.full(len(variance), float(min_covar))
    positive = np.where(variance > 0, variance, 1.0)
    return FLOOR_SHARE * positive


def repeated_covariance(form: str, covariance: NDArray, k: int) -> NDArray:
    """Return one covariance matrix (d, d) for every state, in the shape of a form."""
    if form == "full":
        return np.tile(covariance, (k, 1, 1))
    if form == "tied":
        return covariance.copy()
    variance = np.diag(covariance)
    return np.tile(variance, (k, 1)) if form == "diag" else np.full(k, variance.mean())


def lifted(matrix: NDArray, floor: NDArray) -> NDArray:
    """Return a symmetric matrix with no eigenvalue below the floor, in the units of its features."""
    unit = np.sqrt(floor)
    values, vectors = np.linalg.eigh(matrix / np.outer(unit, unit))
    if values[0] >= 1:
        return matrix
    return (vectors * np.maximum(values, 1.0)) @ vectors.T * np.outer(unit, unit)


def collapse_text(floor: NDArray, fewer: str) -> str:
    """Return how a state collapses whose covariance lies on the floor, and what helps."""
    held = f"Held at min_covar={floor.min():.3g}; give a prior (covars_prior=) or fewer {fewer}."
    return f"on few rows (sd -> 0, the likelihood has no maximum). {held}"
