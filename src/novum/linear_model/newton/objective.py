r"""A loss over all rows with a penalty of squares, its gradient and Hessian: one pass over a source each.

    f(theta) = sum_i w_i l(y_i, eta_i, s) / mass + sum_j c_j b_j^2 / 2,    eta = x'b + a,   theta = [b, a] or [b, a, s]     (1)
    gradient  Z'(w d)/mass + c b,     Hessian  Z' diag(w d2) Z / mass + diag(c),     Z = [x, 1]                             (2)

d and d2 are the slopes and curvatures of the loss; a scale s adds its own row and column. The intercept is not penalised; where
none is fitted its entries stay at zero. Losses that the core knows by name are one read of dense rows (`compiled`), which the sums
of `by_columns` also give, for all losses and sparse rows. A share of the rows, the leading ones of every block, stands for all of
them where a start is sought.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from novum import _core
from novum.fold.blocks import Block, Source
from novum.linear_model.newton.block_rows import columns_of, leading, line_of, target_and_weight
from novum.linear_model.newton.losses.loss import Array, Loss
from novum.linear_model.newton.losses.tweedie import Tweedie
from novum.linear_model.newton.target_unit import TargetUnit
from novum.runtime import arrays

__all__ = ["MOST_FUSED", "Objective", "Sums"]

MOST_FUSED = 256  # parameters up to which the core's products of columns outrun those of BLAS on weighted copies


class Point(NamedTuple):
    loss: Loss
    theta: Array  # (p + 1,), with a scale (p + 2,)
    order: int  # 0: loss, 1: gradient too, 2: Hessian too
    unit: TargetUnit
    share: int  # one row in so many, the first of every block


class Sums(NamedTuple):
    loss: float
    gradient: Array
    hessian: Array


class Squares(NamedTuple):
    columns: Array  # weighted sums of the squares of every column
    weight: float


def sums(point: Point, block: Block) -> Sums:
    """Return the sums of (1) and (2) over a block, without the penalty: the one place where a loss meets rows."""
    block = leading(block, point.share)
    known = point.loss.kernel is not None and isinstance(block.X, np.ndarray)
    narrow = point.order < 2 or len(point.theta) <= MOST_FUSED
    return compiled(point, block) if known and narrow else by_columns(point, block)


def nothing_finite(loss: float, point: Point) -> Sums:
    """Return sums without derivatives."""
    m = len(point.theta)
    return Sums(loss, np.zeros(m), np.zeros((m, m) if point.order == 2 else (0, 0)))


def compiled(point: Point, block: Block) -> Sums:
    """Return the sums of dense rows, of a loss that the core knows."""
    name, parameter = point.loss.kernel or ("", 0.0)
    m, unit, weight = len(point.theta), point.unit, block.weight
    gradient = np.empty(m) if point.order else None
    hessian = np.empty((m, m)) if point.order == 2 else None
    loss = _core.linear_model.newton.line_pass(
        block.X,
        np.ascontiguousarray(block.y, dtype=np.float64).reshape(-1),
        None if weight is None else np.ascontiguousarray(weight, dtype=np.float64),
        point.theta,
        loss=name,
        parameter=parameter,
        middle=unit.middle,
        unit=unit.unit,
        gradient=gradient,
        hessian=hessian,
    )
    if gradient is None or not np.isfinite(loss):
        return nothing_finite(loss, point)
    return Sums(loss, gradient, np.zeros((0, 0)) if hessian is None else hessian)


def by_columns(point: Point, block: Block) -> Sums:
    """Return the sums of any loss over rows of any kind."""
    X, (y, w) = columns_of(block), target_and_weight(block)
    p, m = X.shape[1], len(point.theta)
    scale = float(point.theta[-1]) if point.loss.scaled else 1.0
    rows = point.loss.rows(point.unit.target(y), line_of(X, point.theta), scale)
    used = None if (w > 0).all() else w > 0  # rows that are left out may have no finite loss

    def weighed(values: Array) -> Array:
        return w * values if used is None else np.where(used, w * values, 0.0)

    loss = float(weighed(rows.loss).sum())
    if point.order == 0 or not np.isfinite(loss):
        return nothing_finite(loss, point)
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
    if isinstance(block.X, np.ndarray) and block.X.shape[1] < MOST_FUSED:
        point = Point(Tweedie(0.0, "identity"), np.zeros(block.X.shape[1] + 1), 2, TargetUnit(1.0, 0.0, False), 1)
        diagonal = np.diag(compiled(point, block).hessian)
        return Squares(diagonal[:-1], float(diagonal[-1]))
    X, (_y, w) = columns_of(block), target_and_weight(block)
    return Squares(np.asarray((X.multiply(X) if arrays.is_sparse(X) else X**2).T @ w).ravel(), float(w.sum()))


@dataclass
class Objective:
    """(1) and (2) over all rows of a source."""

    loss: Loss
    source: Source
    unit: TargetUnit  # of the targets
    penalty: float | Array  # c
    mass: float
    intercept: bool
    share: int = 1  # one row in so many stands for all

    def at(self, theta: Array, order: int = 2) -> Sums:
        """Return value, gradient and Hessian; what is not fitted does not move."""
        point, p, mass = (
            Point(self.loss, theta, order, self.unit, self.share),
            self.source.n_features,
            self.mass / self.share,
        )
        found = self.source.total(sums, point)
        pull = self.penalty * theta[:p]
        gradient, hessian = found.gradient, found.hessian
        gradient /= mass
        gradient[:p] += pull
        if not self.intercept:
            gradient[p] = 0.0
        if order == 2:
            hessian /= mass
            hessian.reshape(-1)[: p * len(theta) : len(theta) + 1] += self.penalty  # the diagonal, as a view
            if not self.intercept:
                hessian[p] = hessian[:, p] = 0.0
                hessian[p, p] = 1.0
        return Sums(found.loss / mass + 0.5 * float(pull @ theta[:p]), gradient, hessian)

    def full_diagonal(self) -> Array:
        """Return the diagonal of (2) without the penalty were all curvatures one: what damping is measured by."""
        found = self.source.total(squares, None)
        return np.concatenate([found.columns, np.full(1 + self.loss.scaled, found.weight)]) / self.mass
