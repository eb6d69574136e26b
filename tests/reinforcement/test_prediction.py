"""Values from experience: the notes' episodes, exact expectations, and convergence to the true values."""

import gymnasium
import numpy as np
import pytest
from scipy.stats import t as student_t

from novum.exceptions import DataError, ParameterError
from novum.optimize import Schedule
from novum.reinforcement import (
    ADP,
    MDP,
    TD,
    MonteCarloPrediction,
    Policy,
    room_4x3,
    running_mean,
    value_iteration,
)
from novum.teaching import blackjack, random_walk, two_state

EPISODE = (["A", "A", "B"], [1.0, 2.0, 3.0])
LONG = ([0, 1, 2, 1, "end"], [1.0, 0.0, 2.0, 5.0])
GUESS = {0: 0.5, 1: 1.0, 2: 2.0}


def learn(learner, guess=GUESS):
    """Return the changes of values that one episode makes, from given first guesses: a short episode per state makes them."""
    first = [([s, "end"], [v]) for s, v in guess.items()]
    start = TD(learning_rate=1.0, discount=0.9).fit(first)
    assert start.predict(list(guess)).tolist() == list(guess.values())
    learner.fit([*first, LONG])
    seen = dict(zip(learner.states_, learner.visits_))
    assert [seen[s] for s in guess] == [2, 3, 2]
    return learner


def transcribed(alpha, lam, replacing, gamma=0.9):
    """Return V after the episode by the algorithm of the notes, written out."""
    V, e = dict(GUESS) | {"end": 0.0}, dict.fromkeys([0, 1, 2], 0.0)
    for t, (s, r) in enumerate(zip(LONG[0], LONG[1])):
        delta = r + gamma * V[LONG[0][t + 1]] - V[s]
        for k in e:
            e[k] *= gamma * lam
        e[s] = 1.0 if replacing else e[s] + 1
        for k in e:
            V[k] += alpha * delta * e[k]
    return [V[0], V[1], V[2]]


def two_rates(alpha):
    """Return a schedule by visits: 1 at the first visit of a state, alpha afterwards."""
    return Schedule("power", 1.0, 1e9, floor=alpha)


@pytest.mark.notes("003", "mc-first-visit")
def test_first_visits():
    for gamma, worth in ((1.0, 6.0), (0.9, 5.23)):
        found = MonteCarloPrediction(visits="first", discount=gamma).fit([EPISODE])
        np.testing.assert_allclose(found.predict(["A", "B"]), [worth, 3.0])
    two = MonteCarloPrediction(visits="first").fit([EPISODE, (["B", "A"], [1.0, 1.0])])
    np.testing.assert_allclose(two.predict(["A", "B"]), [3.5, 2.5])


@pytest.mark.notes("003", "mc-every-visit")
def test_every_visit():
    for gamma, worth in ((1.0, 5.5), (0.9, 4.965)):
        found = MonteCarloPrediction(visits="every", discount=gamma).fit([EPISODE])
        np.testing.assert_allclose(found.predict(["A", "B"]), [worth, 3.0])


@pytest.mark.notes("003", "incremental-mean")
def test_running_means():
    x = np.random.default_rng(0).normal(size=50)
    np.testing.assert_allclose(running_mean(x), np.cumsum(x) / np.arange(1, 51))
    weights = 0.2 * 0.8 ** np.arange(49, -1, -1)
    assert running_mean(x, 0.2)[-1] == pytest.approx(weights @ x)
    np.testing.assert_allclose(running_mean(x, Schedule("harmonic", 1.0, 1.0)), running_mean(x))
    np.testing.assert_allclose(Schedule("harmonic", 0.5, 10.0).values(3), [0.5, 5 / 11, 5 / 12])
    np.testing.assert_allclose(Schedule("power", 0.5, 0.6).values(3), [0.5, 0.5 / 2**0.6, 0.5 / 3**0.6])
    episodes = [(["A"], [value]) for value in x]
    assert MonteCarloPrediction().fit(episodes).values_[0] == pytest.approx(x.mean())
    assert MonteCarloPrediction(learning_rate=0.2).fit(episodes).values_[0] == pytest.approx(weights @ x)


@pytest.mark.notes("003", "n-step-td")
@pytest.mark.parametrize(("n", "target"), [(1, 1.9), (2, 2.62), (3, 3.349), (4, 6.265)])
def test_n_step_targets(n, target):
    # The first update of the long episode is that of state 0, before any other value has moved.
    found = learn(TD(n_steps=n, learning_rate=two_rates(0.1), discount=0.9))
    assert found.predict([0])[0] == pytest.approx(0.5 + 0.1 * (target - 0.5))


