r"""Tests by ranks: two samples (Mann and Whitney), several (Kruskal and Wallis). Units and outliers do not matter to them.

U = number of pairs with x_i > y_j, ties counting one half = R_x - n (n + 1)/2,  R_x the sum of the ranks of x          (1)
without ties exactly: the number of arrangements with U = u is the coefficient of z^u in  prod_i (1 - z^{m+i})/(1 - z^i) (2)
else  mean n m/2,  variance n m/12 (N + 1 - sum (t^3 - t)/(N (N - 1))),  over groups of t ties, continuous by one half   (3)
shift: the median of the differences x_i - y_j; the interval ends at their order statistics that (2) or (3) rejects     (4)
H = (12/(N (N + 1)) sum_g R_g^2/n_g - 3 (N + 1)) / (1 - sum (t^3 - t)/(N^3 - N)) ~ chi^2(k - 1)                         (5)
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.evaluation.hypotheses.means import sample
from novum.evaluation.hypotheses.result import TestResult, result_of
from novum.exceptions import DataError
from novum.runtime.checks import check_choice

__all__ = ["kruskal_wallis_test", "mann_whitney_test"]

MOST_EXACT = 10_000  # pairs n m up to which the exact distribution is counted by default
MOST_PAIRS = 20_000_000  # differences that are sorted for the shift
METHODS = ("auto", "exact", "asymptotic")
FEW = 5  # values of a group below which (5) is rough


@dataclass(frozen=True)
class CountDistribution:
    """The exact distribution (2) of U: probabilities of 0, ..., n m."""

    probabilities: NDArray[np.float64]
    discrete = True

    def cdf(self, t: float) -> float:
        """Return P(U <= t)."""
        k = int(np.floor(t))
        return float(min(1.0, self.probabilities[: k + 1].sum())) if k >= 0 else 0.0

    def sf(self, t: float) -> float:
        """Return P(U > t)."""
        return float(min(1.0, self.probabilities[max(int(np.floor(t)) + 1, 0) :].sum()))

    def ppf(self, q: float) -> float:
        """Return the smallest u with P(U <= u) >= q."""
        found = int(np.searchsorted(np.cumsum(self.probabilities), q * (1 - 1e-14)))
        return float(min(found, len(self.probabilities) - 1))

    def isf(self, tail: float) -> float:
        """Return the smallest u with P(U > u) <= tail."""
        beyond = np.append(np.cumsum(self.probabilities[:0:-1])[::-1], 0.0)  # P(U > u) for every u
        return float(np.count_nonzero(beyond > tail * (1 + 1e-14)))


@dataclass(frozen=True)
class RoundedNormal:
    """The normal distribution (3), with half a step of U on either side of a value."""

    mean: float
    sd: float
    discrete = True

    def cdf(self, t: float) -> float:
        """Return P(U <= t)."""
        from scipy.special import ndtr

        return float(ndtr((t + 0.5 - self.mean) / self.sd))

    def sf(self, t: float) -> float:
        """Return P(U > t)."""
        from scipy.special import ndtr

        return float(ndtr((self.mean - t - 0.5) / self.sd))

    def ppf(self, q: float) -> float:
        """Return the value with P(U <= value) = q."""
        from scipy.special import ndtri

        return float(self.mean - 0.5 + self.sd * ndtri(q))

    def isf(self, tail: float) -> float:
        """Return the value with P(U > value) = tail."""
        from scipy.special import ndtri

        return float(self.mean - 0.5 - self.sd * ndtri(tail))


def arrangements(n: int, m: int) -> NDArray[np.float64]:
    """Return the probabilities (2), each to about 13 digits, however small.

    The products are symmetric, and up to their middles they grow, so that the differences lose nothing there: the upper half
    is the lower one reversed. Left to the differences it would be their rounding error.
    """
    n, m = min(n, m), max(n, m)
    counts = np.zeros(n * m + 1)
    counts[0] = 1.0
    for i in range(1, n + 1):
        high = counts.copy()
        high[m + i :] -= counts[: n * m + 1 - (m + i)]
        for k in range(i):  # division by 1 - z^i: running sums along every residue
            high[k::i] = np.cumsum(high[k::i])
        counts = high * (i / (m + i))  # divided by the number of arrangements on the way, against overflow
        degree = i * m
        counts[degree - degree // 2 : degree + 1] = counts[: degree // 2 + 1][::-1]
        counts[degree + 1 :] = 0.0
    return counts


def tie_sum(values: NDArray[np.float64]) -> float:
    """Return sum (t^3 - t) over groups of equal values."""
    _, t = np.unique(values, return_counts=True)
    t = t.astype(np.float64)
    return float((t**3 - t).sum())


def shift_end(differences: NDArray[np.float64], distribution: Any, q: float) -> float:
    """Return the end (4) of the interval of the shift at q: R's order statistics."""
    pairs = len(differences)
    if q == 0.5:
        return float(np.median(differences))
    k = max(int(np.ceil(distribution.ppf(min(q, 1 - q)))), 1)
    return float(differences[k - 1] if q < 0.5 else differences[pairs - k])


