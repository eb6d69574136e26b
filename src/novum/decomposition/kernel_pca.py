r"""Kernel PCA: principal components of rows after a map that only its kernel k(x, x') = phi(x)'phi(x') knows.

With K the kernel between the n training rows, its mean removed in feature space,

    K~ = K - 1K - K1 + 1K1,   1 the n x n matrix of 1/n                                            (1)
    K~ v_j = l_j v_j,   a_j = v_j / sqrt(l_j)                                                      (2)
    score of x:  z_j(x) = sum_i a_ij k~(x, x_i)                                                    (3)

The axes sum_i a_ij phi~(x_i) have length one: a_j'K~ a_j = 1, which is n (l_j/n) a_j'a_j = 1 with the variance l_j/n along the
axis. The linear kernel gives PCA. A point is brought back by a ridge regression of the rows on their scores,

    x(z) = sum_i c_i k(z, z_i),   (K_z + alpha I) c = X                                            (4)

or, for Gaussian kernels, as the point whose features are nearest to those of the scores (novum.decomposition.pre_images).
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, Self

import numpy as np
import scipy.linalg
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils.extmath import svd_flip

from novum.base.device_forms import is_elsewhere
from novum.base.domains import Bool, Choice, Domain, Function, Instance, Int, Null, RandomState, Real
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from novum.decomposition.eigenpairs import leading, leading_of_rows
from novum.decomposition.kernel_scores import (
    KernelComponents,
    axes_there,
    center_kernel,
    fit_there,
    scores,
    transform_there,
)
from novum.decomposition.pre_images import fixed_points
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.kernels import RBF
from novum.kernels.base import number_of_samples
from novum.kernels.choice import KernelChoice
from novum.kernels.kernel_machine import KernelLearner
from novum.runtime import sklearn_private
from novum.runtime.blas import single_blas
from novum.runtime.device_attributes import DeviceAttributes
from novum.runtime.typing import Numbers, Rows, Seed, Target
from novum.runtime.warn import warn

__all__ = ["KernelPCA", "model_of_axes"]

KERNELS = ("linear", "poly", "rbf", "sigmoid", "cosine", "precomputed")


def model_of_axes(
    values: np.ndarray, vectors: np.ndarray, column_means: np.ndarray, options: dict[str, Any]
) -> "KernelPCA":
    """Return a fitted KernelPCA of a precomputed kernel whose eigenpairs (2) and column means are known."""
    n = len(vectors)
    model = KernelPCA(kernel="precomputed", **options)
    values = sklearn_private.check_psd_eigenvalues(np.array(values), enable_warnings=False)
    model.eigenvalues_, model.eigenvectors_ = values, svd_flip(u=vectors, v=None)[0]
    model._column_means, model._kernel_mean = column_means, float(column_means.mean())
    model.X_fit_, model.gamma_, model.n_features_in_ = np.empty((n, 0), vectors.dtype), 1 / n, n
    model._n_features_out = len(values)
    return model


class KernelPCA(DeviceAttributes, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelLearner):
    """Principal components in the feature space of a kernel.

    Parameters
    ----------
    n_components : int, default=None
        None keeps all of non-zero variance.
    kernel : {"linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"}, Kernel or callable, default="linear"
        A kernel of `novum.kernels`; a function that takes two rows and returns a number; with "precomputed" X is the kernel
        matrix.
    gamma : float, default=None
        Of "rbf", "poly" and "sigmoid"; None: one over the number of columns.
    degree : float, default=3
        Of "poly".
    coef0 : float, default=1
        Of "poly" and "sigmoid".
    kernel_params : dict, default=None
        Keywords of a callable.
    alpha : float, default=1.0
        Penalty of the regression (4).
    fit_inverse_transform : bool, default=False
        Whether to learn (4).
    eigen_solver : {"auto", "dense", "arpack", "randomized"}, default="auto"
    tol : float, default=0
        Of "arpack"; 0 is the precision of the machine.
    max_iter : int, default=None
        Of "arpack".
    iterated_power : int or "auto", default="auto"
        Products of "randomized".
    remove_zero_eig : bool, default=False
        Leave out axes without variance, also where `n_components` requests them.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
        Of the starts of "arpack" and "randomized".
    copy_X : bool, default=True
        Whether to keep a copy of X for `transform`: else changes to X change the model.
    n_jobs : int, default=None
        For scikit-learn's sake.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        l_j of (2), falling.
    eigenvectors_ : array of shape (n_samples, n_components)
        v_j of (2).
    dual_coef_ : array of shape (n_samples, n_features)
        c of (4), where it was requested; `X_transformed_fit_` holds the scores it belongs to.
    X_fit_ : array or sparse matrix of shape (n_samples, n_features), or list
    gamma_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import KernelPCA
    >>> angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> X = np.concatenate([circle, 4 * circle])  # two circles: the first component of a kernel distinguishes them
    >>> z = KernelPCA(1, kernel="rbf", gamma=0.3).fit_transform(X)[:, 0]
    >>> bool(z[:40].min() > z[40:].max() or z[:40].max() < z[40:].min())
    True
    """

    _squares_rows = False
    _remedy = "give a sample of the rows as an array, or use PCA behind novum.kernel_approximation.Nystroem"
    _domains: dict[str, Domain] = {
        "n_components": Int(1) | Null(),
        "kernel": Choice(*KERNELS) | Function(),
        "gamma": Real(0) | Null(),
        "degree": Real(0),
        "coef0": Real(),
        "kernel_params": Instance(dict) | Null(),
        "alpha": Real(0),
        "fit_inverse_transform": Bool(),
        "eigen_solver": Choice("auto", "dense", "arpack", "randomized"),
        "tol": Real(0),
        "max_iter": Int(1) | Null(),
        "iterated_power": Int(0) | Choice("auto"),
        "remove_zero_eig": Bool(),
        "random_state": RandomState(),
        "copy_X": Bool(),
        "n_jobs": Int() | Null(),
    }
    eigenvalues_: np.ndarray
    eigenvectors_: np.ndarray
    dual_coef_: np.ndarray
    X_fit_: Any
    gamma_: float

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: Literal["linear", "poly", "rbf", "sigmoid", "cosine", "precomputed"] | Callable[..., Any] = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[Any, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: Literal["auto", "dense", "arpack", "randomized"] = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | Literal["auto"] = "auto",
        remove_zero_eig: bool = False,
        random_state: Seed = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @fits
    def fit(self, X: Rows, y: Target = None) -> Self:
        """Find the axes.

        In memory: the kernel is between all pairs of rows.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        """
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ParameterError(
                "Cannot fit_inverse_transform with a precomputed kernel. KernelPCA needs the rows for it."
            )
        if is_elsewhere(X):
            fit_there(self, X)
            return self
        self._forget_device()
        rows = self._rows_in_memory(X)
        width = rows.shape[1] if hasattr(rows, "shape") and len(rows.shape) == 2 else 1
        self.gamma_ = 1 / width if self.gamma is None else self.gamma
        k = min(n for n in (number_of_samples(rows), self.n_components) if n is not None)
        if (pairs := leading_of_rows(rows, k, self)) is not None:
            self._column_means = rows @ rows.mean(axis=0)
        else:
            K = self._choice().between(rows)
            self._column_means = means = K.mean(axis=0)
            pairs = leading(center_kernel(K, means, float(means.mean())), k, self.eigen_solver, self)
        self._kernel_mean = float(self._column_means.mean())
        values, vectors = pairs
        kept = values > 0 if self.remove_zero_eig or self.n_components is None else slice(None)
        self.eigenvalues_, self.eigenvectors_, self.X_fit_ = values[kept], vectors[:, kept], rows
        self._n_features_out = len(self.eigenvalues_)
        if self.fit_inverse_transform:
            self._learn_inverse(rows)
        return self

    def _rows_in_memory(self, X: Any) -> Any:
        """Return the rows of X as one array or CSR matrix."""
        rows = self._training_rows(X).X
        return rows.copy() if self.copy_X else rows

    def _choice(self) -> KernelChoice:
        """Return the kernel with its parameters."""
        if callable(self.kernel):
            return KernelChoice(self.kernel, self.kernel_params or {}, "KernelPCA")
        gamma = getattr(self, "gamma_", self.gamma)
        return KernelChoice(self.kernel, {"gamma": gamma, "degree": self.degree, "coef0": self.coef0}, "KernelPCA")

    def _learn_inverse(self, rows: Any) -> None:
        """Learn (4)."""
        if scipy.sparse.issparse(rows):
            raise NotImplementedError(
                "Inverse transform not implemented for sparse matrices! Give KernelPCA(fit_inverse_transform=True) a dense X."
            )
        if not hasattr(rows, "shape"):
            raise ParameterError(
                "KernelPCA(fit_inverse_transform=True): only rows of numbers can be brought back, not what else a kernel compares."
            )
        z = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        K = self._choice().between(z)
        K.flat[:: len(K) + 1] += self.alpha
        self.dual_coef_ = scipy.linalg.solve(K, rows, assume_a="pos", overwrite_a=True)
        self.X_transformed_fit_ = z

    def fit_transform(self, X: Rows, y: Target = None) -> Any:
        """Fit, and return the scores of every row."""
        self.fit(X)
        if is_elsewhere(X):
            return axes_there(self, X, 0.5).to(vars(self)["_there"]["X_fit_"].dtype)
        return self.eigenvectors_ * np.sqrt(self.eigenvalues_)

    def transform(self, X: Rows) -> Any:
        """Return (3) for every row.

        score of x:  z_j(x) = sum_i a_ij k~(x, x_i)    (3)
        """
        check_is_fitted(self)
        if is_elsewhere(X):
            return transform_there(self, X)
        params = KernelComponents(self._choice(), self.X_fit_, self._column_means, self._kernel_mean, self._axes())
        return self._ask(X, scores, params)

    def _axes(self) -> np.ndarray:
        """Return a_j of (2), zero for axes without variance."""
        with np.errstate(divide="ignore"):
            return self.eigenvectors_ * np.where(self.eigenvalues_ > 0, 1 / np.sqrt(self.eigenvalues_), 0.0)

    def inverse_transform(self, X: Rows) -> Any:
        """Return points (4) that have about these scores; needs `fit_inverse_transform=True`.

        x(z) = sum_i c_i k(z, z_i),   (K_z + alpha I) c = X    (4)
        """
        if is_elsewhere(X):
            raise DataError("KernelPCA.inverse_transform is computed in the memory of the processor; give X.cpu().")
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse transform is"
                " not available. Fit KernelPCA(fit_inverse_transform=True)."
            )
        check_is_fitted(self)
        with single_blas():
            return self._choice().between(np.asarray(X), self.X_transformed_fit_) @ self.dual_coef_

    def pre_images(self, scores: Numbers, *, max_iter: int = 1000, tol: float = 1e-9) -> Any:
        """Return the points whose features are nearest to those that have these scores; for Gaussian kernels.

        Nothing is learned for it: a fixed-point iteration, from the best of the training rows, finds a point at which the
        distance in feature space is stationary. Scores of rows that were left in few components come back without noise.

        Parameters
        ----------
        scores : array-like of shape (n_points, n_components)
        max_iter : int, default=1000
        tol : float, default=1e-9
            Stop when no point moves by more than this share of the scale of the rows.

        Returns
        -------
        array of shape (n_points, n_features)
        """
        check_is_fitted(self)
        if not self._is_gaussian():
            raise ParameterError(
                f"KernelPCA(kernel={self.kernel!r}): pre_images iterates for Gaussian kernels of dense rows ('rbf', or RBF of"
                " novum.kernels). Use fit_inverse_transform=True and inverse_transform."
            )
        Z = np.atleast_2d(np.asarray(scores, dtype=np.float64))
        if Z.shape[1] != len(self.eigenvalues_) or not np.isfinite(Z).all():
            raise ParameterError(
                f"KernelPCA.pre_images: scores have the shape {Z.shape}; give finite ones, {len(self.eigenvalues_)} a row."
            )
        rows = self.X_fit_.astype(np.float64, copy=False)
        with single_blas():
            h = Z @ self._axes().T
            share = h + (1 - h.sum(axis=1, keepdims=True)) / number_of_samples(rows)
            found = fixed_points(self._choice().between, rows, share, max_iter, tol)
        if not found.converged:
            warn(
                f"KernelPCA.pre_images: points still moved after max_iter={max_iter} steps; raise max_iter or tol.",
                NotConverged,
            )
        return found.points.astype(self.X_fit_.dtype, copy=False)

    def _is_gaussian(self) -> bool:
        named = isinstance(self.kernel, str) and self.kernel == "rbf"
        return (named or isinstance(self.kernel, RBF)) and isinstance(self.X_fit_, np.ndarray)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
