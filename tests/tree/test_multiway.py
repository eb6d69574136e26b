"""The notes' trees: ID3 on PlayTennis, missing cells, chi-squared stopping, costs; and a slow recursive grower as the oracle."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import scipy.stats
from numpy.testing import assert_allclose, assert_array_equal
from reference.trees import multiway as slow

import novum
from novum.datasets import load_go_to_lesson, load_play_tennis
from novum.ensemble import AdaBoostClassifier
from novum.exceptions import DataError, ParameterError
from novum.tree import C45, ID3, DecisionTreeClassifier, DecisionTreeRegressor, export_text
from novum.tree.splits import independence

tennis, played = load_play_tennis(return_X_y=True, as_frame=True)
lesson, goes = load_go_to_lesson(return_X_y=True, as_frame=True)


@pytest.mark.notes("001", "id3")
@pytest.mark.notes("001", "tree-grow")
@pytest.mark.notes("001", "tree-classifier")
def test_id3_on_play_tennis():
    tree = ID3().fit(tennis, played)
    lines = [line.replace("|", "").replace("-", "").strip() for line in export_text(tree).splitlines()]
    expected = (
        "Outlook = Sunny; Humidity = High; class: No; Humidity = Normal; class: Yes; Outlook = Overcast; class: Yes"
    )
    expected += "; Outlook = Rain; Wind = Weak; class: Yes; Wind = Strong; class: No"
    assert "; ".join(lines) == expected
    assert_array_equal(tree.predict(tennis), played)
    assert (tree.get_depth(), tree.get_n_leaves(), tree.tree_.n_node_samples.tolist()) == (
        2,
        5,
        [14, 5, 4, 5, 3, 2, 3, 2],
    )


def test_the_noisy_day_changes_the_sunny_branch():
    noisy, label = load_play_tennis("noisy", return_X_y=True, as_frame=True)
    tree = ID3().fit(noisy, label).tree_
    sunny, overcast, rain = tree.branches(0)
    names = list(noisy.columns)
    assert [names[tree.feature[node]] for node in (0, sunny, rain)] == ["Outlook", "Temperature", "Wind"]
    mild = tree.branches(sunny)[1]
    assert names[tree.feature[mild]] == "Humidity" and tree.feature[overcast] == -2  # of equal gains the first column's


@pytest.mark.notes("000-a", "dt-learn")
def test_the_greedy_tree_gives_the_formula_of_the_lesson_back():
    tree = ID3().fit(lesson, goes).tree_
    sunny, overcast, rain = tree.branches(0)
    names = list(lesson.columns)
    assert [names[tree.feature[node]] for node in (0, overcast, rain)] == ["Outlook", "Lesson", "Transportation"]
    assert tree.feature[sunny] == -2 and tree.value[sunny, 0].tolist() == [1, 0]
    small, label = load_play_tennis("reduced", return_X_y=True, as_frame=True)
    assert ID3().fit(small, label).tree_.feature.tolist() == [0, -2, -2]


def test_a_value_without_rows_says_what_its_node_says():
    cells, dry = tennis[["Outlook"]], tennis["Outlook"] != "Overcast"
    tree = ID3().fit(cells[dry], played[dry])
    assert tree.predict_proba(cells.iloc[[2]]).tolist() == [[0.5, 0.5]]  # five days of each kind are left
    assert tree.tree_.n_node_samples.tolist() == [10, 5, 5, 0] and tree.tree_.branches(0).tolist() == [1, 3, 2]
    unseen = tennis.iloc[[0]].astype(str).assign(Outlook="Fog")
    assert_allclose(ID3(missing="fractional").fit(tennis, played).predict_proba(unseen), [[5 / 14, 9 / 14]])
    assert ID3().fit(tennis, played).predict(unseen) == "No"  # the most common outlook is sunny, and it is humid


@pytest.mark.notes("000-a", "dt-missing-fractional")
def test_a_missing_outlook_votes_in_three_branches():
    row = pd.DataFrame({"Outlook": [None], "Transportation": ["Covered"], "Lesson": ["Practical"]})
    tree = ID3(missing="fractional").fit(lesson, goes)
    assert_allclose(tree.predict_proba(row), [[1 / 3, 2 / 3]], rtol=1e-15)
    assert tree.predict(row) == ["Yes"]
    path = tree.decision_path(row).toarray()[0]
    assert_allclose(path[tree.tree_.branches(0)], 1 / 3)
    assert_allclose(path[tree.tree_.children_left == -1].sum(), 1)


@pytest.mark.notes("000-a", "dt-missing-simple")
@pytest.mark.notes("001", "missing-values")
def test_missing_cells_filled_at_the_node():
    cells = pd.DataFrame({"Outlook": ["Sunny", "Sunny", None, "Rain"], "Temperature": [None, None, "Hot", "Cold"]})
    cells = cells.astype(
        {"Outlook": pd.CategoricalDtype(["Sunny", "Rain"]), "Temperature": pd.CategoricalDtype(["Hot", "Cold"])}
    )
    label = ["Yes", "Yes", "No", "No"]
    common = ID3(missing="fill", max_depth=1).fit(cells[["Outlook"]], label)
    assert common.tree_.n_node_samples.tolist() == [4, 3, 1]
    assert_allclose(common.feature_importances_ * common.tree_.impurity[0], 1.0)
    by_class = ID3(missing="fill_by_class", max_depth=1).fit(cells, label)
    assert by_class.tree_.n_node_samples.tolist() == [4, 2, 2] and by_class.tree_.impurity.tolist() == [1, 0, 0]
    # When predicting the class is not known: the most common outlook.
    assert by_class.predict(cells).tolist() == ["Yes", "Yes", "Yes", "No"]


@pytest.mark.notes("001", "split-significance")
def test_a_split_that_chance_may_have_made_is_not_taken():
    table = np.array([[[2.0, 3.0], [4.0, 0.0], [3.0, 2.0]]])
    assert_allclose(independence(table), scipy.stats.chi2_contingency(table[0], correction=False).pvalue, rtol=1e-12)
    assert ID3(significance=0.05).fit(tennis, played).tree_.node_count == 1  # p of the four: .17, .75, .09, .33
    assert ID3(significance=0.1).fit(tennis, played).tree_.feature[0] == 2  # Humidity alone passes
    assert ID3(significance=1.0).fit(tennis, played).get_n_leaves() == 5
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (2000, 8)).astype(float)
    y = (X[:, 3] == 1) ^ (rng.random(2000) < 0.2)
    mine = {"branching": "multiway", "categorical_features": range(8), "criterion": "entropy"}
    tree = DecisionTreeClassifier(**mine, significance=1e-4).fit(X, y)
    assert tree.tree_.feature.tolist() == [3, -2, -2, -2]
    assert DecisionTreeClassifier(**mine).fit(X, y).tree_.node_count > 500


@pytest.mark.notes("001", "attribute-cost")
def test_costs_change_the_choice():
    gain = {"Outlook": 0.246750, "Temperature": 0.029223, "Humidity": 0.151836, "Wind": 0.048127}
    for form, worth in (
        ("tan_schlimmer", lambda g, c, w: g**2 / c),
        ("nunez", lambda g, c, w: (2**g - 1) / (c + 1) ** w),
    ):
        for price, weight in itertools.product((1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 20.0, 500.0), (0.0, 0.5, 1.0)):
            cost = {"Outlook": price, "Humidity": 500.0 if price == 500 else 1.0}
            best = max(gain, key=lambda name: worth(gain[name], cost.get(name, 1.0), weight))
            tree = ID3(attribute_costs=cost, cost_form=form, cost_weight=weight).fit(tennis, played)
            assert tennis.columns[tree.tree_.feature[0]] == best, (form, price, weight)
    assert ID3(attribute_costs=[9, 9, 1, 9]).fit(tennis, played).tree_.feature[0] == 2


@pytest.mark.notes("000-a", "gain-ratio")
@pytest.mark.notes("001", "split-criteria-alternatives")
def test_criteria():
    for criterion in ("entropy", "gain_ratio", "gini"):
        assert (
            DecisionTreeClassifier(criterion=criterion, branching="multiway").fit(tennis, played).tree_.feature[0] == 0
        )
    code = np.column_stack([lesson[name].cat.codes for name in lesson] + [np.arange(12)]).astype(float)
    tree = C45(categorical_features=range(4), pruning=None, min_samples_leaf=1).fit(code, goes)
    assert tree.tree_.feature[0] == 3  # the ratio of an identifier, .256, is still above .159
    rare = np.column_stack([np.repeat(np.arange(16.0), 8), np.tile([0.0, 1], 64)])
    y = (rare[:, 1] > 0) ^ np.isin(np.arange(128), [3, 50, 51, 100, 60])
    gain = DecisionTreeClassifier(criterion="gain_ratio", branching="multiway", categorical_features=[0, 1])
    assert gain.fit(rare, y).tree_.feature[0] == 1


def random_table(seed, n=60, missing=0.15):
    rng = np.random.default_rng(seed)
    levels = [3, 4, 2, 0, 0]
    X = np.column_stack([rng.integers(0, m, n) if m else rng.integers(0, 7, n) for m in levels]).astype(float)
    y = rng.integers(0, 3, n)
    y[X[:, 0] == 1] = 2
    y[(X[:, 3] > 3) & (X[:, 2] == 0)] = 0
    X[rng.random(X.shape) < missing] = np.nan
    return X, y, levels, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("policy", ["fractional", "fill", "fill_by_class", "best_side"])
@pytest.mark.parametrize("criterion", ["entropy", "gini", "gain_ratio"])
def test_trees_equal_the_recursive_ones(policy, criterion):
    for seed in range(3):
        X, y, levels, weight = random_table(seed)
        if criterion == "gini":
            weight = np.ones(60)
        reference = slow.grow(X, levels, y, weight, 3, criterion, policy, depth=4)
        model = DecisionTreeClassifier(
            criterion=criterion, missing=policy, branching="multiway", categorical_features=[0, 1, 2], max_depth=4
        )
        model.fit(X, y, sample_weight=weight)
        rows = np.concatenate([X, random_table(seed + 50, missing=0.4)[0]])
        assert_allclose(model.predict_proba(rows), [slow.predict(reference, x, levels) for x in rows], atol=1e-10)


@pytest.mark.parametrize("branching", ["binary", "multiway"])
@pytest.mark.parametrize("policy", ["fill", "fill_by_class"])
def test_weights_are_repetition(branching, policy):
    X, y, _, weight = random_table(9)
    weight[:7] = 0
    model = DecisionTreeClassifier(missing=policy, branching=branching, categorical_features=[0, 1, 2])
    once = model.fit(X, y, sample_weight=weight).predict_proba(X)
    model.fit(np.repeat(X, weight.astype(int), 0), np.repeat(y, weight.astype(int)))
    assert_allclose(model.predict_proba(X), once, atol=1e-12)


def test_binary_trees_of_the_second_grower_equal_those_of_the_first():
    X, y, _, weight = random_table(3, n=400, missing=0.0)
    cost = {"attribute_costs": np.ones(5), "cost_form": "nunez", "cost_weight": 0.0}  # a monotone form of the gain
    for labels in (y, y > 0):
        for rules in ({"max_depth": 4}, {"min_samples_leaf": 7}, {"max_leaf_nodes": 9}, {"ccp_alpha": 0.01}):
            ours = DecisionTreeClassifier(categorical_features=[0, 1, 2], **rules)
            first = ours.fit(X, labels, sample_weight=weight).predict_proba(X)
            second = ours.set_params(**cost).fit(X, labels, sample_weight=weight)
            assert second.tree_.branch_begin is None
            assert_allclose(second.predict_proba(X), first, atol=1e-12)
            ours.set_params(attribute_costs=None)


def test_regression_by_branches():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 4, 300), rng.normal(size=300)])
    y = 1e6 + X[:, 0] ** 2 + (X[:, 1] > 0.3) + 0.01 * rng.normal(size=300)
    tree = DecisionTreeRegressor(branching="multiway", categorical_features=[0], max_depth=1).fit(X, y).tree_
    means = [y[X[:, 0] == v].mean() for v in range(4)]
    assert_allclose(tree.value[tree.branches(0), 0, 0], means, rtol=1e-14)
    assert_allclose(tree.impurity[tree.branches(0)], [y[X[:, 0] == v].var() for v in range(4)], rtol=1e-8)
    both = DecisionTreeRegressor(branching="multiway", missing="fractional", categorical_features=[0], max_depth=2)
    both.fit(X, np.column_stack([y, -y]))
    lost = both.predict([[np.nan, 1.0], [2.0, np.nan]])
    assert_allclose(lost[:, 0], -lost[:, 1])
    second = DecisionTreeRegressor(missing="fractional", max_depth=4, categorical_features=[0]).fit(X, y)
    first = DecisionTreeRegressor(max_depth=4, categorical_features=[0]).fit(X, y)
    assert_allclose(second.predict(X), first.predict(X), rtol=1e-14)


def test_frames_arrays_and_files_agree(tmp_path):
    code = np.column_stack([tennis[name].cat.codes for name in tennis]).astype(float)
    model = ID3(missing="fractional").fit(tennis, played)
    other = ID3(missing="fractional", categorical_features=range(4)).fit(code, played)
    frame = pl.DataFrame({name: tennis[name].astype(str).to_list() for name in tennis})
    third = ID3(missing="fractional").fit(frame, played)
    assert_allclose(model.predict_proba(tennis), other.predict_proba(code))
    assert_allclose(third.predict_proba(frame), other.predict_proba(code))
    novum.save(model, tmp_path / "tree.novum")
    again = novum.load(tmp_path / "tree.novum")
    holes = tennis.astype(object).mask(np.random.default_rng(0).random(tennis.shape) < 0.3)
    assert_array_equal(again.predict_proba(holes), model.predict_proba(holes))
    assert again.apply(holes).shape == (14,) and not again.tree_.children(2).size


def test_rules_of_growth_and_draws():
    X, y, _, _ = random_table(4, n=500)
    common = {"missing": "fractional", "branching": "multiway", "categorical_features": [0, 1, 2]}
    tree = DecisionTreeClassifier(min_samples_split=50, **common).fit(X, y).tree_
    assert tree.weighted_n_node_samples[tree.feature >= 0].min() >= 50 - 1e-9
    assert DecisionTreeClassifier(max_leaf_nodes=7, **common).fit(X, y).get_n_leaves() <= 7
    assert DecisionTreeClassifier(min_impurity_decrease=0.02, **common).fit(X, y).get_n_leaves() < 20
    drawn = [DecisionTreeClassifier(max_features=2, random_state=s, **common).fit(X, y) for s in (0, 0, 1)]
    assert_array_equal(drawn[0].tree_.feature, drawn[1].tree_.feature)
    assert (
        drawn[2].tree_.node_count != drawn[0].tree_.node_count
        or (drawn[2].tree_.feature != drawn[0].tree_.feature).any()
    )
    assert_allclose(drawn[0].feature_importances_.sum(), 1)


@pytest.mark.parametrize("policy", ["fractional", "fill", "fill_by_class", "best_side"])
@pytest.mark.parametrize("branching", ["binary", "multiway"])
def test_columns_without_a_cell_or_with_one_value(policy, branching):
    X = np.array([[np.nan, 0.0, 0, 1], [np.nan, 0, 1, np.nan], [np.nan, 0, 0, np.nan], [np.nan, 0, 1, np.nan]])
    model = DecisionTreeClassifier(missing=policy, branching=branching, categorical_features=[0, 1, 2]).fit(
        X, list("abab")
    )
    assert model.predict(X).tolist() == list("abab") and model.tree_.feature[0] == 2
    alone = model.set_params(categorical_features=[0, 1]).fit(X[:, :2], list("abaa"))
    assert alone.tree_.node_count == 1 and alone.predict_proba([[5.0, np.nan]]).tolist() == [[0.75, 0.25]]


def test_a_wide_column_is_counted_in_parts(monkeypatch):
    X, y, _, _ = random_table(5, n=500)
    model = ID3(missing="fractional", categorical_features=[0, 1, 2])
    whole = model.fit(X, y).predict_proba(X)
    monkeypatch.setattr("novum.tree.multiway.MOST_CELLS", 20)
    assert_allclose(model.fit(X, y).predict_proba(X), whole, atol=1e-12)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"splitter": "random"}, "splitter='random' is not supported; use splitter='best'"),
        ({"monotonic_cst": [0, 1]}, "monotonic_cst is not supported"),
        ({"attribute_costs": {"z": 2.0}}, "'z' is no column of X"),
        ({"attribute_costs": [1.0]}, r"has shape \(1,\), but X has 2 columns"),
        ({"attribute_costs": [0.0, 1.0]}, "costs are finite and above zero"),
        ({"validation_fraction": 1.5}, "'validation_fraction' parameter of DecisionTreeClassifier"),
    ],
)
def test_what_does_not_go_together_is_said(params, words):
    with pytest.raises(ParameterError, match=words):
        DecisionTreeClassifier(branching="multiway", **params).fit([[0, 1], [1, 0]], [0, 1])


def test_targets_and_tables_that_do_not_fit_are_refused():
    with pytest.raises(ParameterError, match="a sparse X is not supported"):
        DecisionTreeClassifier(missing="fill").fit(scipy.sparse.eye_array(3).tocsr(), [0, 1, 0])
    with pytest.raises(DataError, match="reads no sparse X; give an array"):
        ID3(categorical_features=[0]).fit([[0.0], [1]], [0, 1]).predict(scipy.sparse.csr_array([[1.0]]))
    with pytest.raises(ParameterError, match="criterion='squared_error'"):
        DecisionTreeRegressor(missing="fill", criterion="absolute_error").fit([[0.0], [1]], [0, 1])
    with pytest.raises(ParameterError, match="needs one target; y has 2"):
        DecisionTreeClassifier(significance=0.1).fit([[0.0], [1]], [[0, 1], [1, 0]])


def test_boosting_takes_members_of_this_kind():
    X, y, _, _ = random_table(6, n=300)
    stump = DecisionTreeClassifier(max_depth=1, branching="multiway", missing="fractional", criterion="gain_ratio")
    frame = pd.DataFrame({f"x{j}": X[:, j] if j > 2 else pd.Categorical(X[:, j]) for j in range(5)})
    boosted = AdaBoostClassifier(stump, n_estimators=5).fit(frame, y)
    first = boosted.estimators_[0]
    assert first.tree_.divides and boosted.score(frame, y) > 0.5
    assert_array_equal(first.tree_.feature, stump.fit(frame, y).tree_.feature)


def test_a_tree_that_leads_back_is_refused():
    model = ID3().fit(tennis, played)
    model.tree_.branch_node[:] = 0
    with pytest.raises(DataError, match="leads back"):
        model.predict(tennis)
