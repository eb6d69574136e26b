r"""The optimal policy as a function of the step reward.

Where the reward of every step is r, the value of a policy is a line in r, and so is the advantage of every action:

    V^pi(r) = u + r w,    A(s, a; r) = alpha(s, a) + r beta(s, a),    alpha, beta from one evaluation each                  (1)

A policy stays optimal until the first r at which an advantage becomes positive; there the action changes. Walking from one
such point to the next finds all regimes exactly, without a grid of r.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterTypeError
from novum.reinforcement.planning.choices import chosen_policy, first_choice, improved_to_the_end
from novum.reinforcement.planning.evaluation import exact_values
from novum.reinforcement.planning.total import best_total
from novum.reinforcement.policies import Policy
from novum.report.result import Result
from novum.runtime.checks import check_number

__all__ = ["Regimes", "policy_regimes"]

SLACK = 1e-10  # advantage that rounding explains
MOST_REGIMES = 10_000
DECIMALS = 4


class Regimes(Result):
    """Which policy is optimal for which step reward.

    Attributes
    ----------
    switches : list of (step reward, state, action before, action after)
        Where actions change as the step reward rises, rounded to four decimals.
    bounds : list of float
        The ends of the regimes, from `low` to `high`, exactly.
    policies : list of Policy
        The optimal policy of every regime.
    """

    switches: list[tuple[Any, ...]]
    bounds: list[float]
    policies: list[Policy]

    def __init__(self, bounds: list[float], policies: list[Policy], switches: list[tuple[Any, ...]]) -> None:
        self.bounds, self.policies, self.switches = bounds, policies, switches

    def policy_at(self, step_reward: float) -> Policy:
        """Return the policy that is optimal at a step reward."""
        place = int(np.searchsorted(self.bounds, step_reward, side="right")) - 1
        return self.policies[min(max(place, 0), len(self.policies) - 1)]

    def _result_columns(self) -> dict[str, Any]:
        names = ("step reward", "state", "from", "to")
        return {name: [one[k] for one in self.switches] for k, name in enumerate(names)}

    def _result_scalars(self) -> dict[str, Any]:
        return {"regimes": len(self.policies)}

    def _result_picture(self, ax: Any) -> None:
        from novum.teaching.reinforcement.regime_plots import draw_regimes

        draw_regimes(ax, self)


def policy_regimes(world: Callable[..., Any], low: float = -2.0, high: float = 0.0) -> Regimes:
    """Return the regimes of the optimal policy between two step rewards.

    Parameters
    ----------
    world : callable
        `world(step_reward=r)` returns the process, such as `room_4x3`; its rewards must be linear in r.
    low, high : float, default=-2.0 and 0.0
        The range. With discount 1 a positive step reward has no finite value; `high` itself is left out.

    Examples
    --------
    >>> from novum.teaching import policy_regimes
    >>> from novum.reinforcement import room_4x3
    >>> policy_regimes(room_4x3).switches[:3]
    [(-1.6497, (3, 2), '>', '^'), (-1.5643, (3, 1), '>', '^'), (-0.7311, (1, 1), '>', '^')]
    """
    owner = "policy_regimes"
    if not callable(world):
        raise ParameterTypeError(f"{owner}(world={world!r}): give a function of step_reward, such as room_4x3.")
    low = check_number(owner, "low", low)
    high = check_number(owner, "high", high)
    if not low < high:
        raise DataError(f"{owner}: low={low:g} must be below high={high:g}.")
    mdp, slope, base = parted(owner, world, low, high)
    if mdp.discount == 1:
        choice = best_total(mdp, owner).choice
    else:
        choice = improved_to_the_end(mdp, first_choice(mdp)).choice
    bounds, policies, switches = [low], [chosen_policy(mdp, choice)], []
    here = low
    for _ in range(MOST_REGIMES):
        alpha, beta = advantages(mdp, choice, base, slope, owner)
        state = np.repeat(np.arange(mdp.n_states), np.diff(mdp.model.first))
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.where(beta > SLACK, -alpha / beta, np.inf)
        root[root < here - SLACK] = np.inf
        root[choice] = np.inf
        pair = int(np.argmin(root))
        if not root[pair] < high - SLACK:
            break
        here = max(float(root[pair]), here)
        s = int(state[pair])
        actions = mdp.actions
        switches.append(
            (
                round(here, DECIMALS),
                mdp.states[s],
                actions[mdp.model.action[choice[s]]],
                actions[mdp.model.action[pair]],
            )
        )
        choice = choice.copy()
        choice[s] = pair
        bounds.append(here)
        policies.append(chosen_policy(mdp, choice))
    bounds.append(high)
    return Regimes(bounds, policies, switches)


def parted(
    owner: str, world: Callable[..., Any], low: float, high: float
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Return the process at `low`, and its rewards as base + r slope."""
    one, two, middle = (world(step_reward=r) for r in (low, high - 1e-3 * (high - low), (low + high) / 2))
    end = high - 1e-3 * (high - low)
    slope = (two.model.reward - one.model.reward) / (end - low)
    base = one.model.reward - low * slope
    straight = np.allclose(middle.model.reward, base + (low + high) / 2 * slope, atol=1e-9)
    if not straight or not np.array_equal(one.model.next, two.model.next):
        raise DataError(f"{owner}: the rewards of {one.name} are not linear in step_reward, or its transitions change.")
    return one, slope, base


def advantages(
    mdp: Any, choice: NDArray[np.int64], base: NDArray[np.float64], slope: NDArray[np.float64], owner: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return alpha and beta of (1), by pair."""
    out = []
    table = np.zeros((mdp.n_states, mdp.n_actions))
    inside = ~mdp.model.terminal
    table[inside, mdp.model.action[choice[inside]]] = 1
    process = mdp.reward_process(table)
    state = np.repeat(np.arange(mdp.n_states), np.diff(mdp.model.first))
    for reward in (base, slope):
        value = exact_values(process._replace(reward=reward[choice]), mdp, owner)
        part = np.empty(mdp.model.n_pairs)
        mdp.sweeps.pair_values(value, part)
        out.append(part - mdp.model.reward + reward - value[state])
    return out[0], out[1]
