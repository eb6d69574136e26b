r"""The best mean reward a step inside an end component, exactly enough to know its sign.

    g = sum_s d(s) r(s)                      d stationary under a policy with one closed class                              (1)
    h(s) = r(s) - g + sum P h,  h(s_0) = 0   its bias                                                                      (2)
    r_k - g + sum_{t != s} p_t (h_t - h_s) <= 0 for all pairs  =>  g is the best                                           (3)

Howard's policy iteration. In a component every state can reach every other, so that the states outside the best closed class are
sent there and (2) has one solution. Probabilities as small as floats go make no difference: see `precision`.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components

from novum.reinforcement.planning.precision import LONG, Rows, advantages, eliminated

__all__ = ["Gain", "best_gain", "class_gain", "closed_classes"]

MOST_ROUNDS = 500


class Gain(NamedTuple):
    """The best mean reward, and by how much rounding may have changed it."""

    value: float
    doubt: float


def graph_of(rows: Rows, n: int) -> Any:
    """Return the ways from state to state."""
    states = np.repeat(rows.origin, np.diff(rows.start))
    return scipy.sparse.csr_array((np.ones(len(states), bool), (states, rows.next)), shape=(n, n))


def closed_classes(rows: Rows, n: int) -> list[NDArray[np.int64]]:
    """Return the sets of states that these rows, one for every state, never leave."""
    count, label = connected_components(graph_of(rows, n), directed=True, connection="strong")
    states = np.repeat(rows.origin, np.diff(rows.start))
    open_class = np.zeros(count, bool)
    open_class[label[states[label[states] != label[rows.next]]]] = True
    open_class[label[rows.origin[rows.ending > 0]]] = True
    return [np.flatnonzero(label == one) for one in np.flatnonzero(~open_class)]


def biases(rows: Rows, reference: int, reward: Any) -> Any:
    """Return the expected sum of `reward` until the reference state is reached, zero there."""
    n = len(rows.origin)
    to_it = rows.next == reference
    row = np.repeat(np.arange(n), np.diff(rows.start))
    ending: Any = rows.ending.astype(LONG)
    np.add.at(ending, row[to_it], rows.probability[to_it])
    kept = ~to_it & (row != reference)
    begin = np.concatenate([[0], np.cumsum(kept)])[rows.start]
    ending[reference] = 1
    right = np.asarray(reward, LONG).copy()
    right[reference] = 0
    return eliminated(
        rows._replace(start=begin, next=rows.next[kept], probability=rows.probability[kept], ending=ending), right
    )


def class_gain(rows: Rows, members: NDArray[np.int64]) -> float:
    """Return (1) of a closed class: the reward between two visits of a state over the time between them."""
    number = np.full(len(rows.origin), -1)
    number[members] = np.arange(len(members))
    part = rows.taken(members)
    part = part._replace(origin=np.arange(len(members)), next=number[part.next])
    if len(members) == 1:
        return float(part.reward[0])
    rest = np.repeat(np.arange(len(members)), np.diff(part.start)) == 0
    out, leaving = part.next[rest], part.probability[rest].astype(LONG)
    total, time = biases(part, 0, part.reward), biases(part, 0, np.ones(len(members)))
    moves = leaving.sum()  # the first state is left with this probability a step, so that it is stayed in 1/moves steps
    return (
        float((part.reward[0] + leaving @ total[out]) / (1 + leaving @ time[out]))
        if moves > 0
        else float(part.reward[0])
    )


def best_gain(pairs: Rows, n: int) -> Gain:
    """Return the best mean reward of a component of n states whose pairs never leave it."""
    first = np.concatenate([[0], np.flatnonzero(np.diff(pairs.origin)) + 1])
    choice = towards(pairs, n, np.array([0]), first.copy())
    best = -np.inf
    for _ in range(MOST_ROUNDS):
        rows = pairs.taken(choice)
        classes = closed_classes(rows, n)
        gains = [class_gain(rows, members) for members in classes]
        top = int(np.argmax(gains))
        best = max(best, gains[top])
        if len(classes) > 1:
            choice = towards(pairs, n, classes[top], choice)
            rows = pairs.taken(choice)
        h = biases(rows, int(classes[top][0]), rows.reward.astype(LONG) - gains[top])
        found, doubt = advantages(pairs, h)
        better = found - gains[top]
        improved = np.maximum.reduceat(better, first)
        chosen = better[choice]
        winner = choice.copy()
        for s in np.flatnonzero(improved > np.maximum(chosen, 0) + np.maximum.reduceat(doubt, first) / 4):
            end = first[s + 1] if s + 1 < n else len(better)
            winner[s] = first[s] + int(np.argmax(better[first[s] : end]))
        if np.array_equal(winner, choice):
            break
        choice = winner
    return Gain(best, float(doubt.max()))


def towards(pairs: Rows, n: int, goal: NDArray[np.int64], choice: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a choice that leads every state outside `goal` towards it, and keeps what is chosen inside."""
    states = np.repeat(pairs.origin, np.diff(pairs.start))
    rows = np.concatenate([pairs.next, np.full(len(goal), n)])
    columns = np.concatenate([states, goal])
    graph = scipy.sparse.csr_array((np.ones(len(rows), bool), (rows, columns)), shape=(n + 1, n + 1))
    _, before = breadth_first_order(graph, n, return_predecessors=True)
    entry_row = np.repeat(np.arange(len(pairs.origin)), np.diff(pairs.start))
    leads = (pairs.next == before[states]) & ~np.isin(states, goal)
    out = choice.copy()
    out[states[leads][::-1]] = entry_row[leads][::-1]
    return out
