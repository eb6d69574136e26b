"""d-separation against paths listed one by one, networkx, and the joint tables of random networks."""

import itertools

import networkx as nx
import numpy as np
import pytest
from reference.graphical import random_network

from novum.datasets import load_fuel_gauge
from novum.exceptions import ParameterError
from novum.graphical import DAG, UndirectedGraph

SEVEN = DAG({"1": [], "2": [], "3": [], "4": ["1", "2", "3"], "5": ["1", "3"], "6": ["4"], "7": ["4", "5"]})
FIVE = DAG([("a", "e"), ("f", "e"), ("f", "b"), ("e", "c")])


def dag_of(words, nodes=()):
    """Arcs as words of two letters."""
    return DAG(map(tuple, words), nodes)


def random_dag(rng, n, p):
    order = rng.permutation(n)
    arcs = [(int(order[i]), int(order[j])) for i in range(n) for j in range(i + 1, n) if rng.random() < p]
    return DAG(arcs, range(n))


def test_the_gauge_says_which_path_is_open():
    car = load_fuel_gauge()
    found = car.d_separated("fuel", "battery", given="gauge")
    assert not found and found.path.nodes == ("fuel", "gauge", "battery")
    assert repr(found) == "False: open path fuel -> gauge <- battery (gauge is a collider and is observed)"
    assert repr(car.d_separated("fuel", "battery")) == (
        "True: blocked path fuel -> gauge <- battery (gauge is a collider and is not observed)"
    )
    assert car.markov_blanket("fuel") == {"battery", "gauge"}


@pytest.mark.notes("000-b", "dsep-triplets")
@pytest.mark.parametrize(
    ("arcs", "kind", "arrows"),
    [
        (["ca", "cb"], "fork", "a <- c -> b"),
        (["ac", "cb"], "chain", "a -> c -> b"),
        (["bc", "ca"], "chain", "a <- c <- b"),
        (["ac", "bc"], "collider", "a -> c <- b"),
    ],
)
def test_three_connections(arcs, kind, arrows):
    graph = dag_of(arcs)
    (free,), (seen,) = list(graph.paths("a", "b")), list(graph.paths("a", "b", "c"))
    assert free.arrows == arrows and free.connections[0].kind == kind
    assert free.open == (kind != "collider") and seen.open == (kind == "collider")
    assert bool(graph.d_separated("a", "b")) == (kind == "collider") != bool(graph.d_separated("a", "b", "c"))
    assert free.blocked_by == (() if free.open else ("c",))


@pytest.mark.notes("000-b", "d-separation")
@pytest.mark.notes("002", "d-separation")
def test_the_graph_of_the_exercises():
    expected = {"c": False, "": True, "f": True, "e": False, "cf": True}
    assert {given: bool(FIVE.d_separated("a", "b", given)) for given in expected} == expected
    assert "its descendant c is observed" in repr(FIVE.d_separated("a", "b", "c"))
    assert "neither it nor a descendant" in repr(FIVE.d_separated("a", "b"))
    assert repr(FIVE.d_separated("a", "b", "c")).endswith("f is a fork and is not observed)")
    (path,) = FIVE.paths("a", "b", "f")
    assert path.blocked_by == ("e", "f")


@pytest.mark.notes("002", "d-separation")
def test_a_descendant_of_a_collider_opens_it():
    graph = dag_of(["AC", "BC", "CD"])
    assert [bool(graph.d_separated("A", "B", given)) for given in ("", "C", "D")] == [True, False, False]
    for arcs in (["CA", "CB"], ["AC", "CB"]):
        assert dag_of(arcs).d_separated("A", "B", "C") and not dag_of(arcs).d_separated("A", "B")


def by_paths(dag, a, b, given):
    """The definition: simple paths of the skeleton, each inner node looked at."""
    skeleton = nx.Graph(dag.arcs)
    skeleton.add_nodes_from(dag.nodes)
    for path in nx.all_simple_paths(skeleton, a, b):
        passes = True
        for left, node, right in zip(path, path[1:], path[2:], strict=False):
            collider = left in dag.parents[node] and right in dag.parents[node]
            awake = bool(({node} | dag.descendants(node)) & set(given))
            passes &= awake if collider else node not in given
        if passes:
            return False
    return True


