r"""Logistic regression with an L1 or elastic-net penalty: proximal Newton steps, each by coordinate descent.

    F(theta) = f(theta) + sum_kj l1_j |theta_kj|,   f of eq. (7)                                   (9)
    d = argmin  g'd + 1/2 d'Hd + sum_j l1_j |theta_j + d_j|                                        (10)
    off_j = |g_j + l1_j sign theta_j|  where theta_j != 0,   max(0, |g_j| - l1_j)  where it is 0   (11)

Few columns, any home of data: H is summed by a pass and (10) is solved on it. Many columns, in memory: only a working set of
them moves, those that are not zero and the worst offenders of (11); it grows until no column offends. Given the other classes,
the scores of class k of a multinomial model have the loss of two classes with an offset, so classes take turns.

    p_ik = 1 / (1 + exp(-(z_ik - o_ik))),   o_ik = log sum_{l != k} exp z_il                       (12)

F is optimal where all off_j are zero; the iteration stops where none exceeds tol, or PART of the penalty if that is less.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import logsumexp

from novum import _core
from novum.fold.homes.memory import MemorySource
from novum.linear_model.logistic.newton import ARMIJO, HALVINGS, ROUNDING, NewtonMinimum, Objective
from novum.runtime.pool import map_ordered
from novum.runtime.threads import thread_count

__all__ = ["proximal_newton", "working_sets"]

PART = 100.0  # times tol: the share of the penalty that a slope may be off; 1e-2 at the default tol of 1e-4
SWEEPS = 1000  # of coordinate descent on one quadratic model
FIRST = 512  # columns of the first working set
INNER = 20  # Newton steps on one working set
SHARPEN = 0.2  # what is left of the offence before a model or a working set is left
SHARED = 2**18  # entries of X from which a product with all columns is worth two threads
RUNS = 4  # tasks of it


def goal(tol: float, l1: np.ndarray) -> float:
    """Return the offence (11) at which to stop."""
    return min(tol, PART * tol * float(l1.max()))


def offence(gradient: np.ndarray, theta: np.ndarray, l1: np.ndarray) -> np.ndarray:
    """Return (11)."""
    return np.where(theta != 0, np.abs(gradient + l1 * np.sign(theta)), np.maximum(np.abs(gradient) - l1, 0.0))


def proximal_newton(
    objective: Objective, theta: np.ndarray, l1: np.ndarray, tol: float, max_iter: int, report: Any = None
) -> NewtonMinimum:
    """Minimise (9) with summed Hessians."""
    k, m = theta.shape
    free, enough = objective.free, goal(tol, l1)
    penalty, ridge = (np.tile(values[:free], k) for values in (l1, objective.l2))
    value = objective.value(objective.point(theta, True))
    total = value.objective + float((l1 * np.abs(theta)).sum())
    history, n_iter = [total], 0
    while True:
        off = float(offence(value.gradient, theta, l1)[:, :free].max())
        if off <= enough or n_iter >= max_iter:
            return NewtonMinimum(theta, n_iter, off <= enough, history, off)
        H = np.ascontiguousarray(value.hessian.reshape(k, m, k, m)[:, :free, :, :free].reshape(k * free, k * free))
        d = np.zeros(k * free)
        slope, now = value.gradient[:, :free].ravel(), theta[:, :free].ravel()
        _core.linear_model.proximal.descend_gram(
            H, slope=slope, value=now, l1=penalty, l2=ridge, step=d, tol=min(SHARPEN * off, enough), max_sweeps=SWEEPS
        )
        d = np.pad(d.reshape(k, free), ((0, 0), (0, m - free)))
        promised = float((value.gradient * d).sum() + (l1 * (np.abs(theta + d) - np.abs(theta))).sum())
        found = None
        for halving in range(HALVINGS):
            trial = theta + 0.5**halving * d
            value_there = objective.value(objective.point(trial, True))
            there = value_there.objective + float((l1 * np.abs(trial)).sum())
            if there <= total + ARMIJO * 0.5**halving * promised:
                found = trial
                break
            if -(0.5**halving) * promised <= ROUNDING * max(1.0, abs(total)):
                if offence(value_there.gradient, trial, l1)[:, :free].max() < off:
                    found = trial
                break
        if found is None:
            return NewtonMinimum(theta, n_iter, True, history, off)
        theta, value, total, n_iter = found, value_there, there, n_iter + 1
        history.append(total)
        if report is not None and report(n_iter, total, theta):
            return NewtonMinimum(theta, n_iter, True, history, off)


class Columns(NamedTuple):
    """The data of a fit in memory, by column."""

    X: Any  # CSC, or column-major
    y: np.ndarray
    weight: np.ndarray | None
    constant: float
    runs: list[Any]  # of rows of X'

    def take(self, which: np.ndarray) -> Any:
        """Return the columns named, column-major; column p is the constant one and left out."""
        inside = which[which < self.X.shape[1]]
        return self.X[:, inside] if scipy.sparse.issparse(self.X) else np.asfortranarray(self.X[:, inside])

    def slopes(self, residual: np.ndarray) -> np.ndarray:
        """Return residual' x' for every column."""
        products = list(map_ordered(lambda run: run @ residual, self.runs, thread_count(None)))
        return np.concatenate([*products, [self.constant * residual.sum()]])


def runs_of(X: Any) -> list[Any]:
    """Return X' cut into runs of rows with about as many entries each, to share a product with all columns among threads."""
    if not scipy.sparse.issparse(X) or X.nnz < SHARED:
        return [X.T]
    cuts = np.searchsorted(X.indptr, np.linspace(0, X.nnz, RUNS + 1)).tolist()
    cuts[0], cuts[-1] = 0, X.shape[1]
    out = []
    for first, last in pairwise(cuts):
        a, b = X.indptr[first], X.indptr[last]
        shape = (last - first, X.shape[0])
        run = X.data[a:b], X.indices[a:b], X.indptr[first : last + 1] - a
        out.append(scipy.sparse.csr_array(run, shape=shape, copy=False))
    return out


