r"""A loss over all rows with a penalty of squares, its gradient and Hessian: one pass over a source each.

    f(theta) = sum_i w_i l(y_i, eta_i, s) / mass + sum_j c_j b_j^2 / 2,    eta = x'b + a,   theta = [b, a] or [b, a, s]     (1)
    gradient  Z'(w d)/mass + c b,     Hessian  Z' diag(w d2) Z / mass + diag(c),     Z = [x, 1]                             (2)

d and d2 are the slopes and curvatures of the loss; a scale s adds its own row and column. The intercept is not penalised; where
none is fitted its entries stay at zero.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from novum.fold.blocks import Block, Source
from novum.linear_model.newton.losses.loss import Array, Loss
from novum.runtime import arrays

__all__ = ["Objective", "Sums", "line_of", "target_and_weight"]


class Point(NamedTuple):
    loss: Loss
    theta: Array  # (p + 1,), with a scale (p + 2,)
    order: int  # 0: loss, 1: gradient too, 2: Hessian too
    unit: Callable[[Any], Any]  # of the target


class Sums(NamedTuple):
    loss: float
    gradient: Array
    hessian: Array


class Squares(NamedTuple):
    columns: Array  # weighted sums of the squares of every column
    weight: float


def target_and_weight(block: Block) -> tuple[Array, Array]:
    """Return target and weights of a block in float64."""
    y = np.asarray(arrays.to_numpy(block.y), dtype=np.float64).ravel()
    return y, np.ones(len(y)) if block.weight is None else np.asarray(arrays.to_numpy(block.weight), dtype=np.float64)


def columns_of(block: Block) -> Any:
    """Return the rows of a block as an array of float64 or a CSR matrix."""
    return block.X if arrays.is_sparse(block.X) else np.asarray(arrays.to_numpy(block.X), dtype=np.float64)


def line_of(X: Any, theta: Array) -> Array:
    """Return eta = x'b + a of every row."""
    p = X.shape[1]
    return np.asarray(X @ theta[:p]).ravel() + theta[p]


def sums(point: Point, block: Block) -> Sums:
    """Return the sums of (1) and (2) over a block, without the penalty: the one place where a loss meets rows."""
    X, (y, w) = columns_of(block), target_and_weight(block)
    p, m = X.shape[1], len(point.theta)
    scale = float(point.theta[-1]) if point.loss.scaled else 1.0
    rows = point.loss.rows(point.unit(y), line_of(X, point.theta), scale)
    used = None if (w > 0).all() else w > 0  # rows that are left out may have no finite loss

    def weighed(values: Array) -> Array:
        return w * values if used is None else np.where(used, w * values, 0.0)

    loss = float(weighed(rows.loss).sum())
    if point.order == 0 or not np.isfinite(loss):
        return Sums(loss, np.zeros(m), np.zeros((m, m) if point.order == 2 else (0, 0)))
    slope, gradient = weighed(rows.slope), np.zeros(m)
    gradient[:p], gradient[p] = np.asarray(X.T @ slope).ravel(), slope.sum()
    if rows.scale_slope is not None:
        gradient[p + 1] = weighed(rows.scale_slope).sum()
    if point.order == 1:
        return Sums(loss, gradient, np.zeros((0, 0)))
    bend, hessian = weighed(rows.curvature), np.zeros((m, m))
    heavy = X.multiply(bend[:, None]).tocsr() if arrays.is_sparse(X) else X * bend[:, None]
    inner = X.T @ heavy
    hessian[:p, :p] = inner.toarray() if arrays.is_sparse(inner) else inner
    hessian[p, :p] = hessian[:p, p] = np.asarray(heavy.sum(axis=0)).ravel()
    hessian[p, p] = bend.sum()
    if rows.cross is not None and rows.scale_curvature is not None:
        cross = weighed(rows.cross)
        hessian[p + 1, :p] = hessian[:p, p + 1] = np.asarray(X.T @ cross).ravel()
        hessian[p + 1, p] = hessian[p, p + 1] = cross.sum()
        hessian[p + 1, p + 1] = weighed(rows.scale_curvature).sum()
    return Sums(loss, gradient, hessian)


def squares(_: None, block: Block) -> Squares:
    """Return the weighted sums of squares of the columns of a block."""
    X, (_y, w) = columns_of(block), target_and_weight(block)
    return Squares(np.asarray((X.multiply(X) if arrays.is_sparse(X) else X**2).T @ w).ravel(), float(w.sum()))


@dataclass
class Objective:
    """(1) and (2) over all rows of a source."""

    loss: Loss
    source: Source
    unit: Callable[[Any], Any]  # the targets in their frame
    penalty: float | Array  # c
    mass: float
    intercept: bool

    def at(self, theta: Array, order: int = 2) -> Sums:
        """Return value, gradient and Hessian; what is not fitted does not move."""
        found, p = self.source.total(sums, Point(self.loss, theta, order, self.unit)), self.source.n_features
        pull = self.penalty * theta[:p]
        loss = found.loss / self.mass + 0.5 * float(pull @ theta[:p])
        gradient, hessian = found.gradient / self.mass, found.hessian / self.mass
        gradient[:p] += pull
        if not self.intercept:
            gradient[p] = 0.0
        if order == 2:
            hessian[range(p), range(p)] += self.penalty
            if not self.intercept:
                hessian[p] = hessian[:, p] = 0.0
                hessian[p, p] = 1.0
        return Sums(loss, gradient, hessian)

    def full_diagonal(self) -> Array:
        """Return the diagonal of (2) without the penalty were all curvatures one: what damping is measured by."""
        found = self.source.total(squares, None)
        return np.concatenate([found.columns, np.full(1 + self.loss.scaled, found.weight)]) / self.mass
