r"""What a target was of late, as columns: for rows in the order of time, made without a look ahead.

Of every key k (a shop; one for all rows where there is none) the targets at its times t_1 < ... < t_m are averaged to v_1 ... v_m.
As known at a moment u, with J the last time not after u,

    last      v_J                                                                                                (1)
    rolling   mean of v_(J-w+1) ... v_J,  w = 3 and 12                                                           (2)
    gap       t - t_J,  how long ago that was when t is predicted                                                (3)

Rows to be predicted come after all that is known, so u is the end T of the rows learned from, for one row and for the next hundred:
their own targets are never asked for, and the model remembers four numbers for every key. A training row is given what was known
some time before it, u = t - g, with g drawn between 0 and a third of the time that the rows span, so that (3) can tell how much old
values are worth. Before the first known value the mean of the training rows stands in.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Domain, RandomState
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import TransformerMixin
from novum.base.wrapped import open_for_parts, rows_for_parts
from novum.exceptions import DataError
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, Seed, Target

__all__ = ["PARTS", "LastValues"]

WINDOWS = (3, 12)
PARTS = ("last", *(f"mean of the last {w}" for w in WINDOWS), "time since")
HORIZON = 1 / 3  # of the span of the times: the largest g
JOINT = "\x1f"  # between the cells of a key of several columns


def known_at(times: NDArray, values: NDArray, moments: NDArray, mean: float) -> NDArray:
    """Return (1), (2) and t_J as known at some moments."""
    last = np.searchsorted(times, moments, side="right") - 1
    total = np.append(0.0, np.cumsum(values))
    found = np.full((len(moments), len(PARTS)), mean)
    there = last >= 0
    at = last[there]
    found[there, 0] = values[at]
    for place, w in enumerate(WINDOWS, start=1):
        first = np.maximum(at + 1 - w, 0)
        found[there, place] = (total[at + 1] - total[first]) / (at + 1 - first)
    found[:, -1] = np.nan
    found[there, -1] = times[at]
    return found


def time_and_keys(X: Any) -> tuple[NDArray, NDArray]:
    """Return the first column as numbers, and the others together as text."""
    if hasattr(X, "iloc"):
        columns = [X.iloc[:, j].to_numpy() for j in range(X.shape[1])]
    elif hasattr(X, "columns"):
        columns = [np.asarray(X[name]) for name in getattr(X, "column_names", X.columns)]
    else:
        columns = list(np.asarray(X).T)
    time = np.asarray(columns[0], dtype=np.float64)
    if len(columns) == 1:
        return time, np.full(len(time), "")
    if len(columns) == 2:
        return time, np.asarray(columns[1]).astype(str)
    return time, np.array([JOINT.join(map(str, cells)) for cells in zip(*columns[1:])])


def in_type_of(X: Any, found: NDArray) -> NDArray:
    """Return columns in single precision where the rows are an array of no more."""
    return found.astype(np.float32) if getattr(X, "dtype", None) in (np.float16, np.float32) else found


class LastValues(TransformerMixin, Estimator):
    """Lags of the target by time and key: its last value, its means over the last 3 and 12 times, and how long ago.

    For models of tables: `fit_transform` gives every training row what was known some time before it, `transform` gives new
    rows what was known at the end of the rows learned from, and asks for no target.

    Parameters
    ----------
    random_state : default=0
        Of the moments that training rows are seen from.

    Attributes
    ----------
    keys_ : list of str
    ends_ : array of shape (n_keys, 4)
        What is known of every key at the end; instead of how long ago, the time.
    end_ : float
        The last time.
    mean_ : float
        Of the target; stands in where nothing is known.

    Examples
    --------
    Sales of two shops on four days; what is known of each on day 6:

    >>> import pandas as pd
    >>> from novum.preprocessing import LastValues
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4] * 2, "shop": ["north"] * 4 + ["south"] * 4})
    >>> known = LastValues().fit(days, [5.0, 6, 7, 8, 20, 20, 20, 26])
    >>> known.transform(pd.DataFrame({"day": [6, 6], "shop": ["north", "south"]}))
    array([[ 8. ,  7. ,  6.5,  2. ],
           [26. , 22. , 21.5,  2. ]])
    """

    _domains: dict[str, Domain] = {"random_state": RandomState()}
    keys_: list[str]
    ends_: np.ndarray
    end_: float
    mean_: float

    def __init__(self, *, random_state: Seed = 0) -> None:
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Remember what is known at the end of the rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The time first, as a number; a missing one is the last. Further columns, of any kind, are together the key of a series.
        y : array-like of shape (n_samples,)
        """
        self._learn(X, y)
        return self

    @fits
    def fit_transform(self, X: Rows, y: Target = None, **fit_params: Any) -> Any:
        """Remember the end, and return what was known some time before every row.

        Parameters
        ----------
        X, y : as for `fit`
        """
        return self._learn(X, y)

    def _learn(self, X: Any, y: Any) -> NDArray:
        """Remember (1) to (3) at the end of the rows; return them for every row."""
        X, given, _ = open_for_parts(self, X, y, "numeric", why="looks back in time")
        if given.ndim != 1:
            raise DataError(f"LastValues: y has {given.shape[1]} columns; look back on one target at a time.")
        time, keys = time_and_keys(X)
        if np.isnan(time).all():
            raise DataError("LastValues: the time (the first column of X) is missing in all rows.")
        time = np.where(np.isnan(time), np.nanmax(time), time)
        target = given.astype(np.float64)
        names, codes = np.unique(keys, return_inverse=True)
        gaps = np.random.default_rng(seed_of(self.random_state)).uniform(0, HORIZON * np.ptp(time), len(time))
        smallest = np.diff(np.unique(time)).min(initial=np.inf)
        moments = time - np.maximum(gaps, smallest / 2 if np.isfinite(smallest) else 0.5)
        mean = float(target.mean())
        found, ends = np.empty((len(target), len(PARTS))), np.empty((len(names), len(PARTS)))
        order = np.argsort(codes, kind="stable")
        for code, rows in enumerate(np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)):
            times, at = np.unique(time[rows], return_inverse=True)
            values = np.bincount(at, target[rows]) / np.bincount(at)
            found[rows] = known_at(times, values, moments[rows], mean)
            ends[code] = known_at(times, values, times[-1:], mean)[0]
        found[:, -1] = time - np.where(np.isnan(found[:, -1]), moments, found[:, -1])
        self.mean_, self.keys_, self.ends_, self.end_ = mean, [str(name) for name in names], ends, float(time.max())
        return in_type_of(X, found)

    def transform(self, X: Rows) -> Any:
        """Return what was known at the end of the rows learned from; of a key that was not there, the mean of all rows.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            As for `fit`.
        """
        check_is_fitted(self)
        X = rows_for_parts(self, X)
        time, keys = time_and_keys(X)
        time = np.where(np.isnan(time), self.end_, time)
        place = {name: code for code, name in enumerate(self.keys_)}
        codes = np.array([place.get(str(key), len(place)) for key in keys], dtype=np.intp)
        unknown = [*[self.mean_] * (len(PARTS) - 1), self.end_]
        found = np.vstack([self.ends_, unknown])[codes]
        found[:, -1] = np.maximum(time - found[:, -1], 0.0)
        return in_type_of(X, found)

    def get_feature_names_out(self, input_features: Sequence[Any] | None = None) -> NDArray[Any]:
        """Return the names of the four columns."""
        check_is_fitted(self)
        return np.array(PARTS, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags
