r"""Learning rates and exploration of agents: a number or a `novum.optimize.Schedule`; and running means.

mu_k = mu_{k-1} + alpha_k (x_k - mu_{k-1})               a running mean; alpha_k = 1/k is the mean itself              (7)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.optimize.schedule_base import Schedule
from novum.runtime.checks import vector
from novum.runtime.typing import Numbers

__all__ = ["as_schedule", "running_mean"]


def as_schedule(value: Any) -> Schedule:
    """Return a schedule; a number is a constant one."""
    return value if isinstance(value, Schedule) else Schedule("constant", float(value))


def running_mean(values: Numbers, learning_rate: float | Schedule | None = None) -> NDArray[np.float64]:
    """Return the running means (7) of a stream of numbers: with learning rates 1/k (None), a constant, or a `Schedule`.

    Examples
    --------
    >>> from novum.reinforcement.schedules import running_mean
    >>> running_mean([1.0, 0.0, 2.0, 3.0]).tolist()
    [1.0, 0.5, 1.0, 1.5]
    """
    x = vector("running_mean", "values", values)
    rates = 1 / np.arange(1, len(x) + 1) if learning_rate is None else as_schedule(learning_rate).values(len(x))
    out, mean = np.empty(len(x)), 0.0
    for k, (value, rate) in enumerate(zip(x, rates)):
        mean += rate * (value - mean)
        out[k] = mean
    return out
