r"""What a sample mean does: its distribution, the law of large numbers and the central limit theorem, to compute and to draw.

For independent x_1, ..., x_n with mean m and variance v, xbar_n their mean:

    E[xbar] = m,   var(xbar) = v / n                                                                          (12)
    P(|xbar - m| >= e) <= v / (n e^2)                       Chebyshev; tends to 0: law of large numbers       (13)
    sqrt(n) (xbar - m) / sqrt(v)  ->  N(0, 1)               central limit theorem                             (14)
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from novum.distributions.base import Distribution
from novum.distributions.continuous.normal import Normal
from novum.exceptions import DataError
from novum.report.axes import drawing_axes
from novum.report.legends import draw_legend
from novum.report.result import Result
from novum.report.style import ink, series, shade
from novum.runtime.checks import check_count, check_number
from novum.runtime.typing import Axes, Seed

__all__ = ["MeanPaths", "StandardizedMeans", "chebyshev_bound", "mean_paths", "sample_mean", "standardized_means"]

BINS = 40


def moments(owner: str, distribution: Any) -> tuple[float, float]:
    """Return mean and variance of a distribution of one number that has both."""
    mean, var = np.asarray(distribution.mean), np.asarray(distribution.var)
    if mean.shape or not np.isfinite(mean) or not np.isfinite(var):
        raise DataError(
            f"{owner}: {distribution!r} must be one distribution of a number with finite mean and variance."
        )
    return float(mean), float(var)


def sample_mean(distribution: Distribution, n: int) -> Normal:
    """Return the distribution of the mean of n draws: Normal with the moments (12), exact for a Normal, else in the limit (14).

        E[xbar] = m,   var(xbar) = v / n    (12)
        sqrt(n) (xbar - m) / sqrt(v)  ->  N(0, 1)   central limit theorem    (14)

    Examples
    --------
    >>> from novum.distributions import Exponential
    >>> from novum.teaching import sample_mean
    >>> sample_mean(Exponential(0.5), 100)
    Normal(mean=2., var=0.04)
    """
    mean, var = moments("sample_mean", distribution)
    return Normal(mean, var / check_count("sample_mean", "n", n))


def chebyshev_bound(distribution: Distribution, n: int, distance: float) -> float:
    """Return the bound (13) on the probability that the mean of n draws is off by `distance` or more.

    P(|xbar - m| >= e) <= v / (n e^2)   Chebyshev; tends to 0: law of large numbers    (13)
    """
    _, var = moments("chebyshev_bound", distribution)
    distance = check_number("chebyshev_bound", "distance", distance, 0, open_low=True)
    return min(1.0, var / (check_count("chebyshev_bound", "n", n) * distance**2))


@dataclass(frozen=True)
class MeanPaths(Result):
    """Running means of several samples: the law of large numbers at work.

    Attributes
    ----------
    means : ndarray of shape (n, n_paths)
        Row i: the mean of the first i + 1 draws of every path.
    mean, std : float
        Of the distribution.
    """

    means: NDArray[Any]
    mean: float
    std: float

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the paths and two standard deviations of (12) about the mean.

        E[xbar] = m,   var(xbar) = v / n    (12)
        """
        ax = drawing_axes(ax)
        n = np.arange(1, len(self.means) + 1)
        ax.plot(n, self.means, lw=0.8, alpha=0.7)
        band = 2 * self.std / np.sqrt(n)
        ax.fill_between(
            n, self.mean - band, self.mean + band, color=shade(ax, 0.5), alpha=0.2, label="two standard deviations"
        )
        ax.axhline(self.mean, color=ink(ax), lw=1)
        ax.set(xscale="log", xlabel="draws", ylabel="mean so far")
        draw_legend(ax)
        return ax


def mean_paths(distribution: Distribution, n: int = 1000, n_paths: int = 10, random_state: Seed = None) -> MeanPaths:
    """Return the running means of `n_paths` samples of n draws.

    Examples
    --------
    >>> from novum.distributions import Bernoulli
    >>> from novum.teaching import mean_paths
    >>> paths = mean_paths(Bernoulli(0.3), n=4000, n_paths=5, random_state=0)
    >>> bool(abs(paths.means[-1] - 0.3).max() < 0.03)
    True
    """
    mean, var = moments("mean_paths", distribution)
    size = check_count("mean_paths", "n", n), check_count("mean_paths", "n_paths", n_paths)
    drawn = np.asarray(distribution.sample(size, random_state=random_state), dtype=np.float64)
    means = np.cumsum(drawn, axis=0) / np.arange(1, n + 1)[:, None]
    return MeanPaths(means, mean, float(np.sqrt(var)))


@dataclass(frozen=True)
class StandardizedMeans(Result):
    """Draws of the left side of (14).

        sqrt(n) (xbar - m) / sqrt(v)  ->  N(0, 1)   central limit theorem    (14)

    Attributes
    ----------
    values : ndarray of shape (size,)
    n : int
        Draws behind every value.
    """

    values: NDArray[Any]
    n: int

    @property
    def distance(self) -> float:
        """Largest distance between their distribution function and that of N(0, 1): Kolmogorov's."""
        below = ndtr(np.sort(self.values))
        steps = np.arange(len(below) + 1) / len(below)
        return float(max((steps[1:] - below).max(), (below - steps[:-1]).max()))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw their histogram under the standard normal density."""
        ax = drawing_axes(ax)
        ax.hist(self.values, BINS, density=True, color=series(ax, 0), alpha=0.5, label=f"means of {self.n}")
        x = np.linspace(-4, 4, 201)
        ax.plot(x, np.exp(-x * x / 2) / np.sqrt(2 * np.pi), color=series(ax, 3), label="N(0, 1)")
        ax.set(xlabel="standardized mean", ylabel="density", xlim=(-4, 4))
        draw_legend(ax)
        return ax


def standardized_means(
    distribution: Distribution, n: int, size: int = 2000, random_state: Seed = None
) -> StandardizedMeans:
    """Return `size` draws of sqrt(n) (xbar - m) / sqrt(v).

    Examples
    --------
    >>> from novum.distributions import Exponential
    >>> from novum.teaching import standardized_means
    >>> few, many = (standardized_means(Exponential(1.0), n, random_state=0).distance for n in (1, 100))
    >>> few > 0.1 > many
    True
    """
    mean, var = moments("standardized_means", distribution)
    shape = check_count("standardized_means", "size", size), check_count("standardized_means", "n", n)
    drawn = np.asarray(distribution.sample(shape, random_state=random_state), dtype=np.float64)
    return StandardizedMeans(np.sqrt(n / var) * (drawn.mean(axis=1) - mean), n)
