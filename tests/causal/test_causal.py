"""Causal graphs and effects: the notes' numbers, intervention as the truth, enumeration of sets, simulated data."""

from itertools import chain, combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from artists import arcs, canvas
from reference.graphical import random_network
from scipy.stats import norm

from novum.causal import adjust, backdoor_sets, confounders, frontdoor, is_backdoor_set, is_frontdoor_set
from novum.causal.formulas import frontdoor_covariance
from novum.exceptions import DataError, ParameterError
from novum.graphical import DAG, BayesianNetwork
from novum.teaching import simulate_selection, simulate_trial

SEVEN_EIGHT = [(1, 3), (1, 4), (2, 4), (2, 5), (3, 7), (4, 7), (4, 8), (5, 8), (7, 6), (6, 8)]  # through the mediator 6


def confounded():
    return BayesianNetwork(
        {"h": [], "x": ["h"], "y": ["h", "x"]},
        {"h": [0.5, 0.5], "x": [[0.8, 0.2], [0.3, 0.7]], "y": [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]]},
    )


@pytest.mark.notes("002", "causal-graph")
@pytest.mark.notes("002", "do-operator")
@pytest.mark.notes("002", "backdoor-adjust")
def test_doing_is_not_seeing():
    network = confounded()
    assert network.query("y", {"x": "yes"})["yes"] == pytest.approx(0.711111, abs=1e-6)
    assert network.query("y", {"x": "no"})["yes"] == pytest.approx(0.209091, abs=1e-6)
    assert network.do({"x": "yes"}).query("y")["yes"] == pytest.approx(0.6)
    assert network.do({"x": "no"}).query("y")["yes"] == pytest.approx(0.3)
    found = adjust(network, "x", "y", "h")
    np.testing.assert_allclose(found.p[:, 1], [0.3, 0.6], atol=1e-14)
    assert found.effect() == pytest.approx(0.3) and "adjusted for h" in repr(found)
    assert network.do({"h": "yes"}).query("y")["yes"] == pytest.approx(
        network.query("y", {"h": "yes"})["yes"]
    )  # no parents


@pytest.mark.notes("002", "backdoor-adjust")
@pytest.mark.parametrize("seed", range(10))
def test_adjustment_equals_intervention_for_every_minimal_set(seed):
    network = random_network(seed, n=6)
    order = network.dag.order
    x, y = order[2], order[5]
    for chosen in backdoor_sets(network, x, y):
        found = adjust(network, x, y, chosen)
        for i, state in enumerate(network.states[x]):
            np.testing.assert_allclose(found.p[i], network.do({x: state}).query(y).p, atol=1e-12)


@pytest.mark.notes("002", "backdoor-check")
@pytest.mark.notes("002", "backdoor-find")
def test_the_graph_of_seven_and_eight():
    dag = DAG(SEVEN_EIGHT)
    check = is_backdoor_set(dag, 7, 8, [4])
    assert not check and "7 <- 3 <- 1 -> 4 <- 2 -> 5 -> 8" in repr(check)
    for good in ((3, 4), (4, 5), (1, 4), (2, 4), (1, 3, 4), (1, 2, 3, 4, 5)):
        assert is_backdoor_set(dag, 7, 8, good)
    assert (
        not is_backdoor_set(dag, 7, 8, (3, 4, 6))
        and "6 is a descendant of 7" in is_backdoor_set(dag, 7, 8, (4, 6)).reason
    )
    assert {frozenset(s) for s in backdoor_sets(dag, 7, 8)} == {frozenset(s) for s in ((1, 4), (2, 4), (3, 4), (4, 5))}
    assert backdoor_sets(dag, 7, 8, observed=[1, 2, 3, 5]) == []
    assert backdoor_sets(dag, 1, 8) == [()]


