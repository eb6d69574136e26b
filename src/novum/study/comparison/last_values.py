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

from typing import Any

import numpy as np

from novum.base.sklearn_base import BaseEstimator, TransformerMixin

__all__ = ["PARTS", "LastValues"]

WINDOWS = (3, 12)
PARTS = ("last", *(f"mean of the last {w}" for w in WINDOWS), "time since")
HORIZON = 1 / 3  # of the span of the times: the largest g


class LastValues(TransformerMixin, BaseEstimator):
    """Last values and rolling means of the target by time, and by key where there are two columns.

    Parameters
    ----------
    random_state : int, default=0
        Of the moments that training rows are seen from.
    """

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "LastValues":
        """Remember (1) to (3) at the end of the rows."""
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> np.ndarray:
        """Remember the end, and return what was known some time before every row."""
        time, keys = parts_of(X)
        y = np.asarray(y, dtype=np.float64)
        names, codes = np.unique(keys, return_inverse=True)
        gaps = np.random.default_rng(self.random_state).uniform(0, HORIZON * np.ptp(time), len(time))
        smallest = np.diff(np.unique(time)).min(initial=np.inf)
        moments = time - np.maximum(gaps, smallest / 2 if np.isfinite(smallest) else 0.5)
        self.mean_ = float(y.mean())
        found = np.empty((len(y), len(PARTS)))
        ends = np.empty((len(names), len(PARTS)))
        for code in range(len(names)):
            rows = np.flatnonzero(codes == code)
            times, at = np.unique(time[rows], return_inverse=True)
            values = np.bincount(at, y[rows]) / np.bincount(at)
            found[rows] = self._known(times, values, moments[rows])
            ends[code] = self._known(times, values, times[-1:])[0]
        found[:, -1] = time - np.where(np.isnan(found[:, -1]), moments, found[:, -1])
        self.keys_, self.ends_, self.end_ = [str(name) for name in names], ends, float(time.max())
        self.n_features_in_ = X.shape[1]
        return found

    def _known(self, times: np.ndarray, values: np.ndarray, moments: np.ndarray) -> np.ndarray:
        """Return (1), (2) and t_J as known at some moments."""
        last = np.searchsorted(times, moments, side="right") - 1
        total = np.append(0.0, np.cumsum(values))
        found = np.full((len(moments), len(PARTS)), self.mean_)
        there = last >= 0
        at = last[there]
        found[there, 0] = values[at]
        for place, w in enumerate(WINDOWS, start=1):
            first = np.maximum(at + 1 - w, 0)
            found[there, place] = (total[at + 1] - total[first]) / (at + 1 - first)
        found[:, -1] = np.nan
        found[there, -1] = times[at]
        return found

    def transform(self, X: Any) -> np.ndarray:
        """Return what was known at the end of the rows learned from; of a key that was not there, the mean."""
        time, keys = parts_of(X, self.end_)
        place = {name: code for code, name in enumerate(self.keys_)}
        codes = np.array([place.get(str(key), len(place)) for key in keys], dtype=np.intp)
        unknown = [*[self.mean_] * (len(PARTS) - 1), self.end_]
        found = np.vstack([self.ends_, unknown])[codes]
        found[:, -1] = np.maximum(time - found[:, -1], 0.0)
        return found

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns."""
        return np.array(PARTS, dtype=object)


def parts_of(X: Any, end: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return times and keys; a missing time is the end."""
    time = X.iloc[:, 0].to_numpy(dtype=np.float64)
    keys = X.iloc[:, 1].astype(str).to_numpy() if X.shape[1] > 1 else np.full(len(X), "")
    return np.where(np.isnan(time), end, time), keys
