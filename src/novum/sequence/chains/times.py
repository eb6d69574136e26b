r"""How long a chain takes: to reach states, to return, to forget where it began.

h_i = P(ever in B | start i):   h = 1 on B,   h_i = sum_j T_ij h_j, the least solution                              (9)
k_i = E[steps to B]:            k = 0 on B,   k_i = 1 + sum_j T_ij k_j;  infinite where h_i < 1                     (10)
mean return time of i = 1 / pi_i                                                                                  (11)
d(n) = max_i |T^n(i, .) - pi| / 2 in total variation;  mixing time: least n with d(n) <= epsilon                  (12)
reversible:  n <= log(1 / (epsilon pi_min)) / (1 - lambda),  lambda the second largest |eigenvalue|               (13)
otherwise:   d(n) <= sqrt(1 / pi_min - 1) sigma^n / 2,  sigma the second singular value of D^{1/2} T D^{-1/2}       (14)
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order

__all__ = ["Mixing", "expected_hitting_times", "hitting_probabilities", "mixing"]

Array = NDArray[Any]
MOST_STEPS = 2**62


class Mixing(NamedTuple):
    """(12) and its bound."""

    time: float
    bound: float
    gap: float  # 1 - lambda, or 1 - sigma


def reaching(matrix: scipy.sparse.csr_array, goals: NDArray[np.bool_], through: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which states have a way to the goals on which only states `through` are left."""
    n = matrix.shape[0]
    back = scipy.sparse.csr_array((matrix.T > 0).astype(np.int8))
    keep = scipy.sparse.diags_array(through.astype(float))
    back = scipy.sparse.csr_array(back @ keep)  # arrows that begin at a state to be passed
    start = scipy.sparse.csr_array(goals.astype(np.int8)[None])
    whole = scipy.sparse.block_array(
        [[back, None], [start, scipy.sparse.csr_array((1, 1), dtype=np.int8)]], format="csr"
    )
    found = np.zeros(n + 1, dtype=bool)
    found[breadth_first_order(whole, n, return_predecessors=False)] = True
    return found[:n]


def solved(matrix: scipy.sparse.csr_array, inside: NDArray[np.bool_], right: Array) -> Array:
    """Return (I - T)^{-1} right among the states inside."""
    at = np.flatnonzero(inside)
    part = scipy.sparse.csc_array(scipy.sparse.eye_array(len(at)) - matrix[at][:, at])
    if len(at) <= 1000:
        return np.linalg.solve(part.toarray(), right)
    from scipy.sparse.linalg import spsolve

    return spsolve(part, right)


def hitting_probabilities(matrix: scipy.sparse.csr_array, goals: NDArray[np.bool_]) -> Array:
    """Return (9)."""
    can = reaching(matrix, goals, ~goals)
    lost = ~can & ~goals  # from here never
    doubtful = reaching(matrix, lost, ~goals & ~lost) & can & ~goals
    found = (can | goals).astype(float)
    if doubtful.any():
        at = np.flatnonzero(doubtful)
        right = np.asarray(matrix[at] @ (found * ~doubtful)).ravel()
        found[at] = np.clip(solved(matrix, doubtful, right), 0, 1)
    return found


def expected_hitting_times(matrix: scipy.sparse.csr_array, goals: NDArray[np.bool_]) -> Array:
    """Return (10)."""
    can = reaching(matrix, goals, ~goals)
    lost = ~can & ~goals
    sure = can & ~goals & ~reaching(matrix, lost, ~goals & ~lost)
    found = np.where(goals, 0.0, np.inf)
    if sure.any():
        found[sure] = solved(matrix, sure, np.ones(int(sure.sum())))
    return found


def distance(power: Array, stationary: Array) -> float:
    """Return d(n) of a power of T."""
    return float(np.abs(power - stationary).sum(axis=1).max()) / 2


def exact_time(T: Array, stationary: Array, epsilon: float) -> float:
    """Return (12): powers are doubled until they are close, then halved back."""
    if distance(np.eye(len(T)), stationary) <= epsilon:
        return 0.0
    powers = [T]
    while distance(powers[-1], stationary) > epsilon:
        if 2 ** len(powers) > MOST_STEPS:
            return np.inf
        new = powers[-1] @ powers[-1]
        powers.append(new / new.sum(axis=1, keepdims=True))
    if len(powers) == 1:
        return 1.0
    base, steps = powers[-2], 2 ** (len(powers) - 2)
    for k in range(len(powers) - 3, -1, -1):
        trial = base @ powers[k]
        if distance(trial, stationary) > epsilon:
            base, steps = trial, steps + 2**k
    return float(steps + 1)


def mixing(T: Array, stationary: Array, epsilon: float, reversible: bool) -> Mixing:
    """Return the mixing time of an ergodic chain with a bound, (13) or (14)."""
    root = np.sqrt(stationary)
    scaled = root[:, None] * T / root[None, :]
    least = float(stationary.min())
    if reversible:
        sizes = np.sort(np.abs(np.linalg.eigvalsh((scaled + scaled.T) / 2)))
        second = float(sizes[-2]) if len(sizes) > 1 else 0.0
        bound = np.log(1 / (epsilon * least)) / max(1 - second, 1e-300)
    else:
        second = float(np.linalg.svd(scaled, compute_uv=False)[1])
        ratio = np.log(np.sqrt(1 / least - 1) / (2 * epsilon))
        bound = ratio / -np.log(second) if 0 < second < 1 - 1e-12 else (0.0 if second <= 0 else np.inf)
    time = exact_time(T, stationary, epsilon)
    return Mixing(time, float(np.ceil(max(bound, 0.0))) if np.isfinite(bound) else np.inf, 1 - second)
