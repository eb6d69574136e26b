"""From what a user passes as X, y and sample_weight to a `Source` that the fold engine can run over.

Whatever is wrong is said in scikit-learn's words, raised before anything is learned. Nothing of the size of X is copied: a
frame is taken column by column, an array as it lies.
"""

import numbers
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from novum import _core
from novum.base.checkpoint.identity import recorded_rows
from novum.base.device_forms import check_rows_on_device
from novum.base.frames import text_column
from novum.base.large_numbers import MOST_SIZE, largest_of, too_large
from novum.base.naming import error_with_name
from novum.base.sparse_matrices import sound_sparse
from novum.exceptions import DataError
from novum.fold.blocks import Source, not_in_memory
from novum.fold.homes.memory import FLOATS, ArrayTiles, FrameTiles, MemorySource, SparseTiles, Tiles, row_blocks
from novum.fold.recorded import recorded
from novum.runtime import arrays, sklearn_private
from novum.runtime.checks import check_weight_size
from novum.runtime.journal.steps import active

__all__ = [
    "plainly_labels",
    "plainly_sound",
    *(
        "check_rows",
        "check_target",
        "check_weight",
        "finite_source",
        "home_of",
        "open_rows",
    ),
    *(
        "open_source",
        "read_in_passes",
        "rows_at_hand",
    ),
]

HOMES = {"dask": "dask", "dask_expr": "dask", "torch": "tensor"}  # by the package of X

NUMBERS = "fiub"  # NumPy kinds that become tiles without a conversion of the whole array


def open_source(
    estimator: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    target: str | None = None,
    n_jobs: Any = None,
    min_rows: int = 1,
    reset: bool = True,
    defer: bool = False,
    sparse_too: bool = False,
    by_column: bool = False,
) -> Source:
    """Return training data as a Source, after every check; records n_features_in_ and feature_names_in_ if `reset`.

    `defer` leaves the look for NaN and infinity in dense data (`sparse_too`: in sparse ones as well) to `source.verified()`, for
    learners whose first sums show them; weighted rows are looked at first, as one without weight shows in no sum.
    A learner that takes a sparse design `by_column` gets compressed columns as they are; else they become rows.

    `target` is None, "numeric" (one or several columns of numbers) or "classes" (one column of labels). A scan brings its
    own target and weights, so there y and sample_weight must be None.
    """
    if (source := open_home(estimator, X, y, sample_weight, defer)) is not None:
        source = admit(estimator, source, target=target, reset=reset, n_jobs=n_jobs).prepare()
        return source if active.get() is None else recorded_rows(estimator, source)
    sparse = scipy.sparse.issparse(X) and estimator.__sklearn_tags__().input_tags.sparse
    tiles = check_rows(estimator, X, reset=reset, accept_sparse=sparse, min_rows=min_rows, by_column=by_column)
    labels = None if target is None else check_target(estimator, tiles, y, target)
    weight = check_weight(estimator, sample_weight, tiles.shape[0])
    check = partial(finite_source, estimator, squares=getattr(estimator, "_squares_columns", False))
    source = MemorySource(tiles, labels, weight, n_jobs, check=check)
    source = source if defer and weight is None and (sparse_too or not source.sparse) else source.verified()
    return source if active.get() is None else recorded(source)


def open_rows(estimator: Any, X: Any, *, n_jobs: Any = None, defer: bool = False, sparse_too: bool = False) -> Source:
    """Return new rows for a fitted `estimator` as a Source, after every check; `defer`, `sparse_too` as in `open_source`."""
    if (source := open_home(estimator, X, None, None, defer)) is not None:
        check_rows_on_device(estimator, source.on_device)
        return admit(estimator, source, target=None, reset=False, weighted=False, n_jobs=n_jobs)
    sparse = scipy.sparse.issparse(X) and estimator.__sklearn_tags__().input_tags.sparse
    try:
        tiles = check_rows(estimator, without_mask(X), reset=False, accept_sparse=sparse)
    except (ValueError, TypeError) as error:
        known = error_with_name(error, estimator)
        if known is not error:
            raise known from error
        raise
    check = partial(finite_source, estimator, squares=getattr(estimator, "_squares_rows", False))
    source = MemorySource(tiles, n_jobs=n_jobs, rows=row_blocks, check=check)
    return source if defer and (sparse_too or not source.sparse) else source.verified()


