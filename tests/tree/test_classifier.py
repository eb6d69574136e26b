"""Classification trees: the notes' numbers, scikit-learn, frames, weights, constraints, refusals."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn.tree
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

import novum
from novum.datasets import load_play_tennis
from novum.exceptions import DataError, ParameterError
from novum.tree import DecisionTreeClassifier, ExtraTreeClassifier, impurity, split_impurity

rng = np.random.default_rng(0)
iris = load_iris()
DEGREES = np.array([40.0, 48, 60, 72, 80, 90])[:, None]
PLAYED = np.array(["N", "N", "Y", "Y", "Y", "N"])


@pytest.mark.notes("000-a", "dt-threshold")
@pytest.mark.notes("001", "continuous-split")
def test_threshold_of_a_real_attribute():
    tree = DecisionTreeClassifier(criterion="entropy", max_depth=1).fit(DEGREES, PLAYED).tree_
    assert tree.threshold[0] == 54
    gains = []
    for t in (44, 54, 66, 76, 85):
        groups = [[np.sum(PLAYED[side] == c) for c in "NY"] for side in (DEGREES[:, 0] <= t, DEGREES[:, 0] > t)]
        gains.append(impurity([3, 3], "entropy") - split_impurity(groups, "entropy"))
    assert_allclose(gains, [0.190875, 0.459148, 0.081704, 0, 0.190875], atol=5e-7)
    share = tree.n_node_samples[1:] / 6
    assert_allclose(tree.impurity[0] - share @ tree.impurity[1:], 0.459148, atol=5e-7)


@pytest.mark.notes("004", "greedy-tree")
def test_greedy_choice_of_the_least_weighted_impurity():
    tennis = load_play_tennis(as_frame=True)

    def counts(side):
        return [np.sum(np.asarray(tennis.target)[side] == c) for c in ("No", "Yes")]

    for criterion in ("gini", "entropy"):
        model = DecisionTreeClassifier(criterion=criterion).fit(tennis.data, tennis.target)
        assert_array_equal(model.predict(tennis.data), tennis.target)  # grown until pure
        tree = model.tree_
        left = set(tree.left_categories(0))
        costs = {}
        for name in tennis.data:
            codes = tennis.data[name].cat.codes.to_numpy()
            for mask in range(1, 2 ** len(tennis.data[name].cat.categories) - 1):
                side = (mask >> codes & 1).astype(bool)
                if side.any() and not side.all():
                    costs[name, mask] = split_impurity([counts(side), counts(~side)], criterion)
        name, mask = min(costs, key=costs.get)
        assert tennis.data.columns[tree.feature[0]] == name == "Outlook"
        assert left in ({i for i in range(3) if mask >> i & 1}, {i for i in range(3) if not mask >> i & 1})


@pytest.mark.notes("002", "decision-tree")
@pytest.mark.notes("000-a", "dt-preprune")
def test_rules_that_stop():
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    assert DecisionTreeClassifier(max_depth=3).fit(X, y).get_depth() == 3
    tree = DecisionTreeClassifier(min_samples_leaf=20).fit(X, y).tree_
    leaf = tree.children_left == -1
    assert tree.n_node_samples[leaf].min() >= 20
    tree = DecisionTreeClassifier(min_samples_split=60).fit(X, y).tree_
    assert tree.n_node_samples[tree.children_left != -1].min() >= 60
    tree = DecisionTreeClassifier(min_impurity_decrease=0.004).fit(X, y).tree_
    inner = np.flatnonzero(tree.children_left != -1)
    mass = tree.weighted_n_node_samples * tree.impurity / 500
    assert (mass[inner] - mass[tree.children_left[inner]] - mass[tree.children_right[inner]] >= 0.004).all()
    w = rng.random(500)
    tree = DecisionTreeClassifier(min_weight_fraction_leaf=0.1).fit(X, y, w).tree_
    assert tree.weighted_n_node_samples[tree.children_left == -1].min() >= 0.1 * w.sum()
    assert DecisionTreeClassifier(max_leaf_nodes=9).fit(X, y).get_n_leaves() == 9


@pytest.mark.notes("003", "trees-named")
def test_the_first_splits_matter_most():
    X = rng.normal(size=(1000, 6))
    y = (2 * X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=1000) > 0).astype(int)
    model = DecisionTreeClassifier().fit(X, y)
    tree, depth = model.tree_, model.tree_.depths()
    inner = np.flatnonzero(tree.children_left != -1)
    mass = tree.weighted_n_node_samples * tree.impurity
    fall = mass[inner] - mass[tree.children_left[inner]] - mass[tree.children_right[inner]]
    by_depth = np.bincount(depth[inner], fall)
    assert by_depth[:3].sum() > 0.6 * by_depth.sum()
    fresh = rng.normal(size=(4000, 6))
    truth = (2 * fresh[:, 0] - fresh[:, 1] > 0).astype(int)
    pruned = DecisionTreeClassifier(ccp_alpha=0.003).fit(X, y)
    assert (
        pruned.get_n_leaves() < model.get_n_leaves() / 2
        and pruned.score(fresh, truth) > model.score(fresh, truth) - 0.01
    )


@pytest.mark.notes("004", "greedy-tree")
@pytest.mark.notes("004", "entropy-impurity")
@pytest.mark.notes("000-a", "dt-learn")
@pytest.mark.notes("001", "tree-grow")
@pytest.mark.notes("001", "tree-classifier")
@pytest.mark.notes("002", "decision-tree")
@pytest.mark.notes("004", "gini")
@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_scikit_learns_tree(criterion):
    X = rng.normal(size=(900, 4)).astype(np.float32).astype(float)
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=900), [-0.5, 0.5])
    settings = {
        "criterion": criterion,
        "min_samples_leaf": 25,
        "max_depth": 3,
    }  # small nodes have equal splits, of which it draws one
    for weight in (None, rng.random(900)):
        ours = DecisionTreeClassifier(**settings).fit(X, y, weight)
        theirs = sklearn.tree.DecisionTreeClassifier(**settings, random_state=0).fit(X, y, weight)
        assert_array_equal(ours.tree_.feature, theirs.tree_.feature)
        assert_allclose(ours.tree_.threshold, theirs.tree_.threshold, rtol=1e-12)
        assert_allclose(ours.tree_.impurity, theirs.tree_.impurity, rtol=1e-9, atol=1e-12)
        assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
        assert_array_equal(ours.apply(X), theirs.apply(X))
    with np.errstate(divide="ignore"):
        assert_array_equal(ours.predict_log_proba(X), np.log(ours.predict_proba(X)))


def test_constraints_hold_for_scikit_learn_and_ours():
    X = rng.normal(size=(800, 2)).astype(np.float32).astype(float)
    y = (X[:, 0] - X[:, 1] + rng.normal(size=800) > 0).astype(int)
    model = DecisionTreeClassifier(monotonic_cst=[1, -1], min_samples_leaf=5).fit(X, y)
    theirs = sklearn.tree.DecisionTreeClassifier(monotonic_cst=[1, -1], min_samples_leaf=5, random_state=0).fit(X, y)
    grid = np.linspace(-3, 3, 60)
    for fixed in (-1.0, 0.0, 1.0):
        assert (np.diff(model.predict_proba(np.column_stack([grid, np.full(60, fixed)]))[:, 1]) >= 0).all()
        assert (np.diff(model.predict_proba(np.column_stack([np.full(60, fixed), grid]))[:, 1]) <= 0).all()
    assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)


def test_several_outputs():
    X = rng.normal(size=(300, 3))
    Y = np.column_stack(
        [np.where(X[:, 0] > 0, "b", "a"), np.where(X[:, 1] > 0.5, "z", np.where(X[:, 1] > -0.5, "y", "x"))]
    )
    model = DecisionTreeClassifier().fit(X, Y)
    assert_array_equal(model.predict(X), Y)
    shares = model.predict_proba(X)
    assert [one.shape for one in shares] == [(300, 2), (300, 3)] and model.n_outputs_ == 2
    for o, one in enumerate(shares):
        assert_allclose(one.sum(axis=1), 1)
        assert_array_equal(model.classes_[o].take(one.argmax(axis=1)), Y[:, o])
    assert len(model.predict_log_proba(X)) == 2


def test_class_weights_multiply():
    X, y = rng.normal(size=(200, 2)), np.r_[np.zeros(150), np.ones(50)]
    balanced = DecisionTreeClassifier(class_weight="balanced", max_depth=2).fit(X, y)
    by_hand = DecisionTreeClassifier(max_depth=2).fit(X, y, np.where(y == 0, 200 / 300, 2.0))
    assert_allclose(balanced.predict_proba(X), by_hand.predict_proba(X), rtol=1e-12)
    assert_allclose(balanced.tree_.value[0, 0], [0.5, 0.5])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames_with_categories(library):
    sky = rng.choice(["sun", "rain", "cloud", "snow"], 300)
    heat = rng.normal(size=300)
    y = np.where(np.isin(sky, ["sun", "snow"]) ^ (heat > 1), "out", "in")
    frame = pd.DataFrame({"sky": pd.Categorical(sky), "heat": heat})
    new = pd.DataFrame({"sky": ["sun", "rain", "fog", None], "heat": [0.0, 0.0, 0.0, 0.0]})
    if library == "polars":
        polars = pytest.importorskip("polars")
        frame, new = polars.from_pandas(frame), polars.from_pandas(new)
    if library == "pyarrow":
        import pyarrow

        frame, new = pyarrow.Table.from_pandas(frame), pyarrow.Table.from_pandas(new)
    model = DecisionTreeClassifier().fit(frame, y)
    assert_array_equal(model.predict(frame), y)
    assert_array_equal(model.is_categorical_, [True, False])
    assert sorted(model.levels_["sky"]) == ["cloud", "rain", "snow", "sun"]
    assert list(model.predict(new)[:2]) == ["out", "in"]
    assert model.apply(new)[2] == model.apply(new)[3]  # a level that fit did not see is missing
    coded = np.column_stack([[sorted(set(sky)).index(s) for s in sky], heat])
    assert_array_equal(DecisionTreeClassifier(categorical_features=[0]).fit(coded, y).predict(coded), y)
    assert_array_equal(DecisionTreeClassifier(categorical_features=[True, False]).fit(coded, y).predict(coded), y)


def test_missing_cells_go_to_the_better_side():
    X = np.array([0.0, 1, 2, 3, np.nan, np.nan])[:, None]
    for label, side in (([0, 0, 1, 1, 0, 0], 1), ([0, 0, 1, 1, 1, 1], 0)):
        model = DecisionTreeClassifier().fit(X, label)
        assert model.tree_.missing_go_to_left[0] == side
        assert_array_equal(model.predict(X), label)
    apart = DecisionTreeClassifier().fit(X, [0, 0, 0, 0, 1, 1])
    assert apart.tree_.threshold[0] == np.inf and apart.get_n_leaves() == 2


def test_random_trees_depend_on_their_seed_alone():
    X, y = iris.data, iris.target
    a, b = (ExtraTreeClassifier(random_state=3).fit(X, y).tree_ for _ in range(2))
    assert_array_equal(a.threshold, b.threshold)
    assert ExtraTreeClassifier(random_state=4).fit(X, y).tree_.threshold[0] != a.threshold[0]
    features = {
        int(DecisionTreeClassifier(max_features=1, random_state=s).fit(X, y).tree_.feature[0]) for s in range(40)
    }
    assert features == {0, 1, 2, 3}
    constant = np.column_stack([np.ones(150), np.zeros(150), X[:, 2]])
    assert DecisionTreeClassifier(max_features=1, random_state=0).fit(constant, y).tree_.feature[0] == 2


def test_refusals(tmp_path):
    X, y = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    for settings, words in (
        ({"monotonic_cst": [1, 0]}, "not supported with multiclass"),
        ({"monotonic_cst": [1]}, "monotonic_cst has shape 1 but the input data X has 2 features"),
        ({"monotonic_cst": [2, 0]}, "must be None or an array-like of -1, 0 or 1"),
        ({"categorical_features": [5]}, "there is no column 5"),
        ({"categorical_features": [True]}, "a mask needs 2 entries"),
        (
            {"min_samples_split": 1},
            "'min_samples_split' parameter of DecisionTreeClassifier must be an int in the range",
        ),
    ):
        with pytest.raises(ParameterError, match=words):
            DecisionTreeClassifier(**settings).fit(X, y)
    with pytest.raises(DataError, match="coded 0, 1, 2"):
        DecisionTreeClassifier(categorical_features=[0]).fit(X, y)
    with pytest.raises(ParameterError, match="sparse X"):
        DecisionTreeClassifier(categorical_features=[0]).fit(scipy.sparse.csr_matrix(X), y)
    with pytest.raises(ParameterError, match="categories have no order"):
        DecisionTreeClassifier(categorical_features=[0], monotonic_cst=[1, 0]).fit(np.abs(X).round(), y > 1)
    with pytest.raises(ValueError, match="contains NaN"):
        DecisionTreeClassifier().fit(scipy.sparse.csr_matrix([[np.nan], [1.0]]), [0, 1])
    with pytest.raises(DataError, match="requires y"):
        DecisionTreeClassifier().fit(X, None)
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).to_csv(tmp_path / "rows.csv", index=False)
    scan = novum.scan(tmp_path / "rows.csv", target="y")
    with pytest.raises(ParameterError, match="needs rows in memory"):
        DecisionTreeClassifier(splitter="random").fit(scan)
    model = DecisionTreeClassifier().fit(pd.DataFrame(X, columns=["a", "b"]), y)
    batches = np.concatenate(list(model.predict(novum.scan(tmp_path / "rows.csv", target="y"))))
    assert_array_equal(batches, y)
