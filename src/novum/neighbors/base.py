"""What all neighbor estimators share: rows kept as they are, an index over them, rows added and forgotten.

Which index: a tree looks at a number of leaves that grows with the columns as 2^d and hardly with the rows, a scan at all rows.
Measured on uniform rows, a k-d tree is the faster from about n = 2^(d + 6) rows on.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
import sklearn.neighbors
from numpy.typing import NDArray
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import sort_graph_by_row_values
from sklearn.utils import check_array

from novum.base import validation
from novum.base.domains import Choice, Domain, Function, Instance, Int, Null, Real
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.large_numbers import check_size
from novum.base.sklearn_base import MultiOutputMixin
from novum.base.sparse_matrices import check_structure
from novum.engines.search.index import Blocks, Index, Precomputed, Scan
from novum.engines.search.metrics import VALID_METRICS, VALID_METRICS_SPARSE, form_of, usual_name
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.fold.gathering import all_rows
from novum.neighbors.device_rows import device_index, only_arrays, refuse_metric
from novum.neighbors.trees import BallTree, KDTree, SearchTree
from novum.runtime import arrays, devices
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn

__all__ = [
    "COMMON_DOMAINS",
    "NeighborsBase",
    "Ready",
    "answer_rows",
    "read_rows",
]

LARGEST = 1e153  # squares of differences of larger numbers overflow

TREE_DOUBLINGS = 6  # a tree is chosen from 2^(columns + this) rows on
GRAPHS = ("csr", "csc", "coo", "lil")  # sparse formats that tell a distance of zero from none

COMMON_DOMAINS: dict[str, Domain] = {
    "algorithm": Choice("auto", "ball_tree", "kd_tree", "brute"),
    "leaf_size": Int(1),
    "p": Real(0, np.inf, open="low") | Null(),
    "metric": Choice(*sorted({name for names in VALID_METRICS.values() for name in names}))
    | Function()
    | Instance(DistanceMetric),
    "metric_params": Instance(dict) | Null(),
    "n_jobs": Int() | Null(),
}


SKLEARN_TREES = (sklearn.neighbors.KDTree, sklearn.neighbors.BallTree)  # their rows are taken, not their order


class Ready(NamedTuple):
    """An index and what each of its rows says, for a block of queries."""

    search: Index
    settings: Any


def read_rows(estimator: Any, X: Any, y: Any, *, target: str | None, reset: bool = True) -> tuple[Any, Any]:
    """Return rows (an array, or CSR) in memory after every check, and their target: unchecked if X is in memory already."""
    if isinstance(X, SKLEARN_TREES):
        X = np.asarray(X.data)
    if validation.home_of(X) == "memory":
        source = validation.open_source(estimator, X, n_jobs=estimator.n_jobs, reset=reset)
        check_size(estimator, source, LARGEST)
        return source.array(), y
    source = validation.open_source(estimator, X, y, target=target, n_jobs=estimator.n_jobs, reset=reset)
    rows, values, _ = all_rows(source, type(estimator).__name__)
    return rows, values


def answer_rows(estimator: Any, X: Any, function: Any, params: Any) -> Any:
    """Return `function(params, threads, rows)` of new rows: of all at once in memory, else block by block where they live."""
    check_is_fitted(estimator)
    n_jobs = getattr(estimator, "n_jobs", None)
    source = validation.open_rows(estimator, X, n_jobs=n_jobs)
    if source.at_hand:
        return function(params, thread_count(n_jobs), source.array())
    return estimator._rows(X, InBlocks(function), params)


def checked_graph(X: Any) -> Any:
    """Return a matrix of distances: dense, or sparse with the entries of each row sorted; raise if one is negative."""
    if not scipy.sparse.issparse(X):
        return check_array(X, ensure_non_negative=True, input_name="X")
    if X.format not in GRAPHS:
        raise TypeError(f"Sparse matrix in {X.format!r} format is not supported due to its handling of explicit zeros")
    check_structure(X, "the precomputed distances")
    copied = X.format != "csr"
    X = check_array(X, accept_sparse="csr", ensure_non_negative=True, input_name="precomputed distance matrix")
    return sort_graph_by_row_values(X, copy=not copied, warn_when_not_sorted=True)


class NeighborsBase(MultiOutputMixin, Estimator):
    """Base of all neighbor estimators."""

    algorithm: Any
    leaf_size: Any
    metric: Any
    metric_params: Any
    p: Any
    n_jobs: Any
    _tree: SearchTree | None
    _fit_X: Any
    _fit_method: str
    effective_metric_: Any
    effective_metric_params_: dict[Any, Any]
    n_samples_fit_: int

    def _read(self, X: Any, y: Any = None, *, target: str | None = None, reset: bool = True) -> tuple[Any, Any]:
        """Return rows (an array, or CSR) and target in memory, after every check; those on a device stay there."""
        if arrays.is_tensor(X) and not devices.on_host(X):
            source: Any = validation.open_source(self, X, y, n_jobs=self.n_jobs, reset=reset)
            return source.X, source.y
        if self._is_precomputed():
            X = checked_graph(X)
            if X.shape[0] != X.shape[1]:
                raise DataError(f"Precomputed matrix must be square. Input is a {X.shape[0]}x{X.shape[1]} matrix.")
        return read_rows(self, X, y, target=target, reset=reset)

    def _is_precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _settle_metric(self) -> None:
        """Record the metric that is meant, after scikit-learn's rules, or raise."""
        if isinstance(self.metric, str):
            kind = self.algorithm
            if kind == "auto":
                kind = "ball_tree" if self.metric in VALID_METRICS["ball_tree"] else "brute"
            if self.metric not in VALID_METRICS[kind]:
                raise ParameterError(
                    f"Metric '{self.metric}' not valid. Use sorted(sklearn.neighbors.VALID_METRICS['{kind}']) to get valid options."
                    f" Metric can also be a callable function. {type(self).__name__} has algorithm={self.algorithm!r}; 'brute'"
                    " takes every metric."
                )
        elif self.algorithm == "kd_tree" and not isinstance(self.metric, DistanceMetric):
            raise ParameterError(
                f"kd_tree does not support callable metric '{self.metric}'. Function call overhead will result in very poor"
                " performance. Use algorithm='ball_tree' or 'brute'."
            )
        params = {} if self.metric_params is None else dict(self.metric_params)
        if "p" in params and self.p is not None:
            warn(
                "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                SyntaxWarning,
            )
        metric = self.metric
        if isinstance(metric, str) and metric == "minkowski":
            p, w = params.pop("p", self.p), params.pop("w", None)
            p = 2 if p is None else p
            simple = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"} if w is None else {}
            metric = simple.get(p, "minkowski")
            if metric == "minkowski":
                params.update(p=p, w=w)
        self.effective_metric_, self.effective_metric_params_ = metric, params

    def _keep(self, X: Any) -> None:
        """Keep the rows and build the index over them."""
        self.n_samples_fit_ = X.shape[0]
        self._fit_X = X
        metric, params = self.effective_metric_, self.effective_metric_params_
        self._cached = None
        self._tree = None
        self.__dict__.pop("_moved", None)
        if arrays.is_tensor(X):
            self._fit_method = "brute"
            if device_index(self, X) is None:
                raise refuse_metric(self)
            return
        if scipy.sparse.issparse(X):
            if self.algorithm not in ("auto", "brute"):
                warn("cannot use tree with sparse input: using brute force")
            plain = (
                isinstance(metric, str) and metric not in VALID_METRICS_SPARSE["brute"] and not self._is_precomputed()
            )
            if plain:
                raise ParameterError(
                    f"Metric '{metric}' not valid for sparse input. Use sorted(sklearn.neighbors.VALID_METRICS_SPARSE['brute']) to"
                    " get valid options. Metric can also be a callable function."
                )
            self._fit_method = "brute"
            self._cached = self._scanned()
            return
        semi = metric == "minkowski" and params["p"] < 1 if isinstance(metric, str) else False
        self._fit_method = self._chosen(X, semi) if self.algorithm == "auto" else self.algorithm
        if semi and self._fit_method == "brute":
            warn(
                "Mind that for 0 < p < 1, Minkowski metrics are not distance metrics. Continuing the execution with"
                " `algorithm='brute'`.",
            )
        elif semi:
            raise ParameterError(
                f'algorithm="{self._fit_method}" does not support 0 < p < 1 for the Minkowski metric. To resolve this problem'
                ' either set p >= 1 or algorithm="brute".'
            )
        if self._fit_method == "kd_tree" and metric == "minkowski" and params.get("w") is not None:
            raise ParameterError(
                "algorithm='kd_tree' is not valid for metric='minkowski' with a weight parameter 'w': try algorithm='ball_tree' or"
                " algorithm='brute' instead."
            )
        if self._fit_method != "brute":
            tree = KDTree if self._fit_method == "kd_tree" else BallTree
            self._tree = tree(X, int(self.leaf_size), metric=metric, **params)
        else:
            self._cached = self._scanned()

    def _adopt(self, other: Any) -> None:
        """Take over the rows and the index of a tree or an estimator."""
        self._settle_metric()
        if isinstance(other, SearchTree):
            self._fit_X, self._tree = other.data, other
            self._fit_method = "kd_tree" if isinstance(other, KDTree) else "ball_tree"
        else:
            check_is_fitted(other)
            self._fit_X, self._tree, self._fit_method = other._fit_X, other._tree, other._fit_method
        there = arrays.is_tensor(self._fit_X)
        self.__dict__.pop("_moved", None)
        self._cached = self._scanned() if self._tree is None and not there else None
        self.n_samples_fit_, self.n_features_in_ = self._fit_X.shape

    def _chosen(self, X: NDArray, semi: bool) -> str:
        """Return the cheapest index for the rows and the metric."""
        metric = self.effective_metric_
        if not isinstance(metric, str) or self._is_precomputed() or semi:
            return "brute"
        n, d = X.shape
        n_neighbors = getattr(self, "n_neighbors", None) or 0
        if n < 2 ** (d + TREE_DOUBLINGS) or n_neighbors >= n // 2:
            return "brute"
        if metric in VALID_METRICS["kd_tree"] and self.effective_metric_params_.get("w") is None:
            return "kd_tree"
        norm = metric in ("minkowski", "seuclidean", "mahalanobis")
        return "ball_tree" if norm else "brute"

    def _index(self, X: Any = None) -> Any:
        """Return the index over the rows that are kept now, where the queries are (`_queries`); None: where the rows are."""
        if arrays.is_tensor(self._fit_X if X is None else X):
            return device_index(self, self._fit_X if X is None else X)
        if self._tree is not None:
            return self._tree
        if self._cached is None:  # after a copy or a file, which carry the rows alone
            self._cached = self._scanned()
        return self._cached

    def _scanned(self) -> Any:
        """Return an index that looks at all rows, in memory."""
        if self._is_precomputed():
            return Precomputed()
        metric, params, rows = self.effective_metric_, self.effective_metric_params_, self._fit_X
        rows = arrays.to_numpy(rows) if arrays.is_tensor(rows) else rows
        form = None if scipy.sparse.issparse(rows) else form_of(metric, params, rows)
        return Blocks(rows, usual_name(metric), params) if form is None else Scan(rows, form)

    def _threads(self) -> int:
        return thread_count(self.n_jobs)

    def _queries(self, X: Any) -> Any:
        """Return new rows after every check: an array, CSR, a tensor whose device has an index; None if they live elsewhere."""
        if arrays.is_tensor(X) and not devices.on_host(X):
            if device_index(self, X) is None:
                return None
            there: Any = validation.open_rows(self, X)
            return there.X
        if self._is_precomputed():
            X = checked_graph(X)
        source = validation.open_rows(self, X, n_jobs=self.n_jobs)
        if not source.at_hand:
            return None
        if scipy.sparse.issparse(X) and self._is_precomputed():
            return X  # sorted by distance: checks for rows would sort by number
        rows = source.array()
        if scipy.sparse.issparse(rows) and self._fit_method != "brute":
            raise DataError(
                f"{self._fit_method} does not work with sparse matrices. Densify the data, or set algorithm='brute'"
            )
        if scipy.sparse.issparse(self._fit_X) and not scipy.sparse.issparse(rows) and not self._is_precomputed():
            return scipy.sparse.csr_array(rows)
        return rows.toarray() if scipy.sparse.issparse(rows) and not scipy.sparse.issparse(self._fit_X) else rows

    def _per_row(self, X: Any, function: Any, settings: Any) -> Any:
        """Return `function(settings with the index, threads, rows, own)` for every query, in the home of X; None: of every row."""
        check_is_fitted(self)
        if X is None:
            return function(Ready(self._index(), settings), self._threads(), self._fit_X, True)
        rows = self._queries(X)
        if rows is not None:
            return function(Ready(self._index(rows), settings), self._threads(), rows, False)
        # A row that is kept has a neighbor within every radius: itself.
        example = None if scipy.sparse.issparse(self._fit_X) else arrays.to_numpy(self._fit_X[:1])
        return self._rows(X, InBlocks(function, False, example=example), Ready(self._index(example), settings))

    def _forgotten(self, indices: Any) -> Any:
        """Return which rows remain without some; raise if none would, or if one does not exist."""
        keep = np.ones(self.n_samples_fit_, dtype=bool)
        try:
            keep[np.asarray(indices)] = False
        except IndexError as error:
            raise DataError(
                f"{type(self).__name__}.forget: indices must be rows 0 to {self.n_samples_fit_ - 1}, or a mask of them: {error}."
            ) from error
        if not keep.any():
            raise DataError(f"{type(self).__name__}.forget: at least one row must remain of {self.n_samples_fit_}.")
        return arrays.like(self._fit_X, keep, "bool")

    def _no_graph(self, what: str) -> None:
        check_is_fitted(self)
        if self._is_precomputed():
            raise DataError(
                f"{type(self).__name__}.{what} needs rows, not distances: metric='precomputed' has to be fitted anew."
            )

    def __getstate__(self) -> dict[str, Any]:
        return only_arrays(super().__getstate__())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self._is_precomputed()
        tags.input_tags.positive_only = self._is_precomputed()
        tags.input_tags.allow_nan = isinstance(self.metric, str) and self.metric == "nan_euclidean"
        return tags


class InBlocks:
    """A function of rows as the engine calls it, block by block, for queries outside of memory; `example` is a row it knows."""

    def __init__(self, function: Any, *rest: Any, example: NDArray | None = None) -> None:
        self.function, self.rest, self.example = function, rest, example

    def __call__(self, params: Any, block: Block) -> Any:
        X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
        return self.function(params, 1, X, *self.rest)
