"""Gradient boosting: every tree gives the means of what was left over, the sum is made of them, the last frame is a fit."""

import numpy as np
import pytest
from lab.runs import run_of

from novum.ensemble import HistGradientBoostingRegressor

STATES = [{"trees": 12}, {"trees": 8, "rate": 1.0, "leaves": 2, "smallest": 5, "seed": 3}]
STATES.append({"trees": 5, "smallest": 1, "points": {"rows": [[0, 0], [1, 2], [2, 1], [4, 0.5], [5, 3], [6, 2]]}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("gradient-boosting", **request.param)


def best_cut(x, r, smallest):
    """Return the fall of the squares that one threshold brings at best."""
    order = np.argsort(x, kind="stable")
    x, r = x[order], r[order]
    falls = [0.0]
    for i in range(smallest, len(x) - smallest + 1):
        if 0 < i < len(x) and x[i] > x[i - 1]:
            left, right = r[:i], r[i:]
            falls.append(left.sum() ** 2 / len(left) + right.sum() ** 2 / len(right) - r.sum() ** 2 / len(r))
    return max(falls)


def test_every_tree_is_fitted_to_what_was_left_over(run):
    s = run.state
    x, y, F = s.points.X[:, 0], s.points.y, np.full(len(s.points.y), s.points.y.mean())
    for frame in run.frames:
        left = frame.arrays["left"]
        assert left[:, 1] == pytest.approx(y - F, abs=1e-6)
        tree = np.array(frame.arrays["tree"][0]["p"])
        step = np.interp(x, tree[:, 0], tree[:, 1])  # the steps of the tree at the rows, away from its jumps
        model = HistGradientBoostingRegressor(
            learning_rate=s.rate, max_iter=frame.n, max_leaf_nodes=s.leaves, min_samples_leaf=s.smallest,
            early_stopping=False,
        ).fit(s.points.X, y)  # fmt: skip
        after = model.predict(s.points.X)
        leaf = (after - F) / s.rate
        assert frame.values["leaves"] == len(np.unique(leaf.round(9))) <= s.leaves
        for value in np.unique(leaf.round(9)):
            inside = np.abs(leaf - value) < 1e-8
            assert value == pytest.approx((y - F)[inside].mean(), abs=1e-6)
            assert inside.sum() >= s.smallest
        assert np.median(np.abs(step - leaf)) < 1e-6
        F = after
        assert frame.values["train"] == pytest.approx(np.mean((y - F) ** 2), rel=1e-9)


def test_two_leaves_are_the_best_cut():
    run = run_of("gradient-boosting", **STATES[1])
    x, y = run.state.points.X[:, 0], run.state.points.y
    losses = [np.mean((y - y.mean()) ** 2), *run.shown()]
    for frame, before, after in zip(run.frames, losses, losses[1:]):
        residual = frame.arrays["left"][:, 1].astype(float)
        assert len(x) * (before - after) == pytest.approx(best_cut(x, residual, 5), rel=1e-4)


def test_new_rows_are_those_of_the_next_seed():
    run = run_of("gradient-boosting", trees=6)
    following = run.scene.state({**run.state.given, "seed": 1}).points
    for frame in run.frames:
        model = HistGradientBoostingRegressor(
            learning_rate=0.2, max_iter=frame.n, max_leaf_nodes=4, min_samples_leaf=3, early_stopping=False
        ).fit(run.state.points.X, run.state.points.y)
        gap = following.y - model.predict(following.X)
        assert frame.values["test"] == pytest.approx(np.mean(gap**2), rel=1e-12)


def test_the_absolute_loss_is_the_mean_distance():
    run = run_of("gradient-boosting", loss="absolute_error", trees=7)
    s = run.state
    model = HistGradientBoostingRegressor(
        "absolute_error", learning_rate=s.rate, max_iter=7, max_leaf_nodes=s.leaves, min_samples_leaf=s.smallest,
        early_stopping=False,
    ).fit(s.points.X, s.points.y)  # fmt: skip
    assert run.last.values["train"] == np.mean(np.abs(s.points.y - model.predict(s.points.X)))
    first = run.frames[0].arrays["left"][:, 1]
    assert first == pytest.approx(s.points.y - np.median(s.points.y), abs=1e-6)
