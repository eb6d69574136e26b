"""Hidden Markov models by enumeration of all paths: the oracle of the recursions."""

import itertools
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp


class Enumerated(NamedTuple):
    log_likelihood: float
    gamma: np.ndarray  # (n, k)
    xi: np.ndarray  # (k, k), summed over steps
    paths: list  # (log p(x, z), z), best first
    filtered: np.ndarray  # (n, k)


def log_joint(start, trans, log, path):
    """Return log p(x, z) of one path, term by term."""
    with np.errstate(divide="ignore"):
        total = np.log(start[path[0]]) + log[0, path[0]]
        for t in range(1, len(path)):
            total += np.log(trans[path[t - 1], path[t]]) + log[t, path[t]]
    return total


def enumerate_paths(start, trans, log):
    n, k = log.shape
    scored = [(log_joint(start, trans, log, z), z) for z in itertools.product(range(k), repeat=n)]
    total = logsumexp([score for score, _ in scored])
    gamma, xi = np.zeros((n, k)), np.zeros((k, k))
    for score, z in scored:
        p = np.exp(score - total) if np.isfinite(score) else 0.0
        for t in range(n):
            gamma[t, z[t]] += p
        for t in range(1, n):
            xi[z[t - 1], z[t]] += p
    filtered = np.stack([gamma_of_prefix(start, trans, log[: t + 1]) for t in range(n)])
    return Enumerated(float(total), gamma, xi, sorted(scored, key=lambda one: (-one[0], one[1])), filtered)


def gamma_of_prefix(start, trans, log):
    """Return p(z_n | x_1 .. x_n)."""
    n, k = log.shape
    found = np.full(k, -np.inf)
    for z in itertools.product(range(k), repeat=n):
        found[z[-1]] = np.logaddexp(found[z[-1]], log_joint(start, trans, log, z))
    return np.exp(found - logsumexp(found)) if np.isfinite(found).any() else np.full(k, np.nan)
