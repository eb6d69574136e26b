"""Mutual information by neighbors where values repeat: counts, rounded values, and tables as people have them."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.datasets import load_iris
from sklearn.feature_selection import mutual_info_classif, mutual_info_regression

from novum.information import mutual_information


def pairs(n, correlation, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x, correlation * x + np.sqrt(1 - correlation**2) * rng.normal(size=n)


def rounded(x, step):
    return np.round(x / step) * step


def information_of_rounded(correlation, step):
    """Return I of two rounded normals by integrating their density over every cell."""
    edge = step * (np.arange(-40, 41) + 0.5)
    edge = edge[np.abs(edge) < 7]

    def column(low, high):
        return [
            integrate.quad(
                lambda x, top=top: (
                    stats.norm.pdf(x) * stats.norm.cdf((top - correlation * x) / np.sqrt(1 - correlation**2))
                ),
                low,
                high,
            )[0]
            for top in edge
        ]

    cells = np.diff([column(low, high) for low, high in pairwise(edge)], axis=1)
    return mutual_information(np.clip(cells, 0, None) / cells.sum(), base="nats")


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("step", [0.01, 0.1, 0.5, 1.0])
def test_rounding_costs_no_more_than_the_information_that_it_loses(correlation, step):
    truth = -0.5 * np.log(1 - correlation**2) if step < 0.2 else information_of_rounded(correlation, step)
    found = []
    for seed in range(4):
        x, y = pairs(1500, correlation, seed)
        found.append(mutual_information(samples=(rounded(x, step), rounded(y, step)), base="nats"))
    assert np.mean(found) == pytest.approx(truth, abs=0.03)


def test_counts_have_the_information_of_their_table():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 4, size=3000)
    y = np.where(rng.random(3000) < 0.6, x, rng.integers(0, 3, size=3000))
    table = mutual_information(labels=(x, y))
    assert mutual_information(samples=(x.astype(float), y.astype(float))) == pytest.approx(table, abs=0.02)
    assert mutual_information(samples=x.astype(float), labels=y) == pytest.approx(table, abs=0.02)
    units = mutual_information(samples=(1e-6 * x, 1e-6 * y))
    assert units == pytest.approx(mutual_information(samples=(1.0 * x, 1.0 * y)), abs=1e-9)


def test_iris_is_answered_as_scikit_learn_does_within_its_noise():
    X, y = load_iris(return_X_y=True)
    ours = [mutual_information(samples=X[:, j], labels=y, base="nats") for j in range(4)]
    assert ours == pytest.approx(mutual_info_classif(X, y, random_state=0), abs=0.12)
    pair = mutual_information(samples=(X[:, 2], X[:, 3]), base="nats")
    theirs = mutual_info_regression(X[:, [2]] / X[:, 2].std(), X[:, 3] / X[:, 3].std(), random_state=0)[0]
    assert pair == pytest.approx(theirs, abs=0.3)
    assert mutual_information(samples=X, labels=y, base="nats") < np.log(3) + 0.1


def test_one_repeated_row_changes_next_to_nothing():
    x, y = pairs(400, 0.8, 3)
    before = mutual_information(samples=(x, y))
    after = mutual_information(samples=(np.append(x, x[0]), np.append(y, y[0])))
    assert after == pytest.approx(before, abs=0.01)


def test_the_draws_are_those_of_the_random_state():
    x, y = (rounded(column, 0.5) for column in pairs(200, 0.5, 0))
    assert mutual_information(samples=(x, y)) == mutual_information(samples=(x, y))
    assert mutual_information(samples=(x, y), random_state=1) != mutual_information(samples=(x, y))


def test_a_constant_says_nothing():
    x = np.repeat(np.arange(5.0), 4)
    assert mutual_information(samples=(x, np.ones(20))) == 0
    assert mutual_information(samples=np.ones(20), labels=x) == 0
    with_constant = np.column_stack([x, np.ones(20)])
    assert mutual_information(samples=(with_constant, x)) == mutual_information(samples=(x, x))
