r"""Regression trees (CART): leaves hold a mean or a median.

At a node with weight W the impurity I is one of

    squared_error    sum_i w_i (y_i - mean)^2 / W                                                  (1)
    absolute_error   sum_i w_i |y_i - median| / W                                                  (2)
    poisson          sum_i w_i (y_i log(y_i / mean) - y_i + mean) / W                              (3)

averaged over the outputs, and the split is taken that leaves the least W_L I_L + W_R I_R. For (1) that is the largest

    (S_L W - W_L S)^2 / (W_L W_R),    S = sum_i w_i y_i                                            (4)

so sums suffice. Medians of all beginnings and ends of a column come from a Fenwick tree over ranks. Categories are ordered by
their means and cut in this order, which is exact for (1) and (3) and one output, and a good guess otherwise.
"""

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.candidacy import Candidacy
from novum.base.domains import Choice, Domain
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.large_numbers import MOST_SIZE
from novum.base.sklearn_base import RegressorMixin
from novum.engines.trees.exact import Target, number_target
from novum.engines.trees.limits import COMMON_DOMAINS
from novum.exceptions import DataError
from novum.runtime.typing import Numbers, Rows, RowWeights, Seed
from novum.runtime.warn import warn
from novum.tree.base import TREE_SEARCH, BaseTree
from novum.tree.dependence import tree_dependence
from novum.tree.multiway_parameters import PRUNING_DOMAINS

__all__ = ["DecisionTreeRegressor", "ExtraTreeRegressor", "checked_numbers", "current_criterion"]

CART_DOMAINS: dict[str, Domain] = {
    **COMMON_DOMAINS,
    "criterion": Choice("squared_error", "absolute_error", "poisson"),
}


def current_criterion(criterion: Any) -> Any:
    """Return the criterion that a name stands for; scikit-learn's older name for the squared error warns as it does there."""
    if not isinstance(criterion, str) or criterion != "friedman_mse":
        return criterion
    warn(
        'Value `"friedman_mse"` for `criterion` is deprecated. It maps to `"squared_error"`, whose splits are the same; use'
        ' `criterion="squared_error"` to remove this warning.',
        FutureWarning,
    )
    return "squared_error"


def checked_numbers(estimator: Any, y: NDArray, positive: str = "positive") -> NDArray:
    """Return targets as numbers that the estimator's criterion can work with; `positive` is scikit-learn's word for it."""
    owner = type(estimator).__name__
    try:
        y = y.astype(np.float64)
    except ValueError as error:
        raise DataError(f"{owner}: y holds text that is no number ({error}); a regressor needs numbers.") from error
    if estimator.criterion == "poisson" and (y < 0).any():
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression. "
            f"{owner}: the least is {y.min():g}; use another criterion."
        )
    if estimator.criterion == "poisson" and y.sum() <= 0:
        raise DataError(
            f"Sum of y is not {positive} which is necessary for Poisson regression. "
            f"{owner}: all targets are zero; use another criterion."
        )
    return y


