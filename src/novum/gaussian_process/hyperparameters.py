"""The search for hyper-parameters: the best of several starts within the bounds of a kernel, and what to say of it.

The objective is a log evidence with its gradient in `theta`, the logarithms of the hyper-parameters. A search starts at the
kernel's own values, then at values drawn evenly (in logarithms) between the bounds.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from novum.exceptions import NotConverged, ParameterError
from novum.runtime.random import seed_of
from novum.runtime.warn import warn

__all__ = ["Optimum", "generator_of", "maximize", "search", "warn_at_bounds"]

NEAR_BOUND = 1e-5  # relative distance, in logarithms, as scikit-learn judges it
SMALL_SLOPE = 1e-5  # of the evidence: there a search that stops because rounding hides further progress has arrived
STEEP = 10.0  # of the bowl that stands where there is no evidence, times the size of the greatest
Array = NDArray[np.float64]


class Optimum(NamedTuple):
    """The best of all starts."""

    theta: Array
    value: np.float64


def generator_of(random_state: Any) -> np.random.RandomState:
    """Return a generator whose draws for a whole number are those that scikit-learn makes of it."""
    return np.random.RandomState(seed_of(random_state) % (1 << 32))


def maximize(
    owner: str,
    objective: Callable[..., Any],
    kernel: Any,
    optimizer: Any,
    n_restarts: int,
    random_state: Any,
    tolerance: float | None = None,
    reach: float = 1.0,
) -> Optimum:
    """Return the theta of greatest log evidence that was found.

    Parameters
    ----------
    owner : str
        The estimator, for messages.
    objective : callable
        `objective(theta, eval_gradient)` returns the log evidence, and its gradient if requested.
    kernel : Kernel
        Its theta is the first start, its bounds hold.
    optimizer : "fmin_l_bfgs_b" or callable
        A callable is given `(minus the objective, start, bounds=)` and returns theta and the least value.
    n_restarts : int
    random_state : None, int, Generator, RandomState or SeedSequence
    tolerance : float, default=None
        Relative gain of a step of L-BFGS below which it stops; None is SciPy's.
    reach : float, default=1.0
        Length of the first step of L-BFGS: short where the start is known to be near.

    Returns
    -------
    Optimum
    """

    best: list[Any] = []  # the greatest value so far, and its theta

    def loss(theta: Array, eval_gradient: bool = True) -> Any:
        if not eval_gradient:
            return -objective(theta, False)
        value, slope = objective(theta, True)
        if np.isfinite(value) and np.isfinite(slope).all():
            if not best or value > best[0]:
                best[:] = value, np.array(theta)
            return -value, -slope
        if not best or callable(optimizer):
            return np.inf, np.zeros(len(theta))
        away = theta - best[1]  # a bowl about the best theta leads a line search back; a flat infinity would end it
        steep = STEEP * max(1.0, abs(best[0]))
        return -best[0] + steep * float(away @ away), 2 * steep * away

    bounds = kernel.bounds
    starts = [kernel.theta]
    if n_restarts > 0:
        if not np.isfinite(bounds).all():
            raise ParameterError(
                "Multiple optimizer restarts (n_restarts_optimizer>0) requires that all bounds are finite."
                f" {owner}(n_restarts_optimizer={n_restarts}): give the kernel finite bounds."
            )
        draws = generator_of(random_state)
        starts += [draws.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(n_restarts)]
    found = []
    for start in starts:
        best.clear()
        if callable(optimizer):
            theta, least = optimizer(loss, start, bounds=bounds)
        else:
            stop = {} if tolerance is None else {"ftol": tolerance}
            scaled = partial(scaled_loss, loss, reach)
            result = minimize(scaled, start / reach, method="L-BFGS-B", jac=True, bounds=bounds / reach, options=stop)
            theta, least = np.clip(result.x * reach, *bounds.T), result.fun
            inside = np.clip(theta - result.jac / reach, *bounds.T) - theta  # what the bounds leave of the gradient
            if result.status != 0 and np.abs(inside).max(initial=0.0) > SMALL_SLOPE * max(1.0, abs(least)):
                warn(
                    f"lbfgs failed to converge (status={result.status}): {result.message}. {owner}: the hyper-parameters may"
                    " not be optimal; scale the data, give the kernel other starting values or bounds, or n_restarts_optimizer.",
                    NotConverged,
                )
        found.append(Optimum(np.asarray(theta, float), -np.float64(least)))
    return max(found, key=lambda optimum: optimum.value)


def scaled_loss(loss: Callable[..., Any], reach: float, theta: Array) -> tuple[float, Array]:
    """Return a loss and its gradient as functions of theta in units of `reach`."""
    value, slope = loss(theta * reach)
    return value, slope * reach


def search(model: Any, objective: Callable[..., Any]) -> np.float64:
    """Set the kernel of a process to the best hyper-parameters, if they are to be searched; return the log evidence there."""
    kernel = model.kernel_
    if model.optimizer is None or not kernel.n_dims:
        return np.float64(objective(kernel.theta, False))
    owner, restarts = type(model).__name__, model.n_restarts_optimizer
    kernel.theta, value = maximize(owner, objective, kernel, model.optimizer, restarts, model.random_state)
    warn_at_bounds(kernel)
    return value


def warn_at_bounds(kernel: Any) -> None:
    """Tell of hyper-parameters that ended at a bound, in scikit-learn's words."""
    bounds, at = kernel.bounds, 0
    if not np.size(bounds):
        return
    near = np.isclose(bounds, np.atleast_2d(kernel.theta).T, rtol=NEAR_BOUND)
    for hyper in kernel.hyperparameters:
        if hyper.fixed:
            continue
        for dim in range(hyper.n_elements):
            for side, (word, remedy) in enumerate((("lower", "Decreasing"), ("upper", "Increasing"))):
                if near[at + dim, side]:
                    limit = np.atleast_2d(hyper.bounds)[dim if len(np.atleast_2d(hyper.bounds)) > 1 else 0][side]
                    warn(
                        f"The optimal value found for dimension {dim} of parameter {hyper.name} is close to the specified"
                        f" {word} bound {limit}. {remedy} the bound and calling fit again may find a better value.",
                        NotConverged,
                    )
        at += hyper.n_elements