def by_column(source: MemorySource, constant: float, class_weight: Any) -> Columns:
    """Return the data of a source in memory with columns at hand."""
    X = source.matrix()
    X = X.tocsc() if source.sparse else np.asfortranarray(X)
    weight = source.weight
    if class_weight is not None:
        weight = class_weight[source.y] if weight is None else class_weight[source.y] * weight
    return Columns(X, source.y, weight, constant, runs_of(X))  # type: ignore[arg-type]


class DescentState(NamedTuple):
    """Two classes, or one against the others: where the descent is."""

    theta: np.ndarray  # (p + 1,)
    score: np.ndarray  # (n,): theta' x' minus the offset (12)
    loss: float
    residual: np.ndarray  # (n,)
    curvature: np.ndarray  # (n,)


def state(columns: Columns, code: np.ndarray, theta: np.ndarray, score: np.ndarray) -> DescentState:
    """Return the state at given scores."""
    residual, curvature = np.empty_like(score), np.empty_like(score)
    loss = _core.linear_model.logistic.binary_rows(score, code, columns.weight, residual, curvature)
    return DescentState(theta, score, loss, residual, curvature)


def descend_on(
    columns: Columns,
    code: np.ndarray,
    at: DescentState,
    which: np.ndarray,
    slope: np.ndarray,
    l1: Any,
    l2: Any,
    enough: float,
) -> DescentState:
    """Minimise over the columns in `which`, where f has this slope, until no offence exceeds `enough`; penalties as sums."""
    part = columns.take(which)
    inside, constant = part.shape[1], len(which) > part.shape[1]
    local = np.arange(len(which))  # the constant column comes last, as column `inside` of the part
    penalty, ridge = l1[which], l2[which]
    for step in range(INNER):
        now = at.theta[which]
        if step:
            slope = part.T @ at.residual
            if constant:
                slope = np.append(slope, columns.constant * at.residual.sum())
            slope = slope + ridge * now
        off = float(offence(slope, now, penalty).max())
        if off <= enough:
            break
        d, bent = np.zeros(len(which)), np.zeros(len(at.score))
        model = (
            local,
            columns.constant,
            at.curvature,
            slope,
            now,
            penalty,
            ridge,
            d,
            bent,
            max(SHARPEN * off, 0.5 * enough),
            SWEEPS,
        )
        if scipy.sparse.issparse(part):
            _core.linear_model.proximal.descend_csc(part.data, part.indices, part.indptr, *model)
        else:
            _core.linear_model.proximal.descend_columns(part, *model)
        moved = part @ d[:inside] + (columns.constant * d[-1] if constant else 0.0)
        found = along(
            columns, code=code, at=at, which=which, d=d, moved=moved, slope=slope, penalty=penalty, ridge=ridge
        )
        if found is None:
            break
        at = found
    return at


