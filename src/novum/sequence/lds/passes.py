r"""The passes over a series: the filter forwards, the smoother backwards.

With P the predicted covariance, cell by cell for x = c'z + N(0, r):

    v = x - c'm,   F = c'P c + r,   K = P c / F                                                         (4)
    m += K v,   P -= K (P c)',   log p(x | before) = -(log 2 pi F + v^2/F)/2                            (5)
    next row:   m <- A m + b,   P <- A P A' + Q                                                         (6)
    J = V A' P_next^{-1},   m^ = m + J (m^_next - A m - b)                                              (7)
    V^ = (I - J A) V (I - J A)' + J (V^_next + Q) J',   cov(z[t+1], z[t]) = V^_next J'                  (8)
    square roots: P = S S', predictions by reflections, [A S, Q^{1/2}] Theta = [S_next, 0]              (9)

The smoother of factors inverts nothing. A row's state is z = m + S w with w ~ N(0, I) before the row; a cell with phi = S'c leads
from w to w_after, a step by the reflections of (9), so that what all rows say of w_next is carried back:

    w = phi v / F + (I - phi phi' / (F + (r F)^{1/2})) w_after                                          (9a)
    (w_after, .) = Theta (w_next, e),   e ~ N(0, I)                                                     (9b)

(7) and (8) serve where every P is far from singular, which is checked at every row; elsewhere (9a) and (9b) do in all forms.
The loops are `_core.sequence.kalman`; steps with a diffuse distribution are done here, by `diffuse`.
"""

from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError
from novum.runtime.blas import single_blas
from novum.sequence.lds.blas_routines import routine
from novum.sequence.lds.diffuse import StateDistribution, in_factors, predict_diffuse, update_diffuse, with_infinities
from novum.sequence.lds.diffuse_smoothing import Coordinates, DiffuseRow, smooth_diffuse
from novum.sequence.lds.directions import root_of
from novum.sequence.lds.rounding import of_states
from novum.sequence.lds.system import System

__all__ = [
    "Forward",
    "Smoothed",
    "TimedSystem",
    "covariances",
    "entry",
    "run_filter",
    "run_smoother",
    "timed_system",
]

Array = NDArray[Any]
LARGE = 20  # states from which the kernels call BLAS, which must keep to one thread then
SAFE = 1e-2  # share of its variance that a state keeps given the others, where its covariance may be inverted

NO_DIRECTIONS = np.zeros((0, 0)), np.zeros((0, 0))


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
    """What the filter wrote; `diffuse` are the rows with a diffuse distribution, which come first."""

    predicted_mean: Array
    predicted_covariance: Array
    mean: Array
    covariance: Array
    log_likelihood: Array  # (n,)
    last: StateDistribution  # of row n, not yet seen
    diffuse: list[DiffuseRow]
    root: (
        Array | None
    )  # of the predicted covariance of the first row that is not diffuse, where diffuse rows precede it
    roots: bool
    settled: int  # first row whose gains were kept; n: none
    doubt: Array  # (n, p + 1): what rounding may have done to cells and states, where that is computed; `rounding`


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


def filter_from(
    timed: TimedSystem,
    d: int,
    mean: Array,
    covariance: Array,
    outputs: Any,
    root: bool,
    doubt: Array | None = None,
    errors: Array | None = None,
) -> tuple[int, StateDistribution]:
    """Filter the rows from d on; return how many rows later the gains were kept, and the distribution of the row after the last.

    `outputs` are predicted means and covariances, means, covariances (or None) and log-likelihoods; with `root` all covariances,
    that of the start as well, are factors; `doubt` is written then, from the `errors` of the start.
    """
    s = len(mean)
    last_mean, last = np.empty(s), np.empty((s, s))
    predicted_mean, predicted_covariance, filtered_mean, filtered_covariance, likelihood = outputs
    with single_blas() if s >= LARGE else nullcontext():
        settled = _core.sequence.kalman.filter(
            timed.cells[d:],
            transition=rest_of(timed.transition, d),
            transition_covariance=rest_of(timed.transition_covariance, d),
            offset=rest_of(timed.offset, d),
            observation=rest_of(timed.observation, d),
            observation_covariance=rest_of(timed.observation_covariance, d),
            mean=np.ascontiguousarray(mean),
            covariance=np.ascontiguousarray(covariance),
            predicted_mean=predicted_mean,
            predicted_covariance=predicted_covariance,
            filtered_mean=filtered_mean,
            filtered_covariance=filtered_covariance,
            log_likelihood=likelihood,
            last_mean=last_mean,
            last_covariance=last,
            root=root,
            gemm=routine("dgemm"),
            doubt=doubt,
            start_error=errors,
        )
    return settled, StateDistribution(last_mean, last @ last.T if root else last, np.zeros((s, 0)))


