"""A clusterer for every number of clusters, and the sums of squares that its labels leave."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_array

from novum.cluster.criterion import within_cluster_error
from novum.cluster.kmeans import KMeans
from novum.exceptions import ParameterError
from novum.runtime.random import Stream, seed_of

__all__ = ["Partition", "checked_range", "checked_rows", "clusterer_for", "partitions"]

STARTS = 4  # of the default clusterer: one start may miss the best by more than two numbers of clusters differ


class Partition(NamedTuple):
    n_clusters: int
    labels: NDArray
    error: float  # sum of squared distances to the means


def checked_rows(X: Any, owner: str) -> NDArray:
    """Return rows as doubles, at least two."""
    return check_array(X, dtype=np.float64, ensure_min_samples=2, input_name="X", estimator=owner)


def checked_range(max_clusters: Any, n: int, owner: str, least: int = 1) -> range:
    """Return the numbers of clusters to try; raise where there are too few rows for them."""
    if not isinstance(max_clusters, int | np.integer) or isinstance(max_clusters, bool) or max_clusters < least + 1:
        raise ParameterError(f"{owner}(max_clusters={max_clusters!r}): give a whole number of {least + 1} or more.")
    if max_clusters > n:
        raise ParameterError(f"{owner}(max_clusters={max_clusters}): there are only {n} rows; ask for fewer clusters.")
    return range(least, int(max_clusters) + 1)


def clusterer_for(clusterer: Any, k: int, seed: int) -> Any:
    """Return an unfitted clusterer for k clusters; k-means from several starts if none is given."""
    if clusterer is None:
        return KMeans(k, n_init=STARTS, random_state=seed)
    model = clone(clusterer)
    names = model.get_params(deep=False)
    number = next((name for name in ("n_clusters", "n_components") if name in names), None)
    if number is None:
        raise ParameterError(
            f"{type(clusterer).__name__} takes no n_clusters, so it cannot make several numbers of clusters; give one that"
            " does, such as KMeans or AgglomerativeClustering."
        )
    model.set_params(**{number: k})
    if names.get("random_state", 0) is None:
        model.set_params(random_state=seed)
    return model


def partitions(X: NDArray, numbers: range, clusterer: Any, random_state: Any) -> Iterator[Partition]:
    """Yield the clusters of X for every number."""
    seeds = Stream(seed_of(random_state)).integers("partitions", 0, numbers.stop, 2**31)
    for k in numbers:
        labels = np.zeros(len(X), int) if k == 1 else clusterer_for(clusterer, k, int(seeds[k - 1])).fit_predict(X)
        yield Partition(k, np.asarray(labels), within_cluster_error(X, labels).total)