@pytest.mark.notes("002", "backdoor-check")
@pytest.mark.notes("002", "backdoor-find")
@pytest.mark.parametrize("seed", range(8))
def test_minimal_sets_equal_those_of_all_subsets(seed):
    dag = random_network(seed, n=6).dag
    x, y = dag.order[2], dag.order[4]
    others = [v for v in dag if v not in (x, y)]
    good = [
        set(s) for s in chain.from_iterable(combinations(others, k) for k in range(5)) if is_backdoor_set(dag, x, y, s)
    ]
    minimal = {frozenset(s) for s in good if not any(t < s for t in good)}
    assert {frozenset(s) for s in backdoor_sets(dag, x, y)} == minimal
    assert backdoor_sets(dag, dag.order[4], dag.order[2]) == [
        s for s in backdoor_sets(dag, dag.order[4], dag.order[2]) if not {x, y} & set(s)
    ]  # against the arrows: the outcome itself is never adjusted for
    parents = dag.parents[x]
    if y not in parents:
        assert is_backdoor_set(dag, x, y, parents)


@pytest.mark.notes("002", "plot-causal-graphs")
def test_checks_draw_the_open_back_door():
    """Arrows are colored by the paths between treatment and outcome that remain when the arrows out of the treatment are cut."""
    from matplotlib.colors import to_hex
    from networkx import DiGraph, all_simple_paths, descendants

    from novum.graphical.plots.graphs import BLOCKED, OPEN

    graph = DiGraph(SEVEN_EIGHT)
    cut = DiGraph([arc for arc in SEVEN_EIGHT if arc[0] != 7])
    for adjustment, words in (
        ([4], "7, 8: not admissible"),
        ([3, 4], "7, 8: admissible"),
        ([], "7, 8: not admissible"),
    ):
        ax = canvas()
        assert is_backdoor_set(DAG(SEVEN_EIGHT), 7, 8, adjustment).plot(ax) is ax and ax.get_title() == words
        state = {}
        for path in all_simple_paths(cut.to_undirected(), 7, 8):
            passes = True
            for before, node, after in zip(path, path[1:], path[2:]):
                collider = cut.has_edge(before, node) and cut.has_edge(after, node)
                seen = bool({node, *descendants(cut, node)} & set(adjustment))
                passes &= seen if collider else node not in adjustment
            for step in pairwise(path):
                state[frozenset(step)] = state.get(frozenset(step), False) or passes
        drawn = arcs(ax, range(1, 9))
        assert set(drawn) == {(str(a), str(b)) for a, b in graph.edges}  # every arrow, from cause to effect
        for (a, b), patch in drawn.items():
            color = {True: OPEN, False: BLOCKED, None: "0.6"}[state.get(frozenset((int(a), int(b))))]
            assert to_hex(patch.get_edgecolor()) == to_hex(color), (adjustment, a, b)
        legend = [t.get_text() for t in ax.get_legend().get_texts()]
        assert legend == [
            name for kind, name in ((True, "open path"), (False, "blocked path")) if kind in state.values()
        ]
    assert not is_backdoor_set(DAG(SEVEN_EIGHT), 7, 8, [6])  # a mediator is no back door


@pytest.mark.notes("002", "confounder")
@pytest.mark.notes("002", "causal-graph")
def test_confounders_causes_and_effects():
    dag = DAG([("h", "x"), ("h", "y"), ("x", "y"), ("a", "h"), ("i", "x"), ("x", "m"), ("m", "y")])
    assert confounders(dag, "x", "y") == {"h", "a"}  # i reaches y only through x
    assert dag.ancestors("y") == {"h", "x", "a", "i", "m"} and dag.descendants("x") == {"m", "y"}
    assert dag.parents["y"] == ("h", "x", "m") and dag.children["x"] == ("y", "m")


