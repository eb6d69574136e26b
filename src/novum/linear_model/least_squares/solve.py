r"""From data to coefficients: the route by condition, then refinement until the digits stand.

    minimise  sum_i w_i |y_i - a - B x_i|^2 + sum_k alpha_k |B_k|^2                                (1)
    solution  (C_xx + alpha I) B' = C_xy,   a = m_y - B m_x                                        (2)

Well-conditioned: Cholesky of the scaled (2); the error is then measured from the rows themselves (6), (7) and corrected,

    B <- B + (C_xx + alpha I)^{-1} (gradient - alpha B)                                            (12)

as often as the condition requires, not at all where it is small and the fit is not near perfect. Otherwise orthogonal
factors (8) to (11). Derivations: docs/theory/least_squares.md.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import nnls

from novum.engines.moments import triangles
from novum.engines.moments.second import Moments, central_moments, constant_columns, parts_pay
from novum.fold.blocks import Source
from novum.linear_model.frame import check_outward
from novum.linear_model.least_squares import orthogonal, residuals
from novum.runtime import arrays

__all__ = ["Solution", "solve"]

EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
DIGITS = 1e-12  # relative error above which a correction (12) is worth a pass
ORTHOGONAL_BELOW = 1e-11  # reciprocal condition of the scaled Gram matrix below which (12) would converge slowly
PARTS_DIGITS = 1e-9  # the same of products by parts, whose rows and results are float32
PARTS_FIRST = 2.0**-8  # what a correction leaves of an error at most, for products by parts to be worth three of them
MOST_CORRECTIONS = 3
SMALLEST_SQUARE = 1e-280  # below, sums of squares lose digits to underflow
WIDE = 1.0  # rows per column below which the factor is formed at once: the Gram matrix would be larger than the data


class Solution(NamedTuple):
    """The minimiser of (1) and what is needed to judge it."""

    coef: np.ndarray  # (q, p)
    intercept: np.ndarray  # (q,)
    mean: np.ndarray  # (p + q,)
    root: np.ndarray  # (m, p), root' root = C_xx
    rss: np.ndarray  # (q,)
    tss: np.ndarray  # (q,): about the mean, or about zero without an intercept
    weight: float  # sum of the weights
    rows: float
    log_weight: float  # sum of the logarithms of the positive weights
    rank: int
    n_iter: int  # corrections (12)


class Cholesky(NamedTuple):
    """Cholesky factor of the scaled penalised Gram matrix over the columns that vary."""

    factor: np.ndarray  # upper
    scale: np.ndarray
    used: np.ndarray  # mask (p,)
    rcond: float

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """Return (C + alpha I)^{-1} rhs, zero for columns that do not vary."""
        if len(self.scale) == len(rhs):
            return self.inner(rhs)
        out = np.zeros_like(rhs)
        out[self.used] = self.inner(rhs[self.used])
        return out

    def inner(self, rhs: np.ndarray) -> np.ndarray:
        """Return the same over the columns that vary."""
        if not len(rhs):
            return np.zeros_like(rhs)
        scale = self.scale[:, None]
        return np.ascontiguousarray(lapack.dpotrs(self.factor, rhs / scale)[0]) / scale


def solve(source: Source, *, fit_intercept: bool, alpha: np.ndarray | None = None, positive: bool = False) -> Solution:
    """Return the minimiser of (1); `alpha` holds a penalty per target, None stands for zero.

    Rows on a device may come with their look for NaN and infinity put off: their moments show them.
    """
    p, q = source.n_features, max(1, source.n_targets)
    penalty = np.zeros(q) if alpha is None else np.broadcast_to(np.asarray(alpha, float), q)
    if source.n_rows is not None and source.n_rows <= WIDE * (p + 1):
        return by_factor(source, fit_intercept, penalty, positive)
    if source.on_device and not positive and parts_pay(source):
        found = by_moments(source, fit_intercept, penalty, positive, single=True)
        if found is not None:
            return found
    return by_moments(source, fit_intercept, penalty, positive) or by_factor(source, fit_intercept, penalty, positive)


def by_moments(
    source: Source, fit_intercept: bool, penalty: np.ndarray, positive: bool, *, single: bool = False
) -> Solution | None:
    """Return the solution by (2) and (12), or None where the moments, or those by parts (`single`), would lose digits."""
    p = source.n_features
    with np.errstate(over="ignore", invalid="ignore"):
        moments = central_moments(source, fit_intercept, single=single)
        variance = moments.xx.diagonal() / moments.weight
        constant = constant_columns(variance, moments.mean[:p])
    if out_of_range(moments, source):
        return None
    groups: list[tuple[float, Any]] = [(float(penalty[0]), slice(None))]  # penalties, and the targets of each
    if not (penalty == penalty[0]).all():
        groups = [(value, np.flatnonzero(penalty == value)) for value in np.unique(penalty)]
    factors = [cholesky(moments, value, constant) for value, _ in groups]
    square = np.maximum(variance, 1e-300)
    square[constant] = np.inf
    noise = EPS**2 * (moments.mean[:p] ** 2 / square).max(initial=0.0)  # rounding of the data, relative, squared
    least = max(ORTHOGONAL_BELOW if moments.precision == EPS else moments.precision / PARTS_FIRST, 16 * p * noise)
    if any(f is None or f.rcond < least for f in factors):
        return None
    return by_cholesky(
        source,
        m=moments,
        constant=constant,
        groups=groups,
        factors=factors,
        fit_intercept=fit_intercept,
        penalty=penalty,
        positive=positive,
    )


def out_of_range(m: Moments, source: Source) -> bool:
    """Return whether squares of the data overflow or vanish: columns beyond 1e+-150 have a length, but no Gram matrix.

    Cells that are not finite come to light here, where nobody has looked for them before.
    """
    if not np.isfinite(m.xx).all():
        source.verified()
        return True
    vanished = m.xx.diagonal() < SMALLEST_SQUARE
    if source.sparse or not vanished.any():
        return False
    X = source.first().X  # a constant column has no square either, and needs none
    if arrays.is_tensor(X):
        return bool(X.ne(X[:1]).any(dim=0)[arrays.like(X, np.flatnonzero(vanished), "int64")].any())
    return bool(np.ptp(X[:, vanished], axis=0).any())


def cholesky(m: Moments, alpha: float, constant: np.ndarray) -> Cholesky | None:
    """Return the factor of (2) scaled to a unit diagonal, or None where it is not positive definite."""
    diagonal = m.xx.diagonal()
    used = ~constant & (diagonal > 0)
    whole = bool(used.all())
    scale = np.sqrt((diagonal if whole else diagonal[used]) + alpha)
    if not len(scale):
        return Cholesky(np.zeros((0, 0)), scale, used, 1.0)
    scaled = (m.xx if whole else m.xx[np.ix_(used, used)]) / scale[:, None]
    scaled /= scale
    scaled.flat[:: len(scale) + 1] = 1.0
    norm = np.add.reduce(np.abs(scaled)).max()
    factor, fault = lapack.dpotrf(scaled.T, overwrite_a=1)  # the transpose is in LAPACK's order: no copy
    if fault:
        return None
    rcond, _ = lapack.dpocon(factor, norm)
    return Cholesky(factor, scale, used, float(rcond))


def by_cholesky(
    source: Any, m: Any, constant: Any, groups: Any, factors: Any, fit_intercept: Any, penalty: Any, positive: Any
) -> Solution:
    """Solve (2), then correct by (12) while the error measured from the rows requires it."""
    p, q = m.xy.shape

    def apply(rhs: Any) -> Any:  # (p, q) -> (p, q), every target with its own penalty
        if len(groups) == 1:
            return factors[0].solve(rhs)
        out = np.empty_like(rhs)
        for (_, targets), factor in zip(groups, factors):
            out[:, targets] = factor.solve(rhs[:, targets])
        return out

    plain = factors[0] if not groups[0][0] else cholesky(m, 0.0, constant)
    if plain is not None and len(plain.scale) == p:
        root = np.ascontiguousarray(plain.factor * plain.scale)
    elif plain is not None:
        root = np.zeros((p, p))
        root[np.ix_(plain.used, plain.used)] = plain.factor * plain.scale
    else:  # a Gram matrix that only the penalty makes definite: its symmetric square root
        values, vectors = np.linalg.eigh(m.xx)
        root = np.sqrt(np.maximum(values, 0))[:, None] * vectors.T
    rank = int(np.linalg.matrix_rank(root)) if plain is None else len(plain.scale)
    tss = m.yy.diagonal().copy()
    if positive:
        coef = np.column_stack([nonnegative(m, penalty[k], k) for k in range(q)])
        rss = tss - 2 * np.einsum("pk,pk->k", coef, m.xy) + np.einsum("pk,pr,rk->k", coef, m.xx, coef)
        return finish(
            m, coef, np.zeros(q), fit_intercept, root=root, rss=np.maximum(rss, 0), tss=tss, rank=rank, n_iter=0
        )
    coef = apply(m.xy)
    rss = np.maximum(tss - np.add.reduce(coef * (2 * m.xy - m.xx @ coef)), 0)
    rcond = min(f.rcond for f in factors)
    digits = DIGITS if m.precision == EPS else PARTS_DIGITS
    amplified = m.precision / rcond * (tss / np.maximum(rss, m.precision * tss + TINY)).max(initial=1.0)
    bias, corrections = np.zeros(q), 0
    while amplified > digits and corrections < MOST_CORRECTIONS:
        r = residuals.residue(source, m.mean, coef.T)
        off = r.first / m.weight if fit_intercept else np.zeros(p)  # of the mean
        step = apply((r.gradient - np.outer(r.bias, off)).T - penalty * coef)
        bias, rss = r.bias / m.weight + off @ coef, r.rss
        coef, m = coef + step, m._replace(mean=m.mean + np.pad(off, (0, q)))
        corrections += 1
        error = m.precision / rcond  # what one correction multiplies the error by
        amplified = error ** (corrections + 1)
    return finish(m, coef, bias, fit_intercept, root=root, rss=rss, tss=tss, rank=rank, n_iter=corrections)


def nonnegative(m: Moments, alpha: float, k: int) -> np.ndarray:
    """Return the coefficients >= 0 of target k that minimise (1): the same problem on a square root of its Gram matrix."""
    scale = np.sqrt(np.diag(m.xx) + alpha)
    scale[scale == 0] = 1.0
    values, vectors = np.linalg.eigh((m.xx + alpha * np.eye(len(m.xx))) / np.outer(scale, scale))
    keep = values > values[-1] * len(values) * EPS
    root = np.sqrt(values[keep])[:, None] * vectors[:, keep].T
    target = vectors[:, keep].T @ (m.xy[:, k] / scale) / np.sqrt(values[keep])
    return nnls(root, target)[0] / scale


def by_factor(source: Any, fit_intercept: Any, penalty: Any, positive: Any) -> Solution:
    """Solve by (8) to (11)."""
    f = triangles.factor(source.verified(), fit_intercept)
    p, q = f.xx.shape[1], f.xy.shape[1]
    eps = float(np.finfo(source.dtype).eps)
    coef = np.empty((p, q))
    free, rank = orthogonal.least_squares(f, eps)
    if positive:
        for k in range(q):
            ridge_rows = np.sqrt(penalty[k]) * np.eye(p) if penalty[k] else np.empty((0, p))
            coef[:, k] = nnls(np.vstack([f.xx, ridge_rows]), np.append(f.xy[:, k], np.zeros(len(ridge_rows))))[0]
    else:
        zero = penalty == 0
        coef[:, zero] = free[:, zero]
        if not zero.all():
            part = f._replace(xy=f.xy[:, ~zero])
            coef[:, ~zero] = orthogonal.ridge(part, penalty[~zero])
    check_outward("least squares", source, coef.T)
    corrections = int(rank == p and not positive and not penalty.any() and np.isfinite(f.xx).all())
    if corrections:
        coef = coef + orthogonal.correction(f, residuals.residue(source, f.mean, coef.T).gradient.T)
    with np.errstate(over="ignore", under="ignore"):
        rss, tss = ((f.xy - f.xx @ coef) ** 2).sum(axis=0), (f.xy**2).sum(axis=0)
    return finish(f, coef, np.zeros(q), fit_intercept, root=f.xx, rss=rss, tss=tss, rank=rank, n_iter=corrections)


def finish(
    m: Moments | triangles.Factor, coef: np.ndarray, bias: np.ndarray, fit_intercept: bool, **parts: Any
) -> Solution:
    """Return the solution with its intercept, the second half of (2); `parts` are those fields that are known as they are."""
    p = coef.shape[0]
    intercept = m.mean[p:] - m.mean[:p] @ coef + bias if fit_intercept else np.zeros(coef.shape[1])
    mass: dict[str, Any] = {"weight": float(m.weight), "rows": float(m.rows), "log_weight": m.log_weight}
    return Solution(coef=coef.T, intercept=intercept, mean=m.mean, **mass, **parts)
