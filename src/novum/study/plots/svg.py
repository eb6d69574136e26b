"""Pictures of the report as inline SVG: no library, no network, colours from the page's style sheet.

Every mark carries its numbers in `data-tip` (shown by the page on hover or touch) and in a `<title>`. Colours are classes
(`mark`, `soft`, `axis`, `grid`, `kept`), so light, dark and print need one picture.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from novum.report.numbers import num

__all__ = ["bars", "curve", "intervals", "scatter"]

WIDTH, ROW, LABEL = 480, 22, 188
SQUARE = 360
LONGEST_LABEL = 24


class Scale(NamedTuple):
    """A map from values to pixels."""

    low: float
    high: float
    start: float
    stop: float

    def __call__(self, value: Any) -> Any:
        return self.start + (value - self.low) / (self.high - self.low) * (self.stop - self.start)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers in an interval."""
    if high <= low:
        return [low]
    raw = (high - low) / most
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = np.ceil(low / step - 1e-9)
    return [float(k * step) for k in np.arange(first, np.floor(high / step + 1e-9) + 1)]


def short(value: float) -> str:
    """Return a number for an axis."""
    return f"{num(value + 0.0):.6g}"


def label(text: str) -> str:
    """Return a name that fits beside a row."""
    return escape(text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…")


def picture(title: str, body: Sequence[str], width: int, height: int) -> str:
    """Return the SVG element."""
    return (
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title, quote=True)}" '
        f'preserveAspectRatio="xMidYMid meet">{"".join(body)}</svg>'
    )


def with_tip(tip: str, inner: str) -> str:
    """Return marks with the text that hovering shows."""
    return f'<g class="tip" data-tip="{escape(tip, quote=True)}"><title>{escape(tip)}</title>{inner}</g>'


def bottom_axis(
    scale: Scale, top: float, bottom: float, title: str, text: Callable[[float], str] = short, most: int = 6
) -> list[str]:
    """Return grid lines with their numbers below, or what `text` makes of these."""
    parts = []
    for value in ticks(scale.low, scale.high, most):
        x = scale(value)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text class="axis" x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{text(value)}</text>')
    middle = (scale.start + scale.stop) / 2
    parts.append(f'<text class="axis" x="{middle:.1f}" y="{bottom + 31}" text-anchor="middle">{escape(title)}</text>')
    return parts


def left_axis(scale: Scale, left: float, right: float, title: str) -> list[str]:
    """Return grid lines with their numbers to the left."""
    parts = []
    for value in ticks(scale.low, scale.high):
        y = scale(value)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="axis" x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(value)}</text>')
    middle = (scale.start + scale.stop) / 2
    parts.append(
        f'<text class="axis" transform="translate(13 {middle:.1f}) rotate(-90)" text-anchor="middle">{escape(title)}</text>'
    )
    return parts


def padded_range(values: Any, share: float = 0.05) -> tuple[float, float]:
    """Return the range of values with a little room."""
    low, high = float(np.min(values)), float(np.max(values))
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def intervals(rows: Sequence[tuple[str, float, float, float, str, bool]], title: str, axis: str) -> str:
    """Return a point with its interval per row: (name, value, low, high, tip, kept).

    A last row far from the others (the baseline) stands at the edge with its number, so that the others fill the picture.
    """
    ends = [row[2:4] for row in rows]
    low, high = padded_range(np.ravel(ends[:-1] if is_far(ends) else ends).tolist())
    scale = Scale(low, high, LABEL + (24 if is_far(ends) else 0), WIDTH - 12)
    bottom = 6 + ROW * len(rows)
    body = bottom_axis(scale, 4, bottom, axis)
    for i, (name, value, start, stop, tip, kept) in enumerate(rows):
        y = 6 + ROW * (i + 0.5)
        kind = "kept" if kept else "mark"
        if low <= value <= high:
            point = (
                f'<line class="{kind} bar" x1="{scale(start):.1f}" x2="{scale(stop):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
                f'<circle class="{kind}" cx="{scale(value):.1f}" cy="{y:.1f}" r="4.5"/>'
            )
        elif value < low:
            point = f'<text class="axis" x="{LABEL}" y="{y + 4:.1f}">◂ {num(value):.3g}</text>'
        else:
            point = f'<text class="axis" x="{WIDTH - 12}" y="{y + 4:.1f}" text-anchor="end">{num(value):.4g} ▸</text>'
        body.append(with_tip(tip, named_row(name, y, kept) + point))
    return picture(title, body, WIDTH, bottom + 36)


