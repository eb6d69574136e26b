"""The densities of a generative model beside the bare boundary of a discriminative one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.decision_theory.plots import mesh, plot_generative, scatter
from novum.exceptions import DataError
from novum.report.axes import drawing_panels
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
    code = np.searchsorted(discriminative.classes_, discriminative.predict(points)).reshape(first.shape)
    for c in range(len(discriminative.classes_) - 1):
        left.contour(first, second, code <= c, levels=[0.5], colors="black")
    scatter(left, rows, labels, discriminative.classes_)
    left.set_title("discriminative")
    plot_generative(generative, rows, labels, right)
    right.set_title("generative")
    return [left, right]
