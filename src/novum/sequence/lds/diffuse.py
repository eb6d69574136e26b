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
is asked beside the sizes of the numbers it is made of, those of the row's start, since what a cell takes out leaves their
rounding behind. Every step tells how the coordinates (w, y) before it follow from those after: the smoother goes back by these
maps (`diffuse_smoothing`).
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CellStep",
    "DiffuseLaw",
    "Law",
    "Move",
    "cleaned",
    "diffuse_law",
    "predict_law",
    "root_of",
    "update_law",
    "with_infinities",
]

Array = NDArray[Any]
EPS = float(np.finfo(float).eps)
ROUNDING = 256 * EPS  # share of the sizes it is made of, below which a cell of L is zero
NOTHING = 1e-12  # the same of sums of such cells, and of standard deviations
AGREES = 1e-6  # an observation without noise must agree so well with what is known
LOG_2PI = float(np.log(2 * np.pi))


class Law(NamedTuple):
    """A state's law: mean, finite part of the covariance, directions of infinite variance."""

    mean: Array  # (s,)
    covariance: Array  # (s, s)
    diffuse: Array  # (s, q)


class DiffuseLaw(NamedTuple):
    """The same in factors, m + S w + L T d."""

    mean: Array  # (s,)
    root: Array  # (s, any)
    basis: Array  # L, (s, q)
    scale: Array  # T, (q, q)
    log_volume: float  # log |det T|, also where T has lost its small directions to rounding

    @property
    def plain(self) -> Law:
        return Law(self.mean, self.root @ self.root.T, cleaned(self.basis, self.scale))


class CellStep(NamedTuple):
    """How coordinates before a cell follow from those after: w = shift + w_new - turn turn' w_new; or y by (10)."""

    innovation: float
    along: Array  # phi
    deviation: float  # r^{1/2}
    gain: Array  # g, or the shift of w
    shrink: float
    null: Array | None  # N, or None: w moves


class Move(NamedTuple):
    """(11): parts of Theta and E."""

    known: Array  # w of the row before, from w_next
    fresh: Array  # ... from e
    moved: Array  # y from y_next
    lost: Array  # y from what the transition forgets


def with_infinities(covariance: Array, diffuse: Array, other: Array | None = None) -> Array:
    """Return the covariance (of one state, or of one with another) as a user reads it: infinite where such a direction enters."""
    other = diffuse if other is None else other
    infinite, size = diffuse @ other.T, np.abs(diffuse) @ np.abs(other).T
    with np.errstate(invalid="ignore"):
        return np.where(np.abs(infinite) > NOTHING * size, np.sign(infinite) * np.inf, covariance)


def cleaned(left: Array, right: Array, share: float = NOTHING) -> Array:
    """Return a product without the cells that are rounding beside what they are made of."""
    found = left @ right
    found[np.abs(found) <= share * (np.abs(left) @ np.abs(right))] = 0.0
    return found


def root_of(covariance: Array) -> Array:
    """Return a lower triangle whose square is a positive semidefinite matrix, each row exact in its own unit."""
    try:
        return np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        pass
    units = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    safe = np.where(units > 0, units, 1.0)
    values, vectors = np.linalg.eigh(covariance / safe[:, None] / safe)
    kept = np.where(values > ROUNDING, values, 0.0)
    return np.linalg.qr((units[:, None] * vectors * np.sqrt(kept)).T, mode="r").T


def diffuse_law(law: Law) -> DiffuseLaw:
    """Return the law of a first state in factors; its infinite directions are some of the axes."""
    q = law.diffuse.shape[1]
    return DiffuseLaw(law.mean, root_of(law.covariance), law.diffuse, np.eye(q), 0.0)


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


def scaled(scale: Array, log_volume: float) -> Array:
    """Return T, or a T of the same volume where rounding has eaten its small directions: their ratio is then not to be had."""
    if not len(scale):
        return scale
    found = float(np.linalg.slogdet(scale)[1])
    if abs(found - log_volume) <= 1e-9 * max(1.0, abs(log_volume)):
        return scale
    return np.eye(len(scale)) * np.exp(log_volume / len(scale))


def told(law: DiffuseLaw, q: Array, size: Array) -> tuple[DiffuseLaw, Array, Array, Array, float]:
    """Return the law whose L has lost the direction that a cell sees, with g, N, the sizes of L N, and log F0."""
    T, best = law.scale, int(np.argmax(np.abs(q) * np.linalg.norm(law.scale, axis=1)))
    rest = np.delete(np.arange(len(q)), best)
    phi = T.T @ q
    length = float(np.linalg.norm(phi))
    null = np.zeros((len(q), len(rest)))
    null[rest, np.arange(len(rest))] = 1.0
    null[best] = -q[rest] / q[best]
    g = T @ (phi / length) / length
    log_length = float(np.log(length)) if len(rest) else law.log_volume + float(np.log(np.abs(q[0])))
    head = phi / length
    head[0] += 1.0 if head[0] >= 0 else -1.0
    mirror = np.eye(len(q)) - 2 * np.outer(head, head) / (head @ head)  # its first column is +-phi / |phi|
    log_volume = law.log_volume - log_length + float(np.log(np.abs(q[best])))
    size = size @ np.abs(null)
    basis = law.basis @ null
    basis[np.abs(basis) <= ROUNDING * size] = 0.0
    scale = scaled((T @ mirror[:, 1:])[rest], log_volume)
    return law._replace(basis=basis, scale=scale, log_volume=log_volume), g, null, size, 2 * log_length


def unseen(basis: Array, c: Array, q: Array, size: Array) -> Array:
    """Return L without the rounding by which c sees it, which would grow in the rows to come."""
    basis = basis.copy()
    for k in np.flatnonzero(q):
        j = int(np.argmax(np.abs(c) * size[:, k]))
        basis[j, k] -= q[k] / c[j]
    return basis


