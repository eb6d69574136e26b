"""A paired comparison seen from the other model: what counted for the first now counts for the second."""

from dataclasses import replace
from functools import partial
from typing import Any

from novum.evaluation.hypotheses.result import TestResult

__all__ = ["reversed_result"]


def mirrored_end(bound: Any, q: float) -> float:
    """Return the end of the interval of a negated difference."""
    return -bound(1 - q)


def reversed_result(result: TestResult | None) -> TestResult | None:
    """Return a two-sided result with the models exchanged: the p-value stays, differences change sign, shares become the rest."""
    if result is None:
        return None
    share = result.null_value == 0.5
    estimate = None if result.estimate is None else 1 - result.estimate if share else -result.estimate
    statistic = result.statistic
    if result.symbol in ("t", "z"):
        statistic = -statistic
    elif result.symbol in ("n01", "wins"):
        statistic = result.n - statistic
    bound = None if result.bound is None else partial(mirrored_end, result.bound)
    return replace(result, statistic=statistic, estimate=estimate, bound=bound)
