"""One public call for every picture of the chapters on networks, losses, groups, decisions over time and structured kernels."""

import warnings

import networkx as nx
import numpy as np

from novum import teaching
from novum.activations import sigmoid, step
from novum.bandits import UCB1, BernoulliBandit, ThompsonSampling, simulate
from novum.cluster import choose_clusters, elbow, linkage, plot_dendrogram
from novum.decomposition import PCA, plot_components
from novum.exceptions import NotConverged
from novum.kernels import Spectrum, wl_isomorphism_test
from novum.losses import EpsilonInsensitiveLoss, HingeLoss, PerceptronLoss, ZeroOneLoss
from novum.mixture import GaussianMixture, plot_ellipses
from novum.neural_network import MLPClassifier, plot_graph
from novum.optimize import gradient_descent, newton, plot_descent
from novum.reinforcement import (
    MDP,
    TD,
    LearningCurve,
    MonteCarloPrediction,
    plot_learning_curves,
    policy_iteration,
    room_4x3,
    value_iteration,
)


def rng(seed=0):
    return np.random.default_rng(seed)


def bowl(x):
    return x[0] ** 2 + 8 * x[1] ** 2


def slope(x):
    return np.array([2 * x[0], 16 * x[1]])


def blobs():
    X = np.concatenate([rng(k).normal(center, 0.6, (30, 2)) for k, center in enumerate(([0, 0], [4, 1], [1, 4]))])
    return X, np.repeat([0, 1, 2], 30)


def unlike():
    """Return rows of a long and of an upright group."""
    return np.vstack([rng(0).normal(size=(80, 2)) @ [[2.0, 0.8], [0, 0.5]], rng(1).normal([7, 3], [0.6, 1.5], (60, 2))])


def network(**options):
    X, y = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return MLPClassifier((5, 3), activation="tanh", random_state=0, **options).fit(X, y)


def descents():
    paths = {
        "descent": gradient_descent(bowl, [3.0, 1.0], gradient=slope, learning_rate=0.1, keep_path=True),
        "Newton": newton(bowl, [3.0, 1.0], gradient=slope, keep_path=True),
    }
    return plot_descent(bowl, paths)


def club():
    graph = nx.karate_club_graph()
    sides = np.array([held["club"] for _, held in graph.nodes(data=True)])
    return plot_graph(graph, sides, marked=np.isin(np.arange(34), [0, 33]))


def growing_returns():
    steps = np.arange(10, 410, 10)
    runs = {
        name: [
            LearningCurve(steps, height * (1 - np.exp(-steps / 80)) + rng(k).normal(0, 0.6, 40), np.full(40, 10))
            for k in range(4)
        ]
        for name, height in (("table", 3.0), ("network", 4.0))
    }
    return plot_learning_curves(runs, window=5)


def visits():
    """Draw both kinds of Monte Carlo on one picture."""
    loop = MDP({"a": {"x": [(0.8, "a", 1.0), (0.2, "end", 1.0)]}}, terminal=["end"])
    ax = None
    for kind in ("first", "every"):
        ax = (
            MonteCarloPrediction(200, visits=kind, n_runs=100, random_state=0)
            .fit(loop)
            .plot(ax=ax, label=f"{kind} visit")
        )
    return ax


def differences():
    """Draw temporal differences and Monte Carlo on one picture."""
    common = {"n_episodes": 100, "n_runs": 60, "initial_value": 0.5, "random_state": 0}
    walk = teaching.random_walk()
    ax = TD(learning_rate=0.05, **common).fit(walk).plot(label="TD(0), rate 0.05")
    model = MonteCarloPrediction(visits="every", learning_rate=0.02, **common).fit(walk)
    return model.plot(ax=ax, label="Monte Carlo, rate 0.02")


def regret():
    arms = BernoulliBandit([0.9, 0.8, 0.5])
    found = simulate(
        arms, {"UCB1": UCB1(), "Thompson": ThompsonSampling()}, 500, n_runs=40, n_points=25, random_state=0
    )
    return found.plot(bounds=["lai-robbins"])


def tree_of_rows():
    rows = np.concatenate([rng(0).normal(0, 0.5, 8), rng(1).normal(4, 0.5, 7), [9.0]])
    return plot_dendrogram(linkage(rows[:, None], "complete"), n_clusters=3)


def hidden_units():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        return teaching.plot_universal_approximation(n_hidden=3)


def principal_axes(seed=0):
    X = rng(seed).normal(size=(80, 2)) @ [[2.0, 1.2], [0.0, 0.6]] + [3, 1]
    return plot_components(PCA().fit(X), X)


