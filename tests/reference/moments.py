"""The design kernels as their definition says."""

import numpy as np


def shifted_design(X, y, weight, shift):
    """Rows sqrt(w) [x - shift_x, y - shift_y, 1]."""
    full = np.column_stack([X.astype(float), y.astype(float)]) - shift
    full = np.column_stack([full, np.ones(len(X))])
    return full if weight is None else full * np.sqrt(weight)[:, None]


def residuals(X, y, shift, coef):
    """y - shift_y - (x - shift_x) coef'."""
    p = X.shape[1]
    return (y.astype(float) - shift[p:]) - (X.astype(float) - shift[:p]) @ coef.T


def class_moments(X, code, weight, shift, k):
    """Mass, first and second moments of every class about its shift."""
    w = np.ones(len(X)) if weight is None else weight
    mass = np.array([w[code == c].sum() for c in range(k)])
    first = np.array([(w[code == c, None] * (X[code == c] - shift[c])).sum(axis=0) for c in range(k)])
    second = np.array([(w[code == c, None] * (X[code == c] - shift[c]) ** 2).sum(axis=0) for c in range(k)])
    return mass, first, second


def diagonal_log_density(X, mean, precision, constant):
    """constant - 1/2 sum_j precision (x - mean)^2."""
    return constant - 0.5 * (precision * (X[:, None, :] - mean) ** 2).sum(axis=2)
