"""PC against essential graphs (with an oracle), scipy's tests and literal partial correlations."""

import itertools

import numpy as np
import pandas as pd
import pytest
from reference.graphical import random_network
from scipy import stats

from novum.datasets import load_fuel_gauge
from novum.exceptions import DataError, ParameterError
from novum.graphical import DAG, PC, BayesianNetwork, LinearGaussian
from novum.graphical.structure_learning.independence import correlation_test, count_test


def random_dag(seed, n=8, density=0.35):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    return DAG(
        [(f"v{a}", f"v{b}") for a, b in itertools.combinations(order, 2) if rng.random() < density],
        [f"v{i}" for i in range(n)],
    )


def separations(arcs, nodes):
    """Return every (pair, given) that is separated, by the moral graph of the ancestors; nothing of the library is used."""
    parents = {node: {a for a, b in arcs if b == node} for node in nodes}
    found = set()
    for a, b in itertools.combinations(nodes, 2):
        rest = [node for node in nodes if node not in (a, b)]
        for given in itertools.chain.from_iterable(itertools.combinations(rest, k) for k in range(len(rest) + 1)):
            kept, stack = set(), [a, b, *given]
            while stack:
                node = stack.pop()
                if node not in kept:
                    kept.add(node)
                    stack += parents[node]
            links = {frozenset((p, node)) for node in kept for p in parents[node]}
            links |= {frozenset(pair) for node in kept for pair in itertools.combinations(sorted(parents[node]), 2)}
            reached, stack = set(given), [a]
            while stack:
                node = stack.pop()
                if node not in reached:
                    reached.add(node)
                    stack += [other for link in links if node in link for other in link - {node}]
            if b not in reached:
                found.add((a, b, given))
    return frozenset(found)


def acyclic(arcs, nodes):
    left, arcs = set(nodes), set(arcs)
    while sources := {node for node in left if not any(b == node for _, b in arcs)}:
        left -= sources
        arcs = {(a, b) for a, b in arcs if a in left}
    return not left


@pytest.mark.notes("000-b", "perfect-map")
@pytest.mark.notes("000-b", "structure-constraint")
def test_an_oracle_gives_what_all_graphs_of_the_same_independences_share():
    """All 543 graphs over four nodes, put together by their separations: common arrows stay arrows, the rest loses its heads."""
    nodes, classes = "abcd", {}
    pairs = list(itertools.combinations(nodes, 2))
    for choice in itertools.product((None, 0, 1), repeat=6):
        arcs = {pair if way else pair[::-1] for pair, way in zip(pairs, choice) if way is not None}
        if acyclic(arcs, nodes):
            classes.setdefault(separations(arcs, nodes), []).append(arcs)
    assert sum(map(len, classes.values())) == 543 and len(classes) == 185
    for members in classes.values():
        fixed = set.intersection(*members)
        loose = {frozenset(arc) for arc in members[0]} - {frozenset(arc) for arc in fixed}
        for arcs in members[:: max(1, len(members) // 3)]:
            found = PC(DAG(arcs, list(nodes))).fit()
            assert set(found.graph_.arcs) == fixed and {frozenset(edge) for edge in found.graph_.edges} == loose, arcs
            assert set(found.dag_.arcs) in members and found.consistent_
            for pair, given in found.separating_sets_.items():
                a, b = sorted(pair)
                assert (a, b, tuple(sorted(given))) in separations(arcs, nodes)
    for seed in range(6):
        graph = random_dag(seed)
        found = PC(graph).fit()
        assert found.graph_ == graph.essential_graph() and found.dag_.equivalent(graph) and found.consistent_


@pytest.mark.notes("000-b", "structure-constraint")
@pytest.mark.parametrize("test", ["g2", "chi2", "mutual_information"])
def test_states(test):
    chain = BayesianNetwork(
        {"a": [], "b": ["a"], "c": ["b"], "d": ["c", "e"], "e": []},
        {
            "a": [0.4, 0.6],
            "b": [[0.8, 0.2], [0.3, 0.7]],
            "c": [[0.9, 0.1], [0.3, 0.7]],
            "e": [0.5, 0.5],
            "d": [[[0.9, 0.1], [0.5, 0.5]], [[0.4, 0.6], [0.05, 0.95]]],
        },
    )
    rows = chain.sample(5000, random_state=1)
    found = PC(test).fit(rows)
    assert found.graph_ == chain.dag.essential_graph()
    assert found.separating_sets_[frozenset("ac")] == ("b",) and found.conflicts_ == []
    assert found.network(prior=1).score_samples(rows).mean() == pytest.approx(
        chain.score_samples(rows).mean(), abs=2e-3
    )
    assert f"{found.n_tests_} tests" in str(found)
    assert PC().fit(load_fuel_gauge().sample(5000, random_state=0)).dag_.parents["gauge"] == ("battery", "fuel")


@pytest.mark.notes("000-b", "structure-constraint")
def test_statistics_are_those_of_scipy():
    rng = np.random.default_rng(0)
    cards = [2, 3, 3]
    codes = np.array([rng.integers(k, size=300) for k in cards], dtype=np.int32)
    for kind, power in (("chi2", "pearson"), ("g2", "log-likelihood")):
        test = count_test("test", kind, cards, codes, None, 0.0, tuple("abc"))
        table = np.zeros((2, 3))
        np.add.at(table, (codes[0], codes[1]), 1)
        expected = stats.chi2_contingency(table, correction=False, lambda_=power)
        assert test(0, 1, ()) == pytest.approx(expected.pvalue, rel=1e-10)
        value = freedom = 0
        for c in range(3):
            part = np.zeros((2, 3))
            np.add.at(part, (codes[0][codes[2] == c], codes[1][codes[2] == c]), 1)
            one = stats.chi2_contingency(part, correction=False, lambda_=power)
            value, freedom = value + one.statistic, freedom + one.dof
        assert test(0, 1, (2,)) == pytest.approx(stats.chi2.sf(value, freedom), rel=1e-10)
        repeated = count_test("test", kind, cards, np.repeat(codes, 2, axis=1), None, 0.0, tuple("abc"))
        doubled = count_test("test", kind, cards, codes, np.full(300, 2.0), 0.0, tuple("abc"))
        assert repeated(0, 1, (2,)) == pytest.approx(doubled(0, 1, (2,)), rel=1e-12)
    empty = codes.copy()
    empty[2] = 2 * (empty[2] > 0)  # a state that never occurs, and rows of x that are constant
    empty[0][empty[2] == 0] = 0
    assert 0 <= count_test("test", "g2", cards, empty, None, 0.0, tuple("abc"))(0, 1, (2,)) <= 1


def test_partial_correlations():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4, 200))
    X[2] += X[0] + X[1]
    X[3] += X[2]
    test = correlation_test("test", X, None, tuple("abcd"))
    for x, y, given in ((0, 1, ()), (0, 1, (2,)), (0, 3, (2,)), (0, 3, (1, 2))):
        A = np.vstack([np.ones(200), *(X[v] for v in given)]).T
        rest = [X[v] - A @ np.linalg.lstsq(A, X[v], rcond=None)[0] for v in (x, y)]
        r = np.corrcoef(*rest)[0, 1]
        z = np.sqrt(200 - len(given) - 3) * np.arctanh(r)
        assert test(x, y, given) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-8)
    doubled = np.vstack([X, X[2]])  # a column twice: given it, the other says nothing
    assert correlation_test("test", doubled, None, tuple("abcde"))(2, 0, (4,)) == 1.0


