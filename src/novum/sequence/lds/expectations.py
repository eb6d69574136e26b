r"""What learning needs of the smoothed states: two regressions with uncertain regressors, and the first state's distribution.

With r[t] = (z[t], 1, u[t]) both equations of the system read y = T r + N(0, S): y = z[t+1], T = (A, b, B) and y = x[t],
T = (C, d, D). Given all rows, y and z have means and covariances, of which only sums enter:

    gram = sum of E[r r'],   cross = sum of E[y r'],   residual(T) = sum of E[(y - T r)(y - T r)']           (14)

the residual from differences of means, so that a large level cancels before it is squared. A cell that was not observed is
one more unknown: with R_mo R_oo^{-1} = beta,  x_m = H r + beta x_o + N(0, R_mm - beta R_om),  H = T_m - beta T_o     (15)
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.sequence.lds.diffuse import StateDistribution
from novum.sequence.lds.passes import Smoothed, TimedSystem, run_filter, run_smoother
from novum.sequence.lds.system import System

__all__ = ["Expected", "Regression", "expectations", "joined"]

Array = NDArray[Any]


class Regression(NamedTuple):
    """y on r: means row by row, and the sums of covariances; regressors are (z, 1, u), or none where T may differ by row."""

    targets: Array  # (rows, q)
    regressors: Array  # (rows, s + 1 + k)
    target_covariance: Array  # (q, q)
    cross_covariance: Array  # (q, s)
    state_covariance: Array  # (s, s)

    @property
    def gram(self) -> Array:
        found = self.regressors.T @ self.regressors
        s = len(self.state_covariance)
        found[:s, :s] += self.state_covariance
        return found

    def cross(self) -> Array:
        found = self.targets.T @ self.regressors
        found[:, : self.cross_covariance.shape[1]] += self.cross_covariance
        return found

    def residual(self, T: Array) -> Array:
        """Return the last sum of (14)."""
        s = len(self.state_covariance)
        off, C = self.targets - self.regressors @ T.T, T[:, :s]
        half = C @ self.cross_covariance.T
        found = off.T @ off + self.target_covariance - half - half.T + C @ self.state_covariance @ C.T
        return (found + found.T) / 2

    def slope(self, T: Array) -> Array:
        """Return sum of E[(y - T r) r'], the gradient before the noise weighs it."""
        s = len(self.state_covariance)
        found = (self.targets - self.regressors @ T.T).T @ self.regressors
        found[:, :s] += self.cross_covariance - T[:, :s] @ self.state_covariance
        return found


class Expected(NamedTuple):
    """All that one series says, or several joined."""

    states: Regression
    cells: Regression
    first_means: Array  # (series, s)
    first_covariance: Array  # (s, s), the sum
    log_likelihood: float


def joined(parts: list[Expected]) -> Expected:
    """Return the expectations of several series as one."""

    def both(regressions: list[Regression]) -> Regression:
        rows = [np.concatenate([getattr(r, name) for r in regressions]) for name in ("targets", "regressors")]
        sums = [sum(getattr(r, name) for r in regressions) for name in Regression._fields[2:]]
        return Regression(*rows, *sums)

    if len(parts) == 1:
        return parts[0]
    return Expected(
        both([p.states for p in parts]),
        both([p.cells for p in parts]),
        np.concatenate([p.first_means for p in parts]),
        np.sum([p.first_covariance for p in parts], axis=0),
        sum(p.log_likelihood for p in parts),
    )


def state_regression(
    timed: TimedSystem, system: System, found: Smoothed, others: Array, fixed_offset: bool
) -> Regression:
    """Return the regression of z[t+1] on (z[t], 1, u[t])."""
    mean, V, lag = found
    s, last = mean.shape[1], len(mean) - 1
    now, later = mean[:-1], mean[1:]
    if len(timed.transition) == 1:
        if fixed_offset:
            later = later - system.transition_offset[:last]
        return Regression(later, np.hstack([now, others[:-1]]), V[1:].sum(axis=0), lag.sum(axis=0), V[:-1].sum(axis=0))
    A, turned = timed.transition[:last], np.swapaxes(timed.transition[:last], 1, 2)
    off = later - (A @ now[:, :, None])[:, :, 0] - np.broadcast_to(timed.offset, mean.shape)[:last]
    half = lag @ turned
    scatter = V[1:] - half - np.swapaxes(half, 1, 2) + A @ V[:-1] @ turned
    return Regression(off, np.zeros((last, 0)), scatter.sum(axis=0), np.zeros((s, 0)), np.zeros((0, 0)))


def cell_regression(
    timed: TimedSystem, system: System, values: Array, found: Smoothed, others: Array, T: Array
) -> Regression:
    """Return the regression of x[t] on (z[t], 1, u[t]), cells that were not observed filled in by (15)."""
    mean, V = found.mean, found.covariance
    s, p = mean.shape[1], values.shape[1]
    timed_offset = system.observation_offset.ndim > 1
    seen = ~np.isnan(values)
    kept = seen.any(axis=1)
    if len(timed.observation) > 1:
        if not seen[kept].all():
            raise DataError(
                "LinearDynamicalSystem.fit: observation differs by step and rows miss some of their cells; learn its noise from "
                "rows that are observed or missed as a whole."
            )
        C = timed.observation[kept]
        off = timed.cells[kept] - (C @ mean[kept][:, :, None])[:, :, 0]
        scatter = (C @ V[kept] @ np.swapaxes(C, 1, 2)).sum(axis=0)
        return Regression(off, np.zeros((len(off), 0)), scatter, np.zeros((p, 0)), np.zeros((0, 0)))
    rows = np.hstack([mean, others])
    target = values - system.observation_offset[: len(values)] if timed_offset else values.copy()
    scatter, cross = np.zeros((p, p)), np.zeros((p, s))
    R = system.observation_covariance
    if not seen[kept].all():
        patterns, group = np.unique(seen, axis=0, return_inverse=True)
        for g, pattern in enumerate(patterns):
            o, m = np.flatnonzero(pattern), np.flatnonzero(~pattern)
            if not len(o) or not len(m):
                continue
            at = np.flatnonzero(group.ravel() == g)
            beta = np.linalg.lstsq(R[np.ix_(o, o)], R[np.ix_(o, m)], rcond=None)[0].T
            H = T[m] - beta @ T[o]
            target[np.ix_(at, m)] = rows[at] @ H.T + target[np.ix_(at, o)] @ beta.T
            total = V[at].sum(axis=0)
            cross[m] += H[:, :s] @ total
            scatter[np.ix_(m, m)] += H[:, :s] @ total @ H[:, :s].T + len(at) * (
                R[np.ix_(m, m)] - beta @ R[np.ix_(o, m)]
            )
    return Regression(target[kept], rows[kept], scatter, cross, V[kept].sum(axis=0))


def expectations(
    timed: TimedSystem, system: System, start: StateDistribution, values: Array, controls: Array | None
) -> Expected:
    """Return what a series says under a system: the E-step."""
    forward = run_filter(timed, start)
    found = run_smoother(timed, forward)
    if np.isnan(found.covariance).any() or not np.isfinite(found.mean).all():
        raise DataError(
            "LinearDynamicalSystem.fit: the states leave the range of floating point; divide X by its standard deviation, or give "
            "matrices to start from."
        )
    if not np.isfinite(found.covariance).all():
        raise DataError(
            "LinearDynamicalSystem.fit: the rows never determine some direction of the diffuse state; give "
            "initial_covariance, or longer series."
        )
    n = len(values)
    k = max(system.control.shape[1], system.observation_control.shape[1])
    u = np.zeros((n, 0)) if controls is None else controls[:n]
    others = np.hstack([np.ones((n, 1)), u])
    p = values.shape[1]
    T = np.zeros((p, 0))
    if system.observation.ndim == 2:
        d = np.zeros(p) if system.observation_offset.ndim > 1 else system.observation_offset
        D = system.observation_control if k else np.zeros((p, 0))
        T = np.hstack([system.observation, d[:, None], D])
    return Expected(
        state_regression(timed, system, found, others, system.transition_offset.ndim > 1),
        cell_regression(timed, system, values, found, others, T),
        found.mean[:1],
        found.covariance[0],
        float(forward.log_likelihood.sum()),
    )
