"""The arrays of a finite decision process, and how they are made of whatever a user has.

States are 0..n-1. A pair is a state with one of the actions that may be taken there; the pairs of state s are
first[s]..first[s+1]-1, so states may have different actions. The transitions of pair k are the entries
start[k]..start[k+1]-1 of a sparse matrix by rows:

    reward[k] = E[r | s, a] = sum_e probability[e] entry_reward[e]                                                         (1)
    U(s) = R(s) at a terminal state: one pair without action (-1) and without transitions, whose reward is R(s)            (2)
    P(s', r | s, a) = probability of the entry (s', r): a random reward is several entries with one next state           (3)

Planning needs (1) alone; simulations are paid by (3).

An entry whose episode ends without a terminal state of its own (Gymnasium's `terminated`) has ~next for next: nothing follows it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError

__all__ = [
    "Model",
    "interleaved",
    "is_matrix",
    "model_of_lists",
    "model_of_matrices",
    "pair_states",
    "planning_entries",
    "row_sums",
]

SLACK = 1e-6  # by which the probabilities of a row may miss one before they are divided by their sum: float32 and printed tables
ROUNDING = 4e-16  # of a sum of a few probabilities
LARGEST = 2**31 - 1  # states and entries of a row are numbered by 32 bits


class Model(NamedTuple):
    """A finite decision process; see the module."""

    n_actions: int
    first: NDArray[np.int64]  # (n + 1,)
    action: NDArray[np.int32]  # (pairs,)
    reward: NDArray[np.float64]  # (pairs,), (1)
    start: NDArray[np.int64]  # (pairs + 1,)
    next: NDArray[np.int32]  # (entries,)
    probability: NDArray[np.float64]  # (entries,)
    entry_reward: NDArray[np.float64] | None  # (entries,), None: the pair's own
    terminal: NDArray[np.bool_]  # (n,)

    @property
    def n_states(self) -> int:
        """Return the number of states, terminal ones included."""
        return len(self.first) - 1

    @property
    def n_pairs(self) -> int:
        """Return the number of pairs, the silent ones of terminal states included."""
        return len(self.action)


def pair_states(model: Model) -> NDArray[np.int64]:
    """Return the state of every pair."""
    return np.repeat(np.arange(model.n_states), np.diff(model.first))


def planning_entries(model: Model) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return (start, next, probability) without the entries after which nothing follows."""
    going_on = model.next >= 0
    if going_on.all():
        return model.start, model.next, model.probability
    before = np.concatenate([[0], np.cumsum(going_on)])
    return before[model.start], model.next[going_on], model.probability[going_on]


def check_rows(
    owner: str, model: Model, states: Sequence[Any], actions: Sequence[Any], probability: NDArray[np.float64]
) -> None:
    """Refuse probabilities that are negative, NaN or do not sum to one, and rewards that are not finite, by the names of
    the pair."""

    def name(pair: int) -> str:
        state = int(np.searchsorted(model.first, pair, side="right")) - 1
        return f"state {states[state]!r}, action {actions[model.action[pair]]!r}"

    bad = ~(probability >= 0)
    if bad.any():
        entry = int(np.argmax(bad))
        pair = int(np.searchsorted(model.start, entry, side="right")) - 1
        raise DataError(
            f"{owner}: the probability {probability[entry]:g} of {name(pair)} is no probability; give numbers of zero or more."
        )
    total = row_sums(probability, model.start)
    wrong = (np.abs(total - 1) > SLACK) & (model.action >= 0)
    if wrong.any():
        pair = int(np.argmax(wrong))
        if total[pair] == 0:
            raise DataError(
                f"{owner}: {name(pair)} leads nowhere; give its transitions, name the state in terminal=, or give the "
                f"reward -inf to "
                "an action that cannot be taken."
            )
        raise DataError(
            f"{owner}: the probabilities of {name(pair)} sum to {total[pair]:.10g}, not to one; divide counts by their sum."
        )
    bad = ~np.isfinite(model.reward)
    if bad.any():
        pair = int(np.argmax(bad))
        where = (
            name(pair)
            if model.action[pair] >= 0
            else f"terminal state {states[int(np.searchsorted(model.first, pair, side='right')) - 1]!r}"
        )
        raise DataError(f"{owner}: the reward of {where} is {model.reward[pair]:g}; rewards are finite numbers.")


