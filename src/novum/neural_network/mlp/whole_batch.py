r"""Training on all rows at once by L-BFGS.

    J(theta) = (sum_i w_i loss_i + alpha / 2 |W|^2 + l1 |W|_1) / sum_i w_i                                             (1)
    |W|_1 = sum (u + v)   with   W = u - v,  u >= 0,  v >= 0:  smooth under bounds, and zeros are exact                 (2)

The iteration is SciPy's L-BFGS-B with scikit-learn's settings; loss and gradient are sums over blocks of rows, wherever they are.
Of several targets the squared error is reported as their mean, as scikit-learn does, but what is minimized, here and there, is
their sum: the gradients are those of the sum, and a line search needs a value that belongs to them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from novum.fold.blocks import Block, Source
from novum.neural_network.mlp.compiled_network import (
    WHOLE,
    CompiledNetwork,
    Data,
    Memory,
    Settings,
    fresh_memory,
    network_for,
)
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


def targets_in_sum(settings: Settings) -> int:
    """Return over how many targets the reported loss is a mean."""
    return settings.units[-1] if settings.output == "identity" else 1


def smooth_part(settings: Settings, sums: Sums, theta: Array) -> tuple[float, Array]:
    """Return (1) without its last term, summed over the targets, and the gradient of that."""
    weights = theta[: settings.n_weights]
    gradient = sums.gradient.astype(np.float64)
    gradient[: settings.n_weights] += settings.alpha * weights
    value = sums.loss * targets_in_sum(settings) + 0.5 * settings.alpha * float(weights @ weights)
    return value / sums.weight, gradient / sums.weight


def rows_objective(settings: Settings, data: Data, dtype: Any, threads: int) -> tuple[Objective, float]:
    """Return the smooth part of (1) for rows in memory, and the sum of their weights."""
    empty = np.zeros(settings.size, dtype)
    machine = network_for(data.X, settings, fresh_memory(settings, empty), min(WHOLE, data.rows), threads)
    total = weight_of(data)

    def objective(theta: Array) -> tuple[float, Array]:
        machine.load(fresh_memory(settings, theta.astype(dtype)))
        loss, gradient = machine.gradient(data)
        return smooth_part(settings, Sums(loss, gradient, total), theta)

    return objective, total


class GradientPass(NamedTuple):
    settings: Settings
    memory: Memory
    read: Callable[[Block], Data]


def block_sums(request: GradientPass, block: Block) -> Sums:
    """Return loss and gradient of one block."""
    data = request.read(block)
    machine = CompiledNetwork(request.settings, request.memory, min(WHOLE, max(1, data.rows)), 1)
    return Sums(*machine.gradient(data), weight_of(data))


def fold_objective(
    settings: Settings, source: Source, read: Callable[[Block], Data], dtype: Any
) -> tuple[Objective, float]:
    """Return the smooth part of (1) for rows that passes reach, and the sum of their weights."""

    def sums(theta: Array) -> Sums:
        return source.total(block_sums, GradientPass(settings, fresh_memory(settings, theta.astype(dtype)), read))

    return lambda theta: smooth_part(settings, sums(theta), theta), sums(np.zeros(settings.size)).weight


def minimize_risk(
    settings: Settings,
    objective: Objective,
    total: float,
    start: np.ndarray,
    max_iter: int,
    max_fun: int,
    tol: float,
    report: Callable[[int, float, Array], bool],
) -> Minimum:
    """Minimize (1) from `start`."""
    options = {"maxfun": max_fun, "maxiter": max_iter, "gtol": tol}
    losses: list[float] = []
    count, many = settings.n_weights, targets_in_sum(settings)
    cost = settings.l1 / total

    def whole(x: Array) -> Array:
        return np.concatenate([x[:count] - x[count : 2 * count], x[2 * count :]]) if settings.l1 else x

    def parts(x: Array) -> tuple[float, Array]:
        value, gradient = objective(whole(x))
        added = np.concatenate([gradient[:count] + cost, cost - gradient[:count], gradient[count:]])
        return value + cost * float(x[: 2 * count].sum()), added

    def reported(value: float, theta: Array) -> float:
        weights = theta[:count]
        penalty = 0.5 * settings.alpha * float(weights @ weights) / total + cost * float(np.abs(weights).sum())
        return (value - penalty) / many + penalty

    def record(intermediate_result: OptimizeResult) -> None:
        theta = whole(intermediate_result.x)
        losses.append(reported(float(intermediate_result.fun), theta))
        if report(len(losses), losses[-1], theta):
            raise StopIteration

    start = start.astype(np.float64)
    if settings.l1:
        start = np.concatenate([np.maximum(start[:count], 0), np.maximum(-start[:count], 0), start[count:]])
        bounds = [(0.0, None)] * (2 * count) + [(None, None)] * (len(start) - 2 * count)
        found = minimize(parts, start, method="L-BFGS-B", jac=True, bounds=bounds, options=options, callback=record)
    else:
        found = minimize(objective, start, method="L-BFGS-B", jac=True, options=options, callback=record)
    theta = whole(found.x)
    return Minimum(theta, reported(float(found.fun), theta), int(found.nit), losses, found)
