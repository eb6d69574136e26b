"""Partial dependence of a tree by one walk over its nodes, instead of one prediction per row and value.

At a node that tests one of the columns in question a value goes its way; at any other node it goes both ways, with the
shares of the training rows (weighted) that went there:

    f(v) = sum over leaves of value(leaf) * product over its ancestors of [v goes there] or share of the rows     (1)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["tree_dependence"]


def tree_dependence(tree: Any, grid: NDArray, columns: NDArray, owner: str) -> NDArray:
    """Return (1) of every row of `grid`, whose cells are the values of `columns`, for the first output of a tree."""
    if tree.branch_begin is not None or len(tree.category_words):
        raise DataError(
            f"{owner}: partial dependence by recursion needs tests of the form x <= threshold with two branches; use"
            " method='brute'."
        )
    place = {int(column): position for position, column in enumerate(columns)}
    mass, out = tree.weighted_n_node_samples, np.zeros(len(grid))
    waiting = [(0, np.ones(len(grid)))]
    while waiting:
        node, share = waiting.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            out += share * float(np.ravel(tree.value[node])[0])
        elif (position := place.get(int(tree.feature[node]))) is not None:
            goes = grid[:, position] <= tree.threshold[node]
            waiting += [(left, share * goes), (right, share * ~goes)]
        else:
            part = mass[left] / mass[node]
            waiting += [(left, share * part), (right, share * (1 - part))]
    return out
