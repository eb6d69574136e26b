"""Processes made of processes: the discount as the probability of going on."""

from typing import Any

import numpy as np

from novum.reinforcement.model import Model, planning_entries, row_sums

__all__ = ["surviving"]


def surviving(process: Any) -> Any:
    r"""Return the undiscounted process that ends before each further step with probability 1 - gamma.

        E[sum_t r_t of the survivor] = sum_t gamma^t E[r_t]                                                                 (1)

    A new terminal state, the last, is where it ends; it is worth nothing.
    """
    model, gamma = process.model, process.discount
    n = model.n_states
    real = model.action >= 0
    start, following, chance = planning_entries(model)
    lost = np.where(real, 1.0 - gamma * row_sums(chance, start), 0.0)  # ended episodes are lost too
    places = start[1:][real]  # a new entry at the end of every row
    nexts = np.insert(following, places, n).astype(np.int32)
    chances = np.insert(gamma * chance, places, lost[real])
    lengths = np.diff(start) + real
    arrays = Model(
        model.n_actions,
        np.append(model.first, model.first[-1] + 1),
        np.append(model.action, np.int32(-1)),
        np.append(model.reward, 0.0),
        np.append(np.concatenate([[0], np.cumsum(lengths)]), lengths.sum()),
        nexts,
        chances,
        None,
        np.append(model.terminal, True),
    )
    return type(process).from_model(
        arrays,
        discount=1.0,
        initial=np.append(process.initial, 0.0),
        states=[*process.states, "ended"],
        actions=process.actions,
        name=f"{process.name} that may end",
    )
