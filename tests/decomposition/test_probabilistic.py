"""ProbabilisticPCA against the notes, Gaussian marginals row by row, and plain EM."""

import numpy as np
import pytest
import scipy.stats
from numpy.testing import assert_allclose
from reference import factors

from novum import _core
from novum.decomposition import PCA, ProbabilisticPCA, latent
from novum.decomposition.dimension import bic, log_likelihoods
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.fold.blocks import Block

RNG = np.random.default_rng(3)
STAR = np.array([[2.0, 0], [-2, 0], [0, 2], [0, -2], [3, 3], [-3, -3]])


def sample(n=300, p=7, q=2, noise=0.6, missing=0.2, seed=0):
    rng = np.random.default_rng(seed)
    X = (
        rng.normal(size=(n, q)) @ (rng.normal(size=(q, p)) * np.linspace(3, 2, q)[:, None])
        + noise * rng.normal(size=(n, p))
        + 2
    )
    return np.where(rng.random(X.shape) < missing, np.nan, X)


def model_of(p, q, seed=0):
    rng = np.random.default_rng(seed)
    return latent.Factors(rng.normal(size=p), rng.normal(size=(p, q)), rng.uniform(0.2, 2, p))


@pytest.mark.notes("002", "ppca")
def test_closed_form_of_six_points():
    model = ProbabilisticPCA(1).fit(STAR)
    assert_allclose(model.noise_variance_, 1.333333, atol=5e-7)
    assert_allclose(model.loadings_.ravel(), [1.732051, 1.732051], atol=5e-7)
    density = scipy.stats.multivariate_normal(model.mean_, model.get_covariance())
    assert_allclose(model.score_samples(STAR), density.logpdf(STAR), rtol=1e-12)
    assert_allclose(model.log_likelihood_, density.logpdf(STAR).sum(), rtol=1e-12)
    for _ in range(20):  # any other model is worse
        W = model.loadings_ + 0.1 * RNG.normal(size=(2, 1))
        C = W @ W.T + model.noise_variance_ * np.exp(0.1 * RNG.normal()) * np.eye(2)
        assert scipy.stats.multivariate_normal(model.mean_, C).logpdf(STAR).sum() < model.log_likelihood_
    X = sample(300, 6, 2, missing=0.0)  # four left-over eigenvalues, none like another
    values, vectors = np.linalg.eigh(np.cov(X.T, bias=True))
    wide = ProbabilisticPCA(2).fit(X)
    rest = values[:4].mean()
    assert np.ptp(values[:4]) > 0.05 * rest
    assert_allclose(wide.noise_variance_, rest, rtol=1e-9)
    assert_allclose(
        wide.loadings_ @ wide.loadings_.T, vectors[:, 4:] * (values[4:] - rest) @ vectors[:, 4:].T, rtol=1e-8
    )
    expected = scipy.stats.multivariate_normal(X.mean(0), wide.loadings_ @ wide.loadings_.T + rest * np.eye(6))
    assert_allclose(wide.score_samples(X), expected.logpdf(X), rtol=1e-10)
    means, covariances = factors.row_posteriors(STAR, model._mean, model._loadings, model._noise)
    found = model.posterior(STAR)
    assert_allclose(found.mean, means, atol=1e-14)
    assert_allclose(found.covariance, covariances, rtol=1e-13)
    drawn, hidden = model.sample(200_000, random_state=0)
    assert hidden.shape == (200_000, model.n_components) and abs(np.cov(hidden.T) - 1) < 0.02
    assert_allclose(np.cov(drawn.T), model.get_covariance(), rtol=0.02)
    assert_allclose(model.get_precision() @ model.get_covariance(), np.eye(2), atol=1e-13)


