"""`plot` of every estimator, in one signature: `plot(X=None, y=None, *, ax=None)`.

Without rows it draws what was learned (coefficients with their intervals, a tree, importances, centers, components); with rows
what the model makes of them (regions of classes, a curve with its band, clusters). Two columns are drawn as they are, more of
them in the plane that shows most of them. A family says more where it knows more: it overrides `_picture_of_model` or
`_picture_of_rows`, or `_kept_rows` where the model keeps the rows of its fit.
"""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report import plots
from novum.report.axes import drawing_axes, fit_title
from novum.report.legends import draw_legend
from novum.runtime.typing import Axes, Rows, Target

__all__ = ["Pictures", "axes_last"]

DRAWN = ("classifier", "regressor", "clusterer", "density_estimator", "outlier_detector", "transformer")
LEVEL = 0.95


def axes_last(method: Callable) -> Callable:
    """Let a `plot` be called with axes as its last argument too, as `plot(ax)` and `plot(X, ax)` were."""

    @wraps(method)
    def plot(self: Any, *given: Any, **named: Any) -> Any:
        if given and hasattr(given[-1], "get_figure") and hasattr(given[-1], "transAxes"):
            given, named["ax"] = given[:-1], given[-1]
        return method(self, *given, **named)

    return plot


def has_a_picture(model: Any) -> bool:
    """Return whether a model is of a kind that is drawn, or has a picture of its own."""
    own = type(model)._picture_of_model is not Pictures._picture_of_model
    return (
        own or get_tags(model).estimator_type in DRAWN or hasattr(model, "transform") or hasattr(model, "fit_predict")
    )


