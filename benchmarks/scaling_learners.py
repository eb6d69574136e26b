"""What is measured with more and more threads: learners on rows enough, and what bounds them on this machine.

`LEARNERS` names them; each entry makes its data for a share of the full rows and returns a call that fits (or asks) with a number
of threads. A learner that follows OpenMP's limit is run under that limit; one with `n_jobs` is given it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

__all__ = ["LEARNERS", "Learner", "limited"]


class Learner(NamedTuple):
    """One row of the table."""

    make: Callable[[int], Callable[[int], Any]]  # rows -> (threads -> result)
    rows: int
    bound: str  # what its gain is compared with: "gemm", "stream" (whichever of the two is lower), or a target in so many words
    target: float | None = None  # gain at 16 threads that is asked for, where it is not a share of the bound


def limited(threads: int) -> AbstractContextManager:
    """Return a context in which learners use at most `threads` threads."""
    import sklearn.utils._openmp_helpers  # noqa: F401  loads OpenMP, whose limit is ours

    return threadpool_limits(threads, user_api="openmp")


def _table(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


def _blobs(n: int, d: int, k: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=(k, d))[rng.integers(0, k, n)] * 2.0 + rng.normal(size=(n, d))


def least_squares(n: int) -> Callable[[int], Any]:
    from novum.linear_model import LinearRegression

    X, y = _table(n, 40)
    return lambda threads: LinearRegression().fit(X, y)


def k_means(n: int) -> Callable[[int], Any]:
    from novum.cluster import KMeans

    X = _blobs(n, 16, 32)
    start = X[:32].copy()
    return lambda threads: KMeans(32, init=start, n_init=1, max_iter=20, tol=0).fit(X)


def mixture(n: int) -> Callable[[int], Any]:
    from novum.mixture import GaussianMixture

    X = _blobs(n, 12, 8)
    start = X[:8].copy()
    return lambda threads: GaussianMixture(8, means_init=start, max_iter=20, tol=1e-9, random_state=0).fit(X)


def logistic(n: int) -> Callable[[int], Any]:
    from novum.linear_model import LogisticRegression

    X, y = _table(n, 40)
    labels = (y > 0).astype(int)
    return lambda threads: LogisticRegression().fit(X, labels)


def boosting(n: int) -> Callable[[int], Any]:
    from novum.ensemble import HistGradientBoostingClassifier

    X, y = make_classification(n, 28, n_informative=12, random_state=0)
    return lambda threads: HistGradientBoostingClassifier(max_iter=50, early_stopping=False).fit(X, y)


def support_vectors(n: int) -> Callable[[int], Any]:
    from novum.svm import SVC

    X, y = make_classification(n, 20, n_informative=10, flip_y=0.05, random_state=0)
    return lambda threads: SVC().fit(X, y)


def neighbours(n: int) -> Callable[[int], Any]:
    from novum.neighbors import KNeighborsClassifier

    X, y = make_classification(n + n // 10, 48, n_informative=20, random_state=0)
    model = KNeighborsClassifier(10, algorithm="brute").fit(X[:n], y[:n])
    return lambda threads: model.set_params(n_jobs=threads).predict(X[n:])


def forest(n: int) -> Callable[[int], Any]:
    from novum.ensemble import RandomForestClassifier

    X, y = make_classification(n, 24, n_informative=10, random_state=0)
    return lambda threads: RandomForestClassifier(64, random_state=0, n_jobs=threads).fit(X, y)


LEARNERS = {
    "least squares": Learner(least_squares, 800_000, "stream"),
    "k-means": Learner(k_means, 400_000, "gemm"),
    "mixture": Learner(mixture, 200_000, "gemm"),
    "logistic": Learner(logistic, 400_000, "stream"),
    "boosting": Learner(boosting, 400_000, "target", 6.0),
    "SVC": Learner(support_vectors, 12_000, "target", 5.0),
    "brute k-NN": Learner(neighbours, 60_000, "gemm"),
    "forest": Learner(forest, 40_000, "gemm"),
}
