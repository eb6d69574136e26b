r"""Tests of counts: proportions of one and two samples, goodness of fit, independence.

    one sample:    z = (s/n - p0) / sqrt(p0 (1 - p0)/n),   or exactly S ~ Binomial(n, p0)          (1)
    two samples:   z = (s/n - r/m) / sqrt(p (1 - p) (1/n + 1/m)),   p = (s + r)/(n + m)            (2)
    cells:         X^2 = sum_c (O_c - E_c)^2 / E_c,   cells - 1 - fitted parameters                (3)
    table:         the same with E_ij = row_i column_j / total,   (rows - 1)(columns - 1)          (4)

The two-sided p-value of the exact test is twice the smaller tail, so that p-value, region of acceptance and interval say the
same (SciPy's binomtest adds up the outcomes no likelier than s instead and may reject what its interval holds). The interval
that belongs to (1) is Wilson's, for the exact test Clopper and Pearson's; for (2) the gaps g that the score test does not reject
(Mee, Biometrics 40, 1984), where the proportions under "they differ by g" are the likeliest ones, p and p + g with

    (s - n (p + g)) p (1 - p) + (r - m p) (p + g) (1 - p - g) = 0                                  (5)

At g = 0 this is (2), so that the interval holds zero exactly where the test does not reject it.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novum.evaluation.hypotheses.result import ALTERNATIVES, TestResult, result_of
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_count, check_number, float_array
from novum.runtime.typing import Numbers

__all__ = ["chi_squared_test", "proportion_test"]

FEW = 5.0  # expected counts below this make the chi-squared distribution a poor one (Cochran's rule)


def wilson_end(s: int, n: int, q: float) -> float:
    """Return the end of Wilson's interval at the normal quantile of q."""
    from scipy.special import ndtri

    z = float(ndtri(q))
    end = (s + z * z / 2 + z * np.sqrt(s * (n - s) / n + z * z / 4)) / (n + z * z)
    return float(min(max(end, 0.0), 1.0))


def exact_end(s: int, n: int, q: float) -> float:
    """Return the end of Clopper and Pearson's interval; which of its two forms depends on the side."""
    from scipy.special import betaincinv

    if q < 0.5:
        return 0.0 if s == 0 else float(betaincinv(s, n - s + 1, q))
    return 1.0 if s == n else float(betaincinv(s + 1, n - s, q))


def restricted_share(s: int, n: int, r: int, m: int, gap: float) -> float:
    """Return the likeliest second proportion where the first is larger by a given gap: the root of (5) that is one."""
    from scipy.special import xlog1py, xlogy

    a = s - n * gap
    cubic = [
        n + m,
        -a - n - r - m * (1 - 2 * gap),
        a + r * (1 - 2 * gap) - m * gap * (1 - gap),
        r * gap * (1 - gap),
    ]
    low, high = max(0.0, -gap), min(1.0, 1.0 - gap)
    # with an empty cell an end of the range is a root as well: the likeliest of the candidates is the one
    inside = np.append(np.clip(np.roots(cubic).real, low, high), [low, high])
    first, second = np.clip(inside + gap, 0.0, 1.0), inside
    likelihood = xlogy(s, first) + xlog1py(n - s, -first) + xlogy(r, second) + xlog1py(m - r, -second)
    return float(inside[np.argmax(likelihood)])


def score_at(s: int, n: int, r: int, m: int, gap: float) -> float:
    """Return (2) for the hypothesis that the proportions differ by a gap."""
    second = restricted_share(s, n, r, m, gap)
    first = min(max(second + gap, 0.0), 1.0)
    variance = first * (1 - first) / n + second * (1 - second) / m
    distance = s / n - r / m - gap
    if variance <= 0:
        return 0.0 if abs(distance) < 1e-12 else float(np.copysign(np.inf, distance))
    return float(distance / np.sqrt(variance))


