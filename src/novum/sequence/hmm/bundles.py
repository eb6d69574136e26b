"""From what a user calls sequences to rows with offsets: `X, lengths`, a list of sequences, or rows with a group column."""

import numbers
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError
from novum.runtime import arrays

__all__ = [
    "Bundle",
    "SequenceRows",
    "bundles_of",
    "check_known_states",
    "check_sequence_weight",
    "gather",
    "offsets_of",
]

LEAST_ROWS = 4096  # of a bundle: fewer would spend their time on calls
MOST_BUNDLES = 64  # enough for any machine's threads


class SequenceRows(NamedTuple):
    """The rows of all sequences, whatever the form in which they were passed."""

    rows: Any  # an array or a frame of all sequences one after the other
    lengths: NDArray  # (sequences,)
    order: NDArray | None  # which of the rows that were passed each row is, if they were gathered by group


class Bundle(NamedTuple):
    """Some sequences: what one task of a pass works on."""

    X: NDArray  # (rows, d)
    offsets: NDArray  # (sequences + 1,)
    weight: NDArray | None = None  # (sequences,)
    states: NDArray | None = None  # (rows,): known states, -1 where unknown
    start: int = 0  # number of the first row in the whole data
    memory: dict | None = None  # what lasts between passes

    def row_weight(self) -> NDArray | None:
        """Return the weight of every row, or None for ones."""
        return None if self.weight is None else np.repeat(self.weight, np.diff(self.offsets))

    def in_memory(self) -> "Bundle":
        """Return the bundle with its rows as an array."""
        return self._replace(X=arrays.to_numpy(self.X), memory={}) if arrays.is_tensor(self.X) else self

    def weighted(self, values: Any) -> Any:
        """Return values (rows, k) times the weight of their sequence, in their home."""
        weight = self.row_weight()
        return values if weight is None else values * arrays.like(values, weight, "float64")[:, None]


