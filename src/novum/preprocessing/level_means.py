r"""What the rows of a level have as their target on average, as columns: for categories of many levels, and ids.

Of a column let n_l rows have the level l, with m_l the mean of their targets and m the mean of all n rows. A level of few rows is
drawn to the mean of all by the variances within and between levels,

    e_l = (n_l m_l + s m) / (n_l + s),    s = v / w                                                                    (1)
    v = sum_i (y_i - m_l(i))^2 / (n - L),    w = (sum_l n_l (m_l - m)^2 - (L - 1) v) / (n - sum_l n_l^2 / n)         (2)

which are the unbiased estimates of the two variances of a random effect (analysis of variance with unequal n_l), one pair for each
column; where w is not above 0, the levels tell nothing and e_l = m. How far e_l can be trusted is another number, log(1 + n_l).

A training row is given (1) as the rows of other folds make it, so it never sees its own target, and n_l as if these were all
rows; new rows as all rows make it. A level that was not there has e = m and n_l = 0; a missing cell is a level like any other. Of
more than two classes there is a mean for each, the share of the rows that have it, with one s for each.
"""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from novum.base.domains import Bool, Choice, Domain, Int, RandomState
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import TransformerMixin
from novum.engines.wrapped import open_for_parts, rows_for_parts
from novum.exceptions import DataError
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["LevelMeans"]

LARGEST = 1e9  # strength s: levels that tell nothing
MEAN, ROWS = "mean target", "rows"


class Levels(NamedTuple):
    """A column as the numbers of its levels."""

    codes: NDArray  # (n,)
    levels: list[Any]


def levels_of(column: Any) -> Levels:
    """Return the levels of a column in the order of their first rows, None for missing cells, and their numbers."""
    if hasattr(column, "cat"):  # a categorical of pandas has them
        codes = np.asarray(column.cat.codes, dtype=np.intp)
        levels = [*(plain(level) for level in column.cat.categories), None]
        return Levels(np.where(codes < 0, len(levels) - 1, codes), levels)
    values = np.asarray(column)
    if values.dtype.kind in "biuf":
        known, codes = np.unique(values.astype(np.float64), return_inverse=True)
        return Levels(codes, [None if level != level else level for level in known.tolist()])
    numbers: dict[Any, int] = {}
    cells = [numbers.setdefault(plain(cell), len(numbers)) for cell in values.tolist()]
    return Levels(np.array(cells, dtype=np.intp), list(numbers))


def plain(cell: Any) -> Any:
    """Return a cell as text, a number, or None."""
    if isinstance(cell, str):
        return str(cell)
    if cell is None or cell != cell or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    return float(cell) if isinstance(cell, bool | int | float | np.number | np.bool_) else str(cell)


def columns_in(X: Any) -> list[Any]:
    """Return the columns of an array or a frame."""
    if hasattr(X, "iloc"):
        return [X.iloc[:, j] for j in range(X.shape[1])]
    if hasattr(X, "columns"):
        return [X[name].to_numpy() for name in getattr(X, "column_names", X.columns)]
    return list(np.asarray(X).T)


def drawn_means(codes: NDArray, target: NDArray, n_levels: int) -> tuple[NDArray, NDArray]:
    """Return (1) of every level and the mean of all rows below them, and the n_l with 0 for a level that was not there.

    Parameters
    ----------
    codes : array of shape (n,)
    target : array of shape (n, k)
    """
    n, mean = len(codes), target.mean(axis=0)
    counts = np.bincount(codes, minlength=n_levels).astype(np.float64)
    about = target - mean
    sums = np.stack([np.bincount(codes, column, minlength=n_levels) for column in about.T], axis=1)
    means = sums / np.maximum(counts, 1.0)[:, None]
    there = np.count_nonzero(counts)
    between = (counts[:, None] * means**2).sum(axis=0)
    within = np.maximum((about**2).sum(axis=0) - between, 0.0) / max(n - there, 1)  # v of (2)
    spread = max(n - (counts**2).sum() / n, 1.0)
    effect = np.maximum((between - (there - 1) * within) / spread, 0.0)  # w
    useful = (effect * LARGEST > within) & (there < n)
    strength = np.where(useful, within / np.where(useful, effect, 1.0), LARGEST)
    drawn = sums / (counts[:, None] + np.maximum(strength, np.finfo(float).tiny))
    drawn[counts == 0] = 0.0
    return np.vstack([mean + np.where(strength < LARGEST, drawn, 0.0), mean]), np.append(counts, 0.0)