def score_end(s: int, n: int, r: int, m: int, q: float) -> float:
    """Return the end of the interval for s/n - r/m that (2) itself gives: the gap at which z is the normal quantile of 1 - q."""
    from scipy.optimize import brentq
    from scipy.special import ndtri

    z, estimate = -float(ndtri(q)), s / n - r / m
    if q == 0.5:
        return estimate
    edge = -1.0 if q < 0.5 else 1.0
    if abs(estimate - edge) < 1e-15 or (score_at(s, n, r, m, edge) - z) * edge > 0:
        return edge  # even the farthest gap is not rejected

    return float(
        brentq(lambda gap: score_at(s, n, r, m, gap) - z, min(edge, estimate), max(edge, estimate), xtol=1e-13)
    )


def counts_of(successes: Any, n: Any) -> tuple[list[int], list[int]]:
    pairs = np.atleast_1d(np.asarray(successes)), np.atleast_1d(np.asarray(n))
    if pairs[0].shape != pairs[1].shape or pairs[0].ndim != 1 or len(pairs[0]) > 2:
        raise ParameterError(
            f"proportion_test(successes={successes!r}, n={n!r}): pass one count each, or two of both for two samples."
        )
    s = [check_count("proportion_test", "successes", value, 0) for value in pairs[0]]
    trials = [check_count("proportion_test", "n", value) for value in pairs[1]]
    if any(a > b for a, b in zip(s, trials)):
        raise ParameterError(
            f"proportion_test(successes={successes!r}, n={n!r}): there are more successes than trials."
        )
    return s, trials


def proportion_test(
    successes: int | Sequence[int],
    n: int | Sequence[int],
    *,
    proportion: float | None = None,
    exact: bool = False,
    alternative: str = "two-sided",
) -> TestResult:
    """Test one proportion or the difference of two.

    Parameters
    ----------
    successes, n : int, or two of them
        Successes among so many independent trials; two each compare two samples.
    proportion : float, default=None
        What the hypothesis says of one proportion, one half by default.
    exact : bool, default=False
        Use the binomial distribution of one sample instead of the normal one; two-sided, p is twice the smaller tail.
    alternative : {"two-sided", "greater", "less"}

    Examples
    --------
    >>> from novum.evaluation import proportion_test
    >>> test = proportion_test(60, 100)
    >>> round(test.statistic, 6), round(test.p_value, 6)
    (2.0, 0.0455)
    >>> round(proportion_test([45, 30], [100, 100]).p_value, 3)
    0.028
    """
    from scipy import stats

    s, trials = counts_of(successes, n)
    if len(s) == 1:
        p0 = 0.5 if proportion is None else proportion
        p0 = check_number("proportion_test", "proportion", p0, 0, 1, open_low=True, open_high=True)
        estimate = s[0] / trials[0]
        parts: dict[str, Any] = {"parameter": "the proportion", "null_value": p0, "n": trials[0]}
        error = float(np.sqrt(p0 * (1 - p0) / trials[0]))
        parts |= {"estimate": estimate, "standard_error": error, "limits": (0.0, 1.0)}
        if exact:
            if alternative not in ALTERNATIVES:
                raise ParameterError(f"proportion_test(alternative={alternative!r}): use one of {ALTERNATIVES}.")
            distribution, bound = stats.binom(trials[0], p0), partial(exact_end, s[0], trials[0])
            return result_of("exact binomial test", s[0], distribution, alternative, bound=bound, symbol="s", **parts)
        remark = "" if trials[0] * min(p0, 1 - p0) >= FEW else f"fewer than {FEW:g} expected; exact=True is better"
        return result_of(
            "proportion z-test",
            (estimate - p0) / error,
            stats.norm(),
            alternative,
            symbol="z",
            remark=remark,
            bound=partial(wilson_end, s[0], trials[0]),
            **parts,
        )
    if exact or proportion is not None:
        raise ParameterError(
            "proportion_test: `proportion` and `exact` are for one sample; two are compared with each other."
        )
    first, second = s[0] / trials[0], s[1] / trials[1]
    p = sum(s) / sum(trials)
    error = float(np.sqrt(p * (1 - p) * (1 / trials[0] + 1 / trials[1])))
    few = min(min(k, m - k) for k, m in zip(s, trials)) < FEW
    return result_of(
        "two-proportion z-test",
        (first - second) / error if error > 0 else 0.0,
        stats.norm(),
        alternative,
        symbol="z",
        parameter="the difference of the proportions",
        null_value=0.0,
        estimate=first - second,
        standard_error=error,
        n=tuple(trials),
        bound=partial(score_end, s[0], trials[0], s[1], trials[1]),
        limits=(-1.0, 1.0),
        remark=f"a cell has fewer than {FEW:g}; the normal distribution is rough" if few else "",
    )