def normalized(model: Model) -> Model:
    """Return the model with rows that sum to one to rounding: what a table was rounded by would leak out of long sums."""
    total = row_sums(model.probability, model.start)
    lengths = np.diff(model.start)
    if np.abs(np.where(lengths > 0, total, 1.0) - 1).max(initial=0.0) <= ROUNDING:
        return model
    return model._replace(probability=model.probability / np.repeat(total, lengths))


def row_sums(value: NDArray[np.float64], start: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum of every row of entries; rows without any sum to zero."""
    out = np.zeros(len(start) - 1)
    filled = np.flatnonzero(np.diff(start))
    if len(filled):
        out[filled] = np.add.reduceat(value, start[filled])
    return out


def model_of_matrices(
    owner: str,
    transitions: Any,
    rewards: Any,
    terminal: NDArray[np.bool_],
    states: Sequence[Any],
    actions: Sequence[Any],
) -> Model:
    """Return the model of a sparse matrix with a row per (state, action), row s * m + a, and rewards in any of the notes' forms."""
    n, m = len(states), len(actions)
    matrix = scipy.sparse.csr_array(transitions)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()  # what never happens is no way from state to state
    if matrix.nnz > LARGEST * 64:
        raise ParameterError(f"{owner}: {matrix.nnz} transitions are more than a machine can hold.")
    pair_reward, per_entry, state_reward = reward_tables(owner, rewards, matrix, n, m)
    kept = np.isfinite(pair_reward) | ~np.isneginf(pair_reward)  # (n, m): -inf says that an action cannot be taken
    kept[terminal] = False
    idle = ~kept.any(axis=1) & ~terminal
    if idle.any():
        raise DataError(
            f"{owner}: no action can be taken in state {states[int(np.argmax(idle))]!r}; name it in terminal=, or give it "
            f"an action."
        )
    count = np.where(terminal, 1, kept.sum(axis=1))
    first = np.concatenate([[0], np.cumsum(count)])
    rows = np.flatnonzero(kept.ravel())
    action = np.full(first[-1], -1, np.int32)
    own = np.ones(first[-1], bool)
    own[first[:-1][terminal]] = False
    action[own] = rows % m
    reward = np.empty(first[-1])
    reward[own] = pair_reward.ravel()[rows]
    reward[~own] = state_reward[terminal]
    lengths = np.zeros(first[-1], np.int64)
    lengths[own] = np.diff(matrix.indptr)[rows]
    if len(rows) == n * m:
        chosen, data, entry = matrix.indices, matrix.data, per_entry
    else:
        keep = np.repeat(kept.ravel(), np.diff(matrix.indptr))
        chosen, data = matrix.indices[keep], matrix.data[keep]
        entry = None if per_entry is None else per_entry[keep]
    model = Model(
        n_actions=m,
        first=first,
        action=action,
        reward=reward,
        start=np.concatenate([[0], np.cumsum(lengths)]),
        next=chosen.astype(np.int32),
        probability=np.ascontiguousarray(data, dtype=np.float64),
        entry_reward=entry,
        terminal=terminal,
    )
    check_rows(owner, model, states, actions, model.probability)
    return normalized(model)


def reward_tables(
    owner: str, rewards: Any, matrix: Any, n: int, m: int
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.float64]]:
    """Return rewards by (state, action), by entry (None where the pair determines it) and by state, for the terminal ones."""
    if (
        isinstance(rewards, list | tuple)
        and len(rewards) == m
        and all(is_matrix(one) and one.shape == (n, n) for one in rewards)
    ):
        stacked = scipy.sparse.csr_array(
            scipy.sparse.vstack([scipy.sparse.csr_array(one) for one in rewards]).tocsr()[interleaved(n, m)]
        )
        return expected(np.asarray(stacked[entry_places(matrix)]).ravel(), matrix, n, m)
    if scipy.sparse.issparse(rewards):
        if rewards.shape != matrix.shape:
            raise DataError(
                f"{owner}: rewards has shape {rewards.shape}; rewards of transitions have the shape of transitions, {matrix.shape}."
            )
        return expected(np.asarray(scipy.sparse.csr_array(rewards)[entry_places(matrix)]).ravel(), matrix, n, m)
    try:
        table = np.asarray(rewards, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            f"{owner}: rewards must be numbers: of states ({n},), of actions ({n}, {m}) or of transitions ({n}, {m}, {n})."
        ) from None
    if table.ndim == 0:
        table = np.full(n, float(table))
    if table.shape == (n,):
        return np.repeat(table[:, None], m, axis=1), None, table
    if table.shape == (n, m):
        return table.copy(), None, np.zeros(n)  # a terminal state has no action to be paid for
    if table.shape == (n, m, n):
        rows, columns = entry_places(matrix)
        return expected(table.reshape(n * m, n)[rows, columns], matrix, n, m)
    raise DataError(
        f"{owner}: rewards has shape {table.shape}; give them by state ({n},), by action ({n}, {m}) or by transition ({n}, "
        f"{m}, {n})."
    )


