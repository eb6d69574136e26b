r"""Paired tests of two models: on the same folds, the same rows, or the same data sets.

d_j = a_j - b_j is the difference of two scores on part j of J; n2/n1 is rows tested over rows trained on.

    paired t:         mean(d) / (S_d / sqrt J),   J - 1 df                                         (1)
    corrected t:      mean(d) / (S_d sqrt(1/J + n2/n1)),   J - 1 df     (Nadeau, Bengio 2003)      (2)
    5x2cv t:          d_{1,1} / sqrt(sum_i s_i^2 / 5),   5 df           (Dietterich 1998)          (3)
    5x2cv F:          sum_{i,j} d_{ij}^2 / (2 sum_i s_i^2) ~ F(10, 5)   (Alpaydin 1999)            (4)
                      s_i^2 = (d_{i1} - mean_i)^2 + (d_{i2} - mean_i)^2
    McNemar:          (|n01 - n10| - 1)^2 / (n01 + n10) ~ chi^2(1), exactly n01 ~ Binomial(n01 + n10, 1/2)   (5)
                      n01 rows that only a gets wrong, n10 rows that only b does
    Wilcoxon:         ranks of |d| summed by sign, zeros left out                                  (6)
    sign:             #(d > 0) ~ Binomial(#(d != 0), 1/2)                                          (7)
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.evaluation.hypotheses.means import bound_of, ratio, t_test
from novum.evaluation.hypotheses.result import ALTERNATIVES, TestResult, result_of
from novum.evaluation.intervals.area import delong_test
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_choice, check_number, vector
from novum.runtime.typing import Target

__all__ = ["FEWER_ERRORS", "PAIRED_TESTS", "delong", "mcnemar", "paired_test"]

PAIRED_TESTS = ("paired_t", "corrected_t", "5x2cv_t", "5x2cv_f", "mcnemar", "mcnemar_exact", "wilcoxon", "sign")
SAME = 1e-12  # differences below this share of the scores are zero: what rounding leaves of equal scores
FEWER_ERRORS = {"two-sided": "two-sided", "greater": "less", "less": "greater"}  # a better model loses fewer rows
FEW_DISCORDANT = 25  # below it the chi-squared form (5) is rough


def without_rounding(d: NDArray, size: float) -> NDArray:
    """Return the differences with rounding residue set to zero, so that ties of scores are ties."""
    return np.where(np.abs(d) <= SAME * size, 0.0, d)


def corrected_t(d: NDArray, size: float, test_over_train: float, alternative: str) -> TestResult:
    """Return (2)."""
    from scipy import stats

    error = float(d.std(ddof=1) * np.sqrt(1 / len(d) + test_over_train))
    distribution, mean = stats.t(len(d) - 1), float(d.mean())
    return result_of(
        "corrected resampled t-test",
        ratio(mean, error, size),
        distribution,
        alternative,
        df=len(d) - 1,
        n=len(d),
        parameter="the mean difference",
        null_value=0.0,
        estimate=mean,
        standard_error=error,
        bound=partial(bound_of, mean, error, distribution),
    )


def five_by_two(d: NDArray, size: float, kind: str, alternative: str) -> TestResult:
    """Return (3) or (4)."""
    from scipy import stats

    if d.shape != (10,):
        raise DataError(
            f"paired_test(test='5x2cv_{kind}'): needs ten differences, two folds of five repetitions in a row; got {len(d)}."
        )
    pairs = d.reshape(5, 2)
    squares = float(((pairs - pairs.mean(1, keepdims=True)) ** 2).sum())
    parts: dict[str, Any] = {
        "n": 10,
        "estimate": float(d.mean()),
        "parameter": "the mean difference",
        "null_value": 0.0,
    }
    if kind == "t":
        statistic = ratio(float(d[0]), float(np.sqrt(squares / 5)), size)
        return result_of("5x2cv paired t-test", statistic, stats.t(5), alternative, df=5, **parts)
    if alternative != "two-sided":
        raise ParameterError(
            f"paired_test(test='5x2cv_f', alternative={alternative!r}): the F test has no direction; use 5x2cv_t."
        )
    statistic = ratio(float((d**2).sum()), 2 * squares, size**2)
    distribution = stats.f(10, 5)
    p = float(distribution.sf(statistic))
    # large F speaks against the hypothesis whatever the direction of the difference: one tail, "greater" for the picture
    return result_of(
        "5x2cv combined F test",
        statistic,
        distribution,
        "greater",
        p_value=p,
        df=(10, 5),
        symbol="F",
        both_ways=True,
        **parts,
    )


def mcnemar(only_a: int, only_b: int, *, exact: bool | None = None, alternative: str = "two-sided") -> TestResult:
    """Return (5) from the rows that only one of two classifiers gets wrong; exact by default where they are few."""
    from scipy import stats

    n = only_a + only_b
    exact = n < FEW_DISCORDANT if exact is None else exact
    parts: dict[str, Any] = {"n": n, "parameter": "the share of disagreements that a loses", "null_value": 0.5}
    parts |= {"estimate": only_a / n if n else 0.5}
    if exact:
        distribution = stats.binom(n, 0.5)
        return result_of("McNemar's exact test", only_a, distribution, alternative, symbol="n01", **parts)
    if alternative != "two-sided":
        raise ParameterError(f"paired_test(test='mcnemar', alternative={alternative!r}): use test='mcnemar_exact'.")
    statistic = max(abs(only_a - only_b) - 1, 0) ** 2 / n if n else 0.0
    remark = f"only {n} rows disagree; mcnemar_exact is better" if n < FEW_DISCORDANT else ""
    distribution, p = stats.chi2(1), float(stats.chi2.sf(statistic, 1))
    return result_of(
        "McNemar's test",
        statistic,
        distribution,
        "greater",
        p_value=p,
        df=1,
        symbol="X2",
        remark=remark,
        both_ways=True,
        **parts,
    )


def delong(y: NDArray, a: NDArray, b: NDArray, alternative: str) -> TestResult:
    """Return DeLong's test (novum.evaluation.intervals.area) that two scores of the same rows have the same area."""
    from scipy import stats

    found, distribution = delong_test(y, a, b), stats.norm()
    return result_of(
        "DeLong's test",
        found.statistic,
        distribution,
        alternative,
        symbol="z",
        n=len(y),
        parameter="the difference of the areas",
        null_value=0.0,
        estimate=found.difference,
        standard_error=found.standard_error,
        limits=(-1.0, 1.0),
        bound=partial(bound_of, found.difference, found.standard_error, distribution),
    )


