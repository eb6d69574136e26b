r"""The kernel that was requested of a machine, and sums of kernels over its rows.

    linear x'z    poly (g x'z + c)^m    rbf exp(-g |x - z|^2)    laplacian exp(-g |x - z|_1)    sigmoid tanh(g x'z + c)    (1)
    f(x) = sum_i k(x, x_i) V_i                                                                                       (2)

A machine takes a name (those of scikit-learn's `pairwise_kernels`, with its parameters and their defaults), a kernel object, which
is called for whole matrices, any other function, which is called for a number per pair of rows, or the matrix itself
("precomputed").
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.metrics.pairwise import pairwise_kernels

from novum.exceptions import DataError
from novum.kernels.base import Kernel, is_kernel, number_of_samples
from novum.kernels.products import DotProduct, Linear, Polynomial, Sigmoid
from novum.kernels.stationary import RBF, Laplacian

__all__ = ["NAMES", "KernelChoice", "Power", "looks_numeric", "things_of"]

NAMES = (
    *("additive_chi2", "chi2", "cosine", "laplacian", "linear", "poly", "polynomial", "rbf", "sigmoid"),
    "precomputed",
)


class Power(NamedTuple):
    """A kernel (gamma x'z + offset)^degree, whose features are monomials."""

    gamma: float
    offset: float
    degree: int


class KernelChoice(NamedTuple):
    """A kernel and what it needs; `owner` is the machine, for messages."""

    kernel: Any
    params: dict[str, Any]  # gamma, degree, coef0 of a name; keywords of a function
    owner: str = "kernel"

    @property
    def is_matrix(self) -> bool:
        """Whether rows are rows of a kernel matrix."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def compiled(self, n_features: int) -> Kernel | None:
        """Return a kernel of the compiled core that does (1), or None where there is none."""
        if isinstance(self.kernel, Kernel):
            return self.kernel
        if not isinstance(self.kernel, str):
            return None
        gamma, degree, coef0 = (self.params.get(name) for name in ("gamma", "degree", "coef0"))
        gamma = 1 / n_features if gamma is None else gamma
        degree, coef0 = 3 if degree is None else degree, 1 if coef0 is None else coef0
        if self.kernel == "rbf" and gamma > 0:
            return RBF(float(np.sqrt(0.5 / gamma)))
        if self.kernel == "laplacian" and gamma > 0:
            return Laplacian(1 / gamma)
        if self.kernel == "sigmoid":
            return Sigmoid(gamma=gamma, coef0=coef0)
        if self.kernel in ("poly", "polynomial") and float(degree).is_integer():
            return Polynomial(degree=int(degree), coef0=coef0, gamma=gamma)
        return None

    def power(self, n_features: int) -> Power | None:
        """Return the kernel as a power of an inner product, if its features are monomials; else None."""
        found = Linear() if isinstance(self.kernel, str) and self.kernel == "linear" else self.compiled(n_features)
        if isinstance(found, Linear):
            return Power(1.0, 0.0, 1)
        if isinstance(found, DotProduct):
            return Power(1.0, float(found.sigma_0) ** 2, 1)
        if isinstance(found, Polynomial) and found.kernel is None and found.is_valid:
            return Power(float(found.gamma), float(found.coef0), int(found.degree))
        return None

    def between(self, X: Any, Y: Any = None) -> NDArray[Any]:
        """Return the kernel of every row of X with every row of Y, or of X; of "precomputed" X itself."""
        if self.is_matrix:
            return X
        n, m = number_of_samples(X), number_of_samples(X if Y is None else Y)
        K = self._matrix(X, Y)
        K = K.toarray() if scipy.sparse.issparse(K) else np.asarray(K)
        K = K if K.dtype == np.float32 else K.astype(np.float64, copy=False)
        if K.shape != (n, m):
            raise DataError(
                f"{self.owner}: kernel={self.kernel!r} returned an array of shape {K.shape} for {n} rows and {m} others; it should"
                f" be ({n}, {m}), one number per pair."
            )
        if not np.isfinite(K.sum()) and not np.isfinite(K).all():  # the sum is quick, and may overflow by itself
            raise DataError(
                f"{self.owner}: kernel={self.kernel!r} returned NaN or infinity. Look at the rows it was given, scale"
                " them, or give it other parameters."
            )
        return K

    def _matrix(self, X: Any, Y: Any) -> Any:
        if is_kernel(self.kernel):
            return self.kernel(X, Y)
        if not looks_numeric(X):
            return np.array([[self.kernel(x, z, **self.params) for z in (X if Y is None else Y)] for x in X], float)
        dense = not (scipy.sparse.issparse(X) or scipy.sparse.issparse(Y))
        if dense and (known := self.compiled(X.shape[1])) is not None:
            return known(X, Y)
        named = {name: value for name, value in self.params.items() if value is not None or callable(self.kernel)}
        return pairwise_kernels(X, Y, metric=self.kernel, filter_params=True, **named)

    def times(self, X: Any, Y: Any, V: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (2) for every row of X, (n, columns of V), without the matrix where the core can do without."""
        dense = isinstance(X, np.ndarray) and isinstance(Y, np.ndarray) and X.dtype.kind == "f"
        if dense and not self.is_matrix and (known := self.compiled(X.shape[1])) is not None and X.shape[0]:
            return known.gram_times(X, V, Y)
        return np.asarray(self.between(X, Y), dtype=np.float64) @ V


def looks_numeric(X: Any) -> bool:
    """Return whether X is a table of numbers; else only a kernel can say what its rows are."""
    if scipy.sparse.issparse(X):
        return True
    if hasattr(X, "iloc") or hasattr(X, "__dataframe__"):
        return len(X.shape) == 2  # a single column of a frame holds things
    try:
        array = np.asarray(X)
    except ValueError:
        return False
    return array.ndim == 2 and array.dtype.kind in "fiub"


def things_of(X: Any) -> Any:
    """Return things as an array or a list; a column of a frame as a list, since its labels are no places."""
    if hasattr(X, "to_list"):
        return X.to_list()
    return X if hasattr(X, "shape") else list(X)
