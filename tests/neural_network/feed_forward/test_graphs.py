"""Feed-forward graphs, Boolean networks and parity."""

from functools import partial
from itertools import product

import numpy as np
import pytest

import novum
from novum.activations import get_activation
from novum.exceptions import DataError, ParameterError
from novum.linalg import check_gradient
from novum.neural_network import FeedForwardGraph, convolution_pattern
from novum.neural_network.feed_forward.passes import forward, loss_and_gradient
from novum.neural_network.feed_forward.structure import build_structure
from novum.teaching import logic_to_network, parity_network

quiet = pytest.mark.filterwarnings("ignore::novum.exceptions.NotConverged")
RNG = np.random.default_rng
SKIP = [("input", "a"), ("a", "b"), ("input", "b"), ("b", "output"), ("a", "output"), ("input", "output")]


@pytest.mark.notes("002", "dag-network")
@quiet
def test_a_graph_with_skips_masks_and_shared_weights():
    rng = RNG(0)
    pattern, mask = convolution_pattern(5, 2), rng.random((5, 3)) < 0.5
    mask[0] = True
    edges = [
        ("input", "conv", pattern),
        ("conv", "b"),
        ("input", "b", mask),
        ("b", "c", "tied"),
        ("c", "d", "tied"),
        ("d", "output"),
        ("conv", "output"),
    ]
    structure = build_structure(
        {"conv": 4, "b": 3, "c": (3, "sigmoid"), "d": 3}, edges, "tanh", 5, 2, get_activation("identity")
    )
    theta = rng.normal(size=structure.size)
    X, y, weight = rng.normal(size=(6, 5)), rng.normal(size=(6, 2)), rng.uniform(0.5, 2, 6)
    # unit by unit, by the definition
    at = {e.source + e.target: structure.matrix(e, theta) for e in structure.edges}
    shift = structure.shifts(theta)
    conv = np.tanh(
        np.array([[sum(row[i + k] * theta[k] for k in range(2)) for i in range(4)] for row in X]) + shift["conv"]
    )
    b = np.tanh(conv @ at["convb"] + (X @ (at["inputb"] * mask)) + shift["b"])
    c = 1 / (1 + np.exp(-(b @ at["bc"] + shift["c"])))
    d = np.tanh(c @ at["bc"] + shift["d"])
    np.testing.assert_allclose(
        forward(structure, theta, X).outputs["output"], d @ at["doutput"] + conv @ at["convoutput"] + shift["output"]
    )
    assert (at["inputb"][~mask] == 0).all()
    assert structure.n_weights == 2 + 12 + mask.sum() + 9 + 6 + 8
    for output, target in (
        ("identity", y),
        ("softmax", np.eye(2)[rng.integers(2, size=6)]),
        ("sigmoid", np.eye(2)[rng.integers(2, size=6)]),
    ):
        s = structure._replace(
            nodes=[*structure.nodes[:-1], structure.nodes[-1]._replace(activation=get_activation(output))]
        )
        at_theta = partial(loss_and_gradient, s, X=X, target=target, weight=weight, alpha=0.3)
        assert check_gradient(lambda t, f=at_theta: f(t)[0], lambda t, f=at_theta: f(t)[1], theta)
    with pytest.raises(ParameterError, match="is a cycle"):
        FeedForwardGraph({"a": 2, "b": 2}, [("input", "a"), ("a", "b"), ("b", "a"), ("b", "output")]).fit(X, y)