def along(
    columns: Any, code: Any, at: DescentState, which: Any, d: Any, moved: Any, slope: Any, penalty: Any, ridge: Any
) -> DescentState | None:
    """Return the first of the halved steps along d that lowers (9) enough, or None."""
    now = at.theta[which]
    cost = float((penalty * np.abs(now)).sum() + 0.5 * (ridge * now**2).sum())
    promised = float(slope @ d + (penalty * (np.abs(now + d) - np.abs(now))).sum())
    for halving in range(HALVINGS):
        step = 0.5**halving
        there = now + step * d
        theta = at.theta.copy()
        theta[which] = there
        trial = state(columns, code, theta, at.score + step * moved)
        new = float((penalty * np.abs(there)).sum() + 0.5 * (ridge * there**2).sum())
        if trial.loss + new <= at.loss + cost + ARMIJO * step * promised:
            return trial
        if -step * promised <= ROUNDING * max(1.0, at.loss + cost):
            return None
    return None


def one_class(
    columns: Columns, code: np.ndarray, at: DescentState, l1: np.ndarray, l2: np.ndarray, enough: float, rounds: int
) -> Any:
    """Bring one class to its optimum by working sets; return the state, the offence before, and the rounds taken."""
    first, size = None, FIRST
    free = len(l1) - (columns.constant == 0)
    for taken in range(rounds + 1):
        gradient = columns.slopes(at.residual) + l2 * at.theta
        off = offence(gradient, at.theta, l1)[:free]
        worst = float(off.max())
        first = worst if first is None else first
        if worst <= enough or taken == rounds:
            return at, first, worst, taken
        used = np.flatnonzero((at.theta[:free] != 0) | (off > enough))
        size = max(size, 2 * int((at.theta != 0).sum()))
        if len(used) > size:
            order = np.where(at.theta[used] != 0, np.inf, off[used])
            used = np.sort(used[np.argpartition(-order, size - 1)[:size]])
        before = at
        at = descend_on(
            columns,
            code=code,
            at=at,
            which=used,
            slope=gradient[used],
            l1=l1,
            l2=l2,
            enough=max(SHARPEN * worst, 0.5 * enough),
        )
        if at is before:  # rounding leaves nothing to gain
            return at, first, 0.0, taken
    raise AssertionError("unreachable")


def working_sets(
    objective: Objective, theta: np.ndarray, l1: np.ndarray, tol: float, max_iter: int, report: Any = None
) -> NewtonMinimum:
    """Minimise (9) for data in memory, class by class, on growing sets of columns."""
    columns = by_column(objective.source, objective.constant, objective.class_weight)  # type: ignore[arg-type]
    weight, k = objective.weight, len(theta)
    penalty, ridge, enough = l1 * weight, objective.l2 * weight, goal(tol, l1) * weight
    theta = theta.copy()
    score = columns.X @ theta[:, :-1].T + objective.constant * theta[:, -1]  # (n, k)
    codes = [columns.y] if k == 1 else [(columns.y == c).astype(np.int64) for c in range(k)]
    history: list[float] = []
    n_iter, rounds = 0, max_iter if k == 1 else 2
    while True:
        worst, taken = 0.0, 0
        for c in range(k):
            offset = 0.0 if k == 1 else logsumexp(np.delete(score, c, axis=1), axis=1)
            at = state(columns, codes[c], theta[c], score[:, c] - offset)
            at, before, after, used = one_class(
                columns, codes[c], at, penalty, ridge, enough, rounds if n_iter < max_iter else 0
            )
            worst, taken = max(worst, after if k == 1 else before), max(taken, used)
            theta[c], score[:, c] = at.theta, at.score + offset
        n_iter = min(max_iter, n_iter + (taken if k == 1 else bool(taken)))
        loss = at.loss if k == 1 else multinomial_loss(score, columns)
        history.append((loss + float((penalty * np.abs(theta)).sum() + 0.5 * (ridge * theta**2).sum())) / weight)
        stop = report is not None and report(n_iter, history[-1], theta)
        if worst <= enough or stop or n_iter >= max_iter or not taken:
            return NewtonMinimum(
                theta, n_iter, worst <= enough or (not taken and n_iter < max_iter), history, worst / weight
            )


def multinomial_loss(score: np.ndarray, columns: Columns) -> float:
    """Return the loss of (5)."""
    return float(_core.linear_model.logistic.softmax_pass(score.copy(), columns.y, columns.weight, None))
