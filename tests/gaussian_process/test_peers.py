"""Figures of GPy: exact and sparse processes at the same parameters."""

import numpy as np
import pytest

from novum.gaussian_process import GaussianProcessRegressor, SparseGaussianProcessRegressor
from novum.kernels import RBF, White

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

RNG = np.random.default_rng(1)
X = RNG.standard_normal((60, 3))
y = np.sin(X[:, 0]) + 0.1 * RNG.standard_normal(60)
SCALES = np.array([0.8, 1.3, 2.0])
GPY_JITTER = 1e-8  # that GPy's exact inference always adds


def test_exact_processes_have_the_likelihood_gradient_and_predictions_of_gpy():
    GPy = pytest.importorskip("GPy")
    peer = GPy.models.GPRegression(X, y[:, None], GPy.kern.RBF(3, 1.5, SCALES, ARD=True), noise_var=0.05)
    kernel = 1.5 * RBF(SCALES) + White(0.05)
    ours = GaussianProcessRegressor(kernel, alpha=GPY_JITTER, optimizer=None).fit(X, y)
    value, gradient = ours.log_marginal_likelihood(kernel.theta, eval_gradient=True)
    assert value == pytest.approx(float(np.ravel(peer.log_likelihood())[0]), abs=1e-6)
    slopes = [peer.kern.variance.gradient * 1.5, peer.kern.lengthscale.gradient * SCALES]
    slopes.append(peer.likelihood.variance.gradient * 0.05)
    np.testing.assert_allclose(gradient, np.concatenate([np.ravel(part) for part in slopes]), rtol=1e-6, atol=1e-6)
    mean, variance = peer.predict(X[:5] + 0.3)
    found, std = ours.predict(X[:5] + 0.3, return_std=True)
    np.testing.assert_allclose(found, mean[:, 0], atol=1e-6)
    np.testing.assert_allclose(std**2, variance[:, 0], atol=1e-6)


def test_sparse_processes_have_the_bound_of_gpy():
    GPy = pytest.importorskip("GPy")
    peer = GPy.models.SparseGPRegression(X, y[:, None], GPy.kern.RBF(3, 1.5, SCALES, ARD=True), Z=X[:12])
    peer.likelihood.variance = 0.05
    ours = SparseGaussianProcessRegressor(1.5 * RBF(SCALES), inducing=X[:12], noise_level=0.05, optimizer=None).fit(
        X, y
    )
    assert ours.lower_bound_ == pytest.approx(float(np.ravel(peer.log_likelihood())[0]), rel=1e-4)
    np.testing.assert_allclose(ours.predict(X[:5] + 0.3), peer.predict(X[:5] + 0.3)[0][:, 0], atol=1e-3)