def wilcoxon(d: NDArray, alternative: str) -> TestResult:
    """Return (6): the exact distribution for few untied differences, else the normal one."""
    from scipy import stats

    kept = d[d != 0]
    parts: dict[str, Any] = {"n": len(kept), "parameter": "the median difference", "null_value": 0.0, "symbol": "W"}
    parts["estimate"] = float(np.median(d))
    if len(kept) == 0:
        return result_of("Wilcoxon signed-rank test", 0.0, None, alternative, p_value=1.0, **parts)
    if np.ptp(d) <= SAME * np.abs(d).max():  # one difference again and again is one observation
        return result_of("Wilcoxon signed-rank test", float("nan"), None, alternative, **parts)
    found = stats.wilcoxon(d, alternative=alternative)
    left = len(d) - len(kept)
    remark = f"{left} equal pairs left out" if left else ""
    return result_of(
        "Wilcoxon signed-rank test",
        float(found.statistic),
        None,
        alternative,
        p_value=float(found.pvalue),
        remark=remark,
        **parts,
    )


def sign(d: NDArray, alternative: str) -> TestResult:
    """Return (7)."""
    from scipy import stats

    wins, n = int((d > 0).sum()), int((d != 0).sum())
    return result_of(
        "sign test",
        wins,
        stats.binom(n, 0.5),
        alternative,
        n=n,
        parameter="the share of wins",
        null_value=0.5,
        estimate=wins / n if n else 0.5,
        symbol="wins",
    )


