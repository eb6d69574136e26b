r"""Laplace's approximation of latent processes behind labels of several classes, one process per class.

    p(y_i = c | f_i) = pi_ic = exp f_ic / sum_d exp f_id,   f_c ~ N(0, K) each,   G = Y - Pi,   D_c = diag(pi_c)          (1)
    L_c L_c' = I + D_c^1/2 K D_c^1/2,   E_c = D_c^1/2 (L_c L_c')^-1 D_c^1/2,   M M' = sum_c E_c                          (2)
    mode: b = W f + G,  h_c = E_c K b_c,  A_c = b_c - h_c + E_c (M M')^-1 sum_d h_d,  f_c = K A_c                        (3)
    log q(y) = -1/2 sum A f + log p(y | f) - sum_c log |L_c| - log |M|                                                   (4)
    S = (W^-1 + K)^-1:  S_cd = [c = d] E_c - E_c (M M')^-1 E_d                                                           (5)
    d/dtheta of (4) = sum_c 1/2 A_c' dK A_c - 1/2 tr(S_cc dK) + u_c' dK G_c,   u = s - S K s,
        s_ie = -1/2 pi_ie [ V_ee - sum_c pi_c V_cc - 2 (V pi)_e + 2 pi' V pi ],   V the (i, i) block of K - K S K          (6)
    f* | y ~ N( k*'G_c,  [c = d](k** - k*'E_c k*) + k*'E_c (M M')^-1 E_d k* )                                            (7)

(2) to (4) are Rasmussen and Williams's algorithm 3.3; (6) is the derivative of (4) through K and through the mode. Probabilities
are the mean of the softmax over (7), by points of a Sobol sequence, the same ones for every row.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtri, softmax
from scipy.stats import qmc

from novum.gaussian_process.covariance import Factor, factorize, half_solve, log_determinant, solve
from novum.gaussian_process.laplace import TOLERANCE, damped_step, gram_and_trace

__all__ = ["SoftmaxMode", "class_probabilities", "latent_classes", "log_evidence"]

POWER = 9  # 2^9 Sobol points for an average over (7): errors of about 1e-3
Array = NDArray[np.float64]


class SoftmaxMode(NamedTuple):
    """(1) to (3) at the mode."""

    a: Array  # (n, C)
    g: Array  # (n, C)
    E: Array  # (C, n, n)
    M: Array  # (n, n), lower
    psi: float
    half_log_determinant: float
    converged: bool


def parts_of(K: Array, pi: Array) -> tuple[Array, Factor, float]:
    """Return (2), and sum log |L_c| + log |M|."""
    n, classes = pi.shape
    E, total = np.empty((classes, n, n)), 0.0
    for c in range(classes):
        root = np.sqrt(pi[:, c])
        B = K * root[:, None] * root
        B[np.diag_indices(n)] += 1.0
        factor = factorize(B)
        half = half_solve(factor, np.diag(root))
        E[c] = half.T @ half
        total += 0.5 * log_determinant(factor)
    M = factorize(E.sum(axis=0))
    return E, M, total + 0.5 * log_determinant(M)


def times_S(E: Array, M: Factor, V: Array) -> Array:
    """Return S V of (5), V of shape (n, C)."""
    h = np.einsum("cij,jc->ic", E, V)
    back = solve(M, h.sum(axis=1))
    return h - np.einsum("cij,j->ic", E, back)


def psi_of(Y: Array, f: Array, a: Array) -> float:
    """Return log p(y | f) - 1/2 sum A f."""
    return float((Y * f).sum() - logsumexp(f, axis=1).sum() - 0.5 * (a * f).sum())


def find_mode(K: Array, Y: Array, start: Array | None, max_iter: int) -> SoftmaxMode:
    """Return the mode; Y is one-hot, shape (n, C)."""
    a = np.zeros_like(Y) if start is None else start
    f = K @ a
    psi, converged = psi_of(Y, f, a), False
    for _ in range(max_iter):
        pi = softmax(f, axis=1)
        E, M, _ = parts_of(K, pi)
        b = pi * f - pi * (pi * f).sum(axis=1, keepdims=True) + Y - pi
        aim = b - times_S(E, M, K @ b)
        trial, values, reached = damped_step(K, a, aim, psi, lambda a, f: psi_of(Y, f, a))
        gain, psi = reached - psi, max(reached, psi)
        if gain >= -TOLERANCE:  # near the top rounding hides what a whole step still gains
            a, f = trial, values
        if gain < TOLERANCE:
            converged = True
            break
    pi = softmax(f, axis=1)
    E, M, half = parts_of(K, pi)
    return SoftmaxMode(a, Y - pi, E, np.tril(M.lower), psi, half, converged)


def log_evidence(
    kernel: Any, X: Any, Y: Array, start: Array | None, max_iter: int, gradient: bool = True
) -> tuple[np.float64, Array | None, SoftmaxMode]:
    """Return (4), (6) if requested, and the mode."""
    n, classes = Y.shape
    K, trace = gram_and_trace(kernel, X, gradient, n)
    mode = find_mode(K, Y, start, max_iter)
    value = np.float64(mode.psi - mode.half_log_determinant)
    if not gradient:
        return value, None, mode
    pi, M = Y - mode.g, Factor(mode.M, 0.0)
    halves = np.stack([half_solve(M, E) for E in mode.E])  # M^-1 E_c
    across = halves @ K
    V = np.einsum("cki,dki->icd", across, across)  # the second part of K S K, pointwise
    for c in range(classes):
        V[:, c, c] += K.diagonal() - np.einsum("ij,ji->i", K @ mode.E[c], K)
    own = np.einsum("icc->ic", V)
    mixed = np.einsum("icd,id->ic", V, pi)
    s = -0.5 * pi * (own - (pi * own).sum(1, keepdims=True) - 2 * mixed + 2 * (pi * mixed).sum(1, keepdims=True))
    u = s - times_S(mode.E, M, K @ s)
    A = np.zeros((n, n))
    for c in range(classes):
        A += mode.E[c] - halves[c].T @ halves[c] - np.outer(mode.a[:, c], mode.a[:, c])
        A -= np.outer(u[:, c], mode.g[:, c]) + np.outer(mode.g[:, c], u[:, c])
    return value, trace(A), mode


def latent_classes(kernel: Any, points: Any, mode: SoftmaxMode, X: Any) -> tuple[Array, Array]:
    """Return means (m, C) and covariances (m, C, C) of (7)."""
    across = np.asarray(kernel(points, X), np.float64)  # (n, m)
    pulled = mode.E @ across  # (C, n, m)
    inner = np.stack([half_solve(Factor(mode.M, 0.0), part) for part in pulled])
    covariance = np.einsum("cnm,dnm->mcd", inner, inner)
    prior = np.asarray(kernel.diag(X), np.float64)
    own = prior[:, None] - np.einsum("nm,cnm->mc", across, pulled)
    covariance[:, np.arange(len(mode.E)), np.arange(len(mode.E))] += own
    return across.T @ mode.g, covariance


def class_probabilities(mean: Array, covariance: Array) -> Array:
    """Return the mean of the softmax over N(mean, covariance) for every row, shape (m, C)."""
    m, classes = mean.shape
    sobol = qmc.Sobol(classes, scramble=True, seed=0).random_base2(POWER)
    normal = ndtri(np.clip(sobol, 1e-12, 1 - 1e-12))  # (q, C)
    value, vector = np.linalg.eigh(0.5 * (covariance + np.swapaxes(covariance, 1, 2)))
    root = vector * np.sqrt(np.maximum(value, 0.0))[:, None, :]
    found = np.empty((m, classes))
    for i in range(m):
        draws = normal @ root[i].T
        found[i] = softmax(np.concatenate([mean[i] + draws, mean[i] - draws]), axis=1).mean(axis=0)
    return found