@pytest.mark.notes("002", "do-operator")
def test_front_door():
    rng = np.random.default_rng(0)
    network = BayesianNetwork(
        {"u": [], "x": ["u"], "m": ["x"], "y": ["u", "m"]},
        {
            "u": [0.4, 0.6],
            "x": rng.dirichlet([1, 1], 2),
            "m": rng.dirichlet([1, 1], 2),
            "y": rng.dirichlet([1, 1], (2, 2)),
        },
    )
    assert is_frontdoor_set(network, "x", "y", "m") and backdoor_sets(network, "x", "y", observed=["m"]) == []
    found = frontdoor(network, "x", "y", "m")
    for i, state in enumerate(("no", "yes")):
        np.testing.assert_allclose(found.p[i], network.do({"x": state}).query("y").p, atol=1e-13)
    rows = network.sample(200_000, random_state=0).drop(columns="u")
    np.testing.assert_allclose(frontdoor(rows, "x", "y", "m", graph=network).p, found.p, atol=0.02)
    p = rng.dirichlet(np.ones(12)).reshape(2, 2, 3)  # (x, y, m): the covariance by derivatives of the formula

    def formula(p):
        given = p / p.sum(axis=1, keepdims=True)  # p(y | x, m)
        inner = np.einsum("aym,a->ym", given, p.sum(axis=(1, 2)))
        return ((p.sum(axis=1) / p.sum(axis=(1, 2))[:, None]) @ inner.T).ravel()

    slopes = [(formula(p + step) - formula(p - step)) / 2e-6 for step in 1e-6 * np.eye(12).reshape(12, 2, 2, 3)]
    covariance = np.transpose(slopes) @ (np.diag(p.ravel()) - np.outer(p, p)) @ slopes / 50
    np.testing.assert_allclose(frontdoor_covariance(p, 50).reshape(4, 4), covariance, atol=1e-8)
    direct = BayesianNetwork({"x": [], "m": ["x"], "y": ["x", "m"]})
    assert "avoids m" in is_frontdoor_set(direct, "x", "y", "m").reason
    with pytest.raises(ParameterError, match="not a front-door set"):
        frontdoor(direct, "x", "y", "m")


@pytest.mark.notes("002", "backdoor-adjust")
@pytest.mark.parametrize("method", ["adjustment", "ipw", "doubly_robust"])
def test_estimates_from_data_cover_the_truth(method):
    network = confounded()
    rows = network.sample(20_000, random_state=3)
    found = adjust(rows, "x", "y", graph=network, method=method)
    value, (low, high) = found.difference()
    assert abs(value - 0.3) < high - low < 0.04  # an interval is four standard errors wide
    naive = adjust(rows, "x", "y", (), method=method).difference()[0]
    assert naive == pytest.approx(0.711111 - 0.209091, abs=0.03)
    same = adjust(rows, "x", "y", "h").means
    np.testing.assert_allclose(found.means, same, atol=1e-12)  # saturated: all three are one number
    rng = np.random.default_rng(5)  # two covariates of three and two values: every cell is a stratum of its own
    two = pd.DataFrame({"a": rng.integers(3, size=600), "b": rng.integers(2, size=600)})
    two["x"] = (rng.random(600) < 0.2 + 0.2 * two["a"] + 0.2 * two["b"]) * 1
    two["y"] = rng.normal(two["x"] + two["a"] - 3 * two["b"] * two["a"], 1.0)
    means = [
        sum((g.x == t).any() * g.y[g.x == t].mean() * len(g) / 600 for _, g in two.groupby(["a", "b"])) for t in (0, 1)
    ]
    np.testing.assert_allclose(adjust(two, "x", "y", ["a", "b"], method=method).means, means, rtol=1e-9)
    hits = 0
    for seed in range(60):
        _, (low, high) = adjust(network.sample(800, random_state=seed), "x", "y", "h", method=method).difference()
        hits += low < 0.3 < high
    assert hits >= 51  # 95 % of 60, less three standard deviations


@pytest.mark.parametrize("method", ["adjustment", "ipw", "doubly_robust"])
def test_numbers_among_the_covariates(method):
    rng = np.random.default_rng(0)
    s = rng.normal(size=6000)
    x = rng.random(6000) < 1 / (1 + np.exp(-s))
    y = 2.0 * x + s + rng.normal(size=6000)
    found = adjust(pd.DataFrame({"s": s, "x": x, "y": y}), "x", "y", "s", method=method)
    value, (low, high) = found.difference()
    assert low < 2 < high and value == pytest.approx(2, abs=0.15)
    assert y[x].mean() - y[~x].mean() > 2.5


@pytest.mark.filterwarnings("ignore::novum.exceptions.DataWarning")
def test_weighted_estimates_with_numbers_cover():
    hits = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        h = rng.normal(size=600)
        x = rng.random(600) < 1 / (1 + np.exp(-1.5 * h))
        data = {"h": h, "x": x, "y": 2 * x + 3 * h + rng.normal(size=600)}
        _, (low, high) = adjust(data, "x", "y", "h", method="ipw").difference()
        hits += low < 2 < high
    assert hits >= 45  # skewed weights: below 95 %, but no longer a half


