r"""Classical scaling: points whose inner products are nearest to those that squared dissimilarities imply (Torgerson 1952).

    B = -1/2 J D^2 J,   J = I - 1 1'/n,   B v_j = lambda_j v_j,   z_ij = sqrt(lambda_j) v_ij       (5)
    new row with squared dissimilarities s:  z_j = -1/2 v_j' (s - mean of the rows of D^2) / sqrt(lambda_j)   (6)

Euclidean distances give back the points up to a rotation: then (5) is principal component analysis. Negative eigenvalues say that
no points have these dissimilarities.
"""

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

__all__ = ["Axes", "classical_axes", "classical_points", "place_by_axes"]

LANCZOS = 400  # points from which a few eigenvectors by iterations are cheaper than a decomposition
FEW = 10  # components up to which that is so


class Axes(NamedTuple):
    vectors: np.ndarray  # (n, q)
    values: np.ndarray  # (q,)
    means: np.ndarray  # (n,): of the rows of D^2


def classical_axes(D: np.ndarray, q: int) -> Axes:
    """Return the q largest eigenvalues of (5) and their vectors; the entry of largest size of each is positive."""
    n = len(D)
    B = np.asarray(D, dtype=np.float64) ** 2
    means = B.mean(axis=0)
    B -= means
    B -= B.mean(axis=1, keepdims=True)
    B *= -0.5
    q = min(q, n)
    if n > LANCZOS and q <= FEW:
        start = np.random.RandomState(0).uniform(-1, 1, n)
        values, vectors = scipy.sparse.linalg.eigsh(B, k=q, which="LA", v0=start)
    else:
        values, vectors = scipy.linalg.eigh(B, subset_by_index=[n - q, n - 1], driver="evr")
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(q)]
    return Axes(vectors * np.where(largest < 0, -1.0, 1.0), values, means)


def classical_points(axes: Axes, q: int) -> np.ndarray:
    """Return z of (5), q columns; those of eigenvalues that are not positive are zero."""
    points = axes.vectors * np.sqrt(np.maximum(axes.values, 0.0))
    return np.pad(points, ((0, 0), (0, q - points.shape[1])))


def place_by_axes(squares: np.ndarray, axes: Axes, q: int) -> np.ndarray:
    """Return (6)."""
    tiny = np.finfo(float).eps * max(float(axes.values[0]), np.finfo(float).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(axes.values > tiny, axes.vectors / np.sqrt(axes.values), 0.0)
    points = -0.5 * (squares - axes.means) @ scaled
    return np.pad(points, ((0, 0), (0, q - points.shape[1])))