def without_mask(values: Any) -> Any:
    """Return an array whose masked cells are missing (NaN, or None among text); anything else as it is."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.getmaskarray(values).any():
        return values.data
    if values.dtype.kind in NUMBERS:
        return values.astype(np.result_type(values.dtype, np.float32)).filled(np.nan)  # type: ignore[attr-defined]
    return values.astype(object).filled(None)  # type: ignore[attr-defined]


def home_of(X: Any) -> str:
    """Return where the rows of X live: "memory", "file" (a scan), "dask" or "tensor"; imports none of them."""
    if isinstance(X, Source):
        return X.home
    return HOMES.get(type(X).__module__.partition(".")[0], "memory")


def read_in_passes(X: Any) -> bool:
    """Return whether the rows of X are reached by passes alone: a scan or a Dask collection."""
    return home_of(X) in ("file", "dask")


def rows_at_hand(estimator: Any, X: Any, because: str, remedy: str = "give a sample of the rows") -> Any:
    """Return X, a tensor as an array after its checks; raise for a scan or Dask: `because` says why, as in `Source.array`."""
    home = home_of(X)
    if home in ("file", "dask"):
        raise not_in_memory(because, home, remedy)
    if home == "tensor":
        check_rows_on_device(estimator, open_home(estimator, X, None, None).on_device)  # type: ignore[union-attr]
        return arrays.to_numpy(X)
    return X


def open_home(estimator: Any, X: Any, y: Any, sample_weight: Any, defer: bool = False) -> Source | None:
    """Return a Source for data that live outside NumPy's memory (a scan, Dask, PyTorch), else None; `defer` as in `open_source`."""
    home = home_of(X)
    if isinstance(X, Source):
        for name, value in (("y", y), ("sample_weight", sample_weight)):
            if value is not None:
                raise DataError(
                    f"{type(estimator).__name__}: a scan brings its own target and weights, so {name} must be left out;"
                    f" name the columns in novum.scan(..., target=, weight=)."
                )
        return X
    if home == "dask":
        from novum.fold.homes.dask import open_dask

        return open_dask(estimator, X, y, sample_weight)
    if home == "tensor":
        from novum.fold.homes.tensors import open_tensor

        return open_tensor(estimator, X, y, sample_weight, defer)
    return None


def admit(
    estimator: Any, source: Source, *, target: str | None, reset: bool, weighted: bool = True, n_jobs: int | None = None
) -> Source:
    """Return `source` as `estimator` needs it, if its columns and target are right; records or compares the features."""
    owner = type(estimator).__name__
    if target is not None and not source.has_target:
        raise DataError(
            f"This {owner} estimator requires y to be passed, but the target y is None. Give fit(X, y), or name the column"
            f" in novum.scan(..., target=...)."
        )
    if target == "classes" and source.n_targets > 1:
        raise DataError(f"{owner}: y should be a 1d array of labels, got {source.n_targets} target columns instead.")
    source = source.opened_by(estimator, target=target, weighted=weighted, n_jobs=n_jobs)
    shape = np.broadcast_to(np.float64(0), (1, source.n_features))
    sklearn_private.check_feature_names(estimator, shape if source.names is None else source.header(), reset=reset)
    sklearn_private.check_n_features(estimator, shape, reset=reset)
    return source


