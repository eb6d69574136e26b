"""Categorical columns of arrays and frames as numbers 0, 1, ...: a level that was not seen, like a gap, becomes NaN.

Which columns are categorical is said by the frame's dtypes, a mask, positions or names, in scikit-learn's terms. The encoder is
scikit-learn's `OrdinalEncoder`; everything else in X stays as it is, so frames keep their names.
"""

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder

from novum.exceptions import DataError
from novum.runtime import sklearn_private

__all__ = ["as_numbers", "category_counts", "learn_categories"]


def learn_categories(X: Any, categorical_features: Any) -> tuple[NDArray | None, OrdinalEncoder | None]:
    """Return which columns are categorical (None: none) and an encoder fitted to them."""
    if not hasattr(X, "shape") and not hasattr(X, "__dataframe__"):
        X = np.asarray(X)
    mask = sklearn_private.check_categorical_features(X, categorical_features)
    if mask is None:
        return None, None
    if scipy.sparse.issparse(X):
        raise DataError(
            "categorical_features names columns of a sparse matrix, and their levels cannot be read from it: give these columns"
            " densely, as an array or a frame."
        )
    encoder = OrdinalEncoder(
        handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan, dtype=np.float64
    )
    return mask, encoder.fit(masked_columns(X, mask))


def masked_columns(X: Any, mask: NDArray) -> Any:
    """Return the columns of X that the mask names."""
    frame = as_frame(X)
    if frame is None:
        return np.asarray(X)[:, mask]
    return frame[:, np.flatnonzero(mask).tolist()].to_native()


def as_frame(X: Any) -> Any:
    """Return a frame of pandas, polars or Arrow as narwhals sees it, else None."""
    if (
        not hasattr(X, "__dataframe__")
        and not hasattr(X, "__narwhals_dataframe__")
        and not hasattr(X, "__arrow_c_stream__")
    ):
        return None
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def as_numbers(X: Any, mask: NDArray | None, encoder: OrdinalEncoder | None) -> Any:
    """Return X with its categorical columns as numbers; X itself where there are none."""
    if mask is None or encoder is None:
        return X
    if not hasattr(X, "shape") and not hasattr(X, "__dataframe__"):
        X = np.asarray(X)
    if getattr(X, "ndim", 2) != 2 or X.shape[1] != len(mask):
        return X  # refused, in scikit-learn's words, by whoever opens it
    codes = np.asarray(encoder.transform(masked_columns(X, mask)))
    frame = as_frame(X)
    if frame is None:
        out = np.empty(X.shape)
        out[:, ~mask] = np.asarray(X)[:, ~mask]
        out[:, mask] = codes
        return out
    import narwhals as nw

    names = [name for name, categorical in zip(frame.columns, mask) if categorical]
    native = frame.implementation
    series = [nw.new_series(name, codes[:, i], nw.Float64, backend=native) for i, name in enumerate(names)]
    index = nw.maybe_get_index(frame)
    if index is not None:
        series = [nw.maybe_set_index(one, index=index) for one in series]
    return frame.with_columns(*series).to_native()


def category_counts(owner: str, mask: NDArray | None, encoder: OrdinalEncoder | None, d: int, max_bins: int) -> NDArray:
    """Return the number of categories of every column, 0 for numbers; raise if one has more than there are bins."""
    counts = np.zeros(d, np.int32)
    if mask is None or encoder is None:
        return counts
    names = getattr(encoder, "feature_names_in_", None)
    for place, (j, levels) in enumerate(zip(np.flatnonzero(mask), encoder.categories_)):
        known = len(levels) - sum(level is None or level != level for level in levels[-1:])
        if known > max_bins:
            name = f"at index {j}" if names is None else repr(names[place])
            raise DataError(
                f"Categorical feature {name} is expected to have a cardinality <= {max_bins} but actually has a cardinality of"
                f" {known}. Give {owner} a larger max_bins (at most 255), or merge rare levels."
            )
        counts[j] = max(known, 1)
    return counts
