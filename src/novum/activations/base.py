"""What every activation offers: the function, its derivative, and the product backpropagation needs.

    derivative(x)           h'(x), elementwise; at a kink the documented side          (1)
    vjp(x, cotangent)       sum_i cotangent[i] d h[i] / d x[j]                          (2)

For an elementwise activation (2) is cotangent * h'(x). Functions keep the float precision of their argument. Tails are
computed without cancellation or overflow: a derivative that is tiny is small in value, not zero by rounding.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novum.runtime.checks import float_array
from novum.runtime.typing import Numbers

__all__ = ["Activation"]

Array = NDArray[Any]


class Activation:
    """An activation function; call it on numbers or arrays.

    Attributes
    ----------
    name : str
    elementwise : bool
        False where an output depends on other inputs (softmax).
    trainable : bool
        False where the derivative is zero almost everywhere, so that gradients cannot pass (sign, step).
    """

    name: ClassVar[str] = ""
    elementwise: ClassVar[bool] = True
    trainable: ClassVar[bool] = True

    def __call__(self, x: Numbers) -> Array:
        """Return h(x)."""
        return self._value(float_array(self.name, "x", x))[()]

    def derivative(self, x: Numbers) -> Array:
        """Return (1).

        derivative(x)   h'(x), elementwise; at a kink the documented side    (1)
        """
        return self._derivative(float_array(self.name, "x", x))[()]

    def vjp(self, x: Numbers, cotangent: Numbers) -> Array:
        """Return (2).

        vjp(x, cotangent)   sum_i cotangent[i] d h[i] / d x[j]    (2)
        """
        x = float_array(self.name, "x", x)
        cotangent = float_array(self.name, "cotangent", cotangent).astype(x.dtype, copy=False)
        return (cotangent * self._derivative(x))[()]

    def _value(self, x: Array) -> Array:
        raise NotImplementedError

    def _derivative(self, x: Array) -> Array:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self.name


def indicator(condition: Any, like: Array) -> Array:
    """Return 1 where the condition holds, else 0, in the dtype of `like`."""
    return np.asarray(condition).astype(like.dtype)
