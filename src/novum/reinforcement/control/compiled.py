"""The runs of an agent in a process that is known, by a kernel of `_core.decisions.control`.

Every kernel simulates one run: it takes the compiled world, the numbers of the random stream and its own settings, writes the
action values and, of every episode, the rewards added up and the length, and returns the steps that were taken.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.reinforcement.agents import simulate_runs
from novum.reinforcement.experience import STARTS, STEPS, compiled_world
from novum.reinforcement.mdp import MDP
from novum.runtime.random import purpose_code

__all__ = ["live_compiled"]


def live_compiled(
    agent: Any,
    kernel: Callable[..., int],
    process: MDP,
    *,
    discount: float,
    settings: dict[str, Any],
    written: dict[str, NDArray[Any]],
) -> int:
    """Simulate the runs of an agent by a kernel, store what they have in common, and return how many were done.

    `settings` are the seed and the arguments that the kernel alone has; `written` its arrays besides the common ones, (runs, ...).
    """
    runs, world = agent.n_runs, compiled_world(process, discount)
    q = np.full((runs, process.n_states, process.n_actions), float(agent.initial_value))
    totals, lengths = np.empty((runs, agent.n_episodes)), np.empty((runs, agent.n_episodes), np.int32)
    purposes = {"purpose": purpose_code(STEPS), "starts": purpose_code(STARTS)}
    shared = {**settings, **purposes, "most": agent.max_steps}
    tables = {**written, "q": q, "totals": totals, "lengths": lengths}

    def one(run: int) -> int:
        return int(kernel(world, run=run, **shared, **{name: table[run] for name, table in tables.items()}))

    done, agent.total_steps_ = simulate_runs(agent, one, lambda run: float(totals[run].mean()))
    q, agent.returns_, agent.lengths_ = q[:done], totals[:done], lengths[:done]
    q[:, ~process.possible] = np.nan
    agent._keep(q, list(process.states), list(process.actions), process)
    return done
