"""BernoulliMixture, Mixture of any distributions, NoveltyDetector, pictures."""

import numpy as np
import pytest
from artists import canvas, scatters
from hypothesis import given, settings
from hypothesis import strategies as st
from mixture.test_gaussian import blobs
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import logsumexp
from sklearn.neighbors import KernelDensity

from novum.distributions import Bernoulli, Gamma, MultivariateNormal, Normal, Poisson
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.mixture import BernoulliMixture, GaussianMixture, Mixture, NoveltyDetector, plot_ellipses
from novum.teaching import plot_em_steps

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@quiet
@pytest.mark.notes("002", "bernoulli-mixture")
def test_bernoulli_mixture_of_the_notes():
    X = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 1]])
    start = np.array([[0.6, 0.5, 0.4], [0.4, 0.5, 0.6]])
    model = BernoulliMixture(2, probabilities_init=start, max_iter=1).fit(X)
    assert_allclose(4 * model.lower_bound_, -8.160883, atol=5e-7)
    assert_allclose(model.probabilities_, [[0.692308, 0.5, 0.307692], [0.307692, 0.5, 0.692308]], atol=5e-7)
    assert_allclose(model.weights_, [0.5, 0.5])
    first = BernoulliMixture(2, probabilities_init=start, max_iter=1)
    first.fit(X)
    first.weights_, first.probabilities_ = np.array([0.5, 0.5]), start
    assert_allclose(first.predict_proba(X)[:, 0], [0.692308, 0.692308, 0.307692, 0.307692], atol=5e-7)


@pytest.mark.notes("002", "bernoulli-mixture")
def test_bernoulli_mixture_by_brute_force_with_missing_cells():
    rng = np.random.default_rng(0)
    X = (rng.random((80, 5)) < rng.random((2, 5))[rng.integers(2, size=80)]).astype(float)
    X[rng.random(X.shape) < 0.2] = np.nan
    w = rng.integers(0, 3, 80).astype(float)
    model = BernoulliMixture(2, random_state=0, tol=1e-9, max_iter=500, smoothing=0.5).fit(X, sample_weight=w)
    p, pi = model.probabilities_, model.weights_
    scores = np.log(pi) + np.nansum(
        stats.bernoulli.logpmf(np.where(np.isnan(X), 0, X)[:, None], p) * ~np.isnan(X)[:, None], axis=2
    )
    assert_allclose(model.score_samples(X), logsumexp(scores, axis=1), rtol=1e-12)
    r = np.exp(scores - logsumexp(scores, axis=1, keepdims=True)) * w[:, None]
    expected = [
        [(np.nansum(r[:, k] * X[:, j]) + 0.5) / (r[~np.isnan(X[:, j]), k].sum() + 1) for j in range(5)]
        for k in range(2)
    ]
    assert_allclose(p, expected, atol=1e-3)  # a fixed point, to the tolerance
    assert (np.diff(model.history_) >= 0).all()
    repeated = BernoulliMixture(2, probabilities_init=p).fit(np.repeat(X, w.astype(int), axis=0))
    assert_allclose(
        BernoulliMixture(2, probabilities_init=p).fit(X, sample_weight=w).probabilities_, repeated.probabilities_
    )
    rows, labels = model.sample(20_000)
    assert_allclose(rows[labels == 1].mean(axis=0), p[1], atol=0.02)
    assert model._n_parameters() == 11 and model.bic(X) > model.aic(X)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 4), smoothing=st.sampled_from([0.0, 0.3]))
def test_bernoulli_objective_never_falls(seed, k, smoothing):
    rng = np.random.default_rng(seed)
    X = (rng.random((40, 6)) < rng.random((3, 6))[rng.integers(3, size=40)]).astype(float)
    model = BernoulliMixture(k, smoothing=smoothing, random_state=seed, max_iter=1000, tol=1e-5).fit(X)
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-10 * np.abs(history[1:])).all()


def test_bernoulli_refuses_what_is_not_binary():
    with pytest.raises(DataError, match="0, 1 and NaN only"):
        BernoulliMixture(2, binarize=None).fit([[0.0], [0.3], [1.0]])
    with pytest.raises(ParameterError, match="between 0 and 1"):
        BernoulliMixture(1, probabilities_init=[[2.0]]).fit([[0.0], [1.0]])


