"""Trees in words and pictures: rules and formulas agree with predict, texts with scikit-learn's."""

import re

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.testing import assert_array_equal

from novum.datasets import load_go_to_lesson, load_play_tennis
from novum.exceptions import ParameterError
from novum.report.style import PALETTE
from novum.tree import (
    ID3,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_dnf,
    export_rules,
    export_text,
    plot_tree,
)

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
number = X[:, 0] + np.sin(3 * X[:, 1]) + 0.2 * rng.normal(size=200)
label = np.digitize(number, [-0.5, 0.8])
tennis, played = load_play_tennis(return_X_y=True, as_frame=True)
mixed = pd.DataFrame(
    {"size": rng.normal(size=300), "color": rng.choice(["red", "green", "blue"], 300), "age": rng.normal(size=300)}
)
kind = np.where((mixed["color"] == "red") ^ (mixed["size"] > 0.2), "yes", np.where(mixed["age"] > 1, "maybe", "no"))


@pytest.mark.notes("000-a", "dt-dnf")
@pytest.mark.notes("001", "tree-to-rules")
def test_formulas_of_the_notes():
    yes = export_dnf(ID3().fit(*load_go_to_lesson(return_X_y=True, as_frame=True)))["Yes"]
    assert repr(yes) == "(Outlook = Overcast ∧ Lesson = Practical) ∨ (Outlook = Rain ∧ Transportation = Covered)"
    formulas = export_dnf(ID3().fit(tennis, played))
    sunny, overcast, rain = "Outlook = Sunny ∧ Humidity = Normal", "Outlook = Overcast", "Outlook = Rain ∧ Wind = Weak"
    assert repr(formulas["Yes"]) == f"({sunny}) ∨ ({overcast}) ∨ ({rain})"
    assert list(formulas) == ["No", "Yes"] and repr(formulas).startswith("No: (Outlook = Sunny")
    assert_array_equal(formulas["Yes"].evaluate(tennis), played == "Yes")


@pytest.mark.notes("000-a", "dt-dnf")
@pytest.mark.notes("001", "tree-to-rules")
@pytest.mark.parametrize("branching", ["binary", "multiway"])
@pytest.mark.parametrize("missing", ["best_side", "fractional"])
def test_formulas_agree_with_predict(branching, missing):
    model = DecisionTreeClassifier(branching=branching, missing=missing, criterion="entropy", max_depth=6).fit(
        mixed, kind
    )
    fresh = mixed.assign(size=rng.normal(size=300), age=rng.normal(size=300))
    said, formulas = model.predict(fresh), export_dnf(model)
    for name in ("yes", "no", "maybe"):
        assert_array_equal(formulas[name].evaluate(fresh), said == name)
    rules = export_rules(model)
    covers = rules.covers(fresh)
    assert (covers.sum(1) == 1).all() and len(rules) == model.get_n_leaves()
    assert_array_equal(np.array([rules[i].prediction for i in covers.argmax(1)]), said)
    assert_array_equal(np.array([rules[i].leaf for i in covers.argmax(1)]), model.apply(fresh))
    assert all(len({c.feature for c in rule.conditions}) == len(rule.conditions) for rule in rules)
    missing_row = fresh.iloc[:1].assign(size=np.nan, color=None, age=np.nan)
    assert not any(formula.evaluate(missing_row).any() for formula in formulas.values())


def test_rules_merge_and_single_leaves_speak():
    rules = export_rules(DecisionTreeRegressor(max_depth=6).fit(X[:, :1], number), feature_names=["x"], decimals=3)
    assert any(str(rule).count("<") == 2 for rule in rules) and all(str(rule).count(" and ") == 0 for rule in rules)
    flat = DecisionTreeClassifier().fit([[0.0], [1]], ["a", "a"])
    assert (
        repr(export_rules(flat)) == "if always then a (weight 2, share 1.00)" and repr(export_dnf(flat)) == "a: always"
    )
    assert export_text(flat) == "|--- class: a\n" and len(plot_tree(flat)) == 1
    several = DecisionTreeClassifier(max_depth=1).fit(X, np.column_stack([label, label > 1]))
    assert export_rules(several)[0].prediction == [several.classes_[0][export_rules(several)[0].prediction[0]], 0]
    capped = DecisionTreeClassifier(max_leaf_nodes=2).fit(X, label)
    assert "never" in repr(export_dnf(capped)) and not export_dnf(capped)[1].evaluate(X).any()
    with pytest.raises(ParameterError, match="a classifier with one output; use export_rules"):
        export_dnf(several)


@pytest.mark.notes("001", "tree-drawing")
@pytest.mark.parametrize(
    "options",
    [{}, {"max_depth": 1}, {"show_weights": True, "decimals": 0}, {"spacing": 1, "feature_names": ["u", "v", "w"]}],
)
def test_text_is_that_of_scikit_learn(options):
    pairs = [
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, label),
        (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor, number),
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, np.column_stack([label, label > 1])),
    ]
    for ours, theirs, y in pairs:
        peer = theirs(max_depth=4, min_samples_leaf=8).fit(X.astype(np.float32), y)
        model = ours(max_depth=4, min_samples_leaf=8).fit(X.astype(np.float32), y)
        assert export_text(model, **options) == sklearn.tree.export_text(peer, **options)
    names = {"class_names": ["low", "mid", "high"]}
    model, peer = (kind(max_depth=2, min_samples_leaf=20).fit(X, label) for kind in pairs[0][:2])
    assert export_text(model, **names) == sklearn.tree.export_text(peer, **names)


