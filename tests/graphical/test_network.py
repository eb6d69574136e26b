"""Bayesian networks as models: factorisation, counts of parameters, likelihood, noisy-or, lint and what is refused."""

import itertools

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from reference.graphical import random_network

from novum.datasets import load_fuel_gauge, load_gene_network
from novum.exceptions import DataError, ParameterError
from novum.graphical import DAG, BayesianNetwork, NoisyOr

SEVEN = {"1": [], "2": [], "3": [], "4": ["1", "2", "3"], "5": ["1", "3"], "6": ["4"], "7": ["4", "5"]}


@pytest.mark.notes("000-b", "bn-parameter-count")
def test_parameters_of_the_network_of_seven():
    rng = np.random.default_rng(0)
    network = BayesianNetwork(SEVEN, {v: rng.dirichlet([1, 1], (2,) * len(p)) for v, p in SEVEN.items()})
    assert network.n_parameters == 21 and network.n_joint_parameters == 127
    assert sum(t.size for t in network.tables.values()) == 42
    cards = {"x": 3, "y": 4, "z": 2}
    parents = {"x": [], "y": ["x"], "z": ["y"]}
    uneven = BayesianNetwork(
        parents, {v: rng.dirichlet(np.ones(cards[v]), tuple(cards[u] for u in p)) for v, p in parents.items()}
    )
    assert uneven.n_parameters == 2 + 3 * 3 + 4 * 1 and uneven.n_joint_parameters == 3 * 4 * 2 - 1


@pytest.mark.notes("000-b", "bn-joint-factorisation")
@pytest.mark.notes("000-b", "bayesian-network")
@pytest.mark.notes("002", "bayes-net")
def test_the_joint_is_the_product_of_the_tables():
    genes = load_gene_network()
    states = ("inactive", "active")
    expected = {
        "111": 0.081,
        "110": 0.009,
        "101": 0.126,
        "100": 0.084,
        "011": 0.147,
        "010": 0.063,
        "001": 0.049,
        "000": 0.441,
    }
    for code, p in expected.items():
        values = {v: states[int(c)] for v, c in zip("ABC", code, strict=True)}
        assert genes.joint_probability(values) == pytest.approx(p, abs=1e-15)
    assert genes.query("C")["active"] == pytest.approx(0.403)
    assert genes.query("A", {"C": "active"})["active"] == pytest.approx(207 / 403)
    assert genes.query("A", {"C": "inactive"})["active"] == pytest.approx(0.155779, abs=1e-6)
    with pytest.raises(ParameterError, match="no value of B, C"):
        genes.joint_probability({"A": "active"})


@pytest.mark.notes("000-b", "explaining-away")
def test_explaining_away_in_both_examples():
    fuel = load_fuel_gauge().explaining_away(("fuel", "empty"), {"gauge": "empty"}, {"battery": "flat"})
    assert fuel and fuel[3:] == pytest.approx((0.1, 9 / 35, 1 / 9))
    gene = load_gene_network().explaining_away(("A", "active"), {"C": "active"}, {"B": "active"})
    assert gene and gene[3:] == pytest.approx((0.3, 207 / 403, 0.355263), abs=1e-6)
    assert not load_gene_network().explaining_away(("A", "active"), {"C": "active"}, {"B": "inactive"})


@pytest.mark.notes("000-b", "cpt")
def test_tables_are_checked():
    for table, message in (
        ([[0.5, 0.5]], r"has shape \(1, 2\); its parents in order and then itself need \(2, 2\)"),
        ([[0.5, 0.4], [0.1, 0.9]], r"sums to 0\.9 for parents in states \(0,\), not to 1"),
        ([[1.5, -0.5], [0.1, 0.9]], "finite numbers >= 0"),
        ([[np.nan, 0.5], [0.1, 0.9]], "finite numbers >= 0"),
        ([["a", "b"], ["c", "d"]], "must hold numbers"),
    ):
        with pytest.raises(ParameterError, match=message):
            BayesianNetwork([("x", "y")], {"x": [0.5, 0.5], "y": table}, {"y": ("no", "yes")})
    two = np.full((2, 3, 2), 0.5)
    two[1, 0] = 0.5, 0.7
    with pytest.raises(ParameterError, match=r"'z' sums to 1\.2 for parents in states \(1, 0\), not to 1"):
        BayesianNetwork({"z": ["x", "y"]}, {"x": [0.5, 0.5], "y": [0.2, 0.3, 0.5], "z": two})
    rounded = BayesianNetwork({"x": []}, {"x": [0.333, 0.333, 0.333]})
    np.testing.assert_allclose(rounded.tables["x"], 1 / 3)
    with pytest.raises(ValueError, match="read-only"):
        rounded.tables["x"][0] = 1


def test_graphs_come_in_many_forms_and_cycles_are_shown():
    arcs = [("a", "c"), ("b", "c")]
    same = [DAG(arcs), DAG({"c": ["a", "b"]}), DAG(nx.DiGraph(arcs)), DAG(DAG(arcs))]
    assert len({hash(g) for g in same}) == 1 and all(g == same[0] for g in same)
    assert nx.is_isomorphic(same[0].to_networkx(), nx.DiGraph(arcs))
    with pytest.raises(ParameterError, match=r"(a -> c -> a|c -> a -> c) is a directed cycle"):
        BayesianNetwork([*arcs, ("c", "a")])
    with pytest.raises(ParameterError, match="given twice"):
        DAG([("a", "b"), ("a", "b")])
    with pytest.raises(ParameterError, match="is no arc"):
        DAG(["ab", ("a", "b", "c")])
    with pytest.raises(ParameterError, match="no table for a"):
        BayesianNetwork(arcs, {"b": [0.5, 0.5]})
    with pytest.raises(ParameterError, match="'z' is no node"):
        BayesianNetwork(arcs, {"z": [0.5, 0.5]})
    with pytest.raises(ParameterError, match="no tables yet"):
        BayesianNetwork(arcs).query("a")


