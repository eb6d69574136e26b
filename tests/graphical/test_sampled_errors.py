"""Errors of sampled posteriors on random networks with nearly certain tables: they hold, or the call says so."""

import warnings

import numpy as np
import pytest

from novum.exceptions import DataError, DataWarning
from novum.graphical import BayesianNetwork


def sharp_network(rng, n, sharp):
    """Return a network whose rows are drawn from Dirichlet distributions: the smaller `sharp`, the nearer to certainty."""
    cards = rng.integers(2, 4, n)
    parents, tables = {}, {}
    for i in range(n):
        above = sorted(rng.choice(i, size=min(i, int(rng.integers(0, 3))), replace=False).tolist()) if i else []
        rows = rng.dirichlet([sharp if above else 1.0] * cards[i], size=[cards[j] for j in above] or None)
        rows = np.maximum(rows, 1e-3)
        parents[f"v{i}"], tables[f"v{i}"] = [f"v{j}" for j in above], rows / rows.sum(axis=-1, keepdims=True)
    return BayesianNetwork(parents, tables)


def errors_and_warnings(method, sharp, seeds, **options):
    """Return standardised errors of cells, and which calls warned."""
    errors, warned = [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        network = sharp_network(rng, 10, sharp)
        names, row = list(network.states), network.sample(1, random_state=seed).iloc[0]
        seen = {v: row[v] for v in rng.choice(names, 3, replace=False)}
        first = next(iter(seen))
        seen[first] = network.states[first][int(rng.integers(len(network.states[first])))]  # maybe a rare one
        free = [v for v in names if v not in seen]
        target = free[int(rng.integers(len(free)))]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                found = network.query(target, seen, method, random_state=seed, **options)
            except DataError:
                continue  # no sample agrees: refused aloud
        errors.append(np.abs(found.p - network.query(target, seen).p) / found.standard_error)
        warned.append(bool(said))
    return errors, np.array(warned)


@pytest.mark.parametrize("method", ["likelihood_weighting", "gibbs", "rejection"])
@pytest.mark.parametrize("sharp", [1.0, 0.1])
def test_errors_hold_or_the_call_warns(method, sharp):
    errors, warned = errors_and_warnings(method, sharp, range(100, 120), n_samples=4000)
    silent = np.concatenate([e for e, w in zip(errors, warned, strict=True) if not w] or [np.zeros(1)])
    assert np.mean(silent < 1.96) >= 0.88 and silent.max() < 4.5
    if sharp == 1.0:
        assert warned.mean() <= 0.3


def test_uneven_weights_and_slow_chains_are_reported():
    chain = BayesianNetwork(
        {"a": [], "b": ["a"], "c": ["b"], "d": ["a"]},
        {
            "a": [0.995, 0.005],
            "b": [[0.998, 0.002], [0.002, 0.998]],
            "c": [[0.999, 0.001], [0.01, 0.99]],
            "d": [[0.9, 0.1], [0.1, 0.9]],
        },
    )
    states = {v: chain.states[v][1] for v in "abcd"}
    with pytest.warns(DataWarning, match="worth .* independent ones"):
        found = chain.query("a", {"c": states["c"]}, "likelihood_weighting", n_samples=2000, random_state=0)
    assert found.details["effective_samples"] < 200
    with pytest.warns(UserWarning, match="chains (disagree|drift)"):
        chain.query(
            "d", {"c": states["c"]}, "gibbs", n_samples=2000, random_state=0
        )  # a and b move together or not at all
