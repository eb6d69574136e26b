"""Learning curves with bands, and the zig-zag of policy iteration."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.report.legends import draw_legend
from novum.report.style import series, shade

__all__ = ["draw_convergence", "draw_errors", "draw_improvement", "draw_learning", "smoothed"]

PARTS = 50  # of the episodes, that one point of a smoothed curve averages
BAND = (10, 90)  # percent of the runs that a band holds


def smoothed(curves: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """Return running means over `window` episodes, one row per run."""
    total = np.cumsum(np.insert(curves, 0, 0.0, axis=1), axis=1)
    return (total[:, window:] - total[:, :-window]) / window


def draw_band(ax: Any, x: NDArray[np.float64], curves: NDArray[np.float64], label: str) -> None:
    """Draw the mean over runs and the band that holds most of them."""
    (line,) = ax.plot(x, curves.mean(axis=0), label=label)
    if len(curves) > 1:
        low, high = np.percentile(curves, BAND, axis=0)
        ax.fill_between(x, low, high, color=line.get_color(), alpha=0.2)


def draw_learning(ax: Any, returns: NDArray[np.float64], window: int | None, label: str) -> None:
    """Draw the rewards of episodes, smoothed."""
    width = window or max(1, returns.shape[1] // PARTS)
    draw_band(ax, np.arange(width, returns.shape[1] + 1), smoothed(returns, width), label)
    ax.set_xlabel("episode")
    ax.set_ylabel("reward of an episode" if width == 1 else f"reward of an episode, mean of {width}")
    draw_legend(ax)


def draw_errors(ax: Any, errors: NDArray[np.float64], label: str) -> None:
    """Draw the root mean square error of values by episode."""
    draw_band(ax, np.arange(1, errors.shape[1] + 1), errors, label)
    ax.set_xlabel("episode")
    ax.set_ylabel("root mean square error of the values")
    draw_legend(ax)


def draw_convergence(ax: Any, plan: Any) -> None:
    """Draw the largest change of a value by sweep."""
    changes = np.array(plan.history["change"])
    ax.semilogy(np.arange(1, len(changes) + 1), np.where(changes > 0, changes, np.nan), marker=".", label=plan.method)
    ax.set_xlabel("sweep")
    ax.set_ylabel("largest change of a value")
    draw_legend(ax)


def draw_improvement(ax: Any, plan: Any, state: Any = None) -> None:
    """Draw the zig-zag of policy iteration: the value of a state by evaluation, what improvement promises, and so on."""
    values = np.array(plan.history["values"])
    mdp = plan._mdp
    s = int(np.argmax(mdp.initial)) if state is None else mdp.state_number(state)
    promised = np.array([mdp.bellman(one)[s] for one in values])
    steps = np.arange(len(values))
    x = np.ravel(np.column_stack([steps, steps + 0.5]))[:-1]
    y = np.ravel(np.column_stack([values[:, s], promised]))[:-1]
    ax.plot(x, y, color=shade(ax, 0.5), lw=1)
    ax.plot(steps, values[:, s], "o", label="evaluated: V of the policy")
    ax.plot(steps[:-1] + 0.5, promised[:-1], "^", label="improved: greedy on V")
    ax.axhline(plan.values[s], color=series(ax, 2), ls="--", label="optimal")
    ax.set_xticks(steps)
    ax.set_xlabel("round")
    ax.set_ylabel(f"value of state {mdp.states[s]}")
    draw_legend(ax)
