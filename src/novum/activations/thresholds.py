r"""Activations that decide, and the one that does nothing.

    sign(x)     = +1 if x >= 0 else -1          (1)
    step(x)     =  1 if x >= 0 else  0          (2)
    identity(x) =  x                            (3)

A unit that decides needs a class at x = 0 too, so sign(0) = +1 by default; `Sign(at_zero=0)` and `Step(at_zero=0.5)`
give the symmetric versions. Both have the derivative 0 almost everywhere: they cannot be trained by gradients.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from novum.activations.base import Activation, Array
from novum.runtime.checks import check_number

__all__ = ["Identity", "Sign", "Step", "identity", "sign", "step"]


@dataclass(frozen=True, repr=False)
class Sign(Activation):
    """The sign (1) of a perceptron's output.

    sign(x)   = +1 if x >= 0 else -1    (1)
    """

    at_zero: float = 1.0
    name: ClassVar[str] = "sign"
    trainable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_zero", check_number("Sign", "at_zero", self.at_zero, -1, 1))

    def _value(self, x: Array) -> Array:
        return np.where(x == 0, x.dtype.type(self.at_zero), np.sign(x))

    def _derivative(self, x: Array) -> Array:
        return np.zeros_like(x)


@dataclass(frozen=True, repr=False)
class Step(Activation):
    """The Heaviside step (2): the unit fires or does not.

    step(x)   =  1 if x >= 0 else  0    (2)
    """

    at_zero: float = 1.0
    name: ClassVar[str] = "step"
    trainable: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "at_zero", check_number("Step", "at_zero", self.at_zero, 0, 1))

    def _value(self, x: Array) -> Array:
        return np.heaviside(x, x.dtype.type(self.at_zero))

    def _derivative(self, x: Array) -> Array:
        return np.zeros_like(x)


class Identity(Activation):
    """The identity (3) of a regression output.

    identity(x) =  x    (3)
    """

    name: ClassVar[str] = "identity"

    def _value(self, x: Array) -> Array:
        return x.copy()

    def _derivative(self, x: Array) -> Array:
        return np.ones_like(x)


sign = Sign()
step = Step()
identity = Identity()
