r"""Leading eigenvectors of doubly centred squares, without making that matrix: block Lanczos.

    B = -1/2 J P^2 J,   J = I - 1 1'/n,   P^2 entry by entry                                       (1)
    Q_1 random;  B Q_i made orthogonal to Q_1, ..., Q_i and factored = Q_{i+1} R_{i+1}             (2)
    T = Q'B Q,   T y = theta y:   |B Q y - theta Q y| = |R_{i+1} y_i|                              (3)

y_i are the last entries of y. A product with B reads P once for eight columns, by all threads; (3) says how good a pair is.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from novum import _core
from novum.runtime.pool import map_ordered
from novum.runtime.random import Stream
from novum.runtime.threads import thread_count

__all__ = ["CenteredAxes", "centered_axes", "euclidean_axes"]

WIDE = 8  # columns of a product of the kernel
DENSE = 256  # rows up to which a decomposition of B is cheaper
MANY = 0.1  # share of the rows from which components are too many for (2)
PIECE = 256  # rows of one call of the kernel
ACCURACY = 1e-12  # of a pair, relative to the largest eigenvalue; rounding leaves no more


class CenteredAxes(NamedTuple):
    """Eigenvalues of (1) in falling order, their vectors as columns, and the means of the columns of P^2."""

    values: np.ndarray  # (q,)
    vectors: np.ndarray  # (n, q)
    means: np.ndarray  # (n,)


def multiply(P: np.ndarray, V: np.ndarray, threads: int) -> np.ndarray:
    """Return P^2 V."""
    out = np.empty((len(P), V.shape[1]))
    for start in range(0, V.shape[1], WIDE):
        columns = np.ascontiguousarray(V[:, start : start + WIDE])
        part = np.empty((len(P), WIDE))

        def work(rows: slice, columns: np.ndarray = columns, part: np.ndarray = part) -> None:
            _core.manifold.geodesics.squared_product(P[rows], columns, part[rows])

        for _ in map_ordered(work, [slice(s, s + PIECE) for s in range(0, len(P), PIECE)], threads):
            pass
        out[:, start : start + WIDE] = part
    return out


def dense_axes(P: np.ndarray, q: int) -> CenteredAxes:
    """Return the leading pairs by a decomposition of (1)."""
    n = len(P)
    B = P.astype(np.float64) ** 2
    means = B.mean(axis=0)
    B -= means
    B -= B.mean(axis=1, keepdims=True)
    B *= -0.5
    values, vectors = scipy.linalg.eigh(B, subset_by_index=[n - q, n - 1], driver="evr")
    return CenteredAxes(values[::-1], vectors[:, ::-1], means)


def euclidean_axes(rows: np.ndarray, q: int) -> CenteredAxes:
    """Return the leading pairs of (1) where P are the distances between rows: there B = A A', A the centred rows."""
    A = rows.astype(np.float64)
    A -= A.mean(axis=0)
    vectors, singular, _ = np.linalg.svd(A, full_matrices=False)
    squares = np.einsum("ij,ij->i", A, A)
    return with_signs(CenteredAxes(singular[:q] ** 2, vectors[:, :q], squares + squares.mean()))


def with_signs(found: CenteredAxes) -> CenteredAxes:
    """Return the axes with the entry of largest size of each positive."""
    vectors = found.vectors
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])]
    return found._replace(vectors=vectors * np.where(largest < 0, -1.0, 1.0))


def fresh(block: np.ndarray, basis: np.ndarray) -> np.ndarray:
    """Return an orthonormal block orthogonal to the basis: where (2) left rounding alone, its directions are not."""
    return np.linalg.qr(block - basis @ (basis.T @ block))[0]


def lanczos_axes(P: np.ndarray, q: int, accuracy: float, threads: int) -> CenteredAxes | None:
    """Return the leading pairs by (2), or None where they do not settle before a decomposition would be cheaper."""
    n, width = len(P), WIDE * -(-(q + 2) // WIDE)
    means = multiply(P, np.repeat(np.full((n, 1), 1.0 / n), WIDE, axis=1), threads)[:, 0]
    Q, _ = np.linalg.qr(Stream(0).normal("centred axes", 0, n, width))
    basis, T, look = Q, np.zeros((0, 0)), 1
    for step in range(1, max(2, n // (4 * width))):
        last = basis[:, -width:]
        W = multiply(P, last - last.mean(axis=0), threads)
        W = -0.5 * (W - W.mean(axis=0))
        first = basis.T @ W
        W -= basis @ first
        W -= basis @ (basis.T @ W)  # once more: the first subtraction leaves rounding along the basis
        T = np.block([[T, first[:-width]], [first[:-width].T, first[-width:]]]) if len(T) else first
        following, R = np.linalg.qr(W)
        if step < look:
            basis = np.concatenate([basis, fresh(following, basis)], axis=1)
            continue
        look = step + max(1, step // 4)  # T grows, and its decomposition with the third power
        values, vectors = np.linalg.eigh((T + T.T) / 2)
        residual = np.linalg.norm(R @ vectors[-width:, ::-1][:, :q], axis=0)
        if residual.max() <= accuracy * max(float(np.abs(values).max()), np.finfo(float).tiny):
            return CenteredAxes(values[::-1][:q], basis @ vectors[:, ::-1][:, :q], means)
        basis = np.concatenate([basis, fresh(following, basis)], axis=1)
    return None


def centered_axes(
    P: Any, q: int, solver: str = "auto", accuracy: float = 0.0, n_jobs: int | None = None
) -> CenteredAxes:
    """Return the q largest eigenvalues of (1) and their vectors; the entry of largest size of each is positive."""
    n = len(P)
    q = min(q, n)
    found = None
    if solver != "dense" and n > DENSE and q <= MANY * n:
        found = lanczos_axes(P, q, max(accuracy, ACCURACY), thread_count(n_jobs))
    if found is None:
        found = dense_axes(P, q)
    return with_signs(found)
