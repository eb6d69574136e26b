r"""Search trees: rows halved along their widest column until a few vectors of them are left.

A node knows a region that holds its rows, a box [low, high] (`KDTree`) or a ball of radius r about c (`BallTree`). Under a norm,

    box    d(q, node) >= |max(low - q, 0, q - high)|                                               (1)
    ball   d(q, node) >= max(0, d(q, c) - r)                                                       (2)

so a branch farther away than the k-th neighbor found so far is left out. Queries are answered leaf by leaf, neighboring ones one
after the other. Metrics that are no norm of (changed) coordinates are answered by looking at all rows.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum.engines.search.kernels import KERNELS, log_norm
from novum.engines.search.metrics import TREE_METRICS
from novum.engines.search.tree import TreeIndex
from novum.exceptions import ParameterError
from novum.runtime.threads import thread_count
from novum.runtime.typing import Numbers, Rows

__all__ = ["BallTree", "KDTree", "SearchTree"]


class SearchTree(TreeIndex):
    """Questions to k-d trees and ball trees alike."""

    def _check_state(self) -> None:
        """Raise ValueError unless the tree has every row once, and nothing else but empty places; the compiled search checks its
        cuts.
        """
        n, places = len(self.data), np.sort(self._index, axis=None)
        if not np.array_equal(places[:n], np.arange(n)) or (places[n:] != np.iinfo(places.dtype).max).any():
            raise ValueError("it leads to a row that is not there")
        if n:
            self.nearest(np.zeros((1, self.data.shape[1])), 1, 1)

    def _queries(self, X: Any) -> tuple[NDArray, tuple[int, ...]]:
        X = check_array(X, dtype=[np.float64, np.float32], allow_nd=True, order="C", input_name="X")
        if X.shape[-1] != self.data.shape[1]:
            raise ParameterError(
                f"query data dimension must match training data dimension: {X.shape[-1]} and {self.data.shape[1]} columns."
            )
        return X.reshape(-1, X.shape[-1]), X.shape[:-1]

    def _radii(self, r: Any, shape: tuple[int, ...]) -> NDArray:
        r = np.asarray(r, dtype=np.float64)
        if r.ndim and r.shape != shape:
            raise ParameterError("r must be broadcastable to X.shape: give one radius, or one per query.")
        return np.ascontiguousarray(np.broadcast_to(r, shape).ravel())

    def query(
        self,
        X: Rows,
        k: int = 1,
        return_distance: bool = True,
        dualtree: bool = False,
        breadth_first: bool = False,
        sort_results: bool = True,
    ) -> Any:
        """Return the k nearest rows of every query.

        Parameters
        ----------
        X : array-like of shape (..., n_features)
        k : int, default=1
        return_distance : bool, default=True
        dualtree, breadth_first, sort_results : bool
            Accepted; there is one order of search, and results are always sorted.

        Returns
        -------
        distances : array of shape (..., k)
            Only if `return_distance`.
        indices : array of shape (..., k)
        """
        X, shape = self._queries(X)
        if k < 1 or k > len(self.data):
            raise ParameterError(
                f"k must be less than or equal to the number of training points ({len(self.data)}), got {k}."
            )
        distance, index = self.nearest(X, int(k), thread_count(None))
        distance, index = distance.reshape(*shape, k), index.reshape(*shape, k)
        return (distance, index) if return_distance else index

    def query_radius(
        self,
        X: Rows,
        r: float | Numbers,
        return_distance: bool = False,
        count_only: bool = False,
        sort_results: bool = False,
    ) -> Any:
        """Return the rows within a radius of every query.

        Parameters
        ----------
        X : array-like of shape (..., n_features)
        r : float, or array of one radius per query
        return_distance : bool, default=False
        count_only : bool, default=False
            Return numbers of rows instead.
        sort_results : bool, default=False
            Sort by distance, else by number of the row.

        Returns
        -------
        count : array of shape (...), if `count_only`
        indices : array of objects of shape (...), each an array of int
        distances : the same of float
            Only if `return_distance`.
        """
        if count_only and return_distance:
            raise ParameterError("count_only and return_distance cannot both be true")
        if sort_results and not return_distance:
            raise ParameterError("return_distance must be True if sort_results is True")
        X, shape = self._queries(X)
        radius, threads = self._radii(r, shape), thread_count(None)
        if count_only:
            return self.count(X, radius, threads).reshape(shape)
        found = self.within(X, radius, threads)
        found = found.sorted() if sort_results else found
        index = found.split(found.row).reshape(shape)
        return (index, found.split(found.distance).reshape(shape)) if return_distance else index

    def two_point_correlation(self, X: Rows, r: Any, dualtree: bool = False) -> Any:
        """Return, for every radius in r, the number of pairs of a query and a row at most that far apart."""
        X, _ = self._queries(X)
        threads = thread_count(None)
        radii = np.atleast_1d(np.asarray(r, dtype=np.float64))
        return np.array([self.count(X, np.full(len(X), radius), threads).sum() for radius in radii], dtype=np.int64)

    def kernel_density(
        self,
        X: Rows,
        h: float,
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
        atol: float = 0,
        rtol: float = 1e-8,
        breadth_first: bool = True,
        return_log: bool = False,
    ) -> Any:
        """Return the sum of kernels of width h about the rows, each of total mass one, at every query.

        Parameters
        ----------
        X : array-like of shape (..., n_features)
        h : float
            Bandwidth.
        kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        atol, rtol : float
            What the sum may be off; rtol lets far rows be left out sooner. Sums are never off by more.
        breadth_first : bool
            Accepted; there is one order of search.
        return_log : bool, default=False
            Return logarithms.

        Returns
        -------
        array of shape (...)
        """
        if kernel not in KERNELS:
            raise ParameterError(f"kernel = '{kernel}' not recognized: give one of {KERNELS}.")
        X, shape = self._queries(X)
        total, unit = self.kernel_totals(X, kernel, float(h), rtol, thread_count(None))
        with np.errstate(divide="ignore"):
            out = (np.log(total) + unit + log_norm(kernel, float(h), X.shape[1])).reshape(shape)
        return out if return_log else np.exp(out)

    @property
    def idx_array(self) -> NDArray:
        """Numbers of the rows in the order of the leaves."""
        if self._norm is None:
            return np.arange(len(self.data))
        return self._index.ravel()[: len(self.data)]

    def get_tree_stats(self) -> Any:
        """Return numbers of trims, leaves and splits; a tree of fixed leaves is never trimmed."""
        leaves = 1 if self._norm is None else len(self._cut)
        return (0, leaves, leaves - 1)


class KDTree(SearchTree):
    """Rows in a k-d tree: nested boxes, for up to about ten columns.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    leaf_size : int, default=40
        Most rows of a leaf. At most 16 are used: one leaf is two vectors of the widest kind.
    metric : str, default="minkowski"
        One of `KDTree.valid_metrics`, all norms.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in `kernel_density`.
    **kwargs
        Of the metric: p.

    Attributes
    ----------
    data : array of shape (n_samples, n_features)
    sample_weight : array of shape (n_samples,) or None
    sum_weight : float
    valid_metrics : list of str

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neighbors import KDTree
    >>> tree = KDTree(np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 3.0]]))
    >>> tree.query([[4.0, 0.0]], k=2)
    (array([[3., 3.]]), array([[1, 2]]))
    """

    data: np.ndarray
    sample_weight: np.ndarray | None
    sum_weight: float
    valid_metrics = TREE_METRICS["kd_tree"]


class BallTree(SearchTree):
    """Rows in a ball tree: nested balls, for metrics other than norms of the columns as they are, and for more columns.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    leaf_size : int, default=40
        Most rows of a leaf. At most 16 are used.
    metric : str or function, default="minkowski"
        One of `BallTree.valid_metrics`. Norms, also of scaled or turned columns (weighted Minkowski, standardized Euclidean,
        Mahalanobis), are searched by balls; all rows are looked at under every other metric.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the rows in `kernel_density`.
    **kwargs
        Of the metric: p, w, V, VI.

    Attributes
    ----------
    data, sample_weight, sum_weight, valid_metrics
        As in KDTree.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neighbors import BallTree
    >>> tree = BallTree(np.array([[0.0, 0.0], [1.0, 0.0], [4.0, 3.0]]), metric="manhattan")
    >>> tree.query_radius([[0.0, 1.0]], r=2.0)[0]
    array([0, 1])
    """

    valid_metrics = TREE_METRICS["ball_tree"]
    _ball = True
