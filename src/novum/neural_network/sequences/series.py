"""Sequences of vectors, of unequal lengths: what users hand over, checked, and one after another.

    a list of arrays (T_i, d), or of lists of numbers (d = 1);   an array (n, T, d), or (n, T) for d = 1;   a frame (n, T)

Whole numbers and texts are symbols unless told otherwise: `holds_symbols` decides.
"""

from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.neural_network.sequences.vocabulary import Packed
from novum.runtime.words import value_text

__all__ = ["holds_symbols", "read_series"]


def as_list(X: Any, owner: str) -> list[Any]:
    """Return the sequences of X in a list: rows of an array or a frame, items of a list."""
    if isinstance(X, str | bytes | dict) or not (hasattr(X, "__iter__") or hasattr(X, "__array__")):
        raise DataError(f"{owner}: X must be a list of sequences, not {value_text(X)}.")
    if hasattr(X, "to_numpy") and getattr(X, "ndim", 2) == 2:
        X = X.to_numpy()
    elif hasattr(X, "detach"):
        X = X.detach().cpu().numpy()
    if getattr(X, "ndim", 1) == 0:
        raise DataError(f"{owner}: X must be a list of sequences, not {value_text(X)}.")
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype != object and X.dtype.kind not in "U":
        raise DataError(
            f"Expected 2D array, got 1D array instead: {owner} takes a list of sequences; for one sequence give X[None]."
        )
    found = list(X)
    if not found:
        raise DataError(f"{owner}: X has no sequence (0 samples); a minimum of 1 is required.")
    return found


def holds_symbols(sequences: list[Any], tokens: Any) -> bool:
    """Return whether steps are symbols: as told, or by what the first step of the first sequence that has one is."""
    if tokens != "auto":
        return bool(tokens)
    for sequence in sequences:
        if isinstance(sequence, str):
            return True
        if hasattr(sequence, "dtype"):
            kind = getattr(np.asarray(sequence), "dtype", None)
            if np.ndim(sequence) != 1 or kind is None or kind.kind == "f":
                return False
            if kind.kind in "iubU":
                return True
        for step in sequence if hasattr(sequence, "__iter__") else ():
            return isinstance(step, str | int | np.integer | np.bool_)
    return False


def read_series(sequences: list[Any], owner: str, width: int | None = None) -> Packed:
    """Return sequences of vectors as float32 rows; `width` is the number of columns that the fit saw."""
    parts = []
    for place, sequence in enumerate(sequences):
        try:
            rows = np.asarray(sequence.detach().cpu() if hasattr(sequence, "detach") else sequence)
            if rows.dtype.kind == "c":
                raise DataError(f"{owner}: Complex data not supported (sequence {place}).")
            rows = rows.astype(np.float32 if rows.dtype != np.float64 else np.float64, copy=False)
        except (TypeError, ValueError) as error:
            if isinstance(error, DataError):
                raise
            raise DataError(
                f"{owner}: sequence {place} is {value_text(sequence)}, not numbers of shape (steps, columns); sequences of"
                " symbols are texts or lists of strings or whole numbers, all of one kind."
            ) from error
        if rows.ndim == 1:
            rows = rows[:, None]
        if rows.ndim != 2 or rows.shape[1] == 0:
            raise DataError(f"{owner}: sequence {place} has shape {rows.shape}; (steps, columns) is expected.")
        if len(rows) == 0:
            raise DataError(f"{owner}: sequence {place} is empty; leave it out.")
        width = rows.shape[1] if width is None else width
        if rows.shape[1] != width:
            raise DataError(
                f"X has {rows.shape[1]} features, but {owner} is expecting {width} features as input (sequence {place})."
            )
        if not np.isfinite(rows).all():
            held = "NaN" if np.isnan(rows).any() else "infinity"
            raise DataError(f"{owner}: Input X contains {held} (sequence {place}); fill it in or leave the step out.")
        parts.append(rows)
    lengths = np.array([len(rows) for rows in parts], dtype=np.int64)
    return Packed(np.concatenate(parts), lengths)
