"""Layers on graphs against dense formulas, in float64; order of nodes; gradients."""

import numpy as np
import pytest

from novum.neural_network import aggregate_neighbors
from novum.neural_network.message_passing.graphs import Graph, as_graph, blocks_of
from novum.neural_network.message_passing.neighborhoods import incoming_edges, neighborhood

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


torch = pytest.importorskip("torch")


def dense_graph(seed=0, n=7):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    A = A + A.T
    A[2] = A[:, 2] = 0
    return A, rng.normal(size=(n, 3))


def batch_of(A, X):
    from novum.neural_network.message_passing.layers import Batch

    graph = as_graph(A)
    degree = torch.tensor(incoming_edges(graph).degree)
    return Batch(torch.tensor(X), torch.tensor(graph.edges), torch.tensor(graph.weight), degree)


@pytest.mark.deep
@pytest.mark.notes("000-c", "gcn")
def test_graph_convolution_is_the_dense_formula():
    from novum.neural_network.message_passing.layers import Convolution

    layer = Convolution(1, 1).double()
    torch.nn.init.ones_(layer.linear.weight)
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]])
    found = layer(torch.tensor([[1.0], [2.0], [3.0]]).double(), batch_of(path, np.zeros((3, 1))))
    np.testing.assert_allclose(
        found.detach().numpy()[:, 0], [1.316497, 2.299660, 2.316497], atol=5e-7
    )  # the notes' numbers

    A, X = dense_graph()
    layer = Convolution(3, 4).double()
    torch.nn.init.normal_(layer.bias)
    hat = A + np.eye(7)
    root = np.diag(hat.sum(1) ** -0.5)
    W, b = layer.linear.weight.detach().numpy(), layer.bias.detach().numpy()
    np.testing.assert_allclose(
        layer(torch.tensor(X), batch_of(A, X)).detach(), root @ hat @ root @ X @ W.T + b, rtol=1e-12
    )
    # nodes without features are columns of W: the same as an identity matrix
    layer = Convolution(7, 4).double()
    numbers = layer(torch.arange(7), batch_of(A, X)).detach()
    torch.testing.assert_close(numbers, layer(torch.eye(7).double(), batch_of(A, X)).detach(), rtol=1e-12, atol=1e-14)


@pytest.mark.deep
@pytest.mark.notes("000-c", "gnn")
@pytest.mark.parametrize("how", ["mean", "sum", "max"])
def test_message_passing_is_the_dense_formula(how):
    from novum.neural_network.message_passing.layers import SelfAndNeighbors

    A, X = dense_graph(1)
    layer = SelfAndNeighbors(3, 4, how=how).double()
    own, bias, W = (p.detach().numpy() for p in (layer.own.weight, layer.own.bias, layer.linear.weight))
    message = X @ W.T
    near = np.zeros((7, 4))
    for i in range(7):
        j = np.flatnonzero(A[:, i])
        if len(j):
            near[i] = {
                "sum": A[j, i] @ message[j],
                "mean": A[j, i] @ message[j] / A[j, i].sum(),
                "max": message[j].max(0),
            }[how]
    np.testing.assert_allclose(layer(torch.tensor(X), batch_of(A, X)).detach(), X @ own.T + bias + near, rtol=1e-12)


@pytest.mark.deep
@pytest.mark.parametrize("n_out, n_heads", [(6, 2), (5, 3)])
def test_attention_is_the_dense_formula(n_out, n_heads):
    from novum.neural_network.message_passing.layers import Attention

    A, X = dense_graph(2)
    layer = Attention(3, n_out, n_heads=n_heads).double()
    torch.nn.init.normal_(layer.bias)
    width = n_out // n_heads if n_out % n_heads == 0 else n_out
    message = (X @ layer.linear.weight.detach().numpy().T).reshape(7, n_heads, width)
    p, q = layer.receiver.detach().numpy(), layer.sender.detach().numpy()
    out = np.zeros((7, n_heads, width))
    for i in range(7):
        near = [*np.flatnonzero(A[:, i]), i]
        for h in range(n_heads):
            e = np.array([p[h] @ message[i, h] + q[h] @ message[j, h] for j in near])
            e = np.where(e > 0, e, 0.2 * e)
            share = np.exp(e) / np.exp(e).sum()
            out[i, h] = share @ message[near, h]
    expected = (out.reshape(7, -1) if n_out % n_heads == 0 else out.mean(1)) + layer.bias.detach().numpy()
    np.testing.assert_allclose(layer(torch.tensor(X), batch_of(A, X)).detach(), expected, rtol=1e-10)


