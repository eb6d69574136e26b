"""Counting: change of basis, bootstrap, shattering."""

from itertools import product

import numpy as np

from novum.linalg import matrix_of_map
from novum.notes.stops.registry import stop


@stop("000", "4", "matrix of a map in two bases, entry (3, 2)", printed="4", reference=-4.0, erratum="000-4-b")
def change_of_basis():
    A = [[2, -1, 0, 1], [0, 1, -2, 1], [1, 1, -2, 0]]
    B = [[1, 0, 0, 0], [0, 1, -1, 0], [0, 0, 0, 1], [0, 1, 1, 1]]
    C = [[1, 1, 1], [1, 1, 0], [1, 0, 0]]
    return float(matrix_of_map(np.array(A), B, C)[2, 1])


@stop("000", "17.2", "rows left out by a bootstrap sample of 1000", printed=".37")
def out_of_bag():
    return float((1 - 1 / 1000) ** 1000)


@stop("003", "7.1", "share of a square outside one of side .99", reference=0.0199, remark="notes: 1 - .99^2")
def shell():
    return 1 - 0.99**2


def separable(points: np.ndarray, sign: np.ndarray) -> bool:
    """Return whether a line separates the signs: some w with sign * (w, b).x >= 1, by linear programming."""
    from scipy.optimize import linprog

    A = -sign[:, None] * np.column_stack([points, np.ones(len(points))])
    return linprog(np.zeros(3), A, -np.ones(len(points)), bounds=(None, None)).status == 0


@stop("003", "8.2", "points that lines in the plane shatter", printed="3")
def shattered():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    able = [all(separable(corners[:n], np.array(s)) for s in product([-1, 1], repeat=n)) for n in (1, 2, 3, 4)]
    return float(able.index(False))
