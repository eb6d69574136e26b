r"""Undiscounted processes: do their values exist?

With discount 1 the value of a state is a total over a time that nobody bounds. An end component is a set of states with
some of their actions that one may stay in for ever. Let g be the best mean reward a step there:

    g > 0     staying for ever pays: the value is infinite                                                                 (1)
    g < 0     one has to leave; where no policy is sure to leave, the value is minus infinity                              (2)
    g = 0     staying is free if its rewards are all zero; otherwise the total swings for ever and has no value             (3)

Maximal end components: strongly connected parts of the graph of actions, without actions that may leave their part, until
none leaves.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from novum.exceptions import ParameterError
from novum.reinforcement.model import pair_states, planning_entries, row_sums
from novum.reinforcement.planning.gains import Gain, best_gain
from novum.reinforcement.planning.precision import rows_of_model

__all__ = ["Endings", "check_finite", "end_components", "leaks", "sure_to_end"]

SLACK = 1e-9  # mean reward a step, relative to the largest reward, that counts as none
MOST_SWEEPS = 20_000  # of a component's mean reward
MOST_EXACT = 300  # states of a component up to which its mean reward is found exactly


class Endings(NamedTuple):
    """How episodes of an undiscounted process may end."""

    free: NDArray[np.bool_]  # (n,): where one may stay for ever at no cost
    zero: NDArray[np.int64]  # (pairs,): the number of the free component that a pair stays in, -1
    one_sided: bool  # whether all rewards have one sign, so that sweeps from zero rise or fall to the values


def leaks(mdp: Any) -> NDArray[np.bool_]:
    """Return the pairs after which an episode may end although no terminal state is reached."""
    return row_sums((mdp.model.next < 0).astype(float), mdp.model.start) > 0


def end_components(mdp: Any, allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the number of the maximal end component of every pair, -1 outside; only `allowed` pairs are looked at."""
    model, n = mdp.model, mdp.model.n_states
    start, following, _ = planning_entries(model)
    states = pair_states(model)
    entry_pair = np.repeat(np.arange(model.n_pairs), np.diff(start))
    kept = allowed & (model.action >= 0)
    while True:
        entries = kept[entry_pair]
        graph = scipy.sparse.coo_array(
            (np.ones(int(entries.sum()), np.int8), (states[entry_pair[entries]], following[entries])), shape=(n, n)
        )
        _, label = connected_components(graph.tocsr(), directed=True, connection="strong")
        leaving = np.zeros(model.n_pairs, bool)
        crosses = label[states[entry_pair]] != label[following]
        leaving[entry_pair[crosses]] = True
        if not (leaving & kept).any():
            return np.where(kept, label[states], -1)
        kept &= ~leaving


def check_finite(mdp: Any, owner: str) -> Endings:
    """Return how the episodes of an undiscounted process end, or raise by (1), (2) or (3)."""
    model = mdp.model
    reward = model.reward
    real = model.action >= 0
    stays = real & ~leaks(mdp)
    component = end_components(mdp, stays)
    inside = component >= 0
    scale = max(float(np.abs(reward).max(initial=0.0)), 1e-300)
    free, zero = np.zeros(model.n_states, bool), np.full(model.n_pairs, -1)
    states = pair_states(model)
    if inside.any():
        zero = end_components(mdp, stays & (reward == 0))
        free[states[zero >= 0]] = True
        if (reward[inside] > 0).any():
            check_components(mdp, component, free, scale, owner)
    escaping = sure_to_end(mdp, free)
    if not escaping.all():
        lost = int(np.argmin(escaping))
        raise ParameterError(
            f"{owner}: discount=1 has no finite value: from state {mdp.states[lost]!r} no policy is sure to end, and going on "
            f"for ever costs without end.\n{remedy(mdp)}"
        )
    signs = reward[real]
    exits = reward[~real]
    one_sided = bool((signs >= 0).all() and (exits >= 0).all()) or bool((signs <= 0).all() and (exits <= 0).all())
    return Endings(free, zero, one_sided)


def remedy(mdp: Any) -> str:
    """Return what to do about a value that does not exist."""
    return f"Give discount < 1, e.g. {mdp.recipe or 'MDP(..., {})'}.".replace("{}", "discount=0.99")


