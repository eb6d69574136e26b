r"""Shattering: whether a class of concepts labels given points in all 2^n ways, and the largest number of points it does so for.

    shattered(x_1..x_n)  iff  for every labeling s in {-, +}^n some concept h has h(x_i) = s_i for all i           (1)
    VC dimension = the largest n for which some n points are shattered                                             (2)

Every labeling that a class realizes comes with the concept that realizes it, so that the answer can be checked; for halfspaces one
that it does not realize comes with a point in the convex hulls of both labels.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from novum.exceptions import DataError, ParameterError
from novum.report.axes import PANEL_SIZE, drawing_axes, new_figure
from novum.report.numbers import counted
from novum.report.result import Result
from novum.report.style import SMALL, series
from novum.runtime.checks import check_count
from novum.runtime.random import seed_of
from novum.runtime.typing import Numbers, Seed
from novum.theory.capacity import (
    VCDimension,
    class_name,
    prediction_table,
    size_of,
    table_dimension,
    vc_of_class,
)
from novum.theory.concepts import ONE_DIMENSION, ORACLES, oracle_of

__all__ = ["Shattering", "shatters", "vc_dimension"]

MOST_POINTS = 16  # 65,536 labelings
MOST_PANELS = 32
SHADE_STEPS = 121


@dataclass(frozen=True)
class Shattering(Result):
    """Every labeling of the points and a concept that realizes it; true where all have one.

    Attributes
    ----------
    points : ndarray of shape (n, n_features)
    concepts : str
    labelings : ndarray of bool, shape (2^n, n)
    certificates : tuple
        A concept for every labeling, or None: a `Hyperplane`, a box, a ball, ..., the index of a row of a table.
    """

    points: NDArray[Any]
    concepts: str
    labelings: NDArray[np.bool_]
    certificates: tuple[Any, ...]

    def __bool__(self) -> bool:
        return self.n_realized == len(self.labelings)

    @property
    def n_realized(self) -> int:
        """Number of dichotomies: labelings that some concept realizes."""
        return sum(found is not None for found in self.certificates)

    def missing(self) -> NDArray[np.bool_]:
        """Return the labelings that no concept realizes."""
        return self.labelings[[found is None for found in self.certificates]]

    def __repr__(self) -> str:
        said = "shattered" if self else "not shattered"
        return (
            f"{said}: {self.concepts} realize {self.n_realized} of {len(self.labelings)} labelings of "
            f"{counted(len(self.points), 'point')}"
        )

    def plot(self, ax: Any = None, *, labeling: int | None = None) -> Any:
        """Draw one labeling, or all of them in panels where neither axes nor a labeling is given; returns the axes."""
        if self.points.shape[1] > 2:
            raise DataError(f"Shattering.plot: points have {self.points.shape[1]} coordinates; a picture has two.")
        if ax is not None or labeling is not None:
            return self._draw(drawing_axes(ax), len(self.labelings) - 1 if labeling is None else labeling)
        if len(self.labelings) > MOST_PANELS:
            raise ParameterError(f"Shattering.plot: {len(self.labelings)} panels are too many; pass labeling=0, 1, ...")
        columns = min(4, len(self.labelings))
        rows = -(-len(self.labelings) // columns)
        figure = new_figure(columns * PANEL_SIZE[0] / 2, rows * PANEL_SIZE[1] / 1.6)
        axes = figure.subplots(rows, columns, squeeze=False).ravel()
        for spare in axes[len(self.labelings) :]:
            spare.set_axis_off()
        return [self._draw(axes[i], i) for i in range(len(self.labelings))]

    def _draw(self, ax: Any, index: int) -> Any:
        labels, found = self.labelings[index], self.certificates[index]
        flat = np.column_stack([self.points, np.zeros(len(self.points))])[:, :2]
        low, high = flat.min(axis=0), flat.max(axis=0)
        pad = 0.35 * max(float((high - low).max()), 1.0)
        if found is not None and (hasattr(found, "contains") or hasattr(found, "decision_function")):
            u = np.linspace(low[0] - pad, high[0] + pad, SHADE_STEPS)
            v = np.linspace(low[1] - pad, high[1] + pad, SHADE_STEPS)
            grid = np.stack(np.meshgrid(u, v), axis=-1).reshape(-1, 2)[:, : self.points.shape[1]]
            inside = found.contains(grid) if hasattr(found, "contains") else found.decision_function(grid) > 0
            ax.contourf(u, v, inside.reshape(len(v), len(u)), levels=[0.5, 1.5], colors=[series(ax, 0)], alpha=0.25)
        for value, marker, color in ((True, "+", series(ax, 0)), (False, "_", series(ax, 3))):
            ax.scatter(*flat[labels == value].T, marker=marker, color=color, s=80, linewidths=2)
        ax.set(xlim=(low[0] - pad, high[0] + pad), ylim=(low[1] - pad, high[1] + pad), xticks=[], yticks=[])
        ax.set(xlabel="$x_1$", ylabel="$x_2$" if self.points.shape[1] == 2 else "")
        ax.set_title("realized" if found is not None else "no concept", fontsize=SMALL)
        return ax


def all_labelings(n: int) -> NDArray[np.bool_]:
    """Return the 2^n rows of truth values."""
    return ((np.arange(2**n)[:, None] >> np.arange(n)[::-1]) & 1).astype(bool)


def checked_points(owner: str, points: Any, name: str | None) -> NDArray:
    array = np.asarray(points, dtype=np.float64)
    array = array[:, None] if array.ndim == 1 else array
    X = check_array(array, dtype=np.float64, input_name="points", estimator=owner)
    if len(X) > MOST_POINTS:
        raise ParameterError(
            f"{owner}: {counted(len(X), 'point', 'have')} 2^{len(X)} labelings; give at most {MOST_POINTS}."
        )
    if name in ONE_DIMENSION and X.shape[1] != 1:
        raise DataError(f"{owner}: {name} are concepts on the line; points have {X.shape[1]} coordinates.")
    return X


def oracle_name(owner: str, concepts: Any) -> str | None:
    """Return the name of a class with an oracle, or None for a callable."""
    if callable(concepts):
        return None
    name = class_name(owner, concepts)
    if name not in ORACLES:
        raise ParameterError(
            f"{owner}(concepts={concepts!r}): no oracle for this class; there are {', '.join(map(repr, ORACLES))}, "
            "a function of points and labels, or a table of predictions."
        )
    return name


def shatters(
    concepts: str | Callable[..., Any] | Numbers, points: Numbers, *, k: int = 1, degree: int = 2
) -> Shattering:
    """Return whether a class of concepts realizes every labeling of the points, with the proof.

    Parameters
    ----------
    concepts : str, callable or table
        "linear" (or "lines", "halfspaces"), "homogeneous" (planes through the origin), "polynomials", "balls" ("circles"),
        "rectangles", "intervals", "thresholds", "interval_unions", "convex"; or a function of points (n, d) and labels (n,) that
        returns a concept, True, False or None; or the answers of enumerated hypotheses (rows) on instances (columns).
    points : array-like of shape (n, n_features) or (n,)
        At most 16; for a table the columns.
    k : int, default=1
        Intervals of a union.
    degree : int, default=2
        Of polynomials.

    Returns
    -------
    Shattering
        True or false as it stands, with the number of dichotomies, a concept for each, and a picture.

    Examples
    --------
    >>> from novum.theory import shatters
    >>> shatters("lines", [[0, 0], [1, 0], [0, 1]])
    shattered: linear realize 8 of 8 labelings of 3 points
    >>> shatters("lines", [[0, 0], [1, 0], [0, 1], [1, 1]]).missing().astype(int)  # exclusive or
    array([[0, 1, 1, 0],
           [1, 0, 0, 1]])
    """
    if isinstance(points, str) or callable(points):
        raise ParameterError(f"shatters(points={points!r}): the class of concepts comes first, then the points.")
    if not isinstance(concepts, str) and not callable(concepts):
        return table_shatters(concepts, points)
    name = oracle_name("shatters", concepts)
    X = checked_points("shatters", points, name)
    oracle = oracle_of(
        concepts if name is None else name, check_count("shatters", "k", k), check_count("shatters", "degree", degree)
    )
    labelings = all_labelings(len(X))
    return Shattering(X, name or "given concepts", labelings, tuple(oracle(X, labels) for labels in labelings))


def table_shatters(concepts: Any, columns: Any) -> Shattering:
    """Return the labelings of some columns that occur among the rows, each with the first row that has it."""
    prediction_table("shatters", concepts)
    array = np.asarray(concepts)
    chosen = np.asarray(columns)
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or len(chosen) > MOST_POINTS or not len(chosen):
        raise DataError(
            f"shatters: for a table, points are the numbers of 1 to {counted(MOST_POINTS, 'column')}; got {columns!r}."
        )
    if chosen.min() < 0 or chosen.max() >= array.shape[1]:
        raise DataError(
            f"shatters: points={columns!r} names a column that the table of {array.shape[1]} does not have."
        )
    answers = (array == np.unique(array)[-1])[:, chosen]
    first: dict[tuple[bool, ...], int] = {}
    for i, row in enumerate(map(tuple, answers.tolist())):
        first.setdefault(row, i)
    labelings = all_labelings(len(chosen))
    return Shattering(
        chosen[:, None], "table rows", labelings, tuple(first.get(tuple(row)) for row in labelings.tolist())
    )


def candidate_sets(X: NDArray | None, size: int, d: int, n_trials: int, rng: Any) -> Iterator[NDArray]:
    """Yield sets of points: all subsets of those given, or draws from the standard normal."""
    if X is not None:
        for chosen in combinations(range(len(X)), size):
            yield X[list(chosen)]
        return
    for _ in range(n_trials):
        yield rng.normal(size=(size, d))


def vc_dimension(
    concepts: str | Callable[..., Any] | Numbers,
    n_features: int = 2,
    *,
    k: int = 1,
    degree: int = 1,
    n_hypotheses: int | None = None,
    n_parameters: int | None = None,
    points: Numbers | None = None,
    n_trials: int = 0,
    random_state: Seed = None,
) -> VCDimension:
    """Return the VC dimension of a class: known, counted for enumerated hypotheses, or found by search.

    Parameters
    ----------
    concepts : str, callable or table
        What `shatters` takes, or one of the further names "polygons", "conjunctions", "monotone_conjunctions", "parities",
        "boolean", "nearest_neighbor", "gaussian_kernel", "sines", "finite", "neural_network".
    n_features : int, default=2
        Dimension of the points.
    k, degree : int, default=1
        Intervals of a union or vertices of a polygon; degree of polynomials.
    n_hypotheses : int, default=None
        Size of a "finite" class, for the bound log2 |H|.
    n_parameters : int, default=None
        Weights of a "neural_network"; their number is a rule of thumb and no theorem.
    points : array-like of shape (n, n_features), default=None
        Searches for the largest shattered subset of these.
    n_trials : int, default=0
        Searches sets of one, two, ... points, so many drawn for each size: a lower bound.
    random_state : int, Generator, RandomState or None, default=None
        For the draws.

    Returns
    -------
    VCDimension
        A float, infinite or whole, with `kind`, `reason` and, from a search, the shattered set as `certificate`.

    Examples
    --------
    >>> from novum.theory import vc_dimension
    >>> vc_dimension("linear", 2)
    3 (exact: d + 2 points have a Radon partition)
    >>> vc_dimension("rectangles", 2, n_trials=200, random_state=0)
    4 (lower bound: 200 sets of 5 drawn points, none shattered)
    """
    if not isinstance(concepts, str) and not callable(concepts):
        return table_dimension(prediction_table("vc_dimension", concepts))
    size = size_of("vc_dimension", n_features, k, degree, n_hypotheses, n_parameters)
    if concepts == "polygons" and size.k < 3:
        raise ParameterError(f"vc_dimension('polygons', k={k}): a polygon has three vertices or more; pass k >= 3.")
    n_trials = check_count("vc_dimension", "n_trials", n_trials, low=0)
    if points is None and n_trials == 0:
        if not isinstance(concepts, str):
            raise ParameterError(
                "vc_dimension: for a function give points to search among, or n_trials and n_features."
            )
        return vc_of_class("vc_dimension", concepts, size)
    name = oracle_name("vc_dimension", concepts)
    X = None if points is None else checked_points("vc_dimension", points, name)
    oracle = oracle_of(concepts if name is None else name, size.k, size.degree)
    rng = np.random.default_rng(seed_of(random_state))
    d = 1 if name in ONE_DIMENSION else size.d
    best: NDArray = np.empty((0, d if X is None else X.shape[1]))
    while len(best) < (MOST_POINTS if X is None else len(X)):
        n_points = len(best) + 1
        labelings = all_labelings(n_points)
        sets = candidate_sets(X, n_points, d, n_trials, rng)
        found = next((s for s in sets if all(oracle(s, row) is not None for row in labelings)), None)
        if found is None:
            break
        best = found
    searched = f"{n_trials} sets of" if X is None else f"all {math.comb(len(X), len(best) + 1)} sets of"
    origin = "drawn points" if X is None else "the points given"
    if X is not None and len(best) == len(X):
        return VCDimension(len(best), "lower bound", "all points given are shattered", best)
    return VCDimension(len(best), "lower bound", f"{searched} {len(best) + 1} {origin}, none shattered", best)
