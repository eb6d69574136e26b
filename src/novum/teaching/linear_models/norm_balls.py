"""Norm balls against the contours of the error.

A constraint |b|_1 <= t or |b|_2 <= t and a penalty lambda |b| have the same solutions: the ball that the smallest ellipse of
constant squared error touches. The ball of L1 has corners on the axes, so the touching point often has a zero coordinate.
"""

from collections.abc import Sequence

import numpy as np

from novum.exceptions import DataError
from novum.linear_model.penalized.gram_paths import Rule, penalties, trace_gram
from novum.report.axes import drawing_panels
from novum.report.style import series, shade
from novum.runtime.typing import Axes, Rows, Target

__all__ = ["plot_norm_balls"]

NAMES = {"l1": "lasso", "l2": "ridge"}
STEPS = 200  # penalties along a drawn curve


def solutions(xx: np.ndarray, xy: np.ndarray, yy: float, norm: str) -> np.ndarray:
    """Return the coefficients (2, STEPS) from a crushing penalty to nearly none, for "l1" or "l2"."""
    if norm == "l1":
        top = np.abs(xy).max()
        path = penalties(np.geomspace(top, 1e-5 * top, STEPS), 1.0, 1.0)
        return trace_gram(xx, xy, yy, path, Rule(1e-12, 10_000)).coef
    top = np.trace(xx)
    return np.column_stack(
        [np.linalg.solve(xx + a * np.eye(2), xy) for a in np.geomspace(1e3 * top, 1e-5 * top, STEPS)]
    )


def plot_norm_balls(X: Rows, y: Target, *, radius: float | None = None, ax: Sequence[Axes] | None = None) -> list[Axes]:
    """Draw the error of two coefficients as ellipses, the L1 and the L2 ball that touch one, and the paths of solutions.

    Parameters
    ----------
    X : array-like of shape (n_samples, 2)
        Two features; they and y are centered here.
    y : array-like of shape (n_samples,)
    radius : float, default=None
        Of both balls in their own norm; None takes half of the norm of the least-squares coefficients.
    ax : two matplotlib axes, default=None
        None draws on a new figure.

    Returns
    -------
    axes : list of two axes, for L1 and L2

    Examples
    --------
    >>> import numpy as np
    >>> from novum.teaching import plot_norm_balls
    >>> X = np.array([[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]])
    >>> [ax.get_title() for ax in plot_norm_balls(X, [-1.0, 0.5, 1.0])]
    ['lasso', 'ridge']
    """
    X, y = np.asarray(X, float), np.asarray(y, float)
    if X.ndim != 2 or X.shape[1] != 2:
        raise DataError(f"plot_norm_balls: X of shape {X.shape}; a picture of two coefficients needs two columns.")
    X, y = X - X.mean(axis=0), y - y.mean()
    xx, xy, yy = X.T @ X, X.T @ y, float(y @ y)
    free = np.linalg.lstsq(X, y)[0]
    panels = drawing_panels(2) if ax is None else list(ax)
    for ax, norm, order in zip(panels, ("l1", "l2"), (1, 2)):
        t = 0.5 * np.linalg.norm(free, order) if radius is None else radius
        path = solutions(xx, xy, yy, norm)
        sizes = np.linalg.norm(path, order, axis=0)  # growing
        touching = np.array([np.interp(t, sizes, coordinate) for coordinate in path])
        reach = 1.3 * max(np.abs(free).max(), t)
        grid = np.linspace(-reach, reach, STEPS)
        B = np.stack(np.meshgrid(grid, grid))
        error = np.einsum("iab,ij,jab->ab", B, xx, B) - 2 * np.einsum("iab,i->ab", B, xy) + yy
        at = touching @ xx @ touching - 2 * touching @ xy + yy
        least = yy - xy @ free
        ax.contour(
            grid,
            grid,
            error,
            levels=least + (at - least) * np.array([0.1, 0.4, 1.0, 2.0]),
            colors=series(ax, 0),
            linewidths=1,
        )
        angle = np.linspace(0, 2 * np.pi, 4 * STEPS + 1)
        ball = np.array([np.cos(angle), np.sin(angle)])
        ball *= t / np.linalg.norm(ball, order, axis=0)
        ax.fill(*ball, color=series(ax, 1), alpha=0.25)
        ax.plot(*path, color=shade(ax, 0.2), lw=1.5)
        ax.plot(*free, "o", color=series(ax, 0))
        ax.plot(*touching, "o", color=series(ax, 1))
        ax.axhline(0, color=shade(ax, 0.8), lw=0.8, zorder=0)
        ax.axvline(0, color=shade(ax, 0.8), lw=0.8, zorder=0)
        ax.set(title=NAMES[norm], xlabel="$b_1$", ylabel="$b_2$", aspect="equal")
    return panels
