"""Messages, Markov networks and undirected graphs against the notes' numbers and brute force."""

import itertools

import networkx as nx
import numpy as np
import pytest

from novum.datasets import load_network
from novum.distributions import JointTable
from novum.exceptions import DataError, ParameterError
from novum.graphical import BayesianNetwork, FactorGraph, MarkovNetwork, UndirectedGraph, canonical_potentials

ATTRACT = [[2, 1], [1, 3]]


@pytest.mark.notes("000-b", "max-product")
@pytest.mark.notes("000-b", "factor-graph")
@pytest.mark.notes("000-b", "sum-product")
def test_star_of_the_notes():
    graph = FactorGraph(
        {
            "fa": (("x1", "x2"), [[1, 2], [3, 4]]),
            "fb": (("x2", "x3"), [[2, 1], [1, 3]]),
            "fc": (("x4", "x2"), [[1, 1], [2, 5]]),
        }
    )
    found = graph.sum_product()
    for sender, receiver, values in (
        ("fa", "x2", (4, 6)),
        ("fc", "x2", (3, 6)),
        ("x2", "fb", (12, 36)),
        ("fb", "x3", (60, 120)),
    ):
        np.testing.assert_allclose(found.message(sender, receiver), values, rtol=1e-13)
    assert found.partition == pytest.approx(180) and found.n_messages == 2 * 6
    np.testing.assert_allclose(found.marginals["x3"].p, [1 / 3, 2 / 3], rtol=1e-13)
    best = graph.max_product()
    np.testing.assert_allclose(best.message("fb", "x3"), [20, 60], rtol=1e-13)
    assert best.values == dict.fromkeys(("x1", "x2", "x3", "x4"), 1) and np.exp(best.log_value) == pytest.approx(60)


@pytest.mark.notes("002", "sum-product")
@pytest.mark.notes("002", "factor-graph")
def test_a_leaf_factor_sends_itself():
    graph = FactorGraph({"f1": (("x1",), [0.2, 0.8]), "f12": (("x1", "x2"), [[1, 2], [3, 4]])})
    found = graph.sum_product()
    assert found.partition == pytest.approx(6.2)
    np.testing.assert_allclose(found.marginals["x2"].p, [0.419355, 0.580645], atol=1e-6)
    np.testing.assert_allclose(found.marginals["x1"].p, [0.096774, 0.903226], atol=1e-6)
    np.testing.assert_allclose(found.belief("f12"), np.array([[0.2, 0.4], [2.4, 3.2]]) / 6.2, rtol=1e-12)


@pytest.mark.notes("000-b", "sum-product")
def test_both_factor_graphs_of_a_collider_give_the_same_marginals():
    tree = load_network("polytree")
    fine = tree.to_factor_graph()
    assert fine.is_tree
    np.testing.assert_allclose(fine.sum_product().marginals["B"].p, [0.4206, 0.5794], atol=1e-12)
    np.testing.assert_allclose(fine.sum_product().marginals["C"].p, [0.41, 0.59], atol=1e-12)
    t = tree.tables
    coarse = FactorGraph(
        {"f": (("A", "C", "B"), np.einsum("a,acb->acb", t["A"], t["B"])), "g": (("D", "C"), t["D"][:, None] * t["C"])}
    )
    for v in "ABCD":
        np.testing.assert_allclose(coarse.sum_product().marginals[v].p, fine.sum_product().marginals[v].p, atol=1e-14)
        np.testing.assert_allclose(
            tree.query(v, {"B": "0"} if v != "B" else None, "sum_product").p,
            tree.query(v, {"B": "0"} if v != "B" else None).p,
            atol=1e-14,
        )


def chain_network():
    move = [[0.7, 0.3], [0.2, 0.8]]
    return BayesianNetwork(
        {"X1": [], "X2": ["X1"], "X3": ["X2"], "X4": ["X3"]},
        {"X1": [0.6, 0.4], "X2": move, "X3": move, "X4": move},
        dict.fromkeys(["X1", "X2", "X3", "X4"], (0, 1)),
    )


