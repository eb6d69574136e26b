"""Expectations under a known distribution against enumeration and closed forms."""

from itertools import combinations, product

import numpy as np
import pytest

from novum.exceptions import DataError, ParameterError
from novum.linear_model import LinearRegression
from novum.teaching import expected_loss, out_of_bag_probability, overfits, sampling_distribution

UNIFORM = {(x, x % 2): 1 / 6 for x in range(6)}


def h(x):  # wrong at 4 and 5
    return int(x in (1, 3, 4))


@pytest.mark.notes("001", "true-error")
@pytest.mark.notes("003", "prediction-error")
def test_true_error_exact_and_drawn():
    exact = expected_loss(h, UNIFORM)
    assert exact.value == pytest.approx(1 / 3, abs=1e-15) and exact.exact and exact.standard_error == 0

    def draw(n, rng):
        X = rng.integers(6, size=n)
        return X, X % 2

    drawn = expected_loss(h, draw, random_state=0)
    assert not drawn.exact and abs(drawn.value - 1 / 3) < 4 * drawn.standard_error
    assert drawn.standard_error == pytest.approx(np.sqrt(2 / 9 / 10_000), rel=0.03)


@pytest.mark.notes("001", "expected-sample-error")
@pytest.mark.notes("001", "sample-error")
def test_the_sample_error_is_unbiased():
    def sample_error(sample):
        return np.mean([h(x) != t for x, t in sample])

    true = expected_loss(h, UNIFORM).value
    for n in (1, 2, 3):
        subsets = sampling_distribution(sample_error, UNIFORM, n, replace=False)
        assert subsets.bias(true) == pytest.approx(0, abs=1e-15) and subsets.exact
        every = [sample_error(s) for s in combinations(UNIFORM, n)]
        assert subsets.value == pytest.approx(np.mean(every), abs=1e-15)
        assert subsets.variance == pytest.approx(np.var(every), abs=1e-15)
        independent = sampling_distribution(sample_error, UNIFORM, n)
        assert independent.bias(true) == pytest.approx(0, abs=1e-15)
        assert independent.variance == pytest.approx(true * (1 - true) / n, rel=1e-12)
    uneven = {(0, 1): 0.05, (1, 1): 0.15, (4, 0): 0.3, (5, 1): 0.5}  # h is wrong at 0, 4 and 5
    true = expected_loss(h, uneven).value
    assert true == pytest.approx(0.85, abs=1e-15) and expected_loss(h, uneven).variance == pytest.approx(0.85 * 0.15)
    for n in (1, 2):
        found = sampling_distribution(sample_error, uneven, n)
        wanted = sum(
            np.prod([uneven[one] for one in sample]) * sample_error(sample) for sample in product(uneven, repeat=n)
        )
        assert found.value == pytest.approx(wanted, abs=1e-14) == pytest.approx(true, abs=1e-14)
    many = sampling_distribution(sample_error, UNIFORM, 50, n_draws=500, random_state=0)
    true = expected_loss(h, UNIFORM).value
    assert not many.exact and abs(many.bias(true)) < 4 * many.standard_error


def test_bias_of_estimators_by_enumeration():
    distribution = {0: 0.2, 1: 0.5, 4: 0.3}
    mean = 1.7
    variance = 0.5 + 4.8 - mean**2
    for n in (2, 3, 4):
        assert sampling_distribution(np.mean, distribution, n).bias(mean) == pytest.approx(0, abs=1e-12)
        assert sampling_distribution(np.var, distribution, n).bias(variance) == pytest.approx(-variance / n, rel=1e-12)
        unbiased = sampling_distribution(lambda s: np.var(s, ddof=1), distribution, n)
        assert unbiased.bias(variance) == pytest.approx(0, abs=1e-12)
        p = dict(distribution)
        largest = sum(np.prod([p[v] for v in s]) * max(s) for s in product(distribution, repeat=n))
        assert sampling_distribution(max, distribution, n).value == pytest.approx(largest, rel=1e-12)


@pytest.mark.notes("003", "expected-loss")
def test_the_conditional_mean_has_the_least_squared_loss():
    distribution = {(0, 0.0): 0.1, (0, 1.0): 0.3, (1, 1.0): 0.4, (1, 3.0): 0.2}
    best = {0: 0.75, 1: (0.4 + 0.6) / 0.6}
    least = expected_loss(lambda x: best[x], distribution, "squared").value
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.normal(1, 1, 2)
        other = expected_loss(lambda x, a=a, b=b: (a, b)[x], distribution, "squared").value
        assert other == pytest.approx(sum(p * (t - (a, b)[x]) ** 2 for (x, t), p in distribution.items()), rel=1e-12)
        assert other >= least
    assert expected_loss(lambda x: 1.0, distribution, lambda t, y: (t > y) * 2.0).value == pytest.approx(0.4)


