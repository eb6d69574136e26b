"""The kernel of a machine, and sums of kernels over its support vectors.

    linear x'z    poly (g x'z + c)^m    rbf exp(-g |x - z|^2)    sigmoid tanh(g x'z + c)    or a matrix, given or computed    (1)
    d(x) = sum_i a_i k(x, x_i)                                                                                              (2)

A callable (every kernel of `novum.kernels` is one) is called for the whole matrix between the rows of a fit.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum import _core
from novum.exceptions import DataError

__all__ = ["NAMES", "Kernel", "choose", "matrix_of", "squares_of", "weighted_sums"]

NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


class Kernel(NamedTuple):
    """(1): a name with its parameters, or a function of two tables of rows."""

    name: str
    gamma: float
    coef0: float
    degree: int
    function: Callable[..., Any] | None = None

    @property
    def arguments(self) -> tuple[str, float, float, int]:
        """What the compiled kernels take."""
        return self.name, float(self.gamma), float(self.coef0), int(self.degree)

    @property
    def is_matrix(self) -> bool:
        """Whether rows are rows of a kernel matrix."""
        return self.name == "precomputed"


def choose(
    kernel: Any, gamma: Any, coef0: float, degree: int, rows: Any, weight: NDArray[np.float64] | None = None
) -> Kernel:
    """Return the kernel with `gamma` in numbers: "scale" is one over columns times variance of all cells, "auto" without it."""
    if callable(kernel):
        return Kernel("precomputed", 0.0, 0.0, 0, kernel)
    if kernel == "precomputed":
        return Kernel(kernel, 0.0, 0.0, 0)
    if gamma == "auto":
        gamma = 1 / rows.shape[1]
    elif gamma == "scale":
        variance = cell_variance(rows, weight)
        gamma = 1 / (rows.shape[1] * variance) if variance > 0 else 1.0
    return Kernel(kernel, float(gamma), float(coef0), int(degree))


def cell_variance(rows: Any, weight: NDArray[np.float64] | None) -> float:
    """Return the variance of all cells, rows counted by their weights."""
    if scipy.sparse.issparse(rows):
        each = np.ones(rows.shape[0]) if weight is None else weight
        total = each.sum() * rows.shape[1]
        mean = float(each @ np.ravel(rows.sum(axis=1))) / total
        return float(each @ np.ravel(rows.multiply(rows).sum(axis=1))) / total - mean**2
    if weight is None:
        return float(rows.var(dtype=np.float64))
    mean = float(np.average(rows.mean(axis=1, dtype=np.float64), weights=weight))
    return float(np.average(((rows - mean) ** 2).mean(axis=1, dtype=np.float64), weights=weight))


def matrix_of(owner: str, kernel: Kernel, rows: Any, others: Any) -> NDArray[np.float64]:
    """Return the matrix of a callable kernel; raise where its shape is not that of the rows."""
    assert kernel.function is not None
    gram = kernel.function(rows, others)
    gram = np.ascontiguousarray(gram.toarray() if scipy.sparse.issparse(gram) else gram, dtype=np.float64)
    n, m = (len(each) if not hasattr(each, "shape") else each.shape[0] for each in (rows, others))
    if gram.shape != (n, m):
        raise DataError(
            f"{owner}: kernel returned an array of shape {gram.shape} for {n} rows and {m} others; it should be ({n}, {m}),"
            " one number per pair."
        )
    if not np.isfinite(gram).all():
        raise DataError(f"{owner}: kernel returned NaN or infinity. Look at the rows it was given, or scale them.")
    return gram


def weighted_sums(
    kernel: Kernel, vectors: Any, coefficient: NDArray[np.float64], origin: NDArray[np.float64] | None, rows: Any
) -> NDArray[np.float64]:
    """Return (2) for every row and every line of coefficients, (n, outputs); Gaussian kernels are taken about `origin`."""
    if scipy.sparse.issparse(vectors) or scipy.sparse.issparse(rows):
        return kernels_of_sparse(kernel, rows, vectors) @ coefficient.T
    out = np.empty((rows.shape[0], len(coefficient)))
    if not len(vectors):
        return np.zeros_like(out)
    shift = 0.0 if origin is None else origin
    points = _core.kernels.points.Points(np.ascontiguousarray(vectors - shift, dtype=np.float64))
    padded = np.zeros((len(coefficient), points.padded))
    padded[:, : coefficient.shape[1]] = coefficient
    x = np.ascontiguousarray(rows - shift, dtype=np.float64)
    _core.kernels.points.weigh(points, x, kernel.arguments, padded, 1, out)
    return out


def kernels_of_sparse(kernel: Kernel, rows: Any, others: Any) -> NDArray[np.float64]:
    """Return (1) of all pairs of two tables of which one at least is sparse."""
    dot = rows @ others.T
    dot = np.asarray(dot.toarray() if scipy.sparse.issparse(dot) else dot, dtype=np.float64)
    if kernel.name == "linear":
        return dot
    if kernel.name == "poly":
        return (kernel.gamma * dot + kernel.coef0) ** kernel.degree
    if kernel.name == "sigmoid":
        return np.tanh(kernel.gamma * dot + kernel.coef0)
    square = squares_of(rows)[:, None] + squares_of(others) - 2 * dot
    return np.exp(-kernel.gamma * np.maximum(square, 0, out=square))


def squares_of(rows: Any) -> NDArray[np.float64]:
    """Return the squared norm of every row."""
    if scipy.sparse.issparse(rows):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
