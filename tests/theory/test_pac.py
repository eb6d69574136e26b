"""Sample sizes, counts and bounds: the notes' numbers, brute force and simulation."""

import math
from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from novum.exceptions import ParameterError
from novum.theory import error_bound, hypothesis_count, pac_sample_size


@pytest.mark.notes("003", "pac-consistent")
def test_consistent_learners_of_a_finite_class():
    assert pac_sample_size(0.1, 0.05, hypotheses=3**10) == 140
    assert pac_sample_size(0.1, 0.05, log_hypotheses=10 * math.log(3)) == 140
    assert pac_sample_size(0.1, 0.05, hypotheses=256) == 86
    assert round(error_bound(n=1000, hypotheses=3**10).value, 7) == 0.0139819
    power = pac_sample_size(0.1, 0.05, hypotheses=3**10, form="power")
    assert 3**10 * 0.9**power <= 0.05 < 3**10 * 0.9 ** (power - 1)
    tight = error_bound(n=1000, hypotheses=3**10, form="power").value
    assert_allclose(3**10 * (1 - tight) ** 1000, 0.05, rtol=1e-11)
    n, delta = 500, 0.02
    assert_allclose(
        float(error_bound(n=n, delta=delta, hypotheses=1000)), (math.log(1000) + math.log(50)) / n, rtol=1e-14
    )


@pytest.mark.notes("003", "pac-agnostic")
def test_agnostic_learners_of_a_finite_class():
    assert pac_sample_size(0.1, 0.05, hypotheses=3**10, agnostic=True) == 700
    bound = error_bound(n=1000, training_error=0.2, hypotheses=3**10)
    assert bound.kind == "agnostic" and round(bound.complexity, 7) == 0.0836118
    assert_allclose(bound.value, 0.2 + bound.complexity, rtol=1e-15)
    assert round(error_bound(n=1000, hypotheses=3**10, kind="agnostic").value, 7) == 0.0836118


@pytest.mark.notes("003", "vc-sample-size")
def test_sample_size_from_the_vc_dimension():
    assert pac_sample_size(0.1, 0.05, vc=3) == 1899
    n = pac_sample_size(0.1, 0.05, vc=3, agnostic=True)
    assert error_bound(n=n, vc=3).value <= 0.1 < error_bound(n=n - 1, vc=3).value
    sizes = [pac_sample_size(0.1, 0.05, vc=h) for h in (1, 2, 3)]
    assert abs((sizes[2] - sizes[1]) - (sizes[1] - sizes[0])) <= 1


@pytest.mark.notes("003", "vc-bound")
@pytest.mark.notes("003", "structural-risk-minimisation")
@pytest.mark.notes("004", "vc-bound")
def test_vc_bound():
    found = [round(error_bound(n=n, vc=3).value, 7) for n in (100, 1000, 10000)]
    assert found == [0.4470027, 0.1639783, 0.0581349]
    cases = ((1000, 3, 0.1, 0.263978), (100, 3, 0.1, 0.547003), (10000, 10, 0.0, 0.095074), (1000, 50, 0.02, 0.508698))
    for n, h, error, expected in cases:
        assert round(error_bound(n=n, vc=h, training_error=error).value, 6) == expected
    assert error_bound(n=10, vc=50).vacuous and error_bound(n=10, vc=math.inf).value == math.inf
    assert not error_bound(n=10000, vc=3).vacuous
    few = math.sqrt((40 * math.log(2) + math.log(4 / 0.05)) / 20)  # all 2^40 labelings of twice the examples
    assert error_bound(n=20, vc=50, delta=0.05).value == pytest.approx(few, rel=1e-12)


@pytest.mark.notes("000-b", "margin-error-bound")
def test_margin_bound():
    expected = [(0.05, 10**4, 1, 1, 0.143716), (0.05, 10**4, 1, 0.5, 0.235018), (0.05, 10**6, 1, 1, 0.063924)]
    for error, n, norm, margin, value in [*expected, (0.0, 1000, 2, 1, 0.440300)]:
        found = error_bound(n=n, training_error=error, margin=float(margin), norm=float(norm))
        assert found.kind == "margin" and round(found.value, 6) == value


def test_rademacher_and_test_set_bounds_from_numbers():
    found = error_bound(n=500, training_error=0.1, rademacher=0.05)
    assert_allclose(found.value, 0.1 + 0.1 + 3 * math.sqrt(math.log(40) / 1000), rtol=1e-14)
    exact = error_bound(n=143, training_error=6 / 143, kind="test_set")
    assert_allclose(stats.binom.cdf(6, 143, exact.value), 0.05, rtol=1e-10)
    assert error_bound(n=5, training_error=1.0, kind="test_set").value == 1.0
    assert_allclose(error_bound(n=20, kind="test_set").value, 1 - 0.05 ** (1 / 20), rtol=1e-12)
    with pytest.raises(ParameterError, match="no whole number"):
        error_bound(n=10, training_error=0.123, kind="test_set")


