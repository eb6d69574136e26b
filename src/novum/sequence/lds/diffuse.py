r"""The first steps of a filter whose start is diffuse, exactly: z = m + S w + L y, y = T d.

Here w ~ N(0, I) and d ~ N(0, kappa I) with kappa -> infinity.
For a cell x = c'z + N(0, r), with v = x - c'm, phi = S'c, q = L'c, F0 = |T'q|^2
(Koopman and Durbin 2000, cell by cell, in factors):

    q != 0:   y = g u + N y_new,  u = v - phi'w - r^{1/2} e,  g = T T'q / F0,  q'N = 0                  (10)
              m += L g v,  S <- [S - L g phi', -L g r^{1/2}],  w <- (w, e),  L <- L N
              log-density  -(log 2 pi + log F0)/2
    q = 0:    Potter's update of S

and from row to row, with [A S, Q^{1/2}] Theta = [S_next, 0] and A L E = [L_next, 0]:

    (w, .) = Theta (w_next, e),    y = E (y_next, y_lost)                                               (11)

S is the root of the finite part of the covariance. L is kept apart from the scale T of its directions, in echelon form (some of
its rows are a unit matrix): a direction that decays a million times faster than another is still a direction. Whether q is zero
is judged against the sizes of the numbers it is made of, those of the row's start, since what a cell takes out leaves their
rounding behind. Every step notes how the coordinates (w, y) before it follow from those after: the smoother goes back by these
maps (`diffuse_smoothing`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.sequence.lds.directions import NOTHING, ROUNDING, cleaned, echelon, graded, inverse, null_basis, root_of
from novum.sequence.lds.rounding import (
    CONTRADICTS,
    EPS,
    FAR,
    Errors,
    after_cell,
    after_step,
    first_errors,
    judged,
    with_gain,
)

__all__ = [
    "CellStep",
    "DiffuseDistribution",
    "Move",
    "StateDistribution",
    "in_factors",
    "predict_diffuse",
    "update_diffuse",
    "with_infinities",
]

Array = NDArray[Any]
LOG_2PI = float(np.log(2 * np.pi))


class StateDistribution(NamedTuple):
    """Distribution of a state: mean, finite part of the covariance, directions of infinite variance."""

    mean: Array  # (s,)
    covariance: Array  # (s, s)
    diffuse: Array  # (s, q)


class DiffuseDistribution(NamedTuple):
    """The same in factors, m + S w + L T d."""

    mean: Array  # (s,)
    root: Array  # (s, any)
    basis: Array  # L, (s, q)
    scale: Array  # T, (q, q)
    log_volume: float  # log |det T|, also where T has lost its small directions to underflow
    size: (
        Array  # (s, q): of the numbers that the cells of L were made of, in this row and before; their rounding is L's
    )
    errors: Errors

    @property
    def plain(self) -> StateDistribution:
        return StateDistribution(self.mean, self.root @ self.root.T, cleaned(self.basis, self.scale))


class CellStep(NamedTuple):
    """How coordinates before a cell follow from those after: w = shift + w_new - turn turn' w_new; or y by (10)."""

    innovation: float
    along: Array  # phi
    deviation: float  # r^{1/2}
    gain: Array  # g, or the shift of w
    shrink: float
    null: Array | None  # N, or None: w moves
    null_size: Array  # (q, q - 1): of the numbers that N is made of


class Move(NamedTuple):
    """(11): parts of Theta and E."""

    known: Array  # w of the row before, from w_next
    fresh: Array  # ... from e
    moved: Array  # y from y_next
    lost: Array  # y from what the transition forgets
    part: Array  # y_next from y
    size: Array  # of the numbers that `moved` is made of


def with_infinities(covariance: Array, diffuse: Array, other: Array | None = None) -> Array:
    """Return the covariance (of one state, or of one with another) as a user reads it: infinite where such a direction enters."""
    other = diffuse if other is None else other
    infinite, size = diffuse @ other.T, np.outer(np.linalg.norm(diffuse, axis=1), np.linalg.norm(other, axis=1))
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(infinite) > NOTHING * size, np.sign(infinite) * np.inf, covariance)


def in_factors(state: StateDistribution) -> DiffuseDistribution:
    """Return the distribution of a first state in factors; its infinite directions are some of the axes."""
    q = state.diffuse.shape[1]
    root = root_of(state.covariance)
    return DiffuseDistribution(
        state.mean,
        root,
        state.diffuse,
        np.eye(q),
        0.0,
        np.stack([np.abs(state.diffuse)] * 2),
        first_errors(state.mean, root),
    )


