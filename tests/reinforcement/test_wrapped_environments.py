"""Environments in wrappers: what a wrapper changes counts, and what cannot be taken is refused in words."""

import gymnasium
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from novum.exceptions import ParameterError
from novum.reinforcement import MDP, TD, QLearning, SemiGradientSARSA, StateFeatures, room_4x3, value_iteration


class TenTimes(gymnasium.RewardWrapper):
    def reward(self, reward):
        return 10 * reward


class FirstTwo(gymnasium.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-1, 1, (2,))

    def observation(self, observation):
        return np.clip(observation[:2], -1, 1).astype(np.float32)


def lake():
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


def test_a_wrapper_that_changes_rewards_is_not_passed_over():
    plan = value_iteration(MDP.from_gymnasium(TenTimes(lake()), samples=40_000))
    assert plan.start == pytest.approx(10.0)
    assert value_iteration(MDP.from_gymnasium(gymnasium.wrappers.TimeLimit(lake(), 50))).start == pytest.approx(1.0)
    room = value_iteration(MDP.from_gymnasium(TenTimes(room_4x3()), samples=20_000)).start
    assert room == pytest.approx(7.053, abs=0.5)
    agent = QLearning(200, exploration=0.5, n_runs=2, random_state=0).fit(TenTimes(lake()))
    assert set(np.unique(agent.returns_)) == {0.0, 10.0}
    again = QLearning(200, exploration=0.5, n_runs=2, random_state=0).fit(TenTimes(lake()))
    np.testing.assert_array_equal(agent.returns_, again.returns_)


def test_wrappers_of_ones_own_are_copied():
    learner = SemiGradientSARSA(StateFeatures("linear"), n_episodes=2, random_state=0)
    learner.fit(FirstTwo(gymnasium.make("CartPole-v1")))
    assert learner.coef_.shape == (2, 3)
    assert (
        " ".join(repr(learner).split())
        == "SemiGradientSARSA(features=StateFeatures('linear'), n_episodes=2, random_state=0)"
    )


def test_vectors_of_environments_are_refused():
    learners = (QLearning(10), TD(10), SemiGradientSARSA(StateFeatures("tiles")))
    for learner, name in zip(learners, ("FrozenLake-v1", "FrozenLake-v1", "MountainCar-v0")):
        with pytest.raises(ParameterError, match="holds 2 environments; give one of them"):
            learner.fit(gymnasium.make_vec(name, num_envs=2, vectorization_mode="sync"))


def test_values_that_were_not_learned():
    with pytest.raises(NotFittedError):
        TD().predict([0])
    with pytest.raises(NotFittedError):
        TD().plot()
    with pytest.raises(ParameterError, match="view='forward'"):
        TD(n_steps=2, view="forward").fit(room_4x3())
