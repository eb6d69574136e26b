"""What the displays of ROC and precision-recall curves have beside scikit-learn's: a band and an interval.

Parameters, attributes and pictures are scikit-learn's. A curve of predictions has a pointwise band beside
(`novum.evaluation.curves.bands`); those of folds (`from_cv_results`) show themselves how they vary, and have none.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.curves.bands import CurveBand, Reading, band_of, sorted_rows
from novum.evaluation.intervals.proportion import Interval
from novum.report.numbers import decimal
from novum.report.result import Result
from novum.runtime.checks import check_count, check_level, row_weights, vector
from novum.runtime.random import seed_of

__all__ = ["Banded", "Resampling", "curve_columns"]

FEWEST = 20  # resamples


class Resampling(NamedTuple):
    """How a band is made."""

    level: float
    n_resamples: int
    seed: int

    @classmethod
    def checked(cls, owner: str, level: float, n_resamples: int, random_state: Any) -> "Resampling":
        """Return the three after their checks."""
        count = check_count(owner, "n_resamples", n_resamples, low=FEWEST)
        return cls(check_level(owner, level), count, seed_of(random_state))


class Banded(Result):
    """A curve with a band, an interval of its area, and a line of text."""

    band: CurveBand | None = None
    level: float | None = None
    _read: Reading

    def _resampled(self: Any, y: Any, score: Any, weight: Any, resampling: Resampling) -> Any:
        """Give a drawn curve its band and interval where there are rows of both classes, and draw the band; return self."""
        owner = f"{type(self).__name__}.from_predictions"
        positive = np.asarray(y) == self.pos_label
        if positive.any() and not positive.all():
            score = vector(owner, "y_score", score, len(positive))
            mass = row_weights(owner, weight, len(positive))
            self.level = resampling.level
            self.band = band_of(sorted_rows(positive, score, mass), type(self)._read, *resampling[1:], self.level)
            self._judge(positive, score, mass, resampling)
            self._draw_band()
        return self

    def _draw_band(self: Any) -> None:
        if self.band is not None:
            self.ax_.fill_between(*self.band, color=self.line_.get_color(), alpha=0.2, lw=0)

    def _said(self: Any, value: Any, interval: Interval | None) -> str:
        """Return the display in one line."""
        label = f"{self.name}: " if isinstance(self.name, str) else ""
        ends = "" if interval is None else " ({} - {})".format(*map(decimal, interval))
        areas = "not known" if value is None else ", ".join(decimal(float(one)) for one in np.atleast_1d(value))
        return f"{type(self).__name__}, {label}area {areas}{ends}"


def curve_columns(**named: Any) -> dict[str, NDArray]:
    """Return the points of one curve, or of several with the number of each, as columns."""
    several = {name: value if isinstance(value, list) else [value] for name, value in named.items()}
    columns = {name: np.concatenate([np.asarray(part) for part in parts]) for name, parts in several.items()}
    first = next(iter(several.values()))
    return {"curve": np.repeat(np.arange(len(first)), list(map(len, first))), **columns} if len(first) > 1 else columns
