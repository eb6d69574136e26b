"""An emission of one's own: a file like those of `sequence/hmm/emissions`, or a distribution for HiddenMarkovModel."""

import inspect
import re
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from novum import sequence
from novum.base.domains import Real
from novum.distributions.base import Support
from novum.distributions.exponential_family import ExponentialFamily
from novum.distributions.parameters import Parameter, positive
from novum.sequence import HiddenMarkovModel
from novum.sequence.hmm.base import COMMON_DOMAINS, HiddenMarkovBase, Letters
from novum.sequence.hmm.emissions.base import Emission
from novum.sequence.hmm.recursions import Densities

READERS = {
    "_check",
    "_convert",
    "_describe_fit",
    "_emission",
    "_prepare",
    "_prior",
    "_prior_shapes",
    "_read",
    "_read_tensor",
    "_start_emission",
}
RNG = np.random.default_rng(3)
LONG, SHORT = RNG.geometric(0.1, 120), RNG.geometric(0.7, 120)
RUNS = np.concatenate([LONG, SHORT])[:, None].astype(float)


class Sums(NamedTuple):
    mass: np.ndarray  # (k,)
    total: np.ndarray  # (k,)


@dataclass(frozen=True, eq=False)
class Geometric(Emission):
    """Trials until the first success: p(x | k) = p_k (1 - p_k)^(x - 1), with a Beta prior."""

    probs: np.ndarray  # (k,)

    def densities(self, bundle):
        return Densities(np.log(self.probs) + (bundle.X - 1) * np.log1p(-self.probs))

    def statistics(self, bundle, posterior):
        return Sums(posterior.shares.sum(axis=0), posterior.shares.T @ bundle.X[:, 0])

    def maximized(self, sums, prior, params):
        return Geometric((sums.mass + prior - 1) / (sums.total + 2 * (prior - 1))) if "p" in params else self

    def log_prior(self, prior):
        return float((prior - 1) * (np.log(self.probs) + np.log1p(-self.probs)).sum())

    def reordered(self, order):
        return Geometric(self.probs[order])

    def parameters(self):
        return {"p": self.probs}

    def n_parameters(self):
        return {"p": len(self.probs)}

    def moments(self):
        return 1 / self.probs[:, None], ((1 - self.probs) / self.probs**2)[:, None]

    def draw(self, states, rng):
        return rng.geometric(self.probs[states])[:, None]

    def columns(self, names):
        return {"p": [f"{p:.3f}" for p in self.probs]}


class GeometricHMM(HiddenMarkovBase):
    """What reads parameters, and nothing else."""

    _letters = {"p": "probs_"}
    _domains = {**COMMON_DOMAINS, "prior": Real(1), "params": Letters("stp"), "init_params": Letters("stp")}

    def __init__(self, n_components=1, prior=1.5, random_state=None, max_iter=200, tol=1e-6, n_init=3, topology="full"):
        self.n_components, self.prior, self.random_state = n_components, prior, random_state
        self.max_iter, self.tol, self.n_init, self.topology = max_iter, tol, n_init, topology
        self.params = self.init_params = "stp"
        self.startprob_prior = self.transmat_prior = 1.0
        self.algorithm, self.verbose, self.sticky, self.stationary, self.n_jobs = "viterbi", False, 0.0, False, None

    def _emission(self):
        return Geometric(np.asarray(self.probs_, np.float64))

    def _prior(self):
        return self.prior

    def _start_emission(self, bundle, rng, letter, run):
        self.probs_ = np.asarray(rng.uniform(0.05, 0.95, self.n_components))


def test_an_emission_is_enough_for_all_answers():
    model = GeometricHMM(2, random_state=0).fit(RUNS)
    np.testing.assert_allclose(model.probs_, [0.1, 0.7], atol=0.08)
    assert (model.predict(RUNS) == np.repeat([0, 1], 120)).mean() > 0.9
    assert (np.diff(model.history_) > -1e-8).all() and model.converged_
    assert model._n_parameters() == 1 + 2 + 2 and model.bic(RUNS) > model.aic(RUNS)
    rows, states = model.sample(20_000, random_state=1)
    np.testing.assert_allclose(rows[states == 1].mean(), 1 / model.probs_[1], rtol=0.05)
    ahead = model.forecast(RUNS, 3)
    np.testing.assert_allclose(ahead.mean[:, 0], ahead.states @ (1 / model.probs_))
    assert "0.7" in repr(model).splitlines()[3] and "p" in repr(model).splitlines()[1]