class DecisionTreeRegressor(RegressorMixin, BaseTree):
    """Decision tree for numbers.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity (1), (2) or (3). Leaves predict the mean, for "absolute_error" the median.
    splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, random_state
        As in DecisionTreeClassifier.
    max_leaf_nodes, min_impurity_decrease, ccp_alpha, categorical_features
        As in DecisionTreeClassifier.
    monotonic_cst : array-like of shape (n_features,), default=None
        1 if predictions must not fall with a column, -1 if they must not rise, 0 for none.
    branching, missing, pruning, validation_fraction
        As in DecisionTreeClassifier, for criterion="squared_error"; "fill_by_class" needs classes. Held-out rows judge by their
        squared error.

    Attributes
    ----------
    tree_ : Tree
        The nodes, in arrays with scikit-learn's names.
    n_outputs_ : int
    max_features_ : int
        Columns tried at a node.
    feature_importances_ : array of shape (n_features,)
    is_categorical_ : array of shape (n_features,)
        Which columns are categories.
    levels_ : dict
        Levels of the columns of a frame that are no numbers.
    pruning_log_ : dict
        As in DecisionTreeClassifier; the scores are minus the mean squared error.

    Examples
    --------
    >>> from novum.tree import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1], [2], [3], [10], [11]], [1.0, 1.2, 0.8, 5.0, 5.4])
    >>> model.predict([[4], [7]]).round(3)  # the threshold is 6.5
    array([1. , 5.2])
    """

    _candidacy = Candidacy(rank=5, settings={"max_depth": 5}, search=TREE_SEARCH)
    _domains: dict[str, Domain] = {**CART_DOMAINS, **PRUNING_DOMAINS}

    def __init__(
        self,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        splitter: Literal["best", "random"] = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | Literal["sqrt", "log2"] | None = None,
        random_state: Seed = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Numbers | None = None,
        categorical_features: Numbers | Literal["from_dtype"] | None = "from_dtype",
        branching: Literal["binary", "multiway"] = "binary",
        missing: Literal["best_side", "fractional", "fill"] = "best_side",
        pruning: Literal["reduced_error"] | None = None,
        validation_fraction: float = 0.2,
    ) -> None:
        self.criterion = current_criterion(criterion)
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.branching = branching
        self.missing = missing
        self.pruning = pruning
        self.validation_fraction = validation_fraction

    def _checked_target(self, y: Any) -> NDArray:
        return checked_numbers(self, super()._checked_target(y))

    def _target(self, y: NDArray, weight: NDArray | None) -> tuple[Target, NDArray | None]:
        if (largest := float(np.abs(y).max(initial=0.0))) > MOST_SIZE:
            raise DataError(
                f"{type(self).__name__}: y holds numbers up to {largest:.3g}, and sums of their squares overflow. Divide y by a"
                f" suitable unit."
            )
        return number_target(self.criterion, y), weight

    @fits
    def fit(
        self, X: Rows, y: Numbers | None = None, sample_weight: RowWeights = None, check_input: bool = True
    ) -> Self:
        """Grow the tree.

        NaN is missing, in a sparse matrix refused. Rows outside memory are read in passes: large nodes are split by
        histograms of 255 bins per column, small ones exactly (on a device by bins, too); criterion="squared_error" alone, and one
        target.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        check_input : bool, default=True
            Kept for scikit-learn's sake; the checks cost little.
        """
        self._grow(X, y, sample_weight)
        return self

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> NDArray:
        grid, columns = np.asarray(grid, np.float64), np.asarray(target_features, np.intp)
        return tree_dependence(self.tree_, grid, columns, type(self).__name__)

    def predict(self, X: Rows, check_input: bool = True) -> Any:
        """Return the value of every row's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        check_input : bool, default=True
            False trusts X to be a float array or a CSR matrix.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_outputs)
        """
        check_is_fitted(self)
        value = self.tree_.value[:, 0, 0] if self.n_outputs_ == 1 else self.tree_.value[:, :, 0]
        return self._ask(X, value, check_input)


class ExtraTreeRegressor(DecisionTreeRegressor):
    """Extremely randomized tree for numbers: a decision tree that draws its thresholds, for use in ensembles.

    Parameters
    ----------
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in DecisionTreeRegressor, with splitter="random" and max_features=1.0.
    random_state, max_leaf_nodes, min_impurity_decrease, ccp_alpha, monotonic_cst, categorical_features
        As in DecisionTreeRegressor. A drawn split of categories sends each of them to either side at random.

    Attributes
    ----------
    tree_, n_outputs_, max_features_, feature_importances_, is_categorical_, levels_, n_features_in_, feature_names_in_
        As in DecisionTreeRegressor.

    Examples
    --------
    >>> from novum.tree import ExtraTreeRegressor
    >>> ExtraTreeRegressor(random_state=0).fit([[0.0], [1.0], [8.0]], [1.0, 1.0, 3.0]).predict([[9.0]])
    array([3.])
    """

    _domains = CART_DOMAINS

    def __init__(
        self,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson"] = "squared_error",
        splitter: Literal["best", "random"] = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | Literal["sqrt", "log2"] | None = 1.0,
        random_state: Seed = None,
        min_impurity_decrease: float = 0.0,
        max_leaf_nodes: int | None = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Numbers | None = None,
        categorical_features: Numbers | Literal["from_dtype"] | None = "from_dtype",
    ) -> None:
        super().__init__(
            criterion=current_criterion(criterion),
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
        )
