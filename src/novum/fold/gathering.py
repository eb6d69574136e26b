"""All rows of any home in this process: for learners that compare rows with each other, and for no others.

Whoever calls `all_rows` takes n x d numbers of memory beside its own; the guide lists these learners. Rows that do not fit are
refused before one is read.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum.exceptions import DataError
from novum.fold.blocks import Source, not_in_memory
from novum.runtime import arrays, devices, room

__all__ = ["AllRows", "all_rows", "check_at_hand", "whole_table"]

UNCOUNTED = 2**40  # rows: more than any file whose rows no header counts can hold


class AllRows(NamedTuple):
    X: Any  # (n, d) array, or CSR
    y: Any  # None without a target
    weight: Any  # None for ones


def all_rows(source: Source, owner: str) -> AllRows:
    """Return rows, target and weights as arrays; those of files and clusters are read block by block and kept."""
    here: Any = source.host()
    if here.at_hand:
        return AllRows(here.array(), here.y, here.weight)
    if here.home == "tensor":
        raise DataError(f"{owner} keeps all rows in the memory of the processor, and X is on a device; give X.cpu().")
    there = source.prepare()
    check_room(there, owner)
    return kept_rows(there, owner)


def whole_table(owner: str, X: Any) -> Any:
    """Return all columns of a scan or of a Dask collection, text and categories too, for learners of states and of series.

    Anything else is returned as it is.
    """
    if isinstance(X, Source):
        check_room(X, owner)
        return X.head(UNCOUNTED if X.n_rows is None else X.n_rows)  # type: ignore[attr-defined]
    if not is_dask(X):
        return X
    shape: Any = getattr(X, "shape", ())
    if len(shape) == 2 and all(isinstance(size, int) for size in shape) and hasattr(X, "dtype"):
        check_size(owner, int(shape[0]), int(shape[1]), np.dtype(X.dtype).itemsize)
    return X.compute()


def is_dask(X: Any) -> bool:
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr")


def check_at_hand(owner: str, takes: str, X: Any) -> None:
    """Raise for a scan, a Dask collection or a tensor on a device that a learner of something else than tables is given.

    `takes` says what it takes instead: texts, sequences, graphs.
    """
    if isinstance(X, Source) or is_dask(X):
        raise not_in_memory(f"{owner} takes {takes}", "file" if isinstance(X, Source) else "dask", f"give {takes}")
    first = X[0] if isinstance(X, list | tuple) and len(X) else X
    if arrays.is_tensor(first) and not devices.on_host(first):
        raise DataError(f"{owner} takes {takes} in the memory of the processor, and X is on a device; give X.cpu().")


def check_room(source: Source, owner: str) -> None:
    """Raise where the rows are known to be more than this process can hold."""
    if source.n_rows is not None and not source.sparse:
        check_size(owner, source.n_rows, source.n_features, source.dtype.itemsize)


def check_size(owner: str, rows: int, columns: int, width: int) -> None:
    """Raise where so many cells of `width` bytes are more than this process can hold."""
    size, left = rows * columns * width, room.memory_left()
    if size > left:
        raise DataError(
            f"{owner} keeps all rows in memory: {rows:,} rows of {columns} columns take {size / 1e9:.1f} GB,"
            f" and {left / 1e9:.1f} GB are free. Give a sample of the rows."
        )


def kept_rows(source: Source, owner: str) -> AllRows:
    """Return the rows of all blocks in their order; where their number is known, nothing is held twice."""
    whole = (
        None if source.n_rows is None or source.sparse else np.empty((source.n_rows, source.n_features), source.dtype)
    )
    parts: list[Any] = []
    targets: list[Any] = []
    weights: list[Any] = []
    for block in source.each():
        if whole is None:
            parts.append(block.X if source.sparse else arrays.to_numpy(block.X))
        else:
            whole[block.start : block.start + block.rows] = arrays.to_numpy(block.X)
        targets.append(None if block.y is None else arrays.to_numpy(block.y))
        weights.append(None if block.weight is None else arrays.to_numpy(block.weight))
    if whole is None:
        whole = scipy.sparse.vstack(parts, format="csr") if source.sparse else np.concatenate(parts)
    y: Any = None if targets[0] is None else np.concatenate(targets)
    weight: Any = None if weights[0] is None else np.concatenate(weights)
    if weight is not None and not weight.any():
        raise DataError(f"Sample weights must contain at least one non-zero number. All given to {owner} are zero.")
    return AllRows(whole, y, weight)
