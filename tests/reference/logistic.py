"""Logistic regression by its formulas, one row at a time where that is clearest: the oracle of the compiled kernels."""

import numpy as np


def rows(X, constant):
    """[x, constant]."""
    return np.column_stack([X.astype(float), np.full(len(X), constant)])


def binary(X, y, weight, theta, constant):
    """Loss, gradient, Hessian and curvature of every row, for two classes."""
    A, w = rows(X, constant), np.ones(len(X)) if weight is None else weight
    z = A @ theta
    s = 1 / (1 + np.exp(-z))
    loss = float(np.sum(w * (np.logaddexp(0, z) - y * z)))
    r = w * s * (1 - s)
    return loss, A.T @ (w * (s - y)), (A * r[:, None]).T @ A, r


def softmax(Z):
    """Probabilities of the classes."""
    E = np.exp(Z - Z.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True)


def multinomial(X, y, weight, theta, constant):
    """Loss, gradient (K, m) and Hessian (K m, K m) for several classes."""
    A, w = rows(X, constant), np.ones(len(X)) if weight is None else weight
    P = softmax(A @ theta.T)
    k, m = theta.shape
    loss, gradient, hessian = 0.0, np.zeros((k, m)), np.zeros((k * m, k * m))
    for a, p, t, v in zip(A, P, y, w):
        loss -= v * np.log(p[t])
        gradient += v * np.outer(p - np.eye(k)[t], a)
        hessian += v * np.kron(np.diag(p) - np.outer(p, p), np.outer(a, a))
    return loss, gradient, hessian


def quadratic_model(H, slope, value, l1, l2, d):
    """slope'd + 1/2 d'Hd + 1/2 l2 d^2 + l1 |value + d|."""
    return slope @ d + 0.5 * d @ H @ d + 0.5 * l2 @ d**2 + l1 @ np.abs(value + d)
