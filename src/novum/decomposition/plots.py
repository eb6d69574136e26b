"""Pictures of principal components: the data with their axes, the data in the new coordinates, the shares of the variance."""

from typing import Any

import numpy as np

from novum.base.fitted import check_is_fitted
from novum.exceptions import DataError
from novum.report.axes import drawing_axes, drawing_panels
from novum.report.legends import draw_legend
from novum.report.style import series, shade

__all__ = ["plot_components", "plot_spectrum"]

ELLIPSE = 2.0  # standard deviations: holds 86 % of a normal cloud in the plane


def plot_spectrum(ratio: np.ndarray, ax: Any = None) -> Any:
    """Draw shares of the variance as bars and their running sum as a line; return the axes."""
    ax = drawing_axes(ax)
    k = np.arange(1, len(ratio) + 1)
    ax.bar(k, ratio, color=shade(ax, 0.75), label="component")
    ax.plot(k, np.cumsum(ratio), "o-", color=series(ax, 0), markersize=3, label="first k together")
    ax.set(xlabel="component", ylabel="share of the variance", ylim=(0, 1.05))
    ax.xaxis.get_major_locator().set_params(integer=True)
    draw_legend(ax)
    return ax


def plot_components(model: Any, X: Any, ax: Any = None) -> Any:
    """Draw rows of the plane with their principal axes, and the same rows in the coordinates of the axes.

    Parameters
    ----------
    model : PCA, IncrementalPCA or ProbabilisticPCA
        Fitted on two features.
    X : array-like of shape (n_samples, 2)
    ax : sequence of two matplotlib axes, default=None
        None makes a figure.

    Returns
    -------
    list of two matplotlib axes
        Before: the rows, an arrow of one standard deviation along every axis, the ellipse of two. After: the scores.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.decomposition import PCA, plot_components
    >>> X = np.array([[2.0, 0], [0, 2], [3, 3], [-1, -1], [1, 1]])
    >>> before, after = plot_components(PCA().fit(X), X)
    >>> before.get_title(), after.get_xlabel()
    ('two features', 'component 1 (80 %)')
    """
    check_is_fitted(model)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2 or model.n_features_in_ != 2:
        raise DataError(
            f"plot_components draws points of the plane; X has shape {X.shape} and {type(model).__name__} was fitted on"
            f" {model.n_features_in_} features. Choose two columns, or draw model.transform(X)."
        )
    before, after = drawing_panels(2) if ax is None else ax
    mean, vectors, deviation = model.mean_, model.components_, np.sqrt(model.explained_variance_)
    before.scatter(*X.T, s=10, color=shade(before, 0.6))
    for j, (direction, length) in enumerate(zip(vectors, deviation)):
        before.annotate(
            "",
            mean + length * direction,
            mean,
            arrowprops={"arrowstyle": "->", "color": series(before, j), "linewidth": 2},
        )
    if len(vectors) == 2:
        turn = np.linspace(0, 2 * np.pi, 100)
        circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        before.plot(
            *(mean + ELLIPSE * circle @ (deviation[:, None] * vectors)).T, color=shade(before, 0.3), linewidth=1
        )
    names = getattr(model, "feature_names_in_", ["x0", "x1"])
    before.set(title="two features", xlabel=names[0], ylabel=names[1], aspect="equal")
    scores = (X - mean) @ vectors.T
    share = model.explained_variance_ratio_
    after.scatter(
        scores[:, 0], scores[:, 1] if scores.shape[1] > 1 else np.zeros(len(X)), s=10, color=shade(after, 0.6)
    )
    after.set(title="their principal components", xlabel=f"component 1 ({100 * share[0]:.0f} %)", aspect="equal")
    if len(share) > 1:
        after.set_ylabel(f"component 2 ({100 * share[1]:.0f} %)")
    return [before, after]
