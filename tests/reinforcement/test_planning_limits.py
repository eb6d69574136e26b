"""Planning of large and slow processes, refusals, and gaps where episodes end."""

import numpy as np
import pytest

from novum.exceptions import DataError, NotConverged, ParameterError
from novum.reinforcement import (
    MDP,
    Policy,
    grid_world,
    modified_policy_iteration,
    policy_iteration,
    room_4x3,
    value_iteration,
)
from novum.teaching import garnet, two_state


@pytest.mark.parametrize("n", [2000, 30_000])
def test_large_processes_are_within_their_certified_gap(n):
    mdp = garnet(n, 3, 4, discount=0.99, random_state=3)
    plan = modified_policy_iteration(mdp, tol=1e-4)
    assert plan.gap <= 1.1e-4
    residual = mdp.residual(plan.values)
    assert np.abs(residual).max() / 0.01 < 2e-4
    loose = policy_iteration(mdp, tol=1e-2)
    assert np.abs(loose.values - plan.values).max() <= loose.error + plan.error
    again = modified_policy_iteration(mdp, tol=1e-4, initial=plan.values)
    assert again.sweeps < plan.sweeps
    np.testing.assert_array_equal(modified_policy_iteration(mdp, tol=1e-4).values, plan.values)


def test_slow_processes():
    n, s = 1200, np.arange(1200)
    following = np.stack([np.maximum(s - 1, 0), s, np.minimum(s + 1, n - 1)], axis=1)
    import scipy.sparse

    def matrix(probability):
        return scipy.sparse.csr_array((np.tile(probability, n), (np.repeat(s, 3), following.ravel())), shape=(n, n))

    reward = np.zeros((n, 2))
    reward[-1] = 1
    mdp = MDP([matrix([0.6, 0.2, 0.2]), matrix([0.2, 0.2, 0.6])], reward, discount=0.999)
    plan = modified_policy_iteration(mdp, tol=1e-4)
    sweeps = value_iteration(mdp, tol=1e-4, order="synchronous")
    assert plan.gap <= 1.1e-4  # the number of sweeps hangs on rounding: extrapolations of nearly equal changes
    np.testing.assert_allclose(plan.values, sweeps.values, atol=2e-4)


def test_planners_say_what_is_wrong():
    with pytest.raises(ParameterError, match="order must be one of"):
        value_iteration(two_state(), order="sideways")
    with pytest.raises(ParameterError, match="tol must lie in"):
        value_iteration(two_state(), tol=0.0)
    with pytest.raises(ParameterError, match="sweeps have no gap"):
        value_iteration(room_4x3(), stop="gap")
    with pytest.raises(ParameterError, match="discount=1 gives no bound"):
        modified_policy_iteration(room_4x3())
    with pytest.raises(ParameterError, match="must be deterministic"):
        policy_iteration(two_state(), initial=Policy.uniform(two_state()))
    with pytest.raises(DataError, match="one number per state"):
        value_iteration(two_state(), initial=[1.0])
    with pytest.warns(NotConverged, match="5 sweeps left a change"):
        value_iteration(garnet(600, 2, 3), order="gauss-seidel", max_iter=5)
    with pytest.warns(NotConverged, match=r"value_iteration: .* sweeps left a gap"):
        value_iteration(garnet(600, 2, 3, discount=0.9999), max_iter=1)


@pytest.mark.parametrize("order", ["auto", "synchronous", "gauss-seidel", "prioritized"])
def test_the_certified_gap_holds_where_episodes_end(order):
    rng = np.random.default_rng(0)
    letters = rng.choice(list("....#G-"), size=(30, 30), p=[0.22, 0.22, 0.22, 0.2, 0.1, 0.02, 0.02])
    letters[0, 0] = "S"
    maze = grid_world("\n".join(map("".join, letters)), step_reward=0.05, slip=0.3, discount=0.97)
    assert maze.n_states > 500  # not evaluated exactly at the end
    exact = value_iteration(maze, tol=1e-11).values
    for tol in (1.0, 1e-2, 1e-5):
        plan = value_iteration(maze, tol=tol, order=order)
        assert np.abs(plan.values - exact).max() <= plan.error
        assert (exact - maze.evaluate(plan.policy).values).max() <= plan.gap <= 3 * tol
    ends = maze.model.terminal
    np.testing.assert_array_equal(plan.values[ends], maze.model.reward[maze.model.first[:-1]][ends])
