r"""Several models on several data sets: ranks, Friedman's test and what to compare after it (Demsar, JMLR 7, 2006).

r_ij is the rank of model j on data set i (1 the best, ties share the mean rank), R_j its mean over N data sets, k models.

    X^2_F = (k - 1) sum_j (sum_i r_ij - N (k+1)/2)^2 / sum_ij (r_ij - (k+1)/2)^2,   k - 1 df       (1)
    F_F = (N - 1) X^2_F / (N (k - 1) - X^2_F),   (k - 1, (k - 1)(N - 1)) df   (Iman, Davenport)    (2)
    z_jl = (R_j - R_l) / sqrt(k (k + 1) / (6 N))                                                   (3)
    Nemenyi, all pairs:      p = P(Q_{k,inf} > |z| sqrt 2),    CD = q_{a,k,inf}/sqrt 2 sqrt(...)   (4)
    Bonferroni-Dunn, to one: p = min(1, (k - 1) 2 P(Z > |z|)), CD = z_{1-a/(2(k-1))} sqrt(...)     (5)
    Holm:                    2 P(Z > |z|) adjusted step by step

    P(Q_{k,inf} > q) = k int phi(z) [Phi(z)^{k-1} - (Phi(z) - Phi(z - q))^{k-1}] dz                (6)

Where all N rows of ranks are the same, (2) is infinite; its p-value is then exact, one over the arrangements of the other
N - 1 rows. (1) without ties is 12 N/(k(k+1)) (sum_j R_j^2 - k (k+1)^2/4).
"""

from math import factorial, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.hypotheses.multiple import holm
from novum.evaluation.hypotheses.result import TestResult, result_of

__all__ = ["RankPairs", "critical_difference", "friedman", "iman_davenport", "rank_pairs", "ranks_of"]


WIDEST = 20.0  # standard deviations: no range of normals is wider
NODES = 3001


class RankPairs(NamedTuple):
    """Comparisons after Friedman's test."""

    pairs: list[tuple[int, int]]
    z: NDArray  # (3)
    alone: NDArray  # p-values, each as the only test
    p_values: NDArray  # adjusted


def ranks_of(scores: NDArray, size: float = 1.0) -> NDArray:
    """Return the ranks in every row, the greatest score first; scores equal but for rounding are tied."""
    from scipy import stats

    return stats.rankdata(-np.round(scores / size, 12), axis=1)  # (N, k)


def friedman(ranks: NDArray) -> TestResult:
    """Return (1)."""
    from scipy import stats

    N, k = ranks.shape
    center = (k + 1) / 2
    squares = float(((ranks - center) ** 2).sum())
    statistic = (k - 1) * float(((ranks.sum(0) - N * center) ** 2).sum()) / squares if squares > 0 else 0.0
    remark = "fewer than ten data sets: the chi-squared distribution is rough" if N < 10 else ""
    return result_of(
        "Friedman test",
        statistic,
        stats.chi2(k - 1),
        "greater",
        df=k - 1,
        n=N,
        symbol="X2_F",
        remark=remark,
        parameter="the models differ",
    )


def iman_davenport(ranks: NDArray) -> TestResult:
    """Return (2), which keeps its level better than (1)."""
    from scipy import stats

    N, k = ranks.shape
    chi2 = friedman(ranks).statistic
    below = N * (k - 1) - chi2
    statistic = (N - 1) * chi2 / below if below > 1e-12 * N else float("inf")
    df = (k - 1, (k - 1) * (N - 1))
    exact = None
    if np.isinf(statistic):  # every data set ranks alike: F has no distribution there, the arrangements of one row have
        _, tied = np.unique(ranks[0], return_counts=True)
        ways = factorial(k) / prod(factorial(int(t)) for t in tied)
        exact = float(ways ** (1 - N)) if ways > 1 else 1.0
    return result_of(
        "Iman-Davenport test",
        statistic,
        stats.f(*df),
        "greater",
        p_value=exact,
        df=df,
        n=N,
        symbol="F_F",
        parameter="the models differ",
    )


def range_tail(q: NDArray, k: int) -> NDArray:
    """Return P(Q_{k,inf} > q), the range of k standard normals, by (6); SciPy's general form takes a second for a quantile."""
    from scipy.special import ndtr

    z = np.linspace(-WIDEST / 2, WIDEST, NODES)  # the trapezoid rule is exact to rounding for such bells
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    full, inside = ndtr(z), ndtr(z) - ndtr(z - q[:, None])
    return np.clip(k * ((full ** (k - 1) - inside ** (k - 1)) * density).sum(1) * (z[1] - z[0]), 0.0, 1.0)


def critical_difference(k: int, N: int, significance: float, method: str) -> float:
    """Return the difference of mean ranks that (4) or (5) needs at a significance."""
    from scipy import optimize, stats

    unit = np.sqrt(k * (k + 1) / (6 * N))
    if method == "nemenyi":
        q = optimize.brentq(lambda q: float(range_tail(np.array([q]), k)[0]) - significance, 0.0, WIDEST, xtol=1e-13)
        return float(q / np.sqrt(2) * unit)
    return float(stats.norm.isf(significance / (2 * (k - 1))) * unit)


def rank_pairs(ranks: NDArray, method: str, baseline: int | None) -> RankPairs:
    """Return the comparisons by (4), (5) or Holm's adjustment, of all pairs or with one baseline."""
    from scipy import stats

    N, k = ranks.shape
    mean = ranks.mean(0)
    if baseline is None:
        pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    else:
        pairs = [(j, baseline) for j in range(k) if j != baseline]
    z = np.array([mean[i] - mean[j] for i, j in pairs]) / np.sqrt(k * (k + 1) / (6 * N))
    alone = 2 * stats.norm.sf(np.abs(z))
    if method == "nemenyi":
        p = range_tail(np.abs(z) * np.sqrt(2), k)
    elif method == "holm":
        p = holm(np.minimum(alone, 1.0))
    else:
        p = np.minimum(1.0, len(pairs) * alone)
    return RankPairs(pairs, z, np.minimum(alone, 1.0), p)


def as_table(ranks: NDArray, names: list[str]) -> Any:
    """Return the mean ranks as a frame, best first."""
    import pandas as pd

    return pd.Series(ranks.mean(0), index=names, name="mean rank").sort_values().to_frame()
