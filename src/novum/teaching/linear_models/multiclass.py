r"""Pictures of several classes separated by two-class learners: one against the rest, or one against one.

    rest   f_k for class k against all others; class k claims x where f_k(x) > 0, the largest f_k decides          (1)
    pairs  f_ij for class i against class j; every duel gives a vote, and the classes of most votes claim x        (2)

Where not exactly one class claims a point, the reduction alone does not say what it is: by (1) none or several may claim it,
by (2) several may have as many votes. The sums of f_ij then decide.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from novum.exceptions import DataError
from novum.linear_model.hyperplane import Hyperplane
from novum.linear_model.logistic.estimator import LogisticRegression
from novum.report.axes import drawing_panels
from novum.report.legends import draw_legend
from novum.report.style import ink
from novum.runtime.typing import Axes, Fittable, Rows, Target
from novum.teaching.linear_models.plane import (
    POINTS,
    boundary_of,
    draw_classes,
    draw_regions,
    grid_of,
    labeled_plane,
    window_of,
)

__all__ = ["plot_multiclass_regions"]


def against_rest(model: Any, rows: NDArray, codes: NDArray, n_classes: int) -> list[Axes]:
    """Return the learners of (1)."""
    return [clone(model).fit(rows, (codes == k).astype(int)) for k in range(n_classes)]


def against_each(model: Any, rows: NDArray, codes: NDArray, n_classes: int) -> dict[tuple[int, int], Any]:
    """Return the learners of (2) by pair, positive for the first of the two."""
    found = {}
    for i, j in combinations(range(n_classes), 2):
        both = np.isin(codes, (i, j))
        found[i, j] = clone(model).fit(rows[both], (codes[both] == i).astype(int))
    return found


def rest_says(learners: list[Any], points: NDArray) -> tuple[NDArray, NDArray]:
    """Return the class of the largest function, and how many classes claim each point (1)."""
    values = np.column_stack([learner.decision_function(points) for learner in learners])
    return values.argmax(axis=1), (values > 0).sum(axis=1)


def pairs_say(learners: dict[tuple[int, int], Any], points: NDArray, n_classes: int) -> tuple[NDArray, NDArray]:
    """Return the class of most votes, and how many classes have as many (2)."""
    votes, sums = np.zeros((2, len(points), n_classes))
    for (i, j), learner in learners.items():
        value = learner.decision_function(points)
        votes[:, i] += value > 0
        votes[:, j] += value <= 0
        sums[:, i] += value
        sums[:, j] -= value
    most = votes == votes.max(axis=1, keepdims=True)
    return np.where(most, sums, -np.inf).argmax(axis=1), most.sum(axis=1)


def plot_multiclass_regions(
    X: Rows, y: Target, *, estimator: Fittable | None = None, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw the regions of one against the rest and of one against one, and where they are in doubt; return the two axes.

    rest   f_k for class k against all others; class k claims x where f_k(x) > 0, the largest f_k decides    (1)
    pairs  f_ij for class i against class j; every duel gives a vote, and the classes of most votes claim x    (2)

    Points that no class or several classes claim are shaded dark; the boundaries of the two-class learners are dashed.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
        Labels of three classes or more.
    estimator : linear classifier, default=None
        None: `LogisticRegression`; copies are fitted.
    ax : two matplotlib axes, default=None

    Examples
    --------
    >>> from novum.teaching import plot_multiclass_regions
    >>> X = [[0.0, 4.0], [1.0, 4.0], [4.0, -2.0], [4.0, -3.0], [-4.0, -2.0], [-4.0, -3.0]]
    >>> axes = plot_multiclass_regions(X, ["a", "a", "b", "b", "c", "c"])
    >>> [ax.get_title().partition(":")[0] for ax in axes]
    ['one against the rest', 'one against one']
    """
    owner = "plot_multiclass_regions"
    rows, codes, classes = labeled_plane(owner, X, y)
    k = len(classes)
    if k < 3:
        raise DataError(f"{owner}: y has {k} classes; two need no reduction. Give three or more.")
    model = LogisticRegression() if estimator is None else estimator
    rest, pairs = against_rest(model, rows, codes, k), against_each(model, rows, codes, k)
    panels = drawing_panels(2) if ax is None else list(ax)
    window = window_of(rows)
    a, b, points = grid_of(window)
    cases = (
        ("one against the rest", rest, lambda at: rest_says(rest, at)),
        ("one against one", list(pairs.values()), lambda at: pairs_say(pairs, at, k)),
    )
    for ax, (title, learners, says) in zip(panels, cases, strict=True):
        draw_regions(ax, window, lambda at, says=says: says(at)[0])
        claims = says(points)[1].reshape(POINTS, POINTS)
        doubt = np.ma.masked_where(claims == 1, claims)
        ax.pcolormesh(a, b, doubt, cmap="gray", vmin=-2, vmax=k + 2, alpha=0.6, shading="nearest", rasterized=True)
        for learner in learners:
            ax.plot(*boundary_of(Hyperplane.from_estimator(learner), window).T, "--", color=ink(ax), lw=0.8)
        draw_classes(ax, rows, codes, classes)
        ax.set(xlim=(window[0][0], window[1][0]), ylim=(window[0][1], window[1][1]), xlabel="x0", ylabel="x1")
        ax.set_title(f"{title}: {float((claims != 1).mean()):.0%} in doubt")
        draw_legend(ax)
    return panels
