r"""Values to the last digit, and bounds that rounding cannot break.

    A_k(V) = r_k + gamma sum_{t != s} p_t (V_t - V_s) - (1 - gamma + gamma e_k) V_s       pair k of state s                (1)
    A(V) = 0  <=>  V = V^pi;      A_k(V) is what k gains over V: Bellman's residual                                        (2)
    |A(V)| + doubt <= -A'(z)  =>  |V - V^pi| <= z,     A' is A without rewards                                             (3)

p_t is the probability of going to t, e_k that of an end. Staying is what is left, so that a state left with probability 1e-9 costs
no digits: (1) never takes the difference of two probabilities near one. Elimination after Grassmann, Taksar and Heyman (1985) adds
and divides only. Sums are made in extended precision where the machine has it.

doubt = 2^-51 E |r| + 2^-52 ( gamma sum p_t |V_t - V_s| + (1 - gamma + gamma e_k) |V_s|)
        + (|1 - sum p - e| + 2^-53 [gamma < 1]) |V_s|                                                                      (4)

is what the rounding of the given numbers may change: probabilities and rewards, rows that do not sum to one, the discount.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from numpy.typing import NDArray

from novum import _core
from novum.reinforcement.model import Model, row_sums
from novum.runtime.threads import thread_count

__all__ = [
    "Rows",
    "advantages",
    "bounded",
    "improved",
    "reaches_an_end",
    "reward_sizes",
    "rows_of",
    "rows_of_model",
    "solved",
    "sums",
]

LONG = np.longdouble
UNIT = 2.0**-53
OWN = 8 * float(np.finfo(LONG).eps)  # rounding of the sums themselves, of a term
SOLVED_DIRECTLY = 250  # states up to which a factorization is as fast as iterations
MOST_THIN, THIN = 2000, 3.5  # states, and entries a row, up to which it does not fill up: corridors and grids
PRECISION = 1e-13  # residual of an iterative solve, relative to the largest reward or value
MOST_PRODUCTS = 20_000
MANY = 50_000  # entries from which a second thread pays
LONG_STAY = 1e4  # expected steps beyond which a factorization loses digits that elimination keeps
SUMS = 2 * OWN / (2 * UNIT + OWN)  # share of a doubt that the sums themselves may have lost
SURE = 1.01  # by which more than (3) is solved for, so that (3) can be checked
Long = NDArray[Any]


class Rows(NamedTuple):
    """Pairs as rows of (1); where a policy is meant, one for every state."""

    origin: NDArray[np.int64]  # (rows,): the state
    start: NDArray[np.int64]  # (rows + 1,)
    next: NDArray[np.int64]  # (entries,), all of them other states
    probability: NDArray[np.float64]  # (entries,)
    ending: NDArray[np.float64]  # (rows,): e
    missing: NDArray[np.float64]  # (rows,): |1 - sum p - e|
    reward: NDArray[np.float64]  # (rows,)
    size: NDArray[np.float64]  # (rows,): E |r|, by which the rounding of a mean reward is measured
    discount: float

    def taken(self, choice: NDArray[np.int64]) -> "Rows":
        """Return some of the rows, in that order."""
        lengths = np.diff(self.start)[choice]
        begin = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(begin[-1]) + np.repeat(self.start[choice] - begin[:-1], lengths)
        rows = (self.ending[choice], self.missing[choice], self.reward[choice], self.size[choice], self.discount)
        return Rows(self.origin[choice], begin, self.next[entries], self.probability[entries], *rows)


def rows_of_model(model: Model, discount: float) -> Rows:
    """Return all pairs of a process; those of terminal states end at once."""
    origin = np.repeat(np.arange(model.n_states), np.diff(model.first))
    following, size = model.next.astype(np.int64), reward_sizes(model)
    return rows_of(origin, model.start, following, model.probability, model.reward, size, discount)


def reward_sizes(model: Model) -> NDArray[np.float64]:
    """Return E |r| of every pair."""
    if model.entry_reward is None:
        return np.abs(model.reward)
    return np.maximum(np.abs(model.reward), row_sums(model.probability * np.abs(model.entry_reward), model.start))


def rows_of(
    origin: NDArray[np.int64],
    start: NDArray[np.int64],
    following: NDArray[np.int64],
    probability: NDArray[np.float64],
    reward: NDArray[np.float64],
    size: NDArray[np.float64],
    discount: float,
) -> Rows:
    """Return the rows of entries of which a negative next state stands for an end; a row without entries ends."""
    row = np.repeat(np.arange(len(origin)), np.diff(start))
    full, ends = sums(probability, start), sums(np.where(following < 0, probability, 0.0), start)
    empty = np.diff(start) == 0
    moving = (following >= 0) & (following != origin[row])
    begin = np.concatenate([[0], np.cumsum(moving)])[start]
    ending = np.where(empty, 1.0, ends.astype(np.float64))
    missing = np.where(empty, 0.0, np.abs(1 - full)).astype(np.float64)
    return Rows(
        origin=origin,
        start=begin,
        next=following[moving],
        probability=probability[moving],
        ending=ending,
        missing=missing,
        reward=reward,
        size=size,
        discount=discount,
    )


def sums(values: Long, start: NDArray[np.int64]) -> Long:
    """Return the sums of rows in extended precision."""
    out = np.zeros(len(start) - 1, LONG)
    filled = np.flatnonzero(np.diff(start))
    if len(filled):
        out[filled] = np.add.reduceat(values.astype(LONG), start[filled])
    return out


def advantages(rows: Rows, values: Long, *, rewards: bool = True) -> tuple[Long, NDArray[np.float64]]:
    """Return (1) of every row and its doubt (4), the rounding of the sums included."""
    own = values[rows.origin].astype(LONG)
    step = rows.probability * (values.astype(LONG)[rows.next] - np.repeat(own, np.diff(rows.start)))
    leaving = (1 - rows.discount) + rows.discount * rows.ending.astype(LONG)
    reward = rows.reward.astype(LONG) if rewards else np.zeros(len(own), LONG)
    found = reward + rows.discount * sums(step, rows.start) - leaving * own
    paid = rows.size.astype(LONG) if rewards else reward
    size = paid + rows.discount * sums(np.abs(step), rows.start) + leaving * np.abs(own)
    literal = rows.missing + (UNIT if rows.discount < 1 else 0.0)
    return found, ((2 * UNIT + OWN) * (size + paid) + literal * np.abs(own)).astype(np.float64)


def improved(
    rows: Rows, first: NDArray[np.int64], choice: NDArray[np.int64], values: Long, raised: Any = 0.0
) -> NDArray[np.int64]:
    """Return the choice with every row of a state, first[s]..first[s+1]-1, that gains over the values by more than sums round."""
    gain, doubt = advantages(rows, values)
    gain = gain + raised
    winner = np.flatnonzero(gain >= np.maximum.reduceat(gain, first[:-1])[rows.origin])
    _, where = np.unique(rows.origin[winner], return_index=True)
    best = winner[where]
    noise = 2 * np.abs(gain[choice]).max(initial=0) + SUMS * doubt[best]  # what the solution left, and what sums round
    return np.where(gain[best] > np.maximum(gain[choice], 0) + noise, best, choice)


def reaches_an_end(rows: Rows, n: int) -> NDArray[np.bool_]:
    """Return the states from which these rows, one for every state, end with probability one."""
    row_state = np.repeat(rows.origin, np.diff(rows.start))
    ends = rows.origin[rows.ending > 0]
    backwards = scipy.sparse.csr_array(
        (
            np.ones(len(row_state) + len(ends), bool),
            (np.concatenate([rows.next, np.full(len(ends), n)]), np.concatenate([row_state, ends])),
        ),
        shape=(n + 1, n + 1),
    )
    reached = np.zeros(n + 1, bool)
    reached[scipy.sparse.csgraph.breadth_first_order(backwards, n, return_predecessors=False)] = True
    return reached[:n]


def solved(rows: Rows, right: Long | None = None) -> Long:
    """Return V with A(V) = 0 for rows, one for every state, that all end; `right` instead of the rewards."""
    n = len(rows.origin)
    reward = rows.reward if right is None else right
    matrix = scipy.sparse.csr_array((rows.probability, rows.next, rows.start), shape=(n, n))
    leaving = (1 - rows.discount) + rows.discount * (
        rows.ending + np.asarray(sums(rows.probability, rows.start), float)
    )
    system = (scipy.sparse.diags_array(leaving) - rows.discount * matrix).tocsc()
    thin = n <= MOST_THIN and matrix.nnz <= THIN * n
    if n <= SOLVED_DIRECTLY or thin:
        try:
            factors = scipy.sparse.linalg.splu(system)
            horizon = factors.solve(np.ones(n))
        except RuntimeError:  # probabilities so small that the factors underflow
            return eliminated(rows, reward)
        if n <= SOLVED_DIRECTLY and not (np.isfinite(horizon).all() and 0 < horizon.max() < LONG_STAY):
            return eliminated(rows, reward)
    else:
        return iterated(matrix, leaving, np.asarray(reward, np.float64), rows.discount, system).astype(LONG)
    values = factors.solve(np.asarray(reward, np.float64)).astype(LONG)
    for _ in range(2):  # refinement: what is left, in extended precision, solved again
        left, _ = advantages(rows._replace(reward=np.asarray(reward, LONG)), values)
        values = values + factors.solve(left.astype(np.float64))
    return values


def iterated(
    matrix: Any, leaving: NDArray[np.float64], right: NDArray[np.float64], gamma: float, system: Any
) -> NDArray[np.float64]:
    """Return the solution by the compiled Krylov method, or by a factorization where that does not arrive."""
    n = len(right)
    whole = scipy.sparse.csr_array(matrix + scipy.sparse.diags_array((1 - leaving) / max(gamma, 1e-300)))
    threads = thread_count() if whole.nnz > MANY else 1
    rows = np.arange(n + 1, dtype=np.int64)
    scale = max(float(np.abs(right).max()), 1e-300)
    sweeps = _core.decisions.sweeps.Sweeps(
        rows,
        whole.indptr.astype(np.int64),
        whole.indices.astype(np.int32),
        np.ascontiguousarray(whole.data, dtype=np.float64),
        np.ascontiguousarray(right),
        gamma,
        threads,
    )
    values = np.zeros(n)
    sweeps.evaluate(rows[:-1].copy(), PRECISION * scale, MOST_PRODUCTS, values)
    top = max(float(np.abs(values).max()), scale)
    if not np.abs(system @ values - right).max() <= 100 * PRECISION * top:
        values = scipy.sparse.linalg.splu(system).solve(right)
    return values


def eliminated(rows: Rows, right: Any) -> Long:
    """Return the solution without a subtraction among probabilities (Grassmann, Taksar and Heyman); O(n^3)."""
    n = len(rows.origin)
    p = np.zeros((n, n), LONG)
    np.add.at(
        p, (np.repeat(np.arange(n), np.diff(rows.start)), rows.next), rows.discount * rows.probability.astype(LONG)
    )
    leave = (1 - rows.discount) + rows.discount * rows.ending.astype(LONG)
    b = np.asarray(right, LONG).copy()
    pivot = np.empty(n, LONG)
    for k in range(n - 1, -1, -1):
        pivot[k] = leave[k] + p[k, :k].sum()
        share = p[:k, k] / pivot[k]
        b[:k] += share * b[k]
        leave[:k] += share * leave[k]
        p[:k, :k] += share[:, None] * p[k, :k]
        np.fill_diagonal(p[:k, :k], 0)  # returning at once is staying
    values = np.empty(n, LONG)
    for k in range(n):
        values[k] = (b[k] + p[k, :k] @ values[:k]) / pivot[k]
    return values


def bounded(rows: Rows, values: Long) -> Long | None:
    """Return z of (3) for the rows of a policy, or None where it cannot be verified."""
    left, doubt = advantages(rows, values)
    required = np.abs(left) + doubt
    z = np.maximum(solved(rows, SURE * required), 0)
    margin, rough = advantages(rows, z, rewards=False)
    return z if bool((-margin - rough >= required).all()) else None
