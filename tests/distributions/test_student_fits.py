"""Fits that go by steps: they rise, they end where they should, and say so where they were stopped."""

import numpy as np
import pytest
import scipy.stats as st
from numpy.testing import assert_allclose

import novum
from novum.distributions import Gamma, MultivariateStudentT, StudentT

RNG = np.random.default_rng(1)


def test_students_steps_never_lower_the_likelihood():
    x = np.r_[RNG.normal(size=50), 30.0, -25.0]
    model = StudentT(50.0, 5.0, 10.0)
    plane = np.c_[x, x[::-1] + RNG.normal(size=52)]
    vector = MultivariateStudentT(50.0, [5.0, 5.0], 10.0)
    before = [-np.inf, -np.inf]
    for _ in range(40):
        after = [model.log_prob(x).sum(), vector.log_prob(plane).sum()]
        sums = model.statistics(x), vector.statistics(plane)
        assert_allclose([s.log_likelihood for s in sums], after, rtol=1e-12)
        assert after[0] >= before[0] - 1e-10 and after[1] >= before[1] - 1e-10
        model, vector, before = model.from_statistics(sums[0]), vector.from_statistics(sums[1]), after


def test_students_fit_of_normal_data_is_the_normal():
    x = st.norm.ppf((np.arange(500) + 0.5) / 500)  # lighter tails than any t
    model = StudentT.fit(x)
    assert model.df == 1e6
    assert_allclose([model.loc, model.scale], [0, x.std()], atol=1e-6)


def test_a_fit_that_was_stopped_says_so():
    with pytest.warns(novum.exceptions.NotConverged, match="StudentT.fit: the parameters still moved after max_iter=2"):
        StudentT.fit(2 + 3 * RNG.standard_t(3, 400), max_iter=2)


def test_likelihood_of_scipys_fit_is_not_higher():
    x = RNG.gamma(2.5, 1 / 0.7, 400)
    a, _, scale = st.gamma.fit(x, floc=0)
    assert Gamma.fit(x).log_prob(x).sum() >= Gamma(a, 1 / scale).log_prob(x).sum() - 1e-9
