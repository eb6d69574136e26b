r"""Draws by the inverse of a distribution function.

    continuous  x = F^-1(u),  u ~ U(0, 1)                                                                                (1)
    discrete    the k with F(k - 1) <= u < F(k)                                                                          (2)

Many draws of a discrete distribution use an alias table instead of (2): one uniform number and two look-ups each, however many
values there are (cpp/include/novum/sampling/alias.h). A continuous F without a formula for its inverse is inverted by bisection.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum import _core
from novum.distributions.base import Distribution
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.runtime.checks import check_choice, check_count, float_array, probability_table
from novum.runtime.typing import Numbers, Seed
from novum.sampling.expectations import generator

__all__ = ["alias_draws", "inverse_cdf", "quantile_by_bisection"]

HALVINGS = 200  # of a bracket: twice what any double needs


def cumulative_draws(p: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return (2) for every u."""
    edges = np.cumsum(p)
    last = np.flatnonzero(p)[-1]  # what rounding leaves above the last edge is the last value that can happen
    return np.minimum(np.searchsorted(edges, u, side="right"), last)


def alias_draws(p: NDArray[np.float64], u: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return a draw for every u by an alias table; the same distribution as (2), other draws."""
    keep, other, out = np.empty(p.size), np.empty(p.size, np.int64), np.empty(u.size, np.int64)
    _core.sampling.alias.table(np.ascontiguousarray(p), keep, other)
    _core.sampling.alias.draw(keep, other, np.ascontiguousarray(u), out)
    return out


def quantile_by_bisection(
    cdf: Callable[[NDArray[np.float64]], Any], u: NDArray[np.float64], low: float, high: float
) -> NDArray[np.float64]:
    """Return the least x with F(x) >= u, for every u, to the last digit that F can resolve."""

    def value(x: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.asarray(cdf(x), dtype=np.float64)
        if found.shape != x.shape or np.isnan(found).any() or (found < -1e-9).any() or (found > 1 + 1e-9).any():
            raise DataError(
                "inverse_cdf(kind='cdf'): the function must take an array and return probabilities in [0, 1], one for each."
            )
        return found

    a, b = np.full(u.shape, low), np.full(u.shape, high)
    if np.isinf(low) or np.isinf(high):
        reach = np.ones(u.shape)
        center = 0.0 if np.isinf(low) and np.isinf(high) else (low if np.isfinite(low) else high)
        for bound, sign in ((a, -1), (b, 1)):
            if np.isfinite(bound).all():
                continue
            bound[:] = center + sign * reach
            while True:
                short = value(bound) >= u if sign < 0 else value(bound) < u
                if not short.any():
                    break
                with np.errstate(over="ignore"):
                    bound[short] = center + 2 * (bound[short] - center)
                if np.isinf(bound).any():
                    raise DataError(
                        "inverse_cdf(kind='cdf'): the function does not come near 0 and 1; give low= and high=, or mend it."
                    )
    for _ in range(HALVINGS):
        middle = a + (b - a) / 2
        if ((middle == a) | (middle == b)).all():
            break
        above = value(middle) >= u
        b, a = np.where(above, middle, b), np.where(above, a, middle)
    return b


def inverse_cdf(
    distribution: Numbers | Mapping[Any, float] | Distribution | Callable[..., Any],
    n_samples: int | None = None,
    *,
    kind: str = "quantile",
    u: Numbers | None = None,
    low: float = -np.inf,
    high: float = np.inf,
    method: str = "auto",
    random_state: Seed = None,
) -> NDArray[Any]:
    """Return draws of a distribution by the inverse of its distribution function.

    Parameters
    ----------
    distribution : array-like, mapping, distribution or callable
        Probabilities of 0, 1, ... (or of the keys of a mapping); a distribution with `quantile`; a function of arrays, see `kind`.
    n_samples : int, default=None
        Draws; None: one for every `u`.
    kind : {"quantile", "cdf"}, default="quantile"
        What a function is: F^-1, or F itself, which is then inverted numerically.
    u : array-like, default=None
        Uniform numbers to use in place of new ones.
    low, high : float, default=-inf, inf
        Support of a distribution that is given by F.
    method : {"auto", "cumulative", "alias"}, default="auto"
        For probabilities: look up cumulative sums (2), or an alias table, which is faster for many draws of many values.
        "auto": sums where `u` is given, so that u says which value it is; otherwise the faster.
    random_state : int, Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import numpy as np
    >>> from novum.sampling import inverse_cdf
    >>> inverse_cdf([0.2, 0.3, 0.5], u=[0.1, 0.2, 0.6])
    array([0, 1, 2])
    >>> inverse_cdf(lambda u: -np.log1p(-u) / 2, u=[0.0, 0.5]).round(4)  # exponential of rate 2
    array([0.    , 0.3466])
    >>> inverse_cdf(lambda x: 1 - np.exp(-2 * x), kind="cdf", low=0, u=[0.5]).round(4)
    array([0.3466])
    """
    check_choice("inverse_cdf", "kind", kind, ("quantile", "cdf"))
    check_choice("inverse_cdf", "method", method, ("auto", "cumulative", "alias"))
    if (n_samples is None) == (u is None):
        raise ParameterError("inverse_cdf: give n_samples, or the uniform numbers u= themselves; one of the two.")
    if u is None:
        count = check_count("inverse_cdf", "n_samples", n_samples, 0)
        numbers = generator(random_state).random(count)
    else:
        numbers = float_array("inverse_cdf", "u", u).astype(np.float64, copy=False)
        if not ((numbers >= 0) & (numbers < 1)).all():
            raise DataError("inverse_cdf: u must lie in [0, 1).")
    if isinstance(distribution, Mapping) or (not callable(distribution) and not hasattr(distribution, "quantile")):
        return discrete(distribution, numbers, method, u is not None)
    if hasattr(distribution, "quantile"):
        return np.asarray(distribution.quantile(numbers))
    if not callable(distribution):
        raise ParameterTypeError(
            f"inverse_cdf(distribution={distribution!r}): give probabilities, a distribution, or a function."
        )
    if kind == "cdf":
        if not low < high:
            raise ParameterError(f"inverse_cdf(low={low!r}, high={high!r}): low must be below high.")
        return quantile_by_bisection(distribution, numbers, float(low), float(high))
    found = np.asarray(distribution(numbers))
    if found.shape != numbers.shape:
        raise DataError(
            f"inverse_cdf: the quantile function returned shape {found.shape} for {numbers.shape}; it must take arrays."
        )
    return found


def discrete(table: Any, u: NDArray[np.float64], method: str, given: bool) -> NDArray[Any]:
    """Return a value for every u from probabilities, or from a mapping of values to them."""
    values = np.array(list(table)) if isinstance(table, Mapping) else None
    p = probability_table("inverse_cdf", "distribution", list(table.values()) if isinstance(table, Mapping) else table)
    if p.ndim != 1:
        raise DataError(f"inverse_cdf: probabilities of shape {p.shape}; give one row.")
    alias = method == "alias" or (method == "auto" and not given and p.size > 16 and u.size > p.size)
    codes = (alias_draws(p, u.ravel()) if alias else cumulative_draws(p, u.ravel())).reshape(u.shape)
    return codes if values is None else values[codes]
