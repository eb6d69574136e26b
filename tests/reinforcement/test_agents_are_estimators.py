"""Every agent is an estimator: copies, parameters, representation, model files with the same actions and values."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import novum
from novum.base.discovery import all_estimators
from novum.base.estimator import Estimator
from novum.exceptions import DataError, ParameterError
from novum.optimize import Schedule
from novum.reinforcement import (
    ADP,
    DQN,
    REINFORCE,
    SARSA,
    TD,
    ActorCritic,
    ExpectedSARSA,
    MonteCarloControl,
    MonteCarloPrediction,
    QLearning,
    SemiGradientSARSA,
    SemiGradientTD,
    StateFeatures,
    compare_agents,
    room_4x3,
)

RATE = Schedule("power", 0.5, 0.6)
BRIEF = {"total_steps": 96, "hidden": 4, "device": "cpu", "random_state": 0}
CONTROL = [
    QLearning(30, learning_rate=RATE, random_state=0),
    SARSA(30, exploration=Schedule("linear", 1.0, 0.2), random_state=0),
    ExpectedSARSA(30, random_state=0),
    MonteCarloControl(30, random_state=0),
    ADP(30, random_state=0),
    SemiGradientSARSA(n_episodes=5, max_steps=50, learning_rate=RATE, exploration=0.1, random_state=0),
]
DEEP = [
    DQN(learning_starts=0, train_every=32, gradient_steps=2, **BRIEF),
    REINFORCE(n_envs=2, learning_rate=Schedule("linear", 1e-2, 0.0), **BRIEF),
    ActorCritic("a2c", n_envs=2, **BRIEF),
]
VALUES = [
    MonteCarloPrediction(30, random_state=0),
    TD(30, random_state=0),
    SemiGradientTD(n_episodes=5, max_steps=50, random_state=0),
]
ALL = [*CONTROL, *VALUES, *(pytest.param(agent, marks=pytest.mark.deep) for agent in DEEP)]
every = pytest.mark.parametrize("agent", ALL, ids=lambda agent: type(agent).__name__)


def answers(agent):
    """Return what a fitted agent says of every state of the room."""
    if hasattr(agent, "states_"):
        return [agent.act(s) for s in range(11)] if hasattr(agent, "action_values_") else agent.predict(agent.states_)
    return agent.predict(np.arange(11))


def test_all_agents_are_here():
    named = {name for name, cls in all_estimators() if cls.__module__.startswith("novum.reinforcement")}
    assert named == {type(agent).__name__ for agent in (*CONTROL, *VALUES, *DEEP)}


@every
def test_copies_parameters_and_representation(agent):
    assert isinstance(agent, Estimator)
    again = clone(agent)
    assert again is not agent and repr(again) == repr(agent) and type(agent).__name__ in repr(agent)
    assert again.get_params() == agent.get_params()
    assert again.set_params(discount=0.5).get_params() == {**agent.get_params(), "discount": 0.5}
    assert eval(repr(agent), {**globals(), "StateFeatures": StateFeatures}).get_params() == agent.get_params()
    with pytest.raises(ValueError, match="Invalid parameter 'gamma'"):
        again.set_params(gamma=0.9)
    with pytest.raises(ParameterError, match="'discount' parameter of"):
        again.set_params(discount=2.0).fit(room_4x3())


@every
def test_files_hold_what_acts(agent, tmp_path):
    fitted = clone(agent).fit(room_4x3())
    for path in (novum.save(clone(agent), tmp_path / "new"), novum.save(fitted, tmp_path / "old")):
        loaded = novum.load(path)
        assert loaded.get_params() == agent.get_params()
    for other in (loaded, pickle.loads(pickle.dumps(fitted)), clone(agent).fit(room_4x3())):
        np.testing.assert_array_equal(answers(other), answers(fitted))
        assert other.total_steps_ == fitted.total_steps_
        if not isinstance(agent, MonteCarloPrediction | TD | SemiGradientTD):
            found = [one.evaluate(room_4x3(), 5, max_steps=20).totals for one in (other, fitted)]
            np.testing.assert_array_equal(*found)
    before = dict(vars(fitted))
    with pytest.raises(ParameterError):
        fitted.fit("NoSuch-v0")
    assert vars(fitted) == before


@pytest.mark.parametrize("kind", ["tiles", "rbf", "fourier", "linear"])
def test_features_of_every_kind_are_kept(kind, tmp_path):
    for bounds in ({}, {"low": [-1.2, -0.07], "high": np.array([0.6, 0.07])}):
        agent = SemiGradientSARSA(StateFeatures(kind, **bounds), n_episodes=1, max_steps=30, random_state=0)
        fitted = agent.fit("MountainCar-v0")
        loaded = novum.load(novum.save(fitted, tmp_path / "agent.novum"))
        for seen in np.random.default_rng(0).uniform([-1.2, -0.07], [0.6, 0.07], size=(20, 2)):
            np.testing.assert_array_equal(loaded.values(seen), fitted.values(seen))
        assert repr(loaded) == repr(fitted)


@pytest.mark.deep
@pytest.mark.parametrize("agent", DEEP, ids=lambda agent: type(agent).__name__)
def test_agents_with_networks_keep_arrays_and_resume_from_checkpoints_only(agent, tmp_path):
    pytest.importorskip("torch")
    with pytest.raises(NotFittedError):
        clone(agent).act([0.0, 0.0, 0.0, 0.0])
    fitted = clone(agent).set_params(max_steps=7).fit("CartPole-v1")
    assert fitted.history_.lengths.max() <= 7
    assert all(type(value) is np.ndarray for value in fitted.weights_.values())
    loaded = novum.load(novum.save(fitted, tmp_path / "agent.novum"))
    rows = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_array_equal(loaded.predict(rows), fitted.predict(rows))
    np.testing.assert_array_equal(loaded._outputs(rows.astype(np.float32)), fitted._outputs(rows.astype(np.float32)))
    np.testing.assert_array_equal(loaded.history_.returns, fitted.history_.returns)
    assert loaded.plot() is not None
    with pytest.raises(DataError, match=r"it goes on from a checkpoint, \w+\.from_checkpoint\(path, environment\)"):
        loaded.resume()
    path = fitted.save_checkpoint(tmp_path / "agent.npz")
    further = type(agent).from_checkpoint(path, "CartPole-v1")
    assert further.get_params() == fitted.get_params()
    np.testing.assert_array_equal(further.predict(rows), fitted.predict(rows))
    assert further.set_params(total_steps=200).resume().total_steps_ >= 200


@pytest.mark.deep
def test_spaces_of_many_kinds_are_flattened_as_gymnasium_does():
    from gymnasium import spaces
    from gymnasium.spaces.utils import flatdim, flatten

    from novum.reinforcement.deep.observations import described_space, encoded_rows, encoder_of

    several = spaces.Dict(
        {
            "place": spaces.Box(-1, 1, (2, 3)),
            "kinds": spaces.MultiDiscrete([3, 2], start=[1, 5]),
            "flags": spaces.Tuple([spaces.MultiBinary(3), spaces.Discrete(4, start=2)]),
        }
    )
    several.seed(0)
    for space in (several, *several.values()):
        description = described_space(space)
        size, encode = encoder_of(description)
        assert size == flatdim(space)
        for _ in range(20):
            seen = space.sample()
            np.testing.assert_allclose(encode(seen), flatten(space, seen))
            rows, many = encoded_rows(description, seen, "Agent")
            assert not many and rows.shape == (1, size)


def test_agents_of_all_kinds_are_compared():
    agents = [QLearning(20, random_state=seed).fit(room_4x3()) for seed in range(5)]
    linear = [SemiGradientSARSA(n_episodes=2, random_state=seed).fit(room_4x3()) for seed in range(5)]
    found = compare_agents({"table": agents, "linear": linear}, environment=room_4x3(), n_episodes=3, n_resamples=100)
    assert list(found.agents) == ["table", "linear"]
