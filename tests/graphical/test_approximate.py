"""Approximate inference: exact where theory says so, near the exact answer within the error it reports elsewhere."""

import warnings

import numpy as np
import pytest
from reference.graphical import random_network

from novum.datasets import load_fuel_gauge, load_network
from novum.exceptions import DataError, NotConverged, ParameterError
from novum.graphical import BayesianNetwork, MarkovNetwork
from novum.variational import mean_field


@pytest.mark.notes("000-b", "loopy-bp")
@pytest.mark.parametrize("options", [{}, {"schedule": "flooding"}, {"damping": 0.5}])
def test_belief_propagation_is_exact_on_a_tree(options):
    tree = load_network("polytree")
    for v in "ACD":
        found = tree.query(v, {"B": "1"}, "loopy_bp", **options)
        exact = tree.query(v, {"B": "1"})
        np.testing.assert_allclose(found.p, exact.p, atol=1e-9)
        assert found.details["converged"] and found.log_evidence == pytest.approx(exact.log_evidence, abs=1e-8)
    pair = tree.query(["C", "A"], {"B": "1"}, "loopy_bp")
    np.testing.assert_allclose(pair.p, tree.query(["C", "A"], {"B": "1"}).p, atol=1e-9)


@pytest.mark.notes("000-b", "loopy-bp")
def test_loops_are_reported_and_near():
    square = MarkovNetwork([(p, [[3, 1], [1, 2]]) for p in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"))])
    found = square.query("a", {"c": 1}, "loopy_bp")
    np.testing.assert_allclose(found.p, square.query("a", {"c": 1}).p, atol=1e-9)  # the evidence cuts the loop
    loose = square.query("a", method="loopy_bp")
    assert loose.details["converged"] and np.abs(loose.p - square.query("a").p).max() < 0.05
    with pytest.warns(NotConverged, match="still changed"):
        short = square.query("a", method="loopy_bp", max_iter=1)
    assert not short.details["converged"] and "not converged" in repr(short)


def test_mean_field_bounds_the_evidence_and_never_falls():
    for seed in range(6):
        network = random_network(seed)
        name = next(iter(network.states))
        evidence = {v: s[0] for v, s in list(network.states.items())[3:5]}
        found = network.query(name, evidence, "mean_field", random_state=0)
        assert found.details["bound"] <= network.log_evidence(evidence) + 1e-10
        assert (np.diff(found.details["bounds"]) > -1e-10).all()
    independent = BayesianNetwork({"a": [], "b": []}, {"a": [0.3, 0.7], "b": [0.2, 0.8]})
    np.testing.assert_allclose(
        independent.query(["a", "b"], method="mean_field").p, np.outer([0.3, 0.7], [0.2, 0.8]), atol=1e-12
    )


@pytest.mark.notes("000-b", "variational-inference")
@pytest.mark.parametrize("seed", [2, 4, 5])
def test_mean_field_is_at_rest_and_no_start_is_better(seed):
    """Every factor is exp E[log p] over the others, summed over all configurations; one sweep is not enough for that."""
    network = random_network(seed, n=5)
    names = [v for v in network.states if len(network.states[v]) > 1]
    seen = {names[-1]: network.states[names[-1]][0]}
    hidden = [v for v in network.states if v not in seen]
    table = network.query(hidden, seen)
    log = np.log(table.p) + network.log_evidence(seen)
    found = {v: network.query(v, seen, "mean_field", tol=1e-14, random_state=0) for v in hidden}
    q = [found[v].p for v in hidden]
    joint = q[0]
    for one in q[1:]:
        joint = np.multiply.outer(joint, one)
    bound = (joint * (log - np.log(joint))).sum()
    assert found[hidden[0]].details["bound"] == pytest.approx(bound, abs=1e-9)
    for k in range(len(hidden)):
        others = tuple(j for j in range(len(hidden)) if j != k)
        weights = joint / q[k].reshape([-1 if j == k else 1 for j in range(len(hidden))])
        expected = np.exp((weights * log).sum(axis=others))
        np.testing.assert_allclose(q[k], expected / expected.sum(), atol=1e-6)
    assert mean_field(log, random_state=1).elbo <= bound + 1e-8


@pytest.mark.notes("000-b", "variational-inference")
def test_the_best_of_several_starts_is_kept():
    """Tables that are nearly certain have several fixed points; the first, at equal probabilities, does not end in the best."""
    rng = np.random.default_rng(2)

    def table(*shape):
        rows = np.clip(rng.dirichlet([0.15, 0.15], size=shape), 0.01, 0.99)
        return rows / rows.sum(axis=-1, keepdims=True)

    sharp = BayesianNetwork(
        {"a": [], "b": ["a"], "c": ["a", "b"], "d": ["b", "c"]},
        {"a": [0.5, 0.5], "b": table(2), "c": table(2, 2), "d": table(2, 2)},
    )
    seen = {"d": sharp.states["d"][1]}
    bounds = [sharp.query("a", seen, "mean_field", n_init=n, random_state=0).details["bound"] for n in (1, 2, 4, 8)]
    assert (np.diff(bounds) >= -1e-10).all() and bounds[-1] > bounds[0] + 0.05  # more starts are never worse
    assert bounds[-1] <= sharp.log_evidence(seen)


@pytest.mark.notes("000-b", "bn-forward-sampling")
@pytest.mark.notes("002", "ancestral-sampling")
def test_samples_have_the_probabilities_of_the_network():
    car = load_fuel_gauge()
    rows = car.sample(40_000, random_state=0)
    share = (rows["gauge"] == "empty").mean()
    assert share == pytest.approx(0.315, abs=4 * np.sqrt(0.315 * 0.685 / 40_000))
    assert rows.equals(car.sample(40_000, random_state=0)) and list(rows["gauge"].cat.categories) == ["empty", "full"]
    kept = rows[rows["gauge"] == "empty"]
    assert (kept["fuel"] == "empty").mean() == pytest.approx(0.2571, abs=0.02)


@pytest.mark.notes("002", "ancestral-sampling")
@pytest.mark.notes("002", "gibbs")
@pytest.mark.notes("000-b", "mcmc")
@pytest.mark.notes("000-b", "bn-forward-sampling")
@pytest.mark.parametrize("method", ["likelihood_weighting", "rejection", "gibbs"])
def test_sampled_posteriors_are_within_their_errors(method):
    network = random_network(4)
    names = list(network.states)
    evidence = {names[2]: network.states[names[2]][0]}
    exact = network.query([names[0], names[1]], evidence)
    deviations = []
    for seed in range(20):
        found = network.query([names[0], names[1]], evidence, method, n_samples=2000, random_state=seed)
        assert found.p.sum() == pytest.approx(1)
        used = found.standard_error > 0
        deviations.append(((found.p - exact.p)[used] / found.standard_error[used]) ** 2)
        if method != "gibbs":
            assert found.log_evidence == pytest.approx(exact.log_evidence, abs=0.4)
        if method == "rejection":  # every kept row counts one
            error = np.sqrt(found.p * (1 - found.p) / found.details["effective_samples"])
            np.testing.assert_allclose(found.standard_error[found.p > 0.01], error[found.p > 0.01], rtol=1e-12)
    assert 0.5 < np.mean(np.concatenate(deviations)) < 1.8  # squares of standardised errors have mean one
    again = network.query([names[0], names[1]], evidence, method, n_samples=2000, random_state=19)
    np.testing.assert_array_equal(found.p, again.p)


@pytest.mark.notes("000-b", "mcmc")
def test_chains_are_compared_by_their_variance():
    """Two chains of three draws of one coin: where one of six fell, between is 1/18, within 1/6, so R is one."""
    coin = BayesianNetwork({"a": []}, {"a": [0.3, 0.7]})
    seen = []
    for seed in range(12):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = coin.query("a", None, "gibbs", n_samples=6, n_chains=2, random_state=seed)
        if round(6 * found.p[0]) in (1, 5):
            seen.append(found.details["r_hat"])
    assert len(seen) > 2
    np.testing.assert_allclose(seen, 1.0, rtol=1e-12)


def test_soft_evidence_in_every_method():
    car = load_fuel_gauge()
    exact = car.query("fuel", {"gauge": [0.7, 0.2]})
    for method in ("loopy_bp", "sum_product"):
        np.testing.assert_allclose(car.query("fuel", {"gauge": [0.7, 0.2]}, method).p, exact.p, atol=1e-9)
    for method in ("likelihood_weighting", "rejection", "gibbs"):
        found = car.query("fuel", {"gauge": [0.7, 0.2]}, method, n_samples=20_000, random_state=1)
        np.testing.assert_allclose(found.p, exact.p, atol=0.02)


def test_gibbs_on_markov_networks_and_islands():
    square = MarkovNetwork([(p, [[3, 1], [1, 2]]) for p in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "a"))])
    found = square.query("a", {"c": 1}, "gibbs", n_samples=20_000, random_state=0)
    np.testing.assert_allclose(found.p, square.query("a", {"c": 1}).p, atol=0.02)
    locked = BayesianNetwork([("a", "b")], {"a": [0.5, 0.5], "b": [[1, 0], [0, 1]]})  # no chain leaves its start
    with pytest.warns(NotConverged, match="chains disagree"):
        assert "chains disagree" in repr(locked.query("b", method="gibbs", random_state=0))


def test_refusals():
    car = load_fuel_gauge()
    with pytest.raises(ParameterError, match=r"\(colour=...\): method='gibbs' has no such option"):
        car.query("fuel", method="gibbs", colour=1)
    with pytest.raises(ParameterError, match=r"\(n_samples=...\): method='auto' has no such option"):
        car.query("fuel", n_samples=1)
    with pytest.raises(ValueError, match=r"n_samples=0\): n_samples must be at least 1"):
        car.query("fuel", method="rejection", n_samples=0)
    with pytest.raises(ParameterError, match="share no factor"):
        random_network(0).query(["v0", "v6"], method="loopy_bp")
    with pytest.raises(ParameterError, match="only a Bayesian network can be sampled"):
        MarkovNetwork([(("a",), [1, 2])]).query("a", method="rejection")
    never = BayesianNetwork([("a", "b")], {"a": [1, 0], "b": [[1, 0], [0, 1]]})
    for method in ("auto", "loopy_bp", "likelihood_weighting", "rejection", "gibbs", "sum_product", "enumeration"):
        with pytest.raises(DataError):
            never.query("a", {"b": "yes"}, method)
