"""Values on the way of a plan: every entry is the backup of the one before, and keeping them changes nothing."""

from itertools import pairwise

import numpy as np
import pytest

from novum.reinforcement import MDP, modified_policy_iteration, room_4x3, value_iteration

ROOM = room_4x3(discount=0.9)


def backed_up(values):
    """Return T* V, terminal states as they are."""
    q = np.where(np.isnan(ROOM.action_values(values)), -np.inf, ROOM.action_values(values))
    return np.where(ROOM.model.terminal, values, q.max(axis=1))


@pytest.mark.parametrize("order", ["auto", "synchronous", "gauss-seidel", "symmetric", "random", "prioritized"])
def test_keeping_the_path_changes_nothing(order):
    plan, plain = value_iteration(ROOM, order=order, keep_path=True), value_iteration(ROOM, order=order)
    assert np.array_equal(plan.values, plain.values) and plan.sweeps == plain.sweeps
    path, at = plan.history["path"], plan.history["at"]
    assert len(path) == len(at) and at[0] == 0 and (path[0] == 0).all()
    assert "path" not in plain.history
    np.testing.assert_allclose(path[-1], plan.values, atol=1e-6)


def test_synchronous_entries_are_backups_of_the_ones_before():
    path = value_iteration(ROOM, order="synchronous", keep_path=True).history["path"]
    inside = ~ROOM.model.terminal
    for before, after in pairwise(path):
        np.testing.assert_allclose(after[inside], backed_up(before)[inside], rtol=1e-13, atol=1e-14)


def test_in_place_entries_use_what_the_sweep_has_made():
    path = value_iteration(ROOM, order="gauss-seidel", keep_path=True).history["path"]
    values = path[0].copy()
    for after in path[1:]:
        for s in range(ROOM.n_states):
            values[s] = after[s] if ROOM.model.terminal[s] else backed_up(values)[s]
        inside = ~ROOM.model.terminal
        np.testing.assert_allclose(after[inside], values[inside], rtol=1e-12, atol=1e-13)
        values = after.copy()


def test_prioritized_entries_back_up_one_state_each():
    plan = value_iteration(ROOM, order="prioritized", keep_path=True)
    path, states = plan.history["path"], plan.history["states"]
    assert len(path) == len(states) + 1 == plan.history["at"][-1] + 1
    number = {state: k for k, state in enumerate(ROOM.states)}
    for before, after, state in zip(path, path[1:], states):
        s = number[state]
        assert (np.delete(before, s) == np.delete(after, s)).all()
        if not ROOM.model.terminal[s]:
            assert after[s] == pytest.approx(backed_up(before)[s], abs=1e-12)


@pytest.mark.notes("003", "policy-iteration")
def test_modified_policy_iteration_keeps_sweeps_and_evaluations():
    plan = modified_policy_iteration(ROOM, keep_path=True)
    path, at = plan.history["path"], plan.history["at"]
    assert at == sorted(at) and at[-1] == plan.sweeps
    inside = ~ROOM.model.terminal
    np.testing.assert_allclose(path[1][inside], backed_up(path[0])[inside], rtol=1e-13, atol=1e-14)
    assert np.array_equal(plan.values, modified_policy_iteration(ROOM).values)


def test_the_mean_reward_has_a_path():
    loop = MDP([[[0.0, 1.0], [0.5, 0.5]], [[1.0, 0.0], [0.5, 0.5]]], [[0.0, 1.0], [2.0, 0.0]], discount=1.0)
    plan = value_iteration(loop, criterion="average", keep_path=True)
    assert len(plan.history["path"]) == plan.sweeps + 1
    assert np.array_equal(plan.history["path"][-1], plan.values)
