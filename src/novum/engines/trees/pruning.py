r"""Minimal cost-complexity pruning: the nested subtrees that are best for a price per leaf.

With R(t) = W_t I_t / W_root the share of impurity that a node would have as a leaf, T_t the branch below it and |T_t| its leaves,

    R_alpha(T) = sum over leaves of R + alpha |T|                                                  (1)
    g(t) = (R(t) - R(T_t)) / (|T_t| - 1)                                                           (2)

T is best for alpha = 0. The node with the least g is the weakest link: for alpha = g its branch is worth no more than a leaf,
so it is cut, R and |T| of the nodes above are corrected, and so on to the root. The alphas rise, and for every alpha in between
the subtree is the smallest minimizer of (1) (Breiman, Friedman, Olshen and Stone 1984, ch. 3). O(nodes depth log nodes).
"""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.engines.trees.nodes import LEAF, UNDEFINED, Tree

__all__ = ["PruningPath", "best_first", "collapse", "prune", "pruning_path"]


class PruningPath(NamedTuple):
    """The weakest links in the order in which they are cut."""

    node: NDArray  # (m,)
    alpha: NDArray  # (m + 1,): from 0 on
    impurity: NDArray  # (m + 1,): sum of R over the leaves after each cut


def pruning_path(tree: Tree) -> PruningPath:
    """Return all weakest links of a tree; of equal ones the first node is cut first."""
    cost = tree.weighted_n_node_samples * tree.impurity / tree.weighted_n_node_samples[0]
    node, alpha, impurity = _core.trees.exact.weakest_links(tree.parents(), cost)
    return PruningPath(node, alpha, impurity)


def prune(tree: Tree, alpha: float) -> Tree:
    """Return the smallest subtree that minimizes (1)."""
    path = pruning_path(tree)
    later = np.flatnonzero(path.alpha[1:] > alpha)
    return collapse(tree, path.node[: later[0]] if later.size else path.node)


def collapse(tree: Tree, nodes: NDArray) -> Tree:
    """Return the tree with some nodes made leaves, and what lay below them gone; the order of the others is kept."""
    parent = tree.parents()
    leaf, gone = np.zeros(tree.node_count, bool), np.zeros(tree.node_count, bool)
    leaf[nodes] = True
    for node in range(1, tree.node_count):  # parents come first
        gone[node] = gone[parent[node]] or leaf[parent[node]]
    kept = np.flatnonzero(~gone)
    place = np.full(tree.node_count + 1, LEAF)  # the last entry is where the children of leaves lead
    place[kept] = np.arange(len(kept))
    ends = leaf[kept]
    sizes = np.where(ends, 0, np.diff(tree.category_begin)[kept])
    words = [tree.category_words[tree.category_begin[i] :][:size] for i, size in zip(kept, sizes) if size]
    branch_begin = branch_node = missing_branch = None
    if tree.branch_begin is not None and tree.branch_node is not None and tree.missing_branch is not None:
        missing_branch = np.where(ends, 0, tree.missing_branch[kept])
        lists = [tree.branch_node[:0] if leaf[i] else tree.branches(int(i)) for i in kept]
        branch_begin = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
        branch_node = place[np.concatenate(lists)]
    return Tree(
        tree.n_features,
        tree.n_classes,
        children_left=np.where(ends, LEAF, place[tree.children_left[kept]]),
        children_right=np.where(ends, LEAF, place[tree.children_right[kept]]),
        feature=np.where(ends, UNDEFINED, tree.feature[kept]),
        threshold=np.where(ends, float(UNDEFINED), tree.threshold[kept]),
        impurity=tree.impurity[kept],
        n_node_samples=tree.n_node_samples[kept],
        weighted_n_node_samples=tree.weighted_n_node_samples[kept],
        value=tree.value[kept],
        missing_go_to_left=np.where(ends, 0, tree.missing_go_to_left[kept]).astype(np.uint8),
        category_begin=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        category_words=np.concatenate(words) if words else np.zeros(0, np.uint32),
        n_categories=tree.n_categories,
        branch_begin=branch_begin,
        branch_node=branch_node,
        missing_branch=missing_branch,
    )


def best_first(tree: Tree, max_leaf_nodes: int) -> Tree:
    """Return the subtree of at most so many leaves that grows by the largest fall of W I at every step."""
    mass = tree.weighted_n_node_samples * tree.impurity
    fall = {node: mass[node] - mass[tree.children(node)].sum() for node in np.flatnonzero(tree.feature >= 0).tolist()}
    waiting, split, leaves = [(-fall[0], 0)] if 0 in fall else [], set(), 1
    while waiting:
        _, node = heappop(waiting)
        children = tree.children(node).tolist()
        if leaves + len(children) - 1 > max_leaf_nodes:
            continue
        leaves += len(children) - 1
        split.add(node)
        for child in children:
            if child in fall:
                heappush(waiting, (-fall[child], child))
    return collapse(tree, np.array([node for node in fall if node not in split], np.int64))