def update_law(law: DiffuseLaw, x: Array, observation: Array, noise: Array) -> tuple[DiffuseLaw, float, list[CellStep]]:
    """Return (10): the law given a row, the row's log-density in the diffuse sense, and the steps back."""
    total, steps = 0.0, []
    size, spread = np.abs(law.basis), np.linalg.norm(law.root, axis=1)
    for value, magnitude, c, variance in zip(*independent_cells(x, observation, noise), strict=True):
        innovation, along, q = float(value - c @ law.mean), law.root.T @ c, law.basis.T @ c
        deviation = float(np.sqrt(variance))
        seen = np.abs(q) > NOTHING * (np.abs(c) @ size)
        if seen.any():
            basis = law.basis
            law, g, null, size, log_F0 = told(law, np.where(seen, q, 0.0), size)
            gain = basis @ g
            root = np.hstack([law.root - np.outer(gain, along), -deviation * gain[:, None]])
            spread = np.maximum(spread, np.linalg.norm(root, axis=1))
            law = law._replace(mean=law.mean + gain * innovation, root=root)
            steps.append(CellStep(innovation, along, deviation, g, 0.0, null))
            total -= 0.5 * (LOG_2PI + log_F0)
            continue
        law = law._replace(basis=unseen(law.basis, c, q, size))
        F, before = float(along @ along + variance), float(np.abs(c) @ spread)
        if variance == 0 and NOTHING * before >= np.sqrt(F):
            if abs(innovation) > AGREES * (before + magnitude):
                total = -np.inf
            continue
        shrink, shift = 1 / (F + deviation * float(np.sqrt(F))), along * (innovation / F)
        root = law.root - shrink * np.outer(law.root @ along, along)
        if variance == 0:  # a state that an exact cell fixes is fixed, not nearly so
            root[np.abs(root).max(axis=1) <= NOTHING * spread] = 0.0
        law = law._replace(mean=law.mean + law.root @ shift, root=root)
        steps.append(CellStep(innovation, along, deviation, shift, shrink, None))
        total -= 0.5 * (LOG_2PI + np.log(F) + innovation**2 / F)
    return law, total, steps


def echelon(moved: Array, size: Array) -> tuple[Array, list[int]]:
    """Return a basis of the columns, and its rows that are a unit matrix; what is rounding beside `size` counts as zero."""
    unit = size.max(axis=1, initial=0.0, keepdims=True)
    unit = np.where(unit > 0, unit, 1.0)
    found, bound = moved / unit, size / unit
    columns, rows, used = [], [], np.zeros(len(moved), dtype=bool)
    found[np.abs(found) <= ROUNDING * bound] = 0.0
    weight = 1 / np.maximum(np.abs(found).max(axis=0, initial=0.0), 1e-300)
    for _ in range(found.shape[1]):
        free = np.setdiff1d(np.arange(found.shape[1]), columns)
        candidates = np.abs(found[:, free]) * weight[free] * ~used[:, None]
        if not candidates.any():
            break
        row, at = np.unravel_index(int(candidates.argmax()), candidates.shape)
        column = int(free[at])
        bound[:, column] /= abs(found[row, column])
        found[:, column] /= found[row, column]
        others = np.arange(found.shape[1]) != column
        factors = found[row, others]
        found[:, others] -= np.outer(found[:, column], factors)
        bound[:, others] += np.outer(bound[:, column], np.abs(factors))
        found[np.abs(found) <= ROUNDING * bound] = 0.0
        found[row, others], found[row, column] = 0.0, 1.0
        used[row] = True
        columns.append(column)
        rows.append(int(row))
    return (unit * found)[:, columns] / unit[rows].T, rows


def null_basis(part: Array) -> Array:
    """Return a basis of what a matrix of full row rank maps to zero."""
    found, rows = echelon(part.T.copy(), np.abs(part.T))
    others = np.setdiff1d(np.arange(part.shape[1]), rows)
    null = np.zeros((part.shape[1], len(others)))
    null[others, np.arange(len(others))] = 1.0
    null[rows] = -found[others].T
    return null


def predict_law(law: DiffuseLaw, transition: Array, offset: Array, noise: Array) -> tuple[DiffuseLaw, Move]:
    """Return the law of the next state, and (11); directions that the transition forgets are dropped."""
    s, m = len(law.mean), law.root.shape[1]
    Theta, triangle = np.linalg.qr(np.hstack([transition @ law.root, root_of(noise)]).T, mode="complete")
    moved = transition @ law.basis
    basis, rows = echelon(moved, np.abs(transition) @ np.abs(law.basis))
    part = moved[rows]  # y_next = part y
    if len(rows) == moved.shape[1]:
        log_volume = law.log_volume + float(np.linalg.slogdet(part)[1]) if len(rows) else 0.0
        back, lost, scale = np.linalg.inv(part), np.zeros((len(rows), 0)), scaled(part @ law.scale, log_volume)
    else:
        through = part @ law.scale
        U, sizes, Vt = np.linalg.svd(through)
        scale, log_volume = U * sizes, float(np.log(sizes).sum())
        back, lost = law.scale @ (Vt[: len(rows)].T / sizes) @ U.T, law.scale @ Vt[len(rows) :].T
        null = null_basis(part)  # its zeros are exact, which those of a singular vector are not
        lost = null @ np.linalg.lstsq(null, lost, rcond=None)[0]
    mean = transition @ law.mean + offset
    return DiffuseLaw(mean, triangle[:s].T, basis, scale, log_volume), Move(Theta[:m, :s], Theta[:m, s:], back, lost)
