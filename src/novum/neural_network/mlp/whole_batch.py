r"""Training on all rows at once by L-BFGS.

    J(theta) = (sum_i w_i loss_i + alpha / 2 |W|^2 + l1 |W|_1) / sum_i w_i                                             (1)
    |W|_1 = sum (u + v)   with   W = u - v,  u >= 0,  v >= 0:  smooth under bounds, and zeros are exact                 (2)

The iteration is SciPy's L-BFGS-B with scikit-learn's settings; loss and gradient are sums over blocks of rows, wherever they are.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from novum.fold.blocks import Block, Source
from novum.neural_network.mlp.machine import WHOLE, Data, Machine, Memory, Settings, fresh_memory
from novum.optimize.problem import Array

__all__ = ["Minimum", "fold_objective", "minimize_risk", "rows_objective"]

Objective = Callable[[Array], tuple[float, Array]]


class Sums(NamedTuple):
    loss: float
    gradient: np.ndarray
    weight: float


class Minimum(NamedTuple):
    theta: np.ndarray
    loss: float
    n_iter: int
    losses: list[float]  # after every iteration
    outcome: OptimizeResult


def weight_of(data: Data) -> float:
    """Return the sum of the weights of the rows."""
    return float(data.rows if data.weight is None else data.weight.sum())


def smooth_part(settings: Settings, sums: Sums, theta: Array) -> tuple[float, Array]:
    """Return (1) without its last term, and the gradient of that."""
    weights = theta[: settings.n_weights]
    gradient = sums.gradient.astype(np.float64)
    gradient[: settings.n_weights] += settings.alpha * weights
    value = sums.loss + 0.5 * settings.alpha * float(weights @ weights)
    return value / sums.weight, gradient / sums.weight


def rows_objective(settings: Settings, data: Data, dtype: Any, threads: int) -> tuple[Objective, float]:
    """Return the smooth part of (1) for rows in memory, and the sum of their weights."""
    empty = np.zeros(settings.size, dtype)
    machine = Machine(settings, fresh_memory(settings, empty), min(WHOLE, data.rows), threads)
    total = weight_of(data)

    def objective(theta: Array) -> tuple[float, Array]:
        machine.load(fresh_memory(settings, theta.astype(dtype)))
        return smooth_part(settings, Sums(*machine.gradient(data), total), theta)

    return objective, total


class Asked(NamedTuple):
    settings: Settings
    memory: Memory
    read: Callable[[Block], Data]


def block_sums(asked: Asked, block: Block) -> Sums:
    """Return loss and gradient of one block."""
    data = asked.read(block)
    machine = Machine(asked.settings, asked.memory, min(WHOLE, max(1, data.rows)), 1)
    return Sums(*machine.gradient(data), weight_of(data))


def fold_objective(
    settings: Settings, source: Source, read: Callable[[Block], Data], dtype: Any
) -> tuple[Objective, float]:
    """Return the smooth part of (1) for rows that passes reach, and the sum of their weights."""

    def sums(theta: Array) -> Sums:
        return source.total(block_sums, Asked(settings, fresh_memory(settings, theta.astype(dtype)), read))

    return lambda theta: smooth_part(settings, sums(theta), theta), sums(np.zeros(settings.size)).weight


def minimize_risk(
    settings: Settings, objective: Objective, total: float, start: np.ndarray, max_iter: int, max_fun: int, tol: float,
    report: Callable[[int, float, Array], bool]
) -> Minimum:  # fmt: skip
    """Minimize (1) from `start`."""
    options = {"maxfun": max_fun, "maxiter": max_iter, "gtol": tol}
    losses: list[float] = []
    latest = [np.inf]
    count = settings.n_weights
    cost = settings.l1 / total

    def both(x: Array) -> tuple[float, Array]:
        latest[0], gradient = objective(x)
        return latest[0], gradient

    def parts(x: Array) -> tuple[float, Array]:
        value, gradient = objective(np.concatenate([x[:count] - x[count : 2 * count], x[2 * count :]]))
        latest[0] = value + cost * float(x[: 2 * count].sum())
        return latest[0], np.concatenate([gradient[:count] + cost, cost - gradient[:count], gradient[count:]])

    def whole(x: Array) -> Array:
        return np.concatenate([x[:count] - x[count : 2 * count], x[2 * count :]]) if settings.l1 else x

    def record(intermediate_result: OptimizeResult) -> None:
        losses.append(float(intermediate_result.fun))
        if report(len(losses), losses[-1], intermediate_result.x):
            raise StopIteration

    start = start.astype(np.float64)
    if settings.l1:
        start = np.concatenate([np.maximum(start[:count], 0), np.maximum(-start[:count], 0), start[count:]])
        bounds = [(0.0, None)] * (2 * count) + [(None, None)] * (len(start) - 2 * count)
        found = minimize(parts, start, method="L-BFGS-B", jac=True, bounds=bounds, options=options, callback=record)
    else:
        found = minimize(both, start, method="L-BFGS-B", jac=True, options=options, callback=record)
    return Minimum(whole(found.x), float(found.fun), int(found.nit), losses, found)
