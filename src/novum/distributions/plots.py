"""Pictures of distributions: curves of densities, stems of probabilities, contours in the plane and on the triangle."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import ink, series, shade
from novum.runtime.checks import vector

__all__ = ["plot_distribution"]

POINTS = 801
GRID = 201  # points along a side of the plane
TAIL = 0.004  # probability left out on either side
REACH = 4.0  # quartile distances beyond the quartiles: heavy tails go on forever
EDGE = 0.04  # of the range of data, beyond them
MOST_CURVES = 12  # of a batch: more cannot be distinguished
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


def plot_distribution(distribution: Any, ax: Any, label: str | None, data: Any = None) -> Any:
    """Draw a distribution of numbers, of vectors in the plane, or of three probabilities."""
    name, event = type(distribution).__name__, distribution.event_shape
    if not event:
        x = None if data is None else vector(f"{name}.plot", "data", data)
        return draw_line(distribution, drawing_axes(ax), label, x)
    if data is not None:
        raise ParameterError(f"{name}.plot(data=...): data are drawn under distributions of numbers; leave them out.")
    if distribution.batch_shape:
        raise ParameterError(f"{name}.plot: pictures of vectors show one distribution; index the batch.")
    if distribution.support.kind == "simplex" and event == (3,):
        return draw_triangle(distribution, drawing_axes(ax))
    if distribution.support.kind in ("vectors", "simplex") and event == (2,):
        return draw_plane(distribution, drawing_axes(ax))
    advice = "of one count, Binomial(n, p[k])" if distribution.support.kind == "counts" else "of one or two coordinates"
    raise ParameterError(
        f"{name}.plot: there are pictures of numbers, of vectors of two real numbers and of two or three probabilities; the"
        f" outcomes here are {distribution.support.kind} of shape {event}. Draw a marginal: {advice}."
    )


def each(distribution: Any) -> list[Any]:
    """Return the distributions of a batch, or the one there is."""
    if not distribution.batch_shape:
        return [distribution]
    if len(distribution.batch_shape) > 1 or len(distribution) > MOST_CURVES:
        raise ParameterError(
            f"{type(distribution).__name__}.plot: a batch of shape {distribution.batch_shape} is too much for one picture;"
            f" index it."
        )
    return [distribution[j] for j in range(len(distribution))]


def span_of(distribution: Any) -> tuple[float, float]:
    """Return the ends of a curve: most of the mass, a little of the outside."""
    low, first, third, high = (float(v) for v in distribution.quantile(np.array([TAIL, 0.25, 0.75, 1 - TAIL])))
    low, high = max(low, first - REACH * (third - first)), min(high, third + REACH * (third - first))
    margin = 0.15 * (high - low)
    ends = distribution.support
    return max(low - margin, float(ends.low) - margin / 3), min(high + margin, float(ends.high) + margin / 3)


def draw_line(distribution: Any, ax: Any, label: str | None, data: NDArray | None) -> Any:
    """Draw curves of densities or stems of probabilities, and data at their foot."""
    parts = each(distribution)
    kind = parts[0].support.kind
    if kind == "reals":
        spans = [span_of(part) for part in parts]
        if data is not None:
            room = EDGE * float(np.ptp(data))
            spans.append((float(data.min()) - room, float(data.max()) + room))
        low, high = min(a for a, _ in spans), max(b for _, b in spans)
        x = np.linspace(low, high, POINTS)
        for j, part in enumerate(parts):
            density = part.prob(x)
            ax.plot(x, np.where(np.isfinite(density), density, np.nan), label=name_of(part, j, len(parts), label))
        ax.set_ylabel("density")
    else:
        for j, part in enumerate(parts):
            x, p = stems_of(part)
            places = np.arange(len(x)) if kind == "values" and np.asarray(x).dtype.kind in "US" else x
            shift = 0.0 if len(parts) == 1 else 0.12 * (j - 0.5 * (len(parts) - 1))
            ax.vlines(places + shift, 0, p, color=series(ax, j), lw=2.5)
            ax.plot(places + shift, p, "o", color=series(ax, j), ms=4, label=name_of(part, j, len(parts), label))
            if places is not x:
                ax.set_xticks(places, x)
        ax.set_ylabel("probability")
    if data is not None:
        ax.plot(data, np.zeros(len(data)), "|", color=ink(ax), ms=10, clip_on=False, zorder=3)
    ax.autoscale(axis="y")  # what another call drew may be lower
    ax.set_ylim(bottom=0)
    ax.set_xlabel("x")
    if len(parts) > 1 or label is not None:
        draw_legend(ax)
    return ax


def stems_of(distribution: Any) -> tuple[NDArray, NDArray]:
    """Return the outcomes of a discrete distribution that matter, and their probabilities."""
    if distribution.support.kind == "values":
        return distribution.values, distribution.prob(distribution.values)
    high = distribution.support.high
    top = float(high) if float(high) < POINTS else float(distribution.mean + 6 * distribution.std + 1)
    x = np.arange(float(distribution.support.low), top + 1)
    p = distribution.prob(x)
    keep = p > 1e-6 * p.max()
    return x[keep], p[keep]


def name_of(part: Any, j: int, count: int, label: str | None) -> str:
    """Return the label of a curve: what was given, or its parameters."""
    if label is not None:
        return label if count == 1 else f"{label} {j}"
    shown = ", ".join(
        f"{name} {value:g}" for name, value in part._parameters().items() if np.ndim(value) == 0 and np.isreal(value)
    )
    return shown or type(part).__name__


def draw_plane(distribution: Any, ax: Any) -> Any:
    """Draw contours that hold 10 to 90 percent of the mass under a normal."""
    drawn = distribution.sample(4000, random_state=0)
    low, high = np.quantile(drawn, [0.003, 0.997], axis=0)
    low, high = low - 0.15 * (high - low), high + 0.15 * (high - low)
    first, second = np.meshgrid(*(np.linspace(low[j], high[j], GRID) for j in range(2)))
    density = distribution.prob(np.stack([first, second], axis=-1))
    levels = np.unique(np.quantile(distribution.prob(drawn), [0.1, 0.25, 0.5, 0.75, 0.9]))
    ax.contourf(first, second, density, levels=[*levels, density.max() * (1 + 1e-9)], cmap="Blues", alpha=0.8)
    ax.contour(first, second, density, levels=levels, colors=shade(ax, 0.2), linewidths=0.7)
    ax.set_xlabel("x1")
    ax.set_ylabel("x2")
    return ax


def draw_triangle(distribution: Any, ax: Any) -> Any:
    """Draw the density over three probabilities on the triangle they live in."""
    share = np.linspace(0, 1, GRID)[1:-1]
    a, b = np.meshgrid(share, share)
    inside = a + b < 1 - 1e-9
    p = np.stack([a[inside], b[inside], 1 - a[inside] - b[inside]], axis=-1)
    plane = p @ CORNERS
    ax.tricontourf(plane[:, 0], plane[:, 1], distribution.prob(p), levels=24, cmap="Blues")
    ax.plot(*CORNERS[[0, 1, 2, 0]].T, color=shade(ax, 0.2), lw=1)
    for corner, text in zip(CORNERS, ("p1 = 1", "p2 = 1", "p3 = 1")):
        ax.annotate(text, corner, ha="center", va="top" if corner[1] == 0 else "bottom")
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax
