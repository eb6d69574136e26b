"""The leading eigenpairs of a symmetric matrix: by LAPACK, by Lanczos, or from products with a random block."""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from scipy.sparse.linalg import eigsh
from sklearn.utils.extmath import svd_flip

from novum.runtime import sklearn_private
from novum.runtime.random import Stream, seed_of

__all__ = ["leading", "leading_of_rows"]

MANY_ROWS, FEW_AXES = 200, 10  # from where on Lanczos finds few axes sooner than a whole decomposition
SPARE = 10  # columns more than wanted that a randomized start carries


def leading(K: np.ndarray, k: int, solver: str, options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the k largest eigenvalues of a symmetric matrix, falling, and their vectors; signs as in scikit-learn."""
    n = len(K)
    if solver == "auto":
        solver = "arpack" if n > MANY_ROWS and k < FEW_AXES else "dense"
    if solver == "dense" or k >= n:
        values, vectors = scipy.linalg.eigh(K, subset_by_index=(n - k, n - 1))
        if len(values) < k:  # LAPACK's bisection loses eigenvalues that are equal to the last bit
            values, vectors = (part[..., n - k :] for part in np.linalg.eigh(K))
    elif solver == "arpack":
        start = Stream(seed_of(options.random_state)).uniform("kernel pca start", 0, n) * 2 - 1
        values, vectors = eigsh(K, k, which="LA", tol=options.tol, maxiter=options.max_iter, v0=start.astype(K.dtype))
    else:
        values, vectors = randomized_eigenpairs(K, k, options)
    return in_order(values, vectors)


def in_order(values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenpairs by falling value, those that are rounding set to zero; signs as in scikit-learn."""
    values = sklearn_private.check_psd_eigenvalues(values, enable_warnings=False)
    vectors, _ = svd_flip(u=vectors, v=None)
    order = values.argsort()[::-1]
    return values[order], vectors[:, order]


def leading_of_rows(rows: Any, k: int, options: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the eigenpairs of A A', A the centred rows, by falling value: a linear kernel of few columns needs no matrix.

    None where the kernel is another, or where more axes are requested than there are columns.
    """
    linear = isinstance(options.kernel, str) and options.kernel == "linear" and isinstance(rows, np.ndarray)
    if not linear or options.eigen_solver not in ("auto", "dense") or rows.shape[1] >= len(rows):
        return None
    if k > rows.shape[1] and not (options.remove_zero_eig or options.n_components is None):
        return None
    vectors, singular, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return in_order(singular[:k] ** 2, vectors[:, :k])


def randomized_eigenpairs(K: np.ndarray, k: int, options: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return leading eigenpairs from a few products with a random block, orthonormalised between them."""
    n, width = len(K), min(len(K), k + SPARE)
    passes = (7 if k < 0.1 * n else 4) if options.iterated_power == "auto" else int(options.iterated_power)
    Q = Stream(seed_of(options.random_state)).normal("kernel pca block", 0, n, width).astype(K.dtype)
    for _ in range(passes + 1):
        Q, _ = np.linalg.qr(K @ Q)
    values, vectors = np.linalg.eigh(Q.T @ K @ Q)
    largest = np.sort(
        np.argsort(np.abs(values))[-k:]
    )  # by size: a large negative one betrays a matrix that is no kernel
    return values[largest], Q @ vectors[:, largest]
