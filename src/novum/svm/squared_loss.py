r"""Linear machines with a squared loss, in every home: what a pass over the data gives, and Newton's method on it.

    classification  r_i = max(0, 1 - s_i f_i),   d_i = -s_i r_i        s_i = +1 or -1, f_i = theta' x'_i                  (1)
    regression      r_i = max(0, |f_i - y_i| - e),  d_i = r_i with the sign of f_i - y_i                                  (2)
    objective  |theta|^2 / 2 + sum c_i r_i^2                                                                             (3)
    gradient   theta + 2 sum c_i d_i x'_i,     Hessian  I + 2 sum_{r_i > 0} c_i x'_i x'_i'                                 (4)

Rows are x' = [x, constant]. The objective is quadratic as long as the same rows have a loss, so that Newton's method ends after the
few steps in which that set settles. Everything is divided by `weight`, the sum of the c_i, as the solvers of linear_model expect.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.fold.blocks import Block, Source
from novum.linear_model.logistic.newton import Found, Objective, Value
from novum.runtime import arrays

__all__ = ["Loss", "SquaredObjective", "newton_conjugate"]

MOST_PRODUCTS = 300  # of one Newton step
LOOSE = 0.1  # share of the gradient that the first steps leave


class Loss(NamedTuple):
    """Which of (1) and (2), and the price of a row."""

    positive: int | None  # the code of the class against the rest; None for regression
    price: NDArray[np.float64]  # C times class weight, by code; one number for regression
    epsilon: float


class At(NamedTuple):
    """Where to evaluate, and what for."""

    theta: NDArray[np.float64]  # (1, p + 1)
    constant: float
    loss: Loss
    hessian: bool
    v: NDArray[np.float64] | None = None  # a direction whose product with the Hessian is wanted


class SquaredSums(NamedTuple):
    loss: float
    gradient: Any
    hessian: Any
    product: Any


def losses_of(at: At, block: Block) -> tuple[NDArray, NDArray, NDArray]:
    """Return r, d and c of every row."""
    f = np.asarray(block.X @ at.theta[0, :-1], dtype=np.float64) + at.constant * at.theta[0, -1]
    if at.loss.positive is None:
        off = f - block.y
        r = np.maximum(0.0, np.abs(off) - at.loss.epsilon)
        d, price = np.copysign(r, off), np.full(len(r), at.loss.price[0])
    else:
        sign = np.where(block.y == at.loss.positive, 1.0, -1.0)
        r = np.maximum(0.0, 1 - sign * f)
        d, price = -sign * r, at.loss.price[(block.y == at.loss.positive).astype(np.intp)]
    return r, d, price if block.weight is None else price * block.weight


def squared_sums(at: At, block: Block) -> SquaredSums:
    """Return (3) and (4) of a block without the penalty."""
    block = (
        block._replace(X=arrays.to_numpy(block.X), y=arrays.to_numpy(block.y)) if arrays.is_tensor(block.X) else block
    )
    r, d, price = losses_of(at, block)
    active = r > 0
    X, w = block.X[active], price[active]
    inner = np.append(X.T @ (w * d[active]), at.constant * float(w @ d[active]))
    hessian: Any = 0.0
    product: Any = 0.0
    if at.v is not None:
        along = w * (X @ at.v[0, :-1] + at.constant * at.v[0, -1])
        product = 2 * np.append(X.T @ along, at.constant * along.sum())[None]
    if at.hessian:
        full = np.empty((len(w), X.shape[1] + 1))
        full[:, :-1] = X.toarray() if scipy.sparse.issparse(X) else X
        full[:, -1] = at.constant
        full *= np.sqrt(2 * w)[:, None]
        hessian = full.T @ full
    return SquaredSums(float(price @ r**2), 2 * inner[None], hessian, product)


class SquaredObjective(Objective):
    """(3) over a source; every call is a pass."""

    def __init__(self, source: Source, constant: float, loss: Loss, weight: float, l2: NDArray[np.float64]) -> None:
        super().__init__(source, 2, constant, None, weight, l2)
        self.loss = loss

    def point(self, theta: NDArray[np.float64], hessian: bool = False) -> Any:
        return At(theta, self.constant, self.loss, hessian)

    def value(self, point: Any) -> Value:
        sums = self.source.total(squared_sums, point)
        gradient = sums.gradient / self.weight + self.l2 * point.theta
        gradient[:, self.free :] = 0
        penalty = 0.5 * float((self.l2 * point.theta**2).sum())
        hessian = sums.hessian / self.weight if point.hessian else 0.0
        return Value(sums.loss / self.weight + penalty, gradient, hessian)

    def product(self, point: Any, v: NDArray[np.float64]) -> NDArray[np.float64]:
        out = self.source.total(squared_sums, point._replace(v=v, hessian=False)).product / self.weight + self.l2 * v
        out[:, self.free :] = 0
        return out


def newton_conjugate(
    objective: SquaredObjective, theta: NDArray[np.float64], tol: float, max_iter: int, report: Any = None
) -> Found:
    """Minimise (3) by Newton steps of conjugate gradients, for many columns; `tol` bounds the largest slope."""
    value = objective.value(objective.point(theta))
    history, n_iter = [value.objective], 0
    norm = float(np.abs(value.gradient).max())
    while norm > tol and n_iter < max_iter:
        d = conjugate_step(objective, objective.point(theta), value.gradient, max(tol, LOOSE * norm) / norm)
        slope, step, there = float((value.gradient * d).sum()), 1.0, None
        while step > 1e-10:
            there = objective.value(objective.point(theta + step * d))
            if there.objective <= value.objective + 1e-4 * step * slope or -step * slope < 1e-15 * abs(value.objective):
                break
            step /= 2
        assert there is not None
        if not np.abs(there.gradient).max() < np.inf:
            break
        theta, value, n_iter = theta + step * d, there, n_iter + 1
        norm = float(np.abs(value.gradient).max())
        history.append(value.objective)
        if report is not None and report(n_iter, value.objective, theta):
            break
    return Found(theta, n_iter, norm <= tol, history, norm)


def conjugate_step(
    objective: SquaredObjective, point: Any, gradient: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """Return about the Newton step, by conjugate gradients until `share` of the gradient is left."""
    d, rest = np.zeros_like(gradient), -gradient
    along, square = rest.copy(), float((rest**2).sum())
    enough = share**2 * square
    for _ in range(MOST_PRODUCTS):
        bent = objective.product(point, along)
        step = square / float((along * bent).sum())
        d, rest = d + step * along, rest - step * bent
        before, square = square, float((rest**2).sum())
        if square <= enough:
            break
        along = rest + square / before * along
    return d
