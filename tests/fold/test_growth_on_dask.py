"""Trees and boosting on a cluster: the bits of the same rows elsewhere, also when a worker dies in the midst of a tree."""

import os
import signal

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import novum
from novum.engines.trees.passes import growth as _fold_growth
from novum.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, IsolationForest, RandomForestRegressor
from novum.ensemble.forest import passes
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

pytest.importorskip("distributed")
import dask.array as da

RNG = np.random.default_rng(0)
X = RNG.normal(size=(11_000, 5))
X[RNG.random(X.shape) < 0.05] = np.nan
Y = np.nansum(X[:, :3], axis=1) + RNG.normal(size=11_000)
LABELS = np.where(Y > 0, "high", "low")
W = RNG.integers(0, 3, 11_000).astype(float)
BOOSTED = {"max_iter": 3, "max_leaf_nodes": 6, "random_state": 0}  # more than 10,000 rows: some are held back


def on_dask(values):
    return da.from_array(values, chunks=(2000, 5) if values.ndim == 2 else 2000)


@pytest.fixture
def killer(client, monkeypatch):
    """Kill a worker when a tree requests a pass: `killer(tree, number)` says which one of which tree."""

    def arm(tree, number):
        plain, requested, killed = _fold_growth.request_of, [], []

        def request_of(growth, *nodes):
            requested.append(growth)
            if len(set(map(id, requested))) == tree and requested.count(growth) == number and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)
            return plain(growth, *nodes)

        monkeypatch.setattr(_fold_growth, "request_of", request_of)
        return requested

    return arm


def same_tree(one, other):
    for name, values in vars(one).items():
        assert_array_equal(values, getattr(other, name), err_msg=name)


def test_boosting_equals_memory_with_and_without_a_killed_worker(client, killer):
    expected = HistGradientBoostingClassifier(**BOOSTED).fit(X, LABELS, sample_weight=W)
    x, labels, w = on_dask(X), on_dask(LABELS), on_dask(W)
    model = HistGradientBoostingClassifier(**BOOSTED).fit(x, labels, sample_weight=w)
    requested = killer(2, 3)  # scores after the first tree, and leaves of the second, are lost
    wounded = HistGradientBoostingClassifier(**BOOSTED).fit(x, labels, sample_weight=w)
    assert len(set(map(id, requested))) == 3
    for one in (model, wounded):
        assert_array_equal(one._nodes, expected._nodes)
        assert_array_equal(one.validation_score_, expected.validation_score_)
    assert_array_equal(model.predict(x).compute(), expected.predict(X))


def test_trees_equal_files_with_and_without_a_killed_worker(client, killer, tmp_path):
    for name, values in (("x", X), ("y", Y), ("c", (Y > 0).astype(int)), ("w", W)):
        np.save(tmp_path / f"{name}.npy", values)

    def scan(target):
        return novum.scan(tmp_path / "x.npy", target=tmp_path / f"{target}.npy", weight=tmp_path / "w.npy")

    x, w = on_dask(X), on_dask(W)
    deep = {"min_samples_leaf": 50}  # small nodes are sorted, from gathered rows
    labels = DecisionTreeClassifier(**deep).fit(x, on_dask(LABELS), sample_weight=w)
    assert list(labels.classes_) == ["high", "low"]
    codes = DecisionTreeClassifier(**deep).fit(scan("c"))
    assert_array_equal(labels.tree_.threshold, codes.tree_.threshold)
    requested = killer(1, 3)  # the root is split, its children's histograms are known
    model = DecisionTreeRegressor(max_leaf_nodes=10).fit(x, on_dask(Y), sample_weight=w)
    assert len(requested) > 4
    same_tree(model.tree_, DecisionTreeRegressor(max_leaf_nodes=10).fit(scan("y")).tree_)


@pytest.mark.parametrize(("cls", "target"), [(RandomForestRegressor, "y"), (ExtraTreesClassifier, "c")])
def test_forests_equal_files_with_and_without_a_killed_worker(cls, target, client, killer, tmp_path, monkeypatch):
    monkeypatch.setattr(passes, "GATHERED_VALUES", 2**14)  # histograms first
    values = Y if target == "y" else (Y > 0).astype(int)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", values)
    x, y = on_dask(X), on_dask(values)
    forest = cls(3, random_state=0)
    expected = clone(forest).fit(novum.scan(tmp_path / "x.npy", target=tmp_path / "y.npy"))
    model = clone(forest).fit(x, y)
    requested = killer(3, 2)  # the roots are split
    wounded = clone(forest).fit(x, y)
    assert len(set(map(id, requested))) == 3
    for one in (model, wounded):
        for a, b in zip(one.estimators_, expected.estimators_, strict=True):
            same_tree(a.tree_, b.tree_)
    assert_array_equal(model.predict(x).compute(), expected.predict(X))


def test_isolation_forests_equal_memory(client):
    expected = IsolationForest(n_estimators=5, contamination=0.1, random_state=0).fit(X, sample_weight=W)
    model = clone(expected).fit(on_dask(X), sample_weight=on_dask(W))
    for a, b in zip(model.estimators_, expected.estimators_, strict=True):
        same_tree(a.tree_, b.tree_)
    np.testing.assert_allclose(model.offset_, expected.offset_, rtol=1e-14)
    np.testing.assert_allclose(model.decision_function(on_dask(X)).compute(), expected.decision_function(X), atol=1e-14)
