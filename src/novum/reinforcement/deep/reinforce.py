r"""REINFORCE: the gradient of the expected return, from whole episodes.

    grad J = E sum_t grad log pi(a_t | s_t) (G_t - b(s_t)),   G_t = sum_k gamma^k r_{t+k}                                  (1)

b is any function of the state: it takes away variance and no bias. Here it is a second network that learns G, or nothing.
Derivation: docs/theory/policy_gradient.md. (The factor gamma^t that the discounted objective asks for is left out, as everybody
does.)
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Bool, Choice, Domain, Int, Null, Real
from novum.base.parameters import stores
from novum.reinforcement.deep.actor_critic import ADAM_EPS, POLICY_GAIN, loss_slope
from novum.reinforcement.deep.agent import SHARED, Agent, drawn_actions
from novum.reinforcement.deep.networks import Adam, Networks

__all__ = ["REINFORCE", "discounted_returns"]

VALUE_WEIGHT = 0.5


def discounted_returns(rewards: Any, discount: float) -> NDArray[np.float64]:
    """Return G of (1) at every step of an episode."""
    found, after = np.empty(len(rewards)), 0.0
    for t in reversed(range(len(rewards))):
        found[t] = after = rewards[t] + discount * after
    return found


class REINFORCE(Agent):
    """Policy gradients from whole episodes, with a baseline.

    Parameters
    ----------
    hidden : int, default=64
        Units of each of the two hidden layers.
    learning_rate : float, default=5e-3
    discount : float, default=0.99
    n_envs : int, default=8
        Episodes of a gradient, one in every copy of the environment.
    baseline : {"value", None}, default="value"
        b of (1).
    normalize : bool, default=True
        Whether G - b is scaled to mean zero and deviation one in every turn.
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
    >>> from novum.reinforcement import REINFORCE
    >>> agent = REINFORCE(random_state=0)  # doctest: +SKIP
    >>> agent.fit("CartPole-v1", 100_000).evaluate("CartPole-v1").mean() > 400  # doctest: +SKIP
    True
    """

    _domains: ClassVar[dict[str, Domain]] = {
        **SHARED,
        "hidden": Int(1),
        "baseline": Choice("value") | Null(),
        "normalize": Bool(),
        "largest_norm": Real(0, open="low") | Null(),
    }

    @stores
    def __init__(
        self, *, hidden: int = 64, learning_rate: float = 5e-3, discount: float = 0.99, n_envs: int = 8,
        baseline: str | None = "value", normalize: bool = True, largest_norm: float | None = 0.5,
        device: str = "auto", random_state: Any = None
    ) -> None: ...  # fmt: skip

    hidden: int
    baseline: str | None
    normalize: bool
    largest_norm: float | None

    def _build(self, n_features: int, n_actions: int) -> None:
        sizes = (n_features, self.hidden, self.hidden, n_actions)
        self.networks_ = Networks(sizes, 2, "tanh", self._device, self.rng, (POLICY_GAIN, 1.0))
        self._adam = Adam(self.networks_, ADAM_EPS, self.largest_norm)

    def _scores(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray(self.networks_.outputs(observations)[0])

    def _episodes(self) -> tuple[NDArray[Any], ...]:
        """Play one episode in every copy; return observations, actions and G of all their steps."""
        lines: list[list[tuple[Any, int, float]]] = [[] for _ in range(self.n_envs)]
        active, n = np.ones(self.n_envs, bool), 0
        while active.any():
            seen = self._environments.observations
            actions = np.where(active, drawn_actions(self._scores(seen), self.rng), -1)
            step = self._environments.step(actions)
            for k in np.flatnonzero(active):
                lines[k].append((seen[k], int(actions[k]), float(step.rewards[k])))
            n += int(active.sum())
            active &= ~(step.terminated | step.truncated)
        self._advance(n)
        flat = [item for line in lines for item in line]
        gains = np.concatenate([discounted_returns([r for *_, r in line], self.discount) for line in lines])
        return np.array([item[0] for item in flat]), np.array([item[1] for item in flat]), gains.astype(np.float32)

    def _turn(self) -> None:
        torch = self.networks_.torch
        seen, actions, returns = (torch.as_tensor(part, device=self._device) for part in self._episodes())
        kept = self.networks_.layers(seen)
        gains = returns - kept[-1][1, :, 0] if self.baseline == "value" else returns
        if self.normalize and len(gains) > 1:
            gains = (gains - gains.mean()) / (gains.std() + 1e-8)
        weight = VALUE_WEIGHT if self.baseline == "value" else 0.0
        slope = loss_slope(kept[-1], actions, gains, returns, None, 0.0, weight, 0.0)
        self.networks_.backward(kept, slope)
        self._adam.move(self.learning_rate)

    def _state(self) -> dict[str, Any]:
        return {"flat": self.networks_.flat.cpu().numpy(), **self._adam.state()}

    def _restore(self, state: dict[str, Any]) -> None:
        self.networks_.set(state["flat"])
        self._adam.restore(state)
