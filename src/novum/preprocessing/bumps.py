r"""Fixed basis functions of one variable, side by side along each column.

    Gaussian   phi_i(x) = exp(-(x - mu_i)^2 / (2 s^2))                                             (1)
    sigmoid    phi_i(x) = 1 / (1 + exp((mu_i - x) / s))                                            (2)

Every column of X gets its own row of bumps or steps. The centers mu_i of a column are given, or spread evenly from its
least to its largest value; the width s is given, or the distance between neighboring centers. A model that is linear in
phi is smooth in x, and local: a bump knows only what is near.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import ArrayLike, Bool, Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import TransformerMixin
from novum.exceptions import ParameterError
from novum.fold.blocks import Block
from novum.runtime import arrays
from novum.runtime.sklearn_private import feature_names_in
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["GaussianBasis", "SigmoidBasis"]


class Range(NamedTuple):
    """The least and the largest value of every column."""

    low: np.ndarray  # (d,)
    high: np.ndarray  # (d,)


class Bumps(NamedTuple):
    """Parameters of (1) or (2)."""

    centers: np.ndarray  # (d, m)
    width: np.ndarray  # (d, 1)
    bias: bool


def range_of(_: Any, block: Block) -> Range:
    """Return the range of one block, leaving out rows without weight."""
    X = arrays.double(block.X)
    if block.weight is not None:
        X = X[block.weight > 0]
    if X.shape[0] == 0:
        return Range(np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf))
    if arrays.is_tensor(X):
        return Range(arrays.to_numpy(X.amin(0)), arrays.to_numpy(X.amax(0)))
    return Range(X.min(axis=0), X.max(axis=0))


def wider(a: Range, b: Range) -> Range:
    """Return the range of both."""
    return Range(np.minimum(a.low, b.low), np.maximum(a.high, b.high))


def evenly(values: Range, m: int) -> np.ndarray:
    """Return m centers per column from its least to its largest value; one center stands in the middle."""
    share = np.full(1, 0.5) if m == 1 else np.arange(m) / (m - 1)
    return values.low[:, None] + (values.high - values.low)[:, None] * share


def spacing(centers: np.ndarray, values: Range) -> np.ndarray:
    """Return the mean distance of neighboring centers of every column; the range of the column where there is one center."""
    m = centers.shape[1]
    step = (centers.max(axis=1) - centers.min(axis=1)) / (m - 1) if m > 1 else values.high - values.low
    return np.where(step > 0, step, 1.0)  # a constant column: any width will do


def gaussian(params: Bumps, block: Block) -> Any:
    """Return (1) for every row."""
    return arrange_columns(params, block, lambda z: arrays.exp(-0.5 * z * z))


def sigmoid(params: Bumps, block: Block) -> Any:
    """Return (2) for every row, without overflow far from a center."""

    def step(z: Any) -> Any:
        small = arrays.exp(-abs(z))
        return (z >= 0) / (1 + small) + (z < 0) * small / (1 + small)

    return arrange_columns(params, block, step)


def arrange_columns(params: Bumps, block: Block, function: Any) -> Any:
    """Return `function((x - mu)/s)`, the columns of one variable after those of another, in the dtype of the block."""
    X = arrays.double(block.X)
    centers, width = arrays.like(X, params.centers), arrays.like(X, params.width)
    values = function((X[:, :, None] - centers) / width).reshape(X.shape[0], -1)  # (rows, d m)
    values = values.to(block.X.dtype) if arrays.is_tensor(X) else values.astype(block.X.dtype, copy=False)
    if params.bias:
        values = arrays.concat([arrays.like(block.X, np.ones((X.shape[0], 1))), values])
    return values


class _Basis(TransformerMixin, Estimator):
    """What both have in common: `_function` is (1) or (2), `_letter` begins the name of a column."""

    _function: Any
    _letter: str
    _domains: dict[str, Domain] = {
        "centers": Int(1) | ArrayLike(),
        "width": Real(0, open="low") | Null(),
        "include_bias": Bool(),
    }
    centers_: np.ndarray
    width_: np.ndarray

    def __init__(
        self,
        centers: int | Sequence[float] | np.ndarray = 10,
        *,
        width: float | None = None,
        include_bias: bool = False,
    ) -> None:
        self.centers = centers
        self.width = width
        self.include_bias = include_bias

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Place the centers.

        sample_weight: rows of weight zero do not widen the range.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, None, sample_weight)
        values = source.total(range_of, None, wider)
        self.centers_ = self._placed(values)
        width = spacing(self.centers_, values) if self.width is None else np.full(len(self.centers_), float(self.width))
        self.width_ = width.astype(np.float64)
        return self

    def _placed(self, values: Range) -> np.ndarray:
        """Return the centers of every column."""
        d, owner = len(values.low), type(self).__name__
        if isinstance(self.centers, int | np.integer):
            return evenly(values, int(self.centers))
        given = np.asarray(self.centers, dtype=np.float64)
        if given.ndim == 1:
            given = np.tile(given, (d, 1))
        if given.ndim != 2 or given.shape[0] != d or given.shape[1] == 0 or not np.isfinite(given).all():
            raise ParameterError(
                f"{owner}(centers=...) has the shape {np.shape(self.centers)}; give a number of centers, a list of finite"
                f" centers for all columns, or one row of them for each of the {d} columns."
            )
        return given

    def transform(self, X: Rows) -> Any:
        """Return the basis functions of every row, one column each."""
        check_is_fitted(self)
        return self._rows(X, type(self)._function, Bumps(self.centers_, self.width_[:, None], self.include_bias))

    def get_feature_names_out(self, input_features: Sequence[Any] | None = None) -> NDArray[Any]:
        """Return the names of the columns: the letter, the variable and the center."""
        check_is_fitted(self)
        names = feature_names_in(self, input_features)
        made = [f"{self._letter}({name}-{mu:.4g})" for name, row in zip(names, self.centers_) for mu in row]
        return np.array([*(["1"] if self.include_bias else []), *made], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class GaussianBasis(_Basis):
    """Gaussian bumps along every column.

    Parameters
    ----------
    centers : int or array-like of shape (n_centers,) or (n_features, n_centers), default=10
        How many centers every column gets, evenly from its least to its largest value; or the centers.
    width : float, default=None
        Standard deviation of a bump; None: the distance between neighboring centers.
    include_bias : bool, default=False
        Whether to begin with a column of ones.

    Attributes
    ----------
    centers_ : array of shape (n_features, n_centers)
    width_ : array of shape (n_features,)

    Examples
    --------
    >>> from novum.preprocessing import GaussianBasis
    >>> GaussianBasis([0.0, 1.0], width=1.0).fit_transform([[0.0], [1.0], [3.0]]).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ],
           [0.0111, 0.1353]])
    """

    _function = staticmethod(gaussian)
    _letter = "g"


class SigmoidBasis(_Basis):
    """Logistic steps along every column.

    Parameters
    ----------
    centers : int or array-like of shape (n_centers,) or (n_features, n_centers), default=10
        How many centers every column gets, evenly from its least to its largest value; or the centers, where a step is 1/2.
    width : float, default=None
        A step rises from .27 to .73 within one width to either side; None: the distance between neighboring centers.
    include_bias : bool, default=False
        As in GaussianBasis.

    Attributes
    ----------
    centers_, width_
        As in GaussianBasis.

    Examples
    --------
    >>> from novum.preprocessing import SigmoidBasis
    >>> SigmoidBasis([0.0], width=0.5).fit_transform([[0.0], [1.0]]).round(4)
    array([[0.5   ],
           [0.8808]])
    """

    _function = staticmethod(sigmoid)
    _letter = "s"
