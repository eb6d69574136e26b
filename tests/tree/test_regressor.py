"""Regression trees: the notes' numbers, scikit-learn, medians, constraints, refusals."""

import numpy as np
import pytest
import sklearn.tree
from numpy.testing import assert_allclose, assert_array_equal

from novum.exceptions import DataError
from novum.tree import DecisionTreeRegressor, ExtraTreeRegressor, split_impurity

rng = np.random.default_rng(0)


@pytest.mark.notes("002", "decision-tree")
def test_squared_errors_of_all_splits():
    x, y = np.arange(1.0, 6), np.array([1, 1.2, 0.9, 3, 3.2])
    tree = DecisionTreeRegressor(max_depth=1).fit(x[:, None], y).tree_
    assert_allclose(5 * tree.impurity[0], 5.192, rtol=1e-12)
    left = [5 * split_impurity([y[x <= t], y[x > t]], "squared_error") for t in (1.5, 2.5, 3.5, 4.5)]
    assert_allclose(left, [4.2675, 3.266667, 0.066667, 2.9475], atol=5e-7)
    assert tree.threshold[0] == 3.5
    assert_allclose(tree.n_node_samples[1:] @ tree.impurity[1:], 0.066667, atol=5e-7)
    assert_allclose(tree.value[1:, 0, 0], [31 / 30, 3.1], rtol=1e-14)


@pytest.mark.notes("004", "regression-tree")
@pytest.mark.notes("000-a", "dt-regressor")
def test_variance_and_mean_of_the_leaves():
    x, y = np.array([1.0, 2, 3, 10, 11, 12]), np.array([1, 1.2, 0.8, 5, 5.4, 4.6])
    model = DecisionTreeRegressor(max_depth=1).fit(x[:, None], y)
    assert_allclose(model.tree_.impurity[0], 4.066667, atol=5e-7)
    weighted = [split_impurity([y[x <= t], y[x > t]], "squared_error") for t in (1.5, 2.5, 6.5, 10.5, 11.5)]
    assert_allclose(weighted, [3.266667, 2.261667, 0.066667, 2.066667, 3.554667], atol=5e-7)
    assert model.tree_.threshold[0] == 6.5
    assert_allclose(model.predict([[2.5], [100.0]]), [1.0, 5.0], rtol=1e-14)
    assert model.is_categorical_.tolist() == [False]  # a threshold, not a set of values


@pytest.mark.notes("000-a", "dt-regressor")
@pytest.mark.notes("004", "regression-tree")
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_scikit_learns_tree(criterion):
    X = rng.normal(size=(400, 4)).astype(np.float32).astype(float)
    y = np.exp(X[:, 0] + 0.3 * rng.normal(size=400))
    # equal absolute errors are common, and scikit-learn draws the split it takes: only the first can be compared
    settings = {
        "criterion": criterion,
        "min_samples_leaf": 10,
        "max_depth": 1 if criterion == "absolute_error" else None,
    }
    w = rng.random(400)
    for weight in (None, w):
        ours = DecisionTreeRegressor(**settings).fit(X, y, weight)
        theirs = sklearn.tree.DecisionTreeRegressor(**settings, random_state=0).fit(X, y, weight)
        loss = [
            (t.weighted_n_node_samples * t.impurity)[t.children_left == -1].sum() for t in (ours.tree_, theirs.tree_)
        ]
        assert_allclose(*loss, rtol=1e-9)
        assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
        assert_allclose(ours.tree_.threshold, theirs.tree_.threshold, rtol=1e-12)
        assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, rtol=1e-9, atol=1e-9)
        assert_allclose(ours.tree_.value, theirs.tree_.value, rtol=1e-12)
        assert_array_equal(ours.apply(X), theirs.apply(X))
        assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12)


def test_targets_far_from_zero_lose_nothing():
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300).round(3)
    near = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y).tree_
    far = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y + 2.0**30).tree_
    assert_array_equal(near.feature, far.feature)
    small = DecisionTreeRegressor(min_samples_leaf=5).fit(X, y * 2.0**-60).tree_
    assert_array_equal(near.feature, small.feature)  # purity has no scale


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_constraints_hold(criterion):
    X = rng.normal(size=(500, 2))
    y = X[:, 0] - X[:, 1] + rng.normal(size=500)
    grid = np.linspace(-3, 3, 80)
    for settings in ({}, {"max_leaf_nodes": 40}, {"splitter": "random", "random_state": 0}):
        model = DecisionTreeRegressor(criterion=criterion, monotonic_cst=[1, -1], min_samples_leaf=3, **settings).fit(
            X, y
        )
        for fixed in (-1.0, 0.0, 1.0):
            assert (np.diff(model.predict(np.column_stack([grid, np.full(80, fixed)]))) >= 0).all()
            assert (np.diff(model.predict(np.column_stack([np.full(80, fixed), grid]))) <= 0).all()
        assert model.get_n_leaves() > 5


def test_several_outputs_and_categories():
    code = rng.integers(0, 12, 400)
    mean = rng.normal(size=(12, 2))
    Y = mean[code] + 0.01 * rng.normal(size=(400, 2))
    X = np.column_stack([code, rng.normal(size=400)]).astype(float)
    model = DecisionTreeRegressor(categorical_features=[0], min_samples_leaf=5).fit(X, Y)
    assert model.predict(X).shape == (400, 2) and model.score(X, Y) > 0.99
    plain = DecisionTreeRegressor(min_samples_leaf=5, max_depth=2).fit(X, Y)
    assert DecisionTreeRegressor(categorical_features=[0], min_samples_leaf=5, max_depth=2).fit(X, Y).score(
        X, Y
    ) > plain.score(X, Y)
    random = ExtraTreeRegressor(categorical_features=[0], random_state=0).fit(X, Y)
    assert_allclose(random.predict(X), Y, rtol=1e-12)


def test_a_price_per_leaf():
    X = rng.normal(size=(300, 2))
    y = np.sign(X[:, 0]) + 0.1 * rng.normal(size=300)
    assert DecisionTreeRegressor(ccp_alpha=0.05).fit(X, y).get_n_leaves() == 2


def test_older_name_and_refusals():
    with pytest.warns(FutureWarning, match="friedman_mse"):
        assert DecisionTreeRegressor(criterion="friedman_mse").criterion == "squared_error"
    X = rng.normal(size=(4, 1))
    with pytest.raises(DataError, match="negative which is not allowed for Poisson"):
        DecisionTreeRegressor(criterion="poisson").fit(X, [1, 2, -1, 0])
    with pytest.raises(DataError, match="Sum of y is not positive"):
        DecisionTreeRegressor(criterion="poisson").fit(X, [0, 0, 0, 0])
    with pytest.raises(DataError, match="no number"):
        DecisionTreeRegressor().fit(X, ["a", "b", "c", "d"])