def predictions(y: Any, a: Any, b: Any) -> tuple[NDArray, NDArray]:
    """Return which rows a and b get wrong."""
    if y is None:
        raise ParameterError("paired_test(test='mcnemar'): a and b are predictions; pass the true labels as y.")
    labels = [np.asarray(part) for part in (y, a, b)]
    if any(part.shape != labels[0].shape or part.ndim != 1 for part in labels) or labels[0].size == 0:
        raise DataError("paired_test: y, a and b must be lists of labels of the same length.")
    return labels[1] != labels[0], labels[2] != labels[0]


def paired_test(
    a: ArrayLike,
    b: ArrayLike,
    test: str = "corrected_t",
    *,
    y: Target = None,
    test_over_train: float | None = None,
    alternative: str = "two-sided",
) -> TestResult:
    """Compare two models by what they scored, or predicted, on the same things.

    Parameters
    ----------
    a, b : array-like of shape (J,)
        Scores fold by fold or data set by data set; for McNemar's test the predictions row by row.
    test : str, default="corrected_t"
        "paired_t"; "corrected_t", which allows for overlapping training sets; "5x2cv_t" (Dietterich) and "5x2cv_f" (Alpaydin)
        on five times two folds; "mcnemar" or "mcnemar_exact" on predictions; "wilcoxon" and "sign" on several data sets.
    y : array-like, default=None
        The true labels, for McNemar's test.
    test_over_train : float, default=None
        Rows tested over rows trained on, for "corrected_t"; 1/(J - 1) by default, which is right for one run of J folds.
    alternative : {"two-sided", "greater", "less"}
        "greater": the first model is better, as in `compare`: it scores higher, for McNemar's test it makes fewer errors.

    Examples
    --------
    >>> from novum.datasets import load_tenfold_scores
    >>> from novum.evaluation import paired_test
    >>> A, B = load_tenfold_scores().data.T
    >>> test = paired_test(A, B, "paired_t")
    >>> round(test.estimate, 3), round(test.standard_error, 7), round(test.statistic, 2)
    (0.046, 0.0154344, 2.98)
    >>> round(paired_test(A, B).p_value, 3)  # the ten training sets overlap
    0.07
    """
    owner = "paired_test"
    check_choice(owner, "test", test, PAIRED_TESTS)
    check_choice(owner, "alternative", alternative, ALTERNATIVES)
    if test.startswith("mcnemar"):
        wrong_a, wrong_b = predictions(y, a, b)
        counts = int((wrong_a & ~wrong_b).sum()), int((wrong_b & ~wrong_a).sum())
        return mcnemar(*counts, exact=test.endswith("exact"), alternative=FEWER_ERRORS[alternative])
    first, second = vector(owner, "a", a), vector(owner, "b", b)
    if first.shape != second.shape:
        raise DataError(f"{owner}: a has {len(first)} scores and b has {len(second)}; they are paired one by one.")
    if len(first) < 2:
        raise DataError(f"{owner}: one pair of scores has no variance; pass at least two.")
    size = float(max(np.abs(first).max(), np.abs(second).max()))
    d = without_rounding(first - second, size)
    if test == "paired_t":
        return t_test(first, second, paired=True, alternative=alternative)
    if test == "corrected_t":
        over = (
            1 / (len(d) - 1) if test_over_train is None else check_number(owner, "test_over_train", test_over_train, 0)
        )
        return corrected_t(d, size, over, alternative)
    if test.startswith("5x2cv"):
        return five_by_two(d, size, test[-1], alternative)
    return wilcoxon(d, alternative) if test == "wilcoxon" else sign(d, alternative)
