"""The coded grower: every cut of small nodes, bins of large ones, and trees that agree with their rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from reference.trees.forests import best_decrease, impurity

from novum.engines.trees.exact import Rules, class_target, grow, layout_of, number_target, prepare
from novum.engines.trees.input_table import Table
from novum.engines.trees.ranks import encode, grow_coded, knows


def problem(kind, n, d=4, seed=0, levels=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if levels is None else rng.integers(0, levels, (n, d)).astype(float)
    signal = X[:, 0] - X[:, 1] + rng.normal(size=n)
    if kind == "squared_error":
        target = number_target(kind, signal[:, None])
        return Table(X, [0] * d, X.dtype), target, signal
    criterion, classes = kind.split("-")
    y = np.clip(np.digitize(signal, np.linspace(-1, 1, int(classes) - 1)), 0, int(classes) - 1)
    return Table(X, [0] * d, X.dtype), class_target(criterion, y[:, None], np.array([int(classes)])), y


KINDS = ["gini-2", "gini-4", "entropy-2", "entropy-3", "squared_error"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 7, 64, 65, 128, 129, 250])
@pytest.mark.parametrize("weights", ["none", "counts", "any"])
def test_the_first_split_is_the_best_of_all(kind, n, weights):
    table, target, y = problem(kind, n, seed=n)
    rng = np.random.default_rng(1)
    w = {"none": None, "counts": rng.integers(0, 3, n).astype(float), "any": rng.uniform(0.1, 2, n)}[weights]
    if w is not None and not (w > 0).sum() > 1:
        w[:2] = 1
    tree = grow_coded(encode(table, target, 1), Rules(max_features=4, max_depth=1), w, 0)
    w = np.ones(n) if w is None else w
    X, y, w = table.X[w > 0], y[w > 0], w[w > 0]
    criterion = kind.split("-")[0]
    assert_allclose(tree.impurity[0], impurity(y, w, criterion), rtol=1e-9, atol=1e-12)
    if tree.impurity[0] < 1e-12:
        return
    gain = tree.impurity[0] - tree.weighted_n_node_samples[1:] @ tree.impurity[1:] / w.sum()
    assert_allclose(gain, best_decrease(X, y, w, criterion), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("kind", ["gini-2", "gini-5", "gini-32", "gini-33"])
@pytest.mark.parametrize("min_leaf", [1, 3])
def test_whole_weights_and_halves_of_them_grow_the_same_tree(kind, min_leaf, random):
    table, target, _ = problem(kind, 900)
    w = np.random.default_rng(0).integers(0, 4, 900).astype(float)
    codes = encode(table, target, 1)
    rules = Rules(max_features=2, min_samples_leaf=min_leaf, min_samples_split=2 * min_leaf, random=random)
    counted, weighed = (grow_coded(codes, rules, each, 3) for each in (w, w / 2))
    assert counted.node_count > 100
    for field in ("children_left", "feature", "threshold", "n_node_samples"):
        assert_array_equal(getattr(counted, field), getattr(weighed, field), err_msg=field)
    assert_allclose(counted.value, weighed.value, rtol=1e-12)


@pytest.mark.parametrize("kind", ["gini-2", "gini-3", "squared_error"])
@pytest.mark.parametrize("min_leaf", [2, 20])
@pytest.mark.parametrize("n", [60, 250])
def test_leaves_keep_their_least_rows(kind, min_leaf, n):
    table, target, y = problem(kind, n)
    w = np.random.default_rng(0).integers(1, 4, n).astype(float)  # rows count, not weights
    rules = Rules(max_features=4, min_samples_leaf=min_leaf, min_samples_split=2 * min_leaf)
    tree = grow_coded(encode(table, target, 1), rules, w, 0)
    assert tree.n_node_samples.min() >= min_leaf and tree.node_count > 1
    gain = (
        tree.impurity[0]
        - sum(
            tree.weighted_n_node_samples[c] * tree.impurity[c] for c in (tree.children_left[0], tree.children_right[0])
        )
        / w.sum()
    )
    assert_allclose(gain, best_decrease(table.X, y, w, kind.split("-")[0], min_leaf), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("random", [False, True])
def test_small_tables_grow_the_trees_of_the_exact_grower(kind, random):
    table, target, _ = problem(kind, 200, d=6)
    counts = np.bincount(np.random.default_rng(0).integers(0, 200, 200), minlength=200).astype(float)
    rules = Rules(max_features=3, random=random)
    for weight in (None, counts):
        ours = grow_coded(encode(table, target, 1), rules, weight, seed=11)
        exact = grow(prepare(table.X, table.levels, layout_of(rules, 6, False)), target, rules, weight, 11)
        assert np.array_equal(ours.children_left, exact.children_left) and np.array_equal(ours.feature, exact.feature)
        assert_allclose(ours.threshold, exact.threshold, rtol=0, atol=0)
        assert_allclose(ours.value, exact.value, rtol=1e-12)
        assert_allclose(ours.impurity, exact.impurity, rtol=1e-9, atol=1e-12)
        assert np.array_equal(ours.n_node_samples, exact.n_node_samples)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("random", [False, True])
@pytest.mark.parametrize("levels", [None, 2, 300])
def test_rows_reach_the_leaves_they_were_put_in(kind, random, levels):
    table, target, y = problem(kind, 3000, levels=levels)
    tree = grow_coded(encode(table, target, 2), Rules(max_features=2, random=random, min_samples_leaf=3), None, 5)
    leaf = tree.apply(table.X)
    assert np.array_equal(
        np.bincount(leaf, minlength=tree.node_count)[tree.children_left < 0],
        tree.n_node_samples[tree.children_left < 0],
    )
    said = tree.value[leaf, 0]
    for number in np.unique(leaf)[:50]:
        rows = leaf == number
        expected = (
            y[rows].mean() if kind == "squared_error" else np.bincount(y[rows], minlength=said.shape[1]) / rows.sum()
        )
        assert_allclose(said[rows][0], expected, rtol=1e-12)


def test_more_values_than_codes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 2))
    y = X[:, 0] + 0.01 * rng.normal(size=len(X))
    table, target = Table(X, [0, 0], X.dtype), number_target("squared_error", y[:, None])
    for random in (False, True):
        tree = grow_coded(encode(table, target, 2), Rules(max_features=2, random=random, max_depth=12), None, 0)
        leaf = tree.apply(X)
        assert np.array_equal(
            np.bincount(leaf, minlength=tree.node_count)[tree.children_left < 0],
            tree.n_node_samples[tree.children_left < 0],
        )


def test_what_it_leaves_to_the_exact_grower():
    table, target, _ = problem("gini-2", 50)
    rules = Rules(max_features=2)
    gap = table.X.copy()
    gap[3, 1] = np.nan
    assert knows(table, target, rules)
    assert not knows(table._replace(X=gap), target, rules)
    assert not knows(table._replace(levels=[0, 3, 0, 0]), target, rules)
    assert not knows(table, target, rules._replace(max_leaf_nodes=5))
    assert not knows(table, target, rules._replace(monotone=(1, 0, 0, 0)))
    assert not knows(table, number_target("absolute_error", np.ones((50, 1))), rules)


def test_a_pure_node_and_offsets_far_from_zero():
    X = np.arange(10.0)[:, None]
    table = Table(X, [0], X.dtype)
    tree = grow_coded(
        encode(table, number_target("squared_error", np.full((10, 1), 7.0)), 1), Rules(max_features=1), None, 0
    )
    assert tree.node_count == 1 and tree.value[0, 0, 0] == 7 and tree.impurity[0] == 0
    y = 1e9 + np.repeat([0.0, 1e-3], 5)
    tree = grow_coded(encode(table, number_target("squared_error", y[:, None]), 1), Rules(max_features=1), None, 0)
    assert tree.node_count == 3 and tree.threshold[0] == 4.5
