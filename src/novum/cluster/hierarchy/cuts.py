r"""Clusters from a tree of merges: cut by number, by height, or where merges are inconsistent.

With h_i the height of merge i and m_i, s_i the mean and the deviation of the heights of the merges at most `depth - 1` levels
below it and itself,

    by number          undo the last k - 1 merges                                                     (1)
    by height          keep merges with h_i < t, as every one below them has                          (2)
    by inconsistency   keep merges for which (h_i - m_i) / s_i <= t, as for every one below           (3)
"""

from heapq import heappush, heappushpop

import numpy as np
from numpy.typing import NDArray
from scipy.cluster import hierarchy as scipy_hierarchy

__all__ = ["cut_by_height", "cut_by_inconsistency", "cut_by_number", "cut_where", "highest_below", "labels_below"]


def top_nodes(children: NDArray, n: int, k: int) -> list[int]:
    """Return the k clusters that (1) leaves, in the order of the heap that split them: scikit-learn's numbers of clusters."""
    nodes = [-(int(children[-1].max()) + 1)] if len(children) else [0]
    for _ in range(k - 1):
        left, right = children[-nodes[0] - n]
        heappush(nodes, -int(left))
        heappushpop(nodes, -int(right))
    return [-node for node in nodes]


def labels_below(children: NDArray, n: int, nodes: list[int] | NDArray) -> NDArray:
    """Return for every row which of `nodes` it lies below."""
    up = np.arange(n + len(children))
    parents = np.repeat(np.arange(n, n + len(children)), 2)
    up[children.ravel()] = parents
    up[np.asarray(nodes)] = nodes
    while True:  # every step doubles the distance that is jumped
        further = up[up]
        if np.array_equal(further, up):
            break
        up = further
    number = np.full(len(up), -1)
    number[np.asarray(nodes)] = np.arange(len(nodes))
    return number[up[:n]]


def cut_by_number(children: NDArray, n: int, k: int) -> NDArray:
    """Return the labels of (1)."""
    return labels_below(children, n, top_nodes(children, n, k))


def highest_below(children: NDArray, n: int, value: NDArray) -> NDArray:
    """Return the largest value of every merge and of those below it."""
    out = np.array(value, dtype=np.float64)
    if (np.diff(out) >= 0).all():
        return out
    for i, (left, right) in enumerate(children - n):
        if left >= 0:
            out[i] = max(out[i], out[left])
        if right >= 0:
            out[i] = max(out[i], out[right])
    return out


def cut_where(children: NDArray, n: int, kept: NDArray) -> NDArray:
    """Return the labels that the merges marked `kept` make, numbered by the first row."""
    nodes = np.concatenate([np.ones(n, bool), kept])
    inner = np.zeros(len(nodes), bool)
    inner[children[kept].ravel()] = True
    labels = labels_below(children, n, np.flatnonzero(nodes & ~inner))
    _, first, code = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[code]


def cut_by_height(children: NDArray, height: NDArray, n: int, threshold: float) -> NDArray:
    """Return the labels of (2)."""
    return cut_where(children, n, highest_below(children, n, height) < threshold)


def cut_by_inconsistency(
    children: NDArray, height: NDArray, size: NDArray, n: int, threshold: float, depth: int
) -> NDArray:
    """Return the labels of (3)."""
    table = np.column_stack([children, height, size]).astype(np.float64)
    coefficient = scipy_hierarchy.inconsistent(table, depth)[:, 3]
    return cut_where(children, n, highest_below(children, n, coefficient) <= threshold)
