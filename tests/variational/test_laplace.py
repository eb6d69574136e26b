"""Laplace against Gaussians (exact), integrals (close), Newton's method written out, and densities that have no Gaussian."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy import stats
from scipy.special import betaln

from novum.exceptions import DataError, DataWarning, NotConverged, ParameterError
from novum.variational import laplace

S = np.array([[2.0, 0.6, -0.3], [0.6, 1.0, 0.2], [-0.3, 0.2, 0.5]])


@pytest.mark.notes("003", "posterior-approximations")
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_a_gaussian_is_its_own_approximation(size):
    mean, cov = size * np.array([1.0, -2.0, 0.5]), size**2 * S
    found = laplace(lambda x: 3.7 + stats.multivariate_normal.logpdf(x, mean, cov), size * np.array([4.0, 4, 4]))
    np.testing.assert_allclose(found.mode, mean, atol=1e-6 * size)
    np.testing.assert_allclose(found.covariance, cov, rtol=1e-5)
    assert found.log_evidence == pytest.approx(3.7, abs=1e-5)
    np.testing.assert_allclose(found.distribution.mean, mean, atol=1e-6 * size)


@pytest.mark.notes("003", "posterior-approximations")
def test_logistic_posterior_as_newton_finds_it():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.ones(60), rng.standard_normal((60, 2))])
    t = (rng.random(60) < 1 / (1 + np.exp(-X @ [0.3, 1.5, -1.0]))).astype(float)

    def log_posterior(w):
        return float(t @ (X @ w) - np.logaddexp(0, X @ w).sum() - 0.5 * 0.8 * w @ w)

    w = np.zeros(3)
    for _ in range(30):
        p = 1 / (1 + np.exp(-X @ w))
        H = X.T @ (X * (p * (1 - p))[:, None]) + 0.8 * np.eye(3)
        w = w + np.linalg.solve(H, X.T @ (t - p) - 0.8 * w)
    for options in ({}, {"gradient": lambda w: X.T @ (t - 1 / (1 + np.exp(-X @ w))) - 0.8 * w}):
        found = laplace(log_posterior, np.zeros(3), **options)
        np.testing.assert_allclose(found.mode, w, atol=1e-7)
        np.testing.assert_allclose(found.covariance, np.linalg.inv(H), rtol=1e-5)
    evidence = log_posterior(w) + 1.5 * np.log(2 * np.pi) - 0.5 * np.linalg.slogdet(H)[1]
    assert found.log_evidence == pytest.approx(evidence, abs=1e-6)
    given = laplace(log_posterior, np.zeros(3), hessian=lambda v: -H)
    np.testing.assert_allclose(given.hessian, H)


@pytest.mark.notes("003", "posterior-approximations")
def test_the_error_of_the_evidence_falls_with_the_data():
    errors = []
    for n in (10, 40, 160):
        h, t = 0.7 * n, 0.3 * n
        found = laplace(lambda p, h=h, t=t: h * np.log(p) + t * np.log(1 - p), {"p": 0.4}, bounds={"p": (0, 1)})
        assert found.mode["p"] == pytest.approx(0.7, abs=1e-8)
        assert found.standard_deviations[0] == pytest.approx(np.sqrt(0.21 / n), rel=1e-6)
        errors.append(abs(found.log_evidence - betaln(h + 1, t + 1)))
    assert errors[0] < 0.07
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 4, rtol=0.1)  # like 1 / n


@pytest.mark.parametrize(
    "density, start, options, words",
    [
        (lambda x: -x[0] if x[0] >= 0 else -np.inf, [1.0], {}, "border of the support in theta"),
        (lambda x: -3 * x[0], [1.0], {"bounds": [(0, None)]}, "border of the support in theta"),
        (lambda p: 2 * np.log(p), {"p": 0.5}, {"bounds": {"p": (0, 1)}}, "border of the support in p"),
        (lambda x: -((x[0] + x[1]) ** 2), [1.0, 0.5], {}, "not positive definite"),
        (lambda x: -(x[0] ** 4), [1.0], {}, "not positive definite"),
        (lambda x: x[0] ** 2 - x[1] ** 2, [0.0, 1.0], {}, "not positive definite"),
    ],
)
def test_where_there_is_no_gaussian_it_says_so(density, start, options, words):
    with pytest.warns(DataWarning, match=words):
        found = laplace(density, start, **options)
    assert np.isnan(found.covariance).all() and np.isnan(found.log_evidence)
    with pytest.raises(DataError, match="there is no Gaussian"):
        found.distribution  # noqa: B018


def test_bad_input():
    with pytest.raises(DataError, match="log_density is -inf at the start"):
        laplace(lambda x: -np.inf, [0.0])
    with pytest.raises(ParameterError, match="start must be one finite number per parameter"):
        laplace(lambda x: 0.0, [np.nan])
    with pytest.raises(DataError, match=r"returned shape \(2,\); it must return one number"):
        laplace(lambda x: -(x**2), [0.0, 1.0])
    with pytest.warns((NotConverged, DataWarning)):
        laplace(lambda x: -((x[0] - 3) ** 2) * 1e-9 - 1e-3 * np.logaddexp(0, x[0]), [1e7], max_iter=1)


def test_pictures():
    one = laplace(lambda p: 7 * np.log(p) + 3 * np.log(1 - p), {"p": 0.5}, bounds={"p": (0, 1)})
    ax = Figure().subplots()
    one.plot(ax)
    exact, gaussian = ax.lines
    p = exact.get_xdata()
    inside = (p > 0) & (p < 1)
    np.testing.assert_allclose(exact.get_ydata()[inside], (p**7 * (1 - p) ** 3 / (0.7**7 * 0.3**3))[inside], rtol=1e-6)
    np.testing.assert_allclose(gaussian.get_ydata(), np.exp(-0.5 * (p - 0.7) ** 2 / 0.021), atol=1e-6)
    assert ax.get_xlabel() == "p" and "log-evidence" in repr(one) and list(one.to_frame()["parameter"]) == ["p"]
    two = laplace(lambda x: stats.multivariate_normal.logpdf(x, [1, 2], S[:2, :2]), [0.0, 0.0])
    ax = Figure().subplots()
    two.plot(ax)
    for collection in ax.collections:
        for path, level in zip(collection.get_paths(), np.log([0.1, 0.5, 0.9])):
            off = path.vertices[1:-1:9] - [1, 2]
            np.testing.assert_allclose(
                -0.5 * np.einsum("ij,jk,ik->i", off, np.linalg.inv(S[:2, :2]), off), level, atol=0.02
            )
