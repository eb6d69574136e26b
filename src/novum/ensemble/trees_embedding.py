r"""Totally random trees as features: a row becomes ones at the leaves that it reaches.

    z(x) = ([leaf_t(x) = l] for all trees t and leaves l),    T ones                               (1)

Rows that share many leaves are near each other: z(x) z(x')' / T is the proximity of novum/ensemble/forest/base.py (3).
"""

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OneHotEncoder

from novum.base.domains import Bool, Domain
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import TransformerMixin
from novum.base.validation import read_in_passes, rows_at_hand
from novum.ensemble.forest.base import FOREST_DOMAINS, BaseForest
from novum.fold.batch_results import of_results
from novum.fold.blocks import tile_dtype
from novum.runtime import arrays, sklearn_private
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed, Target
from novum.tree.regressor import ExtraTreeRegressor

__all__ = ["RandomTreesEmbedding"]

OWN_DOMAINS = (
    "n_estimators",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "n_jobs",
    "random_state",
    "verbose",
    "warm_start",
)


class RandomTreesEmbedding(TransformerMixin, BaseForest):
    """Rows as the leaves of totally random trees that they reach.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    max_depth : int, default=5
        Most cuts above a leaf.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        When trees stop, as in DecisionTreeRegressor.
    sparse_output : bool, default=True
        Whether `transform` returns a CSR matrix or an array.
    n_jobs, random_state, verbose, warm_start
        As in RandomForestClassifier.

    Attributes
    ----------
    estimators_ : list of ExtraTreeRegressor
    one_hot_encoder_ : OneHotEncoder
        From leaves to columns.
    estimator_, estimators_samples_, feature_importances_, n_outputs_, max_features_, n_features_in_, feature_names_in_
        As in RandomForestRegressor.

    Examples
    --------
    >>> from novum.ensemble import RandomTreesEmbedding
    >>> X = [[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1]]
    >>> Z = RandomTreesEmbedding(n_estimators=5, max_depth=1, random_state=0).fit_transform(X)
    >>> Z.shape[0], Z.sum(axis=1).A1.tolist()
    (5, [5.0, 5.0, 5.0, 5.0, 5.0])
    """

    _tree_type = ExtraTreeRegressor
    _domains: dict[str, Domain] = {**{name: FOREST_DOMAINS[name] for name in OWN_DOMAINS}, "sparse_output": Bool()}
    bootstrap = False
    oob_score = False
    max_samples = None
    categorical_features = None
    one_hot_encoder_: OneHotEncoder

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_depth: int | None = 5,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        sparse_output: bool = True,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    @property
    def estimator_(self) -> Any:
        """The tree that is grown, unfitted."""
        given = {name: value for name, value in self.get_params(deep=False).items() if name.startswith(("max", "min"))}
        return ExtraTreeRegressor(max_features=1, **given)

    def _read_target(self, y: NDArray, weight: NDArray | None) -> tuple[NDArray, NDArray | None]:
        return np.ascontiguousarray(y, np.float64), weight

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Grow the trees on targets that are drawn.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        self._embed(X, sample_weight)
        return self

    def _embed(self, X: Any, sample_weight: Any) -> Any:
        """Grow the trees; return the leaves of X."""
        X = rows_at_hand(self, X, "RandomTreesEmbedding draws a target for every row") if read_in_passes(X) else X
        n = sklearn_private.num_samples(X)
        drawn = Stream(seed_of(self.random_state)).uniform("drawn targets", 0, n)
        self._fit(X, drawn, sample_weight)
        self.one_hot_encoder_ = OneHotEncoder(handle_unknown="ignore", sparse_output=self.sparse_output)
        return self._ones(X, self.one_hot_encoder_.fit_transform)

    @fits
    def fit_transform(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Any:
        """Grow the trees and return the features of X.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        csr_matrix or array of shape (n_samples, n_features_out)
        """
        return self._embed(X, sample_weight)

    def transform(self, X: Rows) -> Any:
        """Return (1) of every row.

            z(x) = ([leaf_t(x) = l] for all trees t and leaves l),   T ones    (1)

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        csr_matrix or array of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        return self._ones(X, self.one_hot_encoder_.transform)

    def _ones(self, X: Any, encode: Callable[[NDArray], Any]) -> Any:
        """Return (1) in the dtype that rows like X have."""
        if arrays.is_tensor(X):
            dtype: Any = arrays.dtype_of(X)
        else:
            dtype = np.asarray(X).dtype if isinstance(X, list | np.ndarray) else getattr(X, "dtype", None)
        kind = np.dtype(np.float64) if dtype is None else tile_dtype(dtype)

        def of_leaves(leaves: Any) -> Any:
            out = encode(np.asarray(leaves)).astype(kind, copy=False)
            return arrays.like(X, out) if arrays.is_tensor(X) and not self.sparse_output else out

        return of_results(of_leaves, self.apply(X))

    def get_feature_names_out(self, input_features: Numbers | None = None) -> NDArray[Any]:
        """Return the names of the features: tree and leaf.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Compared with the names of `fit`, if given.

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        sklearn_private.feature_names_in(self, input_features, generate_names=False)
        pairs = [(t, leaf) for t, leaves in enumerate(self.one_hot_encoder_.categories_) for leaf in leaves]
        return np.asarray([f"randomtreesembedding_{t}_{leaf}" for t, leaf in pairs], dtype=object)
