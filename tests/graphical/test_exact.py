"""Exact inference against enumeration of the joint table, on random networks and on the notes' own."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from reference.graphical import random_network

from novum.datasets import load_fuel_gauge, load_gene_network
from novum.exceptions import DataError, ParameterError
from novum.graphical import BayesianNetwork


def joint_of(network):
    names = list(network.states)
    joint = np.ones([len(s) for s in network.states.values()])
    for x in itertools.product(*(range(k) for k in joint.shape)):
        at = dict(zip(names, x, strict=True))
        for v in names:
            joint[x] *= network.tables[v][tuple(at[p] for p in network.parents[v]) + (at[v],)]
    return names, joint


@pytest.mark.notes("000-b", "bayesian-network")
@pytest.mark.notes("000-b", "bn-joint-factorisation")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.notes("000-b", "junction-tree")
@pytest.mark.notes("002", "variable-elimination")
def test_queries_equal_sums_over_the_joint(seed):
    network = random_network(seed, zeros=seed % 2 == 1)
    names, joint = joint_of(network)
    rng = np.random.default_rng(seed)
    seen = {names[i]: int(rng.integers(joint.shape[i])) for i in rng.permutation(len(names))[: seed % 4]}
    at = tuple(seen.get(v, slice(None)) for v in names)
    kept = [v for v in names if v not in seen]
    part = joint[at]
    evidence = {v: network.states[v][i] for v, i in seen.items()}
    if part.sum() == 0:
        with pytest.raises(DataError, match="probability zero"):
            network.marginals(evidence)
        return
    found = network.marginals(evidence)
    assert found.log_evidence == pytest.approx(np.log(part.sum()), abs=1e-12)
    for i, v in enumerate(kept):
        expected = part.sum(axis=tuple(k for k in range(len(kept)) if k != i)) / part.sum()
        np.testing.assert_allclose(found[v].p, expected, atol=1e-14)
        for method in ("variable_elimination", "enumeration"):
            asked = network.query(v, evidence, method)
            np.testing.assert_allclose(asked.p, expected, atol=1e-14)
            assert asked.log_evidence == pytest.approx(np.log(part.sum()), abs=1e-12)
    pair = network.query([kept[-1], kept[0]], evidence)
    expected = part.sum(axis=tuple(range(1, len(kept) - 1))).T / part.sum()
    np.testing.assert_allclose(pair.p, expected, atol=1e-14)
    best = network.map_query(evidence=evidence)
    assert best.probability == pytest.approx(part.max() / part.sum(), rel=1e-12)
    x = tuple(network.states[v].index(best.values[v]) for v in kept)
    assert part[x] == pytest.approx(part.max(), rel=1e-12)
    some = kept[: len(kept) // 2]
    summed = part.sum(axis=tuple(range(len(some), len(kept))))
    assert network.map_query(some, evidence).joint_probability == pytest.approx(summed.max(), rel=1e-12)


@pytest.mark.notes("002", "hard-evidence")
@pytest.mark.notes("000-b", "posterior-query")
@pytest.mark.notes("000-b", "bn-enumeration-query")
def test_fuel_gauge_prints_as_in_the_notes():
    car = load_fuel_gauge()
    line = (
        "P(fuel | gauge=empty)        empty .2571   full .7429        P(evidence) = .315, exact (variable elimination)"
    )
    assert repr(car.query("fuel", evidence={"gauge": "empty"})) == line
    both = "P(fuel | gauge=empty, battery=flat)        empty .1111   full .8889        P(evidence) = .081, exact"
    assert repr(car.query("fuel", evidence={"gauge": "empty", "battery": "flat"})) == both
    assert (
        repr(car) == "BayesianNetwork: battery -> gauge <- fuel; 3 variables, 6 free parameters (the full joint has 7)"
    )
    text = r"BayesianNetwork.query: evidence\[\"gauge\"\]='low' is no state of 'gauge'; its states are 'empty', 'full'."
    with pytest.raises(ValueError, match=text):
        car.query("fuel", evidence={"gauge": "low"})


@pytest.mark.notes("000-b", "max-product")
@pytest.mark.notes("002", "max-sum")
def test_the_best_configuration_is_not_that_of_the_best_states():
    genes = load_gene_network()
    seen = {"C": "active"}
    single = {v: genes.query(v, seen).mode for v in "AB"}
    best = genes.map_query(evidence=seen)
    assert single == {"A": "active", "B": "active"} and best.values == {"A": "inactive", "B": "active"}
    assert best.joint_probability == pytest.approx(0.147) and best.probability == pytest.approx(0.147 / 0.403)


@pytest.mark.notes("000-b", "log-domain-messages")
def test_long_chains_do_not_underflow():
    n = 3000
    parents = {f"x{i}": [f"x{i - 1}"] if i else [] for i in range(n)}
    tables = {f"x{i}": [[0.9, 0.1], [0.9, 0.1]] if i else [0.9, 0.1] for i in range(n)}
    chain = BayesianNetwork(parents, tables)
    evidence = {f"x{i}": "yes" for i in range(0, n, 2)}
    assert chain.log_evidence(evidence) == pytest.approx(n / 2 * np.log(0.1), rel=1e-12)
    best = chain.map_query(evidence=evidence)
    assert best.log_probability == pytest.approx(n / 2 * np.log(0.09), rel=1e-12)
    assert np.log(best.probability) == pytest.approx(n / 2 * np.log(0.9), rel=1e-9)
    assert chain.query("x1", evidence)["yes"] == pytest.approx(0.1)


def test_soft_evidence_is_a_further_child():
    car = load_fuel_gauge()
    heard = BayesianNetwork(
        {**car.parents, "report": ["gauge"]},
        {**car.tables, "report": [[0.7, 0.3], [0.2, 0.8]]},
        {**car.states, "report": ["low", "high"]},
    )
    expected = heard.query("fuel", {"report": "low"})
    for likelihood in ([0.7, 0.2], np.array([0.7, 0.2]), {"empty": 0.7, "full": 0.2}):
        found = car.query("fuel", {"gauge": likelihood})
        np.testing.assert_allclose(found.p, expected.p, atol=1e-15)
        assert found.log_evidence == pytest.approx(expected.log_evidence)
    with pytest.raises(ParameterError, match="a likelihood >= 0, finite and not all zero, for each of the 2 states"):
        car.query("fuel", {"gauge": [0.7, 0.2, 0.1]})


def test_rows_of_evidence_are_answered_together():
    network = random_network(3)
    rng = np.random.default_rng(0)
    names = list(network.states)
    rows = {v: np.array([rng.choice([*network.states[v], None]) for _ in range(300)], dtype=object) for v in names[1:]}
    answers = network.query_rows(names[0], rows)
    logs = network.score_samples(rows)
    for i in (0, 7, 111, 299):
        evidence = {v: column[i] for v, column in rows.items() if column[i] is not None}
        one = network.query(names[0], evidence)
        np.testing.assert_allclose(answers[i], one.p, atol=1e-14)
        assert logs[i] == pytest.approx(one.log_evidence if evidence else 0.0, abs=1e-12)


def test_threads_may_share_a_network():
    network = random_network(3)
    names = list(network.states)
    questions = [(v, {w: network.states[w][0]}) for v in names for w in names if v != w]
    alone = [network.query(*q).p for q in questions]
    fresh = random_network(3)
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda q: fresh.query(*q).p, questions * 3))
    for i, p in enumerate(together):
        np.testing.assert_array_equal(p, alone[i % len(alone)])


def test_cost_is_known_and_a_large_query_is_refused_before_anything_is_allocated():
    n = 14  # a grid has treewidth n
    parents = {(i, j): [p for p in ((i - 1, j), (i, j - 1)) if min(p) >= 0] for i in range(n) for j in range(n)}
    rng = np.random.default_rng(0)
    tables = {v: rng.dirichlet(np.ones(4), size=(4,) * len(p)) for v, p in parents.items()}
    grid = BayesianNetwork(parents, tables)
    last = (n - 1, n - 1)
    cost = grid.cost(last)
    assert cost.treewidth >= n and cost.largest_clique >= 4.0**n and cost.bytes > 2**31
    with pytest.raises(MemoryError, match=r"exact inference needs .* more than memory_limit=2.15 GB"):
        grid.query(last)
    assert load_fuel_gauge().cost("fuel", {"gauge": "empty"}).treewidth == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"variables": "oil"},
            r"BayesianNetwork.query\(variables='oil'\): no such variable; the variables are battery, fuel",
        ),
        ({"variables": "fuel", "evidence": {"oil": 1}}, r"\(evidence='oil'\): no such variable"),
        ({"variables": "fuel", "evidence": {"fuel": "full"}}, "'fuel' is among the evidence"),
        ({"variables": "fuel", "evidence": "gauge"}, "pass a mapping of variable to state"),
        ({"variables": ["fuel", "fuel"]}, "named twice"),
        ({"variables": []}, "name at least one variable"),
        ({"variables": "fuel", "method": "guess"}, "method must be one of 'auto'"),
        ({"variables": 3}, "pass the name of a variable, or several names"),
    ],
)
def test_bad_queries_say_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        load_fuel_gauge().query(**arguments)
