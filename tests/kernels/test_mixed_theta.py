"""Kernels of novum and of scikit-learn in one expression share one theta."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.gaussian_process.kernels import RBF as SklearnRBF
from sklearn.gaussian_process.kernels import Matern, WhiteKernel

from novum.kernels import RBF


def test_theta_goes_to_every_part_in_order():
    kernel = RBF(1.0) + SklearnRBF([2.0, 3.0]) * RBF(4.0) + WhiteKernel(0.5)
    theta = np.arange(1.0, 6.0) / 10
    kernel.theta = theta
    assert_allclose(kernel.theta, theta, rtol=1e-15)
    X = np.random.default_rng(0).normal(size=(5, 2))
    by_hand = np.exp(theta)
    plain = SklearnRBF(by_hand[0]) + SklearnRBF(by_hand[1:3]) * SklearnRBF(by_hand[3]) + WhiteKernel(by_hand[4])
    assert_allclose(kernel(X), plain(X), rtol=1e-12)


def test_a_theta_of_another_length_changes_nothing():
    kernel = RBF(1.0) * Matern(2.0)
    with pytest.raises(ValueError, match="Should be 2; given are 3"):
        kernel.theta = np.zeros(3)
    assert_allclose(np.exp(kernel.theta), [1.0, 2.0])