def check_target(estimator: Any, tiles: Tiles, y: Any, target: str) -> np.ndarray:
    """Return the target after scikit-learn's checks: numbers (one or several columns) or labels (one column)."""
    if y is None:
        raise DataError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None."
            f" Call fit(X, y) with one target per row."
        )
    if plainly_sound(y, tiles.shape[0], target):
        return aligned_array(y)
    if target == "numeric":
        plain = isinstance(getattr(y, "dtype", None), np.dtype) and y.dtype.kind in NUMBERS
        y = sklearn_private.check_y(y, multi_output=True, y_numeric=True, estimator=estimator)
        if y.dtype.kind not in NUMBERS:
            try:
                y = y.astype(np.float64)
            except ValueError as error:
                raise DataError(
                    f"{type(estimator).__name__}: y holds text that is no number ({error}); a regressor needs numbers."
                ) from error
        if not plain:  # None has become NaN
            sklearn_private.assert_all_finite(y, input_name="y", estimator_name=type(estimator).__name__)
    else:
        plain = type(y) is np.ndarray or not arrays.is_tensor(y)
        y = column_or_1d(y if plain else arrays.to_numpy(y), warn=True)
        sklearn_private.assert_all_finite(y, input_name="y", estimator_name=type(estimator).__name__)
        if not plainly_labels(y):
            check_classification_targets(y)
    check_consistent_length(np.broadcast_to(np.float64(0), tiles.shape), y)
    return aligned_array(y)


def plainly_sound(y: Any, n_rows: int, target: str) -> bool:
    """Return whether y is sure to pass all checks as it is, without asking scikit-learn, which takes longer than a small fit."""
    if type(y) is not np.ndarray or y.shape[:1] != (n_rows,) or not y.size:
        return False
    if target == "classes":
        return y.ndim == 1 and plainly_labels(y)
    if y.ndim > 2 or y.dtype.kind not in NUMBERS:
        return False
    if y.dtype.kind != "f":
        return True
    return y.dtype in FLOATS and y.flags.c_contiguous and bool(_core.runtime.tiles.all_finite(y))


def plainly_labels(y: np.ndarray) -> bool:
    """Return whether y is sure to pass scikit-learn's check of labels, which sorts them twice: whole numbers of a small range."""
    return y.dtype.kind in "iub" and y.size > 0 and int(y.max()) - int(y.min()) < y.size // 2


def check_rows(
    estimator: Any, X: Any, *, reset: bool, accept_sparse: bool, min_rows: int = 1, by_column: bool = False
) -> Tiles:
    """Return X cut-ready: shape and type checked, feature names and number compared or (reset) recorded."""
    if type(X) is not np.ndarray and arrays.is_tensor(X):
        X = arrays.to_numpy(X)  # of a learner that takes tensors as arrays
    nameless = type(X) is np.ndarray or scipy.sparse.issparse(X)
    if not nameless or hasattr(estimator, "feature_names_in_"):
        sklearn_private.check_feature_names(estimator, X, reset=reset)
    options: dict[str, Any] = {"estimator": estimator, "input_name": "X", "ensure_all_finite": False}
    options["ensure_min_samples"] = min_rows
    tiles: Tiles
    if scipy.sparse.issparse(X):
        formats = ["csr", "csc"] if by_column else ["csr"]
        X = sound_sparse(X, type(estimator).__name__) if accept_sparse and X.ndim == 2 else X
        X = check_array(X, accept_sparse=formats if accept_sparse else False, dtype=[np.float64, np.float32], **options)
        tiles = SparseTiles(X)
    elif (columns := frame_columns(X)) is not None:
        # a frame of this shape without its memory: scikit-learn's own words for too few rows or columns
        check_array(np.broadcast_to(np.float64(0), X.shape), dtype=None, **options)
        tiles = FrameTiles(columns)
    else:
        if hasattr(X, "collect") and not hasattr(X, "shape"):
            raise DataError(f"{type(estimator).__name__}: X is lazy ({type(X).__name__}); call X.collect() first.")
        numeric = type(X) is np.ndarray and X.dtype.kind in NUMBERS
        if not (
            numeric and X.ndim == 2 and X.shape[0] >= max(1, min_rows) and X.shape[1]
        ):  # what it requires of such an array
            try:
                cells = check_array(X, dtype=None if numeric else "numeric", **options)
                cells = cells if cells.dtype.kind in NUMBERS else cells.astype(np.float64)  # a frame of several kinds
            except ValueError as error:
                if "could not convert" not in str(error):
                    raise
                raise DataError(f"{error}. {type(estimator).__name__} takes numbers{text_column(X)}.") from error
            X = cells
        tiles = ArrayTiles(aligned_array(X))
    # an array of that shape, without its memory unless it is there
    shown = tiles.X if isinstance(tiles, ArrayTiles) else np.broadcast_to(np.float64(0), tiles.shape)
    sklearn_private.check_n_features(estimator, shown, reset=reset)
    return tiles


