"""Paths of a tree as conditions on columns: one condition per column, whatever the number of tests on the way.

A condition on a column of numbers is an interval, low < x <= high; on a column of categories it is a set. Every test on the way
to a node narrows one of them. Cells that are missing meet no condition.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from novum.base.fitted import check_is_fitted
from novum.engines.trees.input_table import coded_frame, is_frame
from novum.engines.trees.nodes import LEAF, Tree
from novum.exceptions import ParameterError

__all__ = ["Condition", "Names", "condition_words", "edge_condition", "float_rows", "holds", "names_of", "paths"]


class Condition(NamedTuple):
    """What a column must be: in an interval, or in a set of categories."""

    feature: int
    low: float = -np.inf
    high: float = np.inf
    categories: tuple[int, ...] | None = None


class Names(NamedTuple):
    """Columns, their levels, and the classes, in words."""

    features: list[str]
    levels: list[list[str]]
    classes: list[str] | None  # of a single output


def names_of(model: Any, feature_names: Any, class_names: Any, n_categories: Any = None) -> Names:
    """Return the names in use: those given, or those of `fit`, or numbers."""
    d, owner = model.n_features_in_, type(model).__name__
    known = getattr(model, "feature_names_in_", None)
    if feature_names is not None and len(feature_names) != d:
        raise ParameterError(
            f"feature_names must contain {d} elements, got {len(feature_names)}. {owner} has {d} columns."
        )
    if feature_names is not None:
        features = [str(name) for name in feature_names]
    else:
        features = [f"feature_{j}" for j in range(d)] if known is None else [str(name) for name in known]
    levels = []
    for j in range(d):
        levels_ = model.levels_.get(known[j]) if known is not None else None
        number = int((model.tree_.n_categories if n_categories is None else n_categories)[j])
        levels.append([str(code) for code in (range(number) if levels_ is None else levels_)])
    classes = getattr(model, "classes_", None)
    if classes is None or isinstance(classes, list):
        return Names(features, levels, None)
    if class_names is None:
        return Names(features, levels, [str(label) for label in classes])
    if len(class_names) != len(classes):
        raise ParameterError(
            "When `class_names` is an array, it should contain as many items as `decision_tree.classes_`. Got"
            f" {len(class_names)} while the tree was fitted with {len(classes)} classes."
        )
    return Names(features, levels, [str(label) for label in class_names])


def edge_condition(tree: Tree, node: int, child: int) -> Condition:
    """Return what sends a row from a node to one of its children."""
    j, t = int(tree.feature[node]), float(tree.threshold[node])
    if tree.category_begin[node + 1] > tree.category_begin[node]:
        left = set(tree.left_categories(node).tolist())
        goes_left = child == tree.children_left[node]
        chosen = tuple(c for c in range(int(tree.n_categories[j])) if (c in left) == goes_left)
        return Condition(j, categories=chosen)
    if tree.n_categories[j]:
        return Condition(j, categories=tuple(np.flatnonzero(tree.branches(node) == child).tolist()))
    return Condition(j, high=t) if child == tree.children_left[node] else Condition(j, low=t)


def both(a: Condition, b: Condition) -> Condition:
    """Return the condition that holds where two on the same column do."""
    if a.categories is not None and b.categories is not None:
        return Condition(a.feature, categories=tuple(c for c in a.categories if c in b.categories))
    return Condition(a.feature, max(a.low, b.low), min(a.high, b.high))


def paths(tree: Tree) -> list[tuple[int, tuple[Condition, ...]]]:
    """Return every leaf, from left to right, with the conditions that lead to it, in the order in which they are tested."""
    out = []
    waiting: list[tuple[int, dict[int, Condition]]] = [(0, {})]
    while waiting:
        node, met = waiting.pop()
        if tree.children_left[node] == LEAF:
            out.append((node, tuple(met.values())))
            continue
        for child in tree.children(node)[::-1].tolist():
            one = edge_condition(tree, node, child)
            old = met.get(one.feature)
            waiting.append((child, {**met, one.feature: one if old is None else both(old, one)}))
    return out


def condition_words(condition: Condition, names: Names, decimals: int) -> str:
    """Return a condition in words."""
    name = names.features[condition.feature]
    if condition.categories is not None:
        levels = [names.levels[condition.feature][c] for c in condition.categories]
        return f"{name} = {levels[0]}" if len(levels) == 1 else f"{name} in {{{', '.join(levels)}}}"
    if np.isinf(condition.low):
        return f"{name} <= {condition.high:.{decimals}f}"
    if np.isinf(condition.high):
        return f"{name} > {condition.low:.{decimals}f}"
    return f"{condition.low:.{decimals}f} < {name} <= {condition.high:.{decimals}f}"


def holds(condition: Condition, X: NDArray) -> NDArray:
    """Return which rows meet a condition."""
    x = X[:, condition.feature]
    if condition.categories is not None:
        return np.isin(x, condition.categories)
    return (x > condition.low) & (x <= condition.high)


def float_rows(model: Any, X: Any) -> NDArray:
    """Return rows as the tree reads them: numbers and codes of categories."""
    check_is_fitted(model)
    if model.levels_ and is_frame(X):
        X = coded_frame(X, model.levels_)
    return validate_data(model, X, reset=False, ensure_all_finite="allow-nan", dtype=np.float64)
