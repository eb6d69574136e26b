"""What a tree says of rows: the number of their leaf, what it holds, or a label; on a device where the rows lie there."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.engines.trees.device.walk import leaves_on_device, value_at
from novum.engines.trees.nodes import Tree
from novum.fold.blocks import Block
from novum.runtime import arrays, devices

__all__ = ["Leaves", "answers"]


class Leaves(NamedTuple):
    """A tree and what each of its nodes says."""

    tree: Tree
    answer: NDArray | None  # (nodes, ...); None: the number of the node
    labels: list[NDArray] | None = None  # per output: then the label of the largest entry is said


def answers(params: Leaves, block: Block) -> Any:
    """Return what the leaf of every row says; numbers in the dtype of the block."""
    X = block.X
    if arrays.is_tensor(X):
        if not devices.on_host(X):
            return answers_on_device(params, X)
        X = arrays.to_numpy(X)
    if params.answer is not None and params.tree.divides:
        return divided_answers(params, X)
    leaf = params.tree.apply(X)
    if params.answer is None:
        return leaf
    if params.labels is not None:
        few = len(leaf) < len(params.answer)  # rows or nodes, whichever are fewer
        best = params.answer.take(leaf, axis=0).argmax(-1) if few else params.answer.argmax(-1).take(leaf, axis=0)
        return labels_of(best, params.labels)
    out = params.answer.take(leaf, axis=0)
    return out.astype(X.dtype, copy=False)


def answers_on_device(params: Leaves, X: Any) -> Any:
    """Return what the leaves say of rows on a device, there."""
    leaf = leaves_on_device([params.tree], X)[:, 0]
    if params.answer is None:
        return leaf
    out = value_at(params.answer, leaf)
    if params.labels is None:
        return out.to(X.dtype)
    columns = [arrays.labels_at(one, out[:, o, : len(one)].argmax(dim=1)) for o, one in enumerate(params.labels)]
    if len(columns) == 1 or not arrays.is_tensor(columns[0]):
        return columns[0] if len(columns) == 1 else np.column_stack(columns)
    return arrays.concat([column[:, None] for column in columns])


def labels_of(best: NDArray, labels: list[NDArray]) -> NDArray:
    """Return the labels of codes (n, outputs)."""
    columns = [one.take(best[:, o]) for o, one in enumerate(labels)]
    return columns[0] if len(columns) == 1 else np.column_stack(columns).astype(labels[0].dtype)


def divided_answers(params: Leaves, X: Any) -> Any:
    """Return the mean of what the leaves say that a row reaches, or the label of its largest entry."""
    assert params.answer is not None
    out = params.tree.leaf_values(X, params.answer)
    return out.astype(X.dtype, copy=False) if params.labels is None else labels_of(out.argmax(-1), params.labels)
