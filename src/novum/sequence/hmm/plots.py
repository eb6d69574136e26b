"""Pictures of hidden Markov models: a series with bands of states, posteriors as a heat map, the trellis of the best path."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import SEQUENTIAL, series, shade

__all__ = ["draw_bands", "draw_posteriors", "draw_trellis"]

MOST_STEPS = 60  # that a trellis can show
BAND = 0.18  # opacity


def runs_of(path: NDArray) -> list[tuple[int, int, int]]:
    """Return (first, last + 1, state) of every stretch of one state."""
    ends = np.concatenate([np.flatnonzero(path[1:] != path[:-1]) + 1, [len(path)]])
    starts = np.concatenate([[0], ends[:-1]])
    return [(int(a), int(b), int(path[a])) for a, b in zip(starts, ends)]


def draw_bands(X: NDArray, path: NDArray, means: NDArray | None, at: Any, names: list[str], ax: Any) -> Any:
    """Draw series over time with a band in the color of the state behind every stretch, and the state's mean on one series."""
    ax = drawing_axes(ax)
    at = np.arange(len(X)) if at is None else np.asarray(at)
    step = (at[-1] - at[0]) / max(1, len(at) - 1) if len(at) > 1 else 1
    for low, high, state in runs_of(path):
        left, right = at[low] - step / 2, at[high - 1] + step / 2
        ax.axvspan(left, right, color=series(ax, state), alpha=BAND, lw=0)
        if means is not None and X.shape[1] == 1:
            ax.plot([left, right], [means[state, 0]] * 2, color=series(ax, state), lw=1.5)
    for j in range(X.shape[1]):
        ax.plot(at, X[:, j], color=shade(ax, 0.2) if X.shape[1] == 1 else None, lw=1, label=names[j])
    ax.set(xlabel="step" if at[0] == 0 else "", ylabel=names[0] if X.shape[1] == 1 else "")
    if X.shape[1] > 1:
        draw_legend(ax)
    return ax


def draw_posteriors(shares: NDArray, ax: Any) -> Any:
    """Draw the probability of every state at every step as a heat map."""
    ax = drawing_axes(ax)
    image = ax.imshow(shares.T, aspect="auto", vmin=0, vmax=1, cmap=SEQUENTIAL, interpolation="nearest")
    ax.set(xlabel="step", ylabel="state", yticks=range(shares.shape[1]))
    ax.figure.colorbar(image, ax=ax, label="probability")
    return ax


def draw_trellis(trans: NDArray, shares: NDArray, path: NDArray, ax: Any) -> Any:
    """Draw states against steps: nodes as large as their posterior, possible transitions thin, the best path thick."""
    if len(path) > MOST_STEPS:
        raise DataError(f"plot_trellis: a trellis of {len(path)} steps cannot be read; give at most {MOST_STEPS} rows.")
    ax = drawing_axes(ax)
    k = len(trans)
    for t in range(1, len(path)):
        for i in range(k):
            for j in range(k):
                if trans[i, j] > 0:
                    ax.plot([t - 1, t], [i, j], color=shade(ax, 0.8), lw=0.2 + 1.5 * trans[i, j], zorder=1)
    ax.plot(range(len(path)), path, color=series(ax, 3), lw=2.5, zorder=2)
    steps, states = np.meshgrid(range(len(path)), range(k), indexing="ij")
    ax.scatter(
        steps.ravel(),
        states.ravel(),
        s=20 + 200 * shares.ravel(),
        c=shares.ravel(),
        vmin=0,
        vmax=1,
        zorder=3,
        edgecolors=shade(ax, 0.3),
    )
    ax.set(xlabel="step", ylabel="state", yticks=range(k))
    ax.invert_yaxis()
    return ax
