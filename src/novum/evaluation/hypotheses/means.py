r"""Tests of means: variance known (z) or estimated (t), one sample, two samples, pairs.

S^2 = sum_i (x_i - mean)^2 / (n - 1)                                                           (1)
one sample:   z = (mean - m0) / (sigma/sqrt n),     t = (mean - m0) / (S/sqrt n),  n - 1 df    (2)
two samples:  z = (mean_x - mean_y - m0) / sqrt(sigma_x^2/n + sigma_y^2/m)                     (3)
  pooled:     S^2 = ((n-1) S_x^2 + (m-1) S_y^2) / (n+m-2),  e^2 = S^2 (1/n + 1/m),  n+m-2 df   (4)
  Welch:      e^2 = S_x^2/n + S_y^2/m,  df = e^4 / (S_x^4/(n^2 (n-1)) + S_y^4/(m^2 (m-1)))     (5)
pairs:        the one-sample test of the differences                                           (6)
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novum.evaluation.hypotheses.result import TestResult, result_of
from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import check_number, vector

__all__ = ["sample_std", "t_test", "z_test"]

EQUAL = 1e-12  # a standard deviation below this share of the values is what rounding leaves of equal ones


def sample_std(x: ArrayLike, axis: int | None = None) -> Any:
    """Return the square root of the unbiased estimate of the variance.

    Parameters
    ----------
    x : array-like
        At least two values along `axis`.
    axis : int or None, default=None
        None takes all values together.

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> from novum.evaluation import sample_std
    >>> round(sample_std([1.2, 0.4, 2.1, 1.9]), 6)
    0.770281
    """
    values = np.asarray(x, dtype=np.float64)
    if (values.size if axis is None else values.shape[axis]) < 2:
        raise DataError("sample_std: one value has no variance; pass at least two.")
    deviation = np.std(values, axis=axis, ddof=1)
    return float(deviation) if np.ndim(deviation) == 0 else deviation


def sample(owner: str, name: str, x: Any, least: int) -> NDArray[np.float64]:
    values = vector(owner, name, x)
    if len(values) < least:
        raise DataError(f"{owner}: {name} has {len(values)} values; it needs at least {least}.")
    return values


def bound_of(estimate: float, error: float, distribution: Any, q: float) -> float:
    """Return the end of an interval around an estimate that the distribution puts at q; NaN without an error."""
    return float(estimate + error * distribution.ppf(q)) if error > 0 else float("nan")


def ratio(gap: float, error: float, size: float) -> float:
    """Return gap / error; values that are all equal have no error: then 0 where they meet the hypothesis, else NaN.

    A sample without variance does not say how far the mean of another sample would lie: a constant gap proves nothing.
    """
    if error > EQUAL * max(size, np.finfo(float).tiny):
        return gap / error
    return 0.0 if abs(gap) <= EQUAL * max(size, np.finfo(float).tiny) else float("nan")


def differences(owner: str, x: Any, y: Any) -> NDArray[np.float64]:
    """Return the differences of pairs, (6)."""
    a, b = sample(owner, "x", x, 1), sample(owner, "y", y, 1)
    if len(a) != len(b):
        raise DataError(f"{owner}(paired=True): x has {len(a)} values and y has {len(b)}; they are paired one by one.")
    return a - b


def z_test(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    sigma: float,
    mean: float = 0.0,
    paired: bool = False,
    alternative: str = "two-sided",
) -> TestResult:
    """Test a mean, or the difference of two, where the standard deviation is known.

    Parameters
    ----------
    x : array-like of shape (n,)
    y : array-like of shape (m,), default=None
        A second sample; the hypothesis is then about mean(x) - mean(y).
    sigma : float or (float, float)
        The standard deviation of an observation, one for both samples or one each; of a difference where `paired`.
    mean : float, default=0
        What the hypothesis says.
    paired : bool, default=False
    alternative : {"two-sided", "greater", "less"}

    Examples
    --------
    >>> from novum.evaluation import z_test
    >>> test = z_test([1.2, 0.4, 2.1, 1.9], sigma=1, mean=1)
    >>> round(test.statistic, 6), round(test.p_value, 6), test.reject(0.05)
    (0.8, 0.423711, False)
    """
    from scipy import stats

    owner = "z_test"
    if paired and y is None:
        raise ParameterError("z_test(paired=True): pairs need y, what was measured beside x.")
    n: Any
    m0 = check_number(owner, "mean", mean)
    sigmas = tuple(np.atleast_1d(sigma).tolist())
    if len(sigmas) not in ((1,) if y is None or paired else (1, 2)):
        raise ParameterError(f"z_test(sigma={sigma!r}): pass one standard deviation, or one for each of two samples.")
    sigmas = tuple(check_number(owner, "sigma", s, 0, open_low=True) for s in sigmas)
    distribution = stats.norm()
    if y is None or paired:
        values = sample(owner, "x", x, 1) if y is None else differences(owner, x, y)
        estimate, error = float(values.mean()), sigmas[0] / np.sqrt(len(values))
        name, n = ("paired z-test" if y is not None else "one-sample z-test"), len(values)
        parameter = "the mean difference" if y is not None else "the mean"
    else:
        a, b = sample(owner, "x", x, 1), sample(owner, "y", y, 1)
        estimate = float(a.mean() - b.mean())
        error = float(np.sqrt(sigmas[0] ** 2 / len(a) + sigmas[-1] ** 2 / len(b)))
        name, n, parameter = "two-sample z-test", (len(a), len(b)), "the difference of the means"
    return result_of(
        name,
        (estimate - m0) / error,
        distribution,
        alternative,
        parameter=parameter,
        null_value=m0,
        estimate=estimate,
        standard_error=float(error),
        n=n,
        symbol="z",
        bound=partial(bound_of, estimate, float(error), distribution),
    )


def two_samples(a: NDArray, b: NDArray, pooled: bool) -> tuple[float, float]:
    """Return the standard error of mean(a) - mean(b) and its degrees of freedom, (4) or (5)."""
    n, m = len(a), len(b)
    va, vb = a.var(ddof=1), b.var(ddof=1)
    if pooled:
        return float(np.sqrt(((n - 1) * va + (m - 1) * vb) / (n + m - 2) * (1 / n + 1 / m))), float(n + m - 2)
    square = va / n + vb / m
    if square == 0:
        return 0.0, float(n + m - 2)
    return float(np.sqrt(square)), float(square**2 / (va**2 / (n**2 * (n - 1)) + vb**2 / (m**2 * (m - 1))))


def t_test(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    mean: float = 0.0,
    paired: bool = False,
    equal_variances: bool = False,
    alternative: str = "two-sided",
) -> TestResult:
    """Test a mean, the difference of two means, or the mean of paired differences.

    Parameters
    ----------
    x : array-like of shape (n,)
    y : array-like of shape (m,), default=None
        A second sample; the hypothesis is then about mean(x) - mean(y).
    mean : float, default=0
        What the hypothesis says.
    paired : bool, default=False
        Whether x and y are measured on the same things, one by one.
    equal_variances : bool, default=False
        Pool the variances of two samples; False is Welch's test.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    TestResult
        With `interval()` for the mean. Values that are all equal have no variance: the p-value is 1 where they meet the
        hypothesis, and NaN where not, for nothing can be concluded.

    Examples
    --------
    >>> from novum.evaluation import t_test
    >>> test = t_test([1.2, 0.4, 2.1, 1.9], mean=1)
    >>> round(test.statistic, 6), round(test.p_value, 6), test.df
    (1.038582, 0.375355, 3)
    >>> round(test.critical_values(0.05)[1], 6)
    3.182446
    """
    from scipy import stats

    owner, m0 = "t_test", check_number("t_test", "mean", mean)
    if paired and y is None:
        raise ParameterError("t_test(paired=True): pairs need y, what was measured beside x.")
    n: Any
    df: Any
    if y is None or paired:
        values = sample(owner, "x", x, 2) if y is None else differences(owner, x, y)
        if len(values) < 2:
            raise DataError(f"{owner}: one pair has no variance; pass at least two.")
        size = float(
            np.abs(values).max() if y is None else max(np.abs(np.asarray(part, float)).max() for part in (x, y))
        )
        estimate, error, free = float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))), len(values) - 1
        name, n = ("paired t-test" if y is not None else "one-sample t-test"), len(values)
        parameter = "the mean difference" if y is not None else "the mean"
        df = free
    else:
        a, b = sample(owner, "x", x, 2), sample(owner, "y", y, 2)
        size = float(max(np.abs(a).max(), np.abs(b).max()))
        estimate = float(a.mean() - b.mean())
        error, df = two_samples(a, b, equal_variances)
        name = "two-sample t-test (pooled)" if equal_variances else "Welch's t-test"
        n, parameter = (len(a), len(b)), "the difference of the means"
    distribution = stats.t(df)
    return result_of(
        name,
        ratio(estimate - m0, error, size),
        distribution,
        alternative,
        df=df,
        parameter=parameter,
        null_value=m0,
        estimate=estimate,
        standard_error=error,
        n=n,
        bound=partial(bound_of, estimate, error, distribution),
    )
