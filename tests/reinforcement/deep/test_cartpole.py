"""The bar: CartPole-v1 solved, 475 over 100 episodes with five seeds, within the steps that Stable-Baselines3 is given."""

import numpy as np
import pytest

from novum.reinforcement import DQN, ActorCritic

pytest.importorskip("torch")
pytestmark = [pytest.mark.deep, pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("cls", "total_steps"), [(ActorCritic, 100_000), (DQN, 50_000)])
def test_cartpole_is_solved(cls, total_steps, seed):
    agent = cls(total_steps=total_steps, device="cpu", random_state=seed).fit("CartPole-v1")
    assert agent.evaluate("CartPole-v1", 100).mean >= 475


def test_a2c_learns_in_30_000_steps():
    shared = {"method": "a2c", "total_steps": 30_000, "device": "cpu"}
    trained = [ActorCritic(**shared, random_state=seed).fit("CartPole-v1") for seed in range(5)]
    assert np.mean([agent.evaluate("CartPole-v1", 50).mean for agent in trained]) >= 300
