r"""Activations that are linear on the right.

    relu(x)       = max(x, 0),                           derivative 1 for x > 0, else 0                     (1)
    leaky_relu(x) = x if x > 0 else slope x,             derivative 1 or slope (at 0: slope)                (2)
    elu(x)        = x if x > 0 else alpha (exp(x) - 1),  derivative 1 or alpha exp(x) (at 0: alpha)          (3)
    selu(x)       = lambda elu(x; alpha*)                                                                   (4)
    softplus(x)   = log(1 + exp(x)),                     derivative s(x)                                    (5)
    gelu(x)       = x Phi(x),                            derivative Phi(x) + x phi(x)                        (6)

In (4) alpha* and lambda make mean 0 and variance 1 a fixed point for a standard normal input:
docs/theory/losses.md#activations derives the closed forms behind SELU_ALPHA and SELU_SCALE.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit, ndtr

from novum.activations.base import Activation, Array, indicator
from novum.runtime.checks import check_number

__all__ = [
    "ELU",
    "GELU",
    "SELU",
    "LeakyReLU",
    "ReLU",
    "Softplus",
    "elu",
    "gelu",
    "leaky_relu",
    "relu",
    "selu",
    "softplus",
]

SELU_ALPHA = 1.6732632423543772848170429916717  # the fixed point of (4), to more digits than a double holds
SELU_SCALE = 1.0507009873554804934193349852946
NORMAL_EDGE = 40.0  # exp(-40^2 / 2) is 0 in double precision: beyond it the density is 0 and x^2 need not overflow


class ReLU(Activation):
    """Rectified linear unit (1); the derivative at 0 is 0.

        relu(x)   = max(x, 0),   derivative 1 for x > 0, else 0    (1)

    Examples
    --------
    >>> from novum.activations import relu
    >>> relu([-2.0, 0.0, 3.0]), relu.derivative([-2.0, 0.0, 3.0])
    (array([0., 0., 3.]), array([0., 0., 1.]))
    """

    name: ClassVar[str] = "relu"

    def _value(self, x: Array) -> Array:
        return np.maximum(x, 0)

    def _derivative(self, x: Array) -> Array:
        return indicator(x > 0, x)


@dataclass(frozen=True, repr=False)
class LeakyReLU(Activation):
    """Leaky rectified linear unit (2).

    leaky_relu(x) = x if x > 0 else slope x,   derivative 1 or slope (at 0: slope)    (2)
    """

    slope: float = 0.01
    name: ClassVar[str] = "leaky_relu"

    def __post_init__(self) -> None:
        object.__setattr__(self, "slope", check_number("LeakyReLU", "slope", self.slope, 0))

    def _value(self, x: Array) -> Array:
        return np.where(x > 0, x, self.slope * x)

    def _derivative(self, x: Array) -> Array:
        return np.where(x > 0, x.dtype.type(1), x.dtype.type(self.slope))


@dataclass(frozen=True, repr=False)
class ELU(Activation):
    """Exponential linear unit (3).

    elu(x)   = x if x > 0 else alpha (exp(x) - 1),  derivative 1 or alpha exp(x) (at 0: alpha)    (3)
    """

    alpha: float = 1.0
    name: ClassVar[str] = "elu"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", check_number("ELU", "alpha", self.alpha, 0))

    def _value(self, x: Array) -> Array:
        return np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0)))

    def _derivative(self, x: Array) -> Array:
        return np.where(x > 0, x.dtype.type(1), self.alpha * np.exp(np.minimum(x, 0)))


class SELU(Activation):
    """Self-normalising exponential linear unit (4).

    selu(x)   = lambda elu(x; alpha*)    (4)
    """

    name: ClassVar[str] = "selu"
    _elu: ClassVar[ELU] = ELU(SELU_ALPHA)

    def _value(self, x: Array) -> Array:
        with np.errstate(over="ignore"):  # the largest doubles times 1.05 are infinite
            return SELU_SCALE * self._elu._value(x)

    def _derivative(self, x: Array) -> Array:
        return SELU_SCALE * self._elu._derivative(x)


class Softplus(Activation):
    """Softplus (5): the smooth rectifier.

    softplus(x)   = log(1 + exp(x)),   derivative s(x)    (5)
    """

    name: ClassVar[str] = "softplus"

    def _value(self, x: Array) -> Array:
        return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)

    def _derivative(self, x: Array) -> Array:
        return expit(x)


class GELU(Activation):
    """Gaussian error linear unit (6), exact.

    gelu(x)   = x Phi(x),   derivative Phi(x) + x phi(x)    (6)
    """

    name: ClassVar[str] = "gelu"

    def _value(self, x: Array) -> Array:
        return x * ndtr(x)

    def _derivative(self, x: Array) -> Array:
        near = np.clip(x, -NORMAL_EDGE, NORMAL_EDGE)
        return ndtr(x) + near * np.exp(-np.square(near) / 2) / float(np.sqrt(2 * np.pi))


relu = ReLU()
leaky_relu = LeakyReLU()
elu = ELU()
selu = SELU()
softplus = Softplus()
gelu = GELU()
