r"""Search trees: rows halved along their widest column until a few vectors of them are left.

A node knows a region that holds its rows, a box [low, high] (`KDTree`) or a ball of radius r about c (`BallTree`). Under a norm,

    box    d(q, node) >= |max(low - q, 0, q - high)|                                               (1)
    ball   d(q, node) >= max(0, d(q, c) - r)                                                       (2)

so a branch farther away than the k-th neighbor found so far is left out. Queries are answered leaf by leaf, neighboring ones one
after the other. Metrics that are no norm of (changed) coordinates are answered by looking at all rows.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum import _core
from novum._pool import map_ordered
from novum._threads import thread_count
from novum.base.validation import check_weight
from novum.exceptions import ParameterError
from novum.neighbors._forms import TREE_METRICS, Form, form_of, named
from novum.neighbors._kernels import KERNELS, log_norm, tail_of
from novum.neighbors._search import Blocks, Lists, joined, lists_of, pieces

__all__ = ["BallTree", "KDTree", "SearchTree"]

MOST_CAPACITY = (
    16  # rows of a leaf: two vectors of AVX-512; larger leaves compute more distances, smaller ones wait more
)
MANY_ROWS = 1 << 14  # below, a tree is built before a second thread would help
VECTOR = 8  # rows of a leaf are a multiple of the widest vector
TREE_QUERIES = 1 << 14  # most queries of a block


class SearchTree:
    """What k-d trees and ball trees share."""

    valid_metrics: ClassVar[list[str]] = []
    _ball: ClassVar[bool] = False

    def __init__(self, X, leaf_size=40, metric="minkowski", sample_weight=None, **kwargs):
        X = check_array(X, dtype=[np.float64, np.float32], order="C", input_name="X", estimator=type(self).__name__)
        if not isinstance(leaf_size, int | np.integer) or leaf_size < 1:
            raise ParameterError("leaf_size must be greater than or equal to 1")
        if isinstance(metric, str) and metric not in self.valid_metrics:
            raise ParameterError(
                f"Unrecognized metric '{metric}': metric {metric} is not valid for {type(self).__name__}, which takes one of"
                f" {sorted(self.valid_metrics)}" + (" or a function." if self._ball else ".")
            )
        if callable(metric) and not self._ball:
            raise ParameterError(
                "metric PyFuncDistance is not valid for KDTree: a function has no boxes; use BallTree."
            )
        self.data, self.leaf_size, self.metric = X, int(leaf_size), metric
        if metric == "pyfunc":
            self.metric = kwargs.pop("func")
        self.metric_params = kwargs
        weight = check_weight(type(self).__name__, sample_weight, len(X))
        self.sample_weight = weight
        self.sum_weight = float(len(X)) if weight is None else float(weight.sum())
        form = form_of(self.metric, kwargs, X)
        if form is None and not self._ball:
            raise ParameterError(
                f"metric {metric} is not valid for KDTree: it is no norm and has no boxes; use BallTree."
            )
        if form is not None and form.p < 1:
            raise ParameterError(
                f"p must be greater or equal to one for a tree, got p={form.p:g}: below, the triangle inequality fails."
            )
        self._norm = None if form is None else form.p
        if form is not None:
            self._grow(form)

    def _grow(self, form: Form) -> None:
        n, d = self.data.shape
        capacity = min(MOST_CAPACITY, -(-self.leaf_size // VECTOR) * VECTOR)
        leaves = -(-n // capacity)
        self._change, self._squared = form.change, form.squared
        self._packed, self._index = np.empty((leaves, d, capacity)), np.empty((leaves, capacity), np.int64)
        self._bounds = np.zeros((2 * leaves, d + 1 if self._ball else 2 * d))
        self._cut, self._cut_column = np.zeros(leaves), np.zeros(leaves, np.int32)
        self._index.ravel()[:n] = np.arange(n)
        rows, threads = np.ascontiguousarray(form.changed(self.data)), thread_count(None)
        arrays = (self._packed, self._index, self._bounds, self._cut, self._cut_column, form.p, self._ball)
        parts = [(0, leaves)]
        while (
            threads > 1 and n > MANY_ROWS and len(parts) < 2 * threads
        ):  # the upper nodes here, what is below by threads
            for _ in map_ordered(lambda part: _core.neighbors.build(rows, *arrays, *part, False), parts, threads):
                pass
            parts = [half for a, b in parts for half in ((a, (a + b + 1) // 2), ((a + b + 1) // 2, b))]
        for _ in map_ordered(lambda part: _core.neighbors.build(rows, *arrays, *part, True), parts, threads):
            pass

    def _handle(self) -> Any:
        """Return the arrays as the core takes them; made for every search, as files and processes carry arrays only."""
        assert self._norm is not None
        n = len(self.data)
        return _core.neighbors.Tree(
            self._packed, self._index, self._bounds, self._cut, self._cut_column, n, self._norm, self._ball
        )

    @property
    def form(self) -> Form | None:
        """The norm that the tree searches by, or None if it looks at all rows."""
        return None if self._norm is None else Form(self._norm, self._change, self._squared)

    def _scan(self) -> Blocks:
        return Blocks(self.data, named(self.metric), self.metric_params)

    def _changed(self, X: NDArray) -> NDArray:
        assert self.form is not None
        return np.ascontiguousarray(self.form.changed(X), dtype=np.float64)

    def nearest(self, X: Any, k: int, threads: int, skip: NDArray | None = None) -> tuple[NDArray, NDArray]:
        """Return distances and numbers of the k nearest rows of every query, nearest first."""
        if (form := self.form) is None:
            return self._scan().nearest(X, k, threads)
        X, handle = self._changed(X), self._handle()
        distance, index = np.empty((len(X), k)), np.empty((len(X), k), np.int64)

        def work(part):
            handle.nearest(X[part], None if skip is None else skip[part], distance[part], index[part])

        for _ in map_ordered(work, pieces(len(X), threads, TREE_QUERIES, 64), threads):
            pass
        return form.back(distance), index

    def within(self, X: Any, radius: NDArray, threads: int) -> Lists:
        """Return the rows within the radius of every query, by number."""
        if (form := self.form) is None:
            return self._scan().within(X, radius, threads)
        X, handle = self._changed(X), self._handle()
        radius = np.ascontiguousarray(form.radius(radius))
        parts = map_ordered(
            lambda part: lists_of(handle.within(X[part], radius[part])),
            pieces(len(X), threads, TREE_QUERIES, 64),
            threads,
        )
        found = joined(list(parts))
        return found._replace(distance=form.back(found.distance))

    def count(self, X: Any, radius: NDArray, threads: int) -> NDArray:
        """Return how many rows lie within the radius of every query."""
        if (form := self.form) is None:
            return np.diff(self._scan().within(X, radius, threads).begin)
        X, handle, out = self._changed(X), self._handle(), np.empty(len(X), np.int64)
        radius = np.ascontiguousarray(form.radius(radius))
        parts = pieces(len(X), threads, TREE_QUERIES, 64)
        for _ in map_ordered(lambda part: handle.count(X[part], radius[part], out[part]), parts, threads):
            pass
        return out

    def placed(self, values: NDArray | None) -> NDArray | None:
        """Return one value per row in the order of the leaves, zero where there is no row."""
        if values is None:
            return None
        places = self._index.ravel()
        there = places < len(self.data)
        out = np.zeros((len(places), *values.shape[1:]))
        out[there] = values[places[there]]
        return out

    def sums(self, X: Any, kernel: str, width: float, threads: int, *, rtol=0.0, skip=None, weight=None, target=None):
        """Return sum_j w_j K(d_ij / width) without the row skip[i], the logarithm of its unit, and the sums of w_j K t_j.

        `weight` and `target` are in the order of the leaves (`placed`). Only for norms.
        """
        X, handle = self._changed(X), self._handle()
        total, unit = np.empty(len(X)), np.empty(len(X))
        moved = None if target is None else np.empty((len(X), target.shape[1]))
        tail = tail_of(len(self.data), rtol)

        def work(part):
            handle.kernel_sums(
                X[part],
                None if skip is None else skip[part],
                KERNELS.index(kernel),
                float(width),
                tail,
                weight,
                target,
                total[part],
                unit[part],
                None if moved is None else moved[part],
            )

        for _ in map_ordered(work, pieces(len(X), threads, TREE_QUERIES, 16), threads):
            pass
        return total, unit, moved

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

    def query(self, X, k=1, return_distance=True, dualtree=False, breadth_first=False, sort_results=True):
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

    def query_radius(self, X, r, return_distance=False, count_only=False, sort_results=False):
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

    def two_point_correlation(self, X, r, dualtree=False):
        """Return, for every radius in r, the number of pairs of a query and a row at most that far apart."""
        X, _ = self._queries(X)
        threads = thread_count(None)
        radii = np.atleast_1d(np.asarray(r, dtype=np.float64))
        return np.array([self.count(X, np.full(len(X), radius), threads).sum() for radius in radii], dtype=np.int64)

    def kernel_density(self, X, h, kernel="gaussian", atol=0, rtol=1e-8, breadth_first=True, return_log=False):
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

    def kernel_totals(self, X: NDArray, kernel: str, h: float, rtol: float, threads: int, skip: NDArray | None = None):
        """Return weighted sums of a kernel that is one at zero, and the logarithms of their units, under any metric."""
        if self.form is not None and not self.form.squared:
            weight = self.placed(self.sample_weight)
            return self.sums(X, kernel, h, threads, rtol=rtol, skip=skip, weight=weight)[:2]
        from novum.neighbors._kernels import dense_totals

        parts = map_ordered(
            lambda part: dense_totals(
                self._scan().between(X[part]), kernel, h, self.sample_weight, None if skip is None else skip[part]
            ),
            pieces(len(X), 1, max(1, (1 << 20) // len(self.data))),
            1,
        )
        total, unit = zip(*parts)
        return np.concatenate(total), np.concatenate(unit)

    @property
    def idx_array(self) -> NDArray:
        """Numbers of the rows in the order of the leaves."""
        if self._norm is None:
            return np.arange(len(self.data))
        return self._index.ravel()[: len(self.data)]

    def get_tree_stats(self):
        """Return numbers of trims, leaves and splits; a tree of fixed leaves is never trimmed."""
        leaves = 1 if self._norm is None else len(self._cut)
        return (0, leaves, leaves - 1)

    def __getstate__(self):
        return self.__dict__.copy()


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
    idx_array : array of shape (n_samples,)
        Rows in the order of the leaves.
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
    data, idx_array, sample_weight, sum_weight, valid_metrics
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
