"""`linkage`: the tree of merges as SciPy's table, which can cut and draw itself."""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import is_valid_y, squareform
from sklearn.utils import check_array

from novum.cluster.hierarchy import cuts
from novum.cluster.hierarchy.merges import METHODS, Merged, matrix_merges, row_merges
from novum.cluster.rows import check_reach, is_symmetric
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.runtime.threads import thread_count
from novum.runtime.typing import Axes, DataFrame, Metric, Numbers
from novum.runtime.warn import warn

__all__ = ["Dendrogram", "linkage"]


class Dendrogram(np.ndarray):
    """Merges in the order of their heights: a row is (cluster, cluster, height, rows below); merge i makes cluster n + i."""

    def __new__(cls, tree: Merged) -> Self:
        table = np.column_stack([tree.children.astype(np.float64), tree.height, tree.size.astype(np.float64)])
        return table.view(cls)

    @property
    def n_rows(self) -> int:
        """How many rows were clustered."""
        return len(self) + 1

    def cut(
        self,
        n_clusters: int | None = None,
        *,
        height: float | None = None,
        inconsistency: float | None = None,
        depth: int = 2,
    ) -> NDArray:
        """Return the label of every row after a cut; give exactly one of the three.

        Parameters
        ----------
        n_clusters : int, default=None
            As many clusters.
        height : float, default=None
            Merges below this height are kept.
        inconsistency : float, default=None
            Merges are kept whose height exceeds the mean of those at most `depth` levels deep by at most so many of their
            deviations, as all below do.
        depth : int, default=2
        """
        given = [value for value in (n_clusters, height, inconsistency) if value is not None]
        if len(given) != 1:
            raise ParameterError("linkage.cut: give exactly one of n_clusters, height and inconsistency.")
        table = np.asarray(self)
        children, n = table[:, :2].astype(np.int64), self.n_rows
        if n_clusters is not None:
            if not 1 <= n_clusters <= n:
                raise ParameterError(f"linkage.cut: n_clusters={n_clusters} must lie between 1 and the {n} rows.")
            return cuts.cut_by_number(children, n, int(n_clusters))
        if height is not None:
            return cuts.cut_by_height(children, table[:, 2], n, float(height))
        return cuts.cut_by_inconsistency(children, table[:, 2], table[:, 3], n, float(given[0]), depth)

    def to_frame(self) -> DataFrame:
        """Return the merges as a pandas frame."""
        import pandas as pd

        left, right, height, size = np.asarray(self).T
        columns = {"left": left.astype(int), "right": right.astype(int), "height": height, "size": size.astype(int)}
        return pd.DataFrame(columns)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the tree and return the axes; options are those of `plot_dendrogram`."""
        from novum.cluster.hierarchy.plots import plot_dendrogram

        return plot_dendrogram(self, ax=ax, **options)


def checked_matrix(X: NDArray) -> NDArray:
    """Return a copy of a matrix of dissimilarities, square or condensed; raise where it is none."""
    if X.ndim == 1:
        if not is_valid_y(X):
            raise DataError(f"linkage: {len(X)} numbers are no condensed matrix of distances: n (n - 1) / 2 are.")
        return squareform(X).astype(np.float64)
    if X.shape[0] != X.shape[1]:
        raise DataError(f"linkage(metric='precomputed'): distances form a square matrix, not one of shape {X.shape}.")
    matrix = np.array(X, dtype=np.float64, order="C")
    if not is_symmetric(matrix):
        raise DataError("linkage(metric='precomputed'): the matrix is not symmetric; give (D + D.T) / 2.")
    return matrix


def linkage(
    X: Numbers,
    method: Literal["single", "complete", "average", "weighted", "ward", "centroid", "median"] = "single",
    metric: Metric = "euclidean",
    *,
    metric_params: dict[str, Any] | None = None,
    n_jobs: int | None = None,
) -> Dendrogram:
    """Merge the closest two clusters until one is left.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Rows; distances between them if metric="precomputed", as a square matrix or condensed as SciPy's `pdist` returns them.
    method : {"single", "complete", "average", "weighted", "ward", "centroid", "median"}, default="single"
        The distance between clusters. "ward", "centroid" and "median" take Euclidean distances.
    metric : str or callable, default="euclidean"
        A name that scikit-learn knows, a function of two rows, or "precomputed".
    metric_params : dict, default=None
        Further parameters of the metric.
    n_jobs : int, default=None
        Threads; None takes all that are allowed.

    Returns
    -------
    Dendrogram
        An array of shape (n_samples - 1, 4), as SciPy's: the two clusters of every merge, its height and the rows below.
        `cut(n_clusters=..., height=..., inconsistency=...)` returns labels, `plot()` draws it.

    Notes
    -----
    "single" and "ward" need memory for the rows alone; the others for a matrix of distances.

    Examples
    --------
    >>> from novum.cluster import linkage
    >>> tree = linkage([[0.0], [1.0], [3.0], [6.0], [10.0]], "average")
    >>> tree[:, 2].round(6).tolist()
    [1.0, 2.5, 4.0, 6.666667]
    >>> tree.cut(n_clusters=2).tolist()
    [1, 1, 1, 0, 0]
    """
    if method not in METHODS:
        raise ParameterError(f"Unknown linkage type {method}: linkage(method=...) takes one of {list(METHODS)}.")
    shape = np.shape(X)
    precomputed = isinstance(metric, str) and metric == "precomputed"
    if precomputed or len(shape) == 1:
        X = check_array(X, dtype=np.float64, ensure_2d=False, ensure_non_negative=True, input_name="X")
        matrix = checked_matrix(X)
        if len(matrix) < 2:
            raise DataError("Found array with 1 sample(s) while a minimum of 2 is required by linkage.")
        return Dendrogram(matrix_merges(matrix, method))
    X = check_array(X, dtype=[np.float64, np.float32], input_name="X", ensure_min_samples=2, estimator="linkage")
    check_reach(X, "linkage")
    if X.shape[0] == X.shape[1] and not np.diagonal(X).any() and X.min() >= 0 and is_symmetric(X):
        warn(
            "The symmetric non-negative hollow observation matrix looks suspiciously like an uncondensed distance matrix: linkage"
            " takes its rows as rows. Give metric='precomputed' if it holds distances.",
            DataWarning,
        )
    try:
        return Dendrogram(row_merges(X, method, metric, metric_params, thread_count(n_jobs)))
    except ValueError as error:
        if "'metric' parameter" in str(error):
            raise ParameterError(f"linkage(metric={metric!r}): {error}") from error
        raise