@pytest.mark.notes("004", "expected-test-error")
def test_expected_test_error_of_an_algorithm():
    """Least squares on n rows of d normal features: noise (1 + (d + 1)/(n - d - 2)) with d + 1 parameters, one an intercept."""
    n, sigma = 20, 0.5

    def draw(size, rng):
        X = rng.normal(size=(size, 1))
        return X, 2 * X[:, 0] + sigma * rng.normal(size=size)

    def test_error(sample):
        model = LinearRegression(fit_intercept=False).fit(*sample)
        return sigma**2 + (model.coef_[0] - 2) ** 2  # exact over a new row

    found = sampling_distribution(test_error, draw, n, n_draws=2000, random_state=0)
    assert abs(found.value - sigma**2 * (1 + 1 / (n - 2))) < 4 * found.standard_error
    one = LinearRegression(fit_intercept=False).fit(*draw(n, np.random.default_rng(1)))
    known = expected_loss(one, draw, "squared", n_draws=20_000, random_state=2)
    assert abs(known.value - (sigma**2 + (one.coef_[0] - 2) ** 2)) < 4 * known.standard_error


@pytest.mark.notes("001", "overfit-definition")
def test_overfitting_between_two_hypotheses():
    distribution = {(x, int(x > 2)): 1 / 6 for x in range(6)}
    memory = {0: 0, 2: 1, 5: 1}
    found = overfits(lambda x: memory.get(x, 0), lambda x: int(x > 2), [0, 2, 5], [0, 1, 1], distribution)
    assert found == (True, 0.0, pytest.approx(1 / 3), pytest.approx(0.5), 0.0)
    assert not overfits(lambda x: int(x > 2), lambda x: memory.get(x, 0), [0, 2, 5], [0, 1, 1], distribution).overfits
    # every pair of answers to four questions, of which two were seen: by counting errors
    uneven = {(0, 0): 0.1, (1, 1): 0.2, (2, 0): 0.3, (3, 1): 0.4}
    seen, labels = [0, 1], [0, 0]
    kinds = set()
    for one, other in product(product((0, 1), repeat=4), repeat=2):
        sample = [sum(a[x] != t for x, t in zip(seen, labels)) / 2 for a in (one, other)]
        true = [sum(p for (x, t), p in uneven.items() if a[x] != t) for a in (one, other)]
        found = overfits(lambda x, a=one: a[x], lambda x, a=other: a[x], seen, labels, uneven)
        assert found.overfits == (sample[0] < sample[1] and true[0] > true[1] + 1e-12)
        assert found[1:] == pytest.approx((*sample, *true))
        kinds.add((np.sign(sample[0] - sample[1]), np.sign(round(true[0] - true[1], 9))))
    assert len(kinds) == 9  # better, equal and worse, in both


@pytest.mark.notes("000-c", "bootstrap-oob-probability")
def test_left_out_of_a_bootstrap_sample():
    n = np.array([1, 2, 5, 10, 100, 1000])
    np.testing.assert_allclose(out_of_bag_probability(n), (1 - 1 / n) ** n, rtol=1e-12)
    np.testing.assert_allclose(out_of_bag_probability(n), [0, 0.25, 0.32768, 0.348678, 0.366032, 0.367695], atol=5e-7)
    assert out_of_bag_probability(10**12) == pytest.approx(np.exp(-1), rel=1e-11)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: expected_loss(h, {(0, 1): 0.4}), "sum to one"),
        (lambda: expected_loss(h, {0: 1.0}), "pairs"),
        (lambda: expected_loss(h, UNIFORM, "hinge"), "loss"),
        (lambda: expected_loss(h, UNIFORM, lambda t, y: 1.0), "row by row"),
        (lambda: sampling_distribution(np.mean, {0: 0.4, 1: 0.6}, 2, replace=False), "equally likely"),
        (lambda: sampling_distribution(np.mean, {0: 1.0}, 0), "n must be at least 1"),
        (lambda: out_of_bag_probability(0), "at least 1"),
        (lambda: out_of_bag_probability(2.5), "whole"),
    ],
)
def test_refusals(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()
