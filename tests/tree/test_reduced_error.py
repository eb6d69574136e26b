"""Pruning by held-out rows: the notes' example, brute force over single cuts, and the curve of errors against size."""

import numpy as np
import pandas as pd
import pytest
from artists import canvas, curve
from numpy.testing import assert_allclose, assert_array_equal

from novum.datasets import load_go_to_lesson
from novum.engines.trees.exact import class_target
from novum.engines.trees.pruning import collapse
from novum.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor
from novum.tree.reduced_error import held_out, leaf_scores, prune_by_score

rng = np.random.default_rng(0)
X = rng.normal(size=(600, 4))
label = (X[:, 0] + 0.7 * rng.normal(size=600) > 0).astype(int)


@pytest.mark.notes("000-a", "dt-postprune")
@pytest.mark.notes("001", "reduced-error-pruning")
def test_the_rain_branch_of_the_lesson_is_pruned():
    cells, goes = load_go_to_lesson(return_X_y=True, as_frame=True)
    full = ID3().fit(cells, goes)
    tree = full.tree_
    rows = ["RCP", "RCT", "RUP", "OCP", "OCT", "SCP"]
    code = np.array([["SOR".index(a), "CU".index(b), "TP".index(c)] for a, b, c in rows], float)
    truth = class_target("entropy", np.array([[0], [0], [0], [1], [0], [0]]), np.array([2]))
    score = leaf_scores(tree, code, truth, np.ones(6))
    _, overcast, rain = tree.branches(0)
    assert score[[rain, overcast, 0]].tolist() == [3, 1, 5]
    pruned, log = prune_by_score(tree, score, 6.0)
    assert log["node"].tolist() == [rain]
    assert_allclose([log["before"][0], log["after"][0]], [4 / 6, 1])
    assert pruned.feature.tolist().count(-2) == 4 and pruned.max_depth == 2
    again, log = prune_by_score(pruned, leaf_scores(pruned, code, truth, np.ones(6)), 6.0)
    assert not len(log["node"]) and again.node_count == pruned.node_count


@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_every_round_takes_the_best_cut(kind):
    y = label if kind is DecisionTreeClassifier else X[:, 0] + rng.normal(size=600)
    model = kind(pruning="reduced_error", validation_fraction=0.3, random_state=4, max_depth=5).fit(X, y)
    full = kind(max_depth=5)
    data = full._read(X, y, None)
    judging = held_out(data.target, 600, 0.3, model._read(X, y, None).seed)
    full.fit(X[~judging], y[~judging])

    def score(tree):
        answer = tree.value[:, 0].argmax(1) if kind is DecisionTreeClassifier else tree.value[:, 0, 0]
        said = answer[tree.apply(X[judging])]
        return (said == y[judging]).mean() if kind is DecisionTreeClassifier else -((said - y[judging]) ** 2).mean()

    tree, log = full.tree_, model.pruning_log_
    cut = []
    for node, before, after in zip(log["node"], log["before"], log["after"]):
        assert_allclose(score(collapse(tree, np.array(cut, int))), before, atol=1e-12)
        alive = collapse(tree, np.array(cut, int))
        options = [score(collapse(alive, np.array([t]))) for t in np.flatnonzero(alive.feature >= 0)]
        assert_allclose(after, max(options), atol=1e-12)
        cut.append(node)
    assert_array_equal(model.tree_.feature, collapse(tree, np.array(cut)).feature)
    assert max(score(collapse(model.tree_, np.array([t]))) for t in np.flatnonzero(model.tree_.feature >= 0)) < after
    assert model.get_n_leaves() < full.get_n_leaves()


def test_the_held_out_part_has_every_class_in_its_share():
    target = class_target("gini", np.repeat([0, 1, 2], [100, 30, 1])[:, None], np.array([3]))
    mask = held_out(target, 131, 0.2, 7)
    assert np.bincount(target.code[mask, 0], minlength=3).tolist() == [20, 6, 0]
    assert not (held_out(target, 131, 0.2, 8) == mask).all() and held_out(target, 131, 1e-9, 0).sum() == 1


def test_pruned_trees_of_divided_rows_and_zero_weights():
    cells = pd.DataFrame({"a": rng.integers(0, 4, 500).astype(str), "b": rng.integers(0, 5, 500).astype(str)})
    y = (cells["a"] == "1") ^ (rng.random(500) < 0.2)
    holes = cells.mask(rng.random(cells.shape) < 0.2)
    model = C45(random_state=0).fit(holes, y)
    assert model.get_n_leaves() < C45(pruning=None).fit(holes, y).get_n_leaves() and model.score(cells, y) > 0.75
    weight = (rng.random(500) < 0.5).astype(float)
    kept = weight > 0
    assert_array_equal(
        C45(random_state=0).fit(holes, y, sample_weight=weight).predict(cells),
        C45(random_state=0).fit(holes[kept], y[kept]).predict(cells),
    )


@pytest.mark.notes("001", "tree-size-curve")
@pytest.mark.parametrize("kind", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_curve_of_errors_against_size(kind):
    y = label if kind is DecisionTreeClassifier else X[:, 0] + rng.normal(size=600)
    model = kind(random_state=1, validation_fraction=0.4)
    found = model.pruning_curve(X, y)
    judging = held_out(model._read(X, y, None).target, 600, 0.4, model._read(X, y, None).seed)
    assert found.n_leaves[-1] == 1 and (np.diff(found.n_leaves) < 0).all()
    assert_allclose(found.training_error[0], 0, atol=1e-12)
    assert (np.diff(found.training_error) >= -1e-12).all()
    for k in (0, len(found.n_leaves) // 2, found.best_index):
        tree = kind(ccp_alpha=max(found.ccp_alphas[k] * (1 + 1e-9), 0)).fit(X[~judging], y[~judging])
        error = (tree.predict(X[judging]) - y[judging]) ** 2
        assert tree.get_n_leaves() <= found.n_leaves[k]
        if tree.get_n_leaves() == found.n_leaves[k]:
            assert_allclose(found.validation_error[k], error.mean(), rtol=1e-9)
    best = found.validation_error.min()
    assert 1 < found.n_leaves[found.best_index] < found.n_leaves[0] and found.validation_error[0] > best
    assert not hasattr(model, "tree_") and "trees" in repr(found) and len(found.to_frame()) == len(found.n_leaves)
    axes = found.plot(canvas())
    assert_allclose(curve(axes, "training"), [found.n_leaves, found.training_error])
    assert_allclose(curve(axes, "held out"), [found.n_leaves, found.validation_error])
    low = found.validation_error.argmin() if (found.validation_error == best).sum() == 1 else found.best_index
    assert_allclose(curve(axes, 2), [[found.n_leaves[low]], [best]])
    assert axes.get_xlabel() == "leaves"
