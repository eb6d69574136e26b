"""Entropies of Gaussian vectors, from their covariance written out."""

import math

import numpy as np
import pytest

from novum.distributions import MultivariateNormal
from novum.information import conditional_entropy

ROOT = np.random.default_rng(7).normal(size=(4, 4))
S = ROOT @ ROOT.T + 0.3 * np.eye(4)


@pytest.mark.notes("000-a", "conditional-entropy")
@pytest.mark.notes("002", "conditional-entropy")
@pytest.mark.parametrize(("given", "of"), [((0,), (2,)), ((3, 1), (0,)), ((2,), (0, 3)), ((1, 2), (0, 3))])
def test_what_is_left_of_a_gaussian_vector_is_that_of_its_residual(given, of):
    """The residual of the regression of `of` on `given` has the covariance R = S_oo - S_og S_gg^-1 S_go: log det(2 pi e R) / 2."""
    A, B = S[np.ix_(of, of)], S[np.ix_(of, given)]
    residual = A - B @ np.linalg.inv(S[np.ix_(given, given)]) @ B.T
    nats = 0.5 * math.log((2 * math.pi * math.e) ** len(of) * np.linalg.det(residual))
    model = MultivariateNormal(np.arange(4.0), S)
    assert conditional_entropy(model, given=given, of=of, base="nats") == pytest.approx(nats, rel=1e-12)
    assert conditional_entropy(model, given=given, of=of) == pytest.approx(nats / math.log(2), rel=1e-12)


@pytest.mark.notes("000-a", "conditional-entropy")
@pytest.mark.notes("002", "conditional-entropy")
def test_two_correlated_numbers():
    model = MultivariateNormal([0, 0], [[4.0, 1.2], [1.2, 1.0]])  # Var(y | x) = 1 - 1.2^2 / 4 = .64
    expected = 0.5 * math.log2(2 * math.pi * math.e * 0.64)
    assert conditional_entropy(model) == pytest.approx(expected, rel=1e-12)
    assert conditional_entropy(model, given=1) == pytest.approx(expected + 1, rel=1e-12)  # Var(x | y) = 2.56
