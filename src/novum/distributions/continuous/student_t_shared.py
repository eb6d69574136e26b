r"""What the scalar and the multivariate Student t share: a normal whose precision is scaled by a Gamma variable.

    x | tau ~ N(m, S / tau),   tau ~ Gamma(nu/2, nu/2)                                             (1)
    log p(x) = c(nu, d) - 1/2 log |S| - (nu + d)/2 log(1 + delta/nu),   delta = (x - m)' S^-1 (x - m)   (2)
    c(nu, d) = log Gamma((nu + d)/2) - log Gamma(nu/2) - d/2 log(nu pi)                            (3)

Given x, tau is Gamma distributed with

    E[tau] = (nu + d)/(nu + delta),   E[log tau] = digamma((nu + d)/2) - log((nu + delta)/2)       (4)

EM with an expanded parameter for the mean of tau (Liu, Rubin and Wu 1998), t_i = E[tau_i]:

    m = sum w t x / sum w t,   S = sum w t (x - m)(x - m)' / sum w t,   nu/2 = Gamma shape of the tau_i   (5)

never lowers the likelihood. It is slow in nu, where a Newton step on the likelihood itself in log nu, with

    2 dl/dnu = digamma((nu+d)/2) - digamma(nu/2) - d/nu - log(1 + delta/nu) + t delta/nu           (6)

takes its place in `fit`, and is taken back whenever the likelihood falls.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln, polygamma

from novum.distributions.continuous.gamma import shape_from
from novum.distributions.numerics.ops import ops_of

__all__ = ["LARGEST_DF", "Scores", "StudentSums", "gamma_ratio", "log_norm", "next_df", "row_scores"]

LARGEST_DF = 1e6  # the normal distribution, to six digits; beyond it the derivative (6) is lost in rounding
SMALLEST_DF = 1e-2
SERIES_FROM = 30.0  # where the series of `gamma_ratio` has all digits
LONGEST_STEP = 1.0  # of log nu in one Newton step


class Scores(NamedTuple):
    """What every row contributes about nu, before weights."""

    tau: Any  # E[tau], eq. (4)
    log_tau: Any  # E[log tau]
    log_likelihood: Any  # without c(nu, d) and the determinant
    slope: Any  # of the log-likelihood in nu, without its part that is the same for all rows
    curvature: Any


class StudentSums(NamedTuple):
    """Sums over the rows about this location: eq. (4) to (6)."""

    mass: NDArray
    tau: NDArray
    first: NDArray  # (...), or (..., d) of vectors
    second: NDArray  # (...), or (..., d, d)
    log_tau: NDArray
    slope: NDArray
    curvature: NDArray
    log_likelihood: NDArray


def gamma_ratio(a: NDArray, d: int) -> NDArray:
    """Return log Gamma(a + d/2) - log Gamma(a), without cancellation for large a."""
    whole, half = divmod(d, 2)
    out = np.log(a[..., None] + 0.5 * half + np.arange(whole)).sum(axis=-1)
    if half:
        large = np.where(a > SERIES_FROM, a, SERIES_FROM)
        inverse = 1 / large**2
        series = (
            0.5 * np.log(large) - (1 / 8 - inverse * (1 / 192 - inverse * (1 / 640 - inverse * 17 / 14336))) / large
        )
        out = out + np.where(a > SERIES_FROM, series, gammaln(a + 0.5) - gammaln(a))
    return out


def log_norm(df: NDArray, d: int) -> NDArray:
    """Return (3)."""
    return gamma_ratio(0.5 * df, d) - 0.5 * d * np.log(np.pi * df)


def row_scores(df: Any, delta: Any, d: int) -> Scores:
    """Return the terms of (2), (4), (6) and of the derivative of (6) for squared distances delta, beside them."""
    ops = ops_of(delta)
    sum_ = df + delta
    tau = (df + d) / sum_
    log_tau = ops.digamma(0.5 * (df + d)) - ops.log(0.5 * sum_)
    log_part = ops.log1p(delta / df)
    slope = 0.5 * (tau * delta / df - log_part)
    curvature = 0.5 * delta / df * (1 / sum_ + (delta - d) / sum_**2 - tau / df)
    return Scores(tau, log_tau, -0.5 * (df + d) * log_part, slope, curvature)


def next_df(df: NDArray, d: int, sums: StudentSums, newton: bool) -> NDArray:
    """Return nu after a step: the shape of (5), or Newton's step on (6) in log nu (uphill where it is not concave)."""
    mean = np.maximum(sums.mass, np.finfo(float).tiny)
    s = np.maximum(np.log(np.maximum(sums.tau / mean, 1e-300)) - sums.log_tau / mean, 0.5 / LARGEST_DF)
    by_em = 2 * shape_from(s)
    if not newton:
        return np.clip(by_em, SMALLEST_DF, LARGEST_DF)
    common = 0.5 * (digamma(0.5 * (df + d)) - digamma(0.5 * df) - d / df)
    bend = 0.25 * (polygamma(1, 0.5 * (df + d)) - polygamma(1, 0.5 * df)) + 0.5 * d / df**2
    first = df * (common + sums.slope / mean)  # derivatives in log nu
    second = df**2 * (bend + sums.curvature / mean) + first
    step = np.where(second < 0, -first / np.where(second < 0, second, -1.0), LONGEST_STEP * np.sign(first))
    return np.clip(df * np.exp(np.clip(step, -LONGEST_STEP, LONGEST_STEP)), SMALLEST_DF, LARGEST_DF)
