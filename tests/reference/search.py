"""Nearest rows by definition: all distances in NumPy, sorted by distance and number."""

import numpy as np


def distances(X, Y, p=2.0):
    """Return all Minkowski distances."""
    difference = np.abs(X.astype(float)[:, None] - Y.astype(float)[None])
    if np.isinf(p):
        return difference.max(-1)
    return (difference**p).sum(-1) ** (1 / p)


def nearest(X, Y, k, p=2.0):
    """Return distances and numbers of the k nearest rows of Y; of equal ones the lower number first."""
    D = distances(X, Y, p)
    index = np.argsort(D, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(D, index, 1), index


def kernel(name, r):
    """Return a kernel of a scaled distance."""
    inside = r < 1
    return {
        "gaussian": np.exp(-r * r / 2),
        "exponential": np.exp(-r),
        "tophat": 1.0 * inside,
        "epanechnikov": inside * (1 - r * r),
        "linear": inside * (1 - r),
        "cosine": inside * np.cos(np.pi / 2 * r),
    }[name]
