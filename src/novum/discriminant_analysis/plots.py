"""Pictures of Gaussian classes: curves or contours of their densities, boundaries, the posterior, a model against the truth."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.runtime.typing import Rows, Target

__all__ = ["plot_class_densities", "plot_posterior_surface"]

GRID = 121  # points along an axis: smooth lines at the size of a page
REACH = 3.5  # standard deviations shown around the means
LEVELS = (1.0, 2.0)  # contours at so many standard deviations


def frame(model: Any, X: Any) -> list[tuple[float, float]]:
    """Return the range to draw of every feature."""
    mean = np.asarray(model.means_, np.float64)
    spread = np.sqrt(np.diagonal(model._class_covariances(), axis1=1, axis2=2))
    low, high = (mean - REACH * spread).min(axis=0), (mean + REACH * spread).max(axis=0)
    if X is not None:
        rows = np.asarray(X, np.float64)
        low, high = np.fmin(low, np.nanmin(rows, axis=0)), np.fmax(high, np.nanmax(rows, axis=0))
    return list(zip(low, high))


def check_dimension(name: str, d: int, allowed: tuple[int, ...]) -> None:
    """Raise unless there are as many features as a picture can show."""
    if d not in allowed:
        raise DataError(f"{name}: a picture needs {' or '.join(map(str, allowed))} features; the model has {d}.")


def mesh(ranges: list[tuple[float, float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the coordinates of a grid in the plane, and its points as rows."""
    first, second = np.meshgrid(*(np.linspace(*ends, GRID) for ends in ranges))
    return first, second, np.column_stack([first.ravel(), second.ravel()])


def plot_class_densities(model: Any, X: Rows = None, y: Target = None, ax: Any = None) -> Any:
    """Draw the Gaussians of a fitted discriminant analysis, and where its decision changes.

    Parameters
    ----------
    model : fitted LinearDiscriminantAnalysis or QuadraticDiscriminantAnalysis
        Of one or two features.
    X, y : array-like, default=None
        Rows and their labels to draw.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes
        With one feature, bell curves weighted by the priors; with two, ellipses at one and two standard deviations.
    """
    check_is_fitted(model)
    mean = np.asarray(model.means_, np.float64)
    check_dimension("plot_class_densities", mean.shape[1], (1, 2))
    ax = drawing_axes(ax)
    colors = [f"C{c}" for c in range(len(mean))]
    ranges = frame(model, X)
    if mean.shape[1] == 1:
        x = np.linspace(*ranges[0], 4 * GRID)
        for c, curve in enumerate(np.exp(model.predict_joint_log_proba(x[:, None])).T):
            ax.plot(x, curve, color=colors[c], label=str(model.classes_[c]))
        code = np.searchsorted(model.classes_, model.predict(x[:, None]))
        for place in np.flatnonzero(np.diff(code)):
            ax.axvline((x[place] + x[place + 1]) / 2, color="black", linestyle="--")
    else:
        first, second, points = mesh(ranges)
        for c, S in enumerate(model._class_covariances()):
            offset = points - mean[c]
            distance = np.sqrt(np.einsum("ni,ij,nj->n", offset, np.linalg.inv(S), offset)).reshape(first.shape)
            ax.contour(first, second, distance, levels=LEVELS, colors=colors[c])
            ax.plot(*mean[c], "x", color=colors[c], label=str(model.classes_[c]))
        code = np.searchsorted(model.classes_, model.predict(points)).reshape(first.shape)
        for c in range(len(mean) - 1):
            ax.contour(first, second, code <= c, levels=[0.5], colors="black", linestyles="--")
    if X is not None and y is not None:
        rows, labels = np.asarray(X, np.float64), np.asarray(y)
        for c, label in enumerate(model.classes_):
            mine = rows[labels == label]
            height = np.zeros(len(mine)) if rows.shape[1] == 1 else mine[:, 1]
            ax.scatter(mine[:, 0], height, s=8, color=colors[c], alpha=0.6)
    ax.legend()
    return ax


def plot_posterior_surface(model: Any, positive: Any = None, ax: Any = None) -> Any:
    """Draw p(class | x) over the plane as filled contours.

    Parameters
    ----------
    model : fitted classifier of two features with `predict_proba`
    positive : class label, default=None
        Which class; None is the last.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes
    """
    check_is_fitted(model)
    check_dimension("plot_posterior_surface", model.n_features_in_, (2,))
    ax = drawing_axes(ax)
    place = len(model.classes_) - 1 if positive is None else int(np.flatnonzero(model.classes_ == positive)[0])
    first, second, points = mesh(frame(model, None))
    shares = np.asarray(model.predict_proba(points))[:, place].reshape(first.shape)
    filled = ax.contourf(first, second, shares, levels=np.linspace(0, 1, 11), cmap="RdBu_r")
    ax.figure.colorbar(filled, ax=ax, label=f"p({model.classes_[place]} | x)")
    return ax
