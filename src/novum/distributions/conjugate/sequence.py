r"""How a posterior sharpens: the same prior after the first n observations, for growing n.

    p(theta | x_1, ..., x_n),     n = n_1 < n_2 < ...                                                         (18)

Each is the update of the one before by the observations between: data are read once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from novum.exceptions import ParameterError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.report.style import SEQUENTIAL
from novum.runtime.typing import Axes, Numbers

__all__ = ["PosteriorSequence", "posterior_sequence"]

POINTS = 400
WIDTH = 4.0  # standard deviations of the widest curve that are drawn
TURNS = 121  # points of an ellipse


@dataclass(frozen=True)
class PosteriorSequence(Result):
    """Posteriors (18).

        p(theta | x_1, ..., x_n),   n = n_1 < n_2 < ...    (18)

    Attributes
    ----------
    sizes : list of int
        Observations behind each; 0 is the prior.
    posteriors : list of distributions
    """

    sizes: list[int]
    posteriors: list[Any]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the densities as curves, or those of a vector of two as ellipses that hold 39 % (one standard deviation)."""
        ax = drawing_axes(ax)
        if self.posteriors[0].event_shape == (2,):
            return self._ellipses(ax)
        if self.posteriors[0].event_shape:
            raise ParameterError("PosteriorSequence.plot draws numbers and vectors of two; take a marginal first.")
        low = min(float(p.mean) - WIDTH * float(p.std) for p in self.posteriors)
        high = max(float(p.mean) + WIDTH * float(p.std) for p in self.posteriors)
        support = self.posteriors[0].support
        x = np.linspace(max(low, support.low), min(high, support.high), POINTS)
        for color, n, posterior in zip(self._colors(), self.sizes, self.posteriors):
            ax.plot(x, posterior.prob(x), color=color, label=f"n = {n}" if n else "prior")
        ax.set(xlabel="parameter", ylabel="density", ylim=(0, None))
        draw_legend(ax)
        return ax

    def _colors(self) -> Any:
        from matplotlib import colormaps

        return colormaps[SEQUENTIAL](np.linspace(0.85, 0.1, len(self.sizes)))

    def _ellipses(self, ax: Any) -> Any:
        turn = np.linspace(0, 2 * np.pi, TURNS)
        circle = np.array([np.cos(turn), np.sin(turn)])
        for color, n, posterior in zip(self._colors(), self.sizes, self.posteriors):
            edge = posterior.mean[:, None] + np.linalg.cholesky(posterior.cov) @ circle
            ax.plot(*edge, color=color, label=f"n = {n}" if n else "prior")
            ax.plot(*posterior.mean, "+", color=color)
        ax.set(xlabel="first coordinate", ylabel="second coordinate")
        draw_legend(ax)
        return ax


def posterior_sequence(prior: Any, data: Numbers, sizes: Sequence[int], likelihood: Any = None) -> PosteriorSequence:
    """Return the posteriors after the first n observations, for every n in sizes.

    Parameters
    ----------
    prior : a conjugate prior
    data : array-like of shape (n, ...)
        In memory, in the order of arrival.
    sizes : increasing numbers of observations
        0 shows the prior.
    likelihood : distribution or family, optional
        As in `update` of the prior.

    Returns
    -------
    PosteriorSequence
        `.plot()` draws it.

    Examples
    --------
    >>> from novum.distributions import Normal, posterior_sequence
    >>> found = posterior_sequence(Normal(0, 1), [1.0, 2.0, 3.0], (0, 1, 3), likelihood=Normal(var=1.0))
    >>> [round(float(p.var), 6) for p in found.posteriors]
    [1.0, 0.5, 0.25]
    """
    rows = np.asarray(data)
    counts = [int(n) for n in sizes]
    if not counts or counts[0] < 0 or counts[-1] > len(rows) or any(b <= a for a, b in pairwise(counts)):
        raise ParameterError(f"posterior_sequence(sizes={sizes!r}): give increasing numbers from 0 to {len(rows)}.")
    posterior, before, found = prior, 0, []
    for n in counts:
        posterior = posterior.update(rows[before:n], likelihood) if n > before else posterior
        found.append(posterior)
        before = n
    return PosteriorSequence(counts, found)
