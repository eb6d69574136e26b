"""Samplers are estimators without `fit`: copies, parameters, representation; a copy draws the same."""

import numpy as np
import pytest
from sklearn.base import clone

import novum
from novum.base.discovery import all_estimators
from novum.base.estimator import Estimator
from novum.exceptions import FileFormatError, ParameterError
from novum.sampling import GibbsSampler, HamiltonianMonteCarlo, MetropolisHastings


def log_prob(x):
    return -0.5 * float(x @ x)


def both(x):
    return log_prob(x), -x


def draw(state, rng):
    return rng.normal()


SAMPLERS = [
    (MetropolisHastings(log_prob, scale=0.5), [0.0, 0.0]),
    (HamiltonianMonteCarlo(both, True, metric="dense"), [0.0, 0.0]),
    (GibbsSampler({"x": draw}, order="random"), {"x": 0.0}),
]
every = pytest.mark.parametrize(("sampler", "start"), SAMPLERS, ids=lambda value: type(value).__name__)


def test_all_samplers_are_here():
    named = {name for name, cls in all_estimators() if cls.__module__.startswith("novum.sampling")}
    assert named == {type(sampler).__name__ for sampler, _ in SAMPLERS}


@every
def test_copies_parameters_and_representation(sampler, start, tmp_path):
    assert isinstance(sampler, Estimator) and not hasattr(sampler, "fit")
    again = clone(sampler)
    assert again is not sampler and again.get_params() == sampler.get_params() and repr(again) == repr(sampler)
    options = {"start": start, "n_chains": 2, "n_warmup": 20, "random_state": 0, "check": False}
    np.testing.assert_array_equal(again.sample(30, **options).draws, sampler.sample(30, **options).draws)
    with pytest.raises(ParameterError, match="'vectorized' parameter of"):
        again.set_params(vectorized="yes").sample(5, **options)
    with pytest.raises(ValueError, match="Invalid parameter 'steps'"):
        again.set_params(steps=3)
    with pytest.raises(FileFormatError, match=r"could not be loaded again|cannot save"):
        novum.save(sampler, tmp_path / "sampler.novum")
