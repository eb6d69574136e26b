"""What many trees say of rows: the leaf of every tree, and the mean over the trees of what the leaves hold.

    mean(x) = 1/T sum_t value_t(leaf_t(x)),    added in the order of the trees                         (1)

Dense rows walk down packed trees, several rows at a time (cpp/include/novum/trees/traversal.h); sparse rows, and categories by the
hundred, walk down one tree after another.
"""

import atexit
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.device import walk
from novum.engines.trees.nodes import Tree
from novum.fold.blocks import Block
from novum.runtime import arrays, devices

__all__ = ["Votes", "best_labels", "every_leaf", "mean_number", "mean_value", "votes_of"]

MOST_CATEGORIES = 256  # of a column whose splits are packed

_packed: WeakKeyDictionary = (
    WeakKeyDictionary()
)  # by estimator: its trees and their packed form; never part of its state
atexit.register(_packed.clear)  # compiled objects that outlive the interpreter are reported as leaks


class Votes(NamedTuple):
    """Trees, and what each of their nodes says."""

    trees: list[Tree]
    values: list[NDArray]  # per tree (nodes, width)
    packed: Any  # all of them, or None
    labels: list[NDArray] | None = None  # per output: then the label of the largest mean is said
    width: int = 0  # columns of X
    columns: list[NDArray] | None = None  # per tree: the places in X of the columns it knows; None: all

    def __reduce__(self) -> Any:
        return unpack_votes, (self.trees, self.values, self.labels, self.width, self.columns)


def unpack_votes(
    trees: list[Tree], values: list[NDArray], labels: Any, width: int, columns: list[NDArray] | None
) -> Votes:
    """Return votes that came over the wire, which carries no compiled form."""
    return Votes(trees, values, packed_of(trees, values, width, columns), labels, width, columns)


def packed_of(trees: list[Tree], values: list[NDArray], width: int, columns: list[NDArray] | None) -> Any:
    """Return trees packed for walking; None where their categories are too many."""
    if any(int(tree.n_categories.max(initial=0)) > MOST_CATEGORIES for tree in trees):
        return None
    packed = _core.trees.traversal.Forest(width, values[0].shape[1], sum(tree.node_count for tree in trees))
    for t, (tree, value) in enumerate(zip(trees, values)):
        feature = tree.feature
        if columns is not None:
            feature = np.where(feature < 0, -2, columns[t][np.maximum(feature, 0)])
        packed.append(
            left=tree.children_left,
            right=tree.children_right,
            feature=feature,
            threshold=tree.threshold,
            missing_left=tree.missing_go_to_left,
            word_begin=np.ascontiguousarray(tree.category_begin),
            words=tree.category_words,
            values=np.ascontiguousarray(value),
        )
    return packed


def votes_of(
    owner: Any, trees: list[Tree], values: list[NDArray] | None = None, columns: list[NDArray] | None = None
) -> Votes:
    """Return the trees of an estimator as they answer, packed once for all questions.

    `values` are those of the nodes unless given; `columns[t]` are the places, in X, of the columns that tree t knows.
    """
    known = _packed.get(owner)
    if known is not None and len(known.trees) == len(trees) and all(a is b for a, b in zip(known.trees, trees)):
        return known
    if values is None:
        values = [tree.value.reshape(tree.node_count, -1) for tree in trees]
    width = trees[0].n_features if columns is None else owner.n_features_in_
    packed = packed_of(trees, values, width, columns)
    votes = _packed[owner] = Votes(trees, values, packed, None, width, columns)
    return votes


def cells(block: Block) -> Any:
    """Return the rows of a block as trees read them; those on a device stay there."""
    host = not arrays.is_tensor(block.X) or devices.on_host(block.X)
    return arrays.to_numpy(block.X) if host and arrays.is_tensor(block.X) else block.X


def every_leaf(params: Votes, block: Block) -> Any:
    """Return the leaf of every row in every tree (rows, trees)."""
    X = cells(block)
    if arrays.is_tensor(X):
        return walk.leaves_on_device(params.trees, X)
    out = np.empty((X.shape[0], len(params.trees)), np.int64)
    for t, tree in enumerate(params.trees):
        out[:, t] = tree.apply(X)
    return out


def means(params: Votes, X: Any) -> Any:
    """Return (1) of every row (rows, width)."""
    if arrays.is_tensor(X):
        return walk.means_on_device(params.trees, params.values, X)
    out = np.zeros((X.shape[0], params.values[0].shape[1]))
    if params.packed is not None and isinstance(X, np.ndarray):
        params.packed.add(np.ascontiguousarray(X), out)
    else:
        for tree, value in zip(params.trees, params.values):
            out += value.take(tree.apply(X), axis=0)
    out /= len(params.trees)
    return out


def mean_value(params: Votes, block: Block) -> Any:
    """Return (1) of every row, in the dtype of the rows."""
    X = cells(block)
    found = means(params, X)
    return found.to(X.dtype) if arrays.is_tensor(X) else found.astype(X.dtype, copy=False)


def mean_number(params: Votes, block: Block) -> Any:
    """Return (1) of every row, of the only output."""
    return mean_value(params, block)[:, 0]


def best_labels(params: Votes, block: Block) -> Any:
    """Return, for every output, the label of the largest mean."""
    assert params.labels is not None
    share = means(params, cells(block)).reshape(block.rows, len(params.labels), -1)
    parts = [arrays.argmax(share[:, o, : len(labels)]) for o, labels in enumerate(params.labels)]
    columns = [arrays.labels_at(labels, part) for labels, part in zip(params.labels, parts)]
    if arrays.is_tensor(columns[0]):
        return columns[0] if len(columns) == 1 else arrays.concat([column[:, None] for column in columns])
    return columns[0] if len(columns) == 1 else np.column_stack(columns).astype(params.labels[0].dtype)