def independent_cells(x: Array, observation: Array, noise: Array) -> tuple[Array, Array, Array, Array]:
    """Return values, their sizes, rows of C and variances of the observed cells, after L^{-1} of their noise L D L'."""
    seen = ~np.isnan(x)
    values, rows, covariance = x[seen], observation[seen], noise[np.ix_(seen, seen)].copy()
    k = len(values)
    lower, variances = np.eye(k), np.zeros(k)
    for j in range(k):
        pivot = covariance[j, j] - (lower[j, :j] ** 2) @ variances[:j]
        if pivot > 8 * k * EPS * covariance[j, j]:
            variances[j] = pivot
            lower[j + 1 :, j] = (covariance[j + 1 :, j] - (lower[j + 1 :, :j] * lower[j, :j]) @ variances[:j]) / pivot
    sizes = np.abs(values)
    if k > 1:
        sizes = np.abs(np.linalg.inv(lower)) @ sizes
        values, rows = np.linalg.solve(lower, values), np.linalg.solve(lower, rows)
    return values, sizes, rows, variances


def without_seen_direction(
    state: DiffuseDistribution, c: Array, q: Array
) -> tuple[DiffuseDistribution, Array, Array, Array, float]:
    """Return the distribution without the direction of L that a cell sees, with g, N, the sizes that N is made of, and log F0."""
    T, best = state.scale, int(np.argmax(np.abs(q) * np.linalg.norm(state.scale, axis=1)))
    rest = np.delete(np.arange(len(q)), best)
    phi = T.T @ q
    length = float(np.linalg.norm(phi))
    null, null_size = np.zeros((len(q), len(rest))), np.zeros((len(q), len(rest)))
    null[rest, np.arange(len(rest))] = 1.0
    null[best] = -q[rest] / q[best]
    size = np.abs(c) @ state.size[1] * (q != 0)
    null_size[best] = (size[rest] + np.abs(null[best]) * size[best]) / abs(q[best])
    g = T @ (phi / length) / length
    log_length = float(np.log(length)) if len(rest) else state.log_volume + float(np.log(np.abs(q[0])))
    head, first = phi / length, int(np.argmax(np.abs(phi)))
    head[first] += 1.0 if head[first] >= 0 else -1.0
    mirror = np.eye(len(q)) - 2 * np.outer(head, head) / (head @ head)  # one of its columns is +-phi / |phi|
    log_volume = state.log_volume - log_length + float(np.log(np.abs(q[best])))
    new_size = state.size @ np.abs(null)
    new_size[1] += np.abs(state.basis) @ null_size
    basis = state.basis @ null
    basis[np.abs(basis) <= ROUNDING * new_size[0]] = 0.0
    new_size[:, basis == 0] = 0.0
    scale = graded((T @ np.delete(mirror, first, axis=1))[rest], log_volume)
    state = state._replace(basis=basis, scale=scale, log_volume=log_volume, size=new_size)
    return state, g, null, null_size, 2 * log_length


def unseen(basis: Array, c: Array, q: Array, size: Array) -> Array:
    """Return L without the rounding by which c sees it, which would grow in the rows to come."""
    basis = basis.copy()
    for k in np.flatnonzero(q):
        j = int(np.argmax(np.abs(c) * size[:, k]))
        basis[j, k] -= q[k] / c[j]
    return basis


