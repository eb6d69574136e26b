r"""What planning costs, in operations, before it is tried.

a sweep of value iteration                    2 entries                        |A| |S|^2 where transitions are dense    (1)
sweeps to eps                                 log(1/eps) / log(1/gamma)                                                (2)
exact evaluation of a policy                  |S|^3 / 3   dense elimination;   |S|^2.373 in theory                      (3)
policy iteration                              rounds (evaluation + sweep)                                              (4)
"""

from typing import NamedTuple

import numpy as np

from novum.reinforcement.mdp import MDP
from novum.report.result import result

__all__ = ["PlanningCost", "planning_cost"]


@result
class PlanningCost(NamedTuple):
    """Operations by method."""

    sweep: float
    sweeps: float
    value_iteration: float
    exact_evaluation: float
    policy_iteration: float


def planning_cost(mdp: MDP, tol: float = 1e-6, rounds: int = 10) -> PlanningCost:
    """Return (1) to (4) for a process, a tolerance and a number of rounds of policy iteration."""
    sweep = 2.0 * len(mdp.model.next)
    sweeps = np.inf if mdp.discount == 1 else 1.0 if mdp.discount == 0 else np.log(1 / tol) / np.log(1 / mdp.discount)
    exact = mdp.n_states**3 / 3
    return PlanningCost(sweep, float(np.ceil(sweeps)), sweep * float(np.ceil(sweeps)), exact, rounds * (exact + sweep))
