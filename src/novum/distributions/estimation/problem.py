r"""A log-likelihood (or log-posterior) as a smooth function without bounds, and its derivatives by differences.

A parameter in an open interval is replaced by a free number u:

    theta = u,   low + e^u,   high - e^-u,   low + (high - low) / (1 + e^-u)                                  (6)

Derivatives are taken with steps h_i of a small share of the standard error, which has the right size whatever the units:

    g_i  = [8 (f(+h) - f(-h)) - (f(+2h) - f(-2h))] / 12h                                   error O(h^4)       (7)
    H_ij = (4 D_ij(h) - D_ij(2h)) / 3,   D_ij from f(+,+) - f(+,-) - f(-,+) + f(-,-)       error O(h^4)       (8)
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from novum.exceptions import DataError, ParameterError
from novum.runtime.checks import row_weights

__all__ = ["Parameters", "check_names", "gradient_of", "hessian_of", "log_likelihood_of", "natural_scale"]

SLOPE_STEP = 0.01  # of a standard error: truncation near SLOPE_STEP^4 / n, rounding near eps |f| / SLOPE_STEP
WIDEST = 1e6  # a standard error beyond this many times the parameter is none: the curvature is zero
NEAR_BOUND = 25.0  # in u: e^-25 is 1e-11, and half of it for a share of an interval
SCALE_STEPS = 6  # each squares the error of the step where f is about quadratic
CURVATURE_STEP = 0.03  # the same balance for (8), where rounding is eps |f| / CURVATURE_STEP^2

Array = NDArray[Any]


class Parameters:
    """Names, bounds and the transformation (6) of a vector of parameters."""

    def __init__(self, owner: str, start: Any, bounds: Any) -> None:
        self.names = tuple(start) if isinstance(start, Mapping) else None
        values = list(start.values()) if isinstance(start, Mapping) else start
        try:
            self.start = np.atleast_1d(np.asarray(values, dtype=np.float64))
        except (TypeError, ValueError):
            raise ParameterError(
                f"{owner}(start={start!r}): start must be numbers, or a mapping of names to numbers."
            ) from None
        if self.start.ndim != 1 or not self.start.size or not np.isfinite(self.start).all():
            raise ParameterError(f"{owner}(start={start!r}): start must be one finite number per parameter.")
        limits = self._limits(owner, bounds)
        self.low, self.high = limits[:, 0], limits[:, 1]
        outside = ~((self.start > self.low) & (self.start < self.high))
        if outside.any():
            i = int(outside.argmax())
            raise ParameterError(
                f"{owner}: start of {self.label(i)} is {self.start[i]:g}, not inside its bounds "
                f"({self.low[i]:g}, {self.high[i]:g})."
            )

    def _limits(self, owner: str, bounds: Any) -> Array:
        limits = np.tile([-np.inf, np.inf], (self.start.size, 1))
        given = bounds if isinstance(bounds, Mapping) else dict(enumerate(bounds or ()))
        for key, pair in given.items():
            i = self.index(owner, key)
            low, high = (None, None) if pair is None else pair
            limits[i] = -np.inf if low is None else low, np.inf if high is None else high
            if not limits[i, 0] < limits[i, 1]:
                raise ParameterError(
                    f"{owner}(bounds=...): those of {key!r} are {pair}; they must be (low, high), None for no bound."
                )
        return limits

    def index(self, owner: str, key: Any) -> int:
        """Return the place of a parameter given by name or number."""
        if self.names is not None and key in self.names:
            return self.names.index(key)
        if isinstance(key, int | np.integer) and not isinstance(key, bool) and 0 <= key < self.start.size:
            return int(key)
        known = list(self.names) if self.names is not None else f"0 to {self.start.size - 1}"
        raise ParameterError(f"{owner}: there is no parameter {key!r}; there are {known}.")

    def label(self, i: int) -> str:
        """Return the name of a parameter, or its number."""
        return self.names[i] if self.names is not None else f"theta[{i}]"

    def shaped(self, values: Array) -> Any:
        """Return values as the user gave the start: by name, or as an array."""
        return values if self.names is None else dict(zip(self.names, values.tolist()))

    def call(self, function: Callable[..., Any], theta: Array, *before: Any) -> Any:
        """Call a function of the user with parameters by name, or as one vector."""
        return function(*before, **dict(zip(self.names, theta))) if self.names is not None else function(*before, theta)

    def free(self, theta: Array) -> Array:
        """Return u of (6)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            below, above = theta - self.low, self.high - theta
            both = np.log(below) - np.log(above)
            one = np.where(np.isfinite(self.low), np.log(below), -np.log(above))
        bounded = np.isfinite(self.low).astype(int) + np.isfinite(self.high)
        return np.where(bounded == 2, both, np.where(bounded == 1, one, theta))

    def at_bound(self, u: Array) -> list[str]:
        """Return the parameters that have run to a bound."""
        bounded = np.isfinite(self.low) | np.isfinite(self.high)
        both = np.isfinite(self.low) & np.isfinite(self.high)
        far = np.where(self.low > -np.inf, -u, u) > NEAR_BOUND  # e^-u is the distance to a single bound
        far = np.where(both, np.abs(u) > NEAR_BOUND / 2, far)
        return [self.label(int(i)) for i in np.flatnonzero(bounded & far)]

    def theta(self, u: Array) -> Array:
        """Return theta of (6)."""
        return self._mapped(u)[0]

    def slope(self, u: Array) -> Array:
        """Return d theta / du."""
        return self._mapped(u)[1]

    def _mapped(self, u: Array) -> tuple[Array, Array]:
        lower, upper = np.isfinite(self.low), np.isfinite(self.high)
        theta, slope = u.copy(), np.ones_like(u)
        with np.errstate(over="ignore"):
            only = lower & ~upper
            theta[only], slope[only] = self.low[only] + np.exp(u[only]), np.exp(u[only])
            only = upper & ~lower
            theta[only], slope[only] = self.high[only] - np.exp(-u[only]), np.exp(-u[only])
        both = lower & upper
        share = expit(u[both])
        width = (self.high - self.low)[both]
        theta[both], slope[both] = self.low[both] + width * share, width * share * (1 - share)
        return theta, slope


