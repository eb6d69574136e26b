"""From what a user passes as X to what trees read: an array or CSC matrix, and the number of categories of every column.

Columns of a frame that are no numbers are categories: levels become codes in the order of the dtype (or sorted), a missing
cell or a level that was not there in `fit` becomes NaN. In an array, columns marked as categories hold codes 0, 1, 2, ...
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.base.validation import check_rows, home_of, rows_at_hand
from novum.exceptions import DataError, ParameterError
from novum.runtime import sklearn_private

__all__ = ["Table", "coded_frame", "frame_levels", "is_frame", "read_table"]

MOST_LEVELS = 2**20 - 1  # a set of categories is a run of bits in every node that splits by it


class Table(NamedTuple):
    """Training data as the grower reads them."""

    X: Any  # (n, d) float array of any layout, or a CSC matrix
    levels: list[int]  # number of categories of every column; 0 for numbers
    dtype: np.dtype  # of predictions


def is_frame(X: Any) -> bool:
    """Return whether X is a frame in memory that narwhals knows."""
    if isinstance(X, np.ndarray) or scipy.sparse.issparse(X) or home_of(X) != "memory":
        return False
    if not hasattr(X, "columns") and not hasattr(X, "column_names"):
        return False
    import narwhals as nw

    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def frame_levels(X: Any) -> dict[str, list[Any]]:
    """Return the levels of every column that is no number: those of its dtype, or the values that occur, sorted."""
    import narwhals as nw

    levels: dict[str, list[Any]] = {}
    for series in nw.from_native(X, eager_only=True).iter_columns():
        declared = getattr(getattr(series.to_native(), "cat", None), "categories", None)  # pandas
        if isinstance(series.dtype, nw.Enum):
            levels[series.name] = list(series.dtype.categories)
        elif declared is not None:
            levels[series.name] = list(declared)
        elif not series.dtype.is_numeric() and series.dtype != nw.Boolean:
            levels[series.name] = sorted_levels(series)
    return levels


def sorted_levels(series: Any) -> list[Any]:
    """Return the values of a column, sorted; raise where they cannot be."""
    values = series.drop_nulls().to_list()
    try:
        return sorted(set(values))
    except TypeError as error:
        kinds = " and ".join(sorted({type(value).__name__ for value in values}))
        raise DataError(
            f"column {series.name!r} of the frame holds {kinds}, which have no order and so are no categories: make it text, as in"
            f" X[{series.name!r}].astype(str), or numbers, or drop it."
        ) from error


def coded_frame(X: Any, levels: dict[str, list[Any]]) -> Any:
    """Return the frame with codes in place of levels, in its own library; NaN for a level that is not known."""
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True)
    columns: dict[str, Any] = {}
    for series in frame.iter_columns():
        if series.name not in levels:
            columns[series.name] = series
            continue
        place = {level: float(code) for code, level in enumerate(levels[series.name])}
        columns[series.name] = np.array([place.get(value, np.nan) for value in series.to_list()])
    return nw.from_dict(columns, backend=frame.implementation).to_native()


def read_table(estimator: Any, X: Any, levels: dict[str, list[Any]]) -> Table:
    """Return training data after every check; records the features. `levels` are those of a frame that was coded."""
    owner = type(estimator).__name__
    X = rows_at_hand(estimator, X, f"{owner} sorts whole columns")
    tiles = check_rows(estimator, X, reset=True, accept_sparse=True, by_column=True)
    finite = {"estimator_name": owner, "input_name": "X"}
    cells = tiles.matrix()
    if scipy.sparse.issparse(cells):
        sklearn_private.assert_all_finite(cells.data, **finite)
        cells = cells.tocsc()
    elif not all_finite(cells):
        sklearn_private.assert_all_finite(cells, allow_nan=True, **finite)
    marked = categorical_columns(estimator, tiles.shape[1], levels)
    if marked and scipy.sparse.issparse(cells):
        raise ParameterError(
            f"{owner}(categorical_features=...): categories of a sparse X are not supported; give an array."
        )
    names = list(getattr(estimator, "feature_names_in_", []))
    numbers = [0] * tiles.shape[1]
    for j in marked:
        known = levels.get(names[j]) if names else None
        numbers[j] = len(known) if known is not None else code_number(owner, j, cells[:, j])
        numbers[j] = max(1, numbers[j])
    if max(numbers) > MOST_LEVELS:
        raise DataError(
            f"{owner}: column {int(np.argmax(numbers))} has {max(numbers)} categories; the most is {MOST_LEVELS}."
        )
    return Table(cells, numbers, tiles.dtype)


def all_finite(X: NDArray) -> bool:
    """Return whether an array holds neither NaN nor infinity, without a copy where its layout allows."""
    if X.flags.c_contiguous or not X.flags.f_contiguous:
        return _core.runtime.tiles.all_finite(np.ascontiguousarray(X))
    return _core.runtime.tiles.all_finite(X.T)


def code_number(owner: str, j: int, column: NDArray) -> int:
    """Return the number of categories of a column of codes."""
    known = column[~np.isnan(column)]
    if known.size and (known.min() < 0 or (known != np.floor(known)).any()):
        raise DataError(
            f"{owner}: column {j} is marked as categories, which are coded 0, 1, 2, ...; it holds"
            f" {known[(known < 0) | (known != np.floor(known))][0]:g}. Use OrdinalEncoder, or a frame with a categorical dtype."
        )
    return int(known.max()) + 1 if known.size else 1


def categorical_columns(estimator: Any, d: int, levels: dict[str, list[Any]]) -> list[int]:
    """Return the numbers of the columns that hold categories."""
    names = list(getattr(estimator, "feature_names_in_", []))
    marked = estimator.categorical_features
    chosen = [names.index(name) for name in levels]
    if marked is None or isinstance(marked, str):
        return sorted(chosen)
    mask = np.asarray(marked)
    if mask.dtype == bool and mask.shape != (d,):
        raise ParameterError(
            f"{type(estimator).__name__}(categorical_features=...): a mask needs {d} entries, one per column; got {mask.shape}."
        )
    for column in np.flatnonzero(mask).tolist() if mask.dtype == bool else mask.ravel().tolist():
        place = names.index(column) if column in names else column
        if not isinstance(place, int) or not -d <= place < d:
            raise ParameterError(
                f"{type(estimator).__name__}(categorical_features=...): there is no column {column!r} among"
                f" {names or f'{d} columns'}."
            )
        chosen.append(place % d)
    return sorted(set(chosen))
