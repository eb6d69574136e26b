"""Layers on graphs against dense formulas, in float64; order of nodes; gradients."""

import numpy as np
import pytest

from novum.neural_network.message_passing.graphs import as_graph, blocks_of
from novum.neural_network.message_passing.neighborhoods import incoming_edges

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
@pytest.mark.notes("000-c", "node-classification")
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
@pytest.mark.notes("000-c", "gnn")
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


CONFIG = {
    "sizes": [3, 5, 4],
    "n_heads": 2,
    "dropout": 0.0,
    "readout": "mean",
    "n_classes": 3,
    "mean": [0.1, 0.2, 0.3],
    "scale": [1.0, 2.0, 0.5],
}


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


@pytest.mark.deep
@pytest.mark.notes("000-c", "graph-classification")
@pytest.mark.notes("000-c", "node-classification")
@pytest.mark.notes("000-c", "link-prediction")
@pytest.mark.parametrize("readout", ["mean", "sum", "max"])
def test_heads_read_the_vectors_of_nodes_graphs_and_pairs(readout):
    from novum.neural_network.message_passing.layers import GraphNet

    A, X = dense_graph(5)
    batch, owner = batch_of(A, X), torch.tensor([0, 0, 1, 1, 1, 0, 1])
    torch.manual_seed(0)
    nets = {
        task: GraphNet({**CONFIG, "layer": "gcn", "task": task, "readout": readout}).double()
        for task in ("graph", "node", "link")
    }
    vectors = {task: net.embed(batch).detach().numpy() for task, net in nets.items()}
    raised = {task: np.where(h > 0, h, np.expm1(h)) for task, h in vectors.items()}
    head = {task: [p.detach().numpy() for p in nets[task].head.parameters()] for task in ("graph", "node")}
    read = np.array([getattr(raised["graph"][owner == k], readout)(0) for k in (0, 1)])
    scores = nets["graph"].graph_scores(batch, owner, 2).detach()
    np.testing.assert_allclose(scores, read @ head["graph"][0].T + head["graph"][1], rtol=1e-10)
    some = nets["node"].node_scores(batch, torch.tensor([4, 0])).detach()
    np.testing.assert_allclose(some, raised["node"][[4, 0]] @ head["node"][0].T + head["node"][1], rtol=1e-10)
    with torch.no_grad():
        nets["link"].offset.fill_(0.7)
    odds = nets["link"].link_scores(torch.tensor(vectors["link"]), torch.tensor([[0, 3], [2, 6]])).detach()
    pairs = vectors["link"][[0, 2]], vectors["link"][[3, 6]]
    np.testing.assert_allclose(odds, (pairs[0] * pairs[1]).sum(1) + 0.7, rtol=1e-10)
