r"""Actor and critic: a policy and a value, two networks that learn from the same steps.

    delta_t = r_t + gamma V(s_{t+1}) - V(s_t),   A_t = sum_k (gamma lambda)^k delta_{t+k}                 generalised advantages (1)
    A2C    loss = -mean log pi(a|s) A                                                                                            (2)
    PPO    loss = -mean min(rho A, clip(rho, 1 - c, 1 + c) A),   rho = pi(a|s) / pi_old(a|s)                                     (3)
    both   + value_weight mean (V(s) - A - V_old(s))^2 - entropy_weight mean H(pi)                                               (4)

Episodes that a time limit cuts are not over: the value of what was seen last stands for the rest. Derivation:
docs/theory/policy_gradient.md.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.base.parameters import stores
from novum.reinforcement.deep.agent import SHARED, Agent, drawn_actions
from novum.reinforcement.deep.environments import Step
from novum.reinforcement.deep.networks import Adam, Networks

__all__ = ["ActorCritic", "advantages"]

ADAM_EPS = 1e-5
# What the two methods need differently: PPO goes over long batches many times, A2C once over short ones.
OPEN: dict[str, dict[str, Any]] = {
    "ppo": {"learning_rate": 1e-3, "discount": 0.98, "trace_decay": 0.8, "n_steps": 32, "normalize": True},
    "a2c": {"learning_rate": 7e-4, "discount": 0.99, "trace_decay": 1.0, "n_steps": 5, "normalize": False},
}
POLICY_GAIN = 0.01  # of the first policy: nearly uniform


def advantages(
    rewards: NDArray[Any], values: NDArray[Any], last: NDArray[Any], ended: NDArray[Any], discount: float,
    trace_decay: float
) -> NDArray[np.float32]:  # fmt: skip
    """Return (1): rewards, values and ends of shape (steps, copies), `last` the values of what is seen after the last step."""
    out, running = np.empty(rewards.shape, np.float32), np.zeros(rewards.shape[1])
    after = last
    for t in reversed(range(len(rewards))):
        alive = 1.0 - ended[t]
        running = rewards[t] + discount * alive * after - values[t] + discount * trace_decay * alive * running
        out[t], after = running, values[t]
    return out


def loss_slope(
    outputs: Any, actions: Any, gains: Any, returns: Any, old: Any, clip: float, value_weight: float,
    entropy_weight: float
) -> Any:  # fmt: skip
    """Return the gradient of (2), or (3) where the old log chances are given, and (4) by the outputs of actor and critic.

    By the log chance of the action taken: -A of (2), -rho A of (3) where the cut does not hold; by the logits that times (1[b =
    a] - pi_b).
    """
    log_all = outputs[0].log_softmax(dim=1)
    pi, n = log_all.exp(), len(actions)
    column = actions[:, None]
    if old is None:
        by_chance = gains * (-1 / n)
    else:
        ratio = (log_all.gather(1, column)[:, 0] - old).exp_()
        excess = (ratio - 1) * gains.sign()  # how far the ratio has gone where the advantage points
        by_chance = ratio * gains * (excess <= clip) * (-1 / n)
    slope = outputs.new_zeros(outputs.shape)
    slope[0] = pi * -by_chance[:, None]
    slope[0].scatter_add_(1, column, by_chance[:, None])
    if entropy_weight:
        slope[0] += entropy_weight / n * pi * (log_all - (pi * log_all).sum(dim=1, keepdim=True))
    slope[1, :, 0] = (outputs[1, :, 0] - returns) * (2 * value_weight / n)
    return slope


class ActorCritic(Agent):
    """Advantage actor-critic (A2C) or proximal policy optimisation (PPO).

    Parameters
    ----------
    method : {"ppo", "a2c"}, default="ppo"
    hidden : int, default=64
        Units of each of the two hidden layers of actor and critic.
    learning_rate : float or None, default=None
        None: 1e-3 of "ppo", 7e-4 of "a2c".
    learning_rate_schedule : {"linear", "constant"}, default="linear"
        "linear": falls to zero at the end of the training; so does `clip`.
    discount : float or None, default=None
        None: 0.98 of "ppo", 0.99 of "a2c".
    trace_decay : float or None, default=None
        lambda of (1). None: 0.8 of "ppo", 1 of "a2c".
    n_envs : int, default=8
        Copies of the environment.
    n_steps : int or None, default=None
        Steps of every copy between two updates. None: 32 of "ppo"; 5 of "a2c", which takes one step of learning from them and
        so lives by their number.
    n_epochs : int, default=20
        Passes over those steps ("ppo").
    batch_size : int, default=256
        Steps of a gradient ("ppo").
    clip : float, default=0.2
        c of (3).
    entropy_weight : float, default=0.0
    value_weight : float, default=0.5
    normalize : bool or None, default=None
        Whether advantages of a batch are scaled to mean zero and deviation one. None: yes of "ppo"; no of "a2c", whose batches
        are small, so that scaling would make much of differences that are none.
    largest_norm : float or None, default=0.5
        To which gradients are cut.
    device : {"auto", "cpu", "cuda"}, default="auto"
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    history_ : LearningCurve
    n_steps_ : int
        Steps that were learned from.

    Examples
    --------
    >>> from novum.reinforcement import ActorCritic
    >>> agent = ActorCritic(random_state=0)  # doctest: +SKIP
    >>> agent.fit("CartPole-v1", 100_000).evaluate("CartPole-v1").mean()  # doctest: +SKIP
    500.0
    """

    _domains: ClassVar[dict[str, Domain]] = {
        **SHARED,
        "method": Choice("ppo", "a2c"),
        "hidden": Int(1),
        "learning_rate_schedule": Choice("linear", "constant"),
        "learning_rate": Real(0, open="low") | Null(),
        "discount": Real(0, 1) | Null(),
        "trace_decay": Real(0, 1) | Null(),
        "n_steps": Int(1) | Null(),
        "n_epochs": Int(1),
        "batch_size": Int(2),
        "clip": Real(0, open="low"),
        "entropy_weight": Real(0),
        "value_weight": Real(0),
        "normalize": Bool() | Null(),
        "largest_norm": Real(0, open="low") | Null(),
    }

    @stores
    def __init__(
        self, method: str = "ppo", *, hidden: int = 64, learning_rate: float | None = None,
        learning_rate_schedule: str = "linear", discount: float | None = None, trace_decay: float | None = None,
        n_envs: int = 8, n_steps: int | None = None, n_epochs: int = 20, batch_size: int = 256, clip: float = 0.2,
        entropy_weight: float = 0.0, value_weight: float = 0.5, normalize: bool | None = None,
        largest_norm: float | None = 0.5, device: str = "auto", random_state: Any = None
    ) -> None: ...  # fmt: skip

    method: str
    hidden: int
    learning_rate_schedule: str
    trace_decay: float | None
    n_steps: int | None
    n_epochs: int
    batch_size: int
    clip: float
    entropy_weight: float
    value_weight: float
    normalize: bool | None
    largest_norm: float | None

    def _setting(self, name: str) -> Any:
        """Return a parameter, or what its method takes where it was left open."""
        given = getattr(self, name)
        return OPEN[self.method][name] if given is None else given

    def _build(self, n_features: int, n_actions: int) -> None:
        sizes = (n_features, self.hidden, self.hidden, n_actions)
        self.networks_ = Networks(sizes, 2, "tanh", self._device, self.rng, (POLICY_GAIN, 1.0))
        self._adam = Adam(self.networks_, ADAM_EPS, self.largest_norm)

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(self.networks_.outputs(observations)[0])

    def _values(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(self.networks_.outputs(observations)[1, :, 0])

    def _rollout(self) -> tuple[NDArray[Any], ...]:
        """Return observations, actions, advantages and values of the next steps of all copies, flat."""
        steps, n = self._setting("n_steps"), self.n_envs
        seen = np.empty((steps, n, self.n_features_), np.float32)
        actions, ended = np.empty((steps, n), np.int64), np.empty((steps, n))
        rewards, values = np.empty((steps, n)), np.empty((steps, n), np.float32)
        for t in range(steps):
            seen[t] = self._environments.observations
            both = self.networks_.outputs(seen[t])
            actions[t], values[t] = drawn_actions(both[0], self.rng), both[1, :, 0]
            step = self._environments.step(actions[t])
            rewards[t] = step.rewards + self._cut_short(step)
            ended[t] = step.terminated | step.truncated
        last = self._values(self._environments.observations)
        gains = advantages(rewards, values, last, ended, self._setting("discount"), self._setting("trace_decay"))
        return seen.reshape(-1, self.n_features_), actions.ravel(), gains.ravel(), values.ravel()

    def _cut_short(self, step: Step) -> NDArray[np.float64]:
        """Return the discounted value of what was seen last where a time limit ended the episode."""
        cut = step.truncated & ~step.terminated
        extra = np.zeros(len(cut))
        if cut.any():
            extra[cut] = self._setting("discount") * self._values(step.final[cut])
        return extra

    def _turn(self) -> None:
        torch = self.networks_.torch
        rollout = [torch.as_tensor(part, device=self._device) for part in self._rollout()]
        seen, actions, gains, values = rollout
        rate = self._rate(self._setting("learning_rate"), self.learning_rate_schedule)
        clip = self._rate(self.clip, self.learning_rate_schedule)
        n, returns = len(actions), gains + values
        if self.method == "a2c":
            self._learn(seen, actions, gains, returns, None, clip=clip, rate=rate)
        else:
            logits = self.networks_.layers(seen)[-1][0]
            old = torch.log_softmax(logits, dim=1).gather(1, actions[:, None])[:, 0]
            whole = (seen, actions, gains, returns, old)
            for _ in range(self.n_epochs):
                if self.batch_size >= n:
                    self._learn(*whole, clip=clip, rate=rate)
                    continue
                order = torch.as_tensor(self.rng.permutation(n), device=self._device)
                for rows in order.split(self.batch_size):
                    if len(rows) > 1:  # of one row no deviation is known
                        self._learn(*[part[rows] for part in whole], clip=clip, rate=rate)
        self._advance(n)

    def _learn(self, seen: Any, actions: Any, gains: Any, returns: Any, old: Any, *, clip: float, rate: float) -> None:
        """Go one step down (2) or (3), with (4)."""
        if self._setting("normalize"):
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        kept = self.networks_.layers(seen)
        by_outputs = loss_slope(kept[-1], actions, gains, returns, old, clip, self.value_weight, self.entropy_weight)
        self.networks_.backward(kept, by_outputs)
        self._adam.move(rate)

    def _state(self) -> dict[str, Any]:
        return {"flat": self.networks_.flat.cpu().numpy(), **self._adam.state()}

    def _restore(self, state: dict[str, Any]) -> None:
        self.networks_.set(state["flat"])
        self._adam.restore(state)
