r"""Pictures of feature maps: rows that no plane separates, lifted to where one does, and the curve it makes where they came from.

one column    phi(x) = (x, x^2)                                                   (1)
two columns   phi(x) = (x_1^2, x_1 x_2, x_2^2)                                    (2)
boundary      {x : w'phi(x) + b = 0}: two points of a line, a conic of a plane    (3)
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import column_or_1d

from novum.exceptions import DataError
from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.logistic.estimator import LogisticRegression
from novum.linear_model.separability import is_linearly_separable
from novum.report.axes import new_figure
from novum.report.legends import draw_legend
from novum.report.style import ink, series, shade
from novum.runtime.typing import Axes, Rows, Target
from novum.teaching.linear_models.plane import POINTS, boundary_of, draw_classes, grid_of, window_of

__all__ = ["plot_feature_lift"]


def lifted(rows: NDArray) -> NDArray:
    """Return (1) or (2) of every row."""
    x = rows[:, 0]
    return (
        np.column_stack([x, x**2]) if rows.shape[1] == 1 else np.column_stack([x**2, x * rows[:, 1], rows[:, 1] ** 2])
    )


def separator(features: NDArray, codes: NDArray) -> Hyperplane:
    """Return a plane that separates the lifted classes, or that of logistic regression where none does."""
    plane = is_linearly_separable(features, codes).plane
    return Hyperplane.from_estimator(LogisticRegression().fit(features, codes)) if plane is None else plane


def plot_feature_lift(
    X: Rows, y: Target, *, plane: Hyperplane | None = None, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw rows, their image under a feature map (1) or (2) with a separating plane, and its boundary (3) among the rows.

    phi(x) = (x, x^2)    (1)
    phi(x) = (x_1^2, x_1 x_2, x_2^2)    (2)
    {x : w'phi(x) + b = 0}    (3)

    Parameters
    ----------
    X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, 2)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    plane : Hyperplane, default=None
        Of the features; None takes one that separates the classes, or logistic regression's where none does.
    ax : matplotlib axes, default=None
        Two for one column (rows, image); three for two columns, the second in three dimensions (rows, image, rows with the
        boundary). None makes a figure.

    Returns
    -------
    list of matplotlib axes

    Examples
    --------
    >>> from novum.teaching import plot_feature_lift
    >>> rows, image = plot_feature_lift([-2.0, -1.5, -0.5, 0.0, 0.5, 1.5, 2.0], [1, 1, 0, 0, 0, 1, 1])
    >>> [round(float(line.get_xdata()[0]), 4) for line in rows.lines[1:]]
    [-1.118, 1.118]
    """
    owner = "plot_feature_lift"
    given = np.asarray(X, dtype=np.float64)
    rows = check_array(given[:, None] if given.ndim == 1 else given, estimator=owner, input_name="X")
    if rows.shape[1] > 2:
        raise DataError(f"{owner} lifts one or two columns; X has {rows.shape[1]}. Choose one or two.")
    labels = column_or_1d(y)
    check_consistent_length(rows, labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise DataError(f"{owner}: a plane separates two classes; y has {len(classes)}.")
    features = lifted(rows)
    found = separator(features, codes) if plane is None else plane
    found._rows(features)
    if rows.shape[1] == 1:
        panels = list(new_figure(8, 3.2).subplots(1, 2)) if ax is None else list(ax)
        draw_line(panels, rows, features, found, codes, classes)
    else:
        if ax is None:
            figure = new_figure(12, 3.6)
            ax = [figure.add_subplot(1, 3, 1 + i, projection="3d" if i == 1 else None) for i in range(3)]
        panels = list(ax)
        draw_plane(panels, rows, features, found, codes, classes)
    return panels


def draw_line(
    panels: list[Any], rows: NDArray, features: NDArray, plane: Hyperplane, codes: NDArray, classes: NDArray
) -> None:
    """Draw one column: the rows with the points of (3) between them, and the parabola with the line."""
    line, image = panels
    window = window_of(features)
    line.axhline(0, color=shade(line, 0.7), lw=0.8)
    draw_classes(line, np.column_stack([rows[:, 0], np.zeros(len(rows))]), codes, classes)
    roots = np.roots([plane.coef[1], plane.coef[0], float(plane.intercept)])
    for root in sorted(roots[np.isreal(roots)].real):
        line.axvline(root, color=ink(line), ls="--")
    at = np.linspace(window[0][0], window[1][0], POINTS)
    image.plot(at, at**2, color=shade(image, 0.7), lw=0.8)
    image.plot(*boundary_of(plane, window).T, color=ink(image), label="w'phi + b = 0")
    draw_classes(image, features, codes, classes)
    line.set(xlim=(at[0], at[-1]), yticks=[], xlabel="x")
    image.set(xlim=(at[0], at[-1]), ylim=(window[0][1], window[1][1]), xlabel="x", ylabel="x²")
    draw_legend(image)


def draw_plane(
    panels: list[Any], rows: NDArray, features: NDArray, plane: Hyperplane, codes: NDArray, classes: NDArray
) -> None:
    """Draw two columns: the rows, the image with the plane, and the rows with the curve (3)."""
    flat, image, back = panels
    a, b, points = grid_of(window_of(rows))
    for k, name in enumerate(classes):
        image.scatter(*features[codes == k].T, s=12, color=series(image, k), label=str(name))
    steepest = int(np.abs(plane.coef).argmax())  # the coordinate that the plane gives most surely
    others = [j for j in range(3) if j != steepest]
    low, high = features.min(axis=0), features.max(axis=0)
    sides = np.meshgrid(*(np.linspace(low[j], high[j], 12) for j in others))
    place = [np.empty(0)] * 3
    for j, side in zip(others, sides):
        place[j] = side
    place[steepest] = -(float(plane.intercept) + sum(plane.coef[j] * place[j] for j in others)) / plane.coef[steepest]
    image.plot_surface(*place, alpha=0.3, color=shade(image, 0.5))
    image.set(xlabel="x0²", ylabel="x0 x1", zlabel="x1²")
    for ax in (flat, back):
        draw_classes(ax, rows, codes, classes)
        ax.set(xlabel="x0", ylabel="x1")
    back.contour(a, b, plane.decision_function(lifted(points)).reshape(POINTS, POINTS), levels=[0.0], colors=ink(back))
    draw_legend(flat)
