"""What the linear regressors share: prediction, closed-form leave-one-out, likelihood and inference from one Solution."""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from novum import _core
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.intervals import check_interval, normal_interval
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.engines.moments.second import count
from novum.engines.moments.triangles import lengths
from novum.exceptions import DataError
from novum.fold.blocks import Block, Source
from novum.linear_model.least_squares.orthogonal import kernel_basis
from novum.linear_model.least_squares.plots import plot_fit
from novum.linear_model.least_squares.solve import Solution
from novum.runtime import arrays
from novum.runtime.blas import single_blas
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["Line", "LinearRegressor", "predict_block"]

CACHED = 1 << 16  # numbers of a run of rows that a core keeps at hand
LEAST_REST = 1e-10  # 1 - leverage below which a row alone determines a coefficient: without it there is no prediction
SAME_ROWS = 1e-5  # relative difference of residual sums of squares that rounding may leave, float32 rows included


class Line(NamedTuple):
    coef: np.ndarray  # (q, p) in the dtype of the training data
    intercept: np.ndarray  # (q,)
    flat: bool  # one target given as a flat array


class LeaveOneOut(NamedTuple):
    line: Line
    inverse: np.ndarray  # (p, p): (C_xx + alpha I)^{-1}
    mean: np.ndarray  # (p,)
    weight: float
    fit_intercept: bool


def predict_block(line: Line, block: Block) -> Any:
    """Return B x + a for every row."""
    out = block.X @ arrays.like(block.X, line.coef.T) + arrays.like(block.X, line.intercept)
    return out[:, 0] if line.flat else out


