r"""How many components: by the share of the variance, or by the evidence of a probabilistic model.

With eigenvalues lambda_1 >= ... >= lambda_p, the share of k components is sum_{j<=k} lambda_j / sum_j lambda_j, and a
fraction selects the smallest k whose share exceeds it. The evidence of k components given n rows, by Laplace's method
(Minka 2000), with v the mean of the p - k smallest eigenvalues, m = p k - k (k + 1) / 2 and l_j = lambda_j for j <= k, else v,

    log p(X | k) = log p(U) - n/2 sum_{j<=k} log lambda_j - n (p - k)/2 log v + (m + k)/2 log 2 pi
                   - 1/2 log |A| - k/2 log n                                                       (11)
    log p(U) = - k log 2 + sum_{i<=k} [log Gamma((p - i + 1)/2) - (p - i + 1)/2 log pi]
    log |A|  = sum_{i<=k} sum_{j>i} log[n (1/l_j - 1/l_i) (lambda_i - lambda_j)]

and Schwarz's criterion, with L_k the largest likelihood (15) and d = p k - k (k - 1)/2 + 1 + p free parameters,

    BIC(k) = - 2 log L_k + d log n                                                                 (12)
"""

import numpy as np
from scipy.special import gammaln

__all__ = ["bic", "components_for_share", "free_parameters", "log_evidence", "log_likelihoods"]

NO_VARIANCE = 1e-15  # eigenvalues below this, relative to the largest, carry no component


def components_for_share(ratio: np.ndarray, share: float) -> int:
    """Return the smallest number of components whose share of the variance exceeds `share`."""
    return int(np.searchsorted(np.cumsum(ratio), share, side="right")) + 1


def log_evidence(values: np.ndarray, n: float) -> np.ndarray:
    """Return (11) up to a constant for k = 1, ..., p - 1; minus infinity where the k-th eigenvalue is zero."""
    p = len(values)
    floor = NO_VARIANCE * max(values[0], np.finfo(float).tiny)
    out = np.full(p - 1, -np.inf)
    upper = np.triu(np.ones((p, p), bool), 1)
    gaps = np.log(np.maximum(values[:, None] - values[None, :], floor))  # equal eigenvalues differ by their rounding
    for k in range(1, p):
        if values[k - 1] <= floor:
            break
        i = np.arange(1, k + 1)
        v = max(values[k:].mean(), floor)
        subspace = -k * np.log(2) + np.sum(gammaln((p - i + 1) / 2) - (p - i + 1) / 2 * np.log(np.pi))
        fit = -n / 2 * (np.log(values[:k]).sum() + (p - k) * np.log(v))
        smoothed = np.append(values[:k], np.full(p - k, v))
        mask = upper[:k]
        least = floor / values[0] ** 2  # what the rounding of an eigenvalue makes of its inverse
        inverse = np.log(np.maximum(1 / smoothed[None, :] - 1 / smoothed[:k, None], least))
        curvature = np.sum(np.where(mask, gaps[:k] + inverse + np.log(n), 0.0))
        m = p * k - k * (k + 1) / 2
        out[k - 1] = subspace + fit + (m + k) / 2 * np.log(2 * np.pi) - curvature / 2 - k / 2 * np.log(n)
    return out


def log_likelihoods(values: np.ndarray, n: float) -> np.ndarray:
    """Return the largest log-likelihood (15) for k = 0, ..., p - 1 components; `values` are those of the covariance over n."""
    p = len(values)
    floor = NO_VARIANCE * max(values[0], np.finfo(float).tiny)
    logs = np.log(np.maximum(values, floor))
    rest = np.maximum(np.cumsum(values[::-1])[::-1] / np.arange(p, 0, -1), floor)  # mean of the p - k smallest
    leading = np.append(0.0, np.cumsum(logs)[:-1])
    return -n / 2 * (p * np.log(2 * np.pi) + leading + np.arange(p, 0, -1) * np.log(rest) + p)


def free_parameters(p: int, k: np.ndarray) -> np.ndarray:
    """Return d of (12): loadings up to a rotation, the noise variance and the mean."""
    return p * k - k * (k - 1) / 2 + 1 + p


def bic(values: np.ndarray, n: float) -> np.ndarray:
    """Return (12) for k = 0, ..., p - 1."""
    p = len(values)
    return -2 * log_likelihoods(values, n) + free_parameters(p, np.arange(p)) * np.log(n)
