"""Scores that were measured elsewhere, as a table: a row per fold or data set, a column per model."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError, ParameterError

__all__ = ["is_table", "table_of"]


def is_table(models: Any) -> bool:
    """Return whether `compare` was given scores; estimators have `fit`."""
    if not isinstance(models, Mapping):
        if hasattr(models, "columns"):
            return True
        raise ParameterError(
            f"compare(models={type(models).__name__}): pass a dict of name to estimator or scores, or a frame of scores."
        )
    if len(models) < 2:
        raise ParameterError(f"compare: a comparison needs two models or more; got {len(models)}.")
    fits = [hasattr(model, "fit") for model in models.values()]
    if any(isinstance(model, type) for model in models.values()):
        named = next(name for name, model in models.items() if isinstance(model, type))
        raise ParameterError(f"compare: {named!r} is a class; pass an instance of it.")
    if any(fits) and not all(fits):
        named = next(name for name, has in zip(models, fits) if not has)
        raise ParameterError(
            f"compare: {named!r} has no fit method while others have; pass estimators only or scores only."
        )
    return not any(fits)


def table_of(models: Any) -> tuple[list[str], NDArray, list[str]]:
    """Return names, scores (parts, models) and the names of the parts."""
    if isinstance(models, Mapping):
        names, columns = [str(name) for name in models], [np.asarray(column) for column in models.values()]
        rows = getattr(next(iter(models.values())), "index", None)
    else:
        names = [str(name) for name in models.columns]
        columns = [np.asarray(models[name]) for name in models.columns]
        rows = getattr(models, "index", None)
    if len(names) < 2:
        raise ParameterError(f"compare: a comparison needs two models or more; got {len(names)}.")
    for name, column in zip(names, columns):
        if column.dtype.kind not in "biuf" or column.ndim != 1:
            raise DataError(
                f"compare: the scores of {name!r} must be a list of numbers; got shape {column.shape}, {column.dtype}."
            )
        if len(column) == 0:
            raise DataError(f"compare: {name!r} has no scores; give one for every part.")
        if len(column) != len(columns[0]):
            raise DataError(
                f"compare: {names[0]!r} has {len(columns[0])} scores and {name!r} has {len(column)}; they are paired."
            )
    parts = (
        [str(row) for row in rows]
        if rows is not None and not callable(rows)
        else [str(i) for i in range(len(columns[0]))]
    )
    return names, np.column_stack(columns).astype(np.float64), parts
