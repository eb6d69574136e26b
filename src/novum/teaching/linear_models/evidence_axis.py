r"""Picture of Occam's razor: how models of different reach spread their evidence over data sets.

The data sets lie on one axis, multiples of the targets at hand,

    D_s = (X, s y),   D_1 the data themselves,   q(s | M) = p(D_s | M) / integral p(D_s' | M) ds'    (1)

A simple model expects little and puts all on small s; one of great reach expects much and has little left anywhere; the data are
best predicted by the model that just reaches them.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.integrate import trapezoid
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from novum.exceptions import DataError, ParameterError
from novum.linear_model.evidence import evidence_of
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import shade
from novum.runtime.typing import Axes, Numbers, Rows, Target

__all__ = ["plot_evidence_over_datasets"]


def plot_evidence_over_datasets(
    models: Mapping[str, Any], X: Rows, y: Target, *, scales: Numbers | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the evidence of models over an axis of data sets (1), the data at hand marked; return the axes.

    D_s = (X, s y),   D_1 the data themselves,   q(s | M) = p(D_s | M) / integral p(D_s' | M) ds'    (1)

    Parameters
    ----------
    models : mapping of str to model
        Models with `log_evidence_`, as BayesianLinearRegression, or pipelines that end in one; copies are fitted.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scales : array-like of float, default=None
        Values of s, rising; None takes 61 from -3 to 3.
    ax : matplotlib axes, default=None

    Examples
    --------
    >>> from novum.linear_model import BayesianLinearRegression
    >>> from novum.teaching import plot_evidence_over_datasets
    >>> models = {"narrow": BayesianLinearRegression(1e4), "wide": BayesianLinearRegression(0.01)}
    >>> ax = plot_evidence_over_datasets(models, [[-1.0], [0.0], [1.0]], [-1.0, 0.0, 1.0])
    >>> [line.get_label() for line in ax.lines[:2]]
    ['narrow', 'wide']
    """
    owner = "plot_evidence_over_datasets"
    if not isinstance(models, Mapping) or not models:
        raise ParameterError(f"{owner}(models={models!r}): give a mapping from names to models, not empty.")
    at = np.linspace(-3, 3, 61) if scales is None else np.asarray(scales, dtype=np.float64)
    if at.ndim != 1 or len(at) < 2 or not (np.diff(at) > 0).all():
        raise ParameterError(f"{owner}(scales=...): give two numbers or more, rising.")
    target = np.asarray(y, dtype=np.float64)
    check_consistent_length(X, target)
    if not target.any():
        raise DataError(f"{owner}: all targets are zero, and so are their multiples.")
    ax = drawing_axes(ax)
    for name, model in models.items():
        log = np.array([evidence_of(str(name), clone(model).fit(X, s * target)) for s in at])
        height = np.exp(log - log.max())
        ax.plot(at, height / trapezoid(height, at), label=str(name))
    ax.axvline(1.0, color=shade(ax, 0.3), lw=1, ls="--", label="the data")
    ax.set(xlabel="data sets: multiples of the targets", ylabel="evidence, normalised")
    draw_legend(ax)
    return ax
