r"""What all forests share: trees grown apart from each other on draws of the rows, predicting together.

    forest(x) = 1/T sum_t tree_t(x)                                                                (1)
    variance  = rho s^2 + (1 - rho) s^2 / T    of T trees with variance s^2 and correlation rho    (2)

More trees take the second term of (2) away and never add error of their own; drawing rows and columns lowers rho.

    proximity(x, z) = 1/T sum_t [leaf_t(x) = leaf_t(z)]                                            (3)

Derivations: docs/theory/forests.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import check_array, check_consistent_length

from novum.base.candidacy import Candidacy
from novum.base.device_forms import is_elsewhere
from novum.base.domains import Bool, Domain, Function, Int, Null, Share
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MultiOutputMixin
from novum.base.sparse_matrices import sound_sparse
from novum.base.validation import check_weight, open_rows, read_in_passes
from novum.engines.trees.input_table import Table, coded_frame, frame_levels, is_frame, read_table
from novum.engines.trees.limits import COMMON_DOMAINS
from novum.ensemble.estimator_list import EstimatorList
from novum.ensemble.forest.home_fit import grow_in_passes
from novum.ensemble.forest.leaves import ForestLeaves
from novum.ensemble.forest.out_of_bag import VoteSums, out_of_bag
from novum.ensemble.forest.samples import BlockSampling, Sampling, sample_size, tree_seeds
from novum.ensemble.forest.votes import Votes, votes_of
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.runtime import arrays, sklearn_private
from novum.runtime.journal import each_step
from novum.runtime.pool import map_ordered
from novum.runtime.random import seed_of
from novum.runtime.threads import thread_count
from novum.runtime.warn import warn
from novum.tree.regrowth import regrower

__all__ = ["FOREST_CANDIDACY", "FOREST_DOMAINS", "BaseForest"]

FOREST_CANDIDACY = Candidacy(  # of all forests in a study
    rank=8,
    settings={"n_estimators": 200},
    search=(
        {"max_features": 0.8, "min_samples_leaf": 2},
        {"min_samples_leaf": 4, "max_features": 0.5},
        {"max_features": 0.25},
    ),
    most_rows=100_000,
    order=3,
)
FOREST_DOMAINS: dict[str, Domain] = {
    **{name: domain for name, domain in COMMON_DOMAINS.items() if name != "splitter"},
    "n_estimators": Int(1),
    "bootstrap": Bool(),
    "oob_score": Bool() | Function(),
    "n_jobs": Int() | Null(),
    "verbose": Int(0) | Bool(),
    "warm_start": Bool(),
    "max_samples": Int(1) | Share(float, 0.0, None, "low") | Null(),
}
NOT_OF_TREES = {
    "n_estimators",
    "bootstrap",
    "oob_score",
    "n_jobs",
    "verbose",
    "warm_start",
    "class_weight",
    "max_samples",
}

LEAST_ROWS = 128  # of a block of predictions: a row that walks down all trees is worth many cells
MOST_BLOCKS = 64


class BaseForest(ForestLeaves, EstimatorList, MultiOutputMixin, Estimator, ABC):
    """Base of the forests."""

    _tree_type: type

    n_estimators: Any
    bootstrap: Any
    max_samples: Any
    n_jobs: Any
    oob_score: Any
    warm_start: Any
    random_state: Any
    categorical_features: Any
    estimators_: list[Any]
    _seed: int
    levels_: dict[str, list[Any]]
    _rate: float | None = None  # draws per unit of weight of a fit to rows outside memory
    _weighted_draws: bool = False
    n_outputs_: int
    max_features_: float
    is_categorical_: np.ndarray

    @property
    def estimator_(self) -> Any:
        """The tree that is grown, unfitted."""
        given = self.get_params(deep=False)
        return self._tree_type(**{name: value for name, value in given.items() if name not in NOT_OF_TREES})

    @property
    def estimator(self) -> Any:
        """The same, under scikit-learn's name for it."""
        return self.estimator_

    @abstractmethod
    def _read_target(self, y: NDArray, weight: NDArray | None) -> tuple[NDArray, NDArray | None]:
        """Return the target as trees learn it, and the weights with those of the classes; records the classes."""

    def _reweighted(self, y: NDArray, counts: NDArray) -> NDArray:
        """Return the weights of the rows of a sample; `y` is what `_read_target` returned."""
        return counts.astype(np.float64)

    def _oob_attributes(self, y: NDArray, sums: VoteSums) -> None:
        """Store out-of-bag predictions and their score."""

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Read, grow, and judge out of bag if requested."""
        owner = type(self).__name__
        if not self.bootstrap and self.max_samples is not None:
            raise ParameterError(
                f"`max_sample` cannot be set if `bootstrap=False`. Either switch to `bootstrap=True` or set `max_sample=None`."
                f" {owner} was given max_samples={self.max_samples!r}."
            )
        if not self.bootstrap and getattr(self, "oob_score", False):
            raise ParameterError(
                f"Out of bag estimation only available if bootstrap=True. {owner} was given oob_score={self.oob_score!r}."
            )
        before = list(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else []
        if read_in_passes(X) or is_elsewhere(X):
            grown = grow_in_passes(self, X, y, sample_weight, lambda: self._seeds(before))
            self.__dict__.update(grown.learned)
            self.estimators_ = before + grown.members
            return
        self._rate = None
        table = self._read_table(X)
        n = table.X.shape[0]
        y = self._checked_target(y)
        check_consistent_length(np.broadcast_to(np.float64(0), (n, 1)), y)
        self.n_outputs_ = y.shape[1]
        weight = check_weight(self, sample_weight, n)
        y, weight = self._read_target(y, weight)
        self._n_samples, self._sample_weight = n, weight
        self._n_samples_bootstrap = sample_size(n, self.max_samples, weight) if self.bootstrap else None
        _, seeds = self._seeds(before)
        self.estimators_ = before + self._grown(table, y, seeds)
        if getattr(self, "oob_score", False) and (seeds or not hasattr(self, "oob_score_")):
            *_, sums = self._out_of_bag(table.X)
            if not sums.trees.all():
                warn(
                    "Some inputs do not have OOB scores. This probably means too few trees were used to compute any reliable"
                    " OOB estimates.",
                    DataWarning,
                )
            self._oob_attributes(y, sums)

    def _read_table(self, X: Any) -> Table:
        """Return the table of X; a frame's columns of text and categories are coded."""
        self.levels_ = {}
        if self.categorical_features is not None and is_frame(X):
            self.levels_ = frame_levels(X)
            X = coded_frame(X, self.levels_) if self.levels_ else X
        return read_table(self, X, self.levels_)

    def _checked_target(self, y: Any) -> NDArray:
        """Return the target as columns, after scikit-learn's checks."""
        owner = type(self).__name__
        if y is None:
            raise DataError(
                f"This {owner} estimator requires y to be passed, but the target y is None. Call fit(X, y) with one target per"
                " row."
            )
        if scipy.sparse.issparse(y):
            raise DataError(f"sparse multilabel-indicator for y is not supported. Give {owner} y.toarray().")
        y = arrays.to_numpy(y) if arrays.is_tensor(y) else y
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y", estimator=self)
        if y.ndim == 2 and y.shape[1] == 1:
            warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to (n_samples,), for"
                " example using ravel().",
                DataConversionWarning,
            )
        return y.reshape(-1, 1) if y.ndim == 1 else y

    def _trees_to_add(self, present: int) -> int:
        """Return how many trees a warm start has to add to those present."""
        more = self.n_estimators - present
        if more < 0:
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={present} when warm_start==True."
                f" Give {type(self).__name__} more trees, or warm_start=False to begin anew."
            )
        if more == 0:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", DataWarning)
        return more

    def _seeds(self, before: list[Any]) -> tuple[int, list[int]]:
        """Return the seed of the forest and those of the trees that a fit adds to the ones before."""
        more = self._trees_to_add(len(before))
        self._seed = self._seed if before else seed_of(self.random_state)
        return self._seed, tree_seeds(self._seed, len(before), more)

    def _grown(self, table: Table, y: NDArray, seeds: list[int]) -> list[Any]:
        """Return one tree per seed."""
        if not seeds:
            return []
        member = regrower(self.estimator_, table, y, at_once=True)
        sampling = self._sampling()

        def grown(seed: int) -> Any:
            weight = self._sample_weight if sampling is None else self._reweighted(y, sampling.counts(seed))
            return member(weight, seed)

        trees = each_step("tree", seeds, lambda some: map_ordered(grown, some, thread_count(self.n_jobs)))
        self.max_features_ = trees[0].max_features_
        self.is_categorical_ = trees[0].is_categorical_
        return trees

    def _sampling(self) -> Any:
        """Return how rows are drawn; None if every tree sees all."""
        if self._n_samples_bootstrap is None:
            return None
        if self._rate is not None:
            if self._weighted_draws:
                raise ParameterError(
                    f"{type(self).__name__}: the rows drawn are not known after a fit outside memory with weights, which are"
                    " not kept; fit without sample_weight and class_weight, or in memory."
                )
            return BlockSampling(self._n_samples, self._rate)
        return Sampling(self._n_samples, self._n_samples_bootstrap, self._sample_weight)

    def _votes(self, labels: list[NDArray] | None = None) -> Votes:
        """Return the trees as they answer."""
        return votes_of(self, [member.tree_ for member in self.estimators_])._replace(labels=labels)

    def _out_of_bag(self, X: Any) -> Iterator[VoteSums]:
        """Yield out-of-bag sums after every tree."""
        sampling = self._sampling()
        if sampling is None:
            raise ParameterError(
                f"Out of bag estimation only available if bootstrap=True. This {type(self).__name__} was fitted without."
            )
        seeds = [member.random_state for member in self.estimators_]
        return out_of_bag(self._votes(), seeds, sampling, X, thread_count(self.n_jobs))

    def _training_rows(self, X: Any, y: Any) -> tuple[Any, NDArray]:
        """Return the cells and targets of `fit`, given once more."""
        if is_elsewhere(X):
            raise DataError(f"{type(self).__name__}: this looks at rows in memory, and X is on a device; give X.cpu().")
        if self.levels_ and is_frame(X):
            X = coded_frame(X, self.levels_)
        X = sound_sparse(X, type(self).__name__) if scipy.sparse.issparse(X) else X
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False)
        y = np.asarray(y)
        check_consistent_length(X, y)
        if X.shape != (self._n_samples, self.n_features_in_):
            raise DataError(
                f"{type(self).__name__}: fit saw {self._n_samples} rows of {self.n_features_in_} columns, X has the shape"
                f" {X.shape}; give the data of fit, whose rows are recognized by their place."
            )
        return X, y.reshape(len(y), -1)

    def _ask(self, X: Any, function: Callable, params: Any) -> Any:
        """Return `function(params, block)` of new rows."""
        check_is_fitted(self)
        if self.levels_ and is_frame(X):
            sklearn_private.check_feature_names(self, X, reset=False)
            X = coded_frame(X, self.levels_)
        source = open_rows(self, X, n_jobs=self.n_jobs)
        return source.cut(lambda n, _: max(LEAST_ROWS, -(-n // MOST_BLOCKS))).rows(function, params)

    @property
    def feature_importances_(self) -> Any:
        """Share of every column in the fall of impurity, averaged over the trees, array of shape (n_features,)."""
        check_is_fitted(self)
        each = [member.feature_importances_ for member in self.estimators_ if member.tree_.node_count > 1]
        if not each:
            return np.zeros(self.n_features_in_)
        mean = np.mean(each, axis=0)
        return mean / mean.sum()

    @property
    def estimators_samples_(self) -> Any:
        """The rows drawn for every tree: list of arrays, drawn anew from the trees' seeds."""
        check_is_fitted(self)
        sampling = self._sampling()
        if sampling is None:
            return [np.arange(self._n_samples, dtype=np.int32) for _ in self.estimators_]
        return [sampling.rows(member.random_state).astype(np.int32) for member in self.estimators_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
