"""One public call for every picture of the notes' chapters on linear models, margins, kernels, neighbors, trees and ensembles."""

import numpy as np
from sklearn.datasets import load_iris, make_classification, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum import teaching
from novum.datasets import load_go_to_lesson, make_sine
from novum.decision_theory import GenerativeClassifier
from novum.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
    plot_class_densities,
    plot_posterior_surface,
)
from novum.ensemble import AdaBoostClassifier, RandomForestClassifier
from novum.gaussian_process import GaussianProcessRegressor, plot_band, plot_draws
from novum.kernels import RBF, Constant, Linear, RBFNetwork
from novum.linear_model import (
    BayesianLinearRegression,
    Hyperplane,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    Perceptron,
    compare_evidence,
    lasso_path,
    plot_path,
)
from novum.neighbors import KNeighborsClassifier, plot_neighbors, plot_regions
from novum.preprocessing import GaussianBasis
from novum.svm import SVC, SVR, plot_margin, plot_tube
from novum.tree import ID3, DecisionTreeClassifier, plot_tree

LINE = BayesianLinearRegression(alpha=2.0, beta=25.0)


def rng(seed=0):
    return np.random.default_rng(seed)


def clouds(centers, n=40, deviation=0.8, seed=0):
    """Return rows around centers of the plane, and the number of the center of each."""
    centers = np.asarray(centers, float)
    rows = np.repeat(centers, n, axis=0) + deviation * rng(seed).normal(size=(n * len(centers), 2))
    return rows, np.repeat(np.arange(len(centers)), n)


TWO = ([0, 0], [3, 2])
THREE = ([-3, -3], [0, 0], [3, 3])
CORNERS = ([0, 4], [4, -2], [-3, -3])


def stretched():
    """Return three classes whose covariances differ."""
    scales = np.repeat([(1, 1), (3, 0.3), (0.3, 3)], 50, axis=0)
    return rng().normal(size=(150, 2)) * scales + np.repeat([(0, 0), (4, 0), (0, 4)], 50, axis=0), np.repeat(
        [0, 1, 2], 50
    )


def on_a_line(n=20):
    """Return rows of one column in a cube, and their noisy targets on a line."""
    x = rng(1).uniform(-1, 1, (n, 1))
    return x, -0.3 + 0.5 * x[:, 0] + 0.2 * rng(2).normal(size=n)


def generative_and_discriminative():
    X, y = clouds(TWO, 30, 1.0)
    return teaching.plot_generative_vs_discriminative(
        GenerativeClassifier("multivariate_normal").fit(X, y), LogisticRegression().fit(X, y), X, y
    )


def committee():
    X, y = load_iris(return_X_y=True)
    names = load_iris().target_names
    return teaching.plot_committee(RandomForestClassifier(7, max_depth=3, random_state=1).fit(X, names[y]), X[106])


def tree_of_lessons():
    return plot_tree(
        ID3(missing="fractional").fit(*load_go_to_lesson(return_X_y=True, as_frame=True)), filled=True, rounded=True
    )


def separators():
    X, y = clouds(([0, 0], [4, 3]), 12, 0.7)
    ax = plot_margin(SVC(kernel="linear", C=1e6).fit(X, y), X, y, label="widest")
    for seed in (1, 2):
        rival = Perceptron(random_state=seed, max_iter=100, tol=None).fit(X, y)
        plot_margin(rival, X, y, ax=ax, label=f"perceptron {seed}")
    return ax


def margin():
    X, y = clouds(([0, 0], [4, 3]), 15, 0.7)
    return plot_margin(SVC(kernel="linear", C=1e6).fit(X, y), X, y)


def soft_margin(slack=False):
    X, y = clouds(([0, 0], [2.6, 2]), 15, 0.9, 3)
    return plot_margin(SVC(kernel="linear", C=1.0).fit(X, y), X, y, slack=slack)


def ring():
    X = rng().normal(size=(80, 2))
    inside = (X**2).sum(axis=1) > 1.2
    return plot_margin(SVC(gamma=1.0, C=10).fit(X, inside), X, inside)


def tube():
    x = np.sort(rng(1).uniform(0, 6, 60))
    y = np.sin(x) + 0.25 * rng(2).normal(size=60)
    return plot_tube(SVR(C=50.0, gamma=1.0, epsilon=0.3).fit(x[:, None], y), x, y)


def lifted(dimensions):
    if dimensions == 1:
        x = np.array([-2.0, -1.4, -0.6, 0.1, 0.5, 1.7, 2.2])
        return teaching.plot_feature_lift(x, np.abs(x) > 1)
    X = rng(3).normal(size=(120, 2))
    return teaching.plot_feature_lift(X, 0.5 * X[:, 0] ** 2 + 0.4 * X[:, 0] * X[:, 1] + X[:, 1] ** 2 < 1)


def perceptron_unit():
    return Perceptron(shuffle=False, tol=None, max_iter=50).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]).plot()