@pytest.mark.notes("003", "hypothesis-space-size")
def test_counts():
    assert hypothesis_count("boolean", 3) == 256 and hypothesis_count("conjunctions", 10) == 59049
    assert_allclose(hypothesis_count("boolean", 20, log=True), 2**20 * math.log(2), rtol=1e-15)
    assert_allclose(hypothesis_count("conjunctions", 50, log=True), 50 * math.log(3), rtol=1e-15)
    assert hypothesis_count("conjunctions", 6, n_values=[3, 2, 2, 2, 2, 2], never=True) == 973
    assert hypothesis_count("boolean", 6, n_values=[3, 2, 2, 2, 2, 2]) == 2**96
    assert hypothesis_count("monotone_conjunctions", 4) == 16 and hypothesis_count("symmetric", 4) == 32
    assert hypothesis_count("k_dnf", 3, k=1) == 2**6 and hypothesis_count("k_dnf", 3, k=2) == 2 ** (6 + 12)
    assert hypothesis_count("k_cnf", 3, k=9) == 2**26 and hypothesis_count("k_term_dnf", 4, k=2) == 3**8
    assert [hypothesis_count("decision_trees", 5, depth=d) for d in (0, 1, 2)] == [2, 5 * 4, 5 * 400]
    assert hypothesis_count("decision_trees", 5, n_leaves=3) == 2 * 25 * 8
    assert hypothesis_count("rectangles", 2, n_values=[4, 3]) == 10 * 6
    assert hypothesis_count("decision_lists", 1) == 2 + 2 * 4 + 2 * 8
    with pytest.raises(ParameterError, match="pass log=True"):
        hypothesis_count("boolean", 30)
    with pytest.raises(ParameterError, match="one of the two"):
        hypothesis_count("decision_trees", 3)
    with pytest.raises(ParameterError, match="binary attributes"):
        hypothesis_count("k_dnf", 3, k=2, n_values=3)


@pytest.mark.notes("003", "hypothesis-space-size")
def test_counts_by_enumeration():
    grid = list(product([0, 1], repeat=3))
    conjunctions = {
        tuple(all(v in (-1, x) for v, x in zip(h, row)) for row in grid) for h in product([0, 1, -1], repeat=3)
    }
    assert len(conjunctions) == hypothesis_count("conjunctions", 3)
    boxes = {(a, b, c, d) for a in range(4) for b in range(a, 4) for c in range(3) for d in range(c, 3)}
    assert len(boxes) == hypothesis_count("rectangles", 2, n_values=(4, 3))
    one_dnf = {
        tuple(any(row[j] == v for j, v in chosen) for row in grid)
        for bits in product([0, 1], repeat=6)
        for chosen in [[(j, v) for (j, v), on in zip(product(range(3), (0, 1)), bits) if on]]
    }
    assert len(one_dnf) <= hypothesis_count("k_dnf", 3, k=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: error_bound(n=10), "give one of hypotheses"),
        (lambda: error_bound(vc=3), "number of examples as n"),
        (lambda: error_bound(n=10, vc=3, hypotheses=4), "give one of"),
        (lambda: error_bound(n=10, hypotheses=4, training_error=0.1, kind="consistent"), "kind='agnostic'"),
        (lambda: error_bound(n=10, vc=3, training_error=1.5), "training_error must lie in"),
        (lambda: error_bound(n=10, vc=3, delta=0.0), "delta must lie in"),
        (lambda: error_bound(n=10, vc=3, kind="agnostic"), "give hypotheses"),
        (lambda: pac_sample_size(0.1, 0.05), "give the size of a finite class"),
        (lambda: pac_sample_size(0.1, 0.05, vc=math.inf), "not learnable"),
        (lambda: pac_sample_size(1.1, 0.05, vc=2), "epsilon must lie in"),
        (lambda: pac_sample_size(0.1, 0.05, hypotheses=3, log_hypotheses=1.0), "not both"),
    ],
)
def test_errors_name_what_is_wrong(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_result_prints_and_draws():
    found = error_bound(n=1000, vc=3, training_error=0.1)
    assert ".2640" in repr(found) and "VC dimension 3" in repr(found)
    assert found.to_frame().loc[0, "n"] == 1000 and "<table" in found._repr_html_()
    assert found.plot().get_ylabel().startswith("error") and error_bound(n=5, vc=math.inf).plot() is not None


@pytest.mark.slow
def test_consistent_learner_fails_no_more_often_than_said():
    rng = np.random.default_rng(0)
    m = pac_sample_size(0.1, 0.1, hypotheses=101)
    failures = 0
    for _ in range(4000):  # thresholds i/100; the worst consistent one
        x = rng.uniform(size=m)
        above = x[x >= 0.5].min(initial=1.0)
        grid = np.arange(101) / 100
        consistent = (grid <= above) & (grid > x[x < 0.5].max(initial=0.0))
        failures += bool((np.abs(grid[consistent] - 0.5) > 0.1).any())
    assert failures / 4000 <= 0.1
    errors = rng.binomial(200, 0.07, size=4000)
    upper = np.array([error_bound(n=200, training_error=e / 200, kind="test_set").value for e in errors])
    assert (upper < 0.07).mean() <= 0.05