def is_far(ends: Sequence[tuple[float, float]]) -> bool:
    """Return whether the last row would take more than half of the picture away from three or more others."""
    if len(ends) < 4:
        return False
    others, all_rows = np.ravel(ends[:-1]), np.ravel(ends)
    outside = ends[-1][1] < others.min() or ends[-1][0] > others.max()
    return bool(outside and np.ptp(all_rows) > 2 * np.ptp(others))


def named_row(name: str, y: float, kept: bool = False) -> str:
    """Return the name of a row, and the area that shows its tip."""
    return (
        f'<rect class="hit" x="{LABEL}" y="{y - ROW / 2:.1f}" width="{WIDTH - LABEL}" height="{ROW}"/>'
        f'<text class="name{" strong" if kept else ""}" x="{LABEL - 8}" y="{y + 4:.1f}" text-anchor="end">{label(name)}</text>'
    )


def bars(rows: Sequence[tuple[str, float, float, str]], title: str, axis: str) -> str:
    """Return a bar from zero per row, with a whisker: (name, value, deviation, tip)."""
    low, high = padded_range([0.0, *(row[1] - row[2] for row in rows), *(row[1] + row[2] for row in rows)])
    scale = Scale(min(low, 0.0) if min(r[1] - r[2] for r in rows) < 0 else 0.0, max(high, 0.0), LABEL, WIDTH - 12)
    bottom = 6 + ROW * len(rows)
    body = bottom_axis(scale, 4, bottom, axis)
    for i, (name, value, deviation, tip) in enumerate(rows):
        y = 6 + ROW * (i + 0.5)
        a, b = sorted((scale(0.0), scale(value)))
        ends = f'x1="{scale(value - deviation):.1f}" x2="{scale(value + deviation):.1f}"'
        whisker = f'<line class="whisker" {ends} y1="{y:.1f}" y2="{y:.1f}"/>' if deviation else ""
        bar = f'<rect class="fill" x="{a:.1f}" y="{y - 6:.1f}" width="{max(b - a, 1):.1f}" height="12" rx="2"/>'
        body.append(with_tip(tip, named_row(name, y) + bar + whisker))
    return picture(title, body, WIDTH, bottom + 36)


def frame_of(x: tuple[float, float], y: tuple[float, float]) -> tuple[Scale, Scale]:
    """Return the scales of a square picture."""
    return Scale(*x, 56, SQUARE - 12), Scale(*y, SQUARE - 44, 12)


def curve(x: np.ndarray, y: np.ndarray, title: str, axes: tuple[str, str], diagonal: bool = True) -> str:
    """Return a curve over the unit square, with its points."""
    across, up = frame_of((0.0, 1.0), (0.0, 1.0))
    body = bottom_axis(across, 12, SQUARE - 44, axes[0]) + left_axis(up, 56, SQUARE - 12, axes[1])
    if diagonal:
        body.append(f'<line class="reference" x1="{across(0.0)}" y1="{up(0.0)}" x2="{across(1.0)}" y2="{up(1.0)}"/>')
    points = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in zip(x, y))
    body.append(f'<polyline class="line" points="{points}"/>')
    shown = np.unique(np.linspace(0, len(x) - 1, 60).astype(int))
    body += [
        with_tip(
            f"{axes[0]} {num(x[i]):.3f}, {axes[1]} {num(y[i]):.3f}",
            f'<circle class="hit" cx="{across(x[i]):.1f}" cy="{up(y[i]):.1f}" r="9"/>'
            f'<circle class="mark" cx="{across(x[i]):.1f}" cy="{up(y[i]):.1f}" r="2.5"/>',
        )
        for i in shown
    ]
    return picture(title, body, SQUARE, SQUARE)


def scatter(x: np.ndarray, y: np.ndarray, title: str, axes: tuple[str, str], line: str) -> str:
    """Return points, with the diagonal ("equal") or the zero line ("zero") as reference."""
    if line == "equal":
        both = padded_range(np.concatenate([x, y]))
        across, up = frame_of(both, both)
        ends = (across(both[0]), up(both[0]), across(both[1]), up(both[1]))
    else:
        across, up = frame_of(padded_range(x), padded_range(np.append(y, 0.0)))
        ends = (across.start, up(0.0), across.stop, up(0.0))
    body = bottom_axis(across, 12, SQUARE - 44, axes[0]) + left_axis(up, 56, SQUARE - 12, axes[1])
    body.append('<line class="reference" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>'.format(*ends))
    body += [
        with_tip(
            f"{axes[0]} {num(a):.4g}, {axes[1]} {num(b):.4g}",
            f'<circle class="point" cx="{across(a):.1f}" cy="{up(b):.1f}" r="3"/>',
        )
        for a, b in zip(x, y)
    ]
    return picture(title, body, SQUARE, SQUARE)
