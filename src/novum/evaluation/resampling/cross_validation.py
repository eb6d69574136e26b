r"""Cross-validation: the score of a model on rows it was not fitted to, with an interval that knows that the folds overlap.

    mean = sum_j S_j / J,     naive standard error = sqrt(sum_j (S_j - mean)^2 / (J (J - 1)))                     (1)
    mean over rows = sum_j n_j S_j / sum_j n_j                                                                    (2)
    interval: (3) of novum.evaluation.resampling.corrected_t with n2/n1 the mean of test rows over training rows               (3)

(1) takes the folds for independent, which they are not: any two training sets share most rows. (3) allows for that by a rule
of thumb, so it is approximate. No unbiased estimate of the variance exists (Bengio and Grandvalet 2004).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, check_cv

from novum.evaluation.intervals.proportion import Interval
from novum.evaluation.resampling.corrected_t import corrected_interval
from novum.evaluation.resampling.equal_lengths import together
from novum.evaluation.resampling.folds import (
    FoldFailure,
    is_leave_one_out,
    leave_one_out,
    rows,
    run_folds,
    single_row_scoring,
    split_list,
)
from novum.evaluation.scores.score_names import check_names
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, decimal, number
from novum.report.result import Result
from novum.report.style import series
from novum.report.tables import html_table, text_table
from novum.runtime.checks import check_level, check_number
from novum.runtime.typing import Fittable, Rows, Splitter, Target
from novum.runtime.warn import warn

__all__ = ["CrossValidation", "cross_validate"]

SHARES = (
    "accuracy",
    "balanced_accuracy",
    "f1",
    "precision",
    "recall",
    "roc_auc",
    "average_precision",
    "jaccard",
    "top_k",
)


class CrossValidation(dict, Result):
    """What scikit-learn's cross_validate returns, a dict of arrays by fold, with means and approximate intervals.

    Attributes
    ----------
    level : float
    failures : list of FoldFailure
        Folds whose model could not be fitted or scored: number, rows and error.
    notes : list of str
    train_sizes, test_sizes : ndarray of shape (n_folds,)
        Rows.
    """

    level: float
    failures: list[FoldFailure]
    notes: list[str]
    train_sizes: NDArray
    test_sizes: NDArray
    _bounds: dict[str, tuple[float, float]]

    @property
    def names(self) -> list[str]:
        """The scores, as in the keys test_<name>."""
        return [key.removeprefix("test_") for key in self if key.startswith("test_")]

    def _scores(self, name: str | None) -> tuple[NDArray, NDArray]:
        if name is None and len(self.names) != 1:
            raise ParameterError(f"CrossValidation: several scores; name one of {', '.join(self.names)}.")
        key = f"test_{self.names[0] if name is None else name.removeprefix('test_')}"
        if key not in self:
            raise ParameterError(f"CrossValidation: no score {name!r}; there are {', '.join(self.names)}.")
        there = np.isfinite(self[key])
        return self[key][there], there

    def mean(self, name: str | None = None, *, over: str = "folds") -> float:
        """Return the mean over folds, or with `over="rows"` the mean that counts every row once."""
        scores, there = self._scores(name)
        if over not in ("folds", "rows"):
            raise ParameterError(f"CrossValidation.mean(over={over!r}): over must be 'folds' or 'rows'.")
        if len(scores) == 0:
            return float("nan")
        return float(np.average(scores, weights=self.test_sizes[there] if over == "rows" else None))

    def standard_error(self, name: str | None = None) -> float:
        """Return sd/sqrt(folds), which takes the folds for independent and so is too small; `interval` corrects for that."""
        scores, _ = self._scores(name)
        return float(scores.std(ddof=1) / np.sqrt(len(scores))) if len(scores) > 1 else float("nan")

    def interval(self, name: str | None = None) -> Interval:
        """Return the approximate interval of the mean, corrected for overlapping training sets; NaN of a single fold."""
        scores, there = self._scores(name)
        if len(scores) < 2:
            return Interval(float("nan"), float("nan"))
        ratio = float((self.test_sizes / self.train_sizes)[there].mean())
        low, high = corrected_interval(scores, ratio, self.level)
        least, most = self._bounds.get(name or self.names[0], (-np.inf, np.inf))
        return Interval(max(low, least), min(high, most))

    def to_frame(self) -> Any:
        """Return the scores of the folds as a pandas frame, a row per fold."""
        import pandas as pd

        plain = {key: value for key, value in self.items() if isinstance(value, np.ndarray)}
        return pd.DataFrame({**plain, "train_rows": self.train_sizes, "test_rows": self.test_sizes})

    def plot(self, ax: Any = None, name: str | None = None) -> Any:
        """Draw the scores of the folds with their mean and interval."""
        ax, (low, high) = drawing_axes(ax), self.interval(name)
        scores, there = self._scores(name)
        ax.plot(np.flatnonzero(there) + 1, scores, "o", color=series(ax, 0))
        ax.axhline(self.mean(name), color=series(ax, 3), label="mean")
        ax.axhspan(low, high, color=series(ax, 3), alpha=0.15, label=f"{100 * self.level:g} % interval, approximate")
        ax.set(xlabel="fold", ylabel=(name or self.names[0]).replace("_", " "))
        draw_legend(ax)
        return ax

    def _rows(self) -> list[list[str]]:
        table = [["", "mean", f"{100 * self.level:g} % interval, approximate", "sd of folds"]]
        for name in self.names:
            scores, (low, high) = self._scores(name)[0], self.interval(name)
            show = decimal if np.abs(scores).max(initial=0.0) <= 1 else number
            ends = "-" if np.isnan(low) else f"{show(low)} - {show(high)}"
            deviation = show(float(scores.std(ddof=1))) if len(scores) > 1 else "-"
            table.append([name.replace("_", " "), show(self.mean(name)), ends, deviation])
        return table

    def _lines(self) -> list[str]:
        lost = [
            f"fold {f.fold + 1} of {len(self.test_sizes)} ({f.train_rows} training rows) failed: {f.error}"
            for f in self.failures
        ]
        return [*lost, *self.notes]

    def __repr__(self) -> str:
        folds = counted(len(self.test_sizes), "fold")
        head = f"Cross-validation, {folds} of {span(self.train_sizes)} + {span(self.test_sizes)} rows"
        return "\n".join([head, *text_table(self._rows()), *(f"  {line}" for line in self._lines())])

    def _repr_html_(self) -> str:
        from html import escape

        return html_table(self._rows(), repr(self).splitlines()[0]) + "".join(
            f"<p>{escape(line)}</p>" for line in self._lines()
        )


def span(sizes: NDArray) -> str:
    """Return a size, or the least and the largest."""
    low, high = int(sizes.min()), int(sizes.max())
    return f"{low:,}" if low == high else f"{low:,}-{high:,}"


def bounds_of(estimator: Any, scoring: Any, name: str) -> tuple[float, float]:
    """Return between which numbers a score of scikit-learn lies, as far as its name says."""
    known = scoring if isinstance(scoring, str) else name
    if scoring is None:
        known = "accuracy" if is_classifier(estimator) else "r2"
    elif isinstance(scoring, dict):
        known = scoring.get(name, "")
    if not isinstance(known, str):
        return -np.inf, np.inf
    if known.startswith(SHARES):
        return 0.0, 1.0
    return -np.inf, 1.0 if known == "r2" else 0.0 if known.startswith("neg_") else np.inf


def collect_folds(
    found: dict[str, Any],
    sizes: tuple[NDArray, NDArray],
    failures: list[FoldFailure],
    level: float,
    estimator: Any,
    scoring: Any,
) -> CrossValidation:
    """Return the result with the rows that train and test in every fold."""
    result = CrossValidation(found)
    result.level, result.failures, result.notes = level, failures, []
    result._bounds = {name: bounds_of(estimator, scoring, name) for name in result.names}
    result.train_sizes, result.test_sizes = sizes
    return result


def cross_validate(
    estimator: Fittable,
    X: Rows,
    y: Target = None,
    *,
    groups: Target = None,
    scoring: str | Callable[..., Any] | None = None,
    cv: Splitter = None,
    n_jobs: int | None = None,
    params: dict[str, Any] | None = None,
    return_train_score: bool = False,
    return_estimator: bool = False,
    return_indices: bool = False,
    error_score: float | str = float("nan"),
    level: float = 0.95,
) -> CrossValidation:
    """Return scikit-learn's cross-validation with an interval for the mean, and every failure by name.

    Parameters
    ----------
    estimator, X, y, groups, scoring, cv, n_jobs, params, return_train_score, return_estimator, return_indices
        As in `sklearn.model_selection.cross_validate`; `cv` takes every splitter of scikit-learn (groups, time series,
        repeated, leave-one-out) and `BootstrapSplit`. Work is spread by joblib, also over a Dask cluster
        (`joblib.parallel_config("dask")`).
        A number of folds keeps groups together where `groups` are given.
    error_score : float or "raise", default=nan
        Score of a fold whose model fails. Failures are warned about and listed in `failures`; when all folds fail the
        first error is raised.
    level : float, default=0.95
        Of the intervals.

    Returns
    -------
    CrossValidation
        A dict with scikit-learn's keys; `.mean()`, `.standard_error()`, `.interval()`, `.to_frame()`, `.plot()`.

    Notes
    -----
    The interval is approximate. Coverage of the expected score by 95 % intervals, measured (tests/evaluation/test_coverage.py,
    docs/theory/coverage_of_intervals.md) on samples of 100 rows: 98-99 % with 10 folds, 98 % with 5, 95-96 % with 10 folds repeated
    3 times; mean -+ t times the naive standard error covers 92-94 %, 92-94 % and 68-73 %. From 20 rows on 92-99.5 %, but of nearly
    perfect models 52-77 %: all folds then often have one score, the interval has no width, and a DataWarning says so.

    Leave-one-out of `LinearRegression`, `Ridge` and `NadarayaWatson` takes one fit. R2 of a single row does not exist, so
    regressors are then scored by neg_mean_squared_error unless another score is requested.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from novum.evaluation import cross_validate
    >>> from novum.naive_bayes import GaussianNB
    >>> cross_validate(GaussianNB(), *load_iris(return_X_y=True), cv=10)
    Cross-validation, 10 folds of 135 + 15 rows
             mean  95 % interval, approximate  sd of folds
      score  .953                .907 - 1.000         .045
    """
    owner = "cross_validate"
    level = check_level(owner, level)
    X, y, groups = together(owner, (X, y, groups))
    check_names(owner, scoring)
    splitter = splitter_of(owner, cv, y, is_classifier(estimator), groups)
    n = rows(X)
    notes, single = [], is_leave_one_out(splitter, n)
    if single and scoring == "r2":
        raise ParameterError(
            f"{owner}(cv={cv!r}, scoring='r2'): R2 of a single row does not exist; use scoring='neg_mean_squared_error'."
        )
    if single:
        usual = single_row_scoring(estimator, scoring)
        if usual != scoring:
            notes.append("R2 of a single row does not exist: scored by neg_mean_squared_error")
        scoring = usual
        needs_fits = return_train_score or return_estimator or return_indices
        found = None if needs_fits or n < 3 else leave_one_out(estimator, X, y, scoring, params or {})
        if found is not None:
            sizes = np.broadcast_to(n - 1, n), np.broadcast_to(1, n)
            result = collect_folds(found, sizes, [], level, estimator, scoring)
            result.notes = [*notes, "leave-one-out in closed form, from one fit"]
            return result
    try:
        splits = split_list(splitter, X, y, groups)
    except ValueError as problem:
        raise DataError(f"{owner}(cv={cv!r}): cannot split the rows: {problem}") from problem
    options = {
        "scoring": scoring,
        "params": params,
        "return_train_score": return_train_score,
        "return_estimator": return_estimator,
    }
    lists, failures = run_folds(estimator, X, y, splits, n_jobs, options)
    if failures and (error_score == "raise" or len(failures) == len(splits)):
        raise DataError(f"{owner}: {type(estimator).__name__} {failure_sentence(failures[0], len(splits))}")
    if failures:
        fill = check_number(owner, "error_score", error_score) if error_score == error_score else float("nan")
        for failure in failures:
            for key in lists:
                if key.startswith(("test_", "train_")):
                    lists[key][failure.fold] = fill
        warn(
            f"{owner}: {type(estimator).__name__} {failure_sentence(failures[0], len(splits))}"
            + (f" ({counted(len(failures), 'fold')} fail; see .failures)" if len(failures) > 1 else ""),
            DataWarning,
        )
    arrays: dict[str, Any] = {
        key: values if key == "estimator" else np.asarray(values) for key, values in lists.items()
    }
    if return_indices:
        arrays["indices"] = {"train": [a for a, _ in splits], "test": [b for _, b in splits]}
    sizes = np.array([len(a) for a, _ in splits]), np.array([len(b) for _, b in splits])
    result = collect_folds(arrays, sizes, failures, level, estimator, scoring)
    lost = {failure.fold for failure in failures}
    empty = [note for name in result.names if (note := unscored_sentence(result, name, lost))]
    if empty:
        warn(f"{owner}: {type(estimator).__name__}, {'; '.join(empty)}", DataWarning)
    result.notes = [*notes, *empty]
    return result


def splitter_of(owner: str, cv: Any, y: Any, classification: bool, groups: Any) -> Any:
    """Return the splitter; a number of folds keeps groups together where they are given."""
    if groups is not None and (cv is None or isinstance(cv, int | np.integer)):
        return (StratifiedGroupKFold if classification else GroupKFold)(5 if cv is None else int(cv))
    try:
        return check_cv(cv, y, classifier=classification)
    except ValueError as problem:
        raise ParameterError(f"{owner}(cv={cv!r}): {problem}") from problem


def unscored_sentence(result: CrossValidation, name: str, failed: set[int]) -> str:
    """Return the sentence that names folds whose model was fitted but whose score does not exist."""
    folds = [f for f in np.flatnonzero(~np.isfinite(result[f"test_{name}"])) if f not in failed]
    if not folds:
        return ""
    listed = ", ".join(str(f + 1) for f in folds[:10]) + (", ..." if len(folds) > 10 else "")
    return f"{name} does not exist on {len(folds)} of {counted(len(result.test_sizes), 'fold')} ({listed}); they do not count"


def failure_sentence(failure: FoldFailure, n_folds: int) -> str:
    """Return the sentence that names a failure."""
    rows = f"{failure.train_rows} training rows and {failure.test_rows} test rows"
    return f"failed on fold {failure.fold + 1} of {n_folds} ({rows}): {failure.error}"
