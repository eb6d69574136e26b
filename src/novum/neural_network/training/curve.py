"""What a training did, epoch by epoch: the loss, the loss on rows held back, the rate; with the epoch whose weights were kept."""

import numpy as np

from novum.base.history import History
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import ink
from novum.runtime.typing import Axes

__all__ = ["TrainingCurve"]


class TrainingCurve(History):
    """The loss of every epoch as a sequence of floats, with further columns by name.

    Columns: `validation loss` (where rows were held back), `rate`, `seconds`, and what the network measures of itself.
    `best` is the place of the epoch whose weights were kept, counted from 0.
    """

    @property
    def best(self) -> int:
        """The epoch with the least loss on the rows held back; without these the last."""
        if not len(self) or "validation loss" not in self.columns:
            return len(self) - 1
        return int(np.nanargmin(self.columns["validation loss"]))

    def plot(self, ax: Axes | None = None, *, label: str | None = None) -> Axes:
        """Draw the losses against the epoch, with a mark at the epoch that was kept; return the axes.

        A `label` stands before the names of the losses in the legend, for several trainings on the same axes.
        """
        of = "" if label is None else f"{label}: "
        ax = drawing_axes(ax)
        epochs = range(1, len(self) + 1)
        ax.plot(epochs, self.objective, label=f"{of}training")
        if "validation loss" in self.columns:
            held = self.columns["validation loss"]
            ax.plot(epochs, held, label=f"{of}validation")
            ax.plot([self.best + 1], [held[self.best]], "o", color=ink(ax), label=f"{of}kept: epoch {self.best + 1}")
            ax.axvline(self.best + 1, color=ink(ax), linewidth=0.6, linestyle=":")
        ax.set(xlabel="epoch", ylabel=self.name)
        draw_legend(ax)
        return ax
