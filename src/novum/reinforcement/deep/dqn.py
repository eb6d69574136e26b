r"""Deep Q-learning: a network for the values of actions, taught by its own best guesses.

    target  y = R + bootstrap max_a Q_old(s', a)                          the target network is an older copy           (1)
    double  y = R + bootstrap Q_old(s', argmax_a Q(s', a))                                                              (2)
    loss    mean H(Q(s, a) - y),   H(e) = e^2 / 2 where |e| <= 1, else |e| - 1/2;   y is not differentiated             (3)

R and bootstrap: (1) of `replay`. Actions while it learns: any with probability `exploration`, which falls linearly, else the best.
The notes' error 1/2 (R + gamma max Q(s', .) - Q(s, a))^2 is (3) near zero; far out its slope is cut to one.
"""

from typing import Any, Literal

import numpy as np

from novum.base.domains import Bool, Domain, Instance, Int, Null, Real
from novum.optimize.schedule_base import Schedule
from novum.reinforcement.deep.agent import SHARED, NetworkAgent, Training
from novum.reinforcement.deep.networks import Adam, Networks
from novum.reinforcement.deep.replay import Batch, ReplayBuffer
from novum.reinforcement.schedules import as_schedule
from novum.runtime.typing import Seed

__all__ = ["DQN"]

ADAM_EPS = 1e-8
LEARNING_RATE = Schedule("linear", 2.3e-3, 0.0)
EXPLORATION = Schedule("linear", 1.0, 0.04)


