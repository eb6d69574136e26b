"""Slow, obvious versions of the kernels of novum.manifold."""

import numpy as np


def guttman(D, Z):
    """Return the points after a Guttman transform, and the stress and the sum of squared distances before it."""
    n = len(Z)
    moved, stress, square = np.zeros_like(Z), 0.0, 0.0
    for i in range(n):
        for j in range(n):
            d = np.linalg.norm(Z[i] - Z[j])
            stress += (d - D[i, j]) ** 2 / 2
            square += d**2 / 2
            if d > 0:
                moved[i] += D[i, j] / d * (Z[i] - Z[j]) / n
    return moved, stress, square


def place(D, points, z, steps):
    """Return where a new point comes to rest among fixed ones after many Guttman transforms of it alone."""
    for _ in range(steps):
        gap = z - points
        d = np.linalg.norm(gap, axis=1)
        ratio = np.divide(D, d, out=np.zeros_like(D), where=d > 0)
        z = points.mean(axis=0) + (ratio[:, None] * gap).sum(axis=0) / len(points)
    return z


def shortest_paths(graph):
    """Return the lengths of shortest paths by Floyd and Warshall; `graph` is dense, infinite where there is no edge."""
    P = np.minimum(graph, graph.T)
    np.fill_diagonal(P, 0.0)
    for k in range(len(P)):
        P = np.minimum(P, P[:, k : k + 1] + P[k : k + 1])
    return P


def two_nearest(X, units):
    """Return the two nearest units of every row and their squared distances."""
    squares = ((X[:, None, :] - units[None, :, :]) ** 2).sum(axis=2)
    order = np.argsort(squares, axis=1, kind="stable")[:, :2]
    return order, np.take_along_axis(squares, order, 1)


def place_on_line(x, corners, arc):
    """Return where on a polygonal line a point is projected, and its squared distance."""
    best, place = np.inf, 0.0
    for a, b, start, stop in zip(corners, corners[1:], arc, arc[1:]):
        length = (b - a) @ (b - a)
        share = np.clip((x - a) @ (b - a) / length, 0, 1) if length else 0.0
        gap = x - a - share * (b - a)
        if gap @ gap < best:
            best, place = gap @ gap, start + share * (stop - start)
    return place, best
