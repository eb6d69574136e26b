r"""Sparse Gaussian process regression: m inducing points sum up any number of rows.

The bound and its gradient stand in `inducing`. A value of the bound takes one pass over the rows, its gradient one more; memory
does not depend on their number.
"""

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.base.device_forms import is_elsewhere
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Instance, Int, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.intervals import IntervalPrediction, check_interval, normal_interval, tensor_interval
from novum.base.large_numbers import too_large
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.base.validation import home_of
from novum.distributions import Normal
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block, Source
from novum.gaussian_process.device_sparse import mean_there, posterior_there, std_there
from novum.gaussian_process.hyperparameters import maximize, warn_at_bounds
from novum.gaussian_process.inducing import bound_of, objective_of, setting_of, summaries_of
from novum.gaussian_process.placement import placed_points, sample_size, sampled
from novum.gaussian_process.sparse_posterior import SparsePosterior, mean_block, std_block
from novum.gaussian_process.training import SEARCH_DOMAINS, compares_vectors, start_kernel, warn_of_jitter
from novum.kernels import White
from novum.kernels.choice import looks_numeric
from novum.runtime import arrays
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Rows, Seed, Target

__all__ = ["SparseGaussianProcessRegressor"]

FIRST_STEP = 0.05  # in log parameters, from those that a first search found
LEAST_GAIN = 0.1  # of the bound, in a step of the search that follows a first one: far less than what the data can tell
MANY_SAMPLES = 4  # samples of rows in the data, from which on a search begins with one of them
SHARPEST = 1e-9  # relative difference of k(x, x) and diag(x) that betrays white noise
Array = NDArray[np.float64]


class TargetSums(NamedTuple):
    """Sums of targets."""

    rows: int
    total: Array  # (q,)
    squares: Array  # (q,)


def target_sums(shift: Array | None, block: Block) -> TargetSums:
    """Return sums of the targets of a block, about a shift."""
    y = np.asarray(arrays.to_numpy(block.y), np.float64).reshape(block.rows, -1)
    about = y if shift is None else y - shift
    return TargetSums(block.rows, about.sum(axis=0), (about**2).sum(axis=0))


