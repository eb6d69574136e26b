"""Pictures of the plane: regions of a vote, a query with its neighbors, a density."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import class_keys, draw_legend
from novum.report.numbers import num
from novum.report.style import class_colors, ink, paper, series, shade
from novum.runtime.typing import Axes

__all__ = ["BORDER", "need_plane", "plot_density", "plot_neighbors", "plot_regions"]

POINTS = 200  # of a grid, per side
BORDER = 0.08  # of the range of the rows, around them


def grid_over(X: NDArray, points: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the coordinates of a grid over the rows, and its points as rows."""
    low, high = X.min(0), X.max(0)
    margin = BORDER * np.where(high > low, high - low, 1)
    a, b = (np.linspace(low[j] - margin[j], high[j] + margin[j], points) for j in range(2))
    return a, b, np.stack(np.meshgrid(a, b), -1).reshape(-1, 2)


def need_plane(owner: str, X: NDArray) -> None:
    """Raise unless rows have two columns."""
    if X.ndim != 2 or X.shape[1] != 2:
        raise DataError(f"{owner} draws points of the plane; the rows have shape {X.shape}. Choose two columns.")


def name_axes(ax: Any, owner: Any = None) -> None:
    """Write the columns that an estimator learned from beside the axes: their names, or their numbers."""
    names = getattr(owner, "feature_names_in_", ["column 0", "column 1"])
    for name, setter in zip(names, (ax.set_xlabel, ax.set_ylabel)):
        setter(str(name))


@contextmanager
def without_names() -> Iterator[None]:
    """Let estimators that know the names of their columns predict points of the plane."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        yield


def plot_regions(model: Any, *, ax: Axes | None = None, points: int = POINTS) -> Axes:
    """Draw the class that a fitted classifier gives to every point of the plane, and the rows it keeps.

    Parameters
    ----------
    model : KNeighborsClassifier or RadiusNeighborsClassifier
        Fitted on two columns.
    ax : matplotlib axes, default=None
        None makes a figure.
    points : int, default=200
        Points of the grid per side.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from novum.neighbors import KNeighborsClassifier, plot_regions
    >>> model = KNeighborsClassifier(1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]], [0, 1, 0])
    >>> plot_regions(model, points=20).get_title()
    '1 neighbor'
    """
    check_is_fitted(model)
    X = np.asarray(model._fit_X, dtype=np.float64)
    need_plane("plot_regions", X)
    ax = drawing_axes(ax)
    a, b, rows = grid_over(X, points)
    with without_names():
        code = np.searchsorted(model.classes_, model.predict(rows)).reshape(points, points)
    colors = class_colors(ax)
    ax.pcolormesh(a, b, code, alpha=0.3, shading="nearest", rasterized=True, **colors)
    ax.scatter(*X.T, c=model._codes()[:, 0], s=14, edgecolors=ink(ax), linewidths=0.5, **colors)
    k = getattr(model, "n_neighbors", None)
    ax.set_title(f"radius {model.radius:g}" if k is None else f"{k} neighbor{'s' if k > 1 else ''}")
    name_axes(ax, model)
    draw_legend(ax, class_keys(ax, model.classes_))
    return ax


def plot_neighbors(model: Any, query: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a query in the plane, lines to the neighbors that answer for it, and the circle or ball that holds them.

    Parameters
    ----------
    model : fitted neighbor estimator
        Over two columns.
    query : array-like of shape (2,)
    ax : matplotlib axes, default=None
        None makes a figure.

    Returns
    -------
    matplotlib axes
        Titled with the answer, where the model has one.

    Examples
    --------
    >>> from novum.neighbors import KNeighborsClassifier, plot_neighbors
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [3.0, 3.0]], ["a", "a", "b", "b"]
    >>> plot_neighbors(KNeighborsClassifier(3).fit(X, y), [1.0, 1.0]).get_title()
    'a (2 of 3)'
    """
    check_is_fitted(model)
    X, query = np.asarray(model._fit_X, dtype=np.float64), np.asarray(query, dtype=np.float64).reshape(1, -1)
    need_plane("plot_neighbors", X)
    by_count = hasattr(model, "kneighbors")
    with without_names():
        distance, index = model.kneighbors(query) if by_count else model.radius_neighbors(query)
        said = model.predict(query) if hasattr(model, "predict") and len(index[0]) else None
    distance, index = np.asarray(distance[0], float), np.asarray(index[0], int)
    ax = drawing_axes(ax)
    name_axes(ax, model)
    code = model._codes()[:, 0] if hasattr(model, "_codes") else np.zeros(len(X), int)
    ax.scatter(*X.T, c=[series(ax, c) for c in code], s=16)
    for i in index:
        ax.plot(*np.stack([query[0], X[i]]).T, color=shade(ax, 0.5), linewidth=0.8, zorder=0)
    if model.effective_metric_ == "euclidean" and len(distance):
        from matplotlib.patches import Circle

        ax.add_patch(Circle(tuple(query[0]), distance.max() if by_count else model.radius, fill=False, linestyle="--"))
        ax.set_aspect("equal")
    ax.scatter(*query.T, marker="*", s=120, color=ink(ax))
    if hasattr(model, "classes_") and not model.outputs_2d_:
        draw_legend(ax, class_keys(ax, model.classes_))
    if said is not None and hasattr(model, "classes_") and not model.outputs_2d_:
        answer = said[0]
        votes = int((model.classes_[code[index]] == answer).sum())
        ax.set_title(f"{answer} ({votes} of {len(index)})")
    elif said is not None:
        ax.set_title(f"{np.ravel(said)[0]:.4g}")
    return ax


def plot_density(model: Any, ax: Axes | None = None) -> Any:
    """Draw a fitted kernel density of one or two columns."""
    X = np.asarray(model.tree_.data, dtype=np.float64)
    ax = drawing_axes(ax)
    name_axes(ax, model)
    if X.shape[1] == 1:
        reach = 3 * model.bandwidth_
        x = np.linspace(X.min() - reach, X.max() + reach, 2 * POINTS)
        with without_names():
            ax.plot(x, np.exp(model.score_samples(x[:, None])))
        ax.plot(X[:, 0], np.zeros(len(X)), "|", color=ink(ax))
        ax.set(ylabel="density", title=f"bandwidth {num(model.bandwidth_):.3g}")
        return ax
    need_plane("KernelDensity.plot", X)
    a, b, rows = grid_over(X, POINTS)
    with without_names():
        ax.contourf(a, b, np.exp(model.score_samples(rows)).reshape(POINTS, POINTS), levels=12)
    ax.scatter(*X.T, s=5, color=paper(ax), linewidths=0)
    ax.set_title(f"bandwidth {num(model.bandwidth_):.3g}")
    return ax
