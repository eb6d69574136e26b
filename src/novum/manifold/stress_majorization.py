r"""SMACOF: points whose distances come as near as they can to given dissimilarities (de Leeuw 1977).

    stress(Z) = sum_{i<j} (d_ij - D_ij)^2,   d_ij = |z_i - z_j|                                    (1)
    z_i <- 1/n sum_j D_ij / d_ij (z_i - z_j)                     (Guttman transform)               (2)
    non-metric: D_ij is replaced by the disparities, the non-decreasing function of the dissimilarities that is nearest to
    the distances, scaled to sum_{i<j} disparity^2 = n (n - 1) / 2; dissimilarities of zero are missing   (3)
    normalized:  sqrt(stress / sum_{i<j} d_ij^2)                 (Kruskal's stress-1)              (4)

(2) minimises at every step a quadratic that lies above (1) and touches it, so the stress never rises. One pass over the pairs gives
the stress and the next points together. Derivation: docs/theory/multidimensional_scaling.md.
"""

from typing import Any, NamedTuple

import numpy as np

from novum import _core
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["Layout", "Pairs", "lay_out", "ordered_pairs", "place_rows", "stress_at"]

ONE_PIECE = 128  # points below which threads cost more than they bring
PLACE_STEPS = 300  # of a new row among fixed points
PLACE_TOL = 1e-9


class Pairs(NamedTuple):
    """Pairs of points by rising dissimilarity; runs of equal ones are groups."""

    first: np.ndarray  # (m,) int32
    second: np.ndarray
    group: np.ndarray  # (groups + 1,) int64


class Layout(NamedTuple):
    points: np.ndarray  # (n, q)
    stress: float
    square: float  # sum of squared distances over the pairs
    disparities: np.ndarray  # (n, n)
    n_iter: int
    converged: bool
    history: list[float]


class Pass(NamedTuple):
    moved: np.ndarray  # (n, q)
    stress: float
    square: float


def ordered_pairs(D: np.ndarray) -> Pairs:
    """Return the pairs of (3)."""
    first, second = np.triu_indices(len(D), 1)
    values = D[first, second]
    (known,) = np.nonzero(values)
    order = known[np.argsort(values[known], kind="stable")]
    values = values[order]
    group = np.concatenate([[0], 1 + np.flatnonzero(np.diff(values)), [len(values)]]) if len(values) else np.zeros(1)
    return Pairs(first[order].astype(np.int32), second[order].astype(np.int32), group.astype(np.int64))


def run_pass(D: np.ndarray, Z: np.ndarray, threads: int) -> Pass:
    """Return (1) and (2): sums of every point are kept apart, so threads do not show in them."""
    n, q = Z.shape
    columns = np.ascontiguousarray(Z.T)
    moved, stress, square = np.empty((n, q)), np.empty(n), np.empty(n)

    def work(part: slice) -> None:
        _core.manifold.stress.guttman_rows(D, columns, part.start, part.stop, moved[part], stress[part], square[part])

    size = n if n <= ONE_PIECE or threads == 1 else -(-n // (4 * threads))
    for _ in map_ordered(work, [slice(s, min(s + size, n)) for s in range(0, n, size)], threads):
        pass
    return Pass(moved, float(stress.sum()) / 2, float(square.sum()) / 2)


def first_disparities(D: np.ndarray) -> np.ndarray:
    """Return the dissimilarities scaled as (3): what non-metric steps begin with."""
    n = len(D)
    total = float((D**2).sum()) / 2
    return D * np.sqrt(n * (n - 1) / 2 / total) if total > 0 else D.copy()


def lay_out(
    D: np.ndarray, start: np.ndarray, metric: bool, max_iter: int, eps: float, report: Any, n_jobs: int | None = None
) -> Layout:
    """Repeat (2), with (3) before it where `metric` is False, until the stress falls by less than `eps` sum d^2 or it rests.

    Steps are counted as scikit-learn counts them: the stress after step i is that of the disparities of step i.
    """
    threads = thread_count(n_jobs)
    pairs = None if metric else ordered_pairs(D)
    target = np.ascontiguousarray(D, dtype=np.float64) if metric else first_disparities(D)
    total = len(D) * (len(D) - 1) / 2
    Z, history = np.ascontiguousarray(start, dtype=np.float64), []
    report.begin(Z)
    moved = run_pass(target, Z, threads).moved
    for n_iter in range(1, max_iter + 1):
        Z = moved
        found = run_pass(target, Z, threads)
        history.append(found.stress)
        calm = n_iter > 1 and history[-2] - history[-1] < eps * found.square
        stopped = report(n_iter, history[-1], Z)
        if calm or stopped or n_iter == max_iter:
            return Layout(Z, found.stress, found.square, target, n_iter, bool(calm or stopped), history)
        moved = found.moved
        if pairs is not None:
            _core.manifold.stress.disparities(Z, pairs.first, pairs.second, pairs.group, total, target)
            moved = run_pass(target, Z, threads).moved
    raise AssertionError("max_iter is at least one")


def stress_at(D: np.ndarray, points: np.ndarray, n_jobs: int | None = None) -> Layout:
    """Return (1) of given points."""
    found = run_pass(D, points, thread_count(n_jobs))
    return Layout(points, found.stress, found.square, D, 1, True, [found.stress])


def place_rows(distances: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return where new rows lie among fixed points: each minimises its own part of (1), from its nearest point on.

    Steps (2), then Newton's: cpp/include/novum/manifold/placement.h.
    """
    Z = np.ascontiguousarray(points[distances.argmin(axis=1)])
    scale = max(float(np.abs(points).max(initial=0.0)), np.finfo(float).tiny)
    columns = np.ascontiguousarray(points.T)
    _core.manifold.placement.place(np.ascontiguousarray(distances), columns, PLACE_STEPS, PLACE_TOL * scale, Z)
    return Z
