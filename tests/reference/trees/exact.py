"""CART as its definition says: every split of every column tried, every impurity from its formula."""

from itertools import combinations

import numpy as np


def entropy(p):
    p = p[p > 0]
    return -(p * np.log2(p)).sum()


def median(y, w):
    """The weighted median, midway between two values where half of the weight lies on either side."""
    order = np.argsort(y, kind="stable")
    y, below = y[order], np.cumsum(w[order])
    i = int(np.searchsorted(below, below[-1] / 2))
    return (y[i] + y[i + 1]) / 2 if below[i] == below[-1] / 2 and i + 1 < len(y) else y[i]


def impurity(y, w, criterion):
    """The impurity of rows with targets (m, outputs): codes of classes, or numbers."""
    parts = []
    for column in y.T:
        if criterion in ("gini", "entropy"):
            p = np.bincount(column.astype(int), w) / w.sum()
            parts.append(1 - (p**2).sum() if criterion == "gini" else entropy(p))
        elif criterion == "squared_error":
            parts.append(np.average((column - np.average(column, weights=w)) ** 2, weights=w))
        elif criterion == "absolute_error":
            parts.append(np.average(np.abs(column - median(column, w)), weights=w))
        else:
            mean = np.average(column, weights=w)
            ratio = np.where(column > 0, column / mean, 1)
            parts.append(np.average(column * np.log(ratio) - column + mean, weights=w))
    return float(np.mean(parts))


def cost(y, w, left, criterion):
    """W_L I_L + W_R I_R; infinite where a Poisson mean would be zero."""
    total = 0.0
    for side in (left, ~left):
        if criterion == "poisson" and (y[side].sum(axis=0) == 0).any():
            return np.inf
        total += w[side].sum() * impurity(y[side], w[side], criterion)
    return total


def sides(x):
    """All splits of a column: threshold, side of missing cells, rows that go left."""
    missing = np.isnan(x)
    values = np.unique(x[~missing])
    middles = (values[:-1] + values[1:]) / 2
    for missing_left in (False, True) if missing.any() else (False,):
        for t in middles:
            yield t, missing_left, np.where(missing, missing_left, x <= t).astype(bool)
        if not missing_left and missing.any() and len(values):
            yield np.inf, False, ~missing


def best_subset_cost(x, y, w, criterion):
    """The least cost over all splits of the categories in two."""
    categories = np.unique(x)
    found = np.inf
    for size in range(1, len(categories)):
        for chosen in combinations(categories, size):
            found = min(found, cost(y, w, np.isin(x, chosen), criterion))
    return found


def grow(X, y, w, criterion, min_leaf=1, depth=99):
    """Nodes in preorder: (column, threshold, missing_left, impurity, rows, weight); leaves have column -2.

    Of splits whose costs agree to 1e-9 of the node's, the first column's first wins.
    """
    nodes = []

    def visit(rows, depth):
        here = impurity(y[rows], w[rows], criterion)
        best = None
        if depth and (y[rows] != y[rows][0]).any():
            least, scale = np.inf, w[rows].sum() * here
            for j in range(X.shape[1]):
                for t, missing_left, left in sides(X[rows, j]):
                    if min(left.sum(), (~left).sum()) < min_leaf:
                        continue
                    c = cost(y[rows], w[rows], left, criterion)
                    if c < least - 1e-9 * scale:
                        least, best = c, (j, t, missing_left, left)
        column, t, side, left = best or (-2, -2.0, False, None)
        if best and not np.isnan(X[rows, column]).any():
            side = left.sum() > (~left).sum()
        nodes.append((column, t, bool(side), here, len(rows), w[rows].sum()))
        if best:
            visit(rows[left], depth - 1)
            visit(rows[~left], depth - 1)

    visit(np.flatnonzero(w > 0), depth)
    return nodes
