r"""Pictures of two defects of least squares as a classifier, beside logistic regression which has neither.

outliers   rows far on the right side of the boundary count as errors of (1 - f)^2 and pull it toward them    (1)
masking    of three classes in a row the middle one is nowhere the largest of the fitted functions            (2)
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import clone

from novum.exceptions import DataError
from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.least_squares_classifier import LeastSquaresClassifier
from novum.linear_model.logistic.estimator import LogisticRegression
from novum.report.axes import drawing_panels
from novum.report.legends import draw_legend
from novum.report.style import ink, series
from novum.runtime.typing import Axes, Numbers, Rows, Target
from novum.teaching.linear_models.plane import boundary_of, draw_classes, draw_regions, labeled_plane, window_of

__all__ = ["plot_masking", "plot_outlier_pull"]


def rivals(models: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the models to draw by name: least squares and logistic regression unless others are given."""
    if models is None:
        return {"least squares": LeastSquaresClassifier(), "logistic": LogisticRegression()}
    return {str(name): model for name, model in models.items()}


def plot_outlier_pull(
    X: Rows,
    y: Target,
    X_far: Numbers,
    y_far: Numbers,
    *,
    models: Mapping[str, Any] | None = None,
    ax: Sequence[Axes] | None = None,
) -> list[Axes]:
    """Draw the boundaries of linear classifiers without and with some far rows (1); return the two axes.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    X_far, y_far : array-like of shape (n_far, 2) and (n_far,)
        The rows that the second panel adds.
    models : mapping of str to linear classifier, default=None
        None: `LeastSquaresClassifier` and `LogisticRegression`; copies are fitted.
    ax : two matplotlib axes, default=None

    Examples
    --------
    >>> from novum.teaching import plot_outlier_pull
    >>> X, y = [[-2.0, 0.0], [-1.0, 1.0], [1.0, 0.0], [2.0, 1.0]], [0, 0, 1, 1]
    >>> axes = plot_outlier_pull(X, y, [[30.0, -15.0], [30.0, -16.0]], [1, 1])
    >>> [line.get_label() for line in axes[1].lines]
    ['least squares', 'logistic']
    """
    owner = "plot_outlier_pull"
    rows, codes, classes = labeled_plane(owner, X, y)
    whole, all_codes, seen = labeled_plane(
        owner, np.vstack([np.asarray(X), np.asarray(X_far)]), [*np.asarray(y), *np.asarray(y_far)]
    )
    if len(classes) != 2 or len(seen) != 2:
        raise DataError(f"{owner}: draws the boundary between two classes; y has {len(seen)}.")
    panels = drawing_panels(2) if ax is None else list(ax)
    window = window_of(whole)
    cases = (("without the far rows", rows, codes), ("with the far rows", whole, all_codes))
    for ax, (title, shown, code) in zip(panels, cases, strict=True):
        draw_classes(ax, shown, code, classes)
        for k, (name, model) in enumerate(rivals(models).items()):
            plane = Hyperplane.from_estimator(clone(model).fit(shown, code))
            ax.plot(
                *boundary_of(plane, window).T,
                color=ink(ax) if not k else series(ax, 2 + k),
                label=name,
            )
        ax.set(
            xlim=(window[0][0], window[1][0]), ylim=(window[0][1], window[1][1]), xlabel="x0", ylabel="x1", title=title
        )
        draw_legend(ax)
    return panels


def plot_masking(
    X: Rows, y: Target, *, models: Mapping[str, Any] | None = None, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw the regions that classifiers give to several classes, side by side (2); return the axes.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
    models : mapping of str to classifier, default=None
        A panel each; None: `LeastSquaresClassifier` and `LogisticRegression`; copies are fitted.
    ax : sequence of matplotlib axes, default=None
        One per model.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import plot_masking
    >>> X = np.array([[-2.0, -2.1], [-2.2, -1.9], [0.1, 0.1], [0.3, -0.1], [2.0, 2.1], [2.3, 1.9]])
    >>> [ax.get_title() for ax in plot_masking(X, [0, 0, 1, 1, 2, 2])]
    ['least squares: 0.83 right', 'logistic: 1.00 right']
    """
    rows, codes, classes = labeled_plane("plot_masking", X, y)
    shown = rivals(models)
    panels = drawing_panels(len(shown)) if ax is None else list(ax)
    for ax, (name, model) in zip(panels, shown.items(), strict=True):
        fitted = clone(model).fit(rows, codes)
        draw_regions(ax, window_of(rows), fitted.predict)
        draw_classes(ax, rows, codes, classes)
        right = float((fitted.predict(rows) == codes).mean())
        ax.set(xlabel="x0", ylabel="x1", title=f"{name}: {right:.2f} right")
        draw_legend(ax)
    return panels
