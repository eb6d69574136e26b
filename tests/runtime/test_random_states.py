"""One word for what draws come from, random_state, and every kind of it."""

import inspect

import numpy as np
import pytest

from novum import datasets, evaluation, graphical, optimize, theory
from novum.evaluation import optimism, permutation_test
from novum.exceptions import ParameterError
from novum.linear_model import LinearRegression
from novum.teaching import expected_loss

A, B = [1.0, 2.5, 3.0, 4.1], [2.0, 3.5, 5.0, 6.5]


@pytest.mark.parametrize(
    "random_state", [7, np.random.SeedSequence(7), np.random.RandomState(7), np.random.default_rng(7)]
)
def test_every_kind_of_random_state_is_taken(random_state):
    X = np.arange(12.0).reshape(6, 2) % 5
    distribution = lambda n, rng: (rng.random(n), np.ones(n))  # noqa: E731
    assert 0 <= expected_loss(lambda x: x > 0.5, distribution, n_draws=50, random_state=random_state).value <= 1
    assert np.isfinite(
        optimism(LinearRegression(), X, X[:, 0], noise_variance=1.0, n_draws=3, random_state=random_state)
    )
    assert 0 < permutation_test(A, B, n_resamples=20, random_state=random_state).p_value <= 1


def test_what_is_no_random_state_is_refused():
    with pytest.raises(ParameterError, match="cannot be used to seed"):
        permutation_test(A, B, n_resamples=20, random_state="x")


@pytest.mark.parametrize("module", [datasets, evaluation, graphical, optimize, theory])
def test_no_public_signature_has_another_word_for_random_state(module):
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value):
            assert not {"rng", "seed", "generator"} & set(inspect.signature(value).parameters), name
