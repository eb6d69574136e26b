"""Misprints of 001 and 004, each shown by a computation."""

import itertools
from collections import Counter
from math import factorial

import numpy as np
import pytest
from scipy import stats

from novum import datasets


def entropy(labels):
    share = np.array(list(Counter(labels).values())) / len(labels)
    return float(-(share * np.log2(share)).sum())


def test_001_sum_of_raw_errors_is_unbounded():
    X, y = np.array([[1.0, 2.0], [1.0, 3.0]]), np.array([1.0, 2.0])
    raw = [np.sum(y - X @ (scale * np.ones(2))) for scale in (1, 10, 100)]
    assert raw[0] > raw[1] > raw[2] and raw[2] < -600
    assert np.linalg.lstsq(X, y)[1].size == 0 and np.allclose(
        X @ np.linalg.solve(X, y), y
    )  # the squares have a minimum


def test_001_temperature_levels():
    tennis = datasets.load_play_tennis(as_frame=True).frame
    assert "Cool" in set(tennis["Temperature"]) and "Cold" not in set(tennis["Temperature"])


def test_001_information_gains():
    tennis = datasets.load_play_tennis()
    gains = {}
    for j, name in enumerate(tennis.feature_names):
        groups = [tennis.target[tennis.data[:, j] == v] for v in set(tennis.data[:, j])]
        gains[name] = entropy(tennis.target) - sum(len(g) * entropy(g) for g in groups) / 14
    assert round(gains["Outlook"], 3) == 0.247 and round(gains["Humidity"], 3) == 0.152
    assert gains["Outlook"] == pytest.approx(0.246750, abs=5e-7)


def test_001_posterior_mode_needs_the_prior():
    prior, likelihood = np.array([0.9, 0.1]), np.array([0.2, 0.6])
    assert likelihood.argmax() == 1 and (prior * likelihood).argmax() == 0


def test_001_lime_given_the_bag():
    bags = datasets.load_candy_bags()
    assert bags.prior @ bags.lime == pytest.approx(0.5)  # sum of P(l | h) P(h)
    assert bags.prior @ (bags.lime * bags.prior) != pytest.approx(0.5)  # with the joint P(l, h) in its place


def test_001_class_conditional_counts():
    tennis = datasets.load_play_tennis()
    no, mild = tennis.target == "No", tennis.data[:, 1] == "Mild"
    assert (mild & no).sum() / no.sum() == pytest.approx(2 / 5)
    assert mild.sum() / no.sum() > 1


def test_001_m_estimates_add_up_to_one():
    """Over the values of an attribute, with m = 3 and p = 1/3: within the class the estimates are probabilities."""
    tennis = datasets.load_play_tennis()
    values, no = sorted(set(tennis.data[:, 1])), tennis.target == "No"
    assert len(values) == 3 and no.sum() == 5
    in_class = {v: ((tennis.data[:, 1] == v) & no).sum() for v in values}
    everywhere = {v: (tennis.data[:, 1] == v).sum() for v in values}
    m, p = 3, 1 / 3
    right, printed = ([(count[v] + m * p) / (no.sum() + m) for v in values] for count in (in_class, everywhere))
    assert sum(right) == pytest.approx(1) and sum(printed) == pytest.approx((14 + 3) / (5 + 3))


def test_001_smoothed_word_probabilities():
    """The quotient of (3.88) depends on a word and a class; of a document it would say nothing."""
    documents = ["chinese beijing chinese", "chinese chinese shanghai", "chinese macao"]
    vocabulary = ["chinese", "beijing", "shanghai", "macao", "tokyo", "japan"]
    counts = Counter(" ".join(documents).split())
    word = {w: (counts[w] + 1) / (counts.total() + len(vocabulary)) for w in vocabulary}
    assert word["chinese"] == pytest.approx(3 / 7) and sum(word.values()) == pytest.approx(1)
    total = 0.0
    for text in itertools.combinations_with_replacement(vocabulary, 3):  # every document of three words, as counts
        bag = Counter(text)
        orders = factorial(3) // np.prod([factorial(c) for c in bag.values()])
        total += orders * np.prod([word[w] ** c for w, c in bag.items()])
    assert total == pytest.approx(1)  # (3.87) of them is a distribution over documents, so they are of words
    assert len({round(p, 12) for p in word.values()}) == 3 and len(word) == 6  # one number per word, not per document


def test_001_multinomial_coefficient():
    counts = (3, 1, 1, 0, 0, 0)
    right = factorial(sum(counts)) // np.prod([factorial(c) for c in counts])
    assert right == 20 and factorial(len(counts)) // factorial(3) == 120
    assert right == len(set(itertools.permutations("aaabc")))


def test_001_log_odds_of_two_gaussians():
    m1, m2, S, p = np.array([1.0, 0.0]), np.array([-0.5, 2.0]), np.array([[1.0, 0.3], [0.3, 2.0]]), 0.3
    x = np.array([0.7, 0.4])
    log_odds = (
        np.log(p / (1 - p)) + stats.multivariate_normal.logpdf(x, m1, S) - stats.multivariate_normal.logpdf(x, m2, S)
    )
    P = np.linalg.inv(S)
    quadratic = 2 * x @ P @ (m1 - m2) - m1 @ P @ m1 + m2 @ P @ m2
    assert log_odds == pytest.approx(np.log(p / (1 - p)) + quadratic / 2)
    assert log_odds != pytest.approx(-np.log(p / (1 - p)) + quadratic / 2)
    assert log_odds != pytest.approx(np.log(p / (1 - p)) + (2 * x @ P @ (m1 + m2) - m1 @ P @ m1 - m2 @ P @ m2) / 2)


