"""Probabilities from decisions: a sigmoid per pair of classes (Platt), and one distribution from the pairs (Wu, Lin and Weng).

    P(i | x, i or j) = 1 / (1 + exp(A d_ij(x) + B))                                                                       (1)
    targets (n_i + 1) / (n_i + 2) for class i and 1 / (n_j + 2) for class j, so that no probability is exactly 0 or 1       (2)
    p minimises  sum_{i != j} (r_ji p_i - r_ij p_j)^2,  sum p = 1,   r_ij of (1)                                            (3)

A and B are learned from decisions that did not see the row: five folds.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from novum.runtime import arrays
from novum.runtime.random import Stream
from novum.svm.device_decision import probabilities_there

__all__ = ["fit_pairs", "probabilities", "sigmoid"]

FOLDS = 5
LEAST = 1e-7  # no pair is surer than this, as in LIBSVM


def sigmoid(decision: NDArray[np.float64], first: NDArray[np.bool_]) -> tuple[float, float]:
    """Return A and B of (1) by maximum likelihood of the targets (2)."""
    many, few = int(first.sum()), int((~first).sum())
    target = np.where(first, (many + 1) / (many + 2), 1 / (few + 2))

    def loss(at: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        u = at[0] * decision + at[1]
        value = np.sum(np.logaddexp(0, u) - (1 - target) * u)
        slope = target - expit(-u)
        return float(value), np.array([np.dot(slope, decision), np.sum(slope)])

    start = np.array([0.0, np.log((few + 1) / (many + 1))])
    scale = max(float(np.abs(decision).max(initial=0.0)), 1e-12)  # the search sees decisions of size one
    decision = decision / scale
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-8})
    return float(found.x[0]) / scale, float(found.x[1])


def fit_pairs(
    train: Callable[[NDArray[np.intp]], Any], code: NDArray[np.intp], classes: int, used: NDArray[np.intp], seed: int
) -> NDArray[np.float64]:
    """Return A and B of every pair, (pairs, 2); `train(rows)` gives a machine of those rows as a function of rows."""
    order = np.argsort(Stream(seed).uniform("svm folds", 0, len(used), 1).ravel(), kind="stable")
    fold = np.empty(len(used), dtype=np.intp)
    for c in range(classes):  # every fold has its share of every class
        mine = order[code[used[order]] == c]
        fold[mine] = np.arange(len(mine)) % FOLDS
    pairs = list(combinations(range(classes), 2))
    held = np.zeros((len(used), len(pairs)))
    seen = np.zeros(len(used), dtype=bool)
    for f in range(FOLDS):
        rest, out = used[fold != f], used[fold == f]
        if len(out) and len(np.unique(code[rest])) == classes:
            held[fold == f], seen[fold == f] = train(rest)(out), True
    table = np.zeros((len(pairs), 2))
    for k, (i, j) in enumerate(pairs):
        mine = seen & np.isin(code[used], (i, j))
        table[k] = sigmoid(held[mine, k], code[used[mine]] == i)
    return table


def probabilities(decision: Any, table: NDArray[np.float64], classes: int) -> Any:
    """Return (3) for every row."""
    if arrays.is_tensor(decision):
        return probabilities_there(decision, table, classes, LEAST)
    pair = np.clip(expit(-(decision * table[:, 0] + table[:, 1])), LEAST, 1 - LEAST)
    if classes == 2:
        return np.column_stack([pair[:, 0], 1 - pair[:, 0]])
    n = len(decision)
    r = np.zeros((n, classes, classes))
    for k, (i, j) in enumerate(combinations(range(classes), 2)):
        r[:, i, j], r[:, j, i] = pair[:, k], 1 - pair[:, k]
    Q = -r.transpose(0, 2, 1) * r  # (3) is p'Qp, with Q_ij = -r_ji r_ij and Q_ii = sum_j r_ji^2
    Q[:, np.arange(classes), np.arange(classes)] = (r.transpose(0, 2, 1) ** 2).sum(axis=2)
    system = np.zeros((n, classes + 1, classes + 1))
    system[:, :classes, :classes], system[:, :classes, classes], system[:, classes, :classes] = Q, 1.0, 1.0
    right = np.zeros((n, classes + 1, 1))
    right[:, classes] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :classes, 0], 0.0)
    return p / p.sum(axis=1, keepdims=True)
