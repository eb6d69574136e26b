"""Bytes that a pass of each learner sends, by formula: d columns, k clusters, components, states or factors, C classes.

S is what a worker sends up and the client receives (statistics), P what the client sends down (parameters), in numbers of
8 bytes, of the pass that is repeated. Trees send histograms of d columns and so many bins: one for every leaf that a pass is
asked for, at most half the leaves of each tree that grows at once, because of two siblings one is counted and the other is the
difference. tests/fold/test_cluster_costs.py holds the formulas to the statistics of small fits.
"""

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["LEARNERS", "Learner", "Shape", "learner_named"]


class Shape(NamedTuple):
    """Sizes that the formulas speak of."""

    d: int = 100  # columns
    k: int = 10  # clusters, components, states, factors
    classes: int = 2
    bins: int = 256
    leaves: int = 31
    trees: int = 1  # that grow at once
    hidden: int = 100  # units of a network's one hidden layer
    sampled: int = 260_000  # rows that bins are made from: 200,000, and 1.3 times as many are sent
    starting: int = 2**16  # rows that k-means chooses its first centers from; 64 a center where that is more


class Learner(NamedTuple):
    """What the pass of a learner that is repeated sends, and how often it is made."""

    name: str
    statistics: Callable[[Shape], float]
    parameters: Callable[[Shape], float]
    formulas: tuple[str, str]  # of both, as the guide shows them
    passes: str

    def bytes(self, shape: Shape) -> tuple[float, float]:
        """Return S and P."""
        return 8 * self.statistics(shape), 8 * self.parameters(shape)


def learner_named(name: str) -> Learner:
    """Return the learner whose name begins so."""
    return next(learner for learner in LEARNERS if learner.name.startswith(name))


def gaussian_parameters(covariance: Callable[[Shape], float]) -> Callable[[Shape], float]:
    """Return the parameters of a Gaussian mixture: covariances and their factors, means, numbers of each component."""
    return lambda s: 2 * covariance(s) + s.k * s.d + 3 * s.k + s.d


