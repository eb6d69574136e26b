r"""REINFORCE: the gradient of the expected return, from whole episodes.

    grad J = E sum_t grad log pi(a_t | s_t) (G_t - b(s_t)),   G_t = sum_k gamma^k r_{t+k}                                  (1)

b is any function of the state: it takes away variance and no bias. Here it is a second network that learns G, or nothing.
Derivation: docs/theory/policy_gradient.md. (The factor gamma^t of the discounted objective is left out, as everybody
does.)
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.deep.agent import SHARED, Training, drawn_actions
from novum.reinforcement.deep.policy_gradient import PolicyAgent
from novum.runtime.typing import Seed

__all__ = ["REINFORCE", "discounted_returns"]

VALUE_WEIGHT = 0.5


def discounted_returns(rewards: Any, discount: float) -> NDArray[np.float64]:
    """Return G of (1) at every step of an episode."""
    found, after = np.empty(len(rewards)), 0.0
    for t in reversed(range(len(rewards))):
        found[t] = after = rewards[t] + discount * after
    return found


class REINFORCE(PolicyAgent):
    """Policy gradients from whole episodes, with a baseline.

    Parameters
    ----------
    total_steps : int, default=50000
        Steps of all copies together that are learned from.
    max_steps : int, default=10000
        Steps after which an episode is cut.
    hidden : int, default=64
        Units of each of the two hidden layers.
    learning_rate : float or Schedule, default=5e-3
        By steps of the training.
    discount : float, default=0.99
        What a reward is worth a step later.
    n_envs : int, default=8
        Episodes of a gradient, one in every copy of the environment.
    baseline : {"value", None}, default="value"
        b of (1).
    normalize : bool, default=True
        Whether G - b is scaled to mean zero and deviation one in every turn.
    largest_norm : float or None, default=0.5
        To which gradients are cut.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where the networks learn; they act by NumPy.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    history_ : LearningCurve
        The episodes of the training.
    total_steps_ : int
        Steps that were learned from.
    weights_ : dict of arrays
        Weights and biases of the networks that act, layer by layer.
    observation_ : dict
        What an observation is, in plain values.
    n_features_, n_actions_, first_action_ : int
        Length of an observation as a vector, the number of actions and the number of the first.
    seed_ : int
    environment_ : str
        Where it learned.

    Examples
    --------
    >>> from novum.reinforcement import REINFORCE
    >>> agent = REINFORCE(total_steps=100_000, random_state=0)  # doctest: +SKIP
    >>> agent.fit("CartPole-v1").evaluate("CartPole-v1").mean > 400  # doctest: +SKIP
    True
    """

    _tags = ("model-free", "on-policy", "offline", "approximate", "policy-based", "control")
    _domains: dict[str, Domain] = {
        **SHARED,
        "hidden": Int(1),
        "baseline": Choice("value") | Null(),
        "normalize": Bool(),
        "largest_norm": Real(0, open="low") | Null(),
    }

    def __init__(
        self,
        *,
        total_steps: int = 50_000,
        max_steps: int = 10_000,
        hidden: int = 64,
        learning_rate: float | Schedule = 5e-3,
        discount: float = 0.99,
        n_envs: int = 8,
        baseline: Literal["value"] | None = "value",
        normalize: bool = True,
        largest_norm: float | None = 0.5,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        random_state: Seed = None,
    ) -> None:
        self.total_steps = total_steps
        self.max_steps = max_steps
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.discount = discount
        self.n_envs = n_envs
        self.baseline = baseline
        self.normalize = normalize
        self.largest_norm = largest_norm
        self.device = device
        self.random_state = random_state

    def _episodes(self, training: Training) -> tuple[NDArray[Any], ...]:
        """Play one episode in every copy; return observations, actions and G of all their steps."""
        lines: list[list[tuple[Any, int, float]]] = [[] for _ in range(self.n_envs)]
        active, n = np.ones(self.n_envs, bool), 0
        while active.any():
            seen = training.environments.observations
            actions = np.where(active, drawn_actions(training.networks.outputs(seen)[0], training.rng), -1)
            step = training.environments.step(actions)
            for k in np.flatnonzero(active):
                lines[k].append((seen[k], int(actions[k]), float(step.rewards[k])))
            n += int(active.sum())
            active &= ~(step.terminated | step.truncated)
        self._advance(training, n)
        flat = [item for line in lines for item in line]
        gains = np.concatenate([discounted_returns([r for *_, r in line], self.discount) for line in lines])
        return np.array([item[0] for item in flat]), np.array([item[1] for item in flat]), gains.astype(np.float32)

    def _turn(self, training: Training) -> None:
        torch, rate = training.networks.torch, self._scheduled(self.learning_rate)
        seen, actions, returns = (torch.as_tensor(part, device=training.device) for part in self._episodes(training))
        kept = training.networks.layers(seen)
        gains = returns - kept[-1][1, :, 0] if self.baseline == "value" else returns
        if self.normalize and len(gains) > 1:
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        weight = VALUE_WEIGHT if self.baseline == "value" else 0.0
        self._descend(training, rate, kept, actions, gains, returns, value_weight=weight)
