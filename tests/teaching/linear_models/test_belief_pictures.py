"""Pictures of Bayesian regression: what is drawn is the joint Gaussian, computed here by itself."""

import numpy as np
import pytest
from artists import bands, canvas, curve, curves, meshes, scatters
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal, norm
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from novum.exceptions import DataError, ParameterError
from novum.linear_model import BayesianLinearRegression
from novum.preprocessing import GaussianBasis
from novum.teaching import (
    plot_equivalent_kernel,
    plot_evidence_over_datasets,
    plot_posterior_steps,
    plot_predictive_band,
)

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, 20)
T = -0.3 + 0.5 * X + 0.2 * RNG.normal(size=20)
ALPHA, BETA = 2.0, 25.0


def posterior(x, t, alpha=ALPHA, beta=BETA):
    """Return mean and covariance by conditioning the joint normal of weights and targets."""
    phi = np.column_stack([np.ones(len(x)), x])
    cross, total = phi.T / alpha, phi @ phi.T / alpha + np.eye(len(x)) / beta
    return cross @ np.linalg.solve(total, t), np.eye(2) / alpha - cross @ np.linalg.solve(total, cross.T)


@pytest.mark.notes("002", "plot-predictive-band")
def test_bands_of_growing_samples():
    axes = plot_predictive_band(
        BayesianLinearRegression(ALPHA, BETA), X, T, sizes=(1, 4, 20), truth=lambda x: 0.5 * x - 0.3, ax=canvas(1, 3)
    )
    widths = []
    for ax, n in zip(axes, (1, 4, 20)):
        mean, covariance = posterior(X[:n], T[:n])
        at, drawn = curve(ax, "mean")
        room = 0.1 * np.ptp(X)
        assert_allclose([at[0], at[-1]], [X.min() - room, X.max() + room], rtol=1e-9)
        phi = np.column_stack([np.ones(len(at)), at])
        assert_allclose(drawn, phi @ mean, rtol=1e-9, atol=1e-12)
        std = np.sqrt(1 / BETA + np.einsum("ij,jk,ik->i", phi, covariance, phi))
        ((x, low, high),) = bands(ax)
        assert_allclose(x, at)
        assert_allclose(low, phi @ mean - std, rtol=1e-9, atol=1e-12)
        assert_allclose(high, phi @ mean + std, rtol=1e-9, atol=1e-12)
        assert_allclose(curves(ax)["truth"], np.column_stack([at, 0.5 * at - 0.3]))
        assert_allclose(scatters(ax)[0], np.column_stack([X[:n], T[:n]]))
        widths.append(high - low)
    assert (widths[0] > widths[1]).all() and (widths[1] > widths[2]).all()
    ax = plot_predictive_band(BayesianLinearRegression(ALPHA, BETA), X, T, deviations=2, ax=canvas())[0]
    assert_allclose(bands(ax)[0][2] - bands(ax)[0][1], 2 * widths[2], rtol=1e-9)
    with pytest.raises(ParameterError, match=r"plot_predictive_band\(sizes=\[21\]\): there are 20 rows"):
        plot_predictive_band(BayesianLinearRegression(), X, T, sizes=[21])
    with pytest.raises(DataError, match="plot_predictive_band draws over one column"):
        plot_predictive_band(BayesianLinearRegression(), np.ones((20, 2)), T)


@pytest.mark.notes("002", "plot-equivalent-kernel")
def test_the_kernel_and_its_slices():
    width, at = 0.1, np.linspace(0, 1, 41)
    x, t = RNG.uniform(0, 1, (60, 1)), RNG.normal(size=60)
    model = make_pipeline(GaussianBasis(np.linspace(0, 1, 9), width=width), BayesianLinearRegression(0.01, BETA))
    model.fit(x, t)

    def bumps(u):
        return np.column_stack([np.ones(len(u)), np.exp(-((u[:, None] - np.linspace(0, 1, 9)) ** 2) / (2 * width**2))])

    precision = 0.01 * np.eye(10) + BETA * bumps(x[:, 0]).T @ bumps(x[:, 0])
    expected = BETA * bumps(at) @ np.linalg.solve(precision, bumps(at).T)
    whole, lines = plot_equivalent_kernel(model, at, slices=[0.25, 0.7], ax=canvas(1, 2))
    (mesh,) = meshes(whole)
    assert_allclose(mesh.x, at, atol=1e-12)
    assert_allclose(mesh.y, at, atol=1e-12)
    assert_allclose(mesh.value, expected, rtol=1e-6, atol=1e-9)
    query = BETA * bumps(np.array([0.25, 0.7])) @ np.linalg.solve(precision, bumps(at).T)
    drawn = curves(lines)
    assert list(drawn) == ["x = 0.25", "x = 0.7"]
    for weights, line in zip(query, drawn.values()):
        assert_allclose(line, np.column_stack([at, weights]), rtol=1e-6, atol=1e-9)
    assert at[query[0].argmax()] == pytest.approx(0.25, abs=0.03)  # near targets weigh most
    chosen = plot_equivalent_kernel(model, at, ax=canvas(1, 2))[1]  # a fifth, a half and four fifths of the way
    for k, line in zip((8, 20, 32), curves(chosen).values(), strict=True):
        assert_allclose(line[:, 1], expected[k], rtol=1e-6, atol=1e-9)
    bare = BayesianLinearRegression(0.5, BETA).fit(x, t)  # without a basis
    (mesh,) = meshes(plot_equivalent_kernel(bare, at, ax=canvas(1, 2))[0])
    ones, ahead = np.column_stack([np.ones(60), x]), np.column_stack([np.ones(41), at])
    precision = 0.5 * np.eye(2) + BETA * ones.T @ ones
    assert_allclose(mesh.value, BETA * ahead @ np.linalg.solve(precision, ahead.T), rtol=1e-8)
    with pytest.raises(ParameterError, match="has no equivalent kernel"):
        plot_equivalent_kernel(GaussianBasis(), at)
    with pytest.raises(DataError, match="x must rise"):
        plot_equivalent_kernel(model, at[::-1])


