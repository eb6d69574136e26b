"""What a newcomer sees in the first hour, letter by letter."""

import pytest

from novum.reinforcement import QLearning, grid_world, room_4x3, value_iteration
from novum.teaching import policy_regimes


def test_the_room_prints():
    plan = value_iteration(room_4x3(step_reward=-0.04))
    assert repr(plan).split("\n") == [
        "value iteration: 30 sweeps, last change < 1e-6; the policy evaluated exactly leaves no better action: optimal",
        "   .8116   .8678   .9178  +1          >  >  >  +",
        "   .7616    ###    .6603  -1          ^  #  ^  -",
        "   .7053   .6553   .6114   .3879      ^  <  <  <",
    ]


def test_when_every_step_hurts():
    assert repr(value_iteration(room_4x3(step_reward=-2)).policy).split("\n") == [
        "  >  >  >  +",
        "  ^  #  >  -",
        "  >  >  >  ^",
    ]


def test_the_regimes_print():
    assert repr(policy_regimes(room_4x3).switches[:3]) == (
        "[(-1.6497, (3, 2), '>', '^'), (-1.5643, (3, 1), '>', '^'), (-0.7311, (1, 1), '>', '^')]"
    )


def test_no_finite_value():
    with pytest.raises(ValueError, match="finite") as caught:
        value_iteration(room_4x3(step_reward=0.1))
    assert str(caught.value) == (
        "value_iteration: discount=1 with a positive step reward has no finite value (staying for ever pays).\n"
        "Give discount < 1, e.g. room_4x3(step_reward=0.1, discount=0.99)."
    )


def test_an_agent_beside_the_plan():
    room = room_4x3(step_reward=-0.04)
    agent = QLearning(n_episodes=20_000, random_state=0).fit(room)
    assert repr(agent.compare(value_iteration(room))) == (
        "greedy policy worth .705 at the start (plan: .7053); agrees with the plan in 9 of 9 states"
    )


def test_a_map_of_ones_own():
    maze = grid_world("S.#.\n....\n.#.G", step_reward=-1)
    axes = maze.plot(value_iteration(maze))
    assert {"-4.0000", "+1"} <= {text.get_text() for text in axes.texts}
