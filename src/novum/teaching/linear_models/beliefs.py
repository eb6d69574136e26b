r"""Pictures of Bayesian regression over one column: what the weights may be, what they predict, whom they listen to.

With phi(x) = (1, x), or the features of a pipeline that ends in the model,

    band           m_N'phi(x) +- d sqrt(1/beta + phi(x)'S_N phi(x))                                    (1)
    likelihood     p(t_n | w) = N(t_n; w'phi(x_n), 1/beta), over the plane of intercept and slope      (2)
    kernel         k(x, x') = beta phi(x)'S_N phi(x')                                                  (3)
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_panels, new_figure
from novum.report.legends import draw_legend
from novum.report.style import paper, series, shade
from novum.runtime.checks import check_count, check_number
from novum.runtime.random import seed_of
from novum.runtime.typing import Axes, Fittable, Numbers, Seed, Target

__all__ = ["plot_equivalent_kernel", "plot_posterior_steps", "plot_predictive_band"]

POINTS = 200  # along a drawn curve
GRID = 80  # per side of a plane of weights
BORDER = 0.1  # of the range of the rows, beside them


def one_column(owner: str, x: Any) -> NDArray:
    """Return the inputs as one column."""
    column = np.asarray(x, dtype=np.float64)
    column = column[:, None] if column.ndim == 1 else column
    if column.ndim != 2 or column.shape[1] != 1 or not len(column):
        raise DataError(f"{owner} draws over one column; x has shape {np.shape(x)}. Choose one column.")
    return column


def range_of(x: NDArray) -> NDArray:
    """Return points from a little below the least input to a little above the greatest."""
    low, high = float(x.min()), float(x.max())
    edge = BORDER * ((high - low) or 1.0)
    return np.linspace(low - edge, high + edge, POINTS)


def panels_for(owner: str, axes: Any, n: int) -> list[Any]:
    """Return `n` axes: those given, or new ones in a row."""
    if axes is None:
        return drawing_panels(n)
    given = list(np.atleast_1d(np.asarray(axes, dtype=object)).ravel())
    if len(given) != n:
        raise ParameterError(f"{owner}(ax=...): {n} panels need as many axes; {len(given)} were given.")
    return given


def plot_predictive_band(
    model: Fittable,
    x: Numbers,
    y: Target,
    *,
    sizes: Sequence[int] | None = None,
    truth: Callable[..., Any] | None = None,
    deviations: float = 1.0,
    ax: Axes | None = None,
) -> list[Any]:
    """Draw the predictive mean and the band about it (1), for growing numbers of rows; return the axes.

    m_N'phi(x) +- d sqrt(1/beta + phi(x)'S_N phi(x))    (1)

    Parameters
    ----------
    model : BayesianLinearRegression, or any regressor or pipeline whose `predict` takes `return_std`
        A copy of it is fitted for every panel.
    x, y : array-like of shape (n_samples,)
    sizes : sequence of int, default=None
        A panel for each: the model is fitted on so many of the first rows. None: all of them, in one panel.
    truth : callable, default=None
        The function that the rows were drawn from.
    deviations : float, default=1
        d of (1).
    ax : sequence of matplotlib axes, default=None
        One per panel; None makes a figure.

    Examples
    --------
    >>> from novum.linear_model import BayesianLinearRegression
    >>> from novum.teaching import plot_predictive_band
    >>> model = BayesianLinearRegression(alpha=2.0, beta=25.0)
    >>> axes = plot_predictive_band(model, [0.0, 1.0, 2.0], [-0.3, 0.2, 0.7], sizes=(1, 3))
    >>> [ax.get_title() for ax in axes]
    ['1 row', '3 rows']
    """
    owner = "plot_predictive_band"
    column, target = one_column(owner, x), np.asarray(y, dtype=np.float64)
    check_consistent_length(column, target)
    width = check_number(owner, "deviations", deviations, 0.0, open_low=True)
    counts = [len(column)] if sizes is None else [check_count(owner, "sizes", n) for n in sizes]
    if max(counts) > len(column):
        raise ParameterError(f"{owner}(sizes={list(counts)}): there are {len(column)} rows.")
    at = range_of(column)
    drawn = panels_for(owner, ax, len(counts))
    for ax, n in zip(drawn, counts):
        mean, std = clone(model).fit(column[:n], target[:n]).predict(at[:, None], return_std=True)
        if truth is not None:
            ax.plot(at, np.asarray(truth(at)), color=series(ax, 2), label="truth")
        ax.plot(at, mean, color=series(ax, 3), label="mean")
        ax.fill_between(
            at, mean - width * std, mean + width * std, color=series(ax, 3), alpha=0.2, label=f"{width:g} sd"
        )
        ax.scatter(column[:n, 0], target[:n], color=series(ax, 0), s=18, zorder=3, label="rows")
        ax.set(xlabel="x", ylabel="t", title=f"{n} row{'s' if n > 1 else ''}")
    draw_legend(drawn[-1])
    return drawn


def plot_equivalent_kernel(model: Any, x: Any, *, slices: Any = None, ax: Any = None) -> list[Any]:
    """Draw how much the target at every x' weighs in the prediction at every x (3): the whole, and for some x; return the axes.

    k(x, x') = beta phi(x)'S_N phi(x')    (3)

    Parameters
    ----------
    model : fitted BayesianLinearRegression, or a pipeline that ends in one
    x : array-like of shape (n_points,)
        Where to take the kernel, in rising order.
    slices : array-like of float, default=None
        Inputs whose weights are drawn as lines; None takes three of `x`.
    ax : two matplotlib axes, default=None

    Examples
    --------
    >>> from novum.linear_model import BayesianLinearRegression
    >>> from novum.teaching import plot_equivalent_kernel
    >>> model = BayesianLinearRegression(2.0, 25.0).fit([[0.0], [1.0], [2.0]], [-0.3, 0.2, 0.7])
    >>> whole, lines = plot_equivalent_kernel(model, [0.0, 0.5, 1.0, 1.5, 2.0], slices=[1.5])
    >>> lines.lines[0].get_ydata().round(4)
    array([0.0873, 0.2091, 0.331 , 0.4529, 0.5747])
    """
    owner = "plot_equivalent_kernel"
    column = one_column(owner, x)
    if not (np.diff(column[:, 0]) > 0).all():
        raise DataError(f"{owner}: x must rise from point to point; sort it and leave out what is twice there.")
    last = model[-1] if isinstance(model, Pipeline) else model
    if not hasattr(last, "equivalent_kernel"):
        raise ParameterError(
            f"{owner}: {type(last).__name__} has no equivalent kernel; give a fitted BayesianLinearRegression."
        )
    chosen = column[[len(column) // 5, len(column) // 2, -len(column) // 5]] if slices is None else slices
    queries = one_column(owner, chosen)

    def features(rows: NDArray) -> Any:
        return model[:-1].transform(rows) if isinstance(model, Pipeline) and len(model) > 1 else rows

    whole, lines = panels_for(owner, ax, 2)
    rows = features(column)
    kernel = np.asarray(last.equivalent_kernel(rows, rows))
    mesh = whole.pcolormesh(column[:, 0], column[:, 0], kernel, shading="nearest", rasterized=True)
    whole.figure.colorbar(mesh, ax=whole)
    whole.set(xlabel="x'", ylabel="x", title="k(x, x')")
    for query, weights in zip(queries[:, 0], np.asarray(last.equivalent_kernel(features(queries), rows))):
        lines.plot(column[:, 0], weights, label=f"x = {query:.3g}")
    lines.axhline(0, color=shade(lines, 0.7), lw=0.8)
    lines.set(xlabel="x'", ylabel="weight of the target at x'")
    draw_legend(lines)
    return [whole, lines]


def weight_plane(model: Any, reach: float) -> tuple[NDArray, NDArray, NDArray]:
    """Return a grid of intercepts and slopes about the mean of the prior, and its points as rows."""
    prior = model._prior(2, float(model.alpha))
    deviations = np.sqrt(np.diag(np.linalg.inv(prior.precision)))
    a, b = (np.linspace(m - reach * s, m + reach * s, GRID) for m, s in zip(prior.mean, deviations))
    return a, b, np.stack(np.meshgrid(a, b), -1).reshape(-1, 2)


def plot_posterior_steps(
    model: Any,
    x: Any,
    y: Numbers,
    *,
    steps: Sequence[int] = (0, 1, 2, 20),
    truth: Any = None,
    n_lines: int = 6,
    reach: float = 2.0,
    random_state: Seed = 0,
    ax: np.ndarray | None = None,
) -> NDArray:
    """Draw how belief about a line grows: the likelihood of the newest row (2), the posterior, and lines drawn from it.

    p(t_n | w) = N(t_n; w'phi(x_n), 1/beta), over the plane of intercept and slope    (2)

    Parameters
    ----------
    model : BayesianLinearRegression
        With an intercept and given precisions; copies of it are fitted.
    x, y : array-like of shape (n_samples,)
    steps : sequence of int, default=(0, 1, 2, 20)
        Numbers of rows seen, a row of three panels each; 0 shows the prior.
    truth : pair of float, default=None
        Intercept and slope that the rows were drawn with, marked by a cross.
    n_lines : int, default=6
        Lines drawn from the posterior.
    reach : float, default=2
        Standard deviations of the prior that the plane of weights shows.
    random_state : int, Generator, RandomState or None, default=0
    ax : array of matplotlib axes of shape (n_steps, 3), default=None

    Examples
    --------
    >>> from novum.linear_model import BayesianLinearRegression
    >>> from novum.teaching import plot_posterior_steps
    >>> model = BayesianLinearRegression(alpha=2.0, beta=25.0)
    >>> axes = plot_posterior_steps(model, [0.0, 1.0, 2.0], [-0.3, 0.2, 0.7], steps=(0, 3))
    >>> axes.shape, axes[1, 1].get_title()
    ((2, 3), 'posterior, 3 rows')
    """
    owner = "plot_posterior_steps"
    column, target = one_column(owner, x), np.asarray(y, dtype=np.float64)
    check_consistent_length(column, target)
    counts = [check_count(owner, "steps", n, low=0) for n in steps]
    if max(counts) > len(column):
        raise ParameterError(f"{owner}(steps={counts}): there are {len(column)} rows.")
    if not (hasattr(model, "beta") and getattr(model, "fit_intercept", False)) or model.optimize:
        raise ParameterError(
            f"{owner}: the plane is that of intercept and slope under a given noise; give a BayesianLinearRegression with"
            " fit_intercept=True and optimize=False."
        )
    if ax is None:
        ax = new_figure(9, 2.8 * len(counts)).subplots(len(counts), 3, squeeze=False)
    panels = np.asarray(ax, dtype=object).reshape(len(counts), 3)
    a, b, weights = weight_plane(model, check_number(owner, "reach", reach, 0.0, open_low=True))
    at = range_of(column)
    for n, (likely, belief, lines) in zip(counts, panels):
        if n:
            newest = np.exp(
                -0.5 * model.beta * (target[n - 1] - weights @ [1.0, column[n - 1, 0]]) ** 2
            )  # (2), one at its top
            likely.pcolormesh(a, b, newest.reshape(GRID, GRID), shading="nearest", vmin=0, rasterized=True)
            fitted = clone(model).fit(column[:n], target[:n])
            mean, covariance = fitted.mean_, fitted.covariance_
        else:
            likely.set_axis_off()
            prior = model._prior(2, float(model.alpha))
            mean, covariance = prior.mean, np.linalg.inv(prior.precision)
        said = "posterior" if n else "prior"
        density = multivariate_normal(mean, covariance).pdf(weights).reshape(GRID, GRID)
        belief.pcolormesh(a, b, density, shading="nearest", rasterized=True)
        drawn = np.random.default_rng(seed_of(random_state)).multivariate_normal(mean, covariance, n_lines)
        for intercept, slope in drawn:
            lines.plot(at, intercept + slope * at, color=series(lines, 3), lw=1)
        lines.scatter(column[:n, 0], target[:n], color=series(lines, 0), s=18, zorder=3)
        for ax in (likely, belief):
            if truth is not None:
                ax.plot(*truth, "+", color=paper(ax), ms=10)
            ax.set(xlabel="intercept", ylabel="slope")
        likely.set_title(f"likelihood of row {n}" if n else "")
        belief.set_title(f"{said}, {n} row{'' if n == 1 else 's'}")
        lines.set(xlabel="x", ylabel="t", title=f"lines of the {said}")
    return panels