@pytest.mark.notes("000-b", "chain-messages")
@pytest.mark.notes("000-b", "chain-evidence")
@pytest.mark.notes("002", "bn-markov-chain")
def test_chain_of_the_notes():
    chain = chain_network()
    found = chain.to_factor_graph().sum_product()
    alpha = [[0.6, 0.4], [0.5, 0.5], [0.45, 0.55], [0.425, 0.575]]
    for i, values in enumerate(alpha, 1):
        np.testing.assert_allclose(found.message(f"f_X{i}", f"X{i}"), values, atol=1e-14)
        if i > 1:
            np.testing.assert_allclose(found.message(f"f_X{i}", f"X{i - 1}"), [1, 1], atol=1e-14)
    seen = chain.query("X2", {"X1": 0, "X3": 1}, "sum_product")
    assert seen.evidence_probability == pytest.approx(0.27)
    np.testing.assert_allclose(seen.p, [0.126 / 0.27, 0.144 / 0.27], atol=1e-14)


@pytest.mark.notes("002", "chain-messages")
@pytest.mark.notes("002", "mrf")
@pytest.mark.notes("000-b", "markov-network")
def test_chain_of_pairs():
    chain = MarkovNetwork([((f"x{i}", f"x{i + 1}"), ATTRACT) for i in (1, 2, 3)])
    assert chain.partition == pytest.approx(90)
    weight = {
        states: np.prod([ATTRACT[a][b] for a, b in itertools.pairwise(states)])
        for states in itertools.product(range(2), repeat=4)
    }
    top = max(weight, key=weight.get)
    best = chain.map_query()
    assert tuple(best.values.values()) == top and best.joint_probability == pytest.approx(weight[top] / 90)
    assert best.log_probability == pytest.approx(np.log(weight[top] / 90))
    assert best.probability == pytest.approx(weight[top] / 90)  # nothing is given
    both = sum(w for states, w in weight.items() if states[0] == 0)
    given = chain.map_query(evidence={"x1": 0})
    least = max(w for states, w in weight.items() if states[0] == 0)
    assert (given.probability, given.joint_probability) == pytest.approx((least / both, least / 90))
    found = chain.marginals()
    for name, first in (("x1", 0.388889), ("x2", 1 / 3), ("x3", 1 / 3), ("x4", 0.388889)):
        assert found[name].p[0] == pytest.approx(first, abs=1e-6)
        np.testing.assert_allclose(chain.to_factor_graph().sum_product().marginals[name].p, found[name].p, atol=1e-14)


