"""Cost-complexity pruning against its definition, all subtrees of a small tree, and scikit-learn."""

import numpy as np
import pytest
import sklearn.tree
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import cross_val_score

from novum.engines.trees.pruning import collapse, prune, pruning_path
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
label = (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)
number = X[:, 0] + rng.normal(size=300)


def subtrees(tree, node=0):
    """Yield all ways to prune below a node, as the leaves that are left."""
    yield (node,)
    if tree.children_left[node] != -1:
        for left in subtrees(tree, tree.children_left[node]):
            for right in subtrees(tree, tree.children_right[node]):
                yield left + right


@pytest.mark.notes("002", "tree-pruning")
def test_the_smallest_subtree_of_least_cost_for_every_price():
    tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=15).fit(X, label).tree_
    cost = tree.weighted_n_node_samples * tree.impurity / 300
    every = list(subtrees(tree))
    alphas = pruning_path(tree).alpha
    assert len(every) > 50 and (np.diff(alphas) >= -1e-15).all()
    for alpha in np.concatenate([alphas * 0.999, alphas * 1.001 + 1e-9, [0.01, 1.0]]):
        prices = np.array([cost[list(leaves)].sum() + alpha * len(leaves) for leaves in every])
        pruned = prune(tree, alpha)
        leaf = pruned.children_left == -1
        ours = (pruned.weighted_n_node_samples * pruned.impurity)[leaf].sum() / 300 + alpha * leaf.sum()
        assert_allclose(ours, prices.min(), rtol=1e-12)
        assert leaf.sum() == min(len(v) for v, p in zip(every, prices) if p < prices.min() + 1e-12)


@pytest.mark.notes("002", "tree-pruning")
def test_price_chosen_by_folds():
    path = DecisionTreeRegressor().cost_complexity_pruning_path(X, number)
    alphas = np.quantile(path.ccp_alphas, [0, 0.5, 0.9, 0.99, 1])
    scores = [cross_val_score(DecisionTreeRegressor(ccp_alpha=alpha), X, number, cv=5).mean() for alpha in alphas]
    assert max(scores[1:]) > scores[0]
    assert DecisionTreeRegressor(ccp_alpha=alphas[-1]).fit(X, number).get_n_leaves() == 1


@pytest.mark.parametrize("kind", ["Classifier", "Regressor"])
def test_path_is_scikit_learns(kind):
    ours, theirs = (
        {"Classifier": DecisionTreeClassifier, "Regressor": DecisionTreeRegressor}[kind],
        getattr(sklearn.tree, f"DecisionTree{kind}"),
    )
    y = label if kind == "Classifier" else number
    x = X.astype(np.float32).astype(float)
    a, b = (
        ours(max_depth=3).cost_complexity_pruning_path(x, y),
        theirs(max_depth=3, random_state=0).cost_complexity_pruning_path(x, y),
    )
    assert_allclose(a.ccp_alphas, b.ccp_alphas, rtol=1e-9, atol=1e-14)
    assert_allclose(a.impurities, b.impurities, rtol=1e-9)


def test_collapse_keeps_rows_sets_and_order():
    codes = rng.integers(0, 40, 300).astype(float)
    y = rng.integers(0, 2, 40)[codes.astype(int)] ^ (rng.random(300) < 0.1)
    Z = np.column_stack([codes, X[:, 0]])
    tree = DecisionTreeClassifier(categorical_features=[0], min_samples_leaf=5).fit(Z, y).tree_
    inner = np.flatnonzero(tree.children_left != -1)
    chosen = inner[[len(inner) // 2]]
    pruned = collapse(tree, chosen)
    path = tree.decision_path(Z).toarray().astype(bool)
    below, other = path[:, chosen[0]], ~path[:, chosen[0]]
    assert len(set(pruned.apply(Z)[below])) == 1
    assert_array_equal(pruned.predict(Z)[other], tree.predict(Z)[other])
    assert_array_equal(pruned.predict(Z)[below][0], tree.value[chosen[0], 0])
    sets = [tuple(pruned.left_categories(i)) for i in range(pruned.node_count)]
    assert sets[0] == tuple(tree.left_categories(0)) and sets[0]


def test_a_root_alone():
    tree = DecisionTreeClassifier().fit(X[:3], [1, 1, 1]).tree_
    path = pruning_path(tree)
    assert_array_equal(path.alpha, [0.0])
    assert prune(tree, 1.0).node_count == 1