def offsets_of(lengths: NDArray) -> NDArray:
    """Return where sequences begin and end."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def is_sequence_list(X: Any) -> bool:
    """Return whether X is a list of arrays or frames, and so of sequences."""
    return isinstance(X, list | tuple) and len(X) > 0 and all(hasattr(one, "shape") and len(one.shape) > 0 for one in X)


def as_columns(X: Any) -> Any:
    """Return a single series, a one-dimensional array or a column of a frame, as a table of one column."""
    if hasattr(X, "to_frame") and len(getattr(X, "shape", ())) == 1:
        return X.to_frame()
    if isinstance(X, np.ndarray) or arrays.is_tensor(X):
        return X[:, None] if X.ndim == 1 else X
    if isinstance(X, list | tuple) and X and all(isinstance(one, numbers.Real) for one in X):
        return np.asarray(X)[:, None]
    return X


def check_lengths(owner: str, lengths: Any, n: int) -> NDArray:
    """Return the lengths of sequences after their checks."""
    if lengths is None:
        return np.array([n], np.int64)
    found = np.atleast_1d(np.asarray(lengths))
    if found.ndim != 1 or found.dtype.kind not in "iu" or (found < 1).any():
        raise ParameterError(
            f"{owner}: lengths must be whole numbers of one or more, one per sequence; got {lengths!r:.80}."
        )
    if found.sum() != n:
        raise ParameterError(
            f"{owner}: lengths array {lengths!s:.60} doesn't sum to {n} samples, but to {found.sum()}. Give the number of"
            " rows of every sequence, in their order."
        )
    return found.astype(np.int64)


def split_groups(owner: str, X: Any, groups: Any) -> tuple[Any, NDArray]:
    """Return the rows without their group column, and the group of every row."""
    if isinstance(groups, str):
        import narwhals as nw

        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            raise ParameterError(
                f"{owner}: groups={groups!r} names a column, so X must be a frame. Give an array of groups instead."
            )
        if groups not in frame.columns:
            raise ParameterError(f"{owner}: groups={groups!r} is no column of X, which has {frame.columns}.")
        return frame.drop(groups).to_native(), frame.get_column(groups).to_numpy()
    return X, arrays.to_numpy(groups)


def gather(owner: str, X: Any, lengths: Any, groups: Any) -> SequenceRows:
    """Return sequences in one form; rows of a group come together in the order in which they stand."""
    if X is None:
        raise ParameterError(f"{owner}: X is None; give rows in the order of time, or a list of sequences.")
    if is_sequence_list(X):
        if lengths is not None or groups is not None:
            raise ParameterError(f"{owner}: a list of sequences has its lengths; leave lengths= and groups= out.")
        there = all(arrays.is_tensor(one) for one in X)
        parts = [as_columns(one) if there else np.asarray(as_columns(arrays.to_numpy(one))) for one in X]
        widths = {part.shape[1:] for part in parts}
        if len(widths) > 1:
            raise DataError(
                f"{owner}: the sequences of X have different numbers of columns: {sorted(w[0] for w in widths)}."
            )
        if any(len(part) == 0 for part in parts):
            empty = next(i for i, part in enumerate(parts) if len(part) == 0)
            raise DataError(f"{owner}: sequence {empty} of X is empty; leave it out.")
        return SequenceRows(arrays.stack_rows(parts), np.array([len(part) for part in parts], np.int64), None)
    if groups is None:
        rows = as_columns(X)
        count = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        return SequenceRows(rows, check_lengths(owner, lengths, int(count)), None)
    if lengths is not None:
        raise ParameterError(f"{owner}: give lengths or groups, not both.")
    rows, labels = split_groups(owner, X, groups)
    rows = as_columns(rows)
    if len(labels) != rows.shape[0]:
        raise ParameterError(f"{owner}: groups has {len(labels)} values for {rows.shape[0]} rows.")
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    codes = rank[codes.ravel()]
    found = np.bincount(codes).astype(np.int64)
    if (np.diff(codes) >= 0).all():
        return SequenceRows(rows, found, None)
    order = np.argsort(codes, kind="stable")
    if arrays.is_tensor(rows):
        return SequenceRows(rows[arrays.like(rows, order, "int64")], found, order)
    return SequenceRows(rows.iloc[order] if hasattr(rows, "iloc") else np.asarray(rows)[order], found, order)


def check_sequence_weight(owner: str, weight: Any, count: int) -> NDArray | None:
    """Return a weight per sequence after its checks."""
    if weight is None:
        return None
    try:
        found = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (count,) or not np.isfinite(found).all() or (found < 0).any() or not found.any():
        raise ParameterError(
            f"{owner}: sequence_weight must be {count} finite numbers of zero or more, one per sequence and not all zero; got"
            f" {weight!r:.80}."
        )
    return found


def joined_states(owner: str, states: Any, lengths: NDArray) -> Any:
    """Return states that are given by sequence, as X may be, one after the other."""
    if not isinstance(states, list | tuple) or not all(np.ndim(one) == 1 for one in states):
        return states
    parts = [np.asarray(one) for one in states]
    found = [len(part) for part in parts]
    if found != lengths.tolist():
        raise ParameterError(
            f"{owner}: states are {len(found)} sequences of {found!s:.60} steps, but X is {len(lengths)} of "
            f"{lengths.tolist()!s:.60}. Give one state per row, -1 or NaN where it is unknown."
        )
    return np.concatenate(parts)


def check_known_states(owner: str, states: Any, lengths: NDArray, k: int, order: NDArray | None) -> NDArray | None:
    """Return known states, -1 where unknown; None and NaN are unknown too."""
    if states is None:
        return None
    n = int(lengths.sum())
    values = np.asarray(states if order is not None else joined_states(owner, states, lengths))
    if values.dtype.kind == "O":
        values = np.array([np.nan if one is None else one for one in values.ravel()], dtype=np.float64)
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), -1, values)
    whole = values.dtype.kind in "iufb" and values.shape == (n,) and (values == np.floor(values)).all()
    if not whole or (values < -1).any() or (values >= k).any():
        raise ParameterError(
            f"{owner}: states must be {n} whole numbers from 0 to {k - 1}, one per row, with -1 or NaN where the state is unknown;"
            f" got {states!r:.80}."
        )
    found = values.astype(np.int64)
    return found if order is None else found[order]


def bundles_of(X: NDArray, lengths: NDArray, weight: NDArray | None, states: NDArray | None) -> list[Bundle]:
    """Return sequences cut into bundles; the cut depends on their lengths alone."""
    offsets = offsets_of(lengths)
    rows = max(LEAST_ROWS, -(-int(offsets[-1]) // MOST_BUNDLES))
    found, first = [], 0
    while first < len(lengths):
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + rows, side="right")) - 1)
        low, high = int(offsets[first]), int(offsets[last])
        own = offsets[first : last + 1] - low
        share = None if weight is None else np.ascontiguousarray(weight[first:last])
        known = None if states is None else states[low:high]
        found.append(Bundle(X[low:high], own, share, known, low, {}))
        first = last
    return found
