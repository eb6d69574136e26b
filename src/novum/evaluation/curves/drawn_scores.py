"""How curves of training and test scores are drawn: scikit-learn's lines and bands, with novum's figure, legend and ticks."""

from typing import Any, Self

import numpy as np

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.runtime.typing import Axes

__all__ = ["DrawnScores"]

MOST_TICKS = 8  # values of a parameter that are written each


class DrawnScores:
    """Draws what scikit-learn's display draws; see the module."""

    param_range: Any
    ax_: Any
    lines_: Any
    errorbar_: Any

    def plot(
        self,
        ax: Axes | None = None,
        *,
        negate_score: bool = False,
        score_name: str | None = None,
        score_type: str = "both",
        std_display_style: str | None = "fill_between",
        line_kw: dict[str, Any] | None = None,
        fill_between_kw: dict[str, Any] | None = None,
        errorbar_kw: dict[str, Any] | None = None,
        label: str | None = None,
    ) -> Self:
        """Draw the curves and return the display; the parameters are scikit-learn's, but for `label`.

        Parameters
        ----------
        label : str, default=None
            Before the names of the curves in the legend, for several models on the same axes.
        """
        super().plot(  # type: ignore[misc]
            drawing_axes(ax),
            negate_score=negate_score,
            score_name=score_name,
            score_type=score_type,
            std_display_style=std_display_style,
            line_kw=line_kw,
            fill_between_kw=fill_between_kw,
            errorbar_kw=errorbar_kw,
        )
        for drawn in (self.lines_ or []) + (self.errorbar_ or []):
            drawn.set_label(drawn.get_label() if label is None else f"{label}: {drawn.get_label()}")
        values = np.asarray(getattr(self, "param_range", []))
        if values.dtype.kind in "iuf" and 0 < len(values) <= MOST_TICKS:
            self.ax_.set_xticks(values, [f"{value:g}" for value in values])
            self.ax_.set_xticks([], minor=True)
        draw_legend(self.ax_)
        return self
