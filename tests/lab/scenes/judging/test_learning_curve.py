"""Learning curves: scores by neighbors found by hand, the verdict by its two rules, the last size against plain fits."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of
from sklearn.model_selection import StratifiedShuffleSplit

from novum.linear_model import LogisticRegression
from novum.tree import DecisionTreeClassifier

STATES = [
    {"model": "knn", "richness": 3},
    {"model": "knn", "richness": 5, "seed": 2, "points": {"preset": "xor", "n": 120, "noise": 1.2}},
    {},
    {"model": "line", "target": 1.0, "points": {"preset": "xor", "n": 150, "noise": 0.5}},
]


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("learning-curve", **request.param)


def answers(s, X, y, rows, points):
    """Return what the model that is trained on some rows says of points."""
    if s.model == "knn":
        k = 9 - 2 * (s.richness - 1)
        far = ((points[:, None] - X[rows]) ** 2).sum(axis=2)
        return (y[rows][np.argsort(far, axis=1, kind="stable")[:, :k]].mean(axis=1) > 0.5).astype(int)
    if s.model == "tree":
        leaves = 2**s.richness
        return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X[rows], y[rows]).predict(points)
    return LogisticRegression(C=10.0 ** (s.richness - 4)).fit(X[rows], y[rows]).predict(points)


def scores(s, n):
    """Return training and test scores of ten parts at one size."""
    X, y = s.points.X, s.points.y
    parts = StratifiedShuffleSplit(10, test_size=1 / 3, random_state=s.seed).split(X, y)
    return np.array(
        [
            [(answers(s, X, y, train[:n], X[rows]) == y[rows]).mean() for rows in (train[:n], test)]
            for train, test in parts
        ]
    ).T


def test_scores_and_verdicts_at_every_size(run):
    s = run.state
    trains, tests = [], []
    for frame in run.frames:
        train, test = scores(s, frame.n)
        trains.append(train.mean())
        tests.append(test.mean())
        assert frame.values["train"] == pytest.approx(train.mean(), rel=1e-12)
        assert frame.values["test"] == pytest.approx(test.mean(), rel=1e-12)
        assert frame.values["gap"] == pytest.approx(train.mean() - test.mean(), rel=1e-9, abs=1e-12)
        assert frame.arrays["test_high"][-1] == pytest.approx(test.mean() + test.std(), rel=1e-9)
        top = max(s.target, *trains, *tests)
        reach = top - min(min(trains), max(tests)) or 1.0
        wide, low = (train - test > 0.1 * reach).mean() >= 0.8, s.target - train.mean() > 0.1 * reach
        kind = {(True, True): "both", (True, False): "high_variance", (False, True): "high_bias"}.get(
            (wide, low), "good_fit"
        )
        assert frame.say[0] == kind


def test_sizes_grow_to_all_rows_that_train(run):
    n = len(run.state.points.y)
    assert run.frames[0].n == 12 and run.last.n == n - int(np.ceil(n / 3))
    assert np.array_equal(run.last.arrays["sizes"], [frame.n for frame in run.frames])
    assert (run.last.arrays["seen"] >= 0).sum() == run.last.n


def test_the_richness_is_judged_on_all_rows():
    run = run_of("learning-curve", richness=4)
    s = run.state
    X, y = s.points.X, s.points.y
    parts = list(StratifiedShuffleSplit(5, test_size=1 / 3, random_state=0).split(X, y))
    found = [(answers(s, X, y, train, X[test]) == y[test]).mean() for train, test in parts]
    assert run.last.arrays["level_tests"][3] == pytest.approx(np.mean(found), rel=1e-12)


def test_a_line_cannot_learn_exclusive_or():
    last = run_of("learning-curve", model="line", points={"preset": "xor", "n": 300, "noise": 0.4}).last
    assert last.say[0] in ("high_bias", "both") and last.values["train"] < 0.75


def test_classes_that_are_too_small_are_refused():
    rows = [[i / 10, 0, 0] for i in range(30)] + [[0, 1, 1]] * 3
    assert refusal_of("learning-curve", points={"rows": rows})[1] == "points"
