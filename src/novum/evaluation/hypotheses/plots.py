"""The picture of a test: the distribution under the hypothesis, the observed value with its tails, the region of acceptance."""

from typing import Any

import numpy as np

from novum.evaluation.hypotheses.result import SampledDistribution, TestResult, is_discrete, shown_p
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import num
from novum.report.style import series, shade

__all__ = ["draw_test"]

CURVE, TAIL, ACCEPT = 0, 3, 2  # places of their colors
REACH = 2e-3  # probability left out at either end of the picture
TIE = 1e-7  # probabilities closer than this share are the same, rounded differently


def limits(result: TestResult) -> tuple[float, float]:
    """Return the ends of the picture: nearly all of the distribution, and the observed value."""
    low, high = float(result.distribution.ppf(REACH)), float(result.distribution.isf(REACH))
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
    if is_discrete(result.distribution):
        return rarer_counts(result, x)
    upper = result.distribution.sf(t) < result.distribution.cdf(t)
    tail = float(result.distribution.sf(t)) if upper else float(result.distribution.cdf(t))
    other = float(result.distribution.ppf(tail) if upper else result.distribution.isf(tail))
    return (x >= t) | (x <= other) if upper else (x <= t) | (x >= other)


def rarer_counts(result: TestResult, k: np.ndarray) -> np.ndarray:
    """Return which counts a two-sided test of counts holds against the hypothesis: no likelier ones, or both tails alike."""
    distribution, t = result.distribution, result.statistic
    rare = distribution.pmf(k) <= distribution.pmf(t) * (1 + TIE)
    if np.isclose(float(distribution.pmf(k)[rare].sum()), result.p_value, rtol=1e-6, atol=2 * REACH):
        return rare
    below, above = float(distribution.cdf(t)), float(distribution.sf(t - 1))  # both with the count itself
    return (
        (k >= t) | (distribution.cdf(k) <= above * (1 + TIE))
        if above < below
        else (k <= t) | (distribution.sf(k - 1) <= below * (1 + TIE))
    )


def draw_test(result: TestResult, ax: Any, significance: float) -> Any:
    """Draw a test whose statistic has a distribution."""
    ax = drawing_axes(ax)
    if result.distribution is None:
        raise ValueError(f"TestResult.plot: the {result.name} has no distribution of its statistic to draw.")
    low, high = limits(result)
    if isinstance(result.distribution, SampledDistribution):
        ax.hist(result.distribution.values, bins=60, density=True, color=shade(ax, 0.8))
    elif is_discrete(result.distribution):
        k = np.arange(np.floor(max(low, 0)), np.ceil(high) + 1)
        ax.bar(k, result.distribution.pmf(k), color=np.where(more_extreme(result, k), series(ax, TAIL), shade(ax, 0.8)))
    else:
        x = np.linspace(max(low, float(result.distribution.support()[0]) + 1e-9), high, 1000)
        density = result.distribution.pdf(x)
        ax.plot(x, density, color=series(ax, CURVE))
        ax.fill_between(
            x, density, where=more_extreme(result, x), color=series(ax, TAIL), alpha=0.5, label=shown_p(result.p_value)
        )
    accepted = result.acceptance_region(significance)
    ax.axvspan(
        max(accepted.lower, low),
        min(accepted.upper, high),
        color=series(ax, ACCEPT),
        alpha=0.15,
        label=f"accept at {significance:g}",
    )
    for end in accepted:
        if np.isfinite(end):
            ax.axvline(end, color=series(ax, ACCEPT), ls="--", lw=1)
    if np.isfinite(result.statistic):
        label = f"observed {num(result.statistic):.3g}"
        ax.axvline(result.statistic, color=series(ax, TAIL), lw=1.5, label=label)
    ax.set(xlabel=f"{result.symbol} under the hypothesis", ylabel="density", title=result.name, ylim=(0, None))
    draw_legend(ax)
    return ax
