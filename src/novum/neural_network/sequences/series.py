"""Sequences of vectors, of unequal lengths: what users hand over, checked, and one after another.

    a list of arrays (T_i, d), or of lists of numbers (d = 1);   an array (n, T, d), or (n, T) for d = 1;   a frame (n, T)

Whole numbers and texts are symbols unless given otherwise: `holds_symbols` decides.
"""

from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.fold.gathering import check_at_hand, whole_table
from novum.neural_network.sequences.vocabulary import Packed
from novum.runtime.message_text import value_text

__all__ = ["as_list", "holds_symbols", "is_frame", "read_series"]

LARGEST = 1e30  # of a number that float32 and its squares of differences in units of the deviation can bear


def is_frame(value: Any) -> bool:
    """Return whether a value is a table with columns, of pandas, polars or the like."""
    return hasattr(value, "to_numpy") and hasattr(value, "columns")


def as_list(X: Any, owner: str) -> list[Any]:
    """Return the sequences of X in a list: rows of an array or a frame, also of files and of Dask, items of a list."""
    X = whole_table(owner, X)
    check_at_hand(owner, "sequences", X)
    if isinstance(X, str | bytes | dict) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise DataError(f"{owner}: X must be a list of sequences, not {value_text(X)}.")
    if is_frame(X):
        X = X.to_numpy()
    elif hasattr(X, "detach"):
        X = X.detach().cpu().numpy()
    if getattr(X, "ndim", 1) == 0:
        raise DataError(f"{owner}: X must be a list of sequences, not {value_text(X)}.")
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype != object and X.dtype.kind not in "U":
        raise DataError(
            f"Expected 2D array, got 1D array instead: {owner} takes a list of sequences; for one sequence give X[None]."
        )
    found = [one.to_numpy() if is_frame(one) else one for one in X]
    if not found:
        raise DataError(f"{owner}: X has no sequence (0 samples); a minimum of 1 is required.")
    return found


def holds_symbols(sequences: list[Any], tokens: Any) -> bool:
    """Return whether steps are symbols: as given, or by what the first step of the first sequence that has one is."""
    if tokens != "auto":
        return bool(tokens)
    for sequence in sequences:
        if isinstance(sequence, str):
            return True
        if hasattr(sequence, "dtype") and hasattr(sequence, "ndim"):
            if sequence.ndim != 1:
                return False
            sequence = sequence.tolist()
        for step in sequence if hasattr(sequence, "__iter__") else ():
            return isinstance(step, str | int | np.integer | np.bool_)
    return False


def read_series(sequences: list[Any], owner: str, width: int | None = None, noun: str = "sequence") -> Packed:
    """Return sequences of vectors as rows; `width` is the number of columns that the fit saw, `noun` what a message calls one."""
    parts = []
    for place, sequence in enumerate(sequences):
        try:
            rows = np.asarray(sequence.detach().cpu() if hasattr(sequence, "detach") else sequence)
            if rows.dtype.kind == "c":
                raise DataError(f"{owner}: Complex data not supported ({noun} {place}).")
            rows = rows.astype(np.float32 if rows.dtype != np.float64 else np.float64, copy=False)
        except (TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{owner}: {noun} {place} is {value_text(sequence)}, not numbers of shape (steps, columns); sequences of"
                " symbols are texts or lists of strings or whole numbers, all of one kind."
            ) from error
        if rows.ndim == 1:
            rows = rows[:, None]
        if rows.ndim != 2 or rows.shape[1] == 0:
            raise DataError(f"{owner}: {noun} {place} has shape {rows.shape}; (steps, columns) is expected.")
        if len(rows) == 0:
            raise DataError(f"{owner}: {noun} {place} is empty; leave it out.")
        width = rows.shape[1] if width is None else width
        if rows.shape[1] != width:
            raise DataError(
                f"X has {rows.shape[1]} features, but {owner} is expecting {width} features as input ({noun} {place})."
            )
        if not np.isfinite(rows).all():
            held = "NaN" if np.isnan(rows).any() else "infinity"
            raise DataError(f"{owner}: Input X contains {held} ({noun} {place}); fill it in or leave the step out.")
        if np.abs(rows).max() > LARGEST:
            raise DataError(f"{owner}: {noun} {place} holds {np.abs(rows).max():.3g}, too large for float32; scale X.")
        parts.append(rows)
    lengths = np.array([len(rows) for rows in parts], dtype=np.int64)
    return Packed(np.concatenate(parts), lengths)
