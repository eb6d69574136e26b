"""One way to hand out a table: scikit-learn's Bunch, a pair (X, y), or either as pandas."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

__all__ = ["bunch_of_arrays", "bunch_of_columns"]


def frame_of(columns: Mapping[str, Any], levels: Mapping[str, Sequence[Any]], index: Any) -> Any:
    """Return a pandas frame; a column with declared levels becomes categorical with exactly those."""
    import pandas as pd

    made = {
        name: pd.Categorical(values, categories=list(levels[name])) if name in levels else values
        for name, values in columns.items()
    }
    return pd.DataFrame(made, index=index)


def bunch_of_columns(
    columns: Mapping[str, Any],
    target: str | None,
    description: str,
    *,
    levels: Mapping[str, Sequence[Any]] | None = None,
    index: Any = None,
    return_X_y: bool = False,
    as_frame: bool = False,
    **facts: Any,
) -> Any:
    """Return named columns as a Bunch, or as (X, y); `facts` are further fields of the Bunch."""
    names = [name for name in columns if name != target]
    arrays = [np.asarray(columns[name]) for name in names]
    numeric = all(array.dtype.kind in "biuf" for array in arrays)
    data: Any = np.column_stack([a if numeric else a.astype(object) for a in arrays])
    labels: Any = None if target is None else np.asarray(columns[target])
    frame = None
    if as_frame:
        frame = frame_of(columns, levels or {}, index)
        data, labels = frame[names], None if target is None else frame[target]
    if return_X_y:
        return data, labels
    return Bunch(
        data=data,
        target=labels,
        frame=frame,
        feature_names=names,
        target_names=None if target is None else [target],
        DESCR=description,
        **facts,
    )


def bunch_of_arrays(
    X: NDArray, y: Any, names: Sequence[str], description: str, *, return_X_y: bool, as_frame: bool, **facts: Any
) -> Any:
    """Return generated arrays as a Bunch, or as (X, y)."""
    columns: dict[str, Any] = {name: X[:, j] for j, name in enumerate(names)}
    if y is not None:
        columns["target"] = y
    target = None if y is None else "target"
    return bunch_of_columns(columns, target, description, return_X_y=return_X_y, as_frame=as_frame, **facts)
