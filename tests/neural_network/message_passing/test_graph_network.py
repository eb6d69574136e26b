"""Networks on graphs: Zachary's club, block models, links, whole graphs, computation graphs, pictures and refusals."""

import numpy as np
import pytest

import novum
from novum.exceptions import DataError, ParameterError
from novum.neural_network import GraphNetwork

torch = pytest.importorskip("torch")
nx = pytest.importorskip("networkx")
deep = pytest.mark.deep
pytestmark = pytest.mark.filterwarnings("ignore:.*the network is worse than none")  # few epochs are enough here


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def club():
    graph = nx.karate_club_graph()
    nx.set_edge_attributes(graph, 1.0, "weight")
    return graph, np.array([held["club"] for _, held in graph.nodes(data=True)])


def block_model(seed, sizes=(50, 50, 50), inside=0.2, outside=0.02):
    rng = np.random.default_rng(seed)
    z = np.repeat(np.arange(len(sizes)), sizes)
    A = np.triu(rng.random((len(z), len(z))) < np.where(z[:, None] == z, inside, outside), 1)
    return (A | A.T).astype(float), z, rng


@deep
@pytest.mark.notes("000-c", "node-classification")
@pytest.mark.notes("000-c", "gcn")
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_zacharys_club_from_its_two_leaders(club, seed):
    """Two labels of 34: the loss is on these alone, the rest is predicted from the graph."""
    graph, truth = club
    model = GraphNetwork(max_epochs=100, random_state=seed).fit(graph, {0: "Mr. Hi", 33: "Officer"})
    assert model.score(graph, truth) >= 0.9
    assert model.predict(graph)[[0, 33]].tolist() == ["Mr. Hi", "Officer"]
    np.testing.assert_allclose(model.predict_proba(graph).sum(1), 1, rtol=1e-6)


@deep
@pytest.mark.notes("000-c", "node-embedding")
def test_embeddings_keep_near_what_is_near(club):
    """Two numbers for a member, learned from four labels: distances in the plane follow distances along edges."""
    graph, truth = club
    model = GraphNetwork(n_components=2, max_epochs=150, random_state=0).fit(
        graph, {0: "Mr. Hi", 1: "Mr. Hi", 33: "Officer", 32: "Officer"}
    )
    codes = model.transform(graph)
    assert codes.shape == (34, 2)
    steps = np.array([[nx.shortest_path_length(graph, a, b) for b in graph] for a in graph])
    apart = np.linalg.norm(codes[:, None] - codes, axis=2)
    upper = np.triu_indices(34, 1)
    assert np.corrcoef(steps[upper], apart[upper])[0, 1] > 0.4
    same = truth[:, None] == truth
    assert apart[upper][same[upper]].mean() < 0.6 * apart[upper][~same[upper]].mean()
    # similarity is learned without any label too, from edges alone
    linked = GraphNetwork("link", n_components=4, max_epochs=150, random_state=0).fit(graph).transform(graph)
    similar = (linked @ linked.T)[upper]
    assert similar[steps[upper] == 1].mean() > similar[steps[upper] >= 3].mean() + 1


@deep
@pytest.mark.notes("000-c", "gnn")
@pytest.mark.notes("000-c", "node-classification")
@pytest.mark.parametrize("layer", ["gcn", "mean", "sum", "max", "attention"])
def test_a_block_model_from_a_tenth_of_the_labels(layer):
    A, z, rng = block_model(0)
    part = np.where(rng.random(len(z)) < 0.1, z, -1)
    # degrees and noise for features, so that the network must listen to neighbours
    near = A @ np.eye(3)[z] + 3 * rng.normal(size=(len(z), 3))
    model = GraphNetwork(layer=layer, max_epochs=60, random_state=0)
    assert model.fit(A, part).score(A, np.where(part < 0, z, -1)) > (0.6 if layer == "max" else 0.9)
    inductive = GraphNetwork(layer=layer, max_epochs=80, random_state=0).fit(A, z, features=near)
    B, w, other = block_model(1)
    fresh = B @ np.eye(3)[w] + 3 * other.normal(size=(len(w), 3))
    assert inductive.score(B, w, features=fresh) > 0.6  # another graph with the same kind of features


@deep
def test_what_marks_a_node_without_a_label(club):
    graph, truth = club
    some = {0: "Mr. Hi", 33: "Officer", 5: "Mr. Hi"}
    settings = {"max_epochs": 3, "random_state": 0}
    expected = GraphNetwork(**settings).fit(graph, some).predict_proba(graph)
    listed = [some.get(node) for node in graph]
    gaps = np.array([some.get(node, np.nan) for node in graph], dtype=object)
    named = graph.copy()
    nx.set_node_attributes(named, some, "side")
    for y in (listed, gaps, "side"):
        np.testing.assert_allclose(GraphNetwork(**settings).fit(named, y).predict_proba(graph), expected, rtol=1e-6)
    codes = np.array([{"Mr. Hi": 0, "Officer": 1}.get(some.get(node), -1) for node in graph])
    np.testing.assert_allclose(GraphNetwork(**settings).fit(graph, codes).predict_proba(graph), expected, rtol=1e-6)
    weight = np.where(codes >= 0, 1.0, 0.0)
    weight[5] = 0
    without = GraphNetwork(**settings).fit(graph, truth, sample_weight=weight)
    np.testing.assert_allclose(
        without.predict_proba(graph),
        GraphNetwork(**settings).fit(graph, {0: "Mr. Hi", 33: "Officer"}).predict_proba(graph),
        rtol=1e-5,
    )


