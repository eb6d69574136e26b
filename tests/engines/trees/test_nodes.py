"""The node table: walks, paths, importances, and tables that lead astray."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal

import novum
from novum.exceptions import DataError
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor, Tree

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
y = (X[:, 0] * X[:, 1] > 0).astype(int)


def walk(tree, x):
    node = 0
    path = [0]
    while tree.children_left[node] != -1:
        value = x[tree.feature[node]]
        left = tree.missing_go_to_left[node] if np.isnan(value) else value <= tree.threshold[node]
        node = tree.children_left[node] if left else tree.children_right[node]
        path.append(int(node))
    return path


@pytest.mark.notes("000-a", "dt-model")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_leaves_and_paths(dtype):
    model = DecisionTreeClassifier().fit(X.astype(dtype), y)
    queries = rng.normal(size=(50, 3)).astype(dtype)
    queries[rng.random(queries.shape) < 0.2] = np.nan
    paths = [walk(model.tree_, x.astype(float)) for x in queries]
    for layout in (queries, np.asfortranarray(queries), queries[::-1][::-1]):
        assert_array_equal(model.apply(layout), [path[-1] for path in paths])
    found = model.decision_path(queries)
    assert found.shape == (50, model.tree_.node_count)
    for row, path in zip(found.toarray(), paths):
        assert_array_equal(np.flatnonzero(row), path)
    assert model.get_depth() == max(len(walk(model.tree_, x)) for x in X) - 1
    assert model.get_n_leaves() == (model.tree_.children_left == -1).sum()
    sparse = scipy.sparse.csr_matrix(np.nan_to_num(queries))
    assert_array_equal(model.apply(sparse), model.apply(sparse.toarray()))


def test_importances_are_shares_of_the_fall_of_impurity():
    model = DecisionTreeRegressor(max_depth=3).fit(X, X[:, 0] * 3 + X[:, 2])
    tree = model.tree_
    fall = np.zeros(3)
    for i in np.flatnonzero(tree.feature >= 0):
        a, b = tree.children_left[i], tree.children_right[i]
        mass = tree.weighted_n_node_samples * tree.impurity / 200
        fall[tree.feature[i]] += mass[i] - mass[a] - mass[b]
    assert_allclose(tree.compute_feature_importances(normalize=False), fall, rtol=1e-12)
    assert_allclose(model.feature_importances_, fall / fall.sum(), rtol=1e-12)
    assert_array_equal(DecisionTreeRegressor().fit(X, np.ones(200)).feature_importances_, np.zeros(3))


def test_more_than_two_children():
    tree = DecisionTreeClassifier(max_depth=1).fit(X, y).tree_
    fields = {
        name: getattr(tree, name)[[0, 1, 2, 2]]
        for name in ("impurity", "n_node_samples", "weighted_n_node_samples", "value", "missing_go_to_left")
    }
    wide = Tree(
        3,
        [2],
        children_left=np.array([1, -1, -1, -1]),
        children_right=np.array([3, -1, -1, -1]),
        feature=np.array([0, -2, -2, -2]),
        threshold=np.array([0.0, -2, -2, -2]),
        branch_begin=np.array([0, 3, 3, 3, 3]),
        branch_node=np.array([1, 2, 3]),
        **fields,
    )
    assert_array_equal(wide.children(0), [1, 2, 3])
    assert_array_equal(wide.depths(), [0, 1, 1, 1])
    assert (wide.n_leaves, wide.max_depth, wide.capacity) == (3, 1, 4)


@pytest.mark.parametrize(
    ("field", "value"),
    [("children_left", 0), ("children_right", 99), ("children_left", -7), ("feature", 3), ("feature", -9)],
)
def test_tables_that_lead_astray_are_refused(field, value):
    model = DecisionTreeClassifier(max_depth=2).fit(X, y)
    wrong = getattr(model.tree_, field).copy()
    wrong[0] = value
    setattr(model.tree_, field, wrong)
    with pytest.raises(ValueError, match="tree"):
        model.predict(X)
    if field != "feature":
        with pytest.raises(DataError, match="leads to a node"):
            model.get_depth()


def test_saved_with_its_sets(tmp_path):
    Z = np.column_stack([rng.integers(0, 50, 200), X])
    model = DecisionTreeClassifier(categorical_features=[0]).fit(Z, y)
    novum.save(model, tmp_path / "tree.novum")
    for copy in (novum.load(tmp_path / "tree.novum"), pickle.loads(pickle.dumps(model))):
        assert isinstance(copy.tree_, Tree)
        assert_array_equal(copy.predict_proba(Z), model.predict_proba(Z))


def test_depths_are_counted_as_scikit_learn_does():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    ours = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
    depth = ours.compute_node_depths()
    assert depth[0] == 1 and depth.max() == ours.max_depth + 1
    for node, (left, right) in enumerate(zip(ours.children_left, ours.children_right, strict=True)):
        assert left == -1 or depth[left] == depth[right] == depth[node] + 1