@pytest.mark.notes("003", "lambda-return")
@pytest.mark.parametrize(
    ("decay", "targets"), [(0.5, (2.80675, 3.015, 4.7, 5.0)), (0.8, (4.435552, 4.5216, 5.78, 5.0))]
)
def test_lambda_returns(decay, targets):
    found = learn(TD(trace_decay=decay, view="forward", learning_rate=two_rates(0.1), discount=0.9))
    changes = [0.1 * (targets[0] - 0.5), 0.1 * (targets[1] + targets[3] - 2.0), 0.1 * (targets[2] - 2.0)]
    np.testing.assert_allclose(found.predict([0, 1, 2]) - [0.5, 1.0, 2.0], changes, rtol=1e-6)
    if decay == 0.5:
        np.testing.assert_allclose(changes, [0.230675, 0.6015, 0.27])


@pytest.mark.notes("003", "td-lambda-backward")
@pytest.mark.parametrize(
    ("traces", "expected"),
    [("accumulating", (0.731005, 1.589860, 2.271632)), ("replacing", (0.731005, 1.511366, 2.271632))],
)
def test_traces(traces, expected):
    found = learn(TD(trace_decay=0.5, traces=traces, learning_rate=two_rates(0.1), discount=0.9))
    np.testing.assert_allclose(found.predict([0, 1, 2]), expected, atol=1e-6)
    np.testing.assert_allclose(found.predict([0, 1, 2]), transcribed(0.1, 0.5, traces == "replacing"), rtol=1e-12)


@pytest.mark.notes("000-c", "td0")
@pytest.mark.notes("003", "td0")
def test_one_step_is_lambda_zero():
    one = learn(TD(n_steps=1, learning_rate=two_rates(0.1), discount=0.9)).predict([0, 1, 2])
    np.testing.assert_allclose(one, transcribed(0.1, 0.0, False))


@pytest.mark.notes("000-c", "td0")
def test_temporal_differences_in_the_room():
    room = room_4x3()
    plan = value_iteration(room)
    found = TD(4000, learning_rate=Schedule("harmonic", 1.0, 60.0), n_runs=10, random_state=0).fit(
        room, policy=plan.policy
    )
    start = room.state_number((1, 1))
    assert found.values_[start] == pytest.approx(0.7053, abs=0.01)
    assert np.abs(found.run_values_[:, start] - 0.7053).max() < 0.05
    assert found.values_[room.state_number((4, 3))] == 1  # the terminal reward is received


@pytest.mark.notes("003", "td0")
def test_the_random_walk():
    walk = random_walk()
    found = TD(3000, learning_rate=Schedule("harmonic", 1.0, 20.0), n_runs=8, random_state=1).fit(walk)
    np.testing.assert_allclose(found.values_[1:-1], np.arange(1, 6) / 6, atol=0.02)
    assert (found.errors_[:, -1] < 0.05).all()
    by_hand = np.sqrt(np.mean((found.run_values_[3, 1:-1] - np.arange(1, 6) / 6) ** 2))
    assert found.errors_[3, -1] == pytest.approx(by_hand)
    truth = np.linalg.solve(
        np.eye(5) - 0.8 * 0.5 * (np.eye(5, k=1) + np.eye(5, k=-1)), [0, 0, 0, 0, 0.8 * 0.5]
    )  # another discount than its own; the end is worth one
    found = TD(3000, discount=0.8, learning_rate=Schedule("harmonic", 1.0, 20.0), n_runs=4, random_state=1).fit(walk)
    np.testing.assert_allclose(found.values_[1:-1], truth, atol=0.02)
    by_hand = np.sqrt(np.mean((found.run_values_[2, 1:-1] - truth) ** 2))
    assert found.errors_[2, -1] == pytest.approx(by_hand)
    assert found.visits_.sum() == found.total_steps_ and found.discount_ == 0.8


@pytest.mark.notes("000-c", "policy-utility")
def test_mean_returns_of_a_policy():
    room = room_4x3()
    plan = value_iteration(room)
    result = room.simulate(plan.policy, n_episodes=20_000, random_state=0)
    assert abs(result.mean - plan.start) < 4 * result.standard_error
    assert result.low < plan.start < result.high
    assert result.standard_error == pytest.approx(result.values.std(ddof=1) / np.sqrt(20_000))
    few = room.simulate(plan.policy, n_episodes=8, random_state=0)
    half = student_t.ppf(0.975, 7) * few.values.std(ddof=1) / np.sqrt(8)
    assert (few.low, few.high) == pytest.approx((few.values.mean() - half, few.values.mean() + half))
    found = MonteCarloPrediction(20_000, random_state=0).fit(room, policy=plan.policy)
    assert found.values_[room.state_number((1, 1))] == pytest.approx(plan.start, abs=0.01)


