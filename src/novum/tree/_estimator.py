"""What classification and regression trees share: growing, pruning, leaves, paths, importances."""

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import MultiOutputMixin, clone
from sklearn.utils import Bunch, check_array, check_consistent_length, metadata_routing
from sklearn.utils.validation import check_is_fitted

from novum import _array, _sklearn
from novum._random import seed_of
from novum._threads import thread_count
from novum.base.estimator import Estimator
from novum.base.validation import check_weight
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.tree._grow import Target, grow, layout_of, prepare
from novum.tree._pruning import prune, pruning_path
from novum.tree._rules import columns_tried, rules_of
from novum.tree._table import Tree
from novum.tree._tables import coded_frame, frame_levels, is_frame, read_table

__all__ = ["BaseTree", "Leaves"]


class Leaves(NamedTuple):
    """A tree and what each of its nodes says."""

    tree: Tree
    answer: NDArray | None  # (nodes, ...); None: the number of the node
    labels: list[NDArray] | None = None  # per output: then the label of the largest entry is said


def answers(params: Leaves, block: Block) -> Any:
    """Return what the leaf of every row says; numbers in the dtype of the block."""
    X = _array.to_numpy(block.X) if _array.is_tensor(block.X) else block.X
    leaf = params.tree.apply(X)
    if params.answer is None:
        return leaf
    if params.labels is not None:
        few = len(leaf) < len(params.answer)  # rows or nodes, whichever are fewer
        best = params.answer.take(leaf, axis=0).argmax(-1) if few else params.answer.argmax(-1).take(leaf, axis=0)
        columns = [labels.take(best[:, o]) for o, labels in enumerate(params.labels)]
        return columns[0] if len(columns) == 1 else np.column_stack(columns).astype(params.labels[0].dtype)
    out = params.answer.take(leaf, axis=0)
    return out.astype(X.dtype, copy=False)


class BaseTree(MultiOutputMixin, Estimator, ABC):
    """Base of the decision trees."""

    # What forests pass to skip checks is nothing that a pipeline should route.
    __metadata_request__fit = {"check_input": metadata_routing.UNUSED}
    __metadata_request__predict = {"check_input": metadata_routing.UNUSED}
    __metadata_request__predict_proba = {"check_input": metadata_routing.UNUSED}

    criterion: Any
    max_features: Any
    random_state: Any
    ccp_alpha: Any
    categorical_features: Any
    tree_: Tree
    levels_: dict[str, list[Any]]

    @abstractmethod
    def _target(self, y: NDArray, weight: NDArray | None) -> tuple[Target, NDArray | None]:
        """Return the target for the grower, and the weights with those of the classes; records the classes."""

    def _grow(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit: read, grow, prune."""
        self.levels_ = {}
        if self.categorical_features is not None and is_frame(X):
            self.levels_ = frame_levels(X)
            X = coded_frame(X, self.levels_) if self.levels_ else X
        table = read_table(self, X, self.levels_)
        n, d = table.X.shape
        y = self._checked_target(y)
        self.n_outputs_ = y.shape[1]
        weight = check_weight(self, sample_weight, n)
        check_consistent_length(np.broadcast_to(np.float64(0), (n, 1)), y)
        target, weight = self._target(y, weight)
        categorical = [j for j, number in enumerate(table.levels) if number]
        n_classes = 0 if target.code is None else int(target.n_classes.max())
        rules = rules_of(self, (n, d), weight, categorical, self.n_outputs_, n_classes)
        threads, layout = thread_count(None), layout_of(rules, d, not isinstance(table.X, np.ndarray))
        columns = prepare(table.X, table.levels, layout, threads)
        seed = seed_of(self.random_state)
        tree = grow(columns, target, rules, weight, seed, n_threads=threads, consume=True)
        self.max_features_ = columns_tried(self.max_features, d)
        self.is_categorical_ = np.array(table.levels) > 0
        self.tree_ = prune(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree

    def _checked_target(self, y: Any) -> NDArray:
        """Return the target as columns, after scikit-learn's checks."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. Call fit(X, y) with one"
                " target per row."
            )
        if _array.is_tensor(y):
            y = _array.to_numpy(y)
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y", estimator=self)
        return y.reshape(-1, 1) if y.ndim == 1 else y

    def _ask(self, X: Any, answer: NDArray | None, check_input: bool, labels: list[NDArray] | None = None) -> Any:
        """Return what the leaf of every row says; callers have asked whether there is a tree."""
        params = Leaves(self.tree_, answer, labels)
        if not check_input:
            _sklearn.check_n_features(self, X, reset=False)
            return answers(params, Block(X))
        if self.levels_ and is_frame(X):
            _sklearn.check_feature_names(self, X, reset=False)
            X = coded_frame(X, self.levels_)
        return self._rows(X, answers, params)

    def apply(self, X, check_input=True):
        """Return the leaf that each row ends in.

        Parameters
        ----------
        X : array-like, frame, sparse matrix or scan of shape (n_samples, n_features)
        check_input : bool, default=True
            False trusts X to be a float array or a CSR matrix.

        Returns
        -------
        array of shape (n_samples,)
            Numbers of nodes.
        """
        check_is_fitted(self)
        return self._ask(X, None, check_input)

    def decision_path(self, X, check_input=True):
        """Return which nodes each row passes.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        check_input : bool, default=True
            False trusts X to be a float array or a CSR matrix.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            Ones at the nodes.
        """
        leaf = np.asarray(self.apply(X, check_input))
        return self.tree_.paths_to(leaf)

    def get_depth(self):
        """Return the most splits on the way to a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self):
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self):
        """Share of every column in the fall of impurity, array of shape (n_features,)."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        """Return the prices per leaf at which branches of the full tree are cut.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.

        Returns
        -------
        Bunch
            `ccp_alphas`, rising from 0, and `impurities` of the leaves after each cut.
        """
        full = clone(self).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        path = pruning_path(full.tree_)
        return Bunch(ccp_alphas=path.alpha, impurities=path.impurity)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
