"""Distances: every measure written out, neighbors left out by brute force, the learned matrix against a plain fit."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.neighbors import MetricLearner

STATES = [
    {},
    {"points": {"preset": "long", "n": 60, "noise": 0.7}, "p": 1.5, "pair": [[-2.1, 0.3], [1.7, -1.9]], "seed": 4},
    {"points": {"preset": "moons", "n": 40, "noise": 0.4}, "p": 6.5, "pair": [[0.4, 0.1], [-1.0, 1.2]]},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("distances", **request.param)


def measures(run):
    """Return the seven measures as functions of two points."""
    X, y, p = run.state.points.X, run.state.points.y, run.state.p
    centered = X - X.mean(axis=0)
    spread = np.linalg.inv(centered.T @ centered / (len(X) - 1))
    learned = MetricLearner().fit(X, y).mahalanobis_
    return (
        lambda a, b: np.abs(a - b).sum(),
        lambda a, b: np.sqrt(((a - b) ** 2).sum()),
        lambda a, b: (np.abs(a - b) ** p).sum() ** (1 / p),
        lambda a, b: np.abs(a - b).max(),
        lambda a, b: 1 - a @ b / np.sqrt((a @ a) * (b @ b)),
        lambda a, b: np.sqrt((a - b) @ spread @ (a - b)),
        lambda a, b: np.sqrt((a - b) @ learned @ (a - b)),
    )


def test_every_frame_is_its_formula(run):
    X, (a, b) = run.state.points.X, np.array(run.state.pair)
    assert len(run.frames) == 7
    for frame, measure in zip(run.frames, measures(run), strict=True):
        distance = measure(a, b)
        assert frame.values["distance"] == pytest.approx(distance, rel=1e-9)
        assert frame.values["nearer"] == sum(measure(a, x) < distance * (1 - 1e-12) for x in X)


def test_the_error_is_that_of_the_nearest_other(run):
    X, y = run.state.points.X, run.state.points.y
    for frame, measure in zip(run.frames, measures(run), strict=True):
        wrong = 0
        for i, x in enumerate(X):
            far = np.array([np.inf if j == i else measure(x, other) for j, other in enumerate(X)])
            wrong += y[far.argmin()] != y[i]
        assert frame.values["error"] == pytest.approx(wrong / len(X), abs=1e-12)
        assert frame.arrays["found"][-1][1:] == [frame.values["distance"], frame.values["error"]]


def test_the_ball_is_as_far_as_the_second_cross(run):
    a, b = np.array(run.state.pair)
    for n, (frame, measure) in enumerate(zip(run.frames, measures(run), strict=True)):
        ball = frame.arrays["between"][0]["p"]
        assert (len(ball) == 0) == (n == 4)  # a cosine has no ball
        for point in ball[::7]:
            assert measure(a, np.array(point)) == pytest.approx(measure(a, b), rel=1e-9)
        way = np.array(frame.arrays["between"][1]["p"])
        assert (way[0] == a).all() and (way[-1] == b).all()


def test_the_map_is_the_distance_from_the_first_cross(run):
    """The level of a pixel is its distance as a share of twice that of the crosses."""
    (x0, x1), (y0, y1) = run.state.points.domain
    a, b = np.array(run.state.pair)
    for frame, measure in list(zip(run.frames, measures(run), strict=True))[::2]:
        for i, j in ((5, 9), (40, 31), (63, 0)):
            pixel = np.array([x0 + (x1 - x0) * (j + 0.5) / 64, y0 + (y1 - y0) * (i + 0.5) / 64])
            share = min(1.0, measure(a, pixel) / (2 * measure(a, b)))
            assert abs(frame.arrays["map"][i, j] - 255 * share) <= 0.5 + 1e-9


def test_the_numbers_of_the_triangle_of_three_and_four():
    shown = run_of("distances").shown()
    assert shown[0] == 7 and shown[1] == 5 and shown[3] == 4
    assert shown[2] == pytest.approx(4.497941445275415, rel=1e-12)


def test_a_learned_measure_knows_slanted_clouds_best():
    errors = [frame.values["error"] for frame in run_of("distances").frames]
    assert errors[6] < errors[1] and errors[5] < errors[1]


@pytest.mark.parametrize(
    ("state", "control"),
    [
        ({"pair": [[1, 1], [1, 1]]}, "pair"),
        ({"pair": [[0, 0], [1, 1]]}, "pair"),
        ({"points": {"rows": [[0, 0, 0], [1, 2, 1]]}}, "points"),
        ({"points": {"rows": [[k, 2 * k, k % 2] for k in range(10)]}}, "points"),
    ],
)
def test_what_has_no_distance_is_refused(state, control):
    assert refusal_of("distances", **state)[1] == control
