r"""Activations that saturate on both sides.

    sigmoid s(x) = 1 / (1 + exp(-x)),    s' = s(x) s(-x),   s(-x) = 1 - s(x),   inverse log(p / (1 - p))      (1)
    tanh    h(x) = 2 s(2x) - 1,          h' = 4 s(2x) s(-2x) = 1 - h^2                                        (2)

The derivatives are products of two sigmoids because 1 - s and 1 - h^2 cancel in the tails: at x = 40 the textbook forms
give exactly 0, the products exp(-40) and 4 exp(-80).
"""

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit

from novum.activations.base import Activation, Array
from novum.runtime.checks import float_array

__all__ = ["Sigmoid", "Tanh", "sigmoid", "tanh"]


class Sigmoid(Activation):
    """The logistic sigmoid (1).

        sigmoid s(x) = 1 / (1 + exp(-x)),   s' = s(x) s(-x),   s(-x) = 1 - s(x),   inverse log(p / (1 - p))    (1)

    Examples
    --------
    >>> from novum.activations import sigmoid
    >>> sigmoid([-800.0, 0.0, 800.0]), sigmoid.derivative(0.0)
    (array([0. , 0.5, 1. ]), np.float64(0.25))
    """

    name: ClassVar[str] = "sigmoid"

    def _value(self, x: Array) -> Array:
        return expit(x)

    def _derivative(self, x: Array) -> Array:
        return expit(x) * expit(-x)

    def inverse(self, probability: Any) -> Array:
        """Return the logit log(p / (1 - p)); infinite at 0 and 1, NaN outside [0, 1]."""
        return logit(float_array("sigmoid.inverse", "probability", probability))


class Tanh(Activation):
    """The hyperbolic tangent (2).

        tanh   h(x) = 2 s(2x) - 1,   h' = 4 s(2x) s(-2x) = 1 - h^2    (2)

    Examples
    --------
    >>> from novum.activations import tanh
    >>> tanh([-1.0, 0.0, 1.0]).round(6), tanh.derivative(0.0)
    (array([-0.761594,  0.      ,  0.761594]), np.float64(1.0))
    """

    name: ClassVar[str] = "tanh"

    def _value(self, x: Array) -> Array:
        return np.tanh(x)

    def _derivative(self, x: Array) -> Array:
        with np.errstate(over="ignore"):  # 2x may overflow to infinity, where the sigmoid is exact
            double = 2 * x
        return 4 * expit(double) * expit(-double)


sigmoid = Sigmoid()
tanh = Tanh()
