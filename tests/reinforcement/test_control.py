"""Agents: single updates by the notes' numbers, the compiled loops against those in Python, and optima that are reached."""

import gymnasium
import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.optimize import Schedule
from novum.reinforcement import (
    ADP,
    MDP,
    SARSA,
    ExpectedSARSA,
    Policy,
    QLearning,
    grid_world,
    method_tags,
    room_4x3,
    value_iteration,
)
from novum.reinforcement.control.interpreted import Learner, Rules
from novum.reinforcement.methods import METHODS, agent_class
from novum.teaching import cliff_walk, windy_grid


class Lives:
    """Two states, two actions, nothing random."""

    def can(self, state):
        return np.ones(2, bool)

    def uniform(self, run, t, column):
        return 0.0


def learner(method, target_epsilon=-1.0, explore=0.0, q=((1.0, 0.0), (3.0, 4.0)), **changes):
    """Return a learner with alpha .5 and gamma .9 whose table is given."""
    rules = Rules(method, 0.0, False, target_epsilon, 0, False, 0.9, np.zeros(1), np.array([0.5]), None)
    made = Learner(Lives(), 0, rules._replace(**changes), 0.0)
    made.q = {s: np.array(row) for s, row in enumerate(q)}
    made.second = {s: np.array(row) for s, row in enumerate(q)}
    made.explore, made.rate = explore, 0.5
    return made


@pytest.mark.notes("003", "sarsa")
@pytest.mark.notes("003", "q-learning")
@pytest.mark.notes("000-c", "sarsa")
@pytest.mark.notes("000-c", "q-learning")
def test_single_updates():
    sarsa = learner("sarsa")
    sarsa.update(0, 0, 2.0, 1, False, 0, 0)
    assert sarsa.q[0][0] == pytest.approx(2.85)
    q = learner("q")
    q.update(0, 0, 2.0, 1, False, -1, 0)
    assert q.q[0][0] == pytest.approx(3.3)
    over = learner("q")
    over.update(0, 0, 2.0, 1, True, -1, 0)
    assert over.q[0][0] == pytest.approx(1.5)  # nothing follows the end


@pytest.mark.notes("003", "off-policy-sarsa")
def test_importance_sampled_sarsa():
    # pi takes the greedy action with 0.05 + 0.95 / 1 ... a' = 0 is not greedy: eps_pi / 2 against eps_b / 2, a ratio of 3
    one = learner("sarsa", target_epsilon=0.9, explore=0.3)
    one.update(0, 0, 2.0, 1, False, 0, 0)
    assert one.q[0][0] == pytest.approx(5.55)


def test_expected_and_double_updates():
    one = learner("expected", explore=0.4)
    one.update(0, 0, 2.0, 1, False, -1, 0)
    assert one.q[0][0] == pytest.approx(1 + 0.5 * (2 + 0.9 * (0.2 * 3 + 0.8 * 4) - 1))
    two = learner("double")
    two.second[1] = np.array([7.0, 5.0])  # the first table chooses action 1, the second says what it is worth
    two.update(0, 0, 2.0, 1, False, -1, 0)
    assert two.q[0][0] == pytest.approx(1 + 0.5 * (2 + 0.9 * 5 - 1))


@pytest.mark.notes("003", "sarsa-lambda")
@pytest.mark.parametrize("replacing", [False, True])
def test_traces_of_sarsa(replacing):
    made = learner("sarsa", trace_decay=0.8, replacing=replacing)
    Q, e = {s: row.copy() for s, row in made.q.items()}, np.zeros((2, 2))
    steps = [(0, 0, 2.0, 1, 1), (1, 1, -1.0, 0, 0), (0, 0, 0.5, 1, 0)]
    for t, (s, a, r, s2, a2) in enumerate(steps):  # the algorithm of the notes, with its lambda
        made.update(s, a, r, s2, False, a2, t)
        delta = r + 0.9 * Q[s2][a2] - Q[s][a]
        e[s, a] = 1.0 if replacing else e[s, a] + 1
        for k in (0, 1):
            Q[k] += 0.5 * delta * e[k]
        e *= 0.9 * 0.8
    for s in (0, 1):
        np.testing.assert_allclose(made.q[s], Q[s])