@pytest.mark.notes("003", "fig-mc-rmse")
def test_first_against_every_visit():
    """Every-visit has the smaller error early, first-visit late: two states, many returns to the first."""
    loop = MDP({"a": {"x": [(0.8, "a", 1.0), (0.2, "end", 1.0)]}}, terminal=["end"])
    curves = {
        visits: MonteCarloPrediction(400, visits=visits, n_runs=400, random_state=0).fit(loop)
        for visits in ("first", "every")
    }
    error = {visits: np.sqrt((found.errors_**2).mean(axis=0)) for visits, found in curves.items()}
    assert error["every"][0] < error["first"][0]
    assert error["first"][-1] < error["every"][-1] * 1.05
    ax = None
    for found in curves.values():
        ax = found.plot(ax)
    lines = ax.get_lines()
    assert len(lines) == 2
    for line in lines:
        np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 401))
    np.testing.assert_allclose(lines[0].get_ydata(), curves["first"].errors_.mean(axis=0))
    np.testing.assert_allclose(lines[1].get_ydata(), curves["every"].errors_.mean(axis=0))
    coin = {"x": [(0.5, "end", 0.0), (0.5, "end", 2.0)]}  # worth one, and two from the state before it
    pair = MDP({"a": {"x": [(1.0, "b", 1.0)]}, "b": coin}, terminal=["end"], initial="a")
    once = MonteCarloPrediction(1, n_runs=20, random_state=0).fit(pair)
    np.testing.assert_allclose(once.errors_, 1.0, rtol=1e-14)  # both states are off by one: so is the mean


@pytest.mark.notes("003", "mc-vs-td")
def test_temporal_differences_against_monte_carlo():
    """Sutton and Barto's figure 6.2: at constant learning rates TD(0) has the smaller error after 100 episodes."""
    walk = random_walk()
    common = {"n_episodes": 100, "n_runs": 100, "initial_value": 0.5, "random_state": 0}
    td = {rate: TD(learning_rate=rate, **common).fit(walk).errors_.mean(axis=0) for rate in (0.05, 0.1)}
    mc = {
        rate: MonteCarloPrediction(visits="every", learning_rate=rate, **common).fit(walk).errors_.mean(axis=0)
        for rate in (0.01, 0.02, 0.03)
    }
    assert min(curve.min() for curve in td.values()) < min(curve.min() for curve in mc.values())
    assert td[0.05][-1] < 0.07
    ax = TD(learning_rate=0.05, **common).fit(walk).plot()
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), td[0.05])


@pytest.mark.parametrize("importance", ["ordinary", "weighted"])
def test_values_of_another_policy(importance):
    toy = two_state(0.3)
    target = np.array([[0.2, 0.8], [0.9, 0.1]])
    truth = toy.evaluate(target).values
    found = MonteCarloPrediction(30_000, visits="first", importance=importance, max_steps=6, random_state=0).fit(
        toy, policy=target, behavior=Policy.uniform(toy)
    )
    np.testing.assert_allclose(found.values_, truth, atol=0.12)
    step = TD(20_000, max_steps=6, random_state=0, n_steps=2).fit(toy, policy=target, behavior=Policy.uniform(toy))
    np.testing.assert_allclose(step.values_, truth, atol=0.15)
    trace = TD(20_000, max_steps=6, random_state=0, trace_decay=0.5).fit(
        toy, policy=target, behavior=Policy.uniform(toy)
    )
    np.testing.assert_allclose(trace.values_, truth, atol=0.15)


