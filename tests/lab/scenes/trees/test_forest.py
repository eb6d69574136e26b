"""The forest: out-of-bag votes counted by hand, the vote against a forest of so many trees, correlations by all pairs."""

import numpy as np
import pytest
from lab.runs import refusal_of, run_of

from novum.ensemble import AdaBoostClassifier, RandomForestClassifier

STATES = [{"trees": 12}, {"trees": 8, "columns": 2, "depth": 3, "seed": 4, "points": {"preset": "xor", "n": 60}}]
STATES.append({"trees": 6, "points": {"rows": [[0, 0, 0], [1, 0, 0], [2, 1, 1], [3, 1, 1], [1, 1, 1], [0, 1, 0]]}})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("forest", **request.param)


def forest_of(s, trees):
    model = RandomForestClassifier(trees, max_features=s.columns, max_depth=s.depth, random_state=s.seed)
    return model.fit(s.points.X, s.points.y)


def pixels_of(s):
    (x0, x1), (y0, y1) = s.points.domain
    at = (np.arange(64) + 0.5) / 64
    x, y = np.meshgrid(x0 + (x1 - x0) * at, y0 + (y1 - y0) * at)
    return np.column_stack([x.ravel(), y.ravel()])


def test_out_of_bag_votes_are_counted(run):
    s = run.state
    X, y, forest = s.points.X, s.points.y, forest_of(run.state, s.trees)
    votes = np.zeros((len(X), 2))
    for frame, tree, rows in zip(run.frames, forest.estimators_, forest.estimators_samples_, strict=True):
        out = ~np.isin(np.arange(len(X)), rows)
        votes[out] += tree.predict_proba(X[out])
        known = votes.sum(axis=1) > 0
        wrong = votes[known].argmax(axis=1) != y[known]
        expected = wrong.mean() if known.any() else None
        assert frame.values["oob"] == (expected if expected is None else pytest.approx(expected, abs=1e-12))
        assert frame.values["left_out"] == out.sum()
        assert frame.arrays["drawn"] == pytest.approx(0.05 + 0.1 * np.bincount(rows, minlength=len(X)), abs=1e-6)


def test_the_vote_is_that_of_so_many_trees(run):
    points = pixels_of(run.state)
    for frame in (run.frames[0], run.frames[3], run.last):
        share = forest_of(run.state, frame.n).predict_proba(points)[:, 1]
        assert np.abs(frame.arrays["vote"].ravel() - 255 * share).max() <= 0.5 + 1e-9


def test_correlations_are_means_over_all_pairs(run):
    points = pixels_of(run.state)
    answers = np.array([tree.predict_proba(points)[:, 1] for tree in forest_of(run.state, run.state.trees).estimators_])
    if (answers.std(axis=1) == 0).any():
        pytest.skip("a tree that says one thing everywhere has no correlation")
    table = np.corrcoef(answers)
    for frame in run.frames[1:]:
        pairs = table[: frame.n, : frame.n][~np.eye(frame.n, dtype=bool)]
        assert frame.values["correlation"] == pytest.approx(pairs.mean(), abs=1e-9)


def test_new_rows_judge_tree_forest_and_boosting(run):
    s = run.state
    if "rows" in s.given["points"]:
        assert run.last.values["test"] is None and run.last.values["boosted"] is None
        return
    following = run.scene.state({**s.given, "seed": s.seed + 1}).points
    boosted = AdaBoostClassifier(n_estimators=s.trees).fit(s.points.X, s.points.y)
    for frame, guess in zip(run.frames, boosted.staged_predict(following.X)):
        tree = forest_of(s, frame.n)
        assert frame.values["test"] == pytest.approx(1 - tree.score(following.X, following.y), abs=1e-12)
        alone = tree.estimators_[-1].predict_proba(following.X)[:, 1] > 0.5
        assert frame.values["single"] == pytest.approx(np.mean(alone != following.y), abs=1e-12)
        assert frame.values["boosted"] == pytest.approx(np.mean(guess != following.y), abs=1e-12)


def test_the_last_frame_is_the_fit():
    run = run_of("forest")
    s = run.state
    model = RandomForestClassifier(
        s.trees, max_features=s.columns, max_depth=s.depth, random_state=s.seed, oob_score=True
    )
    assert run.last.values["oob"] == pytest.approx(1 - model.fit(s.points.X, s.points.y).oob_score_, abs=1e-15)


def test_without_a_bootstrap_nothing_is_left_out():
    run = run_of("forest", bootstrap=False, trees=3)
    assert [frame.values["oob"] for frame in run.frames] == [None] * 3 and run.last.values["left_out"] == 0
    assert refusal_of("forest", points={"rows": [[0, 0, 1], [1, 1, 1]]})[1] == "points"
