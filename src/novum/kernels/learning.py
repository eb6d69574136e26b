r"""Multiple kernel learning: a support vector machine that chooses the weights of a sum of kernels.

    K = sum_k b_k K_k / s_k,   b >= 0,   sum_k b_k = 1                                                           (1)
    J(b) = max_a sum_i a_i - 1/2 sum_ij a_i a_j t_i t_j K_ij,   0 <= a_i <= C w_i,   sum_i a_i t_i = 0           (2)
    minimise J over b:   b_k <- b_k sqrt(S_k) / sum_l b_l sqrt(S_l),   S_k = sum_ij a_i t_i a_j t_j K_k,ij / s_k   (3)
    gap = 1/2 (max_k S_k - sum_k b_k S_k) / J                       zero at the optimum, where b_k > 0 has S_k = max  (4)

J is convex in b and (3), the minimum of a bound that touches it (Kloft and others 2011), never raises it. The squared norm of a
kernel's own function is b_k^2 S_k: kernels that explain nothing lose their weight. s_k is the variance of kernel k in its feature
space, so that weights can be compared. Several classes have a machine each, against all others, and share b: J and S are sums over
them.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from novum.base.classes import labels_of
from novum.base.domains import Bool, Domain, Instance, Int, Null, Real
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.history import History
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError, NotConverged, ParameterError, ParameterTypeError
from novum.fold.blocks import Block
from novum.kernels.base import Kernel, is_kernel
from novum.kernels.products import Linear
from novum.kernels.stationary import RBF
from novum.kernels.structured import Structured
from novum.kernels.weight_search import LearnedKernel, learn_weights
from novum.runtime import arrays
from novum.runtime.checks import row_weights
from novum.runtime.typing import Rows, RowWeights, Target
from novum.runtime.warn import warn

__all__ = ["MultipleKernelLearning"]

FACTORS = (
    0.25,
    0.5,
    1.0,
    2.0,
)  # length scales of the kernels by default, in standard deviations of all columns together
Array = NDArray[np.float64]


def values_of(params: LearnedKernel, X: Any) -> Array:
    """Return the functions of every object: one number for two classes, else one for each."""
    values = params.kernel(X, params.objects) @ params.dual_coef.T + params.bias
    return values[:, 0] if len(params.classes) == 2 else values


def classes_of(params: LearnedKernel, X: Any) -> Any:
    """Return the class of every object."""
    values = values_of(params, X)
    return params.classes[(values > 0).astype(np.int64) if values.ndim == 1 else values.argmax(axis=1)]


def rows_of(block: Block) -> Array:
    """Return the rows of a block as float64: Gram matrices of float32 need not be positive semi-definite."""
    return np.asarray(arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X, np.float64)


def block_values(params: LearnedKernel, block: Block) -> Any:
    """Return the functions of the rows of a block, in their precision."""
    X = arrays.to_numpy(block.X) if arrays.is_tensor(block.X) else block.X
    return values_of(params, rows_of(block)).astype(X.dtype, copy=False)


def block_classes(params: LearnedKernel, block: Block) -> Any:
    """Return the classes of the rows of a block."""
    return classes_of(params, rows_of(block))


class MultipleKernelLearning(ClassifierMixin, Estimator):
    """Support vector machine with learned weights of several kernels.

    Parameters
    ----------
    kernels : list of Kernel, default=None
        What to choose from. None: linear, and Gaussian with four length scales.
    C : float, default=1.0
        What a row on the wrong side costs.
    normalize : bool, default=True
        Whether to divide every kernel by its variance over the training rows, so that weights can be compared.
    tol : float, default=1e-2
        Stop when the relative gap (4) is at most this.
    max_iter : int, default=200

    Attributes
    ----------
    weights_ : array of shape (n_kernels,)
        b: not negative, sum one.
    kernels_ : list of Kernel
    kernel_ : Kernel
        The weighted sum.
    dual_coef_ : array of shape (n_functions, n_samples)
        Multipliers times -1 or +1; one function for two classes, else one per class.
    intercept_ : array of shape (n_functions,)
    classes_ : array of shape (n_classes,)
    X_fit_ : array or list
        The training rows.
    gap_ : float
        (4) at the end.
    history_ : History
        J of every iteration.
    n_iter_ : int
    n_features_in_, feature_names_in_
        As in scikit-learn; where rows are vectors.

    Notes
    -----
    Every iteration solves a quadratic programme in all rows: for up to a few thousand. Kernels of strings, sets or graphs are given
    lists of those as X.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.kernels import MultipleKernelLearning, RBF
    >>> X = np.random.default_rng(0).standard_normal((80, 3))
    >>> y = X[:, 0] ** 2 > 0.5  # the first column alone decides
    >>> def column(j):
    ...     return RBF(0.7).of(lambda X: X[:, [j]])
    >>> MultipleKernelLearning([column(0), column(1), column(2)], tol=1e-3).fit(X, y).weights_.round(2)
    array([0.96, 0.04, 0.  ])
    """

    _squares_columns = True
    _domains: dict[str, Domain] = {
        "kernels": Instance(list) | Instance(tuple) | Null(),
        "C": Real(0, open="low"),
        "normalize": Bool(),
        "tol": Real(0),
        "max_iter": Int(1),
    }
    weights_: np.ndarray
    kernels_: list[Kernel]
    dual_coef_: np.ndarray
    intercept_: np.ndarray
    classes_: np.ndarray
    X_fit_: np.ndarray | list[Any]
    gap_: float
    history_: History
    n_iter_: int

    def __init__(
        self,
        kernels: Sequence[Any] | None = None,
        *,
        C: float = 1.0,
        normalize: bool = True,
        tol: float = 1e-2,
        max_iter: int = 200,
    ) -> None:
        self.kernels = kernels
        self.C = C
        self.normalize = normalize
        self.tol = tol
        self.max_iter = max_iter

    def _checked_kernels(self) -> list[Any] | None:
        """Return the kernels that were given."""
        if self.kernels is None:
            return None
        for place, kernel in enumerate(self.kernels):
            if not is_kernel(kernel):
                raise ParameterTypeError(
                    f"MultipleKernelLearning(kernels=...): entry {place} is {kernel!r}, not a kernel of novum.kernels."
                )
            if getattr(kernel, "is_valid", None) is False:
                raise ParameterError(
                    f"MultipleKernelLearning(kernels=...): {kernel!r} is not positive semi-definite; its machine has no optimum."
                )
        if not len(self.kernels):
            raise ParameterError("MultipleKernelLearning(kernels=[]): give at least one kernel, or None.")
        return list(self.kernels)

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Learn weights and machines.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        given = self._checked_kernels()
        self._on_objects = given is not None and compares_objects(given, X)
        rows, labels, weight = self._training_rows(X, y, sample_weight)
        classes, code = np.unique(labels, return_inverse=True)
        if len(classes) < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got 1 class. MultipleKernelLearning separates classes, and y "
                f"has {classes[0]} alone."
            )
        kernels = default_kernels(rows, weight) if given is None else given
        grams = np.stack([np.asarray(kernel(rows), np.float64) for kernel in kernels])
        scales = np.array([variance_of(K, weight) for K in grams]) if self.normalize else np.ones(len(grams))
        sides = np.arange(len(classes)) if len(classes) > 2 else np.array([1])
        targets = np.where(code[None, :] == sides[:, None], 1.0, -1.0)
        found, objectives, gaps = learn_weights(
            grams / scales[:, None, None], targets, self.C * weight, self.tol, self.max_iter
        )
        if gaps[-1] > self.tol:
            warn(
                f"MultipleKernelLearning: the gap is {gaps[-1]:.2g} > tol={self.tol:g} after max_iter={self.max_iter} iterations; "
                "raise max_iter= or tol=.",
                NotConverged,
            )
        self.classes_, self.weights_, self.kernels_, self.X_fit_ = classes, found.weights, kernels, rows
        self._scales = scales
        self.dual_coef_ = np.stack([machine.multipliers * t for machine, t in zip(found.machines, targets)])
        self.intercept_ = np.array([machine.bias for machine in found.machines])
        self.gap_, self.n_iter_ = gaps[-1], len(gaps)
        self.history_ = History(objectives, {"gap": gaps}, name="objective")
        return self

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Array]:
        """Return rows or objects, their labels and their weights, those of weight zero left out."""
        if self._on_objects:
            objects, labels = list(X), column_or_1d(y)
            if len(objects) != len(labels):
                raise DataError(f"MultipleKernelLearning: X has {len(objects)} objects and y {len(labels)} labels.")
            given = row_weights("MultipleKernelLearning", sample_weight, len(objects))
            weight = np.ones(len(objects)) if given is None else given
            return [one for one, w in zip(objects, weight) if w > 0], labels[weight > 0], weight[weight > 0]
        source: Any = self._source(X, y, sample_weight, target="classes")
        remedy = "give a sample of the rows as an array, or use SGDClassifier"
        rows = np.asarray(source.array("MultipleKernelLearning compares every row with every other", remedy))
        classes, coded = labels_of(source)
        weight = np.ones(len(rows)) if source.weight is None else np.asarray(source.weight, np.float64)
        kept = weight > 0
        return rows[kept].astype(np.float64), classes[np.asarray(coded.y).ravel()[kept]], weight[kept]  # type: ignore[attr-defined]

    @property
    def kernel_(self) -> Kernel:
        """The weighted sum of the kernels; those of weight zero left out."""
        check_is_fitted(self)
        parts: list[Any] = [
            float(b / s) * kernel
            for b, s, kernel in zip(self.weights_, self._scales, self.kernels_)
            if b > np.finfo(float).tiny
        ]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    def _learned(self) -> LearnedKernel:
        return LearnedKernel(self.kernel_, self.X_fit_, self.dual_coef_, self.intercept_, self.classes_)

    def decision_function(self, X: Any) -> Any:
        """Return the function of two classes, positive for the second, or one function per class."""
        params = self._learned()
        return values_of(params, list(X)) if self._on_objects else self._rows(X, block_values, params)

    def predict(self, X: Any) -> Any:
        """Return the class of every row."""
        params = self._learned()
        return classes_of(params, list(X)) if self._on_objects else self._rows(X, block_classes, params)


def leaves_of(kernel: Any) -> list[Any]:
    """Return the kernels that a kernel is made of, down to those that are made of none."""
    inner = [part for _, part in kernel._inner()] if isinstance(kernel, Kernel) else []
    return [leaf for part in inner for leaf in leaves_of(part)] or [kernel]


def compares_objects(kernels: list[Any], X: Any) -> bool:
    """Return whether X is a list of objects rather than a table of numbers."""
    leaves = [leaf for kernel in kernels for leaf in [kernel, *leaves_of(kernel)]]
    if any(isinstance(leaf, Structured) for leaf in leaves):
        return True
    if any(kernel.requires_vector_input for kernel in kernels) or hasattr(X, "shape"):
        return False
    return isinstance(X, list | tuple) and bool(X) and isinstance(X[0], str | set | frozenset | dict)


def variance_of(K: Array, weight: Array) -> float:
    """Return the variance of the rows in a kernel's feature space; one where there is none."""
    w = weight / weight.sum()
    found = float(w @ np.diagonal(K) - w @ K @ w)
    return found if found > 1e-12 * max(float(np.abs(K).max()), np.finfo(float).tiny) else 1.0


def default_kernels(rows: Array, weight: Array) -> list[Kernel]:
    """Return a linear kernel, and Gaussian ones with length scales in units of the standard deviation of the rows."""
    w = weight / weight.sum()
    deviation = float(np.sqrt((w @ (rows - w @ rows) ** 2).sum())) or 1.0
    return [Linear(), *(RBF(factor * deviation) for factor in FACTORS)]
