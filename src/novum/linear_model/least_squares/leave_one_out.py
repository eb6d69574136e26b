r"""Ridge regression over a whole grid of penalties from one decomposition, with exact leave-one-out errors.

Rows are centred (if there is an intercept) and scaled by the roots of their weights. Tall data, from C_xx = V L V':

    B(alpha)' = V (L + alpha)^{-1} V'C_xy                                                          (13)
    h_i(alpha) = w_i (1/W + sum_k z_ik^2 / (L_k + alpha)),   z_i = V'(x_i - m)                     (14)
    error without row i = sqrt(w_i) (y_i - prediction_i) / (1 - h_i)                               (15)

A second pass over the rows gives (15) for all penalties at once; its sums of squares are a fold. Wide data in memory, from
the kernel matrix X X' = U L U', where u_0 = sqrt(w/W) is left out if there is an intercept:

    error without row i = (sum_k u_ik d_k u_k'y) / (sum_k u_ik^2 d_k),   d_k = alpha / (L_k + alpha)         (16)

no difference of nearly equal numbers in it, however small alpha is.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse

from novum.engines.moments import second, triangles
from novum.fold.blocks import Block, Source
from novum.runtime import arrays

__all__ = ["Tall", "Wide", "decompose"]

RELIABLE = 1e-8  # reciprocal condition of C_xx + alpha I below which the eigenvalues of C_xx are not exact enough


class Rotated(NamedTuple):
    """What the pass for (15) needs."""

    mean: np.ndarray  # (p + q,)
    vectors: np.ndarray  # (p, r)
    inverse: np.ndarray  # (r, k): 1 / (L + alpha)
    coef: np.ndarray  # (r, q k): (L + alpha)^{-1} V'C_xy
    share: float  # 1/W, zero without an intercept


class Squares(NamedTuple):
    total: np.ndarray  # (q, k)


def loo_errors(params: Rotated, block: Block) -> Any:
    """Return (15) for every row, target and penalty, (rows, q, k)."""
    p = len(params.vectors)
    X: Any = block.X
    if scipy.sparse.issparse(X):
        Z = X @ params.vectors - params.mean[:p] @ params.vectors
    else:
        Z = arrays.center(X, params.mean[:p]) @ arrays.like(X, params.vectors, "float64")
    y = arrays.center(arrays.as_matrix(block.y), params.mean[p:])
    residual = y[:, :, None] - (Z @ arrays.like(Z, params.coef)).reshape(block.rows, y.shape[1], -1)
    leverage = Z**2 @ arrays.like(Z, params.inverse) + params.share
    if block.weight is None:
        return residual / (1 - leverage)[:, None]
    return residual * (block.weight**0.5)[:, None, None] / (1 - leverage * block.weight[:, None])[:, None]


def loo_squares(params: Rotated, block: Block) -> Squares:
    """Return the sums of the squares of (15)."""
    return Squares(arrays.to_numpy((loo_errors(params, block) ** 2).sum(0)))


class Tall:
    """Ridge from the eigenvectors of C_xx."""

    def __init__(self, source: Source, fit_intercept: bool, smallest: float) -> None:
        self.source, self.fit_intercept = source, fit_intercept
        m = second.central_moments(source, fit_intercept)
        self.mean, self.weight = m.mean, m.weight
        squares = m.xx.diagonal()
        # The least square is above the least eigenvalue, the largest below the largest: so they tell what these would.
        reliable = smallest + squares.min(initial=np.inf) >= RELIABLE * squares.max(initial=0.0)
        if reliable:
            self.values, self.vectors = np.linalg.eigh(m.xx)
            self.xy = self.vectors.T @ m.xy
            reliable = smallest + max(self.values[0], 0.0) >= RELIABLE * self.values[-1]
        if not reliable:
            f = triangles.factor(source, fit_intercept)
            U, s, Vt = scipy.linalg.svd(f.xx, full_matrices=False, check_finite=False, overwrite_a=True)
            self.values, self.vectors, self.xy = s**2, Vt.T, s[:, None] * (U.T @ f.xy)
        self.values = np.maximum(self.values, 0.0)

    def _rotated(self, alphas: np.ndarray) -> Rotated:
        inverse = 1 / (self.values[:, None] + alphas)
        coef = (self.xy[:, :, None] * inverse[:, None, :]).reshape(len(inverse), -1)
        return Rotated(self.mean, self.vectors, inverse, coef, 1 / self.weight if self.fit_intercept else 0.0)

    def errors(self, alphas: np.ndarray) -> np.ndarray:
        """Return (15), shape (n, q, k)."""
        return self.source.rows(loo_errors, self._rotated(alphas))

    def squares(self, alphas: np.ndarray) -> np.ndarray:
        """Return the sums over the rows of the squares of (15), shape (q, k)."""
        return self.source.total(loo_squares, self._rotated(alphas)).total

    def coef(self, alpha: np.ndarray) -> np.ndarray:
        """Return (13), a penalty per target, shape (q, p)."""
        return (self.vectors @ (self.xy / (self.values[:, None] + alpha))).T


class Wide:
    """Ridge from the eigenvectors of the kernel matrix of rows in memory."""

    def __init__(self, source: Any, fit_intercept: bool) -> None:
        self.X, y = source.matrix(), second.as_columns(source.y).astype(np.float64)
        n, p = self.X.shape
        weight = np.ones(n) if source.weight is None else source.weight
        self.weight, self.root = float(weight.sum()), np.sqrt(weight)
        self.mean = np.zeros(p + y.shape[1])
        if fit_intercept:
            self.mean = np.concatenate([self.X.T @ weight, weight @ y]) / self.weight
        self.y = self.root[:, None] * (y - self.mean[p:])
        kernel = self._kernel(p)
        constant = self.root / np.sqrt(self.weight)
        if fit_intercept:  # the largest eigenvalue by far, so that its vector comes last and by itself
            kernel += (2 * np.trace(kernel) + 1) * np.outer(constant, constant)
        values, vectors = scipy.linalg.eigh(kernel, overwrite_a=True, check_finite=False)
        keep = slice(0, n - 1) if fit_intercept else slice(0, n)
        self.values, self.vectors = np.maximum(values[keep], 0.0), vectors[:, keep]
        self.projected = self.vectors.T @ self.y  # (r, q)

    def _kernel(self, p: int) -> np.ndarray:
        """Return X X' of the centred and scaled rows."""
        mean = self.mean[:p]
        if scipy.sparse.issparse(self.X):
            double = self.X.astype(
                np.float64, copy=False
            )  # products in single precision would lose the small eigenvalues
            products = (double @ double.T).toarray()
            along = self.X @ mean
            products = products - along - along[:, None] + mean @ mean
        else:
            centred = self.X - mean
            products = centred @ centred.T
        return self.root[:, None] * products * self.root

    def errors(self, alphas: np.ndarray) -> np.ndarray:
        """Return (16), shape (n, q, k)."""
        n, q = self.y.shape
        d = alphas / (self.values[:, None] + alphas)  # (r, k)
        scaled = (self.projected[:, :, None] * d[:, None, :]).reshape(len(d), q * len(alphas))
        above = (self.vectors @ scaled).reshape(n, q, len(alphas))
        below = self.vectors**2 @ d
        return above / np.where(self.root[:, None] > 0, below, 1.0)[:, None]  # a row without weight is not there

    def squares(self, alphas: np.ndarray) -> np.ndarray:
        """Return the sums over the rows of the squares of (16), shape (q, k)."""
        return (self.errors(alphas) ** 2).sum(axis=0)

    def coef(self, alpha: np.ndarray) -> np.ndarray:
        """Return X' U (L + alpha)^{-1} U'y, a penalty per target, shape (q, p)."""
        p = self.X.shape[1]
        dual = self.root[:, None] * (self.vectors @ (self.projected / (self.values[:, None] + alpha)))
        return np.asarray(self.X.T @ dual).T - np.outer(dual.sum(axis=0), self.mean[:p])


def decompose(source: Source, fit_intercept: bool, smallest: float) -> Tall | Wide:
    """Return the decomposition of the cheaper side; `smallest` is the least penalty it will serve."""
    if source.at_hand and source.n_rows is not None and source.n_rows <= source.n_features:
        return Wide(source, fit_intercept)
    return Tall(source, fit_intercept, smallest)