@pytest.mark.notes("000-c", "gmm-means-em")
def test_generic_em_equals_the_gaussian_one():
    X = blobs()
    eye = np.stack([np.eye(3)] * 3)
    start = {"weights_init": np.full(3, 1 / 3), "tol": 1e-7}
    own = GaussianMixture(3, means_init=X[:3], precisions_init=eye, reg_covar=0, **start).fit(X)
    generic = Mixture([MultivariateNormal(m, np.eye(3)) for m in X[:3]], **start).fit(X)
    assert generic.n_iter_ == own.n_iter_
    assert_allclose(generic.lower_bounds_, own.lower_bounds_, rtol=1e-11)
    assert_allclose([c.mean for c in generic.components_], own.means_, rtol=1e-8)
    assert_allclose(generic.predict_proba(X), own.predict_proba(X), atol=1e-9)
    assert generic._n_parameters() == own._n_parameters()
    diagonal = GaussianMixture(
        3, covariance_type="diag", means_init=X[:3], precisions_init=np.ones((3, 3)), reg_covar=0, **start
    )
    product = Mixture([Normal(m, np.ones(3)) for m in X[:3]], **start).fit(X)
    assert_allclose([c.var for c in product.components_], diagonal.fit(X).covariances_, rtol=1e-8)
    gaps = X.copy()
    gaps[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    start.update(tol=1e-13, max_iter=5000)  # other latent variables, so another path to the same maximum
    product = Mixture([Normal(m, np.ones(3)) for m in X[:3]], **start).fit(gaps)
    assert_allclose(
        [c.var for c in product.components_], diagonal.set_params(**start).fit(gaps).covariances_, rtol=1e-4
    )
    with pytest.raises(DataError, match="MultivariateNormal takes whole rows"):
        Mixture([MultivariateNormal(np.zeros(3), np.eye(3))]).fit(gaps)


def test_generic_em_equals_the_bernoulli_one():
    rng = np.random.default_rng(3)
    X = (rng.random((60, 4)) < rng.random((2, 4))[rng.integers(2, size=60)]).astype(float)
    p = np.array([[0.3, 0.6, 0.4, 0.5], [0.6, 0.4, 0.5, 0.3]])
    own = BernoulliMixture(2, probabilities_init=p, tol=1e-8, max_iter=1000).fit(X)
    generic = Mixture([Bernoulli(row) for row in p], tol=1e-8, max_iter=1000).fit(X)
    assert_allclose([c.p for c in generic.components_], own.probabilities_, atol=1e-9)


def test_families_may_be_mixed():
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.gamma(2.0, 0.5, 400), rng.normal(8.0, 1.0, 600)])[:, None]
    x = x[x[:, 0] > 0]
    model = Mixture([Gamma(1.0, 1.0), Normal(6.0, 4.0)], tol=1e-7, max_iter=500).fit(x)
    assert_allclose(model.weights_, [0.4, 0.6], atol=0.01)
    assert_allclose(model.components_[1].mean, 8.0, atol=0.1)
    assert_allclose(model.components_[0].mean, 1.0, atol=0.1)
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-10 * np.abs(history[1:])).all()
    rows, labels = model.sample(1000)
    assert rows.shape == (1000, 1) and set(labels) == {0, 1}


def test_classes_start_at_clusters():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.poisson([1.0, 9.0], (200, 2)), rng.poisson([12.0, 2.0], (100, 2))])
    model = Mixture([Poisson, Poisson], random_state=0, tol=1e-9).fit(X)
    rates = np.array(sorted(c.rate.tolist() for c in model.components_))
    assert_allclose(rates, [[1, 9], [12, 2]], rtol=0.15)
    assert_allclose(sorted(model.weights_), [1 / 3, 2 / 3], atol=0.01)


