"""From a Dask array or frame to the pieces of its partitions: rows, target and weights, cut alike."""

from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.fold.blocks import tile_dtype
from novum.fold.homes.dask.source import DaskSource

__all__ = ["open_dask"]


def open_dask(estimator: Any, X: Any, y: Any, sample_weight: Any) -> DaskSource:
    """Return a Dask array or frame as a Source; y and sample_weight must be cut like X, or be cuttable."""
    owner = type(estimator).__name__
    names: list[str] | None = None
    for name, values in (("X", X), ("y", y)):
        if getattr(getattr(values, "dtype", None), "kind", "") == "c":
            raise DataError(f"Complex data not supported by {owner}: {name} is complex; give real numbers.")
    if hasattr(X, "columns") and hasattr(X, "divisions"):  # a frame
        words = [str(name) for name, dtype in X.dtypes.items() if not is_number(dtype)]
        if words:
            raise DataError(
                f"{owner}: column(s) {', '.join(words)} of the Dask frame hold no numbers; encode or drop them first."
            )
        names = list(X.columns)
        dtype = tile_dtype(np.result_type(*(np.dtype(getattr(t, "numpy_dtype", t)) for t in X.dtypes)))
        lengths: list[int | None] = [None] * X.npartitions
        rows = list(partitions_of(X))
        n_features = len(names)
    elif getattr(X, "ndim", 0) == 2 and hasattr(X, "rechunk"):
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        dtype, n_features = tile_dtype(X.dtype), X.shape[1]
        lengths = [None if np.isnan(n) else int(n) for n in X.chunks[0]]
        rows = X.to_delayed().ravel().tolist()
    else:
        raise DataError(
            f"{owner}: Expected 2D array, got a Dask collection of {getattr(X, 'ndim', '?')} dimension(s) instead."
        )
    targets = pieces(owner, "y", y, lengths)
    weights = pieces(owner, "sample_weight", sample_weight, lengths)
    n_targets = y.shape[1] if y is not None and getattr(y, "ndim", 1) == 2 else 0
    allow_nan = estimator.__sklearn_tags__().input_tags.allow_nan
    return DaskSource(
        owner=owner,
        allow_nan=allow_nan,
        parts=list(zip(rows, targets, weights)),
        lengths=lengths,
        n_features=n_features,
        dtype=dtype,
        names=names,
        n_targets=n_targets,
    )


def partitions_of(collection: Any) -> Any:
    """Return a delayed piece per partition; of frames as they are cut, though only the columns that are wanted are read.

    What else Dask does for a frame by itself would join small files where few of their columns are read: X and a target out of the
    same files would no longer be cut alike.
    """
    if not hasattr(collection, "simplify"):
        return collection.to_delayed()
    return collection.simplify().to_delayed(optimize_graph=False)


def is_number(dtype: Any) -> bool:
    """Return whether a column type of pandas (also a nullable or Arrow one) holds numbers."""
    import pandas as pd

    return bool(pd.api.types.is_numeric_dtype(dtype))


def pieces(owner: str, name: str, values: Any, lengths: list[int | None]) -> list:
    """Return a target or weights cut like the rows, a delayed piece per partition."""
    if values is None:
        return [None] * len(lengths)
    known = [n for n in lengths if n is not None]
    rows = sum(known) if len(known) == len(lengths) else None
    if not hasattr(values, "dask"):  # an array in memory
        values = np.asarray(values)
        if len(values) != rows:
            raise DataError(
                f"{owner}: {name} has {len(values)} rows in memory, X is a Dask collection of"
                f" {'unknown' if rows is None else rows} rows; give {name} as a Dask collection cut like X."
            )
        return np.split(values, np.cumsum(known)[:-1])
    if hasattr(values, "rechunk") and rows is not None and not np.isnan(values.chunks[0]).any():
        if (found := sum(values.chunks[0])) != rows:
            raise DataError(f"Found input variables with inconsistent numbers of samples: {[rows, found]}")
        values = values.rechunk({0: tuple(known), 1: -1} if values.ndim == 2 else {0: tuple(known)})
    parts = np.ravel(np.array(partitions_of(values), dtype=object)).tolist()
    if len(parts) != len(lengths):
        raise DataError(f"{owner}: {name} has {len(parts)} partitions, X has {len(lengths)}; cut both alike.")
    return parts
