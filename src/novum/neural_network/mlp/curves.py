"""The picture of a training: loss and score per epoch, the best epoch and where it stopped."""

from typing import Any

import numpy as np

from novum.base.history import History
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series, shade

__all__ = ["draw_training"]


def draw_training(history: History, ax: Any = None) -> Any:
    """Draw a history and return its axes; the validation score has a scale of its own on the right.

    Dashed lines mark the best epoch (by score, else by loss) and the last.
    """
    ax = drawing_axes(ax)
    epochs = np.arange(1, len(history) + 1)
    ax.plot(epochs, history.objective, color=series(ax, 0), label="training loss")
    ax.set(xlabel="epoch", ylabel=history.name)
    scores = np.array(history.columns.get("validation score", []))
    judged = -scores if len(scores) else np.array(history.objective)
    best = int(np.nanargmin(judged)) + 1 if np.isfinite(judged).any() else len(history)
    lines = list(ax.lines)
    if len(scores):
        right = ax.twinx()
        right.plot(epochs, scores, color=series(right, 1), label="validation score")
        right.plot([best], [scores[best - 1]], "o", color=series(right, 1), label="_best")
        right.set_ylabel("validation score")
        lines += right.lines[:1]
    lines.append(ax.axvline(best, color=shade(ax, 0.5), linestyle="--", label=f"best epoch {best}"))
    if best < len(history):
        lines.append(ax.axvline(len(history), color=shade(ax, 0.5), linestyle=":", label=f"stopped at {len(history)}"))
    draw_legend(ax, lines, above=len(scores) > 0)
    return ax
