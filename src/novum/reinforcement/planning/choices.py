r"""From sweeps to a plan: policies as chosen pairs, and the certificate of a plan.

    gamma/(1-gamma) min(T*v - v)  <=  V* - T*v  <=  gamma/(1-gamma) max(T*v - v)        MacQueen's bounds                  (1)
    V* - V^pi <= gamma/(1-gamma) (max - min)         for the policy that is greedy at v                                    (2)
    pi proper, V^pi = T* V^pi  =>  pi is optimal     discount 1, where staying for ever costs                              (3)

Where rows sum to less than one the bounds of (1) are widened to hold zero. With discount 1 and rewards of one sign sweeps
from zero rise to the optimal values or fall to them, so that they and the exact value of a policy enclose what is best.
"""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.reinforcement.mdp import MDP
from novum.reinforcement.model import pair_states, planning_entries
from novum.reinforcement.planning.evaluation import exact_values
from novum.reinforcement.planning.finiteness import check_finite, leaks
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.policies import Policy, greedy_actions

__all__ = ["chosen_policy", "evaluated", "first_choice", "improved_to_the_end", "proper_choice", "rounding", "settled"]

ROUNDING = 1e-12  # of a value, relative to the largest
MOST_ROUNDS = 1000
MOST_POLISHED = 500  # states up to which an exact evaluation at the end costs next to nothing


def first_choice(mdp: Any) -> NDArray[np.int64]:
    """Return the first pair of every state."""
    return mdp.model.first[:-1].copy()


def chosen_policy(mdp: Any, choice: NDArray[np.int64], values: NDArray[np.float64] | None = None) -> Policy:
    """Return the policy of one pair per state; with values it remembers which actions tie."""
    table = np.zeros((mdp.n_states, mdp.n_actions))
    inside = ~mdp.model.terminal
    table[inside, mdp.model.action[choice[inside]]] = 1
    if values is None:
        return mdp.policy(table)

    def ties() -> list[list[int]]:
        found = greedy_actions(mdp.action_values(values), mdp.possible)
        own = mdp.model.action[choice]
        return [[int(a), *(b for b in best if b != a)] if a in best else best for a, best in zip(own, found)]

    return mdp.policy(table, ties)


def evaluated(mdp: Any, choice: NDArray[np.int64], owner: str) -> NDArray[np.float64]:
    """Return the exact values of a policy of one pair per state."""
    model = mdp.model
    start, following, chance = planning_entries(model)
    lengths = (start[1:] - start[:-1])[choice]
    begin = np.concatenate([[0], np.cumsum(lengths)])
    entries = np.arange(begin[-1]) + np.repeat(start[choice] - begin[:-1], lengths)
    matrix = scipy.sparse.csr_array((chance[entries], following[entries], begin), shape=(mdp.n_states, mdp.n_states))
    from novum.reinforcement.bellman import RewardProcess

    return exact_values(RewardProcess(matrix, model.reward[choice], mdp.discount, mdp.initial), mdp, owner)


def rounding(values: NDArray[np.float64]) -> float:
    """Return the difference of values of that size that rounding explains."""
    return ROUNDING * max(1.0, float(np.abs(values).max(initial=0.0)))


def proper_choice(mdp: Any) -> NDArray[np.int64]:
    """Return a policy that ends with probability one wherever one does: towards the nearest end, step by step."""
    model, n = mdp.model, mdp.model.n_states
    start, following, _ = planning_entries(model)
    states = pair_states(model)
    entry_pair = np.repeat(np.arange(model.n_pairs), np.diff(start))
    choice = first_choice(mdp)
    done = model.terminal.copy()
    ends = leaks(mdp)
    choice[states[ends][::-1]] = np.flatnonzero(ends)[::-1]
    done[states[ends]] = True
    rows = np.concatenate([following, np.full(int(done.sum()), n)])
    columns = np.concatenate([states[entry_pair], np.flatnonzero(done)])
    graph = scipy.sparse.csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(n + 1, n + 1))
    _, before = scipy.sparse.csgraph.breadth_first_order(graph, n, return_predecessors=True)
    towards = (following == before[states[entry_pair]]) & ~done[states[entry_pair]]
    pairs = entry_pair[towards][::-1]
    choice[states[pairs]] = pairs
    return choice


