r"""Kernels of a distance: one at zero, and what they integrate to in d columns.

With r = distance / h:

    gaussian      exp(-r^2/2)      (2 pi)^(d/2) h^d                                                (1)
    tophat        1                V                       for r < 1, V = pi^(d/2) h^d / Gamma(d/2 + 1)
    epanechnikov  1 - r^2          2 V / (d + 2)           for r < 1
    exponential   exp(-r)          S Gamma(d) h^d          S = d V / h^d, the surface of the unit sphere
    linear        1 - r            V / (d + 1)             for r < 1
    cosine        cos(pi r / 2)    S h^d I                 for r < 1, I = int_0^1 cos(pi t / 2) t^(d - 1) dt
"""

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

__all__ = ["ENDLESS", "KERNELS", "dense_totals", "log_norm", "log_value", "tail_of"]

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")  # in the order of the core
ENDLESS = ("gaussian", "exponential")
UNIT_ROUNDOFF = 2.0**-53


def tail_of(n: int, rtol: float) -> float:
    """Return t such that n terms below e^-t of the largest change a sum by less than its rounding, or than rtol."""
    return float(np.log(n) - np.log(max(rtol, UNIT_ROUNDOFF / 4)))


def cosine_integral(d: int) -> float:
    """Return int_0^1 cos(pi t / 2) t^(d-1) dt by parts: its terms alternate and shrink by pairs."""
    from scipy.integrate import quad

    return float(quad(lambda t: np.cos(np.pi * t / 2) * t ** (d - 1), 0, 1, epsabs=0, epsrel=1e-13)[0])


def log_norm(kernel: str, h: float, d: int) -> float:
    """Return minus the logarithm of the integral (1)."""
    volume = 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1)
    surface = volume + np.log(d)
    size = {
        "gaussian": lambda: 0.5 * d * np.log(2 * np.pi),
        "tophat": lambda: volume,
        "epanechnikov": lambda: volume + np.log(2 / (d + 2)),
        "exponential": lambda: surface + gammaln(d),
        "linear": lambda: volume - np.log(d + 1),
        "cosine": lambda: surface + np.log(cosine_integral(d)),
    }[kernel]()
    return float(-size - d * np.log(h))


def log_value(kernel: str, r: NDArray) -> NDArray:
    """Return the logarithm of a kernel at scaled distances."""
    if kernel == "gaussian":
        return -r * r / 2
    if kernel == "exponential":
        return -r
    inside = np.minimum(r, 1)
    value = {
        "tophat": lambda: np.ones_like(r),
        "epanechnikov": lambda: 1 - inside**2,
        "linear": lambda: 1 - inside,
        "cosine": lambda: np.cos(np.pi / 2 * inside),
    }[kernel]()
    with np.errstate(divide="ignore"):
        return np.log(np.where(r < 1, value, 0.0))


def dense_totals(
    distance: NDArray, kernel: str, h: float, weight: NDArray | None, skip: NDArray | None
) -> tuple[NDArray, NDArray]:
    """Return weighted sums of a kernel over rows of distances, without the column skip[i], and the logarithms of their units."""
    terms = log_value(kernel, distance / h)  # (q, n)
    if skip is not None:
        terms[np.arange(len(terms)), skip] = -np.inf
    with np.errstate(divide="ignore"):
        total = logsumexp(terms, axis=1, b=1.0 if weight is None else weight)
    return np.where(np.isneginf(total), 0.0, 1.0), np.where(np.isneginf(total), 0.0, total)
