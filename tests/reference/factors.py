"""Factor models the slow and obvious way: Gaussian marginals row by row, EM row by row."""

import numpy as np


def row_log_densities(X, mean, loadings, noise):
    """Return log N(x_O | mu_O, (W W' + diag(psi))_OO) of the observed cells of every row."""
    covariance = loadings @ loadings.T + np.diag(noise)
    out = np.zeros(len(X))
    for i, x in enumerate(X):
        seen = ~np.isnan(x)
        if seen.any():
            d, C = x[seen] - mean[seen], covariance[np.ix_(seen, seen)]
            out[i] = -0.5 * (seen.sum() * np.log(2 * np.pi) + np.linalg.slogdet(C)[1] + d @ np.linalg.solve(C, d))
    return out


def row_posteriors(X, mean, loadings, noise):
    """Return mean and covariance of z given the observed cells of every row, by conditioning the joint Gaussian of (z, x)."""
    q = loadings.shape[1]
    covariance = loadings @ loadings.T + np.diag(noise)
    means, covariances = np.zeros((len(X), q)), np.zeros((len(X), q, q))
    for i, x in enumerate(X):
        seen = ~np.isnan(x)
        gain = np.linalg.solve(covariance[np.ix_(seen, seen)], loadings[seen]).T if seen.any() else np.zeros((q, 0))
        means[i] = gain @ (x[seen] - mean[seen])
        covariances[i] = np.eye(q) - gain @ loadings[seen]
    return means, covariances


def em_step(X, mean, loadings, noise, weight=None, spherical=True):
    """Return the parameters after one pass of plain EM, and the log-likelihood before it."""
    p, q = loadings.shape
    weight = np.ones(len(X)) if weight is None else weight
    A, c, s, n = np.zeros((p, q + 1, q + 1)), np.zeros((p, q + 1)), np.zeros(p), np.zeros(p)
    likelihood = 0.0
    for x, w in zip(X, weight):
        seen = np.flatnonzero(~np.isnan(x))
        W, psi, d = loadings[seen], noise[seen], x[seen] - mean[seen]
        M = np.eye(q) + (W.T / psi) @ W
        S = np.linalg.inv(M)
        z = S @ (W.T / psi) @ d
        likelihood -= 0.5 * w * (np.log(2 * np.pi * psi).sum() + np.linalg.slogdet(M)[1] + d @ (d / psi) - z @ M @ z)
        extended = np.append(z, 1.0)
        E = np.outer(extended, extended)
        E[:q, :q] += S
        A[seen] += w * E
        c[seen] += w * d[:, None] * extended
        s[seen] += w * d**2
        n[seen] += w
    solved = np.linalg.solve(A, c[:, :, None])[:, :, 0]
    rest = s - (solved * c).sum(axis=1)
    noise = np.full(p, rest.sum() / n.sum()) if spherical else rest / n
    return mean + solved[:, q], solved[:, :q], noise, likelihood
