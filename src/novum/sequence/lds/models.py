r"""Ready-made systems: matrices with NaN where a number is to be learned.

local level          z' = z + N(0, q),   x = z + N(0, r)                                                     (21)
local linear trend   level' = level + slope + N(0, q1),   slope' = slope + N(0, q2)                          (22)
seasonal             gamma' = -(the last period - 1 gammas) + N(0, q3), added to a level and, if requested, a slope  (23)
AR(p)                x' = phi_1 x + ... + phi_p x[-p+1] + N(0, q), in companion form                         (24)
tracking             each axis: position, velocity (, acceleration); white noise of the highest derivative    (25)
"""

from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count, check_number

__all__ = ["autoregressive", "local_level", "local_linear_trend", "seasonal", "tracking"]

Matrices = dict[str, Any]
MOTIONS = {"random_walk": 1, "constant_velocity": 2, "constant_acceleration": 3}


def variance(owner: str, name: str, value: Any) -> float:
    """Return a variance, NaN where it is to be learned."""
    return float("nan") if value is None else check_number(owner, name, value, 0)


def structural(
    owner: str, variances: dict[str, Any], transition: NDArray, observation: NDArray, noise: Any
) -> Matrices:
    """Return the matrices of a structural series model; `variances` by state, those named None are zero."""
    diagonal = [0.0 if name.startswith("_") else variance(owner, name, value) for name, value in variances.items()]
    return {
        "transition": transition,
        "observation": observation,
        "transition_covariance": np.diag(diagonal),
        "observation_covariance": np.array([[variance(owner, "observation_variance", noise)]]),
        "initial_covariance": "diffuse",
        "transition_covariance_type": "diag",
        "observation_covariance_type": "diag",
    }


def local_level(level_variance: Any, observation_variance: Any) -> Matrices:
    """Return (21)."""
    owner = "LinearDynamicalSystem.local_level"
    return structural(owner, {"level_variance": level_variance}, np.eye(1), np.eye(1), observation_variance)


def local_linear_trend(level_variance: Any, slope_variance: Any, observation_variance: Any) -> Matrices:
    """Return (22)."""
    variances = {"level_variance": level_variance, "slope_variance": slope_variance}
    owner = "LinearDynamicalSystem.local_linear_trend"
    return structural(
        owner, variances, np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]]), observation_variance
    )


def seasonal(
    period: Any, trend: Any, level_variance: Any, slope_variance: Any, seasonal_variance: Any, observation_variance: Any
) -> Matrices:
    """Return (23): level, slope if requested, period - 1 seasonal states."""
    owner = "LinearDynamicalSystem.seasonal"
    period = check_count(owner, "period", period, 2)
    if not isinstance(trend, bool | np.bool_):
        raise ParameterError(f"{owner}(trend={trend!r}): trend must be True or False.")
    head = 2 if trend else 1
    s = head + period - 1
    A, C = np.zeros((s, s)), np.zeros((1, s))
    A[:head, :head] = np.triu(np.ones((head, head)))
    A[head, head:] = -1
    A[np.arange(head + 1, s), np.arange(head, s - 1)] = 1
    C[0, [0, head]] = 1
    variances = {"level_variance": level_variance}
    if trend:
        variances["slope_variance"] = slope_variance
    variances["seasonal_variance"] = seasonal_variance
    variances |= {f"_{i}": 0.0 for i in range(period - 2)}
    return structural(owner, variances, A, C, observation_variance)


def autoregressive(order: Any, coefficients: Any, noise: Any, observation_variance: Any) -> Matrices:
    """Return (24); the states are the last `order` values."""
    owner = "LinearDynamicalSystem.autoregressive"
    order = check_count(owner, "order", order)
    first = np.full(order, np.nan) if coefficients is None else np.asarray(coefficients, dtype=np.float64).ravel()
    if first.shape != (order,):
        raise ParameterError(
            f"{owner}: coefficients has shape {np.shape(coefficients)}; it must have shape ({order},)."
        )
    A = np.eye(order, k=-1)
    A[0] = first
    Q = np.zeros((order, order))
    Q[0, 0] = variance(owner, "variance", noise)
    return {
        "transition": A,
        "observation": np.eye(1, order),
        "transition_covariance": Q,
        "observation_covariance": np.array([[variance(owner, "observation_variance", observation_variance)]]),
        "initial_covariance": "stationary",
        "transition_covariance_type": "diag",
        "observation_covariance_type": "diag",
    }


def tracking(n_dims: Any, motion: Any, step: Any, process_variance: Any, observation_variance: Any) -> Matrices:
    """Return (25): derivatives of axis 0, then those of axis 1, ...; positions are observed."""
    owner = "LinearDynamicalSystem.tracking"
    n_dims = check_count(owner, "n_dims", n_dims)
    k = MOTIONS[check_choice(owner, "motion", motion, tuple(MOTIONS))]
    step = check_number(owner, "step", step, 0, open_low=True)
    block, shape = np.zeros((k, k)), np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            if j >= i:
                block[i, j] = step ** (j - i) / factorial(j - i)
            a, b = k - 1 - i, k - 1 - j  # integrals of white noise over a step
            shape[i, j] = step ** (a + b + 1) / ((a + b + 1) * factorial(a) * factorial(b))
    eye = np.eye(n_dims)
    q, r = (
        variance(owner, "process_variance", process_variance),
        variance(owner, "observation_variance", observation_variance),
    )
    learn = [name for name, value in (("transition_covariance", q), ("observation_covariance", r)) if np.isnan(value)]
    return {
        "transition": np.kron(eye, block),
        "observation": np.kron(eye, np.eye(1, k)),
        "transition_covariance": np.kron(eye, shape) * (1.0 if np.isnan(q) else q),
        "observation_covariance": eye * (1.0 if np.isnan(r) else r),
        "initial_covariance": "diffuse",
        "transition_covariance_type": "scaled",
        "observation_covariance_type": "scaled",
        "learn": tuple(learn) or None,
    }
