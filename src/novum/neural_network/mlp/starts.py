r"""Weights to begin from.

    glorot   w ~ U(-r, r),  r = sqrt(6 / (n + m)),  variance 2 / (n + m) for n inputs and m outputs of a layer        (1)
    he       w ~ N(0, 2 / n): a rectifier passes half of the variance                                                  (2)
    normal   w ~ N(0, 0.01^2): sigmoids begin in their linear range                                                    (3)
    sparse   every unit has at most 15 incoming weights N(0, 1 / 15), the others zero: units differ from each other     (4)

With zero weights all units of a layer compute the same and are changed alike, for ever. Shifts begin at zero but for (1), which
draws them as scikit-learn does; its r has a 2 in place of the 6 where the activation is the logistic function. Derivations:
docs/theory/backpropagation.md.
"""

import itertools
from collections.abc import Sequence

import numpy as np

from novum.activations import Activation, get_activation
from novum.exceptions import ParameterError
from novum.runtime.checks import check_count
from novum.runtime.random import numpy_state
from novum.runtime.typing import Seed

__all__ = ["STARTS", "draw_weights", "initialize"]

STARTS = ("glorot", "he", "normal", "sparse")
SMALL = 0.01
INCOMING = 15  # of a unit, in (4)


def glorot_limit(fan_in: int, fan_out: int, activation: Activation) -> float:
    """Return r of (1)."""
    return float(np.sqrt((2.0 if activation.name == "sigmoid" else 6.0) / (fan_in + fan_out)))


def draw_weights(
    init: str, fan_in: int, fan_out: int, activation: Activation, random: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Return weights (fan_in, fan_out) and shifts (fan_out,) of one layer by (1) to (4)."""
    shape = (fan_in, fan_out)
    if init == "glorot":
        limit = glorot_limit(fan_in, fan_out, activation)
        return random.uniform(-limit, limit, shape), random.uniform(-limit, limit, fan_out)
    if init == "he":
        return random.normal(0.0, np.sqrt(2 / fan_in), shape), np.zeros(fan_out)
    if init == "normal":
        return random.normal(0.0, SMALL, shape), np.zeros(fan_out)
    kept = min(INCOMING, fan_in)
    weights = np.zeros(shape)
    for unit in range(fan_out):
        weights[random.choice(fan_in, kept, replace=False), unit] = random.normal(0.0, np.sqrt(1 / kept), kept)
    return weights, np.zeros(fan_out)


def initialize(
    units: Sequence[int], init: str = "glorot", *, activation: str | Activation = "relu", random_state: Seed = None
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return weights and shifts of every layer of a network by (1) to (4).

        glorot   w ~ U(-r, r),  r = sqrt(6 / (n + m)),   he   w ~ N(0, 2 / n),   normal   w ~ N(0, 0.01^2)    (1, 2, 3)

    Parameters
    ----------
    units : sequence of int
        Of every layer, input and output included.
    init : {"glorot", "he", "normal", "sparse"}, default="glorot"
    activation : str or Activation, default="relu"
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    coefs, intercepts : list of arrays of shape (n_in, n_out) and (n_out,)

    Examples
    --------
    >>> from novum.neural_network.mlp.starts import initialize
    >>> coefs, _ = initialize([300, 100], random_state=0)
    >>> bool(abs(coefs[0]).max() < 0.122475), round(float(coefs[0].var()), 3)
    (True, 0.005)
    """
    if init not in STARTS:
        raise ParameterError(f"initialize(init={init!r}): use one of {', '.join(STARTS)}.")
    sizes = [check_count("initialize", "units", n, 1) for n in units]
    if len(sizes) < 2:
        raise ParameterError(f"initialize(units={sizes}): a network has an input and an output layer at least.")
    random, found = numpy_state(random_state), get_activation(activation)
    layers = [draw_weights(init, n, m, found, random) for n, m in itertools.pairwise(sizes)]
    return [w for w, _ in layers], [b for _, b in layers]
