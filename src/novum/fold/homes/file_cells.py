"""Checks of columns, and of the cells of a batch: what is refused is named with its file, its place in it and its column."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.fold.readers.batches import Batch
from novum.fold.readers.table import NUMBER, Column
from novum.runtime.checks import check_weight_size

__all__ = [
    "check_cells",
    "check_features",
    "check_some_weight",
    "check_target_columns",
    "checked_target",
    "checked_weight",
]


def check_features(owner: str, path: Any, columns: dict[Any, Column]) -> None:
    """Raise for a feature that is no number."""
    for key, column in columns.items():
        if column.kind != NUMBER:
            raise DataError(
                f"{owner}: column {key!r} of {path} is {column.type}, not a number. Encode it on the way,"
                f" scan.through(fitted_encoder), or leave it out of novum.scan(..., columns=...)."
            )


def check_target_columns(owner: str, path: Any, columns: dict[Any, Column]) -> None:
    """Raise for a target that is no number."""
    for key, column in columns.items():
        if column.kind != NUMBER:
            raise DataError(f"{owner}: the target {key!r} of {path} is {column.type}; this learner needs numbers.")


def check_some_weight(owner: str, weight: Any, blocks: Sequence[bool]) -> None:
    """Raise where no block has a weight above zero."""
    if not any(blocks):
        raise DataError(
            f"Sample weights must contain at least one non-zero number. All weights {weight!r} given to {owner} are zero."
        )


def check_cells(X: NDArray, batch: Batch, names: Sequence[Any], owner: str, allow_nan: bool) -> None:
    """Raise for the first cell that is infinite, or NaN where the learner takes none."""
    bad = np.argwhere(np.isinf(X) if allow_nan else ~np.isfinite(X))
    if not len(bad):
        return
    row, j = bad[0]
    what = "NaN" if np.isnan(X[row, j]) else f"infinity or a value too large for {X.dtype!r}"
    raise DataError(
        f"Input X contains {what}: column {names[int(j)]!r}, {batch.place(int(row))}. {owner} needs finite numbers;"
        f" remove the row, or fill the gap on the way with scan.through(fitted_imputer)."
    )


def checked_target(y: NDArray, batch: Batch, target: Any, owner: str, classes: bool) -> NDArray:
    """Return the target, which must be finite and, as classes, whole."""
    if y.dtype.kind != "f":
        return y
    bad = np.argwhere(~np.isfinite(y))
    if len(bad):
        what = "NaN" if np.isnan(y[tuple(bad[0])]) else "infinity"
        raise DataError(f"Input y contains {what}: target {target!r}, {batch.place(int(bad[0][0]))}.")
    if classes and (y != np.floor(y)).any():
        raise DataError(
            f"Unknown label type: continuous. {owner} is a classifier, but the target {target!r} holds fractions."
        )
    return y


def checked_weight(values: NDArray, batch: Batch, column: Any, owner: str) -> NDArray:
    """Return weights as float64; they must be finite and not negative."""
    weight = np.ascontiguousarray(values, np.float64)
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        negative = (
            "Negative values in data passed to `sample_weight`"
            if weight[row] < 0
            else "Input sample_weight is not finite"
        )
        raise DataError(
            f"{negative}: {weight[row]:g} in column {column!r}, {batch.place(row)}. Give weights of zero or more."
        )
    check_weight_size(owner, float(weight.max(initial=0.0)), part=True)
    return weight
