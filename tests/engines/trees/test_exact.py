"""The exact grower against its definition, and against itself in other layouts, threads and orders."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from reference.trees import exact as reference

from novum import _core
from novum.engines.trees.exact import ORDER, RANKS, VALUES, Rules, class_target, grow, layout_of, number_target, prepare

rng = np.random.default_rng(0)
FIELDS = ("children_left", "feature", "threshold", "value", "impurity", "n_node_samples", "missing_go_to_left")


def table(n=60, d=3, gaps=False, ties=True):
    X = rng.integers(0, 6, size=(n, d)).astype(float) if ties else rng.normal(size=(n, d))
    X[:, -1] = rng.normal(size=n)
    if gaps:
        X[rng.random(X.shape) < 0.2] = np.nan
    return X


def target_of(criterion, n, outputs=1):
    if criterion in ("gini", "entropy"):
        y = rng.integers(0, 3 if outputs > 1 else 2, size=(n, outputs))
        return class_target(criterion, y, y.max(axis=0) + 1), y
    y = (
        rng.poisson(2.0, size=(n, outputs)).astype(float)
        if criterion == "poisson"
        else rng.normal(size=(n, outputs)).round(1)
    )
    return number_target(criterion, y), y


def same(a, b):
    for field in FIELDS:
        assert_array_equal(getattr(a, field), getattr(b, field), err_msg=field)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "absolute_error", "poisson"])
def test_every_node_is_what_the_definition_gives(criterion, gaps, outputs):
    X, weight = table(gaps=gaps), rng.integers(0, 3, 60).astype(float)
    target, y = target_of(criterion, 60, outputs)
    for w in (None, weight):
        expected = reference.grow(X, y, np.ones(60) if w is None else w, criterion, min_leaf=3, depth=4)
        for layout in (ORDER, RANKS):
            tree = grow(
                prepare(X, [0] * 3, layout), target, Rules(3, min_samples_leaf=3, min_samples_split=6, max_depth=4), w
            )
            column, threshold, side, impurity, rows, mass = zip(*expected)
            assert_array_equal(tree.feature, column)
            assert_allclose(tree.threshold, threshold, rtol=1e-15)
            inner = tree.feature >= 0
            assert_array_equal(tree.missing_go_to_left[inner].astype(bool), np.array(side)[inner])
            assert_allclose(tree.impurity, impurity, rtol=1e-11, atol=1e-12)
            assert_array_equal(tree.n_node_samples, rows)
            assert_allclose(tree.weighted_n_node_samples, mass, rtol=1e-14)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
def test_no_subset_of_categories_does_better(criterion):
    for _ in range(5):
        x, w = rng.integers(0, 6, 50).astype(float), rng.integers(1, 4, 50).astype(float)
        target, y = target_of(criterion, 50)
        for layout in (ORDER, RANKS):
            tree = grow(prepare(x[:, None], [6], layout), target, Rules(1, max_depth=1), w)
            left = np.isin(x, tree.left_categories(0))
            found = reference.cost(y, w, left, criterion)
            assert_allclose(found, reference.best_subset_cost(x, y, w, criterion), rtol=1e-12)
            assert_array_equal(tree.apply(x[:, None]) == 1, left)


def test_categories_of_several_classes_try_the_order_of_each():
    code = np.repeat([0, 1, 2, 3], 10)
    y = np.repeat(
        [0, 1, 2, 1], 10
    )  # class 1 against the rest: neither the order of class 0 nor that of class 2 shows it
    tree = grow(
        prepare(code[:, None].astype(float), [4], ORDER), class_target("gini", y[:, None], [3]), Rules(1, max_depth=1)
    )
    assert set(tree.left_categories(0)) in ({1, 3}, {0, 2})


def test_an_unknown_category_goes_the_way_of_missing_cells():
    x = np.array([0.0, 0, 0, 1, 1, 2])[:, None]
    tree = grow(prepare(x, [5], ORDER), class_target("gini", np.array([[0, 0, 0, 1, 1, 1]]).T, [2]), Rules(1))
    odd = np.array([[3.0], [4.0], [5.0], [1e9], [-1.0], [np.nan]])
    assert len(set(tree.apply(odd))) == 1
    assert tree.apply(odd)[0] == (tree.children_left[0] if tree.missing_go_to_left[0] else tree.children_right[0])


@pytest.mark.parametrize(
    "rules", [Rules(8), Rules(3), Rules(3, random=True), Rules(8, monotone=(1, -1, 0, 0, 0, 0, 0, 0))]
)
def test_threads_and_layouts_change_nothing(rules):
    n = 12_000
    X = rng.normal(size=(n, 8)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 5] = rng.integers(0, 9, n)
    y = (np.nan_to_num(X[:, 0]) + X[:, 5] % 3 + rng.normal(size=n) > 1).astype(int)
    levels = [0, 0, 0, 0, 0, 9, 0, 0]
    for target in (class_target("gini", y[:, None], [2]), number_target("squared_error", (y + X[:, [5]].T).T)):
        layouts = [VALUES] if rules.random else [ORDER, RANKS]
        trees = [
            grow(prepare(X, levels, at, k), target, rules, seed=5, n_threads=k) for at in layouts for k in (1, 2, 3)
        ]
        assert trees[0].node_count > 100
        for other in trees[1:]:
            same(other, trees[0])


@pytest.mark.parametrize("random", [False, True])
def test_sparse_is_dense(random):
    X = scipy.sparse.random(300, 20, 0.2, format="csc", random_state=0)
    X.data -= 0.4
    y = rng.integers(0, 3, (300, 1))
    for rules in (Rules(20, random=random), Rules(4, random=random)):
        dense = prepare(X.toarray(), [0] * 20, layout_of(rules, 20, sparse=True))
        trees = [
            grow(c, class_target("gini", y, [3]), rules, seed=3)
            for c in (dense, prepare(X, [0] * 20, layout_of(rules, 20, True)))
        ]
        same(*trees)
        assert_array_equal(trees[0].apply(X.tocsr()), trees[0].apply(X.toarray()))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_a_drawn_cut_by_counts_is_the_cut_of_weights_of_one(classes, least, dtype):
    draws = np.random.default_rng(classes)
    X = draws.normal(size=(400, 6)).astype(dtype)
    X[:, 2], X[:, 3] = X[:, 2].round(), 1.0
    y = X[:, :1] + X[:, 2:3] + draws.normal(size=(400, 1))
    target = number_target("squared_error", 1e6 + y)
    if classes:
        target = class_target("gini", np.digitize(y, [0.0, 1.0][: classes - 1]), [classes])
    rules = Rules(4, random=True, min_samples_leaf=least, min_samples_split=2 * least)
    columns = prepare(X, [0] * 6, VALUES)
    counted, weighed = (grow(columns, target, rules, weight, seed=7) for weight in (None, np.ones(400)))
    assert counted.node_count > 50
    for field in ("children_left", "feature", "threshold", "n_node_samples"):
        assert_array_equal(getattr(counted, field), getattr(weighed, field), err_msg=field)
    assert_allclose(counted.value, weighed.value, rtol=1e-12)


def test_prepared_columns_serve_many_trees():
    X, y = rng.normal(size=(500, 4)), rng.normal(size=(500, 1))
    target = number_target("squared_error", y)
    for layout in (ORDER, RANKS):
        columns = prepare(X, [0] * 4, layout)
        for seed in range(3):
            count = np.bincount(np.random.default_rng(seed).integers(500, size=500), minlength=500)
            kept = np.repeat(np.arange(500), count)
            one = grow(columns, target, Rules(2), count.astype(float), seed)
            other = grow(
                prepare(X[kept], [0] * 4, layout), number_target("squared_error", y[kept]), Rules(2), None, seed
            )
            assert_array_equal(one.feature, other.feature)
            assert_allclose(one.threshold, other.threshold, rtol=1e-15)


def test_best_first_takes_the_largest_falls_of_impurity():
    X, y = rng.normal(size=(400, 5)), rng.normal(size=(400, 1))
    full = grow(prepare(X, [0] * 5, ORDER), number_target("squared_error", y), Rules(5, max_leaf_nodes=400))
    mass = full.weighted_n_node_samples * full.impurity
    fall = {
        i: mass[i] - mass[full.children_left[i]] - mass[full.children_right[i]]
        for i in range(full.node_count)
        if full.feature[i] >= 0
    }
    for leaves in (2, 7, 30):
        tree = grow(prepare(X, [0] * 5, RANKS), number_target("squared_error", y), Rules(5, max_leaf_nodes=leaves))
        assert tree.n_leaves == leaves
        frontier, total = [0], 0.0
        for _ in range(leaves - 1):
            best = max((i for i in frontier if i in fall), key=fall.get)
            frontier.remove(best)
            frontier += [full.children_left[best], full.children_right[best]]
            total += fall[best]
        leaf = tree.children_left == -1
        left = (tree.weighted_n_node_samples * tree.impurity)[leaf].sum()
        assert_allclose(mass[0] - left, total, rtol=1e-10)


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (2, 1), (5, 3)])
def test_odd_shapes(shape):
    X, y = rng.normal(size=shape), rng.normal(size=(shape[0], 1))
    for layout in (ORDER, RANKS):
        tree = grow(prepare(X, [0] * shape[1], layout), number_target("squared_error", y), Rules(shape[1]))
        assert_allclose(tree.predict(X)[:, 0], y[:, 0], rtol=1e-15)


def test_thresholds_between_neighbouring_numbers_and_infinite_middles():
    low = 1.0
    high = np.nextafter(low, 2)
    for pair in ((low, high), (-1.7e308, 1.7e308), (5e-324, 1e-323)):
        X = np.array(pair)[:, None]
        tree = grow(prepare(X, [0], ORDER), number_target("squared_error", np.array([[0.0], [1.0]])), Rules(1))
        assert pair[0] <= tree.threshold[0] < pair[1]
        assert_array_equal(tree.predict(X)[:, 0], [0, 1])


def test_kernels_refuse_what_they_cannot_read():
    X = rng.normal(size=(10, 2))
    columns = prepare(X, [0, 0], ORDER)
    good = [columns, 0, np.zeros((10, 1), np.int32), None, [1], None, False, 2, 2, 1, 9, 0, 0.0, 0.0, 0, [], False]
    _core.trees.exact.grower(*good)
    changes = {
        1: 2,
        2: np.ones((10, 1), np.int32),
        4: [1, 1],
        5: np.full(10, -1.0),
        7: 3,
        8: 1,
        9: 0,
        15: [1],
    }
    for place, value in changes.items():
        with pytest.raises(ValueError, match="cart"):
            _core.trees.exact.grower(*[value if i == place else v for i, v in enumerate(good)])
    with pytest.raises(ValueError, match="settings"):
        _core.trees.exact.grower(prepare(X, [0, 0], VALUES), *good[1:])
    with pytest.raises(ValueError, match="levels"):
        _core.trees.exact.dense_columns(X, [0], ORDER)
    with pytest.raises(ValueError, match="CSC"):
        begin, row = np.array([0, 2]), np.array([1, 0], np.int32)
        _core.trees.exact.sparse_columns(begin, row, np.ones(2), 5, RANKS)
