"""Activations: definitions, derivatives, tails, dtypes, names."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfc

from novum import activations as A
from novum.activations.rectifiers import SELU_ALPHA, SELU_SCALE
from novum.exceptions import DataError, ParameterError

ELEMENTWISE = [
    A.sign,
    A.step,
    A.identity,
    A.sigmoid,
    A.tanh,
    A.relu,
    A.leaky_relu,
    A.LeakyReLU(0.2),
    A.elu,
    A.ELU(1.7),
    A.selu,
    A.softplus,
    A.gelu,
]
X = np.linspace(-6, 6, 41) + 0.01


@pytest.mark.parametrize("h", ELEMENTWISE, ids=repr)
@settings(max_examples=25, deadline=None)
@given(x=st.floats(-20, 20))
def test_derivative_matches_differences(h, x):
    if abs(x) < 1e-3:
        return
    step = 1e-6 * max(1, abs(x))
    np.testing.assert_allclose((h(x + step) - h(x - step)) / (2 * step), h.derivative(x), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("h", ELEMENTWISE, ids=repr)
def test_float32_stays_and_extremes_are_finite(h):
    for function in (h, h.derivative):
        assert function(X.astype(np.float32)).dtype == np.float32
        assert function(np.arange(-3, 4)).dtype == np.float64
        np.testing.assert_allclose(function(X.astype(np.float32)), function(X), rtol=1e-5, atol=1e-6)
        assert np.all(np.isfinite(function(np.array([-1e300, -750.0, 0.0, 750.0, 1e300]))))
    cotangent = np.random.default_rng(0).normal(size=X.size)
    np.testing.assert_allclose(h.vjp(X, cotangent), cotangent * h.derivative(X))


@pytest.mark.notes("000-b", "sign-activation")
@pytest.mark.notes("000-c", "act-sign")
@pytest.mark.notes("003", "step-function")
def test_thresholds_decide_at_zero_and_cannot_be_trained():
    x = [-2.0, -0.0, 0.0, 3.0]
    np.testing.assert_array_equal(A.sign(x), [-1, 1, 1, 1])
    np.testing.assert_array_equal(A.step(x), [0, 1, 1, 1])
    np.testing.assert_array_equal(A.thresholds.Sign(at_zero=0)(x), [-1, 0, 0, 1])
    np.testing.assert_array_equal(A.thresholds.Step(at_zero=0.5)(x), [0, 0.5, 0.5, 1])
    assert not A.sign.trainable and not A.step.trainable
    with pytest.raises(ParameterError, match=r"'sign'.*derivative is zero almost everywhere.*use sigmoid or tanh"):
        A.get_activation("sign", trainable=True)


@pytest.mark.notes("000-c", "act-identity")
def test_identity_returns_what_it_gets():
    x = np.array([1.0, -2.0])
    out = A.identity(x)
    np.testing.assert_array_equal(out, x)
    np.testing.assert_array_equal(A.identity.derivative(x), [1, 1])
    assert out is not x


@pytest.mark.notes("000-c", "act-sigmoid")
@pytest.mark.notes("001", "sigmoid")
@pytest.mark.notes("002", "act-sigmoid")
@pytest.mark.notes("003", "sigmoid")
@pytest.mark.notes("004", "sigmoid")
@pytest.mark.notes("004", "activation-functions")
def test_sigmoid():
    assert A.sigmoid(0.0) == 0.5 and A.sigmoid.derivative(0.0) == 0.25
    np.testing.assert_allclose(A.sigmoid(X), 1 / (1 + np.exp(-X)), rtol=1e-14)
    np.testing.assert_allclose(A.sigmoid(-X), 1 - A.sigmoid(X), atol=1e-15)
    np.testing.assert_allclose(A.sigmoid.derivative(X), A.sigmoid(X) * (1 - A.sigmoid(X)), rtol=1e-12)
    np.testing.assert_allclose(A.sigmoid.inverse(A.sigmoid(X)), X, rtol=1e-11)
    np.testing.assert_allclose(A.sigmoid.derivative([-700.0, 40.0]), np.exp([-700.0, -40.0]), rtol=1e-14)


@pytest.mark.notes("000-c", "act-tanh")
@pytest.mark.notes("002", "act-tanh")
@pytest.mark.notes("004", "activation-functions")
def test_tanh():
    np.testing.assert_allclose(A.tanh(X), (np.exp(X) - np.exp(-X)) / (np.exp(X) + np.exp(-X)), rtol=1e-13)
    np.testing.assert_allclose(A.tanh(-X), -A.tanh(X))
    np.testing.assert_allclose(A.tanh.derivative(X), 1 - np.tanh(X) ** 2, rtol=1e-9)
    np.testing.assert_allclose(A.tanh.derivative(40.0), 4 * np.exp(-80.0), rtol=1e-14)


@pytest.mark.notes("000-c", "act-relu")
@pytest.mark.notes("002", "act-relu")
@pytest.mark.notes("004", "activation-functions")
def test_relu_and_its_derivative_at_zero():
    np.testing.assert_array_equal(A.relu([-1.5, 0.0, 2.0]), [0, 0, 2])
    np.testing.assert_array_equal(A.relu.derivative([-1.5, 0.0, 2.0]), [0, 0, 1])


@pytest.mark.notes("002", "act-leaky-relu")
def test_leaky_relu():
    np.testing.assert_allclose(A.leaky_relu([-2.0, 0.0, 3.0]), [-0.02, 0, 3])
    np.testing.assert_allclose(A.LeakyReLU(0.2).derivative([-2.0, 3.0]), [0.2, 1])
    with pytest.raises(ParameterError, match=r"LeakyReLU\(slope=-1\)"):
        A.LeakyReLU(-1)


@pytest.mark.notes("002", "act-elu")
def test_elu():
    np.testing.assert_allclose(A.ELU(1.5)([-1.0, 0.0, 2.0]), [1.5 * (np.exp(-1) - 1), 0, 2])
    np.testing.assert_allclose(A.ELU(1.5).derivative([-1.0, 2.0]), [1.5 * np.exp(-1), 1])
    np.testing.assert_allclose(A.elu(-1e-20), -1e-20)  # exp(x) - 1 would be 0


@pytest.mark.notes("002", "act-selu")
def test_selu_keeps_mean_zero_and_variance_one():
    root = np.sqrt(2 / np.pi)
    half, two = erfc(1 / np.sqrt(2)) * np.exp(0.5), erfc(np.sqrt(2)) * np.exp(2)
    alpha = -root / (half - 1)
    # E[elu^2] = 1/2 + alpha^2 (two/2 - half + 1/2); the scale makes it one
    scale = 1 / np.sqrt(0.5 + alpha**2 * (two / 2 - half + 0.5))
    assert alpha == pytest.approx(SELU_ALPHA, rel=1e-15) and scale == pytest.approx(SELU_SCALE, rel=1e-15)

    def integrand(x, power):
        return A.selu(x) ** power * np.exp(-x * x / 2) / np.sqrt(2 * np.pi)

    for power, moment in ((1, 0.0), (2, 1.0)):
        parts = [quad(integrand, a, b, args=(power,), epsabs=1e-13)[0] for a, b in ((-30, 0), (0, 30))]
        assert sum(parts) == pytest.approx(moment, abs=1e-12)


def test_softplus_and_gelu_against_scipy():
    np.testing.assert_allclose(A.softplus(X), np.logaddexp(0, X), rtol=1e-14)
    np.testing.assert_allclose(A.softplus([-700.0, 800.0]), [np.exp(-700.0), 800.0], rtol=1e-14)
    np.testing.assert_allclose(A.softplus.derivative(X), scipy.special.expit(X))
    np.testing.assert_allclose(A.gelu(X), X * scipy.special.ndtr(X))
    np.testing.assert_allclose(A.gelu(-30.0), -30 * scipy.special.ndtr(-30.0), rtol=1e-14)


@pytest.mark.notes("000-c", "act-softmax")
@pytest.mark.notes("001", "softmax")
@pytest.mark.notes("002", "act-softmax")
def test_softmax_its_logarithm_and_jacobian():
    np.testing.assert_allclose(A.softmax([2.0, 1.0, 0.0]), [0.665241, 0.244728, 0.090031], atol=5e-7)
    x = np.random.default_rng(0).normal(scale=5, size=(6, 4))
    for axis in (0, 1, -1):
        np.testing.assert_allclose(A.softmax(x, axis), scipy.special.softmax(x, axis), rtol=1e-13)
        np.testing.assert_allclose(A.log_softmax(x, axis), scipy.special.log_softmax(x, axis), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(A.softmax(x + 1e3), A.softmax(x), rtol=1e-10)  # shifts do not matter
    np.testing.assert_allclose(A.softmax([1e4, 0.0, -1e4]), [1, 0, 0])
    y, jacobian = A.softmax(x), A.softmax.derivative(x)
    np.testing.assert_allclose(jacobian[2], np.diag(y[2]) - np.outer(y[2], y[2]), atol=1e-15)
    h = 1e-6
    for j in range(4):
        step = h * np.eye(4)[j]
        np.testing.assert_allclose((A.softmax(x + step) - A.softmax(x - step)) / (2 * h), jacobian[:, :, j], atol=1e-9)
    cube = x.reshape(3, 2, 4)
    np.testing.assert_allclose(A.softmax.derivative(cube), jacobian.reshape(3, 2, 4, 4), rtol=1e-14)
    g = np.random.default_rng(1).normal(size=x.shape)
    np.testing.assert_allclose(A.softmax.vjp(x, g), np.einsum("nk,nkj->nj", g, jacobian), atol=1e-14)
    assert A.softmax(x.astype(np.float32)).dtype == A.softmax.vjp(x.astype(np.float32), g).dtype == np.float32
    with pytest.raises(DataError, match=r"softmax: x has shape \(\), axis is -1"):
        A.softmax(3.0)
    with pytest.raises(DataError, match="axis is 2"):
        A.softmax(x, 2)


def test_names():
    assert A.get_activation("logistic") is A.sigmoid and A.get_activation(A.relu) is A.relu
    assert repr(A.leaky_relu) == "leaky_relu"
    with pytest.raises(ParameterError, match=r"activation='swoosh'\): no such activation; use one of .*sigmoid"):
        A.get_activation("swoosh")
    with pytest.raises(TypeError, match="sigmoid: x must hold real numbers"):
        A.sigmoid("x")
