"""Potentials from data: the notes' fifteen cases, moments that match, and three methods that agree."""

import itertools

import numpy as np
import pytest

from novum.exceptions import DataError, ParameterError
from novum.graphical import MarkovNetwork

COUNTS = {"000": 3, "001": 2, "010": 1, "011": 1, "100": 1, "101": 2, "110": 1, "111": 4}
ROWS = np.array([[int(c) for c in code] for code, k in COUNTS.items() for _ in range(k)])
PAIRS = [("A", "B"), ("B", "C"), ("A", "C")]
FITTED = [0.203433, 0.129900, 0.063233, 0.070100, 0.063233, 0.136767, 0.070100, 0.263233]


def triangle():
    return MarkovNetwork([(pair, np.ones((2, 2))) for pair in PAIRS], dict.fromkeys("ABC", (0, 1)))


def joint(network):
    p = network.query(list("ABC")).p
    return [p[x] for x in itertools.product((0, 1), repeat=3)]


@pytest.mark.notes("002", "mrf-learning")
@pytest.mark.parametrize("method", ["ipf", "gradient"])
def test_the_fifteen_cases(method):
    network = triangle().fit(ROWS, method=method)
    np.testing.assert_allclose(joint(network), FITTED, atol=1e-6)
    for a, b in PAIRS:
        share = np.zeros((2, 2))
        for row in ROWS:
            share[row["ABC".index(a)], row["ABC".index(b)]] += 1 / 15
        np.testing.assert_allclose(network.query([a, b]).p, share, atol=1e-7)
    assert network.report_.converged and (np.diff(network.report_.history) >= -1e-9).all()
    logs = sum(np.log(network.query(list("ABC")).p[tuple(row)]) for row in ROWS)
    assert network.report_.log_likelihood == pytest.approx(logs)


@pytest.mark.notes("002", "mrf-learning")
def test_sampled_expectations_come_near():
    network = triangle().fit(ROWS, method="sampled", max_iter=2000, random_state=0)
    np.testing.assert_allclose(joint(network), FITTED, atol=0.02)


@pytest.mark.notes("002", "mrf-learning")
def test_weights_penalty_and_refusals():
    weights = np.array(list(COUNTS.values()), dtype=float)
    cells = np.array([[int(c) for c in code] for code in COUNTS])
    np.testing.assert_allclose(joint(triangle().fit(cells, sample_weight=weights)), FITTED, atol=1e-6)
    shrunk = triangle().fit(ROWS, method="gradient", l2=100.0)
    assert np.ptp(joint(shrunk)) < np.ptp(FITTED) / 2
    mild = triangle().fit(ROWS, method="gradient", l2=3.0)
    for (a, b), factor in zip(PAIRS, mild.potentials, strict=True):  # the gradient of (3) is zero
        columns = ROWS[:, ["ABC".index(a), "ABC".index(b)]]
        share = np.array([[(columns == [i, j]).all(axis=1).mean() for j in (0, 1)] for i in (0, 1)])
        np.testing.assert_allclose(share - mild.query([a, b]).p, 3.0 / 15 * np.log(factor.table), atol=1e-6)
    network = triangle()
    for data, options, error, message in (
        (ROWS[:, :2], {}, DataError, "a column for each of A, B, C"),
        ({"A": [0], "B": [None], "C": [1]}, {}, DataError, "cells are missing"),
        (ROWS[:0], {}, DataError, "no rows"),
        (ROWS, {"method": "guess"}, ParameterError, "method must be one of"),
        (ROWS, {"l2": -1}, ParameterError, "l2"),
    ):
        with pytest.raises(error, match=message):
            network.fit(data, **options)
        assert all((f.table == 1).all() for f in network.potentials)
