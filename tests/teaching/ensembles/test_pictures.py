"""Pictures of ensembles: flows, the attention of boosting, votes of trees, bagging against boosting; each computed again here."""

import numpy as np
import pytest
from artists import arrows, bars, canvas, curves, meshes, scatters, tick_words, words
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier as PeerTree

from novum.ensemble import AdaBoostClassifier, RandomForestClassifier
from novum.exceptions import DataError, ParameterError
from novum.teaching import compare_ensembles, plot_attention, plot_committee, plot_flow
from novum.teaching.ensembles.flows import FLOWS
from novum.tree import DecisionTreeClassifier

FLOW = {
    "bagging": {
        ("rows", "bootstrap sample 1"),
        ("bootstrap sample 1", "model 1"),
        ("model 1", "vote or mean"),
        ("rows", "bootstrap sample 2"),
        ("bootstrap sample 2", "model 2"),
        ("model 2", "vote or mean"),
        ("rows", "bootstrap sample B"),
        ("bootstrap sample B", "model B"),
        ("model B", "vote or mean"),
    },
    "stacking": {
        ("rows", "model 1"),
        ("rows", "model 2"),
        ("rows", "model B"),
        ("model 1", "answers on held-out folds"),
        ("model 2", "answers on held-out folds"),
        ("model B", "answers on held-out folds"),
        ("answers on held-out folds", "model of the answers"),
        ("model of the answers", "answer"),
    },
}


def nearest(place, boxes):
    return min(boxes, key=lambda name: abs(boxes[name][0] - place[0]) / 1.5 + abs(boxes[name][1] - place[1]) / 0.56)


@pytest.mark.notes("000-c", "plot-ensembles")
@pytest.mark.parametrize("kind", sorted(FLOW))
def test_flows_of_bagging_and_stacking(kind):
    ax = plot_flow(kind, canvas())
    boxes = {text.replace("\n", " "): place for text, place in words(ax).items()}
    drawn = {(nearest(tail, boxes), nearest(head, boxes)) for tail, head in arrows(ax)}
    assert drawn == FLOW[kind]
    for patch, (column, row, _) in zip(ax.patches, FLOWS[kind].boxes.values()):
        assert_allclose(np.add(patch.get_xy(), [0.75, 0.28]), [column, row])
    ax = plot_flow("boosting", canvas())  # one model after the other, each with new weights; all of them vote
    named = [text for text in ax.texts if text.get_text()]
    places = [text.get_position() for text in named]
    assert [text.get_text().replace("\n", " ") for text in named] == [
        "equal weights",
        "model 1",
        "weights up where wrong",
        "model 2",
        "weights up where wrong",
        "model M",
        "weighted vote",
    ]
    drawn = {tuple(int(np.argmin(np.abs(np.subtract(places, end)) @ [1, 3])) for end in arrow) for arrow in arrows(ax)}
    assert drawn == {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (1, 6), (3, 6), (5, 6)}
    with pytest.raises(ParameterError, match="must be one of 'bagging', 'boosting', 'stacking'"):
        plot_flow("voting")


@pytest.mark.notes("000-c", "plot-ensembles")
def test_rows_grow_with_their_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "in", "out")
    model = AdaBoostClassifier(n_estimators=4).fit(X, y)
    axes = plot_attention(model, X, y, rounds=(1, 2, 4), ax=canvas(1, 3))
    weight, shown = np.full(40, 1 / 40), {}
    for step in (1, 2, 3, 4):
        stump = PeerTree(max_depth=1).fit(X, y, sample_weight=weight)
        wrong = stump.predict(X) != y
        error = weight[wrong].sum()
        shown[step] = weight, stump, error
        weight = np.where(wrong, weight * (1 - error) / error, weight)
        weight = weight / weight.sum()
    for ax, step in zip(axes, (1, 2, 4)):
        weight, stump, error = shown[step]
        cloud = ax.collections[-1]
        assert_allclose(scatters(ax)[0], X)
        assert_allclose(cloud.get_sizes(), 20 * 40 * weight, rtol=1e-9)
        assert_array_equal(cloud.get_array(), y == "out")
        (mesh,) = meshes(ax)
        for edge, column in zip((mesh.x, mesh.y), X.T):  # the window holds the rows with room around them
            assert column.min() - np.ptp(column) < edge[0] < column.min() and edge[-1] > column.max()
        at = np.stack(np.meshgrid(mesh.x, mesh.y), -1).reshape(-1, 2)
        assert (mesh.value.ravel() != (stump.predict(at) == "out")).mean() < 0.01
        assert ax.get_title() == f"round {step}: error {error:.3g}"
    with pytest.raises(ParameterError, match=r"rounds=\[9\]\): the model has 4 rounds"):
        plot_attention(model, X, y, rounds=[9])
    with pytest.raises(DataError, match="points of the plane"):
        plot_attention(model, np.ones((4, 3)), [0, 1, 0, 1])


