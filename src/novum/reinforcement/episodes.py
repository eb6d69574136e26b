r"""Episodes and what they are worth.

G = sum_t gamma^t r_{t+1}             discounted;  gamma = 1: the total                                                 (1)
G_t = r_{t+1} + gamma G_{t+1}         from every step on                                                               (2)
(1/T) sum_t r_t                       the mean reward a step                                                           (3)
|G| <= R_max / (1 - gamma)                                                                                             (4)
mean - c variance of the rewards      mean-variance                                                                    (5)
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from novum.exceptions import ParameterError
from novum.reinforcement.environment import transition
from novum.reinforcement.experience import STARTS, STEPS, compiled_world, policy_sums
from novum.reinforcement.mdp import MDP
from novum.reinforcement.policies import policy_table
from novum.report.result import Result, result
from novum.runtime.checks import check_count, check_level, check_number, vector
from novum.runtime.random import Stream, purpose_code, seed_of
from novum.runtime.typing import Axes, HasArray

__all__ = ["Episode", "Returns", "mean_of", "return_bound", "returns", "rollout", "simulated"]


def returns(
    rewards: Sequence[float] | HasArray,
    discount: float | Sequence[float] = 1.0,
    *,
    kind: str = "discounted",
    risk: float = 0.0,
) -> float:
    """Return what a sequence of rewards is worth: (1), (3) with kind="average", (5) with kind="mean-variance" and risk c.

    `discount` may change with time: one number per step, multiplied up.

    Examples
    --------
    >>> from novum.reinforcement.episodes import returns
    >>> returns([1, 0, 2, 3]), returns([1, 0, 2, 3], kind="average"), round(returns([1, 0, 2, 3], 0.9), 3)
    (6.0, 1.5, 4.807)
    """
    r = vector("returns", "rewards", rewards)
    if kind == "average":
        return float(r.mean())
    if kind == "mean-variance":
        return float(r.mean() - risk * r.var())
    if kind != "discounted":
        raise ParameterError(f"returns(kind={kind!r}): kind must be 'discounted', 'average' or 'mean-variance'.")
    if np.ndim(discount) == 1:
        factors = np.concatenate([[1.0], np.cumprod(vector("returns", "discount", discount, len(r))[:-1])])
        return float(factors @ r)
    gamma = check_number("returns", "discount", discount, 0, 1)
    total = 0.0
    for one in r[::-1]:
        total = one + gamma * total
    return float(total)


def return_bound(largest_reward: float, discount: float) -> float:
    """Return (4), which no discounted return exceeds."""
    gamma = check_number("return_bound", "discount", discount, 0, 1, open_high=True)
    return abs(float(largest_reward)) / (1 - gamma)


class Episode(Result):
    """What happened in one episode.

    Attributes
    ----------
    states : list
        T + 1 names.
    actions : list
        T names.
    rewards : ndarray of shape (T,)
    ended : bool
        Whether it ended by itself; otherwise it was cut.
    """

    states: list[Any]
    actions: list[Any]
    rewards: Any
    ended: bool

    def __init__(
        self, mdp: MDP, states: list[int], actions: list[int], rewards: NDArray[np.float64], ended: bool
    ) -> None:
        self._mdp, self.numbers = mdp, states
        self.states = [mdp.states[s] for s in states]
        self.actions = [mdp.actions[a] for a in actions]
        self.rewards, self.ended = rewards, ended

    def __len__(self) -> int:
        return len(self.rewards)

    @property
    def value(self) -> float:
        """Return the discounted return (1)."""
        return returns(self.rewards, self._mdp.discount) if len(self.rewards) else 0.0

    def _result_columns(self) -> dict[str, Any]:
        return {
            "state": self.states[:-1],
            "action": self.actions,
            "reward": self.rewards.tolist(),
            "next": self.states[1:],
        }

    def _result_scalars(self) -> dict[str, Any]:
        return {"return": self.value, "ended": self.ended}

    def frames(self) -> list[str]:
        """Return the episode as pictures of text, one per step."""
        return [render_state(self._mdp, s) for s in self.numbers]

    def plot_frames(self, most: int = 12) -> Axes:
        """Draw the first steps as small pictures; return the figure."""
        from novum.reinforcement.plots.episodes import draw_frames

        return draw_frames(self, self._mdp, most)

    def _result_picture(self, ax: Any) -> None:
        from novum.reinforcement.plots.episodes import draw_route

        draw_route(ax, self, self._mdp)


def render_state(mdp: Any, state: int) -> str:
    """Return the picture of a state without moving the environment."""
    kept, mdp.state = mdp.state, state
    try:
        return str(mdp.render())
    finally:
        mdp.state = kept


def rollout(mdp: Any, policy: Any, start: Any, max_steps: int, random_state: Any) -> Episode:
    """Return one episode of a policy; see `MDP.rollout`."""
    check_count("rollout", "max_steps", max_steps)
    table = policy_table(mdp, policy)
    sums, stream = policy_sums(mdp, table), Stream(seed_of(random_state))
    u = float(stream.uniform(STARTS, 0, 1)[0])
    s = int(np.searchsorted(np.cumsum(mdp.initial), u, side="right")) if start is None else mdp.state_number(start)
    s = min(s, mdp.n_states - 1)
    states, ended = [s], bool(mdp.model.terminal[s])
    actions: list[int] = []
    rewards: list[float] = []
    draws = stream.uniform(STEPS, 0, max_steps, 2)
    while not ended and len(actions) < max_steps:
        where, what = draws[len(actions)]
        a = int(np.argmax(what < sums[s]))
        s, reward, ended = transition(mdp.model, mdp.discount, s, a, float(where), mdp)
        states.append(s)
        actions.append(a)
        rewards.append(reward)
    return Episode(mdp, states, actions, np.array(rewards), ended)


@result
class Returns(NamedTuple):
    """Discounted returns of many episodes: their mean, its standard error and its interval."""

    mean: float
    standard_error: float
    low: float
    high: float
    values: NDArray[np.float64]
    totals: NDArray[np.float64]
    lengths: NDArray[np.int32]


def mean_of(
    values: NDArray[np.float64], totals: NDArray[np.float64], lengths: NDArray[np.int32], level: float
) -> Returns:
    """Return the mean with Student's interval."""
    mean, count = float(values.mean()), len(values)
    error = float(values.std(ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    half = float(student.ppf(0.5 + level / 2, count - 1)) * error if count > 1 else float("nan")
    return Returns(mean, error, mean - half, mean + half, values, totals, lengths)


def simulated(
    mdp: Any, policy: Any, n_episodes: int, start: Any, max_steps: int, level: float, random_state: Any
) -> Returns:
    """Return many episodes of a policy, compiled; see `MDP.simulate`."""
    n_episodes = check_count("simulate", "n_episodes", n_episodes)
    most = check_count("simulate", "max_steps", max_steps)
    level = check_level("simulate", level)
    values, totals, lengths = np.empty(n_episodes), np.empty(n_episodes), np.empty(n_episodes, np.int32)
    table = policy_table(mdp, policy)
    compiled_world(mdp, mdp.discount).simulate(
        sums=policy_sums(mdp, table),
        state=-1 if start is None else mdp.state_number(start),
        most=most,
        seed=seed_of(random_state),
        purpose=purpose_code(STEPS),
        starts=purpose_code(STARTS),
        run=0,
        returns=values,
        totals=totals,
        lengths=lengths,
    )
    return mean_of(values, totals, lengths, level)
