"""The picture of a training: loss and score per epoch, the best epoch and where it stopped."""

from typing import Any

import numpy as np

from novum.base.history import History
from novum.report.axes import drawing_axes

__all__ = ["draw_training"]


def draw_training(history: History, ax: Any = None) -> Any:
    """Draw a history and return its axes; the validation score has a scale of its own on the right.

    Dashed lines mark the best epoch (by score, else by loss) and the last.
    """
    ax = drawing_axes(ax)
    epochs = np.arange(1, len(history) + 1)
    ax.plot(epochs, history.objective, color="C0", label="training loss")
    ax.set(xlabel="epoch", ylabel=history.name)
    scores = np.array(history.columns.get("validation score", []))
    judged = -scores if len(scores) else np.array(history.objective)
    best = int(np.nanargmin(judged)) + 1 if np.isfinite(judged).any() else len(history)
    lines = list(ax.lines)
    if len(scores):
        right = ax.twinx()
        right.plot(epochs, scores, color="C1", label="validation score")
        right.plot([best], [scores[best - 1]], "o", color="C1", label="_best")
        right.set_ylabel("validation score")
        lines += right.lines[:1]
    lines.append(ax.axvline(best, color="gray", linestyle="--", label=f"best epoch {best}"))
    if best < len(history):
        lines.append(ax.axvline(len(history), color="gray", linestyle=":", label=f"stopped at {len(history)}"))
    ax.legend(lines, [line.get_label() for line in lines])
    return ax
