r"""A continuous random variable given by a density, or by a cdf, as a function.

    P(a < X <= b) = F(b) - F(a),   F(q) = integral of p up to q,   p = dF/dx                       (1)
    E[f(x)] = integral of f p,   quantile(F(x)) = x                                                (2)

That the function is a distribution is checked when it is made: a density is not negative and integrates to one, a cdf rises from
zero to one. Integrals by adaptive quadrature (`quadrature.py`); draws are quantiles of uniform numbers.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from novum.distributions.base import Distribution, Support
from novum.distributions.numerics import quadrature
from novum.distributions.numerics.tails import log_of, log_one_minus
from novum.exceptions import ParameterError, ParameterTypeError
from novum.runtime.typing import Numbers

__all__ = ["Continuous"]

MASS_SLACK = 1e-6  # a density that a user types integrates to one this closely
BISECTIONS = 60
STEP = 1e-3  # of a finite difference, in scales: fourth order, so the error is about 1e-12


def vectorize(owner: str, name: str, function: Any, probe: NDArray) -> Callable:
    """Return a function of numbers as a function of arrays."""
    if not callable(function):
        raise ParameterTypeError(f"{owner}({name}={function!r}): {name} must be a function of x.")
    try:
        with np.errstate(all="ignore"):
            if np.shape(function(probe)) == probe.shape:
                return function
    except Exception:
        pass  # a function of one number: whatever it raises for a number will be heard below
    return np.vectorize(function, otypes=[np.float64])


class Continuous(Distribution):
    """A random variable with a density of your own.

    Parameters
    ----------
    density : callable, default=None
        p(x), of a number or of an array.
    support : (float, float), default=(-inf, inf)
        Outside of it the density is zero.
    cdf : callable, default=None
        F(x), in place of the density, which is then its derivative.
    points : sequence of float, default=()
        Where the density has kinks or is concentrated; quadrature begins there.
    normalize : bool, default=False
        Divide the density by its integral.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import Continuous
    >>> triangle = Continuous(lambda x: 2 * x, support=(0.0, 1.0))
    >>> round(triangle.mean, 12), round(triangle.var, 12), round(float(triangle.cdf(0.5)), 12)
    (0.666666666667, 0.055555555556, 0.25)
    >>> Continuous(lambda x: np.exp(-abs(x)), points=[0.0])
    Traceback (most recent call last):
    ...
    novum.exceptions.ParameterError: Continuous(density=...): the density integrates to 2, not to 1; divide by it, or give
    normalize=True. Name places where it is concentrated in points=[...] if that is not its integral.
    """

    _line: tuple[quadrature.Line, NDArray]
    _given: tuple[Any, Any, tuple[float, ...], bool]
    _scale: float  # the integral of what was given
    _density: Callable
    _cumulative: Callable
    _cells: quadrature.Cells
    n_parameters = 0

    def __init__(
        self,
        density: Callable[..., Any] | None = None,
        support: tuple[float, float] = (-np.inf, np.inf),
        *,
        cdf: Callable[..., Any] | None = None,
        points: Sequence[Any] = (),
        normalize: bool = False,
    ) -> None:
        low, high = (float(end) for end in support)
        if not low < high:
            raise ParameterError(f"Continuous(support={support!r}): support must be (low, high) with low < high.")
        if (density is None) == (cdf is None):
            raise ParameterError("Continuous: give either a density or a cdf.")
        places = np.unique(np.asarray(points, np.float64))
        if places.size and not (np.isfinite(places).all() and low <= places[0] and places[-1] <= high):
            raise ParameterError(f"Continuous(points={points!r}): points must be numbers inside the support.")
        center = float(places.mean()) if places.size else 0.0
        width = float(np.ptp(places)) if places.size > 1 else 1.0
        line = quadrature.Line(low, high, center, width)
        self._set()
        self.__dict__.update(_line=(line, places), _given=(density, cdf, tuple(map(float, support)), bool(normalize)))
        probe = quadrature.map_to_line(line, np.linspace(-0.9, 0.9, 3))[0]
        if cdf is None:
            self.__dict__.update(_scale=1.0, _density=vectorize("Continuous", "density", density, probe))
        else:
            cumulative = vectorize("Continuous", "cdf", cdf, probe)
            self.__dict__.update(_scale=1.0, _cumulative=cumulative, _density=self._derivative)
            check_cumulative(self._cumulative, line)
        self.__dict__["_cells"] = checked_cells(self, normalize)

    def __repr__(self) -> str:
        density, cdf, support, _ = self._given
        given = f"cdf={name_of(cdf)}" if density is None else f"density={name_of(density)}"
        return f"Continuous({given}, support={support})"

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def _derivative(self, x: NDArray) -> NDArray:
        """Return the derivative of the cdf, by central differences of fourth order inside the support."""
        low, high, _, scale = self._line[0]
        h = STEP * (min(scale, high - low) + np.abs(x) * np.finfo(float).eps ** 0.25)
        h = np.maximum(np.minimum(h, np.minimum(x - low, high - x) / 2), np.finfo(float).tiny)
        F = self._cumulative
        return np.maximum((8 * (F(x + h) - F(x - h)) - (F(x + 2 * h) - F(x - 2 * h))) / (12 * h), 0.0)

    @property
    def _constants(self) -> tuple:
        return ()

    @staticmethod
    def _log_density(constants: Any, x: Any, ops: Any) -> Any:
        raise NotImplementedError  # log_prob calls the user's function

    def prob(self, x: Numbers) -> Any:
        """Return the density at x."""
        x = np.asarray(x, np.float64)
        low, high = self._line[0][:2]
        inside = (x >= low) & (x <= high)
        if not inside.any():
            return np.where(np.isnan(x), np.nan, 0.0)[()]
        stand_in = quadrature.map_to_line(self._line[0], np.array(0.1))[0]
        with np.errstate(all="ignore"):
            values = np.asarray(self._density(np.where(inside, x, stand_in)), np.float64) / self._scale
        return np.where(inside, values, np.where(np.isnan(x), np.nan, 0.0))[()]

    def log_prob(self, x: Numbers) -> Any:
        """Return the logarithm of the density at x."""
        with np.errstate(divide="ignore"):
            return np.log(self.prob(x))

    def _draw(self, stream: Any, count: Any) -> Any:
        return self.quantile(stream.uniform("continuous", 0, count))

    def _mass_below(self, t: NDArray) -> NDArray:
        """Return F at places t of the line: whole cells before, and nodes on the part of the cell that t cuts."""
        cells = self._cells
        cell = np.clip(np.searchsorted(cells.right, t), 0, cells.left.size - 1)
        before = np.concatenate([[0.0], np.cumsum(cells.integral)])[cell]
        left = cells.left[cell]
        part = quadrature.on_cells(self.prob, self._line[0], left, np.maximum(t, left))
        return np.clip(before + part, 0.0, 1.0)

    def cdf(self, x: Numbers) -> Any:
        """Return P(X <= x)."""
        x = np.asarray(x, np.float64)
        if self._given[1] is not None:
            low, high = self._line[0][:2]
            inner = np.asarray(self._cumulative(np.clip(x, low, high)), np.float64)
            return np.where(x <= low, 0.0, np.where(x >= high, 1.0, inner))[()]
        t = quadrature.position(self._line[0], x)
        return np.where(np.isnan(x), np.nan, np.where(t >= 1, 1.0, self._mass_below(t)))[()]

    def _mass_above(self, t: NDArray) -> NDArray:
        """Return 1 - F at places t of the line, from the upper end, so that small tails keep their digits."""
        cells = self._cells
        cell = np.clip(np.searchsorted(cells.right, t), 0, cells.left.size - 1)
        after = np.concatenate([np.cumsum(cells.integral[::-1])[::-1][1:], [0.0]])[cell]
        right = cells.right[cell]
        part = quadrature.on_cells(self.prob, self._line[0], np.minimum(t, right), right)
        return np.clip(after + part, 0.0, 1.0)

    def sf(self, x: Numbers) -> Any:
        """Return P(X > x)."""
        x = np.asarray(x, np.float64)
        if self._given[1] is not None:
            return (1 - self.cdf(x))[()]
        t = quadrature.position(self._line[0], x)
        return np.where(np.isnan(x), np.nan, np.where(t >= 1, 0.0, self._mass_above(t)))[()]

    def log_cdf(self, x: Numbers) -> Any:
        """Return log P(X <= x)."""
        below, above = self.cdf(x), self.sf(x)
        return np.where(below < 0.5, log_of(below), log_one_minus(np.minimum(above, 0.5)))[()]

    def log_sf(self, x: Numbers) -> Any:
        """Return log P(X > x)."""
        below, above = self.cdf(x), self.sf(x)
        return np.where(above < 0.5, log_of(above), log_one_minus(np.minimum(below, 0.5)))[()]

    def isf(self, q: Numbers) -> Any:
        """Return the x with P(X > x) = q, by bisection."""
        q = np.asarray(q, np.float64)
        left, right = np.full(q.shape, -1.0), np.full(q.shape, 1.0)
        for _ in range(BISECTIONS):
            middle = 0.5 * (left + right)
            with np.errstate(divide="ignore", invalid="ignore"):
                above = self.sf(quadrature.map_to_line(self._line[0], middle)[0])
            left, right = np.where(above > q, middle, left), np.where(above > q, right, middle)
        with np.errstate(divide="ignore", invalid="ignore"):
            x = quadrature.map_to_line(self._line[0], 0.5 * (left + right))[0]
        low, high = self._line[0][:2]
        x = np.where(q == 0, high, np.where(q == 1, low, x))
        return np.where((q >= 0) & (q <= 1), x, np.nan)[()]

    def interval(self, a: Numbers, b: Numbers) -> Any:
        """Return P(a < X <= b)."""
        return self.cdf(b) - self.cdf(a)

    def quantile(self, q: Numbers) -> Any:
        """Return the x with P(X <= x) = q, by bisection."""
        q = np.asarray(q, np.float64)
        cells, line = self._cells, self._line[0]
        after = np.cumsum(cells.integral)
        cell = np.clip(np.searchsorted(after, q), 0, after.size - 1)
        left, right = cells.left[cell], cells.right[cell]
        for _ in range(BISECTIONS):
            middle = 0.5 * (left + right)
            low = self._mass_below(middle) < q
            left, right = np.where(low, middle, left), np.where(low, right, middle)
        with np.errstate(divide="ignore"):
            x = quadrature.map_to_line(line, 0.5 * (left + right))[0]
        x = np.where(q == 0, line.low, np.where(q == 1, line.high, x))
        return np.where((q >= 0) & (q <= 1), x, np.nan)[()]

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mean = self.expect(lambda x: x)
        return mean, self.expect(lambda x: (x - mean) ** 2) if np.isfinite(mean) else float("nan")

    @property
    def mean(self) -> Any:
        return self._moments[0]

    @property
    def var(self) -> Any:
        return self._moments[1]

    @cached_property
    def mode(self) -> Any:
        t, _ = quadrature.nodes_of(self._cells.left, self._cells.right)
        places = np.sort(t.ravel())
        best = int(np.argmax(self.prob(quadrature.map_to_line(self._line[0], places)[0])))
        around = places[max(best - 1, 0)], places[min(best + 1, places.size - 1)]
        found = minimize_scalar(
            lambda t: -self.prob(quadrature.map_to_line(self._line[0], np.array(t))[0]),
            bounds=around,
            method="bounded",
            options={"xatol": 1e-12},
        )
        return float(quadrature.map_to_line(self._line[0], np.array(found.x))[0])

    @property
    def support(self) -> Any:
        return Support("reals", *self._line[0][:2])

    def entropy(self) -> Any:
        return self.expect(lambda x: -self.log_prob(x))


def name_of(function: Any) -> str:
    """Return how a function is called."""
    return getattr(function, "__name__", type(function).__name__)


def check_cumulative(cumulative: Callable, line: quadrature.Line) -> None:
    """Raise unless a cdf rises from zero to one over the line."""
    x = quadrature.map_to_line(line, np.linspace(-1 + 1e-9, 1 - 1e-9, 2001))[0]
    F = np.asarray(cumulative(x), np.float64)
    if not (abs(F[0]) <= MASS_SLACK and abs(F[-1] - 1) <= MASS_SLACK):
        raise ParameterError(
            f"Continuous(cdf=...): the cdf goes from {F[0]:.6g} to {F[-1]:.6g} over the support; it must go from 0 to 1."
        )
    if (np.diff(F) < -MASS_SLACK).any():
        place = x[int(np.argmin(np.diff(F)))]
        raise ParameterError(f"Continuous(cdf=...): the cdf falls near x={place:.6g}; it must rise everywhere.")


def checked_cells(given: Continuous, normalize: bool) -> quadrature.Cells:
    """Return the cells of the density, which must be a distribution; sets its scale if it is to be normalized."""
    line, points = given._line
    cells = quadrature.integrate(given.prob, line, points)
    t, _ = quadrature.nodes_of(cells.left, cells.right)
    x = quadrature.map_to_line(line, t)[0]
    values = given.prob(x)
    if not np.all(values >= 0):
        place = x.flat[int(np.argmin(np.where(np.isnan(values), -np.inf, values)))]
        raise ParameterError(
            f"Continuous(density=...): the density is {given.prob(place):.6g} at x={place:.6g}; it must be zero or more."
        )
    mass = float(cells.integral.sum())
    if not cells.converged or not np.isfinite(mass) or mass <= 0 or (not normalize and abs(mass - 1) > MASS_SLACK):
        integral = f"{mass:.9g}" if cells.converged else "infinity, or does not settle"
        raise ParameterError(
            f"Continuous(density=...): the density integrates to {integral}, not to 1; divide by it, or give"
            f" normalize=True. Name places where it is concentrated in points=[...] if that is not its integral."
        )
    given.__dict__["_scale"] = mass if normalize else 1.0  # what integrates to one is left as it was given
    return cells._replace(integral=cells.integral / mass)
