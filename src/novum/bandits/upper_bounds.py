r"""Divergences of rewards, and the upper bound of KL-UCB.

    kl(p, q) = p log(p / q) + (1 - p) log((1 - p) / (1 - q))                                                             (1)
    U(p, c)  = max {q : kl(p, q) <= c}                                                                                   (2)
(2) is solved in cpp/include/novum/bandits/divergence.h.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import rel_entr

from novum import _core

__all__ = ["bernoulli_divergence", "bernoulli_upper"]


def bernoulli_divergence(p: float, q: float) -> float:
    """Return (1)."""
    return float(rel_entr(p, q) + rel_entr(1 - p, 1 - q))


def bernoulli_upper(p: NDArray[np.float64], c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (2) of every pair."""
    out = np.empty(p.size)
    _core.bandits.simulation.bernoulli_upper(np.ascontiguousarray(p), np.ascontiguousarray(c), out)
    return out
