"""What classification and regression trees share: growing, pruning, leaves, paths, importances."""

from abc import ABC, abstractmethod
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import Bunch, check_array, check_consistent_length, metadata_routing
from sklearn.utils.validation import validate_data

from novum.base.callbacks import by_learning, reporting
from novum.base.device_forms import is_elsewhere
from novum.base.estimator import Estimator
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import MultiOutputMixin
from novum.base.validation import check_weight, read_in_passes
from novum.engines.trees.exact import LEAST_CELLS, Target, grow, layout_of, prepare
from novum.engines.trees.input_table import coded_frame, frame_levels, is_frame, read_table
from novum.engines.trees.limits import columns_tried, rules_of
from novum.engines.trees.nodes import Tree
from novum.engines.trees.passes.fit import fit_in_passes
from novum.engines.trees.pruning import best_first, prune, pruning_path
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.runtime import arrays, sklearn_private
from novum.runtime.random import seed_of
from novum.runtime.threads import thread_count
from novum.runtime.typing import Rows, RowWeights
from novum.tree.column_splits import column_of
from novum.tree.growth import JUDGED, candidates_at, report_growth
from novum.tree.leaf_values import Leaves, answers
from novum.tree.multiway import grow_branches
from novum.tree.multiway_parameters import policy_of
from novum.tree.reduced_error import curve_of, held_out, leaf_scores, prune_by_score

__all__ = ["TREE_SEARCH", "BaseTree", "Data"]

TREE_SEARCH: tuple[dict[str, Any], ...] = (
    {"max_depth": 3},
    {"max_depth": 8, "min_samples_leaf": 10},
    {"max_depth": 4, "min_samples_leaf": 5},
    {"max_depth": 12, "min_samples_leaf": 20},
)  # what is worth trying in a study
DRAWN_LEVELS = 5  # of a tree that are drawn: more cannot be read


class Data(NamedTuple):
    """Training data as a grower reads them."""

    X: Any
    levels: list[int]
    target: Target
    weight: NDArray | None
    seed: int


def rows_of(data: Data, rows: NDArray) -> Data:
    """Return some rows of data."""
    code, y = (None if part is None else part[rows] for part in (data.target.code, data.target.y))
    X = data.X[rows] if isinstance(data.X, np.ndarray) else data.X.tocsr()[rows].tocsc()
    weight = None if data.weight is None else data.weight[rows]
    return data._replace(X=X, target=data.target._replace(code=code, y=y), weight=weight)


def plain_numbers(y: Any) -> bool:
    """Return whether y is sure to pass scikit-learn's check of a target as it is: an array of finite numbers."""
    if type(y) is not np.ndarray or y.ndim not in (1, 2) or not y.size:
        return False
    return y.dtype.kind in "biu" or (y.dtype in (np.float64, np.float32) and bool(np.isfinite(y).all()))


def score_nodes(tree: Tree, data: Data) -> tuple[NDArray, float]:
    """Return the score of every node as a leaf on some data, and the weight of these."""
    weight = np.ones(data.X.shape[0]) if data.weight is None else data.weight
    return leaf_scores(tree, data.X, data.target, weight), float(weight.sum())


