r"""Learning curves: what episodes returned as the steps went by, and bands over several runs.

m_r(t) = mean return of the last `window` episodes of run r that ended by step t                                        (1)
band: Student's interval of the mean of m_r(t) over runs; one run has none                                                   (2)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted
from novum.report.result import Result
from novum.report.style import shade
from novum.runtime.checks import check_count, check_level
from novum.runtime.typing import Axes

__all__ = ["Band", "LearningCurve", "learning_band", "plot_learning_curves"]


@dataclass(frozen=True, repr=False)
class LearningCurve(Result):
    """Episodes of a training: after how many steps they ended, what they returned, how long they were."""

    steps: NDArray[np.int64]
    returns: NDArray[np.float64]
    lengths: NDArray[np.int64]

    def smoothed(self, window: int = 20) -> NDArray[np.float64]:
        """Return the mean return of the last `window` episodes at the end of every episode."""
        sums = np.concatenate([[0.0], np.cumsum(self.returns)])
        last = np.arange(1, sums.size)
        first = np.maximum(last - window, 0)
        return np.asarray((sums[last] - sums[first]) / (last - first))

    def _result_picture(self, ax: Any) -> None:
        ax.plot(self.steps, self.returns, ".", ms=2, color=shade(ax, 0.7))
        ax.plot(self.steps, self.smoothed(), label="mean of 20 episodes")
        ax.set_xlabel("steps")
        ax.set_ylabel("return")
        draw_legend(ax)


class Band(NamedTuple):
    """Steps, the mean (1) over runs there, and its interval (2)."""

    steps: NDArray[np.float64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def learning_band(
    curves: Sequence[LearningCurve], *, window: int = 20, n_points: int = 100, level: float = 0.95
) -> Band:
    """Return the mean of several runs over the steps that all of them have, with its interval."""
    if not curves or not all(isinstance(curve, LearningCurve) and len(curve.steps) for curve in curves):
        raise DataError("learning_band: give the `history_` of one or more agents, each with an episode at least.")
    first, last = max(curve.steps[0] for curve in curves), min(curve.steps[-1] for curve in curves)
    steps = np.linspace(min(first, last), last, n_points)
    rows = []
    for curve in curves:
        place = np.searchsorted(curve.steps, steps, side="right") - 1
        rows.append(curve.smoothed(window)[np.maximum(place, 0)])
    table = np.array(rows)
    runs, mean = len(table), table.mean(axis=0)
    if runs == 1:
        return Band(steps, mean, np.full(n_points, np.nan), np.full(n_points, np.nan))
    half = student.ppf((1 + level) / 2, runs - 1) * table.std(axis=0, ddof=1) / np.sqrt(runs)
    return Band(steps, mean, mean - half, mean + half)


def plot_learning_curves(
    curves: Mapping[str, Sequence[LearningCurve]], ax: Axes | None = None, *, window: int = 20, level: float = 0.95
) -> Axes:
    """Draw the mean return of agents over steps, several runs each, with bands; return the axes.

    Parameters
    ----------
    curves : mapping from names to lists of LearningCurve
        The `history_` of agents trained with different seeds.
    ax : matplotlib axes, default=None
    window : int, default=20
        Episodes that are averaged.
    level : float, default=0.95
        Of the bands.
    """
    window = check_count("plot_learning_curves", "window", window)
    level = check_level("plot_learning_curves", level)
    ax = drawing_axes(ax)
    for name, runs in curves.items():
        band = learning_band(list(runs), window=window, level=level)
        (line,) = ax.plot(band.steps, band.mean, label=f"{name}, {counted(len(runs), 'run')}")
        ax.fill_between(band.steps, band.low, band.high, alpha=0.2, color=line.get_color(), lw=0)
    ax.set_xlabel("steps")
    ax.set_ylabel(f"return, mean of {counted(window, 'episode')}")
    draw_legend(ax)
    return ax
