r"""A few leading axes of data that are large both ways, from passes that multiply with C = A'A and never form it.

From a random block Q of b columns, every pass computes C K_i for the newest block K_i of an orthonormal basis

    K = [K_0, K_1, ...],   K_0 = orth(Q),   K_{i+1} = orth(C K_i - K K'C K_i)                      (9)
    T = K'C K = E diag(t) E',   s_j = sqrt(t_j),   v_j = K e_j                                     (10)

(10) is the best that the space spanned by Q, CQ, C^2 Q, ... holds, where power iteration keeps C^q Q alone (Musco and Musco
2015), so fewer passes do. One vector at a time until convergence is ARPACK's Lanczos method.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, eigsh

from novum.decomposition.spectrum import Spectrum, descending, fix_signs, squares_floor
from novum.fold.blocks import Block, Source
from novum.fold.homes.memory import row_blocks
from novum.runtime import arrays
from novum.runtime.random import Stream, seed_of

__all__ = ["by_lanczos", "by_passes"]

DEPENDENT = 1e-10  # share of its length that a column must keep outside the basis to be a new direction


class Direction(NamedTuple):
    mean: np.ndarray  # (p,)
    columns: np.ndarray  # (p, b)
    trace: bool = True  # wanted: once is enough


class Product(NamedTuple):
    image: np.ndarray  # (p, b): C times the columns
    square: float  # trace of C
    rows: float


class Center(NamedTuple):
    sums: np.ndarray  # (p,)
    weight: float


def column_sums(_: Any, block: Block) -> Center:
    """Return the weighted sums of the columns."""
    X = block.X
    weight = arrays.ones(X, block.rows) if block.weight is None else block.weight
    if arrays.is_sparse(X):
        return Center(X.T @ weight, float(weight.sum()))
    return Center(arrays.to_numpy(arrays.double(weight @ arrays.double(X))), float(weight.sum()))


def product(params: Direction, block: Block) -> Product:
    """Return A'A columns for one block, in the precision of its values; sparse rows are centred implicitly."""
    X, weight = block.X, block.weight
    rows = float(block.rows if weight is None else (weight > 0).sum())
    if arrays.is_sparse(X):
        return sparse_product(params, block, rows)
    columns = arrays.like(X, params.columns)
    centred = X - arrays.like(X, params.mean)
    weighted = centred if weight is None else centred * arrays.like(X, weight)[:, None]
    image = arrays.double(weighted.T @ (centred @ columns))
    if not params.trace:
        square = 0.0
    elif arrays.is_tensor(X):
        square = float((arrays.double(weighted) * centred).sum())
    else:
        square = float(np.einsum("ij,ij->i", weighted, centred).sum(dtype=np.float64))
    return Product(arrays.to_numpy(image), square, rows)


def sparse_product(params: Direction, block: Block, rows: float) -> Product:
    """Return `product` for a CSR block."""
    X, mean = block.X, params.mean
    weight = np.ones(block.rows) if block.weight is None else block.weight
    scores = (X @ params.columns - mean @ params.columns) * weight[:, None]
    image = X.T @ scores - np.outer(mean, scores.sum(axis=0))
    square = weight @ np.ravel(np.asarray(X.multiply(X).sum(axis=1)))
    first = X.T @ weight
    return Product(image, float(square - 2 * first @ mean + weight.sum() * mean @ mean), rows)


def new_directions(basis: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return an orthonormal basis of what `columns` add to the span of `basis`; none where they add only rounding."""
    length = np.linalg.norm(columns, axis=0)
    columns = columns / np.where(length > 0, length, 1.0)
    for _ in range(2):  # once more: the first subtraction leaves rounding along the basis
        columns = columns - basis @ (basis.T @ columns)
    Q, R = np.linalg.qr(columns)
    Q = Q[:, np.abs(np.diag(R)) > DEPENDENT]
    return np.linalg.qr(Q - basis @ (basis.T @ Q))[0] if basis.shape[1] else Q


def short_blocks(source: Source) -> Source:
    """Return the rows in blocks for statistics of a few columns, which cost little to merge: wide data are cut as well."""
    return source.verified().cut(row_blocks)


def by_passes(source: Source, top: int, *, width: int, passes: int, random_state: Any, limit: int) -> Spectrum:
    """Return the `top` axes by (9) and (10) from `passes` passes with a block of `width` columns; `limit` is min(n, p)."""
    source, p = short_blocks(source), source.n_features
    center = source.total(column_sums)
    mean = center.sums / center.weight
    start = Stream(seed_of(random_state)).normal("principal components", 0, p, width)
    basis, images = np.empty((p, 0)), np.empty((p, 0))
    newest = np.linalg.qr(start)[0]
    square = rows = 0.0
    for step in range(passes):
        basis = np.concatenate([basis, newest], axis=1)
        total = source.total(product, Direction(mean, np.ascontiguousarray(newest), trace=step == 0))
        square, rows = (total.square if step == 0 else square), total.rows
        images = np.concatenate([images, total.image], axis=1)
        newest = new_directions(basis, total.image)
        if newest.shape[1] == 0 or basis.shape[1] >= p:
            break
    T = basis.T @ images
    values, inner = descending((T + T.T) / 2, min(top, limit))
    vectors = fix_signs(inner @ basis.T)
    singular = np.sqrt(values)
    return Spectrum(mean, center.weight, rows, singular, vectors, square, squares_floor(singular, p))


def by_lanczos(source: Source, top: int, *, tol: float, random_state: Any) -> Spectrum:
    """Return the `top` axes by ARPACK, a pass for every product with C."""
    source, p = short_blocks(source), source.n_features
    center = source.total(column_sums)
    mean = center.sums / center.weight
    last: list[Product] = []

    def multiply(vector: np.ndarray) -> np.ndarray:
        last[:] = [source.total(product, Direction(mean, np.ascontiguousarray(vector.reshape(p, 1))))]
        return last[0].image[:, 0]

    start = Stream(seed_of(random_state)).uniform("principal components", 0, p) * 2 - 1
    operator = LinearOperator((p, p), matvec=multiply, dtype=np.float64)
    values, vectors = eigsh(operator, k=top, tol=tol, v0=start)
    order = np.argsort(values)[::-1]
    singular = np.sqrt(np.maximum(values[order], 0.0))
    vectors, floor = fix_signs(vectors[:, order].T), squares_floor(singular, p)
    return Spectrum(mean, center.weight, last[0].rows, singular, vectors, last[0].square, floor)
