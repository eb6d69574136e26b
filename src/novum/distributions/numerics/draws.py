r"""Draws of the standard families from counter-based streams: each depends on its seed, row and column alone.

Gamma variates of shape a >= 1 (Marsaglia and Tsang 2000), with d = a - 1/3, c = 1/sqrt(9 d), z normal, u uniform:

    v = (1 + c z)^3;   accept d v   if   log u < z^2/2 + d (1 - v + log v)                         (1)

An accepted proposal has the distribution of Gamma(a); where the first one is refused (less than one in twenty) the draw is the
quantile of a second uniform number, which has that distribution too: so one round is enough and the result is exact. Below one,

    log Gamma(a) = log Gamma(a + 1) + log(u) / a                                                   (2)

in logarithms, because the numbers themselves underflow for small a.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincinv

from novum.runtime.random import Stream

__all__ = ["log_gamma_draws", "smallest_at_least"]


def log_gamma_draws(stream: Stream, purpose: str, shape: NDArray, count: int) -> NDArray:
    """Return the logarithms of `count` standard Gamma draws for every shape parameter, (count, *shape.shape), by (1), (2)."""
    flat = shape.reshape(-1)
    columns = flat.size
    raised = np.where(flat < 1, flat + 1, flat)
    d = raised - 1 / 3
    z = stream.normal(purpose, 0, count, columns)
    u = stream.uniform(purpose, 1, count, columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_v = 3 * np.log1p(z / np.sqrt(9 * d))  # NaN where 1 + c z <= 0: refused
        refused = ~(np.log(u) < 0.5 * z * z + d * (1 - np.exp(log_v) + log_v))
    out = np.log(d) + log_v
    if refused.any():
        again = stream.uniform(purpose, 2, count, columns)[refused]
        out[refused] = np.log(gammaincinv(np.broadcast_to(raised, out.shape)[refused], 1 - again))
    small = flat < 1
    if small.any():
        e = stream.exponential(purpose, 3, count, columns)
        out = np.where(small, out - e / flat, out)
    return out.reshape(count, *shape.shape)


def smallest_at_least(cumulative: NDArray, q: NDArray) -> NDArray:
    """Return for every q the first place of the rising rows `cumulative` (..., k) that reaches it; rows broadcast."""
    if cumulative.ndim == 1:
        return np.minimum(np.searchsorted(cumulative, q, side="left"), cumulative.size - 1)
    return np.minimum((q[..., None] > cumulative).sum(axis=-1), cumulative.shape[-1] - 1)
