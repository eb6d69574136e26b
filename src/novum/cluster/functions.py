"""k-means as plain functions, with scikit-learn's names and results."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum.base import domains
from novum.base.domains import Int, Null, RandomState
from novum.cluster.kmeans import KMeans
from novum.engines.kmeans import seeding
from novum.engines.kmeans.assignment import in_blocks
from novum.exceptions import DataError, ParameterError
from novum.runtime.blas import single_blas
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed

__all__ = ["k_means", "kmeans_plusplus"]


def k_means(
    X: Rows,
    n_clusters: int,
    *,
    sample_weight: RowWeights = None,
    init: str | Numbers | Callable[..., Any] = "k-means++",
    n_init: int | Literal["auto"] = "auto",
    max_iter: int = 300,
    verbose: bool = False,
    tol: float = 1e-4,
    random_state: Seed = None,
    copy_x: bool = True,
    algorithm: Literal["lloyd", "elkan"] = "lloyd",
    return_n_iter: bool = False,
) -> tuple:
    """Return centers, labels and inertia of k-means, and the number of iterations if `return_n_iter`.

    Parameters are those of `KMeans`; X must be in memory or a tensor.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import k_means
    >>> centers, labels, inertia = k_means(np.array([[1.0], [2], [8], [9]]), 2, random_state=0)
    >>> float(inertia), sorted(centers.ravel().tolist())
    (1.0, [1.5, 8.5])
    """
    model = KMeans(
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
        verbose=verbose,
        random_state=random_state,
        copy_x=copy_x,
        algorithm=algorithm,
    ).fit(X, sample_weight=sample_weight)
    result: tuple[Any, ...] = (model.cluster_centers_, model.labels_, model.inertia_)
    return (*result, model.n_iter_) if return_n_iter else result


def kmeans_plusplus(
    X: Rows,
    n_clusters: int,
    *,
    sample_weight: RowWeights = None,
    x_squared_norms: Numbers | None = None,
    random_state: Seed = None,
    n_local_trials: int | None = None,
) -> tuple[NDArray, NDArray]:
    """Return centers drawn far apart, and the rows of X they are: the start of `KMeans(init="k-means++")`.

    Parameters
    ----------
    X : array-like, frame or CSR matrix of shape (n_samples, n_features)
    n_clusters : int
    sample_weight : array-like of shape (n_samples,), default=None
    x_squared_norms : array-like of shape (n_samples,), default=None
        For scikit-learn's sake: distances come from differences here, so it is not used.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None
    n_local_trials : int, default=None
        Candidates for every center, of which the best is taken; None is 2 + log(n_clusters).

    Returns
    -------
    centers : array of shape (n_clusters, n_features)
    indices : array of shape (n_clusters,)

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import kmeans_plusplus
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> centers, indices = kmeans_plusplus(X, 2, random_state=0)
    >>> bool((X[indices] == centers).all()), bool(abs(centers[0, 0] - centers[1, 0]) == 9)
    (True, True)
    """
    table = {"n_clusters": Int(1), "random_state": RandomState(), "n_local_trials": Int(1) | Null()}
    values = {"n_clusters": n_clusters, "random_state": random_state, "n_local_trials": n_local_trials}
    domains.check(table, values, "kmeans_plusplus")
    with single_blas():
        shell = KMeans(n_clusters)
        remedy = "use KMeans there"
        source = in_blocks(shell._source(X, None, sample_weight))
        source = source.in_memory("kmeans_plusplus draws from arrays", remedy)
        if source.n_rows is not None and source.n_rows < n_clusters:
            raise DataError(f"n_samples={source.n_rows} should be >= n_clusters={n_clusters}. Ask for fewer centers.")
        if x_squared_norms is not None:
            length = len(check_array(x_squared_norms, ensure_2d=False))
            if length != source.n_rows:
                raise ParameterError(
                    f"The length of x_squared_norms {length} should be equal to the length of n_samples {source.n_rows}."
                )
        stream = Stream(seed_of(random_state))
        seeds = seeding.plus_plus(source, n_clusters, stream, 0, n_local_trials)
    return seeds.centers.astype(source.dtype), np.asarray(seeds.rows)
