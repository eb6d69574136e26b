r"""Gaussians in information form: precision L = S^-1 and shift h = L m, where evidence is added and marginals are the work.

    log N(x | m, S) = h'x - x'L x / 2 + constant                                                             (7)
    product of densities:          h + h', L + L'                                                            (8)
    observation y = A x + b + e,   e ~ N(0, R):   h + A'R^-1 (y - b),   L + A'R^-1 A                         (9)
    conditional on x_b:            h_a - L_ab x_b,   L_aa                                                    (10)
    marginal of x_a:               h_a - L_ab L_bb^-1 h_b,   L_aa - L_ab L_bb^-1 L_ba                        (11)

L may be singular: a flat prior is h = 0, L = 0. Only `mean_and_covariance` and the marginal factor anything.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.distributions.gaussian.algebra import (
    Array,
    Gaussian,
    factor,
    gain_of,
    sandwich,
    split,
    times,
    transpose,
)
from novum.distributions.numerics.triangular import solve_lower

__all__ = [
    "Information",
    "information_condition",
    "information_form",
    "information_marginal",
    "information_product",
    "information_update",
    "mean_and_covariance",
]


class Information(NamedTuple):
    """h and L of (7)."""

    shift: Array  # (..., d)
    precision: Array  # (..., d, d)


def inverse_and_solution(owner: str, name: str, matrix: Array, vector: Array) -> tuple[Array, Array]:
    """Return matrix^-1 and matrix^-1 vector, from one Cholesky factor."""
    root = factor(owner, name, matrix)
    half = solve_lower(root, np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape))
    inverse = transpose(half) @ half
    return 0.5 * (inverse + transpose(inverse)), times(transpose(half), times(half, vector))


def information_form(mean: Any, cov: Any) -> Information:
    """Return N(mean, cov) in the form (7).

    Examples
    --------
    >>> from novum.distributions.gaussian.information import information_form
    >>> information_form([1.0, 2.0], [[2.0, 0.0], [0.0, 0.5]]).shift
    array([0.5, 4. ])
    """
    precision, shift = inverse_and_solution("information_form", "cov", np.asarray(cov, float), np.asarray(mean, float))
    return Information(shift, precision)


def mean_and_covariance(shift: Any, precision: Any) -> Gaussian:
    """Return m and S of (7)."""
    cov, mean = inverse_and_solution(
        "mean_and_covariance", "precision", np.asarray(precision, float), np.asarray(shift, float)
    )
    return Gaussian(mean, cov)


def information_product(first: Information, second: Information) -> Information:
    """Return (8)."""
    return Information(first.shift + second.shift, first.precision + second.precision)


def information_update(shift: Any, precision: Any, A: Any, noise: Any, y: Any, b: Any = 0.0) -> Information:
    """Return (9); `noise` is the covariance R (..., m, m)."""
    matrix = np.asarray(A, float)
    root = factor("information_update", "noise", np.asarray(noise, float))
    white = solve_lower(root, matrix)  # R^-1/2 A
    weight = transpose(gain_of(root, transpose(matrix)))  # R^-1 A
    offset = np.asarray(y, float) - np.asarray(b, float)
    return Information(
        np.asarray(shift, float) + times(transpose(weight), offset),
        np.asarray(precision, float) + sandwich(transpose(white), np.eye(white.shape[-2])),
    )


def information_condition(shift: Any, precision: Any, observed: Any, value: Any) -> Information:
    """Return (10): no more than picking blocks."""
    h, L = np.asarray(shift, float), np.asarray(precision, float)
    b, a = split("information_condition", observed, h.shape[-1])
    x = np.asarray(value, float)
    return Information(h[..., a] - times(L[..., a[:, None], b], x), L[..., a[:, None], a])


def information_marginal(shift: Any, precision: Any, keep: Any) -> Information:
    """Return (11)."""
    h, L = np.asarray(shift, float), np.asarray(precision, float)
    a, b = split("information_marginal", keep, h.shape[-1])
    if not b.size:
        return Information(h[..., a], L[..., a[:, None], a])
    root = factor("information_marginal", "the precision of what is summed out", L[..., b[:, None], b])
    gain = gain_of(root, L[..., a[:, None], b])
    order = np.concatenate([a, b])
    eye = np.broadcast_to(np.eye(a.size), (*gain.shape[:-1], a.size))
    rest = sandwich(np.concatenate([eye, -gain], axis=-1), L[..., order[:, None], order])
    return Information(h[..., a] - times(gain, h[..., b]), rest)
