"""Processes and policies in the forms that users have: textbook tables, frames, matrices by action; and what is refused."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.reinforcement import (
    MDP,
    Policy,
    backward_induction,
    modified_policy_iteration,
    policy_iteration,
    room_4x3,
    value_iteration,
)
from novum.teaching import garnet

P = np.array([[[0.5, 0.5], [0.2, 0.8]], [[0.0, 1.0], [1.0, 0.0]]])
R = np.array([[1.0, 2.0], [3.0, 4.0]])


def named():
    return MDP(P, R, discount=0.9, states=["a", "b"], actions=["x", "y"])


def test_the_grid_with_two_jumps():
    moves, probability, reward = ((-1, 0), (1, 0), (0, -1), (0, 1)), np.zeros((25, 4, 25)), np.zeros((25, 4))
    for s in range(25):
        for a, (down, right) in enumerate(moves):
            row, column = s // 5 + down, s % 5 + right
            inside = 0 <= row < 5 and 0 <= column < 5
            target, paid = (row * 5 + column, 0) if inside else (s, -1)
            target, paid = {1: (21, 10), 3: (13, 5)}.get(s, (target, paid))
            probability[s, a, target], reward[s, a] = 1, paid
    grid = MDP(probability, reward, discount=0.9)
    assert value_iteration(grid).values[:5].round(1).tolist() == [22.0, 24.4, 22.0, 19.4, 17.5]
    assert grid.evaluate().values[:5].round(1).tolist() == [3.3, 8.8, 4.4, 5.3, 1.5]


def test_states_that_are_only_entered_at_the_end_are_terminal():
    stakes = {
        s: {
            a: [(0.4, s + a, float(s + a == 100), s + a == 100), (0.6, s - a, 0.0, s == a)]
            for a in range(1, min(s, 100 - s) + 1)
        }
        for s in range(1, 100)
    }
    gambler = MDP(stakes)
    plan = value_iteration(gambler)
    assert sorted(gambler.terminal_states) == [0, 100]
    assert [plan.values[gambler.state_number(s)].round(4) for s in (25, 50, 75)] == [0.16, 0.4, 0.64]
    walk = MDP(
        {s: {0: [(0.5, s - 1, -float(s == 1), s == 1), (0.5, s + 1, float(s == 19), s == 19)]} for s in range(1, 20)}
    )
    np.testing.assert_allclose(
        walk.evaluate().values[:-1][np.argsort(list(walk.states)[:20])][1:], np.arange(-18, 19, 2) / 20, atol=1e-14
    )
    paid = MDP({"a": {"go": [(1.0, "b", 1.0)]}}, {"b": 5.0}, discount=0.5)
    assert value_iteration(paid).values.tolist() == [3.5, 5.0]
    with pytest.raises(DataError, match="no action can be taken in state 'b'"):
        MDP({"a": {"go": [(0.5, "b", 1.0, True), (0.5, "b", 1.0, False)]}})
    with pytest.raises(ParameterError, match="state 'a' is not terminal"):
        MDP({"a": {"go": [(1.0, "b", 1.0, True)]}}, {"a": 5.0})


@pytest.mark.parametrize(
    "table, said",
    [
        ({}, "empty table"),
        ({"a": 3}, r"transitions\['a'\] is 3"),
        ({"a": {"x": 3}}, r"transitions\['a'\]\['x'\] is 3"),
        ({"a": {"x": [(1.0, "a")]}}, "give a list of"),
        ({"a": {"x": [("p", "a", 2.0)]}}, "give a list of"),
        ({"a": {"x": {"a": 1.0}}}, "give a list of"),
        ({"a": {"x": [(1.0, ["a"], 2.0)]}}, "give a list of"),
    ],
)
def test_tables_of_the_wrong_form(table, said):
    with pytest.raises(DataError, match=said):
        MDP(table, discount=0.9)


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array, pd.DataFrame])
def test_a_list_or_mapping_has_a_matrix_for_every_action(kind):
    v = np.array([1.0, -2.0])
    matrices = [kind(P[:, a]) for a in range(2)]
    gains = np.arange(8.0).reshape(2, 2, 2)
    expected = MDP(P, R, discount=0.9).action_values(v)
    np.testing.assert_allclose(MDP(matrices, R, discount=0.9).action_values(v), expected)
    by_name = MDP(dict(zip("xy", matrices)), R, discount=0.9)
    assert by_name.action_number("y") == 1
    np.testing.assert_allclose(by_name.action_values(v), expected)
    np.testing.assert_allclose(
        MDP(matrices, [kind(gains[:, a]) for a in range(2)], discount=0.9).action_values(v),
        MDP(P, gains, discount=0.9).action_values(v),
    )
    with pytest.raises(DataError, match="each must be 2 x 2"):
        MDP([matrices[0], kind(np.eye(3))], R)


def test_frames_go_by_their_labels():
    frames = {a: pd.DataFrame(P[:, k], index=["a", "b"], columns=["a", "b"]) for k, a in enumerate("xy")}
    frames["y"] = frames["y"].loc[["b", "a"], ["b", "a"]]
    rewards = pd.DataFrame(R, index=["a", "b"], columns=["x", "y"]).loc[["b", "a"], ["y", "x"]]
    mdp = MDP(frames, rewards, discount=0.9)
    assert list(mdp.states) == ["a", "b"]
    np.testing.assert_allclose(mdp.action_values([1.0, -2.0]), named().action_values([1.0, -2.0]))
    by_state = MDP(frames, pd.Series([7.0, 1.0], index=["b", "a"]), discount=0.0)
    assert value_iteration(by_state).values.tolist() == [1.0, 7.0]
    assert mdp.policy(pd.Series(["y", "x"], index=["b", "a"]))["a"] == "x"
    assert (
        mdp.evaluate(pd.Series(["y", "x"], index=["b", "a"])).values.tolist()
        == mdp.evaluate(["x", "y"]).values.tolist()
    )
    for first in ({"b": 0.25, "a": 0.75}, pd.Series([0.25, 0.75], index=["b", "a"]), [0.75, 0.25]):
        assert MDP(frames, rewards, discount=0.9, initial=first).initial.tolist() == [0.75, 0.25]
    with pytest.raises(ParameterError, match="there is no state 'c'"):
        MDP(frames, rewards, discount=0.9, initial={"c": 1.0})
    with pytest.raises(DataError, match="same states as rows and columns"):
        MDP({"x": frames["x"], "y": frames["y"].rename(index={"a": "c"})}, R)


def test_one_terminal_state_by_its_name():
    for given in ("bb", ["bb"], ("bb",), np.array([False, True])):
        assert MDP(P, R, discount=0.9, states=["aa", "bb"], terminal=given).terminal_states == ["bb"]
    assert MDP(P, R, terminal=1).terminal_states == [1]
    assert room_4x3().replaced().terminal_states == room_4x3().terminal_states
    for given in (7, "x", None):
        with pytest.raises(ParameterError, match="there is no state"):
            MDP(P, R, terminal=given)


def test_policies_of_a_process():
    mdp = named()
    for given in ({"a": "x", "b": "y"}, ["x", "y"], [0, 1], [[1, 0], [0, 1]]):
        assert mdp.policy(given) == Policy([[1, 0], [0, 1]])
    assert mdp.policy() == Policy([[0.5, 0.5], [0.5, 0.5]])
    for given in ("random", lambda s: "x", object()):
        with pytest.raises(DataError, match="is no policy; give a table of probabilities"):
            mdp.evaluate(given)
        with pytest.raises(DataError, match="is no policy; give a table of probabilities"):
            policy_iteration(mdp, initial=given)


def test_values_and_steps_that_are_no_numbers():
    mdp = named()
    for plan in (value_iteration, modified_policy_iteration):
        with pytest.raises(DataError, match="'x' are no values"):
            plan(mdp, initial="x")
    mdp.reset(seed=0)
    for action in ("x", 0.5, None):
        with pytest.raises(ParameterError, match="step takes the number of an action"):
            mdp.step(action)
    with pytest.raises(ParameterError, match=r"horizon=None"):
        backward_induction(mdp)
    with pytest.raises(ParameterError, match=r"use MDP\.from_gymnasium"):
        MDP("FrozenLake-v1")


def test_plans_and_policies_can_be_copied():
    plan = value_iteration(room_4x3())
    for other in (pickle.loads(pickle.dumps(plan)), copy.deepcopy(plan)):
        assert repr(other) == repr(plan)
        assert other.policy == plan.policy
        assert other.policy.ties == plan.policy.ties


def test_a_plan_that_is_optimal_does_not_complain():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value_iteration(named(), max_iter=1, tol=1e-12).optimal
    with pytest.warns(NotConverged, match="sweeps left a gap of"):
        assert not value_iteration(garnet(600, 2, 3), max_iter=1, tol=1e-12).optimal
