"""scikit-learn's trees in a model file: every index in their nodes checked before a tree is made.

Compiled code follows the nodes of a tree without looking whether a child or a column exists, so nodes that a stranger wrote
could make it read anywhere or never end. A tree is let through only if

    its arrays have the types and shapes that its header says;
    every node but the first is the child of exactly one node before it (so every walk ends);
    its depth is the one it claims (buffers are made by it);
    its columns exist in the estimator that holds it, which checks the width of what it predicts.

A `Tree` may only be the `tree_` of one of scikit-learn's four tree classes, a `TreePredictor` only in a histogram boosting
without categorical columns. Gradient boosting of the older kind hands all its trees to compiled code at once: refused.
"""

import json
from typing import Any, NamedTuple
from zipfile import ZipFile

import numpy as np

from novum.exceptions import FileFormatError
from novum.runtime import sklearn_private

__all__ = ["check_trees"]

TREE, PREDICTOR = "sklearn.tree._tree.Tree", "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor"
TREE_TYPES = {TREE: "TreeNode", PREDICTOR: "ObjectNode"}  # with the one loader that may make each
TREE_ESTIMATORS = {
    f"sklearn.tree._classes.{name}"
    for name in ("DecisionTreeClassifier", "DecisionTreeRegressor", "ExtraTreeClassifier", "ExtraTreeRegressor")
}
BOOSTING = "sklearn.ensemble._hist_gradient_boosting.gradient_boosting."
AT_ONCE = "sklearn.ensemble._gb."  # gives the trees of all stages to compiled code, which trusts them
LEAF = -1


class Branches(NamedTuple):
    """Children and columns of the nodes of a tree."""

    inner: np.ndarray  # which nodes have children
    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray


def check_trees(schema: Any, archive: ZipFile) -> None:
    """Raise FileFormatError unless every tree in a description is sound and in its place."""
    waiting: list[tuple[Any, Any, str]] = [(schema, None, "")]  # a value, the estimator around it, its name there
    around: Any
    found = at_once = False
    while waiting:
        value, around, place = waiting.pop()
        if isinstance(value, list):
            waiting += [(item, around, place) for item in value]
        if not isinstance(value, dict):
            continue
        name = f"{value.get('__module__')}.{value.get('__class__')}"
        if name == TREE or value.get("__loader__") == "TreeNode":
            check_tree(value, around, place, archive)
            found = True
        elif name == PREDICTOR:
            check_predictor(value, around, archive)
        at_once = at_once or name.startswith(AT_ONCE)
        fields = entries(value) if value.get("__loader__") == "ObjectNode" else None
        if fields is not None and name != PREDICTOR:
            waiting += [(item, value, key) for key, item in fields.items()]
            waiting += [(item, value, "") for key, item in value.items() if key != "content"]
        else:
            waiting += [(item, around, place) for item in value.values()]
    if found and at_once:
        raise FileFormatError("it holds a gradient boosting of scikit-learn's, whose trees are not loaded")


def entries(node: Any) -> dict[str, Any] | None:
    """Return the contents of an object or table of a description by name; None if they have no names, or odd ones."""
    content = node.get("content") if isinstance(node, dict) else None
    if not isinstance(content, dict) or content.get("__loader__") != "DictNode":
        return None
    # A name that the file turns into another type would be an attribute that is not there.
    kinds = content.get("key_types", {}).get("content")
    names = content.get("content")
    if not isinstance(kinds, list) or not isinstance(names, dict) or len(kinds) != len(names):
        return None
    text = {"__module__": "builtins", "__class__": "str", "__loader__": "TypeNode"}
    plain = all(isinstance(kind, dict) and {key: kind.get(key) for key in text} == text for kind in kinds)
    return names if plain else None


def whole_number(node: Any) -> int:
    """Return a whole number of a description."""
    if isinstance(node, dict) and node.get("__loader__") == "JsonNode" and node.get("is_json") is True:
        number = json.loads(node["content"])
        if type(number) is int and 0 <= number < 2**31:
            return number
    raise FileFormatError("a tree in it has a size that is no whole number")


def array(node: Any, archive: ZipFile) -> np.ndarray:
    """Return an array of a description."""
    if not isinstance(node, dict) or node.get("__loader__") != "NdArrayNode" or node.get("type") != "numpy":
        raise FileFormatError("a tree in it has no array where one belongs")
    with archive.open(node["file"]) as member:
        return np.lib.format.read_array(member, allow_pickle=False)


