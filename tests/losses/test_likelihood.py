"""Cross-entropy, Gaussian and Poisson: the notes' numbers, peers, stability, refusals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, poisson
from sklearn.metrics import log_loss

from novum.exceptions import DataError, ParameterError
from novum.losses import CrossEntropyLoss, GaussianLoss, PoissonLoss, empirical_risk


@pytest.mark.notes("000-c", "loss-bce")
@pytest.mark.notes("002", "loss-bce")
@pytest.mark.notes("004", "cross-entropy")
def test_binary_cross_entropy_from_probabilities_and_scores():
    from_p = CrossEntropyLoss(from_probabilities=True)
    np.testing.assert_allclose(from_p.value([1, 1], [0.9, 0.1]), [0.105361, 2.302585], atol=5e-7)
    rng = np.random.default_rng(0)
    f = rng.normal(scale=3, size=100)
    t, y = rng.integers(0, 2, 100), 1 / (1 + np.exp(-f))
    literal = -(t * np.log(y) + (1 - t) * np.log(1 - y))  # the minus binds both terms
    np.testing.assert_allclose(CrossEntropyLoss().value(t, f), literal, rtol=1e-12)
    np.testing.assert_allclose(from_p.value(t, y), literal, rtol=1e-12)
    np.testing.assert_allclose(CrossEntropyLoss().gradient(t, f), y - t, atol=1e-15)
    np.testing.assert_allclose(empirical_risk(CrossEntropyLoss(), t, f), log_loss(t, y), rtol=1e-12)
    # x = 0..5 with the fitted line of the notes' logistic example
    x, t = np.arange(6.0), np.array([0, 0, 1, 0, 1, 1])
    np.testing.assert_allclose(
        empirical_risk(CrossEntropyLoss(), t, -3.035069 + 1.214028 * x, reduction="sum"), 2.477987, atol=1e-6
    )


@pytest.mark.notes("000-a", "cross-entropy")
@pytest.mark.notes("000-a", "losses-vs-measures")
@pytest.mark.notes("000-c", "loss-ce")
@pytest.mark.notes("002", "loss-cce")
@pytest.mark.notes("003", "cross-entropy")
def test_multiclass_cross_entropy():
    loss = CrossEntropyLoss()
    np.testing.assert_allclose(loss.value([0], [[2.0, 1.0, 0.0]]), 0.407606, atol=5e-7)
    rng = np.random.default_rng(1)
    f, t = rng.normal(scale=3, size=(50, 4)), rng.integers(0, 4, 50)
    y = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
    hot = np.eye(4)[t]
    for target in (t, hot):
        np.testing.assert_allclose(loss.value(target, f), -(hot * np.log(y)).sum(axis=1), rtol=1e-12)
        np.testing.assert_allclose(loss.gradient(target, f), y - hot, atol=1e-14)
        value, gradient = loss._value_and_gradient(*loss.check(target, f))
        np.testing.assert_allclose(value, loss.value(target, f), rtol=1e-14)
        np.testing.assert_allclose(gradient, y - hot, atol=1e-14)
        np.testing.assert_allclose(
            CrossEntropyLoss(from_probabilities=True).value(target, y), loss.value(target, f), rtol=1e-11
        )
    np.testing.assert_allclose(empirical_risk(loss, t, f), log_loss(t, y, labels=range(4)), rtol=1e-12)
    v = rng.normal(size=f.shape)
    hessian = np.einsum("nk,kj->nkj", y, np.eye(4)) - y[:, :, None] * y[:, None, :]
    np.testing.assert_allclose(loss.hessian_product(f, v), np.einsum("nkj,nj->nk", hessian, v), atol=1e-14)
    np.testing.assert_allclose(loss.curvature(t, f), np.einsum("nkk->nk", hessian), atol=1e-14)
    assert loss.value(t, f.astype(np.float32)).dtype == loss.gradient(t, f.astype(np.float32)).dtype == np.float32


@pytest.mark.notes("000-c", "loss-ce")
@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.floats(-5, 5), min_size=3, max_size=3),
    st.lists(st.floats(0.01, 1), min_size=3, max_size=3),
)
def test_multiclass_gradient_matches_differences(scores, target):
    f, t = np.array([scores]), np.array([target]) / np.sum(target)
    loss, h = CrossEntropyLoss(), 1e-5
    steps = h * np.eye(3)[:, None]
    slopes = [(loss.value(t, f + s) - loss.value(t, f - s))[0] / (2 * h) for s in steps]
    np.testing.assert_allclose(slopes, loss.gradient(t, f)[0], atol=1e-9)
    p = CrossEntropyLoss(from_probabilities=True)
    y, h = loss.response(f) * 0.9 + 0.03, 1e-6
    steps = h * np.eye(3)[:, None]
    slopes = [(p.value(t, y + s) - p.value(t, y - s))[0] / (2 * h) for s in steps]
    np.testing.assert_allclose(slopes, p.gradient(t, y)[0], rtol=1e-6)
    bends = [(p.gradient(t, y + s) - p.gradient(t, y - s))[0, i] / (2 * h) for i, s in enumerate(steps)]
    np.testing.assert_allclose(bends, p.curvature(t, y)[0], rtol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.floats(0.02, 0.98), st.floats(0, 1))
def test_binary_derivatives_in_the_probability(y, t):
    p, h = CrossEntropyLoss(from_probabilities=True), 1e-6
    slope = (p.value(t, y + h) - p.value(t, y - h)) / (2 * h)
    np.testing.assert_allclose(slope, p.gradient(t, y), atol=1e-5 * (1 + abs(slope)))
    bend = (p.gradient(t, y + h) - p.gradient(t, y - h)) / (2 * h)
    np.testing.assert_allclose(bend, p.curvature(t, y), rtol=1e-5)


@pytest.mark.notes("004", "cross-entropy")
@pytest.mark.notes("002", "loss-bce")
@pytest.mark.notes("000-c", "loss-bce")
def test_certain_predictions():
    loss, p = CrossEntropyLoss(), CrossEntropyLoss(from_probabilities=True)
    np.testing.assert_allclose(
        loss.value([1, 0, 1], [50.0, -50.0, -800.0]), [np.exp(-50), np.exp(-50), 800], rtol=1e-14
    )
    np.testing.assert_allclose(loss.value([0, 1], [[1e4, 0.0], [1e4, 0.0]]), [0, 1e4])
    np.testing.assert_array_equal(p.value([1, 0, 1], [1.0, 0.0, 0.0]), [0, 0, np.inf])
    np.testing.assert_array_equal(p.gradient([1, 0], [1.0, 0.0]), [0, 0])
    np.testing.assert_allclose(CrossEntropyLoss(from_probabilities=True, clip=1e-3).value([1], [0.0]), -np.log(1e-3))
    np.testing.assert_array_equal(p.value([0, 1], [[1.0, 0.0], [1.0, 0.0]]), [0, np.inf])


def test_constants_and_links():
    loss = CrossEntropyLoss()
    np.testing.assert_allclose(loss.best_constant([0, 1, 1, 1]), np.log(3))
    np.testing.assert_allclose(loss.response(loss.best_constant([0, 1], [1, 3])), 0.75)
    np.testing.assert_allclose(CrossEntropyLoss(from_probabilities=True).best_constant([0, 1, 1, 1]), 0.75)
    hot = np.eye(3)[[0, 1, 1, 2]]
    np.testing.assert_allclose(loss.response(loss.best_constant(hot)[None]), [[0.25, 0.5, 0.25]])
    assert PoissonLoss().best_constant([0, 2, 4]) == pytest.approx(np.log(2))


@pytest.mark.notes("002", "loss-gaussian-nll")
def test_gaussian_likelihood_and_its_precision():
    t, f = np.array([1.0, 3, 2, 5]), np.array([1.1, 2.2, 3.3, 4.4])
    beta = GaussianLoss.estimate_precision(t, f)
    np.testing.assert_allclose(beta, 4 / 2.7, rtol=1e-14)
    literal = beta / 2 * 2.7 - 4 / 2 * np.log(beta) + 4 / 2 * np.log(2 * np.pi)
    np.testing.assert_allclose(empirical_risk(GaussianLoss(beta), t, f, reduction="sum"), literal, rtol=1e-14)
    np.testing.assert_allclose(GaussianLoss(beta).value(t, f), -norm.logpdf(t, f, beta**-0.5), rtol=1e-13)
    for other in (0.9 * beta, 1.1 * beta):
        assert empirical_risk(GaussianLoss(other), t, f) > empirical_risk(GaussianLoss(beta), t, f)
    np.testing.assert_allclose(GaussianLoss.estimate_precision(t, f, [1, 1, 0, 2]), 4 / (0.01 + 0.64 + 2 * 0.36))
    with pytest.raises(DataError, match="precision is infinite"):
        GaussianLoss.estimate_precision(t, t)


def test_poisson_against_scipy():
    t, f = np.array([0.0, 1, 5, 40]), np.array([-2.0, 0.3, 1.5, 3.7])
    np.testing.assert_allclose(PoissonLoss().value(t, f), -poisson.logpmf(t, np.exp(f)), rtol=1e-12)
    np.testing.assert_allclose(PoissonLoss().value(0, -np.inf), 0)
    np.testing.assert_allclose(PoissonLoss().link(PoissonLoss().response(f)), f)
    with pytest.raises(DataError, match="PoissonLoss: target holds -1; counts are >= 0"):
        PoissonLoss().value([-1], [0.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CrossEntropyLoss().value([-1, 1], [0.1, 0.2]), r"target spans -1 to 1.*or use LogisticLoss"),
        (lambda: CrossEntropyLoss().value([3], [[0.1, 0.2]]), "class indices must be whole numbers from 0 to 1"),
        (lambda: CrossEntropyLoss().value(["a"], [[0.1, 0.2]]), "encode other labels first"),
        (lambda: CrossEntropyLoss().value([0, 1], [[0.1, 0.2]]), r"target has shape \(2,\), prediction \(1, 2\)"),
        (lambda: CrossEntropyLoss().value([0, 1], [0.1]), r"target has shape \(2,\), prediction \(1,\)"),
        (lambda: CrossEntropyLoss().value([[0.5, 0.2]], [[0.1, 0.2]]), "rows of target must add up to one"),
        (lambda: CrossEntropyLoss().value([0], np.zeros((1, 1, 1))), r"it must be \(n,\) or \(n, k\)"),
        (lambda: CrossEntropyLoss(True).value([0], [1.5]), "probabilities lie in"),
        (lambda: CrossEntropyLoss(clip=0.7), r"CrossEntropyLoss\(clip=0.7\)"),
        (lambda: CrossEntropyLoss("yes"), "must be True or False"),
    ],
)
def test_wrong_input_is_refused_by_name(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()


@pytest.mark.notes("004", "cross-entropy")
@pytest.mark.notes("002", "loss-cce")
def test_cross_entropy_of_probabilities_and_its_slope():
    loss = CrossEntropyLoss(from_probabilities=True)
    np.testing.assert_allclose(loss.gradient([1, 0], [0.8, 0.3]), [-1 / 0.8, 1 / 0.7], rtol=1e-14)
    cut = CrossEntropyLoss(from_probabilities=True, clip=1e-3)  # no answer is surer than 1 - clip
    np.testing.assert_allclose(cut.value([0, 1], [1.0, 0.0]), [-np.log(1e-3)] * 2, rtol=1e-12)
