r"""The shape of a tail: a generalised Pareto distribution fitted to the largest of many numbers.

    P(X > u + x | X > u) ~ (1 + k x / sigma)^(-1/k)                                                                       (1)

Moments of order 1/k and above do not exist. k by the posterior mean of Zhang and Stephens (2009), drawn towards one half as by ten
draws (Vehtari and others 2024).
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

__all__ = ["LEAST_TAIL", "pareto_shape"]

LEAST_TAIL = 5  # draws in the tail: fewer say nothing about its shape


def pareto_shape(log_weights: NDArray[np.float64]) -> float:
    """Return the shape of a generalised Pareto distribution fitted to the largest weights."""
    n = log_weights.size
    tail = int(np.ceil(min(0.2 * n, 3 * np.sqrt(n))))
    if tail < LEAST_TAIL:
        return float("nan")
    ordered = np.sort(log_weights - log_weights.max())[-tail - 1 :]
    x = np.exp(ordered[1:]) - np.exp(ordered[0])
    if not x[0] > 0:
        x = x[x > 0]
        if x.size < LEAST_TAIL:
            return float("nan") if np.ptp(log_weights) else 0.0
    m = x.size
    n_grid = 30 + int(np.sqrt(m))
    quarter = x[int(m / 4 + 0.5) - 1]
    theta = 1 / x[-1] + (1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))) / (3 * quarter)
    k = np.log1p(-theta[:, None] * x).mean(axis=1)
    profile = m * (np.log(-theta / k) - k - 1)
    best = float(np.sum(theta * np.exp(profile - logsumexp(profile))))
    shape = float(np.log1p(-best * x).mean())
    return (m * shape + 10 * 0.5) / (m + 10)  # the prior of Vehtari and others: ten draws of shape one half
