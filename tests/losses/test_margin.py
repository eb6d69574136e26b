"""Losses of margins: the notes' numbers, consistency, refusals."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.metrics import hinge_loss, log_loss, zero_one_loss

from novum.exceptions import DataError, ParameterError
from novum.losses import (
    ExponentialLoss,
    HingeLoss,
    LogisticLoss,
    PerceptronLoss,
    SquaredHingeLoss,
    ZeroOneLoss,
    empirical_risk,
)

SURROGATES = [HingeLoss(), SquaredHingeLoss(), ExponentialLoss(), LogisticLoss()]


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    return rng.choice([-1, 1], 200), rng.normal(size=200)


@pytest.mark.notes("000-a", "losses-vs-measures")
@pytest.mark.notes("000-b", "zero-one-loss")
def test_zero_one_counts_mistakes_and_refuses_to_be_descended(scores):
    t, f = scores
    np.testing.assert_allclose(empirical_risk(ZeroOneLoss(), t, f), zero_one_loss(t, np.where(f >= 0, 1, -1)))
    assert ZeroOneLoss().value([1, -1], [0.0, 0.0]).tolist() == [0, 1]  # sign(0) = +1
    wrong = (np.where(f >= 0, 1, -1) != t).sum()
    assert empirical_risk(ZeroOneLoss(), t, f, reduction="sum") == wrong
    two = t[:8].reshape(4, 2), f[:8].reshape(4, 2)  # mistakes of a row add up
    mistakes = (np.sign(two[1]) != two[0]).sum()
    assert empirical_risk(ZeroOneLoss(), *two) == mistakes / 4 and mistakes > 0
    assert not ZeroOneLoss().trainable and not ZeroOneLoss().differentiable
    with pytest.raises(ParameterError, match=r"ZeroOneLoss.gradient: .*piecewise constant.*train with a surrogate"):
        ZeroOneLoss().gradient(1, 0.3)
    with pytest.raises(ParameterError, match="piecewise constant"):
        ZeroOneLoss().curvature(1, 0.3)


@pytest.mark.notes("000-a", "losses-vs-measures")
@pytest.mark.notes("000-b", "hinge-loss")
def test_hinge_value_and_subgradient(scores):
    t, f = scores
    np.testing.assert_allclose(empirical_risk(HingeLoss(), t, f), hinge_loss(t, f))
    np.testing.assert_array_equal(HingeLoss().value(1, [-1.0, 0.5, 1.0, 2.0]), [2, 0.5, 0, 0])
    np.testing.assert_array_equal(HingeLoss().gradient([1, 1, 1, -1], [0.0, 1.0, 2.0, 0.0]), [-1, 0, 0, 1])
    np.testing.assert_allclose(SquaredHingeLoss().value(t, f), HingeLoss().value(t, f) ** 2)


@pytest.mark.notes("000-b", "perceptron-criterion")
@pytest.mark.notes("002", "perceptron-loss")
@pytest.mark.notes("003", "perceptron-criterion")
@pytest.mark.notes("004", "perceptron-criterion")
def test_perceptron_criterion_adds_up_mistakes(scores):
    t, f = scores
    wrong = t * f <= 0
    np.testing.assert_allclose(empirical_risk(PerceptronLoss(), t, f, reduction="sum"), -(t * f)[wrong].sum())
    X = np.random.default_rng(1).normal(size=(200, 3))
    np.testing.assert_allclose(X.T @ PerceptronLoss().gradient(t, f), -(t[wrong] @ X[wrong]))
    assert PerceptronLoss().gradient(1, 0.0) == -1  # on the boundary is a mistake: training can leave w = 0


@pytest.mark.notes("002", "exp-loss")
def test_exponential_loss_falls_in_every_round_of_adaboost():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    t = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    f, risks = np.zeros(80), [80.0]
    for _ in range(12):
        weight = np.exp(-t * f)
        best = None
        for j in range(2):
            for cut in np.quantile(X[:, j], np.linspace(0.05, 0.95, 15)):
                for side in (-1, 1):
                    y = side * np.where(X[:, j] > cut, 1, -1)
                    error = weight[y != t].sum() / weight.sum()
                    if best is None or error < best[0]:
                        best = (error, y)
        error, y = best
        f = f + 0.5 * np.log((1 - error) / error) * y
        risks.append(empirical_risk(ExponentialLoss(), t, f, reduction="sum"))
    assert np.all(np.diff(risks) < 0)
    np.testing.assert_allclose(risks[-1], np.exp(-t * f).sum(), rtol=1e-14)


def test_logistic_is_cross_entropy_in_signs(scores):
    t, f = scores
    np.testing.assert_allclose(empirical_risk(LogisticLoss(), t, f), log_loss(t, 1 / (1 + np.exp(-f))), rtol=1e-13)
    np.testing.assert_allclose(LogisticLoss().value(1, [40.0, 700.0]), np.exp([-40.0, -700.0]), rtol=1e-15)
    np.testing.assert_allclose(LogisticLoss().gradient(1, [40.0, 700.0]), -np.exp([-40.0, -700.0]), rtol=1e-15)
    np.testing.assert_allclose(LogisticLoss().curvature(1, [40.0, -40.0]), np.exp([-40.0, -40.0]), rtol=1e-15)


@pytest.mark.parametrize("loss", SURROGATES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("p", [0.1, 0.35, 0.6, 0.97])
def test_best_score_minimises_the_expected_loss_and_takes_the_bayes_side(loss, p):
    def expected(f):
        return p * loss.value(1, f) + (1 - p) * loss.value(-1, f)

    best = loss.best_score(p)
    assert np.sign(best) == np.sign(2 * p - 1)
    found = minimize_scalar(expected, bounds=(-10, 10), method="bounded", options={"xatol": 1e-10})
    assert expected(best) <= found.fun + 1e-12
    t = np.array([1, -1])
    np.testing.assert_allclose(loss.best_constant(t, [p, 1 - p]), best, rtol=1e-12)
    if loss.name != "hinge":
        np.testing.assert_allclose(loss.response(best), p, rtol=1e-12)
        np.testing.assert_allclose(loss.link(p), best)


def test_constants_of_losses_that_only_decide():
    assert ZeroOneLoss().best_constant([1, 1, -1]) == 1
    assert PerceptronLoss().best_constant([1, 1, -1]) == 0
    with pytest.raises(ParameterError, match=r"HingeLoss.response: .*calibrate"):
        HingeLoss().response(0.3)


@pytest.mark.parametrize("loss", [ZeroOneLoss(), *SURROGATES], ids=lambda loss: loss.name)
def test_wrong_coding_is_refused(loss):
    with pytest.raises(
        DataError, match=rf"{type(loss).__name__}: target holds 0; targets are -1 and \+1 .*2 \* target - 1"
    ):
        loss.value([0, 1], [0.1, 0.2])
    with pytest.raises(DataError, match=r"target has shape \(2,\), prediction \(2, 1\).*ravel"):
        loss.value([1, 1], [[0.1], [0.2]])
    with pytest.raises(TypeError, match="prediction must hold real numbers, not dtype"):
        loss.value([1, 1], ["a", "b"])