class DQN(NetworkAgent):
    """Deep Q-learning with replay, a target network, and optionally double estimates and returns over several steps.

    Parameters
    ----------
    total_steps : int, default=50000
        Steps of all copies together that are learned from.
    max_steps : int, default=10000
        Steps after which an episode is cut; what would follow is still counted on.
    hidden : int, default=256
        Units of each of the two hidden layers.
    learning_rate : float or Schedule, default=Schedule("linear", 2.3e-3, 0.0)
        By steps of the training.
    discount : float, default=0.99
        What a reward is worth a step later.
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
    exploration : float or Schedule, default=Schedule("linear", 1.0, 0.04)
        The share of random actions (epsilon), by steps of the training.
    exploration_share : float, default=0.16
        The share of the training after which a linear schedule is at its end.
    double : bool, default=False
        (2) instead of (1).
    n_steps : int, default=3
        Steps of a return.
    averaging : float, default=0.97
        Share of the old weights in the running average, a turn at a time, that `predict` and `evaluate` use: the last weights
        alone are at the mercy of the last batches (Polyak and Juditsky 1992).
    largest_norm : float or None, default=10.0
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
    >>> from novum.reinforcement import DQN
    >>> agent = DQN(total_steps=50_000, double=True, random_state=0)  # doctest: +SKIP
    >>> agent.fit("CartPole-v1").evaluate("CartPole-v1").mean  # doctest: +SKIP
    500.0
    """

    _tags = ("model-free", "off-policy", "online", "approximate", "value-based", "control")
    _domains: dict[str, Domain] = {
        **SHARED,
        "hidden": Int(1),
        "buffer_size": Int(1),
        "learning_starts": Int(0),
        "batch_size": Int(1),
        "train_every": Int(1),
        "gradient_steps": Int(1),
        "target_every": Int(1),
        "exploration": Real(0, 1) | Instance(Schedule),
        "exploration_share": Real(0, 1),
        "double": Bool(),
        "n_steps": Int(1),
        "averaging": Real(0, 1, open="high"),
        "largest_norm": Real(0, open="low") | Null(),
    }

    def __init__(
        self,
        *,
        total_steps: int = 50_000,
        max_steps: int = 10_000,
        hidden: int = 256,
        learning_rate: float | Schedule = LEARNING_RATE,
        discount: float = 0.99,
        n_envs: int = 1,
        buffer_size: int = 100_000,
        learning_starts: int = 1000,
        batch_size: int = 64,
        train_every: int = 256,
        gradient_steps: int = 128,
        target_every: int = 1,
        exploration: float | Schedule = EXPLORATION,
        exploration_share: float = 0.16,
        double: bool = False,
        n_steps: int = 3,
        averaging: float = 0.97,
        largest_norm: float | None = 10.0,
        device: Literal["auto", "cpu", "cuda"] = "auto",
        random_state: Seed = None,
    ) -> None:
        self.total_steps = total_steps
        self.max_steps = max_steps
        self.hidden = hidden
        self.learning_rate = learning_rate
        self.discount = discount
        self.n_envs = n_envs
        self.buffer_size = buffer_size
        self.learning_starts = learning_starts
        self.batch_size = batch_size
        self.train_every = train_every
        self.gradient_steps = gradient_steps
        self.target_every = target_every
        self.exploration = exploration
        self.exploration_share = exploration_share
        self.double = double
        self.n_steps = n_steps
        self.averaging = averaging
        self.largest_norm = largest_norm
        self.device = device
        self.random_state = random_state

    _activation = "relu"

    def _build(self, training: Training) -> None:
        sizes = (self.n_features_, self.hidden, self.hidden, self.n_actions_)
        training.networks = Networks(sizes, 1, "relu", training.device, training.rng)
        training.target, training.average = (
            Networks(sizes, 1, "relu", training.device, training.rng) for _ in range(2)
        )
        training.target.set(training.networks.flat)
        training.average.set(training.networks.flat)
        training.adam = Adam(training.networks, ADAM_EPS, self.largest_norm)
        training.replay = ReplayBuffer(self.buffer_size, self.n_features_, self.n_envs, self.n_steps, self.discount)
        training.turns = 0

    def _acting(self, training: Training) -> Networks:
        return training.average

    def _explorations(self, ahead: Any) -> Any:
        """Return the shares of random actions, so many steps ahead of this place of the training."""
        end = self.exploration_share * self.total_steps + 1
        return as_schedule(self.exploration).at(self.total_steps_ + 1.0 + ahead, end)

    def _turn(self, training: Training) -> None:
        environments, rng = training.environments, training.rng
        count = max(1, self.train_every // self.n_envs)
        for exploration in self._explorations(self.n_envs * np.arange(count)):
            seen = environments.observations
            random = rng.random(self.n_envs) < exploration
            actions = rng.integers(self.n_actions_, size=self.n_envs)
            if not random.all():
                actions = np.where(random, actions, training.networks.outputs(seen)[0].argmax(axis=1))
            training.replay.add(seen, actions, environments.step(actions))
            self._advance(training, self.n_envs)
            if self.total_steps_ >= self.total_steps:
                break
        if self.total_steps_ > self.learning_starts and len(training.replay):
            self._learn(training)

    def _learn(self, training: Training) -> None:
        """Take the gradients of a turn; what does not change within it is computed for all batches at once."""
        torch = training.networks.torch
        shape = (self.gradient_steps, self.batch_size)
        batches = Batch(
            *(torch.as_tensor(part, device=training.device) for part in training.replay.sample(shape, training.rng))
        )
        flat = batches.after.reshape(-1, self.n_features_)
        later = training.target.layers(flat)[-1][0].view(*shape, -1)
        best = None if self.double else later.max(dim=2).values
        n, rate = self.batch_size, self._scheduled(self.learning_rate)
        for k in range(self.gradient_steps):
            if best is None:
                choice = training.networks.layers(batches.after[k])[-1][0].argmax(dim=1, keepdim=True)
                value = later[k].gather(1, choice)[:, 0]
            else:
                value = best[k]
            target = batches.returns[k] + batches.bootstrap[k] * value
            kept = training.networks.layers(batches.seen[k])
            column = batches.actions[k][:, None]
            error = kept[-1][0].gather(1, column)[:, 0] - target
            slope = torch.zeros_like(kept[-1])
            slope[0].scatter_(1, column, error.clamp_(-1, 1).mul_(1 / n)[:, None])
            training.networks.backward(kept, slope)
            training.adam.move(rate)
        training.turns += 1
        if training.turns % self.target_every == 0:
            training.target.set(training.networks.flat)
        training.average.flat.lerp_(training.networks.flat, max(1 - self.averaging, 1 / training.turns))

    def _state(self, training: Training) -> dict[str, Any]:
        return {
            "flat": training.networks.flat.cpu().numpy(),
            "target": training.target.flat.cpu().numpy(),
            "average": training.average.flat.cpu().numpy(),
            "turns": np.array(training.turns),
            **training.adam.state(),
            **training.replay.state(),
        }

    def _restore(self, training: Training, state: dict[str, Any]) -> None:
        training.networks.set(state["flat"])
        training.target.set(state["target"])
        training.average.set(state["average"])
        training.turns = int(state["turns"])
        training.adam.restore(state)
        training.replay.restore(state)
