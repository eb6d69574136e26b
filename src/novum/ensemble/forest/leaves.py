"""Where rows end in the trees of a forest, and what that says of rows and of trees: (2) and (3) of novum.ensemble.forest.base."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.ensemble.forest.votes import every_leaf
from novum.runtime import arrays
from novum.runtime.typing import Rows

__all__ = ["ForestLeaves"]


class ForestLeaves:
    """The leaves of rows, their paths, how near rows are by them, and how alike the trees are."""

    estimators_: list[Any]
    _ask: Callable[..., Any]
    _votes: Callable[..., Any]

    def apply(self, X: Rows) -> Any:
        """Return the leaf that each row ends in, in every tree.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_estimators)
        """
        check_is_fitted(self)
        return self._ask(X, every_leaf, self._votes())

    def decision_path(self, X: Rows) -> Any:
        """Return which nodes each row passes, tree beside tree.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        indicator : csr_matrix of shape (n_samples, n_nodes)
        n_nodes_ptr : array of shape (n_estimators + 1,)
            Columns `n_nodes_ptr[t]:n_nodes_ptr[t + 1]` belong to tree t.
        """
        leaves = arrays.to_numpy(self.apply(X))
        parts = [member.tree_.paths_to(leaf) for member, leaf in zip(self.estimators_, leaves.T)]
        begin = np.cumsum([0, *(part.shape[1] for part in parts)])
        return scipy.sparse.hstack(parts).tocsr(), begin

    def proximity(self, X: Rows, Y: Any = None, *, sparse: bool = False) -> Any:
        """Return the share of trees in which two rows share a leaf, (3).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        Y : array-like of shape (m_samples, n_features), default=None
            None compares the rows of X with each other.
        sparse : bool, default=False
            Return a CSR matrix; most pairs share no leaf.

        Returns
        -------
        array or csr_matrix of shape (n_samples, m_samples)
        """
        one = self._leaf_indicator(arrays.to_numpy(self.apply(X)))
        other = one if Y is None else self._leaf_indicator(arrays.to_numpy(self.apply(Y)))
        shared = (one @ other.T).tocsr()
        shared.data /= len(self.estimators_)
        return shared if sparse else shared.toarray()

    def tree_correlation(self, X: Rows) -> Any:
        """Return the mean correlation between what two trees say of the rows: rho of (2).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        float
            Of the trees that do not say the same of all rows; NaN if fewer than two are left.
        """
        leaves, votes = arrays.to_numpy(self.apply(X)), self._votes()
        said = np.array([value[leaf] for value, leaf in zip(votes.values, leaves.T)])  # (T, n, width)
        said = (said - said.mean(axis=1, keepdims=True)).reshape(len(said), -1)
        length = np.linalg.norm(said, axis=1)
        unit = said[length > 0] / length[length > 0, None]
        trees = len(unit)
        total = unit.sum(axis=0)
        return float((total @ total - trees) / (trees * (trees - 1))) if trees > 1 else np.nan

    def _leaf_indicator(self, leaves: NDArray) -> scipy.sparse.csr_matrix:
        """Return ones at the leaves of every row, over the nodes of all trees."""
        begin = np.cumsum([0, *(member.tree_.node_count for member in self.estimators_)])
        n, trees = leaves.shape
        place = (leaves + begin[:-1]).ravel()
        return scipy.sparse.csr_matrix((np.ones(n * trees), place, np.arange(n + 1) * trees), shape=(n, begin[-1]))
