"""Pictures of processes: functions drawn from them, mean and band, the evidence over two hyper-parameters."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_axes, drawing_panels, plain_log_ticks
from novum.report.legends import draw_legend
from novum.report.style import SMALL, ink, series, shade
from novum.runtime.typing import Axes, Seed

__all__ = ["plot_band", "plot_draws", "plot_evidence"]

GRID = 200  # points across
ROOM = 0.1  # of the range of the points, on either side


def plot_draws(models: Any, x: Any = None, n_samples: int = 5, ax: Any = None, random_state: Seed = 0) -> list[Any]:
    """Draw functions from several processes, a panel each: from the prior before a fit, from the posterior after it.

    Parameters
    ----------
    models : GaussianProcessRegressor or kernel, a list of them, or a mapping of titles to them
        A kernel stands for its prior. Titles are the kernels' formulas where none are given.
    x : array-like of shape (n_points,), default=None
        Where functions are drawn; 200 points between -1 and 1 by default.
    n_samples : int, default=5
    ax : list of matplotlib Axes, default=None
        As many as models.
    random_state : None, int, Generator, RandomState or SeedSequence, default=0
        The same for all panels, so that they differ by the kernels and not by the draws.

    Returns
    -------
    list of matplotlib Axes
        A line per function, and a shaded band of two standard deviations about the mean.
    """
    from novum.gaussian_process.regression import GaussianProcessRegressor

    if isinstance(models, Mapping):
        titles, given = list(models), list(models.values())
    else:
        given = list(models) if isinstance(models, list | tuple) else [models]
        titles = [None] * len(given)
    processes = [model if hasattr(model, "sample_y") else GaussianProcessRegressor(model) for model in given]
    at = np.linspace(-1, 1, GRID) if x is None else np.asarray(x, np.float64).ravel()
    panels = drawing_panels(len(processes)) if ax is None else list(np.ravel(ax))
    if len(panels) != len(processes):
        raise ParameterError(f"plot_draws: {len(panels)} axes for {len(processes)} processes; give one each.")
    for panel, process, title in zip(panels, processes, titles, strict=True):
        mean, std = process.predict(at[:, None], return_std=True)
        panel.fill_between(at, mean - 2 * std, mean + 2 * std, alpha=0.15, color=shade(panel, 0.5))
        panel.plot(at, process.sample_y(at[:, None], n_samples, random_state))
        kernel = getattr(process, "kernel_", process.kernel)
        panel.set_title(title if title is not None else formula_of(kernel), fontsize=SMALL)
        panel.set(xlabel="x", ylabel="f(x)")
    return panels


def formula_of(kernel: Any) -> str:
    """Return the formula of a kernel, or its printed form."""
    return str(kernel.formula()) if hasattr(kernel, "formula") else str(kernel)


def plot_band(
    model: Any,
    x: Any,
    y: Any,
    ax: Axes | None = None,
    deviations: float = 2.0,
    grid: int = GRID,
    *,
    label: str | None = None,
) -> Any:
    """Draw the mean of a fitted process of one column with a band about it, and the data.

    Parameters
    ----------
    model : fitted regressor whose `predict` takes return_std
    x : array-like of shape (n_samples,) or (n_samples, 1)
    y : array-like of shape (n_samples,)
    ax : matplotlib Axes, default=None
    deviations : float, default=2.0
        Half the width of the band, in standard deviations of the function.
    grid : int, default=200
    label : str, default=None
        What the legend calls the mean, for several processes on the same axes.

    Returns
    -------
    matplotlib Axes
        The mean as a line, the band as a filled area, the data as points.
    """
    column, target = np.asarray(x, np.float64).reshape(len(y), -1), np.asarray(y, np.float64)
    if column.shape[1] != 1 or target.ndim != 1:
        raise DataError(
            f"plot_band: draws one column of X and one target, got shapes {column.shape} and {target.shape}."
        )
    ax = drawing_axes(ax)
    room = ROOM * (float(np.ptp(column)) or 1.0)
    at = np.linspace(column.min() - room, column.max() + room, grid)
    mean, std = model.predict(at[:, None], return_std=True)
    color = series(ax, 0 if label is None else len(ax.get_legend_handles_labels()[1]) // 2)
    ax.plot(at, mean, color=color, label=label or "mean")
    width = f"± {deviations:g} standard deviations"
    ax.fill_between(at, mean - deviations * std, mean + deviations * std, alpha=0.25, color=color, label=width)
    ax.plot(column[:, 0], target, ".", color=ink(ax), label="data")
    ax.set(xlabel="x", ylabel="f(x)")
    draw_legend(ax)
    return ax


def plot_evidence(
    model: Any, dimensions: tuple[int, int] = (0, 1), ax: Axes | None = None, width: float = 2.0, grid: int = 25
) -> Axes:
    """Draw the log marginal likelihood of a fitted process over two of its hyper-parameters, others as they were found.

    Parameters
    ----------
    model : fitted process with `log_marginal_likelihood` and `kernel_`
    dimensions : pair of int, default=(0, 1)
        Which entries of `kernel_.theta`.
    ax : matplotlib Axes, default=None
    width : float, default=2.0
        How far to go from the values that were found, in natural logarithms, within the kernel's bounds.
    grid : int, default=25
        Values a side.

    Returns
    -------
    matplotlib Axes
        Contours over logarithmic axes, and a cross at the values that were found.
    """
    if not hasattr(model, "kernel_"):
        raise NotFittedError(f"plot_evidence: this {type(model).__name__} is not fitted yet; call fit first.")
    theta, bounds = model.kernel_.theta, model.kernel_.bounds
    names = [
        f"{h.name}[{k}]" if h.n_elements > 1 else h.name
        for h in model.kernel_.hyperparameters
        if not h.fixed
        for k in range(h.n_elements)
    ]
    i, j = dimensions
    if not (0 <= i < len(theta) and 0 <= j < len(theta) and i != j):
        raise ParameterError(
            f"plot_evidence: dimensions={dimensions!r} must be two different numbers below {len(theta)}, the entries of theta"
            f" ({', '.join(names)})."
        )
    ax = drawing_axes(ax)
    lines = [
        np.linspace(max(theta[k] - width, bounds[k, 0]), min(theta[k] + width, bounds[k, 1]), grid) for k in (i, j)
    ]
    height = np.empty((grid, grid))
    for row, second in enumerate(lines[1]):
        for column, first in enumerate(lines[0]):
            trial = theta.copy()
            trial[i], trial[j] = first, second
            height[row, column] = model.log_marginal_likelihood(trial)
    top = float(np.nanmax(height))
    levels = top - np.geomspace(max(top - float(height[np.isfinite(height)].min()), 1e-9), 0.02, 15)
    ax.contour(np.exp(lines[0]), np.exp(lines[1]), height, levels=np.unique(levels))
    ax.plot(*np.exp(theta[[i, j]]), "+", color=ink(ax), markersize=12, label="found")
    ax.set(xscale="log", yscale="log", xlabel=names[i], ylabel=names[j], title="log marginal likelihood")
    plain_log_ticks(ax, "x", "y")
    draw_legend(ax)
    return ax
