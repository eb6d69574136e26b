"""Gradients of expectations against their closed forms, and the variances of both estimators against theirs."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from novum.exceptions import DataError, ParameterError
from novum.variational import pathwise_gradient

M, SCALE = np.array([1.5, -0.4]), np.array([0.5, 1.2])
A = np.array([[2.0, 0.5], [0.5, 1.0]])


def quadratic(z):
    return (z @ A * z).sum(axis=1) + z[:, 0]


@pytest.mark.notes("002", "reparam")
@pytest.mark.parametrize("gradient", [None, lambda z: 2 * z @ A + np.array([1.0, 0.0])])
def test_gradient_of_a_quadratic(gradient):
    """E = m'Am + sum A_ii s_i^2 + m_0."""
    n = 40_000
    found = pathwise_gradient(quadratic, {"mean": M, "scale": SCALE}, gradient=gradient, n_samples=n, random_state=3)
    want = {"mean": 2 * A @ M + [1, 0], "scale": 2 * np.diag(A) * SCALE}
    for name, value in want.items():
        for kind, variances in ((found.gradient, found.variance), (found.score_gradient, found.score_variance)):
            assert (np.abs(kind[name] - value) < 4.5 * np.sqrt(variances[name] / n)).all()
        assert (found.score_variance[name] > 5 * found.variance[name]).all()
    np.testing.assert_allclose(found.variance["mean"], 4 * (A**2) @ SCALE**2, rtol=0.05)  # Var of (2 A z)_i
    assert found.value == pytest.approx(M @ A @ M + np.diag(A) @ SCALE**2 + M[0], abs=0.1)


@pytest.mark.notes("002", "reparam")
def test_variances_in_one_dimension_are_those_of_theory():
    m, s, n = 1.5, 0.5, 200_000
    found = pathwise_gradient(lambda z: z[:, 0] ** 2, {"mean": [m], "scale": [s]}, n_samples=n, random_state=0)
    score = (m**4 + 18 * m**2 * s**2 + 15 * s**4) / s**2 - (2 * m) ** 2
    np.testing.assert_allclose(
        [found.variance["mean"][0], found.score_variance["mean"][0]], [4 * s**2, score], rtol=0.03
    )
    np.testing.assert_allclose(found.standard_error["mean"], np.sqrt(4 * s**2 / n), rtol=0.03)
    ax = Figure().subplots()
    found.plot(ax)
    heights = [bar.get_height() for bar in ax.patches]
    np.testing.assert_allclose(heights[0], found.variance["mean"][0])
    np.testing.assert_allclose(heights[2], found.score_variance["mean"][0])
    assert "score-function variance" in repr(found)


def test_bad_input():
    with pytest.raises(ParameterError, match="without transform they must be 'mean' and 'scale'"):
        pathwise_gradient(quadratic, {"mean": M, "sd": SCALE})
    with pytest.raises(ParameterError, match="scale positive"):
        pathwise_gradient(quadratic, {"mean": M, "scale": -SCALE})
    with pytest.raises(DataError, match="one number per row"):
        pathwise_gradient(lambda z: z, {"mean": M, "scale": SCALE})
    with pytest.raises(DataError, match="gradient returned shape"):
        pathwise_gradient(quadratic, {"mean": M, "scale": SCALE}, gradient=lambda z: z[:, 0])
    with pytest.raises(ParameterError, match="give a mapping"):
        pathwise_gradient(quadratic, [M, SCALE])


@pytest.mark.deep
@pytest.mark.notes("002", "reparam")
def test_tensors_give_the_gradient_of_arrays():
    torch = pytest.importorskip("torch")
    tensor = torch.tensor(A)

    def f(z):
        return ((z @ tensor) * z).sum(dim=1) + z[:, 0]

    plain = pathwise_gradient(quadratic, {"mean": M, "scale": SCALE}, random_state=1)
    found = pathwise_gradient(f, {"mean": torch.tensor(M), "scale": torch.tensor(SCALE)}, random_state=1)
    for name in ("mean", "scale"):
        np.testing.assert_allclose(found.gradient[name], plain.gradient[name], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found.score_variance[name], plain.score_variance[name], rtol=1e-9)


@pytest.mark.deep
@pytest.mark.notes("002", "reparam")
def test_another_transform_a_log_normal():
    """z = exp(m + s eps): E[z] = exp(m + s^2 / 2), derivative in m itself, in s s times it."""
    torch = pytest.importorskip("torch")

    def log_prob(p, z):
        return -(0.5 * ((z.log() - p["m"]) / p["s"]) ** 2 + p["s"].log() + z.log()).sum(dim=-1)

    found = pathwise_gradient(
        lambda z: z.sum(dim=1),
        {"m": np.array([0.3]), "s": np.array([0.6])},
        transform=lambda p, eps: torch.exp(p["m"] + p["s"] * eps),
        log_prob=log_prob,
        n_samples=20_000,
        random_state=0,
    )
    mean = np.exp(0.3 + 0.18)
    for name, value in (("m", mean), ("s", 0.6 * mean)):
        assert found.gradient[name][0] == pytest.approx(value, abs=4 * found.standard_error[name][0])
        assert found.score_gradient[name][0] == pytest.approx(
            value, abs=4 * np.sqrt(found.score_variance[name][0] / 20_000)
        )
        assert found.score_variance[name][0] > found.variance[name][0]
    silent = pathwise_gradient(
        lambda z: z.sum(dim=1), {"m": [0.3], "s": [0.6]}, transform=lambda p, e: p["m"] + p["s"] * e, random_state=0
    )
    assert silent.score_variance == {}
