r"""What coefficients leave unexplained, measured from the rows themselves.

The moments (3) to (5) of the normal equations are those of novum.engines.moments.second. Given coefficients, a second pass
measures how far they are from the solution:

    r_i = y_i - m_y - B (x_i - m_x)                                                                (6)
    gradient = sum w_i r_i (x_i - m_x)',   rss = sum w_i r_i^2                                     (7)
"""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from novum import _core
from novum.engines.moments import device_products
from novum.engines.moments.second import as_columns
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["Residue", "residue"]


class Residue(NamedTuple):
    """What coefficients leave unexplained, eq. (7)."""

    gradient: np.ndarray  # (q, p)
    rss: np.ndarray  # (q,)
    bias: np.ndarray  # (q,): sum of w r
    first: np.ndarray  # (p,): sum of w (x - m_x), zero where the mean was exact to rounding


class Trial(NamedTuple):
    mean: np.ndarray  # (p + q,)
    coef: np.ndarray  # (q, p)


def residue_of(trial: Trial, block: Block) -> Residue:
    """Return (7) for one block."""
    q, p = trial.coef.shape
    if scipy.sparse.issparse(block.X) or arrays.is_tensor(block.X):
        return residue_by_products(trial, block)
    r = np.empty((block.rows, q))
    _core.moments.design.residuals(block.X, as_columns(block.y), trial.mean, trial.coef, r)
    weighted = r if block.weight is None else r * block.weight[:, None]
    gradient = np.zeros((q, p))
    _core.moments.design.correlate(block.X, np.ascontiguousarray(weighted), trial.mean, gradient)
    return Residue(gradient, np.einsum("ik,ik->k", r, weighted), weighted.sum(axis=0), np.zeros(p))


def residue_by_products(trial: Trial, block: Block) -> Residue:
    """Return (7) for a sparse block or a tensor, centring the products instead of the rows where X is sparse."""
    p = trial.coef.shape[1]
    if arrays.is_tensor(block.X):
        found = device_products.residue(block.X, arrays.as_matrix(block.y), block.weight, trial.mean, trial.coef)
        if found is not None:
            return Residue(found[:, :p].copy(), found[:, 2 * p + 1].copy(), found[:, 2 * p].copy(), found[0, p : 2 * p])
    y = arrays.center(arrays.as_matrix(block.y), trial.mean[p:])
    coef = arrays.like(y, trial.coef.T, "float64")
    sparse = scipy.sparse.issparse(block.X)
    X = block.X if sparse else arrays.center(block.X, trial.mean[:p])
    r = y - (X @ coef - trial.mean[:p] @ trial.coef.T if sparse else X @ coef)
    weighted = r if block.weight is None else r * block.weight[:, None]
    bias = arrays.to_numpy(weighted.sum(0))
    gradient = arrays.to_numpy((X.T @ weighted).T)
    if sparse:
        gradient = gradient - np.outer(bias, trial.mean[:p])
    return Residue(gradient, arrays.to_numpy((r * weighted).sum(0)), bias, np.zeros(p))


def residue(source: Source, mean: np.ndarray, coef: np.ndarray) -> Residue:
    """Return (7) over all rows."""
    if source.on_device and device_products.takes(source.first().X, len(coef)):
        source = source.whole()
    return source.total(residue_of, Trial(mean, np.ascontiguousarray(coef)))
