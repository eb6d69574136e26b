r"""Two readings of the sums of squares: where they bend, and where they fall further than without clusters.

    elbow  the k whose point (k, J_k) lies furthest below the chord from the first point to the last, both axes to one    (1)
    gap    Gap(k) = mean over references of log J*_k  -  log J_k                                                        (2)
           s_k = deviation of log J*_k sqrt(1 + 1/B);  the least k with  Gap(k) >= Gap(m) - s_m,                        (3)
           m the number with the largest gap ("global"), or k + 1 ("first")

A reference has as many rows, uniform in the box around X along its principal axes (Tibshirani, Walther and Hastie 2001, who take
"first": it stops at 1 where two clusters fit three badly, as they do at the corners of a triangle).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novum.cluster.number.partitions import checked_range, checked_rows, partitions
from novum.exceptions import ParameterError
from novum.report.result import Result
from novum.report.style import series, shade
from novum.runtime.random import Stream, seed_of
from novum.runtime.typing import Fittable, Rows, Seed

__all__ = ["Elbow", "Gap", "elbow", "gap_statistic", "mark"]

TINY = np.finfo(np.float64).tiny


def mark(ax: Any, numbers: NDArray, values: NDArray, best: int | None, name: str) -> None:
    """Draw a criterion over the number of clusters, with a ring around the one it chooses."""
    ax.plot(numbers, values, marker="o", color=series(ax, 0))
    if best is not None:
        place = int(np.flatnonzero(np.asarray(numbers) == best)[0])
        ax.plot(
            [best], [values[place]], marker="o", markersize=14, fillstyle="none", color=series(ax, 3), linestyle="none"
        )
    ax.set_xlabel("clusters")
    ax.set_ylabel(name)


@dataclass(repr=False)
class Elbow(Result):
    """Errors by number of clusters, and the number where they bend."""

    n_clusters: NDArray
    error: NDArray  # sum of squared distances to the means
    below_chord: NDArray  # (1), in units of both axes
    best: int
    labels: list = field(default_factory=list)

    def _result_columns(self) -> dict[str, Any]:
        return {"n_clusters": self.n_clusters, "error": self.error, "below_chord": self.below_chord}

    def _result_scalars(self) -> dict[str, Any]:
        return {"best": self.best}

    def _result_picture(self, ax: Any) -> None:
        mark(ax, self.n_clusters, self.error, self.best, "sum of squared distances")
        ends = [0, -1]
        ax.plot(self.n_clusters[ends], self.error[ends], color=shade(ax, 0.6), linestyle="--", linewidth=1)
        ax.set_title(f"elbow at {self.best}")


def bend_of(numbers: NDArray, error: NDArray) -> tuple[NDArray, int]:
    """Return (1): how far every point lies below the chord, and the number with the most."""
    height = error[0] - error[-1]
    if height <= 0:
        return np.zeros(len(error)), int(numbers[0])
    across = (numbers - numbers[0]) / (numbers[-1] - numbers[0])
    below = ((1 - across) - (error - error[-1]) / height) / np.sqrt(2)
    return below, int(numbers[int(np.argmax(below))])


def elbow(X: Rows, clusterer: Fittable | None = None, *, max_clusters: int = 10, random_state: Seed = None) -> Elbow:
    """Return the sum of squared distances for 1 to `max_clusters` clusters, and where it bends.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    clusterer : estimator with n_clusters, default=None
        None is k-means from several starts. Whatever it is, errors are those to the means of its clusters.
    max_clusters : int, default=10
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    Elbow
        `n_clusters`, `error`, `below_chord`, `best`, and the `labels` for every number; `plot()` draws it.

    Notes
    -----
    There is no rule in the bend: `best` is the point furthest below the chord, a heuristic that never says 1.

    Examples
    --------
    >>> from novum.cluster import elbow
    >>> found = elbow([[1.0], [2], [3], [8], [9], [10]], max_clusters=6, random_state=0)
    >>> found.error.round(6).tolist(), found.best
    ([77.5, 4.0, 2.5, 1.0, 0.5, 0.0], 2)
    """
    X = checked_rows(X, "elbow")
    numbers = checked_range(max_clusters, len(X), "elbow")
    found = list(partitions(X, numbers, clusterer, random_state))
    error = np.array([part.error for part in found])
    below, best = bend_of(np.array(numbers), error)
    return Elbow(np.array(numbers), error, below, best, [part.labels for part in found])


@dataclass(repr=False)
class Gap(Result):
    """Gap statistics by number of clusters, and the number they choose."""

    n_clusters: NDArray
    gap: NDArray  # (2)
    error: NDArray  # s_k of (3)
    log_error: NDArray  # log J_k
    reference: NDArray  # mean of log J*_k
    best: int

    def _result_picture(self, ax: Any) -> None:
        mark(ax, self.n_clusters, self.gap, self.best, "gap")
        ax.errorbar(self.n_clusters, self.gap, yerr=self.error, color=series(ax, 0), linestyle="none", capsize=3)
        ax.set_title(f"gap statistic: {self.best}")


def gap_statistic(
    X: Rows,
    clusterer: Fittable | None = None,
    *,
    max_clusters: int = 10,
    n_references: int = 20,
    rule: str = "global",
    random_state: Seed = None,
) -> Gap:
    """Return by how much the clusters of X are tighter than those of rows without clusters.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    clusterer : estimator with n_clusters, default=None
        None is k-means from several starts.
    max_clusters : int, default=10
    n_references : int, default=20
        Samples without clusters to compare with.
    rule : {"global", "first"}, default="global"
        The least number whose gap is within one error of the largest, or of that of the next number.
    random_state : int, numpy Generator, RandomState, SeedSequence or None, default=None

    Returns
    -------
    Gap
        `n_clusters`, `gap`, `error`, `log_error`, `reference` and `best`; it can say 1. `plot()` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from novum.cluster import gap_statistic
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + 8])
    >>> gap_statistic(X, max_clusters=4, random_state=0).best
    2
    """
    X = checked_rows(X, "gap_statistic")
    numbers = checked_range(max_clusters, len(X), "gap_statistic")
    if rule not in ("global", "first"):
        raise ParameterError(f"gap_statistic(rule={rule!r}): give 'global' or 'first'.")
    if not isinstance(n_references, int | np.integer) or n_references < 2:
        raise ParameterError(f"gap_statistic(n_references={n_references!r}): a deviation needs 2 samples or more.")
    stream = Stream(seed_of(random_state))
    seeds = stream.integers("gap", 0, n_references + 1, 2**31)
    log_error = log_errors(X, numbers, clusterer, int(seeds[-1]))
    center = X.mean(axis=0)
    _, _, axes = np.linalg.svd(X - center, full_matrices=False)
    turned = (X - center) @ axes.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    logs = np.empty((n_references, len(numbers)))
    for b in range(n_references):
        uniform = stream.uniform("gap reference", b, len(X), turned.shape[1])
        reference = (low + uniform * (high - low)) @ axes
        logs[b] = log_errors(reference, numbers, clusterer, int(seeds[b]))
    gap = logs.mean(axis=0) - log_error
    error = logs.std(axis=0) * np.sqrt(1 + 1 / n_references)
    if rule == "first":
        enough = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:])
    else:
        top = int(np.argmax(gap))
        enough = np.flatnonzero(gap >= gap[top] - error[top])
    best = int(numbers[int(enough[0])] if len(enough) else numbers[-1])
    return Gap(np.array(numbers), gap, error, log_error, logs.mean(axis=0), best)


def log_errors(X: NDArray, numbers: range, clusterer: Any, seed: int) -> NDArray:
    """Return log J_k for every number of clusters."""
    return np.log([max(part.error, TINY) for part in partitions(X, numbers, clusterer, seed)])
