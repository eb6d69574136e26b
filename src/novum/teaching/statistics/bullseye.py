"""Bias and variance as shots at a target."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from novum.evaluation.bias_variance.result import PLACES
from novum.report.axes import drawing_panels
from novum.report.style import series, shade
from novum.runtime.random import seed_of
from novum.runtime.typing import Axes, Seed

__all__ = ["plot_bullseye"]


def plot_bullseye(
    results: Mapping[str, Any] | None = None,
    ax: Sequence[Axes] | None = None,
    *,
    points: tuple[int, int] = (0, -1),
    random_state: Seed = 0,
) -> list[Axes]:
    """Draw targets: each dot is a model from another training set, the center is the truth.

    Parameters
    ----------
    results : dict of title to BiasVariance, default=None
        Learners whose predictions at two points are the coordinates of a dot. None draws the textbook's four: low and high bias and
        variance, from normal draws.
    ax : sequence of matplotlib axes, default=None
    points : (int, int), default=(0, -1)
        Which two test points.
    random_state : int, Generator, RandomState, SeedSequence or None, default=0
        Of the textbook's four.

    Returns
    -------
    list of axes

    Examples
    --------
    >>> from novum.teaching import plot_bullseye
    >>> [ax.get_title() for ax in plot_bullseye()][:2]
    ['low bias, low variance', 'low bias, high variance']
    """
    if results is None:
        generator = np.random.default_rng(seed_of(random_state))
        clouds = {
            f"{'high' if bias else 'low'} bias, {'high' if high_variance else 'low'} variance": 2.2 * bias
            + (0.9 if high_variance else 0.25) * generator.normal(size=(25, 2))
            for bias in (0, 1)
            for high_variance in (0, 1)
        }
        reach = 4.0
    else:
        clouds = {
            name: np.stack([part.predictions[:, i] - part.truth[i] for i in points], axis=1)
            for name, part in results.items()
        }
        reach = 1.1 * max(float(np.abs(cloud).max()) for cloud in clouds.values()) or 1.0
    panels = drawing_panels(len(clouds)) if ax is None else list(ax)
    turn = np.linspace(0, 2 * np.pi, 200)
    for ax, (name, cloud) in zip(panels, clouds.items()):
        for radius in reach * np.array([0.25, 0.5, 0.75, 1.0]):
            ax.plot(radius * np.cos(turn), radius * np.sin(turn), color=shade(ax, 0.8), lw=1)
        ax.plot(cloud[:, 0], cloud[:, 1], "o", ms=4, color=series(ax, PLACES["bias"]), alpha=0.7)
        ax.plot(0, 0, "+", ms=12, color=series(ax, PLACES["variance"]))
        ax.set(title=name, aspect="equal", xlabel="error at the first point", ylabel="error at the second")
    return panels