def test_001_class_counts_need_the_class():
    t = np.eye(3, dtype=int)[[0, 0, 1, 2, 2, 2, 2]]  # rows t_n, of which one entry is 1
    right = [(t[:, k] == 1).sum() for k in range(3)]
    printed = [sum(1 in row for row in t) for _ in range(3)]  # "t_n = 1" names no class: some entry is 1 in every row
    assert np.sum(right) / len(t) == 1 and np.sum(printed) / len(t) == 3  # by (3.145) the shares add up to 1
    theta = np.array(right) / len(t)  # and they maximize the likelihood: no other shares near them have a larger one
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(50 * theta, size=200):
        assert (t @ np.log(other)).sum() <= (t @ np.log(theta)).sum() + 1e-12


def test_001_class_variance():
    x = np.array([1.0, 2.0, 4.0])
    assert ((x - x.mean()) ** 2).sum() == pytest.approx(4.666667, abs=5e-7)
    assert ((x - x.mean()) ** 2).sum() / 3 == pytest.approx(np.var(x)) == pytest.approx(1.555556, abs=5e-7)


def test_004_covariance():
    x, y = np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3])
    assert np.mean((x - x.mean()) * (y - y.mean())) == pytest.approx(0.75) == np.mean(x * y) - x.mean() * y.mean()
    assert np.mean(x - x.mean()) * np.mean(y - y.mean()) == 0


def test_004_newton_may_diverge():
    x = 2.0  # log cosh: convex with minimum 0, and pure Newton leaves it from here
    path = [x]
    for _ in range(4):
        x = x - np.tanh(x) * np.cosh(x) ** 2
        path.append(x)
        if abs(x) > 1e3:
            break
    assert abs(path[1]) > abs(path[0]) and abs(path[-1]) > 1e3


def test_004_linear_layer_gradient():
    rng = np.random.default_rng(0)
    X, Y, W, h = rng.normal(size=(5, 3)), rng.normal(size=(5, 2)), rng.normal(size=(2, 3)), 1e-6

    def error(V):
        return 0.5 * np.sum((X @ V.T - Y) ** 2)

    E = np.zeros((2, 3))
    E[1, 2] = h
    slope = (error(W + E) - error(W - E)) / (2 * h)
    assert slope == pytest.approx(((X @ W[1] - Y[:, 1]) * X[:, 2]).sum(), abs=1e-7)
    assert slope != pytest.approx(((W[1, 2] * X[:, 2] - Y[:, 1]) * X[:, 2]).sum(), abs=1e-3)


def test_004_bias_is_squared_inside():
    difference = np.array([1.0, -1.0, 2.0])  # expected predictor minus truth at three inputs
    assert np.mean(difference**2) == pytest.approx(2) and np.mean(difference) ** 2 == pytest.approx(4 / 9)


def test_004_lambda_and_lambda_over_n():
    X, y = np.column_stack([np.ones(4), np.arange(4.0)]), np.array([1.0, 3, 2, 5])

    def fit(lam):
        return np.linalg.solve(X.T @ X + lam * np.eye(2), X.T @ y)

    mean_loss = np.linalg.solve(X.T @ X / 4 + 2.0 / 4 * np.eye(2), X.T @ y / 4)  # (1/N) sum + (lambda/N) R
    np.testing.assert_allclose(mean_loss, fit(2.0))
    assert not np.allclose(np.linalg.solve(X.T @ X / 4 + 2.0 * np.eye(2), X.T @ y / 4), fit(2.0))


def test_004_ridge_with_a_free_intercept():
    x, y = np.arange(4.0), np.array([1.0, 3, 2, 5]) + 100
    X = np.column_stack([np.ones(4), x])
    shift = {}
    for free in (True, False):
        penalty = np.diag([0.0 if free else 1.0, 1.0]) * 2
        w = np.linalg.solve(X.T @ X + penalty, X.T @ y)
        shift[free] = (y - X @ w).mean()
    assert shift[True] == pytest.approx(0, abs=1e-12) and abs(shift[False]) > 1


def test_004_risk_needs_the_absolute_value():
    said, y = np.array([1, -1, 1, 1]), np.array([-1, 1, 1, 1])
    assert np.mean(np.abs(said - y) / 2) == np.mean(said != y) == 0.5
    assert np.mean((said - y) / 2) == 0


def test_004_average_of_models():
    """Of m models with independent errors of +-1 about h, in all 2^m cases: the average is off by 1/m, the sum by far more."""
    m, h = 3, 2.0
    errors = np.array(list(itertools.product((-1.0, 1.0), repeat=m)))
    said = h + errors
    assert np.mean((said.mean(axis=1) - h) ** 2) == pytest.approx(1 / m)  # as in the law of large numbers above it
    assert np.mean((said.sum(axis=1) - h) ** 2) == pytest.approx((m - 1) ** 2 * h**2 + m)
    assert said.mean() == h and said.sum(axis=1).mean() == m * h