def update_diffuse(
    state: DiffuseDistribution, x: Array, observation: Array, noise: Array
) -> tuple[DiffuseDistribution, float, list[CellStep], Array]:
    """Return (10): the distribution given a row, its log-density in the diffuse sense, the steps back, the doubts of the cells."""
    total, steps, doubts = 0.0, [], np.zeros(len(x))
    state = state._replace(size=np.maximum(state.size, np.abs(state.basis)))
    cells = zip(np.flatnonzero(~np.isnan(x)), *independent_cells(x, observation, noise), strict=True)
    for cell, value, magnitude, c, variance in cells:
        innovation, along, q = float(value - c @ state.mean), state.root.T @ c, state.basis.T @ c
        deviation, reach = float(np.sqrt(variance)), float(np.abs(c) @ np.linalg.norm(state.root, axis=1))
        error_q = ROUNDING * (np.abs(c) @ state.size[0])
        seen = np.abs(q) > np.maximum(NOTHING * (np.abs(c) @ np.abs(state.basis)), error_q)
        if seen.any():
            before = state
            state, g, null, null_size, log_F0 = without_seen_direction(state, c, np.where(seen, q, 0.0))
            gain, sizes = before.basis @ g, np.abs(before.basis) @ np.abs(g)
            root = np.hstack([state.root - np.outer(gain, along), -deviation * gain[:, None]])
            mean = state.mean + gain * innovation
            errors = after_cell(
                state.errors, c=c, K=gain, mean=mean, root=root, reach=reach, magnitude=magnitude, ratio=0.0, F=1.0
            )
            q_sizes = np.abs(c) @ np.abs(before.basis)
            doubts[cell] = EPS * float(np.linalg.norm(before.scale.T @ q_sizes)) / float(np.exp(log_F0 / 2))
            wrong = np.diag(EPS * sizes + doubts[cell] * np.abs(gain))
            wrong -= np.outer(gain, c @ wrong)  # whatever the gain is, c'gain is one
            errors = with_gain(errors, wrong, float(np.hypot(np.linalg.norm(along), deviation)), innovation)
            state = state._replace(mean=mean, root=root, errors=errors)
            steps.append(CellStep(innovation, along, deviation, g, 0.0, null, null_size))
            total -= 0.5 * (LOG_2PI + log_F0)
            continue
        state = state._replace(basis=unseen(state.basis, c, q, state.size[0]))
        F = float(along @ along + variance)
        doubts[cell] = judged(
            state.errors, c, state.mean, magnitude, abs(innovation), F, reach if variance == 0 else np.inf
        )
        if doubts[cell] < 0:
            total = -np.inf if doubts[cell] == CONTRADICTS else total
            continue
        shrink, shift = 1 / (F + deviation * float(np.sqrt(F))), along * (innovation / F)
        gain, root = state.root @ along / F, state.root - shrink * np.outer(state.root @ along, along)
        mean = state.mean + state.root @ shift
        errors = after_cell(
            state.errors,
            c=c,
            K=gain,
            mean=mean,
            root=root,
            reach=reach,
            magnitude=magnitude,
            ratio=innovation / float(np.sqrt(F)),
            F=F,
        )
        if variance == 0:  # a state that an exact cell fixes is fixed, not nearly so
            root[np.linalg.norm(root, axis=1) <= FAR * np.linalg.norm(errors.root, axis=1)] = 0.0
        state = state._replace(mean=mean, root=root, errors=errors)
        steps.append(CellStep(innovation, along, deviation, shift, shrink, None, np.zeros((0, 0))))
        total -= 0.5 * (LOG_2PI + np.log(F) + innovation**2 / F)
    return state, total, steps, doubts


def predict_diffuse(
    state: DiffuseDistribution, transition: Array, offset: Array, noise: Array
) -> tuple[DiffuseDistribution, Move]:
    """Return the distribution of the next state, and (11); directions that the transition forgets are dropped."""
    s, m = len(state.mean), state.root.shape[1]
    Theta, triangle = np.linalg.qr(np.hstack([transition @ state.root, root_of(noise)]).T, mode="complete")
    moved = transition @ state.basis
    sizes = np.abs(transition) @ np.maximum(state.size, np.abs(state.basis))
    basis, rows, size = echelon(moved, sizes)
    part = moved[rows]  # y_next = part y
    if len(rows) == moved.shape[1]:
        log_volume = state.log_volume + float(np.linalg.slogdet(part)[1]) if len(rows) else 0.0
        back, back_size = inverse(part, sizes[1][rows])
        lost, scale = np.zeros((len(rows), 0)), graded(part @ state.scale, log_volume)
    else:
        through = part @ state.scale
        U, values, Vt = np.linalg.svd(through)
        scale, log_volume = U * values, float(np.log(values).sum())
        back, lost = state.scale @ (Vt[: len(rows)].T / values) @ U.T, state.scale @ Vt[len(rows) :].T
        back_size = np.abs(back) @ sizes[1][rows] @ np.abs(back)
        null = null_basis(part)  # its zeros are exact, which those of a singular vector are not
        lost = null @ np.linalg.lstsq(null, lost, rcond=None)[0]
    mean = transition @ state.mean + offset
    errors = after_step(state.errors, transition, offset, noise, state.mean, state.root)
    following = DiffuseDistribution(mean, triangle[:s].T, basis, scale, log_volume, size, errors)
    return following, Move(Theta[:m, :s], Theta[:m, s:], back, lost, part, back_size)
