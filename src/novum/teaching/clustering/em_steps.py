"""The steps of EM on a Gaussian mixture in the plane, as a row of panels."""

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from novum.exceptions import DataError, NotConverged
from novum.mixture.plots import check_plane, plot_ellipses
from novum.report.axes import new_figure
from novum.runtime.typing import Axes, Fittable, Rows

__all__ = ["plot_em_steps"]


def plot_em_steps(
    model: Fittable, X: Rows, *, steps: tuple[int, ...] = (0, 1, 2, 5, 20), ax: Axes | None = None
) -> Any:
    """Draw what EM does: the mixture after so many passes, each in a panel with its mean log-likelihood.

    Parameters
    ----------
    model : GaussianMixture
        Not fitted; its start is the first picture.
    X : array-like of shape (n_samples, 2)
    steps : tuple of int, default=(0, 1, 2, 5, 20)
        Passes after which to draw.
    ax : sequence of matplotlib axes, default=None
        One per step; None makes a figure.

    Returns
    -------
    array of matplotlib axes

    Examples
    --------
    >>> import numpy as np
    >>> from novum.mixture import GaussianMixture
    >>> from novum.teaching import plot_em_steps
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> axes = plot_em_steps(GaussianMixture(2, random_state=0), X, steps=(0, 3))
    >>> [ax.get_title().partition(":")[0] for ax in axes]
    ['start', 'after 3']
    """
    X = check_plane(X, "plot_em_steps")
    if ax is None:
        figure = new_figure(3 * len(steps), 3)
        ax = figure.subplots(1, len(steps), sharex=True, sharey=True, squeeze=False)
    axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
    if len(axes) < len(steps):
        raise DataError(f"plot_em_steps: {len(steps)} steps need as many axes; {len(axes)} were given.")
    for ax, step in zip(axes, steps):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NotConverged)  # it is stopped on purpose
            there = clone(model).set_params(max_iter=step, tol=0.0, n_init=1).fit(X)
        plot_ellipses(there, X, ax=ax)
        ax.set_title(f"{'start' if step == 0 else f'after {step}'}: {there.score(X):.3f}")
    return axes[: len(steps)]
