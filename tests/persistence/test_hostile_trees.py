"""Trees of scikit-learn made to read where they must not, to never end, or to claim what they are not: all refused."""

import copy
import io
import json

import numpy as np
import pytest
from hostile import NOTHING, attributes, listing, node, pair, put, refused, rewrite
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from novum.persistence.files import load

rng = np.random.default_rng(0)
X = rng.normal(size=(80, 3))
label = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
TREE = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, label)
BOOSTING = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5).fit(X, label)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.novum"


def number(value):
    return node("builtins", "str", "JsonNode", content=json.dumps(value), is_json=True)


def edit_array(find, edit):
    """Return a change of the members that edits the array which `find` names in the schema."""

    def change(members):
        name = find(attributes(json.loads(members["schema.json"])))["file"]
        values = np.load(io.BytesIO(members[name])).copy()
        buffer = io.BytesIO()
        edited = edit(values)
        np.save(buffer, values if edited is None else edited)
        members[name] = buffer.getvalue()

    return change


def nodes_of(attributes):
    return attributes["tree_"]["content"]["content"]["nodes"]


def values_of(attributes):
    return attributes["tree_"]["content"]["content"]["values"]


def predictor_of(attributes):
    return attributes["_predictors"]["content"][0]["content"][0]["content"]["content"]["nodes"]


def at(field, place, value):
    def edit(nodes):
        nodes[field][place] = value

    return edit


INNER = int(np.flatnonzero(TREE.tree_.children_left >= 0)[1])
NODES = {
    "a child that is not there": (at("left_child", 0, 10**6), "not there, or back"),
    "a negative child": (at("left_child", 0, -5), "not there, or back"),
    "a child before its parent": (at("right_child", INNER, 0), "not there, or back"),
    "itself as a child": (at("left_child", INNER, INNER), "not there, or back"),
    "a child of two": (at("left_child", 0, TREE.tree_.children_right[0]), "not there, or back"),
    "one child": (at("left_child", 0, -1), "one child"),
    "a column that is not there": (at("feature", 0, 3), "column"),
    "a negative column": (at("feature", 0, -2), "column"),
    "fewer nodes than it says": (lambda nodes: nodes[:-1], "do not fit"),
    "nodes of another type": (lambda nodes: nodes["feature"], "do not fit"),
}


@pytest.mark.parametrize("case", NODES)
def test_nodes(case, path):
    edit, match = NODES[case]
    rewrite(path, TREE, change=edit_array(nodes_of, edit))
    refused(path, match)


def test_values_of_another_shape(path):
    rewrite(path, TREE, change=edit_array(values_of, lambda values: values[:, :, :1]))
    refused(path, "do not fit")


def in_tree(edit):
    def change(schema):
        edit(attributes(schema)["tree_"], attributes(schema))

    return change


def set_state(name, value):
    return in_tree(lambda tree, around: tree["content"]["content"].__setitem__(name, number(value)))


def set_argument(place, value):
    return in_tree(lambda tree, around: tree["__reduce__"]["args"]["content"].__setitem__(place, number(value)))


def forget_width(tree, around):
    del around["n_features_in_"]


SCHEMAS = {
    "a depth that is not its own": set_state("max_depth", 1),
    "more nodes than there are": set_state("node_count", 10**6),
    "a number of nodes that is text": set_state("node_count", "15"),
    "more outputs than there are": set_argument(2, 10**6),
    "another width than its estimator": set_argument(0, 10**6),
    "an estimator of another width": in_tree(lambda tree, around: around.__setitem__("n_features_in_", number(9))),
    "an estimator without a width": in_tree(forget_width),
    "no header": in_tree(lambda tree, around: tree["__reduce__"].__setitem__("args", pair())),
    "no state": in_tree(lambda tree, around: tree.__setitem__("content", NOTHING)),
    "another name": in_tree(lambda tree, around: around.__setitem__("other_", copy.deepcopy(tree))),
}


@pytest.mark.parametrize("case", SCHEMAS)
def test_headers_and_places(case, path):
    rewrite(path, TREE, schema=SCHEMAS[case])
    refused(path)


def test_a_width_hidden_by_the_type_of_its_key(path):
    def hide(schema):
        table = schema["content"]
        place = list(table["content"]).index("n_features_in_")
        table["key_types"]["content"][place] = node("builtins", "bool", "TypeNode")

    rewrite(path, TREE, schema=hide)
    refused(path)


def test_a_tree_that_belongs_to_nobody(path):
    rewrite(
        path, schema=put(node("sklearn.tree._tree", "Tree", "TreeNode", __reduce__={"args": pair()}, content=NOTHING))
    )
    refused(path, "not the tree_ of a decision tree")
    rewrite(path, schema=put(listing(node("os", "system", "TreeNode", __reduce__={"args": pair()}, content=NOTHING))))
    refused(path, "not the tree_ of a decision tree")


def test_one_bad_tree_in_a_forest(path):
    forest = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, label)

    def find(attributes):
        return attributes["estimators_"]["content"][1]["content"]["content"]["tree_"]["content"]["content"]["nodes"]

    rewrite(path, forest, change=edit_array(find, at("feature", 0, 3)))
    refused(path, "column")
    rewrite(path, forest)
    np.testing.assert_array_equal(load(path).predict(X), forest.predict(X))


PREDICTORS = {
    "a child that is not there": (at("left", 0, 10**6), "not there, or back"),
    "back to the root": (at("right", 0, 0), "not there, or back"),
    "a column that is not there": (at("feature_idx", 0, 3), "column"),
    "a categorical split": (at("is_categorical", 0, 1), "unknown kind"),
    "no nodes": (lambda nodes: nodes[:0], "no nodes"),
}


@pytest.mark.parametrize("case", PREDICTORS)
def test_predictors_of_boosting(case, path):
    edit, match = PREDICTORS[case]
    rewrite(path, BOOSTING, change=edit_array(predictor_of, edit))
    refused(path, match)


def test_boosting_with_columns_changed_on_the_way(path):
    def edit(schema):
        attributes(schema)["_preprocessor"] = node(
            "sklearn.preprocessing._data", "StandardScaler", "ObjectNode", content=NOTHING
        )

    rewrite(path, BOOSTING, schema=edit)
    refused(path, "histogram boosting of numbers")


def test_a_predictor_that_belongs_to_nobody(path):
    name = "sklearn.ensemble._hist_gradient_boosting.predictor"
    rewrite(path, schema=put(node(name, "TreePredictor", "ObjectNode", content=NOTHING)))
    refused(path, "not in a histogram boosting")


def test_trees_beside_the_older_gradient_boosting(path):
    def edit(schema):
        attributes(schema)["other"] = node(
            "sklearn.ensemble._gb", "GradientBoostingClassifier", "ObjectNode", content=NOTHING
        )
        schema["content"]["key_types"]["content"].append(node("builtins", "str", "TypeNode"))

    rewrite(path, TREE, schema=edit)
    refused(path, "gradient boosting")
