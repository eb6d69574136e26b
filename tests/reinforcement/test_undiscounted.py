"""Discount one: values that do not exist are recognised and explained; those that do are found."""

import gymnasium
import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.reinforcement import MDP, Policy, grid_world, policy_iteration, room_4x3, value_iteration
from novum.teaching import gambler

PLANNERS = [value_iteration, policy_iteration]


@pytest.mark.parametrize("plan", PLANNERS)
def test_staying_for_ever_pays(plan):
    with pytest.raises(ValueError, match="has no finite value") as caught:
        plan(room_4x3(step_reward=0.1))
    assert str(caught.value) == (
        f"{plan.__name__}: discount=1 with a positive step reward has no finite value (staying for ever pays).\n"
        "Give discount < 1, e.g. room_4x3(step_reward=0.1, discount=0.99)."
    )
    ring = MDP({0: {"on": [(1.0, 1, 3.0)]}, 1: {"on": [(1.0, 0, -1.0)], "out": [(1.0, 2, 0.0)]}}, terminal=[2])
    with pytest.raises(ParameterError, match="around state 0 one may stay for ever at a mean reward of 1 a step"):
        plan(ring)


@pytest.mark.parametrize("plan", PLANNERS)
def test_no_policy_ends(plan):
    trap = MDP(
        {"a": {"x": [(0.9, "goal", 0.0), (0.1, "pit", 0.0)]}, "pit": {"x": [(1.0, "pit", -1.0)]}}, terminal=["goal"]
    )
    with pytest.raises(ParameterError, match="from state 'a' no policy is sure to end"):
        plan(trap)
    walled = grid_world("S.#G", step_reward=-1)
    with pytest.raises(ParameterError, match="no policy is sure to end"):
        plan(walled)


@pytest.mark.parametrize("plan", PLANNERS)
def test_gains_and_losses_that_cancel(plan):
    swing = MDP({0: {"on": [(1.0, 1, 1.0)]}, 1: {"on": [(1.0, 0, -1.0)]}})
    with pytest.raises(ParameterError, match="gains and losses cancel for ever"):
        plan(swing)


@pytest.mark.parametrize("plan", PLANNERS)
def test_free_rest_is_worth_nothing(plan):
    rest = MDP({0: {"stay": [(1.0, 0, 0.0)], "leave": [(1.0, 1, -1.0)]}}, {1: 3.0}, terminal=[1])
    found = plan(rest)
    assert found.values[0] == 2
    assert found.policy[0] == "leave"
    better = MDP({0: {"leave": [(1.0, 1, -1.0)], "stay": [(1.0, 0, 0.0)]}}, terminal=[1])
    assert value_iteration(better).values[0] == 0  # staying is free, leaving costs


def test_frozen_lake_without_discount():
    lake = MDP.from_gymnasium(gymnasium.make("FrozenLake-v1"))
    plan = value_iteration(lake)
    assert plan.start == pytest.approx(14 / 17)
    assert plan.optimal
    assert lake.evaluate(plan.policy).start == pytest.approx(14 / 17)  # the policy does not rest on a tie
    assert policy_iteration(lake).start == pytest.approx(14 / 17)


def test_the_gambler():
    plan = value_iteration(gambler(100, 0.4), tol=1e-12)
    by_hand = {25: 0.16, 50: 0.4, 75: 0.64}  # boldly: .4 .4, .4, .4 + .6 .4
    for capital, worth in by_hand.items():
        assert plan.values[capital] == pytest.approx(worth, abs=1e-9)


def test_policies_without_finite_value_are_named():
    room = room_4x3()
    with pytest.raises(ParameterError, match=r"evaluate: discount=1 and the policy never ends from state \(1, 3\)"):
        room.evaluate(Policy.from_actions(room, {}, default="<"))
    free = room_4x3(step_reward=0.0)
    assert (free.evaluate(Policy.from_actions(free, {}, default="<")).values[~free.model.terminal] <= 0).all()


def test_long_corridors():
    corridor = grid_world("S" + "." * 198 + "G", step_reward=-1, exits={"G": 0.0})
    plan = value_iteration(corridor)
    np.testing.assert_allclose(plan.values[:-1], -np.arange(199, 0, -1))