def test_the_set_is_chosen_among_the_columns():
    graph = [("u", "x"), ("u", "z"), ("z", "y"), ("x", "y")]
    rng = np.random.default_rng(0)
    data = {"x": rng.integers(0, 2, 400), "z": rng.integers(0, 2, 400), "y": rng.integers(0, 2, 400)}
    assert "adjusted for z" in repr(adjust(data, "x", "y", graph=graph))


@pytest.mark.notes("002", "rct")
def test_a_coin_flip_finds_the_effect():
    trial = simulate_trial(confounded(), "x", "y", 20_000, random_state=0)
    assert trial.truth == pytest.approx(0.3)
    assert abs(trial.randomised - 0.3) < 4 * trial.randomised_error < 0.05
    assert trial.observational - 0.3 > 8 * trial.observational_error
    assert abs(trial.observational - (0.711111 - 0.209091)) < 4 * trial.observational_error
    assert trial.randomised_error == pytest.approx(np.sqrt((0.6 * 0.4 + 0.3 * 0.7) / 10_000), rel=0.02)  # half each
    chosen = 0.711111 * 0.288889 / 9000 + 0.209091 * 0.790909 / 11_000  # 45 % choose the treatment
    assert trial.observational_error == pytest.approx(np.sqrt(chosen), rel=0.03)
    other = simulate_trial(confounded(), "x", "y", 2000, treatments=("yes", "no"), outcome_state="no", random_state=1)
    assert other.truth == pytest.approx(0.3)  # both turned around
    assert repr(trial) == repr(simulate_trial(confounded(), "x", "y", 20_000, random_state=0))


@pytest.mark.notes("002", "selection-bias-demo")
def test_selection_makes_independent_causes_dependent():
    found = simulate_selection(20_000, random_state=0)
    assert abs(found.correlation) < 0.03 and found.correlation_kept < -0.4
    assert found.kept.mean() == pytest.approx(0.3, abs=1e-3)
    total = found.x + found.y
    assert total[found.kept].min() > total[~found.kept].max()
    for share in (0.3, 0.7):  # of x + y only the tail is left, of x - y all: their variances give the correlation
        cut = norm.isf(share)
        height = norm.pdf(cut) / share
        tail = 2 * (1 - height * (height - cut))
        some = simulate_selection(20_000, share, random_state=1)
        assert some.correlation_kept == pytest.approx((tail - 2) / (tail + 2), abs=0.03)
    collider = DAG([("x", "s"), ("y", "s")])
    assert collider.d_separated("x", "y") and not collider.d_separated("x", "y", "s")


def test_refusals():
    network = confounded()
    rows = network.sample(200, random_state=0)
    for call, error, message in (
        (lambda: adjust(network, "x", "y", ()), ParameterError, "not a back-door set: open path x <- h -> y"),
        (lambda: adjust(rows, "x", "y"), ParameterError, "give the causal graph"),
        (lambda: adjust(rows, "x", "y", "z"), DataError, "no column 'z'"),
        (lambda: adjust(rows, "x", "y", "h", method="magic"), ParameterError, "method must be one of"),
        (lambda: adjust(rows, "x", "y", "h", outcome_state="maybe"), ParameterError, "outcome_state='maybe'"),
        (lambda: adjust(rows, "x", "x", "h"), ParameterError, "must not share"),
        (lambda: adjust(rows[rows["x"] == "yes"].astype(str), "x", "y", "h"), DataError, "it needs two to"),
        (lambda: is_backdoor_set(network, "x", "q"), ParameterError, "no such node"),
        (lambda: network.do({"x": "maybe"}), ParameterError, "is no state of 'x'"),
        (lambda: network.do("x"), ParameterError, "pass a mapping"),
        (lambda: simulate_trial(network, "q", "y"), ParameterError, "no discrete variable"),
        (lambda: simulate_selection(share=2), ParameterError, "share=2"),
    ):
        with pytest.raises(error, match=message):
            call()
    with pytest.raises(DataError, match="no rows"):
        adjust(rows.iloc[:0], "x", "y", "h")
    strata = pd.DataFrame({"x": ["a", "a", "b", "b"], "y": [0, 1, 0, 1], "s": ["p", "p", "q", "q"]})
    with pytest.raises(DataError, match="no overlap"):
        adjust(strata, "x", "y", "s")
