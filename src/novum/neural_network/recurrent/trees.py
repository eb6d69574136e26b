"""Trees: nested tuples or networkx trees, as tables of nodes, and batches of them sorted by height.

    ("and", "a", ("not", "b"))          a tuple is an inner node, its members are its children, in order
    np.array([0.1, 2.0])                a leaf may be a symbol (text, whole number) or a vector
    networkx.DiGraph                    edges point from parent to child, in the order in which they were added; a leaf has the
                                        attribute "label" (or its own name); the label of an inner node becomes its first child

Nodes are numbered children before parents (post-order), the root last: the order of targets and answers at every node.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError
from novum.runtime.message_text import value_text

__all__ = ["NodeTable", "TreeBatch", "join_tables", "read_tree", "sort_by_height"]

NO_CHILD = -1


class NodeTable(NamedTuple):
    """The nodes of one tree, in post-order."""

    leaves: list[Any]  # of the nodes without children, in order
    children: NDArray[np.int64]  # (nodes, largest arity), NO_CHILD where there is none
    height: NDArray[np.int64]  # (nodes,), 0 for leaves


class TreeBatch(NamedTuple):
    """Nodes of several trees, leaves first, then by height: the nodes of one height are computed at once."""

    leaf_rows: NDArray[np.int64]  # for every leaf its row among all leaves of the data
    children: list[NDArray[np.int64]]  # for every height from 1: (nodes of that height, arity), numbers of batch nodes
    roots: NDArray[np.int64]  # (trees,)
    order: NDArray[np.int64]  # for every node, tree by tree in post-order, its number in the batch


def children_of(node: Any, graph: Any) -> list[Any] | None:
    """Return the children of a node in order; None for a leaf."""
    if graph is None:
        return list(node) if isinstance(node, tuple) else None
    below = list(graph.successors(node))
    label = graph.nodes[node].get("label")
    return None if not below else below if label is None else [Label(label), *below]


class Label(NamedTuple):
    """The label of an inner node of a networkx tree, as its first child."""

    value: Any


def root_of(graph: Any, owner: str, place: int) -> Any:
    """Return the root of a networkx tree."""
    import networkx as nx

    if not graph.is_directed() or len(graph) == 0 or not nx.is_arborescence(graph):
        raise DataError(
            f"{owner}: tree {place} is a networkx graph that is no directed tree with one root; edges point from parent to child."
        )
    return next(node for node, degree in graph.in_degree() if degree == 0)


def read_tree(tree: Any, owner: str, place: int) -> NodeTable:
    """Return the nodes of one tree; no recursion, so that depth is not limited by Python's stack."""
    graph = tree if hasattr(tree, "is_directed") else None
    root = tree if graph is None else root_of(graph, owner, place)
    leaves: list[Any] = []
    children: list[list[int]] = []
    height: list[int] = []
    stack: list[tuple[Any, list[Any] | None, list[int]]] = [(root, children_of(root, graph), [])]
    while stack:
        node, below, numbers = stack[-1]
        if below is not None and not below:
            raise DataError(f"{owner}: tree {place} has an inner node without children, (); leave it out.")
        if below is not None and len(numbers) < len(below):
            child = below[len(numbers)]
            stack.append((child, None if isinstance(child, Label) else children_of(child, graph), []))
            continue
        stack.pop()
        if below is None:
            if isinstance(node, list):
                raise DataError(
                    f"{owner}: tree {place} holds the list {value_text(node)}; inner nodes are tuples, vectors arrays."
                )
            value = (
                node.value
                if isinstance(node, Label)
                else node
                if graph is None
                else graph.nodes[node].get("label", node)
            )
            leaves.append(value)
        height.append(1 + max(height[k] for k in numbers) if numbers else 0)
        children.append(numbers)
        if stack:
            stack[-1][2].append(len(children) - 1)
    arity = max(map(len, children), default=0)
    table = np.full((len(children), max(arity, 1)), NO_CHILD)
    for k, numbers in enumerate(children):
        table[k, : len(numbers)] = numbers
    return NodeTable(leaves, table, np.array(height))


class JoinedTables(NamedTuple):
    """The nodes of all trees one after another."""

    children: NDArray[np.int64]  # (nodes, arity): numbers within the tree
    height: NDArray[np.int64]
    leaf_row: NDArray[np.int64]  # (nodes,): the row of a leaf among all leaves, NO_CHILD for inner nodes
    first: NDArray[np.int64]  # (trees + 1,): where each tree begins


def join_tables(tables: list[NodeTable], arity: int, owner: str) -> JoinedTables:
    """Return the tables of all trees as one; `arity` is the most children that a node may have."""
    sizes = np.array([len(table.height) for table in tables])
    children = np.full((int(sizes.sum()), arity), NO_CHILD)
    first = np.concatenate([[0], np.cumsum(sizes)])
    for place, (start, table) in enumerate(zip(first, tables)):
        if table.children.shape[1] > arity:
            raise DataError(
                f"{owner}: tree {place} has a node with {table.children.shape[1]} children; fit saw at most {arity}."
            )
        children[start : start + len(table.height), : table.children.shape[1]] = table.children
    height = np.concatenate([table.height for table in tables])
    leaf_row = np.where(height == 0, np.cumsum(height == 0) - 1, NO_CHILD)
    return JoinedTables(children, height, leaf_row, first)


def sort_by_height(joined: JoinedTables, index: NDArray) -> TreeBatch:
    """Return some trees as one batch."""
    sizes = joined.first[index + 1] - joined.first[index]
    begin = np.concatenate([[0], np.cumsum(sizes)])  # of each tree in the batch
    rows = np.repeat(joined.first[index] - begin[:-1], sizes) + np.arange(begin[-1])
    height = joined.height[rows]
    sorted_nodes = np.argsort(height, kind="stable")
    number = np.empty(len(rows), dtype=np.int64)
    number[sorted_nodes] = np.arange(len(rows))
    local = joined.children[rows]
    inside = local != NO_CHILD
    moved = local + np.repeat(begin[:-1], sizes)[:, None]
    children = np.where(inside, number[np.where(inside, moved, 0)], NO_CHILD)[sorted_nodes]
    cuts = np.cumsum(np.bincount(height))
    levels = [children[low:high] for low, high in pairwise(cuts)]
    return TreeBatch(joined.leaf_row[rows][sorted_nodes[: cuts[0]]], levels, number[begin[1:] - 1], number)