@pytest.mark.notes("000-a", "fig-tree")
def test_trees_of_a_forest_with_their_votes_and_the_answer():
    X, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(7, max_depth=3, random_state=1).fit(X, np.array(["a", "b", "c"])[y])
    row = X[106]  # a virginica that some trees take for a versicolor
    *trees, answer = plot_committee(forest, row, n_trees=2, max_depth=None, ax=canvas(1, 3))
    shares = []
    for tree in forest.estimators_:
        node, table = 0, tree.tree_
        while table.children_left[node] >= 0:
            left = row[table.feature[node]] <= table.threshold[node]
            node = table.children_left[node] if left else table.children_right[node]
        shares.append((table.value[node, 0] / table.value[node, 0].sum(), node))
    assert len({int(np.argmax(share)) for share, _ in shares}) > 1  # they do not agree
    for k, ax in enumerate(trees):
        share, leaf = shares[k]
        assert ax.get_title() == f"tree {k + 1} says {'abc'[int(np.argmax(share))]}"
        heavy = [line.get_xydata() for line in ax.lines if line.get_linewidth() > 2]
        depth = forest.estimators_[k].tree_.depths()[leaf]
        assert len(heavy) == depth  # the way of the row, from the root to its leaf
        end = min((place for line in heavy for place in line), key=lambda place: place[1])
        box = next(t for t in ax.texts if np.allclose(t.get_position(), end))
        assert box.get_text().splitlines()[-1] == f"class = {'abc'[int(np.argmax(share))]}"
    place, height = bars(answer)
    mean = np.mean([share for share, _ in shares], axis=0)
    assert_allclose(height, mean, rtol=1e-9)
    assert_allclose(place, [0, 1, 2])
    assert tick_words(answer) == ["a", "b", "c"] and answer.get_title() == f"7 trees say {'abc'[mean.argmax()]}"
    with pytest.raises(ParameterError, match=r"plot_committee\(n_trees=9\): the forest has 7 trees"):
        plot_committee(forest, row, n_trees=9)


@pytest.mark.notes("003", "ensemble-comparison")
def test_noisy_labels_hurt_boosting_more_than_bagging():
    X, y = make_classification(500, 10, n_informative=4, flip_y=0, class_sep=1.0, random_state=2)
    bases = {"stump": DecisionTreeClassifier(max_depth=1), "tree": DecisionTreeClassifier(max_depth=4)}
    found = compare_ensembles(X, y, bases, sizes=(2, 25), noise=(0.0, 0.25), n_splits=2, random_state=0)
    ax = found.plot(canvas())
    drawn = curves(ax)
    assert len(drawn) == 6
    for b, base in enumerate(("stump", "tree")):
        for m, method in enumerate(("single", "bagging", "boosting")):
            assert_allclose(drawn[f"{method}, {base}"], np.column_stack([[0.0, 0.25], found.error[m, b, -1]]))
    members = curves(found.plot(canvas(), over="members"))
    assert_allclose(members["boosting, stump"], np.column_stack([[2, 25], found.error[2, 0, :, 0]]))
    fall = {name: line[1, 1] - line[0, 1] for name, line in drawn.items()}
    assert fall["boosting, tree"] > fall["bagging, tree"] + 0.03  # wrong labels average out in bags
    clean = {name: line[0, 1] for name, line in drawn.items()}
    assert clean["bagging, tree"] < clean["single, tree"] - 0.02  # bags help what is unstable
    assert clean["boosting, stump"] < clean["bagging, stump"] - 0.03  # boosting makes more of a stump than bags do
    frame = found.to_frame()
    row = frame[(frame.method == "boosting") & (frame.base == "tree") & (frame.members == 25) & (frame.noise == 0.25)]
    assert row.error.item() == found.error[2, 1, 1, 1]


@pytest.mark.notes("003", "ensemble-comparison")
def test_the_errors_are_those_of_the_models():
    X, y = make_classification(120, 6, random_state=1)
    base = {"tree": DecisionTreeClassifier(max_depth=3)}
    found = compare_ensembles(X, y, base, sizes=(5,), noise=(0.0,), n_splits=1, random_state=3)
    rng = np.random.default_rng(3)
    order = rng.permutation(120)
    train, test, seed = order[:60], order[60:], int(rng.integers(2**31))
    models = (
        base["tree"],
        BaggingClassifier(base["tree"], 5, random_state=seed),
        AdaBoostClassifier(base["tree"], n_estimators=5, random_state=seed),
    )
    assert_allclose(found.error[:, 0, 0, 0], [1 - m.fit(X[train], y[train]).score(X[test], y[test]) for m in models])
    with pytest.raises(ParameterError, match="give 'noise' or 'members'"):
        found.plot(over="rows")


@pytest.mark.notes("003", "ensemble-comparison")
def test_a_share_of_labels_gets_another_class():
    from novum.teaching.ensembles.rivalry import wrong_labels

    code = np.repeat([0, 1, 2], 100)
    spoiled = wrong_labels(code, 3, 0.2, np.random.default_rng(0))
    assert (spoiled != code).sum() == 60 and set(spoiled) == {0, 1, 2}