def histograms(channels: Callable[[Shape], int]) -> Callable[[Shape], float]:
    """Return the histograms of half the leaves of all trees: 8 bytes for every channel of a bin, 4 for its count."""
    return lambda s: s.trees * max(1, s.leaves // 2) * s.d * s.bins * (channels(s) + 0.5)


def edges(s: Shape) -> float:
    """Return the edges of the bins."""
    return s.d * (s.bins - 2)


def weights(s: Shape) -> float:
    """Return the weights of a network of one hidden layer."""
    return (s.d + 1) * s.hidden + (s.hidden + 1) * s.classes


LEARNERS = [
    Learner(
        "LinearRegression, Ridge, Lasso, ElasticNet, BayesianRidge",
        lambda s: (s.d + 2) ** 2,
        lambda s: s.d + 1,
        ("(d + 2)²", "d"),
        "1",
    ),
    Learner(
        "LassoCV, ElasticNetCV (5 folds)", lambda s: 5 * (s.d + 2) ** 2, lambda s: s.d + 1, ("5 (d + 2)²", "d"), "1"
    ),
    Learner("PCA, FactorAnalysis", lambda s: (s.d + 1) ** 2, lambda s: s.d, ("(d + 1)²", "d"), "1"),
    Learner(
        "FastICA",
        lambda s: s.k * (2 * s.k + 2),
        lambda s: s.k * s.d + s.d,
        ("2 k²", "k d"),
        "one an iteration, after PCA's",
    ),
    Learner(
        "LogisticRegression, two classes",
        lambda s: (s.d + 1) ** 2 + s.d + 1,
        lambda s: s.d + 1,
        ("(d + 1)²", "d"),
        "one a step: 5 to 10",
    ),
    Learner(
        "LogisticRegression, C (d + 1) up to 2,048",
        lambda s: (s.classes * (s.d + 1)) ** 2 + s.classes * (s.d + 1),
        lambda s: s.classes * (s.d + 1),
        ("C² (d + 1)²", "C d"),
        "one a step: 5 to 10",
    ),
    Learner(
        "LogisticRegression, wider",
        lambda s: s.classes * (s.d + 1),
        lambda s: s.classes * (s.d + 1),
        ("C (d + 1)", "C d"),
        "one a product with the Hessian: 20 to 200",
    ),
    Learner(
        "PoissonRegressor, GammaRegressor, TweedieRegressor",
        lambda s: (s.d + 1) ** 2 + s.d + 1,
        lambda s: s.d + 1,
        ("(d + 1)²", "d"),
        "one a step: 5 to 10",
    ),
    Learner(
        "HuberRegressor",
        lambda s: (s.d + 2) ** 2 + s.d + 2,
        lambda s: s.d + 2,
        ("(d + 2)²", "d"),
        "one a step: 5 to 20",
    ),
    Learner(
        "LinearSVC",
        lambda s: (s.d + 1) ** 2 + s.d + 1,
        lambda s: s.d + 1,
        ("(d + 1)²", "d"),
        "one a step: 5 to 20",
    ),
    Learner(
        "LinearDiscriminantAnalysis",
        lambda s: s.d**2 + s.classes * s.d + 2 * s.classes,
        lambda s: s.classes * s.d,
        ("d² + C d", "C d"),
        "1, and one for the classes",
    ),
    Learner(
        "QuadraticDiscriminantAnalysis",
        lambda s: s.classes * (s.d**2 + s.d + 2),
        lambda s: s.classes * s.d,
        ("C d²", "C d"),
        "1, and one for the classes",
    ),
    Learner(
        "GaussianNB",
        lambda s: s.classes * (2 * s.d + 1),
        lambda s: s.classes * s.d,
        ("2 C d", "C d"),
        "1, and one for the classes",
    ),
    Learner(
        "MultinomialNB, BernoulliNB, ComplementNB",
        lambda s: s.classes * (s.d + 1),
        lambda s: 0,
        ("C d", "0"),
        "1, and one for the classes",
    ),
    Learner("KMeans", lambda s: s.k * (s.d + 1), lambda s: s.k * s.d, ("k (d + 1)", "k d"), "one an iteration"),
    Learner(
        "start of KMeans and of mixtures",
        lambda s: max(s.starting, 64 * s.k) * (s.d + 2),
        lambda s: 0,
        ("65,536 (d + 2)", "0"),
        "1 a start; a sample: all workers together send S",
    ),
    Learner(
        "GaussianMixture, full",
        lambda s: s.k * (s.d**2 + s.d + 1),
        gaussian_parameters(lambda s: s.k * s.d**2),
        ("k d²", "2 k d²"),
        "one an iteration, after k-means",
    ),
    Learner(
        "GaussianMixture, tied",
        lambda s: s.d**2 + s.k * (s.d + 1),
        gaussian_parameters(lambda s: s.d**2),
        ("d² + k d", "2 d² + k d"),
        "one an iteration, after k-means",
    ),
    Learner(
        "GaussianMixture, diag",
        lambda s: s.k * (2 * s.d + 1),
        gaussian_parameters(lambda s: s.k * s.d),
        ("2 k d", "3 k d"),
        "one an iteration, after k-means",
    ),
    Learner(
        "GaussianMixture, spherical",
        lambda s: s.k * (2 * s.d + 1),
        lambda s: 3 * s.k * s.d + 5 * s.k + s.d,
        ("2 k d", "3 k d"),
        "one an iteration, after k-means",
    ),
    Learner(
        "BernoulliMixture",
        lambda s: s.k * (2 * s.d + 1),
        lambda s: s.k * (s.d + 1),
        ("2 k d", "k d"),
        "one an iteration",
    ),
    Learner(
        "GaussianHMM, diag",
        lambda s: s.k * (s.k + 2 * s.d + 2),
        lambda s: s.k * (2 * s.k + 4 * s.d + 1),
        ("k² + 2 k d", "2 k² + 4 k d"),
        "one an iteration",
    ),
    Learner(
        "SelfOrganizingMap",
        lambda s: s.k * (s.d + 1),
        lambda s: s.k * s.d + s.k**2 / 8,
        ("k d", "k d + k²/8"),
        "one an epoch",
    ),
    Learner(
        "bins of trees and boosting",
        lambda s: s.sampled * (s.d + 1),
        lambda s: 0,
        ("260,000 (d + 1)", "0"),
        "1; a sample: all workers together send S",
    ),
    Learner(
        "HistGradientBoosting, a level of the trees",
        histograms(lambda s: 2),
        edges,
        ("2.5 · d · bins · leaves/2 · trees", "d · bins"),
        "depth + 1 an iteration; C trees where C > 2",
    ),
    Learner(
        "DecisionTreeClassifier, RandomForestClassifier, a level of the trees",
        histograms(lambda s: s.classes),
        edges,
        ("(C + ½) · d · bins · leaves/2 · trees", "d · bins"),
        "depth of the deepest tree",
    ),
    Learner(
        "MLPClassifier, solver lbfgs",
        weights,
        lambda s: 3 * weights(s),
        ("weights", "3 weights"),
        "one a step",
    ),
]
