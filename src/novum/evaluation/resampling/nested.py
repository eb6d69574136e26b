r"""Nested cross-validation: the score of a model together with the search that chooses its parameters.

For every outer fold the search runs on the other rows, with folds of its own, and its choice is scored on the fold:

    outer score   S_j = score of the model that the search makes without fold j, on fold j                        (1)
    inner score   I_j = the best mean score that the search saw without fold j                                    (2)
    optimism      = mean_j I_j - mean_j S_j                                                                       (3)

The best of many noisy scores is too good: (2) is biased upwards by about (3), (1) is not. The choices may differ between
folds; the model to use is the search run once on all rows, and its score is the mean of (1).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.evaluation.intervals.proportion import Interval
from novum.evaluation.resampling.cross_validation import CrossValidation, cross_validate
from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import decimal, number
from novum.report.result import Result
from novum.report.style import series
from novum.report.tables import html_table
from novum.runtime.typing import Fittable, Rows, Splitter, Target

__all__ = ["NestedCrossValidation", "nested_cross_validate"]


@dataclass(frozen=True, repr=False)
class NestedCrossValidation(Result):
    """Outer scores with the parameters chosen in each fold.

    Attributes
    ----------
    outer_scores, inner_scores : ndarray of shape (n_folds,)
        (1) and (2).
    chosen : list of dict
        The parameters that the search chose without each fold; None where it failed.
    mean : float
    interval : Interval
        Of the mean of the outer scores, approximate (see `cross_validate`).
    optimism : float
        (3).
    estimator : fitted search or None
        The search on all rows: the model to use.
    outer : CrossValidation
    """

    outer_scores: NDArray
    inner_scores: NDArray
    chosen: list[dict[str, Any] | None]
    mean: float
    interval: Interval
    optimism: float
    estimator: Any
    outer: CrossValidation = field(repr=False)

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per outer fold."""
        import pandas as pd

        scores = {"outer_score": self.outer_scores, "inner_score": self.inner_scores}
        return pd.DataFrame(scores).join(pd.DataFrame([one or {} for one in self.chosen]))

    def plot(self, ax: Any = None) -> Any:
        """Draw inner against outer scores by fold."""
        ax, fold = drawing_axes(ax), np.arange(len(self.outer_scores)) + 1
        ax.plot(fold, self.inner_scores, "o", color=series(ax, 5), label="inner: what the search saw")
        ax.plot(fold, self.outer_scores, "o", color=series(ax, 3), label="outer: rows it did not see")
        ax.axhline(self.mean, color=series(ax, 3), lw=1)
        ax.set(xlabel="outer fold", ylabel="score")
        draw_legend(ax)
        return ax

    def _rows(self) -> list[list[str]]:
        show = decimal if np.nanmax(np.abs([self.outer_scores, self.inner_scores])) <= 1 else number
        rows = [["fold", "outer score", "inner score", "chosen"]]
        for j, (outer, inner, one) in enumerate(zip(self.outer_scores, self.inner_scores, self.chosen)):
            text = "failed" if one is None else ", ".join(f"{name}={value!r}" for name, value in one.items())
            rows.append([str(j + 1), show(outer), show(inner), text])
        return rows

    def _head(self) -> str:
        show = decimal if np.nanmax(np.abs(self.outer_scores)) <= 1 else number
        low, high = self.interval
        return (
            f"Nested cross-validation: score {show(self.mean)}, {100 * self.outer.level:g} % interval {show(low)} -"
            f" {show(high)} (approximate), optimism of the inner score {show(self.optimism)}"
        )

    def __repr__(self) -> str:
        head, *rows = self._rows()
        widths = [max(len(row[j]) for row in (head, *rows)) for j in range(3)]
        lines = ["  " + "  ".join(c.rjust(w) for c, w in zip(row, widths)) + "   " + row[3] for row in (head, *rows)]
        return "\n".join([self._head(), *lines, *(f"  {line}" for line in self.outer._lines())])

    def _repr_html_(self) -> str:
        return html_table(self._rows(), self._head())


def nested_cross_validate(
    search: Fittable,
    X: Rows,
    y: Target = None,
    *,
    cv: Splitter = 5,
    groups: Target = None,
    n_jobs: int | None = None,
    params: dict[str, Any] | None = None,
    refit: bool = True,
    error_score: float | str = float("nan"),
    level: float = 0.95,
) -> NestedCrossValidation:
    """Return honest scores of a search over parameters, what it chose, and how optimistic its own score is.

    Parameters
    ----------
    search : GridSearchCV, RandomizedSearchCV or alike
        An estimator that has `best_params_` and `best_score_` when fitted; its own folds are the inner ones, its scoring is
        used outside too.
    X, y
        Rows.
    cv : int or splitter, default=5
        The outer folds.
    groups : array-like of shape (n_samples,), default=None
        For outer splitters that keep groups together.
    n_jobs : int, default=None
        Processes over outer folds (joblib).
    params : dict, default=None
        Handed to `search.fit`.
    refit : bool, default=True
        Whether to run the search on all rows too, for the model to use.
    error_score, level
        As in `cross_validate`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV
    >>> from novum.evaluation import nested_cross_validate
    >>> from novum.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, cv=5)
    >>> nested_cross_validate(search, *load_iris(return_X_y=True), cv=3)
    Nested cross-validation: score .960, 95 % interval .881 - 1.000 (approximate), optimism of the inner score .003
      fold  outer score  inner score   chosen
         1         .960         .960   n_neighbors=15
         2         .940         .970   n_neighbors=1
         3         .980         .960   n_neighbors=5
    """
    if not hasattr(search, "fit") or (not hasattr(search, "param_grid") and not hasattr(search, "estimator")):
        raise ParameterError(
            f"nested_cross_validate(search={search!r}): give a search over parameters, such as"
            " GridSearchCV(model, {'alpha': [...]}, cv=5); a model without one goes to cross_validate."
        )
    outer = cross_validate(
        search,
        X,
        y,
        cv=cv,
        groups=groups,
        n_jobs=n_jobs,
        params=params,
        return_estimator=True,
        error_score=error_score,
        level=level,
    )
    fitted = outer["estimator"]
    missing = [one for one in fitted if one is not None and not hasattr(one, "best_params_")]
    if missing:
        raise ParameterError(f"nested_cross_validate(search={search!r}): fitted, it has no best_params_.")
    inner = np.array([np.nan if one is None else getattr(one, "best_score_", np.nan) for one in fitted], np.float64)
    there = np.isfinite(outer["test_score"]) & np.isfinite(inner)
    optimism = float((inner - outer["test_score"])[there].mean()) if there.any() else float("nan")
    final = clone(search).fit(X, y, **(params or {})) if refit else None
    return NestedCrossValidation(
        outer_scores=outer["test_score"],
        inner_scores=inner,
        chosen=[None if one is None else one.best_params_ for one in fitted],
        mean=outer.mean(),
        interval=outer.interval(),
        optimism=optimism,
        estimator=final,
        outer=outer,
    )
