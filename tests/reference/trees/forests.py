"""The best cut of one column, by trying all of them."""

import numpy as np


def impurity(y, w, criterion):
    if criterion == "squared_error":
        mean = np.average(y, weights=w)
        return np.average((y - mean) ** 2, weights=w)
    p = np.bincount(y, w) / w.sum()
    p = p[p > 0]
    return 1 - (p**2).sum() if criterion == "gini" else -(p * np.log2(p)).sum()


def best_decrease(X, y, w, criterion, min_leaf=1):
    """Return the largest fall of weight times impurity by a threshold of any column, divided by the whole weight."""
    best = -np.inf
    whole = w.sum() * impurity(y, w, criterion)
    for column in X.T:
        for value in np.unique(column)[:-1]:
            left = column <= value
            if min(left.sum(), (~left).sum()) < min_leaf:
                continue
            parts = sum(w[side].sum() * impurity(y[side], w[side], criterion) for side in (left, ~left))
            best = max(best, (whole - parts) / w.sum())
    return best
