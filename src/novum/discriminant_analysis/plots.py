"""Pictures of Gaussian classes: curves or contours of their densities, boundaries, the posterior, a model against the truth.

More than two columns are drawn in the coordinates in which the classes differ most, the v that solve

    B v = lambda W v,    W = sum_c pi_c S_c,    B = sum_c pi_c (m_c - m)(m_c - m)'                                       (1)

Two classes have one such coordinate, more of them two are drawn. The classes are Gaussians there as well, N(V' m_c, V' S_c V); with
one covariance for all classes nothing that decides is lost, with several the boundary drawn is that of the drawn Gaussians.
"""

from typing import Any, NamedTuple

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.plots.plane import column_names, name_axes
from novum.report.style import DIVERGING, colors_of, ink
from novum.runtime.typing import Axes, Rows, Target

__all__ = ["plot_class_densities", "plot_posterior_surface"]

GRID = 121  # points along an axis: smooth lines at the size of a page
REACH = 3.5  # standard deviations shown around the means
LEVELS = (1.0, 2.0)  # contours at so many standard deviations


class Projected(NamedTuple):
    """Gaussian classes in the coordinates (1); it answers as a fitted model of these would."""

    axes: np.ndarray  # (d, k)
    means_: np.ndarray  # (c, k)
    covariances: np.ndarray  # (c, k, k)
    priors: np.ndarray
    classes_: np.ndarray
    names: list[str]

    def _class_covariances(self) -> np.ndarray:
        return self.covariances

    def predict_joint_log_proba(self, points: np.ndarray) -> np.ndarray:
        """Return log pi_c N(x; m_c, S_c) of points."""
        made = []
        for mean, S, prior in zip(self.means_, self.covariances, self.priors):
            offset = points - mean
            squares = np.einsum("ni,ij,nj->n", offset, np.linalg.inv(S), offset)
            made.append(np.log(prior) - 0.5 * (squares + np.linalg.slogdet(2 * np.pi * S)[1]))
        return np.stack(made, axis=1)

    def predict(self, points: np.ndarray) -> np.ndarray:
        """Return the most probable class of points."""
        return self.classes_[np.argmax(self.predict_joint_log_proba(points), axis=1)]


def projected(model: Any) -> Projected:
    """Return the classes of a model of many columns in the coordinates (1), at most two."""
    means, priors = np.asarray(model.means_, np.float64), np.asarray(model.priors_, np.float64)
    covariances = np.asarray(model._class_covariances(), np.float64)
    covariances = np.broadcast_to(covariances, (len(means), *covariances.shape[-2:]))
    within = np.einsum("c,cij->ij", priors, covariances)
    centered = (means - priors @ means) * np.sqrt(priors)[:, None]
    values, vectors = np.linalg.eigh(within)
    kept = values > values[-1] * len(values) * np.finfo(float).eps
    white = vectors[:, kept] / np.sqrt(values[kept])  # W in these coordinates is the unit matrix
    _, singular, directions = np.linalg.svd(centered @ white, full_matrices=False)
    count = min(2, len(means) - 1, len(directions))
    axes = white @ directions[:count].T
    share = singular**2 / max(float((singular**2).sum()), np.finfo(float).tiny)
    names = [f"discriminant {k + 1} of {means.shape[1]} columns ({100 * share[k]:.0f} %)" for k in range(count)]
    small = np.einsum("ik,cij,jl->ckl", axes, covariances, axes)
    return Projected(axes, means @ axes, small, priors, np.asarray(model.classes_), names)


def frame(model: Any, X: Any) -> list[tuple[float, float]]:
    """Return the range to draw of every feature."""
    mean = np.asarray(model.means_, np.float64)
    deviation = np.sqrt(np.diagonal(model._class_covariances(), axis1=1, axis2=2))
    low, high = (mean - REACH * deviation).min(axis=0), (mean + REACH * deviation).max(axis=0)
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


def plot_class_densities(model: Any, X: Rows | None = None, y: Target = None, ax: Axes | None = None) -> Axes:
    """Draw the Gaussians of a fitted discriminant analysis, and where its decision changes.

    Parameters
    ----------
    model : fitted LinearDiscriminantAnalysis or QuadraticDiscriminantAnalysis
        More than two features are drawn in the coordinates in which the classes differ most.
    X, y : array-like, default=None
        Rows and their labels to draw.
    ax : matplotlib Axes, default=None

    Returns
    -------
    matplotlib Axes
        With one feature, bell curves weighted by the priors; with two, ellipses at one and two standard deviations.
    """
    check_is_fitted(model)
    names = column_names(model, model.n_features_in_)
    rows = None if X is None else np.asarray(X, np.float64)
    if model.n_features_in_ > 2:
        model = projected(model)
        names, rows = model.names, None if rows is None else rows @ model.axes
    mean = np.asarray(model.means_, np.float64)
    ax = drawing_axes(ax)
    colors = colors_of(ax, len(mean))
    ranges = frame(model, rows)
    if mean.shape[1] == 1:
        x = np.linspace(*ranges[0], 4 * GRID)
        for c, curve in enumerate(np.exp(model.predict_joint_log_proba(x[:, None])).T):
            ax.plot(x, curve, color=colors[c], label=str(model.classes_[c]))
        code = np.searchsorted(model.classes_, model.predict(x[:, None]))
        for place in np.flatnonzero(np.diff(code)):
            ax.axvline((x[place] + x[place + 1]) / 2, color=ink(ax), linestyle="--")
    else:
        first, second, points = mesh(ranges)
        for c, S in enumerate(model._class_covariances()):
            offset = points - mean[c]
            distance = np.sqrt(np.einsum("ni,ij,nj->n", offset, np.linalg.inv(S), offset)).reshape(first.shape)
            ax.contour(first, second, distance, levels=LEVELS, colors=colors[c])
            ax.plot(*mean[c], "x", color=colors[c], label=str(model.classes_[c]))
        height = np.asarray(model.predict_joint_log_proba(points)).reshape(*first.shape, -1)
        for c in range(1, len(mean)):  # where the best of the classes below c is as likely as the best of the others
            lead = height[..., :c].max(axis=-1) - height[..., c:].max(axis=-1)
            ax.contour(first, second, lead, levels=[0.0], colors=ink(ax), linestyles="--")
    if rows is not None and y is not None:
        labels = np.asarray(y)
        for c, label in enumerate(model.classes_):
            mine = rows[labels == label]
            height = np.zeros(len(mine)) if rows.shape[1] == 1 else mine[:, 1]
            ax.scatter(mine[:, 0], height, s=8, color=colors[c], alpha=0.6)
    name_axes(ax, [names[0], names[1] if len(names) > 1 else "density"])
    draw_legend(ax)
    return ax


def plot_posterior_surface(model: Any, positive: Any = None, ax: Any = None) -> Axes:
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
    filled = ax.contourf(first, second, shares, levels=np.linspace(0, 1, 11), cmap=DIVERGING)
    ax.figure.colorbar(filled, ax=ax, label=f"p({model.classes_[place]} | x)")
    name_axes(ax, column_names(model, 2))
    return ax
