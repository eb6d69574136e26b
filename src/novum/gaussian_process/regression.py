r"""Gaussian process regression: a prior over functions, and what is left of it when some of their values are known.

    f ~ GP(0, k),   y = f(x) + noise,   noise ~ N(0, alpha)

The formulas stand in `evidence` (marginal likelihood, its gradient, leave-one-out) and `posterior` (predictions), factors of
covariance matrices in `covariance`, the search for hyper-parameters in `hyperparameters`; derivations in
docs/theory/gaussian_processes.md.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novum.base.candidacy import Candidacy
from novum.base.domains import ArrayLike, Bool, Choice, Domain, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.exceptions import DataError, ParameterError
from novum.gaussian_process.covariance import Factor, append, factorize, large_blas, solve
from novum.gaussian_process.evidence import covariance, evidence_at, log_evidence
from novum.gaussian_process.hyperparameters import search
from novum.gaussian_process.kernels import RBF, Matern, WhiteKernel
from novum.gaussian_process.predictions import ProcessPredictions
from novum.gaussian_process.subset import choose_rows, rows_of
from novum.gaussian_process.training import (
    SEARCH_DOMAINS,
    new_points,
    noise_of,
    normalization,
    read_training,
    start_kernel,
    warn_of_jitter,
)
from novum.runtime import arrays
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.typing import Numbers, Rows, Seed, Target

__all__ = ["GaussianProcessRegressor"]

NOT_COVARIANCE = (
    "The kernel, {kernel}, is not returning a positive definite matrix. Try gradually increasing the 'alpha' parameter of your"
    " {owner} estimator. No jitter up to a hundredth of the variances made it one: is the kernel valid (kernel.is_psd())?"
)
Array = NDArray[np.float64]


class GaussianProcessRegressor(ProcessPredictions, DeviceAttributes, MultiOutputMixin, RegressorMixin, Estimator):
    """Gaussian process regression.

    A drop-in for scikit-learn's class that also reports its jitter, predicts each training point from the others, takes new
    points without a new fit, and can choose the rows it learns from. Kernels of `novum.kernels` are compiled, and no derivative of
    a covariance matrix is stored; those of scikit-learn work too.

    `fit` maximizes the log marginal likelihood by L-BFGS from the kernel's own hyper-parameters and from `n_restarts_optimizer`
    further starts; every value with its gradient is one Gram matrix, one Cholesky factor and one inverse. Then it factors
    the covariance at the best once more.

    Parameters
    ----------
    kernel : Kernel, default=None
        Of `novum.kernels` (or `novum.gaussian_process.kernels`, the same objects under scikit-learn's names). Default
        `1.0 * RBF(1.0)`, learned.
    alpha : float or array of shape (n_samples,), default=1e-10
        Variance of the noise, the same for all points or of each; added to the diagonal.
    optimizer : "fmin_l_bfgs_b", callable or None, default="fmin_l_bfgs_b"
        How hyper-parameters are found; None keeps those of the kernel. A callable is given `(objective, start, bounds=)` and
        returns theta and the least value; `objective(theta, eval_gradient=True)` is minus the log marginal likelihood.
    n_restarts_optimizer : int, default=0
        Further starts, drawn between the bounds.
    normalize_y : bool, default=False
        Whether targets are given mean 0 and variance 1 before, and predictions scaled back.
    copy_X_train : bool, default=True
        Whether a copy of the training points is kept.
    n_targets : int, default=None
        Number of outputs, for predictions from the prior.
    subset_size : int, default=None
        Learn from so many rows only; all by default.
    subset_by : {"random", "cluster"}, default="random"
        Which: drawn evenly, or the row nearest to the center of each of `subset_size` clusters.
    random_state : None, int, Generator, RandomState or SeedSequence, default=None
        For restarts and the subset.

    Attributes
    ----------
    kernel_ : Kernel
        With the hyper-parameters that were found.
    X_train_, y_train_ : arrays
        What was learned from; targets normalized if requested.
    L_ : array of shape (n, n)
        Lower Cholesky factor of the covariance of the training targets.
    alpha_ : array of shape (n,) or (n, n_targets)
        That covariance's inverse times the targets.
    log_marginal_likelihood_value_ : float
    jitter_ : float
        What had to be added to the diagonal in addition to `alpha` for a factor to exist; 0 usually.
    subset_ : array of int or None
        The rows that were learned from, where `subset_size` is given.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.gaussian_process import GaussianProcessRegressor
    >>> from novum.kernels import RBF
    >>> X, y = np.array([[-1.0], [0.0], [1.0]]), np.array([0.5, 1.0, 0.2])
    >>> model = GaussianProcessRegressor(RBF(1.0), alpha=0.01, optimizer=None).fit(X, y)
    >>> mean, std = model.predict([[0.5]], return_std=True)
    >>> mean.round(6), (std**2).round(6)  # of the function; predict_distribution adds the noise
    (array([0.689612]), array([0.02502]))
    >>> float(round(model.log_marginal_likelihood_value_, 6))
    -2.928667
    """

    _candidacy = Candidacy(
        rank=7,
        settings={"kernel": 1.0 * RBF(3.0) + WhiteKernel(0.1), "normalize_y": True},
        search=({"kernel": 1.0 * Matern(3.0, nu=1.5) + WhiteKernel(0.1)},),
        scaled=True,
        most_rows=1_000,
    )
    _domains: dict[str, Domain] = {
        **SEARCH_DOMAINS,
        "alpha": Real(0) | ArrayLike(),
        "normalize_y": Bool(),
        "copy_X_train": Bool(),
        "n_targets": Int(1) | Null(),
        "subset_size": Int(1) | Null(),
        "subset_by": Choice("random", "cluster"),
    }
    _fits_need_single_blas = False
    _squares_columns = True
    _squares_rows = True
    kernel_: Any
    X_train_: Any  # rows, or a list of what else a kernel compares
    y_train_: np.ndarray
    L_: np.ndarray
    alpha_: np.ndarray
    log_marginal_likelihood_value_: float
    jitter_: float
    subset_: np.ndarray | None

    def __init__(
        self,
        kernel: str | Callable[..., Any] | None = None,
        *,
        alpha: float | Numbers = 1e-10,
        optimizer: Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        normalize_y: bool = False,
        copy_X_train: bool = True,
        n_targets: int | None = None,
        subset_size: int | None = None,
        subset_by: Literal["random", "cluster"] = "random",
        random_state: Seed = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.normalize_y = normalize_y
        self.copy_X_train = copy_X_train
        self.n_targets = n_targets
        self.subset_size = subset_size
        self.subset_by = subset_by
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None) -> "GaussianProcessRegressor":
        """Find the hyper-parameters and the posterior.

        Parameters
        ----------
        X : array-like, frame or tensor of shape (n_samples, n_features), or list of objects of the kernel
            A tensor on a device stays there, with the work.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)

        Returns
        -------
        self
        """
        points, target = read_training(self, X, y, "numeric")
        target = target if arrays.is_tensor(target) else np.array(target, dtype=np.float64)
        seen = target.shape[1] if target.ndim == 2 else 1
        if self.n_targets is not None and seen != self.n_targets:
            raise ParameterError(
                "The number of targets seen in `y` is different from the parameter `n_targets`. Got"
                f" {seen} != {self.n_targets}. GaussianProcessRegressor: leave n_targets=None, or give as many columns of y."
            )
        noise = noise_of(self.alpha, len(target))
        self.subset_ = None
        if self.subset_size is not None and self.subset_size < len(target):
            self.subset_ = choose_rows(points, self.subset_size, self.subset_by, self.random_state)
            points, target, noise = (rows_of(part, self.subset_) for part in (points, target, noise))
        mean, deviation = normalization(target) if self.normalize_y else (np.zeros(seen), np.ones(seen))
        if self.normalize_y:
            target = (target - arrays.like(target, mean)) / arrays.like(target, deviation)
        self._y_train_mean, self._y_train_std = mean, deviation
        self.kernel_, self._noise = start_kernel(self.kernel), noise
        if arrays.is_tensor(points):
            self._fit_there(points, target)
            return self
        self._forget_device()
        self.X_train_, self.y_train_ = points, target
        with large_blas(len(target)):  # once: a step of the search is too short to set and restore the threads of BLAS
            self.log_marginal_likelihood_value_ = search(self, self._objective)
            self._condition_on(self._factor(self.kernel_))
        return self

    def _fit_there(self, points: Any, target: Any) -> None:
        """Find the hyper-parameters and the posterior where the points are."""
        from novum.gaussian_process.tensors import TensorProcess

        process = TensorProcess(points, arrays.as_matrix(target), self._noise)
        self.log_marginal_likelihood_value_ = search(self, process.objective(self.kernel_))
        lower, weights, self.jitter_, usual = process.condition(self.kernel_)
        self._keep_on_device(X_train_=points, y_train_=target, L_=lower, alpha_=weights.reshape(target.shape))
        warn_of_jitter(type(self).__name__, self.jitter_, usual)

    def _objective(self, theta: Array, eval_gradient: bool) -> Any:
        """Return the log marginal likelihood at theta, and its gradient; the fitted kernel takes theta."""
        self.kernel_.theta = theta
        return self._evidence(self.kernel_, eval_gradient)

    def _evidence(self, kernel: Any, gradient: bool) -> Any:
        if there := vars(self).get("_there"):
            from novum.gaussian_process.tensors import TensorProcess

            process = TensorProcess(there["X_train_"], arrays.as_matrix(there["y_train_"]), self._noise)
            return process.objective(kernel)(kernel.theta, gradient)
        try:
            found = log_evidence(
                kernel, self.X_train_, self.y_train_.reshape(len(self.y_train_), -1), self._noise, gradient
            )
        except np.linalg.LinAlgError:
            return (-np.inf, np.zeros(kernel.n_dims)) if gradient else -np.inf
        return (found.value, found.gradient) if gradient else found.value

    def _factor(self, kernel: Any) -> Factor:
        try:
            return factorize(covariance(kernel, self.X_train_, self._noise))
        except np.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(NOT_COVARIANCE.format(kernel=kernel, owner=type(self).__name__)) from error

    def _condition_on(self, factor: Factor) -> None:
        """Set what predictions need."""
        self.L_, self.jitter_ = np.tril(factor.lower), factor.jitter
        target = self.y_train_.reshape(len(self.y_train_), -1)
        self.alpha_ = solve(factor, target).reshape(self.y_train_.shape)
        usual = float(np.mean((self.L_**2).sum(axis=1)))
        warn_of_jitter(type(self).__name__, factor.jitter, usual)

    def log_marginal_likelihood(
        self, theta: Numbers | None = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """Return the log marginal likelihood of the training data at `theta`, and its gradient if requested.

        Parameters
        ----------
        theta : array-like of shape (n_dims,), default=None
            Logarithms of the hyper-parameters; None for those that were found.
        eval_gradient : bool, default=False
        clone_kernel : bool, default=True
            Whether `kernel_` stays as it is.

        Returns
        -------
        value : float
        gradient : array of shape (n_dims,), only with eval_gradient
        """
        check_is_fitted(self, "kernel_")
        if theta is None:
            if eval_gradient:
                raise ParameterError("Gradient can only be evaluated for theta!=None")
            return self.log_marginal_likelihood_value_
        kernel = self.kernel_.clone_with_theta(np.asarray(theta, float)) if clone_kernel else self.kernel_
        kernel.theta = np.asarray(theta, float)
        return self._evidence(kernel, eval_gradient)

    @fits
    def update(self, X: Rows, y: Target, alpha: float | Numbers | None = None) -> "GaussianProcessRegressor":
        """Add points to a fitted process: its factor grows by their rows, hyper-parameters and normalization stay.

        n^2 operations for a point instead of n^3.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features), or list of objects
        y : array-like of shape (n_new,) or (n_new, n_targets)
        alpha : float or array of shape (n_new,), default=None
            Noise of the new points; that of the fit by default, where it is one number.

        Returns
        -------
        self
        """
        check_is_fitted(self, "kernel_")
        rows = new_points(self, X)
        self._keep_in_memory()
        k = rows.shape[0] if hasattr(rows, "shape") else len(rows)
        target = np.asarray(y, dtype=np.float64)
        if target.shape != (k, *self.y_train_.shape[1:]) or not np.isfinite(target).all():
            raise DataError(
                f"GaussianProcessRegressor.update: y has shape {target.shape}; {k} points need finite numbers of shape"
                f" {(k, *self.y_train_.shape[1:])}."
            )
        if alpha is None and np.ndim(self._noise):
            raise ParameterError(
                "GaussianProcessRegressor.update: alpha was given per point; give that of the new points too."
            )
        noise = self._noise if alpha is None else np.broadcast_to(noise_of(alpha, k), (k,))
        target = ((target.reshape(k, -1) - self._y_train_mean) / self._y_train_std).reshape(target.shape)
        corner = np.array(self.kernel_(rows), dtype=np.float64)
        corner[np.diag_indices(k)] += noise
        across = np.asarray(self.kernel_(rows, self.X_train_), np.float64)
        try:
            factor = append(Factor(self.L_, self.jitter_), across, corner)
        except np.linalg.LinAlgError as error:
            raise np.linalg.LinAlgError(
                NOT_COVARIANCE.format(kernel=self.kernel_, owner=type(self).__name__)
            ) from error
        if alpha is not None:
            old = np.broadcast_to(np.asarray(self._noise), (len(self.y_train_),))
            self._noise = np.concatenate([old, noise])
        self.X_train_ = (
            np.concatenate([self.X_train_, rows]) if hasattr(self.X_train_, "shape") else [*self.X_train_, *rows]
        )
        self.y_train_ = np.concatenate([self.y_train_, target])
        self._condition_on(factor)
        self.log_marginal_likelihood_value_ = evidence_at(self.L_, self.y_train_, self.alpha_)
        return self

    def _kept_rows(self) -> Any:
        y = self.y_train_.reshape(len(self.y_train_), -1) * self._y_train_std + self._y_train_mean
        return (self.X_train_, y.reshape(self.y_train_.shape)) if hasattr(self.X_train_, "shape") else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags
