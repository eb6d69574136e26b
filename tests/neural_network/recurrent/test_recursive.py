"""Recursive networks: trees read, states by recursion on every tree alone, logic learned, refusals."""

import numpy as np
import pytest

import novum
from novum.exceptions import DataError, UnknownCategory
from novum.neural_network import RecursiveNetwork
from novum.neural_network.recurrent.trees import join_tables, read_tree, sort_by_height

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.filterwarnings("ignore:.*the network is worse than none"),  # few epochs are enough here
]
QUICK = {"max_epochs": 2, "random_state": 0, "device": "cpu"}
OPERATIONS = {"not": lambda a: not a, "and": lambda a, b: a and b, "or": lambda a, b: a or b}


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def formula(rng, depth):
    if depth == 0 or rng.random() < 0.25:
        return "T" if rng.random() < 0.5 else "F"
    name = ["not", "and", "or"][rng.integers(3)]
    return (name, *(formula(rng, depth - 1) for _ in range(1 if name == "not" else 2)))


def value(tree):
    return tree == "T" if isinstance(tree, str) else OPERATIONS[tree[0]](*map(value, tree[1:]))


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def state(model, tree, answers=None):
    """h and c of a node, by recursion over the tree; `answers` receives h of every node, children first."""
    w, d, arity = model.weights_, model.n_units, model.arity_
    if isinstance(tree, tuple):
        children = [state(model, child, answers) for child in tree]
        zero = (np.zeros(d), np.zeros(d))
        children += [zero] * (arity - len(children))
        a = w["compose.weight"].astype(float) @ np.concatenate([h for h, _ in children]) + w["compose.bias"]
        if model.cell == "tanh":
            h, c = np.tanh(a), np.zeros(d)
        else:
            i, o, g = sigmoid(a[:d]), sigmoid(a[d : 2 * d]), np.tanh(a[2 * d : 3 * d])
            c = i * g
            for k, (_, below) in enumerate(children):
                c = c + sigmoid(a[(3 + k) * d : (4 + k) * d]) * below
            h = o * np.tanh(c)
    elif model.symbols_ is not None:
        h, c = w["table"][4 + model.symbols_.index(tree)].astype(float), np.zeros(d)
    else:
        h, c = np.tanh(w["leaf.weight"].astype(float) @ tree + w["leaf.bias"]), np.zeros(d)
    if answers is not None:
        answers.append(h)
    return h, c


@pytest.mark.notes("000-c", "recursive-net")
@pytest.mark.parametrize("cell", ["tanh", "lstm"])
def test_states_are_one_composition_from_the_leaves_up(cell):
    rng = np.random.default_rng(0)
    X = ["T", *[formula(rng, 4) for _ in range(30)], "F"]
    sizes = [len(read_tree(tree, "Model", 0).height) for tree in X]
    y = [rng.integers(0, 3, size=n) for n in sizes]
    model = RecursiveNetwork(5, cell=cell, per_node=True, **QUICK).fit(X, y)
    head, bias = model.weights_["head.weight"], model.weights_["head.bias"]
    vectors = model.transform(X)
    for tree, found, root in zip(X, model.predict_proba(X), vectors):
        hs: list = []
        state(model, tree, hs)
        logits = np.array(hs) @ head.T + bias
        np.testing.assert_allclose(found, np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True), atol=1e-6)
        np.testing.assert_allclose(root, hs[-1], atol=1e-6)


def test_logic_is_learned_and_carried_to_deeper_trees():
    rng = np.random.default_rng(1)
    X, T = [formula(rng, 3) for _ in range(500)], [formula(rng, 5) for _ in range(200)]
    model = RecursiveNetwork(24, cell="tanh", max_epochs=40, learning_rate=1e-2, random_state=0)
    model.fit(X, [value(tree) for tree in X])
    assert model.score(T, [value(tree) for tree in T]) > 0.98
    assert model.predict(["T", ("not", "T")]).tolist() == [True, False]
    values = RecursiveNetwork(24, task="regression", max_epochs=30, learning_rate=1e-2, random_state=0)
    values.fit(X, [1.0 + value(tree) for tree in X])
    assert values.score(T, [1.0 + value(tree) for tree in T]) > 0.9 and values.classes_ is None
    assert not hasattr(values, "predict_proba") and hasattr(model, "predict_proba")


def test_networkx_trees_and_vectors():
    nx = pytest.importorskip("networkx")
    nested = [("or", "T", ("not", "F")), ("not", "T"), "F"]
    graphs = [nx.DiGraph() for _ in nested]
    graphs[0].add_node(0, label="or")
    graphs[0].add_node(1, label="T")
    graphs[0].add_node(2, label="not")
    graphs[0].add_edges_from([(0, 1), (0, 2), (2, "F")])  # a leaf without a label is its own name
    graphs[1].add_node("root", label="not")
    graphs[1].add_edge("root", "T")
    graphs[2].add_node("F")
    model = RecursiveNetwork(4, **QUICK).fit(nested, [1, 0, 0])
    np.testing.assert_array_equal(model.predict_proba(graphs), model.predict_proba(nested))
    rng = np.random.default_rng(0)
    trees = [(rng.normal(size=3), (rng.normal(size=3), rng.normal(size=3))) for _ in range(6)]
    numbers = RecursiveNetwork(4, **QUICK).fit(trees, rng.normal(size=6))
    assert numbers.n_features_in_ == 3 and numbers.symbols_ is None
    np.testing.assert_allclose(numbers.transform(trees), [state(numbers, tree)[0] for tree in trees], atol=1e-6)
    for graph in (nx.DiGraph([(0, 1), (1, 0)]), nx.path_graph(3), nx.DiGraph()):
        with pytest.raises(DataError, match="tree 0 is a networkx graph that is no directed tree with one root"):
            model.predict([graph])
    with pytest.raises(DataError, match=r"Input X contains NaN \(leaf 1\)"):
        numbers.predict([(np.ones(3), np.full(3, np.nan))])


def test_nodes_of_one_height_stand_together():
    trees = [("a", ("b", "c")), "d", (("e",), "f", "g")]
    tables = [read_tree(tree, "Model", k) for k, tree in enumerate(trees)]
    assert [table.height.tolist() for table in tables] == [[0, 0, 0, 1, 2], [0], [0, 1, 0, 0, 2]]
    joined = join_tables(tables, 3, "Model")
    batch = sort_by_height(joined, np.array([2, 0]))
    assert batch.leaf_rows.tolist() == [4, 5, 6, 0, 1, 2]
    assert [level.tolist() for level in batch.children] == [[[0, -1, -1], [4, 5, -1]], [[6, 1, 2], [3, 7, -1]]]
    assert batch.roots.tolist() == [8, 9]
    assert batch.order.tolist() == [0, 6, 1, 2, 8, 3, 4, 5, 7, 9]


def test_depth_is_not_limited_by_the_stack():
    tree = "T"
    for _ in range(3000):
        tree = ("not", tree)
    assert read_tree(tree, "Model", 0).height[-1] == 3000


def test_weights_files_and_refusals(tmp_path):
    rng = np.random.default_rng(0)
    X = [formula(rng, 3) for _ in range(40)]
    y = [value(tree) for tree in X]
    model = RecursiveNetwork(6, **QUICK).fit(X, y)
    part = RecursiveNetwork(6, **QUICK).fit([*X, ("xor", "Q", "Q", "Q")], [*y, True], sample_weight=[1] * 40 + [0])
    np.testing.assert_array_equal(part.predict_proba(X), model.predict_proba(X))
    novum.save(model, tmp_path / "model.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "model.novum").predict_proba(X), model.predict_proba(X))
    for bad, error, message in [
        ([("xor", "T")], UnknownCategory, "'xor' .sequence 0."),
        ([("or", "T", "T", "T")], DataError, "a node with 4 children; fit saw at most 3"),
        ([()], DataError, r"tree 0 has an inner node without children"),
        (("or", "T", "F"), DataError, r"for one tree give \[tree\]"),
        ([["or", "T"]], DataError, r"tree 0 holds the list \['or', 'T'\]; inner nodes are tuples"),
        ([0.5], DataError, "a leaf is 0.5; leaves are all texts or whole numbers, or all vectors"),
    ]:
        with pytest.raises(error, match=message):
            model.predict(bad)
    with pytest.raises(DataError, match="y holds 4 targets for tree 1, one per node"):
        RecursiveNetwork(4, per_node=True, **QUICK).fit(["T", ("or", "T", "F")], [[0], [1, 0]])
    with pytest.raises(DataError, match="X has 1 trees and y has 2 targets"):
        RecursiveNetwork(4, **QUICK).fit(["T"], [0, 1])
