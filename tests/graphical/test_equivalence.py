"""Equivalence classes by the definition, counts of graphs, I-maps and perfect maps by exhaustion."""

import itertools

import numpy as np
import pytest

from novum.datasets import load_gene_network
from novum.distributions import JointTable
from novum.exceptions import ParameterError, ParameterTypeError
from novum.graphical import DAG, MarkovNetwork, is_i_map, is_perfect_map, minimal_i_map, perfect_map


def gene_table():
    return load_gene_network().query(list("ABC")).to_table()


def xor_table():
    p = np.zeros((2, 2, 2))
    for a, b in itertools.product((0, 1), repeat=2):
        p[a, b, a ^ b] = 0.25
    return JointTable(p, names=list("ABC"))


def ring_table():
    """A positive Markov network on the ring A - B - C - D - A."""
    rng = np.random.default_rng(0)
    pairs = {f"{a}{b}": ((a, b), rng.uniform(0.2, 2, (2, 2))) for a, b in ("AB", "BC", "CD", "DA")}
    return MarkovNetwork(pairs).query(list("ABCD")).to_table()


@pytest.mark.notes("000-b", "i-equivalence")
def test_the_two_classes_of_three_connections():
    chain, back, fork = (DAG(arcs) for arcs in ([*zip("AC", "CB")], [*zip("BC", "CA")], [*zip("CC", "AB")]))
    collider = DAG([("A", "C"), ("B", "C")])
    assert chain.equivalent(back) and back.equivalent(fork) and not fork.equivalent(collider)
    assert not chain.d_separated("A", "B") and chain.d_separated("A", "B", "C")
    assert collider.d_separated("A", "B") and not collider.d_separated("A", "B", "C")
    essential = chain.essential_graph()
    assert essential.n_members == 3 and set(essential.members()) == {chain, back, fork} and not essential.arcs
    assert list(collider.essential_graph().members()) == [collider] and collider.immoralities == [("A", "C", "B")]
    assert not chain.equivalent(DAG([("A", "C")]))
    with pytest.raises(ParameterTypeError, match="must be a DAG, got int"):
        chain.equivalent(3)


@pytest.mark.notes("000-b", "dag-space-partition")
def test_counts_of_graphs_and_classes():
    assert [DAG.count(n) for n in range(7)] == [1, 1, 3, 25, 543, 29281, 3781503]
    for n, classes in ((1, 1), (2, 2), (3, 11), (4, 185)):
        graphs = list(DAG.enumerate(n))
        assert len(graphs) == len(set(graphs)) == DAG.count(n)
        found = DAG.equivalence_classes(n)
        assert len(found) == classes and found.n_graphs == DAG.count(n)
    assert sum(1 for _ in DAG.enumerate("abcde")) == 29281
    with pytest.raises(ParameterError, match=r"7 nodes have 1.14e[+]09 graphs"):
        DAG.enumerate(7)
    with pytest.raises(ParameterError, match="each once"):
        DAG.enumerate("aab")


@pytest.mark.notes("000-b", "i-equivalence")
@pytest.mark.notes("000-b", "dag-space-partition")
def test_classes_are_those_of_the_definition_and_essential_graphs_list_them():
    groups = {}
    for graph in DAG.enumerate("abcd"):
        groups.setdefault(frozenset(graph.independences()), []).append(graph)
    found = DAG.equivalence_classes("abcd")
    assert {frozenset(group) for group in groups.values()} == {frozenset(one.members) for one in found}
    for essential, members in found:
        assert set(essential.members()) == set(members) and essential.n_members == len(members)
        shared = set.intersection(*(set(m.arcs) for m in members))
        assert set(essential.arcs) == shared and essential.to_dag() in members
        assert all(m.essential_graph() == essential for m in members)
    assert repr(DAG.equivalence_classes("ab")).startswith("3 DAGs in 2 classes of I-equivalence\n")


def test_members_of_larger_classes_are_counted_without_listing():
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(7)
        arcs = [(order[i], order[j]) for i in range(7) for j in range(i + 1, 7) if rng.random() < 0.5]
        graph = DAG([(int(a), int(b)) for a, b in arcs], range(7))
        essential = graph.essential_graph()
        members = list(essential.members())
        assert graph in members and len(set(members)) == len(members) == essential.n_members
        assert all(graph.equivalent(m) for m in members) and graph.equivalent(essential.to_dag())
        for member in (essential.to_dag(), members[0]):  # parents in the order of the nodes, whatever the hashes
            assert all(list(parents) == sorted(parents) for parents in member.parents.values())
    complete = DAG([(i, j) for j in range(30) for i in range(j)]).essential_graph()
    assert complete.n_members == 265252859812191058636308480000000 and not complete.arcs
    chain = DAG([(i, i + 1) for i in range(500)]).essential_graph()
    assert chain.n_members == 501 and len(chain.edges) == 500


def test_a_partial_graph_without_members_is_refused():
    from novum.graphical.graphs.equivalence import EssentialGraph

    ring = EssentialGraph("abcd", edges=["ab", "bc", "cd", "da"])
    with pytest.raises(ParameterError, match="no directed graph has these"):
        ring.to_dag()


