"""FactorAnalysis against scikit-learn, brute force and its own stationarity."""

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose
from reference import factors
from sklearn.decomposition import FactorAnalysis as Theirs

from novum.decomposition import FactorAnalysis
from novum.decomposition.rotation import orthogonal_rotation

RNG = np.random.default_rng(4)


def sample(n, p, q=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, q)) @ rng.normal(size=(q, p)) + rng.normal(size=(n, p)) * rng.uniform(0.3, 1.5, p) + 1


@pytest.mark.parametrize("shape", [(300, 6), (40, 60)])
def test_scikit_learn_step_by_step(shape):
    X = sample(*shape)
    ours, theirs = FactorAnalysis(2, max_iter=3000).fit(X), Theirs(2, svd_method="lapack", max_iter=3000).fit(X)
    assert_allclose(ours.loglike_, theirs.loglike_, rtol=1e-11)
    assert ours.n_iter_ == theirs.n_iter_
    assert_allclose(ours.noise_variance_, theirs.noise_variance_, rtol=1e-8)
    assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), rtol=1e-6, atol=1e-8)
    for method in ("get_covariance", "get_precision"):
        assert_allclose(getattr(ours, method)(), getattr(theirs, method)(), rtol=1e-7, atol=1e-9)
    assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-9)
    assert_allclose(np.abs(ours.transform(X)), np.abs(theirs.transform(X)), rtol=1e-6, atol=1e-7)


def test_likelihood_is_that_of_the_gaussian_and_never_falls():
    X = sample(200, 5)
    for q in (0, 1, 4, 5):
        model = FactorAnalysis(q).fit(X)
        density = scipy.stats.multivariate_normal(model.mean_, model.get_covariance())
        assert_allclose(model.loglike_[-1], density.logpdf(X).sum(), rtol=1e-8)
        assert (np.diff(model.loglike_) >= -1e-9).all()


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_missing_cells(missing):
    X = sample(400, 6)
    gaps = np.where(RNG.random(X.shape) < missing, np.nan, X)
    gaps[0, 0] = np.nan
    model = FactorAnalysis(2, tol=1e-6, max_iter=5000).fit(gaps)
    assert (np.diff(model.loglike_) >= -1e-8).all()
    parts = (model._mean, model._loadings, model._noise)
    assert_allclose(model.score_samples(gaps), factors.row_log_densities(gaps, *parts), rtol=1e-10)
    *_, noise, likelihood = factors.em_step(gaps, *parts, spherical=False)
    assert_allclose(likelihood, model.loglike_[-1], rtol=1e-9)
    assert_allclose(noise, model.noise_variance_, rtol=1e-3)
    if missing == 0:
        complete = FactorAnalysis(2, tol=1e-8, max_iter=5000).fit(X)
        assert_allclose(model.get_covariance(), complete.get_covariance(), atol=0.02)


@pytest.mark.parametrize("method", ["varimax", "quartimax"])
def test_rotation(method):
    from sklearn.decomposition._factor_analysis import _ortho_rotation

    X = sample(500, 7, 3)
    plain, turned = FactorAnalysis(3).fit(X), FactorAnalysis(3, rotation=method).fit(X)
    assert_allclose(turned.get_covariance(), plain.get_covariance(), atol=1e-12)
    assert_allclose(turned.score_samples(X), plain.score_samples(X), rtol=1e-10)

    def simplicity(B):  # a literal (23)
        fourth = (B**4).sum(axis=0)
        return (fourth - (method == "varimax") * (B**2).sum(axis=0) ** 2 / len(B)).sum()

    L, best = plain.components_.T, turned.components_.T
    assert simplicity(best) >= simplicity(_ortho_rotation(L, method).T) - 1e-9
    for _ in range(50):
        assert simplicity(L @ np.linalg.qr(RNG.normal(size=(3, 3)))[0]) <= simplicity(best) + 1e-9
    # psych::principal(rotate = "varimax") in R 4, as quoted in scikit-learn's tests
    given = np.array(
        [[0.89421016, -0.35854928], [-0.45081822, -0.89132754], [0.99500666, -0.02031465], [0.96822861, -0.06299656]]
    )
    wanted = np.array([[0.962, 0.052], [-0.141, 0.989], [0.949, -0.300], [0.937, -0.251]])
    if method == "varimax":
        assert_allclose(np.abs(orthogonal_rotation(given, method)), np.abs(wanted), atol=1.5e-3)


def test_noise_init_is_checked():
    with pytest.raises(
        ValueError, match=r"number of features : 3 != 4. FactorAnalysis needs one positive variance per column"
    ):
        FactorAnalysis(1, noise_variance_init=np.ones(3)).fit(sample(20, 4))