@pytest.mark.notes("002", "latent-marginal")
def test_a_mixture_is_its_joint_with_the_latent_summed_out():
    X = np.linspace(-3, 12, 7)[:, None]
    model = Mixture([Poisson(2.0), Normal(3.0, 2.0)], weights_init=[0.3, 0.7])
    model.weights_, model.components_, model.n_features_in_ = np.array([0.3, 0.7]), model.components, 1
    whole = np.round(np.abs(X))
    summed = 0.3 * stats.poisson(2.0).pmf(whole[:, 0]) + 0.7 * stats.norm(3.0, np.sqrt(2.0)).pdf(whole[:, 0])
    assert_allclose(np.exp(model.score_samples(whole)), summed, rtol=1e-12)
    # a continuous latent: a grid of Gaussians with normal weights is the convolution N(0, 1 + 1)
    z = np.linspace(-8, 8, 401)
    weights = stats.norm.pdf(z) / stats.norm.pdf(z).sum()
    grid = GaussianMixture(
        401,
        covariance_type="tied_spherical",
        weights_init=weights,
        means_init=z[:, None],
        precisions_init=[1.0],
        max_iter=0,
    ).fit(np.repeat(X, 60, axis=0))
    assert_allclose(np.exp(grid.score_samples(X)), stats.norm(0, np.sqrt(2)).pdf(X[:, 0]), rtol=1e-6, atol=1e-12)


def test_generic_mixture_says_what_is_wrong():
    X = blobs(20)
    with pytest.raises(ParameterTypeError, match="must be a sequence of distributions"):
        Mixture([3]).fit(X)
    with pytest.raises(ParameterError, match=r"rows have 3 column"):
        Mixture([Normal(0.0, 1.0)]).fit(X)
    with pytest.raises(DataError, match="no component can have produced"):
        Mixture([Gamma(1.0, 1.0)]).fit([[1.0], [-1.0]])


def test_a_component_that_draws_no_rows():
    X = np.array([[0], [1], [2], [1], [9], [11], [10], [12]])
    model = Mixture([Poisson(1.0), Poisson(10.0)]).fit(X)
    for seed in range(8):
        rows, labels = model.set_params(random_state=seed).sample(1)
        assert rows.shape == (1, 1) and labels.shape == (1,)
    plane = Mixture([MultivariateNormal([0, 0], np.eye(2)), MultivariateNormal([9, 9], np.eye(2))])
    assert plane.fit(blobs(60, d=2)).sample(1)[0].shape == (1, 2)


@pytest.mark.parametrize("components", [[Gamma(1.0, 1.0), Normal(2.0, 1.0)], [Gamma, Normal], [Normal, Gamma]])
def test_rows_outside_the_support_of_one_component_belong_to_the_others(components):
    x = np.random.default_rng(0).normal(size=(200, 1))
    model = Mixture(components, random_state=0, max_iter=500).fit(x)
    shares = model.predict_proba(x)
    gamma = [type(one).__name__ for one in model.components_].index("Gamma")
    assert (shares[x[:, 0] < 0, gamma] == 0).all() and (shares[x[:, 0] > 0, gamma] > 0).any()
    assert_allclose(shares.sum(axis=1), 1.0)
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-10 * np.abs(history[1:])).all()


def test_rows_outside_every_support_are_named():
    message = r"produced row 1, \[-1.\]: its density is zero under all of Poisson. Add a component"
    model = Mixture([Poisson(1.0), Poisson(10.0)]).fit([[0.0], [1.0], [9.0], [12.0]])
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(DataError, match=message):
            ask([[1.0], [-1.0]])
    assert model.score_samples([[-1.0]])[0] == -np.inf
    with pytest.raises(DataError, match=r"produced row 3, .* under all of Gamma, Poisson"):
        Mixture([Gamma(1.0, 1.0), Poisson(1.0)]).fit([[1.0], [2.0], [-1.0], [-2.0]], sample_weight=[1, 1, 0, 1])


@pytest.mark.notes("000-a", "novelty-detector")
def test_novelty_of_one_gaussian_is_the_mahalanobis_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)) @ rng.normal(size=(3, 3))
    model = NoveltyDetector(contamination=0.05).fit(X)
    gap = X - X.mean(axis=0)
    square = np.einsum("ni,ij,nj->n", gap, np.linalg.inv(np.cov(X.T, bias=True)), gap)
    assert (model.predict(X) == -1).sum() == 25
    assert set(np.flatnonzero(model.predict(X) == -1)) == set(np.argsort(-square)[:25])
    density = stats.multivariate_normal(X.mean(axis=0), np.cov(X.T, bias=True)).logpdf(X)
    assert_allclose(model.score_samples(X), density, atol=1e-4)
    ordered = np.sort(model.score_samples(X))
    assert ordered[24] <= model.offset_ <= ordered[25]
    assert_allclose(model.decision_function(X), model.score_samples(X) - model.offset_, rtol=1e-12)
    assert_array_equal(model.predict(X), np.where(model.decision_function(X) >= 0, 1, -1))
    far = X.mean(axis=0) + 100
    assert model.predict([far, X.mean(axis=0)]).tolist() == [-1, 1] and model.decision_function([far])[0] < 0


