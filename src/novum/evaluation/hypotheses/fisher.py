r"""Fisher's exact test of a table of two rows and two columns.

With the margins fixed, the first cell has under an odds ratio w the distribution (noncentral hypergeometric)

    P(a) ~ C(n1, a) C(n2, k - a) w^a,   max(0, k - n2) <= a <= min(k, n1)                                                  (1)

p is the tail of w = 1, two-sided the sum over all tables no likelier than the one seen. The estimate is the w whose mean of (1) is
the a seen; the interval ends where a lies in the tail of the level, so one-sided it agrees with the test exactly.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.evaluation.hypotheses.result import ALTERNATIVES, TestResult, result_of
from novum.exceptions import DataError
from novum.runtime.checks import check_choice, float_array

__all__ = ["fisher_exact_test"]

EQUAL = 1e-7  # tables count as likely as the one seen up to this share, as in R
LARGEST = 700.0  # the logarithm of an odds ratio beyond which exp overflows


def log_weights(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the possible first cells and the logarithms of (1) at w = 1, without their sum."""
    from scipy.special import gammaln

    n1, n2, k = table[0].sum(), table[1].sum(), table[:, 0].sum()
    a = np.arange(max(0.0, k - n2), min(k, n1) + 1)
    logs = -(gammaln(a + 1) + gammaln(n1 - a + 1) + gammaln(k - a + 1) + gammaln(n2 - k + a + 1))
    return a, logs - logs.max()


def probabilities_at(a: NDArray[np.float64], logs: NDArray[np.float64], log_ratio: float) -> NDArray[np.float64]:
    """Return (1)."""
    z = logs + a * log_ratio
    p = np.exp(z - z.max())
    return p / p.sum()


def solve(function: Any) -> float:
    """Return exp of the root of an increasing function of the log odds ratio; 0 or infinity where it has none."""
    from scipy.optimize import brentq

    if function(-LARGEST) >= 0:
        return 0.0
    if function(LARGEST) <= 0:
        return float("inf")
    return float(np.exp(brentq(function, -LARGEST, LARGEST, xtol=1e-13, rtol=1e-14)))


def ratio_end(a: NDArray[np.float64], logs: NDArray[np.float64], seen: float, q: float) -> float:
    """Return the odds ratio at which the cell seen has the upper tail q (an end below), or the lower tail 1 - q (above)."""
    if q < 0.5:
        if seen == a[0]:
            return 0.0
        return solve(lambda w: float(probabilities_at(a, logs, w)[a >= seen].sum()) - q)
    if seen == a[-1]:
        return float("inf")
    return solve(lambda w: (1 - q) - float(probabilities_at(a, logs, w)[a <= seen].sum()))


def fisher_exact_test(table: ArrayLike, *, alternative: str = "two-sided") -> TestResult:
    """Test the independence of rows and columns of a 2 x 2 table exactly, however small its counts.

    Parameters
    ----------
    table : array-like of shape (2, 2)
        Counts.
    alternative : {"two-sided", "greater", "less"}
        Of the odds ratio against one.

    Returns
    -------
    TestResult
        The statistic is the first cell; the estimate is the conditional maximum likelihood of the odds ratio, as in R, with its
        exact interval.

    Examples
    --------
    >>> from novum.evaluation import fisher_exact_test
    >>> test = fisher_exact_test([[3, 1], [1, 3]], alternative="greater")  # the lady tasting tea
    >>> round(test.p_value, 6), round(test.estimate, 6)
    (0.242857, 6.40832)
    """
    from scipy import stats

    check_choice("fisher_exact_test", "alternative", alternative, ALTERNATIVES)
    O = float_array("fisher_exact_test", "table", table).astype(np.float64)
    if O.shape != (2, 2) or not (np.isfinite(O) & (O >= 0) & (np.floor(O) == O)).all():
        raise DataError(
            "fisher_exact_test: table must hold counts in two rows and two columns; for larger tables use chi_squared_test."
        )
    if not (O.sum(0).all() and O.sum(1).all()):
        raise DataError(
            "fisher_exact_test: a row or column of the table is zero throughout; it carries no information."
        )
    a, logs = log_weights(O)
    p, seen = probabilities_at(a, logs, 0.0), float(O[0, 0])
    at = int(seen - a[0])
    tails = {
        "greater": float(p[at:].sum()),
        "less": float(p[: at + 1].sum()),
        "two-sided": float(p[p <= p[at] * (1 + EQUAL)].sum()),
    }
    distribution = stats.hypergeom(int(O.sum()), int(O[0].sum()), int(O[:, 0].sum()))
    return result_of(
        "Fisher's exact test",
        seen,
        distribution,
        alternative,
        p_value=min(1.0, tails[alternative]),
        symbol="a",
        n=int(O.sum()),
        parameter="the odds ratio",
        null_value=1.0,
        limits=(0.0, np.inf),
        bound=partial(ratio_end, a, logs, seen),
        estimate=0.0
        if seen == a[0]
        else float("inf")
        if seen == a[-1]
        else solve(lambda w: float(probabilities_at(a, logs, w) @ a) - seen),
    )
