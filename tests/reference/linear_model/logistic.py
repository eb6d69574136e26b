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


def dual_epoch(X, y, weight, strength, constant, intercept, order, a, theta, parts=16):
    """One turn of every row in the dual, each by bisection; intercept 0: none, 1: penalised, 2: free. Changes a and theta."""
    A, n = rows(X, constant), len(X)
    for k, i in enumerate(order):
        c, sign = strength * (1.0 if weight is None else weight[i]), 2.0 * y[i] - 1
        x = A[i] * (np.arange(A.shape[1]) < A.shape[1] - (intercept != 1))
        if c > 0:
            low, high = -1e3, 1e3
            for _ in range(200):
                u = (low + high) / 2
                positive = u + x @ x * (c / (1 + np.exp(-u)) - a[i]) + sign * (A[i] @ theta) > 0
                low, high = (low, u) if positive else (u, high)
            after = c / (1 + np.exp(-u))
            theta += (after - a[i]) * sign * x
            a[i] = after
        if intercept == 2 and (k + 1) % max(1, n // parts) == 0:
            c = strength * (np.ones(n) if weight is None else weight)
            bend = np.sum((a * (1 - a / np.where(c > 0, c, 1)))[c > 0])
            theta[-1] += ((2.0 * y - 1) * a).sum() / (bend * constant)


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
