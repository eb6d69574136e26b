r"""The collapsed variational bound of a process that is summed up by its values at m inducing points, as a fold.

    K_mm + j I = L L',  V = L^-1 K_mn,  A = V V',  p = V Y,  yy = sum y^2,  t = sum_i k(x_i, x_i),  N rows, q outputs      (1)
    B = I + A / s = L_B L_B',  s the noise's variance
    F = -q/2 log |B| - q N/2 log(2 pi s) - yy/(2s) + tr(p'B^-1 p)/(2 s^2) - q/(2s) (t - tr A)                              (2)

F <= log p(Y) (Titsias, 2009), with equality where the inducing points are the rows. (1) are sums over rows: one pass over blocks
in any home, m^2 numbers of memory. So is the gradient, given what F makes of (1); with b = B^-1 p:

    H = q (I - B^-1) - b b' / s^2,   G_K = 1/2 L^-T [ H - q/s A ] L^-1,   G_t = -q / (2s)                                  (3)
    dF/dtheta = sum over rows of <[ V'H / s + Y b' / s^2 ] L^-1, dK_nm> + G_t dt + <G_K, dK_mm>                            (4)
    f* ~ N( v'b / s,  k** - v'v + v'B^-1 v ),   v = L^-1 k*                                                                (5)

V is made from L within the pass, not L^-1 (K_mn K_nm) L^-T behind it: errors grow with the root of K_mm's condition and not with
the condition, and the bound is smooth enough to be climbed. j is a ten-billionth of the mean variance, more where that fails.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from novum.fold.blocks import Block, Source
from novum.gaussian_process.covariance import Factor, factorize, half_solve, log_determinant
from novum.gaussian_process.evidence import program_of
from novum.runtime import arrays

__all__ = ["Bound", "Setting", "bound_of", "gradient_of", "objective_of", "setting_of", "summaries_of"]

LEAST_JITTER = (
    1e-10  # of the mean variance: always there, as a jitter that comes and goes would leave steps in the bound
)
ROWS = 2048  # that are compared with the inducing points at a time
Array = NDArray[np.float64]


class Setting(NamedTuple):
    """What a pass needs: hyper-parameters, inducing points with their factor, and how targets are normalized."""

    kernel: Any
    points: Array  # (m, d)
    lower: Factor  # L
    offset: Array  # (q,)
    scale: Array  # (q,)


class Summaries(NamedTuple):
    """(1)."""

    A: Array  # (m, m)
    p: Array  # (m, q)
    yy: float
    t: float
    rows: int


class Bound(NamedTuple):
    """(2), with the factor that (3) and (5) use."""

    value: np.float64
    inner: Factor  # L_B
    c: Array  # (m, q): L_B^-1 p / s


class Slopes(NamedTuple):
    """What a pass of (4) needs of (3)."""

    setting: Setting
    H: Array  # (m, m): L^-T H / s
    b: Array  # (m, q): L^-T b / s^2
    noise: float


class Total(NamedTuple):
    """The part of (4) that is a sum over rows."""

    slope: Array  # (n_dims,)


def setting_of(kernel: Any, points: Array, offset: Array, scale: Array) -> Setting:
    """Return what a pass needs; raise LinAlgError where the kernel gives no covariance of the points."""
    K = np.array(kernel(points), dtype=np.float64, order="C")
    least = LEAST_JITTER * float(np.mean(K.diagonal()))
    K[np.diag_indices(len(K))] += least
    found = factorize(K)
    return Setting(kernel, points, Factor(np.tril(found.lower), found.jitter + least), offset, scale)


def chunks_of(setting: Setting, block: Block) -> Any:
    """Yield rows of a block as float64, with their normalized targets."""
    X, y = arrays.to_numpy(block.X), arrays.to_numpy(block.y)
    for begin in range(0, len(X), ROWS):
        part = np.ascontiguousarray(X[begin : begin + ROWS], np.float64)
        target = np.asarray(y[begin : begin + ROWS], np.float64).reshape(len(part), -1)
        yield part, (target - setting.offset) / setting.scale


def block_summaries(setting: Setting, block: Block) -> Summaries:
    """Return (1) for a block."""
    m, q = len(setting.points), len(setting.offset)
    A, p, yy, t = np.zeros((m, m)), np.zeros((m, q)), 0.0, 0.0
    for X, y in chunks_of(setting, block):
        V = half_solve(setting.lower, np.asarray(setting.kernel(X, setting.points), np.float64).T)
        A += V @ V.T
        p += V @ y
        yy += float((y * y).sum())
        t += float(np.sum(setting.kernel.diag(X)))
    return Summaries(A, p, yy, t, block.rows)


def summaries_of(setting: Setting, source: Source) -> Summaries:
    """Return (1), in one pass."""
    found: Summaries = source.total(block_summaries, setting)
    return found


def bound_of(sums: Summaries, noise: float) -> Bound:
    """Return (2)."""
    outputs = sums.p.shape[1]
    B = sums.A / noise
    B[np.diag_indices(len(B))] += 1.0
    inner = factorize(B)
    c = half_solve(inner, sums.p) / noise
    value = -0.5 * outputs * (log_determinant(inner) + sums.rows * np.log(2 * np.pi * noise))
    value += -0.5 * sums.yy / noise + 0.5 * float((c * c).sum())
    value -= 0.5 * outputs / noise * (sums.t - float(np.trace(sums.A)))
    return Bound(np.float64(value), Factor(np.tril(inner.lower), inner.jitter), c)


def back_solve(lower: Factor, B: Array) -> Array:
    """Return L^-T B."""
    return solve_triangular(lower.lower, B, lower=True, trans=1, check_finite=False)


def block_gradient(slopes: Slopes, block: Block) -> Total:
    """Return the part of (4) that belongs to a block."""
    setting, noise = slopes.setting, slopes.noise
    found = np.zeros(setting.kernel.n_dims)
    for X, y in chunks_of(setting, block):
        n = len(X)
        program = setting.kernel.compile(X, setting.points) if hasattr(setting.kernel, "compile") else None
        if program is None:  # derivatives of a kernel in Python exist for one set of points only
            K, dK = setting.kernel(np.concatenate([X, setting.points]), eval_gradient=True)
            across = np.asarray(K, np.float64)[:n, n:]
        else:
            across = program.gram()
        V = half_solve(setting.lower, across.T)
        W = (slopes.H @ V + slopes.b @ y.T).T  # (n, m)
        found += np.einsum("ij,ijs->s", W, np.asarray(dK)[:n, n:]) if program is None else program.trace(W)
        found += -0.5 * len(setting.offset) / noise * diagonal_slope(setting.kernel, X)
    return Total(found)


def diagonal_slope(kernel: Any, X: Array) -> Array:
    """Return the derivative of sum_i k(x_i, x_i): of a stationary kernel that of one point, times their number."""
    if kernel.is_stationary():
        return len(X) * np.asarray(kernel(X[:1], eval_gradient=True)[1])[0, 0]
    found, step = np.zeros(kernel.n_dims), 64
    for begin in range(0, len(X), step):
        dK = np.asarray(kernel(X[begin : begin + step], eval_gradient=True)[1])
        found += np.einsum("iis->s", dK)
    return found


def gradient_of(setting: Setting, source: Source, sums: Summaries, bound: Bound, noise: float) -> tuple[Array, float]:
    """Return (4), in one pass, and the derivative of (2) in log s."""
    m, outputs = sums.p.shape
    half = half_solve(bound.inner, np.eye(m))
    B_inverse = half.T @ half
    b = noise * half.T @ bound.c
    H = outputs * (np.eye(m) - B_inverse) - b @ b.T / noise**2
    lower = setting.lower
    slopes = Slopes(setting, back_solve(lower, H) / noise, back_solve(lower, b) / noise**2, noise)
    slope = source.total(block_gradient, slopes).slope
    G_K = 0.5 * back_solve(setting.lower, back_solve(setting.lower, H - outputs / noise * sums.A).T)
    G_K = 0.5 * (G_K + G_K.T)
    program = program_of(setting.kernel, setting.points)
    if program is None:
        dK = np.asarray(setting.kernel(setting.points, eval_gradient=True)[1])
        slope = slope + np.einsum("ij,ijs->s", G_K, dK)
    else:
        slope = slope + program.trace(G_K)
    in_noise = outputs / (2 * noise) * float((B_inverse * sums.A).sum()) - 0.5 * outputs * sums.rows
    in_noise += sums.yy / (2 * noise) - float((bound.c**2).sum())
    in_noise += 0.5 * float(np.einsum("iq,ij,jq->", b, sums.A, b)) / noise**3
    in_noise += outputs / (2 * noise) * (sums.t - float(np.trace(sums.A)))
    return slope, in_noise


def objective_of(search: Any, source: Source, points: Array, offset: Array, scale: Array) -> Callable[..., Any]:
    """Return the bound as a function of theta of `search`, the kernel plus white noise; it sets that theta."""

    def objective(theta: Array, eval_gradient: bool) -> Any:
        search.theta = theta
        noise = float(search.k2.noise_level)
        try:
            setting = setting_of(search.k1, points, offset, scale)
            sums = summaries_of(setting, source)
            bound = bound_of(sums, noise)
        except np.linalg.LinAlgError:
            return (-np.inf, np.zeros(len(theta))) if eval_gradient else -np.inf
        if not eval_gradient:
            return bound.value
        slope, in_noise = gradient_of(setting, source, sums, bound, noise)
        return bound.value, slope if search.k2.hyperparameter_noise_level.fixed else np.append(slope, in_noise)

    return objective