def is_matrix(value: Any) -> bool:
    """Return whether a value is a matrix as such: an array of two dimensions, a sparse matrix or a frame, not nested lists."""
    return len(getattr(value, "shape", ())) == 2


def interleaved(n: int, m: int) -> NDArray[np.int64]:
    """Return the rows of stacked matrices, one per action, in the order state by state."""
    return (np.arange(m)[None, :] * n + np.arange(n)[:, None]).ravel()


def entry_places(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the row and the column of every stored entry."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.indices


def expected(
    entry: NDArray[np.float64], matrix: Any, n: int, m: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return (1) with the rewards of entries; terminal states have none of their own."""
    entry = np.where(matrix.data == 0, 0.0, entry)  # what never happens may have any reward
    return row_sums(entry * matrix.data, matrix.indptr).reshape(n, m), entry, np.zeros(n)


def model_of_lists(
    owner: str,
    table: Mapping[Any, Any],
    terminal: NDArray[np.bool_],
    terminal_reward: NDArray[np.float64],
    states: Sequence[Any],
    actions: Sequence[Any],
) -> Model:
    """Return the model of Gymnasium's form, {state: {action: [(probability, next state, reward, ended), ...]}}; `ended`
    may be missing."""
    number = {state: k for k, state in enumerate(states)}
    index = {action: k for k, action in enumerate(actions)}
    counts, action, lengths, nexts, probabilities, gains = [], [], [], [], [], []
    for s, state in enumerate(states):
        row = {} if terminal[s] else table.get(state, {})
        counts.append(1 if terminal[s] else len(row))
        if terminal[s]:
            action.append(-1)
            lengths.append(0)
        elif not row:
            raise DataError(
                f"{owner}: no action can be taken in state {state!r}; name it in terminal=, or give it an action."
            )
        for a, outcomes in row.items():
            if a not in index:
                raise DataError(f"{owner}: state {state!r} has the unknown action {a!r}; actions are {list(actions)}.")
            merged: dict[tuple[int, float], float] = {}  # outcomes that differ in what they pay stay apart: (3)
            for probability, following, gain, *ended in outcomes:
                if following not in number:
                    raise DataError(f"{owner}: state {state!r}, action {a!r} leads to the unknown state {following!r}.")
                target = number[following]
                ends = bool(ended and ended[0]) and not terminal[target]
                if float(probability) != 0:  # what never happens is no way from state to state
                    place = (~target if ends else target, float(gain))
                    merged[place] = merged.get(place, 0.0) + float(probability)
                if float(probability) < 0:
                    merged[place] = float(probability)
            action.append(index[a])
            lengths.append(len(merged))
            for (target, gain), probability in merged.items():
                nexts.append(target)
                probabilities.append(probability)
                gains.append(gain)
    entry = np.array(gains, dtype=np.float64)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    probability = np.array(probabilities, dtype=np.float64)
    reward = row_sums(probability * entry, start)
    taken = np.array(action, dtype=np.int32)
    reward[taken < 0] = terminal_reward[terminal]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    model = Model(
        n_actions=len(actions),
        first=first,
        action=taken,
        reward=reward,
        start=start,
        next=np.array(nexts, np.int32),
        probability=probability,
        entry_reward=entry,
        terminal=np.asarray(terminal, bool),
    )
    check_rows(owner, model, states, actions, probability)
    return normalized(model)
