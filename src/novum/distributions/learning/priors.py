r"""Modes of posteriors of probabilities, shared by the families that count.

    Beta(a, b) and h successes, t failures:   p = (h + a - 1) / (h + t + a + b - 2)                (1)
    Dirichlet(alpha) and counts N:   p_k = (N_k + alpha_k - 1) / sum_j (N_j + alpha_j - 1)         (2)

A count below one half of a peak (h + a < 1) puts the mode on the edge, p = 0, as long as the other side has one.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["beta_mode", "dirichlet_mode", "gamma_mode"]


def beta_mode(family: str, successes: NDArray, failures: NDArray, prior: Any) -> NDArray:
    """Return (1)."""
    return dirichlet_mode(family, np.stack([successes, failures], -1), np.stack([prior.a, prior.b], -1))[..., 0]


def dirichlet_mode(family: str, counts: NDArray, alpha: NDArray) -> NDArray:
    """Return (2)."""
    peak = np.maximum(counts + alpha - 1, 0.0)
    total = peak.sum(axis=-1, keepdims=True)
    if (total <= 0).any():
        raise DataError(
            f"{family}: the posterior has no single mode (every count plus its prior parameter is at most one); give a prior"
            f" with parameters above 1, or more data."
        )
    return peak / total


def gamma_mode(family: str, total: NDArray, mass: NDArray, prior: Any) -> NDArray:
    """Return the mode (total + a - 1) / (mass + b) of the Gamma posterior of a rate."""
    peak = total + prior.shape - 1
    if (peak <= 0).any():
        raise DataError(
            f"{family}: the posterior of the rate grows without bound towards zero; give a Gamma prior with shape above 1."
        )
    return peak / (mass + prior.rate)
