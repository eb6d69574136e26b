r"""Random forests (Breiman 2001): each tree sees a bootstrap sample of the rows, and each node a draw of the columns.

    tree t    grown on n rows drawn with replacement; about 63 % of the rows are among them        (1)
    node      best split among m columns drawn at that node, m = sqrt(d) for classes               (2)
    forest    mean of the shares of the classes, or of the predicted numbers, over the trees       (3)

(1) and (2) make trees that err differently, (3) averages the errors away: novum/ensemble/forest/base.py (2). Data with more than
a few rows are coded once for all trees: novum/engines/trees/ranks.py.
"""

from novum.base.domains import Domain
from novum.ensemble.forest.base import FOREST_CANDIDACY
from novum.ensemble.forest.classifier import CLASSIFIER_DOMAINS, ForestClassifier
from novum.ensemble.forest.regressor import REGRESSOR_DOMAINS, ForestRegressor
from novum.tree.classifier import DecisionTreeClassifier
from novum.tree.regressor import DecisionTreeRegressor

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestClassifier):
    """Random forest for classes.

    Parameters
    ----------
    n_estimators : int, default=100
        Number of trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        Impurity that splits lower, as in DecisionTreeClassifier.
    max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        When trees stop, as in DecisionTreeClassifier.
    max_features : int, float or {"sqrt", "log2"}, default="sqrt"
        Columns tried at a node, drawn anew at each; a float is a share, None means all.
    bootstrap : bool, default=True
        Whether each tree sees a draw of the rows with replacement, or all of them.
    oob_score : bool or callable, default=False
        Whether every row is judged by the trees that did not draw it; a callable `score(y_true, y_pred)` replaces the accuracy.
    n_jobs : int, default=None
        Threads; None uses what the process may use. Results do not depend on it.
    random_state : int, Generator, RandomState or None, default=None
        Seeds the draws of rows, columns and thresholds: tree t is a function of the seed and t.
    verbose : int, default=0
        Kept for scikit-learn's sake; nothing is printed.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and adds those that `n_estimators` requests.
    class_weight : dict, list of dict, "balanced" or "balanced_subsample", default=None
        Factors of the rows' weights by class; the last word means balance within the sample of each tree.
    ccp_alpha : float, default=0.0
        Price per leaf at which trees are pruned.
    max_samples : int or float, default=None
        Rows drawn per tree; a float is a share, None means as many as there are.
    monotonic_cst : array-like of shape (n_features,), default=None
        1, -1 or 0 for every column, as in DecisionTreeClassifier.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Columns of categories, as in DecisionTreeClassifier.

    Attributes
    ----------
    estimators_ : list of DecisionTreeClassifier
    estimator_ : DecisionTreeClassifier
        The tree that is grown, unfitted.
    estimators_samples_ : list of arrays
        Rows drawn for every tree.
    classes_, n_classes_, n_outputs_, max_features_, is_categorical_, levels_
        As in DecisionTreeClassifier.
    feature_importances_ : array of shape (n_features,)
        Mean over the trees.
    oob_score_ : float
    oob_decision_function_ : array of shape (n_samples, n_classes) or (n_samples, n_classes, n_outputs)
        With `oob_score` only; zeros for a row that all trees drew.

    Notes
    -----
    Weights decide how likely a row is drawn, as in scikit-learn since 1.9; without `bootstrap` trees use them.

    Rows in files, on a cluster or on a device become codes of 255 bins per column, between which trees cut, and every row is drawn
    a Poisson number of times of its own: a tree sees `max_samples` rows on average. Results depend on neither blocks nor workers.

    Examples
    --------
    >>> from novum.ensemble import RandomForestClassifier
    >>> X, y = [[0, 1], [1, 1], [2, 0], [5, 1], [6, 0], [7, 1]], ["a", "a", "a", "b", "b", "b"]
    >>> model = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> model.predict([[1, 0], [6, 1]]), round(model.oob_score_, 2)
    (array(['a', 'b'], dtype='<U1'), 1.0)
    >>> model.proximity([[1, 0]], [[0, 0], [7, 0]]).round(1)
    array([[1. , 0.3]])
    """

    _tree_type = DecisionTreeClassifier
    _candidacy = FOREST_CANDIDACY
    _domains: dict[str, Domain] = CLASSIFIER_DOMAINS


class RandomForestRegressor(ForestRegressor):
    """Random forest for numbers.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson"}, default="squared_error"
        Impurity that splits lower, as in DecisionTreeRegressor.
    max_features : int, float or {"sqrt", "log2"}, default=1.0
        Columns tried at a node: all of them by default.
    n_estimators, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf, max_leaf_nodes, min_impurity_decrease
        As in RandomForestClassifier.
    bootstrap, oob_score, n_jobs, random_state, verbose, warm_start, ccp_alpha, max_samples, monotonic_cst, categorical_features
        As in RandomForestClassifier; the out-of-bag score is R^2 unless a callable is given.

    Attributes
    ----------
    oob_prediction_ : array of shape (n_samples,) or (n_samples, n_outputs)
        With `oob_score` only.
    estimators_, estimator_, estimators_samples_, feature_importances_, oob_score_, n_outputs_, max_features_, levels_
        As in RandomForestClassifier, with DecisionTreeRegressor.
    is_categorical_, n_features_in_, feature_names_in_
        As in RandomForestClassifier.

    Examples
    --------
    >>> from novum.ensemble import RandomForestRegressor
    >>> model = RandomForestRegressor(50, random_state=0).fit([[1], [2], [3], [10], [11]], [1.0, 1.2, 0.8, 5.0, 5.4])
    >>> model.predict([[2], [11]]).round(1)
    array([1.2, 5.1])
    """

    _tree_type = DecisionTreeRegressor
    _candidacy = FOREST_CANDIDACY._replace(settings={"n_estimators": 200, "max_features": 0.5})
    _domains: dict[str, Domain] = REGRESSOR_DOMAINS
