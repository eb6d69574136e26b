r"""Pictures of penalties: coefficients and validation errors against lambda."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import series, shade
from novum.runtime.typing import Axes, Numbers

__all__ = ["plot_path", "plot_validation"]


def plot_path(
    alphas: Numbers,
    coefs: Numbers,
    *,
    names: Sequence[str] | None = None,
    chosen: float | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw every coefficient against the penalty, on a logarithmic axis; return the axes.

    Parameters
    ----------
    alphas : array-like of shape (n_alphas,)
        Penalties > 0, as `lasso_path` returns them.
    coefs : array-like of shape (n_features, n_alphas)
    names : list of str, default=None
        Of the features, for a legend.
    chosen : float, default=None
        A penalty to mark, as `LassoCV.alpha_`.
    title : str, default=None
    ax : matplotlib axes, default=None
        None draws on a new figure.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.linear_model import lasso_path, plot_path
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> axes = plot_path(*lasso_path(X, [-1.0, 0.0, 1.0], alphas=10)[:2], names=["a", "b"])
    >>> len(axes.lines)
    2
    """
    alphas, coefs = np.asarray(alphas, float), np.asarray(coefs, float)
    if coefs.ndim != 2 or alphas.shape != coefs.shape[1:]:
        raise DataError(
            f"plot_path: coefs of shape {coefs.shape} and {alphas.size} alphas; give one column of coefs per alpha."
        )
    ax = drawing_axes(ax)
    for j, path in enumerate(coefs):
        ax.plot(alphas, path, lw=1.5, label=None if names is None else names[j])
    ax.set(xscale="log", xlabel="penalty", ylabel="coefficient", title=title)
    if chosen is not None:
        ax.axvline(chosen, color=shade(ax, 0.3), lw=1, ls="--")
    if names is not None:
        draw_legend(ax)
    return ax


def plot_validation(model: Any, ax: Any = None) -> Any:
    """Draw the errors of the folds of a fitted LassoCV or ElasticNetCV, their mean and the chosen penalty; return the axes."""
    ax = drawing_axes(ax)
    alphas, errors = model.alphas_, model.mse_path_
    if errors.ndim == 3:  # the mixture that was chosen
        r = int(np.argmin(np.abs(np.asarray(model.l1_ratio) - model.l1_ratio_)))
        alphas, errors = alphas[r] if alphas.ndim == 2 else alphas, errors[r]
    errors = errors.reshape(len(alphas), -1)
    ax.plot(alphas, errors, color=shade(ax, 0.75), lw=0.8)
    ax.plot(alphas, errors.mean(axis=1), color=series(ax, 0), lw=2, label="mean of the folds")
    ax.axvline(model.alpha_, color=series(ax, 1), lw=1, ls="--", label=f"chosen, {model.alpha_:.3g}")
    ax.set(xscale="log", xlabel="penalty", ylabel="mean squared error")
    draw_legend(ax)
    return ax
