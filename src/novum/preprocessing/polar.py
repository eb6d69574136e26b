r"""Polar coordinates: distance and angles, in which circles and spheres about the origin are flat.

In the plane, and in d dimensions with y = x - origin:

    r = |y|,   theta = atan2(y_2, y_1)                                                             (1)
    r = |y|,   theta_i = atan2(|(y_{i+1}, ..., y_d)|, y_i) for i < d - 1,   theta_{d-1} = atan2(y_d, y_{d-1})    (2)
    y_i = r sin(theta_1) ... sin(theta_{i-1}) cos(theta_i),   y_d = r sin(theta_1) ... sin(theta_{d-1})          (3)
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Domain, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import TransformerMixin
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.typing import Numbers, Rows, Target

__all__ = ["PolarFeatures"]


def polar(origin: np.ndarray, block: Block) -> Any:
    """Return (2) for every row: radius, then angles."""
    y = arrays.center(block.X, origin)
    square = y * y
    columns, tail = [], 0.0
    for i in range(y.shape[1] - 1, -1, -1):  # from the last coordinate on, so that |(y_i, ..., y_d)| grows by one term
        if i < y.shape[1] - 1:
            rest = y[:, i + 1] if i == y.shape[1] - 2 else tail**0.5
            columns.append(rest.atan2(y[:, i]) if arrays.is_tensor(y) else np.arctan2(rest, y[:, i]))
        tail = tail + square[:, i]
    return arrange_columns(block, [tail**0.5, *columns[::-1]])


def cartesian(origin: np.ndarray, block: Block) -> Any:
    """Return (3) plus the origin for every row."""
    values = arrays.double(block.X)
    columns, length = [], values[:, 0]
    for i in range(1, values.shape[1]):
        angle = values[:, i]
        sine, cosine = (angle.sin(), angle.cos()) if arrays.is_tensor(angle) else (np.sin(angle), np.cos(angle))
        columns.append(origin[i - 1] + length * cosine)
        length = length * sine
    return arrange_columns(block, [*columns, origin[-1] + length])


def arrange_columns(block: Block, columns: list[Any]) -> Any:
    """Return columns side by side in the dtype of the block."""
    if arrays.is_tensor(block.X):
        return arrays.concat([column[:, None] for column in columns]).to(block.X.dtype)
    return np.column_stack(columns).astype(block.X.dtype, copy=False)


class PolarFeatures(TransformerMixin, Estimator):
    """Columns as a radius and angles.

    Parameters
    ----------
    origin : array-like of shape (n_features,), default=None
        The point that the radius is measured from; None: zero.

    Attributes
    ----------
    origin_ : array of shape (n_features,)

    Examples
    --------
    >>> from novum.preprocessing import PolarFeatures
    >>> PolarFeatures().fit_transform([[3.0, 4.0], [0.0, -2.0]]).round(4)
    array([[ 5.    ,  0.9273],
           [ 2.    , -1.5708]])
    """

    _domains: dict[str, Domain] = {"origin": ArrayLike() | Null()}
    origin_: np.ndarray

    def __init__(self, origin: Numbers | None = None) -> None:
        self.origin = origin

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Check that there are at least two columns; nothing is learned.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        """
        d = self._source(X).n_features
        if d < 2:
            raise DataError(
                f"PolarFeatures: X has 1 feature(s) (n_features = {d}), and a line has no angles. Give two columns or more."
            )
        origin = np.zeros(d) if self.origin is None else np.asarray(self.origin, dtype=np.float64)
        if origin.shape != (d,) or not np.isfinite(origin).all():
            raise ParameterError(
                f"PolarFeatures(origin={self.origin!r}) must be {d} finite numbers, one per column of X."
            )
        self.origin_ = origin
        return self

    def transform(self, X: Rows) -> Any:
        """Return radius and angles of every row: the last angle between -pi and pi, the others between 0 and pi."""
        check_is_fitted(self)
        return self._rows(X, polar, self.origin_)

    def inverse_transform(self, X: Rows) -> Any:
        """Return the points that have these radii and angles."""
        check_is_fitted(self)
        names = self.__dict__.pop("feature_names_in_", None)  # columns of radii and angles have other names
        try:
            return self._rows(X, cartesian, self.origin_)
        finally:
            if names is not None:
                self.feature_names_in_ = names

    def get_feature_names_out(self, input_features: Sequence[Any] | None = None) -> NDArray[Any]:
        """Return "radius" and "angle", or "angle1" and so on where there are several."""
        check_is_fitted(self)
        count = len(self.origin_) - 1
        return np.array(
            ["radius", *(["angle"] if count == 1 else [f"angle{i + 1}" for i in range(count)])], dtype=object
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
