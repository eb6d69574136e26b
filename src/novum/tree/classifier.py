r"""Classification trees (CART): leaves hold the shares of the classes.

At a node with weight W, W_k of it in class k and p_k = W_k / W, the impurity I is one of

    gini      1 - sum_k p_k^2                                                                      (1)
    entropy   -sum_k p_k log2 p_k                                                                  (2)

and the split of all rows into L and R is taken that leaves the least

    W_L I_L + W_R I_R                                                                              (3)

A threshold lies midway between two values that occur. Categories are ordered by the share of a class and cut in this order:
with two classes no subset of them does better (Breiman et al. 1984, thm 4.5); with more, the orders of all classes are tried.
Missing cells go to the side that makes (3) least.

The notes' trees (ID3, C4.5) are the same class: `branching`, `missing`, `significance`, `attribute_costs` and the criterion
"gain_ratio" call the grower in `multiway`, which ranks splits into groups v by the fall of impurity, divided for the ratio by

    -sum_v W_v / W log2(W_v / W)                                                                   (4)

and, where columns have costs, by

    gain^2 / cost   or   (2^gain - 1) / (cost + 1)^w                                               (5)
"""

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets

from novum.base.candidacy import Candidacy
from novum.base.classes import distinct
from novum.base.domains import Choice, ClassWeight, Domain, Null
from novum.base.estimator import fits
from novum.base.fitted import check_is_fitted
from novum.base.validation import plainly_labels
from novum.engines.trees.exact import Target, class_target
from novum.engines.trees.limits import COMMON_DOMAINS
from novum.runtime.typing import LabelWeights, Numbers, Rows, RowWeights, Seed
from novum.tree.base import TREE_SEARCH, BaseTree
from novum.tree.class_shares import ClassShares
from novum.tree.multiway_parameters import PRUNING_DOMAINS, SCORE_DOMAINS

__all__ = ["DecisionTreeClassifier", "ExtraTreeClassifier"]

CART_DOMAINS: dict[str, Domain] = {
    **COMMON_DOMAINS,
    "criterion": Choice("gini", "entropy", "log_loss"),
    "class_weight": ClassWeight(several=True) | Choice("balanced") | Null(),
}


