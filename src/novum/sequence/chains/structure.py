r"""What the arrows of a chain say: classes, periods, stationary distributions, detailed balance.

a class: states that lead to each other; closed: nothing leads out; recurrent states are those of closed classes        (5)
period of a class: greatest common divisor of level(i) + 1 - level(j) over its arrows, levels by breadth first           (6)
pi T = pi, by elimination without subtraction (Grassmann, Taksar and Heyman 1985): small probabilities keep their digits  (7)
detailed balance: pi_i T_ij = pi_j T_ji for all i, j                                                                    (8)
"""

from math import gcd
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, connected_components

__all__ = ["Class", "balance_gap", "classes_of", "stationary_distribution"]

Array = NDArray[Any]
MOST_ELIMINATED = 1500  # states that (7) takes; above, a sparse solve


class Class(NamedTuple):
    """A communicating class."""

    members: NDArray[np.int64]
    closed: bool
    period: int  # 0: no state returns to itself


def period_of(inside: scipy.sparse.csr_array) -> int:
    """Return (6) of a strongly connected graph."""
    if not inside.nnz:
        return 0
    order, before = breadth_first_order(inside, 0, return_predecessors=True)
    level = np.zeros(inside.shape[0], dtype=np.int64)
    for node in order[1:]:
        level[node] = level[before[node]] + 1
    arrows = inside.tocoo()
    found = 0
    for difference in np.unique(np.abs(level[arrows.row] + 1 - level[arrows.col])).tolist():
        found = gcd(found, difference)
    return found


def classes_of(matrix: scipy.sparse.csr_array) -> list[Class]:
    """Return the communicating classes (5), by their first state."""
    graph = scipy.sparse.csr_array((matrix > 0).astype(np.int8))
    n, label = connected_components(graph, directed=True, connection="strong")
    arrows = graph.tocoo()
    leaving = np.zeros(n, dtype=bool)
    out = label[arrows.row] != label[arrows.col]
    leaving[label[arrows.row[out]]] = True
    order = np.argsort(label, kind="stable")
    groups = np.split(order, np.cumsum(np.bincount(label, minlength=n))[:-1])
    found = []
    for number, members in enumerate(groups):
        inside = graph[members][:, members] if len(members) < graph.shape[0] else graph
        found.append(Class(members, not leaving[number], period_of(scipy.sparse.csr_array(inside))))
    return sorted(found, key=lambda one: int(one.members[0]))


def eliminated(dense: Array) -> Array:
    """Return (7) of an irreducible matrix."""
    T = dense.copy()
    n = len(T)
    for k in range(n - 1, 0, -1):
        T[:k, k] /= T[k, :k].sum()
        T[:k, :k] += np.outer(T[:k, k], T[k, :k])
    stationary = np.zeros(n)
    stationary[0] = 1
    for k in range(1, n):
        stationary[k] = stationary[:k] @ T[:k, k]
    return stationary / stationary.sum()


def stationary_distribution(matrix: scipy.sparse.csr_array, members: NDArray[np.int64]) -> Array:
    """Return the stationary distribution of a closed class, over all states."""
    inside = matrix[members][:, members]
    if len(members) <= MOST_ELIMINATED:
        part = eliminated(inside.toarray())
    else:
        from scipy.sparse.linalg import spsolve

        A = scipy.sparse.lil_array(inside.T - scipy.sparse.eye_array(len(members)))
        A[0] = 1.0
        part = np.maximum(spsolve(scipy.sparse.csc_array(A), np.eye(1, len(members)).ravel()), 0)
        part /= part.sum()
    stationary = np.zeros(matrix.shape[0])
    stationary[members] = part
    return stationary


def balance_gap(matrix: scipy.sparse.csr_array, stationary: Array) -> tuple[float, int, int]:
    """Return the largest |pi_i T_ij - pi_j T_ji| of (8), relative to the larger of the two flows, and where it is."""
    flow = scipy.sparse.csr_array(scipy.sparse.diags_array(stationary) @ matrix)
    back = scipy.sparse.csr_array(flow.T)
    off = abs(flow - back).tocoo()
    if not off.nnz:
        return 0.0, 0, 0
    larger = scipy.sparse.csr_array(flow.maximum(back))
    share = off.data / np.maximum(np.asarray(larger[off.row, off.col]).ravel(), 1e-300)
    worst = int(share.argmax())
    return float(share[worst]), int(off.row[worst]), int(off.col[worst])