def test_text_names_categories():
    text = export_text(DecisionTreeClassifier(max_depth=1).fit(mixed, mixed["color"] == "red"))
    assert text.splitlines()[0] == "|--- color in {blue, green}" and "color = red" in text
    with pytest.raises(ParameterError, match="feature_names must contain 3 elements, got 1"):
        export_text(DecisionTreeClassifier().fit(X, label), feature_names=["a"])
    with pytest.raises(ParameterError, match="Got 2 while the tree was fitted with 3 classes"):
        export_text(DecisionTreeClassifier().fit(X, label), class_names=["a", "b"])
    with pytest.raises(ParameterError, match="'decimals' parameter of export_text"):
        export_text(DecisionTreeClassifier().fit(X, label), decimals=-1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"filled": True, "label": "root", "node_ids": True, "class_names": ["a", "b", "c"]},
        {"proportion": True, "max_depth": 1},
    ],
)
def test_boxes_say_what_scikit_learn_says(options):
    for ours, theirs, y in (
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, label),
        (DecisionTreeRegressor, sklearn.tree.DecisionTreeRegressor, number),
        (DecisionTreeClassifier, sklearn.tree.DecisionTreeClassifier, np.column_stack([label, label > 1])),
    ):
        if y.ndim == 2 and "class_names" in options:
            continue
        model = ours(max_depth=3, min_samples_leaf=8).fit(X, y)
        peer = theirs(max_depth=3, min_samples_leaf=8).fit(X, y)
        axes = FigureCanvasAgg(Figure()).figure.subplots()
        said, expected = (
            sorted(
                re.sub(r"\.0(?=[,\]])", "", text.get_text().strip()) for text in texts
            )  # theirs has counts like 22.0
            for texts in (plot_tree(model, **options), sklearn.tree.plot_tree(peer, ax=axes, **options))
        )
        assert said == expected


def test_boxes_fit_their_cells():
    """A font of eleven points does not fit four panels: it shrinks until neighbors do not overlap."""
    model = DecisionTreeClassifier(max_depth=2).fit(X, label)
    figure = Figure(figsize=(16, 3.2))
    FigureCanvasAgg(figure)
    texts = plot_tree(model, ax=figure.subplots(1, 4)[0])
    figure.canvas.draw()
    boxes = [t.get_bbox_patch().get_window_extent() for t in texts if "samples" in t.get_text()]
    assert texts[0].get_fontsize() < 9
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert not (abs(a.y0 - b.y0) < 1 and min(a.x1, b.x1) - max(a.x0, b.x0) > 1)


@pytest.mark.notes("000-a", "dt-missing-fractional")
@pytest.mark.notes("000-a", "fig-tree")
@pytest.mark.notes("001", "tree-drawing")
def test_branches_and_parts_are_on_the_edges():
    model = ID3(missing="fractional").fit(*load_go_to_lesson(return_X_y=True, as_frame=True))
    filled = plot_tree(model, filled=True, rounded=True)
    texts = [text.get_text() for text in filled]
    fill = [text.get_bbox_patch().get_facecolor()[:3] for text in filled if "samples" in text.get_text()]
    assert {"Sunny", "Overcast", "Rain", "Covered", "Practical"} <= set(texts)
    assert fill[0] == pytest.approx(1 - (1 - np.array(to_rgb(PALETTE[0]))) * 0.75 * 0.5)  # (2/3 - 1/3) / (1 - 1/3)
    assert texts[0].splitlines() == ["Outlook", "entropy = 0.918", "samples = 12", "value = [8, 4]", "class = No"]
    row = pd.DataFrame({"Outlook": [None], "Transportation": ["Covered"], "Lesson": ["Practical"]})
    axes = Figure().subplots()
    words = {text.get_text() for text in plot_tree(model, ax=axes, sample=row, class_names=False)}
    assert {"Sunny 0.333", "Rain 0.333", "Covered 0.333", "Uncovered"} <= words
    assert sum(line.get_linewidth() > 2 for line in axes.lines) == 5
    ax = Figure().subplots()
    drawn = plot_tree(model, ax=ax)
    boxes = {tuple(np.round(t.get_position(), 6)): t.get_text().split("\n") for t in drawn if "samples" in t.get_text()}
    labels = {tuple(np.round(t.get_position(), 6)): t.get_text() for t in drawn if "samples" not in t.get_text()}
    table, answer = load_go_to_lesson(return_X_y=True, as_frame=True)
    joined = {}
    for line in ax.lines:
        parent, child = (tuple(np.round(point, 6)) for point in line.get_xydata())
        assert parent[1] > child[1]  # the tree grows downwards
        middle = tuple(np.round((np.array(parent) + child) / 2, 6))
        word = next(text for place, text in labels.items() if np.allclose(place, middle, atol=2e-6))
        joined.setdefault(parent, {})[word] = child

    def check(place, rows):
        """Every box counts the rows that the words on the way to it leave."""
        lines = boxes[place]
        counts = [int((answer[rows] == c).sum()) for c in model.classes_]
        assert f"samples = {rows.sum()}" in lines and f"value = {counts}" in lines
        assert lines[-1] == f"class = {model.classes_[int(np.argmax(counts))]}"
        below = joined.get(place, {})
        assert set(below) == (set(table[lines[0]].unique()) if below else set())
        if below:  # midway between its outer children
            across = [child[0] for child in below.values()]
            assert place[0] == pytest.approx((min(across) + max(across)) / 2, abs=2e-6)
        return 1 + sum(check(child, rows & (table[lines[0]] == word)) for word, child in below.items())

    root = max(boxes, key=lambda place: place[1])
    assert check(root, answer == answer) == len(boxes) == 8
    with pytest.raises(ParameterError, match="give one row; it has 2"):
        plot_tree(model, sample=pd.concat([row, row]))