CASES = [
    (QLearning, {}),
    (QLearning, {"double": True}),
    (QLearning, {"trace_decay": 0.8}),
    (QLearning, {"trace_decay": 0.5, "traces": "replacing", "learning_rate": 0.3}),
    (QLearning, {"planning_steps": 3}),
    (QLearning, {"strategy": "softmax", "exploration": Schedule("linear", 1.0, 0.1)}),
    (QLearning, {"start": "any", "initial_value": 2.0}),
    (SARSA, {}),
    (SARSA, {"trace_decay": 0.7}),
    (SARSA, {"target_exploration": 0.05}),
    (ExpectedSARSA, {}),
    (ExpectedSARSA, {"target_exploration": 0.1, "planning_steps": 2}),
]


@pytest.mark.parametrize(("cls", "settings"), CASES)
@pytest.mark.parametrize("world", [lambda: room_4x3(), lambda: MDP.from_gymnasium("CliffWalking-v1", discount=0.9)])
def test_compiled_loops_make_the_curves_of_those_in_python(cls, settings, world):
    mdp = world()
    compiled = cls(n_episodes=12, n_runs=2, max_steps=60, random_state=1, **settings).fit(mdp)
    python = cls(n_episodes=12, n_runs=2, max_steps=60, random_state=1, **settings)._in_python(mdp)
    np.testing.assert_array_equal(compiled.lengths_, python.lengths_)
    np.testing.assert_allclose(compiled.returns_, python.returns_, rtol=1e-12)
    np.testing.assert_allclose(compiled.action_values_, python.action_values_, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(compiled.visits_, python.visits_)


@pytest.mark.notes("001", "rl-policy-named")
@pytest.mark.notes("000-c", "q-learning")
def test_q_learning_of_the_room():
    room = room_4x3()
    plan = value_iteration(room)
    agent = QLearning(n_episodes=20_000, random_state=0).fit(room)
    assert repr(agent.compare(plan)) == (
        "greedy policy worth .705 at the start (plan: .7053); agrees with the plan in 9 of 9 states"
    )
    np.testing.assert_allclose(agent.values_, plan.values, atol=0.1)
    greedy = QLearning(
        20_000, exploration=0.3, start="any", learning_rate=Schedule("harmonic", 1.0, 60.0), random_state=1
    )
    assert greedy.fit(room).compare(plan).agrees >= 8


@pytest.mark.parametrize(
    ("name", "options", "episodes"),
    [
        ("FrozenLake-v1", {}, 20_000),
        ("CliffWalking-v1", {}, 2000),
        ("Taxi-v4", {}, 6000),
        ("FrozenLake-v1", {"map_name": "8x8"}, 40_000),
    ],
)
def test_gymnasium_tables_are_learned_to_the_optimum(name, options, episodes):
    mdp = MDP.from_gymnasium(name, discount=0.99, **options)
    plan = value_iteration(mdp)
    agent = QLearning(episodes, n_runs=2, random_state=0).fit(mdp)
    assert plan.start - agent.compare(plan).worth < 1e-3


@pytest.mark.notes("000-c", "sarsa")
def test_sarsa_keeps_away_from_the_cliff():
    """Sutton and Barto's example 6.6: Q-learning walks along the edge, SARSA round it, and earns more while exploring."""
    cliff = cliff_walk()
    common = {"n_episodes": 500, "learning_rate": 0.5, "exploration": 0.1, "n_runs": 20, "random_state": 0}
    sarsa, q = SARSA(**common).fit(cliff), QLearning(**common).fit(cliff)
    assert q.compare(value_iteration(cliff)).worth == -13
    last = slice(400, None)
    assert sarsa.returns_[:, last].mean() > q.returns_[:, last].mean() + 10
    assert -35 < sarsa.returns_[:, last].mean() < -20
    expected = ExpectedSARSA(**common).fit(cliff)
    assert expected.returns_[:, last].mean() > q.returns_[:, last].mean()


def test_the_windy_grid_of_the_textbook():
    wind = windy_grid()
    plan = value_iteration(wind)
    assert plan.start == -15
    agent = SARSA(1000, learning_rate=0.5, exploration=0.1, n_runs=10, random_state=0).fit(wind)
    assert 15 < agent.lengths_[:, -300:].mean() < 22  # about 17 with the random steps, says the book
    q = QLearning(3000, learning_rate=0.5, random_state=0).fit(wind)
    assert q.compare(plan).worth == -15


@pytest.mark.notes("000-c", "q-value-iteration")
def test_q_table_by_random_walks_in_a_known_maze():
    maze = grid_world("S.#.\n....\n.#.G", step_reward=-1)
    agent = QLearning(300, learning_rate=1.0, exploration=1.0, start="any", random_state=0).fit(maze)
    plan = value_iteration(maze)
    np.testing.assert_allclose(
        np.where(maze.possible, agent.action_values_, 0), np.where(maze.possible, plan.action_values, 0), atol=1e-12
    )


@pytest.mark.notes("000-c", "greedy-rollout")
def test_following_the_best_action():
    maze = grid_world("S.#.\n....\n.#.G", step_reward=-1)
    agent = QLearning(300, learning_rate=1.0, exploration=1.0, start="any", random_state=0).fit(maze)
    route = maze.rollout(agent.policy_)
    assert route.ended
    assert route.states[0] == (1, 3)
    assert route.states[-1] == (4, 1)
    assert len(route) == 5
    assert route.value == -4
    lost = maze.rollout(Policy.from_actions(maze, {}, default="^"), max_steps=7)
    assert not lost.ended
    assert len(lost) == 7


@pytest.mark.notes("000-c", "greedy-adp")
@pytest.mark.notes("000-c", "passive-adp")
def test_values_solve_the_counted_model():
    loop = MDP({"s": {"x": [(0.7, "s", 1.0), (0.3, "end", 4.0)]}}, terminal=["end"], discount=0.9)
    place = list(loop.states).index("s")
    for policy in (None, Policy.uniform(loop)):
        found = ADP(40, random_state=0).fit(loop, policy=policy)
        steps = found.lengths_[0].sum()
        assert found.visits_[place, 0] == steps > 60
        stays, reward = 1 - 40 / steps, (steps - 40 + 4.0 * 40) / steps
        assert found.values_[place] == pytest.approx(reward / (1 - 0.9 * stays), abs=1e-5)


@pytest.mark.notes("000-c", "greedy-adp")
def test_greedy_model_learning_settles_for_too_little():
    room = room_4x3()
    plan = value_iteration(room)
    agents = [ADP(300, random_state=seed).fit(room) for seed in range(8)]
    worth = [agent.compare(plan).worth for agent in agents]
    for agent in agents:  # states that were never seen do not count
        deciding = np.flatnonzero(~room.model.terminal & agent.visits_.any(axis=1))
        best = [agent.policy_.actions[s] in plan.policy.ties[s] for s in deciding]
        assert (agent.compare(plan).agrees, agent.compare(plan).states) == (sum(best), len(deciding))
    assert min(worth) < 0.55
    assert max(worth) <= plan.start + 1e-9


@pytest.mark.notes("000-c", "exploration-function")
def test_optimism_finds_the_best():
    room = room_4x3()
    plan = value_iteration(room)
    for seed in range(4):
        agent = ADP(500, optimism=2.0, tries=20, random_state=seed).fit(room)
        assert agent.compare(plan).worth > 0.68
        assert (agent.visits_[~room.model.terminal] >= 20).sum() > 25
    # f(u, n) = optimism where an action was tried fewer than `tries` times, else u: hope above 1 makes it try the other, too
    fork = MDP({"s": {"a": [(1.0, "end", 1.0)], "b": [(1.0, "end", 2.0)]}}, terminal=["end"])
    s, (a, b) = list(fork.states).index("s"), (list(fork.actions).index(name) for name in "ab")
    hopeful = ADP(60, optimism=5.0, tries=4, random_state=0).fit(fork).visits_[s]
    assert hopeful[a] == 4 and hopeful[b] == 56  # each four times, then the better one
    wary = ADP(60, optimism=0.5, tries=4, random_state=0).fit(fork).visits_[s]
    assert sorted(wary)[-1] >= 56  # what pays more than it hopes for is not left


@pytest.mark.notes("003", "glie-check")
def test_schedules_and_their_conditions():
    assert Schedule("power", 1.0, 1.0).glie() == (True, True, True)
    assert Schedule("constant", 0.1).glie() == (True, False, False)
    assert Schedule("exponential", 1.0, 0.9).glie() == (False, True, False)
    assert Schedule("exponential", 1.0, 0.9, floor=0.01).glie() == (
        True,
        False,
        False,
    )  # it never comes below the floor
    assert not Schedule("linear", 1.0, 0.0).glie().for_ever
    # sum 1/n^p over all n: without end for p <= 1, zeta(p) beyond
    assert Schedule("power", 1.0, 0.5).glie() == (True, True, True)
    for power in (1.01, 1.5, 2.0):
        assert Schedule("power", 1.0, power).glie() == (False, True, False)
    assert Schedule("power", 1.0, 0.7).satisfies_robbins_monro()
    assert not Schedule("power", 1.0, 0.5).satisfies_robbins_monro().squares_converge
    assert not Schedule("power", 1.0, 1.5).satisfies_robbins_monro().sum_diverges
    assert Schedule("harmonic", 1.0, 60.0).satisfies_robbins_monro()
    np.testing.assert_allclose(Schedule("harmonic", 1.0, 60.0).values(3), [1, 60 / 61, 60 / 62])
    np.testing.assert_allclose(Schedule("linear", 1.0, 0.0).values(5), [1, 0.75, 0.5, 0.25, 0])
    with pytest.raises(ParameterError, match="kind must be one of"):
        Schedule("often")


@pytest.mark.notes("003", "rl-taxonomy")
@pytest.mark.notes("001", "rl-policy-named")
def test_tags_of_methods():
    for name in METHODS:
        tags = method_tags(name)
        assert "control" in tags
        assert ("model-free" in tags) != ("model-based" in tags)
        assert agent_class(name)(**METHODS[name].settings)
    assert {"off-policy", "tabular"} <= set(method_tags("q-learning"))
    assert "on-policy" in method_tags(SARSA)
    assert "model-based" in method_tags("adp")
    with pytest.raises(ParameterError, match="there is no method 'magic'; methods are q-learning"):
        method_tags("magic")


def test_environments_without_a_table_learn_in_python():
    one, two = (QLearning(40, n_runs=2, random_state=3).fit("Blackjack-v1") for _ in range(2))
    np.testing.assert_array_equal(one.returns_, two.returns_)
    assert one.returns_.shape == (2, 40)
    assert set(np.unique(one.returns_)) <= {-1.0, 0.0, 1.0}
    assert one.act((20, 10, 0)) in (0, 1)
    result = one.evaluate(gymnasium.make("Blackjack-v1"), n_episodes=20)
    assert -1 <= result.mean <= 1
    advice = {
        "Pendulum-v1": "No learner here takes actions from a continuum: let it choose among some",
        "CartPole-v1": "are no finite set, so no table holds them; learn it with DQN",
    }
    for name, said in advice.items():
        with pytest.raises(ParameterError, match=said):
            QLearning(2).fit(name)
    with pytest.raises(ParameterError, match="only a known process can begin anywhere"):
        QLearning(2, start="any").fit("Blackjack-v1")
