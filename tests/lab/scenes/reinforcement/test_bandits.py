"""Bandits: regret counted from the pulls, bounds and posteriors from their formulas, a person's game on the same arms."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from scipy.stats import beta

MEANS = {"arm1": 0.9, "arm2": 0.2, "arm3": 0.6, "arm4": 0.6}
STATES = [
    {"pulls": 80},
    {"policy": "ucb1", "pulls": 90, **MEANS},
    {"policy": "kl-ucb", "pulls": 60, "seed": 3},
    {"policy": "exp3", "pulls": 60, **MEANS},
    {"policy": "epsilon", "exploration": 0.4, "pulls": 60},
    {"policy": "greedy", "pulls": 40, "yours": "1234"},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("bandits", **request.param)


def means_of(s):
    return np.array([s.arm1, s.arm2, s.arm3, s.arm4])


def test_the_regret_is_that_of_the_pulls(run):
    gaps = means_of(run.state).max() - means_of(run.state)
    counts = np.zeros(4)
    for frame in run.frames[1:]:
        (arm,) = frame.arrays["newest"]
        counts[arm] += 1
        assert np.array_equal(frame.arrays["counts"], counts)
        assert frame.values["regret"] == pytest.approx(counts @ gaps, rel=1e-12, abs=1e-12)
        assert frame.say[0] == ("best" if gaps[arm] == 0 else "worse")
        assert frame.say[1]["by"] == pytest.approx(gaps[arm])


def test_beliefs_follow_from_what_was_paid(run):
    s, wins, counts = run.state, np.zeros(4), np.zeros(4)
    for frame in run.frames[1:]:
        (arm,) = frame.arrays["newest"]
        counts[arm] += 1
        wins[arm] += frame.say[1]["reward"]
        middle, high = frame.arrays["middle"], frame.arrays["high"]
        pulled = counts > 0
        if s.policy == "thompson":
            expected = beta(1 + wins, 1 + counts - wins)
            assert middle == pytest.approx(expected.mean(), rel=1e-12)
            assert high == pytest.approx(expected.ppf(0.975), rel=1e-8)
        elif s.policy == "exp3":
            assert middle.sum() == pytest.approx(1) and (middle > 0).all()
        else:
            assert middle[pulled] == pytest.approx(wins[pulled] / counts[pulled])
            if s.policy == "ucb1":
                width = np.sqrt(s.width * np.log(frame.n + 1) / counts[pulled])
                assert high[pulled] == pytest.approx(middle[pulled] + width, rel=1e-12)
            if s.policy == "kl-ucb":
                p, q = middle[pulled], high[pulled]
                inner = (p > 0) & (p < 1) & (q < 1)
                p, q, n = p[inner], q[inner], counts[pulled][inner]
                divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
                assert n * divergence == pytest.approx(np.log(frame.n + 1), rel=1e-6)


def test_bounds_by_their_formulas():
    means = np.array([0.9, 0.2, 0.6, 0.6])
    gaps = (0.9 - means)[1:]
    divergence = means[1:] * np.log(means[1:] / 0.9) + (1 - means[1:]) * np.log((1 - means[1:]) / 0.1)
    frame = run_of("bandits", policy="ucb1", pulls=50, **MEANS).at(40)
    assert frame.values["lower"] == pytest.approx(np.log(40) * (gaps / divergence).sum(), rel=1e-12)
    upper = 8 * np.log(40) * (1 / gaps).sum() + (1 + np.pi**2 / 3) * gaps.sum()
    assert frame.values["upper"] == pytest.approx(upper, rel=1e-12)


def test_a_person_plays_the_same_arms():
    run = run_of("bandits", yours="4411", pulls=20)
    regrets = [frame.values["yours_regret"] for frame in run.frames[:6]]
    assert (regrets[0], regrets[5]) == (None, None) and regrets[1:5] == pytest.approx([0, 0, 0.4, 0.8])
    assert run.frames[0].values["yours_total"] == run.last.values["yours_total"] == pytest.approx(0.8)
    assert [label.split("/")[1] for label in run.last.arrays["hand_labels"]] == ["2", "0", "0", "2"]
    certain = run_of("bandits", yours="441", arm4=1.0, arm1=0.0)
    assert certain.last.arrays["hand_labels"] == ["1: 0/1", "2: 0/0", "3: 0/0", "4: 2/2"]
    assert certain.last.arrays["hand"].tolist() == [0, 0, 0, 1]
    assert refusal_of("bandits", yours="15")[1] == "yours"


def test_the_policy_does_not_see_the_person():
    assert run_of("bandits", yours="123").shown() == run_of("bandits").shown()
