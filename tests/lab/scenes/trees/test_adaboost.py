"""AdaBoost: weights, errors, votes and the bound by the formulas, from the members alone."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.ensemble import AdaBoostClassifier
from novum.tree import DecisionTreeClassifier

STATES = [{"rounds": 15}, {"rounds": 10, "rate": 0.5, "depth": 2, "points": {"preset": "moons", "n": 60, "noise": 1.2}}]
STATES.append({"rounds": 12, "seed": 2, "points": {"preset": "touching", "n": 40, "noise": 1.0}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("adaboost", **request.param)


def members(run):
    s = run.state
    weak = DecisionTreeClassifier(max_depth=s.depth)
    model = AdaBoostClassifier(weak, n_estimators=s.rounds, learning_rate=s.rate, random_state=s.seed)
    return model.fit(s.points.X, s.points.y).estimators_


def test_every_round_is_the_algorithm(run):
    X, y, rate = run.state.points.X, run.state.points.y, run.state.rate
    t, d, f, votes = 2 * y - 1, np.full(len(X), 1 / len(X)), np.zeros(len(X)), 0.0
    for frame, member in zip(run.frames, members(run), strict=True):
        h = 2 * member.predict(X) - 1
        error = d[h != t].sum()
        alpha = rate * np.log((1 - error) / error)
        assert frame.values["epsilon"] == pytest.approx(error, rel=1e-9)
        assert frame.values["alpha"] == pytest.approx(alpha, rel=1e-9)
        assert frame.arrays["sizes"] == pytest.approx(0.7 * np.minimum(d * len(X) / 8, 1), abs=1e-6)
        f, votes = f + alpha / 2 * h, votes + alpha
        assert frame.values["bound"] == pytest.approx(np.exp(-t * f).mean(), rel=1e-9)
        assert frame.values["train"] == pytest.approx(np.mean(t * f <= 0), abs=1e-12)
        assert frame.values["train"] <= frame.values["bound"]
        assert frame.arrays["margins"] == pytest.approx(np.sort(2 * t * f / votes), abs=1e-6)
        d = d * np.exp(alpha * (h != t))
        d = d / d.sum()


def test_the_bound_is_the_product_of_the_rounds():
    run = run_of("adaboost", rounds=20)
    errors = np.array([frame.values["epsilon"] for frame in run.frames])
    assert run.shown() == pytest.approx(np.cumprod(2 * np.sqrt(errors * (1 - errors))), rel=1e-9)


def test_new_rows_are_those_of_the_next_seed(run):
    s = run.state
    following = run.scene.state({**s.given, "seed": s.seed + 1}).points
    votes = np.zeros(len(following.X))
    for frame, member in zip(run.frames, members(run), strict=True):
        votes += frame.values["alpha"] * (2 * member.predict(following.X) - 1)
        assert frame.values["test"] == pytest.approx(np.mean((votes > 0) != following.y), abs=1e-12)


def test_boxes_are_those_of_the_learner(run):
    for frame, member in zip(run.frames, members(run), strict=True):
        for (x0, x1, y0, y1), k in zip(frame.arrays["boxes"], frame.arrays["box_classes"]):
            assert member.predict([[(x0 + x1) / 2, (y0 + y1) / 2]])[0] == k


def test_a_point_of_the_wrong_class_grows_heavy():
    plain = run_of("adaboost", points={"preset": "touching", "n": 60, "noise": 0.2}, rounds=1)
    rows = np.column_stack([plain.state.points.X, plain.state.points.y]).tolist()
    run = run_of("adaboost", points={"rows": [*rows, [0.8, 0.5, 0]]}, rounds=4)
    assert run.frames[1].arrays["heaviest"] == [60]
    assert run.frames[1].say[1]["times"] > 10


def test_the_last_frame_is_the_fit(run):
    s = run.state
    weak = DecisionTreeClassifier(max_depth=s.depth)
    model = AdaBoostClassifier(weak, n_estimators=s.rounds, learning_rate=s.rate, random_state=s.seed)
    model.fit(s.points.X, s.points.y)
    assert run.last.values["train"] == pytest.approx(1 - model.score(s.points.X, s.points.y), abs=1e-15)
    assert run.last.arrays["margins"] == pytest.approx(np.sort(model.margins(s.points.X, s.points.y)), abs=1e-6)
    assert refusal_of("adaboost", points={"rows": [[0, 0, 1], [1, 1, 1]]})[1] == "points"
