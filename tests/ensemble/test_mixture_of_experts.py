"""Mixture of experts: EM climbs, the pieces are found, and the formulas hold literally."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import softmax
from scipy.stats import norm
from sklearn.base import is_classifier, is_regressor

from novum.ensemble import MixtureOfExperts
from novum.ensemble.gate import Gate, log_gate, refit, start_gate
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.linear_model import LinearRegression, LogisticRegression


def two_lines(n=300, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-3, 3, size=(n, 1))
    return x, np.where(x[:, 0] < 0.5, 2 * x[:, 0] + 1, -x[:, 0] + 4) + noise * rng.normal(size=n)


@pytest.mark.notes("002", "mixture-of-experts")
def test_two_lines_are_found_and_the_likelihood_never_falls():
    X, y = two_lines()
    model = MixtureOfExperts(n_experts=2, random_state=0).fit(X, y)
    slopes = sorted((float(expert.coef_[0]), float(expert.intercept_)) for expert in model.experts_)
    assert_allclose(slopes, [(-1, 4), (2, 1)], atol=0.06)
    assert_allclose(np.sqrt(model.variance_), 0.1, rtol=0.2)
    history = np.array(model.history_)
    assert (np.diff(history) >= -1e-10 * np.abs(history[1:])).all()
    assert_allclose(model.gate_proba(X).max(axis=1)[np.abs(X[:, 0] - 0.5) > 0.5], 1.0, atol=0.02)
    assert model.score(X, y) > 0.98 > 0.8 > LinearRegression().fit(X, y).score(X, y)


@pytest.mark.notes("002", "mixture-of-experts")
def test_likelihood_prediction_and_responsibilities_are_the_formulas():
    X, y = two_lines(80, noise=0.5)
    model = MixtureOfExperts(n_experts=3, random_state=1, max_iter=400).fit(X, y)
    Z = np.column_stack([(X - model.gate_mean_) / model.gate_scale_, np.ones(len(X))])
    gate = softmax(Z @ model.gate_coef_.T, axis=1)
    means = np.column_stack([expert.predict(X) for expert in model.experts_])
    density = norm.pdf(y[:, None], means, np.sqrt(model.variance_))
    assert_allclose(model.log_likelihood_, np.log((gate * density).sum(axis=1)).sum(), rtol=1e-10)
    share = gate * density
    assert_allclose(model.responsibilities(X, y), share / share.sum(axis=1, keepdims=True), rtol=1e-8, atol=1e-12)
    mean, std = model.predict(X, return_std=True)
    for row, distribution in enumerate(model.predict_distribution(X[:5])):
        assert_allclose([float(distribution.mean), float(distribution.std)], [mean[row], std[row]], rtol=1e-9)


def test_gate_solves_its_own_problem():
    """With labels for responsibilities, (2) is multinomial logistic regression."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1.0, 5.0, 0.2] + 2
    label = (X[:, 0] + rng.logistic(size=200) > 2).astype(int) + (X[:, 1] + rng.logistic(size=200) > 4)
    start = start_gate(X, np.ones(200), 3)
    gate = refit(start, X, np.ones(200), np.eye(3)[label], alpha=1.0)
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit((X - start.mean) / start.scale, label)
    assert_allclose(np.exp(log_gate(gate, X)), peer.predict_proba((X - start.mean) / start.scale), atol=2e-5)
    assert isinstance(gate, Gate)


def test_classifiers_as_experts():
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(400, 2))
    y = np.where(np.where(X[:, 0] < 0, X[:, 1], -X[:, 1]) > 0, "in", "out")  # no single line will do
    model = MixtureOfExperts(LogisticRegression(C=100.0), n_experts=2, random_state=0, n_init=6).fit(X, y)
    assert is_classifier(model) and not is_regressor(model)
    assert model.score(X, y) > 0.95 > 0.6 > LogisticRegression().fit(X, y).score(X, y)
    proba = model.predict_proba(X)
    assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(X)).all()
    with pytest.raises(ParameterError, match="no standard deviation"):
        model.predict(X, return_std=True)


def test_one_expert_is_that_expert_and_weights_count_rows():
    X, y = two_lines(40)
    one = MixtureOfExperts(n_experts=1).fit(X, y)
    assert_allclose(one.predict(X), LinearRegression().fit(X, y).predict(X), rtol=1e-10)
    weight = np.random.default_rng(0).integers(0, 3, size=40)
    by_weight = MixtureOfExperts(n_experts=1).fit(X, y, sample_weight=weight)
    repeated = MixtureOfExperts(n_experts=1).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(by_weight.predict(X), repeated.predict(X), rtol=1e-9)
    assert_allclose(by_weight.log_likelihood_, repeated.log_likelihood_, rtol=1e-9)


def test_refusals():
    X, y = two_lines(30)
    with pytest.raises(DataError, match="at least one non-zero"):
        MixtureOfExperts().fit(X, y, sample_weight=np.zeros(30))
    from sklearn.neighbors import KNeighborsRegressor

    with pytest.raises(ParameterError, match="an expert takes sample_weight"):
        MixtureOfExperts(KNeighborsRegressor()).fit(X, y)
    with pytest.warns(NotConverged, match="raise max_iter or tol"):
        MixtureOfExperts(max_iter=1, n_init=1).fit(X, y)
    with pytest.raises(AttributeError, match="predict_proba"):
        MixtureOfExperts(random_state=0).fit(X, y).predict_proba(X)