def test_novelty_from_any_density():
    X = blobs(200, d=2)
    for density in (
        GaussianMixture(3, random_state=0),
        KernelDensity(bandwidth=0.5),
        MultivariateNormal([0.0, 0.0], np.eye(2) * 9),
    ):
        model = NoveltyDetector(density, contamination=0.1).fit(X)
        assert (model.predict(X) == -1).sum() == 20
        assert model.predict([[50.0, 50.0]]).tolist() == [-1]
    weight = np.r_[np.zeros(100), np.ones(100)]
    half = NoveltyDetector(contamination=0.1).fit(X, sample_weight=weight)
    assert_allclose(half.offset_, NoveltyDetector(contamination=0.1).fit(X[100:]).offset_)


@pytest.mark.notes("000-c", "plot-gmm-covariances")
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_the_same_rows_under_four_kinds_of_covariance(kind):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(80, 2)) @ [[2.0, 0.8], [0, 0.5]], rng.normal([7, 3], [0.6, 1.5], (60, 2))])
    model = GaussianMixture(2, covariance_type=kind, tol=1e-9, max_iter=2000, random_state=0).fit(X)
    ax = plot_ellipses(model, X, deviations=1.5, ax=canvas())
    share = model.predict_proba(X)
    covariance = [np.cov(X.T, aweights=share[:, k], bias=True) for k in (0, 1)]
    if kind == "tied":
        covariance = [(share.sum(0)[0] * covariance[0] + share.sum(0)[1] * covariance[1]) / len(X)] * 2
    if kind in ("diag", "spherical"):
        covariance = [np.diag(np.diag(S)) for S in covariance]
    if kind == "spherical":
        covariance = [np.eye(2) * np.trace(S) / 2 for S in covariance]
    opacity = [line.get_alpha() for line in ax.lines]  # heavier components are drawn stronger
    assert_allclose(opacity, 0.15 + 0.75 * share.sum(axis=0) / share.sum(axis=0).max(), rtol=1e-3)
    for k, line in enumerate(ax.lines):
        gap = line.get_xydata() - np.average(X, axis=0, weights=share[:, k])
        assert_allclose(np.einsum("ni,ij,nj->n", gap, np.linalg.inv(covariance[k]), gap), 1.5**2, rtol=2e-3)
    assert_allclose(scatters(ax)[0], X)
    for shared in ("all", "none"):  # a unit is as long upwards as across
        panel = plot_ellipses(model, X, ax=canvas(1, 2, sharex=shared, sharey=shared)[0])
        panel.figure.draw_without_rendering()
        wide, high = np.ptp(panel.transData.transform([[0, 0], [1, 1]]), axis=0)
        assert wide == pytest.approx(high)
    with pytest.raises(DataError, match="two columns"):
        plot_ellipses(GaussianMixture(1).fit(blobs(30)))


@pytest.mark.notes("002", "gmm-em")
@pytest.mark.notes("000-c", "gmm")
def test_the_best_of_several_starts_is_kept():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(center, 0.5, (30, 2)) for center in ([0, 0], [4, 0], [0, 4], [4, 4], [9, 9])])
    options = {"init_params": "random_from_data", "max_iter": 500, "random_state": 1}
    bounds = [GaussianMixture(5, n_init=n, **options).fit(X).lower_bound_ for n in (1, 2, 4, 8, 16)]
    assert (np.diff(bounds) >= -1e-9).all() and bounds[-1] > bounds[0] + 0.05  # more starts are never worse
    assert_allclose(bounds[-1], GaussianMixture(5, n_init=16, **options).fit(X).score(X), atol=1e-3)


def test_panels_of_em_rise():
    X = blobs(100, d=2)
    axes = plot_em_steps(GaussianMixture(2, random_state=0), X, steps=(0, 1, 4), ax=canvas(1, 3))
    values = [float(one.get_title().partition(":")[2]) for one in axes]
    assert values == sorted(values) and values[0] < values[-1]
