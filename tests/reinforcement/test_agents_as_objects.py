"""Agents as objects: runs, model files, refusals, callbacks."""

import numpy as np
import pytest

import novum
from novum.exceptions import DataError, ParameterError
from novum.optimize import Schedule
from novum.reinforcement import (
    ADP,
    MDP,
    SARSA,
    ExpectedSARSA,
    MonteCarloControl,
    QLearning,
    room_4x3,
    value_iteration,
)


def test_runs_are_their_own_and_threads_do_not_matter():
    room = room_4x3()
    many = QLearning(50, n_runs=4, random_state=5, n_jobs=2).fit(room)
    one = QLearning(50, n_runs=1, random_state=5, n_jobs=1).fit(room)
    np.testing.assert_array_equal(many.returns_[0], one.returns_[0])
    assert len({tuple(row) for row in many.returns_}) == 4
    np.testing.assert_allclose(many.action_values_, many.run_values_.mean(axis=0))


def test_model_files(tmp_path):
    room = room_4x3()
    for agent in (
        QLearning(20, random_state=0).fit(room),
        SARSA(20, learning_rate=0.1, random_state=0).fit("FrozenLake-v1"),
        ExpectedSARSA(20, random_state=0).fit(room),
        MonteCarloControl(20, random_state=0).fit(room),
        ADP(20, random_state=0).fit(room),
        QLearning(5, random_state=0).fit("Blackjack-v1"),
    ):
        loaded = novum.load(novum.save(agent, tmp_path / "agent.novum"))
        np.testing.assert_array_equal(loaded.action_values_, agent.action_values_)
        assert loaded.policy_ == agent.policy_
        assert loaded.get_params() == agent.get_params()
        assert loaded.states_ == agent.states_


def test_what_is_wrong_is_named():
    room = room_4x3()
    with pytest.raises(ParameterError, match="'discount' parameter of QLearning must be a float in the range"):
        QLearning(discount=1.5).fit(room)
    with pytest.raises(ParameterError, match="two tables go neither with traces nor with planning"):
        QLearning(double=True, trace_decay=0.5).fit(room)
    with pytest.raises(ParameterError, match="exploration is a temperature"):
        QLearning(strategy="softmax", exploration=Schedule("linear", 1.0, 0.0)).fit(room)
    with pytest.raises(ParameterError, match="is no environment"):
        QLearning().fit(np.zeros((3, 3)))
    with pytest.raises(DataError, match="the plan has 48 states"):
        QLearning(3).fit(room).compare(value_iteration(MDP.from_gymnasium("CliffWalking-v1")))
    with pytest.raises(
        DataError, match="FrozenLake-v1 has 16 states and 4 actions, the agent learned 11 and 4 in room_4x3"
    ):
        QLearning(3).fit(room).evaluate("FrozenLake-v1")
    with pytest.raises(ParameterError, match="ADP: this environment has no table"):
        ADP().fit("Blackjack-v1")


class Stop:
    """A callback that ends the fit after two runs."""

    def __init__(self):
        self.heard = []

    def setup(self, estimator, context): ...

    def teardown(self, estimator, context): ...

    def on_fit_task_begin(self, estimator, context): ...

    def on_fit_task_end(self, estimator, context):
        if hasattr(context, "n_iter"):
            self.heard.append((context.n_iter, context.objective))
            return context.n_iter == 2
        return False


@pytest.mark.parametrize("cls", [QLearning, MonteCarloControl, ADP])
def test_callbacks_hear_of_runs_and_may_stop_them(cls):
    watch = Stop()
    agent = cls(10, n_runs=5, random_state=0, n_jobs=1)
    agent.set_callbacks(watch).fit(room_4x3())
    assert agent.returns_.shape == (2, 10)
    assert [n for n, _ in watch.heard] == [1, 2]
    np.testing.assert_allclose([value for _, value in watch.heard], agent.returns_.mean(axis=1))
