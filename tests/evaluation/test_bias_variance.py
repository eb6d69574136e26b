"""Bias, variance and noise: exact values, identities, Domingos' parts by brute force, pictures."""

import numpy as np
import pytest
from artists import canvas, curve, curves
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum.datasets import make_sine
from novum.evaluation import bias_variance_decomposition
from novum.evaluation.bias_variance.decomposition import zero_one_parts
from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression, Ridge
from novum.neighbors import KNeighborsClassifier, KNeighborsRegressor
from novum.preprocessing import GaussianBasis
from novum.teaching import plot_bullseye
from novum.tree import DecisionTreeClassifier

GRID = np.linspace(0, 1, 10)[:, None]


def sine(x):
    return np.sin(2 * np.pi * np.asarray(x)[:, 0])


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree), LinearRegression())


@pytest.mark.notes("003", "bias-variance-decomposition")
@pytest.mark.parametrize(
    "degree, bias, variance, total", [(1, 0.464175, 0.012535, 0.566710), (3, 0.007660, 0.029103, 0.126763)]
)
def test_exact_parts_of_a_polynomial(degree, bias, variance, total):
    exact = bias_variance_decomposition(polynomial(degree), GRID, X_test=[[0.3]], truth=sine, noise=0.3, method="exact")
    assert (exact.bias, exact.variance, exact.total) == pytest.approx((bias, variance, total), abs=5e-7)
    Z, z = np.vander(GRID[:, 0], degree + 1), np.vander([0.3], degree + 1)
    weights = z @ np.linalg.pinv(Z)
    assert exact.bias == pytest.approx(((weights @ sine(GRID) - sine([[0.3]])) ** 2).item(), rel=1e-8)
    assert exact.variance == pytest.approx(0.09 * (weights**2).sum(), rel=1e-8)
    drawn = bias_variance_decomposition(polynomial(degree), GRID, X_test=[[0.3]], truth=sine, noise=0.3, n_repeats=400)
    assert (drawn.bias, drawn.variance) == pytest.approx((bias, variance), rel=0.3, abs=0.003)
    assert drawn.total == pytest.approx(drawn.bias + drawn.variance + 0.09)


