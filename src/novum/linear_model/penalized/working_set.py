r"""Paths over designs with many columns: working sets, checked against all columns several alphas at a time.

Solve (1) of novum.linear_model.penalized.gram_paths over a few columns, for several alphas in turn, then look at all
columns at once:

    C = X'[r_1 ... r_k]                                     one reading of X for k alphas          (9)

An alpha whose gap (4), taken over all columns, is within the tolerance is done. At the first that is not, the columns that
C finds closest to the constraint |x_j'r| <= l1 join the working set,

    distance_j = (l1 - theta |x_j'r - l2 w_j|) / sqrt(|x_j|^2 + l2),   those below sqrt(2 gap)     (5)

and the rest of the batch is solved again. The sphere in (5) is safe: a column outside of it is zero at the optimum. The next
batch begins with the columns that the sequential strong rule keeps, |x_j'r| >= 2 l1_last - l1_now (Tibshirani et al. 2012).
An epoch is as many coordinate steps as there are columns, so that a pass over m of p columns counts m/p.
Guesses that were wrong cost time and nothing else: every solution returned has been checked against every column.
"""

import math
from typing import Any

import numpy as np

from novum.linear_model.penalized.gram_paths import Penalties, Rule, Traced, duality_gap

__all__ = ["trace_columns"]

BATCH = 8  # alphas per reading of X: beyond, the product (9) costs more than the reading
BATCH_SPAN = 0.6  # least ratio of the penalties in a batch: further away, the guess of its columns is poor
INNER = 0.9  # share of the tolerance that the working set is solved to, the rest is for rounding
PROGRESS = 0.03  # share of the present gap that a working set which may still be wrong is solved to


class Point:
    """A solution over the working set seen from all columns."""

    def __init__(self, work: Any, w: np.ndarray, correlation: np.ndarray, residual: np.ndarray) -> None:
        self.work, self.w, self.correlation, self.residual = work, w, correlation, residual

    def scores(self, l2: float, positive: bool) -> np.ndarray:
        """Return |x_j'r - l2 w_j| of every column, signed where w >= 0."""
        scores = self.correlation.copy()
        scores[self.work.chosen[: len(self.w)]] -= l2 * self.w
        return scores if positive else np.abs(scores, out=scores)

    def gap(self, scores: np.ndarray, l1: float, l2: float) -> tuple[float, float]:
        """Return the gap (4) over all columns, and theta."""
        r, y = self.residual, self.work.y
        return duality_gap(float(r @ r), float(r @ y), scores, self.w, l1, l2)


def trace_columns(design: Any, y: np.ndarray, path: Penalties, rule: Rule, start: np.ndarray | None = None) -> Traced:
    """Follow a path over the columns of a design; `y` is prepared by `design.target`."""
    k = len(path.l1)
    out = Traced(np.zeros((design.p, k)), np.empty(k), np.zeros(k, dtype=np.int64), np.ones(k, dtype=bool))
    work = design.working(y)
    w = np.empty(0)
    if start is not None and np.any(start):
        work.add(np.flatnonzero(start))
        w = np.asarray(start, dtype=np.float64)[work.chosen]
    residual = work.residual(w)
    point = Point(work, w, design.correlate(residual[:, None])[0], residual)
    limit, i, l1_now = rule.tol * work.yy, 0, None
    while i < k:
        last = end_of_batch(path.l1, i)
        scores = point.scores(path.l2[i], rule.positive)
        gap, _ = point.gap(scores, path.l1[i], path.l2[i])
        if gap <= limit:  # nothing to do: the start, or a penalty that leaves all coefficients zero
            record(out, i, point, gap, 0, True)
            i, l1_now = i + 1, path.l1[i]
            continue
        work.add(
            likely(
                design,
                work=work,
                scores=scores,
                path=path,
                i=i,
                last=last,
                l1_now=l1_now,
                support=np.count_nonzero(point.w),
            )
        )
        spent = 0.0
        while i < last:
            i, point, spent, gap = advance(
                design,
                work=work,
                path=path,
                rule=rule,
                i=i,
                last=last,
                point=point,
                spent=spent,
                aim=max(limit, PROGRESS * gap),
                out=out,
            )
        l1_now = path.l1[last - 1]
    return out


