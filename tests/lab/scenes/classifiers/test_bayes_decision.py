"""Candy bags: posterior, prediction and expected losses by products and sums written out."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.stats import norm

from novum.datasets import make_gaussian_classes

LIME = np.array([0, 0.25, 0.5, 0.75, 1])
STATES = [{}, {"bag": 2, "draws": 25, "seed": 3}, {"own": "lllc l", "loss": [[0.5, 2.0], [3.0, 1.0]]}]
STATES.append({"own": "ll", "prior": [[0.2, 0.2, 0.2, 0.0, 0.2]]})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("bayes-decision", **request.param)


def candies(run):
    """Return the candies by number, 1 for lime, from the state alone."""
    s = run.state
    if s.own:
        return [int(letter == "l") for letter in s.own if letter != " "]
    return [int(u < LIME[s.bag - 1]) for u in np.random.default_rng(s.seed).random(s.draws)]


def test_every_frame_is_bayes_rule(run):
    drawn, prior, loss = candies(run), np.array(run.state.prior[0]), np.array(run.state.loss)
    assert len(run.frames) == len(drawn) + 1
    for frame in run.frames:
        limes = sum(drawn[: frame.n])
        joint = prior * LIME**limes * (1 - LIME) ** (frame.n - limes)
        posterior = joint / joint.sum()
        assert frame.arrays["beliefs"] == pytest.approx(posterior, rel=1e-9, abs=1e-12)
        assert [frame.values[f"h{i + 1}"] for i in range(5)] == pytest.approx(posterior, rel=1e-9, abs=1e-12)
        lime = float(posterior @ LIME)
        costs = (1 - lime) * loss[0] + lime * loss[1]
        assert frame.values["lime"] == pytest.approx(lime, rel=1e-9)
        assert frame.arrays["losses"] == pytest.approx(costs, rel=1e-9, abs=1e-12)
        assert frame.values["risk"] == pytest.approx(costs.min(), rel=1e-9, abs=1e-12)
        assert frame.arrays["bet"] == [int(lime > frame.values["threshold"])]


def test_lines_cross_at_the_threshold(run):
    drawn, at = run.last.arrays, run.last.values["threshold"]
    gap = drawn["risk_lime"] - drawn["risk_cherry"]
    assert np.interp(at, drawn["shades"], gap) == pytest.approx(0, abs=1e-9)


def test_the_bet_by_a_measurement_turns_at_the_threshold(run):
    drawn, loss = run.last.arrays, np.array(run.state.loss)
    X, y = make_gaussian_classes(
        400, means=[[-1.0], [1.0]], covariances=[[[1.0]], [[1.0]]], random_state=run.state.seed, return_X_y=True
    )
    joint = []
    for k, name in enumerate(("cherry", "lime")):
        rows = X[y == k, 0]
        joint.append(len(rows) / 400 * norm(rows.mean(), rows.std()).pdf(drawn["measured"]))
        assert drawn[f"joint_{name}"] == pytest.approx(joint[k], rel=1e-6)
    losses = np.array(joint).T @ loss
    assert drawn["least"] == pytest.approx(losses.min(axis=1), rel=1e-6)
    best = losses.argmin(axis=1)
    assert run.last.values["border"] == drawn["measured"][np.flatnonzero(np.diff(best))[0] + 1]
    lime = joint[1] / np.sum(joint, axis=0)
    assert np.array_equal(best == 1, lime > run.last.values["threshold"])


def test_the_notes_candies():
    run = run_of("bayes-decision", own="lll", loss=[[0.0, 1.0], [1.0, 0.0]])
    assert run.last.values["lime"] == pytest.approx(0.796053, abs=5e-7)
    assert run.last.values["risk"] == pytest.approx(1 - 0.796053, abs=5e-7)


def test_bad_states_are_refused():
    assert refusal_of("bayes-decision", own="lx")[1] == "own"
    assert refusal_of("bayes-decision", prior=[[0, 0, 0, 0, 0]])[1] == "prior"
    assert refusal_of("bayes-decision", own="cl", prior=[[0.5, 0, 0, 0, 0.5]])[1] == "own"
    assert refusal_of("bayes-decision", loss=[[1.0, 1.0], [0.0, 0.0]])[1] == "loss"
