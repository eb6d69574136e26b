"""Control by means of returns: the means themselves, weights of another policy's episodes, and plans reached."""

import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.optimize import Schedule
from novum.reinforcement import MDP, MonteCarloControl, room_4x3, value_iteration
from novum.teaching import blackjack


@pytest.mark.notes("003", "mc-control-es")
def test_exploring_starts():
    game = blackjack()
    plan = value_iteration(game)
    agent = MonteCarloControl(400_000, method="exploring-starts", random_state=0).fit(game)
    found = agent.compare(plan)
    assert plan.start - found.worth < 0.004
    assert found.agrees > 0.93 * found.states
    with pytest.raises(ParameterError, match="exploration=None"):
        MonteCarloControl(method="exploring-starts", exploration=0.1).fit(game)


@pytest.mark.notes("003", "glie-mc")
def test_glie_monte_carlo():
    room = room_4x3()
    plan = value_iteration(room)
    agent = MonteCarloControl(30_000, max_steps=100, random_state=0).fit(room)
    assert agent.compare(plan).worth > 0.65
    chain = MDP({0: {"a": [(1.0, 1, 1.0)], "b": [(1.0, 1, 3.0)]}}, terminal=[1])
    literal = MonteCarloControl(50, exploration=Schedule("power", 1.0, 1.0), random_state=0).fit(chain)
    np.testing.assert_allclose(literal.action_values_[0], [1.0, 3.0])
    assert (literal.returns_[0, 25:] == 3).mean() > 0.9
    # both actions from one place, so the probability of the better one in episode k follows from the shares of exploration alone
    share = {
        None: 1 / (1 + np.arange(40) / (0.05 * 40)),  # harmonic, at one half after a twentieth of the episodes
        Schedule("power", 1.0, 1.0): 1 / np.arange(1, 41),
    }
    for exploration, shares in share.items():
        many = MonteCarloControl(40, exploration=exploration, n_runs=3000, random_state=2).fit(chain)
        known, expected = 0.0, []  # whether the better action has been tried
        for part in shares:
            expected.append(known * (1 - part / 2) + (1 - known) * part / 2)
            known += (1 - known) * part / 2
        found = (many.returns_ == 3).mean(axis=0)
        np.testing.assert_allclose(found, expected, atol=4.5 * 0.5 / np.sqrt(3000))
        assert (many.returns_[:, 20:] == 1).sum() == pytest.approx(3000 * np.sum(1 - np.array(expected[20:])), rel=0.1)


@pytest.mark.notes("003", "glie-mc")
@pytest.mark.notes("003", "mc-control-es")
@pytest.mark.parametrize("method", ["glie", "exploring-starts"])
def test_action_values_are_means_of_returns(method):
    loop = MDP({"s": {"x": [(0.7, "s", 1.0), (0.3, "end", 4.0)]}}, terminal=["end"], discount=0.9)
    place = list(loop.states).index("s")
    for visits in ("first", "every"):
        found = MonteCarloControl(40, method=method, visits=visits, random_state=0).fit(loop)
        paid = []  # by how many steps are left: ones, and four at the end
        for length in found.lengths_[0]:
            left = range(length, 0, -1) if visits == "every" else [length]
            paid += [sum(0.9**k for k in range(n - 1)) + 4 * 0.9 ** (n - 1) for n in left]
        assert found.action_values_[place, 0] == pytest.approx(np.mean(paid), rel=1e-12)
        assert found.visits_[place, 0] == len(paid) and len(set(paid)) > 3


@pytest.mark.notes("003", "off-policy-mc")
def test_returns_of_greedy_ends_weigh_by_their_probability():
    ends = {"x": [(0.5, "won", 3.0, True), (0.5, "lost", 1.0, True)], "y": [(1.0, "lost", -1.0, True)]}
    process = MDP({"begin": {"x": [(1.0, "fork", 0.0)]}, "fork": ends}, initial="begin", discount=0.8)
    shares = Schedule("linear", 0.9, 0.1)
    found = MonteCarloControl(60, method="off-policy", exploration=shares, random_state=1).fit(process)
    weighed = total = 0.0
    met = False  # before any reward is known both actions are alike
    for share, paid in zip(shares.values(60), found.returns_[0]):
        if paid > 0:  # x, the better one as soon as it was taken
            weight = 1 / (1 - share / 2 if met else 0.5)
            weighed, total = weighed + weight * 0.8 * paid, total + weight
        met = True
    begin, fork = (list(process.states).index(name) for name in ("begin", "fork"))
    assert found.action_values_[begin, 0] == pytest.approx(weighed / total, rel=1e-12)
    last = [paid for paid in found.returns_[0] if paid > 0]
    np.testing.assert_allclose(found.action_values_[fork], [np.mean(last), -1.0], rtol=1e-12)
    assert len(set(last)) == 2


@pytest.mark.notes("003", "off-policy-mc")
def test_off_policy_monte_carlo():
    room = room_4x3()
    plan = value_iteration(room)
    agent = MonteCarloControl(60_000, method="off-policy", random_state=0).fit(room)
    assert plan.start - agent.compare(plan).worth < 0.02
    with pytest.raises(ParameterError, match="must explore"):
        MonteCarloControl(method="off-policy", exploration=0.0).fit(room)
