"""Missing cells are integrated out: against brute force row by row, against complete data, in every form."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from reference.gaussians import em_step, joint
from scipy.special import logsumexp

from novum.engines.gaussians.covariance import dense
from novum.mixture import BayesianGaussianMixture, GaussianMixture

FORMS = ["full", "tied", "diag", "spherical"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def data(seed=0, n=120, d=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + 3 * rng.integers(2, size=(n, 1))
    X[rng.random((n, d)) < 0.25] = np.nan
    X[0] = np.nan  # a row of which nothing is known
    return X


def started(form, d=4, k=2, seed=1):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, d, d)) * 0.4 + np.eye(d)
    S = A @ A.swapaxes(1, 2)
    S = {
        "full": S,
        "tied": S.mean(axis=0),
        "diag": np.einsum("kii->ki", S),
        "spherical": np.trace(S, axis1=1, axis2=2) / d,
    }[form]
    precision = np.linalg.inv(S) if form in ("full", "tied") else 1 / S
    weights, means = np.array([0.3, 0.7]), rng.normal(size=(k, d)) * 2
    options = {"n_components": k, "covariance_type": form, "reg_covar": 0}
    return S, {**options, "weights_init": weights, "means_init": means, "precisions_init": precision}


@pytest.mark.notes("002", "gmm-em")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_one_step_is_the_brute_force_one(form, weighted):
    X = data()
    S, options = started(form)
    weight = np.random.default_rng(2).integers(0, 3, len(X)).astype(float) if weighted else None
    model = GaussianMixture(**options, max_iter=1).fit(X, sample_weight=weight)
    weights, means, covariances, likelihood = em_step(
        X, options["weights_init"], options["means_init"], dense(form, S, 2, 4), weight
    )
    total = len(X) if weight is None else weight.sum()
    assert_allclose(model.lower_bound_, likelihood / total, rtol=1e-12)
    assert_allclose(model.weights_, weights, rtol=1e-11)
    assert_allclose(model.means_, means, rtol=1e-9, atol=1e-11)
    expected = {
        "full": covariances,
        "tied": np.einsum("k,kij->ij", weights, covariances),
        "diag": np.einsum("kii->ki", covariances),
        "spherical": np.trace(covariances, axis1=1, axis2=2) / 4,
    }[form]
    assert_allclose(model.covariances_, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("form", FORMS)
def test_answers_use_what_is_observed(form):
    X = data()
    _, options = started(form)
    model = GaussianMixture(**options, max_iter=5).fit(X)
    scores = joint(X, model.weights_, model.means_, dense(form, model.covariances_, 2, 4))
    assert_allclose(model.score_samples(X), logsumexp(scores, axis=1), rtol=1e-10, atol=1e-12)
    assert_allclose(model.predict_proba(X), np.exp(scores - logsumexp(scores, axis=1, keepdims=True)), rtol=1e-8)
    assert (model.predict(X) == scores.argmax(axis=1)).all()
    assert_allclose(model.score_samples(X)[0], 0, atol=1e-12)
    assert_allclose(model.predict_proba(X)[0], model.weights_, rtol=1e-12)
    assert model.score_samples(X.astype(np.float32)).dtype == np.float32


def test_every_start_takes_missing_cells():
    X = data()
    for how in ("kmeans", "k-means++", "random", "random_from_data"):
        model = GaussianMixture(2, init_params=how, random_state=0, max_iter=20).fit(X)
        assert np.isfinite(model.means_).all() and (np.diff(model.history_) > -1e-6).all()


@pytest.mark.parametrize("form", FORMS)
def test_variational_bound_rises_with_missing_cells(form):
    model = BayesianGaussianMixture(
        n_components=3, covariance_type=form, reg_covar=0, random_state=0, tol=1e-9, max_iter=60
    ).fit(data())
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-9 * np.abs(history[1:])).all()


def test_a_column_never_seen_is_refused():
    X = data()
    X[:, 2] = np.nan
    with pytest.raises(ValueError, match="column 2 of X has no observed value"):
        GaussianMixture(2).fit(X)
