"""A hidden rectangle: hypotheses counted by brute force, the true error as an area, both bounds by their formulas."""

from itertools import combinations, product

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

BOXES = [(*a, *b) for a, b in product(list(combinations(range(7), 2)), repeat=2)]
STATES = [
    {},
    {"left": 0, "width": 6, "bottom": 3, "height": 1, "seed": 3},
    {"points": {"rows": [[0.5, 0.5], [0.95, 0.95], [0.3, 0.4], [0.1, 0.5]]}, "delta": 0.2},
    {"epsilon": 0.02, "points": {"preset": "uniform", "n": 120}},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("pac", **request.param)


def inside(box, X):
    a, b, c, d = np.array(box) / 6
    return (
        (X[:, 0] * 6 >= box[0])
        & (X[:, 0] * 6 < box[1])
        & (X[:, 1] * 6 >= box[2])
        & (X[:, 1] * 6 < box[3])
        & (a < b)
        & (c < d)
    )


def hidden(s):
    return (s.left, s.left + s.width, s.bottom, s.bottom + s.height)


def test_hypotheses_that_agree_are_counted(run):
    X = run.state.points.X
    answers = np.array([inside(box, X) for box in BOXES])
    truth = inside(hidden(run.state), X)
    for frame in run.frames:
        agree = (answers[:, : frame.n] == truth[: frame.n]).all(axis=1)
        assert frame.values["left_over"] == agree.sum()
        assert np.array_equal(frame.arrays["seen"], np.where(np.arange(len(X)) < frame.n, truth, -1))


def test_boundaries_are_the_extremes_of_those_that_agree(run):
    X, frame = run.state.points.X, run.last
    truth = inside(hidden(run.state), X)
    if not truth.any():
        return
    agree = {box for box in BOXES if (inside(box, X) == truth).all()}
    covers = lambda big, small: big[0] <= small[0] and big[1] >= small[1] and big[2] <= small[2] and big[3] >= small[3]  # noqa: E731
    general = {b for b in agree if not any(covers(o, b) for o in agree - {b})}
    specific = {b for b in agree if not any(covers(b, o) for o in agree - {b})}
    drawn = [tuple(np.round(6 * np.array(box)).astype(int)) for box in frame.arrays["boxes"]]
    kinds = np.array(frame.arrays["kinds"])
    assert {box for box, kind in zip(drawn, kinds) if kind == 2} == general
    assert {box for box, kind in zip(drawn, kinds) if kind == 3} == specific
    assert [box for box, kind in zip(drawn, kinds) if kind == 4] == [hidden(run.state)]


def test_the_error_is_the_area_between(run):
    s = run.state
    truth, whole = inside(hidden(s), s.points.X), s.width * s.height / 36
    for frame in run.frames:
        positives = s.points.X[: frame.n][truth[: frame.n]]
        area = np.ptp(positives, axis=0).prod() if len(positives) else 0.0
        assert frame.values["error"] == pytest.approx(whole - area, rel=1e-12, abs=1e-15)


def test_bounds_by_their_formulas(run):
    s = run.state
    assert run.last.values["needed"] == int(np.ceil((np.log(441) + np.log(1 / s.delta)) / s.epsilon))
    for frame in run.frames[1:]:
        n = frame.n
        assert frame.values["finite"] == pytest.approx(min(1, (np.log(441) + np.log(1 / s.delta)) / n), rel=1e-9)
        assert frame.values["vc"] == pytest.approx(min(1, vc_bound(n, s.delta)), rel=1e-9)


def vc_bound(n, delta, h=4):
    growth = h * (np.log(2 * n / h) + 1) if 2 * n > h else 2 * n * np.log(2)
    return np.sqrt((growth + np.log(4 / delta)) / n)


def test_what_leaves_the_square_is_refused():
    assert refusal_of("pac", left=4, width=3)[1] == "width"
    assert refusal_of("pac", points={"rows": [[1.5, 0.5]]})[1] == "points"