def perceptron_step():
    x, before = np.array([2.0, 0.5]), np.array([[-0.5, 1.0]])
    unit = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=1)
    unit.fit([x, x], [1, -1], coef_init=before, sample_weight=[1, 0])
    ax = Hyperplane(before).plot(X=[x], label="before")
    return Hyperplane(unit.coef_).plot(ax, X=[x], label="after")


def far_rows():
    X, y = clouds(([-2, 0], [2, 0]), 60, 0.6)
    return teaching.plot_outlier_pull(X, y, [15, -8] + 0.5 * rng(4).normal(size=(12, 2)), np.ones(12, int))


def two_balls():
    X = rng().normal(size=(50, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    return teaching.plot_norm_balls(X, X @ [0.3, 1.5] + 0.2 * rng(1).normal(size=50), radius=0.5)


def path():
    X = rng().normal(size=(60, 6))
    y = X @ [2.0, -1.0, 0.5, 0, 0, 0] + 0.5 * rng(1).normal(size=60)
    X, y = X - X.mean(0), y - y.mean()
    alphas, coefs, _ = lasso_path(X, y, alphas=40)
    return plot_path(alphas, coefs, names=[f"x{j}" for j in range(6)], chosen=LassoCV(alphas=20).fit(X, y).alpha_)


def evidence_of_orders():
    x, t = make_sine(30, noise=0.2, random_state=2, return_X_y=True)
    models = {
        str(order): make_pipeline(
            PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(5e-3, 25.0)
        ).fit(2 * x - 1, t)
        for order in range(1, 9)
    }
    return compare_evidence(models).plot()


def evidence_of_datasets():
    x = np.linspace(-1, 1, 12)
    models = {
        name: make_pipeline(
            PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(1.0 if order < 9 else 0.02, 25.0)
        )
        for name, order in (("simple", 1), ("medium", 3), ("complex", 9))
    }
    return teaching.plot_evidence_over_datasets(models, x[:, None], x**3, scales=np.linspace(-5, 5, 201))


def equivalent_kernel():
    x = rng(5).uniform(0, 1, (60, 1))
    model = make_pipeline(GaussianBasis(np.linspace(0, 1, 9), width=0.1), BayesianLinearRegression(0.01, 25.0))
    return teaching.plot_equivalent_kernel(model.fit(x, np.sin(6 * x[:, 0])), np.linspace(0, 1, 61))


def prior_draws():
    kernels = {
        "plain": RBF(0.5),
        "three times the height": 9.0 * RBF(0.5),
        "a fifth of the length": RBF(0.1),
        "with an offset": RBF(0.5) + Constant(10.0),
        "with a trend": RBF(0.5) + 25.0 * Linear(),
    }
    return plot_draws(kernels, np.linspace(-1, 1, 81), 4, random_state=0)


def process_band():
    x = np.array([0.0, 0.3, 0.5, 0.9, 1.2, 3.0])
    y = np.sin(2 * x)
    return plot_band(GaussianProcessRegressor(RBF(0.5), alpha=0.01, optimizer=None).fit(x[:, None], y), x, y)


def bumps():
    x = np.linspace(0, 2, 20)
    return RBFNetwork([[0.0], [1.0], [2.0]], width=0.4).fit(x[:, None], np.sin(x)).plot(np.linspace(-1, 3, 120))


def neighbors():
    X, y = clouds(TWO, 15, 1.0, 4)
    return plot_neighbors(KNeighborsClassifier(5).fit(X, y), [1.5, 1.0])


def regions_of_neighbors():
    X, y = clouds(CORNERS, 12, 2.2, 5)
    return plot_regions(KNeighborsClassifier(4).fit(X, y))


def cells():
    X, y = clouds(CORNERS, 8, 2.0, 5)
    return teaching.plot_voronoi(X, y)


def plane_in_space():
    X = rng().normal(size=(30, 2))
    return LinearRegression().fit(X, X @ [1.0, 2] + 3).plot(X, X @ [1.0, 2] + 3 + 0.6 * rng(1).normal(size=30))


def distances_to_a_plane():
    return Hyperplane([3.0, 4.0], -5.0).plot(X=[[3.0, 4.0], [0.0, 0.0], [-1.0, 3.0], [2.5, -1.5]])


def densities(model, at=None):
    X, y = stretched() if at is None else clouds(at, 40, 1.0)
    return plot_class_densities(model.fit(X, y), X, y)


def posterior_surface():
    return plot_posterior_surface(LinearDiscriminantAnalysis().fit(*clouds(TWO, 50, 1.2)))


def rivals_of_noise():
    X, y = make_classification(300, 10, n_informative=4, flip_y=0, class_sep=1.0, random_state=2)
    bases = {"stump": DecisionTreeClassifier(max_depth=1), "tree": DecisionTreeClassifier(max_depth=4)}
    return teaching.compare_ensembles(
        X, y, bases, sizes=(15,), noise=(0.0, 0.15, 0.3), n_splits=1, random_state=0
    ).plot()


def weighted_rows():
    X, y = make_moons(80, noise=0.2, random_state=0)
    return teaching.plot_attention(AdaBoostClassifier(n_estimators=4).fit(X, y), X, y, rounds=(1, 2, 4))


def bands_of_samples():
    return teaching.plot_predictive_band(LINE, *on_a_line(), sizes=(1, 4, 20), truth=lambda x: 0.5 * x - 0.3)


def posterior_steps():
    return teaching.plot_posterior_steps(LINE, *on_a_line(), steps=(0, 1, 2, 20), truth=(-0.3, 0.5))


MODELS = {
    "000-a/fig-disc-vs-gen": ("A border alone, and what each class looks like", generative_and_discriminative),
    "000-b/plot-generative-vs-discriminative": (
        "Both ways to a decision on the same rows",
        generative_and_discriminative,
    ),
    "000-a/fig-tree": ("Trees of a forest on one row, and their vote", committee),
    "001/tree-drawing": ("A tree with its tests, counts and answers", tree_of_lessons),
    "000-a/fig-influence": ("Every point belongs to its nearest row", cells),
    "000-b/plot-hyperplane-geometry": ("A plane, its normal, and distances to it", distances_to_a_plane),
    "002/plot-discriminant-geometry": ("Normal and signed distance of a linear discriminant", distances_to_a_plane),
    "000-b/plot-neuron": ("A unit: inputs, weights, sum, threshold", perceptron_unit),
    "000-b/plot-multiclass-regions": (
        "Three classes from binary learners; gray where they disagree",
        lambda: teaching.plot_multiclass_regions(*clouds(CORNERS, 40, 1.0)),
    ),
    "003/fig-ambiguous-regions": (
        "Points that no binary learner claims, or several do",
        lambda: teaching.plot_multiclass_regions(*clouds(CORNERS, 40, 1.3, 1)),
    ),
    "000-b/plot-separators": ("Several lines separate the classes; one has the widest margin", separators),
    "000-b/plot-svm-margin": ("The widest margin and the rows that carry it", margin),
    "003/fig-svm": ("A soft margin: rows on it, rows beyond it", soft_margin),
    "004/margin-plot": ("Margin and support vectors", margin),
    "002/plot-svm-nonlinear": ("A curved border with its support vectors ringed", ring),
    "002/plot-svm-slack": ("How far rows are on the wrong side of their margin", lambda: soft_margin(slack=True)),
    "000-b/plot-svr-tube": ("Regression with a tube in which errors are free", tube),
    "000-b/plot-feature-map": ("Rows of the plane become separable in space", lambda: lifted(2)),
    "003/fig-feature-lift": ("A line of rows bent into a parabola", lambda: lifted(1)),
    "003/fig-perceptron-step": ("One correction turns the border to the row", perceptron_step),
    "002/plot-ls-outliers": ("Far rows, rightly classified, pull least squares", far_rows),
    "003/fig-ls-outliers": ("Least squares fails with far rows, logistic does not", far_rows),
    "002/plot-ls-masking": (
        "The class in the middle is lost to least squares",
        lambda: teaching.plot_masking(*clouds(THREE, 50, 0.4)),
    ),
    "000-c/plot-regularisation": ("Where error contours touch the balls of two norms", two_balls),
    "003/regularisation-path": ("Coefficients against the penalty", path),
    "004/regularisation-path-plot": ("Coefficients shrink and vanish as the penalty grows", path),
    "002/plot-evidence-vs-order": ("Log-evidence of polynomials by order", evidence_of_orders),
    "002/plot-evidence-over-datasets": ("What models of three sizes expect to see", evidence_of_datasets),
    "002/plot-equivalent-kernel": ("How targets are weighed, and three slices", equivalent_kernel),
    "002/plot-predictive-band": ("Mean and one deviation, by number of rows", bands_of_samples),
    "002/plot-sequential-bayes": ("Likelihood, posterior and lines, row by row", posterior_steps),
    "002/plot-gp-samples": ("Functions before data, by the kernel's parameters", prior_draws),
    "003/fig-gp-band": ("A process is sure near rows and unsure between", process_band),
    "003/fig-rbf": ("Bumps of a radial basis and their sum", bumps),
    "003/fig-knn": ("A query, its neighbors and their vote", neighbors),
    "003/fig-sample-3d": ("A plane through a sample in space", plane_in_space),
    "001/gaussian-classes-plot": (
        "Three classes as Gaussians of their own shapes",
        lambda: densities(QuadraticDiscriminantAnalysis()),
    ),
    "002/plot-lda-posterior": ("A posterior that is a sigmoid along one direction", posterior_surface),
    "002/plot-lda-failure": (
        "One shared covariance misfits classes of unlike shapes",
        lambda: densities(LinearDiscriminantAnalysis()),
    ),
    "003/ensemble-comparison": ("Bagging and boosting as labels get noisier", rivals_of_noise),
    "000-c/plot-ensembles": ("Rows grow as boosting attends to them", weighted_rows),
    "004/decision-boundary-plot": ("Regions of the vote of four neighbors", regions_of_neighbors),
    "002/plot-decision-regions": (
        "Regions of a tree's classes, with the rows",
        lambda: DecisionTreeClassifier(max_depth=3).fit(*clouds(CORNERS, 40, 1.8)).plot(*clouds(CORNERS, 40, 1.8)),
    ),
}
