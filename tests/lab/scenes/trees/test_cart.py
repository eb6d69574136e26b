"""The tree: every split is the best cut of all leaves by brute force, the last frame is a plain fit."""

from itertools import pairwise

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.tree import DecisionTreeClassifier

STATES = [{"leaves": 7}, {"criterion": "entropy", "points": {"preset": "xor", "n": 80}, "leaves": 6, "alpha": 0.02}]
STATES.append({"points": {"preset": "slanted", "n": 60, "noise": 0.3}, "alpha": 0.05})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("cart", **request.param)


def impurity(y, criterion):
    p = np.bincount(y, minlength=2) / len(y)
    return 1 - (p**2).sum() if criterion == "gini" else -sum(q * np.log2(q) for q in p if q > 0)


def inside(X, box):
    return (X[:, 0] > box[0]) & (X[:, 0] <= box[1]) & (X[:, 1] > box[2]) & (X[:, 1] <= box[3])


def rows_of(X, frame):
    """Return the rows of every leaf by its box, which reaches to the edges of the plane."""
    low, high = X.min(axis=0) - 1, X.max(axis=0) + 1
    boxes = frame.arrays["boxes"].copy()
    whole = [boxes[:, 0].min(), boxes[:, 1].max(), boxes[:, 2].min(), boxes[:, 3].max()]
    for column, (edge, far) in enumerate(zip(whole, (low[0], high[0], low[1], high[1]))):
        boxes[boxes[:, column] == edge, column] = far
    return [inside(X, box) for box in boxes]


def best_fall(X, y, criterion):
    """Return the largest fall of impurity that one cut of these rows brings, by their number."""
    best = 0.0
    for axis in range(2):
        values = np.unique(X[:, axis])
        for at in (values[1:] + values[:-1]) / 2:
            left = X[:, axis] <= at
            parts = sum(part.sum() * impurity(y[part], criterion) for part in (left, ~left))
            best = max(best, len(y) * impurity(y, criterion) - parts)
    return best


def test_every_split_is_the_best_there_is(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    grown = [frame for frame in run.frames if frame.part == "grown"]
    for before, after in pairwise(grown):
        leaves = rows_of(X, before)
        assert sum(leaf.sum() for leaf in leaves) == len(X)
        fall = max(best_fall(X[leaf], y[leaf], s.criterion) for leaf in leaves) / len(X)
        assert before.values["cost"] - after.values["cost"] + s.alpha == pytest.approx(fall, rel=1e-9)


def test_the_cost_is_the_formula(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    for frame in run.frames:
        leaves = rows_of(X, frame)
        parts = sum(leaf.mean() * impurity(y[leaf], s.criterion) for leaf in leaves)
        assert frame.values["cost"] == pytest.approx(parts + s.alpha * len(leaves), rel=1e-9, abs=1e-12)
        assert frame.values["leaves"] == len(leaves)
        right = sum((y[leaf] == k).sum() for leaf, k in zip(leaves, frame.arrays["box_classes"]))
        assert frame.values["train"] == pytest.approx(right / len(X))


def test_the_last_frame_is_the_fit(run):
    X, y, s = run.state.points.X, run.state.points.y, run.state
    model = DecisionTreeClassifier(criterion=s.criterion, max_leaf_nodes=s.leaves, ccp_alpha=s.alpha).fit(X, y)
    leaf = model.tree_.children_left < 0
    share = model.tree_.weighted_n_node_samples / len(X)
    assert run.last.values["cost"] == float((share[leaf] * model.tree_.impurity[leaf]).sum() + s.alpha * leaf.sum())
    assert run.last.values["train"] == model.score(X, y)


def test_one_class_is_refused():
    assert refusal_of("cart", points={"rows": [[0, 0, 1], [1, 1, 1]]})[1] == "points"
