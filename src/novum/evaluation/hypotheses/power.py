r"""Power and sample size of z, t and proportion tests.

With effect d = (mean - m0)/sigma, N = n for one sample (or pairs) and N = n r/(1 + r) for two of n and r n, significance a and tail
a' (a/2 for two sides, a for one), the power, the probability to reject, is

    z:   P(Z > z_{1-a'} - d sqrt N)  [+ P(Z < -z_{1-a'} - d sqrt N) for two sides]                 (1)
    t:   the same with the noncentral t of delta = d sqrt N and n - 1, or n + r n - 2, df          (2)
    one proportion p against p0:      P(Z > (z s0 - (p - p0)) / s1) [+ the other tail],
         s0 = sqrt(p0 (1 - p0)/n),  s1 = sqrt(p (1 - p)/n)                                         (3)
    two proportions p, q:  the same with p - q,  s0 from the pooled proportion, s1 from each its own (4)

The sample size is the least n whose power reaches the one requested.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.hypotheses.result import ALTERNATIVES, TestResult
from novum.evaluation.intervals.proportion import Interval, wilson
from novum.exceptions import ParameterError
from novum.runtime.checks import check_choice, check_count, check_number, check_significance
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed

__all__ = ["power", "rejection_rate", "sample_size"]

TESTS = ("z", "t", "two-sample z", "two-sample t", "proportion", "two proportions")
MOST = 10**9  # observations; a test that needs more detects nothing in practice


def tails(alternative: str, significance: float) -> tuple[bool, bool, float]:
    """Return whether the upper and the lower tail reject, and the probability of one."""
    both = alternative == "two-sided"
    return alternative != "less", alternative != "greater", significance / 2 if both else significance


def noncentral_tail(q: NDArray, df: NDArray, shift: NDArray) -> NDArray:
    """Return P(T <= q) of the noncentral t; SciPy gives NaN far out on either side, where it is 0 or 1 to rounding."""
    from scipy import stats

    p = np.asarray(stats.nct.cdf(q, df, shift))
    return np.where(np.isnan(p), np.where(shift > q, 0.0, 1.0), p)


def mean_power(test: str, effect: float, n: NDArray, significance: float, alternative: str, ratio: float) -> NDArray:
    """Return (1) or (2)."""
    from scipy import stats

    upper, lower, tail = tails(alternative, significance)
    two = test.startswith("two")
    shift = effect * np.sqrt(n * ratio / (1 + ratio) if two else n)
    if test.endswith("z"):
        z = stats.norm.isf(tail)
        return upper * stats.norm.sf(z - shift) + lower * stats.norm.cdf(-z - shift)
    df = n * (1 + ratio) - 2 if two else n - 1
    t = stats.t.isf(tail, df)
    # SciPy's upper tail of the noncentral t loses digits that the lower tail of its mirror keeps
    return upper * noncentral_tail(-t, df, -shift) + lower * noncentral_tail(-t, df, shift)


def proportion_power(
    test: str, effect: tuple[float, float], n: NDArray, significance: float, alternative: str, ratio: float
) -> NDArray:
    """Return (3) or (4)."""
    from scipy import stats

    upper, lower, tail = tails(alternative, significance)
    q, p = effect
    if test == "proportion":
        s0, s1 = np.sqrt(q * (1 - q) / n), np.sqrt(p * (1 - p) / n)
    else:
        pooled = (q + ratio * p) / (1 + ratio)
        s0 = np.sqrt(pooled * (1 - pooled) * (1 + 1 / ratio) / n)
        s1 = np.sqrt((q * (1 - q) + p * (1 - p) / ratio) / n)
    z = stats.norm.isf(tail)
    return upper * stats.norm.sf((z * s0 - (p - q)) / s1) + lower * stats.norm.cdf((-z * s0 - (p - q)) / s1)


def check_arguments(
    owner: str, test: str, effect: Any, significance: float, alternative: str, ratio: float
) -> tuple[Any, float, float]:
    check_choice(owner, "test", test, TESTS)
    check_choice(owner, "alternative", alternative, ALTERNATIVES)
    significance = check_significance(owner, significance)
    ratio = check_number(owner, "ratio", ratio, 0, open_low=True)
    if test.startswith("two") is False and ratio != 1:
        raise ParameterError(f"{owner}(ratio={ratio:g}): the ratio of two sizes needs a test of two samples.")
    if "proportion" in test:
        pair = tuple(np.atleast_1d(effect).tolist())
        if len(pair) != 2:
            raise ParameterError(f"{owner}(effect={effect!r}): pass two proportions, the one of the hypothesis first.")
        return (
            tuple(check_number(owner, "effect", p, 0, 1, open_low=True, open_high=True) for p in pair),
            significance,
            ratio,
        )
    return check_number(owner, "effect", effect), significance, ratio


def power(
    test: str,
    effect: float | tuple[float, float],
    n: int | Numbers,
    *,
    significance: float = 0.05,
    alternative: str = "two-sided",
    ratio: float = 1.0,
) -> Any:
    """Return the probability that a test rejects.

    Parameters
    ----------
    test : {"z", "t", "two-sample z", "two-sample t", "proportion", "two proportions"}
        Paired tests are one-sample tests of the differences.
    effect : float or (float, float)
        Difference from the hypothesis in standard deviations; for proportions the two, that of the hypothesis (or of the first
        sample) before the true (or second) one. "greater" means that the second is greater.
    n : int or array-like of int
        Observations, of the first sample where there are two.
    significance : float, default=0.05
    alternative : {"two-sided", "greater", "less"}
    ratio : float, default=1
        Size of the second sample over the first.

    Returns
    -------
    float, or ndarray of the shape of n

    Examples
    --------
    >>> from novum.evaluation import power, sample_size
    >>> round(power("two-sample t", 0.5, 64), 4)
    0.8015
    >>> sample_size("two-sample t", 0.5, 0.8)
    64
    """
    effect, significance, ratio = check_arguments("power", test, effect, significance, alternative, ratio)
    sizes = np.asarray(n, dtype=np.float64)
    least = 1 if "z" in test or "prop" in test or test.startswith("two") else 2
    if sizes.size == 0 or not (np.isfinite(sizes) & (sizes >= least)).all():
        raise ParameterError(f"power(n={n!r}): n must be at least {least}.")
    if test == "two-sample t" and not (sizes * (1 + ratio) > 2).all():
        raise ParameterError(f"power(n={n!r}, ratio={ratio:g}): two samples need more than two observations together.")
    function = proportion_power if "proportion" in test else mean_power
    out = np.clip(function(test, effect, sizes, significance, alternative, ratio), 0.0, 1.0)
    return float(out) if out.ndim == 0 else out


def sample_size(
    test: str,
    effect: float | tuple[float, float],
    power: float = 0.8,
    *,
    significance: float = 0.05,
    alternative: str = "two-sided",
    ratio: float = 1.0,
) -> int:
    """Return the least n with which a test rejects with the requested probability.

    Parameters
    ----------
    test, effect, significance, alternative, ratio
        As in `power`.
    power : float, default=0.8

    Returns
    -------
    int
        Observations, of the first sample where there are two (the second has `ratio` times as many).

    Examples
    --------
    >>> from novum.evaluation import sample_size
    >>> sample_size("proportion", (0.5, 0.6), 0.9)
    259
    """
    target = check_number("sample_size", "power", power, 0, 1, open_low=True, open_high=True)
    effect, significance, ratio = check_arguments("sample_size", test, effect, significance, alternative, ratio)
    function = proportion_power if "proportion" in test else mean_power
    first = 1
    if test.endswith("t"):
        first = 2 if test == "t" else int(np.floor(2 / (1 + ratio))) + 1

    def reaches(n: int) -> bool:
        return bool(function(test, effect, np.asarray(float(n)), significance, alternative, ratio) >= target)

    high = first
    while not reaches(high):
        high, tried = min(2 * high, MOST), high
        if tried == MOST:
            raise ParameterError(
                f"sample_size(effect={effect!r}, alternative={alternative!r}): {MOST:.0e} observations do not reach a power of"
                f" {target:g}; the effect is zero, tiny, or in the other direction."
            )
    low = max(first, high // 2)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle + 1, high)
    return low


def p_of(result: Any) -> float:
    """Return the p-value of a result."""
    if not hasattr(result, "p_value"):
        raise ParameterError(
            f"rejection_rate(test=...): it must return a TestResult, or anything with p_value; got {type(result).__name__}."
        )
    return float(result.p_value)


def rejection_rate(
    test: Callable[[Any], TestResult],
    draw: Callable[[np.random.Generator], Any],
    *,
    significance: float = 0.05,
    n_repeats: int = 1000,
    random_state: Seed = None,
) -> tuple[float, Interval]:
    """Return how often a test rejects data that are drawn: its type I rate where the hypothesis holds, else its power.

    Parameters
    ----------
    test : callable
        Data to TestResult.
    draw : callable
        Generator to data.
    significance : float, default=0.05
    n_repeats : int, default=1000
    random_state : int, Generator, RandomState, SeedSequence or None

    Returns
    -------
    (float, Interval)
        The share, and its Wilson interval at 95 %.

    Examples
    --------
    >>> from novum.evaluation import rejection_rate, t_test
    >>> rate, (low, high) = rejection_rate(t_test, lambda rng: rng.normal(size=8), random_state=0)
    >>> bool(low < 0.05 < high)
    True
    """
    repeats = check_count("rejection_rate", "n_repeats", n_repeats)
    significance = check_significance("rejection_rate", significance)
    generator = np.random.default_rng(seed_of(random_state))
    count = sum(p_of(test(draw(generator))) <= significance for _ in range(repeats))
    return count / repeats, wilson(int(count), repeats, 0.95)
