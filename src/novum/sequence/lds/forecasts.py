r"""Rows to come, and rows drawn.

z[n+h+1] ~ N(A m + b, A P A' + Q),     x[n+h] ~ N(C m + d, C P C' + R)                                  (27)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.runtime.random import Stream, seed_of
from novum.sequence.lds.passes import entry, timed_system
from novum.sequence.lds.results import FilteredStates, Forecast
from novum.sequence.lds.system import System

__all__ = ["draw_series", "forecast"]

Array = NDArray[Any]


def forecast(
    owner: str, system: System, past: FilteredStates, steps: int, controls: Array | None, level: float
) -> Forecast:
    """Return (27) for the rows after a filtered series; `controls` are those of all rows, past and to come."""
    n, s, p = past.n_steps, system.n_states, system.n_cells
    timed = timed_system(owner, system, np.full((n + steps, p), np.nan), controls)
    last = past._forward.last
    if last.diffuse.shape[1]:
        raise DataError(
            f"{owner}: the rows so far do not determine all states of a diffuse start; nothing can be forecast."
        )
    mean, P = last.mean, last.covariance
    states, covariances = np.empty((steps, s)), np.empty((steps, s, s))
    for h in range(steps):
        states[h], covariances[h] = mean, P
        A, Q = entry(timed.transition, n + h), entry(timed.transition_covariance, n + h)
        mean, P = A @ mean + entry(timed.offset, n + h), A @ P @ A.T + Q
        P = (P + P.T) / 2
    C, R, d = (
        np.broadcast_to(m, (n + steps, *m.shape[1:]))[n:]
        for m in (timed.observation, timed.observation_covariance, timed.observation_offset)
    )
    means = (C @ states[:, :, None])[:, :, 0] + d
    return Forecast(means, C @ covariances @ np.swapaxes(C, 1, 2) + R, states, covariances, level, past)


def root_of(covariance: Array) -> Array:
    """Return a factor of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0))


def draw_series(
    owner: str, system: System, steps: int, n_series: int, controls: Array | None, random_state: Any
) -> tuple[Array, Array]:
    """Return states (n_series, steps, s) and rows (n_series, steps, p) drawn from the system."""
    s, p = system.n_states, system.n_cells
    if system.diffuse.shape[1]:
        raise DataError(f"{owner}: the first state is diffuse; give initial_covariance to draw it.")
    timed = timed_system(owner, system, np.full((steps, p), np.nan), controls)
    stream = Stream(seed_of(random_state))
    shocks = stream.normal("lds states", 0, n_series, steps * s).reshape(n_series, steps, s)
    noise = stream.normal("lds cells", 0, n_series, steps * p).reshape(n_series, steps, p)
    roots = np.stack([root_of(m).T for m in timed.transition_covariance])
    blurs = np.stack([root_of(m).T for m in timed.observation_covariance])
    moves = (shocks[:, 1:, None] @ (roots if len(roots) == 1 else roots[: steps - 1]))[
        :, :, 0
    ]  # (n_series, steps - 1, s)
    moves += timed.offset if len(timed.offset) == 1 else timed.offset[: steps - 1]
    states = np.empty((n_series, steps, s))
    states[:, 0] = system.initial_mean + shocks[:, 0] @ root_of(system.initial_covariance).T
    for t in range(steps - 1):
        np.matmul(states[:, t], entry(timed.transition, t).T, out=states[:, t + 1])
        states[:, t + 1] += moves[:, t]
    rows = (states[:, :, None] @ np.swapaxes(timed.observation, 1, 2))[:, :, 0] + timed.observation_offset
    return states, rows + (noise[:, :, None] @ blurs)[:, :, 0]