def aligned_array(x: np.ndarray) -> np.ndarray:
    """Return an array whose numbers lie where a processor reads them: a field of a packed record need not."""
    return x if x.flags.aligned else x.copy()


def frame_columns(X: Any) -> list[np.ndarray] | None:
    """Return the columns of a pandas, polars or pyarrow frame of numbers, else None. Missing cells become NaN."""
    if (
        not hasattr(X, "__dataframe__")
        and not hasattr(X, "__narwhals_dataframe__")
        and not hasattr(X, "__arrow_c_stream__")
    ):
        return None
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not frame.shape[1]:
        return None
    columns = []
    for series in frame.iter_columns():
        if series.dtype.is_numeric() or series.dtype == nw.Boolean:
            column = series.to_numpy()
            if column.dtype.kind not in NUMBERS:  # nullable columns with gaps come as objects
                column = series.cast(nw.Float64).to_numpy()
            columns.append(aligned_array(column))
        else:
            return None
    return columns


def check_weight(estimator: Any, sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Return the weights as float64, or None for none; finite, not negative, not all zero. A function gives its name."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, numbers.Real) and sample_weight == 1:
        return None
    rows = np.broadcast_to(np.float64(0), (n_rows, 1))
    weight = aligned_array(
        sklearn_private.check_sample_weight(sample_weight, rows, dtype=np.float64, allow_all_zero_weights=True)
    )
    owner = estimator if isinstance(estimator, str) else type(estimator).__name__
    if not np.isfinite(weight).all():  # of an array scikit-learn has checked this; a single number it takes as it is
        raise DataError(
            f"Input sample_weight contains NaN or infinity: {owner} was given {sample_weight!r:.80}. Give finite weights of"
            f" zero or more."
        )
    if (low := weight.min(initial=0)) < 0:
        raise DataError(
            f"Negative values in data passed to `sample_weight` of {owner}: the least is {low:g}. Give weights of zero or"
            f" more; zero leaves a row out."
        )
    if not weight.any():
        raise DataError(
            f"Sample weights must contain at least one non-zero number. All {n_rows} weights given to {owner} are zero."
        )
    check_weight_size(owner, float(weight.max()))
    return weight


def finite_source(estimator: Any, source: MemorySource, squares: bool = False) -> MemorySource:
    """Return `source` if it is finite, else raise scikit-learn's error for the first block that is not.

    With `squares`, numbers whose sums of squares would overflow are refused too.

    A learner that takes missing cells is shown every block that is not finite: one without infinity raises nothing.
    """
    for bad in source.bad_blocks(squares):
        values = getattr(bad.X, "data", bad.X) if scipy.sparse.issparse(bad.X) else bad.X
        allow_nan = estimator.__sklearn_tags__().input_tags.allow_nan
        name = type(estimator).__name__
        sklearn_private.assert_all_finite(values, allow_nan=allow_nan, estimator_name=name, input_name="X")
        if squares and (largest := largest_of(bad.X, bad.weight)) > MOST_SIZE:
            raise too_large(name, "X", largest)
    return source