class SparseGaussianProcessRegressor(DeviceAttributes, MultiOutputMixin, RegressorMixin, Estimator):
    """Gaussian process regression through inducing points, for any number of rows in any home.

    Parameters
    ----------
    kernel : Kernel, default=None
        Of the function alone: noise has its own parameter. Default `1.0 * RBF(1.0)`, learned.
    n_inducing : int, default=100
        Inducing points; as many as there are rows make the process exact.
    inducing : {"cluster", "random", "variance"} or array of shape (n_inducing, n_features), default="cluster"
        Centers of clusters of a sample of the rows, rows drawn evenly, the rows of a sample that leave the least variance of the
        process unexplained, or the points themselves. "variance" follows the kernel: points are chosen again when its
        parameters are known, and columns that do not matter are not covered; the better choice where there are such columns.
        Points are not moved by the optimizer.
    noise_level : float, default=1.0
        Variance of the noise to start from.
    noise_level_bounds : pair of floats or "fixed", default=(1e-6, 1e5)
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        As in GaussianProcessRegressor. A value with its gradient takes two passes over the rows. Where there are many,
        "fmin_l_bfgs_b" begins with a sample of them (20 per inducing point, at least 10,000) and goes on with all rows from
        what that found.
    n_restarts_optimizer : int, default=0
        Further starts, drawn between the bounds; of the search on the sample, where there is one.
    normalize_y : bool, default=False
        Whether targets are given mean 0 and variance 1 before, and predictions scaled back.
    random_state : None, int, Generator, RandomState or SeedSequence, default=None
        For inducing points and restarts.

    Attributes
    ----------
    kernel_ : Kernel
        With the hyper-parameters that were found.
    noise_level_ : float
        Variance of the noise (of normalized targets, with normalize_y).
    inducing_points_ : array of shape (n_inducing, n_features)
    lower_bound_ : float
        On the log marginal likelihood.
    jitter_ : float
        What was added to the diagonal of the inducing points' covariance: 1e-10 of its mean, more where they nearly coincide.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.gaussian_process import SparseGaussianProcessRegressor
    >>> from novum.kernels import RBF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, (2000, 1))
    >>> y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(2000)
    >>> model = SparseGaussianProcessRegressor(1.0 * RBF(1.0), n_inducing=15, random_state=0).fit(X, y)
    >>> float(np.sqrt(model.noise_level_).round(2)), model.predict([[np.pi / 2]]).round(1)
    (0.1, array([1.]))
    """

    _domains: dict[str, Domain] = {
        **SEARCH_DOMAINS,
        "n_inducing": Int(1),
        "inducing": Choice("cluster", "random", "variance") | ArrayLike(1),
        "noise_level": Real(0, open="low"),
        "noise_level_bounds": Choice("fixed") | ArrayLike(2) | Instance(tuple),
        "normalize_y": Bool(),
    }
    _squares_columns = True
    _squares_rows = True
    kernel_: Any
    noise_level_: float
    inducing_points_: np.ndarray
    lower_bound_: float
    jitter_: float

    def __init__(
        self,
        kernel: str | Callable[..., Any] | None = None,
        *,
        n_inducing: int = 100,
        inducing: Literal["cluster", "random", "variance"] | Numbers = "cluster",
        noise_level: float = 1.0,
        noise_level_bounds: Numbers | str = (1e-6, 1e5),
        optimizer: Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.n_inducing = n_inducing
        self.inducing = inducing
        self.noise_level = noise_level
        self.noise_level_bounds = noise_level_bounds
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> "SparseGaussianProcessRegressor":
        """Find hyper-parameters and posterior, in passes over the rows.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets); a scan brings its own

        Returns
        -------
        self
        """
        if not isinstance(self.noise_level_bounds, str):
            pair = np.asarray(self.noise_level_bounds, dtype=np.float64)
            if pair.shape != (2,) or not 0 < pair[0] <= pair[1]:
                raise ParameterError(
                    f"SparseGaussianProcessRegressor: noise_level_bounds={self.noise_level_bounds!r} must be two positive numbers,"
                    ' the lower first, or "fixed".'
                )
        if not compares_vectors(self.kernel) and home_of(X) == "memory" and not looks_numeric(X):
            raise DataError(
                f"SparseGaussianProcessRegressor(kernel={self.kernel}): inducing points are vectors, and X holds things that only"
                " the kernel understands. Use GaussianProcessRegressor, with subset_size where there are many."
            )
        source = self._source(X, y, target="numeric")
        search = start_kernel(self.kernel) + White(float(self.noise_level), self.noise_level_bounds)
        points = self._points_of(source, search.k1 if self.optimizer is None or not search.n_dims else None)
        self._refuse_white(search.k1, points)
        rows, offset, scale = self._normalization(source)
        noise = float(self.noise_level)
        if self.optimizer is not None and search.n_dims > 0:
            points = self._search(search, source, rows, points, offset, scale)
            noise = float(search.k2.noise_level)
        try:
            setting = setting_of(search.k1, points, offset, scale)
            sums = summaries_of(setting, source)
            bound = bound_of(sums, noise)
        except np.linalg.LinAlgError as error:
            raise DataError(
                f"SparseGaussianProcessRegressor: the kernel {search.k1} gives no covariance of the inducing points; is it valid"
                " (kernel.is_psd())?"
            ) from error
        if not np.isfinite(bound.value):
            raise too_large(type(self).__name__, "y", float(np.sqrt(sums.yy)))
        self.kernel_, self.noise_level_, self.inducing_points_ = search.k1, noise, points
        self.lower_bound_, self.jitter_ = bound.value, setting.lower.jitter
        self._lower, self._inner, self._c = setting.lower.lower, bound.inner.lower, bound.c
        self._y_train_mean, self._y_train_std = offset, scale
        warn_of_jitter(type(self).__name__, self.jitter_, float(np.mean(np.asarray(self.kernel_.diag(points)))))
        return self

    def _points_of(self, source: Source, kernel: Any) -> Array:
        """Return the inducing points; a kernel is None as long as its parameters are to be learned."""
        if isinstance(self.inducing, str):
            return placed_points(source, self.inducing, self.n_inducing, kernel, seed_of(self.random_state))
        points = np.ascontiguousarray(self.inducing, np.float64)
        if points.ndim != 2 or points.shape[1] != source.n_features:
            raise ParameterError(
                f"SparseGaussianProcessRegressor: inducing has shape {points.shape}; it must be (n_inducing,"
                f" {source.n_features}), as X has {source.n_features} columns."
            )
        return points

    def _search(self, search: Any, source: Source, rows: int, points: Array, offset: Array, scale: Array) -> Array:
        """Set theta of `search` to where the bound is greatest; return the inducing points, which may follow the kernel."""
        owner, restarts = type(self).__name__, self.n_restarts_optimizer
        near: dict[str, float] = {}
        follows = isinstance(self.inducing, str) and self.inducing == "variance"
        enough = sample_size(len(points))
        begins = rows > MANY_SAMPLES * enough and not callable(self.optimizer)
        if begins or follows:
            few = sampled(source, enough / rows, seed_of(self.random_state)) if begins else source
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConverged)  # it is only a start
                objective = objective_of(search, few, points, offset, scale)
                first = maximize(owner, objective, search, self.optimizer, restarts, self.random_state)
            search.theta, restarts = first.theta, 0
            expected = abs(float(first.value)) * (rows / enough if begins else 1.0)
            near = {"tolerance": LEAST_GAIN / max(1.0, expected), "reach": FIRST_STEP}
            points = self._points_of(source, search.k1) if follows else points
        objective = objective_of(search, source, points, offset, scale)
        search.theta = maximize(owner, objective, search, self.optimizer, restarts, self.random_state, **near).theta
        warn_at_bounds(search)
        return points

    def _normalization(self, source: Source) -> tuple[int, Array, Array]:
        """Return the number of rows, and mean and standard deviation of the targets, or 0 and 1."""
        first = source.without_features().total(target_sums)
        mean = first.total / first.rows
        if not self.normalize_y:
            return first.rows, np.zeros(len(mean)), np.ones(len(mean))
        deviation = np.sqrt(source.without_features().total(target_sums, mean).squares / first.rows)
        flat = deviation <= 10 * np.finfo(float).eps * np.maximum(np.abs(mean), deviation)
        return first.rows, mean, np.where(flat, 1.0, deviation)

    def _refuse_white(self, kernel: Any, points: Array) -> None:
        alone, with_itself = float(kernel.diag(points[:1])[0]), float(kernel(points[:1], points[:1].copy())[0, 0])
        if abs(alone - with_itself) > SHARPEST * abs(alone):
            raise ParameterError(
                f"SparseGaussianProcessRegressor(kernel={kernel}): the kernel holds white noise, which has a parameter of its own"
                " here; leave WhiteKernel out and give noise_level."
            )

    def _posterior(self) -> SparsePosterior:
        check_is_fitted(self, "inducing_points_")
        return SparsePosterior(
            self.kernel_,
            self.inducing_points_,
            self._lower,
            self._inner,
            self._c,
            self._y_train_mean,
            self._y_train_std,
        )

    def predict(
        self,
        X: Rows,
        return_std: bool = False,
        *,
        interval: str | None = None,
        level: float = 0.95,
    ) -> Any:
        """Return the mean at new points.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return standard deviations of the function; for rows in memory. `predict_distribution` adds the noise.
        interval : {None, "confidence", "prediction"}, default=None
            "confidence": for the function at x; "prediction": for a new target at x, its noise included. For rows in memory.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        mean : array of shape (n_samples,) or (n_samples, n_targets)
        std : array of the same shape, only with return_std
        with an interval: IntervalPrediction(value, lower, upper)
        """
        if interval is not None:
            owner = "SparseGaussianProcessRegressor.predict"
            check_interval(owner, interval, level, std=return_std)
            if is_elsewhere(X):
                return self._interval_there(X, interval, level)
            if interval == "prediction":
                found = self.predict_distribution(X)
                return normal_interval(owner, found.mean, np.sqrt(found.var), level)
            mean, std = self.predict(X, return_std=True)
            return normal_interval(owner, mean, std, level)
        if is_elsewhere(X):
            at = posterior_there(self, X)
            both = self._rows(X, std_there if return_std else mean_there, at)
        else:
            at = self._posterior()
            both = self._rows(X, std_block if return_std else mean_block, at)
        if not return_std:
            return both
        if not hasattr(both, "shape") or hasattr(both, "dask"):
            raise DataError(
                "SparseGaussianProcessRegressor.predict: return_std=True takes rows in memory; give batches of them."
            )
        q = at.c.shape[1]
        return (both[:, 0], both[:, 1]) if q == 1 else (both[:, :q], both[:, q:])

    def _interval_there(self, X: Any, interval: str, level: float) -> IntervalPrediction:
        """Return an interval for rows on a device, there."""
        mean, std = self.predict(X, return_std=True)
        scale = arrays.like(mean, self._y_train_std)
        noise = self.noise_level_ * (scale if mean.ndim == 2 else scale[0]).square()
        return tensor_interval(mean, (std.square() + noise).sqrt() if interval == "prediction" else std, level)

    def predict_distribution(self, X: Rows) -> Normal:
        """Return the distribution of a new target at every point, its noise included: a batch of `novum.distributions.Normal`."""
        if is_elsewhere(X):
            raise DataError(
                "SparseGaussianProcessRegressor.predict_distribution: distributions are arrays, and X is on a device; give"
                " X.cpu(), or ask predict(X, return_std=True)."
            )
        mean, std = self.predict(X, return_std=True)
        scale = self._y_train_std if np.ndim(mean) == 2 else self._y_train_std[0]
        variance = np.asarray(arrays.to_numpy(std), np.float64) ** 2 + self.noise_level_ * scale**2
        return Normal(np.asarray(arrays.to_numpy(mean), np.float64), variance)