class Pictures:
    """Gives an estimator its `plot`; see the module."""

    _drawn_unfitted = False  # whether there is something to draw before `fit`

    @available_if(has_a_picture)
    @axes_last
    def plot(self, X: Rows | None = None, y: Target = None, *, ax: Axes | None = None) -> Any:
        """Draw the fitted model: what it learned, or with rows what it makes of them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows to draw. None draws what was learned.
        y : array-like of shape (n_samples,), default=None
            Their labels or targets.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure, which `plt.show()` shows.

        Returns
        -------
        matplotlib Axes
        """
        if not self._drawn_unfitted:
            check_is_fitted(self)
        if X is None:
            return with_fitting_title(self._picture_of_model(ax))
        rows = rows_of(self, X)
        if y is not None and len(np.asarray(y)) != len(rows):
            raise DataError(
                f"{type(self).__name__}.plot: X has {len(rows)} rows and y has {len(np.asarray(y))}; give one value of y per row."
            )
        return with_fitting_title(self._picture_of_rows(X, rows, y, ax))

    def _kept_rows(self) -> tuple[NDArray, Any] | None:
        """Return the rows that the model keeps of its fit with their targets (None: not kept), or None."""
        return None

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw what was learned and return the axes."""
        coefficients = getattr(self, "coef_", None)
        if coefficients is not None:
            ax = drawing_axes(ax)
            values = np.atleast_2d(np.asarray(dense(coefficients), float))
            plots.draw_coefficients(self, values, bounds_of(self, values), row_labels(self, len(values)), ax)
            return ax
        importances = getattr(self, "feature_importances_", None)
        if importances is not None:
            ax = drawing_axes(ax)
            plots.draw_bars_of_columns(
                self, np.asarray(importances, float), "importance", ax, importance_deviations(self)
            )
            return ax
        centers = getattr(self, "cluster_centers_", None)
        if centers is not None:
            ax = drawing_axes(ax)
            plots.draw_centers(self, np.asarray(centers, float), ax)
            return ax
        if hasattr(self, "plot_training"):
            return self.plot_training(ax)
        kept = self._kept_rows()
        if kept is None:
            raise DataError(
                f"{type(self).__name__}.plot: nothing to draw without rows; give X (and y), e.g. those of fit."
            )
        rows, y = kept
        return self._picture_of_rows(rows, np.asarray(rows, float), y, ax)

    def _picture_of_rows(self, X: Any, rows: NDArray, y: Any, ax: Any) -> Any:
        """Draw what the model makes of rows and return the axes."""
        kind = get_tags(self).estimator_type
        d = rows.shape[1]
        if kind == "classifier":
            ax = drawing_axes(ax)
            try:
                if d == 2:
                    plots.draw_regions(self, rows, y, ax)
                elif d == 1:
                    plots.draw_probabilities(self, rows, y, ax)
            except DataError:  # of categories and of radii: it answers to rows, not to every point of the plane
                d = 0
            if d not in (1, 2):
                plots.draw_classes(self, X, rows, y, ax)
        elif kind == "regressor":
            ax = self._picture_of_fit(X, rows, y, ax)
        elif kind == "outlier_detector" or hasattr(self, "labels_") or hasattr(self, "predict"):
            ax = drawing_axes(ax)
            centers = getattr(self, "cluster_centers_", None)
            plots.draw_groups(self, rows, labels_for(self, X, len(rows)), ax, centers=centers)
        elif not hasattr(self, "transform"):
            raise DataError(f"{type(self).__name__}.plot: it draws what was learned, not rows; leave X out.")
        else:
            ax = drawing_axes(ax)
            draw_scores(self, np.asarray(dense(self.transform(X)), float), y, ax)
        return ax

    def _picture_of_fit(self, X: Any, rows: NDArray, y: Any, ax: Any) -> Any:
        """Draw what a regressor makes of rows and return the axes."""
        one_target = y is None or np.asarray(y).ndim == 1
        if rows.shape[1] == 1 and one_target:
            ax = drawing_axes(ax)
            answers = signature(getattr(type(self), "predict", type(self))).parameters
            plots.draw_curve(self, rows, y, ax, band="return_std" in answers)
        elif rows.shape[1] == 2 and one_target:
            ax = drawing_axes(ax)
            plots.draw_surface(self, rows, y, ax)
        elif y is not None:
            ax = drawing_axes(ax)
            plots.draw_predictions(self, X, y, ax)
        else:
            raise DataError(
                f"{type(self).__name__}.plot: with {rows.shape[1]} columns it draws targets against predictions; give X and y."
            )
        return ax


def with_fitting_title(ax: Any) -> Any:
    """Return axes whose title stays within the picture."""
    if hasattr(ax, "get_title"):
        fit_title(ax)
    return ax


def dense(values: Any) -> Any:
    """Return a sparse matrix as an array, anything else as it is."""
    return values.toarray() if hasattr(values, "toarray") else values


def rows_of(model: Any, X: Any) -> NDArray:
    """Return rows as numbers to draw, or raise what is wrong with them."""
    owner = type(model).__name__
    try:
        rows = np.asarray(dense(X.to_numpy() if hasattr(X, "to_numpy") else X), float)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{owner}.plot: X has cells that are no numbers; give the columns as the model sees them."
        ) from error
    if rows.ndim != 2 or len(rows) == 0:
        raise DataError(f"{owner}.plot: X has the shape {rows.shape}; give rows and columns, at least one row.")
    if rows.shape[1] != getattr(model, "n_features_in_", rows.shape[1]):
        raise DataError(f"{owner}.plot: X has {rows.shape[1]} columns, but fit saw {model.n_features_in_}.")
    return rows


def row_labels(model: Any, n: int) -> list[str] | None:
    """Return what the rows of coefficients are called: classes, or targets; None where there is one."""
    if n == 1:
        return None
    classes = getattr(model, "classes_", None)
    named = classes if classes is not None and len(classes) == n else [f"target {k}" for k in range(n)]
    return [str(name) for name in named]


def bounds_of(model: Any, coefficients: NDArray) -> tuple[NDArray, NDArray] | None:
    """Return the 95 % intervals of coefficients where the model can tell them."""
    if not hasattr(model, "inference"):
        return None
    try:
        frame = model.inference(level=LEVEL).to_frame()
        low, high = np.asarray(frame["lower"], float), np.asarray(frame["upper"], float)
    except (AttributeError, KeyError, TypeError, ValueError):  # no intervals for this fit: bars alone
        return None
    d = coefficients.shape[1]
    if len(coefficients) != 1 or len(low) not in (d, d + 1):
        return None
    return low[-d:][None], high[-d:][None]


def importance_deviations(model: Any) -> NDArray | None:
    """Return the standard deviation of every importance between the trees of a forest, None for other models."""
    trees = [tree for tree in getattr(model, "estimators_", ()) if hasattr(tree, "feature_importances_")]
    return np.std([tree.feature_importances_ for tree in trees], axis=0) if len(trees) > 1 else None


def labels_for(model: Any, X: Any, n: int) -> NDArray:
    """Return the group of every row: of the fit where X is as long as its rows and nothing predicts, else as predicted."""
    if hasattr(model, "predict"):
        return np.asarray(model.predict(X), int)
    labels = getattr(model, "labels_", None)
    if labels is None or len(labels) != n:
        raise DataError(f"{type(model).__name__}.plot: give the rows of its fit; it says nothing about others.")
    return np.asarray(labels, int)


def draw_scores(model: Any, scores: NDArray, y: Any, ax: Any) -> None:
    """Draw rows by their first two new columns, in the colors of their labels."""
    second = scores[:, 1] if scores.shape[1] > 1 else np.zeros(len(scores))
    names = [str(name) for name in model.get_feature_names_out()][:2] if hasattr(model, "get_feature_names_out") else []
    label = None if y is None else np.asarray(y)
    if label is None:
        ax.scatter(scores[:, 0], second, s=12)
    elif label.dtype.kind == "f":
        ax.figure.colorbar(ax.scatter(scores[:, 0], second, c=label, s=12), ax=ax, label="y")
    else:
        for value in np.unique(label):
            ax.scatter(scores[label == value, 0], second[label == value], s=12, label=str(value))
        draw_legend(ax)
    ax.set_xlabel(names[0] if names else "1")
    ax.set_ylabel(names[1] if len(names) > 1 else "")
