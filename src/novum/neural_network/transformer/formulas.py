r"""Positions as a formula on arrays.

P[p, 2i] = sin(p / 10000^(2i/d)),   P[p, 2i+1] = cos(p / 10000^(2i/d))                                                   (1)
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "positional_encoding"]

LONGEST_WAVE = 10_000.0  # (1), in steps, over 2 pi: Vaswani and others 2017
Array = NDArray[np.float64]


def positional_encoding(n_positions: int, width: int) -> Array:
    """Return (1), the vectors of positions 0 to n_positions - 1, (n_positions, width); an odd width ends with a sine.

    Examples
    --------
    >>> from novum.neural_network import positional_encoding
    >>> positional_encoding(2, 4)[1].round(6)
    array([0.841471, 0.540302, 0.01    , 0.99995 ])
    """
    waves = LONGEST_WAVE ** (-np.arange(0, width, 2) / width)
    angles = np.arange(n_positions)[:, None] * waves
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n_positions, -1)[:, :width]
