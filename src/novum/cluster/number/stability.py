r"""Stability: whether clusters come back when the rows are drawn anew.

Two bootstrap samples are clustered; every row goes to the nearest mean of the one and of the other; the agreement of the two
labellings of X, by the adjusted Rand index, is averaged over pairs of samples.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.cluster.agreement import adjusted_rand, contingency
from novum.cluster.criterion import nearest_means
from novum.cluster.number.partitions import clusterer_for
from novum.runtime.random import Stream, seed_of

__all__ = ["bootstrap_stability"]


def bootstrap_stability(X: NDArray, k: int, clusterer: Any, n_pairs: int, random_state: Any) -> tuple[float, float]:
    """Return the mean agreement of pairs of bootstrap clusterings into k clusters, and its standard error."""
    stream = Stream(seed_of(random_state))
    scores = np.empty(n_pairs)
    for pair in range(n_pairs):
        both = []
        for half in range(2):
            step = 2 * pair + half
            rows = X[stream.integers("bootstrap", step, len(X), len(X))]
            seed = int(stream.integers("bootstrap seed", step, 1, 2**31)[0])
            labels = clusterer_for(clusterer, k, seed).fit_predict(rows)
            both.append(nearest_means(X, labels, rows))
        scores[pair] = adjusted_rand(contingency(*both))
    return float(scores.mean()), float(scores.std(ddof=1) / np.sqrt(n_pairs)) if n_pairs > 1 else np.nan
