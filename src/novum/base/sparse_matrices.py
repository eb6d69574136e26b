"""Sparse matrices at the door: their structure is checked once, before SciPy or a kernel follows it.

A compressed matrix holds, for row (CSR) or column (CSC) i, the entries

    indices[indptr[i] : indptr[i + 1]],  data[indptr[i] : indptr[i + 1]]                               (1)

with 0 = indptr[0] <= indptr[1] <= ... <= the number of entries, and indices within the width. Nobody checks (1) after a
matrix was made, and what breaks it reads memory that belongs to others. An entry given twice counts as the sum, as in
SciPy; it is summed in a copy, so that the matrix that was given is never written.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["check_structure", "sound_sparse"]


def sound_sparse(X: Any, owner: str) -> Any:
    """Return a sparse matrix with (1), aligned, its entries sorted and given once; X itself where it is so already.

    Parameters
    ----------
    X : sparse matrix or array of any format
    owner : str
        Whose input it is, for errors.
    """
    check_structure(X, owner)
    if X.format not in ("csr", "csc"):
        X = X.tocsr()  # sums what is given twice
    if not all(part.flags.aligned and part.dtype.isnative for part in (X.data, X.indices, X.indptr)):
        parts = (np.array(part, dtype=part.dtype.newbyteorder("=")) for part in (X.data, X.indices, X.indptr))
        X = type(X)(tuple(parts), shape=X.shape)
    if rises_in_runs(X.indices[: X.indptr[-1]], X.indptr):
        return X
    X = X.copy()
    X.has_sorted_indices = X.has_canonical_format = False  # whatever they said
    X.sum_duplicates()
    return X


def check_structure(X: Any, owner: str) -> None:
    """Raise where the arrays of a sparse matrix do not describe one."""
    if X.format in ("csr", "csc", "bsr"):
        height, width = X.shape[::-1] if X.format == "csc" else X.shape
        block = X.blocksize if X.format == "bsr" else (1, 1)
        starts, indices = np.asarray(X.indptr), np.asarray(X.indices)
        if starts.shape != (height // block[0] + 1,) or starts[0] != 0 or (starts[1:] < starts[:-1]).any():
            refuse(X, owner, f"indptr must have {height // block[0] + 1} entries that rise from 0")
        if starts[-1] > len(indices) or starts[-1] > len(X.data):
            refuse(X, owner, f"indptr ends at {starts[-1]}, after the last of {min(len(indices), len(X.data))} entries")
        check_indices(X, owner, indices[: starts[-1]], width // block[1])
    elif X.format == "coo":
        for name, index, size in zip(("row", "col"), (X.row, X.col), X.shape):
            if len(index) != len(X.data):
                refuse(X, owner, f"{name} has {len(index)} entries, data {len(X.data)}")
            check_indices(X, owner, index, size)
    elif X.format == "lil":
        for row, values in zip(X.rows, X.data):
            if len(row) != len(values):
                refuse(X, owner, "a row has more columns than values, or fewer")
            check_indices(X, owner, np.asarray(row, np.int64), X.shape[1])


def check_indices(X: Any, owner: str, index: NDArray, size: int) -> None:
    """Raise where an index is not among `size` rows or columns."""
    if len(index) and not 0 <= (bad := index.min() if index.min() < 0 else index.max()) < size:
        refuse(X, owner, f"an entry is in place {bad} of {size}")


def refuse(X: Any, owner: str, reason: str) -> None:
    """Raise, naming what is wrong."""
    raise DataError(
        f"{owner}: X is a corrupt sparse matrix ({X.format}, {X.shape[0]} x {X.shape[1]}): {reason}. Make it anew, for instance by "
        "scipy.sparse.coo_array; its own check_format() says more."
    )


def rises_in_runs(index: NDArray, starts: NDArray) -> bool:
    """Return whether indices rise strictly within every run starts[i]:starts[i + 1]."""
    falls = np.flatnonzero(index[1:] <= index[:-1]) + 1
    return len(falls) == 0 or bool(np.isin(falls, starts, kind="sort" if len(falls) < len(starts) else None).all())
