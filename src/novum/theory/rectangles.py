r"""Concepts that are axis-parallel boxes, or unions of them: positive inside, negative outside.

    h(x) = +  iff  low_j <= x_j <= high_j for all j, in at least one box                                            (1)
    the tightest box around the positives: low_j = min x_ij, high_j = max x_ij                                       (2)

Any box that is consistent with the examples contains (2), so (2) is consistent unless no box is: its errors are all on the
negative side. Unions can always be made consistent with examples free of contradictions, in the end with a box per positive,
which generalizes poorly. Boxes of a union grow greedily: from a positive that none covers, over the nearest positives, as
long as no other row falls in; are there more than requested, the two whose common box admits the least weight of other rows
are joined.

With more than two classes each has its boxes, and x belongs to the box in which it lies deepest, or which it misses least:

    depth: max_j |x_j - center_j| / half_j                                                                           (3)
"""

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novum.base.classes import labels_of
from novum.base.domains import Domain, Int, Null
from novum.base.estimator import Estimator, fits
from novum.base.fitted import check_is_fitted
from novum.base.sklearn_base import ClassifierMixin
from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.fold.gathering import AllRows, all_rows
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series
from novum.runtime import arrays
from novum.runtime.typing import Rows, RowWeights, Target

__all__ = ["RectangleLearner"]


class Extent(NamedTuple):
    """Least and largest value of every class and feature."""

    low: NDArray[Any]  # (k, d)
    high: NDArray[Any]  # (k, d)


class Boxes(NamedTuple):
    """What `predict` needs: boxes and whose they are."""

    low: NDArray[Any]  # (b, d)
    high: NDArray[Any]  # (b, d)
    owner: NDArray[Any]  # (b,): codes
    classes: NDArray[Any]


def present(block: Block | AllRows) -> tuple[NDArray, NDArray, NDArray]:
    """Return the rows of positive weight, their codes and weights."""
    X, y = arrays.to_numpy(block.X), arrays.to_numpy(block.y)
    weight = np.ones(len(X)) if block.weight is None else arrays.to_numpy(block.weight)
    keep = weight > 0
    return X[keep], y[keep], weight[keep]


def extent_of(k: int, block: Block) -> Extent:
    """Return (2) of every class for one block."""
    X, y, _ = present(block)
    low, high = np.full((k, X.shape[1]), np.inf), np.full((k, X.shape[1]), -np.inf)
    for c in range(k):
        if (rows := X[y == c]).size:
            low[c], high[c] = rows.min(axis=0), rows.max(axis=0)
    return Extent(low, high)


def merge_extents(a: Extent, b: Extent) -> Extent:
    return Extent(np.minimum(a.low, b.low), np.maximum(a.high, b.high))


def inside(low: NDArray, high: NDArray, X: NDArray) -> NDArray[np.bool_]:
    """Return (1) for one box."""
    return np.all((low <= X) & (high >= X), axis=1)


def grow_boxes(X: NDArray, others: NDArray) -> list[tuple[NDArray, NDArray]]:
    """Return boxes that cover all rows of X and none of the others, a row of X that equals one of them aside."""
    span = np.ptp(X, axis=0)
    scaled = X / np.where(span > 0, span, 1.0)
    covered = np.zeros(len(X), dtype=bool)
    boxes = []
    while not covered.all():
        seed = int(np.argmin(covered))
        low, high = X[seed].copy(), X[seed].copy()
        order = np.argsort(((scaled - scaled[seed]) ** 2).sum(axis=1), kind="stable")
        for i in order[~covered[order]]:
            wider = np.minimum(low, X[i]), np.maximum(high, X[i])
            if not inside(*wider, others).any():
                low, high = wider
        covered |= inside(low, high, X)
        boxes.append((low, high))
    return boxes


def join_boxes(boxes: list[tuple[NDArray, NDArray]], others: NDArray, weight: NDArray, most: int) -> Any:
    """Return at most `most` boxes: pairs joined in the order of the weight that their common box admits."""
    while len(boxes) > most:
        best = None
        for i in range(len(boxes)):
            for j in range(i):
                low, high = np.minimum(boxes[i][0], boxes[j][0]), np.maximum(boxes[i][1], boxes[j][1])
                key = (float(weight[inside(low, high, others)].sum()), float((high - low).sum()))
                if best is None or key < best[0]:
                    best = key, i, j, (low, high)
        assert best is not None
        _, i, j, box = best
        boxes = [b for at, b in enumerate(boxes) if at not in (i, j)] + [box]
    return boxes


def label_of(boxes: Boxes, block: Block) -> Any:
    """Return the label of every row: (1) for two classes, (3) for more."""
    X = arrays.to_numpy(block.X)
    k = len(boxes.classes)
    if k == 2:
        hit = np.zeros(len(X), dtype=bool)
        for low, high in zip(boxes.low, boxes.high):
            hit |= inside(low, high, X)
        return boxes.classes[hit.astype(np.int64)]
    depth = np.full((len(X), k), np.inf)
    for low, high, c in zip(boxes.low, boxes.high, boxes.owner):
        half = np.maximum((high - low) / 2, np.finfo(X.dtype).tiny)
        with np.errstate(over="ignore"):
            depth[:, c] = np.minimum(depth[:, c], (np.abs(X - (low + high) / 2) / half).max(axis=1))
    return boxes.classes[depth.argmin(axis=1)]


