r"""Stochastic optimization: one driver for every update rule, batch size and shape of the weights.

    epoch:  shuffle the rows, cut them into batches B of m rows (the last may be shorter), and for each
            w <- w + move of the rule for  g = mean over n in B of grad E_n(w)                               (1)

m = 1 is stochastic, m = n batch gradient descent. The order of epoch e depends on the seed and e alone. Weights are one
array or a tuple of arrays (the layers of a network); each keeps its dtype and has its own state.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novum.exceptions import DataError, ParameterTypeError
from novum.optimize.endless import ENDLESS, falls_endlessly
from novum.optimize.result import Solution, conclude
from novum.optimize.rules import SGD, UpdateRule
from novum.runtime.checks import check_count, check_number, float_array
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Seed

__all__ = ["minimize_stochastic"]


def minimize_stochastic(
    gradient: Callable[..., Any],
    start: Any,
    n_rows: int,
    *,
    rule: UpdateRule | None = None,
    batch_size: int = 32,
    max_epochs: int = 100,
    objective: Callable[[Any], Any] | None = None,
    tol: float | None = 1e-4,
    patience: int = 5,
    shuffle: bool = True,
    average: bool = False,
    random_state: Seed = None,
    callback: Callable[[int, Any], Any] | None = None,
) -> Solution:
    """Minimize a mean over rows by steps on batches of them (1).

        epoch:  shuffle the rows, cut them into batches B of m rows (the last may be shorter), and for each
        w <- w + move of the rule for  g = mean over n in B of grad E_n(w)    (1)

    Parameters
    ----------
    gradient : callable
        (weights, rows) to the mean gradient over those row indices, shaped like the weights.
    start : array-like, or tuple or list of ndarrays
    n_rows : int
    rule : UpdateRule
        Default: SGD(0.01).
    batch_size, max_epochs : int
    objective : callable, optional
        Weights to a number, evaluated after every epoch: the history, and what `tol` watches.
    tol : float or None
        Stop when for `patience` epochs the objective fell by no more than tol (1 + |objective|) below its best; without
        an objective, when an epoch moves the weights by at most tol (1 + ||w||). None: make all `max_epochs` epochs.
    patience : int
    shuffle : bool
    average : bool
        Return the mean of the weights over the last half of the epochs' ends (Polyak averaging).
    random_state : int, Generator, RandomState, SeedSequence or None
    callback : callable, optional
        (epoch, weights), called after every epoch; a true return value stops.

    Returns
    -------
    Solution
        `x` is an array, or a tuple where `start` was one; `n_iter` counts epochs; `gradient_norm` is of the last batch.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.optimize import SGD, minimize_stochastic
    >>> X, y = np.array([[1.0, 0], [1, 1], [1, 2], [1, 3]]), np.array([1.0, 3, 2, 5])
    >>> mean_gradient = lambda w, rows: X[rows].T @ (X[rows] @ w - y[rows]) / len(rows)
    >>> fit = minimize_stochastic(mean_gradient, np.zeros(2), 4, rule=SGD(0.3), batch_size=4, tol=1e-8, max_epochs=999)
    >>> fit.x.round(3)
    array([1.1, 1.1])
    """
    owner = "minimize_stochastic"
    rule = SGD(0.01) if rule is None else rule
    if not isinstance(rule, UpdateRule):
        raise ParameterTypeError(f"{owner}(rule={rule!r}): rule must be an update rule such as SGD(0.01) or Adam().")
    n_rows = check_count(owner, "n_rows", n_rows)
    batch_size = min(check_count(owner, "batch_size", batch_size), n_rows)
    max_epochs = check_count(owner, "max_epochs", max_epochs)
    patience = check_count(owner, "patience", patience)
    tol = None if tol is None else check_number(owner, "tol", tol, 0)
    stream = Stream(seed_of(random_state))
    several = isinstance(start, tuple | list) and bool(start) and all(isinstance(w, np.ndarray) for w in start)
    weights = [float_array(owner, "start", w).copy() for w in (start if several else [start])]
    origin = weights
    states = [rule.init(w) for w in weights]

    def whole(parts: list[Any]) -> Any:
        return tuple(parts) if several else parts[0]

    history = [float(objective(whole(weights)))] if objective is not None else []
    best, stalled, k = (history[0] if history else np.inf), 0, 0
    total, counted, norm = [np.zeros_like(w) for w in weights], 0, np.nan
    converged, reason, epoch = tol is None, f"made the {max_epochs} epochs requested", 0
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, max_epochs + 1):
            order = stream.permutation("epoch", epoch, n_rows) if shuffle else np.arange(n_rows)
            before = weights
            for first in range(0, n_rows, batch_size):
                raw = gradient(whole(weights), order[first : first + batch_size])
                gradients = [
                    np.asarray(g, dtype=w.dtype) for g, w in zip(raw if several else [raw], weights, strict=True)
                ]
                if any(g.shape != w.shape for g, w in zip(gradients, weights)):
                    shapes = f"{[g.shape for g in gradients]} for weights {[w.shape for w in weights]}"
                    raise DataError(f"{owner}: gradient returned shapes {shapes}; each must equal that of its weights.")
                steps = [rule.update(g, s, k) for g, s in zip(gradients, states)]
                weights = [w + move for w, (move, _) in zip(weights, steps)]
                states = [state for _, state in steps]
                k += 1
            norm = float(np.sqrt(sum(float(np.vdot(g, g)) for g in gradients)))
            if average and epoch > max_epochs // 2:
                total, counted = [t + w for t, w in zip(total, weights)], counted + 1
            if not all(np.isfinite(w).all() for w in weights):
                converged, reason = False, f"diverged: a weight is no longer finite in epoch {epoch}"
                break
            if objective is not None:
                history.append(float(objective(whole(weights))))
                if not np.isfinite(history[-1]):
                    converged, reason = False, f"diverged: the objective is no longer finite in epoch {epoch}"
                    break
            if callback is not None and callback(epoch, whole(weights)):
                converged, reason = True, f"the callback stopped it in epoch {epoch}"
                break
            if tol is None:
                continue
            if objective is not None:
                fell = history[-1] < best - tol * (1 + abs(best))
                best, stalled = min(best, history[-1]), 0 if fell else stalled + 1
            else:
                moved = max(
                    float(np.linalg.norm(w - b)) - tol * (1 + float(np.linalg.norm(w))) for w, b in zip(weights, before)
                )
                stalled = stalled + 1 if moved <= 0 else 0
            if stalled >= patience:
                what = "the objective fell" if objective is not None else "the weights moved"
                converged, reason = True, f"{what} by no more than tol {tol:g} for {patience} epochs"
                break
        else:
            reason = reason if tol is None else f"max_epochs={max_epochs} reached"
    final = [t / counted for t in total] if counted else weights
    value = (
        float(objective(whole(final))) if objective is not None and counted else (history[-1] if history else np.nan)
    )
    if converged and tol is not None and objective is not None and endless(objective, whole, origin, final):
        converged, reason = False, ENDLESS
    solution = Solution(
        x=whole(final),
        value=value,
        gradient_norm=norm,
        n_iter=epoch,
        converged=converged,
        reason=reason,
        history=np.array(history),
    )
    return conclude(owner, solution, "lower the learning rate, let it fall by a schedule, or raise max_epochs")


def endless(
    objective: Callable[[Any], Any], whole: Callable[[list[Any]], Any], start: list[Any], end: list[Any]
) -> bool:
    """Return whether an objective falls beyond the last weights, however many arrays they are."""
    cuts = np.cumsum([w.size for w in start])[:-1]

    def cost(flat: Any) -> float:
        parts = np.split(flat, cuts)
        return float(objective(whole([p.reshape(w.shape).astype(w.dtype) for p, w in zip(parts, start)])))

    first, last = (np.concatenate([np.ravel(w).astype(np.float64) for w in parts]) for parts in (start, end))
    return falls_endlessly(cost, first, last)
