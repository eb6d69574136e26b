"""Frames with categorical and text columns as tables of numbers: levels become codes, a missing cell NaN."""

from typing import Any

import numpy as np

from novum.exceptions import DataError

__all__ = ["coded_frame", "frame_levels", "is_frame", "text_column"]


def is_frame(X: Any) -> bool:
    """Return whether X is a frame in memory that narwhals knows."""
    import narwhals as nw

    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def frame_levels(X: Any) -> dict[str, list[Any]]:
    """Return the levels of every column that is no number: those of its dtype, or the values that occur, in order."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    levels: dict[str, list[Any]] = {}
    for series in frame.iter_columns():
        declared = getattr(getattr(series.to_native(), "cat", None), "categories", None)  # pandas
        if isinstance(series.dtype, nw.Enum):
            levels[series.name] = list(series.dtype.categories)
        elif declared is not None:
            levels[series.name] = list(declared)
        elif not series.dtype.is_numeric() and series.dtype != nw.Boolean:
            levels[series.name] = sorted(series.drop_nulls().unique().to_list())
    return levels


def coded_frame(owner: str, X: Any, levels: dict[str, list[Any]]) -> Any:
    """Return the frame with codes in place of levels, in its own library; raise for a level that is not known."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns: dict[str, Any] = {}
    for series in frame.iter_columns():
        if series.name not in levels:
            columns[series.name] = series
            continue
        place = {level: float(code) for code, level in enumerate(levels[series.name])}
        values = series.to_list()
        unknown = next((v for v in values if v is not None and v == v and v not in place), None)
        if unknown is not None:
            raise DataError(
                f"{owner}: column {series.name!r} has the level {unknown!r}, which fit did not see; known are"
                f" {levels[series.name]}."
            )
        columns[series.name] = np.array([place.get(v, np.nan) for v in values])
    return nw.from_dict(columns, backend=frame.implementation).to_native()


def text_column(X: Any) -> str:
    """Return which column of a frame is text, and what to do about it; words for the end of an error."""
    names = [
        str(name) for name, kind in zip(getattr(X, "columns", ()), getattr(X, "dtypes", ())) if not is_number(kind)
    ]
    which = f", and column {names[0]!r} holds text" if names else ""
    remedy = "encode it (sklearn.preprocessing.OrdinalEncoder, OneHotEncoder); MixedNB and trees take columns of text in a frame"
    return f"{which}: {remedy}"


def is_number(kind: Any) -> bool:
    """Return whether the dtype of a frame's column is one of numbers."""
    try:
        return np.dtype(kind).kind in "fiub"
    except TypeError:
        return bool(getattr(kind, "is_numeric", lambda: False)())
