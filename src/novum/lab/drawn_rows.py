"""Rows of a fit as points of a plane, and what a fitted copy says of them.

two columns        the points are the rows
one column         (x, y) where a number is learned, else (x, 0)
more columns       z = (x - mean) V, V the first two principal components by `novum.decomposition.PCA`; a point of the plane
                   stands for the row mean + z V', in which every other component is zero
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags

from novum.report.plots.plane import column_names, without_names

__all__ = ["Plane", "answers", "centers_of", "plane_of", "table_of", "takes_single_rows"]

ROOM = 0.06  # of the range of the points, around them

Points = Callable[[NDArray], NDArray]


class Plane(NamedTuple):
    """Where rows are drawn."""

    kind: str  # "columns", "target", "line" or "components"
    points: NDArray  # (n, 2)
    put: Points  # rows to points
    lift: Points | None  # points to rows; None where one axis is the target
    names: tuple[str, str]  # of the columns; of components the share of the variance

    @property
    def domain(self) -> list[list[float]]:
        """The rectangle that is shown."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        room = np.where(high > low, ROOM * (high - low), 0.5)
        return np.column_stack([low - room, high + room]).tolist()


def table_of(X: Any) -> NDArray | None:
    """Return rows as a table of finite numbers, or None where they are something else."""
    try:
        rows = np.asarray(X, np.float64)
    except (TypeError, ValueError):
        return None
    return rows if rows.ndim == 2 and rows.size and np.isfinite(rows).all() else None


def plane_of(model: Any, rows: NDArray, target: NDArray | None) -> Plane:
    """Return the plane in which the rows of a fit are drawn."""
    names = column_names(model, rows.shape[1])
    if rows.shape[1] == 2:
        return Plane("columns", rows, lambda given: given, lambda points: points, (names[0], names[1]))
    if rows.shape[1] == 1 and is_regressor(model) and target is not None:
        points = np.column_stack([rows[:, 0], target])
        return Plane("target", points, lambda given: given, None, (names[0], "y"))
    if rows.shape[1] == 1:

        def on_line(given: NDArray) -> NDArray:
            return np.column_stack([given, np.zeros(len(given))])

        return Plane("line", on_line(rows), on_line, lambda points: points[:, :1], (names[0], ""))
    from novum.decomposition import PCA

    pca = PCA(2).fit(rows)
    first, second = (f"{100 * share:.0f} %" for share in pca.explained_variance_ratio_)
    return Plane("components", pca.transform(rows), pca.transform, pca.inverse_transform, (first, second))


def takes_single_rows(model: Any) -> bool:
    """Return whether `predict` answers every row by itself, so that it may be asked for points that were no rows."""
    return hasattr(model, "predict") and bool(get_tags(model).input_tags.two_d_array)


def answers(model: Any, X: Any) -> NDArray | None:
    """Return what a copy predicts for rows, a number or a label each; None where it predicts nothing of that kind."""
    if not hasattr(model, "predict"):
        return None
    with without_names():
        found = np.asarray(model.predict(X))
    if found.ndim != 1 or len(found) != len(X):
        return None
    if is_regressor(model) or is_classifier(model):
        return found
    return found if found.dtype.kind != "f" or (found == np.round(found)).all() else None


def centers_of(model: Any, width: int) -> NDArray | None:
    """Return the centers or means that a copy has learned, one per cluster or component, in the columns of the rows."""
    for name in ("cluster_centers_", "means_"):
        found = getattr(model, name, None)
        if isinstance(found, np.ndarray) and found.ndim == 2 and found.shape[1] == width and np.isfinite(found).all():
            return found
    return None
