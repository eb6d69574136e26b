"""Old names answer for one more release, and say what they are called now."""

import inspect

import numpy as np
import pytest

from novum import datasets, evaluation, graphical, optimize, theory
from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.evaluation import expected_loss, optimism, permutation_test, t_test
from novum.exceptions import ParameterError, ParameterTypeError
from novum.linear_model import LinearRegression
from novum.study import Study

A, B = [1.0, 2.5, 3.0, 4.1], [2.0, 3.5, 5.0, 6.5]


def test_an_old_keyword_is_passed_on_with_a_warning():
    with pytest.warns(FutureWarning, match=r"permutation_test\(rng=...\): the parameter is called random_state now"):
        old = permutation_test(A, B, n_resamples=20, rng=3)
    assert old.p_value == permutation_test(A, B, n_resamples=20, random_state=3).p_value
    with pytest.warns(FutureWarning, match=r"TestResult.interval\(confidence=...\): the parameter is called level now"):
        ends = t_test(A).interval(confidence=0.9)
    assert ends == t_test(A).interval(level=0.9) == t_test(A).interval(0.9)
    with pytest.warns(FutureWarning, match=r"Study\(seed=...\): the parameter is called random_state now"):
        assert Study({"x": A, "y": B}, "y", seed=4).random_state == 4


def test_both_names_at_once_are_refused():
    with pytest.raises(ParameterTypeError, match="rng is the old name of random_state; give random_state alone"):
        permutation_test(A, B, rng=3, random_state=3)


def test_an_old_method_calls_the_new_one():
    X, y = datasets.make_gaussian_classes(60, random_state=0, return_X_y=True)
    model = LinearDiscriminantAnalysis().fit(X, y)
    with pytest.warns(
        FutureWarning, match=r"LinearDiscriminantAnalysis.log_density: the method is called score_samples now"
    ):
        assert (model.log_density(X) == model.score_samples(X)).all()
    network = datasets.load_fuel_gauge()
    with pytest.warns(FutureWarning, match=r"BayesianNetwork.log_likelihood: the method is called score_samples now"):
        old = network.log_likelihood({"fuel": ["empty"]})
    assert old == network.score_samples({"fuel": ["empty"]}) == pytest.approx(np.log(0.1))


@pytest.mark.parametrize("chance", [7, np.random.SeedSequence(7), np.random.RandomState(7), np.random.default_rng(7)])
def test_every_kind_of_random_state_is_taken(chance):
    X = np.arange(12.0).reshape(6, 2) % 5
    law = lambda n, rng: (rng.random(n), np.ones(n))  # noqa: E731
    assert 0 <= expected_loss(lambda x: x > 0.5, law, n_draws=50, random_state=chance).value <= 1
    assert np.isfinite(optimism(LinearRegression(), X, X[:, 0], noise_variance=1.0, n_draws=3, random_state=chance))
    assert 0 < permutation_test(A, B, n_resamples=20, random_state=chance).p_value <= 1


def test_what_is_no_random_state_is_refused():
    with pytest.raises(ParameterError, match="cannot be used to seed"):
        permutation_test(A, B, n_resamples=20, random_state="x")


@pytest.mark.parametrize("module", [datasets, evaluation, graphical, optimize, theory])
def test_no_public_signature_has_another_word_for_chance(module):
    for name in module.__all__:
        value = getattr(module, name)
        if callable(value):
            assert not {"rng", "seed", "generator"} & set(inspect.signature(value).parameters), name
