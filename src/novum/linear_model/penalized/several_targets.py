r"""Several targets that choose their columns together: paths of least squares under the L2,1 norm.

    minimise  1/2 |Y - X W|^2 + l1 sum_j |W_j| + l2/2 |W|^2,   W_j the coefficients of column j    (17)
    W_j <- max(0, 1 - l1 / |z|) z / (|x_j|^2 + l2),   z = x_j'R + |x_j|^2 W_j,   R = Y - X W       (18)
    gap = primal(W) - dual(theta R),   theta = min(1, l1 / max_j |x_j'R - l2 W_j|)                 (19)

l1 and l2 are those of eq. (2) of novum.linear_model.penalized.gram_paths, rows are centred and scaled as there, and a path
ends at each alpha where gap <= tol |Y|^2. Few columns: blocks (18) on X'X and X'Y. Many: the same on a working set that
grows by the columns whose |x_j'R - l2 W_j| exceeds l1 by most, judged by (19) over all of them. Without an L1 part targets
have nothing in common, and each is solved by itself.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from novum import _core
from novum.exceptions import DataError
from novum.linear_model.penalized.gram_paths import EXACT, POLISH, SMALL_EPOCH_COLUMNS, Penalties, Rule
from novum.linear_model.penalized.problem import GramProblem

__all__ = ["TracedBlocks", "need_columns", "trace_blocks"]

ROUNDS = 100  # of growing a working set; each adds columns or ends
INSIDE = 0.3  # share of the gap that the working set itself may leave
TIGHTEST = 1e-15  # of |Y|^2: below it the gap of the working set is rounding


class TracedBlocks(NamedTuple):
    """A path: one entry per alpha."""

    coef: np.ndarray  # (q, p, k)
    gap: np.ndarray  # (k,): of (17)
    epochs: np.ndarray  # (k,)
    converged: np.ndarray  # (k,) bool


def need_columns(model: Any, source: Any) -> None:
    """Refuse a target that is not a matrix."""
    if source.n_targets == 0:
        name = type(model).__name__
        single = name.removeprefix("MultiTask")
        raise DataError(f"For mono-task outputs, use {single}. {name} takes y with a column per target.")


def trace_blocks(problem: Any, path: Penalties, rule: Rule, start: np.ndarray | None = None) -> TracedBlocks:
    """Follow a path of all targets of a problem together, from `start` (q, p) or from zero."""
    p, q, k = len(problem.mean), len(problem.target_mean), len(path.l1)
    if q == 1:  # the L2,1 norm of one target is its L1 norm
        alone = problem.trace(0, path, rule, None if start is None else start.ravel())
        return TracedBlocks(alone.coef[None], alone.gap, alone.epochs, alone.converged)
    solve: Any = OnGram(problem) if isinstance(problem, GramProblem) else OnColumns(problem)
    W = np.zeros((p, q)) if start is None else np.array(start.T, dtype=np.float64, order="C")
    out = TracedBlocks(np.empty((q, p, k)), np.empty(k), np.empty(k, dtype=np.int64), np.empty(k, dtype=bool))
    for i in range(k):
        if path.l1[i] > 0:
            out.gap[i], out.epochs[i], out.converged[i] = solve(W, path.l1[i], path.l2[i], rule)
        else:
            each = [problem.trace(t, Penalties(path.l1[i : i + 1], path.l2[i : i + 1]), rule) for t in range(q)]
            W[:] = np.column_stack([found.coef[:, 0] for found in each])
            out.gap[i], out.epochs[i], out.converged[i] = sum(found.gap[0] for found in each), 1, True
        out.coef[:, :, i] = W.T
    return out


class OnGram:
    """(18) on the moments of all columns."""

    def __init__(self, problem: GramProblem) -> None:
        self.G, self.C = (np.ascontiguousarray(a, dtype=np.float64) for a in (problem.xx, problem.xy()))
        self.yy = sum(problem.yy(t) for t in range(self.C.shape[1]))

    def __call__(self, W: np.ndarray, l1: float, l2: float, rule: Rule) -> tuple[float, int, bool]:
        gradient, problem = np.empty_like(W), (self.G, self.C, self.yy, l1, l2)
        gap, epochs, converged = _core.linear_model.descent.descend_blocks(
            *problem, rule.tol * self.yy, rule.max_iter, rule.seed, W, gradient
        )
        if len(W) <= SMALL_EPOCH_COLUMNS and converged and gap > EXACT * self.yy:
            gap, *_ = _core.linear_model.descent.descend_blocks(
                *problem, EXACT * self.yy, POLISH, rule.seed, W, gradient
            )
        return gap, epochs, converged


class OnColumns:
    """(18) on the moments of a working set of columns."""

    def __init__(self, problem: Any) -> None:
        self.design = problem.design
        self.Y = np.column_stack(problem.targets)
        self.yy = float((self.Y**2).sum())
        self.work = self.design.working(problem.targets[0])
        self.known = 0
        self.offset: np.ndarray | None = None  # the centres of sparse columns

    def _moments(self) -> None:
        """Bring X'X and X'Y of the working set up to date."""
        m = len(self.work.chosen)
        if self.known == m:
            return
        if scipy.sparse.issparse(self.design.X):
            work, mean = self.work, self.design.mean[self.work.chosen]
            self.columns = scipy.sparse.csc_array((work.values, work.rows, work.starts), shape=(self.design.n, m))
            self.offset = np.outer(work.root, mean)
            self.G = (self.columns.T @ self.columns).toarray() - self.design.total * np.outer(mean, mean)
            self.C = self.columns.T @ self.Y - self.offset.T @ self.Y
        else:
            self.columns = self.work.columns[:m].T
            self.G, self.C = self.columns.T @ self.columns, self.columns.T @ self.Y
        self.G, self.C, self.known = np.ascontiguousarray(self.G), np.ascontiguousarray(self.C), m

    def _residual(self, W: np.ndarray) -> np.ndarray:
        """Return R for coefficients of the working set."""
        out = self.Y - self.columns @ W
        return out if self.offset is None else out + self.offset @ W

    def __call__(self, W: np.ndarray, l1: float, l2: float, rule: Rule) -> tuple[float, int, bool]:
        self.work.add(np.flatnonzero(W.any(axis=1)))
        limit, epochs, gap, inner = rule.tol * self.yy, 0, np.inf, INSIDE
        for _ in range(ROUNDS):
            chosen = self.work.chosen
            part, R = W[chosen], self.Y
            if len(chosen):
                self._moments()
                enough = max(inner * limit, TIGHTEST * self.yy)
                budget = max(1, rule.max_iter - epochs)
                steps: dict[str, Any] = {"l1": l1, "l2": l2, "gap": enough, "max_epochs": budget, "seed": rule.seed}
                _, used, _ = _core.linear_model.descent.descend_blocks(
                    self.G, C=self.C, yy=self.yy, W=part, gradient=np.empty_like(part), **steps
                )
                epochs, R = epochs + used, self._residual(part)
                W[chosen] = part
            slopes = self.design.correlate(R).T - l2 * W  # (p, q)
            scores = np.where(self.design.squares > 0, np.sqrt((slopes**2).sum(axis=1)), 0.0)
            gap = duality_gap(R, self.Y, scores, W, l1, l2)
            outside = np.where(self.work.inside, -np.inf, scores)
            worse = np.flatnonzero(outside > l1)
            if gap <= limit or epochs >= rule.max_iter:
                break
            if len(worse):
                room = max(self.design.first_size, len(chosen))
                order = np.argsort(-outside[worse], kind="stable")[:room]
                self.work.add(worse[order])
            else:
                inner *= 0.1
        return gap, epochs, gap <= limit


def duality_gap(R: np.ndarray, Y: np.ndarray, scores: np.ndarray, W: np.ndarray, l1: float, l2: float) -> float:
    """Return (19)."""
    whole = float((R**2).sum() + l2 * (W**2).sum())
    top = float(scores.max(initial=0.0))
    theta = l1 / top if top > l1 else 1.0
    lengths = float(np.sqrt((W**2).sum(axis=1)).sum())
    return 0.5 * whole + l1 * lengths - theta * float((R * Y).sum()) + 0.5 * theta**2 * whole
