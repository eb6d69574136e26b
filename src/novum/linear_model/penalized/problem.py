r"""From a Source to a penalised least-squares problem that can be followed along a path, by the cheaper of two routes.

Few columns, or rows outside of memory: one pass of moments (3) to (5) of novum.engines.moments.second, then everything is
p x p. Many columns: the design by column and working sets, where X'X would cost more than the paths themselves.

Without an L1 penalty there is nothing to select and no constraint to be safe of; then

    (X'X + l2 I) w = X'y,   w >= 0 by non-negative least squares                                   (10)

is solved exactly.
"""

from typing import Any

import numpy as np
import scipy.linalg
from scipy.optimize import nnls
from scipy.sparse.linalg import LinearOperator, lsqr

from novum.engines.moments import second
from novum.exceptions import DataError
from novum.fold.blocks import Source
from novum.linear_model.penalized.designs import DenseDesign, SparseDesign
from novum.linear_model.penalized.gram_paths import Penalties, Rule, Traced, trace_gram
from novum.linear_model.penalized.working_set import trace_columns
from novum.runtime.checks import is_true
from novum.runtime.warn import warn

__all__ = ["ColumnProblem", "GramProblem", "check_given_gram", "open_problem"]

GRAM_COLUMNS = 256  # columns up to which X'X is cheaper than a few products with X, for one alpha
GRAM_COLUMNS_PATH = 1024  # the same for a whole path, which would read X many times
GRAM_AGREEMENT = 1e-4  # a Gram matrix of float32 columns agrees with ours to this
TIGHT = 1e-13  # tolerance of the iterative solver where (10) is too large to be factored


class GramProblem:
    """X'X, X'y and y'y about the mean, for one or several targets."""

    def __init__(self, xx: np.ndarray, xy: np.ndarray, yy: np.ndarray, weight: float, mean: np.ndarray) -> None:
        self.xx, self.all_xy, self.all_yy, self.weight = xx, xy, yy, weight
        p = len(xx)
        self.mean, self.target_mean = mean[:p], mean[p:]

    @classmethod
    def of_moments(cls, m: second.Moments) -> "GramProblem":
        """Return the problem with these central moments; columns that vary by rounding alone take no part."""
        xx, xy = m.xx, m.xy
        constant = second.constant_columns(np.diag(xx) / m.weight, m.mean[: len(xx)])
        if constant.any():
            xx, xy = np.where(constant | constant[:, None], 0.0, xx), np.where(constant[:, None], 0.0, xy)
        return cls(xx, xy, np.diag(m.yy), m.weight, m.mean)

    def xy(self) -> np.ndarray:
        """Return X'y, one column per target."""
        return self.all_xy

    def yy(self, k: int) -> float:
        """Return y'y of target k."""
        return float(self.all_yy[k])

    def trace(self, k: int, path: Penalties, rule: Rule, start: np.ndarray | None = None) -> Traced:
        """Follow a path of target k."""
        xy, yy = self.all_xy[:, k], self.yy(k)
        if path.l1.all():
            return trace_gram(self.xx, xy, yy, path, rule, start)
        return join(path, lambda l2: self._smooth(xy, yy, l2, rule), lambda rest: self.trace(k, rest, rule, start))

    def _smooth(self, xy: np.ndarray, yy: float, l2: float, rule: Rule) -> tuple[np.ndarray, float]:
        """Return the solution of (10) and its gap."""
        if rule.positive:
            values, vectors = np.linalg.eigh(self.xx + l2 * np.eye(len(self.xx)))
            keep = values > values[-1] * len(values) * np.finfo(float).eps
            root = np.sqrt(values[keep])
            w = nnls(root[:, None] * vectors[:, keep].T, vectors[:, keep].T @ xy / root)[0]
        elif l2 > 0:
            w = scipy.linalg.solve(self.xx + l2 * np.eye(len(self.xx)), xy, assume_a="pos")
        else:
            w = scipy.linalg.lstsq(self.xx, xy)[0]
        gradient, ry = xy - self.xx @ w, yy - float(w @ xy)
        return w, smooth_gap(max(ry - float(w @ gradient), 0.0), ry, gradient, w, l2)


