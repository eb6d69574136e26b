"""Bytes that a pass of each learner sends, by formula: n rows, d columns, k clusters, components or states, C classes.

S is what a worker sends up and the client receives (the statistics), P what the client sends down (the parameters), both of the
pass that is repeated; 8 bytes a number. The statistics of trees are R histograms of d columns and `bins` bins, where R is the number
of leaves that a pass is asked for: at most half the leaves of a tree for every tree that grows at once, because of two
siblings one is counted and the other is the difference. tests/fold/test_cluster_costs.py holds them to the statistics of small fits.
"""

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["LEARNERS", "Learner", "Shape"]

SAMPLE = 200_000  # rows of the sample that bins are made from
AMPLE = 1.3  # times as many come, at most: some may not be taken


class Shape(NamedTuple):
    """Sizes that the formulas speak of."""

    d: int = 100  # columns
    k: int = 10  # clusters, components, states, factors
    classes: int = 2
    bins: int = 256
    leaves: int = 31
    trees: int = 1  # that grow at once
    hidden: int = 100  # units of the one hidden layer


class Learner(NamedTuple):
    """What the pass of a learner that is repeated sends, in numbers of 8 bytes, and how many there are."""

    name: str
    statistics: Callable[[Shape], float]
    parameters: Callable[[Shape], float]
    passes: str

    def bytes(self, shape: Shape) -> tuple[float, float]:
        """Return S and P."""
        return 8 * self.statistics(shape), 8 * self.parameters(shape)


def gaussian_parameters(covariance: Callable[[Shape], float]) -> Callable[[Shape], float]:
    """Return the parameters of a Gaussian mixture: covariances and their factors, means, and numbers for each component."""
    return lambda s: 2 * covariance(s) + s.k * s.d + 3 * s.k + s.d


def histogram_numbers(channels: Callable[[Shape], int]) -> Callable[[Shape], float]:
    """Return the histograms of half the leaves of all trees: 8 bytes for every channel of a bin, 4 for its count."""
    return lambda s: s.trees * max(1, s.leaves // 2) * s.d * s.bins * (channels(s) + 0.5)


def edges(s: Shape) -> float:
    """Return the edges of the bins, and what else is told of a column."""
    return s.d * (s.bins - 2)


LEARNERS = [
    Learner("LinearRegression, Ridge, Lasso", lambda s: (s.d + 2) ** 2, lambda s: s.d + 1, "1"),
    Learner("PCA, FactorAnalysis, ProbabilisticPCA", lambda s: (s.d + 1) ** 2, lambda s: s.d, "1"),
    Learner(
        "LogisticRegression, two classes, Newton",
        lambda s: (s.d + 1) ** 2 + s.d + 1,
        lambda s: s.d + 1,
        "one a step (5 to 10)",
    ),
    Learner(
        "LogisticRegression, C classes, first pass of Newton",
        lambda s: (s.classes * (s.d + 1)) ** 2 + s.classes * (s.d + 1),
        lambda s: s.classes * (s.d + 1),
        "1",
    ),
    Learner(
        "LogisticRegression, gradients (L-BFGS)",
        lambda s: s.classes * (s.d + 1),
        lambda s: s.classes * (s.d + 1),
        "one a step (20 to 100)",
    ),
    Learner("PoissonRegressor", lambda s: (s.d + 1) ** 2 + s.d + 1, lambda s: s.d + 1, "one a step (5 to 10)"),
    Learner(
        "LinearDiscriminantAnalysis",
        lambda s: s.d**2 + s.classes * s.d + 2 * s.classes,
        lambda s: s.classes * s.d,
        "2",
    ),
    Learner(
        "QuadraticDiscriminantAnalysis",
        lambda s: s.classes * (s.d**2 + s.d + 2),
        lambda s: s.classes * s.d,
        "2",
    ),
    Learner("GaussianNB", lambda s: s.classes * (2 * s.d + 1), lambda s: s.classes * s.d, "2"),
    Learner("KMeans", lambda s: s.k * (s.d + 1), lambda s: s.k * s.d, "one an iteration, and the start"),
    Learner(
        "GaussianMixture, full",
        lambda s: s.k * (s.d**2 + s.d + 1),
        gaussian_parameters(lambda s: s.k * s.d**2),
        "one an iteration, and k-means",
    ),
    Learner(
        "GaussianMixture, tied",
        lambda s: s.d**2 + s.k * (s.d + 1),
        gaussian_parameters(lambda s: s.d**2),
        "one an iteration, and k-means",
    ),
    Learner(
        "GaussianMixture, diag",
        lambda s: s.k * (2 * s.d + 1),
        gaussian_parameters(lambda s: s.k * s.d),
        "one an iteration, and k-means",
    ),
    Learner(
        "GaussianMixture, spherical",
        lambda s: s.k * (2 * s.d + 1),
        lambda s: s.k * s.d + 5 * s.k + s.d,
        "one an iteration, and k-means",
    ),
    Learner(
        "GaussianHMM, diag",
        lambda s: s.k * (s.k + 2 * s.d + 2),
        lambda s: s.k * (s.k + 2 * s.d + 1),
        "one an iteration",
    ),
    Learner(
        "HistGradientBoosting: a level of a tree",
        histogram_numbers(lambda s: 2),
        edges,
        "depth + 1 a tree",
    ),
    Learner(
        "DecisionTree, RandomForest: a level of all trees",
        histogram_numbers(lambda s: s.classes),
        edges,
        "depth of the deepest tree",
    ),
    Learner(
        "bins of trees and boosting (once)",
        lambda s: AMPLE * SAMPLE * (s.d + 1),
        lambda s: 0,
        "1",
    ),
]
