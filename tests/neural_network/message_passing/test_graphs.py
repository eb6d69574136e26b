"""Graphs from what users have, sums over neighbours, neighbourhoods, computation graphs and drawings: all without PyTorch."""

import numpy as np
import pytest

from novum.exceptions import DataError, ParameterError
from novum.neural_network import GraphNetwork, computation_graph, plot_graph
from novum.neural_network.message_passing.graphs import Graph, as_graph
from novum.neural_network.message_passing.neighborhoods import incoming_edges, neighborhood
from novum.teaching import aggregate_neighbors

PATH = [(0, 1), (1, 2)]


@pytest.mark.notes("000-c", "neighbour-aggregators")
def test_the_numbers_of_the_notes():
    X = [1.0, 2.0, 3.0]
    assert aggregate_neighbors(PATH, X, "sum").tolist() == [3, 6, 5]
    assert aggregate_neighbors(PATH, X, "mean").tolist() == [1.5, 2, 2.5]
    assert aggregate_neighbors(PATH, X, "mean", include_self=False).tolist() == [2, 2, 2]
    assert aggregate_neighbors(PATH, X, "max").tolist() == [2, 3, 3]
    assert aggregate_neighbors(PATH, X, "max", include_self=False).tolist() == [2, 3, 2]


@pytest.mark.notes("000-c", "neighbour-aggregators")
@pytest.mark.parametrize("how", ["sum", "mean", "max"])
@pytest.mark.parametrize("own", [True, False])
def test_aggregation_by_definition_and_in_any_order(how, own):
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((9, 9)) * (rng.random((9, 9)) < 0.4), 1)
    A[:, 4] = A[4] = 0  # a node of its own
    A, X = A + A.T, rng.normal(size=(9, 3))
    found = aggregate_neighbors(A, X, how, include_self=own)
    for i in range(9):
        near = [j for j in range(9) if A[j, i] > 0 or (own and j == i)]
        weight = np.array([A[j, i] if j != i else 1.0 for j in near])
        if not near:
            expected = np.zeros(3)
        elif how == "max":
            expected = X[near].max(0)
        else:
            expected = weight @ X[near] / (weight.sum() if how == "mean" else 1)
        np.testing.assert_allclose(found[i], expected, rtol=1e-12)
    order = rng.permutation(9)
    again = aggregate_neighbors(A[np.ix_(order, order)], X[order], how, include_self=own)
    np.testing.assert_allclose(again, found[order], rtol=1e-12)


def test_neighbourhoods_hold_what_layers_see():
    rng = np.random.default_rng(1)
    A = np.triu(rng.random((40, 40)) < 0.06, 1)
    A = (A | A.T).astype(float)
    graph = as_graph(A)
    incoming = incoming_edges(graph)
    seeds = np.array([3, 17, 5])
    for depth in (1, 2, 3):
        reach = np.zeros(40)
        reach[seeds] = 1
        inner = reach.copy()
        for _ in range(depth):
            inner, reach = reach.copy(), np.minimum(reach + A @ reach, 1)
        found = neighborhood(incoming, seeds, depth)
        assert found.nodes[:3].tolist() == seeds.tolist() and sorted(found.nodes) == np.flatnonzero(reach).tolist()
        pairs = set(map(tuple, found.nodes[found.edges].T.tolist()))
        assert pairs == {(a, b) for a, b in graph.edges.T.tolist() if inner[b]}
    few = neighborhood(incoming, np.arange(40), 1, 2, np.random.default_rng(0))
    arriving = np.bincount(few.edges[1], minlength=40)
    assert (arriving == np.minimum(A.sum(0), 2)).all()
    assert len(set(map(tuple, few.edges.T.tolist()))) == few.edges.shape[1]  # none twice
    X = rng.normal(size=40)
    total = np.zeros(40)
    for k in range(600):  # in the mean, sums over drawn edges are sums over all
        few = neighborhood(incoming, np.arange(40), 1, 2, np.random.default_rng(k))
        np.add.at(total, few.nodes[few.edges[1]], few.weight * X[few.nodes[few.edges[0]]] / 600)
    np.testing.assert_allclose(total, A @ X, atol=0.6)
    assert np.abs(total - A @ X).mean() < 0.1


def test_graphs_from_whatever_there_is():
    nx = pytest.importorskip("networkx")
    import scipy.sparse

    G = nx.Graph()
    G.add_nodes_from(["a", "b", "c", "d"])
    G.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 1.0), ("c", "c", 5.0)])
    graph = as_graph(G)
    matrix = np.zeros((4, 4))
    matrix[graph.edges[0], graph.edges[1]] = graph.weight
    expected = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0.0]])
    np.testing.assert_array_equal(matrix, expected)  # loops are dropped, edges go both ways
    for other in (expected, scipy.sparse.csr_matrix(expected), expected.tolist()):
        found = as_graph(other)
        assert not found.directed
        np.testing.assert_array_equal(found.edges, graph.edges)
        np.testing.assert_array_equal(found.weight, graph.weight)
    one_way = as_graph(np.array([[0, 1.0], [0, 0]]))
    assert one_way.directed and one_way.edges.T.tolist() == [[0, 1]]
    assert as_graph(nx.DiGraph([(0, 1)])).edges.T.tolist() == [[0, 1]]
    assert as_graph([(0, 1), (1, 3)]).nodes == [0, 1, 2, 3]
    assert as_graph([("x", "y"), ("y", "z", 3.0)]).weight.tolist() == [1, 1, 3, 3]
    nx.set_node_attributes(G, {n: [1.0, k] for k, n in enumerate(G)}, "features")
    assert as_graph(G).features.tolist() == [[1, 0], [1, 1], [1, 2], [1, 3]]
    nx.set_node_attributes(G, {n: k for k, n in enumerate(G)}, "age")
    assert as_graph(G, "age").features.tolist() == [[0], [1], [2], [3]]
    assert as_graph(as_graph(G), np.ones(4)).features.shape == (4, 1)
    assert isinstance(graph, Graph)