class ColumnProblem:
    """A design by column, with its targets."""

    def __init__(self, design: Any, Y: np.ndarray, fit_intercept: bool) -> None:
        self.design, self.weight, self.mean = design, design.total, design.mean
        prepared = [design.target(y, fit_intercept) for y in Y.T]
        self.targets, self.target_mean = [y for y, _ in prepared], np.array([mean for _, mean in prepared])

    def xy(self) -> np.ndarray:
        """Return X'y, one column per target."""
        return self.design.correlate(np.column_stack(self.targets)).T

    def yy(self, k: int) -> float:
        """Return y'y of target k."""
        return float(self.targets[k] @ self.targets[k])

    def trace(self, k: int, path: Penalties, rule: Rule, start: np.ndarray | None = None) -> Traced:
        """Follow a path of target k."""
        if path.l1.all():
            return trace_columns(self.design, self.targets[k], path, rule, start)
        return join(path, lambda l2: self._smooth(k, l2, rule), lambda rest: self.trace(k, rest, rule, start))

    def _smooth(self, k: int, l2: float, rule: Rule) -> tuple[np.ndarray, float]:
        """Return the solution of (10) by Golub-Kahan iterations, and its gap."""
        design, y = self.design, self.targets[k]
        if rule.positive:
            raise DataError(
                f"A penalty without an L1 part under positive=True takes at most {GRAM_COLUMNS_PATH} columns, X has"
                f" {design.p}; give alpha > 0 and l1_ratio > 0."
            )
        root = np.ones(design.n) if design.root is None else design.root

        def forward(w: Any) -> Any:
            return root * (design.X @ w - design.mean @ w)

        operator = LinearOperator(
            (design.n, design.p),
            matvec=forward,
            rmatvec=lambda r: design.correlate(r.reshape(-1, 1))[0],
            dtype=np.float64,
        )
        w = lsqr(operator, y, damp=np.sqrt(l2), atol=TIGHT, btol=TIGHT, iter_lim=10 * design.n)[0]
        r = y - forward(w)
        return w, smooth_gap(float(r @ r), float(r @ y), design.correlate(r[:, None])[0], w, l2)


def smooth_gap(rr: float, ry: float, gradient: np.ndarray, w: np.ndarray, l2: float) -> float:
    """Return the gap without an L1 penalty: from the unconstrained dual, or without any penalty the squared gradient."""
    if l2 == 0:
        return float(gradient @ gradient)
    return max(rr + 0.5 * l2 * float(w @ w) - ry + float(gradient @ gradient) / (2 * l2), 0.0)


def join(path: Penalties, smooth: Any, sparse: Any) -> Traced:
    """Return a path of which the alphas without an L1 penalty come from `smooth`, the others from `sparse`."""
    some = path.l1 > 0
    rest = sparse(Penalties(path.l1[some], path.l2[some])) if some.any() else None
    solved = [smooth(l2) for l2 in path.l2[~some]]
    p, k = len(solved[0][0]), len(some)
    out = Traced(np.empty((p, k)), np.empty(k), np.ones(k, dtype=np.int64), np.ones(k, dtype=bool))
    out.coef[:, ~some] = np.column_stack([w for w, _ in solved])
    out.gap[~some] = [gap for _, gap in solved]
    if rest is not None:
        out.coef[:, some], out.gap[some] = rest.coef, rest.gap
        out.epochs[some], out.converged[some] = rest.epochs, rest.converged
    return out


def open_problem(source: Source, fit_intercept: bool, precompute: Any = "auto", alphas: int = 1) -> Any:
    """Return the problem of a source by the cheaper route; `alphas` is how many penalties it will be solved for."""
    limit = GRAM_COLUMNS if alphas < 8 else GRAM_COLUMNS_PATH
    by_moments = not source.at_hand or source.n_features <= limit
    if by_moments or (is_true(precompute) and not source.sparse):
        with np.errstate(over="ignore", invalid="ignore"):
            problem = GramProblem.of_moments(second.central_moments(source, fit_intercept))
        if not np.isfinite(problem.xx).all():
            source.verified()
            raise DataError(
                "Coordinate descent iterations resulted in non-finite parameter values. The input data may contain large"
                " values and need to be preprocessed."
            )
        return problem
    X, weight = source.in_memory().matrix(), source.weight  # type: ignore[attr-defined]
    design = (SparseDesign if source.sparse else DenseDesign)(X, weight, fit_intercept, source.n_jobs)  # type: ignore[attr-defined]
    if not np.isfinite(design.squares).all():
        source.verified()
    return ColumnProblem(design, second.as_columns(source.y), fit_intercept)  # type: ignore[attr-defined]


def check_given_gram(problem: Any, gram: Any, fit_intercept: bool, rows: int | None) -> None:
    """Raise where a Gram matrix that the user has computed cannot be that of the data; ours is used in any case.

    scikit-learn scales the weights to sum to the number of rows, so that is what the matrix is compared with.
    """
    gram = np.asarray(gram, dtype=np.float64)
    p = len(problem.mean)
    if gram.shape != (p, p):
        raise DataError(
            f"Shape of the Gram matrix passed in via 'precompute', {gram.shape}, is not that of the features, {(p, p)};"
            f" give X.T @ X of the rows."
        )
    if fit_intercept and not np.allclose(problem.mean, 0.0):
        text = "Gram matrix was provided but X was centered to fit intercept: recomputing Gram matrix."
        warn(text, UserWarning)
    elif isinstance(problem, GramProblem):
        ours = problem.xx * ((rows or problem.weight) / problem.weight)
        scale = np.sqrt(np.outer(np.diag(ours), np.diag(ours)))
        excess = np.abs(gram - ours) - GRAM_AGREEMENT * (1 + scale)
        i, j = np.unravel_index(np.argmax(excess), gram.shape)
        if excess[i, j] > 0:
            raise DataError(
                f"Gram matrix passed in via 'precompute' parameter did not pass validation when a single element was"
                f" checked - please check that it was computed properly. For element ({i},{j}) we computed {ours[i, j]} but"
                f" the user-supplied value was {gram[i, j]}."
            )
