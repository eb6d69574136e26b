"""Pictures of states: a series with its band, a path with its ellipses."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import ParameterError
from novum.report.style import series
from novum.runtime.checks import check_level

__all__ = ["draw_band", "draw_path", "half_width"]

Array = NDArray[Any]
MOST_ELLIPSES = 25  # on one path; more hide it
CORNERS = 60  # of the polygon that stands for an ellipse


def half_width(owner: str, level: float) -> float:
    """Return how many standard deviations hold a share `level` of a normal distribution, on both sides of its mean."""
    from scipy.special import ndtri

    return float(ndtri(0.5 + check_level(owner, level) / 2))


def draw_band(ax: Any, at: Any, mean: Array, deviation: Array, width: float, *, label: str, k: int = 0) -> None:
    """Draw a mean and the band of `width` deviations around it; where a deviation is infinite there is none."""
    color = series(ax, k)
    ax.plot(at, mean, color=color, label=label)
    wide = np.where(np.isfinite(deviation), width * deviation, np.nan)
    ax.fill_between(at, mean - wide, mean + wide, color=color, alpha=0.2, linewidth=0)


def draw_path(ax: Any, means: Array, covariances: Array, pair: Any, level: float, owner: str) -> None:
    """Draw two states against each other, with ellipses that hold a share `level` each along the path."""
    check_level(owner, level)
    pair = tuple(pair)
    if len(pair) != 2 or not all(isinstance(j, int) and -means.shape[1] <= j < means.shape[1] for j in pair):
        raise ParameterError(f"{owner}(pair={pair!r}): give two of the states 0 to {means.shape[1] - 1}.")
    path = means[:, pair]
    ax.plot(*path.T, color=series(ax, 0), marker=".", label="state")
    radius = np.sqrt(-2 * np.log1p(-level))  # of a standard normal distribution in the plane
    angle = np.linspace(0, 2 * np.pi, CORNERS)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)])
    for t in np.unique(np.linspace(0, len(means) - 1, min(len(means), MOST_ELLIPSES)).astype(int)):
        V = covariances[t][np.ix_(pair, pair)]
        if not np.isfinite(V).all():
            continue
        size, axes = np.linalg.eigh(V)
        ax.plot(
            *(path[t][:, None] + axes @ (np.sqrt(np.maximum(size, 0))[:, None] * circle)),
            color=series(ax, 0),
            alpha=0.4,
            lw=0.8,
        )
    ax.set(xlabel=f"state {pair[0]}", ylabel=f"state {pair[1]}")
