r"""Backward induction: a known number of steps, and a policy for each.

    V_N = terminal values,   V_k(s) = max_a [R_k(s, a) + gamma sum_s' P_k(s'|s, a) V_{k+1}(s')]                             (1)

O(N entries). Rewards and transitions may change with time: give a process per step.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.reinforcement.mdp import MDP
from novum.reinforcement.planning.choices import chosen_policy, first_choice
from novum.reinforcement.planning.precision import UNIT, reward_sizes
from novum.reinforcement.planning.value import checked_process
from novum.reinforcement.policies import Policy
from novum.report.result import Result
from novum.runtime.checks import check_count
from novum.runtime.typing import Environment, Numbers

__all__ = ["StagedPlan", "backward_induction"]


class StagedPlan(Result):
    """Values and policies by step, exact but for rounding.

    Attributes
    ----------
    values : ndarray of shape (horizon + 1, n_states)
        The last row are the terminal values.
    policies : list of Policy
        What to do at every step.
    gap : float
        Certified: what the policies may lose by the rounding of all steps, from any state.
    """

    values: NDArray[np.float64]
    policies: list[Policy]
    gap: float

    def __init__(self, mdp: MDP, values: NDArray[np.float64], policies: list[Policy], gap: float) -> None:
        self._mdp, self.values, self.policies, self.gap = mdp, values, policies, gap

    @property
    def start(self) -> float:
        """Return the expected total from the first state on."""
        return float(self._mdp.initial @ self.values[0])

    def _result_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {"step": list(range(len(self.policies)))}
        for s, state in enumerate(self._mdp.states):
            columns[f"V{state}"] = self.values[:-1, s].tolist()
        return columns

    def _result_scalars(self) -> dict[str, Any]:
        return {"start": self.start}


def backward_induction(
    mdp: MDP | Environment, horizon: int | None = None, *, final: Numbers | None = None
) -> StagedPlan:
    """Return the optimal values and policies of a finite number of steps.

    Parameters
    ----------
    mdp : MDP, or a sequence of them
        The process; a sequence: the process of every step, of the same states and actions.
    horizon : int, default=None
        How many steps; None with a sequence, whose length it is.
    final : array-like, default=None
        Terminal values; None: zero, and at terminal states what they pay.

    Examples
    --------
    >>> from novum.reinforcement import backward_induction
    >>> from novum.teaching.reinforcement.worlds import two_state
    >>> backward_induction(two_state(), 3).values[0].round(4).tolist()
    [1.8152, 5.42]
    """
    owner = "backward_induction"
    if isinstance(mdp, Sequence):
        stages = [checked_process(owner, one) for one in mdp]
        if horizon is not None and horizon != len(stages):
            raise DataError(f"{owner}: {len(stages)} processes for horizon={horizon}; leave horizon out.")
    else:
        if horizon is None:
            raise ParameterError(
                f"{owner}(horizon=None): horizon must be at least 1; only a sequence of processes says how many steps."
            )
        count = check_count(owner, "horizon", horizon)
        stages = [checked_process(owner, mdp)] * count
    if not stages or any((m.n_states, m.n_actions) != (stages[0].n_states, stages[0].n_actions) for m in stages):
        raise DataError(
            f"{owner}: the processes of the steps must have the same states and actions, and be at least one."
        )
    last = stages[-1]
    own = np.where(last.model.terminal, last.model.reward[last.model.first[:-1]], 0.0)
    values = np.empty((len(stages) + 1, last.n_states))
    values[-1] = own if final is None else last._values(final)
    policies: list[Policy] = []
    for k in range(len(stages) - 1, -1, -1):
        choice = first_choice(stages[k])
        stages[k].sweeps.improve(np.ascontiguousarray(values[k + 1]), 0.0, values[k], choice)
        policies.append(chosen_policy(stages[k], choice))
    size = float(np.abs(values).max()) + max(float(reward_sizes(one.model).max()) for one in stages)
    terms = 4 + max(int(np.diff(one.model.start).max(initial=0)) for one in stages)
    return StagedPlan(stages[0], values, policies[::-1], 2 * UNIT * terms * len(stages) * size)
