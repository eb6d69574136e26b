r"""The posterior of a few parameters on a grid: prior times likelihood, normalised by the trapezoidal rule.

    p(theta | D) = p(D | theta) p(theta) / p(D),     p(D) = int p(D | theta) p(theta) dtheta                  (9)
    p(x | D)     = int p(x | theta) p(theta | D) dtheta                                                       (10)
    E[f | D]     = int f(theta) p(theta | D) dtheta                                                           (11)

Everything is exact up to the grid: no conjugacy, no sampling. The number of points is the product over the parameters, so this
is for one, two or three of them. The evidence is never needed to find the mode, and always to compare models.
"""

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.distributions.estimation.problem import Parameters, check_names, log_likelihood_of
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.numbers import counted, num
from novum.report.result import Result
from novum.report.style import series, shade
from novum.runtime.checks import check_level
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Axes, Rows, RowWeights, Seed

__all__ = ["GridPosterior", "posterior_grid"]

Array = NDArray[Any]


def trapezoid_weights(points: Array) -> Array:
    """Return the weights of the trapezoidal rule on increasing points."""
    gap = np.diff(points)
    return 0.5 * (np.append(gap, 0.0) + np.append(0.0, gap))


class GridPosterior(Result):
    """A density on a grid of parameters.

    Attributes
    ----------
    names : tuple of str
    grid : dict of name to ndarray
    density, prior_density : ndarray, an axis per parameter
        Posterior and prior, both normalised on the grid.
    log_evidence : float
        log p(D); infinite grids do not exist, so it is that of the prior restricted to the grid.
    """

    names: tuple[str, ...]
    grid: dict[str, Array]
    density: Array
    prior_density: Array
    log_evidence: float

    def __init__(
        self,
        grid: dict[str, Array],
        density: Array,
        prior_density: Array,
        log_evidence: float,
        log_density: Callable[..., Any] | None = None,
    ) -> None:
        self.names, self.grid = tuple(grid), grid
        self.density, self.prior_density, self.log_evidence = density, prior_density, log_evidence
        self._log_density = log_density

    @property
    def weights(self) -> Array:
        """Probabilities of the points of the grid: density times the weights of the trapezoidal rule."""
        p = self.density
        for axis, name in enumerate(self.names):
            shape = [-1 if i == axis else 1 for i in range(p.ndim)]
            p = p * trapezoid_weights(self.grid[name]).reshape(shape)
        return p

    def _points(self) -> list[dict[str, float]]:
        return [dict(zip(self.names, point)) for point in product(*(self.grid[name] for name in self.names))]

    def expectation(self, function: Callable[..., Any]) -> Any:
        """Return (11) of a function of the parameters, by name; it may return an array, such as a loss for every action.

        E[f | D]   = int f(theta) p(theta | D) dtheta    (11)
        """
        values = np.array([function(**point) for point in self._points()], dtype=np.float64)
        return np.tensordot(self.weights.ravel(), values, axes=1)[()]

    @property
    def mean(self) -> dict[str, float]:
        """The mean of every parameter."""
        return {name: float(self.expectation(lambda name=name, **theta: theta[name])) for name in self.names}

    @property
    def std(self) -> dict[str, float]:
        """The standard deviation of every parameter."""
        mean = self.mean
        variance = {n: self.expectation(lambda n=n, **theta: (theta[n] - mean[n]) ** 2) for n in self.names}
        return {name: float(np.sqrt(value)) for name, value in variance.items()}

    @property
    def mode(self) -> dict[str, float]:
        """The point of the grid with the largest density."""
        best = np.unravel_index(int(self.density.argmax()), self.density.shape)
        return {name: float(self.grid[name][i]) for name, i in zip(self.names, best)}

    def marginal(self, *names: str) -> "GridPosterior":
        """Return the posterior of some of the parameters."""
        if not names or set(names) - set(self.names):
            raise ParameterError(
                f"GridPosterior.marginal({', '.join(map(repr, names))}): the parameters are {', '.join(self.names)}."
            )
        keep = tuple(name for name in self.names if name in names)
        parts = []
        for density in (self.density, self.prior_density):
            for axis in range(len(self.names) - 1, -1, -1):
                if self.names[axis] not in keep:
                    density = np.tensordot(density, trapezoid_weights(self.grid[self.names[axis]]), axes=(axis, 0))
            parts.append(density)
        return GridPosterior({name: self.grid[name] for name in keep}, parts[0], parts[1], self.log_evidence)

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """Return the interval that leaves equal probability on either side."""
        level = check_level("GridPosterior.interval", level)
        one = self.marginal(name)
        points, density = one.grid[name], one.density
        cumulative = np.append(0.0, np.cumsum(0.5 * np.diff(points) * (density[1:] + density[:-1])))
        low, high = np.interp([(1 - level) / 2, (1 + level) / 2], cumulative / cumulative[-1], points)
        return float(low), float(high)

    def predictive(self, x: Any) -> Array:
        """Return (10), the density of new observations x.

        p(x | D)   = int p(x | theta) p(theta | D) dtheta    (10)
        """
        if self._log_density is None:
            raise ParameterError(
                "GridPosterior.predictive: a marginal has lost parameters of the density; ask the whole posterior."
            )
        total: Any = 0.0
        weights = self.weights.ravel()
        for weight, point in zip(weights, self._points()):
            if weight > 0:
                total = total + weight * np.exp(np.asarray(self._log_density(x, **point), dtype=np.float64))
        return total

    def sample(self, size: int, random_state: Seed = None) -> dict[str, Array]:
        """Draw points of the grid with their probabilities."""
        rows = Stream(seed_of(random_state)).choice_with_replacement("grid", 0, size, self.weights.ravel())
        places = np.unravel_index(rows, self.density.shape)
        return {name: self.grid[name][place] for name, place in zip(self.names, places)}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior: a curve beside that of the prior for one parameter, contours for two."""
        if len(self.names) > 2:
            raise ParameterError(
                f"GridPosterior.plot draws one or two of the {counted(len(self.names), 'parameter')}; take a marginal."
            )
        ax = drawing_axes(ax)
        first = self.grid[self.names[0]]
        ax.set_xlabel(self.names[0])
        if len(self.names) == 1:
            ax.plot(first, self.prior_density, color=shade(ax, 0.6), ls="--", label="prior")
            ax.plot(first, self.density, color=series(ax, 0), label="posterior")
            ax.fill_between(first, self.density, color=series(ax, 0), alpha=0.15)
            ax.set_ylabel("density")
            draw_legend(ax)
        else:
            ax.contourf(first, self.grid[self.names[1]], self.density.T, levels=12, cmap="Blues")
            ax.set_ylabel(self.names[1])
        return ax

    def _result_columns(self) -> dict[str, Any]:
        points = np.meshgrid(*self.grid.values(), indexing="ij")
        return {**{name: axis.ravel() for name, axis in zip(self.names, points)}, "density": self.density.ravel()}

    def __repr__(self) -> str:
        mean, std = self.mean, self.std
        parts = ", ".join(
            f"{name} = {num(mean[name]):.6g} (standard deviation {num(std[name]):.3g})" for name in self.names
        )
        return (
            f"GridPosterior on {' x '.join(map(str, self.density.shape))} points: {parts}; log-evidence "
            f"{num(self.log_evidence):.6g}"
        )


def log_prior_on(grid: dict[str, Array], prior: Any, shape: tuple[int, ...]) -> Array:
    """Return the log-prior at every point."""
    points = [dict(zip(grid, point)) for point in product(*grid.values())]
    if prior is None:
        return np.zeros(shape)
    if isinstance(prior, Mapping):
        if set(prior) - set(grid):
            raise ParameterError(
                f"posterior_grid: the prior names {sorted(set(prior) - set(grid))}, which are not on the grid."
            )
        total = np.zeros(shape)
        for axis, name in enumerate(grid):
            if name in prior:
                total = total + np.asarray(prior[name].log_prob(grid[name])).reshape(
                    [-1 if i == axis else 1 for i in range(len(shape))]
                )
        return total
    if hasattr(prior, "log_prob") and len(grid) == 1:
        return log_prior_on(grid, {next(iter(grid)): prior}, shape)
    if callable(prior):
        return np.array([float(prior(**point)) for point in points]).reshape(shape)
    raise ParameterError(f"posterior_grid(prior={prior!r}): give a mapping of names to distributions, or a callable.")


def posterior_grid(
    log_density: Callable[..., Any],
    data: Rows | Mapping[Any, Any] | Iterable[Any],
    grid: Mapping[str, Any],
    prior: Any = None,
    *,
    sample_weight: RowWeights = None,
) -> GridPosterior:
    """Return the posterior (9) on a grid.

        p(theta | D) = p(D | theta) p(theta) / p(D),   p(D) = int p(D | theta) p(theta) dtheta    (9)

    Parameters
    ----------
    log_density : callable
        log_density(data, name=value, ...): the log-density of every observation, shape (n,).
    data : any
        Handed to log_density as it is.
    grid : mapping of name to increasing values
    prior : mapping of name to distribution, distribution (of a single parameter), or callable, optional
        A callable returns the log-prior of the named parameters. Flat on the grid by default.
    sample_weight : array-like of shape (n,), optional

    Examples
    --------
    >>> import numpy as np
    >>> from novum.distributions import Bernoulli, Beta, posterior_grid
    >>> tosses = np.array([1, 1, 0, 0, 0, 1, 1])
    >>> found = posterior_grid(
    ...     lambda x, p: Bernoulli(p).log_prob(x), tosses, {"p": np.linspace(0, 1, 2001)}, prior=Beta(1, 1)
    ... )
    >>> round(found.mean["p"], 5), round(float(np.exp(found.log_evidence)), 8)  # 5/9 and 1/280
    (0.55556, 0.00357143)
    """
    owner = "posterior_grid"
    axes = {name: np.asarray(values, dtype=np.float64) for name, values in grid.items()}
    for name, points in axes.items():
        if points.ndim != 1 or points.size < 2 or not np.all(np.diff(points) > 0):
            raise ParameterError(f"{owner}: the grid of {name!r} must be at least two increasing values.")
    shape = tuple(points.size for points in axes.values())
    parameters = Parameters(owner, {name: points[0] for name, points in axes.items()}, None)
    check_names(owner, "grid", log_density, parameters.names)
    total, _ = log_likelihood_of(owner, log_density, data, sample_weight)
    likelihood = np.array([total(parameters, np.array(point)) for point in product(*axes.values())]).reshape(shape)
    log_prior = log_prior_on(axes, prior, shape)
    joint = likelihood + log_prior
    if np.isnan(joint).any():
        raise DataError(f"{owner}: log_density or prior is NaN at a point of the grid; leave such points out.")
    if not joint.max() > -np.inf:
        raise DataError(f"{owner}: the data are impossible everywhere on the grid; widen it.")
    prior_density = np.exp(log_prior - log_prior.max())
    density = np.exp(joint - joint.max())
    whole = GridPosterior(axes, prior_density, prior_density, 0.0).weights.sum()
    mass = GridPosterior(axes, density, density, 0.0).weights.sum()
    scale = float(log_prior.max()) + np.log(whole) if prior is None else 0.0  # a flat prior is normalised on the grid
    evidence = float(joint.max() + np.log(mass) - scale)
    return GridPosterior(axes, density / mass, prior_density / whole, evidence, log_density)