LEARNERS = {
    "000-a/fig-pca": ("Rows with their principal axes, and in those axes", principal_axes),
    "003/fig-pca": ("The directions in which rows vary most", lambda: principal_axes(1)),
    "000-b/plot-boolean": (
        "XOR takes two lines and a unit above them",
        lambda: teaching.logic_to_network([0, 1, 1, 0], form="dnf").plot_regions(),
    ),
    "000-b/plot-loss-vs-weight": (
        "Mistakes are steps in a weight, the criterion is not",
        lambda: teaching.plot_risk(
            [ZeroOneLoss(), PerceptronLoss()], [[1.0, 0.5], [1.0, -1.0], [1.0, 2.0]], [1, -1, 1], [0.2, 7.0], index=1
        ),
    ),
    "000-b/plot-hinge": (
        "Losses by the margin",
        lambda: teaching.plot_losses([HingeLoss(), ZeroOneLoss(), PerceptronLoss()]),
    ),
    "000-b/plot-eps-loss": (
        "A loss that is free within a tube",
        lambda: teaching.plot_losses(EpsilonInsensitiveLoss(0.5)),
    ),
    "000-b/plot-subgradients": (
        "Lines that support a kink",
        lambda: teaching.plot_subgradients(lambda m: max(0.0, 1 - m), 1.0, n_lines=4),
    ),
    "002/plot-newton-vs-gd": ("Steps of descent and of Newton on contours", descents),
    "000-c/plot-spectrum": (
        "Words of three letters that two strings share",
        lambda: Spectrum(3).compare("banana", "ananas").plot(),
    ),
    "000-c/plot-wl": (
        "Nodes renamed by their neighbors, round by round",
        lambda: wl_isomorphism_test(nx.path_graph(4), nx.star_graph(3)).plot(),
    ),
    "000-c/graph-drawing": ("A graph by its two sides", club),
    "000-c/plot-mlp": ("Layers with their formulas", lambda: network(max_iter=200).plot_network()),
    "002/plot-mlp-diagram": ("A network of two hidden layers", lambda: network(max_iter=50).plot_network()),
    "004/network-diagram": ("A feed-forward network", lambda: network(max_iter=5).plot_network(most_units=4)),
    "000-c/plot-learning-curves": (
        "Loss and validation score by epoch",
        lambda: network(early_stopping=True, max_iter=60, learning_rate_init=0.02, n_iter_no_change=30).plot_training(),
    ),
    "000-c/plot-activations": ("Activations, their slopes, and where they are flat", teaching.plot_activations),
    "002/plot-activations": (
        "Sigmoid, tanh and ReLU together",
        lambda: teaching.plot_activations(together=True, derivative=False),
    ),
    "001/sigmoid-plot": ("The logistic curve", lambda: teaching.plot_activations(sigmoid, derivative=False)),
    "003/fig-sigmoid-vs-step": (
        "A step and the curve that softens it",
        lambda: teaching.plot_activations([sigmoid, step], together=True, derivative=False),
    ),
    "000-c/plot-architectures": (
        "What flows where in a Transformer",
        lambda: teaching.plot_architecture("transformer"),
    ),
    "002/plot-universal-approximation": ("Four functions from three hidden units, dashed", hidden_units),
    "000-c/plot-gmm-covariances": (
        "Two groups as full Gaussians",
        lambda: plot_ellipses(GaussianMixture(2, random_state=0).fit(unlike()), unlike()),
    ),
    "000-c/plot-elbow": (
        "Error within clusters against their number",
        lambda: elbow(blobs()[0], random_state=0).plot(),
    ),
    "000-c/plot-silhouette": (
        "Mean silhouette against the number of clusters",
        lambda: choose_clusters(blobs()[0], max_clusters=7, criteria=["silhouette"], random_state=0).plot(),
    ),
    "000-c/plot-dendrogram": ("How rows merge, cut into three clusters", tree_of_rows),
    "004/dendrogram": (
        "A tree of merges",
        lambda: plot_dendrogram(linkage(blobs()[0][::6], "average")),
    ),
    "002/plot-kmeans-steps": (
        "Assignment and means in turn",
        lambda: teaching.plot_kmeans_steps(blobs()[0], [[0.0, 2], [1, 0], [2, 2]], n_steps=2),
    ),
    "000-c/plot-gridworld": (
        "Utilities and best moves in a room",
        lambda: room_4x3().plot(value_iteration(room_4x3())),
    ),
    "000-c/plot-q-approx": ("Returns while learning, two agents", growing_returns),
    "003/fig-mdp-graph": (
        "A decision process as a graph",
        lambda: teaching.two_state().plot(value_iteration(teaching.two_state())),
    ),
    "003/fig-policy-iteration": (
        "Evaluate and improve in turn",
        lambda: policy_iteration(teaching.two_state(), initial=[0, 1]).plot_improvement(state=0),
    ),
    "003/fig-mc-rmse": ("Errors of first and every visit", visits),
    "003/mc-vs-td": ("Errors of differences and of whole returns", differences),
    "003/fig-regret": ("Regret of two rules, and the least possible", regret),
}
