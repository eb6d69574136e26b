"""Quadratic forms of rows, by their definition."""

import numpy as np


def quadratic_of_rows(x, mean, form):
    """Return (x - m)' A (x - m) of every row."""
    return np.array([(row - mean) @ form @ (row - mean) for row in np.asarray(x, np.float64)])
