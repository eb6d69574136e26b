"""Policies are estimators without `fit`: copies, parameters, representation, and a model file that goes on with the game."""

import numpy as np
import pytest
from sklearn.base import clone

import novum
from novum.bandits import (
    EXP3,
    KLUCB,
    UCB1,
    BernoulliBandit,
    EpsilonGreedy,
    Greedy,
    LinUCB,
    Softmax,
    ThompsonSampling,
    simulate,
)
from novum.base.discovery import all_estimators
from novum.base.estimator import Estimator
from novum.exceptions import ParameterError

POLICIES = [
    EXP3(0.2, learning_rate=0.1),
    EXP3(anytime=True),
    EpsilonGreedy(0.3, decay=0.5),
    Greedy(),
    KLUCB("gaussian", scale=2.0),
    LinUCB(0.5, ridge=2.0),
    Softmax(0.2),
    ThompsonSampling(prior=(2.0, 3.0)),
    ThompsonSampling("gaussian", scale=0.5),
    UCB1(0.5),
]
every = pytest.mark.parametrize("policy", POLICIES, ids=repr)


def played(policy, rounds, rng):
    arms = []
    for _ in range(rounds):
        arms.append(policy.select())
        policy.update(arms[-1], float(rng.random() < 0.3 + 0.2 * arms[-1]))
    return arms


def test_all_policies_are_here():
    named = {name for name, cls in all_estimators() if cls.__module__.startswith("novum.bandits")}
    assert named == {type(policy).__name__ for policy in POLICIES}


@every
def test_copies_parameters_and_representation(policy):
    assert isinstance(policy, Estimator) and not hasattr(policy, "fit")
    again = clone(policy)
    assert again is not policy and again.get_params() == policy.get_params() and repr(again) == repr(policy)
    assert eval(repr(policy)).get_params() == policy.get_params()
    game = clone(policy).reset(3, random_state=0)
    played(game, 5, np.random.default_rng(0))
    assert game.round == 5 and clone(game).round == -1


@every
def test_a_file_goes_on_with_the_game(policy, tmp_path):
    game = clone(policy).reset(3, random_state=0)
    played(game, 20, np.random.default_rng(1))
    loaded = novum.load(novum.save(game, tmp_path / "policy.novum"))
    assert repr(loaded) == repr(game) and loaded.round == game.round
    assert played(loaded, 50, np.random.default_rng(2)) == played(game, 50, np.random.default_rng(2))


@pytest.mark.parametrize("name", ["exploration", "decay"])
def test_parameters_are_checked_when_a_game_begins(name):
    policy = EpsilonGreedy().set_params(**{name: -1})
    with pytest.raises(ParameterError, match=f"'{name}' parameter of EpsilonGreedy"):
        policy.reset(2)
    with pytest.raises(ParameterError, match=f"'{name}' parameter of EpsilonGreedy"):
        simulate(BernoulliBandit([0.5, 0.4]), policy, 10, n_runs=2, random_state=0)


def test_numbers_of_any_type_label_the_same_runs():
    assert {repr(UCB1(value)) for value in (1, 1.0, np.int64(1), np.float32(1))} == {"UCB1(exploration=1.0)"}
    assert repr(UCB1(2)) == "UCB1()"
