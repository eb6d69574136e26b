r"""The picture of learning as a choice: all functions F, hypotheses H among them, the truth f and the chosen h.

    error of h = distance(f, best of H) + distance(best of H, h)                bias and variance                    (1)

A small H leaves a gap between f and its best hypothesis; a large one has less of a gap, and its choice h depends more on the
sample.
"""

import numpy as np

from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.style import ink, series, shade
from novum.runtime.checks import check_count
from novum.runtime.random import seed_of
from novum.runtime.typing import Axes, Seed

__all__ = ["plot_hypothesis_space"]

TRUTH = np.array([2.6, 0.9])  # where the pictures of this kind put f: outside of both spaces
DEVIATION = 0.18  # standard deviation of h about the best hypothesis, in radii of its space


def ellipse(center: np.ndarray, width: float, height: float) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, 181)
    return center + np.column_stack([width * np.cos(angle), height * np.sin(angle)])


def plot_hypothesis_space(ax: Axes | None = None, *, n_samples: int = 12, random_state: Seed = 0) -> Axes:
    """Draw F, a small space H1 inside a larger H2, the truth and what samples choose in each.

    Parameters
    ----------
    ax : Axes, default=None
    n_samples : int, default=12
        Hypotheses chosen in each space, one per sample of data.
    random_state : int, Generator, RandomState or None, default=0

    Returns
    -------
    Axes

    Examples
    --------
    >>> from novum.teaching import plot_hypothesis_space
    >>> plot_hypothesis_space().get_title()
    'H1 inside H2 inside F'
    """
    n_samples = check_count("plot_hypothesis_space", "n_samples", n_samples)
    rng = np.random.default_rng(seed_of(random_state))
    ax = drawing_axes(ax)
    ax.plot(*ellipse(np.array([0.6, 0.3]), 3.2, 2.0).T, color=shade(ax, 0.3))
    ax.annotate("F", (-2.2, 1.4), fontsize="large")
    for name, center, size, color in (
        ("H1", np.array([-0.9, 0.0]), 0.6, series(ax, 0)),
        ("H2", np.array([-0.3, 0.1]), 1.7, series(ax, 3)),
    ):
        outline = ellipse(center, size, 0.8 * size)
        ax.plot(*outline.T, color=color, label=name)
        best = outline[((outline - TRUTH) ** 2).sum(axis=1).argmin()]
        ax.plot(*np.array([TRUTH, best]).T, color=color, ls=":", lw=1)
        chosen = best + DEVIATION * size * (rng.normal(size=(n_samples, 2)) - [0.8, 0.2])
        scaled = (chosen - center) / (size, 0.8 * size)
        chosen = center + scaled / np.maximum(1.0, np.linalg.norm(scaled, axis=1))[:, None] * (size, 0.8 * size)
        ax.scatter(*chosen.T, color=color, s=14, label=f"chosen in {name}")
    ax.plot(*TRUTH, "*", color=ink(ax), markersize=12, label="truth f")
    ax.set(xticks=[], yticks=[], xlabel="functions", ylabel="", title="H1 inside H2 inside F")
    ax.spines[:].set_visible(False)
    draw_legend(ax)
    return ax
