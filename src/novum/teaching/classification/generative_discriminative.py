"""The densities of a generative model beside the bare boundary of a discriminative one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.decision_theory.plots import mesh, plot_generative, scatter
from novum.exceptions import DataError
from novum.report.axes import drawing_panels
from novum.report.style import ink
from novum.runtime.typing import Axes, Fittable, Rows, Target

__all__ = ["plot_generative_vs_discriminative"]


def plot_generative_vs_discriminative(
    generative: Fittable, discriminative: Any, X: Rows, y: Target, ax: Sequence[Axes] | None = None
) -> list[Axes]:
    """Draw the same rows twice: with the boundary of a discriminative model, and with the densities of a generative one.

    Parameters
    ----------
    generative : fitted classifier with `predict_joint_log_proba`
    discriminative : fitted classifier with `predict`
    X : array-like of shape (n_samples, 2)
    y : array-like of shape (n_samples,)
    ax : pair of matplotlib Axes, default=None

    Returns
    -------
    list of two matplotlib Axes
    """
    rows, labels = np.asarray(X, np.float64), np.asarray(y)
    if rows.ndim != 2 or rows.shape[1] != 2:
        raise DataError(f"plot_generative_vs_discriminative: X must have two columns, got shape {rows.shape}.")
    left, right = drawing_panels(2) if ax is None else ax
    first, second, points = mesh(rows)
    draw_borders(left, discriminative, first, second, points)
    scatter(left, rows, labels, discriminative.classes_)
    left.set_title("discriminative")
    plot_generative(generative, rows, labels, right)
    right.set_title("generative")
    for panel in (left, right):
        panel.set(xlabel="x0", ylabel="x1")
    return [left, right]


def draw_borders(ax: Any, model: Any, first: Any, second: Any, points: Any) -> None:
    """Draw where the answer of a classifier changes: where two probabilities are equal if it has them."""
    if hasattr(model, "predict_proba"):
        share = np.asarray(model.predict_proba(points)).reshape(*first.shape, -1)
    else:
        answer = np.searchsorted(model.classes_, model.predict(points)).reshape(first.shape)
        share = (answer[..., None] == np.arange(len(model.classes_))).astype(float)
    for c in range(1, len(model.classes_)):
        lead = share[..., :c].max(axis=-1) - share[..., c:].max(axis=-1)
        ax.contour(first, second, lead, levels=[0.0], colors=ink(ax))
