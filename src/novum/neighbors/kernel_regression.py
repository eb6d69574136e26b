r"""Kernel regression (Nadaraya and Watson): a mean of all targets, weighted by a kernel of the distance.

    y(x) = sum_i w_i K(d(x, x_i) / h) y_i / sum_i w_i K(d(x, x_i) / h)                             (1)

It is the conditional mean under a Parzen density of (x, y) whose window has mean zero in y. The width is chosen by the squared
error of leaving one out,

    L(h) = sum_i w_i (y_i - y_-i(x_i))^2                                                           (2)

with y_-i from (1) without one row i; where nothing else is near, y_-i is the mean of all targets.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base import validation
from novum.base.device_forms import is_elsewhere
from novum.base.domains import Choice, Domain, Instance, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.engines.search.kernels import KERNELS
from novum.fold.homes.memory import ArrayTiles
from novum.neighbors.bandwidth import best_width, mean_deviation
from novum.neighbors.base import answer_rows, read_rows
from novum.neighbors.device_sums import smooth_there
from novum.neighbors.trees import BallTree, KDTree, SearchTree
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.threads import thread_count
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["NadarayaWatson"]

METRICS = ("chebyshev", "euclidean", "mahalanobis", "manhattan", "minkowski", "seuclidean")


class Smooth(NamedTuple):
    """A tree of rows, their targets and the kernel."""

    tree: SearchTree
    weight: NDArray | None  # in the order of the leaves
    target: NDArray  # (places, outputs), in the order of the leaves
    kernel: str
    width: float
    flat: bool


def smooth_queries(params: Smooth, threads: int, X: NDArray) -> NDArray:
    """Return (1) for every query, NaN where all kernels are zero."""
    total, _, moved = params.tree.sums(
        X, params.kernel, params.width, threads, weight=params.weight, target=params.target
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (moved / total[:, None]).astype(X.dtype, copy=False)
    return value[:, 0] if params.flat else value


def left_out(params: Smooth, threads: int, y: NDArray) -> NDArray:
    """Return y_-i(x_i) for every row: y (n, outputs) in the order of the rows."""
    tree = params.tree
    X = tree.data
    total, unit, moved = tree.sums(
        X, params.kernel, params.width, threads, skip=np.arange(len(X)), weight=params.weight, target=params.target
    )
    extra = np.zeros(len(X)) if tree.sample_weight is None else np.maximum(tree.sample_weight - 1, 0)
    top = np.maximum(unit, np.where(extra > 0, 0.0, -np.inf))
    top = np.where(np.isfinite(top), top, 0.0)
    others, own = np.exp(unit - top), extra * np.exp(-np.maximum(top, 0.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        return (moved * others[:, None] + own[:, None] * y) / (total * others + own)[:, None]


class NadarayaWatson(DeviceAttributes, RegressorMixin, MultiOutputMixin, Estimator):
    """Mean of all targets, weighted by a kernel of the distance.

    Parameters
    ----------
    bandwidth : float or "leave_one_out", default="leave_one_out"
        Width of the kernel; by default the one of least squared error (2), for which all pairs of rows are compared at every
        width that is tried: seconds for some thousands of rows. Give a number for more, or choose it on a sample.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        Shape of the weights.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "seuclidean", "mahalanobis"}, default="euclidean"
        Distance between rows.
    metric_params : dict, default=None
        Further parameters of the metric, such as p, w, V or VI.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.

    Attributes
    ----------
    bandwidth_ : float
    bandwidths_ : array
        Widths that "leave_one_out" tried.
    losses_ : array
        (2) of each of them.
    tree_ : KDTree or BallTree
        The rows; those of weight zero are left out.

    Examples
    --------
    >>> from novum.neighbors import NadarayaWatson
    >>> NadarayaWatson(bandwidth=0.5).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 2.0]).predict([[1.5]]).round(4)
    array([2.4864])
    """

    _domains: dict[str, Domain] = {
        "bandwidth": Real(0, open="low") | Choice("leave_one_out"),
        "kernel": Choice(*KERNELS),
        "metric": Choice(*METRICS),
        "metric_params": Instance(dict) | Null(),
        "n_jobs": Int() | Null(),
    }
    bandwidth_: float
    bandwidths_: np.ndarray
    losses_: np.ndarray
    tree_: KDTree | BallTree

    def __init__(
        self,
        *,
        bandwidth: float | Literal["leave_one_out"] = "leave_one_out",
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
        metric: Literal["chebyshev", "euclidean", "mahalanobis", "manhattan", "minkowski", "seuclidean"] = "euclidean",
        metric_params: Mapping[Any, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Keep the rows and choose the width.

        A scan is read into memory.
        sample_weight: a row of weight w counts as w rows.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        X, y = read_rows(self, X, y, target="numeric")
        y = validation.check_target(self, ArrayTiles(X), y, "numeric")
        weight = validation.check_weight(self, sample_weight, len(X))
        if weight is not None:
            X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0]
        kind = KDTree if self.metric in KDTree.valid_metrics else BallTree
        self.tree_ = kind(X, metric=self.metric, sample_weight=weight, **(self.metric_params or {}))
        self._y = np.asarray(y, dtype=np.float64)
        if self.bandwidth == "leave_one_out":
            columns = self._y.reshape(len(y), -1)
            mean = np.average(columns, axis=0, weights=weight)
            threads = thread_count(self.n_jobs)

            def loss(width: float) -> float:
                found = left_out(self._smooth(width), threads, columns)
                square = (columns - np.where(np.isfinite(found), found, mean)) ** 2
                return float(np.sum(square if weight is None else square * weight[:, None]))

            self.bandwidth_, self.bandwidths_, self.losses_ = best_width(loss, mean_deviation(self.tree_.data, weight))
        else:
            self.bandwidth_ = float(self.bandwidth)
        return self

    def _smooth(self, width: float) -> Smooth:
        target = self.tree_.placed(self._y.reshape(len(self._y), -1))
        assert target is not None
        weight = self.tree_.placed(self.tree_.sample_weight)
        return Smooth(self.tree_, weight, target, self.kernel, float(width), self._y.ndim == 1)

    def predict(self, X: Rows) -> Any:
        """Return (1) for every query, NaN (and a warning) where all kernels are zero.

            y(x) = sum_i w_i K(d(x, x_i) / h) y_i / sum_i w_i K(d(x, x_i) / h)    (1)

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_queries, n_features)

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        check_is_fitted(self)
        if is_elsewhere(X):
            value = smooth_there(self, X)
            missing = bool(value.isnan().any())
        else:
            value = answer_rows(self, X, smooth_queries, self._smooth(self.bandwidth_))
            missing = isinstance(value, np.ndarray) and bool(np.isnan(value).any())
        if missing:
            warn(
                f"NadarayaWatson: no row lies within the {self.kernel} kernel of width {self.bandwidth_:g} of some queries;"
                " predicting NaN there. Take a larger bandwidth, or kernel='gaussian'.",
                UserWarning,
            )
        return value

    def leave_one_out_predict(self) -> Any:
        """Return the prediction of every row from the others, NaN where nothing else is near."""
        check_is_fitted(self)
        found = left_out(self._smooth(self.bandwidth_), thread_count(self.n_jobs), self._y.reshape(len(self._y), -1))
        return found.reshape(self._y.shape)
