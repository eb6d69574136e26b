r"""Actor and critic: a policy and a value, two networks that learn from the same steps.

    delta_t = r_t + gamma V(s_{t+1}) - V(s_t),   A_t = sum_k (gamma lambda)^k delta_{t+k}                 generalised advantages (1)
    A2C    loss = -mean log pi(a|s) A                                                                                            (2)
    PPO    loss = -mean min(rho A, clip(rho, 1 - c, 1 + c) A),   rho = pi(a|s) / pi_old(a|s)                                     (3)
    both   + value_weight mean (V(s) - A - V_old(s))^2 - entropy_weight mean H(pi)                                               (4)

Episodes that a time limit cuts are not over: the value of what was seen last stands for the rest. Derivation:
docs/theory/policy_gradient.md.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.deep.agent import RATE, SHARED, Training, drawn_actions
from novum.reinforcement.deep.environments import Step
from novum.reinforcement.deep.policy_gradient import PolicyAgent
from novum.runtime.typing import Seed

__all__ = ["ActorCritic", "advantages"]

# What the two methods need differently: PPO goes over long batches many times, A2C once over short ones.
OPEN: dict[str, dict[str, Any]] = {
    "ppo": {
        "learning_rate": Schedule("linear", 1e-3, 0.0),
        "discount": 0.98,
        "trace_decay": 0.8,
        "rollout_steps": 32,
        "normalize": True,
    },
    "a2c": {
        "learning_rate": Schedule("linear", 7e-4, 0.0),
        "discount": 0.99,
        "trace_decay": 1.0,
        "rollout_steps": 5,
        "normalize": False,
    },
}
CLIP = Schedule("linear", 0.2, 0.0)


def advantages(
    rewards: NDArray[Any],
    values: NDArray[Any],
    last: NDArray[Any],
    ended: NDArray[Any],
    discount: float,
    trace_decay: float,
) -> NDArray[np.float32]:
    """Return (1): rewards, values and ends of shape (steps, copies), `last` the values of what is seen after the last step."""
    out, running = np.empty(rewards.shape, np.float32), np.zeros(rewards.shape[1])
    after = last
    for t in reversed(range(len(rewards))):
        alive = 1.0 - ended[t]
        running = rewards[t] + discount * alive * after - values[t] + discount * trace_decay * alive * running
        out[t], after = running, values[t]
    return out


class ActorCritic(PolicyAgent):
    """Advantage actor-critic (A2C) or proximal policy optimisation (PPO).

    Parameters
    ----------
    method : {"ppo", "a2c"}, default="ppo"
        Long batches that are gone over many times, or short ones once.
    total_steps : int, default=50000
        Steps of all copies together that are learned from.
    max_steps : int, default=10000
        Steps after which an episode is cut; what would follow is still counted on.
    hidden : int, default=64
        Units of each of the two hidden layers of actor and critic.
    learning_rate : float, Schedule or None, default=None
        By steps of the training. None: from 1e-3 ("ppo") or 7e-4 ("a2c") linearly to zero.
    discount : float or None, default=None
        None: 0.98 of "ppo", 0.99 of "a2c".
    trace_decay : float or None, default=None
        lambda of (1). None: 0.8 of "ppo", 1 of "a2c".
    n_envs : int, default=8
        Copies of the environment.
    rollout_steps : int or None, default=None
        Steps of every copy between two updates. None: 32 of "ppo"; 5 of "a2c", which takes one step of learning from them and
        so lives by their number.
    n_epochs : int, default=20
        Passes over those steps ("ppo").
    batch_size : int, default=256
        Steps of a gradient ("ppo").
    clip : float or Schedule, default=Schedule("linear", 0.2, 0.0)
        c of (3), by steps of the training.
    entropy_weight, value_weight : float, default=0.0, 0.5
        Of (4).
    normalize : bool or None, default=None
        Whether advantages of a batch are scaled to mean zero and deviation one. None: yes of "ppo"; no of "a2c", whose batches
        are small, so that scaling would make much of differences that are none.
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
    >>> from novum.reinforcement import ActorCritic
    >>> agent = ActorCritic(total_steps=100_000, random_state=0)  # doctest: +SKIP
    >>> agent.fit("CartPole-v1").evaluate("CartPole-v1").mean  # doctest: +SKIP
    500.0
    """

    _tags = ("model-free", "on-policy", "online", "approximate", "actor-critic", "control")
    _domains: dict[str, Domain] = {
        **SHARED,
        "method": Choice("ppo", "a2c"),
        "hidden": Int(1),
        "learning_rate": RATE | Null(),
        "discount": Real(0, 1) | Null(),
        "trace_decay": Real(0, 1) | Null(),
        "rollout_steps": Int(1) | Null(),
        "n_epochs": Int(1),
        "batch_size": Int(2),
        "clip": RATE,
        "entropy_weight": Real(0),
        "value_weight": Real(0),
        "normalize": Bool() | Null(),
        "largest_norm": Real(0, open="low") | Null(),
    }

    def __init__(
        self,
        method: Literal["ppo", "a2c"] = "ppo",
        *,
        total_steps: int = 50_000,
        max_steps: int = 10_000,
        hidden: int = 64,
        learning_rate: float | Schedule | None = None,
        discount: float | None = None,
        trace_decay: float | None = None,
        n_envs: int = 8,
        rollout_steps: int | None = None,
        n_epochs: int = 20,
        batch_size: int = 256,
        clip: float | Schedule = CLIP,
        entropy_weight: float = 0.0,
        value_weight: float = 0.5,
        normalize: bool | None = None,
        largest_norm: float | None = 0.5,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        random_state: Seed = None,
    ) -> None:
        self.method = method
        self.total_steps = total_steps
        self.max_steps = max_steps
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.discount = discount
        self.trace_decay = trace_decay
        self.n_envs = n_envs
        self.rollout_steps = rollout_steps
        self.n_epochs = n_epochs
        self.batch_size = batch_size
        self.clip = clip
        self.entropy_weight = entropy_weight
        self.value_weight = value_weight
        self.normalize = normalize
        self.largest_norm = largest_norm
        self.device = device
        self.random_state = random_state

    def _setting(self, name: str) -> Any:
        """Return a parameter, or what its method takes where it was left open."""
        given = getattr(self, name)
        return OPEN[self.method][name] if given is None else given

    def _critic(self, training: Training, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(training.networks.outputs(observations)[1, :, 0])

    def _rollout(self, training: Training) -> tuple[NDArray[Any], ...]:
        """Return observations, actions, advantages and values of the next steps of all copies, flat."""
        steps, n = self._setting("rollout_steps"), self.n_envs
        seen = np.empty((steps, n, self.n_features_), np.float32)
        actions, ended = np.empty((steps, n), np.int64), np.empty((steps, n))
        rewards, values = np.empty((steps, n)), np.empty((steps, n), np.float32)
        for t in range(steps):
            seen[t] = training.environments.observations
            both = training.networks.outputs(seen[t])
            actions[t], values[t] = drawn_actions(both[0], training.rng), both[1, :, 0]
            step = training.environments.step(actions[t])
            rewards[t] = step.rewards + self._cut_short(training, step)
            ended[t] = step.terminated | step.truncated
        last = self._critic(training, training.environments.observations)
        gains = advantages(rewards, values, last, ended, self._setting("discount"), self._setting("trace_decay"))
        return seen.reshape(-1, self.n_features_), actions.ravel(), gains.ravel(), values.ravel()

    def _cut_short(self, training: Training, step: Step) -> NDArray[np.float64]:
        """Return the discounted value of what was seen last where a time limit ended the episode."""
        cut = step.truncated & ~step.terminated
        extra = np.zeros(len(cut))
        if cut.any():
            extra[cut] = self._setting("discount") * self._critic(training, step.final[cut])
        return extra

    def _turn(self, training: Training) -> None:
        torch = training.networks.torch
        rollout = [torch.as_tensor(part, device=training.device) for part in self._rollout(training)]
        seen, actions, gains, values = rollout
        rate = self._scheduled(self._setting("learning_rate"))
        clip = self._scheduled(self.clip)
        n, returns = len(actions), gains + values
        if self.method == "a2c":
            self._learn(training, seen, actions, gains, returns, None, clip=clip, rate=rate)
        else:
            logits = training.networks.layers(seen)[-1][0]
            old = torch.log_softmax(logits, dim=1).gather(1, actions[:, None])[:, 0]
            whole = (seen, actions, gains, returns, old)
            for _ in range(self.n_epochs):
                if self.batch_size >= n:
                    self._learn(training, *whole, clip=clip, rate=rate)
                    continue
                order = torch.as_tensor(training.rng.permutation(n), device=training.device)
                for rows in order.split(self.batch_size):
                    if len(rows) > 1:  # of one row no deviation is known
                        self._learn(training, *[part[rows] for part in whole], clip=clip, rate=rate)
        self._advance(training, n)

    def _learn(
        self,
        training: Training,
        seen: Any,
        actions: Any,
        gains: Any,
        returns: Any,
        old: Any,
        *,
        clip: float,
        rate: float,
    ) -> None:
        """Go one step down (2) or (3), with (4)."""
        if self._setting("normalize"):
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        kept = training.networks.layers(seen)
        weights = {"value_weight": self.value_weight, "entropy_weight": self.entropy_weight}
        self._descend(training, rate, kept, actions, gains, returns, old=old, clip=clip, **weights)
