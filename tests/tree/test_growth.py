"""Trees told split by split: nested in max_leaf_nodes, gains and candidates by brute force."""

from itertools import pairwise

import numpy as np
import pytest

from novum.base.passes import PassRecorder
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.default_rng(3)
X = rng.normal(size=(90, 3)).round(2)
label = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
y = X[:, 0] ** 2 + X[:, 1] + 0.1 * rng.normal(size=90)
KINDS = [
    (DecisionTreeClassifier, label, {}),
    (DecisionTreeClassifier, label, {"criterion": "entropy"}),
    (DecisionTreeRegressor, y, {}),
]


def impurity(part, options, number):
    if number:
        return part.var()
    share = np.bincount(part) / len(part)
    share = share[share > 0]
    return -(share * np.log2(share)).sum() if options else 1 - (share**2).sum()


@pytest.mark.parametrize(("cls", "target", "options"), KINDS)
@pytest.mark.parametrize("leaves", [None, 12])
def test_frames_are_the_trees_of_fewer_leaves(cls, target, options, leaves):
    frames = PassRecorder()
    model = cls(max_leaf_nodes=leaves, **options).set_callbacks(frames).fit(X, target)
    assert len(frames) == model.get_n_leaves()
    assert frames[0].model.get_n_leaves() == 1
    for frame in frames[1:15]:
        cut = cls(max_leaf_nodes=frame.n_iter + 1, **options).fit(X, target)
        assert frame.model.get_n_leaves() == cut.get_n_leaves() == frame.n_iter + 1
        assert np.array_equal(frame.model.predict(X), cut.predict(X))
    assert np.array_equal(frames[-1].model.tree_.threshold, model.tree_.threshold)


@pytest.mark.parametrize(("cls", "target", "options"), KINDS)
def test_gains_and_candidates_by_brute_force(cls, target, options):
    frames = PassRecorder()
    cls(**options).set_callbacks(frames).fit(X, target)
    number = cls is DecisionTreeRegressor
    total = impurity(target, options, number)
    for before, frame in pairwise(frames[:8]):
        facts, here = frame.facts, before.model.apply(X) == frame.facts["node"]
        assert here.sum() == facts["rows"]
        best = []
        for j in range(3):
            values = np.unique(X[here, j])
            gains = [0.0]
            for t in (values[:-1] + values[1:]) / 2:
                left, right = target[here][X[here, j] <= t], target[here][X[here, j] > t]
                apart = [len(part) * impurity(part, options, number) for part in (left, right)]
                gains.append(impurity(target[here], options, number) - sum(apart) / here.sum())
            best.append(max(gains))
        candidates = facts["candidates"]()
        np.testing.assert_allclose([one.gain for one in candidates], best, atol=1e-12)
        assert facts["feature"] == int(np.argmax(best))
        assert candidates[facts["feature"]].threshold == pytest.approx(facts["threshold"], abs=1e-12)
        assert facts["gain"] == pytest.approx(max(best) * here.sum() / 90, abs=1e-12)
        total -= facts["gain"]
        assert frame.objective == pytest.approx(total, abs=1e-12)


def test_a_callback_ends_the_growth_before_the_pruning():
    frames = PassRecorder(stop_at=3)
    model = DecisionTreeClassifier().set_callbacks(frames).fit(X, label)
    assert model.get_n_leaves() == 4


def test_a_tree_without_a_split_tells_nothing():
    frames = PassRecorder()
    DecisionTreeClassifier().set_callbacks(frames).fit(X, np.zeros(90, int))
    assert not frames


def test_branches_per_category_are_told_too():
    codes = rng.integers(0, 3, size=(60, 2)).astype(float)
    target = (codes[:, 0] == codes[:, 1]).astype(int)
    frames = PassRecorder()
    model = DecisionTreeClassifier(criterion="entropy", branching="multiway", categorical_features=[0, 1])
    model.set_callbacks(frames).fit(codes, target)
    assert np.array_equal(frames[-1].model.predict(codes), model.predict(codes))
    gains = [one.gain for one in frames[1].facts["candidates"]()]
    assert frames[1].facts["gain"] == pytest.approx(max(gains), abs=1e-12)
    assert np.isnan(frames[1].facts["threshold"])
