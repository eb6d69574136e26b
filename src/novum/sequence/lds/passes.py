r"""The passes over a series: the filter forwards, the smoother backwards.

With P the predicted covariance, cell by cell for x = c'z + N(0, r):

    v = x - c'm,   F = c'P c + r,   K = P c / F                                                         (4)
    m += K v,   P -= K (P c)',   log p(x | before) = -(log 2 pi F + v^2/F)/2                            (5)
    next row:   m <- A m + b,   P <- A P A' + Q                                                         (6)
    J = V A' P_next^{-1},   m^ = m + J (m^_next - A m - b)                                              (7)
    V^ = (I - J A) V (I - J A)' + J (V^_next + Q) J',   cov(z[t+1], z[t]) = V^_next J'                  (8)
    square roots: P = S S', predictions by reflections of [A S, Q^{1/2}]                                (9)

The loops are `_core.sequence.kalman`; steps with a diffuse law are done here, by `diffuse`.
"""

from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError
from novum.runtime.blas import single_blas
from novum.sequence.lds.blas_routines import routine
from novum.sequence.lds.diffuse import Law, diffuse_gain, predict_law, update_law, with_infinities
from novum.sequence.lds.system import System

__all__ = ["Forward", "Smoothed", "TimedSystem", "log_likelihood", "run_filter", "run_smoother", "timed_system"]

Array = NDArray[Any]
LARGE = 20  # states from which the kernels call BLAS, which must keep to one thread then


class TimedSystem(NamedTuple):
    """A system laid out for n rows: leading axes of 1 or n, offsets and controls in one."""

    transition: Array  # (1 or n, s, s)
    transition_covariance: Array
    offset: Array  # (1 or n, s)
    observation: Array  # (1 or n, p, s)
    observation_covariance: Array
    cells: Array  # (n, p): the rows less their offsets, NaN where not observed
    observation_offset: Array  # (1 or n, p)


class Forward(NamedTuple):
    """What the filter wrote; `laws` are those of the steps with a diffuse start, (predicted, filtered) each."""

    predicted_mean: Array
    predicted_covariance: Array
    mean: Array
    covariance: Array
    log_likelihood: Array  # (n,)
    last: Law  # of row n, not yet seen
    laws: list[tuple[Law, Law]]
    roots: bool
    settled: int  # first row whose gains were kept; n: none


class Smoothed(NamedTuple):
    """What the smoother wrote."""

    mean: Array
    covariance: Array
    lag_one: Array  # (n - 1, s, s): cov(z[t+1], z[t])


def in_time(owner: str, name: str, matrix: Array, axes: int, n: int, spare: int = 0) -> Array:
    """Return a matrix with a leading axis of 1 or n; `spare` last entries may be missing, as nothing needs them."""
    if matrix.ndim == axes:
        return np.ascontiguousarray(matrix[None])
    if len(matrix) < n - spare:
        raise DataError(f"{owner}: {name} has {len(matrix)} entries in time, but X has {n} rows.")
    if len(matrix) < n:
        matrix = np.concatenate([matrix, matrix[-1:]])
    return np.ascontiguousarray(matrix[:n])


def timed_system(owner: str, system: System, values: Array, controls: Array | None) -> TimedSystem:
    """Return the system laid out for the rows of a series."""
    n = len(values)
    b = in_time(owner, "transition_offset", system.transition_offset, 1, n, spare=1)
    d = in_time(owner, "observation_offset", system.observation_offset, 1, n)
    if controls is not None:
        b = b + controls[:n] @ system.control.T
        d = d + controls[:n] @ system.observation_control.T
    return TimedSystem(
        in_time(owner, "transition", system.transition, 2, n, spare=1),
        in_time(owner, "transition_covariance", system.transition_covariance, 2, n, spare=1),
        np.ascontiguousarray(b),
        in_time(owner, "observation", system.observation, 2, n),
        in_time(owner, "observation_covariance", system.observation_covariance, 2, n),
        np.ascontiguousarray(values - d),
        d,
    )


def entry(cube: Array, t: int) -> Array:
    """Return the matrix of step t."""
    return cube[0] if len(cube) == 1 else cube[t]


def rest_of(cube: Array, start: int) -> Array:
    """Return the matrices from a step on."""
    return cube if len(cube) == 1 else cube[start:]