def expected_counts(observed: np.ndarray, expected: Any) -> np.ndarray:
    """Return the expected counts of cells, given as counts or as probabilities."""
    total = float(observed.sum())
    if expected is None:
        return np.full(observed.shape, total / observed.size)
    given = float_array("chi_squared_test", "expected", expected).astype(np.float64)
    if given.shape != observed.shape or not (given > 0).all():
        raise DataError("chi_squared_test: expected needs a positive number for every cell of observed.")
    if np.isclose(given.sum(), 1.0, rtol=1e-8) and not np.isclose(total, 1.0):
        return given * total
    if not np.isclose(given.sum(), total, rtol=1e-8):
        raise DataError(
            f"chi_squared_test: expected sums to {given.sum():g}; it must sum to one (probabilities) or to {total:g} (counts)."
        )
    return given


def chi_squared_test(
    observed: ArrayLike, expected: Numbers | None = None, *, n_fitted: int = 0, correction: bool = False
) -> TestResult:
    """Test counts against expected ones, or the independence of rows and columns of a table.

    Parameters
    ----------
    observed : array-like of shape (cells,) or (rows, columns)
        Counts. A list is compared with `expected`, a table with the product of its margins.
    expected : array-like of shape (cells,), default=None
        Probabilities or counts for a list; None: all cells alike.
    n_fitted : int, default=0
        Parameters of `expected` that were estimated from these counts.
    correction : bool, default=False
        Yates's correction of a 2 x 2 table: each gap is made smaller by one half.

    Returns
    -------
    TestResult
        Large values speak against the hypothesis: the alternative is "greater".

    Examples
    --------
    >>> from novum.evaluation import chi_squared_test
    >>> test = chi_squared_test([[10, 20], [30, 40]])
    >>> round(test.statistic, 6), test.df, round(test.p_value, 3)
    (0.793651, 1, 0.373)
    """
    from scipy import stats

    O = float_array("chi_squared_test", "observed", observed).astype(np.float64)
    if O.ndim not in (1, 2) or min(O.shape, default=0) < 2 or not (np.isfinite(O) & (O >= 0)).all() or O.sum() == 0:
        raise DataError(
            "chi_squared_test: observed must hold counts >= 0, not all zero, in two or more cells each way."
        )
    fitted = check_count("chi_squared_test", "n_fitted", n_fitted, 0)
    if O.ndim == 1:
        if correction:
            raise ParameterError("chi_squared_test(correction=True): the correction is for a 2 x 2 table.")
        E, df, name, claim = (
            expected_counts(O, expected),
            O.size - 1 - fitted,
            "goodness of fit",
            "the distribution is another one",
        )
    else:
        if expected is not None or fitted:
            raise ParameterError(
                "chi_squared_test: a table is compared with its margins; `expected` and `n_fitted` are for a list."
            )
        rows, columns = O.sum(1), O.sum(0)
        if not (rows.all() and columns.all()):
            raise DataError("chi_squared_test: a row or column of observed is zero throughout; leave it out.")
        E, df, name = np.outer(rows, columns) / O.sum(), (O.shape[0] - 1) * (O.shape[1] - 1), "independence"
        claim = "rows and columns are dependent"
    if df < 1:
        raise ParameterError(f"chi_squared_test(n_fitted={fitted}): no degree of freedom is left for {O.size} cells.")
    gap = np.abs(O - E)
    if correction:
        if O.shape != (2, 2):
            raise ParameterError("chi_squared_test(correction=True): the correction is for a 2 x 2 table.")
        gap = np.maximum(gap - 0.5, 0.0)
    remark = f"{int((E < FEW).sum())} of {E.size} expected counts are below {FEW:g}" if (E < FEW).any() else ""
    return result_of(
        f"chi-squared test of {name}",
        float((gap**2 / E).sum()),
        stats.chi2(df),
        "greater",
        df=df,
        parameter=claim,
        n=int(O.sum()),
        symbol="X2",
        remark=remark,
    )
