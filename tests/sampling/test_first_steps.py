"""What people new to the samplers mistype, and the messages they get."""

import numpy as np
import pytest

from novum.distributions import Normal
from novum.exceptions import DataError, ParameterTypeError
from novum.sampling import GibbsSampler, HamiltonianMonteCarlo, MetropolisHastings, diagnose, monte_carlo

Y = np.array([1.1, 2.0, 0.4, 1.6, 1.3])


def log_prob(x):
    return -0.5 * np.sum((Y - x[0]) ** 2) - 0.5 * x[1] ** 2


def test_a_numpy_density_without_gradient():
    pytest.importorskip("torch")
    with pytest.raises(
        ParameterTypeError, match=r"works on NumPy arrays, but not on the PyTorch tensor .* gradient=True"
    ):
        HamiltonianMonteCarlo(log_prob).sample(10, start=2, random_state=0)


def test_a_density_with_a_fault_of_its_own_raises_it():
    pytest.importorskip("torch")
    with pytest.raises(ZeroDivisionError):
        HamiltonianMonteCarlo(lambda x: 1 / 0).sample(10, start=2)
    with pytest.raises(ZeroDivisionError):
        MetropolisHastings(lambda x: 1 / 0).sample(10, start=2)


@pytest.mark.parametrize("start", [2, [0.0, 0.0]])
def test_densities_that_return_no_numbers(start):
    with pytest.raises(ParameterTypeError, match="log_prob returned 'a'; it must return numbers"):
        MetropolisHastings(lambda x: "a").sample(10, start=start, random_state=0)
    with pytest.raises(ParameterTypeError, match="gradient returned 'a'; it must return numbers"):
        HamiltonianMonteCarlo(log_prob, gradient=lambda x: "a").sample(10, start=start, random_state=0)


@pytest.mark.parametrize("start", ["a", {"mu": 0.0}, [[1.0], [1.0, 2.0]]])
def test_starts_that_are_no_numbers(start):
    with pytest.raises(ParameterTypeError, match=r"MetropolisHastings\(start=.* names="):
        MetropolisHastings(log_prob).sample(10, start=start)


@pytest.mark.parametrize("value", [None, "q", object()])
def test_conditionals_that_return_no_draw(value):
    with pytest.raises(ParameterTypeError, match=r"the conditional of a returned .* it must return a draw"):
        GibbsSampler({"a": lambda state, rng: value}).sample(10, start={"a": 0.0}, random_state=0)


def test_functions_that_are_none():
    with pytest.raises(ParameterTypeError, match=r"monte_carlo\(function='a'\)"):
        monte_carlo(Normal(0, 1), "a")


def test_draws_of_which_nothing_can_be_said():
    """Quiet, without R-hat, and never "nothing speaks against these chains"."""
    good = np.random.default_rng(0).normal(size=(4, 500))
    for bad in (np.full((4, 500), np.nan), np.where(good > 3, np.inf, good), 1e200 * good):
        found = diagnose({"good": good, "bad": bad})
        assert not found and "bad hold NaN, infinity or numbers whose squares overflow" in found.complaints[0]
        assert np.isnan(found.r_hat[1]) and np.isfinite(found.r_hat[0]) and len(found.complaints) == 1
        assert found.mean[0] == pytest.approx(good.mean(), rel=1e-12)
    assert "did not move" in diagnose(np.ones((4, 500))).complaints[0]
    with pytest.raises(ParameterTypeError, match="diagnose: chains must hold real numbers"):
        diagnose("a")
    with pytest.raises(DataError, match="holds no chains"):
        diagnose([])