def test_the_likelihood_is_the_sum_over_all_paths():
    model = GeometricHMM(2)
    model.startprob_, model.transmat_ = [0.3, 0.7], [[0.8, 0.2], [0.4, 0.6]]
    model.probs_ = [0.2, 0.6]
    X = np.array([[1.0], [4.0], [2.0]])
    total = 0.0
    for path in product(range(2), repeat=3):
        p = model.startprob_[path[0]] * model.transmat_[path[0]][path[1]] * model.transmat_[path[1]][path[2]]
        total += p * np.prod([stats.geom.pmf(x, model.probs_[z]) for x, z in zip(X[:, 0], path)])
    np.testing.assert_allclose(model.score(X), np.log(total), rtol=1e-13)


def test_known_states_and_topologies_come_with_it():
    known = np.full(240, -1)
    known[:20], known[-20:] = 1, 0
    assert (GeometricHMM(2, random_state=0).fit(RUNS, states=known).predict(RUNS)[[0, -1]] == [1, 0]).all()
    assert (np.diff(GeometricHMM(2, random_state=0, topology="banded").fit(RUNS).predict(RUNS)) >= 0).all()


def below(cls: type) -> set[type]:
    return {cls}.union(*map(below, cls.__subclasses__()))


def test_estimators_read_parameters_and_leave_the_rest_to_emissions():
    shared = {name for cls in HiddenMarkovBase.__mro__[:-1] for name in vars(cls) if re.match("_[a-z]", name)}
    for cls in (getattr(sequence, name) for name in sequence.__all__):
        if isinstance(cls, type) and issubclass(cls, HiddenMarkovBase):
            own = {name for name, value in vars(cls).items() if callable(value)}
            assert own & shared <= READERS, cls


def test_emissions_are_immutable_and_have_files_of_their_own():
    concrete = [cls for cls in below(Emission) if not inspect.isabstract(cls)]
    assert len(concrete) >= 8 and len({cls.__module__ for cls in concrete}) == len(concrete)
    for cls in concrete:
        assert cls.__dataclass_params__.frozen, cls


class HalfNormal(ExponentialFamily):
    """p(x) = sqrt(2 / pi) / s exp(-x^2 / 2 s^2), x >= 0: a distribution that novum has not."""

    scale = Parameter()
    _sums = Sums
    _domain = "numbers of zero or more"

    def __init__(self, scale: Any) -> None:
        self._set(scale=(positive("HalfNormal", "scale", scale), 0))

    @cached_property
    def _constants(self):
        return 0.5 / self.scale**2, 0.5 * np.log(2 / np.pi) - np.log(self.scale)

    @staticmethod
    def _log_density(constants, x, ops):
        return constants[1] - constants[0] * x**2

    def _draw(self, stream, count):
        return (
            np.abs(stream.normal("half normal", 0, count, self._columns())).reshape(count, *self.batch_shape)
            * self.scale
        )

    def natural_parameters(self):
        return (-0.5 / self.scale**2,)

    @classmethod
    def from_natural(cls, *eta):
        return cls(np.sqrt(-0.5 / np.asarray(eta[0])))

    def log_partition(self):
        return np.log(self.scale)

    def log_base_measure(self, x):
        return np.full(np.shape(x), 0.5 * np.log(2 / np.pi))

    def sufficient_statistics(self, x):
        return (x**2,)

    def mean_statistics(self):
        return (self.scale**2,)

    def from_mean_statistics(self, *mean):
        return HalfNormal(np.sqrt(mean[0]))

    def entropy(self):
        return 0.5 * np.log(np.pi * self.scale**2 / 2) + 0.5

    mean = property(lambda self: self.scale * np.sqrt(2 / np.pi))
    var = property(lambda self: self.scale**2 * (1 - 2 / np.pi))
    mode = property(lambda self: np.zeros(self.batch_shape))
    support = property(lambda self: Support("reals", 0.0, np.inf))
    n_parameters = 1

    @classmethod
    def _start(cls, x, weight, **options):
        return cls(np.ones(tuple(x.shape[1:])))


@pytest.mark.parametrize("emission", [HalfNormal, [HalfNormal(0.5), HalfNormal(3.0)]])
def test_a_distribution_of_ones_own_in_the_public_class(emission):
    X = np.abs(np.concatenate([RNG.normal(0, 0.2, 150), RNG.normal(0, 4.0, 150)]))
    model = HiddenMarkovModel(emission, 2, random_state=0, n_init=3).fit(X)
    np.testing.assert_allclose([float(one.scale) for one in model.emissions_], [0.2, 4.0], rtol=0.15)
    assert (model.predict(X) == np.repeat([0, 1], 150)).mean() > 0.9
