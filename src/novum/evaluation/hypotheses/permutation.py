r"""Permutation tests: the distribution of a statistic over the rearrangements that the hypothesis makes equally likely.

    two samples:        any n of the n + m values could have been x                                (1)
    one sample, pairs:  every sign of x_i - m0, or of x_i - y_i, could have been the other         (2)

All C(n + m, n) or 2^n rearrangements are gone through where they are no more than `n_resamples`: the p-value is then exact.
Otherwise so many are drawn, and the observed arrangement counts as one of them: p = (1 + as extreme) / (1 + drawn).
"""

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novum.evaluation.hypotheses.means import differences, sample
from novum.evaluation.hypotheses.result import ALTERNATIVES, SampledDistribution, TestResult, result_of
from novum.runtime.checks import check_choice, check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import Seed

__all__ = ["permutation_test"]


def mean_difference(x: np.ndarray, y: np.ndarray, axis: int = -1) -> Any:
    return np.mean(x, axis=axis) - np.mean(y, axis=axis)


def plain_mean(x: np.ndarray, axis: int = -1) -> Any:
    return np.mean(x, axis=axis)


def permutation_test(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    statistic: Callable | None = None,
    mean: float = 0.0,
    paired: bool = False,
    n_resamples: int = 9999,
    alternative: str = "two-sided",
    random_state: Seed = None,
) -> TestResult:
    """Test by rearrangement whether two samples have one distribution, or a sample is symmetric about a value.

    Parameters
    ----------
    x : array-like of shape (n,)
    y : array-like of shape (m,), default=None
    statistic : callable, default=None
        `statistic(x, y)` of two samples, `statistic(x)` of one or of paired differences; the (difference of) means by default.
    mean : float, default=0
        The center of one sample under the hypothesis.
    paired : bool, default=False
    n_resamples : int, default=9999
        Rearrangements gone through, or drawn where there are more.
    alternative : {"two-sided", "greater", "less"}
    random_state : int, Generator, RandomState, SeedSequence or None
        For the draws.

    Examples
    --------
    >>> from novum.evaluation import permutation_test
    >>> permutation_test([5, 6, 7], [1, 2, 3]).p_value   # 2 of the 20 ways to choose three are as extreme
    0.1
    """
    from scipy import stats

    owner = "permutation_test"
    check_choice(owner, "alternative", alternative, ALTERNATIVES)
    draws = check_count(owner, "n_resamples", n_resamples)
    groups: tuple[np.ndarray, ...]
    if y is None or paired:
        values = sample(owner, "x", x, 1) if y is None else differences(owner, x, y)
        values = values - check_number(owner, "mean", mean)
        groups, kind, count = (values,), "samples", 2 ** len(values)
        name, parameter = ("paired permutation test" if y is not None else "sign-flip test"), "the center"
    else:
        groups = sample(owner, "x", x, 1), sample(owner, "y", y, 1)
        kind, count = "independent", comb(len(groups[0]) + len(groups[1]), len(groups[0]))
        name, parameter = "two-sample permutation test", "the difference"
    function = statistic or (plain_mean if len(groups) == 1 else mean_difference)
    exact = count <= draws
    found = stats.permutation_test(
        groups,
        function,
        permutation_type=kind,
        vectorized=statistic is None,
        n_resamples=np.inf if exact else draws,
        alternative=alternative,
        rng=np.random.default_rng(seed_of(random_state)),
    )
    t = float(found.statistic)
    return result_of(
        f"{name} ({'all' if exact else 'drawn from'} {count if count < 10**7 else f'{count:.3g}'} arrangements)",
        t,
        SampledDistribution(np.sort(np.asarray(found.null_distribution).ravel())),
        alternative,
        p_value=float(found.pvalue),
        parameter=parameter,
        null_value=0.0,
        estimate=t,
        n=tuple(map(len, groups)) if len(groups) == 2 else len(groups[0]),
        symbol="T",
    )
