"""Slow, obvious versions of what the mixtures compute."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


def joint(X, weights, means, covariances):
    """Return log weight + log N(x_o | mean_o, S_oo), the observed cells o of every row alone."""
    out = np.empty((len(X), len(weights)))
    for n, x in enumerate(X):
        o = ~np.isnan(x)
        for k, (w, m, S) in enumerate(zip(weights, means, covariances)):
            log_p = multivariate_normal(m[o], S[np.ix_(o, o)]).logpdf(x[o]) if o.any() else 0.0
            out[n, k] = np.log(w) + log_p
    return out


def em_step(X, weights, means, covariances, sample_weight=None):
    """Return one step of EM row by row, missing cells by their conditional moments; and the log-likelihood before it."""
    scores = joint(X, weights, means, covariances)
    total = logsumexp(scores, axis=1)
    w = np.ones(len(X)) if sample_weight is None else sample_weight
    r = np.exp(scores - total[:, None]) * w[:, None]
    new_means, new_covariances = np.empty_like(means), np.empty_like(covariances)
    for k, (m, S) in enumerate(zip(means, covariances)):
        filled, spread = np.empty_like(X), np.zeros((len(X), *S.shape))
        for n, x in enumerate(X):
            o, g = ~np.isnan(x), np.isnan(x)
            gain = S[np.ix_(g, o)] @ np.linalg.inv(S[np.ix_(o, o)])
            filled[n] = x
            filled[n, g] = m[g] + gain @ (x[o] - m[o])
            spread[n][np.ix_(g, g)] = S[np.ix_(g, g)] - gain @ S[np.ix_(o, g)]
        new_means[k] = r[:, k] @ filled / r[:, k].sum()
        gap = filled - new_means[k]
        new_covariances[k] = np.einsum("n,nij->ij", r[:, k], gap[:, :, None] * gap[:, None] + spread) / r[:, k].sum()
    return r.sum(axis=0) / w.sum(), new_means, new_covariances, float(w @ total)


def statistics(layout, X, weight, mean, factor, constant):
    """Return mass, first and second moments, sum w total, sum w r log r, and r, l, total of every row."""
    k = len(mean)
    l = np.empty((len(X), k))
    for c in range(k):
        t = X - mean[c]
        white = t @ factor[c] if layout == 0 else t @ factor if layout == 1 else t * factor[c]
        l[:, c] = constant[c] - 0.5 * (white**2).sum(axis=1)
    total = logsumexp(l, axis=1)
    r = np.exp(l - total[:, None])
    wr = r * weight[:, None]
    first = np.stack([wr[:, c] @ (X - mean[c]) for c in range(k)])
    second = np.stack([(wr[:, c, None] * (X - mean[c])).T @ (X - mean[c]) for c in range(k)])
    information = float((wr * (l - total[:, None])).sum())
    return wr.sum(axis=0), first, second, float(weight @ total), information, r, l, total
