"""Pictures of mixtures in the plane: ellipses of the components."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.base.fitted import check_is_fitted
from novum.engines.gaussians.covariance import dense
from novum.exceptions import DataError
from novum.mixture.gaussian import GaussianMixture
from novum.report.axes import drawing_axes, equal_units
from novum.report.plots.plane import column_names, name_axes
from novum.report.style import colors_of
from novum.runtime.typing import Axes, Rows

__all__ = ["check_plane", "plot_ellipses"]

TURN = np.linspace(0, 2 * np.pi, 121)
FAINT, STRONG = 0.15, 0.9  # opacity of a component of weight zero, and of the heaviest


def ellipse(mean: NDArray, covariance: NDArray, deviations: float) -> NDArray:
    """Return the points at so many standard deviations from a mean, (points, 2)."""
    values, vectors = np.linalg.eigh(covariance)
    circle = np.column_stack([np.cos(TURN), np.sin(TURN)])
    return mean + deviations * circle * np.sqrt(np.maximum(values, 0)) @ vectors.T


def check_plane(X: Any, name: str) -> NDArray:
    """Return X as float64 points of the plane."""
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2:
        raise DataError(f"{name} draws points of the plane; X has shape {X.shape}. Choose two columns.")
    return X


def plot_ellipses(
    model: GaussianMixture, X: Rows | None = None, *, deviations: float = 2.0, ax: Axes | None = None
) -> Axes:
    """Draw a fitted Gaussian mixture of two features: rows in the color of their component, an ellipse per component.

    Parameters
    ----------
    model : GaussianMixture or BayesianGaussianMixture
        Fitted on two features.
    X : array-like of shape (n_samples, 2), default=None
        Rows to draw; their colors are mixed by their responsibilities.
    deviations : float, default=2.0
        Standard deviations from the mean at which an ellipse is drawn; 2 hold 86 % of its component.
    ax : matplotlib axes, default=None
        None makes a figure.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from novum.mixture import GaussianMixture, plot_ellipses
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> ax = plot_ellipses(GaussianMixture(2, random_state=0).fit(X), X)
    >>> len(ax.lines)
    2
    """
    from matplotlib.colors import to_rgb

    check_is_fitted(model)
    if model.means_.shape[1] != 2:
        raise DataError(
            f"plot_ellipses draws mixtures of two features; this one has {model.means_.shape[1]}. Fit it on two columns."
        )
    ax = drawing_axes(ax)
    colors = np.array([to_rgb(color) for color in colors_of(ax, len(model.means_))])
    if X is not None:
        X = check_plane(X, "plot_ellipses")
        ax.scatter(*X.T, s=10, c=np.clip(model.predict_proba(X) @ colors, 0, 1), linewidths=0)
    covariances = dense(model.covariance_type, model.covariances_, *model.means_.shape)
    share = np.asarray(model.weights_) / np.max(model.weights_)
    for mean, covariance, color, part in zip(model.means_, covariances, colors, share):
        opacity = FAINT + (STRONG - FAINT) * float(part)
        ax.plot(*ellipse(mean, covariance, deviations).T, color=color, alpha=opacity, lw=2)
    equal_units(ax)
    name_axes(ax, column_names(model, 2))
    return ax