def end_of_batch(l1: np.ndarray, i: int) -> int:
    """Return where the batch that begins at i ends."""
    last = i + 1
    while last < len(l1) and last - i < BATCH and l1[last] >= BATCH_SPAN * l1[i]:
        last += 1
    return last


def likely(design: Any, work: Any, scores: Any, path: Any, i: Any, last: Any, l1_now: Any, support: Any) -> np.ndarray:
    """Return columns to begin a batch with: those of the strong rule, no more than the support leads to expect."""
    l1 = path.l1[last - 1]
    now = max(float(scores.max(initial=0.0)), path.l1[i]) if l1_now is None else l1_now
    room = max(design.first_size, min(2 * support, design.n - support))  # there are never more than n in the support
    threshold = max(2 * l1 - now, 0.5 * l1)
    found = np.flatnonzero((scores >= threshold) & ~work.inside)
    if len(found) <= room:
        return found
    distance = (l1 - scores[found]) / np.sqrt(design.squares[found] + path.l2[last - 1] + np.finfo(float).tiny)
    return found[np.argpartition(distance, room)[:room]]


def advance(
    design: Any, work: Any, path: Any, rule: Any, i: Any, last: Any, point: Any, spent: Any, aim: Any, out: Any
) -> tuple[int, Point, float, float]:
    """Solve alphas i to last over the working set, check them against all columns, record those that are done.

    The first is solved to the gap `aim`, which may be above the tolerance, and `spent` epochs have gone into it before.
    Returns the first alpha that is not done, the point to go on from, the epochs spent and the gap there.
    """
    limit = rule.tol * work.yy
    w = np.zeros(len(work.chosen))
    w[: len(point.w)] = point.w
    share = len(work.chosen) / design.p
    trials = []
    for t in range(i, last):
        before, aim = (spent, aim) if t == i else (0.0, limit)
        budget = max(1, math.ceil((rule.max_iter - before) / share)) if share else 1
        _, epochs, reached = work.descend(w, path.l1[t], path.l2[t], INNER * aim, budget, rule)
        trials.append((w.copy(), before + epochs * share, reached and aim == limit))
        if aim > limit:
            break
    R = np.column_stack([work.residual(w) for w, _, _ in trials])
    C = design.correlate(R)
    for t, (w, epochs, reached) in enumerate(trials, start=i):
        point = Point(work, w, C[t - i], R[:, t - i])
        l1, l2 = path.l1[t], path.l2[t]
        if design.X.dtype == np.float32:  # products in single precision choose columns, but do not judge them
            sharpen(point)
        scores = point.scores(l2, rule.positive)
        gap, theta = point.gap(scores, l1, l2)
        outside = np.where(work.inside | (design.squares <= 0), -np.inf, scores)
        violated = float(outside.max(initial=-np.inf)) > l1
        if gap <= limit or (reached and not violated) or epochs >= rule.max_iter:
            record(out, t, point, gap, math.ceil(epochs), gap <= limit or (reached and not violated))
            continue
        if violated:
            work.add(nearest(design, outside, theta, gap, l1, l2, np.count_nonzero(w)))
        return t, point, epochs, gap if violated else 0.0
    return i + len(trials), point, 0.0, 0.0


def sharpen(point: Point) -> None:
    """Put the products of the working set itself, in double precision, in place of those in single."""
    if isinstance(columns := getattr(point.work, "columns", None), np.ndarray):
        point.correlation[point.work.chosen] = columns[: len(point.work.chosen)] @ point.residual


def nearest(design: Any, outside: Any, theta: Any, gap: Any, l1: Any, l2: Any, support: Any) -> np.ndarray:
    """Return the columns outside of the working set that (5) finds nearest to their constraint."""
    candidates = np.flatnonzero(np.isfinite(outside))
    distance = (l1 - theta * outside[candidates]) / np.sqrt(design.squares[candidates] + l2)
    candidates, distance = candidates[distance <= np.sqrt(2 * gap)], distance[distance <= np.sqrt(2 * gap)]
    room = max(design.first_size, support // 4)
    return candidates if len(candidates) <= room else candidates[np.argpartition(distance, room)[:room]]


def record(out: Traced, t: int, point: Point, gap: float, epochs: int, converged: bool) -> None:
    """Write one alpha of the path."""
    out.coef[point.work.chosen[: len(point.w)], t] = point.w
    out.gap[t], out.epochs[t], out.converged[t] = gap, epochs, converged