def is_safe(root: Array) -> bool:
    """Return whether every state keeps a share of its variance given those before, in a triangle that is a factor."""
    return bool((np.diagonal(root) ** 2 > SAFE * (root**2).sum(axis=1)).all())


def has_exact_cells(noise: Array) -> bool:
    """Return whether a combination of cells is observed without noise in some row."""
    if noise.shape[-1] == 1:
        return bool((noise == 0).any())
    units = np.sqrt(np.maximum(np.diagonal(noise, axis1=1, axis2=2), 0.0))
    if (units == 0).any():
        return True
    return bool(np.linalg.eigvalsh(noise / units[:, :, None] / units[:, None, :])[:, 0].min() < 1e-12)


def run_filter(timed: TimedSystem, start: StateDistribution, *, root: bool = False, keep: bool = True) -> Forward:
    """Return the forward pass over a series; without `keep` only log-likelihoods and the last distribution.

    Factors are used without `root` where covariances lose too much: after diffuse rows that leave states nearly tied to each other,
    and for cells without noise, which fix what rounding would set free again.
    """
    (n, p), s = timed.cells.shape, len(start.mean)
    exact = has_exact_cells(timed.observation_covariance)
    root, doubt, errors = root or exact, np.zeros((n, p + 1)), None
    keep = keep or root
    shape = (n if keep else 0, s)
    predicted, mean = np.empty(shape), np.empty(shape)
    predicted_covariance, covariance = np.empty((*shape, s)), np.empty((*shape, s))
    likelihood = np.empty(n)
    rows: list[DiffuseRow] = []
    settled, last, factor = n, start, None
    if start.diffuse.shape[1]:
        state = in_factors(start)
        while state.basis.shape[1] and len(rows) < n:
            t = len(rows)
            C, R = entry(timed.observation, t), entry(timed.observation_covariance, t)
            after, likelihood[t], steps, doubt[t, :p] = update_diffuse(state, timed.cells[t], C, R)
            doubt[t, p] = of_states(after.errors, after.mean, after.root, after.basis)
            A, b, Q = (entry(m, t) for m in (timed.transition, timed.offset, timed.transition_covariance))
            following, move = predict_diffuse(after, A, b, Q)
            rows.append(DiffuseRow(state, after, steps, move))
            state = following
        last, factor, errors = state.plain, state.root, squares(np.stack(state.errors[:2]))
        if not root and len(rows) < n and not is_safe(factor):
            root, keep, shape = True, True, (n, s)
            predicted, mean = np.empty(shape), np.empty(shape)
            predicted_covariance, covariance = np.empty((*shape, s)), np.empty((*shape, s))
    d = len(rows)
    if d < n:
        outputs = [out[d:] if keep else None for out in (predicted, predicted_covariance, mean, covariance)]
        begin = last.covariance if not root else root_of(start.covariance) if factor is None else factor
        settled, last = filter_from(
            timed,
            d=d,
            mean=last.mean,
            covariance=begin,
            outputs=[*outputs, likelihood[d:]],
            root=root,
            doubt=doubt[d:] if exact else None,
            errors=errors,
        )
        settled += d
    if keep:
        for t, row in enumerate(rows):
            predicted[t], mean[t] = row.predicted.mean, row.filtered.mean
    return Forward(
        predicted_mean=predicted,
        predicted_covariance=predicted_covariance,
        mean=mean,
        covariance=covariance,
        log_likelihood=likelihood,
        last=last,
        diffuse=rows,
        root=factor,
        roots=root,
        settled=settled,
        doubt=doubt,
    )


def squares(roots: Array) -> Array:
    """Return S S' of every factor."""
    return roots @ np.swapaxes(roots, -1, -2)


