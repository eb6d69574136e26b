"""Targets kept beside the rows: read, added, forgotten. Nothing is learned, so every change counts at once."""

from typing import Any, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import check_classification_targets

from novum.base.classes import distinct
from novum.base.estimator import fits
from novum.base.sklearn_base import ClassifierMixin, RegressorMixin
from novum.base.validation import plainly_labels, plainly_sound
from novum.exceptions import DataError
from novum.neighbors.base import NeighborsBase
from novum.neighbors.trees import SearchTree
from novum.runtime import arrays, sklearn_private
from novum.runtime.typing import Numbers, Rows, Target
from novum.runtime.warn import warn

__all__ = ["Classes", "Values"]


def stack_rows(a: Any, b: Any) -> Any:
    """Return the rows of two tables, dense or sparse, one after the other, in the home of the first."""
    if arrays.is_tensor(a):
        return arrays.stack_rows([a, arrays.like(a, b)])
    b = arrays.to_numpy(b) if arrays.is_tensor(b) else b
    if scipy.sparse.issparse(a):
        return scipy.sparse.vstack([a, b], format="csr")
    return np.concatenate([a, b])


def column_stack(columns: list[Any]) -> Any:
    """Return columns of whole numbers side by side."""
    return arrays.concat([column.reshape(-1, 1) for column in columns])


def distinct_labels(y: Any) -> tuple[NDArray, Any]:
    """Return the sorted distinct labels, and every row's position among them where y lies."""
    if not arrays.is_tensor(y):
        return distinct(y)
    classes = arrays.unique(y)
    return classes, arrays.positions(classes, y)[0]


def refuse_continuous(y: Any) -> None:
    """Raise if labels on a device are no whole numbers; scikit-learn's words."""
    if y.is_floating_point() and bool((y != y.floor()).any()):
        check_classification_targets(arrays.to_numpy(y[y != y.floor()][:1]))


class Stored(NeighborsBase):
    """Rows with targets."""

    _target_kind = "numeric"
    _y: Any

    def _checked(self, X: Any, y: Any) -> Any:
        """Return the target after scikit-learn's checks, on the device of X if it has one."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. Call fit(X, y) with one"
                " target per row."
            )
        if arrays.is_tensor(X):
            from novum.fold.homes.tensors import labels_or_numbers

            return labels_or_numbers(type(self).__name__, X, y)
        y = arrays.to_numpy(y) if arrays.is_tensor(y) else y
        if plainly_sound(y, X.shape[0], self._target_kind):
            return np.asarray(y)
        y = sklearn_private.check_y(y, multi_output=True, y_numeric=self._target_kind == "numeric", estimator=self)
        y = y.toarray() if scipy.sparse.issparse(y) else y
        check_consistent_length(np.broadcast_to(np.float64(0), (X.shape[0], 1)), y)
        return y

    def _kept_rows(self) -> Any:
        if self._fit_X is None or self._y.ndim != 1:
            return None
        y = arrays.to_numpy(self._y)
        y = self.classes_[y] if hasattr(self, "classes_") else y
        return self._fit_X.toarray() if scipy.sparse.issparse(self._fit_X) else arrays.to_numpy(self._fit_X), y

    def _take_target(self, y: NDArray) -> None:
        raise NotImplementedError

    def _add_target(self, y: NDArray) -> None:
        raise NotImplementedError

    def _fit(self, X: Any, y: Any) -> None:
        if isinstance(X, SearchTree | NeighborsBase):
            self._take_target(self._checked(getattr(X, "_fit_X", getattr(X, "data", None)), y))
            self._adopt(X)
            return
        X, y = self._read(X, y, target=self._target_kind)
        self._take_target(self._checked(X, y))
        self._settle_metric()
        self._keep(X)

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Keep the rows and their targets.

        Distances between all rows if metric="precomputed". A scan or a Dask collection is read into memory.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        """
        self._fit(X, y)
        return self

    @fits
    def partial_fit(self, X: Rows, y: Target = None, classes: Any = None) -> Self:
        """Add rows; the rows that are there keep their numbers.

        Parameters
        ----------
        X : array-like, frame, sparse matrix or scan of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs), or None with a scan, which brings its own
        classes : ignored
            Classes that appear later are added.
        """
        if not hasattr(self, "n_samples_fit_"):
            self._fit(X, y)
            return self
        self._no_graph("partial_fit")
        X, y = self._read(X, y, target=self._target_kind, reset=False)
        self._add_target(self._checked(X, y))
        self._keep(stack_rows(self._fit_X, X))
        return self

    @fits
    def forget(self, indices: Numbers) -> Self:
        """Forget rows; later rows move up.

        Parameters
        ----------
        indices : array-like of int, or a mask of shape (`n_samples_fit_`,)
        """
        self._no_graph("forget")
        keep = self._forgotten(indices)
        self._y = self._y[keep]
        self._keep(self._fit_X[keep])
        return self


class Classes(ClassifierMixin, Stored):
    """Rows with classes."""

    _target_kind = "classes"
    classes_: Any
    outputs_2d_: bool

    def _take_target(self, y: NDArray) -> None:
        if y.ndim == 2 and y.shape[1] == 1:
            warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for"
                " example using ravel().",
                DataConversionWarning,
            )
        self.outputs_2d_ = y.ndim == 2 and y.shape[1] > 1
        if arrays.is_tensor(y):
            refuse_continuous(y)
        elif y.ndim != 1 or not plainly_labels(y):
            check_classification_targets(y)
        pairs = [distinct_labels(column) for column in y.reshape(len(y), -1).T]
        self.classes_ = [classes for classes, _ in pairs] if self.outputs_2d_ else pairs[0][0]
        code = column_stack([code for _, code in pairs])
        self._y = code if self.outputs_2d_ else code[:, 0]

    def _add_target(self, y: NDArray) -> None:
        if arrays.is_tensor(y):
            refuse_continuous(y)
        else:
            check_classification_targets(y)
        known, code = self._labels(), self._codes()
        columns = y.reshape(len(y), -1)
        if columns.shape[1] != len(known):
            raise DataError(
                f"{type(self).__name__}.partial_fit: y has {columns.shape[1]} outputs, the rows kept have {len(known)}."
            )
        classes, codes = [], []
        for o, labels in enumerate(known):  # classes without rows stay
            union = np.union1d(labels, distinct_labels(columns[:, o])[0])
            before = arrays.like(code, np.searchsorted(union, labels), "int64")[code[:, o]]
            added = arrays.like(code, arrays.positions(union, columns[:, o])[0], "int64")
            classes.append(union)
            codes.append(arrays.stack_rows([before, added]))
        self.classes_ = classes if self.outputs_2d_ else classes[0]
        merged = column_stack(codes)
        self._y = merged if self.outputs_2d_ else merged[:, 0]

    def _labels(self) -> list[NDArray]:
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _codes(self) -> NDArray:
        return self._y.reshape(len(self._y), -1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class Values(RegressorMixin, Stored):
    """Rows with values."""

    def _take_target(self, y: NDArray) -> None:
        self._y = y if arrays.is_tensor(y) or y.dtype.kind in "fiub" else y.astype(np.float64)

    def _add_target(self, y: NDArray) -> None:
        if y.ndim != self._y.ndim or y.shape[1:] != self._y.shape[1:]:
            raise DataError(
                f"{type(self).__name__}.partial_fit: y has shape {y.shape}, the rows kept have targets of shape {self._y.shape}."
            )
        self._y = stack_rows(self._y, y)

    def _columns(self) -> NDArray:
        return self._y.reshape(len(self._y), -1)
