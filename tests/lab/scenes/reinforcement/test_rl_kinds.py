"""Kinds of reinforcement learning: worth from a linear system, last frames against plain fits, tags against the notes."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.reinforcement import ADP, SARSA, MonteCarloControl, QLearning, grid_world, linear_program

STATES = [
    {"episodes": 40},
    {"learner": "sarsa", "world": "corridor", "slip": 0.0, "exploration": 0.3, "episodes": 30, "seed": 3},
    {"learner": "mc", "episodes": 25, "seed": 5},
    {"learner": "dyna", "world": "corridor", "episodes": 110},
    {"learner": "adp", "painted": [[4, 0, 2], [0, 1, 3]], "episodes": 20},
]
KINDS = {"q": QLearning, "sarsa": SARSA, "mc": MonteCarloControl, "dyna": QLearning, "adp": ADP}


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("rl-kinds", **request.param)


def process(run):
    text = "\n".join("".join(".#+-SC"[c] for c in row) for row in run.frames[0].arrays["codes"])
    return grid_world(text, exits={"+": 1.0, "-": -1.0}, step_reward=-0.04, slip=run.state.slip, discount=0.95)


def fitted(run, n):
    s = run.state
    more = {"planning_steps": 10} if s.learner == "dyna" else {}
    return KINDS[s.learner](n, exploration=s.exploration, max_steps=200, random_state=s.seed, **more).fit(process(run))


def worth_of(mdp, policy):
    """Return V = (I - gamma P)^-1 R of a policy, state by state, from the arrays of the process."""
    model, n = mdp.model, len(mdp.states)
    P, R = np.zeros((n, n)), np.zeros(n)
    for state in range(n):
        for pair in range(model.first[state], model.first[state + 1]):
            share = 1.0 if model.terminal[state] else policy.probabilities[state, model.action[pair]]
            R[state] += share * model.reward[pair]
            for entry in range(model.start[pair], model.start[pair + 1]):
                P[state, model.next[entry]] += share * model.probability[entry]
    return np.linalg.solve(np.eye(n) - 0.95 * P, R)


def test_worth_is_that_of_the_policy(run):
    mdp = process(run)
    start = int(np.flatnonzero(mdp.initial)[0])
    best = linear_program(mdp).values[start]
    for frame in (run.frames[0], run.frames[len(run.frames) // 2], run.last):
        worth = worth_of(mdp, fitted(run, frame.n).policy_)
        assert frame.values["worth"] == pytest.approx(worth[start], rel=1e-9)
        assert frame.values["lost"] == pytest.approx(best - worth[start], abs=1e-7) and frame.values["lost"] > -1e-9
        cells = mdp.layout.cells
        shown = np.array(frame.arrays["worth_of_cells"])[cells >= 0]
        assert shown == pytest.approx(worth[cells[cells >= 0]], rel=1e-6, abs=1e-7)


def test_the_last_frame_is_the_fit(run):
    model = fitted(run, run.state.episodes)
    mdp = process(run)
    start = int(np.flatnonzero(mdp.initial)[0])
    assert run.last.n == run.state.episodes
    assert run.last.values["worth"] == float(mdp.evaluate(model.policy_).values[start])
    assert run.last.values["steps"] == model.lengths_.sum()


def test_curves_are_running_means_of_six_agents(run):
    s = run.state
    episodes = min(s.episodes, 100)
    assert len(run.last.arrays["counted"]) == len(run.last.arrays["paid_q"]) == episodes
    for name, kind in KINDS.items():
        more = {"planning_steps": 10} if name == "dyna" else {}
        many = kind(episodes, exploration=s.exploration, max_steps=200, random_state=s.seed, n_runs=6, **more)
        paid, mean = many.fit(process(run)).returns_.mean(axis=0), 0.0
        for k, now in enumerate(run.last.arrays[f"paid_{name}"]):
            mean += 0.1 * (paid[k] - mean)
            assert now == pytest.approx(mean, rel=1e-5, abs=1e-6)


def test_tags_are_those_of_the_notes():
    """Section 13.1 of 003: Q-learning learns about another policy than its own, Monte Carlo after the episode, ADP a model."""
    kinds = {row[0]: row[1:] for row in run_of("rl-kinds", episodes=10).frames[0].arrays["kinds"]}
    assert kinds["label.q"][:4] == ["label.model-free", "label.off-policy", "label.online", "label.tabular"]
    assert kinds["label.sarsa"][1] == "label.on-policy" and kinds["label.mc"][2] == "label.offline"
    assert kinds["label.adp"][0] == "label.model-based"
    assert [kinds[name][4] for name in ("DQN", "REINFORCE", "ActorCritic")] == [
        *("label.value-based", "label.policy-based", "label.actor-critic")
    ]
    assert {kinds[name][3] for name in ("DQN", "REINFORCE", "ActorCritic")} == {"label.approximate"}
    assert {kinds[name][5] for name in ("TD", "MonteCarloPrediction")} == {"label.prediction"}


@pytest.mark.parametrize("painted", [[[4, 0], [0, 0]], [[4, *[0] * 11], [*[0] * 11, 2], [0] * 12]])
def test_a_world_without_an_end_or_too_large_is_refused(painted):
    assert refusal_of("rl-kinds", painted=painted)[1] == "painted"
