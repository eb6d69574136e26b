"""What the pictures draw is what the formulas say."""

import matplotlib
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from novum.exceptions import DataError, ParameterError
from novum.gaussian_process import GaussianProcessRegressor, plot_band, plot_draws, plot_evidence
from novum.kernels import RBF, Constant, Linear, White

matplotlib.use("Agg")
from matplotlib.figure import Figure

x = np.array([0.0, 0.3, 0.5, 0.9, 1.4, 3.0])
y = np.sin(3 * x)


def panels(count):
    return list(Figure().subplots(1, count, squeeze=False)[0])


@pytest.mark.notes("002", "plot-gp-samples")
def test_panels_of_prior_draws_show_what_each_parameter_does():
    """theta0 exp(-|x - z|^2 / (2 theta1)) + theta2 + theta3 x z, one theta changed at a time."""

    def notes_kernel(t0, t1, t2, t3):
        return t0 * RBF(np.sqrt(t1)) + Constant(t2) + t3 * Linear()

    settings = {
        "plain": (1.0, 0.25, 1e-9, 1e-9),
        "loud": (9.0, 0.25, 1e-9, 1e-9),
        "quick": (1.0, 0.01, 1e-9, 1e-9),
        "offset": (1.0, 0.25, 100.0, 1e-9),
        "trend": (1.0, 0.25, 1e-9, 25.0),
    }
    at = np.linspace(-1, 1, 81)
    axes = plot_draws({name: notes_kernel(*t) for name, t in settings.items()}, at, 400, panels(5), random_state=0)
    drawn = {}
    for ax, (name, (t0, t1, t2, t3)) in zip(axes, settings.items(), strict=True):
        assert ax.get_title() == name and len(ax.lines) == 400
        values = np.array([line.get_ydata() for line in ax.lines])
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), at)
        K = t0 * np.exp(-((at[:, None] - at) ** 2) / (2 * t1)) + t2 + t3 * at[:, None] * at
        np.testing.assert_allclose(np.cov(values.T, bias=True), K, atol=0.25 * K.max())
        band = ax.collections[0].get_paths()[0].vertices
        half = 2 * np.sqrt(K.diagonal().max())
        assert (band[:, 1].min(), band[:, 1].max()) == pytest.approx((-half, half), rel=1e-9)
        drawn[name] = values
    size = {name: np.abs(values).mean() for name, values in drawn.items()}
    turns = {name: np.abs(np.diff(values)).mean() for name, values in drawn.items()}
    assert size["loud"] == pytest.approx(3 * size["plain"], rel=1e-6)  # the same draws
    assert turns["quick"] > 3 * turns["plain"]
    assert np.abs(drawn["offset"].mean(axis=1)).mean() > 5 * np.abs(drawn["plain"].mean(axis=1)).mean()
    slope = {name: np.abs(values[:, -1] - values[:, 0]).mean() for name, values in drawn.items()}
    assert slope["trend"] > 4 * slope["plain"]


def test_draws_from_a_posterior_pass_through_the_data():
    model = GaussianProcessRegressor(RBF(0.5), alpha=1e-8, optimizer=None).fit(x[:, None], y)
    (ax,) = plot_draws(model, x, 3, panels(1))
    for line in ax.lines:
        np.testing.assert_allclose(line.get_ydata(), y, atol=1e-2)
    assert ax.get_title() == model.kernel_.formula()
    with pytest.raises(ParameterError, match="axes for"):
        plot_draws([RBF(1.0), RBF(2.0)], ax=panels(1))


@pytest.mark.notes("003", "fig-gp-band")
def test_the_band_is_mean_and_two_deviations_and_wider_where_data_are_sparse():
    def curves(length_scale, noise):
        model = GaussianProcessRegressor(RBF(length_scale), alpha=noise, optimizer=None).fit(x[:, None], y)
        ax = plot_band(model, x, y, panels(1)[0])
        mean, data = ax.lines
        at = mean.get_xdata()
        np.testing.assert_allclose(at[[0, -1]], [0 - 0.1 * 3, 3 + 0.1 * 3])  # a tenth of the range on either side
        K = np.exp(-0.5 * (x[:, None] - x) ** 2 / length_scale**2) + noise * np.eye(6)
        across = np.exp(-0.5 * (at[:, None] - x) ** 2 / length_scale**2)
        np.testing.assert_allclose(mean.get_ydata(), across @ np.linalg.solve(K, y), atol=1e-9)
        np.testing.assert_array_equal(np.column_stack(data.get_data()), np.column_stack([x, y]))
        std = np.sqrt(1 - np.einsum("ij,ji->i", across, np.linalg.solve(K, across.T)))
        edge = ax.collections[0].get_paths()[0].vertices
        for k in (0, 50, 120, 199):
            here = edge[np.isclose(edge[:, 0], at[k])][:, 1]
            assert here.max() == pytest.approx(mean.get_ydata()[k] + 2 * std[k], abs=1e-9)
            assert here.min() == pytest.approx(mean.get_ydata()[k] - 2 * std[k], abs=1e-9)
        return at, std

    at, std = curves(0.3, 0.01)
    assert std[np.argmin(np.abs(at - 2.2))] > 3 * std[np.argmin(np.abs(at - 0.4))]  # a gap, and many points
    assert curves(1.0, 0.01)[1].mean() < std.mean() < curves(0.3, 0.2)[1].mean()  # longer is surer, noise less sure
    plain, shifted = (
        GaussianProcessRegressor(RBF(0.3), alpha=0.01, optimizer=None, normalize_y=n).fit(x[:, None], t)
        for n, t in ((False, (y - y.mean()) / y.std()), (True, 40 + 3 * y))
    )
    one, other = (plot_band(m, x, t, panels(1)[0]).lines[0].get_ydata() for m, t in ((plain, y), (shifted, 40 + 3 * y)))
    np.testing.assert_allclose(other, 40 + 3 * y.mean() + 3 * y.std() * one, rtol=1e-9)
    with pytest.raises(DataError, match="one column"):
        plot_band(None, np.zeros((6, 2)), y)


def test_the_evidence_surface_is_the_evidence():
    model = GaussianProcessRegressor(RBF(0.5) + White(0.1), alpha=0.0, optimizer=None).fit(
        x[:, None], y + 0.3 * np.cos(41 * x)
    )
    ax = plot_evidence(model, ax=panels(1)[0], grid=9)
    cross = ax.lines[0]
    np.testing.assert_allclose(np.ravel(cross.get_data()), np.exp(model.kernel_.theta))
    contour = ax.collections[0]
    found = 0
    for level, path in zip(contour.levels, contour.get_paths(), strict=True):
        for corner in path.vertices[:3]:
            near = model.log_marginal_likelihood(np.log(corner))
            assert abs(near - level) < 0.2 * (
                np.max(contour.levels) - np.min(contour.levels)
            )  # between the lines of a grid
            found += 1
    assert found and len(contour.levels) > 5
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("k1__length_scale", "k2__noise_level")
    with pytest.raises(ParameterError, match="dimensions"):
        plot_evidence(model, (0, 7))
    with pytest.raises(NotFittedError, match="plot_evidence"):
        plot_evidence(GaussianProcessRegressor())
