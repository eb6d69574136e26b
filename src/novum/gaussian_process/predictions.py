"""What a Gaussian process says of new points, or its prior before a fit: means, intervals, distributions, drawn functions."""

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.device_forms import is_elsewhere
from novum.base.fitted import check_is_fitted
from novum.base.intervals import IntervalPrediction, check_interval, normal_interval, tensor_interval
from novum.distributions import Normal
from novum.exceptions import DataError, ParameterError
from novum.fold.blocks import Block
from novum.gaussian_process import posterior
from novum.gaussian_process.covariance import Factor
from novum.gaussian_process.evidence import leave_one_out
from novum.gaussian_process.training import (
    compares_vectors,
    new_points,
    noise_of,
    start_kernel,
)
from novum.kernels.device.program import device_kernel, refuse_kernel
from novum.runtime import arrays
from novum.runtime.random import seed_of
from novum.runtime.typing import Rows, Seed

__all__ = ["ProcessPredictions"]

Array = NDArray[np.float64]


class ProcessPredictions:
    """The predictions of `GaussianProcessRegressor`."""

    kernel: Any
    alpha: Any
    n_targets: int | None
    kernel_: Any
    X_train_: Any
    y_train_: np.ndarray
    L_: np.ndarray
    alpha_: np.ndarray
    jitter_: float
    _noise: Any
    _y_train_mean: Array
    _y_train_std: Array
    n_features_in_: int
    _rows: Callable[..., Any]
    _on_device: Callable[..., Any]

    def _posterior(self) -> posterior.Posterior:
        weights = self.alpha_.reshape(len(self.alpha_), -1)
        return posterior.Posterior(self.kernel_, self.X_train_, self.L_, weights, self._y_train_mean, self._y_train_std)

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        *,
        interval: str | None = None,
        level: float = 0.95,
    ) -> Any:
        """Return the mean at new points; of the prior where nothing has been fitted.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features), or list of objects
        return_std, return_cov : bool, default=False
            Also return standard deviations, or the covariance of all points; for rows in memory.
        interval : {None, "confidence", "prediction"}, default=None
            "confidence": for the function at x; "prediction": for a new target at x, its noise included. For rows in memory.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        mean : array of shape (n_samples,) or (n_samples, n_targets)
        std : array of the same shape, only with return_std
        cov : array of shape (n_samples, n_samples) or (n_samples, n_samples, n_targets), only with return_cov
        with an interval: IntervalPrediction(value, lower, upper)
        """
        if interval is not None:
            owner = "GaussianProcessRegressor.predict"
            check_interval(owner, interval, level, std=return_std or return_cov)
            if is_elsewhere(X) and hasattr(self, "kernel_"):
                return self._interval_there(X, interval, level)
            if interval == "prediction":
                found = self.predict_distribution(X)
                return normal_interval(owner, found.mean, np.sqrt(found.var), level)
            mean, std = self.predict(X, return_std=True)
            variance = np.asarray(std, np.float64) ** 2 - self._white(X)
            return normal_interval(owner, mean, np.sqrt(np.maximum(variance, 0.0)), level)
        if return_std and return_cov:
            raise RuntimeError("At most one of return_std or return_cov can be requested.")
        if not hasattr(self, "kernel_"):
            kernel = start_kernel(self.kernel, learned=False)
            return posterior.prior_predictions(kernel, new_points(self, X), self.n_targets or 1, return_std, return_cov)
        if is_elsewhere(X):
            return self._predict_there(X, return_std, return_cov)
        at = self._posterior()
        if compares_vectors(self.kernel) and not return_cov:
            both = self._rows(X, posterior.std_block if return_std else posterior.mean_block, at)
            if not return_std:
                return both
            if not hasattr(both, "shape") or hasattr(both, "dask"):
                raise DataError(
                    "GaussianProcessRegressor.predict: return_std=True takes rows in memory; give batches of them."
                )
            q = at.weights.shape[1]
            return (both[:, 0], both[:, 1]) if q == 1 else (both[:, :q], both[:, q:])
        rows = new_points(self, X)
        mean = posterior.mean_of(at, rows)
        mean = mean[:, 0] if mean.shape[1] == 1 else mean
        if return_cov:
            cov = posterior.covariance_of(at, rows)[:, :, None] * at.scale**2
            return mean, cov[:, :, 0] if cov.shape[2] == 1 else cov
        if not return_std:
            return mean
        std = np.sqrt(posterior.variance_of(at, rows))[:, None] * at.scale
        return mean, std[:, 0] if std.shape[1] == 1 else std

    def _posterior_there(self, X: Any) -> Any:
        """Return the posterior on the device of X."""
        from novum.gaussian_process.device_posterior import DevicePosterior

        kernel = device_kernel(self.kernel_, self.n_features_in_) if compares_vectors(self.kernel) else None
        if kernel is None:
            raise refuse_kernel(type(self).__name__, self.kernel_)
        points, lower, weights = self._on_device(X, "X_train_", "L_", "alpha_")
        return DevicePosterior(kernel, points, lower, arrays.as_matrix(weights), self._y_train_mean, self._y_train_std)

    def _predict_there(self, X: Any, return_std: bool, return_cov: bool) -> Any:
        """Return what `predict` returns for rows on a device, there."""
        from novum.gaussian_process import device_posterior

        at = self._posterior_there(X)
        if not return_cov:
            both = self._rows(X, device_posterior.std_block if return_std else device_posterior.mean_block, at)
            q = len(at.scale)
            return both if not return_std else (both[:, 0], both[:, 1]) if q == 1 else (both[:, :q], both[:, q:])
        rows = self._rows(X, device_posterior.as_given)
        mean = device_posterior.mean_block(at, Block(rows, None, None, 0, {}))
        cov = (
            device_posterior.covariance_of(at, rows.double())[:, :, None] * arrays.like(rows, at.scale, "float64") ** 2
        )
        return mean, cov[:, :, 0] if cov.shape[2] == 1 else cov

    def _interval_there(self, X: Any, interval: str, level: float) -> IntervalPrediction:
        """Return an interval for rows on a device, there."""
        at = self._posterior_there(X)
        mean, std = self._predict_there(X, True, False)
        scale = arrays.like(mean, at.scale)
        scale = scale if mean.ndim == 2 else scale[0]
        one = X[:1].double()
        white = float(at.kernel.diagonal(one)[0] - at.kernel.between(one, one)[0, 0])
        noise = (self._noise if np.ndim(self._noise) == 0 else 0.0) if interval == "prediction" else -white
        return tensor_interval(mean, (std.square() + noise * scale.square()).clamp(min=0.0).sqrt(), level)

    def _white(self, X: Any) -> Any:
        """Return the white part of the kernel, in units of y: scikit-learn's `return_std` counts it to the function."""
        kernel = getattr(self, "kernel_", None) or start_kernel(self.kernel, learned=False)
        one = new_points(self, X)[:1]
        noise = float(kernel.diag(one)[0]) - float(kernel(one, one)[0, 0])
        scale = getattr(self, "_y_train_std", np.ones(1))
        return noise * (scale**2 if len(scale) > 1 else scale[0] ** 2)

    def predict_distribution(self, X: Any) -> Normal:
        """Return the distribution of a new target at every point, its noise included: a batch of `novum.distributions.Normal`.

        Noise is the white part of the kernel and `alpha`; an `alpha` per point says nothing of new points, and is left out.
        """
        if is_elsewhere(X):
            raise DataError(
                "GaussianProcessRegressor.predict_distribution: distributions are arrays, and X is on a device; give X.cpu(), or"
                " ask predict(X, return_std=True)."
            )
        mean, std = self.predict(X, return_std=True)
        scale = self._y_train_std if np.ndim(mean) == 2 else getattr(self, "_y_train_std", np.ones(1))[0]
        noise = self._noise if hasattr(self, "alpha_") else noise_of(self.alpha, 1)
        extra = noise * scale**2 if np.ndim(noise) == 0 else 0.0
        return Normal(np.asarray(mean, np.float64), np.asarray(std, np.float64) ** 2 + extra)

    def leave_one_out_predict(self, return_std: bool = False) -> Any:
        """Return each training target's prediction from all others, at the hyper-parameters that were found, in closed form.

        Parameters
        ----------
        return_std : bool, default=False
            Also return standard deviations, of function and noise together.
        """
        check_is_fitted(self, "L_")
        target = self.y_train_.reshape(len(self.y_train_), -1)
        mean, variance = leave_one_out(Factor(self.L_, self.jitter_), target)
        mean = (mean * self._y_train_std + self._y_train_mean).reshape(self.y_train_.shape)
        std = (np.sqrt(variance)[:, None] * self._y_train_std).reshape(self.y_train_.shape)
        return (mean, std) if return_std else mean

    def sample_y(self, X: Rows, n_samples: int = 1, random_state: Seed = 0) -> Any:
        """Return functions drawn from the posterior (from the prior before a fit) at the points X.

        Returns
        -------
        array of shape (n_points, n_samples) or (n_points, n_targets, n_samples)
        """
        if not isinstance(n_samples, Integral) or n_samples < 1:
            raise ParameterError(f"GaussianProcessRegressor.sample_y: n_samples={n_samples!r} must be an int above 0.")
        mean, cov = self.predict(X, return_cov=True)
        seed, draws_of = seed_of(random_state), posterior.draws_of
        if arrays.is_tensor(cov):
            from novum.gaussian_process.device_posterior import draws_of
        if mean.ndim == 1:
            return draws_of(mean, cov, n_samples, seed)
        parts = [draws_of(mean[:, k], cov[:, :, k], n_samples, seed, k) for k in range(mean.shape[1])]
        joined = arrays.stack_rows(parts)
        return joined.reshape(len(parts), len(mean), n_samples).swapaxes(0, 1)
