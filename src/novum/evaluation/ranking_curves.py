r"""ROC and precision-recall curves with bands.

A threshold on the score s gives a rate of true positives t, of false positives u, and a precision. The bands are pointwise:
on resamples of the rows (novum.evaluation._statistics) the curve is read at fixed places, and the band holds the middle
`level` of the values.

    ROC   t at u:        the largest t of thresholds with false-positive rate at most u, linear between thresholds        (1)
    PR    precision at recall r:   that of the highest threshold whose recall is at least r                                (2)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.evaluation._statistics import Areas, count_chunks, intervals
from novum.evaluation.area import area, area_interval, is_positive
from novum.evaluation.proportion import Interval
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.numbers import counted, decimal
from novum.report.result import Result
from novum.runtime.checks import check_count, check_level, row_weights, vector
from novum.runtime.random import seed_of
from novum.runtime.typing import RowWeights

__all__ = ["PrecisionRecallDisplay", "RocCurveDisplay"]

PLACES = 101  # on the horizontal axis
AT_ONCE = 1 << 22  # counts of resamples held at a time


def scores_of(owner: str, estimator: Any, X: Any) -> tuple[NDArray, Any]:
    """Return the scores of the positive class and its label."""
    for method in ("predict_proba", "decision_function"):
        if hasattr(estimator, method):
            found = np.asarray(getattr(estimator, method)(X))
            if found.ndim == 2 and found.shape[1] != 2:
                raise DataError(
                    f"{owner}: {counted(found.shape[1], 'class')}; draw one class against the rest by from_predictions."
                )
            return (found[:, 1] if found.ndim == 2 else found), estimator.classes_[1]
    raise DataError(f"{owner}: {type(estimator).__name__} has neither predict_proba nor decision_function.")


@dataclass(frozen=True)
class Sorted:
    """Rows from the best score down."""

    positive: NDArray
    weight: NDArray
    last: NDArray  # ends of groups of equal scores
    order: NDArray

    def cumulated(self, counts: NDArray) -> tuple[NDArray, NDArray]:
        """Return true and false positives at every threshold, for counts (r, n)."""
        mass = counts[:, self.order] * self.weight
        hit = np.cumsum(mass * self.positive, axis=1)[:, self.last]
        return hit, np.cumsum(mass, axis=1)[:, self.last] - hit


def sorted_rows(positive: NDArray, score: NDArray, weight: NDArray | None) -> Sorted:
    """Return the rows in the order of their scores."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.flatnonzero(np.diff(score[order])), len(score) - 1)
    w = np.ones(len(score)) if weight is None else weight
    return Sorted(positive[order], w[order], last, order)


def roc_at(hit: NDArray, false: NDArray, places: NDArray) -> NDArray:
    """Return (1)."""
    u, t = np.append(0, false / false[-1]), np.append(0, hit / hit[-1])
    keep = np.append(np.diff(u) > 0, True)  # the highest t of every u
    return np.interp(places, u[keep], t[keep])


def precision_at(hit: NDArray, false: NDArray, places: NDArray) -> NDArray:
    """Return (2)."""
    there = hit + false > 0
    hit, false = hit[there], false[there]
    first = np.searchsorted(hit, places * hit[-1] - 1e-12 * hit[-1], side="left")
    return (hit / (hit + false))[np.minimum(first, len(hit) - 1)]