def run_filter(timed: TimedSystem, start: Law, *, root: bool = False, keep: bool = True) -> Forward:
    """Return the forward pass over a series; without `keep` only log-likelihoods and the last law."""
    n, s = len(timed.cells), len(start.mean)
    shape = (n if keep else 0, s)
    predicted, mean = np.empty(shape), np.empty(shape)
    predicted_covariance, covariance = np.empty((*shape, s)), np.empty((*shape, s))
    likelihood = np.empty(n)
    law = start
    laws: list[tuple[Law, Law]] = []
    while law.diffuse.shape[1] and len(laws) < n:
        t = len(laws)
        after, likelihood[t] = update_law(
            law, timed.cells[t], entry(timed.observation, t), entry(timed.observation_covariance, t)
        )
        laws.append((law, after))
        law = predict_law(after, *(entry(m, t) for m in (timed.transition, timed.offset, timed.transition_covariance)))
    d = len(laws)
    if keep:
        for t, (before, after) in enumerate(laws):
            predicted[t], mean[t] = before.mean, after.mean
            predicted_covariance[t], covariance[t] = before.covariance, after.covariance
    settled, last = n, law
    if d < n:
        last = Law(np.empty(s), np.empty((s, s)), np.zeros((s, 0)))
        outputs: Any = [out[d:] if keep else None for out in (predicted, predicted_covariance, mean, covariance)]
        with single_blas() if s >= LARGE else nullcontext():
            run: Any = _core.sequence.kalman.filter
            settled = d + run(
                timed.cells[d:],
                rest_of(timed.transition, d),
                rest_of(timed.transition_covariance, d),
                rest_of(timed.offset, d),
                rest_of(timed.observation, d),
                rest_of(timed.observation_covariance, d),
                np.ascontiguousarray(law.mean),
                np.ascontiguousarray(law.covariance),
                *outputs,
                likelihood[d:],
                last.mean,
                last.covariance,
                root,
                routine("dgemm"),
            )
    return Forward(predicted, predicted_covariance, mean, covariance, likelihood, last, laws, root, settled)


def log_likelihood(timed: TimedSystem, start: Law) -> float:
    """Return the log-likelihood of a series."""
    return float(run_filter(timed, start, keep=False).log_likelihood.sum())


def squares(roots: Array) -> Array:
    """Return S S' of every factor."""
    return roots @ np.swapaxes(roots, -1, -2)


def covariances(forward: Forward) -> tuple[Array, Array]:
    """Return predicted and filtered covariances as a user reads them: products of factors, infinite where diffuse."""
    predicted, filtered = forward.predicted_covariance, forward.covariance
    d = len(forward.laws)
    if forward.roots:
        predicted, filtered = predicted.copy(), filtered.copy()
        predicted[d:], filtered[d:] = squares(predicted[d:]), squares(filtered[d:])
    elif d:
        predicted, filtered = predicted.copy(), filtered.copy()
    for t, (before, after) in enumerate(forward.laws):
        predicted[t] = with_infinities(before.covariance, before.diffuse)
        filtered[t] = with_infinities(after.covariance, after.diffuse)
    return predicted, filtered


def run_smoother(timed: TimedSystem, forward: Forward) -> Smoothed:
    """Return the backward pass (7), (8) over what the filter kept."""
    n, s = forward.mean.shape
    d = len(forward.laws)
    mean, covariance, lag_one = np.empty((n, s)), np.empty((n, s, s)), np.empty((n - 1, s, s))
    infinite = np.zeros((s, 0))  # directions of which nothing is known after all rows
    if d < n:
        with single_blas() if s >= LARGE else nullcontext():
            _core.sequence.kalman.smooth(
                timed.cells.shape[1],
                rest_of(timed.transition, d),
                rest_of(timed.transition_covariance, d),
                forward.predicted_mean[d:],
                forward.predicted_covariance[d:],
                forward.mean[d:],
                forward.covariance[d:],
                mean[d:],
                covariance[d:],
                lag_one[d:],
                forward.roots,
                routine("dgemm"),
                routine("dpotrf"),
                routine("dpotrs"),
            )
        if forward.roots:
            covariance[d:] = squares(covariance[d:])
    else:
        mean[-1], covariance[-1], infinite = forward.laws[-1][1]
    finite = (covariance[d] if d < n else covariance[-1]).copy()  # the covariance without its infinite part, going back
    if d == n:
        covariance[-1] = with_infinities(finite, infinite)
    for t in range(min(d, n - 1) - 1, -1, -1):
        after = forward.laws[t][1]
        A, Q = entry(timed.transition, t), entry(timed.transition_covariance, t)
        predicted = A @ after.mean + entry(timed.offset, t)
        J = diffuse_gain(after, A, Q)
        rest = np.eye(s) - J @ A
        mean[t] = after.mean + J @ (mean[t + 1] - predicted)
        lag_one[t] = with_infinities(finite @ J.T, infinite, J @ infinite)
        finite = rest @ after.covariance @ rest.T + J @ (finite + Q) @ J.T
        finite = (finite + finite.T) / 2
        infinite = np.hstack([J @ infinite, rest @ after.diffuse])
        infinite = infinite[:, np.abs(infinite).max(axis=0, initial=0.0) > 1e-9]
        covariance[t] = with_infinities(finite, infinite) if infinite.shape[1] else finite
    return Smoothed(mean, covariance, lag_one)
