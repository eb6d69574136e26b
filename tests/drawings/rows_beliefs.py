"""One public call for every picture of the notes' chapters on probability, graphs, causes, tests and judging."""

from functools import cache

import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum import causal, evaluation, sampling, teaching, theory
from novum.datasets import load_candy_bags, load_fuel_gauge
from novum.decision_theory import HypothesisPosterior
from novum.distributions import Bernoulli, Normal, StudentT, Uniform, posterior_sequence, rank_by_likelihood
from novum.graphical import DAG, BayesianNetwork, FactorGraph
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import MultinomialNB, plot_class_tables
from novum.neighbors import KNeighborsClassifier
from novum.preprocessing import GaussianBasis
from novum.tree import DecisionTreeClassifier

SEVEN_EIGHT = [(1, 2), (1, 3), (4, 2), (4, 5), (2, 7), (3, 7), (5, 8), (7, 6), (6, 8)]


def rng(seed=0):
    return np.random.default_rng(seed)


def sine(x):
    return np.sin(2 * np.pi * np.ravel(x))


def sharpening():
    x = rng(0).normal(1.0, 2.0, size=200)
    return posterior_sequence(Normal(0, 4), x, (0, 1, 5, 20, 200), likelihood=Normal(var=4.0)).plot()


def dependent(d=3):
    return DAG([("a", "e"), ("f", "e"), ("f", "b"), ("e", "c")])


def unrolled():
    graph = DAG([("X1", "X2"), ("X1", "X3")]).unroll(3)
    copies = {f"example {i}": [f"X{k}({i})" for k in (1, 2, 3)] for i in (1, 2, 3)}
    return graph.plot(observed=[node for nodes in copies.values() for node in nodes], plates=copies)


def plate():
    graph = DAG([("alpha", "w"), ("w", "t"), ("x", "t"), ("sigma2", "t")])
    return graph.plot(observed=["x", "t"], fixed=["alpha", "sigma2"], plates={"N": ["x", "t"]})


@cache
def factors():
    return FactorGraph(
        {
            "fa": (("x1", "x2"), [[1, 2], [3, 4]]),
            "fb": (("x2", "x3"), [[2, 1], [1, 3]]),
            "fc": (("x4", "x2"), [[1, 1], [2, 5]]),
        }
    )


def trellis():
    table = [[6.0, 3, 1], [2, 5, 3], [1, 4, 5]]
    graph = FactorGraph({f"f{i}": ((f"x{i}", f"x{i + 1}"), np.roll(table, i, axis=1)) for i in range(5)})
    return graph.max_product().plot()


def em_traces():
    """Draw the likelihood of three starts on one picture."""
    gaps = {"h": [None] * 40, "x": rng(1).integers(2, size=40).tolist(), "y": rng(2).integers(2, size=40).tolist()}
    gaps["z"] = [a if rng(k).random() < 0.8 else 1 - a for k, a in enumerate(gaps["x"])]
    states = {name: [0, 1] for name in "hxyz"}
    ax = None
    for seed in range(3):
        network = BayesianNetwork([("h", "x"), ("h", "y"), ("h", "z")], states=states)
        ax = network.fit(gaps, init="random", random_state=seed).report_.history.plot(ax, label=f"start {seed}")
    return ax


def topics():
    words = ["integral", "loss", "model", "node", "proof"]
    counts = np.array([[0, 10, 200, 3, 1], [55, 0, 3, 0, 1]])
    return plot_class_tables(MultinomialNB().fit(counts, ["learning", "math"]), feature_names=words)


def candy():
    bags = load_candy_bags()
    belief = HypothesisPosterior(
        bags.prior, [[1 - lime, lime] for lime in bags.lime], ["cherry", "lime"], bags.hypotheses
    )
    return belief.update(["lime"] * 10).plot()


def likeliest():
    candidates = {"left": Normal(-2, 1), "centered": Normal(0, 1), "right": Normal(3, 0.5)}
    return rank_by_likelihood([-0.4, 0.1, 0.3, 0.8], candidates).plot()


def robust():
    """Draw both fits to rows with outliers on one picture."""
    x = np.append(rng(0).normal(0, 1, 40), [9.0, 10.0, 11.0])
    ax = Normal.fit(x).plot(data=x, label="normal")
    return StudentT.fit(x).plot(ax, label="Student's t", data=x)


def rejected():
    return sampling.rejection_sample(lambda x: x * (1 - x), Uniform(0, 1), 400, bound=0.25, random_state=0).plot()


def ridge_over_penalties():
    def draw(g):
        x = g.uniform(size=(25, 1))
        return x, sine(x) + 0.3 * g.normal(size=25)

    return evaluation.bias_variance_decomposition(
        make_pipeline(GaussianBasis(24), Ridge()),
        sampler=draw,
        X_test=np.linspace(0.01, 0.99, 40)[:, None],
        truth=sine,
        noise=0.3,
        parameter="ridge__alpha",
        values=[float(v) for v in np.exp([-6.0, -4.0, -2.0, 0.0, 2.0, 3.0])],
        n_repeats=40,
        random_state=0,
    )


def over_degrees():
    return evaluation.bias_variance_decomposition(
        make_pipeline(PolynomialFeatures(1), LinearRegression()),
        np.linspace(0, 1, 25)[:, None],
        truth=sine,
        noise=0.3,
        X_test=np.linspace(0, 1, 33)[:, None],
        method="exact",
        parameter="polynomialfeatures__degree",
        values=[0, 1, 3, 5, 7],
    ).plot()


