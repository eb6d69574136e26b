"""GaussianMixture against scikit-learn from the same start, the notes' numbers, monotone objectives, collapse, restarts."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as Theirs

from novum.exceptions import DataError, ParameterError
from novum.mixture import GaussianMixture

FORMS = ["full", "tied", "diag", "spherical"]


def blobs(n=400, d=3, k=3, seed=0, distance=3.0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(k, d)) * distance
    mix = rng.normal(size=(k, d, d)) * 0.5 + np.eye(d)
    z = rng.integers(k, size=n)
    return centers[z] + np.einsum("nij,nj->ni", mix[z], rng.normal(size=(n, d)))


def start(X, k, form):
    d = X.shape[1]
    eye = {"full": np.stack([np.eye(d)] * k), "tied": np.eye(d), "diag": np.ones((k, d)), "spherical": np.ones(k)}[form]
    return {
        "n_components": k,
        "covariance_type": form,
        "weights_init": np.arange(1.0, k + 1) / (k * (k + 1) / 2),
        "means_init": X[:k].copy(),
        "precisions_init": eye / 2,
    }


@pytest.mark.notes("000-c", "gmm")
@pytest.mark.notes("002", "gmm")
@pytest.mark.notes("002", "gmm-em")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "options", [{"max_iter": 1}, {"tol": 1e-9, "max_iter": 2000}, {"reg_covar": 0.1, "tol": 1e-9, "max_iter": 2000}]
)
def test_equals_scikit_learn_from_the_same_start(form, options):
    X = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, theirs = (cls(**start(X, 3, form), **options).fit(X) for cls in (GaussianMixture, Theirs))
    assert ours.n_iter_ == theirs.n_iter_ and ours.converged_ == theirs.converged_
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_", "lower_bounds_"):
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-8, atol=1e-9, err_msg=name)
    fresh = blobs(50, seed=5)
    for name in ("score_samples", "predict_proba", "predict"):
        assert_allclose(getattr(ours, name)(fresh), getattr(theirs, name)(fresh), rtol=1e-8, atol=1e-10, err_msg=name)
    for name in ("score", "aic", "bic"):
        assert_allclose(getattr(ours, name)(fresh), getattr(theirs, name)(fresh), rtol=1e-9)
    assert ours._n_parameters() == theirs._n_parameters()


def test_float32_is_float64_rounded():
    X = blobs().astype(np.float32)
    wide = GaussianMixture(**start(X, 3, "full"), max_iter=200).fit(X.astype(np.float64))
    narrow = GaussianMixture(**start(X, 3, "full"), max_iter=200).fit(X)
    assert narrow.means_.dtype == narrow.score_samples(X).dtype == np.float32
    assert np.array_equal(narrow.means_, wide.means_.astype(np.float32))


def test_far_from_zero_nothing_is_lost():
    X = blobs(distance=10.0)
    for form in FORMS:
        near = GaussianMixture(**start(X, 3, form), max_iter=200).fit(X)
        far = GaussianMixture(**{**start(X, 3, form), "means_init": X[:3] + 2.0**24}, max_iter=200).fit(X + 2.0**24)
        assert_allclose(far.covariances_, near.covariances_, rtol=1e-6)


@pytest.mark.notes("004", "density-estimation-named")
@pytest.mark.notes("002", "gmm-em")
def test_em_of_the_notes():
    X = np.array([[0.0], [1], [4], [5]])
    options = {"means_init": [[0.0], [5.0]], "weights_init": [0.5, 0.5], "precisions_init": [1.0, 1.0], "reg_covar": 0}
    model = GaussianMixture(2, covariance_type="spherical", tol=1e-13, max_iter=500, **options).fit(X)
    assert_allclose(4 * model.history_[0], -7.447230, atol=5e-7)
    with pytest.warns(ConvergenceWarning):
        once = GaussianMixture(2, covariance_type="spherical", max_iter=1, **options).fit(X)
    assert_allclose(once.means_.ravel(), [0.500838, 4.499162], atol=5e-7)
    assert_allclose(once.covariances_, 0.253353, atol=5e-7)
    # the catalogue's limit is that of hard assignments; soft ones keep a trace of the other pair
    assert_allclose(model.means_.ravel(), [0.5, 4.5], atol=1e-5)
    assert_allclose(model.covariances_, 0.25, atol=1e-5)
    assert_allclose(4 * model.lower_bound_, -5.675754, atol=5e-6)
    assert (np.diff(model.history_) >= 0).all()


@pytest.mark.notes("000-c", "gmm-means-em")
def test_means_of_equal_spheres():
    X = np.array([[0.0], [1], [4], [5]])
    options = {"means_init": [[0.0], [4.0]], "fixed": ("weights", "covariances")}
    sphere = {"covariance_type": "tied_spherical", "precisions_init": 1.0}
    first = GaussianMixture(2, max_iter=0, **options, **{**sphere, "precisions_init": [1.0]}).fit(X)
    assert_allclose(first.predict_proba(X)[:, 0], [0.999665, 0.982014, 0.000335, 0.000006], atol=5e-7)
    model = GaussianMixture(2, tol=1e-12, **options, covariance_type="tied_spherical", precisions_init=[1.0]).fit(X)
    assert_allclose(4 * np.array(model.history_)[:3], [-7.429516, -6.944099, -6.943271], atol=5e-7)
    assert_allclose(model.means_.ravel(), [0.503868, 4.496132], atol=5e-7)
    assert model.weights_.tolist() == [0.5, 0.5] and model.covariances_ == 1
    assert model._n_parameters() == 2
    with pytest.warns(ConvergenceWarning):
        once = GaussianMixture(2, max_iter=1, **options, covariance_type="spherical", precisions_init=[1.0, 1.0]).fit(X)
    assert_allclose(once.means_.ravel(), [0.496153, 4.468138], atol=5e-7)


@pytest.mark.notes("002", "gmm")
def test_density_of_the_mixture():
    X = blobs()
    model = GaussianMixture(3, random_state=0).fit(X)
    parts = np.stack(
        [w * multivariate_normal(m, S).pdf(X) for w, m, S in zip(model.weights_, model.means_, model.covariances_)]
    )
    assert_allclose(model.score_samples(X), np.log(parts.sum(axis=0)), rtol=1e-10)
    assert_allclose(model.predict_proba(X), (parts / parts.sum(axis=0)).T, rtol=1e-8, atol=1e-12)
    rows, labels = model.sample(50_000)
    assert_allclose(np.bincount(labels) / 50_000, model.weights_, atol=0.01)
    assert_allclose(np.cov(rows[labels == 0].T), model.covariances_[0], atol=0.15 * np.abs(model.covariances_[0]).max())


@pytest.mark.notes("000-c", "gmm")
def test_five_forms_and_their_parameters():
    X = blobs()
    likelihood = {}
    for form, count in {"full": 29, "tied": 17, "diag": 20, "spherical": 14, "tied_spherical": 12}.items():
        model = GaussianMixture(3, covariance_type=form, n_init=3, random_state=0, max_iter=500).fit(X)
        likelihood[form] = model.score(X)
        assert model._n_parameters() == count
        assert_allclose(model.bic(X), -2 * len(X) * model.score(X) + count * np.log(len(X)))
        assert_allclose(model.aic(X), -2 * len(X) * model.score(X) + 2 * count)
    assert likelihood["full"] > likelihood["diag"] > likelihood["spherical"] > likelihood["tied_spherical"]
    shared = GaussianMixture(3, covariance_type="tied_spherical", random_state=0).fit(X)
    r = shared.predict_proba(X)
    square = ((X[:, None] - shared.means_) ** 2).sum(axis=2)
    assert_allclose(shared.covariances_, (r * square).sum() / X.size, rtol=2e-2)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 4),
    d=st.integers(1, 5),
    form=st.sampled_from([*FORMS, "tied_spherical"]),
    gaps=st.booleans(),
    weighted=st.booleans(),
)
def test_the_likelihood_never_falls(seed, k, d, form, gaps, weighted):
    rng = np.random.default_rng(seed)
    X = blobs(60, d, 3, seed, distance=2.0)
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
        X[:3] = rng.normal(size=(3, d))
    weight = rng.uniform(0, 2, len(X)) if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model = GaussianMixture(k, covariance_type=form, reg_covar=0, tol=0, max_iter=30, random_state=seed)
            history = np.array(model.fit(X, sample_weight=weight).history_)
        except DataError as error:  # a component collapsed onto a few rows: the likelihood has no maximum
            assert "ill-defined" in str(error)
            return
    assert (np.diff(history) >= -1e-10 * np.abs(history[1:])).all()


@pytest.mark.parametrize("form", FORMS)
def test_the_penalised_objective_is_recorded_and_rises(form):
    X = blobs()
    model = GaussianMixture(**start(X, 3, form), reg_covar=0.05, tol=1e-8, max_iter=500).fit(X)
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-4 * np.abs(history[1:])).all() and history[-1] > history[0]
    assert (history < model.lower_bounds_).all()


def test_partial_starts_restarts_and_trials():
    X = blobs(seed=3, k=4)
    singles = [
        GaussianMixture(4, init_params="random_from_data", random_state=s, max_iter=500).fit(X) for s in range(3)
    ]
    assert max(m.lower_bound_ for m in singles) > min(m.lower_bound_ for m in singles)
    options = {"init_params": "random_from_data", "n_init": 6, "random_state": 0, "max_iter": 500}
    many, short = GaussianMixture(4, **options).fit(X), GaussianMixture(4, trial_iter=5, **options).fit(X)
    one = GaussianMixture(4, **{**options, "n_init": 1}).fit(X)
    assert many.lower_bound_ >= one.lower_bound_ and short.converged_
    assert len(short.history_) == short.n_iter_ and (np.diff(short.lower_bounds_) > -1e-9).all()
    partly = GaussianMixture(2, means_init=X[:2], random_state=0, max_iter=0).fit(X)
    assert np.array_equal(partly.means_, X[:2]) and partly.lower_bounds_ == []


def test_weights_are_repetition_and_partial_weights_of_inits():
    X = blobs(120)
    w = np.random.default_rng(0).integers(0, 4, len(X))
    for form in FORMS:
        options = start(X, 3, form)
        a = GaussianMixture(**options).fit(X, sample_weight=w)
        b = GaussianMixture(**options).fit(np.repeat(X, w, axis=0))
        assert_allclose(a.covariances_, b.covariances_, rtol=1e-9, atol=1e-12)
        assert_allclose(a.lower_bounds_, b.lower_bounds_, rtol=1e-11)
        assert_allclose(a.bic(X, sample_weight=w), b.bic(np.repeat(X, w, axis=0)), rtol=1e-10)


def test_warm_start_goes_on():
    X = blobs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        whole = GaussianMixture(**start(X, 3, "full"), max_iter=6, tol=0).fit(X)
        parts = GaussianMixture(**start(X, 3, "full"), max_iter=3, tol=0, warm_start=True).fit(X).fit(X)
    assert_allclose(parts.means_, whole.means_, rtol=1e-12)
    assert parts.history_[0] > whole.history_[2]


def test_collapse_is_an_error_that_helps():
    X = np.repeat([[1.0, 2.0], [0.0, 0.0]], 5, axis=0)
    for form in FORMS:
        with pytest.raises(DataError, match=r"ill-defined empirical covariance.*increase reg_covar"):
            GaussianMixture(4, covariance_type=form, reg_covar=0, random_state=0).fit(X)
        model = GaussianMixture(4, covariance_type=form, random_state=0).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
    with pytest.raises(DataError, match="passing float64"):
        GaussianMixture(4, reg_covar=0, random_state=0).fit(X.astype(np.float32))


def test_what_is_wrong_is_said():
    X = blobs(20)
    cases = {
        "should have the shape of": {"means_init": X[:4]},
        "should be in the range": {"weights_init": [2.0, -1.0, 0.0]},
        "should be normalized": {"weights_init": [0.5, 0.4, 0.0]},
        "symmetric, positive-definite": {"precisions_init": -np.stack([np.eye(3)] * 3)},
        "must name some of": {"fixed": ("variances",)},
        "only if precisions_init gives them": {"fixed": ("covariances",)},
        "only if means_init gives them": {"fixed": ("means",)},
    }
    for words, options in cases.items():
        with pytest.raises(ParameterError, match=words):
            GaussianMixture(3, **options).fit(X)
    with pytest.raises(DataError, match="n_components = 30, n_samples = 20"):
        GaussianMixture(30).fit(X)
    with pytest.raises(ParameterError, match="Invalid value for 'n_samples'"):
        GaussianMixture(2, random_state=0).fit(X).sample(0)


def test_fixed_means_keep_their_place():
    X = blobs()
    model = GaussianMixture(3, means_init=X[:3], fixed=("means",), random_state=0, max_iter=300).fit(X)
    assert np.array_equal(model.means_, X[:3])
    r = model.predict_proba(X)
    gap = X - X[0]
    assert_allclose(
        model.covariances_[0], (r[:, 0, None] * gap).T @ gap / r[:, 0].sum() + 1e-6 * np.eye(3), rtol=0.05, atol=0.02
    )
