"""Kernels written out pair by pair: the slow twin of the compiled Gram programs."""

import numpy as np


def pairs(function, X, Y):
    """Return function(x, z) for all pairs."""
    return np.array([[function(x, z) for z in Y] for x in X]).reshape(len(X), len(Y))


def rbf(x, z, scale=1.0):
    return np.exp(-0.5 * np.sum(((x - z) / scale) ** 2))


def matern(x, z, scale=1.0, nu=1.5):
    from mpmath import besselk, gamma, mp, mpf, sqrt

    mp.dps = 30
    r = sqrt(sum((mpf(float(a)) / mpf(float(s))) ** 2 for a, s in zip(x - z, np.broadcast_to(scale, x.shape))))
    if r == 0:
        return 1.0
    a = sqrt(2 * mpf(nu)) * r
    return float(2 ** (1 - mpf(nu)) / gamma(mpf(nu)) * a ** mpf(nu) * besselk(mpf(nu), a))


def laplacian(x, z, scale=1.0):
    return np.exp(-np.sum(np.abs(x - z) / scale))


def rational(x, z, scale=1.0, alpha=1.0):
    return (1 + np.sum((x - z) ** 2) / (2 * alpha * scale**2)) ** -alpha


def periodic(x, z, scale=1.0, period=1.0):
    return np.exp(-2 * np.sin(np.pi * np.sqrt(np.sum((x - z) ** 2)) / period) ** 2 / scale**2)


def dot(x, z):
    return float(x @ z)


def spectrum(a, b, k, gaps=0):
    """Return the sum over all pairs of subsequences of k letters within k + gaps of matches."""
    from itertools import combinations

    def parts(s):
        found = []
        for i in range(len(s)):
            for rest in combinations(range(i + 1, min(len(s), i + k + gaps)), k - 1):
                found.append(tuple(s[j] for j in (i, *rest)))
        return found

    return sum(p == q for p in parts(a) for q in parts(b))


def relabel(graph, labels):
    """Return (own label, sorted neighbors' labels) of every node, as a string."""
    return {v: f"({labels[v]}|{','.join(sorted(labels[u] for u in graph[v]))})" for v in graph}


def weisfeiler_lehman(graphs, n_iter, attribute="label", binary=False):
    """Return the sum over rounds of inner products of label counts."""
    from collections import Counter

    now = [{v: str(g.nodes[v].get(attribute, "")) for v in g} for g in graphs]
    K = np.zeros((len(graphs), len(graphs)))
    for _ in range(n_iter + 1):
        counts = [Counter(labels.values()) for labels in now]
        if binary:
            counts = [Counter(dict.fromkeys(c, 1)) for c in counts]
        K += [[sum(a[label] * b[label] for label in a) for b in counts] for a in counts]
        now = [relabel(g, labels) for g, labels in zip(graphs, now)]
    return K
