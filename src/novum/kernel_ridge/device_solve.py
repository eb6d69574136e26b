"""Both forms of kernel ridge regression, and the leave-one-out errors by penalty, where a tensor lives: `solve` and `leave_one_out`
in float64, their formulas under the same numbers. What crosses is a scalar per penalty."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.kernel_ridge.solve import SPARE, Monomials, rank_warning
from novum.kernels.device.program import portions
from novum.runtime import arrays

__all__ = ["best_penalty", "dual_coefficients", "features_of", "primal_weights"]

Array = NDArray[np.float64]


def features_of(features: Monomials, X: Any) -> Any:
    """Return the features (5) of `solve` of every row."""
    if features.expand is None:
        return X
    powers = features.expand.powers_[features.kept]
    found = arrays.like(X, features.scale, "float64").expand(X.shape[0], -1).clone()
    for j in range(X.shape[1]):
        found *= X[:, j : j + 1] ** arrays.like(X, powers[:, j], "float64")
    return found


def factor(A: Any) -> Any:
    """Return the lower Cholesky factor, or None where A is not positive definite to rounding."""
    import torch

    L, fault = torch.linalg.cholesky_ex(A)
    pivot = L.diagonal()
    least, most, bad = torch.stack([pivot.min(), pivot.max(), fault.double()]).tolist()
    rounding = max(SPARE, len(A)) * np.finfo(float).eps
    return L if not bad and least > 0 and (least / most) ** 2 > rounding else None


def dual_coefficients(K: Any, y: Any, alpha: Array, weight: Any, owner: str) -> Any:
    """Return c of (2), a column per target with its own penalty; K is overwritten."""
    import torch

    root = None if weight is None else weight.sqrt()
    if root is not None:
        K *= root[:, None]
        K *= root
    target = y if root is None else root[:, None] * y
    c, diagonal = torch.empty_like(target), K.diagonal().clone()
    for penalty in np.unique(alpha):
        used = torch.as_tensor(alpha == penalty, device=y.device)
        K.diagonal().copy_(diagonal + penalty)
        L = factor(K)
        if L is not None:
            c[:, used] = torch.cholesky_solve(target[:, used], L)
            continue
        K.diagonal().copy_(diagonal)
        values, vectors = torch.linalg.eigh(K)
        total = values + penalty
        least = len(K) * np.finfo(float).eps * float(total.abs().max())
        kept = total.abs() > least
        indefinite, missing = bool((total < -least).any()), int((~kept).sum())
        rank_warning(owner, float(values[0]), float(penalty), indefinite, missing)
        inverse = torch.where(kept, 1 / total, 0.0)
        c[:, used] = vectors @ (inverse[:, None] * (vectors.T @ target[:, used]))
    return c if root is None else root[:, None] * c


def primal_weights(features: Monomials, X: Any, y: Any, alpha: Array, weight: Any) -> Any:
    """Return v of (3), a column per target, once refined; None where no digit would be right."""
    import torch

    M = X.shape[1] if features.expand is None else len(features.kept)  # type: ignore[arg-type]
    gram, right = X.new_zeros((M, M)), X.new_zeros((M, y.shape[1]))
    blocks = portions(X.shape[0], M)

    def moved(part: slice, values: Any) -> Any:
        return values if weight is None else weight[part, None] * values

    for part in blocks:
        Phi = features_of(features, X[part])
        gram += Phi.T @ moved(part, Phi)
        right += Phi.T @ moved(part, y[part])
    v = torch.empty_like(right)
    for penalty in np.unique(alpha):
        used = torch.as_tensor(alpha == penalty, device=y.device)
        shifted = gram.clone()
        shifted.diagonal().add_(penalty)
        L = factor(shifted)
        if L is None:
            return None
        found = torch.cholesky_solve(right[:, used], L)
        rest = -penalty * found
        for part in blocks:
            Phi = features_of(features, X[part])
            rest += Phi.T @ moved(part, y[part][:, used] - Phi @ found)
        v[:, used] = found + torch.cholesky_solve(rest, L)
    return v


def best_penalty(values: Any, vectors: Any, whole: bool, y: Any, alphas: Array, weight: Any) -> float:
    """Return the penalty of the least leave-one-out error (2) of `leave_one_out`, from the decomposition (1) or (3) there."""
    import torch

    root = y.new_ones(len(y)) if weight is None else weight.sqrt()
    scaled = root[:, None] * y
    along, square = vectors.T @ scaled, vectors**2
    errors = []
    for alpha in alphas:
        share = alpha / (values + alpha) if whole else values / (values + alpha)
        residual, diagonal = vectors @ (share[:, None] * along), square @ share
        if not whole:
            residual, diagonal = scaled - residual, 1 - diagonal
        error = residual / (root * diagonal)[:, None]
        errors.append((root**2 @ error.square().mean(1)) / (root**2).sum())
    return float(alphas[int(np.argmin(arrays.to_numpy(torch.stack(errors))))])
