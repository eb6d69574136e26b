r"""The class that a fitted model was chosen from, as the logarithm of its growth function on m points.

With D the dimension of linear scores, k classes, C_i the Catalan numbers and S(m) the number of different splits of m points:

    linear scores        k (k - 1)/2  lnPi_D(m),        lnPi_D(m) = D (ln(m/D) + 1)                                   (1)
    a tree, L leaves     ln C_{L-1} + (L - 1) ln S(m) + L ln k + ln(L (L + 1)),   S(m) = d m for numbers              (2)
    sum of trees         sum_t [ln C_{L_t-1} + (L_t - 1) ln S(m) + ln(L_t (L_t + 1))] + k (k - 1)/2 lnPi_{sum L_t}(m) (3)
    weighted vote of T   sum_t (2) + k (k - 1)/2 lnPi_T(m)                                                            (4)
    B boxes              B lnPi_{2d}(m) + ln(B (B + 1))                                                               (5)

A label by largest score is a function of the signs of all pairs of scores, hence k (k - 1)/2. ln(L (L + 1)) pays for a size that
the data chose: level delta is divided as delta/(L (L + 1)) over L = 1, 2, ...
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novum.theory.capacity import log_growth

__all__ = ["Capacity", "base_growth", "capacity_of"]

SCALERS = {"StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"}  # one increasing map per column
FIXED = {"PolynomialFeatures", "FunctionTransformer", "PolarFeatures"}  # chosen before the data, more columns
LINEAR_IN_COLUMNS = {"MultinomialNB", "BernoulliNB", "ComplementNB", "NearestCentroid"}


class Capacity(NamedTuple):
    """ln Pi(m) as a function of m, and what it is in words."""

    log_growth: Callable[[int], float]
    words: str


def linear(dimension: int, k: int, words: str) -> Capacity:
    """Return (1)."""
    pairs = k * (k - 1) // 2
    said = f"{words}, VC dimension {dimension}" + (f", {pairs} pairs of classes" if pairs > 1 else "")
    return Capacity(lambda m: pairs * log_growth(m, dimension), said)


def log_catalan(i: int) -> float:
    return math.lgamma(2 * i + 1) - math.lgamma(i + 2) - math.lgamma(i + 1)


def splits(categories: Any, d: int, m: int) -> float:
    """Return S(m): thresholds of the numbers and halves of the categories."""
    sizes = np.zeros(d) if categories is None else np.asarray(categories)
    return float(m * (sizes == 0).sum() + (2.0 ** (sizes[sizes > 0] - 1)).sum())


def partition_growth(leaves: int, categories: Any, d: int, m: int) -> float:
    """Return (2) without the labels of the leaves."""
    return log_catalan(leaves - 1) + (leaves - 1) * math.log(splits(categories, d, m)) + math.log(leaves * (leaves + 1))


def leaves_of(tree: Any) -> int:
    return int(tree.get_n_leaves()) if hasattr(tree, "get_n_leaves") else int(tree.tree_.n_leaves)


def base_growth(model: Any, m: int, k: int) -> float | None:
    """Return (2) for a fitted tree, else the growth of whatever the base learner is, or None."""
    if hasattr(model, "tree_"):
        leaves = leaves_of(model)
        categories = getattr(model.tree_, "n_categories", None)
        return partition_growth(leaves, categories, int(model.n_features_in_), m) + leaves * math.log(k)
    found = capacity_of(model)
    return None if found is None else found.log_growth(m)


def of_tree(model: Any, k: int) -> Capacity:
    leaves = leaves_of(model)
    words = f"trees with {leaves} leaves on {model.n_features_in_} features, size chosen by the data"
    return Capacity(lambda m: base_growth(model, m, k) or 0.0, words)


def of_tree_sum(trees: list[tuple[int, Any]], d: int, k: int, words: str) -> Capacity:
    """Return (3) for pairs of leaves and categories."""
    total = sum(leaves for leaves, _ in trees)
    pairs = max(1, k * (k - 1) // 2)

    def growth(m: int) -> float:
        return sum(partition_growth(leaves, cats, d, m) for leaves, cats in trees) + pairs * log_growth(m, total)

    return Capacity(growth, f"{words} of {len(trees)} trees with {total} leaves on {d} features")


def of_vote(model: Any, k: int) -> Capacity | None:
    """Return (4)."""
    members = list(model.estimators_)
    if any(base_growth(member, 2, k) is None for member in members):
        return None
    pairs = k * (k - 1) // 2

    def growth(m: int) -> float:
        return sum(base_growth(member, m, k) or 0.0 for member in members) + pairs * log_growth(m, len(members))

    return Capacity(growth, f"weighted votes of {len(members)} {type(members[0]).__name__}")


def of_predictors(model: Any, k: int) -> Capacity | None:
    """Return (3) for histogram boosting, whose trees are kept by iteration and output."""
    if np.any(getattr(model, "is_categorical_", None)):
        return None
    trees = [(int(tree.get_n_leaf_nodes()), None) for stage in model._predictors for tree in stage]
    return of_tree_sum(trees, int(model.n_features_in_), k, "boosted sums")


def of_kernel_machine(model: Any, k: int) -> Capacity | None:
    d = int(model.n_features_in_)
    if model.kernel == "linear":
        return linear(d + 1, k, f"halfspaces in {d} features")
    if model.kernel == "poly":
        return linear(math.comb(d + model.degree, model.degree), k, f"polynomials of degree {model.degree}")
    if model.kernel == "rbf":
        return Capacity(lambda m: m * math.log(2), "Gaussian kernel, infinite VC dimension")
    return None


def of_pipeline(model: Any) -> Capacity | None:
    """Return the capacity of the last step, where the steps before it cannot fit labels."""
    for _, step in model.steps[:-1]:
        if step in (None, "passthrough"):
            continue
        if type(step).__name__ not in SCALERS | FIXED:
            return None
    return capacity_of(model.steps[-1][1])


def capacity_of(model: Any) -> Capacity | None:
    """Return the capacity of a fitted classifier's class, or None where it is not known."""
    names = {cls.__name__ for cls in type(model).__mro__}
    if "Pipeline" in names:
        return of_pipeline(model)
    classes = getattr(model, "classes_", None)
    if classes is None or isinstance(classes, list):
        return None
    k, d = len(classes), int(getattr(model, "n_features_in_", 0))
    if "DummyClassifier" in names:
        if model.strategy in ("uniform", "stratified"):
            return None
        return Capacity(lambda m: math.log(max(k, 2)), f"{k} constants")
    if "RectangleLearner" in names:
        if k != 2:
            return None
        boxes = len(model.low_)
        return Capacity(
            lambda m: boxes * log_growth(m, 2 * d) + math.log(boxes * (boxes + 1)),
            f"{boxes} axis-parallel boxes in {d} features, VC dimension {2 * d} each",
        )
    if "SVC" in names or "NuSVC" in names:
        return of_kernel_machine(model, k)
    if "GaussianNB" in names:
        return linear(2 * d + 1, k, f"diagonal quadratic scores in {d} features")
    if "QuadraticDiscriminantAnalysis" in names:
        return linear(d + d * (d + 1) // 2 + 1, k, f"quadratic scores in {d} features")
    if "CategoricalNB" in names:
        return linear(int(np.sum(model.n_categories_)) + 1, k, "scores linear in indicators of the categories")
    if names & LINEAR_IN_COLUMNS:
        return linear(d + 1, k, f"halfspaces in {d} features")
    if hasattr(model, "coef_") and np.ndim(model.coef_) in (1, 2):
        width = int(np.shape(model.coef_)[-1])
        free = 1 if getattr(model, "fit_intercept", True) else 0
        return linear(width + free, k, f"halfspaces in {width} features")
    if hasattr(model, "estimator_weights_") and hasattr(model, "estimators_"):
        return of_vote(model, k)
    if hasattr(model, "_predictors"):
        return of_predictors(model, k)
    if hasattr(model, "tree_"):
        return of_tree(model, k)
    members = np.ravel(np.asarray(list(getattr(model, "estimators_", [])), dtype=object))
    if len(members) and all(hasattr(member, "tree_") for member in members):
        trees = [(leaves_of(tree), getattr(tree.tree_, "n_categories", None)) for tree in members]
        return of_tree_sum(trees, d, k, "sums")
    return None
