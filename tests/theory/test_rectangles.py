"""Boxes as concepts: the tightest, unions, several classes, weights, other homes of data."""

from functools import reduce

import numpy as np
import pytest

from novum.exceptions import DataError
from novum.fold.blocks import Block
from novum.theory import RectangleLearner
from novum.theory.rectangles import extent_of, merge_extents


def integer_points(seed=0, noise=0.0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 12, size=(150, 2)).astype(float)
    y = ((X >= [3, 2]) & (X <= [8, 6])).all(axis=1)
    return X, y ^ (rng.uniform(size=150) < noise)


@pytest.mark.notes("001", "rectangle-concepts")
def test_tightest_rectangle():
    X, y = integer_points()
    model = RectangleLearner().fit(X, y)
    assert np.array_equal(model.low_[0], X[y].min(axis=0)) and np.array_equal(model.high_[0], X[y].max(axis=0))
    assert model.consistent_ and model.score(X, y) == 1
    noisy = integer_points(noise=0.1)
    broken = RectangleLearner().fit(*noisy)
    assert not broken.consistent_
    assert broken.training_error_ == (broken.predict(noisy[0]) != noisy[1]).sum()
    assert not (noisy[1] & ~broken.predict(noisy[0])).any()  # errors on the negative side only
    order = np.argsort(~y, kind="stable")  # the positives in the first portions, none in the last
    portions = [Block(X[part], y[part].astype(int)) for part in np.array_split(order, 5)]
    joint = reduce(merge_extents, [extent_of(2, one) for one in portions])
    assert np.array_equal(joint.low, [X[~y].min(axis=0), X[y].min(axis=0)])
    assert np.array_equal(joint.high, [X[~y].max(axis=0), X[y].max(axis=0)])


@pytest.mark.notes("001", "rectangle-concepts")
def test_unions_are_consistent_where_one_rectangle_is_not():
    rng = np.random.default_rng(3)
    X = rng.uniform(0, 10, size=(300, 2))
    first, second = ((a <= X) & (b >= X) for a, b in (([1, 1], [4, 4]), ([6, 5], [9, 9])))
    y = first.all(axis=1) | second.all(axis=1)
    one, two, free = (RectangleLearner(k).fit(X, y) for k in (1, 2, None))
    assert not one.consistent_ and two.consistent_ and free.consistent_ and len(two.low_) == 2
    order = np.argsort(two.low_[:, 0])  # of all pairs of boxes the two tightest
    for box, rows in zip(order, (X[first.all(axis=1)], X[second.all(axis=1)])):
        np.testing.assert_array_equal(two.low_[box], rows.min(axis=0))
        np.testing.assert_array_equal(two.high_[box], rows.max(axis=0))
    assert free.predict([[50.0, 50.0]]).tolist() == [False]  # a finite union still says no
    labels = rng.integers(2, size=300)  # noise: as many boxes as it takes
    memorized = RectangleLearner(None).fit(X, labels)
    assert memorized.consistent_ and len(memorized.low_) > 30
    assert not RectangleLearner(None).fit([[1.0], [1.0]], [0, 1]).consistent_
    assert len(RectangleLearner(5).fit(X, labels).low_) == 5
    ax = memorized.plot(X=X, y=labels)
    assert len(ax.patches) == len(memorized.low_) and ax.get_xlabel() == "$x_1$"


def test_several_classes_one_class_and_weights():
    rng = np.random.default_rng(0)
    code = rng.integers(3, size=300)
    X = rng.uniform(-1, 1, size=(300, 2)) + np.array([[0, 0], [5, 0], [0, 5]])[code]
    model = RectangleLearner().fit(X, np.array(["a", "b", "c"])[code])
    assert model.score(X, np.array(["a", "b", "c"])[code]) == 1 and model.box_class_.tolist() == [0, 1, 2]
    assert model.predict([[4.0, -3.0], [-0.5, 7.0]]).tolist() == ["b", "c"]
    assert RectangleLearner().fit(X, ["x"] * 300).predict([[99.0, 99.0]]).tolist() == ["x"]
    X, y = integer_points()
    w = (X[:, 0] < 6).astype(float)
    weighted, part = RectangleLearner().fit(X, y, sample_weight=w), RectangleLearner().fit(X[w > 0], y[w > 0])
    assert np.array_equal(weighted.high_, part.high_)
    with pytest.raises(DataError, match="a picture has two"):
        RectangleLearner().fit(np.eye(3), [0, 1, 1]).plot()


def test_other_homes_of_data(tmp_path):
    import dask.array as da

    import novum

    X, y = integer_points(noise=0.05)
    plain = {k: RectangleLearner(k).fit(X, y) for k in (1, 3)}
    for k, model in plain.items():
        lazy = RectangleLearner(k).fit(da.from_array(X, chunks=(40, 2)), da.from_array(y, chunks=40))
        assert np.array_equal(lazy.low_, model.low_) and np.array_equal(lazy.predict(X), model.predict(X))
    np.savetxt(tmp_path / "points.csv", np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
    scanned = RectangleLearner().fit(novum.scan(str(tmp_path / "points.csv"), target="y"))
    assert np.array_equal(scanned.low_, plain[1].low_)
