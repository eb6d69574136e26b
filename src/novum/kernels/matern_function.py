r"""The Matern function of any smoothness, from the smallest distances to the largest and for nu from 0 to infinity.

    m_nu(a) = 2^(1-nu) / Gamma(nu) a^nu K_nu(a),   m_nu(0) = 1                                                   (1)
    -a m_nu'(a) = a^2 m_(nu-1)(a) / (2 (nu - 1))                                         nu > 1                  (2)
                = a^2 K_0(a)                                                             nu = 1
                = 2^(1-2nu) Gamma(1-nu) / Gamma(nu) a^(2nu) m_(1-nu)(a)                  nu < 1

The factors of (1) overflow and underflow long before their product does. From nu = 30 on the uniform expansion of K_nu (Debye's,
DLMF 10.41.4) and Stirling's series are put together, where every large term cancels by hand: with z = a / nu, w = sqrt(1 + z^2)

    log m_nu(a) = nu (log((1 + w) / 2) - (w - 1)) - log(w) / 2 + log sum_k (-1)^k u_k(1/w) / nu^k - S(nu)        (3)

and S(nu) is chosen so that m_nu(0) = 1: the same sum at w = 1.
"""

from functools import cache

import numpy as np
from numpy.polynomial import Polynomial
from numpy.typing import NDArray
from scipy.special import gammaln, k0, kv, kve

__all__ = ["matern", "matern_slope"]

Array = NDArray[np.float64]
LARGE = 30.0  # nu from which (3) is as exact as its rounding: u_12 / nu^12 is below 1e-17
TERMS = 12


@cache
def debye_polynomials() -> list[Polynomial]:
    """Return u_0 to u_TERMS: u_(k+1) = t^2 (1 - t^2) u_k' / 2 + int_0^t (1 - 5 s^2) u_k(s) ds / 8."""
    found = [Polynomial([1.0])]
    for _ in range(TERMS):
        u = found[-1]
        found.append(Polynomial([0, 0, 0.5, 0, -0.5]) * u.deriv() + (Polynomial([0.125, 0, -0.625]) * u).integ())
    return found


def debye_sum(t: Array, nu: float) -> Array:
    """Return the sum of (3)."""
    return sum((-1 / nu) ** k * u(t) for k, u in enumerate(debye_polynomials()))  # type: ignore[return-value]


def large(a: Array, nu: float) -> Array:
    """Return (1) by (3)."""
    z = a / nu
    w = np.hypot(1.0, z)
    q = z * (z / (1 + w))  # w - 1 without cancellation
    with np.errstate(divide="ignore"):
        exponent = nu * (np.log1p(q / 2) - q) - np.log(w) / 2
    return np.exp(exponent) * debye_sum(1 / w, nu) / debye_sum(np.array(1.0), nu)


def small(a: Array, nu: float) -> Array:
    """Return (1) from its factors up to a = 1, by their logarithms above; where they overflow, 1 - a^2 / (4 (nu - 1))."""
    at = np.where(a > 0, a, 1.0)
    scale = (1 - nu) * np.log(2) - gammaln(nu)
    near = np.exp(scale) * at**nu * kv(nu, at)
    far = np.exp(scale + nu * np.log(at) + np.log(kve(nu, at)) - at)
    K = np.where(at <= 1, near, far)
    limit = 1 - at**2 / (4 * max(nu - 1, 0.25))  # kv overflows only where nu > 1 and the second term vanishes
    return np.where(a == 0, 1.0, np.where(np.isfinite(K), K, limit))


def matern(a: Array, nu: float) -> Array:
    """Return m_nu(a)."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        found = large(a, nu) if nu >= LARGE else small(a, nu)
    return np.where(np.isposinf(a), 0.0, np.minimum(found, 1.0))


def matern_slope(a: Array, nu: float) -> Array:
    """Return -a m_nu'(a), by (2): what m_nu gains when every length grows by one per cent, times 100."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
        if nu > 1:
            found = a**2 * matern(a, nu - 1) / (2 * (nu - 1))
        elif nu == 1:
            found = np.where(a > 0, a**2 * k0(np.where(a > 0, a, 1.0)), 0.0)
        else:
            scale = (1 - 2 * nu) * np.log(2) + gammaln(1 - nu) - gammaln(nu)
            found = np.exp(scale) * a ** (2 * nu) * matern(a, 1 - nu)
    return np.where(np.isposinf(a), 0.0, np.nan_to_num(found))
