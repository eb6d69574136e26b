"""A tree in lines of text: a line per branch, indented by depth."""

from collections.abc import Sequence
from typing import Any

from novum.base.domains import Bool, Int, check
from novum.base.fitted import check_is_fitted
from novum.engines.trees.nodes import LEAF, Tree
from novum.tree.base import BaseTree
from novum.tree.conditions import condition_words, edge_condition, names_of

__all__ = ["export_text"]


def export_text(
    decision_tree: BaseTree,
    *,
    feature_names: Sequence[Any] | None = None,
    class_names: Sequence[Any] | None = None,
    max_depth: int = 10,
    spacing: int = 3,
    decimals: int = 2,
    show_weights: bool = False,
) -> str:
    """Return a tree as text, as scikit-learn writes it; branches of categories by their names.

    Parameters
    ----------
    decision_tree : DecisionTreeClassifier or DecisionTreeRegressor
        A fitted tree.
    feature_names, class_names : sequence of str, default=None
        Names in place of those of `fit`; without any, feature_0, feature_1, ...
    max_depth : int, default=10
        Deeper branches are only mentioned.
    spacing : int, default=3
        Width of a step.
    decimals : int, default=2
        Digits of thresholds and weights.
    show_weights : bool, default=False
        Write the weights of the classes at leaves.

    Examples
    --------
    >>> from novum.tree import DecisionTreeClassifier, export_text
    >>> print(export_text(DecisionTreeClassifier().fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])))
    |--- feature_0 <= 3.00
    |   |--- class: a
    |--- feature_0 >  3.00
    |   |--- class: b
    <BLANKLINE>
    """
    domains = {"max_depth": Int(0), "spacing": Int(1), "decimals": Int(0), "show_weights": Bool()}
    given = {"max_depth": max_depth, "spacing": spacing, "decimals": decimals, "show_weights": show_weights}
    check(domains, given, "export_text")
    check_is_fitted(decision_tree)
    names, tree = names_of(decision_tree, feature_names, class_names), decision_tree.tree_
    depth_below = depths_below(tree)
    lines: list[str] = []
    waiting = [(0, 1, "")]  # node, depth, condition on the edge to it
    while waiting:
        node, depth, edge = waiting.pop()
        if edge:
            lines.append(f"{indent(depth - 1, spacing)} {edge}")
        if depth > max_depth + 1 and depth_below[node] > 1:
            lines.append(f"{indent(depth, spacing)} truncated branch of depth {depth_below[node]}")
        elif tree.children_left[node] == LEAF:
            words = names.classes if tree.n_outputs == 1 else None
            lines.append(f"{indent(depth, spacing)}{leaf_text(decision_tree, node, words, decimals, show_weights)}")
        else:
            for child in tree.children(node)[::-1].tolist():
                text = condition_words(edge_condition(tree, node, child), names, decimals)
                waiting.append((child, depth + 1, text.replace(" > ", " >  ")))
    return "\n".join(lines) + "\n"


def indent(depth: int, spacing: int) -> str:
    """Return the beginning of a line."""
    return ("|" + " " * spacing) * (depth - 1) + "|" + "-" * spacing


def depths_below(tree: Tree) -> list[int]:
    """Return the number of levels of the branch at every node, 1 for a leaf."""
    below, parent = [1] * tree.node_count, tree.parents()
    for node in range(tree.node_count - 1, 0, -1):
        below[parent[node]] = max(below[parent[node]], below[node] + 1)
    return below


def leaf_text(model: Any, node: int, classes: list[str] | None, decimals: int, show_weights: bool) -> str:
    """Return what a leaf says."""
    tree = model.tree_
    value = tree.value[node, 0] if tree.n_outputs == 1 else tree.value[node, :, 0]
    if not hasattr(model, "classes_"):
        return f" value: [{', '.join(f'{v:.{decimals}f}' for v in value)}]"
    best = int(value.argmax())
    label = f" class: {best if classes is None else classes[best]}"
    if not show_weights:
        return label
    counts = ", ".join(f"{v * tree.weighted_n_node_samples[node]:.{decimals}f}" for v in value)
    return f" weights: [{counts}]{label}"
