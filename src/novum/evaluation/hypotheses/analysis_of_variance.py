r"""One-way analysis of variance: do several normal samples have the same mean?

between B = sum_g n_g (m_g - m)^2,   within W = sum_g sum_i (x_gi - m_g)^2                                              (1)
F = (B/(k - 1)) / (W/(N - k)) ~ F(k - 1, N - k)  under equal means and variances                                        (2)
Welch, variances apart:  w_g = n_g/S_g^2,  v = sum w_g,  m' = sum w_g m_g / v,  q = sum (1 - w_g/v)^2/(n_g - 1)
F = sum w_g (m_g - m')^2/(k - 1) / (1 + 2 (k - 2)/(k^2 - 1) q) ~ F(k - 1, (k^2 - 1)/(3 q))                              (3)
eta^2 = B/(B + W),  the share of the variance that the groups tell                                                      (4)
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novum.evaluation.hypotheses.rank_tests import group_samples
from novum.evaluation.hypotheses.result import TestResult, result_of
from novum.exceptions import DataError

__all__ = ["anova"]


def anova(*groups: ArrayLike, equal_variances: bool = True) -> TestResult:
    """Test whether several normal samples have equal means (one-way analysis of variance).

    Parameters
    ----------
    *groups : array-like of shape (n_g,)
        Two or more samples.
    equal_variances : bool, default=True
        False: Welch's test, for groups whose variances differ.

    Returns
    -------
    TestResult
        Large values speak against the hypothesis: the alternative is "greater". The estimate is eta squared, (4).

    Examples
    --------
    >>> from novum.evaluation import anova
    >>> test = anova([6, 8, 4, 5, 3, 4], [8, 12, 9, 11, 6, 8], [13, 9, 11, 8, 7, 12])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 5), round(test.estimate, 4)
    (9.2647, (2, 15), 0.0024, 0.5526)
    """
    from scipy import stats

    values = group_samples("anova", groups, 1 if equal_variances else 2)
    k, sizes = len(values), np.array([len(v) for v in values], dtype=np.float64)
    N = int(sizes.sum())
    if N - k < 1:
        raise DataError(f"anova: {N} values in {k} groups leave no degree of freedom; a group needs two values.")
    means = np.array([v.mean() for v in values])
    within = np.array([((v - v.mean()) ** 2).sum() for v in values])
    B = float((sizes * (means - (sizes @ means) / N) ** 2).sum())
    W = float(within.sum())
    df: Any
    if equal_variances:
        df = (k - 1, N - k)
        F = (B / df[0]) / (W / df[1]) if W > 0 else (np.nan if B == 0 else np.inf)
    else:
        if not within.all():
            raise DataError(
                "anova(equal_variances=False): a group does not vary, so that its weight would be infinite."
            )
        w = sizes / (within / (sizes - 1))
        share = w / w.sum()
        q = float(((1 - share) ** 2 / (sizes - 1)).sum())
        df = (k - 1, (k**2 - 1) / (3 * q))
        F = float((w * (means - share @ means) ** 2).sum() / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * q))
    return result_of(
        "one-way analysis of variance" if equal_variances else "Welch's analysis of variance",
        float(F),
        stats.f(*df),
        "greater",
        df=df,
        symbol="F",
        parameter="the share of the variance that the groups tell (eta squared)",
        null_value=0.0,
        n=tuple(int(s) for s in sizes),
        estimate=B / (B + W) if B + W > 0 else 0.0,
    )
