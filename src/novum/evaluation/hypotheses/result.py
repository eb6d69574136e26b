r"""What every statistical test returns: the statistic, its distribution where the hypothesis holds, and all that follows from them.

A test compares an observed statistic t with its distribution T under the hypothesis. Large values speak for the alternative
"greater", small ones for "less", either for "two-sided":

    p = P(T >= t),   P(T <= t),   min(1, 2 min(P(T <= t), P(T >= t)))                              (1)
    reject at significance a where p <= a                                                                 (2)

The region of acceptance is what (2) does not reject: below the quantile 1 - a, above the quantile a, or between the
quantiles a/2 and 1 - a/2. An interval of confidence c holds the parameter values that the test does not reject at 1 - c:

    lower = b((1 - c)/2),  upper = b((1 + c)/2);  one-sided: b(1 - c) up, or b(c) down             (3)

where b(q) is the end that the test's own distribution puts at q, for a mean with standard error e: estimate + e T^{-1}(q).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from novum.evaluation.intervals.proportion import Interval
from novum.report.numbers import num
from novum.report.result import Result
from novum.report.tables import html_text
from novum.runtime.checks import check_choice, check_level, check_significance
from novum.runtime.typing import Axes, DataFrame

__all__ = ["ALTERNATIVES", "NO_VARIANCE", "SampledDistribution", "TestResult", "p_value_of", "shown_statistic"]

ALTERNATIVES = ("two-sided", "greater", "less")
NO_VARIANCE = "the values do not vary, so that nothing can be concluded"
SIGNS = {"two-sided": "is not", "greater": "is greater than", "less": "is less than"}


@dataclass(frozen=True)
class SampledDistribution:
    """A distribution that is a list of equally likely values, as the rearrangements of a permutation test give."""

    values: np.ndarray  # sorted

    def cdf(self, t: float) -> float:
        """Return P(T <= t)."""
        return float(np.searchsorted(self.values, t, side="right") / len(self.values))

    def sf(self, t: float) -> float:
        """Return P(T > t)."""
        return float((len(self.values) - np.searchsorted(self.values, t, side="right")) / len(self.values))

    def ppf(self, q: float) -> float:
        """Return the smallest value with P(T <= value) >= q."""
        return float(self.values[min(max(int(np.ceil(q * len(self.values))) - 1, 0), len(self.values) - 1)])

    def isf(self, tail: float) -> float:
        """Return the smallest value with P(T > value) <= tail."""
        beyond = int(np.floor(tail * len(self.values) * (1 + 1e-14)))  # so many values may lie above
        return float(self.values[max(len(self.values) - 1 - beyond, 0)])


def is_discrete(distribution: Any) -> bool:
    """Return whether single values have positive probability."""
    return (
        isinstance(distribution, SampledDistribution)
        or getattr(distribution, "discrete", False)
        or hasattr(getattr(distribution, "dist", None), "pmf")
    )


def at_least(distribution: Any, t: float) -> float:
    """Return P(T >= t)."""
    if isinstance(distribution, SampledDistribution):
        return float(
            (len(distribution.values) - np.searchsorted(distribution.values, t, side="left")) / len(distribution.values)
        )
    return float(distribution.sf(t - 1 if is_discrete(distribution) else t))  # distributions of counts: whole numbers


def p_value_of(distribution: Any, t: float, alternative: str) -> float:
    """Return (1)."""
    if np.isnan(t):
        return float("nan")
    if alternative == "greater":
        return at_least(distribution, t)
    if alternative == "less":
        return float(distribution.cdf(t))
    return min(1.0, 2 * min(at_least(distribution, t), float(distribution.cdf(t))))


def shown_statistic(value: float, form: str) -> str:
    """Return a statistic in a format; one that does not exist says so."""
    return "undefined" if np.isnan(value) else format(value, form)


def shown_p(p: float) -> str:
    """Return a p-value as papers print it; one that does not exist says so."""
    if np.isnan(p):
        return "p is undefined"
    return "p < .001" if p < 0.001 else f"p = {num(p):.3f}"


@dataclass(frozen=True, repr=False)
class TestResult(Result):
    """The outcome of a statistical test.

    Attributes
    ----------
    name : str
        Of the test.
    statistic, p_value : float
        The observed value, and how probable one as far out is where the hypothesis holds.
    alternative : {"two-sided", "greater", "less"}
        What the p-value is about.
    df : int, float, tuple or None
        Degrees of freedom of the distribution under the hypothesis.
    parameter : str
        What the hypothesis fixes, in words.
    null_value : float or None
        The value that the hypothesis gives it.
    estimate, standard_error : float or None
        Of that parameter, from the data.
    n : int or tuple of int
        Observations.
    remark : str
        What stands in the way of trusting the p-value, if anything does.
    """

    __test__ = False  # its name begins like that of a test case

    name: str
    statistic: float
    p_value: float
    alternative: str
    df: Any
    parameter: str
    null_value: float | None
    estimate: float | None
    standard_error: float | None
    n: Any
    distribution: Any = field(repr=False)  # of the statistic under the hypothesis; None where it has no closed form
    bound: Callable[[float], float] | None = field(repr=False, default=None)  # b of (3)
    symbol: str = "t"
    remark: str = ""
    limits: tuple[float, float] = (-np.inf, np.inf)  # between which the parameter lies
    both_ways: bool = False  # the upper tail of the statistic speaks for either direction of the parameter

    @property
    def direction(self) -> str:
        """The alternative in words: "two-sided", "one-sided (greater)", "one-sided (less)" or "any departure"."""
        if self.both_ways or self.alternative == "two-sided":
            return "two-sided"
        return f"one-sided ({self.alternative})" if self.null_value is not None else "any departure"

    def reject(self, significance: float = 0.05) -> bool:
        """Return whether the hypothesis is rejected, with that probability of an error where it holds."""
        return bool(self.p_value <= check_significance("TestResult.reject", significance))

    def acceptance_region(self, significance: float = 0.05) -> Interval:
        """Return the values of the statistic, ends included, that do not lead to rejection; infinite where nothing bounds them."""
        a = check_significance("TestResult.acceptance_region", significance)
        if self.distribution is None:
            raise ValueError(
                f"TestResult: the {self.name} has no distribution of its statistic; compare p_value with the significance."
            )
        tail = a / 2 if self.alternative == "two-sided" else a
        lower = -np.inf if self.alternative == "greater" else float(self.distribution.ppf(tail))
        if (
            np.isfinite(lower)
            and hasattr(getattr(self.distribution, "dist", None), "pmf")
            and self.distribution.cdf(lower) <= tail
        ):
            lower += 1  # a count whose tail is a exactly is rejected by (2)
        upper = np.inf if self.alternative == "less" else float(self.distribution.isf(tail))
        return Interval(lower, upper)

    def critical_values(self, significance: float = 0.05) -> tuple[float, ...]:
        """Return the finite ends of the region of acceptance: one for a one-sided test, two for a two-sided one."""
        return tuple(end for end in self.acceptance_region(significance) if np.isfinite(end))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the values of the parameter that the test does not reject, one-sided where the alternative is."""
        c = check_level("TestResult.interval", level)
        if self.bound is None:
            raise ValueError(f"TestResult: the {self.name} estimates no single parameter; it has no interval.")
        if self.alternative == "greater":
            return Interval(float(self.bound(1 - c)), self.limits[1])
        if self.alternative == "less":
            return Interval(self.limits[0], float(self.bound(c)))
        return Interval(float(self.bound((1 - c) / 2)), float(self.bound((1 + c) / 2)))

    def sentence(self, significance: float = 0.05) -> str:
        """Return the result as a paper would state it."""
        a = check_significance("TestResult.sentence", significance)
        found = f"{self.symbol}{self._shown_df()} = {shown_statistic(self.statistic, '.3g')}, {shown_p(self.p_value)}"
        if self.null_value is None:
            claim = self.parameter
        else:
            claim = f"{self.parameter} {SIGNS['two-sided' if self.both_ways else self.alternative]} {num(self.null_value):g}"
        verdict = f"Evidence that {claim}" if self.p_value <= a else f"No evidence that {claim}"
        if np.isnan(self.p_value):
            return f"It cannot be decided whether {claim} ({self.name}: {found}; {self.remark or NO_VARIANCE})."
        interval = ""
        if self.bound is not None and self.estimate is not None:
            low, high = self.interval(1 - a)
            interval = f"; estimate {num(self.estimate):.3g}, {num(100 * (1 - a)):g} % interval {num(low):.3g} to {num(high):.3g}"
        return f"{verdict} ({self.name}: {found}{interval})."

    def _shown_df(self) -> str:
        if self.df is None:
            return ""
        parts = self.df if isinstance(self.df, tuple) else (self.df,)
        return f"({', '.join(f'{num(part):.4g}' for part in parts)})"

    def to_frame(self) -> DataFrame:
        """Return one row of a pandas frame."""
        import pandas as pd

        names = ("statistic", "p_value", "direction", "df", "estimate", "standard_error", "null_value")
        row = {name.replace("direction", "alternative"): getattr(self, name) for name in names}
        return pd.DataFrame([row], index=[self.name])

    def plot(self, ax: Axes | None = None, significance: float = 0.05) -> Axes:
        """Draw the distribution under the hypothesis with the p-value shaded and the region of acceptance marked."""
        from novum.evaluation.hypotheses.plots import draw_test

        return draw_test(self, ax, check_significance("TestResult.plot", significance))

    def __repr__(self) -> str:
        lines = [
            f"{self.name}, {self.direction}",
            f"  {self.symbol}{self._shown_df()} = {shown_statistic(self.statistic, '.6g')}, {shown_p(self.p_value)}",
        ]
        if self.estimate is not None:
            lines.append(f"  {self.parameter}: {num(self.estimate):.6g}")
            if self.bound is not None and not np.isnan(self.p_value):
                low, high = self.interval()
                lines[-1] += f", 95 % interval {num(low):.6g} to {num(high):.6g}"
        remark = self.remark or (NO_VARIANCE if np.isnan(self.p_value) else "")
        return "\n".join([*lines, f"  note: {remark}"] if remark else lines)

    def _repr_html_(self) -> str:
        return html_text(repr(self))


def result_of(
    name: str, t: float, distribution: Any, alternative: str, *, p_value: float | None = None, **parts: Any
) -> TestResult:
    """Return the result for a statistic and its distribution, with the p-value (1) unless an exact one is given."""
    check_choice(name, "alternative", alternative, ALTERNATIVES)
    p = p_value_of(distribution, t, alternative) if p_value is None else p_value
    if np.isnan(p) and not parts.get("remark"):
        parts["remark"] = NO_VARIANCE
    absent = {"df": None, "parameter": "", "null_value": None, "estimate": None, "standard_error": None, "n": None}
    return TestResult(
        name=name,
        statistic=float(t),
        p_value=p,
        alternative=alternative,
        distribution=distribution,
        **{**absent, **parts},
    )