@pytest.mark.notes("000-b", "dag")
def test_the_graph_of_seven():
    graph = DAG(SEVEN)
    assert graph.order == tuple("1234567")
    assert (
        graph.descendants("1") == set("4567")
        and graph.descendants("2") == set("467")
        and graph.descendants("5") == {"7"}
    )
    assert graph.non_descendants("6") == set("123457") and graph.roots == tuple("123") and graph.leaves == tuple("67")
    turned = graph.with_reversed("4", "6")
    assert ("6", "4") in turned.arcs and len(turned.arcs) == len(graph.arcs)
    with pytest.raises(ParameterError, match="is a directed cycle"):
        graph.with_arc("7", "1")
    with pytest.raises(ParameterError, match="there is no arc 7 -> 1"):
        graph.without_arc("7", "1")


@pytest.mark.notes("000-b", "bn-likelihood")
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_likelihood_of_rows_with_gaps(frame):
    network = random_network(5)
    names = list(network.states)
    rng = np.random.default_rng(0)
    columns = {
        v: [str(rng.choice(network.states[v])) if rng.random() > 0.2 else None for _ in range(50)] for v in names
    }
    logs = network.score_samples(frame(columns))
    for i in range(0, 50, 7):
        seen = {v: c[i] for v, c in columns.items() if c[i] is not None}
        total = 0.0
        free = [v for v in names if v not in seen]
        for x in itertools.product(*(network.states[v] for v in free)):
            at = {v: network.states[v].index(s) for v, s in {**seen, **dict(zip(free, x, strict=True))}.items()}
            total += np.prod([network.tables[v][(*(at[p] for p in network.parents[v]), at[v])] for v in names])
        assert logs[i] == pytest.approx(np.log(total), abs=1e-12)
    with pytest.raises(DataError, match="holds 'odd', which is no state of"):
        network.score_samples(frame({names[0]: ["odd"]}))
    with pytest.raises(DataError, match="no column"):
        network.score_samples(frame({"other": ["odd"]}))


def test_noisy_or():
    node = NoisyOr({"a": 0.8, "b": 0.4}, leak=0.1)
    network = BayesianNetwork({"b": [], "a": [], "x": ["b", "a"]}, {"a": [0.5, 0.5], "b": [0.7, 0.3], "x": node})
    for a, b in itertools.product((0, 1), repeat=2):
        found = network.query("x", {"a": ("no", "yes")[a], "b": ("no", "yes")[b]})["no"]
        assert found == pytest.approx(0.9 * 0.2**a * 0.6**b)
    assert network.n_parameters == 1 + 1 + 3
    with pytest.raises(ParameterError, match="has strengths for a, b; its parents are a"):
        BayesianNetwork([("a", "x")], {"a": [0.5, 0.5], "x": node})
    with pytest.raises(ParameterError, match=r"strength\['a'\]=1.5"):
        NoisyOr({"a": 1.5})


@pytest.mark.notes("000-b", "bn-lint")
def test_lint_reports_what_a_careful_builder_would():
    network = BayesianNetwork(
        {"a": [], "b": ["a"], "c": ["b"], "alone": [], "hidden": ["a"]},
        {
            "a": [1.0, 0.0],
            "b": [[0.5, 0.5], [0.5, 0.5]],
            "c": [[0.2, 0.8], [0.6, 0.4]],
            "alone": [0.1, 0.9],
            "hidden": [[0.2, 0.8], [0.3, 0.7]],
        },
    )
    found = network.lint(latent=["hidden"])
    assert {(f.rule, f.variable) for f in found} == {
        ("zeros", "a"),
        ("unreachable", "a"),
        ("constant", "b"),
        ("disconnected", None),
        ("latent", "hidden"),
    }
    assert "the arc a -> b can go" in repr(found)
    assert "a: 1 of 2 cells are zero" in repr(found) and "2 parts without a path between them" in repr(found)
    second = BayesianNetwork(  # the first parent matters, the second does not
        {"a": [], "b": [], "c": ["a", "b"]},
        {"a": [0.4, 0.6], "b": [0.3, 0.7], "c": [[[0.2, 0.8], [0.2, 0.8]], [[0.9, 0.1], [0.9, 0.1]]]},
    )
    assert [(f.rule, f.message) for f in second.lint()] == [
        ("constant", "c: its table does not depend on b; the arc b -> c can go.")
    ]
    many = [f"p{i}" for i in range(9)]
    crowded = BayesianNetwork({"x": many, **{p: [] for p in many}}).lint()
    assert {(f.rule, f.variable) for f in crowded} == {("dense", "x"), ("tables", None)}
    assert repr(load_fuel_gauge().lint()) == "nothing to remark"
    assert [f.rule for f in BayesianNetwork([("a", "b")]).lint()] == ["tables"]
    with pytest.raises(ParameterError, match="no variable 'z'"):
        network.lint(latent=["z"])