def leave_one_out_block(params: LeaveOneOut, block: Block) -> np.ndarray:
    r"""Return each row's prediction by the model fitted without that row.

    h_i = w_i (1/W + (x_i - m)' (C_xx + alpha I)^{-1} (x_i - m)),   yhat_(-i) = y_i - (y_i - yhat_i) / (1 - h_i)
    """
    X = arrays.to_numpy(arrays.dense(block.X))
    y = arrays.as_matrix(arrays.to_numpy(block.y)).astype(np.float64, copy=False)
    fitted, leverage = np.empty((len(X), len(params.line.coef))), np.empty(len(X))
    mass, step = params.weight if params.fit_intercept else np.inf, max(1, CACHED // max(1, X.shape[1]))
    for start in range(0, len(X), step):  # rows are read twice, the second time from the cache
        rows = slice(start, start + step)
        fitted[rows] = X[rows] @ params.line.coef.T + params.line.intercept
        leverage[rows] = leverages(X[rows], params.mean, params.inverse, mass)
    if block.weight is not None:
        leverage = leverage * arrays.to_numpy(block.weight)
    rest = np.subtract(1, leverage, out=leverage)
    rest[rest <= LEAST_REST] = np.nan
    out = np.subtract(y, fitted, out=fitted)
    out /= rest[:, None]
    np.subtract(y, out, out=out)
    return out[:, 0] if params.line.flat else out


class Extent(NamedTuple):
    rows: float  # with a positive weight
    weight: float


def rows_and_weight(_: Any, block: Block) -> Extent:
    """Return how many rows of a block count, and for how much."""
    total = float(block.rows) if block.weight is None else float(block.weight.sum())
    return Extent(count(block)[0], total)


class Squares(NamedTuple):
    rss: np.ndarray  # (q,): weighted squares of the residuals


def residual_squares(line: Line, block: Block) -> Squares:
    """Return what a line leaves of the targets of a block."""
    X = arrays.to_numpy(arrays.dense(block.X))
    rest = arrays.as_matrix(arrays.to_numpy(block.y)).astype(np.float64) - (X @ line.coef.T + line.intercept)
    weight = 1.0 if block.weight is None else arrays.to_numpy(block.weight)[:, None]
    return Squares((weight * rest**2).sum(axis=0))


def check_fitted_rows(owner: str, found: float, fitted: float, tss: float) -> None:
    """Raise where the rows given do not leave the residuals that the fit left."""
    if abs(found - fitted) > SAME_ROWS * max(found, fitted) + SAME_ROWS**2 * tss:
        raise DataError(
            f"{owner}: these rows leave a residual sum of squares of {found:.6g}, those that were fitted left"
            f" {fitted:.6g}; give X, y and sample_weight that `fit` saw."
        )


def leverages(X: np.ndarray, mean: np.ndarray, inverse: np.ndarray, weight: float) -> np.ndarray:
    """Return 1/W + (x - m)' inverse (x - m) for every row; W infinite without an intercept."""
    out = np.empty(len(X))
    X = np.ascontiguousarray(X if X.dtype in (np.float32, np.float64) else X.astype(np.float64))
    form = np.ascontiguousarray(inverse, np.float64)
    _core.products.quadratic.of_rows(X, np.ascontiguousarray(mean, np.float64), form, out)
    return out + 1 / weight


def shortest_half(root: np.ndarray, rank: int) -> np.ndarray:
    """Return the operator A, (p, rank), that gives the shortest solution of a design of this rank, root' root = C_xx.

    With root = U S V' diag(scale), cut at the rank on unit columns, A = P diag(scale)^{-1} V S^{-1} U', P projecting on the
    complement of the coefficients that the design does not see.
    """
    scale = lengths(root)
    used = scale > 0
    out = np.zeros((root.shape[1], rank))
    if rank == 0 or not used.any():
        return out
    scaled = root[:, used] / scale[used]
    _, s, Vt = scipy.linalg.svd(scaled, full_matrices=False)
    half = Vt[:rank].T / s[:rank] / scale[used, None]
    kernel = kernel_basis(scaled, rank, scale[used])
    half = half - kernel @ (kernel.T @ half)
    out[used] = half
    return out


class LinearRegressor(MultiOutputMixin, RegressorMixin, Estimator):
    """Base of regressors that are linear in their parameters and fitted by least squares with or without a penalty."""

    coef_: np.ndarray
    intercept_: float | np.ndarray
    noise_variance_: Any
    log_likelihood_: Any
    fit_intercept: bool

    def _keep(self, solution: Solution, source: Source, flat: bool) -> None:
        """Store the solution as fitted attributes."""
        dtype = source.dtype
        coef, intercept = solution.coef.astype(dtype), solution.intercept.astype(dtype)
        self.coef_ = coef[0] if flat else coef
        if self.fit_intercept:
            self.intercept_ = intercept[0] if flat else intercept
        else:
            self.intercept_ = 0.0
        variance = solution.rss / solution.weight
        with np.errstate(divide="ignore"):
            likelihood = -0.5 * solution.weight * (np.log(2 * np.pi * variance) + 1)
        self.noise_variance_ = float(variance[0]) if flat else variance
        self.log_likelihood_ = float(likelihood[0]) if flat else likelihood
        self._coef, self._intercept = solution.coef, solution.intercept  # in float64, whatever the data were
        self._root, self._mean = solution.root, solution.mean
        self._weight, self._n_rows, self._rank = solution.weight, solution.rows, solution.rank
        self._rss, self._tss, self._log_weight = solution.rss, solution.tss, solution.log_weight

    def _line(self) -> Line:
        coef = np.atleast_2d(self.coef_)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), coef.shape[:1])
        return Line(coef, intercept, np.ndim(self.coef_) == 1)

    def predict(self, X: Rows, return_std: bool = False, *, interval: str | None = None, level: float = 0.95) -> Any:
        """Return the prediction for every row of X.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        return_std : bool, default=False
            Also return the standard deviation of the noise about every prediction; for data in memory.
        interval : {None, "confidence", "prediction"}, default=None
            "prediction": for a new target, of the noise about the line alone; shrunk coefficients have no interval.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        y : array of shape (n_samples,) or (n_samples, n_targets)
            A lazy array on Dask, an iterator over batches for a scan, a tensor for a tensor.
        std : array of the shape of y, only with return_std
        with an interval: IntervalPrediction(value, lower, upper)
        """
        check_is_fitted(self)
        if interval is not None:
            owner = f"{type(self).__name__}.predict"
            check_interval(owner, interval, level, ("prediction",), std=return_std)
            mean, std = self.predict(X, return_std=True)
            return normal_interval(owner, mean, std, level)
        mean = self._rows(X, predict_block, self._line())
        if not return_std:
            return mean
        if not hasattr(mean, "shape") or hasattr(mean, "dask"):
            raise DataError(
                f"{type(self).__name__}.predict: return_std=True takes data in memory; the standard deviation of the noise is"
                f" the same everywhere, sqrt(noise_variance_)."
            )
        return mean, arrays.like(mean, np.broadcast_to(np.sqrt(self.noise_variance_), mean.shape))

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        """Draw the sample with the fitted line (one feature) or plane (two); return the axes."""
        if y is None or rows.shape[1] > 2 or np.ndim(y) != 1:
            return super()._picture_of_rows(X, rows, y, ax)
        return plot_fit(self, rows, y, ax)

    def _penalty(self) -> np.ndarray:
        """Return the ridge penalty of every target."""
        return np.zeros(np.atleast_2d(self.coef_).shape[0])

    def _inverse(self) -> np.ndarray:
        """Return (C_xx + alpha I)^{-1}, the pseudo-inverse where the design is rank-deficient."""
        half = self._inverse_half()
        return half @ half.T

    def _inverse_half(self) -> np.ndarray:
        """Return A with A A' the inverse: it has twice the digits."""
        penalty = self._penalty()
        if self._root.shape[0] == 0:
            raise DataError(
                f"{type(self).__name__}: the {self.n_features_in_} sparse columns were fitted iteratively, without a Gram"
                f" matrix, so there is no closed form; refit without each row, or fit fewer columns."
            )
        if np.ptp(penalty) > 0:
            raise DataError(
                f"{type(self).__name__}: targets with different penalties have no common inverse; fit them one by one."
            )
        p = self._root.shape[1]
        if self._rank == p or penalty[0] > 0:
            stacked = np.vstack([self._root, np.sqrt(penalty[0]) * np.eye(p)]) if penalty[0] > 0 else self._root
            scale = np.linalg.norm(stacked, axis=0)
            scale[scale == 0] = 1.0
            return np.asarray(scipy.linalg.inv(arrays.r_factor(stacked / scale)) / scale[:, None])
        return shortest_half(self._root, self._rank)

    def leave_one_out_predict(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Return every training row's prediction by the model fitted without that row, in closed form.

        Parameters
        ----------
        X, y, sample_weight
            The data that were given to `fit`.

        Returns
        -------
        predictions : array of the shape of y, or an iterator over batches of it for a scan
            NaN where a row alone determines a coefficient (leverage one).
        """
        check_is_fitted(self)
        with single_blas():
            source = self._again(X, y, sample_weight, defer=True)
            line = Line(self._coef, self._intercept, np.ndim(self.coef_) == 1)
            mean = self._mean[: self.n_features_in_]
            params = LeaveOneOut(line, self._inverse(), mean, self._weight, self.fit_intercept)
            found = source.rows(leave_one_out_block, params)
            source.check_results(found)  # NaN in the data shows in the result; what is left is leverage one
            if source.at_hand:
                owner = f"{type(self).__name__}.leave_one_out_predict"
                for sums in zip(source.total(residual_squares, line).rss, self._rss, self._tss, strict=True):
                    check_fitted_rows(owner, *map(float, sums))
            return found

    def _again(self, X: Rows, y: Target, sample_weight: RowWeights, defer: bool = False) -> Source:
        """Open the training data once more without touching what was learned."""
        names, count = getattr(self, "feature_names_in_", None), self.n_features_in_
        probe = type(self)(**self.get_params(deep=False))
        source = probe._source(X, y, sample_weight, target="numeric", defer=defer)
        if probe.n_features_in_ != count or (
            names is not None and list(names) != list(getattr(probe, "feature_names_in_", names))
        ):
            raise DataError(
                f"{type(self).__name__}: X has other columns than the training data; give the data that `fit` saw."
            )
        if not source.rereads:
            rows, weight = source.total(rows_and_weight)
            if rows != self._n_rows or not np.isclose(weight, self._weight, rtol=1e-9):
                raise DataError(
                    f"{type(self).__name__}: these are {rows:.0f} rows of total weight {weight:g}, the training data were"
                    f" {self._n_rows:.0f} of total weight {self._weight:g}; give X, y and sample_weight that `fit` saw."
                )
        return source