def columns_of(estimator: Any) -> int:
    """Return how many columns the estimator around a tree lets pass."""
    return whole_number((entries(estimator) or {}).get("n_features_in_"))


def check_tree(node: Any, around: Any, place: str, archive: ZipFile) -> None:
    """Check a `Tree`: its place, its header, its nodes."""
    name = f"{around.get('__module__')}.{around.get('__class__')}" if around else ""
    if name not in TREE_ESTIMATORS or place != "tree_" or node.get("__loader__") != "TreeNode":
        raise FileFormatError("a tree in it is not the tree_ of a decision tree")
    state = entries(node) or {}
    header = node.get("__reduce__", {}).get("args", {})
    parts = header.get("content") if header.get("__loader__") == "TupleNode" else None
    if set(state) != {"max_depth", "node_count", "nodes", "values"} or not isinstance(parts, list) or len(parts) != 3:
        raise FileFormatError("a tree in it lacks a part")
    n_features, n_classes, n_outputs = whole_number(parts[0]), array(parts[1], archive), whole_number(parts[2])
    nodes, values = array(state["nodes"], archive), array(state["values"], archive)
    sound = (
        n_features == columns_of(around)
        and n_classes.dtype == np.intp
        and n_classes.shape == (n_outputs,)
        and n_outputs > 0
        and n_classes.min() > 0
        and nodes.dtype == sklearn_private.NODE_DTYPE
        and nodes.shape == (whole_number(state["node_count"]),)
        and values.dtype == np.float64
        and values.shape == (len(nodes), n_outputs, n_classes.max())
        and values.flags.c_contiguous
    )
    if not sound:
        raise FileFormatError("the parts of a tree in it do not fit together")
    left, right = nodes["left_child"].astype(np.int64), nodes["right_child"].astype(np.int64)
    if ((left == LEAF) != (right == LEAF)).any():
        raise FileFormatError("a tree in it has a node with one child")
    depth = check_branches(Branches(left != LEAF, left, right, nodes["feature"].astype(np.int64)), n_features)
    if depth != whole_number(state["max_depth"]):
        raise FileFormatError("a tree in it is not as deep as it says")


def check_predictor(node: Any, around: Any, archive: ZipFile) -> None:
    """Check a `TreePredictor`: its place and its nodes."""
    name = f"{around.get('__module__')}.{around.get('__class__')}" if around else ""
    fields, state = entries(around) or {}, entries(node) or {}
    before = fields.get("_preprocessor", {"__loader__": "JsonNode", "content": "null"})
    if not name.startswith(BOOSTING) or before.get("__loader__") != "JsonNode" or before.get("content") != "null":
        raise FileFormatError("a tree in it is not in a histogram boosting of numbers")
    nodes = array(state.get("nodes"), archive)
    if nodes.dtype != sklearn_private.PREDICTOR_RECORD_DTYPE or nodes.ndim != 1 or nodes["is_categorical"].any():
        raise FileFormatError("a tree in it has nodes of an unknown kind")
    inner = nodes["is_leaf"] == 0
    left, right = nodes["left"].astype(np.int64), nodes["right"].astype(np.int64)
    check_branches(Branches(inner, left, right, nodes["feature_idx"].astype(np.int64)), columns_of(around))


def check_branches(tree: Branches, n_features: int) -> int:
    """Return the depth of a tree after checking that it is one."""
    n, inner = len(tree.inner), np.flatnonzero(tree.inner)
    if n == 0:
        raise FileFormatError("a tree in it has no nodes")
    children = np.concatenate([tree.left[inner], tree.right[inner]])
    late = (tree.left[inner] > inner) & (tree.right[inner] > inner)
    if not late.all() or not np.array_equal(np.sort(children), np.arange(1, n)):
        raise FileFormatError("a tree in it leads to a node that is not there, or back")
    used = tree.feature[inner]
    if ((used < 0) | (used >= n_features)).any():
        raise FileFormatError("a tree in it splits on a column that is not there")
    depth, level = 0, np.zeros(1, dtype=np.int64)
    while (level := level[tree.inner[level]]).size:
        level = np.concatenate([tree.left[level], tree.right[level]])
        depth += 1
    return depth