class BaseTree(MultiOutputMixin, Estimator, ABC):
    """Base of the decision trees."""

    _in_journals = True  # novum.runtime.journal.values: trees of a forest
    _reports_passes = True
    _pass_name = "split"

    # What forests pass to skip checks is nothing that a pipeline should route.
    __metadata_request__fit = {"check_input": metadata_routing.UNUSED}
    __metadata_request__predict = {"check_input": metadata_routing.UNUSED}
    __metadata_request__predict_proba = {"check_input": metadata_routing.UNUSED}

    criterion: Any
    max_features: Any
    random_state: Any
    ccp_alpha: Any
    categorical_features: Any
    # The random trees of ensembles have none of these parameters.
    branching: Any = "binary"
    missing: Any = "best_side"
    pruning: Any = None
    validation_fraction: Any = 0.2
    significance: Any = None
    attribute_costs: Any = None
    cost_form: Any = "tan_schlimmer"
    cost_weight: Any = 1.0
    tree_: Tree
    levels_: dict[str, list[Any]]
    n_outputs_: int
    max_features_: float
    is_categorical_: np.ndarray
    pruning_log_: dict[Any, Any]

    @abstractmethod
    def _target(self, y: NDArray, weight: NDArray | None) -> tuple[Target, NDArray | None]:
        """Return the target for the grower, and the weights with those of the classes; records the classes."""

    def _grow(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Fit: read, grow, prune."""
        given = {"X": X, "y": y, "sample_weight": sample_weight}
        if read_in_passes(X) or is_elsewhere(X):
            tree = self._reported(fit_in_passes(self, X, y, sample_weight), None, given)
            self.tree_ = prune(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree
            return
        data = self._read(X, y, sample_weight)
        self.max_features_ = columns_tried(self.max_features, data.X.shape[1])
        self.is_categorical_ = np.array(data.levels) > 0
        self._grow_from(data, given)

    def _grow_from(self, data: Data, given: dict[str, Any] | None = None) -> None:
        """Grow and prune from data that are read; `given` is what callbacks get of these."""
        if self.pruning is None:
            tree = self._reported(self._tree_of(data), data, given)
        else:
            training, judging = self._parted(data)
            tree = self._reported(self._tree_of(training), training, given)
            score, whole = score_nodes(tree, judging)
            tree, self.pruning_log_ = prune_by_score(tree, score, whole)
        self.tree_ = prune(tree, self.ccp_alpha) if self.ccp_alpha > 0 else tree

    def _reported(self, tree: Tree, data: Data | None, given: dict[str, Any] | None) -> Tree:
        """Return a tree after its splits are reported, cut short where a callback stopped it."""
        if given is None or not getattr(self, "_skl_callbacks", None):
            return tree

        def learn(twin: Any, grown: Tree) -> None:
            twin.tree_ = grown

        candidates = None
        if data is not None and data.target.criterion in JUDGED:
            candidates = partial(
                candidates_at,
                X=data.X,
                levels=data.levels,
                target=data.target,
                weight=data.weight,
                missing=self.missing,
            )
            candidates = partial(candidates, tree)
        splits = int((tree.feature >= 0).sum())
        with reporting(self, splits, attributes=by_learning(self, learn), objective_of="leaving", **given) as report:
            return report_growth(tree, report, candidates)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return checked training data; records features, levels and classes."""
        if is_elsewhere(X):
            raise DataError(f"{type(self).__name__}: this looks at rows in memory, and X is on a device; give X.cpu().")
        self.levels_ = {}
        if self.categorical_features is not None and is_frame(X):
            self.levels_ = frame_levels(X)
            X = coded_frame(X, self.levels_) if self.levels_ else X
        table = read_table(self, X, self.levels_)
        n = table.X.shape[0]
        y = self._checked_target(y)
        self.n_outputs_ = y.shape[1]
        weight = check_weight(self, sample_weight, n)
        check_consistent_length(np.broadcast_to(np.float64(0), (n, 1)), y)
        target, weight = self._target(y, weight)
        return Data(table.X, table.levels, target, weight, seed_of(self.random_state))

    def _tree_of(self, data: Data) -> Tree:
        """Return the tree that grows from data, unpruned."""
        n, d = data.X.shape
        categorical = [j for j, number in enumerate(data.levels) if number]
        n_classes = 0 if data.target.code is None else int(data.target.n_classes.max())
        rules = rules_of(self, (n, d), data.weight, categorical, self.n_outputs_, n_classes)
        sparse = not isinstance(data.X, np.ndarray)
        if (policy := policy_of(self, d, data.target, sparse)) is not None:
            parts = [column_of(data.X[:, j], data.levels[j]) for j in range(d)]
            tree = grow_branches(
                data.X,
                columns=parts,
                target=data.target,
                rules=rules,
                policy=policy,
                weight=data.weight,
                seed=data.seed,
                n_threads=thread_count(None),
            )
            return best_first(tree, rules.max_leaf_nodes) if rules.max_leaf_nodes else tree
        threads = 1 if n * d < LEAST_CELLS else thread_count(None)
        columns = prepare(data.X, data.levels, layout_of(rules, d, sparse), threads)
        return grow(columns, data.target, rules, data.weight, data.seed, n_threads=threads, consume=True)

    def _parted(self, data: Data) -> tuple[Data, Data]:
        """Return the part that grows the tree and the part that judges it."""
        rows = np.arange(data.X.shape[0]) if data.weight is None else np.flatnonzero(data.weight)
        if len(rows) < 2:
            raise DataError(f"{type(self).__name__}: holding rows out needs at least 2 rows; X has {len(rows)}.")
        judging = held_out(rows_of(data, rows).target, len(rows), self.validation_fraction, data.seed)
        return rows_of(data, rows[~judging]), rows_of(data, rows[judging])

    def _checked_target(self, y: Any) -> NDArray:
        """Return the target as columns, after scikit-learn's checks."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. Call fit(X, y) with one"
                " target per row."
            )
        if arrays.is_tensor(y):
            y = arrays.to_numpy(y)
        if not plain_numbers(y):
            y = check_array(y, ensure_2d=False, dtype=None, input_name="y", estimator=self)
        return y.reshape(-1, 1) if y.ndim == 1 else y

    def _ask(self, X: Any, answer: NDArray | None, check_input: bool, labels: list[NDArray] | None = None) -> Any:
        """Return what the leaf of every row says; callers have checked that there is a tree."""
        params = Leaves(self.tree_, answer, labels)
        if not check_input:
            sklearn_private.check_n_features(self, X, reset=False)
            return answers(params, Block(X))
        if self.levels_ and is_frame(X):
            sklearn_private.check_feature_names(self, X, reset=False)
            X = coded_frame(X, self.levels_)
        return self._rows(X, answers, params)

    def apply(self, X: Rows, check_input: bool = True) -> Any:
        """Return the leaf that each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        check_input : bool, default=True
            False trusts X to be a float array or a CSR matrix.

        Returns
        -------
        array of shape (n_samples,)
            Numbers of nodes.
        """
        check_is_fitted(self)
        return self._ask(X, None, check_input)

    def decision_path(self, X: Rows, check_input: bool = True) -> Any:
        """Return which nodes each row passes.

        Parameters
        ----------
        X : array-like, frame or sparse matrix of shape (n_samples, n_features)
        check_input : bool, default=True
            False trusts X to be a float array or a CSR matrix.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            Ones at the nodes; where missing cells divide rows, the part of the row that arrives.
        """
        check_is_fitted(self)
        if not self.tree_.divides:
            return self.tree_.paths_to(arrays.to_numpy(self.apply(X, check_input)))
        if self.levels_ and is_frame(X):
            X = coded_frame(X, self.levels_)
        return self.tree_.decision_path(validate_data(self, X, reset=False, ensure_all_finite="allow-nan"))

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the tree, five levels of it; return the axes."""
        from novum.tree.plots import figure_for, plot_tree

        ax = figure_for(self.tree_, DRAWN_LEVELS).subplots() if ax is None else ax
        return plot_tree(self, max_depth=DRAWN_LEVELS, filled=True, ax=ax)[0].axes

    def get_depth(self) -> Any:
        """Return the most splits on the way to a leaf."""
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> Any:
        """Return the number of leaves."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> Any:
        """Share of every column in the fall of impurity, array of shape (n_features,)."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()

    def cost_complexity_pruning_path(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> Any:
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

    def pruning_curve(self, X: Rows, y: Target, sample_weight: RowWeights = None) -> Any:
        """Hold out a share of the rows, grow on the others, and return the errors of all minimal subtrees on both.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, which this does not call: the estimator stays as it is. `validation_fraction` and `random_state` choose
            the rows; `ccp_alpha` and `pruning` play no part.

        Returns
        -------
        PruningCurve
            `n_leaves`, `ccp_alphas`, `training_error`, `validation_error`, `best_alpha`; it has `plot` and `to_frame`.
        """
        other = clone(self)
        training, judging = other._parted(other._read(X, y, sample_weight))
        full = other._tree_of(training)
        (grown, size), (score, whole) = score_nodes(full, training), score_nodes(full, judging)
        return curve_of(full, grown, score, (size, whole), training.target.code is None)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags
