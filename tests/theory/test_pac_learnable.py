"""The definition of a PAC-learnable class, with the probability of failure computed exactly.

The examples are n independent draws from four points. What a learner answers depends on the set of points that were seen, and
the probability of that set follows from those of its parts by inclusion and exclusion.
"""

import itertools
import math

import numpy as np
import pytest

from novum.exceptions import ParameterError
from novum.theory import FindS, pac_sample_size

POINTS = list(itertools.product((0, 1), repeat=2))
CONJUNCTIONS = [None, *itertools.product((0, 1, "?"), repeat=2)]  # None is true of no point


def covers(concept, point):
    return concept is not None and all(own in ("?", value) for own, value in zip(concept, point))


def answers(concept, seen):
    """Return what the learner says of all four points after the examples that were seen."""
    model = FindS().fit([POINTS[i] for i in seen], [covers(concept, POINTS[i]) for i in seen])
    return [covers(model.hypothesis_, point) for point in POINTS]


def probability_of_seeing(seen, p, n):
    """Return the probability that n draws show these points, all of them and no other."""
    parts = itertools.chain.from_iterable(itertools.combinations(seen, k) for k in range(len(seen) + 1))
    return sum((-1) ** (len(seen) - len(part)) * sum(p[i] for i in part) ** n for part in parts)


def failure(concept, p, n, epsilon):
    """Return the probability that the true error exceeds epsilon."""
    truth = [covers(concept, point) for point in POINTS]
    total = 0.0
    for seen in itertools.chain.from_iterable(itertools.combinations(range(4), k) for k in range(1, 5)):
        wrong = sum(p[i] for i in range(4) if answers(concept, seen)[i] != truth[i])
        total += probability_of_seeing(seen, p, n) * (wrong > epsilon)
    return total


@pytest.mark.notes("003", "pac-learnable")
@pytest.mark.parametrize("p", [(0.25, 0.25, 0.25, 0.25), (0.6, 0.25, 0.1, 0.05), (0.31, 0.3, 0.29, 0.1)])
@pytest.mark.parametrize("epsilon, delta", [(0.3, 0.4), (0.2, 0.1), (0.05, 0.01)])
def test_every_concept_is_learned_under_every_distribution(p, epsilon, delta):
    n = pac_sample_size(epsilon, delta, hypotheses=len(CONJUNCTIONS))
    assert n == math.ceil((math.log(10) + math.log(1 / delta)) / epsilon)
    failures = [failure(concept, p, n, epsilon) for concept in CONJUNCTIONS]
    assert max(failures) <= 10 * (1 - epsilon) ** n <= delta
    assert max(failure(concept, p, 1, epsilon) for concept in CONJUNCTIONS) > delta  # one example is not enough


@pytest.mark.notes("003", "pac-learnable")
def test_examples_are_polynomial_in_all_that_the_definition_names():
    count = {m: pac_sample_size(0.1, 0.05, log_hypotheses=m * math.log(3)) for m in (5, 10, 20, 40)}
    assert [count[2 * m] - count[m] for m in (5, 10, 20)] == pytest.approx(
        [10 * m * math.log(3) for m in (5, 10, 20)], abs=1
    )
    for epsilon, delta in itertools.product((0.4, 0.1, 0.01), (0.4, 0.1, 0.01)):
        n = pac_sample_size(epsilon, delta, hypotheses=3**10)
        assert pac_sample_size(epsilon / 2, delta, hypotheses=3**10) == pytest.approx(2 * n, abs=2)
        more = pac_sample_size(epsilon, delta / 2, hypotheses=3**10) - n
        assert more == pytest.approx(math.log(2) / epsilon, abs=1)


@pytest.mark.notes("003", "pac-learnable")
def test_a_class_of_infinite_dimension_is_not_learnable():
    with pytest.raises(ParameterError, match="not learnable from any number of examples"):
        pac_sample_size(0.1, 0.1, vc=np.inf)