@pytest.mark.notes("002", "plot-sequential-bayes")
def test_likelihood_posterior_and_lines_of_every_step():
    model = BayesianLinearRegression(ALPHA, BETA)
    axes = plot_posterior_steps(model, X, T, steps=(0, 1, 2, 20), truth=(-0.3, 0.5), n_lines=40, ax=canvas(4, 3))
    for n, (likely, belief, lines) in zip((0, 1, 2, 20), axes):
        mean, covariance = posterior(X[:n], T[:n]) if n else (np.zeros(2), np.eye(2) / ALPHA)
        (mesh,) = meshes(belief)
        plane = np.stack(np.meshgrid(mesh.x, mesh.y), -1)
        assert_allclose(mesh.value, multivariate_normal(mean, covariance).pdf(plane), rtol=1e-6, atol=1e-12)
        assert mesh.x[0] == pytest.approx(-2 / np.sqrt(ALPHA)) and mesh.y[-1] == pytest.approx(2 / np.sqrt(ALPHA))
        if n:
            (mesh,) = meshes(likely)
            newest = norm.pdf(T[n - 1], plane[..., 0] + plane[..., 1] * X[n - 1], 1 / np.sqrt(BETA))
            assert_allclose(mesh.value / newest, mesh.value.flat[0] / newest.flat[0], rtol=1e-8)  # in proportion
            assert_allclose(scatters(lines)[0], np.column_stack([X[:n], T[:n]]))
        else:
            assert not meshes(likely)
        assert_allclose(curve(belief), ([-0.3], [0.5]))
        ends = np.array([line.get_xydata()[[0, -1]] for line in lines.lines])
        slope = (ends[:, 1, 1] - ends[:, 0, 1]) / (ends[:, 1, 0] - ends[:, 0, 0])
        drawn = np.column_stack([ends[:, 0, 1] - slope * ends[:, 0, 0], slope])
        away = np.linalg.solve(np.linalg.cholesky(covariance), (drawn - mean).T)  # standard normal
        assert len(drawn) == 40 and np.abs(away.mean(1)).max() < 0.6 and 0.6 < away.std() < 1.4
    with pytest.raises(ParameterError, match="fit_intercept=True and optimize=False"):
        plot_posterior_steps(BayesianLinearRegression(optimize=True), X, T)


@pytest.mark.notes("002", "plot-evidence-over-datasets")
def test_the_model_that_just_reaches_the_data_predicts_them_best():
    x = np.linspace(-1, 1, 12)
    t = x**3
    models = {
        name: make_pipeline(
            PolynomialFeatures(order, include_bias=False), BayesianLinearRegression(1.0 if order < 9 else 0.02, 25.0)
        )
        for name, order in (("simple", 1), ("medium", 3), ("complex", 9))
    }
    ax = plot_evidence_over_datasets(models, x[:, None], t, scales=np.linspace(-20, 20, 81), ax=canvas())
    drawn = curves(ax)
    assert list(drawn) == ["simple", "medium", "complex", "the data"]
    assert_allclose(drawn.pop("the data")[:, 0], 1)
    heights = {}
    for name, order, alpha in (("simple", 1, 1.0), ("medium", 3, 1.0), ("complex", 9, 0.02)):
        phi = np.vander(x, order + 1)
        s, height = drawn[name].T
        deviation = 1 / np.sqrt(t @ np.linalg.solve(phi @ phi.T / alpha + np.eye(12) / 25, t))
        expected = norm.pdf(s, scale=deviation)  # the joint normal along the line s t
        expected /= ((expected[1:] + expected[:-1]) / 2 * np.diff(s)).sum()
        assert_allclose(height, expected, rtol=1e-6, atol=1e-12)
        heights[name] = height[np.isclose(s, 1)][0]
    assert heights["medium"] > heights["complex"] and heights["medium"] > heights["simple"]
    with pytest.raises(DataError, match="all targets are zero"):
        plot_evidence_over_datasets(models, x[:, None], 0 * x)