@pytest.mark.notes("000-b", "d-separation")
@pytest.mark.notes("002", "d-separation")
def test_reachability_equals_paths_and_networkx():
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(2, 8))
        dag = random_dag(rng, n, rng.uniform(0.2, 0.7))
        graph = dag.to_networkx()
        a, b, *rest = (int(i) for i in rng.permutation(n))
        given = rest[: int(rng.integers(0, len(rest) + 1))]
        found = dag.d_separated(a, b, given)
        listed = list(dag.paths(a, b, given))
        assert bool(found) == by_paths(dag, a, b, given) == nx.is_d_separator(graph, a, b, set(given))
        assert bool(found) == (not any(path.open for path in listed))
        assert {p.nodes for p in listed} == {tuple(p) for p in nx.all_simple_paths(graph.to_undirected(), a, b)}
        if not found:
            assert found.path.open and found.path.nodes in {path.nodes for path in listed}
            assert len(found.path.nodes) == min(len(path.nodes) for path in listed if path.open)
        else:
            assert all(path.blocked_by for path in listed) and repr(found).startswith("True: ")


def test_sets_of_nodes_equal_networkx():
    rng = np.random.default_rng(1)
    for _ in range(100):
        dag = random_dag(rng, 9, 0.3)
        nodes = [int(i) for i in rng.permutation(9)]
        a, b, given = nodes[:2], nodes[2:4], nodes[4 : 4 + int(rng.integers(0, 5))]
        found = dag.d_separated(a, b, given)
        assert bool(found) == nx.is_d_separator(dag.to_networkx(), set(a), set(b), set(given))
        assert found or (found.path.open and found.path.nodes[0] in a and found.path.nodes[-1] in b)


def test_what_the_graph_says_holds_in_the_joint_and_generic_tables_say_no_more():
    for seed in range(4):
        network = random_network(seed, n=5)
        table = network.query(list(network.nodes)).to_table()
        for statement in network.dag.independences():
            assert table.independence(*statement)
        for statement in network.dag.independences("local"):
            assert table.independence(*statement)
        implied = set(network.dag.independences())
        several = [v for v in network.nodes if len(network.states[v]) > 1]
        for a, b in itertools.combinations(several, 2):
            if table.independence(a, b):
                assert ((a,), (b,), ()) in implied


@pytest.mark.notes("000-b", "bn-local-independences")
def test_local_statements_of_the_graph_of_seven():
    found = {s.a[0]: (set(s.b), set(s.given)) for s in SEVEN.independences("local")}
    assert found == {
        "1": (set("23"), set()),
        "2": (set("135"), set()),
        "3": (set("12"), set()),
        "4": (set("5"), set("123")),
        "5": (set("246"), set("13")),
        "6": (set("12357"), set("4")),
        "7": (set("1236"), set("45")),
    }
    assert all(SEVEN.d_separated(*statement) for statement in SEVEN.independences("local"))
    assert repr(SEVEN.independences("local")[4]) == "5 ⊥ 2, 4, 6 | 1, 3"


@pytest.mark.notes("000-b", "bn-global-independences")
def test_global_statements_are_all_separated_pairs():
    found = set(FIVE.independences())
    expected = {
        ((a,), (b,), given)
        for a, b in itertools.combinations(FIVE.nodes, 2)
        for size in range(4)
        for given in itertools.combinations([n for n in FIVE.nodes if n not in (a, b)], size)
        if by_paths(FIVE, a, b, given)
    }
    assert found == expected and len(found) == len(FIVE.independences())
    with pytest.raises(ParameterError, match="too many statements"):
        DAG((), range(17)).independences()


@pytest.mark.notes("002", "markov-blanket")
def test_blankets_of_the_regression_plate():
    plate = DAG([("X", "T"), ("W", "T"), ("X*", "T*"), ("W", "T*")])
    graph = plate.unroll(2, outside=("W", "X*", "T*"), parameters=False)
    assert graph.markov_blanket("T*") == {"X*", "W"}
    assert graph.markov_blanket("W") == {"X(1)", "X(2)", "T(1)", "T(2)", "X*", "T*"}
    rng = np.random.default_rng(2)
    for _ in range(30):
        dag = random_dag(rng, 8, 0.35)
        blanket = dag.markov_blanket(0)
        rest = set(dag.nodes) - blanket - {0}
        assert not rest or dag.d_separated(0, rest, blanket)
        assert all(not dag.d_separated(0, one, blanket - {one}) for one in blanket)
        assert blanket == dag.moralize().markov_blanket(0)


@pytest.mark.notes("002", "moralise")
def test_moral_graph_and_what_it_loses():
    graph = dag_of(["DA", "AC", "BC"])
    moral = graph.moralize()
    assert moral == UndirectedGraph(["AD", "AC", "BC", "AB"])
    assert graph.d_separated("A", "B") and not moral.separated("A", "B")
    rng = np.random.default_rng(3)
    for _ in range(20):
        dag = random_dag(rng, 7, 0.3)
        assert {frozenset(e) for e in dag.moralize().edges} == set(
            map(frozenset, nx.moral_graph(dag.to_networkx()).edges)
        )