class MeanOfFive(RegressorMixin, BaseEstimator):
    """Predicts the mean of the targets."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)


@pytest.mark.notes("004", "bias-variance")
def test_the_mean_of_five_draws():
    """Variance 4: the mean of five has variance .8 and no bias; a new draw costs 4.8."""
    parts = bias_variance_decomposition(
        MeanOfFive(),
        sampler=lambda g: (np.zeros((5, 1)), g.normal(3, 2, 5)),
        X_test=[[0.0]],
        truth=lambda x: np.full(len(x), 3.0),
        noise=2.0,
        n_repeats=4000,
    )
    assert parts.noise == 4 and parts.bias < 0.01
    assert parts.variance == pytest.approx(0.8, rel=0.08) and parts.total == pytest.approx(4.8, rel=0.02)
    exact = bias_variance_decomposition(
        MeanOfFive(), np.zeros((5, 1)), X_test=[[0.0]], truth=lambda x: np.full(len(x), 3.0), noise=2.0, method="exact"
    )
    assert (exact.bias, exact.variance, exact.total) == pytest.approx((0, 0.8, 4.8), abs=1e-12)


@pytest.mark.notes("002", "bias-variance")
@pytest.mark.notes("002", "plot-bias-variance-curve")
@pytest.mark.notes("002", "plot-bias-variance-fits")
def test_ridge_on_24_gaussian_bumps():
    """h(x) = sin(2 pi x), 100 sets of 25 points: large lambda has the bias, small lambda the variance."""
    model = make_pipeline(GaussianBasis(24), Ridge())
    grid = np.linspace(0.01, 0.99, 40)[:, None]

    def draw(g):
        x = g.uniform(size=(25, 1))
        return x, sine(x) + 0.3 * g.normal(size=25)

    lambdas = [float(v) for v in np.exp([-6.0, -2.0, 0.0, 3.0])]
    found = bias_variance_decomposition(
        model, sampler=draw, X_test=grid, truth=sine, noise=0.3, parameter="ridge__alpha", values=lambdas, n_repeats=60
    )
    frame = found.to_frame()
    assert frame.bias.iloc[-1] > 5 * frame.bias.iloc[0] and frame.variance.iloc[0] > 2 * frame.variance.iloc[-1]
    np.testing.assert_allclose(frame.total, frame.bias + frame.variance + 0.09, rtol=1e-12)
    for part in found.parts:  # the identity, literally: mean squared distance of the fits from the truth
        assert part.bias + part.variance == pytest.approx(((part.predictions - part.truth) ** 2).mean(), rel=1e-10)
    pytest.importorskip("matplotlib")
    ax = found.plot(canvas(), test_error=frame.total + 0.01)
    drawn = curves(ax)
    fits = [np.asarray(part.predictions) for part in found.parts]
    bias = [((fit.mean(0) - sine(grid)) ** 2).mean() for fit in fits]
    variance = [fit.var(0).mean() for fit in fits]
    assert ax.get_xlabel() == "ln ridge__alpha"
    for name, height in (
        ("bias squared", bias),
        ("variance", variance),
        ("expected loss", np.add(bias, variance) + 0.09),
        ("test error", np.add(bias, variance) + 0.10),
    ):
        np.testing.assert_allclose(drawn[name], np.column_stack([[-6, -2, 0, 3], height]), rtol=1e-9, atol=1e-12)
    best = int(np.argmin(np.add(bias, variance)))
    panels = found.plot_fits(ax=canvas(1, 3))
    for panel, k in zip(panels, (0, best, 3)):
        assert len(panel.lines) == 22  # twenty fits, their average, the truth
        for line, fit in zip(panel.lines[:20], fits[k]):
            np.testing.assert_allclose(line.get_data(), [grid[:, 0], fit])
        np.testing.assert_allclose(curves(panel)["average fit"][:, 1], fits[k].mean(0), rtol=1e-10)
        np.testing.assert_allclose(curves(panel)["truth"][:, 1], sine(grid))


@pytest.mark.notes("003", "fig-bias-variance-curve")
def test_curve_over_the_degree_marks_its_minimum():
    degrees, at = [0, 1, 3, 5, 7], np.linspace(0, 1, 33)
    found = bias_variance_decomposition(
        polynomial(1),
        GRID,
        truth=sine,
        noise=0.3,
        X_test=at[:, None],
        method="exact",
        parameter="polynomialfeatures__degree",
        values=degrees,
    )
    bias, variance = [], []
    for degree in degrees:  # least squares is a matrix: what it makes of the truth, and of the noise
        weights = np.vander(at, degree + 1) @ np.linalg.pinv(np.vander(GRID[:, 0], degree + 1))
        bias.append(np.mean((weights @ sine(GRID) - sine(at[:, None])) ** 2))
        variance.append(0.09 * np.mean((weights**2).sum(axis=1)))
    total = np.add(bias, variance) + 0.09
    ax = found.plot(canvas())
    drawn = curves(ax)
    assert list(drawn) == ["bias squared", "variance", "expected loss", "noise"]
    for name, height in (("bias squared", bias), ("variance", variance), ("expected loss", total)):
        np.testing.assert_allclose(drawn[name], np.column_stack([degrees, height]), rtol=1e-6, atol=1e-10)
    np.testing.assert_allclose(drawn["noise"][:, 1], 0.09)
    assert np.all(np.diff(bias) <= 1e-9) and np.all(np.diff(variance) > 0)
    best = degrees[int(np.argmin(total))]
    assert found.best == best == 3 and set(curve(ax, -1)[0]) == {3} and "bias" in repr(found)


@pytest.mark.notes("003", "bias-variance-decomposition")
def test_zero_one_parts_by_brute_force():
    generator = np.random.default_rng(0)
    predictions, truth = generator.integers(3, size=(11, 40)), generator.integers(3, size=40)
    bias, variance, signed = zero_one_parts(predictions, truth)
    for j in range(40):
        labels, counts = np.unique(predictions[:, j], return_counts=True)
        main = labels[np.argmax(counts)]
        assert bias[j] == (main != truth[j]) and variance[j] == pytest.approx(np.mean(predictions[:, j] != main))
        assert bias[j] + signed[j] == pytest.approx(np.mean(predictions[:, j] != truth[j]))  # Domingos' identity


def test_zero_one_loss_of_trees_and_neighbors():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"loss": "zero-one", "n_repeats": 15, "X_test": X[300:], "y_test": y[300:]}
    deep = bias_variance_decomposition(DecisionTreeClassifier(random_state=0), X[:300], y[:300], **options)
    stump = bias_variance_decomposition(
        DecisionTreeClassifier(max_depth=1, random_state=0), X[:300], y[:300], **options
    )
    errors = (deep.predictions != y[300:]).mean()
    assert deep.total == pytest.approx(errors, rel=1e-12) and deep.method == "bootstrap"
    assert deep.variance > stump.variance
    own = bias_variance_decomposition(
        KNeighborsClassifier(1), *load_iris(return_X_y=True), loss="zero-one", n_repeats=12
    )
    assert own.method == "out of bag" and 0 <= own.bias < 0.15 and 0 < own.variance < 0.15
    names = bias_variance_decomposition(
        KNeighborsClassifier(1), X[:80], np.array(list("ab"))[y[:80]], loss="zero-one", n_repeats=6
    )
    assert 0 <= names.total <= 1
    pytest.importorskip("matplotlib")
    assert deep.plot().get_ylabel() == "variance" and own.plot().get_ylabel() == "variance"


class Constant(ClassifierMixin, BaseEstimator):
    """Always one."""

    def fit(self, X, y):
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X):
        return np.ones(len(X), int)


def test_noise_of_labels():
    parts = bias_variance_decomposition(
        Constant(),
        sampler=lambda g: (np.zeros((3, 1)), np.ones(3)),
        X_test=[[0.0], [1.0]],
        truth=lambda x: x[:, 0].astype(int),
        noise=0.1,
        loss="zero-one",
    )
    assert parts.bias == 0.5 and parts.total == pytest.approx((0.9 + 0.1) / 2)


def test_bootstrap_of_regression_out_of_bag():
    data = make_sine(60, random_state=0)
    X, y = np.asarray(data.data), np.asarray(data.target)
    deep = bias_variance_decomposition(KNeighborsRegressor(1), X, y, n_repeats=30)
    flat = bias_variance_decomposition(KNeighborsRegressor(25), X, y, n_repeats=30)
    assert deep.variance > flat.variance and deep.bias < flat.bias


@pytest.mark.notes("003", "fig-bullseye")
def test_targets():
    pytest.importorskip("matplotlib")
    panels = plot_bullseye(ax=canvas(1, 4))
    draws = np.random.default_rng(0).normal(
        size=(4, 25, 2)
    )  # bias 2.2 in both coordinates, standard deviation 0.25 or 0.9
    for ax, draw, (bias, deviation) in zip(panels, draws, ((0, 0.25), (0, 0.9), (2.2, 0.25), (2.2, 0.9))):
        np.testing.assert_allclose(ax.lines[4].get_xydata(), bias + deviation * draw)
        assert ax.get_title() == f"{'high' if bias else 'low'} bias, {'high' if deviation > 0.5 else 'low'} variance"
        for ring, radius in zip(ax.lines[:4], (1, 2, 3, 4)):
            np.testing.assert_allclose(np.hypot(*ring.get_data()), radius)
            x, y = ring.get_data()
            np.testing.assert_allclose([x[-1], y[-1], x.min(), y.min()], [x[0], y[0], -radius, -radius], atol=2e-3)
    options = {"X_test": [[0.2], [0.7]], "truth": sine, "noise": 0.3, "n_repeats": 30}
    real = {
        name: bias_variance_decomposition(polynomial(d), GRID, **options) for name, d in (("line", 1), ("cubic", 3))
    }
    panels = plot_bullseye(real, ax=canvas(1, 2))
    for ax, name in zip(panels, real):
        assert ax.get_title() == name
        np.testing.assert_allclose(ax.lines[4].get_xydata(), real[name].predictions - sine(np.array([[0.2], [0.7]])))


@pytest.mark.parametrize(
    "options, words",
    [
        ({}, "give X"),
        ({"X": GRID}, "truth"),
        ({"X": GRID, "truth": sine}, "noise"),
        ({"X": GRID, "truth": sine, "noise": -1}, "noise"),
        ({"X": GRID, "y": sine(GRID), "loss": "hinge"}, "loss"),
        ({"X": GRID, "y": sine(GRID), "method": "exact"}, "truth"),
        ({"X": GRID, "truth": sine, "noise": 0.1, "parameter": "x"}, "go together"),
        ({"X": GRID, "y": sine(GRID), "n_repeats": 1}, "n_repeats"),
        ({"X": GRID, "truth": lambda x: 1.0, "noise": 0.1}, "shape"),
        ({"X": GRID, "method": "bootstrap"}, "give X and y"),
    ],
)
def test_refusals(options, words):
    with pytest.raises((ParameterError, DataError), match=words):
        bias_variance_decomposition(LinearRegression(), **options)
