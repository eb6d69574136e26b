r"""Top-down clustering: one cluster holds all rows, and the loosest is split in two until enough are left.

    loosest   the cluster with the largest  J = sum |x - c|^2                                         (1)
    means     split by 2-means: the halves with the least J, from several starts                      (2)
    farthest  split by the two rows farthest apart: every row goes to the nearer of them              (3)

The heights of a split are the J that it removes, so that the tree can be drawn as one of merges. The two rows of (3) are found
among the rows of the hull of a few sweeps: from a row to the one farthest from it, and on until the distance grows no more.
"""

from typing import Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.domains import Choice, Domain, Int, RandomState
from novum.base.estimator import fits
from novum.cluster.criterion import nearest_means
from novum.cluster.kmeans import KMeans
from novum.cluster.labels import LabelModel
from novum.cluster.rows import rows_in_memory, warn_of_few_clusters
from novum.exceptions import DataError
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Rows, RowWeights, Seed, Target

__all__ = ["DivisiveClustering"]


class SubCluster(NamedTuple):
    """A cluster of the tree."""

    rows: NDArray  # which
    error: float  # J of (1)
    node: int  # its number in the tree, counted from the root


def error_of(X: NDArray, weight: NDArray, rows: NDArray) -> float:
    """Return J of (1)."""
    x, w = X[rows].astype(np.float64), weight[rows]
    mass = w.sum()
    if mass == 0:
        return 0.0
    center = x[0] + w @ (x - x[0]) / mass
    return float(w @ ((x - center) ** 2).sum(axis=1))


def farthest_pair(x: NDArray, sweeps: int) -> tuple[int, int]:
    """Return two rows far apart: sweeps from the row farthest from the mean to the one farthest from it, while distances grow."""
    a, best = int(np.argmax(((x - x.mean(axis=0)) ** 2).sum(axis=1))), (0, 0, -1.0)
    for _ in range(sweeps):
        square = ((x - x[a]) ** 2).sum(axis=1)
        b = int(np.argmax(square))
        if square[b] <= best[2]:
            break
        best, a = (a, b, float(square[b])), b
    return best[0], best[1]


def halves(X: NDArray, weight: NDArray, rows: NDArray, split: str, n_init: int, seed: int) -> NDArray:
    """Return which rows of a cluster go to its second half, by (2) or (3)."""
    x = np.ascontiguousarray(X[rows])
    if split == "farthest":
        a, b = farthest_pair(x.astype(np.float64), n_init + 1)
        return ((x - x[b]) ** 2).sum(axis=1) < ((x - x[a]) ** 2).sum(axis=1)
    model = KMeans(2, n_init=n_init, random_state=seed).fit(x, sample_weight=weight[rows])
    return model.labels_ != model.labels_[0]


class DivisiveClustering(LabelModel):
    """Top-down hierarchical clustering.

    Parameters
    ----------
    n_clusters : int, default=2
        Clusters to find; fewer where rows coincide.
    split : {"means", "farthest"}, default="means"
        Halve a cluster by 2-means, or by the nearer of two rows far apart.
    n_init : int, default=4
        Starts of every 2-means; sweeps for two rows far apart.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Attributes
    ----------
    labels_ : array of shape (n_samples,)
        Clusters are numbered by their first row.
    n_clusters_ : int
    children_ : array of shape (k - 1, 2), k the number of clusters
        The last split first: as a tree of merges of the clusters, whose numbers are 0 to k - 1; merge i makes cluster
        k + i.
    distances_ : array of shape (k - 1,)
        By how much every split lowered the sum of squared distances to the means.
    inertia_ : float
        What is left of it.

    Examples
    --------
    >>> from novum.cluster import DivisiveClustering
    >>> model = DivisiveClustering(3, random_state=0).fit([[0.0], [1.0], [8.0], [9.0], [30.0]])
    >>> model.labels_.tolist(), model.inertia_
    ([0, 0, 1, 1, 2], 1.0)
    """

    _domains: dict[str, Domain] = {
        "n_clusters": Int(1),
        "split": Choice("means", "farthest"),
        "n_init": Int(1),
        "random_state": RandomState(),
    }
    _squares_columns = True
    labels_: np.ndarray
    n_clusters_: int
    children_: np.ndarray
    distances_: np.ndarray
    inertia_: float

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        split: Literal["means", "farthest"] = "means",
        n_init: int = 4,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.split = split
        self.n_init = n_init
        self.random_state = random_state

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Split until there are enough clusters. A scan is read into memory.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        X, given = rows_in_memory(self, X, sample_weight)
        n = len(X)
        if n < self.n_clusters:
            raise DataError(
                f"n_samples={n} should be >= n_clusters={self.n_clusters}. Give DivisiveClustering more rows or fewer clusters."
            )
        weight = np.ones(n) if given is None else given
        everyone = np.flatnonzero(weight > 0)
        if len(everyone) < self.n_clusters:
            raise DataError(
                f"n_samples={len(everyone)} should be >= n_clusters={self.n_clusters}: so many rows of DivisiveClustering have a"
                " weight."
            )
        parts = [SubCluster(everyone, error_of(X, weight, everyone), 0)]
        splits: list[tuple[int, int, int, float]] = []  # node, its two halves, what the split gained
        seeds = Stream(seed_of(self.random_state)).integers("divisive", 0, self.n_clusters, 2**31)
        while len(parts) < self.n_clusters:
            loosest = max(range(len(parts)), key=lambda i: parts[i].error)
            part = parts[loosest]
            if part.error <= 0:
                break  # rows of every cluster coincide
            second = halves(X, weight, part.rows, self.split, self.n_init, int(seeds[len(splits)]))
            if not second.any() or second.all():
                break
            new = [
                SubCluster(rows, error_of(X, weight, rows), 2 * len(splits) + 1 + i)
                for i, rows in enumerate((part.rows[~second], part.rows[second]))
            ]
            splits.append((part.node, new[0].node, new[1].node, part.error - new[0].error - new[1].error))
            parts[loosest : loosest + 1] = new
        self._learn(parts, splits, n)
        warn_of_few_clusters(len(parts), self.n_clusters)
        if len(everyone) < n:  # rows without weight go to the nearest mean
            rest = weight == 0
            self.labels_[rest] = nearest_means(X[rest].astype(np.float64), self.labels_[~rest], X[~rest])
        return self

    def _learn(self, parts: list[SubCluster], splits: list[tuple[int, int, int, float]], n: int) -> None:
        """Turn clusters and splits into fitted attributes."""
        parts = sorted(parts, key=lambda part: part.rows[0])
        self.labels_ = np.empty(n, np.int64)
        number = {}
        for i, part in enumerate(parts):
            self.labels_[part.rows] = number[part.node] = i
        children = []
        for node, left, right, _ in reversed(splits):
            children.append(sorted((number[left], number[right])))
            number[node] = len(parts) + len(children) - 1
        self.n_clusters_ = len(parts)
        self.children_ = np.array(children, dtype=np.int64).reshape(-1, 2)
        self.distances_ = np.array([gain for *_, gain in reversed(splits)], dtype=np.float64)
        self.inertia_ = float(sum(part.error for part in parts))
