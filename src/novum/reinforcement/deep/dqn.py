r"""Deep Q-learning: a network for the values of actions, taught by its own best guesses.

    target  y = R + bootstrap max_a Q_old(s', a)                          the target network is an older copy           (1)
    double  y = R + bootstrap Q_old(s', argmax_a Q(s', a))                                                              (2)
    loss    mean H(Q(s, a) - y),   H(e) = e^2 / 2 where |e| <= 1, else |e| - 1/2;   y is not differentiated             (3)

R and bootstrap: (1) of `replay`. Actions while it learns: any with chance epsilon, which falls linearly, else the best. The
notes' error 1/2 (R + gamma max Q(s', .) - Q(s, a))^2 is (3) near zero; far out its slope is cut to one.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.base.parameters import stores
from novum.reinforcement.deep.agent import SHARED, Agent
from novum.reinforcement.deep.networks import Adam, Networks
from novum.reinforcement.deep.replay import Batch, ReplayBuffer

__all__ = ["DQN"]

ADAM_EPS = 1e-8


class DQN(Agent):
    """Deep Q-learning with replay, a target network, and optionally double estimates and returns over several steps.

    Parameters
    ----------
    hidden : int, default=256
        Units of each of the two hidden layers.
    learning_rate : float, default=2.3e-3
    learning_rate_schedule : {"linear", "constant"}, default="linear"
        "linear": falls to zero at the end of the training.
    discount : float, default=0.99
    n_envs : int, default=1
        Copies of the environment.
    buffer_size : int, default=100000
        Transitions that are kept.
    learning_starts : int, default=1000
        Steps before the first gradient.
    batch_size : int, default=64
    train_every : int, default=256
        Steps between two turns of learning.
    gradient_steps : int, default=128
        Gradients of a turn.
    target_every : int, default=1
        Turns after which the target network is renewed.
    exploration_start, exploration_end : float, default=1.0, 0.04
        Chance of a random action, at first and from `exploration_share` of the training on.
    exploration_share : float, default=0.16
    double : bool, default=False
        (2) instead of (1).
    n_step : int, default=3
        Steps of a return.
    averaging : float, default=0.9
        Share of the old weights in the running average, a turn at a time, that `predict` and `evaluate` use: the last weights
        alone are at the mercy of the last batches (Polyak and Juditsky 1992).
    largest_norm : float or None, default=10.0
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
    >>> from novum.reinforcement import DQN
    >>> agent = DQN(double=True, random_state=0)  # doctest: +SKIP
    >>> agent.fit("CartPole-v1", 50_000).evaluate("CartPole-v1").mean()  # doctest: +SKIP
    500.0
    """

    _domains: ClassVar[dict[str, Domain]] = {
        **SHARED,
        "hidden": Int(1),
        "learning_rate_schedule": Choice("linear", "constant"),
        "buffer_size": Int(1),
        "learning_starts": Int(0),
        "batch_size": Int(1),
        "train_every": Int(1),
        "gradient_steps": Int(1),
        "target_every": Int(1),
        "exploration_start": Real(0, 1),
        "exploration_end": Real(0, 1),
        "exploration_share": Real(0, 1),
        "double": Bool(),
        "n_step": Int(1),
        "averaging": Real(0, 1, open="high"),
        "largest_norm": Real(0, open="low") | Null(),
    }

    @stores
    def __init__(
        self, *, hidden: int = 256, learning_rate: float = 2.3e-3, learning_rate_schedule: str = "linear",
        discount: float = 0.99, n_envs: int = 1, buffer_size: int = 100_000, learning_starts: int = 1000,
        batch_size: int = 64, train_every: int = 256, gradient_steps: int = 128, target_every: int = 1,
        exploration_start: float = 1.0, exploration_end: float = 0.04, exploration_share: float = 0.16,
        double: bool = False, n_step: int = 3, averaging: float = 0.9, largest_norm: float | None = 10.0,
        device: str = "auto", random_state: Any = None
    ) -> None: ...  # fmt: skip

    hidden: int
    learning_rate_schedule: str
    buffer_size: int
    learning_starts: int
    batch_size: int
    train_every: int
    gradient_steps: int
    target_every: int
    exploration_start: float
    exploration_end: float
    exploration_share: float
    double: bool
    n_step: int
    averaging: float
    largest_norm: float | None

    def _build(self, n_features: int, n_actions: int) -> None:
        sizes = (n_features, self.hidden, self.hidden, n_actions)
        self.networks_ = Networks(sizes, 1, "relu", self._device, self.rng)
        self._target, self._average = (Networks(sizes, 1, "relu", self._device, self.rng) for _ in range(2))
        self._target.set(self.networks_.flat)
        self._average.set(self.networks_.flat)
        self._adam = Adam(self.networks_, ADAM_EPS, self.largest_norm)
        self._replay = ReplayBuffer(self.buffer_size, n_features, self.n_envs, self.n_step, self.discount)
        self._turns = 0

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(self._average.outputs(observations)[0])

    @property
    def epsilon(self) -> float:
        """The chance of a random action at this place of the training."""
        done = min(1.0, self.progress / self.exploration_share) if self.exploration_share > 0 else 1.0
        return self.exploration_start + done * (self.exploration_end - self.exploration_start)

    def _turn(self) -> None:
        for _ in range(max(1, self.train_every // self.n_envs)):
            seen = self._environments.observations
            random = self.rng.random(self.n_envs) < self.epsilon
            actions = self.rng.integers(self.n_actions_, size=self.n_envs)
            if not random.all():
                actions = np.where(random, actions, self.networks_.outputs(seen)[0].argmax(axis=1))
            self._replay.add(seen, actions, self._environments.step(actions))
            self._advance(self.n_envs)
            if self.n_steps_ >= self.n_steps_planned_:
                break
        if self.n_steps_ > self.learning_starts and len(self._replay):
            self._learn()

    def _learn(self) -> None:
        """Take the gradients of a turn; what does not change within it is computed for all batches at once."""
        torch = self.networks_.torch
        shape = (self.gradient_steps, self.batch_size)
        batches = Batch(*(torch.as_tensor(part, device=self._device) for part in self._replay.sample(shape, self.rng)))
        flat = batches.after.reshape(-1, self.n_features_)
        later = self._target.layers(flat)[-1][0].view(*shape, -1)
        best = None if self.double else later.max(dim=2).values
        n, rate = self.batch_size, self._rate(self.learning_rate, self.learning_rate_schedule)
        for k in range(self.gradient_steps):
            if best is None:
                choice = self.networks_.layers(batches.after[k])[-1][0].argmax(dim=1, keepdim=True)
                value = later[k].gather(1, choice)[:, 0]
            else:
                value = best[k]
            target = batches.returns[k] + batches.bootstrap[k] * value
            kept = self.networks_.layers(batches.seen[k])
            column = batches.actions[k][:, None]
            error = kept[-1][0].gather(1, column)[:, 0] - target
            slope = torch.zeros_like(kept[-1])
            slope[0].scatter_(1, column, error.clamp_(-1, 1).mul_(1 / n)[:, None])
            self.networks_.backward(kept, slope)
            self._adam.move(rate)
        self._turns += 1
        if self._turns % self.target_every == 0:
            self._target.set(self.networks_.flat)
        self._average.flat.lerp_(self.networks_.flat, max(1 - self.averaging, 1 / self._turns))

    def _state(self) -> dict[str, Any]:
        return {
            "flat": self.networks_.flat.cpu().numpy(),
            "target": self._target.flat.cpu().numpy(),
            "average": self._average.flat.cpu().numpy(),
            "turns": np.array(self._turns),
            **self._adam.state(),
            **self._replay.state(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.networks_.set(state["flat"])
        self._target.set(state["target"])
        self._average.set(state["average"])
        self._turns = int(state["turns"])
        self._adam.restore(state)
        self._replay.restore(state)
