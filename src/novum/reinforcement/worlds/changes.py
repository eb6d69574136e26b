"""Processes made of processes: the discount as the probability of going on."""

from typing import Any

import numpy as np

from novum.reinforcement.model import Model

__all__ = ["surviving"]


def surviving(process: Any) -> Any:
    r"""Return the undiscounted process that ends before each further step with probability 1 - gamma.

        E[sum_t r_t of the survivor] = sum_t gamma^t E[r_t]                                                                 (1)

    A new terminal state, the last, is where it ends; it is worth nothing. Random rewards stay random.
    """
    model, gamma = process.model, process.discount
    n = model.n_states
    lengths = np.diff(model.start)
    goes_on = np.where(model.next >= 0, gamma, 0.0)  # an episode that ends of itself is lost whole
    nexts = np.stack([np.maximum(model.next, 0), np.full(len(model.next), n)], axis=1).ravel()  # on, or lost
    probabilities = np.stack([goes_on * model.probability, (1 - goes_on) * model.probability], axis=1).ravel()
    paid = np.repeat(model.reward, lengths) if model.entry_reward is None else model.entry_reward
    happens = probabilities > 0
    before = np.concatenate([[0], np.cumsum(happens)])
    arrays = Model(
        n_actions=model.n_actions,
        first=np.append(model.first, model.first[-1] + 1),
        action=np.append(model.action, np.int32(-1)),
        reward=np.append(model.reward, 0.0),
        start=np.append(before[2 * model.start], before[-1]),
        next=nexts[happens].astype(np.int32),
        probability=probabilities[happens],
        entry_reward=np.repeat(paid, 2)[happens],
        terminal=np.append(model.terminal, True),
    )
    return type(process).from_model(
        arrays,
        discount=1.0,
        initial=np.append(process.initial, 0.0),
        states=[*process.states, "ended"],
        actions=process.actions,
        name=f"{process.name} that may end",
    )
