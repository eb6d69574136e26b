r"""Kernel ridge regression: the function of a kernel's space that is close to the targets and short.

    f(x) = sum_i c_i k(x, x_i),   c = (K + alpha I)^-1 y                                                                (1)

`novum.kernel_ridge.solve` has the algebra, with weights, and the primal form for kernels of few features.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.base.device_forms import is_elsewhere
from novum.base.domains import ArrayLike, Choice, Domain, Function, Instance, Null, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MultiOutputMixin, RegressorMixin
from novum.exceptions import DataError, ParameterError
from novum.kernel_ridge import solve
from novum.kernel_ridge.device_fit import fit_there, predict_there
from novum.kernel_ridge.expansion import KernelExpansion, double_rows, predict_block
from novum.kernel_ridge.leave_one_out import (
    LeaveOneOutPath,
    check_penalties,
    dual_spectrum,
    path_of,
    primal_spectrum,
)
from novum.kernels.base import number_of_samples
from novum.kernels.choice import NAMES
from novum.kernels.kernel_machine import KernelLearner, TrainingRows
from novum.runtime import arrays
from novum.runtime.blas import single_blas
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.typing import Numbers, Rows, RowWeights, Target

__all__ = ["KernelRidge"]

Array = NDArray[np.float64]


class KernelRidge(DeviceAttributes, MultiOutputMixin, RegressorMixin, KernelLearner):
    """Ridge regression in the space of a kernel.

    Parameters
    ----------
    alpha : float, array-like of shape (n_targets,) or "loo", default=1
        Penalty, for all targets or one each; "loo" takes the one of the least leave-one-out error.
    kernel : str, Kernel or callable, default="linear"
        A name of `sklearn.metrics.pairwise.kernel_metrics`, a kernel of `novum.kernels`, a function of two rows, or "precomputed":
        then X is the kernel matrix.
    gamma : float, default=None
        Of "rbf", "laplacian", "poly", "sigmoid" and "chi2"; None: one over the number of columns ("chi2": one).
    degree : float, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keywords of a function.
    solver : {"auto", "dual", "primal"}, default="auto"
        "dual" solves for a coefficient per row, "primal" for a weight per feature, which linear and polynomial kernels allow;
        "auto" takes what costs less. The predictions are the same.

    Attributes
    ----------
    dual_coef_ : array of shape (n_samples,) or (n_samples, n_targets)
        c of (1), whatever the solver.
    X_fit_ : array, sparse matrix or list
        The training rows; the kernel matrix with "precomputed".
    alpha_ : float or array of shape (n_targets,)
        The penalty that was used.
    solver_ : {"dual", "primal"}
    coef_ : array of shape (n_features,) or (n_targets, n_features)
        Weights of the columns, X'c; of linear kernels only.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernel_ridge import KernelRidge
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> model = KernelRidge(alpha="loo", kernel="rbf", gamma=0.5).fit(x, np.sin(x[:, 0]))
    >>> bool(abs(model.predict(x) - np.sin(x[:, 0])).max() < 1e-4)
    True
    >>> model.leave_one_out([0.1, 1.0]).best_alpha
    0.1
    """

    _domains: dict[str, Domain] = {
        "alpha": Real(0) | ArrayLike(1) | Choice("loo"),
        "kernel": Choice(*NAMES) | Function(),
        "gamma": Real(0) | Null(),
        "degree": Real(0),
        "coef0": Real(),
        "kernel_params": Instance(dict) | Null(),
        "solver": Choice("auto", "dual", "primal"),
    }
    dual_coef_: np.ndarray
    X_fit_: Any
    alpha_: float | np.ndarray
    solver_: str

    def __init__(
        self,
        alpha: float | Numbers | Literal["loo"] = 1,
        *,
        kernel: Literal[
            "additive_chi2",
            "chi2",
            "cosine",
            "laplacian",
            "linear",
            "poly",
            "polynomial",
            "rbf",
            "sigmoid",
            "precomputed",
        ]
        | Callable[..., Any] = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[Any, Any] | None = None,
        solver: Literal["auto", "dual", "primal"] = "auto",
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.solver = solver

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the coefficients.

        With kernel="precomputed" X is the kernel matrix between all rows; with a kernel of `novum.kernels` whatever it
        understands.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        if is_elsewhere(X):
            fit_there(self, X, y, sample_weight)
            return self
        self._forget_device()
        given = self._training_rows(X, y, sample_weight, "numeric")
        target = arrays.as_matrix(np.asarray(given.y, dtype=np.float64))
        used = None if given.weight is None else given.weight > 0
        rows, weight = given.X, given.weight
        self._flat = np.ndim(given.y) == 1
        alpha = None if isinstance(self.alpha, str) else self._penalties(target.shape[1])
        self.solver_ = self._cheaper(rows, alpha)
        if alpha is None:
            path = self._path(given, target, self.solver_, None)
            alpha = np.full(target.shape[1], path.best_alpha)
        part = self._used_rows(rows, used)
        on, by = (target, weight) if used is None else (target[used], given.weight[used])  # type: ignore[index]
        by = None if by is None or (by == 1).all() else by
        coefficient, self._weights = self._solved(part, on, alpha, by)
        c = np.zeros_like(target)
        c[slice(None) if used is None else used] = coefficient
        self.alpha_ = float(alpha[0]) if np.ndim(self.alpha) == 0 else alpha
        self.dual_coef_ = (c[:, 0] if self._flat else c).astype(given.dtype, copy=False)
        self.X_fit_, self._target_fit, self._weight_fit = rows, given.y, given.weight
        return self

    def _solved(self, rows: Any, y: Array, alpha: Array, weight: Array | None) -> tuple[Array, Array | None]:
        """Return coefficients of the rows and, by the primal form, of the features."""
        if self.solver_ == "primal":
            Phi = self._features(rows.shape[1]).of(rows)
            v = solve.primal_weights(Phi, y, alpha, weight)
            if v is not None:
                c = (y - np.asarray(Phi @ v)) / alpha
                return (c if weight is None else weight[:, None] * c), v
            self.solver_ = "dual"
        K = np.asarray(self._choice().between(double_rows(rows)), dtype=np.float64)
        own = not self._choice().is_matrix
        return solve.dual_coefficients(np.ascontiguousarray(K), y, alpha, weight, "KernelRidge", overwrite=own), None

    def _used_rows(self, rows: Any, used: NDArray[np.bool_] | None) -> Any:
        """Return the rows of positive weight, of a kernel matrix their columns too."""
        if used is None or used.all():
            return rows
        if self._choice().is_matrix:
            return rows[np.ix_(used, used)]
        return rows[used] if hasattr(rows, "shape") else [row for row, kept in zip(rows, used, strict=True) if kept]

    def _penalties(self, n_targets: int) -> Array:
        """Return a penalty per target."""
        alpha = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if not (alpha >= 0).all():
            raise ParameterError(f"KernelRidge(alpha={self.alpha!r}): penalties must be of zero or more.")
        if alpha.ndim != 1 or len(alpha) not in (1, n_targets):
            raise ParameterError(
                f"KernelRidge(alpha={self.alpha!r}): Number of targets and number of penalties do not correspond: {alpha.size} !="
                f" {n_targets}. Give one alpha of zero or more, or one for each target."
            )
        return np.broadcast_to(alpha, (n_targets,)).copy()

    def _is_primal(self) -> bool:
        """Return whether predictions are sums over features."""
        return "_weights" in vars(self).get("_there", ()) or self._weights is not None

    def _features(self, n_features: int) -> solve.Monomials:
        power = self._choice().power(n_features)
        assert power is not None
        return solve.monomials_of(power, n_features)

    def _cheaper(self, rows: Any, alpha: Array | None) -> str:
        """Return the form to solve: the one requested, or the cheaper one of those that can be solved."""
        positive = alpha is None or bool((alpha > 0).all())
        numeric = hasattr(rows, "shape") and rows.ndim == 2
        power = self._choice().power(rows.shape[1]) if numeric else None
        M = solve.number_of_features(power, rows.shape[1]) if numeric else None
        if scipy.sparse.issparse(rows) and (rows.shape[1] != M or alpha is None):
            M = None  # monomials of sparse columns, and their singular vectors, are dense
        if self.solver == "primal" and (M is None or not positive):
            raise ParameterError(
                f"KernelRidge(solver='primal', kernel={self.kernel!r}, alpha={self.alpha!r}): the primal form needs a linear or"
                " polynomial kernel of whole degree with gamma > 0 and coef0 >= 0, a dense X unless it is linear, and alpha > 0."
                " Leave solver='auto'."
            )
        if self.solver != "auto":
            return self.solver
        return (
            "primal"
            if M is not None and positive and solve.primal_is_cheaper(rows.shape[0], rows.shape[1], M)
            else "dual"
        )

    def predict(self, X: Rows) -> Any:
        """Return f(x) for every row; with kernel="precomputed" X holds kernels with the training rows.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        if is_elsewhere(X):
            return predict_there(self, X)
        if self._weights is not None:
            params = KernelExpansion(
                self._choice(), None, self._weights, self._features(self.X_fit_.shape[1]), self._flat
            )
        else:
            c = arrays.as_matrix(self.dual_coef_).astype(np.float64)
            params = KernelExpansion(self._choice(), double_rows(self.X_fit_), c, None, self._flat)
        return self._ask(X, predict_block, params)

    def leave_one_out(self, alphas: Numbers | None = None) -> LeaveOneOutPath:
        """Return what each training row is predicted by the machine without it, for many penalties from one decomposition.

        Parameters
        ----------
        alphas : array-like of shape (n_alphas,), default=None
            Positive penalties; None is a range from far too small to far too large.

        Returns
        -------
        LeaveOneOutPath
            `alphas`, `mean_squared_error`, `predictions`, `best_alpha`, `plot()`.
        """
        check_is_fitted(self)
        given = TrainingRows(self.X_fit_, self._target_fit, self._weight_fit, self.dual_coef_.dtype)
        target = arrays.as_matrix(np.asarray(given.y, dtype=np.float64))
        with single_blas():  # as in `fit`: the same bits
            return self._path(given, target, self.solver_, alphas)

    def leave_one_out_predict(self) -> Any:
        """Return what each training row is predicted by the machine without it, with the penalty of this fit."""
        check_is_fitted(self)
        alpha = np.atleast_1d(self.alpha_)
        if not (alpha > 0).all():
            raise ParameterError(f"KernelRidge(alpha={self.alpha!r}): leave_one_out_predict needs alpha > 0.")
        found = self.leave_one_out(np.unique(alpha))
        out = found.predictions[0]
        if len(alpha) > 1:
            out = np.stack([found.predictions[np.searchsorted(found.alphas, a), :, j] for j, a in enumerate(alpha)], 1)
        return out.astype(self.dual_coef_.dtype, copy=False)

    def _path(self, given: TrainingRows, target: Array, form: str, alphas: Any) -> LeaveOneOutPath:
        """Return the path, by the decomposition of the cheaper form."""
        n, choice = number_of_samples(given.X), self._choice()
        used = np.ones(n, bool) if given.weight is None else given.weight > 0
        if used.sum() < 2:
            raise DataError(
                f"KernelRidge: leaving one of {int(used.sum())} rows out leaves none to learn from. Give more rows."
            )
        rows = double_rows(self._used_rows(given.X, None if used.all() else used))
        weight = None if given.weight is None else given.weight[used]
        if form == "primal" and not scipy.sparse.issparse(rows):
            Phi = self._features(rows.shape[1]).of(rows)
            spectrum = primal_spectrum(Phi, weight)
        else:
            spectrum = dual_spectrum(np.asarray(choice.between(rows), dtype=np.float64), weight)
        penalties = check_penalties(alphas, spectrum.size)

        def predicted(c: Array) -> Array:
            if choice.is_matrix:
                return given.X[np.ix_(~used, used)] @ c
            return choice.times(double_rows(self._used_rows(given.X, ~used)), rows, c)

        absent = None if used.all() else (~used, predicted)
        path = path_of(spectrum, target, penalties, given.weight, absent)
        if np.ndim(given.y) == 1:
            path = LeaveOneOutPath(path.alphas, path.mean_squared_error, path.predictions[:, :, 0])
        return path

    @property
    def coef_(self) -> Any:
        """Weights of the columns, X'c, with a linear kernel."""
        check_is_fitted(self)
        rows = self.X_fit_
        power = self._choice().power(rows.shape[1]) if hasattr(rows, "shape") and rows.ndim == 2 else None
        if power != (1.0, 0.0, 1):
            raise AttributeError(
                f"coef_ is only available when using a linear kernel, and this KernelRidge has kernel={self.kernel!r}."
            )
        v = self._weights if self._weights is not None else rows.T @ arrays.as_matrix(self.dual_coef_)
        v = np.asarray(v).astype(self.dual_coef_.dtype, copy=False)
        return v[:, 0] if self._flat else v.T
