"""A network without activations is one linear map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.neural_network.modules import Array, matrix

__all__ = ["collapse_linear"]


def collapse_linear(coefs: Sequence[Any], intercepts: Sequence[Any] | None = None) -> tuple[Array, Array]:
    """Return the one linear map (1) that a network without activations is: its weights and its shift.

        x W_1 W_2 ... W_L + b,   b = (... (b_1 W_2 + b_2) W_3 ...) + b_L    (1)

    Examples
    --------
    >>> from novum.teaching.neural_networks.linear_network import collapse_linear
    >>> collapse_linear([[[1.0, 2.0]], [[3.0], [4.0]]], [[0.5, 0.0], [1.0]])
    (array([[11.]]), array([2.5]))
    """
    factors = [matrix("collapse_linear", "coefs", w) for w in coefs]
    shifts = (
        [np.zeros(w.shape[1]) for w in factors] if intercepts is None else [np.asarray(b, float) for b in intercepts]
    )
    weights, shift = factors[0], shifts[0]
    for factor, more in zip(factors[1:], shifts[1:]):
        weights, shift = weights @ factor, shift @ factor + more
    return weights, shift
