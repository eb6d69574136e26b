"""What an evaluation returns: scores with intervals, the confusion table, the scores of every class.

Prints as a table, shows as HTML, gives a frame, draws its scores and curves.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.evaluation.intervals.proportion import Interval
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.numbers import counted, decimal, number, weight_text
from novum.report.result import Result, result
from novum.report.style import series
from novum.report.tables import html_table, text_table
from novum.runtime.typing import Axes, DataFrame

__all__ = ["ALIASES", "ClassScores", "Evaluation", "Score"]

MANY_CLASSES = 12  # a larger confusion table does not fit a screen: its most confused pairs are printed instead
ALIASES = {  # other names that people use
    "f1": "f_score",
    "fbeta": "f_score",
    "sensitivity": "recall",
    "rebalanced_accuracy": "balanced_accuracy",
    "multiclass_accuracy": "accuracy",
    "macc": "accuracy",
    "sample_error": "error",
    "zero_one_loss": "error",
    "zero_one_risk": "error",
    "macro_f1": "macro_f_score",
    "cost_weighted_error": "cost",
    "expected_calibration_error": "calibration_error",
    "ece": "calibration_error",
    "auc": "roc_auc",
    "auprc": "average_precision",
    "brier_score": "brier",
    "residual_sum_of_squares": "rss",
}
METHODS = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper-Pearson",
    "delong": "DeLong",
    "bca": "BCa bootstrap",
    "none": "",
}


@result
class Score(NamedTuple):
    """A score and its interval."""

    value: float
    lower: float
    upper: float
    method: str  # of the interval

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return Interval(self.lower, self.upper)


@result
class ClassScores(NamedTuple):
    """One class against the rest."""

    label: Any
    support: float  # weight of its rows
    precision: Score
    recall: Score
    f_score: Score
    accuracy: Score


@dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """Scores of predictions, each with an interval.

    Attributes
    ----------
    scores : dict of Score
        By name; `evaluation["accuracy"]` is a shorthand. A Score has `value`, `lower`, `upper`, `method`.
    task : {"classification", "regression"}
    n : int
        Rows.
    level : float
        Of the intervals.
    classes : ndarray of shape (n_classes,) or None
    positive : label or None
        The positive class, of two.
    confusion : ndarray of shape (n_classes, n_classes) or None
        Weight of the rows of a class (row) by prediction (column).
    per_class : tuple of ClassScores
    notes : tuple of str
        What could not be computed, and why.
    """

    scores: dict[str, Score]
    task: str
    n: int
    level: float
    classes: NDArray | None = None
    positive: Any = None
    confusion: NDArray | None = None
    per_class: tuple[ClassScores, ...] = ()
    notes: tuple[str, ...] = ()
    _ranked: Any = field(default=None, repr=False)  # (truth codes, scores or probabilities, weight) for curves

    def __getitem__(self, name: str) -> Score:
        name = name if name in self.scores else ALIASES.get(name, name)
        if name not in self.scores:
            raise ParameterError(f"Evaluation[{name!r}]: no such score here; there are {', '.join(self.scores)}.")
        return self.scores[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scores)

    def __len__(self) -> int:
        return len(self.scores)

    def __contains__(self, name: object) -> bool:
        return name in self.scores or ALIASES.get(str(name)) in self.scores

    def counts(self) -> dict[str, float]:
        """Return TP, FN, FP and TN of the positive class."""
        if self.positive is None or self.confusion is None or self.classes is None:
            raise DataError("Evaluation.counts: only two classes have these four counts; see `confusion`, `per_class`.")
        i = int(np.flatnonzero(self.classes == self.positive)[0])
        table = self.confusion
        return {"TP": table[i, i], "FN": table[i, 1 - i], "FP": table[1 - i, i], "TN": table[1 - i, 1 - i]}

    def confused(self) -> list[tuple[Any, Any, float]]:
        """Return (true class, predicted class, weight) of the mistakes, the most frequent first."""
        if self.confusion is None or self.classes is None:
            raise DataError("Evaluation.confused: only predicted labels can be confused.")
        i, j = np.nonzero(self.confusion * ~np.eye(len(self.classes), dtype=bool))
        order = np.argsort(-self.confusion[i, j], kind="stable")
        return [(self.classes[a], self.classes[b], float(self.confusion[a, b])) for a, b in zip(i[order], j[order])]

    def to_frame(self) -> DataFrame:
        """Return the scores as a pandas frame, a row each."""
        import pandas as pd

        columns = ["value", "lower", "upper", "method"]
        return pd.DataFrame([tuple(s) for s in self.scores.values()], index=list(self.scores), columns=columns)

    def class_frame(self) -> DataFrame:
        """Return the scores of every class as a pandas frame, with the ends of their intervals."""
        import pandas as pd

        rows = {}
        for one in self.per_class:
            rows[one.label] = {"support": one.support}
            for name in ("precision", "recall", "f_score", "accuracy"):
                score = getattr(one, name)
                rows[one.label] |= {name: score.value, f"{name}_lower": score.lower, f"{name}_upper": score.upper}
        return pd.DataFrame.from_dict(rows, orient="index")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores between -1 and 1 (for a regression R2 and the correlation) with their intervals."""
        shown = {name: s for name, s in self.scores.items() if s.method != "none" and s.lower >= -1 and s.upper <= 1}
        shown = {name: s for name, s in shown.items() if self.task == "classification" or name in ("r2", "pearson")}
        ax = drawing_axes(ax)
        for place, score in enumerate(shown.values()):
            ax.plot([score.lower, score.upper], [place, place], color=series(ax, 0), lw=2)
            ax.plot(score.value, place, "o", color=series(ax, 3))
        ax.set(yticks=range(len(shown)), yticklabels=[name.replace("_", " ") for name in shown])
        ax.set(xlabel=f"score, {100 * self.level:g} % interval", ylabel="")
        ax.invert_yaxis()
        return ax

    def plot_confusion(self, ax: Axes | None = None, *, normalize: str | None = None) -> Axes:
        """Draw the confusion table by scikit-learn's display; `normalize="true"` divides by the rows of a class."""
        from sklearn.metrics import ConfusionMatrixDisplay

        if self.confusion is None:
            raise DataError("Evaluation.plot_confusion: there are no predicted labels.")
        table = self.confusion
        if normalize == "true":
            table = table / np.maximum(table.sum(axis=1, keepdims=True), np.finfo(float).tiny)
        elif normalize is not None:
            raise ParameterError(f"Evaluation.plot_confusion(normalize={normalize!r}): give None or 'true'.")
        whole = normalize is None and bool((table == np.round(table)).all())
        display = ConfusionMatrixDisplay(table.astype(int) if whole else table, display_labels=self.classes)
        return display.plot(
            ax=drawing_axes(ax), colorbar=False, cmap="Blues", values_format="d" if whole else ".3f"
        ).ax_

    def _rows(self) -> list[list[str]]:
        rows = [["", self.task, f"{100 * self.level:g} % interval", ""]]
        for name, (value, low, high, method) in self.scores.items():
            show = decimal if max(abs(value), abs(low), abs(high)) <= 1 else number
            ends = "-" if np.isnan(low) or np.isnan(high) else f"{show(low)} - {show(high)}"
            rows.append([name.replace("_", " "), show(value), ends, METHODS.get(method, method)])
        return rows

    def _mass(self) -> str:
        return "rows" if self._ranked is None or self._ranked[2] is None else "weight"

    def _class_rows(self) -> list[list[str]]:
        rows = [["class", "precision", "recall", "F", "accuracy", self._mass()]]
        for one in self.per_class:
            each = [decimal(score.value) for score in (one.precision, one.recall, one.f_score, one.accuracy)]
            rows.append([str(one.label), *each, weight_text(one.support)])
        return rows

    def _confusion_rows(self) -> list[list[str]]:
        assert self.confusion is not None and self.classes is not None
        if len(self.classes) > MANY_CLASSES:
            pairs = self.confused()[:MANY_CLASSES]
            return [["truth", "predicted", self._mass()], *([str(a), str(b), weight_text(n)] for a, b, n in pairs)]
        lines = [[str(label), *(weight_text(n) for n in row)] for label, row in zip(self.classes, self.confusion)]
        return [["truth \\ predicted", *map(str, self.classes)], *lines]

    def _title(self) -> str:
        if self.classes is None:
            return f"Evaluation of {counted(self.n, 'row')}"
        sign = "" if self.positive is None else f", positive: {self.positive}"
        return f"Evaluation of {counted(self.n, 'row')}, {counted(len(self.classes), 'class')}{sign}"

    def __repr__(self) -> str:
        table = [row[:3] + [row[3]] for row in self._rows()]
        widths = [max(len(row[j]) for row in table) for j in range(3)]
        lines = [
            f"  {a.ljust(widths[0])}  {b.rjust(widths[1])}   {c.center(widths[2])}   {d}".rstrip()
            for a, b, c, d in table
        ]
        if self.confusion is not None:
            lines += ["", *text_table(self._confusion_rows())]
        if len(self.per_class) > 2:
            lines += ["", *text_table(self._class_rows())]
        return "\n".join([self._title(), *lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        from html import escape

        parts = [html_table(self._rows(), self._title())]
        if self.confusion is not None:
            parts.append(html_table(self._confusion_rows()))
        if self.per_class:
            parts.append(html_table(self._class_rows()))
        return "".join([*parts, *(f"<p>{escape(note)}</p>" for note in self.notes)])