@quiet
def test_graphs_learn_and_predict(tmp_path):
    rng = RNG(1)
    X = rng.normal(size=(80, 3))
    y = 3 * X[:, 0] + np.tanh(4 * X[:, 1])
    graph = FeedForwardGraph({"a": 4, "b": 3}, SKIP, random_state=0, max_iter=300).fit(X, y)
    assert graph.score(X, y) > 0.99 and graph.check_gradient(X[:20], y[:20])
    assert graph.nodes_[0] == "input" and graph.nodes_[-1] == "output" and len(graph.coefs_) == 6
    assert set(graph.node_outputs(X[:2])) == {"input", "a", "b", "output"}
    ax = graph.plot()
    words = [t.get_text() for t in ax.texts]
    assert "a\n4 tanh" in words and "12" in words  # nodes, and the free weights of input -> a
    for solver in ("adam", "sgd"):
        labels = np.array(["no", "yes"])[(X[:, 0] * X[:, 1] > 0).astype(int)]
        model = FeedForwardGraph(
            {"a": 12}, task="classification", solver=solver, learning_rate=0.05, random_state=0
        ).fit(X, labels)
        assert model.score(X, labels) > 0.9
        assert model.predict_proba(X).shape == (80, 2)
    three = FeedForwardGraph(task="classification", random_state=0, n_init=2).fit(X, np.digitize(y, [-1, 1]))
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1)
    novum.save(three, tmp_path / "graph.novum")
    np.testing.assert_array_equal(novum.load(tmp_path / "graph.novum").predict(X), three.predict(X))
    several = FeedForwardGraph(random_state=0).fit(X, np.column_stack([y, X[:, 0]]))
    assert several.predict(X).shape == (80, 2)


def test_what_a_graph_refuses():
    X, y = RNG(0).normal(size=(10, 3)), np.arange(10.0)
    for hidden, edges, words in (
        ({"a": 2}, [("input", "a")], "no edge"),
        ({"a": 2}, [("input", "z"), ("z", "output")], "names 'z'"),
        ({"a": 2}, [("input", "a"), ("a", "output"), ("a", "output")], "same nodes"),
        ({"a": 2}, [("input", "a", np.ones((2, 2), bool)), ("a", "output")], "shape"),
        ({"a": 2}, [("input", "a", np.zeros((3, 2), bool)), ("a", "output")], "connects nothing"),
        (
            {"a": 2, "b": 3},
            [("input", "a", "s"), ("input", "b", "s"), ("a", "output"), ("b", "output")],
            "different shapes",
        ),
        ({"input": 2}, None, "taken"),
        ({"a": 2}, [("a", "input"), ("a", "output")], "into the input"),
        ({"a": 2}, ["xy"], "names 'x'"),
    ):
        with pytest.raises(ParameterError, match=words):
            FeedForwardGraph(hidden, edges).fit(X, y)
    with pytest.raises(DataError, match="one class"):
        FeedForwardGraph(task="classification").fit(X, np.ones(10))
    with pytest.raises(AttributeError):
        _ = FeedForwardGraph().predict_proba
    with pytest.raises(ParameterError, match="wider"):
        convolution_pattern(2, 3)


FORMULAS = [
    "a xor b",
    "(a or b) and (not a or not b)",
    "a and not b or c",
    "(a ^ b) | (c & ~a)",
    "not (a and b)",
    "a or not a",
    "a and not a",
    "a",
    "not (a or b) xor c",
]


@pytest.mark.notes("000-b", "logic-to-network")
@pytest.mark.notes("000-c", "boolean-network")
@pytest.mark.parametrize("formula", FORMULAS)
def test_every_formula_is_a_network_of_two_layers(formula):
    for form in ("auto", "dnf", "cnf"):
        net = logic_to_network(formula, form=form)
        rows = np.array(list(product([0, 1], repeat=len(net.names))))
        python = (
            formula.replace("xor", "^")
            .replace("^", "!=")
            .replace("|", " or ")
            .replace("&", " and ")
            .replace("~", " not ")
        )
        if "not (a or b) !=" in python:
            python = "(not (a or b)) != c"
        if "!=" in python and "(a !=" in python:
            python = "(a != b) or (c and not a)"
        expected = [int(eval(python, {}, dict(zip(net.names, map(bool, row))))) for row in rows]
        np.testing.assert_array_equal(net.predict(rows), expected)
        assert len(net.coefs) == 2 and (form == "auto" or net.form == form)
    notes = logic_to_network([0, 1, 1, 0], form="dnf")  # the hidden units of the notes, in the order of the truth table
    np.testing.assert_array_equal(notes.coefs[0], [[-1, 1], [1, -1]])
    np.testing.assert_array_equal(notes.intercepts[0], [-0.5, -0.5])
    np.testing.assert_array_equal(np.append(notes.coefs[1], notes.intercepts[1]), [1, 1, -0.5])
    clauses = logic_to_network("(x1 or x2) and (not x1 or not x2)")  # a normal form is taken as it stands
    assert clauses.form == "cnf" and clauses.n_units == 3
    np.testing.assert_array_equal(clauses.intercepts[0], [-0.5, 1.5])
    np.testing.assert_array_equal(np.append(clauses.coefs[1], clauses.intercepts[1]), [1, 1, -1.5])


