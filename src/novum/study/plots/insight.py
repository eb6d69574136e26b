"""Pictures of what was found: curves with bands, points with intervals, levels side by side; the marks of `pictures`."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from novum.report.numbers import num
from novum.study.plots.svg import Scale, bars, bottom_axis, left_axis, padded_range, picture, short, with_tip

__all__ = ["Series", "calibration_picture", "curve_picture", "dependence_picture", "lines", "threshold_picture"]

WIDE, HIGH = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 60, 14, 14, 46


class Series(NamedTuple):
    """A line of a picture."""

    name: str
    x: np.ndarray
    y: np.ndarray
    kind: str = "line"  # class of the style sheet: line, second, third or thin
    points: bool = False
    lower: np.ndarray | None = None
    upper: np.ndarray | None = None


def lines(
    series: Sequence[Series],
    title: str,
    axes: tuple[str, str],
    *,
    x: tuple[float, float] | None = None,
    y: tuple[float, float] | None = None,
    upright: float | None = None,
    diagonal: bool = False,
    days: bool = False,
) -> str:
    """Return lines over common axes, with bands, a mark at some x, and the names of the lines at their ends.

    Hovering over a point shows its numbers; with `days` those along the bottom are dates.
    """
    text = day_text if days else short
    xs = np.concatenate([one.x for one in series])
    with_bands = [v for one in series for v in (one.y, one.lower, one.upper) if v is not None]
    ys = np.concatenate(with_bands)
    ys = ys[np.isfinite(ys)]
    across = Scale(*(x or padded_range(xs, 0.02)), LEFT, WIDE - RIGHT)
    up = Scale(*(y or padded_range(ys)), HIGH - BOTTOM, TOP)
    body = bottom_axis(across, TOP, HIGH - BOTTOM, axes[0], text, 4 if days else 6) + left_axis(
        up, LEFT, WIDE - RIGHT, axes[1]
    )
    if diagonal:
        body.append(
            f'<line class="reference" x1="{across(0.0):.1f}" y1="{up(0.0):.1f}" x2="{across(1.0):.1f}" y2="{up(1.0):.1f}"/>'
        )
    if upright is not None:
        at = across(min(max(upright, across.low), across.high))
        body.append(f'<line class="reference" x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HIGH - BOTTOM}"/>')
    for one in series:
        body += drawn(one, across, up, axes, text)
    named = [one for one in series if one.name and one.kind != "thin"]
    if len(named) > 1:
        body += legend(named)
    return picture(title, body, WIDE, HIGH + (18 if len(named) > 1 else 0))


def day_text(value: float) -> str:
    """Return a count of days as a date."""
    return str(np.datetime64(round(value), "D"))


def drawn(
    one: Series, across: Scale, up: Scale, axes: tuple[str, str], text: Callable[[float], str] = short
) -> list[str]:
    """Return the marks of one series."""
    body = []
    fine = np.isfinite(one.y)
    x, y = across(one.x[fine]), up(one.y[fine])
    if one.lower is not None and one.upper is not None and not one.points:
        low, high = up(one.lower[fine]), up(one.upper[fine])
        edge = [*zip(x, high), *list(zip(x, low))[::-1]]
        body.append(f'<polygon class="band" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in edge)}"/>')
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
    body.append(f'<polyline class="{one.kind}" points="{points}"/>')
    if one.kind == "thin":
        return body
    shown = np.flatnonzero(fine)
    shown = shown[np.unique(np.linspace(0, len(shown) - 1, min(len(shown), 40)).astype(int))] if len(shown) else shown
    for i in shown:
        a, b = across(one.x[i]), up(one.y[i])
        said = f"{axes[0]} {text(one.x[i])}, {one.name or axes[1]} {num(one.y[i]):.4g}"
        mark = f'<circle class="hit" cx="{a:.1f}" cy="{b:.1f}" r="8"/>'
        if one.lower is not None and one.upper is not None:
            said += f" ({num(one.lower[i]):.4g} to {num(one.upper[i]):.4g})"
        if one.points:
            mark += f'<circle class="mark" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>'
            if one.lower is not None and one.upper is not None:
                ends = f'y1="{up(one.lower[i]):.1f}" y2="{up(one.upper[i]):.1f}"'
                mark = f'<line class="whisker" x1="{a:.1f}" x2="{a:.1f}" {ends}/>' + mark
        body.append(with_tip(said, mark))
    return body


def legend(named: Sequence[Series]) -> list[str]:
    """Return the names of the lines below the picture."""
    body, place = [], LEFT
    for one in named:
        body.append(f'<line class="{one.kind}" x1="{place}" x2="{place + 18}" y1="{HIGH + 6}" y2="{HIGH + 6}"/>')
        body.append(f'<text class="axis" x="{place + 23}" y="{HIGH + 10}">{escape(one.name)}</text>')
        place += 40 + 6 * len(one.name)
    return body


def curve_picture(curve: Any, title: str) -> str:
    """Return the learning curve; the points of single draws about their means."""
    sizes, means = np.array(curve.sizes, dtype=float), np.array(curve.means)
    low = np.array([min(found) for found in curve.scores])
    high = np.array([max(found) for found in curve.scores])
    return lines(
        [Series("", sizes, means, points=True, lower=low, upper=high)],
        f"{title} by the number of training rows",
        ("training rows", title),
    )


def calibration_picture(found: Any, words: str) -> str:
    """Return said probabilities against shares, with their intervals."""
    return lines(
        [Series("", found.predicted, found.observed, points=True, lower=found.lower, upper=found.upper)],
        f"Calibration: {words}",
        ("probability said", "share that was so"),
        x=(0.0, 1.0),
        y=(0.0, 1.0),
        diagonal=True,
    )


def threshold_picture(found: Any) -> str:
    """Return measures along the threshold, with the best one marked."""
    shares = [Series("found", found.at, found.found, "second"), Series("right", found.at, found.right, "third")]
    within = np.nanmax(found.score) <= 1 and np.nanmin(found.score) >= 0
    top = float(max(1.0, np.nanmax(found.score)))
    return lines(
        [Series(found.measure, found.at, found.score), *shares],
        f"Measures along the threshold for {found.positive}; the best for {found.measure} is {num(found.best):.3f}",
        (f"threshold of the probability of {found.positive}", "share" if within else found.measure),
        x=(0.0, 1.0),
        y=(0.0, top),
        upright=found.best,
    )


def dependence_picture(found: Any, output: str) -> str:
    """Return how the prediction moves with a column: a line with the range of the rows, or a bar per level."""
    title = f"How {output} moves with {found.column}"
    if not found.numeric:
        rows = [
            (str(level), float(m), 0.0, f"{level}: {num(m):.4g}, middle 80 % of the rows {num(a):.4g} to {num(b):.4g}")
            for level, m, a, b in zip(found.values, found.mean, found.lower, found.upper)
        ]
        return bars(rows, title, output)
    x = np.array(found.values, dtype=float)
    thin = [Series("", x, curve, "thin") for curve in found.curves]
    heights = np.concatenate([found.lower, found.upper, found.mean, *found.curves])
    line = Series("", x, found.mean, lower=found.lower, upper=found.upper)
    return lines([*thin, line], title, (found.column, output), y=padded_range(heights), days=found.days)
