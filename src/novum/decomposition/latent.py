r"""EM for linear-Gaussian factor models whose rows may have missing cells; probabilistic PCA and factor analysis share it.

    x = mu + W z + e,   z ~ N(0, I_q),   e ~ N(0, diag(psi))                                       (13)

A missing cell (NaN) is integrated out: row i has only its observed columns O, W_O and psi_O their parts, and with
d = x_O - mu_O the posterior of z and the density of the row are

    M = I + W_O' psi_O^{-1} W_O,   E[z] = M^{-1} W_O' psi_O^{-1} d,   cov z = M^{-1}               (16)
    log p(x_O) = - 1/2 [sum_O log(2 pi psi_j) + log |M| + |d - W_O E[z]|^2_psi + |E[z]|^2]         (17)

with |d|^2_psi = sum_O d_j^2 / psi_j. Column j is a regression on z' = (z, 1) over the rows where it is observed, so a pass sums
over those rows

    A_j = sum w E[z' z''],   c_j = sum w d_j E[z'],   s_j = sum w d_j^2                            (18)
    (W_j, shift of mu_j) = A_j^{-1} c_j,   psi_j = (s_j - c_j' A_j^{-1} c_j) / n_j                 (19)

and one psi for all columns where the noise is spherical. Last, z is given back its standard form: W <- W L and mu <- mu + W a with
a the mean and L L' the covariance of z over all rows. This step of parameter-expanded EM (Liu, Rubin and Wu 1998) lets the
likelihood rise faster and never lets it fall.
"""

from typing import Any, NamedTuple

import numpy as np

from novum import _core
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["FactorSums", "Factors", "any_missing", "column_moments", "factor_sums", "maximize", "posterior", "start"]

LEAST_NOISE = (
    1e-12  # of the mean variance of a column: below, a column is its factors exactly and the likelihood has no bound
)


class Factors(NamedTuple):
    """The parameters of (13)."""

    mean: np.ndarray  # (p,)
    loadings: np.ndarray  # (p, q)
    noise: np.ndarray  # (p,)


class FactorSums(NamedTuple):
    """The sums (18) and the log-likelihood of the parameters they were made with."""

    second: np.ndarray  # (p + 1, T): upper triangles of A_j; the last over all rows
    cross: np.ndarray  # (p, q + 1)
    square: np.ndarray  # (p,)
    likelihood: float


class Missing(NamedTuple):
    blocks: float  # with a missing cell


class Columns(NamedTuple):
    """Count, sum and sum of squares of the observed cells about a shift."""

    observed: np.ndarray  # (p,)
    first: np.ndarray  # (p,)
    second: np.ndarray  # (p,)
    weight: float
    rows: float


class Pairs(NamedTuple):
    products: np.ndarray  # (p, p): over rows where both columns are observed
    both: np.ndarray  # (p, p)


def block_misses(_: Any, block: Block) -> Missing:
    """Return whether a block has a NaN: its sum then is one."""
    total = float(block.X.sum())
    return Missing(float(total != total))


def any_missing(source: Source) -> bool:
    """Return whether any cell is missing."""
    return source.total(block_misses).blocks > 0


def split(shift: np.ndarray, block: Block) -> tuple[Any, Any]:
    """Return x - shift with zero in missing cells, and the mask of observed cells times the weight, in float64."""
    offset = arrays.center(block.X, shift)
    seen = offset == offset
    offset = arrays.where(seen, offset, 0.0)
    mask = arrays.double(seen)
    if block.weight is not None:
        mask = mask * block.weight[:, None]
        offset = arrays.where(mask > 0, offset, 0.0)  # a row of weight zero may hold anything
    return offset, mask


def column_sums(shift: np.ndarray, block: Block) -> Columns:
    """Return the moments of the observed cells of every column, for one block."""
    offset, mask = split(shift, block)
    weight = float(block.rows) if block.weight is None else float(block.weight.sum())
    rows = float(block.rows if block.weight is None else (block.weight > 0).sum())
    observed, first, second = map(
        arrays.to_numpy, (mask.sum(0), (mask * offset).sum(0), (mask * offset * offset).sum(0))
    )
    return Columns(observed, first, second, weight, rows)


def column_moments(source: Source, owner: str) -> tuple[np.ndarray, np.ndarray, Columns]:
    """Return mean and variance of the observed cells of every column, and the sums."""
    block = source.first()
    pilot = column_sums(np.zeros(source.n_features), block)
    shift = pilot.first / np.maximum(pilot.observed, np.finfo(float).tiny)
    total = source.total(column_sums, shift)
    if (total.observed <= 0).any():
        j = int(np.flatnonzero(total.observed <= 0)[0])
        raise DataError(f"{owner}: column {j} has no observed cell; leave it out.")
    offset = total.first / total.observed
    return shift + offset, np.maximum(total.second / total.observed - offset**2, 0.0), total


def pair_sums(mean: np.ndarray, block: Block) -> Pairs:
    """Return products of centred columns over the rows where both are observed, for one block."""
    offset, mask = split(mean, block)
    weighted = offset if block.weight is None else offset * block.weight[:, None]
    seen = arrays.double(mask > 0)
    return Pairs(arrays.to_numpy(weighted.T @ offset), arrays.to_numpy(mask.T @ seen))


def start(source: Source, q: int, mean: np.ndarray, variance: np.ndarray) -> Factors:
    """Return where EM begins: the principal axes of the covariance of pairwise observed cells, and what they leave over."""
    p = source.n_features
    pairs = source.total(pair_sums, mean)
    values, vectors = np.linalg.eigh(pairs.products / np.maximum(pairs.both, 1.0))
    values, vectors = values[::-1], vectors[:, ::-1]
    average = max(float(variance.mean()), float(np.finfo(float).tiny))
    noise = max(float(np.maximum(values[q:], 0.0).mean()) if q < p else 0.0, 1e-3 * average)
    loadings = vectors[:, :q] * np.sqrt(np.maximum(values[:q] - noise, 1e-3 * average))
    return Factors(mean, np.ascontiguousarray(loadings), np.full(p, noise))


