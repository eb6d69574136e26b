"""Where a hidden Markov model starts: clusters of its rows, as in hmmlearn, with gaps filled for the start alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.engines.kmeans.small import best_centers
from novum.exceptions import DataError
from novum.runtime import arrays

__all__ = ["clustered_rows", "column_moments", "filled_rows", "mean_and_covariance", "seed_from"]

FIRST_RUNS = 10  # of k-means for the first start, as in hmmlearn; one for every other


def filled_rows(owner: str, X: Any) -> Any:
    """Return rows without gaps: rows that are all missing left out, other gaps filled with the mean of their column."""
    gaps = np.isnan(X) if isinstance(X, np.ndarray) else X.isnan()
    if not gaps.any():
        return X
    X = X[~gaps.all(axis=1)]
    if arrays.is_tensor(X) and len(X) and not X.isnan().all(dim=0).any():
        return X.where(~X.isnan(), X.nanmean(dim=0))
    X = X if isinstance(X, np.ndarray) else arrays.to_numpy(X)
    if not len(X) or np.isnan(X).all(axis=0).any():
        raise DataError(f"{owner}: X has a column without an observed value; leave the column out.")
    return np.where(np.isnan(X), np.nanmean(X, axis=0), X)


def column_moments(X: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Return mean, variance and covariance matrix of rows without gaps, over their number, wherever they live."""
    if not isinstance(X, np.ndarray):
        found = X.mean(dim=0), X.var(dim=0, correction=0), X.T.cov(correction=0).reshape(2 * X.shape[1:])
        return tuple(arrays.to_numpy(value) for value in found)  # type: ignore[return-value]
    return X.mean(axis=0), X.var(axis=0), np.atleast_2d(np.cov(X.T, bias=True))


def mean_and_covariance(X: NDArray) -> tuple[NDArray, NDArray]:
    """Return the mean and the covariance matrix of rows without gaps."""
    mean = X.mean(axis=0)
    if len(X) < 2:
        return mean, np.zeros((X.shape[1], X.shape[1]))
    return mean, np.atleast_2d(np.cov(X.T))


def seed_from(rng: Any) -> int:
    """Return a seed drawn from a generator of either kind."""
    return int(rng.integers(2**31) if hasattr(rng, "integers") else rng.randint(2**31))


def clustered_rows(X: NDArray, k: int, rng: Any, run: int) -> tuple[NDArray, NDArray]:
    """Return centers of k-means and the cluster of every row; later runs start from other seeds, and once each.

    Fewer distinct rows than clusters leave clusters that repeat a row, a little apart, so that states can still part.
    """
    distinct = np.unique(X[: 50 * k] if len(X) > 50 * k else X, axis=0)
    if len(distinct) < k and len(np.unique(X, axis=0)) < k:
        scale = X.std(axis=0) + 1e-3 * (np.abs(X).max(axis=0) + 1)
        draws = np.asarray(rng.uniform(-0.5, 0.5, size=(k, X.shape[1])))
        centers = distinct[np.arange(k) % len(distinct)] + draws * scale
    else:
        ordered = X[np.lexsort(X.T)]  # so that the order of sequences does not matter
        centers = best_centers(ordered, k, seed_from(rng), n_runs=1 if run else FIRST_RUNS)
    which = ((X[:, None, :] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)
    return centers, which
