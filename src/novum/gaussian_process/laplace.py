r"""Laplace's approximation of a latent process behind labels of two classes.

    p(y_i = 1 | f_i) = 1 / (1 + e^-f_i) = pi_i,   f ~ N(0, K),   g = y - pi,   W = diag(pi (1 - pi))                     (1)
    mode: Newton's method for  psi(f) = log p(y | f) - 1/2 f'K^-1 f,  a = K^-1 f:
        B = I + W^1/2 K W^1/2 = L L',   b = W f + g,   a = b - W^1/2 B^-1 W^1/2 K b,   f = K a                            (2)
    log q(y) = psi(f) - 1/2 log |B|                                                                                      (3)
    d/dtheta of it = 1/2 a' dK a - 1/2 tr(R dK) + u' dK g,   R = W^1/2 B^-1 W^1/2,   u = s - R K s,
        s = -1/2 diag(K - K R K) pi (1 - pi) (1 - 2 pi)                                                                  (4)
    f* | y ~ N( k*'g,  k** - v'v ),   v = L^-1 W^1/2 k*                                                                  (5)
    p(y* = 1) = integral of the logistic function over (5), by a mixture of five error functions (Williams and Barber, 1998) (6)

(4) is Rasmussen and Williams's algorithm 5.1 with its sums over theta drawn out: one weighted trace of derivatives gives all.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf, expit

from novum.gaussian_process.covariance import Factor, check_square, factorize, half_solve, log_determinant, solve
from novum.gaussian_process.evidence import program_of

__all__ = ["Mode", "damped_step", "find_mode", "gram_and_trace", "latent", "log_evidence", "probabilities"]

TOLERANCE = 1e-10  # of psi between two steps of Newton's method, as scikit-learn requires of the evidence
SHORTEST = 2.0**-20  # step of Newton's method: below, psi is at its top to rounding
WIDTHS = np.array([0.41, 0.4, 0.37, 0.44, 0.39])[:, None]  # of the error functions in (6), and their weights
WEIGHTS = np.array([-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654])[:, None]
Array = NDArray[np.float64]


class Mode(NamedTuple):
    """(2) at the mode."""

    f: Array  # (n,)
    a: Array  # (n,)
    g: Array  # (n,)
    root: Array  # (n,): W^1/2
    factor: Factor  # L
    psi: float
    converged: bool


def log_likelihood(sign: Array, f: Array) -> float:
    """Return log p(y | f) for labels of +1 and -1."""
    return -float(np.logaddexp(0.0, -sign * f).sum())


def newton_point(K: Array, f: Array, y: Array) -> tuple[Array, Factor, Array, Array]:
    """Return a of (2), L, W^1/2 and g, all at f."""
    pi = expit(f)
    root = np.sqrt(pi * (1 - pi))
    B = K * root[:, None] * root
    B[np.diag_indices(len(f))] += 1.0
    factor = factorize(B)
    b = root**2 * f + (y - pi)
    return b - root * solve(factor, root * (K @ b)), factor, root, y - pi


def damped_step(
    K: Array, a: Array, aim: Array, psi: float, objective: Callable[[Array, Array], float]
) -> tuple[Array, Array, float]:
    """Return a point from `a` towards `aim` that does not lower the objective, with its latent values and what it reaches."""
    step = 1.0
    while True:  # a whole step may overshoot where the likelihood is flat
        trial = a + step * (aim - a)
        latent_values = K @ trial
        reached = objective(trial, latent_values)
        if reached >= psi - TOLERANCE or step < SHORTEST:
            return trial, latent_values, reached
        step /= 2


def find_mode(K: Array, y: Array, start: Array | None, max_iter: int) -> Mode:
    """Return the mode of the latent values; labels are 0 and 1."""
    n, sign = len(y), 2 * y - 1
    f, a = np.zeros(n), np.zeros(n)
    psi = log_likelihood(sign, f)
    if start is not None:
        a = start
        f = K @ a
        psi = log_likelihood(sign, f) - 0.5 * float(a @ f)
    converged = False
    for _ in range(max_iter):
        aim, factor, root, g = newton_point(K, f, y)
        trial, latent_values, reached = damped_step(
            K, a, aim, psi, lambda a, f: log_likelihood(sign, f) - 0.5 * float(a @ f)
        )
        gain, psi = reached - psi, max(reached, psi)
        if gain >= -TOLERANCE:  # near the top rounding hides what a whole step still gains
            a, f = trial, latent_values
        if gain < TOLERANCE:
            converged = True
            break
    _, factor, root, g = newton_point(K, f, y)
    return Mode(f, a, g, root, factor, psi, converged)


def gram_and_trace(kernel: Any, X: Any, gradient: bool, n: int) -> tuple[Array, Any]:
    """Return K and a function of a symmetric matrix A that returns -1/2 sum_ij A_ij dK_ij / dtheta."""
    program = program_of(kernel, X)
    if program is not None:
        return program.gram(), lambda A: program.trace(np.ascontiguousarray(A), scale=-0.5)
    if not gradient:
        return check_square("GaussianProcessClassifier", kernel(X), n), None
    K, slopes = kernel(X, eval_gradient=True)
    return (
        check_square("GaussianProcessClassifier", K, n),
        lambda A: -0.5 * (A.ravel() @ np.asarray(slopes, np.float64).reshape(A.size, -1)),
    )


def log_evidence(
    kernel: Any, X: Any, y: Array, start: Array | None, max_iter: int, gradient: bool = True
) -> tuple[np.float64, Array | None, Mode]:
    """Return (3), (4) if requested, and the mode."""
    n = len(y)
    K, trace = gram_and_trace(kernel, X, gradient, n)
    mode = find_mode(K, y, start, max_iter)
    value = np.float64(mode.psi - 0.5 * log_determinant(mode.factor))
    if not gradient:
        return value, None, mode
    pi = y - mode.g
    half = half_solve(mode.factor, np.diag(mode.root))  # R = half' half
    across = half @ K
    s = -0.5 * (K.diagonal() - np.einsum("ij,ij->j", across, across)) * (pi * (1 - pi) * (1 - 2 * pi))
    u = s - half.T @ (across @ s)
    A = half.T @ half - np.outer(mode.a, mode.a) - np.outer(u, mode.g) - np.outer(mode.g, u)
    return value, trace(A), mode


def latent(kernel: Any, points: Any, mode: Mode, X: Any) -> tuple[Array, Array]:
    """Return mean and variance of (5)."""
    across = np.asarray(kernel(points, X), np.float64)  # (n, m)
    v = half_solve(mode.factor, mode.root[:, None] * across)
    variance = np.asarray(kernel.diag(X), np.float64) - np.einsum("ij,ij->j", v, v)
    return across.T @ mode.g, np.maximum(variance, 0.0)


def probabilities(mean: Array, variance: Array) -> Array:
    """Return (6)."""
    scale = np.sqrt(1 + 2 * WIDTHS**2 * variance)
    found = 0.5 * (WEIGHTS * erf(WIDTHS * mean / scale)).sum(axis=0) + 0.5 * WEIGHTS.sum()
    return np.clip(found, 0.0, 1.0)
