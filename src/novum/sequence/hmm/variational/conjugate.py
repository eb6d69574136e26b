r"""What variational Bayes needs of the conjugate posteriors: expected logarithms and divergences from the prior.

    Dirichlet   E log p_j = digamma(a_j) - digamma(sum a)                                          (20)
    Wishart     q(L) = |L|^((v - d - 1)/2) exp(-tr(S L)/2) / Z,   E log |L| = sum_i digamma((v - i)/2) + d log 2 - log |S|   (21)
    mean        q(m | L) = N(m | mean, inv(beta L))

    E log N(x | m, inv L) = log N(x | mean, S/v) + [E log |L| - log |v inv S| - d/beta]/2          (22)

Variances are Wishart in one dimension, a single one per state with every feature counting a row.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

__all__ = ["expected_log_det", "expected_log_probs", "kl_dirichlet", "kl_means", "kl_wishart"]


def expected_log_probs(posterior: NDArray) -> NDArray:
    """Return (20) of every row."""
    return digamma(posterior) - digamma(posterior.sum(axis=-1, keepdims=True))


def kl_dirichlet(q: NDArray, p: NDArray) -> float:
    """Return the divergence of Dirichlet distributions from their priors, summed over rows."""
    own = gammaln(q.sum(axis=-1)) - gammaln(q).sum(axis=-1)
    prior = gammaln(p.sum(axis=-1)) - gammaln(p).sum(axis=-1)
    return float((own - prior + ((q - p) * expected_log_probs(q)).sum(axis=-1)).sum())


def expected_log_det(degrees: NDArray, log_det_scale: NDArray, d: int) -> NDArray:
    """Return E log |L| of (21)."""
    return digamma((np.asarray(degrees)[..., None] - np.arange(d)) / 2).sum(axis=-1) + d * np.log(2) - log_det_scale


def log_normalizer(degrees: NDArray, log_det_scale: NDArray, d: int) -> NDArray:
    """Return log Z of (21)."""
    gammas = gammaln((np.asarray(degrees)[..., None] - np.arange(d)) / 2).sum(axis=-1) + d * (d - 1) / 4 * np.log(np.pi)
    return degrees * d / 2 * np.log(2) - degrees / 2 * log_det_scale + gammas


def kl_wishart(
    degrees: NDArray, log_det: NDArray, degrees0: NDArray, log_det0: NDArray, trace: NDArray, d: int
) -> float:
    """Return the divergence of Wishart distributions from their priors; `trace` is tr(S0 inv S)."""
    found = (degrees - degrees0) / 2 * expected_log_det(degrees, log_det, d) - degrees * d / 2 + degrees / 2 * trace
    return float(np.sum(found + log_normalizer(degrees0, log_det0, d) - log_normalizer(degrees, log_det, d)))


def kl_means(beta: NDArray, beta0: NDArray, square: NDArray, d: int) -> float:
    """Return the expected divergence of the means from their prior; `square` is (mean - m0)' v inv(S) (mean - m0)."""
    return float(0.5 * np.sum(d * beta0 / beta - d + d * np.log(beta / beta0) + beta0 * square))