def check_components(mdp: Any, component: NDArray[np.int64], free: NDArray[np.bool_], scale: float, owner: str) -> None:
    """Raise where staying in a component pays, (1), or swings, (3)."""
    model, states = mdp.model, pair_states(mdp.model)
    for number in np.unique(component[(component >= 0) & (model.reward > 0)]):
        pairs = np.flatnonzero(component == number)
        gain, doubt = component_gain(mdp, pairs, scale)
        where = mdp.states[int(states[pairs[0]])]
        if gain > doubt:
            steps = model.reward[model.action >= 0]
            same = bool(np.allclose(steps, steps[0], rtol=1e-12)) and steps[0] > 0
            if same:
                raise ParameterError(
                    f"{owner}: discount=1 with a positive step reward has no finite value (staying for ever pays).\n"
                    f"{remedy(mdp)}"
                )
            raise ParameterError(
                f"{owner}: discount=1 has no finite value: around state {where!r} one may stay for ever at a mean reward of "
                f"{gain:.4g} a step (staying for ever pays).\n{remedy(mdp)}"
            )
        if gain >= -doubt and not free[states[pairs]].any():
            raise ParameterError(
                f"{owner}: discount=1 has no finite value: around state {where!r} gains and losses cancel for ever, so their "
                f"total swings and settles nowhere.\n{remedy(mdp)}"
            )


def component_gain(mdp: Any, pairs: NDArray[np.int64], scale: float) -> Gain:
    """Return the best mean reward a step inside a component: exactly where it is small, by sweeps where it is large."""
    model = mdp.model
    states = pair_states(model)[pairs]
    own, number = np.unique(states, return_inverse=True)
    if len(own) > MOST_EXACT:
        return Gain(mean_reward(mdp, pairs), SLACK * scale)
    rows = rows_of_model(model, 1.0).taken(pairs)
    place = np.zeros(model.n_states, np.int64)
    place[own] = np.arange(len(own))
    return best_gain(rows._replace(origin=number, next=place[rows.next]), len(own))


def mean_reward(mdp: Any, pairs: NDArray[np.int64]) -> float:
    """Return the best mean reward a step inside a component, by relative value iteration on a lazy copy of it."""
    model = mdp.model
    states = pair_states(model)[pairs]
    own, number = np.unique(states, return_inverse=True)
    start, following, probability = planning_entries(model)
    lengths = np.diff(start)[pairs]
    entries = np.concatenate([np.arange(start[k], start[k + 1]) for k in pairs])
    matrix = scipy.sparse.csr_array(
        (probability[entries], np.searchsorted(own, following[entries]), np.concatenate([[0], np.cumsum(lengths)])),
        shape=(len(pairs), len(own)),
    )
    first = np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1])
    value, reward = np.zeros(len(own)), model.reward[pairs]
    low, high = -np.inf, np.inf
    for _ in range(MOST_SWEEPS):
        new = 0.5 * value + np.maximum.reduceat(reward + 0.5 * (matrix @ value), first)  # lazy: half the steps stay
        low, high = float((new - value).min()), float((new - value).max())
        value = new - new[0]
        if high - low <= SLACK * max(abs(low), abs(high), 1e-300) or low > 0 or high < 0:
            break
    return low if low > 0 else high if high < 0 else (low + high) / 2


def sure_to_end(mdp: Any, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the states from which some policy ends with probability one, in a terminal state or where staying is free."""
    model, n = mdp.model, mdp.model.n_states
    start, following, _ = planning_entries(model)
    states = pair_states(model)
    entry_pair = np.repeat(np.arange(model.n_pairs), np.diff(start))
    kept = model.action >= 0
    leaking = leaks(mdp)
    while True:
        done = model.terminal | free
        done[states[leaking & kept]] = True
        entries = kept[entry_pair]
        # Backwards from the ends: a node n stands for all of them.
        rows = np.concatenate([following[entries], np.full(int(done.sum()), n)])
        columns = np.concatenate([states[entry_pair[entries]], np.flatnonzero(done)])
        graph = scipy.sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(n + 1, n + 1))
        reached = np.zeros(n + 1, bool)
        reached[scipy.sparse.csgraph.breadth_first_order(graph, n, return_predecessors=False)] = True
        lost = np.zeros(model.n_pairs, bool)
        lost[entry_pair[~reached[following]]] = True
        if not (lost & kept).any():
            return reached[:n]
        kept &= ~lost
