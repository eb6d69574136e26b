"""Exact search and averages over structures, against all graphs and all orders."""

import itertools

import numpy as np
import pytest
from reference.graphical import random_network

from novum.exceptions import NotConverged, ParameterError
from novum.graphical import DAG, ExactSearch, HillClimb, StructurePosterior
from novum.graphical.structure_learning.scores import LocalScores, read_complete

SEVEN = {"X1": list("TTTFTTT"), "X2": list("RRGRBBB"), "X3": list("FFTFTTT")}
STATES = {"X1": "TF", "X2": "RGB", "X3": "TF"}


def scored(rows, kind, states=None):
    known, codes = read_complete("test", rows, states)
    scores = LocalScores("test", kind, [len(s) for s in known.values()], codes, None, 1.0)
    names = tuple(known)

    def total(dag):
        return scores.total([frozenset(names.index(p) for p in dag.parents[v]) for v in names])

    return names, total


@pytest.mark.notes("000-b", "structure-score")
def test_the_best_of_all_graphs():
    for kind, best in (("bic", -15.73824), ("bdeu", -16.17387), ("k2", -15.76939)):
        assert ExactSearch(kind).fit(SEVEN, STATES).score_ == pytest.approx(best, abs=1e-5)
    assert ExactSearch("k2").fit(SEVEN, STATES).dag_ == DAG([("X1", "X3"), ("X3", "X2")])
    for n in (1, 2, 3, 4):
        for seed, kind in itertools.product(range(4), ("bic", "aic", "bdeu", "k2", "log_likelihood")):
            rows = random_network(seed, n=n).sample(120, random_state=seed)
            names, total = scored(rows, kind)
            graphs = list(DAG.enumerate(names))
            found = ExactSearch(kind).fit(rows)
            assert found.score_ == pytest.approx(max(map(total, graphs)), rel=1e-12)
            assert found.score_ == pytest.approx(total(found.dag_), rel=1e-12)
            bounded = ExactSearch(kind, max_parents=1).fit(rows)
            few = [g for g in graphs if max(map(len, g.parents.values())) <= 1]
            assert bounded.score_ == pytest.approx(max(map(total, few)), rel=1e-12)


def test_required_and_forbidden_arcs():
    rows = random_network(2, n=4).sample(200, random_state=0)
    names, total = scored(rows, "bic")
    required, forbidden = [(names[3], names[0])], [(names[1], names[2]), (names[2], names[1])]
    graphs = [g for g in DAG.enumerate(names) if set(required) <= set(g.arcs) and not set(forbidden) & set(g.arcs)]
    found = ExactSearch(required=required, forbidden=forbidden).fit(rows)
    assert found.score_ == pytest.approx(max(map(total, graphs)), rel=1e-12)
    assert set(required) <= set(found.dag_.arcs) and not set(forbidden) & set(found.dag_.arcs)
    with pytest.raises(ParameterError, match="required and forbidden"):
        ExactSearch(required=required, forbidden=required).fit(rows)
    with pytest.raises(ParameterError, match="no graph has the required arcs"):
        ExactSearch(required=[(names[0], names[1]), (names[1], names[0])]).fit(rows)
    with pytest.raises(ParameterError, match="no graph has the required arcs"):
        ExactSearch(required=required, max_parents=0).fit(rows)


def test_more_variables():
    rows = random_network(5, n=12).sample(300, random_state=0)
    found = ExactSearch(max_parents=3).fit(rows)
    climbed = HillClimb(max_parents=3).fit(rows)
    assert found.score_ >= climbed.score_ - 1e-9 and max(map(len, found.dag_.parents.values())) <= 3
    assert found.score_ == pytest.approx(scored(rows, "bic")[1](found.dag_), rel=1e-12)


def test_what_is_too_large_is_refused_with_its_cost():
    rows = {f"v{i}": [0, 1] for i in range(40)}
    with pytest.raises(ParameterError, match=r"40 variables .* need .* local scores and .* TB; use HillClimb"):
        ExactSearch().fit(rows)
    rows = {f"v{i}": [0, 1] for i in range(20)}
    with pytest.raises(
        ParameterError, match=r"need 10,485,760 local scores and 135 MB; set max_parents, or use HillClimb"
    ):
        ExactSearch().fit(rows)


