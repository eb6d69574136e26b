r"""Update rules of stochastic optimization: how a gradient g becomes a move, w <- w + move.

    SGD       v <- alpha v - eta g;                              move = v                                       (1)
    Nesterov  v <- alpha v - eta g;                              move = alpha v - eta g                         (2)
    AdaGrad   r <- r + g^2;                                      move = -eta g / (sqrt(r) + eps)                 (3)
    RMSProp   r <- rho r + (1 - rho) g^2;                        move = -eta g / (sqrt(r) + eps)                 (4)
    Adam      m <- b1 m + (1 - b1) g;  r <- b2 r + (1 - b2) g^2;
              move = -eta m / (1 - b1^t) / (sqrt(r / (1 - b2^t)) + eps),    t = 1, 2, ...                       (5)

A rule is frozen parameters and two pure functions: `init(w)` makes the state (a tuple of arrays like w) and
`update(g, state, k)` returns move and next state at step k = 0, 1, ... eta may be a schedule of k. eps keeps a weight
whose gradient was always zero from dividing zero by zero.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.optimize.schedule_base import Schedule
from novum.optimize.schedules import as_schedule
from novum.runtime.checks import check_number

__all__ = ["SGD", "AdaGrad", "Adam", "RMSProp", "UpdateRule"]

Array = NDArray[Any]
State = tuple[Array, ...]


class UpdateRule:
    """How a gradient becomes a move; the base of all rules."""

    learning_rate: float | Schedule | Callable[[int], float]

    def rate(self, k: int) -> float:
        """Return eta at step k, as a Python float so that float32 weights stay float32."""
        return float(self.learning_rate(k)) if callable(self.learning_rate) else float(self.learning_rate)

    def init(self, weights: Array) -> State:
        """Return the state before the first step."""
        raise NotImplementedError

    def update(self, gradient: Array, state: State, k: int) -> tuple[Array, State]:
        """Return the move and the next state."""
        raise NotImplementedError


def _check(rule: Any, *shares: str) -> None:
    """Check eta, and parameters that lie in [0, 1)."""
    owner = type(rule).__name__
    as_schedule(owner, "learning_rate", rule.learning_rate)
    for name in shares:
        object.__setattr__(rule, name, check_number(owner, name, getattr(rule, name), 0, 1, open_high=True))
    if hasattr(rule, "epsilon"):
        object.__setattr__(rule, "epsilon", check_number(owner, "epsilon", rule.epsilon, 0, open_low=True))


@dataclass(frozen=True)
class SGD(UpdateRule):
    """Gradient steps (1), with momentum and Nesterov's look-ahead (2).

        SGD   v <- alpha v - eta g;   move = v    (1)
        Nesterov  v <- alpha v - eta g;   move = alpha v - eta g    (2)

    Under a constant gradient the steps grow towards eta / (1 - alpha) times it.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.optimize import SGD
    >>> rule, w = SGD(0.1, momentum=0.9), np.zeros(1)
    >>> state = rule.init(w)
    >>> for k in range(3):
    ...     move, state = rule.update(np.ones(1), state, k)
    ...     w = w + move
    >>> w.round(6)
    array([-0.561])
    """

    learning_rate: float | Schedule | Callable[[int], float] = 0.01
    momentum: float = 0.0
    nesterov: bool = False

    def __post_init__(self) -> None:
        _check(self, "momentum")
        if self.nesterov and self.momentum == 0:
            raise ParameterError("SGD(nesterov=True, momentum=0): looking ahead needs momentum; pass momentum > 0.")

    def init(self, weights: Array) -> State:
        """Return the velocity zero, or nothing where there is no momentum."""
        return (np.zeros_like(weights),) if self.momentum else ()

    def update(self, gradient: Array, state: State, k: int) -> tuple[Array, State]:
        """Return (1) or (2).

        SGD   v <- alpha v - eta g;   move = v    (1)
        Nesterov  v <- alpha v - eta g;   move = alpha v - eta g    (2)
        """
        pull = -self.rate(k) * gradient
        if not self.momentum:
            return pull, ()
        velocity = self.momentum * state[0] + pull
        return (self.momentum * velocity + pull if self.nesterov else velocity), (velocity,)


@dataclass(frozen=True)
class AdaGrad(UpdateRule):
    """Steps scaled by all past gradients (3): steep directions slow down, for good.

    AdaGrad   r <- r + g^2;   move = -eta g / (sqrt(r) + eps)    (3)
    """

    learning_rate: float | Schedule | Callable[[int], float] = 0.01
    epsilon: float = 1e-10

    def __post_init__(self) -> None:
        _check(self)

    def init(self, weights: Array) -> State:
        """Return the sum of squares zero."""
        return (np.zeros_like(weights),)

    def update(self, gradient: Array, state: State, k: int) -> tuple[Array, State]:
        """Return (3).

        AdaGrad   r <- r + g^2;   move = -eta g / (sqrt(r) + eps)    (3)
        """
        total = state[0] + np.square(gradient)
        return -self.rate(k) * gradient / (np.sqrt(total) + self.epsilon), (total,)


@dataclass(frozen=True)
class RMSProp(UpdateRule):
    """Steps scaled by recent gradients (4): AdaGrad that forgets.

    RMSProp   r <- rho r + (1 - rho) g^2;   move = -eta g / (sqrt(r) + eps)    (4)
    """

    learning_rate: float | Schedule | Callable[[int], float] = 0.001
    decay: float = 0.9
    epsilon: float = 1e-10

    def __post_init__(self) -> None:
        _check(self, "decay")

    def init(self, weights: Array) -> State:
        """Return the mean square zero."""
        return (np.zeros_like(weights),)

    def update(self, gradient: Array, state: State, k: int) -> tuple[Array, State]:
        """Return (4).

        RMSProp   r <- rho r + (1 - rho) g^2;   move = -eta g / (sqrt(r) + eps)    (4)
        """
        mean_square = self.decay * state[0] + (1 - self.decay) * np.square(gradient)
        return -self.rate(k) * gradient / (np.sqrt(mean_square) + self.epsilon), (mean_square,)


@dataclass(frozen=True)
class Adam(UpdateRule):
    """Momentum and scaling, both corrected for their start at zero (5).

    Adam   m <- b1 m + (1 - b1) g;  r <- b2 r + (1 - b2) g^2;
    move = -eta m / (1 - b1^t) / (sqrt(r / (1 - b2^t)) + eps),   t = 1, 2, ...    (5)
    """

    learning_rate: float | Schedule | Callable[[int], float] = 0.001
    beta_1: float = 0.9
    beta_2: float = 0.999
    epsilon: float = 1e-8

    def __post_init__(self) -> None:
        _check(self, "beta_1", "beta_2")

    def init(self, weights: Array) -> State:
        """Return mean and mean square zero."""
        return np.zeros_like(weights), np.zeros_like(weights)

    def update(self, gradient: Array, state: State, k: int) -> tuple[Array, State]:
        """Return (5).

        Adam   m <- b1 m + (1 - b1) g;  r <- b2 r + (1 - b2) g^2;
        move = -eta m / (1 - b1^t) / (sqrt(r / (1 - b2^t)) + eps),   t = 1, 2, ...    (5)
        """
        mean = self.beta_1 * state[0] + (1 - self.beta_1) * gradient
        mean_square = self.beta_2 * state[1] + (1 - self.beta_2) * np.square(gradient)
        scale = np.sqrt(mean_square / (1 - self.beta_2 ** (k + 1))) + self.epsilon
        return -self.rate(k) / (1 - self.beta_1 ** (k + 1)) * mean / scale, (mean, mean_square)
