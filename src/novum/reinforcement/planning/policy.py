r"""Policy iteration: evaluate, improve, until nothing is better.

    V^pi = R^pi + gamma P^pi V^pi                                                evaluation                                (1)
    pi'(s) = argmax_a Q^pi(s, a)  =>  V^pi' >= V^pi                              improvement                               (2)

The old action stays where another is not better beyond rounding, so that ties cannot cycle. Modified policy iteration
leaves (1) after a few sweeps; here after as many as make the evaluation's error small relative to the improvement's, by a
Krylov method where sweeps are slow.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.reinforcement.mdp import MDP
from novum.reinforcement.planning.choices import (
    Improved,
    chosen_policy,
    first_choice,
    improved_to_the_end,
    is_optimal,
)
from novum.reinforcement.planning.evaluation import MOST_DIRECT
from novum.reinforcement.planning.plan import Plan
from novum.reinforcement.planning.total import best_total
from novum.reinforcement.planning.value import checked_process, complain, modified_iterations
from novum.reinforcement.policies import Policy, policy_table
from novum.report.numbers import counted
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Environment, Numbers

__all__ = ["modified_policy_iteration", "policy_iteration"]

MOST_REMEMBERED = 3000  # states up to which the values and policies of all rounds are kept


def policy_iteration(
    mdp: MDP | Environment, *, initial: Policy | Numbers | None = None, tol: float = 1e-6, max_iter: int = 1000
) -> Plan:
    """Return the optimal plan of a process by policy iteration.

    Up to 200 states, or with `initial`, every policy is evaluated exactly and `history` holds the values and policies of
    every round; larger discounted processes evaluate as exactly as the next improvement can use, until the policy loses at
    most `tol`.

    Parameters
    ----------
    mdp : MDP or tabular Gymnasium environment
        The process.
    initial : Policy or one action per state, default=None
        Where to begin; None: the first action of every state, with discount 1 a policy that ends.
    tol : float, default=1e-6
        What the policy of a large process may lose.
    max_iter : int, default=1000
        The most rounds (sweeps, for large processes a hundred times as many).

    Examples
    --------
    >>> from novum.reinforcement import MDP, policy_iteration
    >>> toy = MDP([[[1.0, 0.0], [0.2, 0.8]], [[0.0, 1.0], [1.0, 0.0]]], [[0.0, -1.0], [2.0, 0.0]], discount=0.9)
    >>> [values.round(4).tolist() for values in policy_iteration(toy, initial=[0, 1]).history["values"]]
    [[0.0, 0.0], [0.0, 20.0], [16.3415, 20.0]]
    """
    owner = "policy_iteration"
    mdp = checked_process(owner, mdp)
    check_number(owner, "tol", tol, 0, open_low=True)
    check_count(owner, "max_iter", max_iter)
    if mdp.discount < 1 and mdp.n_states > MOST_DIRECT and initial is None:
        return modified_iterations(mdp, "policy iteration", tol, 100 * max_iter, np.zeros(mdp.n_states))
    choice = None if initial is None else initial_choice(mdp, initial)
    history: dict[str, list[Any]] = {}
    kept = history if mdp.n_states <= MOST_REMEMBERED else None
    if mdp.discount == 1:
        rounds_made: list[Any] = []
        total = best_total(mdp, owner, choice, None if kept is None else rounds_made, max_iter, initial is not None)
        found = Improved(total.values, total.choice, total.rounds, total.ended, total.gap)
        error = total.error + total.gap
        history |= {"values": [v for v, _ in rounds_made], "policies": [chosen_policy(mdp, c) for _, c in rounds_made]}
    else:
        found = improved_to_the_end(mdp, first_choice(mdp) if choice is None else choice, kept, max_iter)
        error = found.gap
    if not found.ended:
        complain("policy iteration", found.rounds, found.gap, "possible loss")
    return Plan(
        mdp,
        "policy iteration",
        found.values,
        chosen_policy(mdp, found.choice, found.values),
        gap=found.gap,
        error=error,
        optimal=found.ended and is_optimal(found.gap, found.values),
        work=counted(found.rounds, "round"),
        rounds=found.rounds,
        history=history,
    )


def initial_choice(mdp: Any, initial: Any) -> NDArray[np.int64]:
    """Return the pairs of a deterministic policy to begin with."""
    table = policy_table(mdp, initial)
    if not ((table == 0) | (table == 1)).all():
        raise ParameterError("policy_iteration(initial=...): the policy to begin with must be deterministic.")
    choice = first_choice(mdp)
    inside = np.flatnonzero(~mdp.model.terminal)
    wanted = table[inside].argmax(axis=1)
    for s, a in zip(inside, wanted):
        first, last = mdp.model.first[s], mdp.model.first[s + 1]
        choice[s] = first + int(np.argmax(mdp.model.action[first:last] == a))
    return choice


def modified_policy_iteration(
    mdp: MDP | Environment,
    *,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    initial: Numbers | None = None,
    keep_path: bool = False,
) -> Plan:
    """Return the plan of a discounted process by modified policy iteration, compiled: the fastest for large processes.

    Parameters
    ----------
    mdp : MDP or tabular Gymnasium environment
        The process; discount < 1.
    tol : float, default=1e-6
        What following the policy may lose, certified.
    max_iter : int, default=100_000
        The most sweeps.
    initial : array-like, default=None
        Values to begin with; None: zero.
    keep_path : bool, default=False
        Whether `plan.history["path"]` holds the values on the way: the start, then after every sweep over all actions and after the
        partial evaluation behind it; `plan.history["at"]` counts the sweeps done by then.

    Examples
    --------
    >>> from novum.reinforcement import modified_policy_iteration, room_4x3
    >>> modified_policy_iteration(room_4x3(discount=0.9)).start.__round__(4)
    0.2965
    """
    owner = "modified_policy_iteration"
    mdp = checked_process(owner, mdp)
    check_number(owner, "tol", tol, 0, open_low=True)
    check_count(owner, "max_iter", max_iter)
    if mdp.discount == 1:
        raise ParameterError(
            "modified_policy_iteration: discount=1 gives no bound to stop by; use value_iteration or policy_iteration."
        )
    values = np.zeros(mdp.n_states) if initial is None else mdp._values(initial).copy()
    return modified_iterations(mdp, "modified policy iteration", tol, max_iter, values, keep_path)
