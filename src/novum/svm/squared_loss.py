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

from novum import _core
from novum.fold.blocks import Block, Source
from novum.linear_model.logistic.newton import NewtonMinimum, Objective, Value
from novum.runtime import arrays

__all__ = ["MOST_FUSED", "Loss", "SquaredObjective", "newton_conjugate", "newton_on_few"]

MOST_PRODUCTS = 300  # of one Newton step
MOST_FUSED = 256  # columns up to which the core's products of columns outrun those of BLAS on weighted copies
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
    keep: int  # a number of this point under which blocks keep 2 c_i of the rows with a loss


class Along(NamedTuple):
    """A direction whose product with the Hessian at a point is wanted; the diagonal of the Hessian where it is None."""

    at: At
    v: NDArray[np.float64] | None


class SquaredSums(NamedTuple):
    loss: float
    gradient: Any
    hessian: Any


class Product(NamedTuple):
    value: NDArray[np.float64]


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


def in_numpy(block: Block) -> Block:
    """Return a block whose rows are arrays."""
    if not arrays.is_tensor(block.X):
        return block
    return block._replace(X=arrays.to_numpy(block.X), y=arrays.to_numpy(block.y))


def kernel_terms(loss: Loss, y: Any, weight: Any) -> tuple[NDArray, NDArray | None, str, float]:
    """Return targets and prices of rows as the core takes them, and the name and parameter of the loss there."""
    if loss.positive is None:
        target, price = np.ascontiguousarray(y, dtype=np.float64), np.full(len(y), loss.price[0])
    else:
        own = np.asarray(y) == loss.positive
        target, price = np.where(own, 1.0, -1.0), np.where(own, loss.price[1], loss.price[0])
    name = "squared_insensitive" if loss.positive is None else "squared_hinge"
    return target, price if weight is None else price * weight, name, loss.epsilon


def fused_sums(at: At, block: Block) -> SquaredSums:
    """Return (3) and (4) of dense rows, read once."""
    target, price, name, epsilon = kernel_terms(at.loss, block.y, block.weight)
    m = block.X.shape[1] + 1
    gradient, hessian = np.empty(m), np.empty((m, m)) if at.hessian else None
    loss = _core.linear_model.newton.line_pass(
        np.ascontiguousarray(block.X),
        target,
        price,
        at.theta[0],
        loss=name,
        parameter=epsilon,
        middle=0.0,
        unit=1.0,
        gradient=gradient,
        hessian=hessian,
        constant=at.constant,
    )
    return SquaredSums(loss, gradient[None], 0.0 if hessian is None else hessian)


def newton_on_few(
    X: NDArray, y: Any, weight: Any, loss: Loss, *, constant: float, mass: float, tol: float, max_iter: int
) -> NewtonMinimum:
    """Minimise (3) over rows at hand with summed Hessians until `tol` of the first gradient is left, in one call of the core."""
    target, price, name, epsilon = kernel_terms(loss, y, weight)
    theta = np.zeros(X.shape[1] + 1)
    value, n_iter, converged, _ = _core.linear_model.newton.line_newton(
        X,
        target,
        price,
        theta,
        loss=name,
        parameter=epsilon,
        constant=constant,
        middle=0.0,
        unit=1.0,
        mass=mass,
        penalty=np.full(len(theta), 1 / mass),
        tol=0.0,
        share=tol,
        most=max_iter,
    )
    return NewtonMinimum(theta[None], n_iter, converged, [value], 0.0)


def squared_sums(at: At, block: Block) -> SquaredSums:
    """Return (3) and (4) of a block without the penalty."""
    block = in_numpy(block)
    if isinstance(block.X, np.ndarray) and block.X.shape[1] < MOST_FUSED:
        return fused_sums(at, block)
    r, d, price = losses_of(at, block)
    if block.memory is not None:
        block.memory["curvature"] = (at.keep, np.where(r > 0, 2 * price, 0.0))
    active = r > 0
    X, w = block.X[active], price[active]
    inner = np.append(X.T @ (w * d[active]), at.constant * float(w @ d[active]))
    hessian: Any = 0.0
    if at.hessian:
        full = np.empty((len(w), X.shape[1] + 1))
        full[:, :-1] = X.toarray() if scipy.sparse.issparse(X) else X
        full[:, -1] = at.constant
        full *= np.sqrt(2 * w)[:, None]
        hessian = full.T @ full
    return SquaredSums(float(price @ r**2), 2 * inner[None], hessian)


