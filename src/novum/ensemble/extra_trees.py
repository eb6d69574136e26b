r"""Extremely randomized trees (Geurts, Ernst and Wehenkel 2006): thresholds are drawn too.

    node    for each of m columns drawn at the node one threshold, uniform between the least and the largest value there;
            the best of these m splits                                                             (1)

No sorting, and trees that agree less than those of a random forest; every tree sees all rows unless `bootstrap` is set.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from novum.base.domains import Domain
from novum.ensemble.forest.base import FOREST_CANDIDACY
from novum.ensemble.forest.classifier import CLASSIFIER_DOMAINS, ForestClassifier
from novum.ensemble.forest.regressor import REGRESSOR_DOMAINS, ForestRegressor
from novum.runtime.typing import LabelWeights, Numbers, Seed
from novum.tree.classifier import ExtraTreeClassifier
from novum.tree.regressor import ExtraTreeRegressor

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(ForestClassifier):
    """Extremely randomized trees for classes.

    Parameters
    ----------
    bootstrap : bool, default=False
        Whether each tree sees a draw of the rows with replacement, or all of them.
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, max_leaf_nodes
        As in RandomForestClassifier.
    min_impurity_decrease, oob_score, n_jobs, random_state, verbose, warm_start, class_weight, ccp_alpha, max_samples
        As in RandomForestClassifier.
    monotonic_cst, categorical_features
        As in RandomForestClassifier. A drawn split of categories sends each of them to either side at random.

    Attributes
    ----------
    estimators_, estimator_, estimators_samples_, classes_, n_classes_, n_outputs_, max_features_, is_categorical_, levels_
        As in RandomForestClassifier, with ExtraTreeClassifier.
    feature_importances_, oob_score_, oob_decision_function_, n_features_in_, feature_names_in_
        As in RandomForestClassifier.

    Examples
    --------
    >>> from novum.ensemble import ExtraTreesClassifier
    >>> X, y = [[0, 1], [1, 1], [2, 0], [5, 1], [6, 0], [7, 1]], ["a", "a", "a", "b", "b", "b"]
    >>> ExtraTreesClassifier(50, random_state=0).fit(X, y).predict([[1, 0], [6, 1]])
    array(['a', 'b'], dtype='<U1')
    """

    _tree_type = ExtraTreeClassifier
    _candidacy = FOREST_CANDIDACY
    _domains: dict[str, Domain] = CLASSIFIER_DOMAINS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["gini", "entropy", "log_loss"] = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | Literal["sqrt", "log2"] | None = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: bool | Callable[..., Any] = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
        class_weight: LabelWeights = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Numbers | Mapping[Any, int] | None = None,
        categorical_features: Numbers | Literal["from_dtype"] | None = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features


class ExtraTreesRegressor(ForestRegressor):
    """Extremely randomized trees for numbers.

    Parameters
    ----------
    bootstrap : bool, default=False
        Whether each tree sees a draw of the rows with replacement, or all of them.
    n_estimators, criterion, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_features, max_leaf_nodes
        As in RandomForestRegressor.
    min_impurity_decrease, oob_score, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples, monotonic_cst
        As in RandomForestRegressor.
    categorical_features
        As in RandomForestRegressor. A drawn split of categories sends each of them to either side at random.

    Attributes
    ----------
    estimators_, estimator_, estimators_samples_, n_outputs_, max_features_, is_categorical_, levels_, feature_importances_
        As in RandomForestRegressor, with ExtraTreeRegressor.
    oob_score_, oob_prediction_, n_features_in_, feature_names_in_
        As in RandomForestRegressor.

    Examples
    --------
    >>> from novum.ensemble import ExtraTreesRegressor
    >>> model = ExtraTreesRegressor(50, random_state=0).fit([[1], [2], [3], [10], [11]], [1.0, 1.2, 0.8, 5.0, 5.4])
    >>> model.predict([[2], [11]]).round(1)
    array([1.2, 5.4])
    """

    _tree_type = ExtraTreeRegressor
    _candidacy = FOREST_CANDIDACY._replace(settings={"n_estimators": 200, "max_features": 0.5})
    _domains: dict[str, Domain] = REGRESSOR_DOMAINS

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Literal["squared_error", "absolute_error", "poisson", "friedman_mse"] = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: float | Literal["sqrt", "log2"] | None = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: bool | Callable[..., Any] = False,
        n_jobs: int | None = None,
        random_state: Seed = None,
        verbose: int | bool = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Numbers | Mapping[Any, int] | None = None,
        categorical_features: Numbers | Literal["from_dtype"] | None = "from_dtype",
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.categorical_features = categorical_features
