r"""The attention of boosting: rows as large as their weights before a round, and the regions of the member of that round.

d_i <- d_i exp(a_m [h_m(x_i) != y_i]) / Z,   area of row i ~ n d_i    (1)
"""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from sklearn.utils import check_array

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError, ParameterError
from novum.report.axes import drawing_panels
from novum.report.legends import class_keys, draw_legend
from novum.report.style import class_colors, ink
from novum.runtime.checks import check_count

__all__ = ["plot_attention"]

AREA = 20.0  # of a row of mean weight, in square points
POINTS = 120  # of a grid, per side
BORDER = 0.08  # of the range of the rows, around them


def plot_attention(model: Any, X: Any, y: Any, *, rounds: Sequence[int] = (1, 2, 3), ax: Any = None) -> list[Any]:
    """Draw the rows by their weights before some rounds of AdaBoost (1), and what the member of each says; return the axes.

    d_i <- d_i exp(a_m [h_m(x_i) != y_i]) / Z,   area of row i ~ n d_i    (1)

    Parameters
    ----------
    model : fitted AdaBoostClassifier
        Over two columns.
    X, y : array-like of shape (n_samples, 2) and (n_samples,)
        The rows it was fitted on.
    rounds : sequence of int, default=(1, 2, 3)
        A panel each; the first round is 1.
    ax : sequence of matplotlib axes, default=None

    Examples
    --------
    >>> from novum.ensemble import AdaBoostClassifier
    >>> from novum.teaching import plot_attention
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0], [4.0, 1.0]], [1, 1, -1, -1, 1]
    >>> axes = plot_attention(AdaBoostClassifier(n_estimators=3).fit(X, y), X, y, rounds=(1, 2))
    >>> [ax.get_title() for ax in axes]
    ['round 1: error 0.2', 'round 2: error 0.25']
    """
    check_is_fitted(model)
    rows = check_array(X, dtype=np.float64, estimator="plot_attention", input_name="X")
    if rows.shape[1] != 2:
        raise DataError(f"plot_attention draws points of the plane; X has {rows.shape[1]} columns. Choose two.")
    steps = [check_count("plot_attention", "rounds", step) for step in rounds]
    if max(steps) > len(model.estimators_):
        raise ParameterError(f"plot_attention(rounds={steps}): the model has {len(model.estimators_)} rounds.")
    weights = list(islice(model.staged_weights(X, y), max(steps)))
    code = np.searchsorted(model.classes_, np.asarray(y))
    low, high = rows.min(axis=0), rows.max(axis=0)
    edge = BORDER * np.where(high > low, high - low, 1.0)
    a, b = (np.linspace(p, q, POINTS) for p, q in zip(low - edge, high + edge))
    points = np.stack(np.meshgrid(a, b), -1).reshape(-1, 2)
    panels = drawing_panels(len(steps)) if ax is None else list(ax)
    for ax, step in zip(panels, steps, strict=True):
        colors = class_colors(ax)
        said = np.searchsorted(model.classes_, model.estimators_[step - 1].predict(points)).reshape(POINTS, POINTS)
        ax.pcolormesh(a, b, said, alpha=0.25, shading="nearest", rasterized=True, **colors)
        ax.scatter(
            *rows.T, s=AREA * len(rows) * weights[step - 1], c=code, edgecolors=ink(ax), linewidths=0.4, **colors
        )
        ax.set(xlabel="x0", ylabel="x1", title=f"round {step}: error {model.estimator_errors_[step - 1]:.3g}")
    draw_legend(panels[-1], class_keys(panels[-1], model.classes_))
    return panels
