r"""Classical scaling: points whose inner products are nearest to those that squared dissimilarities imply (Torgerson 1952).

    B = -1/2 J D^2 J,   J = I - 1 1'/n,   B v_j = lambda_j v_j,   z_ij = sqrt(lambda_j) v_ij       (5)
    new row with squared dissimilarities s:  z_j = -1/2 v_j' (s - mean of the rows of D^2) / sqrt(lambda_j)   (6)

Euclidean distances give back the points up to a rotation: then (5) is principal component analysis. Negative eigenvalues say that
no points have these dissimilarities. Eigenvectors: centered.py.
"""

import numpy as np

from novum.manifold.centered import CenteredAxes

__all__ = ["classical_points", "place_by_axes"]


def classical_points(axes: CenteredAxes, q: int) -> np.ndarray:
    """Return z of (5), q columns; those of eigenvalues that are not positive are zero."""
    points = axes.vectors * np.sqrt(np.maximum(axes.values, 0.0))
    return np.pad(points, ((0, 0), (0, q - points.shape[1])))


def place_by_axes(squares: np.ndarray, axes: CenteredAxes, q: int) -> np.ndarray:
    """Return (6), zero along axes of no length."""
    tiny = len(axes.vectors) * np.finfo(float).eps * max(float(axes.values[0]), np.finfo(float).tiny)
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(axes.values > tiny, axes.vectors / np.sqrt(axes.values), 0.0)
    points = -0.5 * (squares - axes.means) @ scaled
    return np.pad(points, ((0, 0), (0, q - points.shape[1])))
