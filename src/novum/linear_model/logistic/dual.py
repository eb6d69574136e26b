r"""Sparse rows of two classes and an L2 penalty: coordinate descent on the dual of logistic regression.

With y_i = -1 or 1, c_i = C w_i and rows x' as in novum.linear_model.logistic.sums, C W times f of (7) has the dual

    minimise over 0 <= a_i <= c_i   1/2 |theta|^2 + sum_i a_i log a_i + (c_i - a_i) log(c_i - a_i),
    theta = sum_i a_i y_i x'_i                                                                     (17)
    a_i = c_i s(u),   u + |x'_i|^2 (c_i s(u) - a_i) + y_i theta'x'_i = 0                           (18)
    b <- b + sum_i y_i a_i / sum_i a_i (1 - a_i / c_i)                                             (19)

(Yu, Huang and Lin, 2011). (18) is the optimum of one row given the others, (19) a Newton step of an intercept without a penalty,
taken several times an epoch. An epoch, one turn of every row in a random order that is the same in every fit, costs as much as
a product with the Hessian on one thread. On rows with few entries in common it leaves a quarter of the error or less, so five
epochs do what Newton's method takes fifteen products for. How far theta moved foretells the gradient, a pass then measures it;
where the epochs to come would cost more than Newton's steps, those take over.
"""

from typing import Any

import numpy as np

from novum import _core
from novum.linear_model.logistic.newton import NewtonMinimum, Objective, newton_cg
from novum.runtime.random import purpose_code

__all__ = ["dual_descent", "suits"]

MOST_ENTRIES = (
    2**21
)  # of X: beyond the caches rows in a random order wait for memory, and two threads of Newton's method do not
LEAST_EPOCHS = 2  # before their rate says anything
MOST_EPOCHS = 8  # still to come, at the rate of the last: Newton's method from here costs no more
STEEP = 25.0  # C times the mean squared length of a row above which rows pull at each other too much for the dual
NONE, PENALISED, FREE = 0, 1, 2  # how the kernel takes the constant column


def suits(source: Any, k: int, start: np.ndarray | None, C: float) -> bool:
    """Return whether the dual is for this: sparse rows of two classes that a cache holds, a penalty, nothing to start from."""
    if not (source.sparse and k == 2 and start is None and np.isfinite(C)):
        return False
    values = source.array().data
    if not 0 < len(values) <= MOST_ENTRIES:
        return False
    return C * float(values @ values) <= STEEP * source.n_rows


def dual_descent(
    objective: Objective, C: float, penalised_intercept: bool, tol: float, max_iter: int, report: Any = None
) -> NewtonMinimum:
    """Minimise (7) by (18) and (19), then by Newton's method from where the epochs no longer pay."""
    source, constant = objective.source, objective.constant
    X, y, weight = source.array(), np.ascontiguousarray(source.y), source.weight  # type: ignore[attr-defined]
    if objective.class_weight is not None:
        weight = objective.class_weight[y] * (1.0 if weight is None else weight)
    theta, a, order = np.zeros(X.shape[1] + 1), np.zeros(len(y)), np.empty(len(y), dtype=np.int64)
    history, foretold, epochs, norm = [float(np.log(2.0))], np.inf, 0, np.inf
    intercept = NONE if not constant else PENALISED if penalised_intercept else FREE
    sums = np.zeros(2)
    rows = (X.data, X.indices, X.indptr, y, weight)
    state = {"order": order, "sums": sums, "a": a, "w": theta}  # an epoch changes all but the order
    while epochs < max_iter:
        _core.linear_model.sgd.shuffle(0, purpose_code("dual"), epochs, order)
        moved = _core.linear_model.logistic_dual.epoch(
            *rows, strength=C, constant=constant, intercept=intercept, **state
        )
        epochs += 1
        excess = constant * abs(sums[0]) if intercept == FREE else 0.0
        before, foretold = foretold, max(moved, excess) / (C * objective.weight)
        if foretold <= tol:
            value = objective.value(objective.point(theta[None]))
            norm = float(np.abs(value.gradient).max())
            history.append(value.objective)
            stop = report is not None and report(epochs, value.objective, theta[None])
            if norm <= tol or stop:
                return NewtonMinimum(theta[None], epochs, True, history, norm)
        if epochs >= LEAST_EPOCHS and foretold * (foretold / before) ** MOST_EPOCHS > tol:
            break
    rest = newton_cg(
        objective, theta[None], tol, max_iter - epochs, report and (lambda i, f, t: report(epochs + i, f, t))
    )
    return rest._replace(n_iter=epochs + rest.n_iter, history=history + rest.history)
