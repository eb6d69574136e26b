"""The picture of a test: the law under the hypothesis, the observed value with its tails, the region of acceptance."""

from typing import Any

import numpy as np

from novum.evaluation.hypotheses.result import SampledLaw, TestResult, is_discrete, shown_p
from novum.report.axes import drawing_axes
from novum.report.numbers import num

__all__ = ["draw_test"]

LAW, TAIL, ACCEPT = "#33415c", "#d1495b", "#7a9e7e"
REACH = 2e-3  # probability left out at either end of the picture
TIE = 1e-7  # probabilities closer than this share are the same, rounded differently


def limits(result: TestResult) -> tuple[float, float]:
    """Return the ends of the picture: nearly all of the law, and the observed value."""
    low, high = float(result.law.ppf(REACH)), float(result.law.isf(REACH))
    seen = result.statistic if np.isfinite(result.statistic) else high
    margin = 0.05 * (high - low or 1.0)
    mirrored = -seen if result.alternative == "two-sided" and low < 0 else seen
    return min(low, seen - margin, mirrored - margin), max(high, seen + margin, mirrored + margin)


def more_extreme(result: TestResult, x: np.ndarray) -> np.ndarray:
    """Return which values speak at least as much against the hypothesis as the observed one."""
    t = result.statistic
    if result.alternative == "greater":
        return x >= t
    if result.alternative == "less":
        return x <= t
    if is_discrete(result.law):
        return rarer_counts(result, x)
    upper = result.law.sf(t) < result.law.cdf(t)
    tail = float(result.law.sf(t)) if upper else float(result.law.cdf(t))
    other = float(result.law.ppf(tail) if upper else result.law.isf(tail))
    return (x >= t) | (x <= other) if upper else (x <= t) | (x >= other)


def rarer_counts(result: TestResult, k: np.ndarray) -> np.ndarray:
    """Return which counts a two-sided test of counts holds against the hypothesis: no likelier ones, or both tails alike."""
    law, t = result.law, result.statistic
    rare = law.pmf(k) <= law.pmf(t) * (1 + TIE)
    if np.isclose(float(law.pmf(k)[rare].sum()), result.p_value, rtol=1e-6, atol=2 * REACH):
        return rare
    below, above = float(law.cdf(t)), float(law.sf(t - 1))  # both with the count itself
    return (
        (k >= t) | (law.cdf(k) <= above * (1 + TIE))
        if above < below
        else (k <= t) | (law.sf(k - 1) <= below * (1 + TIE))
    )


def draw_test(result: TestResult, ax: Any, significance: float) -> Any:
    """Draw a test whose statistic has a law."""
    ax = drawing_axes(ax)
    if result.law is None:
        raise ValueError(f"TestResult.plot: the {result.name} has no law of its statistic to draw.")
    low, high = limits(result)
    if isinstance(result.law, SampledLaw):
        ax.hist(result.law.values, bins=60, density=True, color="#c9d1dc")
    elif is_discrete(result.law):
        k = np.arange(np.floor(max(low, 0)), np.ceil(high) + 1)
        ax.bar(k, result.law.pmf(k), color=np.where(more_extreme(result, k), TAIL, "#c9d1dc"))
    else:
        x = np.linspace(max(low, float(result.law.support()[0]) + 1e-9), high, 1000)
        density = result.law.pdf(x)
        ax.plot(x, density, color=LAW)
        ax.fill_between(x, density, where=more_extreme(result, x), color=TAIL, alpha=0.5, label=shown_p(result.p_value))
    accepted = result.acceptance_region(significance)
    ax.axvspan(
        max(accepted.lower, low),
        min(accepted.upper, high),
        color=ACCEPT,
        alpha=0.15,
        label=f"accept at {significance:g}",
    )
    for end in accepted:
        if np.isfinite(end):
            ax.axvline(end, color=ACCEPT, ls="--", lw=1)
    if np.isfinite(result.statistic):
        label = f"observed {num(result.statistic):.3g}"
        ax.axvline(result.statistic, color=TAIL, lw=1.5, label=label)
    ax.set(xlabel=f"{result.symbol} under the hypothesis", ylabel="density", title=result.name, ylim=(0, None))
    ax.legend(fontsize="small")
    return ax
