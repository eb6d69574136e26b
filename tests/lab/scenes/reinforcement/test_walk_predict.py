"""Prediction on a walk: true values from the linear system, the first episode by hand, the last frame against a plain fit."""

import numpy as np
import pytest
from lab.runs import run_of

from novum.reinforcement import TD, MonteCarloPrediction
from novum.teaching import random_walk

STATES = [
    {},
    {"method": "steps", "n_steps": 4, "states": 9, "left": -1.0, "begin": 0.0},
    {"method": "lambda", "trace": 0.5, "discount": 0.8, "seed": 5},
    {"method": "first", "episodes": 60},
    {"method": "every", "states": 7, "discount": 0.9},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("walk-predict", **request.param)


def truth(s):
    """Return V of the walk from V(k) = gamma (V(k-1) + V(k+1)) / 2 with the ends known."""
    n, half = s.states, s.discount / 2
    A = np.eye(n) - half * (np.eye(n, k=1) + np.eye(n, k=-1))
    b = np.zeros(n)
    b[0], b[-1] = half * s.left, half * 1.0
    return np.linalg.solve(A, b)


def fitted(s, n):
    walk = random_walk(s.states, left=s.left, discount=s.discount)
    if s.method in ("first", "every"):
        return MonteCarloPrediction(n, visits=s.method, initial_value=s.begin, random_state=s.seed).fit(walk)
    extra = {"steps": {"n_steps": s.n_steps}, "lambda": {"trace_decay": s.trace}}.get(s.method, {})
    return TD(n, learning_rate=s.rate, initial_value=s.begin, random_state=s.seed, **extra).fit(walk)


def test_the_error_is_from_the_true_values(run):
    s, values = run.state, truth(run.state)
    for frame in run.frames:
        learned = np.array(frame.arrays["learned"])[:, 1]
        assert frame.values["rmse"] == pytest.approx(np.sqrt(((learned - values) ** 2).mean()), rel=1e-7)
        assert np.array(frame.arrays["gaps"])[:, 3] == pytest.approx(values, rel=1e-6, abs=1e-9)
    assert run.frames[0].arrays["learned"][:, 1] == pytest.approx(s.begin)


def test_frames_are_fits(run):
    s = run.state
    last = fitted(s, s.episodes)
    assert run.last.n == s.episodes and run.last.values["rmse"] == last.errors_[0, -1]
    for frame in run.frames[1:]:
        assert frame.values["rmse"] == last.errors_[0, frame.n - 1]  # n episodes begin those of n + 1
    assert np.array_equal(run.last.arrays["learned"][:, 1], last.values_[1:-1])
    assert run.last.values["visits"] == last.visits_.sum()


def test_the_first_episode_of_td_moves_one_end():
    """With equal first guesses and no rewards on the way only the step into an end changes a value: by rate (end - guess)."""
    for seed in range(4):
        run = run_of("walk-predict", seed=seed, rate=0.3, begin=0.5)
        moved = run.frames[1].arrays["learned"][:, 1] - 0.5
        end = int(np.abs(moved).argmax())
        assert end in (0, 4) and moved[end] == pytest.approx(0.3 * ((0.0 if end == 0 else 1.0) - 0.5))
        assert np.delete(moved, end) == pytest.approx(0, abs=1e-15)


def test_curves_are_means_of_many(run):
    s = run.state
    walk = random_walk(s.states, left=s.left, discount=s.discount)
    options = {"initial_value": s.begin, "random_state": s.seed, "n_runs": 20}
    first = MonteCarloPrediction(s.episodes, visits="first", **options).fit(walk)
    assert run.last.arrays["error_first"] == pytest.approx(first.errors_.mean(axis=0), rel=1e-6)
    assert len(run.last.arrays["counted"]) == s.episodes