@pytest.mark.notes("002", "ppca")
@pytest.mark.parametrize("q", [0, 1, 3, 6])
def test_density_of_observed_cells_by_brute_force(q):
    X = sample(60, 6)
    X[3], X[4] = np.nan, X[5]  # a row without any cell
    params = model_of(6, q)
    z, posterior_covariances, likelihood = latent.posterior(params, Block(X), covariance=True)
    assert_allclose(likelihood, factors.row_log_densities(X, *params), rtol=1e-11, atol=1e-13)
    means, covariances = factors.row_posteriors(X, *params)
    assert_allclose(z, means, atol=1e-12)
    assert_allclose(posterior_covariances, covariances, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n, p, q", [(1, 1, 1), (40, 5, 2), (7, 9, 4), (0, 3, 2), (30, 4, 0)])
def test_kernel_equals_row_by_row(n, p, q, dtype):
    X = sample(n, p, max(q, 1)).astype(dtype)
    weight = RNG.integers(0, 3, n).astype(float)
    params = model_of(p, q)
    sums = latent.factor_sums(params, Block(X, None, weight, 0, {}))
    seen = ~np.isnan(X)
    assert_allclose(latent.unpack_triangles(sums.second, q)[:-1, q, q], weight @ seen, atol=1e-12)
    assert_allclose(
        sums.likelihood, weight @ factors.row_log_densities(X.astype(float), *params), rtol=1e-10, atol=1e-12
    )
    if (weight @ seen > q + 1).all():
        mean, loadings, _, _ = factors.em_step(X.astype(float), *params, weight=weight, spherical=False)
        A = latent.unpack_triangles(sums.second, q)[:-1]
        solved = np.linalg.solve(A, sums.cross[:, :, None])[:, :, 0]
        assert_allclose(solved[:, :q], loadings, rtol=1e-9, atol=1e-11)
        assert_allclose(params.mean + solved[:, q], mean, rtol=1e-9)
    with pytest.raises(ValueError, match="inconsistent shapes"):
        _core.decomposition.factor_model.factor_sums(
            X, np.zeros(n + 1, np.int64), None, *params, *sums[:3], np.zeros(1)
        )


def test_grouping_by_pattern_changes_nothing():
    X = sample(200, 5)
    params = model_of(5, 2)
    order = latent.visiting_order(Block(X, memory={}))
    patterns = np.isnan(X)[order]
    assert (np.diff(patterns.astype(int) @ 2 ** np.arange(5)[::-1]) >= 0).all()
    sums = latent.factor_sums(params, Block(X))
    shuffled = latent.factor_sums(params, Block(X[RNG.permutation(200)]))
    for a, b in zip(sums, shuffled):
        assert_allclose(a, b, rtol=1e-11)


@pytest.mark.parametrize("missing", [0.0, 0.2, 0.5])
def test_likelihood_never_falls(missing):
    X = sample(missing=missing)
    model = ProbabilisticPCA(2, method="em").fit(X)
    rise = np.diff(model.history_)
    assert (
        rise >= -1e-10 * np.abs(model.history_[0])
    ).all() and model.n_iter_ >= 2  # complete rows start at the maximum
    assert model.log_likelihood_ >= model.history_[-1] - 1e-9
    if missing == 0:
        closed = ProbabilisticPCA(2).fit(X)
        assert_allclose(model.log_likelihood_, closed.log_likelihood_, rtol=1e-9)
        assert_allclose(model.loadings_, closed.loadings_, rtol=1e-3, atol=1e-3)


def test_as_good_as_long_plain_em():
    X = sample(150, 5)
    model = ProbabilisticPCA(2, tol=1e-10).fit(X)
    mean, variance, _ = latent.column_moments(model._source(X), "")
    params = tuple(latent.start(model._source(X), 2, mean, variance))
    for _ in range(60):
        *params, likelihood = factors.em_step(X, *params)
    assert model.log_likelihood_ >= likelihood
    *after, likelihood = factors.em_step(X, model._mean, model._loadings, model._noise)
    assert_allclose(likelihood, model.log_likelihood_, rtol=1e-12)
    assert_allclose(after[2], model._noise, rtol=1e-5)  # a fixed point of plain EM too
    assert_allclose(after[1] @ after[1].T, model._loadings @ model._loadings.T, rtol=1e-3, atol=1e-4)


def test_missing_cells_are_found_again():
    complete = sample(400, 8, 2, noise=0.05, missing=0)
    gaps = np.where(RNG.random(complete.shape) < 0.2, np.nan, complete)
    model = ProbabilisticPCA(2).fit(gaps)
    filled = model.impute(gaps)
    hidden = np.isnan(gaps)
    assert np.array_equal(filled[~hidden], gaps[~hidden])
    assert np.abs(filled - complete)[hidden].mean() < 0.1 < np.abs(np.nanmean(gaps, axis=0) - complete)[hidden].mean()
    covariance, i = model.get_covariance(), int(np.flatnonzero(hidden.any(axis=1))[0])
    seen, lost = ~hidden[i], hidden[i]
    gain = covariance[np.ix_(lost, seen)] @ np.linalg.inv(covariance[np.ix_(seen, seen)])
    assert_allclose(filled[i, lost], model.mean_[lost] + gain @ (gaps[i, seen] - model.mean_[seen]), rtol=1e-9)


@pytest.mark.notes("002", "ppca")
def test_number_of_factors():
    X = sample(500, 6, 2, missing=0)
    for name in ("mle", "bic"):
        assert ProbabilisticPCA(name).fit(X).n_components_ == 2
    assert ProbabilisticPCA("bic", tol=1e-6).fit(sample(300, 5, 2)).n_components_ == 2
    model = ProbabilisticPCA().fit(X)
    assert model.n_components_ == 5 and np.argmax(model.log_evidence_) == 1 and np.argmin(model.bic_) == 2
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T, bias=True)))[::-1]
    for k in range(6):
        fitted = ProbabilisticPCA(k).fit(X)
        assert_allclose(log_likelihoods(values, 500)[k], fitted.score_samples(X).sum(), rtol=1e-12)
        assert_allclose(bic(values, 500)[k], fitted.bic(X), rtol=1e-12)
    assert_allclose(PCA(2).fit(X).noise_variance_ * 499 / 500, ProbabilisticPCA(2).fit(X).noise_variance_, rtol=1e-12)


def test_errors():
    X = sample(50, 4)
    with pytest.raises(DataError, match="needs complete rows, and X has missing cells"):
        ProbabilisticPCA(1, method="closed_form").fit(X)
    with pytest.raises(DataError, match="column 2 has no observed cell"):
        ProbabilisticPCA(1).fit(np.where(np.arange(4) == 2, np.nan, X))
    with pytest.raises(ParameterError, match="n_components=9 must be between 0 and min"):
        ProbabilisticPCA(9).fit(X)
    with pytest.warns(NotConverged, match="raise max_iter or tol"):
        ProbabilisticPCA(2, max_iter=2).fit(X)
    late = np.vstack([X, np.full((1, 4), np.inf)])
    with pytest.raises(ValueError, match="Input X contains infinity"):
        ProbabilisticPCA(1).fit(late)
