r"""One step down the loss of a policy with a value function: what REINFORCE, A2C and PPO share.

    loss = -mean log pi(a|s) A                                                                                                   (1)
    loss = -mean min(rho A, clip(rho, 1 - c, 1 + c) A),   rho = pi(a|s) / pi_old(a|s)                                            (2)
    both   + value_weight mean (V(s) - R)^2 - entropy_weight mean H(pi)                                                          (3)

Two networks of the same shape, whose first gives the logits of pi and whose second V. Derivation: docs/theory/policy_gradient.md.
"""

from typing import Any

from novum.reinforcement.deep.agent import NetworkAgent, Training
from novum.reinforcement.deep.networks import Adam, Networks

__all__ = ["PolicyAgent", "loss_slope"]

ADAM_EPS = 1e-5
POLICY_GAIN = 0.01  # of the first policy: nearly uniform


def loss_slope(
    outputs: Any,
    actions: Any,
    gains: Any,
    returns: Any,
    *,
    value_weight: float,
    entropy_weight: float = 0.0,
    old: Any = None,
    clip: float = 0.0,
) -> Any:
    """Return the gradient of (1), or (2) where the old log probabilities are given, and (3) by the outputs of actor and critic.

    By the log probability of the action taken: -A of (1), -rho A of (2) where the cut does not hold; by the logits that times
    (1[b = a] - pi_b).
    """
    log_all = outputs[0].log_softmax(dim=1)
    pi, n = log_all.exp(), len(actions)
    column = actions[:, None]
    if old is None:
        by_log_probability = gains * (-1 / n)
    else:
        ratio = (log_all.gather(1, column)[:, 0] - old).exp_()
        excess = (ratio - 1) * gains.sign()  # how far the ratio has gone where the advantage points
        by_log_probability = ratio * gains * (excess <= clip) * (-1 / n)
    slope = outputs.new_zeros(outputs.shape)
    slope[0] = pi * -by_log_probability[:, None]
    slope[0].scatter_add_(1, column, by_log_probability[:, None])
    if entropy_weight:
        slope[0] += entropy_weight / n * pi * (log_all - (pi * log_all).sum(dim=1, keepdim=True))
    slope[1, :, 0] = (outputs[1, :, 0] - returns) * (2 * value_weight / n)
    return slope


class PolicyAgent(NetworkAgent):
    """Base of agents that go down (1) or (2), with (3)."""

    hidden: int
    largest_norm: float | None

    def _build(self, training: Training) -> None:
        sizes = (self.n_features_, self.hidden, self.hidden, self.n_actions_)
        training.networks = Networks(sizes, 2, "tanh", training.device, training.rng, (POLICY_GAIN, 1.0))
        training.adam = Adam(training.networks, ADAM_EPS, self.largest_norm)

    def _descend(
        self, training: Training, rate: float, kept: Any, actions: Any, gains: Any, returns: Any, **terms: Any
    ) -> None:
        """Go one step of length `rate` down the loss at the layers that were kept; `terms` are those of `loss_slope`."""
        training.networks.backward(kept, loss_slope(kept[-1], actions, gains, returns, **terms))
        training.adam.move(rate)

    def _state(self, training: Training) -> dict[str, Any]:
        return {"flat": training.networks.flat.cpu().numpy(), **training.adam.state()}

    def _restore(self, training: Training, state: dict[str, Any]) -> None:
        training.networks.set(state["flat"])
        training.adam.restore(state)