def mann_whitney_test(
    x: ArrayLike, y: ArrayLike, *, alternative: str = "two-sided", method: str = "auto"
) -> TestResult:
    """Test whether one of two samples tends to larger values (Mann-Whitney U, Wilcoxon's rank-sum test).

    Parameters
    ----------
    x, y : array-like of shape (n,), (m,)
    alternative : {"two-sided", "greater", "less"}
        "greater": x tends to larger values than y.
    method : {"auto", "exact", "asymptotic"}, default="auto"
        "auto": the exact distribution without ties and up to 10,000 pairs, else the normal one.

    Returns
    -------
    TestResult
        The statistic is U of x; the estimate is the shift, the median of all differences, with its interval.

    Examples
    --------
    >>> from novum.evaluation import mann_whitney_test
    >>> test = mann_whitney_test([19, 22, 16, 29, 24], [20, 11, 17, 12])
    >>> test.statistic, round(test.p_value, 6), test.estimate
    (17.0, 0.111111, 7.0)
    """
    from scipy.stats import rankdata

    a, b = sample("mann_whitney_test", "x", x, 1), sample("mann_whitney_test", "y", y, 1)
    check_choice("mann_whitney_test", "method", method, METHODS)
    n, m = len(a), len(b)
    both = np.concatenate([a, b])
    ties = tie_sum(both)
    if method == "exact" and ties:
        raise DataError(
            "mann_whitney_test(method='exact'): values are tied, and the exact distribution is for distinct ones; give 'auto'."
        )
    U = float(rankdata(both)[:n].sum() - n * (n + 1) / 2)
    exact = method == "exact" or (method == "auto" and not ties and n * m <= MOST_EXACT)
    N = n + m
    variance = n * m / 12 * (N + 1 - ties / (N * (N - 1)))
    distribution: Any = (
        CountDistribution(arrangements(n, m)) if exact else RoundedNormal(n * m / 2, float(np.sqrt(variance)))
    )
    tied = variance <= 0
    differences = np.sort((a[:, None] - b).ravel()) if n * m <= MOST_PAIRS else None
    return result_of(
        f"Mann-Whitney test{'' if exact else ' (normal distribution)'}",
        U,
        distribution,
        alternative,
        symbol="U",
        n=(n, m),
        p_value=1.0 if tied else None,
        parameter="the shift of x against y",
        null_value=0.0,
        estimate=None if differences is None else float(np.median(differences)),
        bound=None if differences is None or tied else partial(shift_end, differences, distribution),
        remark="all values are equal" if tied else "",
    )


def group_samples(owner: str, groups: tuple[Any, ...], least: int) -> list[NDArray[np.float64]]:
    """Return the groups of a test as samples, of two groups or more."""
    if len(groups) < 2:
        raise DataError(f"{owner}: give two groups or more, each as an argument of its own; got {len(groups)}.")
    return [sample(owner, f"group {k + 1}", values, least) for k, values in enumerate(groups)]


def kruskal_wallis_test(*groups: ArrayLike) -> TestResult:
    """Test whether several samples come from one distribution, by ranks (Kruskal-Wallis H).

    Parameters
    ----------
    *groups : array-like of shape (n_g,)
        Two or more samples.

    Returns
    -------
    TestResult
        Large values speak against the hypothesis: the alternative is "greater".

    Examples
    --------
    >>> from novum.evaluation import kruskal_wallis_test
    >>> test = kruskal_wallis_test([1, 3, 5, 7, 9], [2, 4, 6, 8, 10], [14, 11, 12, 19, 13])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 5)
    (9.5, 2, 0.00865)
    """
    from scipy import stats

    values = group_samples("kruskal_wallis_test", groups, 1)
    sizes = np.array([len(v) for v in values])
    whole = np.concatenate(values)
    N = len(whole)
    correction = 1 - tie_sum(whole) / (N**3 - N) if N > 1 else 0.0
    if correction <= 0:
        raise DataError("kruskal_wallis_test: all values are equal; there is nothing to rank.")
    ranks = np.split(stats.rankdata(whole), np.cumsum(sizes)[:-1])
    H = (12 / (N * (N + 1)) * sum(r.sum() ** 2 / len(r) for r in ranks) - 3 * (N + 1)) / correction
    few = f"a group has fewer than {FEW} values; the chi-squared distribution is rough" if sizes.min() < FEW else ""
    return result_of(
        "Kruskal-Wallis test",
        float(max(H, 0.0)),
        stats.chi2(len(values) - 1),
        "greater",
        df=len(values) - 1,
        symbol="H",
        parameter="the groups differ",
        n=tuple(int(s) for s in sizes),
        remark=few,
    )