@pytest.mark.notes("000-b", "viterbi-trellis")
def test_trellis_of_the_notes():
    move = [[0.6, 0.3, 0.1], [0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]
    chain = FactorGraph(
        {"start": (("x1",), [0.5, 0.3, 0.2]), **{f"f{i}": ((f"x{i}", f"x{i + 1}"), move) for i in (1, 2, 3)}}
    )
    best = chain.max_product()
    for i, delta in enumerate(([0.3, 0.15, 0.12], [0.18, 0.09, 0.06], [0.108, 0.054, 0.036]), 1):
        np.testing.assert_allclose(best.message(f"f{i}", f"x{i + 1}"), delta, atol=1e-14)
        np.testing.assert_array_equal(best.pointer(f"f{i}", f"x{i + 1}")[:, 0], [0, 0, 1])
    assert list(best.values.values()) == [0, 0, 0, 0] and np.exp(best.log_value) == pytest.approx(0.108)
    single = [chain.sum_product().marginals[f"x{i}"].mode for i in (1, 2, 3, 4)]
    assert single == [0, 0, 1, 1]


@pytest.mark.notes("002", "max-sum")
def test_ties_are_followed_back_not_mixed():
    xor = FactorGraph({"f": (("a", "b"), [[0.1, 0.4], [0.4, 0.1]])})
    best = xor.max_product()
    for log in best.log_max_marginals.values():
        np.testing.assert_allclose(log, [np.log(0.4)] * 2)
    assert best.optima() == [{"a": 0, "b": 1}, {"a": 1, "b": 0}]


@pytest.mark.notes("000-b", "log-domain-messages")
def test_messages_of_a_long_chain_stay_finite():
    n = 400
    chain = FactorGraph([((f"x{i}", f"x{i + 1}"), [[0.1, 0.1], [0.1, 0.1]]) for i in range(n)])
    assert chain.sum_product().log_partition == pytest.approx(n * np.log(0.1) + (n + 1) * np.log(2))
    assert chain.max_product().log_value == pytest.approx(-921.0340372, abs=1e-6)


def test_loops_evidence_and_bad_factors():
    loop = FactorGraph([(("a", "b"), ATTRACT), (("b", "c"), ATTRACT), (("c", "a"), ATTRACT)])
    assert not loop.is_tree and "loopy" in repr(loop)
    with pytest.raises(ParameterError, match="the factor graph has loops"):
        loop.sum_product()
    with pytest.raises(DataError, match="probability zero"):
        FactorGraph({"f": (("a", "b"), [[1, 0], [1, 0]])}).sum_product({"b": 1})
    for factors, message in (
        ({"f": (("a", "b"), [1, 2])}, "needs one axis per variable"),
        ({"f": (("a",), [1, -2])}, "finite numbers >= 0"),
        ([(("a",), [1, 2]), (("a",), [1, 2, 3])], "'a' has 2 states, but 3"),
        ([], "at least one factor"),
        ([3], "must be a pair"),
    ):
        with pytest.raises(ParameterError, match=message):
            FactorGraph(factors)


@pytest.mark.notes("002", "maximal-cliques")
@pytest.mark.notes("002", "mrf-markov-blanket")
@pytest.mark.notes("002", "mrf-separation")
def test_cliques_blankets_and_separation():
    graph = UndirectedGraph(["AC", "AB", "CD", "BD", "BE", "DE"], nodes="F")
    assert {frozenset(c) for c in graph.cliques()} == {frozenset(c) for c in ("AC", "AB", "CD", "BDE", "F")}
    assert graph.markov_blanket("B") == set("ADE") and not graph.is_forest and not graph.is_chordal
    assert graph.separated("A", "E", "BC") and not graph.separated("A", "E", "B")
    assert graph.separated("A", "E", "B").path == ("A", "C", "D", "E")
    for seed in range(5):
        peer = nx.gnp_random_graph(9, 0.4, seed=seed)
        ours = UndirectedGraph(peer)
        assert {frozenset(c) for c in ours.cliques()} == {frozenset(c) for c in nx.find_cliques(peer)}
        assert ours.is_chordal == nx.is_chordal(peer) and len(ours.components()) == nx.number_connected_components(peer)
        cut = peer.copy()
        cut.remove_nodes_from([2, 3])
        assert bool(ours.separated(0, 8, [2, 3])) == (not nx.has_path(cut, 0, 8))
    with pytest.raises(ParameterError, match="must not share nodes"):
        graph.separated("A", "A")


@pytest.mark.notes("002", "variable-elimination")
def test_loop_of_five():
    tables = {
        "AB": [[2, 1], [1, 5]],
        "BD": [[1, 3], [3, 1]],
        "CD": [[2, 1], [1, 2]],
        "BE": [[1, 2], [2, 1]],
        "DE": [[4, 1], [1, 4]],
    }
    network = MarkovNetwork({name: (tuple(name), table) for name, table in tables.items()})
    assert network.partition == pytest.approx(891)
    np.testing.assert_allclose(network.query("A").p, [1 / 3, 2 / 3], rtol=1e-12)
    np.testing.assert_allclose(network.query("C").p, [0.535354, 0.464646], atol=1e-6)
    np.testing.assert_allclose(network.query("C", {"A": 1}).p, [0.570707, 0.429293], atol=1e-6)


@pytest.mark.notes("002", "hammersley-clifford")
def test_canonical_potentials_find_the_graph_and_give_the_table_back():
    network = MarkovNetwork(
        [(("a", "b"), ATTRACT), (("b", "c"), [[1, 2], [5, 1]]), (("c", "d"), ATTRACT), (("d", "a"), [[1, 4], [2, 1]])]
    )
    joint = network.query(list("abcd")).to_table()
    for reference in (None, {"a": 1, "c": 1}):
        found = canonical_potentials(joint, reference)
        assert found.graph == network.graph
        np.testing.assert_allclose(found.query(list("abcd")).p, joint.p, atol=1e-13)
    whole = JointTable(np.random.default_rng(3).dirichlet(np.ones(12)).reshape(2, 3, 2), names=("x", "y", "z"))
    found = canonical_potentials(whole)  # all three interact: one clique
    assert [set(clique) for clique in found.graph.cliques()] == [set("xyz")]
    np.testing.assert_allclose(found.query(list("xyz")).p, whole.p, atol=1e-13)
    with pytest.raises(ParameterError, match="> 0 everywhere"):
        canonical_potentials(JointTable([[0.5, 0.5], [0, 0]], names=("x", "y")))


@pytest.mark.notes("002", "moralise")
def test_a_network_as_a_markov_network():
    network = BayesianNetwork(
        {"D": [], "A": ["D"], "B": [], "C": ["A", "B"]},
        {
            "D": [0.4, 0.6],
            "A": [[0.1, 0.9], [0.7, 0.3]],
            "B": [0.2, 0.8],
            "C": np.random.default_rng(0).dirichlet([1, 1], (2, 2)),
        },
    )
    moral = network.to_markov_network()
    assert {frozenset(e) for e in moral.graph.edges} == {frozenset(e) for e in ("AD", "AC", "BC", "AB")}
    assert moral.partition == pytest.approx(1)
    assert not moral.separated("A", "B")  # independent in the network, no longer readable
    for v in "ABCD":
        np.testing.assert_allclose(moral.query(v).p, network.query(v).p, atol=1e-14)


def test_markov_networks_survive_uai(tmp_path):
    rng = np.random.default_rng(0)
    network = MarkovNetwork(
        [(("x0", "x1"), rng.random((2, 3))), (("x2", "x1"), rng.random((4, 3)))],
        {"x0": (0, 1), "x1": (0, 1, 2), "x2": (0, 1, 2, 3)},
    )
    network.write(tmp_path / "m.uai")
    again = MarkovNetwork.read(tmp_path / "m.uai")
    assert again.states == network.states
    for one, other in zip(network.potentials, again.potentials, strict=True):
        assert one.variables == other.variables and np.array_equal(one.table, other.table)


def brute(network, names, evidence):
    states = network.states
    total = np.zeros([len(states[n]) for n in names])
    free = [v for v in states if v not in evidence]
    for x in itertools.product(*(states[v] for v in free)):
        at = {**evidence, **dict(zip(free, x, strict=True))}
        p = np.prod([f.table[tuple(states[v].index(at[v]) for v in f.variables)] for f in network.potentials])
        total[tuple(states[n].index(at[n]) for n in names)] += p
    return total / total.sum()


@pytest.mark.notes("000-b", "markov-network")
@pytest.mark.notes("002", "mrf")
def test_markov_queries_equal_brute_force():
    rng = np.random.default_rng(1)
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"), ("d", "e")]
    cards = dict(zip("abcde", (2, 3, 2, 2, 3), strict=True))
    network = MarkovNetwork(
        [(p, rng.random([cards[v] for v in p])) for p in pairs],
        {v: tuple(range(k)) for v, k in cards.items()} | {"alone": (0, 1)},
    )
    for evidence in ({}, {"a": 1}, {"b": 2, "e": 0}):
        for v in network.states:
            if v not in evidence:
                np.testing.assert_allclose(network.query(v, evidence).p, brute(network, [v], evidence), atol=1e-14)
        np.testing.assert_allclose(
            network.query(["c", "d"], evidence).p, brute(network, ["c", "d"], evidence), atol=1e-14
        )


def test_the_schedule_goes_to_the_root_and_back():
    graph = load_network("polytree").to_factor_graph()
    for root in graph.states:
        for found in (graph.sum_product(root=root), graph.max_product(root=root)):
            order = found.schedule
            half = len(order) // 2
            assert [(b, a) for a, b in order[half:]] == order[:half][::-1] and len(order) == 2 * half
            assert order[half - 1][1] == root
            for at, (sender, receiver) in enumerate(order):  # everybody else has told the sender
                others = {a for a, b in order if b == sender} - {receiver}
                assert others <= {a for a, b in order[:at] if b == sender}
        assert graph.sum_product(root=root).log_partition == pytest.approx(0, abs=1e-12)
        assert graph.max_product(root=root).log_value == pytest.approx(graph.max_product().log_value, rel=1e-12)
    with pytest.raises(ParameterError, match=r"sum_product\(root='Q'\): no such variable; there are"):
        graph.sum_product(root="Q")
