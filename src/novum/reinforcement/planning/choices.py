r"""From sweeps to a plan: policies as chosen pairs, and the certificate of a plan.

    gamma/(1-gamma) min(T*v - v)  <=  V* - T*v  <=  gamma/(1-gamma) max(T*v - v)        MacQueen's bounds                  (1)
    V* - V^pi <= gamma/(1-gamma) (max - min)         for the policy that is greedy at v                                    (2)
    V* - V^pi <= (max (A_k + doubt_k)^+ + max |A_pi| + doubt_pi) / (1-gamma)           A and doubt of `precision`             (3)

Where rows sum to less than one the bounds of (1) are widened to hold zero. Small processes are evaluated exactly at the end and
certified by (3), which is rounded outward; with discount 1 by `total`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.reinforcement.mdp import MDP
from novum.reinforcement.planning.finiteness import leaks
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.planning.precision import advantages, improved, rows_of_model, solved
from novum.reinforcement.planning.total import best_total
from novum.reinforcement.policies import Policy, greedy_actions

__all__ = ["chosen_policy", "first_choice", "improved_to_the_end", "is_optimal", "rounding", "settled"]

ROUNDING = 1e-12  # of a value, relative to the largest
NOTHING = 1e-9  # a loss, relative to the largest value, that counts as none
RELATIVE = 1e-12  # by which bounds are widened for their own arithmetic
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


def rounding(values: NDArray[np.float64]) -> float:
    """Return the difference of values of that size that rounding explains."""
    return ROUNDING * max(1.0, float(np.abs(values).max(initial=0.0)))


class Improved(NamedTuple):
    """Where policy iteration of a discounted process came to."""

    values: NDArray[np.float64]
    choice: NDArray[np.int64]
    rounds: int
    ended: bool
    gap: float  # (3)


def improved_to_the_end(
    mdp: Any, choice: NDArray[np.int64], history: dict[str, list[Any]] | None = None, most: int = MOST_ROUNDS
) -> Improved:
    """Evaluate exactly and improve until no action is better."""
    rows, first, seen = rows_of_model(mdp.model, mdp.discount), mdp.model.first, set()
    for rounds in range(1, most + 1):
        values = solved(rows.taken(choice))
        out = values.astype(np.float64) + 0.0
        if history is not None:
            history.setdefault("values", []).append(out)
            history.setdefault("policies", []).append(chosen_policy(mdp, choice))
        new = improved(rows, first, choice, values)
        seen.add(choice.tobytes())
        ended = new.tobytes() in seen  # nothing is better, or a circle of policies that rounding cannot tell apart
        if ended or rounds == most:
            break
        choice = new
    gain, doubt = advantages(rows, values)
    above, own = max(float((gain + doubt).max()), 0.0), float((np.abs(gain) + doubt)[choice].max())
    gap = (above + own) / (1 - mdp.discount) * (1 + RELATIVE) + float(np.spacing(np.abs(out).max()))
    return Improved(out, choice, rounds, ended, gap)


def is_optimal(gap: float, values: NDArray[np.float64]) -> bool:
    """Return whether a certified gap is of the size of rounding, so that a policy may be called optimal."""
    return gap <= NOTHING * max(1.0, float(np.abs(values).max(initial=0.0)))


def settled(
    mdp: MDP,
    method: str,
    work: str,
    values: NDArray[np.float64],
    choice: NDArray[np.int64],
    *,
    low: float,
    high: float,
    polish: bool = True,
    **record: Any,
) -> Plan:
    """Return the plan that sweeps ended with: small ones evaluated exactly, others with (1) and (2).

    `values` are T*v and `low`, `high` bound T*v - v.
    """
    gamma = mdp.discount
    if gamma == 1:
        return settled_undiscounted(mdp, method, work, choice, record)
    if polish and mdp.n_states <= MOST_POLISHED:
        found = improved_to_the_end(mdp, choice)
        policy = chosen_policy(mdp, found.choice, found.values)
        sure = found.ended and is_optimal(found.gap, found.values)
        return Plan(
            mdp, method, found.values, policy, gap=found.gap, error=found.gap, optimal=sure, work=work, **record
        )
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


def settled_undiscounted(mdp: MDP, method: str, work: str, choice: NDArray[np.int64], record: dict[str, Any]) -> Plan:
    """Return the plan of an undiscounted process: see `total`."""
    found = best_total(mdp, method.replace(" ", "_"), choice)
    sure = found.ended and is_optimal(found.gap, found.values)
    policy = chosen_policy(mdp, found.choice, found.values)
    error = found.error + found.gap
    return Plan(mdp, method, found.values, policy, gap=found.gap, error=error, optimal=sure, work=work, **record)
