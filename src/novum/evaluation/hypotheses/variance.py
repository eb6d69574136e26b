r"""The F test: do two normal samples have the same variance?

    F = S_x^2 / S_y^2 ~ F(n - 1, m - 1)        under equal variances                               (1)
    interval of sigma_x^2/sigma_y^2:  ends F / F_{1-q}(n - 1, m - 1)                               (2)

It assumes normal distributions: heavy tails reject far too often.
"""

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from novum.evaluation.hypotheses.means import sample
from novum.evaluation.hypotheses.result import TestResult, result_of
from novum.exceptions import DataError

__all__ = ["f_test"]


def ratio_end(ratio: float, n: int, m: int, q: float) -> float:
    """Return (2)."""
    from scipy import stats

    return float(ratio / stats.f.isf(q, n - 1, m - 1))


def f_test(x: ArrayLike, y: ArrayLike, *, alternative: str = "two-sided") -> TestResult:
    """Test whether two normal samples have equal variances.

    Parameters
    ----------
    x, y : array-like of shape (n,), (m,)
    alternative : {"two-sided", "greater", "less"}
        Of var(x) / var(y) against one.

    Examples
    --------
    >>> from novum.evaluation import f_test
    >>> test = f_test([3, 5, 7, 9], [4, 5, 6, 5, 5])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 3)
    (13.3333, (3, 4), 0.03)
    """
    from scipy import stats

    a, b = sample("f_test", "x", x, 2), sample("f_test", "y", y, 2)
    below = float(b.var(ddof=1))
    if below == 0:
        raise DataError("f_test: the values of y are all equal; its variance is zero and the ratio does not exist.")
    F, n, m = float(a.var(ddof=1)) / below, len(a), len(b)
    return result_of(
        "F test of variances",
        F,
        stats.f(n - 1, m - 1),
        alternative,
        df=(n - 1, m - 1),
        estimate=F,
        n=(n, m),
        symbol="F",
        parameter="the ratio of the variances",
        null_value=1.0,
        bound=partial(ratio_end, F, n, m),
        limits=(0.0, np.inf),
    )