class DecisionTreeClassifier(ClassShares, BaseTree):
    """Decision tree for classes.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "gain_ratio"}, default="gini"
        Impurity (1), or (2) under either name: the fall of (2) is the information gain. "gain_ratio" divides it by (4).
    splitter : {"best", "random"}, default="best"
        "random" draws one threshold per column, uniform over its range at the node, and takes the best of these.
    max_depth : int, default=None
        Most splits above a leaf; None grows until leaves are pure or cannot be split.
    min_samples_split : int or float, default=2
        Least rows of a node that is split; a float is a share of all rows.
    min_samples_leaf : int or float, default=1
        Least rows of a leaf; a float is a share of all rows.
    min_weight_fraction_leaf : float, default=0.0
        Least share of the whole weight in a leaf.
    max_features : int, float or {"sqrt", "log2"}, default=None
        Columns tried at a node, drawn anew at each; a float is a share. More are tried where all of them are constant.
    random_state : int, Generator, RandomState or None, default=None
        Seeds the draws of columns and thresholds. Without draws the tree is unique: of equal splits the first column's wins.
    max_leaf_nodes : int, default=None
        Grow best-first, by the fall of impurity, to this many leaves.
    min_impurity_decrease : float, default=0.0
        Least fall of impurity, weighted by the node's share of the weight, that a split must bring.
    class_weight : dict, list of dict or "balanced", default=None
        Factors of the rows' weights by class; a list has one entry per output.
    ccp_alpha : float, default=0.0
        Price per leaf: the tree is pruned to the smallest that minimizes impurity plus price.
    monotonic_cst : array-like of shape (n_features,), default=None
        1 if the probability of the second of two classes must not fall with a column, -1 if it must not rise, 0 for none.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of categories: those of a frame that are no numbers; or names, numbers or a mask of columns whose cells are
        coded 0, 1, 2, ...
    branching : {"binary", "multiway"}, default="binary"
        "multiway" gives every category of a column a branch of its own; numbers are cut at a threshold. `min_samples_leaf` and
        `min_weight_fraction_leaf` then ask that two of the branches have so much.
    missing : {"best_side", "fractional", "fill", "fill_by_class"}, default="best_side"
        A row without the cell goes to the side that leaves the least (3); or to all branches, with the shares of the known weight;
        or with the most common outcome at the node; or, while growing, with that among the rows of its class.
    pruning : "reduced_error" or None, default=None
        Hold out a share of the rows and make leaves of nodes as long as these are predicted no worse.
    validation_fraction : float, default=0.2
        Share held out by `pruning` and `pruning_curve`, drawn by `random_state` from every class.
    significance : float, default=None
        Largest p-value of the chi-squared test of a split against the classes; other splits are not taken.
    attribute_costs : dict or array-like of shape (n_features,), default=None
        What asking a column costs, by name or in order; those left out of a dict cost 1. Splits are then ranked by (5).
    cost_form : {"tan_schlimmer", "nunez"}, default="tan_schlimmer"
        Which of the two forms of (5).
    cost_weight : float, default=1.0
        w in (5), from 0 (costs do not matter) to 1.

    Attributes
    ----------
    tree_ : Tree
        The nodes, in arrays with scikit-learn's names.
    classes_ : array of shape (n_classes,), or a list of them, one per output
    n_classes_ : int, or array of shape (n_outputs,)
    n_outputs_ : int
    max_features_ : int
        Columns tried at a node.
    feature_importances_ : array of shape (n_features,)
    is_categorical_ : array of shape (n_features,)
        Which columns are categories.
    levels_ : dict
        Levels of the columns of a frame that are no numbers.
    pruning_log_ : dict
        With `pruning`: the nodes of the full tree that became leaves in turn, and the held-out accuracy `before` and `after` each.

    Notes
    -----
    Data and thresholds stay in double precision (scikit-learn rounds X to float32). A level that `fit` did not see is missing.

    Examples
    --------
    >>> import pandas as pd
    >>> from novum.tree import DecisionTreeClassifier
    >>> X = pd.DataFrame({"sky": ["sun", "rain", "rain", "cloud"], "degrees": [25.0, 12.0, 21.0, 19.0]})
    >>> model = DecisionTreeClassifier().fit(X, ["out", "in", "in", "out"])
    >>> model.predict(pd.DataFrame({"sky": ["cloud", "rain"], "degrees": [11.0, 30.0]}))
    array(['out', 'in'], dtype='<U3')
    """

    _candidacy = Candidacy(rank=5, settings={"max_depth": 5}, search=TREE_SEARCH)
    _domains: dict[str, Domain] = {
        **CART_DOMAINS,
        **PRUNING_DOMAINS,
        **SCORE_DOMAINS,
        "criterion": Choice("gini", "entropy", "log_loss", "gain_ratio"),
    }

    classes_: Any
    n_classes_: Any

    def __init__(
        self,
        *,
        criterion: Literal["gini", "entropy", "log_loss", "gain_ratio"] = "gini",
        splitter: Literal["best", "random"] = "best",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | Literal["sqrt", "log2"] | None = None,
        random_state: Seed = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: LabelWeights = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Numbers | None = None,
        categorical_features: Literal["from_dtype"] | Numbers | None = "from_dtype",
        branching: Literal["binary", "multiway"] = "binary",
        missing: Literal["best_side", "fractional", "fill", "fill_by_class"] = "best_side",
        pruning: Literal["reduced_error"] | None = None,
        validation_fraction: float = 0.2,
        significance: float | None = None,
        attribute_costs: Mapping[Any, Any] | Numbers | None = None,
        cost_form: Literal["tan_schlimmer", "nunez"] = "tan_schlimmer",
        cost_weight: float = 1.0,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
        self.branching = branching
        self.missing = missing
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.significance = significance
        self.attribute_costs = attribute_costs
        self.cost_form = cost_form
        self.cost_weight = cost_weight

    def _target(self, y: NDArray, weight: NDArray | None) -> tuple[Target, NDArray | None]:
        if not plainly_labels(y):
            check_classification_targets(y)
        pairs = [distinct(y[:, o]) for o in range(y.shape[1])]
        if self.class_weight is not None:
            factor = compute_sample_weight(self.class_weight, y)
            weight = factor if weight is None else weight * factor
        numbers = np.array([len(classes) for classes, _ in pairs])
        single = y.shape[1] == 1
        self.classes_ = pairs[0][0] if single else [classes for classes, _ in pairs]
        self.n_classes_ = int(numbers[0]) if single else numbers
        code = np.column_stack([code for _, code in pairs])
        return class_target(self.criterion, code, numbers), weight

    @fits
    def fit(
        self, X: Rows, y: Numbers | None = None, sample_weight: RowWeights = None, check_input: bool = True
    ) -> Self:
        """Grow the tree.

        NaN is missing, in a sparse matrix refused. Rows outside memory are read in passes: large nodes are split by
        histograms of 255 bins per column, small ones exactly (on a device by bins, too).

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

    def predict(self, X: Rows, check_input: bool = True) -> Any:
        """Return the class of the largest share in every row's leaf.

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
        labels = [self.classes_] if self.n_outputs_ == 1 else self.classes_
        return self._ask(X, self.tree_.value, check_input, labels)

    def predict_proba(self, X: Rows, check_input: bool = True) -> Any:
        """Return the shares of the classes in every row's leaf.

        Parameters
        ----------
        X : array-like, sparse matrix, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        check_input : bool, default=True
            False trusts X to be a float array or a CSR matrix.

        Returns
        -------
        array of shape (n_samples, n_classes), or a list of them, one per output
        """
        check_is_fitted(self)
        share = self._ask(X, self.tree_.value[:, 0] if self.n_outputs_ == 1 else self.tree_.value, check_input)
        if self.n_outputs_ == 1:
            return share
        return [share[:, o, :number] for o, number in enumerate(self.n_classes_)]


class ExtraTreeClassifier(DecisionTreeClassifier):
    """Extremely randomized tree for classes: a decision tree that draws its thresholds, for use in ensembles.

    Parameters
    ----------
    criterion, splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features
        As in DecisionTreeClassifier, with splitter="random" and max_features="sqrt".
    random_state, max_leaf_nodes, min_impurity_decrease, class_weight, ccp_alpha, monotonic_cst, categorical_features
        As in DecisionTreeClassifier. A drawn split of categories sends each of them to either side at random.

    Attributes
    ----------
    tree_, classes_, n_classes_, n_outputs_, max_features_, feature_importances_, is_categorical_, levels_, n_features_in_
        As in DecisionTreeClassifier.

    Examples
    --------
    >>> from novum.tree import ExtraTreeClassifier
    >>> ExtraTreeClassifier(random_state=0).fit([[0.0], [1.0], [8.0]], ["a", "a", "b"]).predict([[9.0]])
    array(['b'], dtype='<U1')
    """

    _domains = CART_DOMAINS

    def __init__(
        self,
        *,
        criterion: Literal["gini", "entropy", "log_loss"] = "gini",
        splitter: Literal["best", "random"] = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | Literal["sqrt", "log2"] | None = "sqrt",
        random_state: Seed = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: LabelWeights = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Numbers | None = None,
        categorical_features: Numbers | Literal["from_dtype"] | None = "from_dtype",
    ) -> None:
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
        )
