"""What the compiled learners of action values make of a few steps, worked out by hand."""

import numpy as np
import pytest

from novum.optimize import Schedule
from novum.reinforcement import MDP, SARSA, ExpectedSARSA, QLearning


def fork():
    """A step to a state where x pays 3 and y nothing, and then the end."""
    ends = {"x": [(1.0, "end", 3.0, True)], "y": [(1.0, "end", 0.0, True)]}
    return MDP({"begin": {"x": [(1.0, "fork", 0.0)]}, "fork": ends}, initial="begin")


@pytest.mark.notes("003", "q-learning")
@pytest.mark.notes("003", "sarsa")
@pytest.mark.notes("003", "off-policy-sarsa")
@pytest.mark.notes("000-c", "sarsa")
@pytest.mark.notes("000-c", "q-learning")
def test_compiled_targets_by_hand():
    # Steps of one from values of one: after the second episode the first value is the target by what the first one taught.
    settings = {
        "n_episodes": 2,
        "learning_rate": 1.0,
        "exploration": 0.5,
        "initial_value": 1.0,
        "n_runs": 60,
        "random_state": 0,
    }
    targets = {
        QLearning(**settings): {(3, 3): 3, (3, 0): 3, (0, 3): 1, (0, 0): 1},
        SARSA(**settings): {(3, 3): 3, (3, 0): 1, (0, 3): 1, (0, 0): 0},
        ExpectedSARSA(**settings): {(3, 3): 2.5, (3, 0): 2.5, (0, 3): 0.75, (0, 0): 0.75},
        SARSA(target_exploration=0.1, **settings): {
            (3, 3): 3 * 0.95 / 0.75,
            (3, 0): 0.05 / 0.25,
            (0, 3): 0.95 / 0.75,
            (0, 0): 0,
        },
    }
    for agent, expected in targets.items():
        agent.fit(fork())
        seen = [tuple(paid) for paid in agent.returns_]
        assert set(seen) == set(expected)
        np.testing.assert_allclose(agent.run_values_[:, 0, 0], [expected[paid] for paid in seen])
        assert agent.visits_[0, 0] == 2 * 60  # once in every episode of every run


@pytest.mark.notes("000-c", "q-learning")
def test_rates_fall_with_the_visits_of_all_episodes():
    loop = MDP({"s": {"x": [(0.8, "s", 1.0), (0.2, "end", 4.0)]}}, terminal=["end"])
    agent = QLearning(3, learning_rate=Schedule("power", 1.0, 0.7), discount=0.9, n_runs=5, random_state=0).fit(loop)
    assert agent.lengths_.sum(axis=1).max() > 9
    for lengths, found in zip(agent.lengths_, agent.run_values_[:, list(loop.states).index("s"), 0]):
        q, visit = 0.0, 0
        for length in lengths:
            for left in range(length, 0, -1):
                visit += 1
                q += visit**-0.7 * ((1.0 + 0.9 * q if left > 1 else 4.0) - q)
        assert found == pytest.approx(q, rel=1e-12)


@pytest.mark.notes("003", "sarsa")
@pytest.mark.notes("000-c", "sarsa")
def test_sarsa_takes_the_action_that_its_target_counted():
    # One state, both actions cost 1: the second step is chosen while both values are zero, and kept when the first has fallen.
    loop = MDP({0: {a: [(1.0, 0, -1.0)] for a in (0, 1)}}, discount=0.5, initial=0)
    settings = {"learning_rate": 1.0, "exploration": 0.0, "max_steps": 2, "n_runs": 60, "random_state": 0}
    on = SARSA(1, **settings).fit(loop).run_values_[:, 0]
    off = QLearning(1, **settings).fit(loop).run_values_[:, 0]
    assert {tuple(row) for row in on} == {(-1.0, 0.0), (0.0, -1.0), (-1.0, -1.0)}
    assert {tuple(row) for row in off} == {(-1.0, -1.0)}


@pytest.mark.notes("003", "sarsa-lambda")
def test_compiled_traces_by_hand():
    chain = MDP({s: {0: [(1.0, s + 1, float(s == 2), s == 2)]} for s in range(3)}, discount=0.9, initial=0)
    for agent in (SARSA, QLearning):
        found = agent(1, learning_rate=0.5, trace_decay=0.8, random_state=0).fit(chain)
        np.testing.assert_allclose(found.action_values_[:3, 0], [0.5 * 0.72**2, 0.5 * 0.72, 0.5])
    loop = MDP({0: {0: [(1.0, 1, 0.0)]}, 1: {0: [(1.0, 0, 1.0)]}}, discount=0.9, initial=0)
    for traces, trace in (("accumulating", 1 + 0.72**2), ("replacing", 1.0)):
        found = SARSA(1, learning_rate=0.5, trace_decay=0.8, traces=traces, max_steps=3, random_state=0).fit(loop)
        first = 0.5 * 0.72  # of state 0 after two steps; the other has 0.5
        assert found.action_values_[0, 0] == pytest.approx(first + 0.5 * (0.9 * 0.5 - first) * trace)
