r"""Softmax: scores to a distribution, along an axis.

    y[k] = exp(x[k]) / sum_j exp(x[j])  =  exp(x[k] - max x) / sum_j exp(x[j] - max x)          (1)
    dy[k] / dx[j] = y[k] ([k = j] - y[j]),     vjp: y * (cotangent - sum_j cotangent[j] y[j])   (2)
    log y[k] = x[k] - max x - log sum_j exp(x[j] - max x)                                        (3)

The shift by the maximum changes nothing but keeps every exponential in [0, 1].
"""

from typing import Any, ClassVar

import numpy as np

from novum.activations.base import Activation, Array
from novum.exceptions import DataError
from novum.runtime.checks import float_array
from novum.runtime.softmax import log_softmax_and_softmax, softmax_rows
from novum.runtime.typing import Numbers

__all__ = ["Softmax", "log_softmax", "softmax"]


def _scores(x: Any, axis: int) -> Array:
    x = float_array("softmax", "x", x)
    if x.ndim == 0 or not -x.ndim <= axis < x.ndim or x.shape[axis] == 0:
        raise DataError(f"softmax: x has shape {x.shape}, axis is {axis}; it needs at least one score along that axis.")
    return x


class Softmax(Activation):
    """Softmax (1) along an axis.

        y[k] = exp(x[k]) / sum_j exp(x[j])  =  exp(x[k] - max x) / sum_j exp(x[j] - max x)    (1)

    Examples
    --------
    >>> from novum.activations import softmax
    >>> softmax([2.0, 1.0, 0.0]).round(6)
    array([0.665241, 0.244728, 0.090031])
    """

    name: ClassVar[str] = "softmax"
    elementwise: ClassVar[bool] = False

    def __call__(self, x: Any, axis: int = -1) -> Array:
        """Return (1)."""
        x = np.moveaxis(_scores(x, axis), axis, -1)
        return np.moveaxis(softmax_rows(x), -1, axis)

    def derivative(self, x: Numbers) -> Array:
        """Return the Jacobian (2) along the last axis, shape (..., k, k).

        dy[k] / dx[j] = y[k] ([k = j] - y[j]),   vjp: y * (cotangent - sum_j cotangent[j] y[j])    (2)
        """
        y = self(x)
        return y[..., :, None] * (np.eye(y.shape[-1], dtype=y.dtype) - y[..., None, :])

    def vjp(self, x: Numbers, cotangent: Numbers, axis: int = -1) -> Array:
        """Return (2) without the Jacobian.

        dy[k] / dx[j] = y[k] ([k = j] - y[j]),   vjp: y * (cotangent - sum_j cotangent[j] y[j])    (2)
        """
        y = self(x, axis)
        cotangent = float_array("softmax.vjp", "cotangent", cotangent).astype(y.dtype, copy=False)
        return y * (cotangent - (cotangent * y).sum(axis=axis, keepdims=True))


def log_softmax(x: Numbers, axis: int = -1) -> Array:
    """Return (3), finite where the softmax itself underflows.

        log y[k] = x[k] - max x - log sum_j exp(x[j] - max x)    (3)

    Examples
    --------
    >>> from novum.activations import log_softmax
    >>> log_softmax([0.0, -1000.0])
    array([    0., -1000.])
    """
    x = np.moveaxis(_scores(x, axis), axis, -1)
    return np.moveaxis(log_softmax_and_softmax(x)[0], -1, axis)


softmax = Softmax()