def curvature_of(at: At, block: Block) -> NDArray[np.float64]:
    """Return 2 c_i of the rows with a loss, as the pass at this point left it or anew."""
    kept = (block.memory or {}).get("curvature")
    if kept is not None and kept[0] == at.keep:
        return kept[1]
    r, _, price = losses_of(at, block)
    return np.where(r > 0, 2 * price, 0.0)


def curved(along: Along, block: Block) -> Product:
    """Return the Hessian of (4) without the penalty times a direction, or its diagonal."""
    at, v = along
    block = in_numpy(block)
    X, bend = block.X, curvature_of(at, block)
    is_sparse, out = scipy.sparse.issparse(X), np.zeros(block.X.shape[1] + 1)
    kernel: Any = _core.linear_model.logistic
    if v is None:
        out[-1] = at.constant**2 * bend.sum()
        if is_sparse:
            kernel.csr_squares(X.data, X.indices, X.indptr, bend, out[:-1])
        else:
            out[:-1] = bend @ np.square(X, dtype=np.float64)
    elif is_sparse:
        kernel.csr_binary_product(X.data, X.indices, X.indptr, bend, v[0], at.constant, out)
    else:
        kernel.binary_product(np.ascontiguousarray(X), bend, v[0], at.constant, out)
    return Product(out[None])


class SquaredObjective(Objective):
    """(3) over a source; every call is a pass."""

    def __init__(self, source: Source, constant: float, loss: Loss, weight: float, l2: NDArray[np.float64]) -> None:
        super().__init__(source, 2, constant, None, weight, l2)
        self.loss = loss

    def point(self, theta: NDArray[np.float64], hessian: bool = False) -> Any:
        self.calls += 1
        return At(theta, self.constant, self.loss, hessian, self.calls)

    def value(self, point: Any) -> Value:
        sums = self.source.total(squared_sums, point)
        gradient = sums.gradient / self.weight + self.l2 * point.theta
        gradient[:, self.free :] = 0
        penalty = 0.5 * float((self.l2 * point.theta**2).sum())
        hessian = sums.hessian / self.weight if point.hessian else 0.0
        return Value(sums.loss / self.weight + penalty, gradient, hessian)

    def product(self, point: Any, v: NDArray[np.float64]) -> NDArray[np.float64]:
        out = self.source.total(curved, Along(point, v)).value / self.weight + self.l2 * v
        out[:, self.free :] = 0
        return out

    def diagonal(self, point: Any) -> NDArray[np.float64]:
        """Return the diagonal of the Hessian."""
        return self.source.total(curved, Along(point, None)).value / self.weight + self.l2


def newton_conjugate(
    objective: SquaredObjective, theta: NDArray[np.float64], tol: float, max_iter: int
) -> NewtonMinimum:
    """Minimise (3) by Newton steps of conjugate gradients, for many columns, until `tol` of the first gradient is left."""
    point = objective.point(theta)
    value = objective.value(point)
    history, n_iter = [value.objective], 0
    norm = first = float(np.linalg.norm(value.gradient))
    while norm > tol * first and n_iter < max_iter:
        d = conjugate_step(objective, point, value.gradient, max(LOOSE, tol * first / norm))
        slope, step, there = float((value.gradient * d).sum()), 1.0, None
        while step > 1e-10:
            point = objective.point(theta + step * d)
            there = objective.value(point)
            if there.objective <= value.objective + 1e-4 * step * slope or -step * slope < 1e-15 * abs(value.objective):
                break
            step /= 2
        assert there is not None
        if not np.abs(there.gradient).max() < np.inf:
            break
        theta, value, n_iter = theta + step * d, there, n_iter + 1
        norm = float(np.linalg.norm(value.gradient))
        history.append(value.objective)
    return NewtonMinimum(theta, n_iter, norm <= tol * first, history, norm)


def conjugate_step(
    objective: SquaredObjective, point: Any, gradient: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """Return about the Newton step, by conjugate gradients on unit diagonal until `share` of the gradient is left."""
    scale = 1 / np.where((diagonal := objective.diagonal(point)) > 0, diagonal, 1.0)
    d, rest = np.zeros_like(gradient), -gradient
    along = scale * rest
    square, enough = float((rest * along).sum()), share**2 * float((rest**2).sum())
    for _ in range(MOST_PRODUCTS):
        bent = objective.product(point, along)
        step = square / float((along * bent).sum())
        d, rest = d + step * along, rest - step * bent
        if float((rest**2).sum()) <= enough:
            break
        before, square = square, float((rest * (scale * rest)).sum())
        along = scale * rest + square / before * along
    return d