CONFIG = {"sizes": [3, 5, 4], "n_heads": 2, "dropout": 0.0, "readout": "mean", "n_classes": 3, "mean": [0.1, 0.2, 0.3],
          "scale": [1.0, 2.0, 0.5]}  # fmt: skip


@pytest.mark.deep
@pytest.mark.notes("000-c", "gnn")
@pytest.mark.parametrize("kind", ["gcn", "mean", "sum", "max", "attention"])
def test_the_order_of_nodes_does_not_matter_and_gradients_are_right(kind):
    from novum.neural_network.message_passing.layers import GraphNet

    torch.manual_seed(0)
    A, X = dense_graph(3)
    order = np.random.default_rng(0).permutation(7)
    for task in ("node", "graph"):
        module = GraphNet({**CONFIG, "layer": kind, "task": task}).double()
        there, moved = batch_of(A, X), batch_of(A[np.ix_(order, order)], X[order])
        torch.testing.assert_close(module.embed(moved), module.embed(there)[order], rtol=1e-10, atol=1e-12)
        if task == "graph":
            whole = torch.zeros(7, dtype=torch.int64)
            torch.testing.assert_close(
                module.graph_scores(moved, whole, 1), module.graph_scores(there, whole, 1), rtol=1e-10, atol=1e-12
            )
    parameters = list(module.parameters())
    assert torch.autograd.gradcheck(
        lambda *p: torch.func.functional_call(module, dict(zip(dict(module.named_parameters()), p)), (there,)),
        parameters,
    )


@pytest.mark.deep
def test_graphs_side_by_side_are_what_each_is_alone():
    from novum.neural_network.message_passing.layers import GraphNet, read_out

    torch.manual_seed(0)
    pairs = [dense_graph(k, n) for k, n in ((0, 5), (1, 7), (2, 4))]
    graphs = [as_graph(A, X) for A, X in pairs]
    whole, owner = blocks_of(graphs)
    assert whole.n_nodes == 16 and owner.tolist() == [0] * 5 + [1] * 7 + [2] * 4
    module = GraphNet({**CONFIG, "layer": "attention", "task": "graph"}).double()
    matrix = np.zeros((16, 16))
    matrix[whole.edges[0], whole.edges[1]] = whole.weight
    for how in ("sum", "mean", "max"):
        together = read_out(module.embed(batch_of(matrix, whole.features)), torch.tensor(owner), 3, how)
        for k, (A, X) in enumerate(pairs):
            alone = module.embed(batch_of(A, X)).detach().numpy()
            expected = {"sum": alone.sum(0), "mean": alone.mean(0), "max": alone.max(0)}[how]
            np.testing.assert_allclose(together[k].detach().numpy(), expected, rtol=1e-10)


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


@pytest.mark.parametrize("value, features, words", [
    (np.ones((2, 3)), None, "adjacency matrix, or edges"),
    ([(0, 1, 2, 3)], None, "pairs"),
    ([], None, "no nodes"),
    ([(0, 1)], np.ones((3, 1)), "each of the 2 nodes"),
    ([(0, 1)], [[np.nan], [1]], "NaN"),
    ([(0, 1)], "age", "not of networkx"),
    ([(0, 1)], ["x", "y"], "numbers"),
    ([(0, 1, -1.0)], None, "0 or more"),
])  # fmt: skip
def test_graphs_that_are_none_are_refused(value, features, words):
    with pytest.raises(ValueError, match=words):
        as_graph(value, features)