def bands(rows: Sorted, read: Any, places: NDArray, n_resamples: int, seed: int, level: float) -> tuple:
    """Return the pointwise band of a curve."""
    values = []
    n = len(rows.order)
    for counts in count_chunks(n, n_resamples, seed, max(1, AT_ONCE // n)):
        for hit, false in zip(*rows.cumulated(counts)):
            if hit[-1] > 0 and false[-1] > 0:
                values.append(read(hit, false, places))
    if not values:
        return np.full(len(places), np.nan), np.full(len(places), np.nan)
    return tuple(np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=0))


@dataclass(frozen=True, repr=False)
class Curve:
    """A curve, its band, and the area under it."""

    x: NDArray
    y: NDArray
    places: NDArray
    lower: NDArray
    upper: NDArray
    area: float
    area_interval: Interval
    level: float
    name: str = ""

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Any:
        """Return the curve of a fitted classifier of two classes; options as in `from_predictions`."""
        score, positive = scores_of(f"{cls.__name__}.from_estimator", estimator, X)
        name = options.pop("name", type(estimator).__name__)
        return cls.from_predictions(y, score, **{"pos_label": positive, "name": name, **options})

    @classmethod
    def from_predictions(
        cls, y: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None, level: float = 0.95,
        n_resamples: int = 500, random_state: Any = 0, name: str = ""
    ) -> Any:  # fmt: skip
        """Return the curve of scores that grow with the chance of the positive class.

        Parameters
        ----------
        y, y_score : array-likes of shape (n_samples,)
        pos_label : label, default=None
            The positive of two labels; None takes the larger.
        sample_weight : array-like of shape (n_samples,), default=None
        level : float, default=0.95
            Of the band at every place.
        n_resamples : int, default=500
        random_state : default=0
        name : str, default=""
            For the legend.
        """
        owner = f"{cls.__name__}.from_predictions"
        positive = is_positive(owner, y, pos_label)
        score = vector(owner, "y_score", y_score, len(positive))
        weight = row_weights(owner, sample_weight, len(positive))
        level = check_level(owner, level)
        count, seed = check_count(owner, "n_resamples", n_resamples, low=20), seed_of(random_state)
        rows = sorted_rows(positive, score, weight)
        hit, false = (total[0] for total in rows.cumulated(np.ones((1, len(score)), np.uint8)))
        return cls._made(positive, score, weight, rows, hit, false, count, seed, level, name)

    @classmethod
    def _made(cls, *_: Any) -> Any:
        raise NotImplementedError(cls.__name__)

    def _label(self) -> str:
        low, high = self.area_interval
        return f"{self.name + ': ' if self.name else ''}area {decimal(self.area)} ({decimal(low)} - {decimal(high)})"

    def __repr__(self) -> str:
        return f"{type(self).__name__}, {self._label()}"

    def _draw(self, ax: Any, step: bool, color: str) -> Any:
        ax = drawing_axes(ax)
        draw = (lambda x, y, **kw: ax.step(x, y, where="pre", **kw)) if step else ax.plot
        draw(self.x, self.y, color=color, label=self._label())
        ax.fill_between(self.places, self.lower, self.upper, color=color, alpha=0.2, step="pre" if step else None, lw=0)
        ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
        return ax


@dataclass(frozen=True, repr=False)
class RocCurveDisplay(Curve, Result):
    """The ROC curve with a pointwise band, and the area with DeLong's interval.

    Made by `from_estimator(model, X, y)` or `from_predictions(y, y_score)`.

    Attributes
    ----------
    x, y : ndarray
        False- and true-positive rates at every threshold, from (0, 0) to (1, 1).
    places, lower, upper : ndarray
        The band of the true-positive rate.
    area, area_interval, level, name

    Examples
    --------
    >>> from novum.evaluation import RocCurveDisplay
    >>> RocCurveDisplay.from_predictions([0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9])
    RocCurveDisplay, area .812 (.329 - .975)
    """

    @classmethod
    def _made(
        cls, positive: Any, score: Any, weight: RowWeights, rows: Any, hit: Any, false: Any, count: Any, seed: Any,
        level: float, name: Any
    ) -> Any:  # fmt: skip
        places = np.linspace(0, 1, PLACES)
        low, high = bands(rows, roc_at, places, count, seed, level)
        found = area(positive, score, weight)
        x, y = np.append(0, false / false[-1]), np.append(0, hit / hit[-1])
        ends = area_interval(positive, found, weight, level)
        return cls(x, y, places, low, high, found.value, ends, level, name)

    def plot(self, ax: Any = None, *, color: str = "#33415c") -> Any:
        """Draw the curve, its band and the diagonal of chance."""
        ax = self._draw(ax, False, color)
        ax.plot([0, 1], [0, 1], color="#8d8d8d", ls="--", lw=1)
        ax.set(xlabel="false-positive rate", ylabel="true-positive rate")
        ax.legend(frameon=False, loc="lower right")
        return ax


@dataclass(frozen=True, repr=False)
class PrecisionRecallDisplay(Curve, Result):
    """The precision-recall curve with a pointwise band, and the area by steps with a BCa interval.

    Made by `from_estimator(model, X, y)` or `from_predictions(y, y_score)`.

    Attributes
    ----------
    x, y : ndarray
        Recall and precision at every threshold, from recall 0 on.
    places, lower, upper : ndarray
        The band of the precision.
    area : float
        By steps (average precision).
    area_trapezoid : float
        By trapezoids, which is optimistic: precision does not change linearly with recall (Davis and Goadrich 2006).
    prevalence : float
        The precision of chance.
    area_interval, level, name

    Examples
    --------
    >>> from novum.evaluation import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4])
    >>> round(display.area, 4), round(display.area_trapezoid, 4)
    (0.9167, 0.9028)
    """

    area_trapezoid: float = float("nan")
    prevalence: float = float("nan")

    @classmethod
    def _made(
        cls, positive: Any, score: Any, weight: RowWeights, rows: Any, hit: Any, false: Any, count: Any, seed: Any,
        level: float, name: Any
    ) -> Any:  # fmt: skip
        places = np.linspace(0, 1, PLACES)
        low, high = bands(rows, precision_at, places, count, seed, level)
        areas = intervals(Areas(positive[:, None], score[:, None], weight), level, max(count, 1000), seed)
        (value, ends, _), (trapezoid, _, _) = areas["average_precision"], areas["pr_auc"]
        there = hit + false > 0
        x, y = np.append(0, hit[there] / hit[-1]), np.append(1, hit[there] / (hit[there] + false[there]))
        prevalence = float(hit[-1] / (hit[-1] + false[-1]))
        return cls(x, y, places, low, high, value, ends, level, name, trapezoid, prevalence)

    def plot(self, ax: Any = None, *, color: str = "#33415c") -> Any:
        """Draw the curve, its band and the line of chance."""
        ax = self._draw(ax, True, color)
        ax.axhline(self.prevalence, color="#8d8d8d", ls="--", lw=1)
        ax.set(xlabel="recall", ylabel="precision")
        ax.legend(frameon=False, loc="lower left")
        return ax