def visiting_order(block: Block) -> np.ndarray:
    """Return the rows sorted by their missing cells; kept between passes."""
    memory = {} if block.memory is None else block.memory
    order = memory.get("by missing cells")
    if order is None or len(order) != block.rows:
        bits = np.packbits(np.isnan(block.X), axis=1)
        order = memory["by missing cells"] = np.lexsort(bits.T[::-1]).astype(np.int64)
    return order


def factor_sums(params: Factors, block: Block) -> FactorSums:
    """Return (18) for one block."""
    p, q = params.loadings.shape
    if arrays.is_tensor(block.X):
        return factor_sums_by_products(params, block)
    sums = FactorSums(np.zeros((p + 1, (q + 1) * (q + 2) // 2)), np.zeros((p, q + 1)), np.zeros(p), 0.0)
    likelihood = np.zeros(1)
    _core.decomposition.factor_model.factor_sums(
        block.X,
        visiting_order(block),
        block.weight,
        *params,
        second=sums.second,
        cross=sums.cross,
        square=sums.square,
        likelihood=likelihood,
    )
    return sums._replace(likelihood=float(likelihood[0]))


def batch_posterior(params: Factors, block: Block) -> tuple[Any, Any, Any, Any, Any]:
    """Return mean and covariance of z and log-density of every row by products of matrices; for tensors."""
    p, q = params.loadings.shape
    offset = arrays.center(block.X, params.mean)
    seen = offset == offset
    offset, mask = arrays.where(seen, offset, 0.0), arrays.double(seen)
    W, psi = arrays.like(offset, params.loadings, "float64"), arrays.like(offset, params.noise, "float64")
    scaled = W / psi[:, None]
    products = (scaled[:, :, None] * W[:, None, :]).reshape(p, q * q)
    precision = (mask @ products).reshape(-1, q, q) + arrays.like(offset, np.eye(q), "float64")
    covariance, log_determinant = arrays.inverse(precision), arrays.log_determinant(precision)
    right = offset @ scaled
    z = (covariance * right[:, None, :]).sum(2)
    constant = mask @ arrays.like(offset, np.log(2 * np.pi * params.noise), "float64")
    rest = (offset - z @ W.T) * mask
    square = (rest * rest) @ (1 / psi) + (z * z).sum(1)
    return z, covariance, -0.5 * (constant + log_determinant + square), offset, mask


def factor_sums_by_products(params: Factors, block: Block) -> FactorSums:
    """Return (18) for a tensor, where it is."""
    q = params.loadings.shape[1]
    z, covariance, likelihood, offset, mask = batch_posterior(params, block)
    weight = arrays.ones(offset, block.rows) if block.weight is None else block.weight
    extended = arrays.concat([z, arrays.ones(z, block.rows, 1)])
    outer = extended[:, :, None] * extended[:, None, :]
    outer[:, :q, :q] += covariance
    upper = np.triu_indices(q + 1)
    packed = outer[:, upper[0], upper[1]] * weight[:, None]
    weighted = offset * weight[:, None]
    triangles = arrays.stack_rows([mask.T @ packed, packed.sum(0)[None, :]])
    second, cross, square = map(arrays.to_numpy, (triangles, weighted.T @ extended, (weighted * offset).sum(0)))
    return FactorSums(second, cross, square, float((likelihood * weight).sum()))


def unpack_triangles(triangles: np.ndarray, q: int) -> np.ndarray:
    """Return symmetric matrices (m, q + 1, q + 1) from their upper triangles."""
    upper = np.triu_indices(q + 1)
    out = np.empty((len(triangles), q + 1, q + 1))
    out[:, upper[0], upper[1]] = out[:, upper[1], upper[0]] = triangles
    return out


def maximize(params: Factors, sums: FactorSums, *, spherical: bool, floor: np.ndarray) -> Factors:
    """Return (19) and the last step; `floor` is the least noise variance of every column."""
    q = params.loadings.shape[1]
    A = unpack_triangles(sums.second, q)
    solved = np.linalg.solve(A[:-1], sums.cross[:, :, None])[:, :, 0]  # (p, q + 1)
    rest = np.maximum(sums.square - np.einsum("jk,jk->j", solved, sums.cross), 0.0)
    count = A[:-1, q, q]
    noise = np.full(len(count), rest.sum() / count.sum()) if spherical else rest / count
    everything = A[-1] / A[-1, q, q]
    center = everything[:q, q]
    L = np.linalg.cholesky(everything[:q, :q] - np.outer(center, center))
    loadings = solved[:, :q]
    mean = params.mean + solved[:, q] + loadings @ center
    return Factors(mean, np.ascontiguousarray(loadings @ L), np.maximum(noise, floor))


def posterior(params: Factors, block: Block, covariance: bool = False) -> tuple[Any, Any, Any]:
    """Return (16) and (17) for every row: mean, covariance (or None) and log-density, in float64 beside the block."""
    if arrays.is_tensor(block.X):
        z, covariances, likelihood, _, _ = batch_posterior(params, block)
        return z, covariances if covariance else None, likelihood
    q = params.loadings.shape[1]
    z, likelihood = np.empty((block.rows, q)), np.empty(block.rows)
    covariances = np.empty((block.rows, q, q)) if covariance else None
    _core.decomposition.factor_model.factor_posterior(block.X, *params, z, likelihood, covariances)
    return z, covariances, likelihood
