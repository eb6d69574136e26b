"""Rows drawn from Gaussians given by their moments."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_gaussians"]


def draw_gaussians(rng: Any, counts: NDArray, means: NDArray, covariances: NDArray) -> NDArray:
    """Return `counts[k]` rows of every Gaussian, one below the other."""
    parts = []
    for count, mean, covariance in zip(counts, means, covariances):
        values, vectors = np.linalg.eigh(covariance)  # also where rounding has made it singular
        parts.append(mean + rng.standard_normal((count, len(mean))) * np.sqrt(np.maximum(values, 0)) @ vectors.T)
    return np.vstack(parts)
