"""k-means in one call, as hidden Markov models start from it, against the estimator."""

import warnings

import numpy as np
import pytest

from novum.cluster import KMeans
from novum.engines.kmeans.small import best_centers


@pytest.mark.parametrize(
    "n, d, k", [(1, 1, 1), (5, 2, 5), (40, 1, 3), (300, 4, 2), (300, 2, 7), (900, 6, 60), (20_000, 3, 4)]
)
@pytest.mark.parametrize("runs", [1, 10])
def test_the_same_centers_as_the_estimator(n, d, k, runs):
    rng = np.random.default_rng(n + k)
    X = rng.normal(size=(n, d)) + 3 * rng.integers(0, 3, (n, 1))
    for seed in range(2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = KMeans(k, n_init=runs, random_state=seed).fit(X).cluster_centers_
        np.testing.assert_array_equal(best_centers(X, k, seed, runs), theirs)


def test_rows_that_repeat_and_clusters_that_lose_their_rows():
    X = np.repeat([[0.0], [1.0], [1.0], [7.0]], 9, axis=0)
    for k in (2, 3):
        theirs = KMeans(k, n_init=10, random_state=0).fit(X).cluster_centers_
        np.testing.assert_array_equal(best_centers(X, k, 0, 10), theirs)