def check_names(owner: str, given: str, function: Callable[..., Any], names: tuple[str, ...] | None) -> None:
    """Raise unless a log-density of the user takes parameters of these names, behind the data; `given` is where they stand."""
    try:
        takes = list(inspect.signature(function).parameters.values())[1:]
    except (TypeError, ValueError):  # some compiled functions do not tell
        return
    if names is None or any(one.kind is one.VAR_KEYWORD for one in takes):
        return
    known = [one.name for one in takes if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    needed = [one.name for one in takes if one.name in known and one.default is one.empty]
    unknown, missing = [n for n in names if n not in known], [n for n in needed if n not in names]
    if unknown or missing:
        fault = f"has no parameter {unknown[0]!r}" if unknown else f"needs {missing[0]!r}, which {given} lacks"
        raise ParameterError(
            f"{owner}({given}=...): log_density {fault}; name its parameters: {', '.join(known) or 'none'}."
        )


def log_likelihood_of(
    owner: str, log_density: Callable[..., Any], data: Any, weight: Any
) -> tuple[Callable[..., float], Any]:
    """Return theta -> sum_i w_i log p(x_i | theta), and a function that gives the total weight after the first call."""
    state: dict[str, Any] = {}

    def total(parameters: Parameters, theta: Array) -> float:
        try:
            with np.errstate(all="ignore"):
                value = np.asarray(parameters.call(log_density, theta, data), dtype=np.float64)
        except ParameterError:
            if "weight" not in state:
                raise
            return -np.inf  # a step so long that a bounded parameter rounds to its bound
        if value.ndim != 1:
            raise DataError(
                f"{owner}: log_density returned shape {value.shape}; it must be one number per observation."
            )
        if "weight" not in state:
            state["weight"] = row_weights(owner, weight, value.size)
            state["n"] = float(value.size if weight is None else state["weight"].sum())
        used = value if state["weight"] is None else value[state["weight"] > 0] * state["weight"][state["weight"] > 0]
        return float(used.sum())

    return total, state


def move_two(x: Array, i: int, a: float, j: int = 0, b: float = 0.0) -> Array:
    """Return x with two coordinates moved."""
    point = x.copy()
    point[i] += a
    point[j] += b
    return point


def gradient_of(f: Callable[[Array], float], x: Array, scale: Array) -> Array:
    """Return (7) with steps of a small share of `scale`."""
    slopes = np.empty(x.size)
    for i, h in enumerate(SLOPE_STEP * scale):
        near = f(move_two(x, i, h)) - f(move_two(x, i, -h))
        far = f(move_two(x, i, 2 * h)) - f(move_two(x, i, -2 * h))
        slopes[i] = (8 * near - far) / (12 * h)
    return slopes


def hessian_of(f: Callable[[Array], float], x: Array, scale: Array) -> Array:
    """Return (8) with steps of a small share of `scale`."""
    h = CURVATURE_STEP * scale
    hessian, center = np.empty((x.size, x.size)), f(x)
    for i in range(x.size):
        near = f(move_two(x, i, h[i])) + f(move_two(x, i, -h[i])) - 2 * center
        far = f(move_two(x, i, 2 * h[i])) + f(move_two(x, i, -2 * h[i])) - 2 * center
        hessian[i, i] = (16 * near - far) / (12 * h[i] ** 2)
        for j in range(i):
            cross = [mixed_difference(f, x, i, k * h[i], j, k * h[j]) for k in (1, 2)]
            hessian[i, j] = hessian[j, i] = (4 * cross[0] - cross[1]) / 3
    return hessian


def mixed_difference(f: Callable[[Array], float], x: Array, i: int, a: float, j: int, b: float) -> float:
    """Return D_ij of (8)."""
    same = f(move_two(x, i, a, j, b)) + f(move_two(x, i, -a, j, -b))
    return (same - f(move_two(x, i, a, j, -b)) - f(move_two(x, i, -a, j, b))) / (4 * a * b)


def natural_scale(f: Callable[[Array], float], x: Array) -> Array:
    """Return about a standard error of every coordinate: the step that changes f by one half, from either side."""
    scale = 1e-3 * np.maximum(1.0, np.abs(x))
    limit = WIDEST * np.maximum(1.0, np.abs(x))
    center = f(x)
    for _ in range(SCALE_STEPS):
        change = np.array([center - 0.5 * (f(move_two(x, i, h)) + f(move_two(x, i, -h))) for i, h in enumerate(scale)])
        change = np.where(np.isfinite(change), np.maximum(np.abs(change), 1e-13 * max(1.0, abs(center))), 1e6)
        scale = np.minimum(scale * np.sqrt(0.5 / change), limit)
    return scale
