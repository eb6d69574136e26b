"""One machine per pair of classes: their training, the layout of their coefficients, and the votes that make a label.

    d_ij(x) = sum over vectors of i and j of b k(x, x_s) - level,   i < j; positive speaks for i                          (1)

A support vector of class i has a coefficient for every other class j: in line j - 1 where j > i, else in line j, so that the table
of coefficients has one line less than there are classes (as in LIBSVM).
"""

from collections.abc import Callable
from contextlib import nullcontext
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from novum.base.callbacks import SILENT
from novum.runtime import arrays
from novum.runtime.pool import map_ordered
from novum.svm.dual import DualOptimum, report_moves

__all__ = ["Trained", "confidence_of_classes", "decisions", "train", "votes"]


class Trained(NamedTuple):
    """Machines of all pairs in one table."""

    support: NDArray[np.intp]  # rows of the support vectors, by class and then by number
    of_class: NDArray[np.int32]  # how many of each class
    coefficient: NDArray[np.float64]  # (classes - 1, support vectors)
    intercept: NDArray[np.float64]  # of every pair
    machines: list[DualOptimum]


def train(
    code: NDArray[np.intp],
    classes: int,
    points: Any,
    is_matrix: bool,
    used: NDArray[np.intp],
    solve: Callable[[Any, NDArray[np.float64], NDArray[np.intp], int, int | None], DualOptimum],
    threads: int,
    report: Any = SILENT,
) -> Trained:
    """Train a machine per pair; `solve(points, sign, rows, threads, max_iter)` trains one. Pairs share the threads; where they are
    fewer than those, each has several. With several pairs each is a run of `report`."""
    pairs = list(combinations(range(classes), 2))
    of_class = [used[code[used] == c] for c in range(classes)]

    def one(pair: tuple[int, int], max_iter: int | None = None) -> DualOptimum:
        rows = np.concatenate([of_class[pair[0]], of_class[pair[1]]])
        sign = np.repeat([1.0, -1.0], [len(of_class[pair[0]]), len(of_class[pair[1]])])
        if len(rows) == points.shape[0] and (rows == np.arange(len(rows))).all():
            part = points
        else:
            part = points[np.ix_(rows, rows)] if is_matrix else points[rows]
        part = part if scipy.sparse.issparse(part) else np.ascontiguousarray(part)
        return solve(part, sign, rows, max(1, threads // len(pairs)), max_iter)

    machines = list(map_ordered(one, pairs, min(threads, len(pairs))))
    if report.listens:
        machines = reported_machines(pairs, of_class, machines, one, points.shape[0], report)
    return in_a_table(pairs, of_class, points.shape[0], machines)


def reported_machines(
    pairs: list[tuple[int, int]],
    of_class: list[NDArray[np.intp]],
    machines: list[DualOptimum],
    one: Callable[[tuple[int, int], int | None], DualOptimum],
    n: int,
    report: Any,
) -> list[DualOptimum]:
    """Return the machines after a report of what each did, cut short where a callback stopped it; machines whose turn is still to
    come are at their start."""
    found: list[DualOptimum] = []
    for number, (pair, machine) in enumerate(zip(pairs, machines, strict=True)):

        def stopped_at(steps: int, number: int = number, pair: tuple[int, int] = pair) -> Trained:
            later = [one(each, 0) for each in pairs[number + 1 :]]
            return in_a_table(pairs, of_class, n, [*found[:number], one(pair, steps), *later])

        rows = np.concatenate([of_class[pair[0]], of_class[pair[1]]])
        with report.run() if len(pairs) > 1 else nullcontext(report) as run:
            steps = report_moves(machine, stopped_at, run, rows, n)
        found.append(machine if steps is None else one(pair, steps)._replace(converged=True))
    return found


def in_a_table(
    pairs: list[tuple[int, int]], of_class: list[NDArray[np.intp]], n: int, machines: list[DualOptimum]
) -> Trained:
    """Return the machines of all pairs in one table."""
    classes = len(of_class)
    table = np.zeros((max(1, classes - 1), n))
    for (i, j), machine in zip(pairs, machines, strict=True):
        ni = len(of_class[i])
        table[j - 1, of_class[i]] = machine.coefficient[:ni]
        table[i, of_class[j]] = machine.coefficient[ni:]
    carries = (table != 0).any(axis=0)
    by_class = [rows[carries[rows]] for rows in of_class]
    support = np.concatenate(by_class)
    count = np.array([len(rows) for rows in by_class], dtype=np.int32)
    return Trained(support, count, table[:, support], np.array([-m.level for m in machines]), machines)


def decisions(sums: Any, intercept: NDArray[np.float64]) -> Any:
    """Return (1) of every pair from the sums over the vectors of each class, (n, classes, classes - 1)."""
    pairs = combinations(range(sums.shape[1]), 2)
    columns = [(sums[:, i, j - 1] + sums[:, j, i])[:, None] for i, j in pairs]
    return arrays.concat(columns) + arrays.like(sums, intercept, "float64")


def votes(decision: Any, classes: int) -> Any:
    """Return the class that wins most pairs, the first of equals."""
    won: list[Any] = [0] * classes
    for k, (i, j) in enumerate(combinations(range(classes), 2)):
        first = decision[:, k : k + 1] > 0
        won[i], won[j] = won[i] + arrays.whole(first), won[j] + arrays.whole(~first)
    return arrays.argmax(arrays.concat(won))


def confidence_of_classes(decision: Any, classes: int) -> Any:
    """Return a score per class: the pairs that it wins, and between equals the sum of its decisions, squeezed below one half."""
    won: list[Any] = [0.0] * classes
    total: list[Any] = [0.0] * classes
    for k, (i, j) in enumerate(combinations(range(classes), 2)):
        one = decision[:, k : k + 1]
        second = arrays.double(one < 0)
        total[i], total[j] = total[i] + one, total[j] - one
        won[i], won[j] = won[i] + (1 - second), won[j] + second
    sums = arrays.concat(total)
    return arrays.concat(won) + sums / (3 * (abs(sums) + 1))
