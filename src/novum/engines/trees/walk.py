r"""Walks through trees whose nodes have more than two children, or divide rows of which they cannot see the cell.

At node i the test of a row has the outcome

    x[feature[i]]                                  of a multiway node: the category                            (1)
    0 if x[feature[i]] <= threshold[i], else 1     of a threshold                                              (2)
    0 if the category is in the set of i, else 1   of a set                                                    (3)

and the row goes to `branch_node[branch_begin[i] + outcome]`. Where the cell is missing, or is a category that `fit` did not
know, it goes to the outcome `missing_branch[i]`; if that is DIVIDE, to all children at once, with the shares

    W_child / sum over the children of W                                                                       (4)

of its weight. Rows advance together, a level at a time.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novum.exceptions import DataError

__all__ = ["DIVIDE", "Visit", "largest", "outcomes", "spread_rows", "visits"]

DIVIDE = -1  # a missing cell sends a row to every child; also the outcome of a test without its cell


class Visit(NamedTuple):
    """Rows at nodes, each with the weight that arrives there."""

    row: NDArray
    node: NDArray
    weight: NDArray


def outcomes(tests: Any, X: NDArray, row: NDArray, node: NDArray) -> NDArray:
    """Return (1), (2) or (3) of every row at its inner node, DIVIDE where the cell is missing or unknown."""
    feature = tests.feature[node]
    x = X[row, feature]
    missing = np.isnan(x)
    n_categories = tests.n_categories[feature]
    if not n_categories.any():
        return np.where(missing, DIVIDE, x > tests.threshold[node])
    code = np.where(missing, -1, x)
    category = n_categories > 0
    missing |= category & ((code < 0) | (code >= n_categories) | (code != np.floor(code)))
    out = np.where(category, np.where(missing, 0, code), x > tests.threshold[node]).astype(np.int64)
    begin = tests.category_begin[node]
    (sets,) = (category & (tests.category_begin[node + 1] > begin)).nonzero()
    word = tests.category_words[begin[sets] + (out[sets] >> 5)]
    out[sets] = 1 - (word >> (out[sets] & 31).astype(np.uint32) & 1)
    return np.where(missing, DIVIDE, out)


def spread_rows(tree: Any, at: Visit) -> Visit:
    """Return rows at the children of their nodes by the shares (4)."""
    begin, number = tree.branch_begin[at.node], np.diff(tree.branch_begin)[at.node]
    of = np.repeat(np.arange(len(at.node)), number)
    place = np.arange(len(of)) - np.repeat(np.cumsum(number) - number, number)
    child = tree.branch_node[begin[of] + place]
    mass = tree.weighted_n_node_samples[child]
    share = mass / np.bincount(of, mass, minlength=len(at.node))[of]
    kept = share > 0
    return Visit(at.row[of[kept]], child[kept], (at.weight[of] * share)[kept])


def visits(tree: Any, X: NDArray) -> list[Visit]:
    """Return the rows at every level of the tree, from the root on."""
    n = X.shape[0]
    at = Visit(np.arange(n), np.zeros(n, np.int64), np.ones(n))
    levels = [at]
    while (inner := tree.branch_begin[at.node + 1] > tree.branch_begin[at.node]).any():
        at = Visit(at.row[inner], at.node[inner], at.weight[inner])
        out = outcomes(tree, X, at.row, at.node)
        out = np.where(out == DIVIDE, tree.missing_branch[at.node], out)
        one = out != DIVIDE
        child = tree.branch_node[tree.branch_begin[at.node[one]] + out[one]]
        known = Visit(at.row[one], child, at.weight[one])
        if not one.all():
            rest = spread_rows(tree, Visit(at.row[~one], at.node[~one], at.weight[~one]))
            known = Visit(*(np.concatenate(pair) for pair in zip(known, rest)))
        at = known
        levels.append(at)
        if len(levels) > tree.node_count:
            raise DataError("a tree leads back to a node that was passed: its arrays were changed.")
    return levels


def largest(n: int, at: Visit) -> NDArray:
    """Return the node of every row that got most of its weight; of equal ones the first."""
    order = np.lexsort((at.node, -at.weight, at.row))
    node = np.zeros(n, np.int64)
    first = np.concatenate([[True], np.diff(at.row[order]) > 0])[: len(order)]
    node[at.row[order[first]]] = at.node[order[first]]
    return node