def errors_of(boxes: Boxes, block: Block) -> Any:
    """Return the weight of the rows that get another label than theirs."""
    X, y, weight = present(block)
    wrong = label_of(boxes._replace(classes=np.arange(len(boxes.classes))), Block(X)) != y
    return Weight(float(weight[wrong].sum()))


class Weight(NamedTuple):
    value: float


class RectangleLearner(ClassifierMixin, Estimator):
    """Axis-parallel boxes around the positives.

    Parameters
    ----------
    n_rectangles : int or None, default=1
        Boxes of a class at most; one is the tightest box, None takes as many as it needs to be consistent. More than one looks at
        all rows in one place, and takes time in their square.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        Of two, the second is the concept; one class is predicted everywhere.
    low_, high_ : array of shape (n_boxes, n_features)
    box_class_ : array of shape (n_boxes,)
        Position of each box's class in `classes_`.
    training_error_ : float
        Weight of the rows with another label than their own; zero where the concept is consistent.

    Examples
    --------
    >>> from novum.theory import RectangleLearner
    >>> X, y = [[1, 1], [2, 3], [3, 2], [0, 2], [4, 4]], ["+", "+", "+", "-", "-"]
    >>> model = RectangleLearner().fit(X, [label == "+" for label in y])
    >>> model.low_, model.high_, model.consistent_
    (array([[1., 1.]]), array([[3., 3.]]), True)
    """

    _domains: dict[str, Domain] = {"n_rectangles": Int(1) | Null()}
    classes_: np.ndarray
    low_: np.ndarray
    high_: np.ndarray
    box_class_: np.ndarray
    training_error_: float

    def __init__(self, n_rectangles: int | None = 1) -> None:
        self.n_rectangles = n_rectangles

    @fits
    def fit(self, X: Rows, y: Target = None, sample_weight: RowWeights = None) -> Self:
        """Find the boxes.

        Parameters
        ----------
        X : array-like, frame, scan, Dask collection or tensor of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            None for a scan, which brings its target.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each row counts; zero leaves it out.
        """
        source = self._source(X, y, sample_weight, target="classes")
        self.classes_, coded = labels_of(source)
        k = len(self.classes_)
        classes = [1] if k == 2 else range(k)
        if self.n_rectangles == 1:
            extent = coded.total(extent_of, k, merge_extents)
            found = [(extent.low[c], extent.high[c], c) for c in classes if np.isfinite(extent.low[c]).all()]
        else:
            rows, code, weight = present(all_rows(coded, type(self).__name__))
            found = []
            for c in classes:
                others = code != c
                boxes = grow_boxes(rows[~others], rows[others])
                if self.n_rectangles is not None:
                    boxes = join_boxes(boxes, rows[others], weight[others], self.n_rectangles)
                found += [(low, high, c) for low, high in boxes]
        shape = (len(found), source.n_features)
        self.low_ = np.array([low for low, _, _ in found], dtype=source.dtype).reshape(shape)
        self.high_ = np.array([high for _, high, _ in found], dtype=source.dtype).reshape(shape)
        self.box_class_ = np.array([c for _, _, c in found], dtype=np.int64)
        self.training_error_ = coded.total(errors_of, self._boxes()).value
        return self

    @property
    def consistent_(self) -> bool:
        """Whether every row of the fit gets its own label."""
        return self.training_error_ == 0

    def _boxes(self) -> Boxes:
        return Boxes(self.low_, self.high_, self.box_class_, self.classes_)

    def _check_state(self) -> None:
        """Raise ValueError unless every box has a class that is there."""
        if "box_class_" not in vars(self):
            return
        codes = self.box_class_
        if (
            len({len(self.low_), len(self.high_), len(codes)}) > 1
            or ((codes < 0) | (codes >= len(self.classes_))).any()
        ):
            raise ValueError("a box has a class that is not there")

    def predict(self, X: Rows) -> Any:
        """Return the label of every row."""
        check_is_fitted(self)
        return self._rows(X, label_of, self._boxes())

    def _picture_of_model(self, ax: Any) -> Any:
        """Draw the boxes over the two features."""
        return self._picture_of_rows(None, None, None, ax)

    def _picture_of_rows(self, X: Any, rows: Any, y: Any, ax: Any) -> Any:
        """Draw the boxes over the two features, and rows with their labels where they are given."""
        if self.n_features_in_ != 2:
            raise DataError(f"RectangleLearner.plot: there are {self.n_features_in_} features; a picture has two.")
        from matplotlib.patches import Rectangle

        ax = drawing_axes(ax)
        for low, high, c in zip(self.low_, self.high_, self.box_class_):
            ax.add_patch(
                Rectangle((low[0], low[1]), *(high - low), facecolor=series(ax, c), edgecolor=series(ax, c), alpha=0.25)
            )
        if rows is not None:
            points, labels = rows, None if y is None else np.asarray(y)
            for c, label in enumerate(self.classes_):
                mine = points if labels is None else points[labels == label]
                ax.scatter(
                    *mine.T, color=series(ax, c), marker="_+"[c] if len(self.classes_) == 2 else "o", label=str(label)
                )
            draw_legend(ax)
        ax.autoscale_view()
        names = getattr(self, "feature_names_in_", ("$x_1$", "$x_2$"))
        ax.set(xlabel=names[0], ylabel=names[1])
        return ax
