"""Sparse designs with so many columns that a Gram matrix would not fit: Golub-Kahan iterations on the implicitly centred rows.

    minimise  |sqrt(w) (y - m_y - (X - 1 m_x') b)|^2 + alpha |b|^2                                 (1)

X is only multiplied with vectors; the mean is subtracted from the products, never from X.
"""

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, lsqr

from novum.engines.moments.second import as_columns
from novum.fold.blocks import Source
from novum.linear_model.least_squares.solve import Solution

__all__ = ["solve_sparse"]

GRAM_COLUMNS = 2048  # up to here the Gram matrix (32 MB) and its factor are cheaper and exact


def solve_sparse(source: Source, estimator: Any, alpha: np.ndarray | None) -> Solution | None:
    """Return the minimiser of (1) for a wide sparse source, or None where the exact routes serve."""
    if not source.sparse or source.n_features <= GRAM_COLUMNS:
        return None
    X, y = source.array(), as_columns(source.y).astype(np.float64)  # type: ignore[attr-defined]
    n, p = X.shape
    weight = np.ones(n) if source.weight is None else source.weight  # type: ignore[attr-defined]
    root, total = np.sqrt(weight), weight.sum()
    mean = np.zeros(p + y.shape[1])
    if estimator.fit_intercept:
        mean = np.concatenate([X.T @ weight, y.T @ weight]) / total

    def forward(b: Any) -> Any:
        return root * (X @ b - mean[:p] @ b)

    def backward(r: Any) -> Any:
        return X.T @ (root * r) - mean[:p] * (root @ r)

    operator = LinearOperator((n, p), matvec=forward, rmatvec=backward, dtype=np.float64)
    limit = getattr(estimator, "max_iter", None) or max(2 * p, 1000)
    coef, n_iter = np.empty((y.shape[1], p)), 0
    for k in range(y.shape[1]):
        target = root * (y[:, k] - mean[p + k])
        damping = 0.0 if alpha is None else np.sqrt(alpha[k])
        result = lsqr(operator, target, damp=damping, atol=estimator.tol, btol=estimator.tol, iter_lim=limit)
        coef[k], n_iter = result[0], max(n_iter, result[2])
    residual = y - mean[p:] - (X @ coef.T - mean[:p] @ coef.T)
    rss, tss = weight @ residual**2, weight @ (y - mean[p:]) ** 2
    intercept = mean[p:] - coef @ mean[:p] if estimator.fit_intercept else np.zeros(len(coef))
    return Solution(
        coef=coef,
        intercept=intercept,
        mean=mean,
        root=np.empty((0, p)),
        rss=rss,
        tss=tss,
        weight=float(total),
        rows=float((weight > 0).sum()),
        log_weight=0.0,
        rank=-1,
        n_iter=n_iter,
    )