@pytest.mark.notes("000-b", "imap-check")
def test_i_maps_among_the_graphs_of_three():
    for table, number in ((gene_table(), 7), (xor_table(), 9)):
        maps = [graph for graph in DAG.enumerate("ABC") if is_i_map(graph, table)]
        assert len(maps) == number
        for graph in DAG.enumerate("ABC"):  # the other side of the theorem: the product of the conditionals is p
            product = np.ones((2, 2, 2))
            for v, parents in graph.parents.items():
                family = [n for n in "ABC" if n in (*parents, v)]
                joint, above = table.marginal(*family).p, family.index(v)
                total = joint.sum(axis=above, keepdims=True)
                shape = [2 if n in family else 1 for n in "ABC"]
                product = product * np.divide(joint, total, out=np.zeros_like(joint), where=total > 0).reshape(shape)
            assert (np.abs(product - table.p).max() < 1e-12) == (graph in maps)
    check = is_i_map(DAG((), "ABC"), gene_table())
    assert not check and check.statement.a == ("A",) and check.deviation > 0.01 and "not in the table" in repr(check)


@pytest.mark.notes("000-b", "minimal-imap")
def test_minimal_i_maps_by_order_and_by_exhaustion():
    gene, xor = gene_table(), xor_table()
    collider = DAG([("A", "C"), ("B", "C")])
    assert minimal_i_map(gene, "ABC") == collider == minimal_i_map(gene)
    for order in itertools.permutations("ABC"):
        found = minimal_i_map(gene, order)
        assert len(found.arcs) == (2 if order[2] == "C" else 3) and is_i_map(found, gene, minimal=True)
        assert is_i_map(minimal_i_map(xor, order), xor, minimal=True)
    minimal = [graph for graph in DAG.enumerate("ABC") if is_i_map(graph, gene, minimal=True)]
    assert sorted(len(graph.arcs) for graph in minimal) == [2, 3, 3, 3, 3]
    minimal = [graph for graph in DAG.enumerate("ABC") if is_i_map(graph, xor, minimal=True)]
    assert len(minimal) == 3 and all(len(graph.immoralities) == 1 and len(graph.arcs) == 2 for graph in minimal)
    assert "A -> B can be left out" in repr(is_i_map(DAG([*zip("AAB", "BCC")]), gene, minimal=True))


@pytest.mark.notes("000-b", "perfect-map")
def test_perfect_maps_and_tables_without_one():
    gene, xor, ring = gene_table(), xor_table(), ring_table()
    assert [g for g in DAG.enumerate("ABC") if is_perfect_map(g, gene)] == [DAG([("A", "C"), ("B", "C")])]
    assert set(perfect_map(gene).members()) == {DAG([("A", "C"), ("B", "C")])}
    assert perfect_map(xor) is None and not any(is_perfect_map(g, xor) for g in DAG.enumerate("ABC"))
    assert {repr(s) for s in ring.independencies()} == {"A ⊥ C | B, D", "B ⊥ D | A, C"}
    assert perfect_map(ring) is None and not any(is_perfect_map(g, ring) for g in DAG.enumerate("ABCD"))
    minimal = [g for g in DAG.enumerate("ABCD") if len(g.arcs) >= 5 and is_i_map(g, ring, minimal=True)]
    assert len(minimal) == 20 and {len(g.arcs) for g in minimal} == {5}


@pytest.mark.notes("000-b", "perfect-map")
def test_generic_tables_of_random_graphs_give_their_class_back():
    from novum.graphical import BayesianNetwork

    rng = np.random.default_rng(5)
    for _ in range(12):
        arcs = [(f"{i}", f"{j}") for i in range(5) for j in range(i + 1, 5) if rng.random() < 0.45]
        graph = DAG(arcs, map(str, range(5)))
        tables = {v: rng.dirichlet([1, 1, 1], (3,) * len(p)) for v, p in graph.parents.items()}
        table = BayesianNetwork(graph, tables).query(list(graph.nodes)).to_table()
        assert perfect_map(table) == graph.essential_graph() and is_perfect_map(graph, table)


def test_wrong_tables_are_refused():
    with pytest.raises(ParameterError, match="the graph is over a, b, the table over A, B, C"):
        is_i_map(DAG([("a", "b")]), gene_table())
    with pytest.raises(ParameterTypeError, match=r"must be a novum.distributions.JointTable, got ndarray"):
        is_perfect_map(DAG([("a", "b")]), np.ones((2, 2)) / 4)
    for order, message in (
        ("AAB", "name every variable once"),
        ("AB", "the graph is over A, B, the table over A, B, C"),
    ):
        with pytest.raises(ParameterError, match=message):
            minimal_i_map(gene_table(), order)
    with pytest.raises(ParameterError, match="tol=-1"):
        is_i_map(DAG((), "ABC"), gene_table(), tol=-1)
    assert is_i_map(load_gene_network().dag, load_gene_network().query(list("CAB")))