@pytest.mark.notes("000-b", "structure-averaging")
def test_edges_of_the_seven_rows():
    found = StructurePosterior().fit(SEVEN, STATES)
    for pair, p in ((("X2", "X3"), 0.98277), (("X1", "X3"), 0.58295), (("X1", "X2"), 0.35685)):
        assert found.edges_[frozenset(pair)] == pytest.approx(p, abs=1e-5)
        assert found.arcs_[pair] + found.arcs_[pair[::-1]] == pytest.approx(p, abs=1e-5)
    assert found.graphs_[0][0].skeleton == {frozenset(("X2", "X3"))} and len(found.graphs_) == 25
    assert sum(p for _, p in found.graphs_) == pytest.approx(1)
    assert found.dag_.skeleton == {frozenset(("X2", "X3")), frozenset(("X1", "X3"))}
    often = StructurePosterior().fit({name: list(values) * 300 for name, values in SEVEN.items()}, STATES)
    assert sum(p for _, p in often.graphs_) == pytest.approx(1)  # of scores whose exponentials are no numbers
    assert often.edges_[frozenset(("X2", "X3"))] == pytest.approx(1)


@pytest.mark.notes("000-b", "structure-averaging")
def test_all_graphs_of_four_variables():
    rows = random_network(1, n=4).sample(60, random_state=0)
    names, total = scored(rows, "bdeu")
    graphs = list(DAG.enumerate(names))
    weight = np.exp(np.array(list(map(total, graphs))) - max(map(total, graphs)))
    found = StructurePosterior().fit(rows)
    for arc, p in found.arcs_.items():
        assert p == pytest.approx(
            sum(w for g, w in zip(graphs, weight, strict=True) if arc in g.arcs) / weight.sum(), abs=1e-12
        )
    bounded = StructurePosterior(max_parents=1).fit(rows)
    assert all(max(map(len, graph.parents.values())) <= 1 for graph, p in bounded.graphs_ if p > 0)


def order_average(rows, kind, most):
    """(4) with every order, weighted by (3)."""
    known, codes = read_complete("test", rows, None)
    n = len(known)
    scores = LocalScores("test", kind, [len(s) for s in known.values()], codes, None, 1.0)
    logs, arcs = [], []
    for order in itertools.permutations(range(n)):
        log, one = 0.0, np.zeros((n, n))
        for at, j in enumerate(order):
            sets = [s for size in range(most + 1) for s in itertools.combinations(order[:at], size)]
            terms = np.exp([scores(j, s) for s in sets])
            log += np.log(terms.sum())
            for s, term in zip(sets, terms / terms.sum(), strict=True):
                one[list(s), j] += term
        logs.append(log)
        arcs.append(one)
    weight = np.exp(np.array(logs) - max(logs))
    return np.tensordot(weight / weight.sum(), arcs, 1)


def test_sampled_orders_agree_with_all_orders():
    rows = random_network(3, n=5).sample(40, random_state=0)
    names = list(rows.columns)
    expected = order_average(rows, "bdeu", 2)
    found = StructurePosterior(method="orders", max_parents=2, n_samples=3000, n_burn=200).fit(rows)
    arcs = np.array([[found.arcs_.get((a, b), 0.0) for b in names] for a in names])
    np.testing.assert_allclose(arcs, expected, atol=0.03)
    assert found.ratio_ < 1.05 and found.gap_ < 0.1
    again = StructurePosterior(method="orders", max_parents=2, n_samples=3000, n_burn=200).fit(rows)
    assert again.arcs_ == found.arcs_


def test_more_variables_find_the_strong_edges():
    network = random_network(4, n=9)
    rows = network.sample(2000, random_state=0)
    with pytest.warns(NotConverged, match=r"the chains differ \(R = "):
        StructurePosterior(n_samples=4, n_burn=0).fit(rows)
    found = StructurePosterior(n_chains=2).fit(rows)
    climbed = HillClimb("bdeu").fit(rows)
    sure = {edge for edge, p in found.edges_.items() if p > 0.99}
    assert sure and sure <= climbed.dag_.skeleton
    assert "edge" in str(found) and found.network(prior=1).tables


def test_bad_input():
    with pytest.raises(ParameterError, match=r"6 variables have 3.78e\+06 graphs"):
        StructurePosterior(method="exact").fit({f"v{i}": [0, 1] for i in range(6)})
    with pytest.raises(ParameterError, match="'method' parameter of StructurePosterior must be a str among"):
        StructurePosterior(method="all").fit(SEVEN)
    with pytest.raises(ParameterError, match=r"sets of parents to sum over"):
        StructurePosterior(max_parents=6).fit({f"v{i}": [0, 1] for i in range(40)})
    assert (
        repr(StructurePosterior(method="exact"))
        == "StructurePosterior(method='exact')"
        == str(StructurePosterior(method="exact"))
    )
