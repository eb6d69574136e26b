r"""Kernel density: a bump of mass one about every row (Parzen windows).

    p(x) = 1/W sum_i w_i K(d(x, x_i) / h) / c(h),   W = sum w_i,  c(h) the integral of K           (1)
    leave-one-out likelihood   L(h) = sum_i w_i log p_-i(x_i)                                      (2)

p_-i is (1) without one row i. A narrow h follows the sample, a wide one blurs the density; (2) weighs the two.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.device_forms import is_elsewhere
from novum.base.domains import Bool, Choice, Domain, Instance, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.validation import check_weight
from novum.engines.search.kernels import KERNELS, log_norm
from novum.engines.search.metrics import VALID_METRICS
from novum.exceptions import DataError, ParameterError
from novum.neighbors.bandwidth import best_width, mean_deviation, rule_of_thumb
from novum.neighbors.base import answer_rows, read_rows
from novum.neighbors.device_sums import density_there
from novum.neighbors.trees import BallTree, KDTree, SearchTree
from novum.report.style import series
from novum.runtime import arrays
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.random import seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Rows, RowWeights, Seed, Target

__all__ = ["KernelDensity"]


class Bumps(NamedTuple):
    """A tree of rows, a kernel and its width."""

    tree: SearchTree
    kernel: str
    width: float
    rtol: float


def log_density(params: Bumps, threads: int, X: NDArray) -> NDArray:
    """Return the logarithm of (1) for every query."""
    tree = params.tree
    total, unit = tree.kernel_totals(X, params.kernel, params.width, params.rtol, threads)
    with np.errstate(divide="ignore"):
        value = np.log(total) + unit + log_norm(params.kernel, params.width, X.shape[1]) - np.log(tree.sum_weight)
    return value.astype(X.dtype, copy=False)


def leave_one_out(params: Bumps, threads: int) -> NDArray:
    """Return log p_-i(x_i) for every row, see (2)."""
    tree, X = params.tree, params.tree.data
    total, unit = tree.kernel_totals(X, params.kernel, params.width, params.rtol, threads, np.arange(len(X)))
    with np.errstate(divide="ignore"):
        others = np.log(total) + unit
        weight = tree.sample_weight
        if weight is not None:
            others = np.logaddexp(others, np.log(np.maximum(weight - 1, 0)))
    return others + log_norm(params.kernel, params.width, X.shape[1]) - np.log(max(tree.sum_weight - 1, 1))


def radii(kernel: str, n: int, d: int, rng: np.random.Generator) -> NDArray:
    """Return n distances, in units of the width, as drawn from a kernel in d columns: density K(r) r^(d-1)."""
    if kernel == "gaussian":
        return np.sqrt(rng.chisquare(d, n))
    if kernel == "exponential":
        return rng.gamma(d, size=n)
    if kernel == "tophat":
        return rng.uniform(size=n) ** (1 / d)
    if kernel == "epanechnikov":
        return np.sqrt(rng.beta(d / 2, 2, n))
    found = rng.beta(d, 2, n)
    open_places = np.arange(n) if kernel == "cosine" else np.zeros(0, int)
    while len(open_places):  # cos(pi r / 2) <= pi / 2 (1 - r): two draws in three or more are accepted
        drawn = rng.beta(d, 2, len(open_places))
        found[open_places] = drawn
        share = np.cos(np.pi / 2 * drawn) / (np.pi / 2 * np.maximum(1 - drawn, np.finfo(float).tiny))
        open_places = open_places[rng.uniform(size=len(drawn)) > share]
    return found


class KernelDensity(DeviceAttributes, Estimator):
    """Density as a sum of kernels about the rows.

    Parameters
    ----------
    bandwidth : float or {"scott", "silverman", "leave_one_out"}, default=1.0
        Width of the kernels: a number, a rule of the numbers of rows and columns (for columns of unit variance), or the width that
        makes every row most likely given the others. The last compares all pairs of rows for every width that it tries.
    algorithm : {"kd_tree", "ball_tree", "auto"}, default="auto"
        Search tree.
    kernel : {"gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"}, default="gaussian"
        Shape of the bump.
    metric : str or function, default="euclidean"
        A metric of `KDTree` or `BallTree`. Densities integrate to one under the Euclidean one only.
    atol : float, default=0
        What a density may be off. Sums are exact to rounding, so any value is kept.
    rtol : float, default=0
        What a density may be off, relatively; larger values leave far rows out sooner.
    breadth_first : bool, default=True
        Accepted; there is one order of search.
    leaf_size : int, default=40
        Most rows of a leaf; at most 16 are used.
    metric_params : dict, default=None
        Further parameters of the metric.

    Attributes
    ----------
    bandwidth_ : float
    bandwidths_ : array
        Widths that "leave_one_out" tried.
    log_likelihoods_ : array
        (2) of each of them.
    tree_ : KDTree or BallTree
        The rows; those of weight zero are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.neighbors import KernelDensity
    >>> model = KernelDensity(bandwidth=0.5).fit([[0.0], [1.0], [2.0]])
    >>> np.exp(model.score_samples([[1.0]])).round(4)
    array([0.3379])
    """

    _domains: dict[str, Domain] = {
        "bandwidth": Real(0, open="low") | Choice("scott", "silverman", "leave_one_out"),
        "algorithm": Choice("kd_tree", "ball_tree", "auto"),
        "kernel": Choice(*KERNELS),
        "metric": Choice(*sorted({*VALID_METRICS["kd_tree"], *VALID_METRICS["ball_tree"]})),
        "atol": Real(0),
        "rtol": Real(0),
        "breadth_first": Bool(),
        "leaf_size": Int(1),
        "metric_params": Instance(dict) | Null(),
    }
    n_jobs = None
    _squares_rows = True
    bandwidth_: float
    bandwidths_: np.ndarray
    log_likelihoods_: np.ndarray
    tree_: KDTree | BallTree

    def __init__(
        self,
        *,
        bandwidth: float | Literal["scott", "silverman", "leave_one_out"] = 1.0,
        algorithm: Literal["kd_tree", "ball_tree", "auto"] = "auto",
        kernel: Literal["gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine"] = "gaussian",
        metric: Literal[
            "braycurtis",
            "canberra",
            "chebyshev",
            "cityblock",
            "dice",
            "euclidean",
            "hamming",
            "haversine",
            "infinity",
            "jaccard",
            "l1",
            "l2",
            "mahalanobis",
            "manhattan",
            "minkowski",
            "p",
            "pyfunc",
            "rogerstanimoto",
            "russellrao",
            "seuclidean",
            "sokalmichener",
            "sokalsneath",
        ] = "euclidean",
        atol: float = 0,
        rtol: float = 0,
        breadth_first: bool = True,
        leaf_size: int = 40,
        metric_params: Mapping[Any, Any] | None = None,
    ) -> None:
        self.bandwidth = bandwidth
        self.algorithm = algorithm
        self.kernel = kernel
        self.metric = metric
        self.atol = atol
        self.rtol = rtol
        self.breadth_first = breadth_first
        self.leaf_size = leaf_size
        self.metric_params = metric_params

    def _tree_class(self) -> type[KDTree] | type[BallTree]:
        if self.algorithm == "auto":
            return KDTree if self.metric in KDTree.valid_metrics else BallTree
        chosen = KDTree if self.algorithm == "kd_tree" else BallTree
        if self.metric not in chosen.valid_metrics:
            raise ParameterError(
                f"invalid metric for {chosen}: '{self.metric}'. Give KernelDensity algorithm='auto', or another metric."
            )
        return chosen

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Keep the rows and choose the width.

        A scan is read into memory.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        chosen = self._tree_class()
        X, _ = read_rows(self, X, None, target=None)
        weight = check_weight(self, sample_weight, len(X))
        if weight is not None:
            X, weight = X[weight > 0], weight[weight > 0]
        self.tree_ = chosen(
            X, int(self.leaf_size), metric=self.metric, sample_weight=weight, **(self.metric_params or {})
        )
        if self.bandwidth == "leave_one_out":
            if len(X) < 2:
                raise DataError("KernelDensity(bandwidth='leave_one_out'): a single row has no others; give a number.")
            threads = thread_count(None)
            mass = np.ones(len(X)) if weight is None else weight

            def loss(width: float) -> float:
                each = leave_one_out(Bumps(self.tree_, self.kernel, width, self.rtol), threads)
                return -float(mass @ each) if np.isfinite(each).all() else np.inf

            self.bandwidth_, self.bandwidths_, losses = best_width(loss, mean_deviation(X, weight))
            self.log_likelihoods_ = -losses
        elif isinstance(self.bandwidth, str):
            self.bandwidth_ = rule_of_thumb(self.bandwidth, *X.shape)
        else:
            self.bandwidth_ = float(self.bandwidth)
        return self

    def _bumps(self) -> Bumps:
        check_is_fitted(self)
        return Bumps(self.tree_, self.kernel, self.bandwidth_, self.rtol)

    def score_samples(self, X: Rows) -> Any:
        """Return log p(x) of every query, see (1).

            p(x) = 1/W sum_i w_i K(d(x, x_i) / h) / c(h),   W = sum w_i,  c(h) the integral of K    (1)

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        if is_elsewhere(X):
            check_is_fitted(self)
            return density_there(self, X)
        return answer_rows(self, X, log_density, self._bumps())

    def score(self, X: Rows, y: Target = None) -> float:
        """Return the sum of log p(x) over the queries."""
        found = self.score_samples(X)
        return float(found.double().sum() if arrays.is_tensor(found) else np.sum(found, dtype=np.float64))

    def leave_one_out_score_samples(self) -> Any:
        """Return log p_-i(x_i) of every row, see (2).

        leave-one-out likelihood   L(h) = sum_i w_i log p_-i(x_i)    (2)
        """
        return leave_one_out(self._bumps(), thread_count(None))

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Any:
        """Draw from the density, whatever the kernel.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, Generator, RandomState or None, default=None

        Returns
        -------
        array of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        rng = np.random.default_rng(seed_of(random_state))
        data, weight = self.tree_.data, self.tree_.sample_weight
        mass = np.arange(1.0, len(data) + 1) if weight is None else np.cumsum(weight)
        # by the share of the mass below: then rows repeated and rows weighted give the same draws
        row = np.minimum(np.searchsorted(mass, rng.uniform(size=n_samples) * mass[-1], side="right"), len(data) - 1)
        direction = rng.normal(size=(n_samples, data.shape[1]))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        length = radii(self.kernel, n_samples, data.shape[1], rng)
        return data[row] + self.bandwidth_ * length[:, None] * direction

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the density of one column as a curve, of two as filled contours, with the rows."""
        from novum.neighbors.plots import plot_density

        return plot_density(self, ax)

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        ax = self._picture_of_model(ax)
        ax.scatter(
            rows[:, 0], rows[:, 1] if rows.shape[1] == 2 else 0 * rows[:, 0], s=12, color=series(ax, 1), zorder=3
        )
        return ax
