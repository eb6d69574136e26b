"""BayesianGaussianMixture against scikit-learn from the same start, its bound against exact evidence."""

import warnings

import numpy as np
import pytest
from mixture.test_gaussian import FORMS, blobs
from numpy.testing import assert_allclose
from scipy.special import multigammaln
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import BayesianGaussianMixture as Theirs

from novum.exceptions import ParameterError
from novum.mixture import BayesianGaussianMixture

PRIORS = ["dirichlet_process", "dirichlet_distribution"]
ATTRIBUTES = (
    "weights_",
    "means_",
    "covariances_",
    "precisions_",
    "precisions_cholesky_",
    "mean_precision_",
    "degrees_of_freedom_",
    "weight_concentration_",
    "mean_prior_",
    "covariance_prior_",
)


def from_responsibilities(cls, X, r, **options):
    """Return a model that starts from the parameters which responsibilities give: scikit-learn's are set, ours go on from them."""
    theirs = Theirs(n_components=r.shape[1], warm_start=True, **options)
    theirs._check_parameters(X)
    theirs._initialize(X, r)
    theirs._set_parameters(theirs._get_parameters())
    theirs.converged_, theirs.lower_bound_, theirs.n_features_in_ = False, -np.inf, X.shape[1]
    if cls is Theirs:
        return theirs
    ours = cls(n_components=r.shape[1], warm_start=True, **options)
    ours.__dict__.update({name: value for name, value in vars(theirs).items() if name.endswith("_")})
    return ours


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("max_iter", [1, 100])
def test_equals_scikit_learn_from_the_same_start(form, prior, max_iter):
    X = blobs(300)
    r = np.random.default_rng(0).dirichlet(np.ones(4), len(X))
    options = {
        "covariance_type": form,
        "weight_concentration_prior_type": prior,
        "max_iter": max_iter,
        "tol": 1e-4,
        "random_state": 0,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        ours, theirs = (from_responsibilities(cls, X, r, **options).fit(X) for cls in (BayesianGaussianMixture, Theirs))
    assert ours.n_iter_ == theirs.n_iter_
    assert_allclose(ours.lower_bounds_, np.ravel(theirs.lower_bounds_), rtol=1e-9)
    for name in ATTRIBUTES:
        assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-7, atol=1e-8, err_msg=name)
    fresh = blobs(40, seed=4)
    assert_allclose(ours.score_samples(fresh), theirs.score_samples(fresh), rtol=1e-8)
    assert_allclose(ours.predict_proba(fresh), theirs.predict_proba(fresh), rtol=1e-6, atol=1e-9)


def test_bound_with_constants_is_the_evidence_of_one_component():
    X = blobs(40)
    n, d = X.shape
    model = BayesianGaussianMixture(
        weight_concentration_prior_type="dirichlet_distribution",
        degrees_of_freedom_prior=5.0,
        mean_precision_prior=0.5,
        mean_prior=np.ones(d),
        covariance_prior=np.diag([1.0, 2, 3]),
        reg_covar=0,
        random_state=0,
    ).fit(X)
    gap, middle = X.mean(axis=0) - 1, X - X.mean(axis=0)
    scale = np.diag([1.0, 2, 3]) + middle.T @ middle + 0.5 * n / (0.5 + n) * np.outer(gap, gap)
    evidence = (
        -0.5 * n * d * np.log(np.pi)
        + multigammaln((5 + n) / 2, d)
        - multigammaln(2.5, d)
        + 2.5 * np.log(6)
        - 0.5 * (5 + n) * np.linalg.slogdet(scale)[1]
        + 0.5 * d * np.log(0.5 / (0.5 + n))
    )
    assert_allclose(model.elbo_, evidence, rtol=1e-12)


def test_bound_prefers_the_right_number_of_components():
    X = blobs(600, k=3, distance=6.0)
    options = {
        "weight_concentration_prior_type": "dirichlet_distribution",
        "max_iter": 500,
        "random_state": 0,
        "n_init": 3,
    }
    elbo = {
        k: BayesianGaussianMixture(n_components=k, weight_concentration_prior=1.0, **options).fit(X).elbo_
        for k in (1, 2, 3, 6)
    }
    assert max(elbo, key=elbo.get) == 3


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize("form", ["full", "diag"])
def test_the_bound_never_falls(form, prior):
    for seed in range(3):
        model = BayesianGaussianMixture(
            n_components=5,
            covariance_type=form,
            weight_concentration_prior_type=prior,
            reg_covar=0,
            tol=1e-8,
            max_iter=400,
            init_params="random",
            random_state=seed,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            history = np.array(model.fit(blobs(150, seed=seed)).history_)
        assert (np.diff(history) >= -1e-10 * np.abs(history[1:])).all()


def test_components_that_are_not_needed_lose_their_weight():
    X = blobs(500, k=2, distance=6.0)
    model = BayesianGaussianMixture(n_components=6, weight_concentration_prior=1e-4, max_iter=1000, random_state=0).fit(
        X
    )
    assert (model.weights_ > 0.01).sum() == 2
    shared = BayesianGaussianMixture(n_components=2, covariance_type="tied_spherical", random_state=0).fit(X)
    assert shared.covariances_.shape == () and shared.covariances_ > 0


def test_weights_are_repetition():
    X = blobs(100)
    w = np.random.default_rng(0).integers(0, 4, len(X))
    r = np.random.default_rng(1).dirichlet(np.ones(3), len(X))
    repeated = np.repeat(X, w, axis=0)
    a = from_responsibilities(BayesianGaussianMixture, X, r, max_iter=200).fit(X, sample_weight=w)
    b = from_responsibilities(BayesianGaussianMixture, X, r, max_iter=200).fit(repeated)
    assert_allclose(a.covariances_, b.covariances_, rtol=1e-9)
    assert_allclose(a.elbo_, b.elbo_, rtol=1e-11)


def test_what_is_wrong_is_said():
    X = blobs(20)
    with pytest.raises(ParameterError, match="'degrees_of_freedom_prior' should be greater than 2"):
        BayesianGaussianMixture(degrees_of_freedom_prior=1.0).fit(X)
    with pytest.raises(ParameterError, match="should have the shape of"):
        BayesianGaussianMixture(mean_prior=[1.0]).fit(X)
    with pytest.raises(ParameterError, match="symmetric, positive-definite"):
        BayesianGaussianMixture(covariance_prior=-np.eye(3)).fit(X)