def covariances(forward: Forward) -> tuple[Array, Array]:
    """Return predicted and filtered covariances as a user reads them: products of factors, infinite where diffuse."""
    predicted, filtered = forward.predicted_covariance, forward.covariance
    d = len(forward.diffuse)
    if forward.roots:
        predicted, filtered = predicted.copy(), filtered.copy()
        predicted[d:], filtered[d:] = squares(predicted[d:]), squares(filtered[d:])
    elif d:
        predicted, filtered = predicted.copy(), filtered.copy()
    for t, row in enumerate(forward.diffuse):
        for out, state in ((predicted, row.predicted.plain), (filtered, row.filtered.plain)):
            out[t] = with_infinities(state.covariance, state.diffuse)
    return predicted, filtered


def smooth_factors(timed: TimedSystem, forward: Forward, found: Smoothed) -> tuple[Coordinates, Array]:
    """Write (9a), (9b) of the rows that are not diffuse; return the first such row's distribution of w, a factor of its state."""
    d, (n, s) = len(forward.diffuse), forward.mean.shape
    passed: list[Array] = [
        out[d:] for out in (forward.predicted_mean, forward.predicted_covariance, forward.mean, forward.covariance)
    ]
    if not forward.roots:
        start = passed[0][0], root_of(passed[1][0]) if forward.root is None else forward.root
        passed = [np.empty_like(out) for out in passed]
        filter_from(timed, d, *start, [*passed, np.empty(n - d)], True)
    w, W = np.empty(s), np.empty((s, s))
    _core.sequence.kalman.smooth_root(
        timed.cells[d:],
        transition=rest_of(timed.transition, d),
        transition_covariance=rest_of(timed.transition_covariance, d),
        observation=rest_of(timed.observation, d),
        observation_covariance=rest_of(timed.observation_covariance, d),
        predicted_mean=passed[0],
        predicted_root=passed[1],
        filtered_mean=passed[2],
        filtered_root=passed[3],
        doubt=forward.doubt[d:],
        mean=found.mean[d:],
        covariance=found.covariance[d:],
        lag_one=found.lag_one[d:],
        first_mean=w,
        first_root=W,
    )
    return Coordinates(w, np.zeros(0), W, np.zeros((0, s)), *NO_DIRECTIONS), passed[1][0] @ W


def smooth_inverse(timed: TimedSystem, forward: Forward, found: Smoothed) -> bool:
    """Write (7), (8) of the rows that are not diffuse; return False where a covariance is too near to singular for that."""
    d = len(forward.diffuse)
    with single_blas() if forward.mean.shape[1] >= LARGE else nullcontext():
        return _core.sequence.kalman.smooth(
            timed.cells.shape[1],
            transition=rest_of(timed.transition, d),
            transition_covariance=rest_of(timed.transition_covariance, d),
            predicted_mean=forward.predicted_mean[d:],
            predicted_covariance=forward.predicted_covariance[d:],
            filtered_mean=forward.mean[d:],
            filtered_covariance=forward.covariance[d:],
            mean=found.mean[d:],
            covariance=found.covariance[d:],
            lag_one=found.lag_one[d:],
            gemm=routine("dgemm"),
            potrf=routine("dpotrf"),
            potrs=routine("dpotrs"),
        )


def coordinates_of(root: Array, off: Array, covariance: Array) -> tuple[Coordinates, Array]:
    """Return the distribution of w and a factor of the state's from that of z - m = S w, for a triangle S far from singular."""
    from scipy.linalg import solve_triangular

    s, factor = len(root), root_of(covariance)
    found = solve_triangular(root, np.hstack([off[:, None], factor]), lower=True)
    return Coordinates(found[:, 0], np.zeros(0), found[:, 1:], np.zeros((0, s)), *NO_DIRECTIONS), factor


def run_smoother(timed: TimedSystem, forward: Forward) -> Smoothed:
    """Return the backward pass over what the filter kept."""
    n, s = forward.mean.shape
    d, root = len(forward.diffuse), forward.root
    found = Smoothed(np.empty((n, s)), np.empty((n, s, s)), np.empty((n - 1, s, s)))
    last: tuple[Coordinates | None, Array | None] = None, None
    if d < n:
        if forward.roots or not smooth_inverse(timed, forward, found):
            last = smooth_factors(timed, forward, found)
        elif root is not None:
            last = coordinates_of(root, found.mean[d] - forward.predicted_mean[d], found.covariance[d])
    smooth_diffuse(forward.diffuse, *last, *found)
    return found
