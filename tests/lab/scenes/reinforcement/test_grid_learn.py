"""Learning in a grid: the first episodes replayed by hand from Q's formula, the last frame against a plain fit."""

import itertools

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.reinforcement import SARSA, ExpectedSARSA, QLearning, grid_world, value_iteration

CORRIDOR = {"world": "corridor", "step_reward": -0.1, "prize": 2.0, "penalty": -1.0, "discount": 0.9, "episodes": 40}
STATES = [
    {"episodes": 60},
    {**CORRIDOR, "method": "sarsa", "trace": 0.7, "slip": 0.1, "seed": 4},
    {**CORRIDOR, "method": "expected", "exploration": 0.5},
    {"painted": [[4, 0, 2], [0, 1, 3]], "episodes": 30, "rate": 0.1},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("grid-learn", **request.param)


def process(run):
    s, cells = run.state, run.frames[0].arrays["codes"]
    text = "\n".join("".join(".#+-SC"[c] for c in row) for row in cells)
    exits = {"+": s.prize, "-": s.penalty}
    return grid_world(
        text, exits=exits, step_reward=s.step_reward, slip=s.slip, discount=s.discount, cliff_reward=s.penalty
    )


def fitted(run, n):
    s = run.state
    kind = {"q": QLearning, "sarsa": SARSA, "expected": ExpectedSARSA}[s.method]
    trace = {} if s.method == "expected" else {"trace_decay": s.trace}
    rates = {"learning_rate": s.rate, "exploration": s.exploration}
    return kind(n, max_steps=200, random_state=s.seed, **rates, **trace).fit(process(run))


def test_frames_are_fits_that_begin_each_other(run):
    mdp, last = process(run), fitted(run, run.last.n)
    cells, inside = mdp.layout.cells, ~mdp.model.terminal
    states = cells[cells >= 0]
    for frame in (run.frames[0], run.frames[9], run.last):
        model = fitted(run, frame.n)
        assert np.array_equal(model.returns_[0], last.returns_[0, : frame.n])
        assert frame.values["paid"] == last.returns_[0, frame.n - 1]
        q = frame.arrays["q"].reshape(*cells.shape, 4)[cells >= 0]
        assert np.array_equal(q[inside[states]], model.action_values_[states][inside[states]])
        visits = frame.arrays["visits"][cells >= 0][inside[states]]
        assert np.array_equal(visits, model.visits_.sum(axis=1)[states][inside[states]])


def test_the_distance_is_from_the_best_values(run):
    mdp = process(run)
    best = value_iteration(mdp, tol=1e-12).action_values[~mdp.model.terminal]
    for frame in (run.frames[0], run.last):
        q = fitted(run, frame.n).action_values_[~mdp.model.terminal]
        assert frame.values["distance"] == pytest.approx(np.nanmax(np.abs(q - best)), rel=1e-9)


def test_one_episode_of_q_learning_by_its_formula():
    """A row of cells with one way to pay: what the first episode leaves is a chain of updates that can be written out."""
    run = run_of("grid-learn", painted=[[4, 2]], episodes=10, rate=0.5, step_reward=-1.0, prize=3.0, exploration=1.0)
    mdp = process(run)
    before = np.zeros(4)
    for frame in run.frames:
        model = fitted(run, frame.n)
        steps, paid = int(model.lengths_[0, -1]), model.returns_[0, -1]
        assert paid == pytest.approx(3.0 - steps)  # every step costs one, the exit pays three
        q = model.action_values_[~mdp.model.terminal][0]
        # the step to the right ends the episode: Q <- Q + 0.5 (-1 + 3 - Q)
        assert q[1] == pytest.approx(before[1] + 0.5 * (2.0 - before[1]))
        before = q


def test_the_way_that_is_marked_follows_the_arrows():
    frame = run_of("grid-learn").last
    walk, arrows = frame.arrays["walk"], frame.arrays["arrows"]
    assert walk[0] == [3, 0] and walk[-1] == [3, 7]
    moves = ((-1, 0), (0, 1), (1, 0), (0, -1))
    for (r, c), after in itertools.pairwise(walk):
        move = moves[arrows[r, c]]
        assert [r + move[0], c + move[1]] == after
    assert frame.values["way"] == -(len(walk) - 1)


def test_who_walks_at_the_edge():
    """Sutton and Barto's cliff: the greedy way of Q-learning is the shortest, SARSA keeps away and is paid more meanwhile."""
    q, sarsa = (run_of("grid-learn", method=method).last for method in ("q", "sarsa"))
    assert len(q.arrays["walk"]) - 1 == 9 < len(sarsa.arrays["walk"]) - 1
    assert q.arrays["sarsa_paid"][-1] > q.arrays["q_paid"][-1]


def test_a_world_without_an_end_is_refused():
    assert refusal_of("grid-learn", painted=[[0, 0], [4, 0]])[1] == "painted"
    assert refusal_of("grid-learn", step_reward=0.0)[1] == "step_reward"
