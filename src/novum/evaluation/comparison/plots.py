"""Pictures of a comparison: differences with intervals, and the critical-difference diagram of mean ranks."""

from typing import TYPE_CHECKING, Any

import numpy as np

from novum.report.axes import drawing_axes
from novum.report.numbers import num
from novum.report.style import ink, series, shade

if TYPE_CHECKING:
    from novum.evaluation.comparison.result import Comparison

__all__ = ["draw_differences", "draw_ranks", "indistinct"]

LINE, MARK = 0, 3  # places of their colors


def draw_differences(comparison: "Comparison", ax: Any) -> Any:
    """Draw the mean difference of every pair with its interval where the test has one."""
    ax = drawing_axes(ax)
    for i, one in enumerate(comparison.pairs):
        color = series(ax, MARK) if comparison.is_conclusive(one) else series(ax, LINE)
        if one.result is not None and one.result.bound is not None and one.result.alternative == "two-sided":
            low, high = one.result.interval(1 - comparison.significance)
            ax.plot([low, high], [i, i], color=color)
        ax.plot(one.difference, i, "o", color=color)
    ax.axvline(0, color=shade(ax, 0.6), lw=1, ls="--")
    ax.set_yticks(range(len(comparison.pairs)), [f"{one.a} - {one.b}" for one in comparison.pairs])
    alone = "; intervals of each pair alone" if len(comparison.pairs) > 1 else ""
    title = f"{comparison.design.description}{alone}"
    ax.set(xlabel=f"difference of mean {comparison.scoring}", ylabel="pair", title=title)
    ax.invert_yaxis()
    return ax


def indistinct(comparison: "Comparison") -> list[list[str]]:
    """Return the largest runs of models, by mean rank, no two of which are distinguished."""
    if comparison.ranks is None:
        return []
    order = np.argsort(comparison.ranks, kind="stable")
    distinguished = {frozenset((one.a, one.b)) for one in comparison.pairs if comparison.is_conclusive(one)}
    runs: list[tuple[int, int]] = []
    for i in range(len(order)):
        j = i
        while j + 1 < len(order) and not any(
            frozenset((comparison.names[order[m]], comparison.names[order[j + 1]])) in distinguished
            for m in range(i, j + 1)
        ):
            j += 1
        if j > i and not any(first <= i and j <= last for first, last in runs):
            runs.append((i, j))
    return [[comparison.names[order[m]] for m in range(i, j + 1)] for i, j in runs]


def draw_ranks(comparison: "Comparison", ax: Any) -> Any:
    """Draw the mean ranks on a line, bars over models that cannot be distinguished, and the critical difference."""
    ranks = comparison.ranks
    if ranks is None:
        raise ValueError("the diagram of mean ranks needs a comparison on several data sets.")
    ax = drawing_axes(ax)
    k = len(ranks)
    order = np.argsort(ranks, kind="stable")
    ax.plot([1, k], [0, 0], color=ink(ax))
    for tick in range(1, k + 1):
        ax.plot([tick, tick], [0, 0.12], color=ink(ax))
        ax.text(tick, 0.18, str(tick), ha="center", va="bottom")
    half = (k + 1) // 2
    for position, j in enumerate(order):
        left = position < half
        depth = -0.6 - 0.35 * (position if left else k - 1 - position)
        end = 0.8 if left else k + 0.2
        ax.plot([ranks[j], ranks[j], end], [0, depth, depth], color=series(ax, LINE), lw=1)
        label = f"{comparison.names[j]} {num(ranks[j]):.2f}"
        ax.text(end, depth, f"{label} " if left else f" {label}", ha="right" if left else "left", va="center")
    if comparison.baseline is None:
        for level, run in enumerate(indistinct(comparison)):
            ends = [ranks[comparison.names.index(name)] for name in (run[0], run[-1])]
            y = -0.12 - 0.1 * level
            ax.plot([ends[0] - 0.03, ends[1] + 0.03], [y, y], color=series(ax, MARK), lw=3, solid_capstyle="butt")
    width = comparison.critical_difference
    if width is not None:
        start = 1.0 if comparison.baseline is None else ranks[comparison.names.index(comparison.baseline)] - width
        stop = start + (width if comparison.baseline is None else 2 * width)
        ax.plot([start, stop], [0.75, 0.75], color=series(ax, MARK), lw=2, marker="|")
        ax.text((start + stop) / 2, 0.82, f"CD {num(width):.2f}", ha="center", va="bottom", color=series(ax, MARK))
    ax.set(xlim=(-0.6, k + 1.6), ylim=(-0.9 - 0.35 * half, 1.3), xlabel="mean rank (1 is best)", yticks=[])
    for side in ("top", "left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    ax.set_xticks([])
    return ax
