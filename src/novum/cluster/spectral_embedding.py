"""Nodes of a graph as rows of eigenvectors of its Laplacian, and labels from such rows.

The formulas are those of `spectral`.
"""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh, lobpcg

from novum.exceptions import DataWarning
from novum.runtime.random import Stream
from novum.runtime.warn import warn

__all__ = ["embedding_of", "qr_labels", "rotated_labels"]

DENSE = 1500  # nodes up to which all requested eigenvectors come from LAPACK
SHIFT = -1e-5  # eigenvalues near zero are found as the largest of the inverse of L - SHIFT
TURNS, RESTARTS = 20, 30  # of the search for a rotation towards indicators


def embedding_of(affinity: Any, k: int, solver: str | None, tol: float, seed: int) -> NDArray:
    """Return (1), signs fixed by the largest entry of every column."""
    n = affinity.shape[0]
    if connected_components(affinity, directed=False, return_labels=False) > 1:
        warn("Graph is not fully connected, spectral embedding may not work as expected.", DataWarning)
    degree = np.asarray(affinity.sum(axis=0), np.float64).ravel()
    if scipy.sparse.issparse(affinity):
        degree = degree - affinity.diagonal()
    else:
        degree = degree - np.diagonal(affinity)
    root = np.where(degree > 0, np.sqrt(np.abs(degree)), 1.0)
    if scipy.sparse.issparse(affinity):
        scale = scipy.sparse.diags(1 / root)
        off = affinity - scipy.sparse.diags(affinity.diagonal())
        laplacian = (scipy.sparse.eye(n) - scale @ off @ scale).tocsc()
    else:
        laplacian = -affinity / np.outer(root, root)
        np.fill_diagonal(laplacian, 1.0)
    vectors = least_eigenvectors(laplacian, k, solver, tol, seed, root)
    vectors = vectors / root[:, None]
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(vectors[largest, np.arange(k)] < 0, -1.0, 1.0)


def least_eigenvectors(laplacian: Any, k: int, solver: str | None, tol: float, seed: int, first: NDArray) -> NDArray:
    """Return the eigenvectors of the k least eigenvalues."""
    n = laplacian.shape[0]
    if n <= DENSE or k >= n - 1:
        dense = laplacian.toarray() if scipy.sparse.issparse(laplacian) else laplacian
        return scipy.linalg.eigh(dense, subset_by_index=[0, k - 1])[1]
    draws = Stream(seed).normal("spectral", 0, n, k)
    if solver in ("lobpcg", "amg"):
        draws[:, 0] = first
        return lobpcg(laplacian, draws, tol=tol or None, largest=False, maxiter=2000)[1]
    if scipy.sparse.issparse(laplacian):
        values, vectors = eigsh(laplacian, k=k, sigma=SHIFT, which="LM", tol=tol, v0=draws[:, 0])
    else:
        flipped = -laplacian
        flipped[np.diag_indices(n)] += 2.0  # 2 I - L: the least of L are its largest, and nothing is inverted
        values, vectors = eigsh(flipped, k=k, which="LA", tol=tol, v0=draws[:, 0])
        values = 2.0 - values
    return vectors[:, np.argsort(values)]


def qr_labels(vectors: NDArray) -> NDArray:
    """Return labels by pivoted QR (Damle, Minden and Ying 2019)."""
    k = vectors.shape[1]
    pivots = scipy.linalg.qr(vectors.T, pivoting=True, mode="r")[1]
    u, _, v = scipy.linalg.svd(vectors[pivots[:k]].T)
    return np.abs(vectors @ (u @ v)).argmax(axis=1)


def rotated_labels(vectors: NDArray, seed: int) -> NDArray:
    """Return labels by the rotation that brings rows nearest to indicators (Yu and Shi 2003)."""
    n, k = vectors.shape
    vectors = vectors / np.linalg.norm(vectors, axis=0) * np.sqrt(n)
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(length > 0, length, 1.0)
    starts = Stream(seed).integers("rotation", 0, RESTARTS, n)
    best, least = np.zeros(n, np.int64), np.inf
    for start in starts[:3]:
        rotation = np.zeros((k, k))
        rotation[:, 0] = vectors[start]
        used = np.zeros(n)
        for j in range(1, k):
            used += np.abs(vectors @ rotation[:, j - 1])
            rotation[:, j] = vectors[used.argmin()]
        before = np.inf
        for _ in range(TURNS):
            labels = (vectors @ rotation).argmax(axis=1)
            sums = np.zeros((k, k))
            np.add.at(sums, labels, vectors)
            u, s, v = np.linalg.svd(sums)
            cut = 2.0 * (n - s.sum())
            if cut < least:
                best, least = labels, cut
            if abs(before - cut) < np.finfo(float).eps:
                break
            before, rotation = cut, v.T @ u.T
    return best