def test_numbers():
    nodes = {
        "x": LinearGaussian(1.0),
        "y": LinearGaussian(0.0),
        "z": LinearGaussian(0.0, {"x": 1.0, "y": -1.0}),
        "w": LinearGaussian(2.0, {"z": 0.7}),
    }
    truth = BayesianNetwork({"x": [], "y": [], "z": ["x", "y"], "w": ["z"]}, nodes)
    rows = truth.sample(2000, random_state=0)
    found = PC("partial_correlation", significance=0.001).fit(rows)
    assert found.graph_ == truth.dag.essential_graph()
    assert found.network().conditionals["w"].coefficients["z"] == pytest.approx(0.7, abs=0.05)
    assert PC("partial_correlation", significance=0.001).fit(rows.to_numpy()).graph_.arcs
    weight = np.random.default_rng(0).integers(0, 3, len(rows))
    repeated = rows.loc[np.repeat(rows.index, weight)]
    a = PC("partial_correlation").fit(rows, sample_weight=weight)
    b = PC("partial_correlation").fit(repeated)
    assert a.graph_ == b.graph_
    for pair, p in a.p_values_.items():
        assert p == pytest.approx(b.p_values_[pair], rel=1e-6, abs=1e-12)


def test_the_order_of_the_columns_plays_no_part():
    rows = random_network(3, n=7).sample(400, random_state=0)
    found = PC(significance=0.05).fit(rows)
    for seed in range(4):
        other = PC(significance=0.05).fit(rows[np.random.default_rng(seed).permutation(rows.columns)])
        assert {frozenset(e) for e in (*other.graph_.arcs, *other.graph_.edges)} == {
            frozenset(e) for e in (*found.graph_.arcs, *found.graph_.edges)
        }


def test_bounds():
    graph = DAG([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    bounded = PC(graph, max_conditioning=0).fit()
    assert len(bounded.graph_.edges) + len(bounded.graph_.arcs) == 6 and bounded.n_tests_ == 6
    rows = random_network(4, n=6).sample(300, random_state=0)
    assert PC(significance=1.0).fit(rows).dag_.arcs  # nothing is ever independent
    assert len(PC(significance=1.0).fit(rows).dag_.arcs) == 15


def test_contradicting_tests_still_give_a_graph():
    rows = pd.DataFrame(np.random.default_rng(7).integers(3, size=(40, 7)), columns=list("abcdefg"))
    for level in (0.2, 0.4, 0.6):
        found = PC(significance=level).fit(rows)
        assert found.dag_.skeleton == {frozenset(e) for e in (*found.graph_.arcs, *found.graph_.edges)}
        assert len(found.network(prior=1).tables) == 7


def test_bad_input():
    rows = pd.DataFrame({"a": [0, 1, 1, 0], "b": [1, 1, 0, 0]})
    with pytest.raises(ParameterError, match="'test' parameter of PC must be a str among"):
        PC("t").fit(rows)
    with pytest.raises(ParameterError, match="'significance' parameter of PC must be a float in the range"):
        PC(significance=2).fit(rows)
    with pytest.raises(ParameterError, match=r"fit\(\) without data"):
        PC(DAG([("a", "b")])).fit(rows)
    with pytest.raises(ParameterError, match="an oracle brings no data"):
        PC(DAG([("a", "b")])).fit().network()
    with pytest.raises(ParameterError, match="pass data"):
        PC().fit()
    with pytest.raises(DataError, match="column 'b' is constant"):
        PC("partial_correlation").fit({"a": [1.0, 2, 3], "b": [1.0, 1, 1]})
    with pytest.raises(DataError, match="missing or infinite"):
        PC("partial_correlation").fit({"a": [1.0, np.nan, 3], "b": [1.0, 2, 1]})
    with pytest.raises(DataError, match="missing cells"):
        PC().fit({"a": [1, None, 3], "b": [1, 2, 1]})