@pytest.mark.notes("000-b", "graph-class")
def test_kinds_of_graphs():
    assert dag_of(["ab", "ac", "cd"]).kind == "directed tree"
    assert dag_of(["ac", "bc", "cd"]).kind == "poly-tree"
    assert dag_of(["ab", "ac", "bd", "cd"]).kind == "loopy"
    assert dag_of(["ab"], nodes="c").kind == "directed forest" and dag_of(["ac", "bc", "de"]).kind == "poly-forest"
    assert UndirectedGraph(["ab", "bc"]).kind == "undirected tree"
    assert UndirectedGraph(["ab", "ca", "cb"]).edges == [("a", "b"), ("a", "c"), ("b", "c")]  # each once
    assert UndirectedGraph(["ab", "cd"]).kind == "undirected forest"
    assert UndirectedGraph(["ab", "bc", "ca"]).kind == "loopy" and dag_of(["ab"]).kind == "directed tree"


@pytest.mark.notes("000-b", "unrolled-parameter-network")
def test_parameters_are_separated_by_complete_examples():
    graph = DAG([("X1", "X2"), ("X1", "X3")]).unroll(2)
    thetas = [node for node in graph.nodes if node.startswith("theta")]
    copies = [node for node in graph.nodes if node not in thetas]
    assert thetas == ["theta_X1", "theta_X2", "theta_X3"] and len(copies) == 6
    assert graph.parents["X2(1)"] == ("X1(1)", "theta_X2")

    def apart(observed):
        return [bool(graph.d_separated(a, b, observed)) for a, b in itertools.combinations(thetas, 2)]

    assert all(apart(copies)) and all(apart([c for c in copies if c != "X2(1)"]))
    assert not any(apart([c for c in copies if c != "X1(1)"]))
    gap = [c for c in copies if c != "X1(1)"]
    ways = {path.nodes: path.open for path in graph.paths("theta_X1", "theta_X2", gap)}
    assert len(ways) == 4
    assert [way for way, passes in ways.items() if passes] == [("theta_X1", "X1(1)", "X2(1)", "theta_X2")]
    for path in graph.paths("theta_X1", "theta_X2", gap):
        for before, inner, after in zip(path.nodes, path.connections, path.nodes[2:]):
            into = [one in graph.parents[inner.node] for one in (before, after)]
            assert inner.kind == ("fork", "chain", "collider")[sum(into)]


@pytest.mark.notes("002", "bn-plate-regression")
def test_regression_as_a_plate():
    graph = DAG([("X", "T"), ("W", "T"), ("X*", "T*"), ("W", "T*")]).unroll(3, ["W", "X*", "T*"], parameters=False)
    assert len(graph) == 9 and len(graph.arcs) == 8 and graph.kind == "poly-tree"
    examples = [f"{v}({i})" for v in "XT" for i in (1, 2, 3)]
    assert not graph.d_separated("T*", "T(1)", "X*") and graph.d_separated("T*", examples, ["W", "X*"])
    assert graph.d_separated("X(1)", "X(2)") and not graph.d_separated("X(1)", "W", "T(1)")
    with pytest.raises(ParameterError, match=r"two nodes would be called 'a\(1\)'"):
        DAG([("a", "a(1)")]).unroll(1, outside="a(1)")
    with pytest.raises(ParameterError, match="n=0"):
        dag_of(["ab"]).unroll(0)


def test_large_graphs_take_linear_time_and_few_paths_are_shown():
    n = 2000
    ladder = DAG([(f"{r}{i}", f"{s}{i + 1}") for i in range(n) for r in "ab" for s in "ab"])
    assert not ladder.d_separated("a0", f"b{n}")
    assert ladder.d_separated("a0", f"b{n}", given=["a1000", "b1000"])
    short = DAG([(f"{r}{i}", f"{s}{i + 1}") for i in range(20) for r in "ab" for s in "ab"])
    shown = repr(short.d_separated("a0", "b20", given=["a1", "b1"]))
    assert shown.startswith("True: every path is blocked, among them\n") and shown.count("\n") == 6


def test_wrong_sets_are_named():
    for arguments, message in (
        (("a", "z"), "DAG.d_separated: no node 'z'; the nodes are a, e, f, b, c"),
        (("a", "xyz"), "no node 'xyz'"),
        (("a", "b", "a"), "'a' is in a and in given"),
        ((["a", "b"], ["b", "c"]), "'b' is in a and in b"),
        (("a", 7), "no node 7"),
    ):
        with pytest.raises(ParameterError, match=message):
            FIVE.d_separated(*arguments)
    with pytest.raises(ParameterError, match="single nodes"):
        list(FIVE.paths("ae", "b"))
    with pytest.raises(ParameterError, match="no node 'z'"):
        FIVE.markov_blanket("z")
    assert repr(DAG((), "ab").d_separated("a", "b")) == "True: there is no path between a and b"
