"""Rows and errors of estimators that fit another estimator on parts of what they are given: a table of numbers, or any frame."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import indexable
from sklearn.utils.validation import column_or_1d, validate_data

from novum.base.device_forms import check_rows_on_device, is_elsewhere
from novum.base.validation import open_rows
from novum.runtime import sklearn_private

__all__ = ["in_own_name", "is_plain", "open_for_parts", "pass_on_tags", "rows_for_parts"]


def is_plain(X: Any) -> bool:
    """Return whether X is what novum's own checks read: anything but a frame that has columns of other things than numbers."""
    if hasattr(X, "dtypes") and hasattr(X, "columns"):
        kinds = [getattr(kind, "kind", None) for kind in list(X.dtypes)]
        text = [str(kind).lower() for kind in list(X.dtypes)]
        return all(k in tuple("biufc") or t.startswith(("int", "uint", "float", "bool")) for k, t in zip(kinds, text))
    return True


def open_for_parts(
    estimator: Any, X: Any, y: Any, target: str, sample_weight: Any = None, why: str = "sets rows aside by number"
) -> tuple[Any, NDArray, NDArray | None]:
    """Return X, so that rows can be taken from it, the target and the weights after the checks that the estimator makes."""
    if is_plain(X):
        source = estimator._source(X, y, sample_weight, target=target).in_memory(f"{type(estimator).__name__} {why}")
        known = np.asarray(source.y)
        single = known.ndim == 2 and known.shape[1] == 1
        weight = None if sample_weight is None else np.asarray(source.weight, np.float64)
        return indexable(X)[0], column_or_1d(known, warn=True) if single else known, weight
    validate_data(estimator, X, skip_check_array=True)
    known = sklearn_private.check_y(y, multi_output=False, y_numeric=target == "numeric", estimator=estimator)
    weight = None if sample_weight is None else sklearn_private.check_sample_weight(sample_weight, X, dtype=np.float64)
    return X, np.asarray(known), weight


def rows_for_parts(estimator: Any, X: Any) -> Any:
    """Return new rows of a fitted estimator after its checks, so that columns can be taken from them."""
    check_rows_on_device(estimator, is_elsewhere(X))
    if is_plain(X):
        open_rows(estimator, X).in_memory(type(estimator).__name__)
        return indexable(X)[0]
    validate_data(estimator, X, skip_check_array=True, reset=False)
    return X


def in_own_name(estimator: Any, inner: Any, call: Callable[[], Any]) -> Any:
    """Return what a call gives; errors of the model inside speak of the estimator around it."""
    try:
        return call()
    except ValueError as error:
        text = str(error).replace(type(inner).__name__, type(estimator).__name__)
        raise type(error)(text) from error


def pass_on_tags(tags: Any, inner: Any) -> Any:
    """Return the tags of an estimator that takes what the one inside takes."""
    theirs = inner.__sklearn_tags__().input_tags
    tags.input_tags.sparse = theirs.sparse
    tags.input_tags.allow_nan = theirs.allow_nan
    tags.input_tags.positive_only = theirs.positive_only
    tags.input_tags.categorical, tags.input_tags.string = theirs.categorical, theirs.string
    return tags