def test_formulas_that_are_none():
    for bad in ("a and", "a + b", "f(a)", "3", "1 or 0", "a and 7"):
        with pytest.raises(ParameterError):
            logic_to_network(bad)
    for table in ([0, 1, 1], [0, 2], [[0, 1], [1, 0]]):
        with pytest.raises(ParameterError, match="truth table"):
            logic_to_network(table)
    with pytest.raises(ParameterError, match="names"):
        logic_to_network("a or b", ["a"])
    assert logic_to_network("a or b", ["b", "a", "c"]).names == ["b", "a", "c"]
    wide = logic_to_network(" or ".join(f"v{k}" for k in range(60)))  # a normal form needs no truth table
    assert wide.predict(np.eye(60)).all() and not wide.predict(np.zeros((1, 60))).any()
    with pytest.raises(ParameterError, match="2\\^30"):
        logic_to_network(" xor ".join(f"v{k}" for k in range(30)))
    with pytest.raises(DataError, match="inputs"):
        wide.predict(np.zeros((1, 3)))


@pytest.mark.notes("000-c", "parity-network")
def test_parity_is_wide_or_deep():
    for n, clauses, blocks in ((2, 2, 1), (3, 4, 2), (4, 8, 3), (8, 128, 7)):
        found = parity_network(n)
        rows = np.array(list(product([0, 1], repeat=n)))
        for net in (found.shallow, found.deep):
            np.testing.assert_array_equal(net.predict(rows), rows.sum(axis=1) % 2)
        frame = found.to_frame()
        assert frame["blocks"].tolist() == [clauses, blocks] and frame["layers"].tolist() == [2, 2 * blocks]
        assert frame["units"].tolist() == [clauses + 1, sum(2 * (n - k) + 1 for k in range(1, n))]
    with pytest.raises(DataError, match="n_bits=17"):
        parity_network(17)
    drawn = [circle.center for circle in parity_network(3).shallow.plot().patches]
    heights = [y for n in (3, 4, 1) for y in np.arange(n)[::-1] - (n - 1) / 2]  # inputs, clauses, answer
    np.testing.assert_allclose([y for _, y in drawn], heights)
    assert [x for x, _ in drawn] == sorted(x for x, _ in drawn) and len({x for x, _ in drawn}) == 3


@pytest.mark.notes("000-b", "plot-boolean")
@pytest.mark.parametrize(("table", "n_lines"), [([0, 0, 0, 1], 1), ([0, 1, 1, 1], 1), ([0, 1, 1, 0], 2)])
def test_the_regions_of_and_or_xor(table, n_lines):
    """A line separates the points of AND and of OR; XOR needs two lines and a unit above them."""
    net = min((logic_to_network(table, form=form) for form in ("dnf", "cnf")), key=lambda found: found.n_units)
    ax = net.plot_regions()
    (points,) = [c for c in ax.collections if c.get_offsets().shape == (4, 2)]
    colors = points.get_facecolors()
    assert [bool((c == colors[np.argmax(table)]).all()) for c in colors] == [bool(t) for t in table]
    assert len(ax.lines) == n_lines
    for line, (w, b) in zip(ax.lines, zip(net.coefs[0].T, net.intercepts[0])):
        np.testing.assert_allclose(line.get_xydata() @ w + b, 0, atol=1e-12)
        assert np.ptp(line.get_xydata(), axis=0).max() > 3  # across the whole picture
        heights = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]) @ w + b
        assert np.abs(heights).min() == 0.5  # halfway between the points
        sides = np.sign(heights)
        assert (n_lines == 2) or set(sides[np.array(table) == 1]).isdisjoint(sides[np.array(table) == 0])
    with pytest.raises(DataError, match="plane"):
        logic_to_network("a and b and c").plot_regions()
