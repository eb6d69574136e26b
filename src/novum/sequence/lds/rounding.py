r"""What rounding may have done to a filter of factors, z = m + S w: covariances of the errors of S's rows (E) and of m (M).

They are carried by the filter's own maps. With the gain K of a cell x = c'z + e, its innovation v and variance F:

    E <- (I - K c') E (I - K c')',   M likewise, + (v^2/F) (E + |S|^2 c'E c / F)                        (10a)
    next row:   E <- A E A',   M <- A M A'                                                              (11a)

and each adds eps^2 times the squares of the numbers that it sums. A cell without noise whose F is not a hundred standard errors of
c'S away from zero says nothing; the standard error of v relative to F^{1/2} is how far a cell that does is to be trusted. The same
for rows that are not diffuse is `cpp/include/novum/sequence/rounding.h`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataWarning
from novum.report.numbers import num
from novum.runtime.warn import warn

__all__ = [
    "CONTRADICTS",
    "EPS",
    "FAR",
    "Errors",
    "after_cell",
    "after_step",
    "first_errors",
    "judged",
    "of_states",
    "warn_of_doubts",
]

Array = NDArray[Any]
EPS = float(np.finfo(float).eps)
REDUNDANT, DISAGREES, CONTRADICTS = -1.0, -2.0, -3.0  # cells without information: they agree, not quite, not at all
FAR = 100.0  # standard errors that count as nothing
AGREES = 1e-6  # an observation without noise must agree so well with what is known
LOST = 1e-8  # doubt from which a call says so
NAMED = 5  # rows that a warning names


class Errors(NamedTuple):
    """Factors of E and M, and the sizes of the terms whose sum the mean is."""

    root: Array  # (s, s)
    mean: Array  # (s, s)
    sizes: Array  # (s,)


def joined(*blocks: Array) -> Array:
    """Return a factor of the sum of covariances from theirs."""
    stacked = np.hstack(blocks)
    return np.asarray(np.linalg.qr(stacked.T, mode="r")).T if stacked.shape[1] > len(stacked) else stacked


def first_errors(mean: Array, root: Array) -> Errors:
    """Return the errors of a distribution as it is given."""
    return Errors(EPS * np.diag(np.linalg.norm(root, axis=1)), EPS * np.diag(mean), np.abs(mean))


def judged(errors: Errors, c: Array, mean: Array, magnitude: float, off: float, F: float, reach: float) -> float:
    """Return the doubt of a cell with the variance F, negative if it says nothing; `reach` is infinite for a cell with noise."""
    factor = float(np.linalg.norm(c @ errors.root))
    size = magnitude + float(np.abs(c) @ np.abs(mean))
    error = float(np.hypot(np.hypot(factor, np.linalg.norm(c @ errors.mean)), EPS * size))
    if np.isinf(reach) or np.sqrt(F) > FAR * factor:
        return error / float(np.sqrt(F))
    if off <= FAR * error:
        return REDUNDANT
    return DISAGREES if off <= AGREES * (reach + magnitude) else CONTRADICTS


def after_cell(
    errors: Errors, c: Array, K: Array, mean: Array, root: Array, reach: float, magnitude: float, ratio: float, F: float
) -> Errors:
    """Return (10a); mean and root are those behind the cell, `reach` is |c'S| had nothing cancelled, `ratio` is v / F^{1/2}."""
    rows = np.linalg.norm(root, axis=1)
    unsure, size = float(np.linalg.norm(c @ errors.root) / np.sqrt(F)), magnitude + float(np.abs(c) @ np.abs(mean))
    E = joined(errors.root - np.outer(K, c @ errors.root), EPS * np.diag(np.hypot(rows, K * reach)))
    own = np.hypot(EPS * np.hypot(mean, K * size), rows * unsure * ratio)
    M = joined(errors.mean - np.outer(K, c @ errors.mean), ratio * E, np.diag(own))
    return errors._replace(root=E, mean=M)


def with_gain(errors: Errors, off: Array, along: float, innovation: float) -> Errors:
    """Return the errors where the gain of a cell is wrong, by the factor `off`: it multiplies `along` of S and the innovation."""
    return errors._replace(root=joined(errors.root, off * along), mean=joined(errors.mean, off * innovation))


def after_step(errors: Errors, A: Array, b: Array, Q: Array, mean: Array, root: Array) -> Errors:
    """Return (11a)."""
    rows = np.abs(A) @ np.linalg.norm(root, axis=1)
    sizes = np.abs(A) @ np.abs(mean) + np.abs(b)
    E = joined(A @ errors.root, EPS * np.diag(np.hypot(rows, np.sqrt(np.diagonal(Q)))))
    return Errors(E, joined(A @ errors.mean, EPS * np.diag(sizes)), sizes)


def of_states(errors: Errors, mean: Array, root: Array, unknown: Array) -> float:
    """Return the largest standard error of a known state's mean, as a share of the sizes of the state."""
    size = np.maximum(np.maximum(np.abs(mean), np.linalg.norm(root, axis=1)), errors.sizes)
    known = (size > 0) & ~np.abs(unknown).any(axis=1)
    return float((np.linalg.norm(errors.mean, axis=1)[known] / size[known]).max(initial=0.0))


def rows_of(found: Array) -> str:
    """Return some rows in words."""
    rows = np.flatnonzero(found)
    named = ", ".join(str(t) for t in rows[:NAMED])
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    return f"row{'s' * (len(rows) != 1)} {named}{more}"


def warn_of_doubts(owner: str, doubt: Array) -> None:
    """Warn of what rounding may have done; `doubt` (n, p + 1) holds that of every cell, and of the states."""
    cells = doubt[:, :-1]
    contradicts, disagrees = (cells == CONTRADICTS).any(axis=1), (cells == DISAGREES).any(axis=1)
    if contradicts.any():
        warn(
            f"{owner}: {rows_of(contradicts)} contradicts what a cell without noise has already fixed: the log-likelihood is -inf. "
            "Give observation_covariance or transition_covariance some variance there.",
            DataWarning,
        )
    if disagrees.any():
        warn(
            f"{owner}: cells without noise of {rows_of(disagrees)} differ from what is already fixed by more than rounding, but "
            "less than a millionth; they were taken to agree and add nothing to the log-likelihood. Give observation_covariance "
            "some variance there.",
            DataWarning,
        )
    lost = np.asarray(doubt > LOST)
    rows = np.asarray(lost.any(axis=1))
    if lost.any():
        names = [f"cell {j}" for j in np.flatnonzero(lost[:, :-1].any(axis=0))] + ["the states"] * bool(
            lost[:, -1].any()
        )
        warn(
            f"{owner}: rounding may change the answer from {rows_of(rows)} on ({', '.join(names)}) by a share of "
            f"{num(min(float(doubt.max()), 1.0)):.1g}: what they say of some states hangs on differences of nearly equal numbers. "
            "Give the start or the noise some variance, or leave out what repeats.",
            DataWarning,
        )
