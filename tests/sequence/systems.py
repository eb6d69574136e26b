"""Systems and series to try filters on."""

import numpy as np


def random_system(s, p, seed=0, *, n=None, rank_q=None, rank_r=None):
    """Return the matrices of a stable system with correlated noise; with n they differ by step."""
    rng = np.random.default_rng(seed)

    def covariance(size, rank):
        root = rng.normal(size=(size, size if rank is None else rank))
        return root @ root.T

    def one():
        A = rng.normal(size=(s, s))
        return {
            "transition": 0.9 * A / np.abs(np.linalg.eigvals(A)).max(),
            "transition_covariance": covariance(s, rank_q),
            "transition_offset": rng.normal(size=s),
            "observation": rng.normal(size=(p, s)),
            "observation_covariance": covariance(p, rank_r),
            "observation_offset": rng.normal(size=p),
        }

    found = one() if n is None else {k: np.stack(v) for k, v in zip(one(), zip(*(one().values() for _ in range(n))))}
    return {**found, "initial_mean": rng.normal(size=s), "initial_covariance": covariance(s, None)}


def with_gaps(X, seed=1):
    """Return a series with cells, and one whole row, not observed."""
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < 0.25] = np.nan
    X[len(X) // 2] = np.nan
    return X
