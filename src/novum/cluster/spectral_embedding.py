"""Nodes of a graph as rows of eigenvectors of its Laplacian, and labels from such rows.

The formulas are those of `spectral`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, lobpcg, splu

from novum.exceptions import DataWarning
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn

__all__ = ["embedding_of", "qr_labels", "rotated_labels", "symmetric"]

DENSE = 256  # nodes up to which the eigenvectors come from LAPACK
DENSE_HIDDEN = 1500  # likewise where several eigenvalues of zero are likely and their vectors unknown
PART = 512  # rows of a dense matrix that a thread multiplies at a time
RESTARTED = 40  # restarts after which factors of a sparse matrix are the shorter way
SHIFT = -1e-5  # eigenvalues near zero are found as the largest of the inverse of L - SHIFT
TURNS, RESTARTS = 20, 30  # of the search for a rotation towards indicators


def symmetric(affinity: Any) -> bool:
    """Return whether a dense matrix equals its transpose, tile by tile: a whole transpose would be read against the grain."""
    tiles = range(0, len(affinity), PART)
    return all(
        np.array_equal(affinity[i : i + PART, j : j + PART], affinity[j : j + PART, i : i + PART].T)
        for i in tiles
        for j in tiles
        if i <= j
    )


def components_of(affinity: Any) -> NDArray:
    """Return the number of every node's connected component."""
    if scipy.sparse.issparse(affinity):
        return connected_components(affinity, directed=False)[1]
    label, count = np.full(len(affinity), -1), 0
    while (label < 0).any():
        frontier = np.array([label.argmin()])
        while len(frontier):
            label[frontier] = count
            frontier = np.flatnonzero((affinity[frontier] != 0).any(axis=0) & (label < 0))
        count += 1
    return label


def embedding_of(affinity: Any, k: int, solver: str | None, tol: float, seed: int) -> NDArray:
    """Return (1), signs fixed by the largest entry of every column."""
    component, n = components_of(affinity), affinity.shape[0]
    if component.max() > 0:
        warn("Graph is not fully connected, spectral embedding may not work as expected.", DataWarning)
    degree = np.asarray(affinity.sum(axis=0), np.float64).ravel() - affinity.diagonal()
    root = np.where(degree > 0, np.sqrt(np.abs(degree)), 1.0)
    # A Krylov space holds one direction of several equal eigenvalues: known null vectors are taken out of it, and where a node
    # without links (or with negative ones) hides them, LAPACK finds all.
    known = bool((degree > 0).all())
    if n <= (DENSE if known or component.max() == 0 else DENSE_HIDDEN) or k >= n - 1:
        dense = affinity.toarray() if scipy.sparse.issparse(affinity) else affinity
        vectors = scipy.linalg.eigh(dense_laplacian(dense, root), subset_by_index=[0, k - 1])[1]
    else:
        stream, parts = Stream(seed), int(component.max()) + 1 if known else 0
        mix = np.eye(parts)
        if parts > k:  # any combinations that tell all components apart
            mix = np.linalg.qr(stream.normal("spectral components", 0, parts, k))[0]
        vectors = null_vectors(component, root, mix)
        if parts < k:
            draws = stream.normal("spectral", 0, n, k - parts)
            vectors = np.hstack([vectors, least_eigenvectors(affinity, vectors, solver, tol, draws, root)])
    vectors = np.ascontiguousarray(vectors / root[:, None])
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(vectors[largest, np.arange(k)] < 0, -1.0, 1.0)


def null_vectors(component: NDArray, root: NDArray, mix: NDArray) -> NDArray:
    """Return combinations `mix` (components, columns) of the eigenvectors of 0: D^(1/2) on a component, of length one."""
    if not len(mix):
        return np.zeros((len(root), 0))
    return (root / np.sqrt(np.bincount(component, root**2))[component])[:, None] * mix[component]


def dense_laplacian(affinity: NDArray, root: NDArray) -> NDArray:
    """Return L."""
    laplacian = -affinity / np.outer(root, root)
    np.fill_diagonal(laplacian, 1.0)
    return laplacian


def least_eigenvectors(
    affinity: Any, null: NDArray, solver: str | None, tol: float, draws: NDArray, root: NDArray
) -> NDArray:
    """Return the eigenvectors of the least eigenvalues of L but those in `null`, one for every column of `draws`: they are those
    of the largest eigenvalues of 2 (I - null null') - L, so nothing is inverted.
    """
    (n, k), sparse = draws.shape, scipy.sparse.issparse(affinity)
    off = scipy.sparse.csr_matrix(affinity - scipy.sparse.diags(affinity.diagonal())) if sparse else affinity
    if solver in ("lobpcg", "amg"):
        laplacian = sparse_laplacian(off, root) if sparse else dense_laplacian(affinity, root)
        Y = null if null.shape[1] else None
        return lobpcg(laplacian, draws, Y=Y, tol=tol or None, largest=False, maxiter=2000)[1]
    product = (lambda v: off @ v) if sparse else dense_product(affinity)
    own = 1.0 if sparse else 1.0 - affinity.diagonal() / root**2

    def flipped(v: NDArray) -> NDArray:
        v = v.ravel()
        return product(v / root) / root + own * v - null @ (2.0 * (null.T @ v))

    operator = LinearOperator((n, n), matvec=flipped, dtype=np.float64)
    try:
        limit = RESTARTED if sparse else None
        values, vectors = eigsh(operator, k=k, which="LA", tol=tol, v0=draws[:, 0], maxiter=limit)
        return vectors[:, np.argsort(-values)]
    except ArpackNoConvergence:
        if not sparse:
            raise
    laplacian = sparse_laplacian(off, root)
    shifted = scipy.sparse.csc_matrix(laplacian - SHIFT * scipy.sparse.eye(n))
    factors = splu(shifted, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})

    def inverse(v: NDArray) -> NDArray:
        v = factors.solve(v.ravel())
        return v - null @ (null.T @ v)

    solve = LinearOperator((n, n), matvec=inverse, dtype=np.float64)
    values, vectors = eigsh(laplacian, k=k, sigma=SHIFT, which="LM", tol=tol, v0=draws[:, 0], OPinv=solve)
    return vectors[:, np.argsort(values)]


def sparse_laplacian(off: Any, root: NDArray) -> Any:
    """Return L of affinities without their diagonal."""
    scale = scipy.sparse.diags(1 / root)
    return (scipy.sparse.eye(len(root)) - scale @ off @ scale).tocsc()


def dense_product(affinity: NDArray) -> Callable[[NDArray], NDArray]:
    """Return the product with a vector, by all threads over parts of the rows that depend on their number alone."""
    n, threads = len(affinity), thread_count()
    parts = [slice(start, start + PART) for start in range(0, n, PART)]

    def product(v: NDArray) -> NDArray:
        return np.concatenate(list(map_ordered(lambda part: affinity[part] @ v, parts, threads)))

    return product


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