def test_weights_of_one_episode():
    """Two steps of a policy that always goes, simulated by one that tosses coins: returns count four times or not at all."""
    line = MDP(
        {0: {"go": [(1.0, 1, 1.0)], "stop": [(1.0, 2, 0.0)]}, 1: {"go": [(1.0, 2, 2.0)], "stop": [(1.0, 2, 0.0)]}},
        terminal=[2],
        initial=0,
    )
    go = Policy.from_actions(line, ["go", "go", "go"])
    kwargs = {"policy": go, "behavior": Policy.uniform(line)}
    ordinary = MonteCarloPrediction(4000, importance="ordinary", random_state=0).fit(line, **kwargs)
    weighted = MonteCarloPrediction(4000, importance="weighted", random_state=0).fit(line, **kwargs)
    assert weighted.values_[0] == pytest.approx(3.0)  # the only return that has weight
    assert ordinary.values_[0] == pytest.approx(3.0, abs=0.4)
    assert ordinary.values_[0] * 4000 / 12 == pytest.approx(round(ordinary.values_[0] * 4000 / 12))  # sums of 4 x 3
    with pytest.raises(DataError, match="behavior never takes an action that policy takes in state 0"):
        MonteCarloPrediction().fit(line, policy=Policy.uniform(line), behavior=go)


@pytest.mark.notes("003", "rl-named")
@pytest.mark.notes("000-c", "passive-adp")
def test_passive_adaptive_programming():
    room = room_4x3()
    plan = value_iteration(room)
    found = ADP(300, n_runs=4, random_state=0).fit(room, policy=plan.policy)
    start = room.state_number((1, 1))
    assert found.values_[start] == pytest.approx(0.7053, abs=0.03)
    counts = found.visits_[start]
    assert counts[0] > 0
    assert counts[1:].sum() == 0  # it follows the policy, up
    one = ADP(50, random_state=3).fit(room, policy=plan.policy)
    td = TD(50, random_state=3).fit(room, policy=plan.policy)
    truth = plan.values
    inside = one.visits_.sum(axis=1) > 0
    assert np.abs(one.values_ - truth)[inside].mean() < np.abs(td.values_ - truth)[inside].mean()


def test_blackjack_of_the_textbook():
    """Sutton and Barto's figure 5.1: stick on 20 or 21. The exact values by enumeration, and first-visit Monte Carlo."""
    game = blackjack()
    policy = Policy.from_actions(game, {s: "stick" if s[0] >= 20 else "hit" for s in game.states if s != "over"})
    truth = game.evaluate(policy).values
    found = MonteCarloPrediction(200_000, random_state=0).fit(game, policy=policy)
    often = found.visits_ > 300
    assert np.abs(found.values_ - truth)[often].max() < 0.25
    number = game.state_number
    assert truth[number((21, 5, False))] > 0.8
    assert truth[number((12, 1, False))] < -0.5


def test_environments_without_a_table():
    found = MonteCarloPrediction(60, random_state=0).fit(
        gymnasium.make("Blackjack-v1"), policy=lambda obs: int(obs[0] < 20)
    )
    again = MonteCarloPrediction(60, random_state=0).fit(
        gymnasium.make("Blackjack-v1"), policy=lambda obs: int(obs[0] < 20)
    )
    assert found.states_ == again.states_
    np.testing.assert_array_equal(found.values_, again.values_)
    assert TD(20, random_state=0).fit("Blackjack-v1").total_steps_ > 20


def test_same_seed_same_curve():
    walk = random_walk()
    one, two = (TD(50, n_runs=3, random_state=7, n_jobs=jobs).fit(walk) for jobs in (1, 2))
    np.testing.assert_array_equal(one.errors_, two.errors_)
    assert not np.array_equal(one.errors_[0], one.errors_[1])
    alone = TD(50, n_runs=1, random_state=7).fit(walk)
    np.testing.assert_array_equal(alone.errors_[0], one.errors_[0])


def test_what_is_wrong_is_named():
    with pytest.raises(ParameterError, match="take n steps or traces, not both"):
        TD(n_steps=2, trace_decay=0.5).fit(random_walk())
    with pytest.raises(ParameterError, match="need a learning rate"):
        TD(learning_rate=None).fit(random_walk())
    with pytest.raises(DataError, match="episode 0 has 1 states and 3 rewards"):
        MonteCarloPrediction().fit([([1], [1.0, 2.0, 3.0])])
    with pytest.raises(DataError, match="reward that is NaN"):
        MonteCarloPrediction().fit([([1], [float("nan")])])
    with pytest.raises(ParameterError, match="episodes are recorded already"):
        MonteCarloPrediction().fit([EPISODE], policy=[0])
    with pytest.raises(DataError, match="'Z' was never met"):
        MonteCarloPrediction().fit([EPISODE]).predict(["Z"])
    with pytest.raises(ParameterError, match="'n_episodes' parameter of TD must be an int in the range"):
        TD(0).fit(random_walk())
    with pytest.raises(AttributeError, match="learns values, not what to do"):
        TD(5).fit(random_walk()).act(0)