class LevelMeans(TransformerMixin, Estimator):
    """The mean target of every level of a column, smoothed, for categories of many levels and ids.

    `fit_transform` gives a training row the means that rows of other folds make; `transform` gives new rows those of all.

    Parameters
    ----------
    target_type : {"auto", "numbers", "classes"}, default="auto"
        Of two classes the share of the second is the target, of more the share of each. "auto": whole numbers, text and truth
        values are classes, numbers with a decimal point are numbers.
    counts : bool, default=True
        Whether how many rows a mean is of, as log(1 + n), is a column too.
    cv : int, default=5
        Folds that training rows are given their means by.
    random_state : default=0
        Of the folds.

    Attributes
    ----------
    levels_ : list of list
        The levels of every column; None is a missing cell.
    means_ : list of array of shape (n_levels + 1, n_means)
        Their means, below them that of all rows.
    counts_ : list of array of shape (n_levels + 1,)
        How many rows have them.
    classes_ : array or None
        The classes whose shares the means are; None for numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from novum.preprocessing import LevelMeans
    >>> shops = pd.DataFrame({"shop": ["north", "north", "north", "south", "south", "west"]})
    >>> means = LevelMeans(cv=2).fit(shops, [7.0, 8.0, 9.0, 1.0, 3.0, 5.0])
    >>> means.transform(pd.DataFrame({"shop": ["north", "south", "east"]})).round(2)
    array([[7.9 , 1.39],
           [2.2 , 1.1 ],
           [5.5 , 0.  ]])
    """

    _domains: dict[str, Domain] = {
        "target_type": Choice("auto", "numbers", "classes"),
        "counts": Bool(),
        "cv": Int(2),
        "random_state": RandomState(),
    }
    levels_: list[list[Any]]
    means_: list[np.ndarray]
    counts_: list[np.ndarray]
    classes_: np.ndarray | None

    def __init__(
        self,
        *,
        target_type: Literal["auto", "numbers", "classes"] = "auto",
        counts: bool = True,
        cv: int = 5,
        random_state: Seed = 0,
    ) -> None:
        self.target_type = target_type
        self.counts = counts
        self.cv = cv
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Learn the means of all rows.

        Parameters
        ----------
        X : array-like of numbers, or frame of any columns, of shape (n_samples, n_features)
            Every column by itself.
        y : array-like of shape (n_samples,)
        """
        self._learn(X, y)
        return self

    @fits
    def fit_transform(self, X: Rows, y: Target = None, **fit_params: Any) -> Any:
        """Learn the means of all rows, and return for every row those of the rows in other folds.

        Parameters
        ----------
        X, y : as for `fit`
        """
        columns, target = self._learn(X, y)
        n, found = len(target), []
        folds = KFold(min(self.cv, n), shuffle=True, random_state=seed_of(self.random_state) % 2**32) if n > 1 else None
        parts = [(np.array([0]), np.array([0]))] if folds is None else list(folds.split(target))
        for column in columns:
            size = len(column.levels)
            made, rows = np.empty_like(target), np.empty(n)
            for others, mine in parts:
                means, counts = drawn_means(column.codes[others], target[others], size)
                at = column.codes[mine]
                made[mine], rows[mine] = means[at], counts[at] * (n / len(others))
            found.append(self._side_by_side(made, rows))
        return self._in_type_of(X, found)

    def _learn(self, X: Any, y: Any) -> tuple[list[Levels], NDArray]:
        """Learn the means of all rows; return the columns and the target as numbers."""
        kind = self.target_type
        if kind == "auto":
            kind = "numbers" if np.asarray(y).dtype.kind == "f" else "classes"
        X, given, _ = open_for_parts(self, X, y, "numeric" if kind == "numbers" else "classes", why="counts levels")
        if given.ndim != 1:
            raise DataError(f"LevelMeans: y has {given.shape[1]} columns; make the means of one target at a time.")
        self.classes_ = None
        target = np.asarray(given)[:, None]
        if kind == "classes":
            self.classes_, codes = np.unique(given, return_inverse=True)
            shown = np.arange(len(self.classes_)) if len(self.classes_) != 2 else np.array([1])
            target = codes[:, None] == shown
        target = target.astype(np.float64)
        columns = [levels_of(column) for column in columns_in(X)]
        learned = [drawn_means(column.codes, target, len(column.levels)) for column in columns]
        self.levels_ = [column.levels for column in columns]
        self.means_, self.counts_ = [means for means, _ in learned], [counts for _, counts in learned]
        return columns, target

    def _side_by_side(self, means: NDArray, rows: NDArray) -> NDArray:
        """Return the columns that one column becomes."""
        return np.column_stack([means, np.log1p(rows)]) if self.counts else means

    def _in_type_of(self, X: Any, found: list[NDArray]) -> NDArray:
        """Return the columns, in single precision where the rows are an array of no more."""
        made = np.hstack(found)
        return made.astype(np.float32) if getattr(X, "dtype", None) in (np.float16, np.float32) else made

    def transform(self, X: Rows) -> Any:
        """Return the means of all rows that were learned from.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = rows_for_parts(self, X)
        found = []
        for column, levels, means, counts in zip(columns_in(X), self.levels_, self.means_, self.counts_):
            codes, new = levels_of(column)
            place = {level: number for number, level in enumerate(levels)}
            at = np.array([place.get(level, len(levels)) for level in new], dtype=np.intp)[codes]
            at = np.where(counts[at] > 0, at, len(levels))
            found.append(self._side_by_side(means[at], counts[at]))
        return self._in_type_of(X, found)

    @property
    def parts_(self) -> list[str]:
        """What the columns that one column becomes are, in words."""
        check_is_fitted(self)
        several = self.classes_ is not None and len(self.classes_) != 2
        means = [f"{MEAN} ({label})" for label in self.classes_] if several and self.classes_ is not None else [MEAN]
        return [*means, ROWS] if self.counts else means

    def get_feature_names_out(self, input_features: Sequence[Any] | None = None) -> NDArray[Any]:
        """Return the names of the columns."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)]
        return np.array([f"{part} of {name}" for name in names for part in self.parts_], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags
