"""Causality: effects against least squares written out, the truth against the sum over directed paths, biases against theory."""

import numpy as np
import pytest
from lab.runs import run_of

STATES = [
    {},
    {"adjusted": "h", "seed": 3},
    {"adjusted": "c h", "common": -0.7},
    {"how": "do", "n": 300, "adjusted": "m"},
]
STATES += [{"how": "select", "adjusted": "h"}, {"adjusted": "m, h, x", "direct": -1.0, "mediated": 1.5}]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("causality", **request.param)


def test_the_truth_is_the_sum_over_directed_paths(run):
    s = run.state
    assert all(
        frame.values["truth"] == pytest.approx(s.direct + s.mediated, rel=1e-12, abs=1e-12) for frame in run.frames
    )


def covariance(s):
    """Return the covariance of h, x, m, y, c by the weights of the arrows."""
    into_x = 0.0 if s.how == "do" else s.confounding
    B = np.zeros((5, 5))  # [i, j]: from j to i
    B[1, 0], B[2, 1], B[3, :3], B[4, [1, 3]] = into_x, s.mediated, [s.confounding, s.direct, 1.0], s.common
    mix = np.linalg.inv(np.eye(5) - B)
    return mix @ mix.T


def test_many_rows_give_the_coefficient_of_the_population(run):
    s = run.state
    if s.how == "select":
        pytest.skip("rows above a cut are no longer Gaussian")
    chosen = [i for i, name in enumerate("hxmyc") if name in s.adjusted and name in "hmc"]
    S = covariance(s)
    used = [1, *chosen]
    slope = np.linalg.solve(S[np.ix_(used, used)], S[used, 3])[0]
    low, high = run.last.arrays["low"][1], run.last.arrays["high"][1]
    assert run.last.values["effect"] == pytest.approx(slope, abs=1.5 * (high - low))
    assert run.last.values["effect"] == pytest.approx((low + high) / 2, rel=1e-5)


def test_without_adjustment_it_is_the_plain_regression(run):
    frame = run.frames[0]
    x, y = frame.arrays["points"].T.astype(float)
    assert frame.arrays["middle"][0] == pytest.approx(np.polyfit(x, y, 1)[0], rel=1e-4)
    left, right = np.array(frame.arrays["lines"][0]["p"])
    assert (right - left)[1] / (right - left)[0] == pytest.approx(np.polyfit(x, y, 1)[0], rel=1e-4)


def test_back_doors_that_are_open_are_drawn():
    lit = {
        adjusted: {
            (e["from"], e["to"])
            for e in run_of("causality", adjusted=adjusted).last.arrays["edges"]
            if e["role"] != "plain"
        }
        for adjusted in ("", "h", "h c")
    }
    assert lit == {"": {("h", "x"), ("h", "y")}, "h": set(), "h c": set()}
    trial = run_of("causality", how="do").last.arrays["edges"]
    assert ("h", "x") not in {(e["from"], e["to"]) for e in trial}


@pytest.mark.parametrize(
    "state, word",
    [({}, "biased_see"), ({"adjusted": "h"}, "held"), ({"adjusted": "h c"}, "biased_see"), ({"how": "do"}, "held"),
     ({"how": "do", "adjusted": "m"}, "biased_do"), ({"how": "select", "adjusted": "h"}, "biased_select")],
)  # fmt: skip
def test_what_is_said_of_many_rows(state, word):
    run = run_of("causality", n=2000, **state)
    assert run.last.say[0] == word and bool(run.last.arrays["hit"][1]) == (word == "held")
