"""Pictures of distributions show the density where its mass is."""

from math import gamma

import numpy as np
import pytest
from artists import contours
from numpy.testing import assert_allclose

from novum.distributions import (
    Beta,
    Binomial,
    Continuous,
    Dirichlet,
    Discrete,
    Gamma,
    MixtureDistribution,
    Multinomial,
    MultivariateNormal,
    Normal,
    Poisson,
    StudentT,
)
from novum.exceptions import ParameterError

pytest.importorskip("matplotlib")


@pytest.mark.notes("000-a", "gaussian")
@pytest.mark.notes("003", "fig-three-gaussians")
def test_curves_of_a_batch_and_the_likeliest_normal():
    candidates = Normal([-2.0, 0.1, 3.0], [2.25, 1.0, 0.5])
    ax = candidates.plot()
    assert len(ax.lines) == 3 and [text.get_text() for text in ax.get_legend().get_texts()][1] == "mean 0.1, var 1"
    for line, mean, var in zip(ax.lines, (-2.0, 0.1, 3.0), (2.25, 1.0, 0.5)):
        x, y = line.get_data()
        assert_allclose(y, np.exp(-((x - mean) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var), rtol=1e-12)
        assert np.trapezoid(y, x) > 0.97
    data = np.array([-0.8, -0.1, 0.3, 0.9])
    assert np.argmax(candidates.log_prob(data[:, None]).sum(axis=0)) == 1  # the centred one wins


@pytest.mark.parametrize(
    "model",
    [
        StudentT([1.0, 9.0]),
        Gamma(0.5, 1.0),
        Beta(2.0, 5.0),
        MixtureDistribution([0.3, 0.7], Normal([-2.0, 2.0], 1.0)),
        Continuous(lambda x: 2 * x, (0.0, 1.0)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_densities_are_drawn_on_the_callers_axes(model):
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert model.plot(ax=ax, label="distribution") is ax
    assert ax.get_legend() is not None and ax.get_ylabel() == "density"


@pytest.mark.parametrize(
    "model", [Poisson([1.0, 4.0]), Binomial(7, 0.5), Discrete([1, 5]), Discrete(["a", "b"], [0.3, 0.7])]
)
def test_probabilities_are_stems(model):
    ax = model.plot()
    assert ax.get_ylabel() == "probability" and len(ax.collections) == len(ax.lines)
    assert 0.99 < sum(line.get_ydata().sum() for line in ax.lines) / len(ax.lines) < 1.01


def test_contours_of_vectors():
    assert MultivariateNormal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]]).plot().collections
    assert Dirichlet([2.0, 3.0, 5.0]).plot().collections
    with pytest.raises(ParameterError, match=r"MultivariateNormal.plot: .*vectors of shape \(3,\). Draw a marginal"):
        MultivariateNormal(np.zeros(3), 1.0).plot()
    with pytest.raises(ParameterError, match="show one distribution; index the batch"):
        Dirichlet(np.ones((2, 3))).plot()
    with pytest.raises(ParameterError, match="too much for one picture"):
        Normal(np.zeros(20), 1.0).plot()
    with pytest.raises(
        ParameterError, match=r"Multinomial\.plot: .* are counts of shape \(2,\). Draw a marginal: of one count"
    ):
        Multinomial(2, [0.5, 0.5]).plot()


@pytest.mark.notes("000-a", "mvn")
def test_contours_of_a_normal_vector_are_ellipses_of_equal_density():
    mean, S = np.array([0.0, 1.0]), np.array([[2.0, 0.8], [0.8, 1.0]])
    ax = MultivariateNormal(mean, S).plot()
    rings = contours(ax, 1)  # the lines, over the filled ones
    constant = 1 / (2 * np.pi * np.sqrt(np.linalg.det(S)))
    assert len(rings) == 5
    for level, ring in rings.items():
        gap = ring - mean
        square = np.einsum("ni,ij,nj->n", gap, np.linalg.inv(S), gap)
        assert_allclose(square, -2 * np.log(level / constant), rtol=0.03)
        assert_allclose(np.cov(ring.T)[0, 1] / np.cov(ring.T)[0, 0], 0.4, atol=0.15)  # tilted as S is
    inside = sorted(1 - level / constant for level in rings)  # P(density >= level), between which shares of draws lie
    assert_allclose(inside, [0.1, 0.25, 0.5, 0.75, 0.9], atol=0.03)


@pytest.mark.notes("000-a", "dirichlet")
def test_bands_on_the_triangle_are_of_equal_density():
    """Corners are the certain outcomes; a point's shares of them are its probabilities."""
    alpha = np.array([2.0, 3.0, 5.0])
    ax = Dirichlet(alpha).plot()
    corners = ax.lines[0].get_xydata()
    assert_allclose(corners, [[0, 0], [1, 0], [0.5, np.sqrt(0.75)], [0, 0]])
    (filled,) = ax.collections
    constant = gamma(10) / (gamma(2) * gamma(3) * gamma(5))
    tops = []
    for path, low, high in zip(filled.get_paths(), filled.levels, filled.levels[1:]):
        p = np.linalg.solve(
            np.vstack([corners[:3].T, np.ones(3)]), np.vstack([path.vertices.T, np.ones(len(path.vertices))])
        ).T
        density = constant * np.prod(np.maximum(p, 0) ** (alpha - 1), axis=1)
        assert (density > low - 0.15).all() and (density < high + 0.15).all()
        tops.append(p[density.argmax()])
    assert_allclose(tops[-1], (alpha - 1) / 7, atol=0.06)  # the mode is in the highest band