def capacity(name, values, seed=0):
    X, y = load_iris(return_X_y=True)
    X = X + 0.5 * rng(seed).normal(size=X.shape)
    model = DecisionTreeClassifier(random_state=0) if name == "max_leaf_nodes" else KNeighborsClassifier()
    return evaluation.ValidationCurveDisplay.from_estimator(model, X, y, param_name=name, param_range=values, cv=4)


def degrees():
    x = rng(0).uniform(size=(25, 1))
    return evaluation.ValidationCurveDisplay.from_estimator(
        make_pipeline(PolynomialFeatures(), LinearRegression()),
        x,
        sine(x) + 0.2 * rng(1).normal(size=25),
        param_name="polynomialfeatures__degree",
        param_range=[1, 2, 3, 5, 7],
        cv=5,
        scoring="neg_root_mean_squared_error",
    )


def learning():
    x = rng(0).uniform(size=(60, 1))
    return evaluation.LearningCurveDisplay.from_estimator(
        LinearRegression(),
        x,
        sine(x) + 0.2 * rng(1).normal(size=60),
        train_sizes=np.linspace(0.2, 1, 6),
        cv=5,
        scoring="neg_mean_squared_error",
    )


BELIEFS = {
    "000-a/fig-pvalue": (
        "A test statistic, its tails and where it is accepted",
        lambda: evaluation.t_test([1.2, 0.4, 2.1, 1.9], mean=1).plot(),
    ),
    "000-a/fig-bayes-mean": ("Belief in a mean sharpens with rows", sharpening),
    "000-b/plot-bn": (
        "A network with evidence and its tables",
        lambda: load_fuel_gauge().plot(evidence={"gauge": "empty"}, tables=True),
    ),
    "000-b/plot-cpt": ("A conditional table with nested heads", lambda: load_fuel_gauge().plot_table("gauge")),
    "000-b/plot-dsep": (
        "A path that a node below a collider opens",
        lambda: dependent().d_separated("a", "b", "c").plot(),
    ),
    "000-b/plot-equivalence-classes": (
        "Graphs over three nodes, a row for each class",
        lambda: DAG.equivalence_classes("ABC").plot(),
    ),
    "000-b/plot-factor-graph": ("Variables as circles, factors as squares", lambda: factors().plot(observed="x1")),
    "002/plot-message-passing": ("Messages to and from every factor", lambda: factors().sum_product().plot()),
    "000-b/plot-trellis": ("The best path through the states of a chain", trellis),
    "000-b/plot-unrolled-network": ("A network once for every example, with its parameters", unrolled),
    "002/plot-graphical-models": ("A plate with observed rows and fixed constants", plate),
    "000-b/plot-em-trace": ("Likelihood over the rounds of EM, three starts", em_traces),
    "000-b/plot-nb": ("How likely each word is under each topic", topics),
    "001/posterior-plot": ("Beliefs in five bags as limes come", candy),
    "002/plot-causal-graphs": (
        "Is the back door shut?",
        lambda: causal.is_backdoor_set(DAG(SEVEN_EIGHT), 7, 8, [4]).plot(),
    ),
    "003/fig-three-gaussians": ("Which of three densities made these points?", likeliest),
    "002/plot-student-vs-gauss": ("Outliers move the normal and hardly Student's t", robust),
    "002/plot-rejection": ("Points below the envelope, kept below the target", rejected),
    "001/entropy-curve": ("Entropy of a coin", lambda: teaching.entropy_curve().plot()),
    "002/plot-entropy-venn": (
        "Two variables: what they share and what is left",
        lambda: teaching.information_diagram([[0.3, 0.2], [0.1, 0.4]]).plot(),
    ),
    "004/lln-demo": (
        "Means of growing samples settle",
        lambda: teaching.mean_paths(Bernoulli(0.3), n=1000, n_paths=8, random_state=1).plot(),
    ),
    "002/plot-nested-cv": (
        "Outer and inner folds",
        lambda: evaluation.plot_folds(KFold(4), np.zeros((24, 1)), inner=3),
    ),
    "002/plot-bias-variance-fits": ("Single fits and their average", lambda: ridge_over_penalties().plot_fits()),
    "002/plot-bias-variance-curve": (
        "Squared bias, variance and loss over the penalty",
        lambda: ridge_over_penalties().plot(),
    ),
    "003/fig-bias-variance-curve": ("Squared bias, variance and loss over the degree", over_degrees),
    "003/fig-bullseye": ("Bias and variance as shots at a target", teaching.plot_bullseye),
    "001/capacity-curve": (
        "Error of training and test over capacity",
        lambda: capacity("n_neighbors", [1, 3, 5, 9, 15, 25, 45]),
    ),
    "001/tree-size-curve": (
        "Training and test scores as a tree grows",
        lambda: capacity("max_leaf_nodes", [2, 4, 8, 16, 32, 64]),
    ),
    "003/overfit-demo": ("Scores by degree of a polynomial", degrees),
    "003/learning-curve": ("Scores by number of rows", learning),
    "003/curse-of-dimensionality": (
        "What many dimensions do to a cube",
        lambda: teaching.curse_of_dimensionality([1, 2, 3, 5, 10, 30, 100]).plot(),
    ),
    "003/fig-hypothesis-space": ("Two spaces, the truth outside, what samples choose", teaching.plot_hypothesis_space),
    "003/fig-shatter": (
        "Which labelings of four points lines can make",
        lambda: theory.shatters("lines", [[0, 0], [1, 0], [0, 1], [1, 1]]).plot(),
    ),
}