def improved_to_the_end(
    mdp: Any,
    choice: NDArray[np.int64],
    owner: str,
    history: dict[str, list[Any]] | None = None,
    most: int = MOST_ROUNDS,
) -> tuple[NDArray[np.float64], NDArray[np.int64], int, bool]:
    """Evaluate exactly and improve until no action is better; return values, choice, rounds and whether it ended."""
    choice = choice.copy()
    for rounds in range(1, most + 1):
        values = evaluated(mdp, choice, owner)
        if history is not None:
            history.setdefault("values", []).append(values)
            history.setdefault("policies", []).append(chosen_policy(mdp, choice))
        out = np.empty_like(values)
        _, _, changed = mdp.sweeps.improve(values, rounding(values), out, choice)
        if not changed:
            return values, choice, rounds, True
    return values, choice, most, False


def settled(
    mdp: MDP, method: str, work: str, values: NDArray[np.float64], choice: NDArray[np.int64], *, low: float,
    high: float, polish: bool = True, **record: Any
) -> Plan:  # fmt: skip
    """Return the plan that sweeps ended with: small ones evaluated exactly, others with (1) and (2).

    `values` are T*v and `low`, `high` bound T*v - v.
    """
    gamma = mdp.discount
    if gamma == 1:
        return settled_undiscounted(mdp, method, work, values, choice, record)
    if polish and mdp.n_states <= MOST_POLISHED:
        exact, choice, _, ended = improved_to_the_end(mdp, choice, method)
        residual = float((mdp.bellman(exact) - exact).max())
        bound = max(residual, 0.0) / (1 - gamma) + rounding(exact)
        policy = chosen_policy(mdp, choice, exact)
        return Plan(mdp, method, exact, policy, gap=bound, error=bound, optimal=ended, work=work, **record)
    if leaks(mdp).any() or mdp.model.terminal.any():
        low, high = min(low, 0.0), max(high, 0.0)
    ratio = gamma / (1 - gamma)
    values = np.where(mdp.model.terminal, values, values + (0 if low <= 0 <= high else ratio * (low + high) / 2))
    slack = rounding(values) / (1 - gamma) * gamma
    error = ratio * (max(abs(low), abs(high)) if low <= 0 <= high else (high - low) / 2)
    return Plan(
        mdp,
        method,
        values,
        chosen_policy(mdp, choice, values),
        gap=ratio * (high - low) + slack,
        error=error + slack,
        optimal=False,
        work=work,
        **record,
    )


def settled_undiscounted(
    mdp: MDP, method: str, work: str, values: NDArray[np.float64], choice: NDArray[np.int64], record: dict[str, Any]
) -> Plan:
    """Return the plan of an undiscounted process, by (3) or by enclosure."""
    endings = check_finite(mdp, method.replace(" ", "_"))
    owner = method.replace(" ", "_")
    try:
        exact, choice, _, ended = improved_to_the_end(mdp, choice, owner)
    except ValueError:  # a tie led round in a circle: begin with a policy that ends
        exact, choice, _, ended = improved_to_the_end(mdp, proper_choice(mdp), owner)
    policy = chosen_policy(mdp, choice, exact)
    slack = rounding(exact)
    if endings.free.any() and not (mdp.model.reward >= 0).all():
        gap = float(np.maximum(values - exact, 0.0).max()) if endings.one_sided else np.inf
        sure = gap <= slack
    else:
        gap, sure = slack, ended
    return Plan(
        mdp, method, exact, policy, gap=max(gap, slack), error=max(gap, slack), optimal=sure, work=work, **record
    )