@deep
@pytest.mark.parametrize("layer", ["gcn", "mean", "attention"])
def test_batches_of_neighbourhoods(layer):
    """Small batches of drawn neighbours learn too; answers by neighbourhoods are those of the whole graph."""
    A, z, rng = block_model(2, (60, 60, 60))
    part = np.where(rng.random(180) < 0.3, z, -1)
    model = GraphNetwork(layer=layer, n_neighbors=5, batch_size=16, max_epochs=25, random_state=0).fit(A, part)
    assert model.score(A, z) > 0.9
    from novum.neural_network.message_passing.examples import NodeExamples
    from novum.neural_network.message_passing.graphs import as_graph

    examples = NodeExamples(as_graph(A), np.arange(180), np.zeros(180, int), None, 2, None)
    with torch.no_grad():
        whole = model.module_.embed(examples.around(np.arange(180))[0])
        for seeds in ([7], [3, 170, 3], [0, 1, 2, 90]):
            batch, places = examples.around(np.array(seeds))
            assert len(batch.features) < 180
            torch.testing.assert_close(model.module_.embed(batch)[places], whole[seeds], rtol=1e-4, atol=1e-5)


@deep
@pytest.mark.notes("000-c", "link-prediction")
def test_links_that_were_hidden_are_found():
    A, _, rng = block_model(3, (40, 40, 40), 0.35, 0.02)
    edges = np.argwhere(np.triu(A))
    hidden = edges[rng.choice(len(edges), len(edges) // 10, replace=False)]
    known = A.copy()
    known[hidden[:, 0], hidden[:, 1]] = known[hidden[:, 1], hidden[:, 0]] = 0
    model = GraphNetwork("link", max_epochs=100, random_state=0).fit(known)
    assert model.score(known, hidden) > 0.75
    # the score is the area under the curve: the share of pairs (edge, none) in the right order
    some = [(0, 1), (0, 100), (5, 90), (10, 20)]
    h = model.transform(known).astype(np.float64)
    odds = [h[a] @ h[b] + float(model.weights_["offset"]) for a, b in some]
    np.testing.assert_allclose(model.link_probability(known, some), 1 / (1 + np.exp(-np.array(odds))), rtol=1e-6)
    best = model.recommend_links(known, 20)
    probabilities = [p for _, _, p in best]
    assert probabilities == sorted(probabilities, reverse=True) and all(known[a, b] == 0 and a < b for a, b, _ in best)
    free = [(a, b) for a in range(120) for b in range(a + 1, 120) if not known[a, b]]
    assert probabilities[0] == pytest.approx(model.link_probability(known, free).max())
    truth = np.mean([A[a, b] or (a // 40 == b // 40) for a, b, _ in best])
    assert truth > 0.8


@deep
def test_edges_held_back_carry_no_messages():
    from novum.neural_network.message_passing.examples import pairs_without_edge
    from novum.neural_network.message_passing.graphs import as_graph
    from novum.neural_network.message_passing.inputs import without_edges

    A, _, _ = block_model(4, (20, 20))
    graph = as_graph(A)
    less, held = without_edges(graph, 0.2, 0, "G")
    n_edges = int(A.sum() / 2)
    assert len(held) == int(np.ceil(0.2 * n_edges)) and less.edges.shape[1] == 2 * (n_edges - len(held))
    left = set(map(tuple, less.edges.T.tolist()))
    assert not any((a, b) in left or (b, a) in left for a, b in held)
    model = GraphNetwork("link", validation_fraction=0.2, max_epochs=5, random_state=0).fit(A)
    assert {"validation loss", "validation accuracy"} <= set(model.history_.columns)
    known = set(map(tuple, graph.edges.T.tolist()))
    none = pairs_without_edge(40, 200, known, np.random.default_rng(0))
    assert len(none) == 200 and all(A[a, b] == 0 and a != b for a, b in none)
    full = {(a, b) for a in range(4) for b in range(4)}
    assert len(pairs_without_edge(4, 5, full, np.random.default_rng(0))) == 0


@deep
@pytest.mark.notes("000-c", "graph-classification")
@pytest.mark.parametrize("readout", ["mean", "sum", "max"])
def test_rings_are_separated_from_stars_and_trees(readout):
    rng = np.random.default_rng(0)
    kinds = [lambda n: nx.cycle_graph(n), lambda n: nx.star_graph(n - 1), lambda n: nx.complete_graph(n)]
    y = rng.integers(3, size=90)
    graphs = [kinds[k](int(rng.integers(5, 12))) for k in y]
    model = GraphNetwork("graph", layer="sum", readout=readout, max_epochs=60, batch_size=16, random_state=0).fit(
        graphs[:60], y[:60]
    )
    assert model.score(graphs[60:], y[60:]) > 0.9
    order = rng.permutation(8)
    ring = nx.cycle_graph(8)
    shuffled = nx.relabel_nodes(ring, dict(enumerate(order.tolist())))
    np.testing.assert_allclose(model.predict_proba([ring]), model.predict_proba([shuffled]), rtol=1e-4)
    np.testing.assert_allclose(model.predict_proba(graphs[:9])[4], model.predict_proba([graphs[4]])[0], rtol=1e-4)
    assert model.transform(graphs[:5]).shape == (5, 16)


@pytest.mark.notes("000-c", "graph-drawing")
@deep
def test_the_network_draws_what_it_says(club):
    from matplotlib.figure import Figure

    graph, _ = club
    model = GraphNetwork(max_epochs=60, random_state=0).fit(graph, {0: "Mr. Hi", 33: "Officer"})
    ax = model.plot(graph, {0: "Mr. Hi", 33: "Officer"}, ax=Figure().subplots())
    predicted = model.predict(graph)
    for dots, label in zip(ax.collections, model.classes_):
        assert len(dots.get_offsets()) == (predicted == label).sum()
    links = GraphNetwork("link", max_epochs=2, random_state=0).fit(graph)
    shades = links.plot(graph, ax=Figure().subplots()).collections[0].get_array()
    np.testing.assert_allclose(shades, links.transform(graph)[:, 0], rtol=1e-6)


@deep
def test_saved_repeated_continued_and_refused(club, tmp_path):
    graph, truth = club
    settings = {"max_epochs": 4, "random_state": 0, "dropout": 0.3}
    model = GraphNetwork(**settings).fit(graph, truth)
    np.testing.assert_array_equal(model.transform(graph), GraphNetwork(**settings).fit(graph, truth).transform(graph))
    novum.save(model, tmp_path / "club.novum")
    again = novum.load(tmp_path / "club.novum")
    np.testing.assert_array_equal(again.predict_proba(graph), model.predict_proba(graph))
    path = tmp_path / "half.npz"
    GraphNetwork(**{**settings, "max_epochs": 2}, checkpoint=path).fit(graph, truth)
    assert GraphNetwork(**settings, checkpoint=path).resume(graph, truth).history_.objective == model.history_.objective
    watched = GraphNetwork(**settings).fit(
        graph, dict(enumerate(truth[:20])), validation=(graph, dict(enumerate(truth[20:], 20)))
    )
    assert "validation accuracy" in watched.history_.columns
    linked = GraphNetwork("link", **settings).fit(graph, validation=(graph, [(0, 9), (4, 30)]))
    assert "validation loss" in linked.history_.columns
    moved = model.transfer(graph, {0: "a", 33: "b"}, max_epochs=2)
    np.testing.assert_array_equal(moved.weights_["layers.0.linear.weight"], model.weights_["layers.0.linear.weight"])
    assert moved.classes_.tolist() == ["a", "b"]
    with pytest.raises(DataError, match="trained for the 34 nodes"):
        model.predict(nx.path_graph(5))
    with pytest.raises(DataError, match="no features and 34 nodes, and the network was trained for 2 features"):
        GraphNetwork(**settings).fit(graph, truth, features=np.eye(34)[:, :2]).predict(graph)
    with pytest.raises(DataError, match="one class, 'x'"):
        GraphNetwork(**settings).fit(graph, {0: "x", 1: "x"})
    with pytest.raises(DataError, match="no node has a label"):
        GraphNetwork(**settings).fit(graph, [None] * 34)
    with pytest.raises(DataError, match="no node 99"):
        GraphNetwork(**settings).fit(graph, {99: "x", 1: "y"})
    with pytest.raises(DataError, match="each of the 34 nodes"):
        GraphNetwork(**settings).fit(graph, truth[:5])
    with pytest.raises(DataError, match="requires y"):
        GraphNetwork(**settings).fit(graph)
    with pytest.raises(DataError, match="takes a list of graphs"):
        GraphNetwork("graph").fit(graph, [1])
    with pytest.raises(DataError, match="2 graphs and labels of shape"):
        GraphNetwork("graph").fit([graph, graph], [1])
    with pytest.raises(DataError, match="the graph has none"):
        GraphNetwork("link").fit(np.zeros((3, 3)))
    with pytest.raises(ParameterError, match="link_probability is for task='link'"):
        model.link_probability(graph, [(0, 1)])
    with pytest.raises(ParameterError, match="use link_probability"):
        linked.predict(graph)
    with pytest.raises(ParameterError, match="no sample_weight"):
        GraphNetwork("link").fit(graph, sample_weight=np.ones(34))


@deep
@pytest.mark.parametrize("layer", ["gcn", "mean", "sum", "max", "attention"])
def test_products_in_half_precision_learn_alike(club, layer):
    graph, truth = club
    model = GraphNetwork(layer=layer, max_epochs=3, learning_rate=0.001, random_state=0)
    full = model.set_params(mixed_precision=False).fit(graph, truth).history_
    half = model.set_params(mixed_precision=True).fit(graph, truth).history_
    np.testing.assert_allclose(half, full, rtol=0.03)