@pytest.mark.parametrize(
    "value, features, words",
    [
        (np.ones((2, 3)), None, "adjacency matrix, or edges"),
        ([(0, 1, 2, 3)], None, "pairs"),
        ([], None, "no nodes"),
        ([(0, 1)], np.ones((3, 1)), "each of the 2 nodes"),
        ([(0, 1)], [[np.nan], [1]], "NaN"),
        ([(0, 1)], "age", "not of networkx"),
        ([(0, 1)], ["x", "y"], "numbers"),
        ([(0, 1, -1.0)], None, "0 or more"),
    ],
)
def test_graphs_that_are_none_are_refused(value, features, words):
    with pytest.raises(ValueError, match=words):
        as_graph(value, features)


@pytest.mark.notes("000-c", "computation-graph")
def test_the_computation_graph_is_the_tree_of_walks():
    """A place at depth k is a walk of k edges from the node (a loop where it hears itself): powers of the matrix count them."""
    nx = pytest.importorskip("networkx")
    graph = nx.path_graph(4)
    graph.add_edge(1, 3)
    A = nx.to_numpy_array(graph)
    for own in (False, True):
        tree = computation_graph(graph, 0, 3, own=own)
        step = A + own * np.eye(4)
        for depth, level in enumerate(tree.levels()):
            walks = np.linalg.matrix_power(step, depth)[0]
            assert [level.count(node) for node in range(4)] == walks.tolist()
        for place in tree.places[1:]:
            above = tree.places[place.parent]
            assert above.depth == place.depth - 1 and step[above.node, place.node]
    assert repr(computation_graph([("a", "b"), ("b", "c")], "a", 2, own=False)) == "a\n  b\n    a\n    c"
    tree = GraphNetwork(hidden=(4,)).computation_graph(graph, 2)
    assert len(tree.levels()) == 3 and tree.levels()[1] == [1, 2, 3]

    from matplotlib.figure import Figure

    ax = tree.plot(ax=Figure().subplots())
    at = ax.collections[0].get_offsets()
    assert [t.get_text() for t in ax.texts if t.get_text()] == [str(p.node) for p in tree.places]
    assert [-p.depth for p in tree.places] == at[:, 1].tolist() and len(np.unique(at, axis=0)) == len(tree.places)
    arrows = [t for t in ax.texts if t.get_text() == ""]
    assert len(arrows) == len(tree.places) - 1
    assert len(tree.to_frame()) == len(tree.places)
    with pytest.raises(DataError, match="no node 9"):
        computation_graph(graph, 9, 1)
    with pytest.raises(ParameterError, match="n_layers=-1"):
        computation_graph(graph, 0, -1)
    with pytest.raises(DataError, match="more than 100,000"):
        computation_graph(nx.complete_graph(60), 0, 5)


@pytest.mark.notes("000-c", "graph-drawing")
def test_a_graph_is_drawn_where_its_nodes_are():
    nx = pytest.importorskip("networkx")
    from matplotlib.figure import Figure

    graph = nx.karate_club_graph()
    nx.set_edge_attributes(graph, 1.0, "weight")
    truth = np.array([held["club"] for _, held in graph.nodes(data=True)])
    marked = np.isin(np.arange(34), [0, 33])
    ax = plot_graph(graph, truth, marked=marked, ax=Figure().subplots())
    places = nx.spring_layout(graph, seed=0)
    assert len(ax.lines) == graph.number_of_edges()
    drawn = {tuple(np.round(line.get_xydata().ravel(), 6)) for line in ax.lines}
    for a, b in graph.edges:
        one, other = np.round(np.r_[places[a], places[b]], 6), np.round(np.r_[places[b], places[a]], 6)
        assert tuple(one) in drawn or tuple(other) in drawn
    for dots, label in zip(ax.collections, np.unique(truth)):
        expected = np.array([places[k] for k in graph if truth[k] == label])
        np.testing.assert_allclose(dots.get_offsets(), expected)
        rings = dots.get_edgecolor()[:, 3] > 0
        np.testing.assert_array_equal(rings, marked[truth == label])
    given = plot_graph(
        [(0, 1), (1, 2)], np.array([0.1, 0.5, 0.9]), positions=[[0, 0], [1, 0], [1, 1]], ax=Figure().subplots()
    )
    np.testing.assert_allclose(given.collections[0].get_array(), [0.1, 0.5, 0.9])
