"""Exact tests against exact rationals: tails are summed themselves, never left over from one."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest

from novum.evaluation import mann_whitney_test, paired_test, permutation_test, proportion_test
from novum.evaluation.hypotheses.rank_tests import CountDistribution, arrangements


def ways(n, m):
    """Return how many arrangements have U = u, by whole numbers."""
    counts = [0] * (n * m + 1)
    counts[0] = 1
    for i in range(1, n + 1):
        for u in range(n * m, m + i - 1, -1):
            counts[u] -= counts[u - m - i]
        for u in range(i, n * m + 1):
            counts[u] += counts[u - i]
    return counts


def close(found, exact, rel=1e-11):
    assert found == pytest.approx(float(exact), rel=rel, abs=0.0)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 9), (6, 4), (17, 17), (40, 9), (50, 50), (3, 200)])
def test_every_probability_of_mann_and_whitney(n, m):
    exact, total = ways(n, m), comb(n + m, n)
    for found in (arrangements(n, m), arrangements(m, n)):
        assert max(abs(Fraction(p) * total / c - 1) for p, c in zip(found, exact)) < 1e-12
    distribution = CountDistribution(arrangements(n, m))
    for u in np.random.default_rng(n).integers(0, n * m + 1, 12):
        above, below = sum(exact[u + 1 :]), sum(exact[: u + 1])
        close(distribution.sf(u), Fraction(above, total)) if above else None
        close(distribution.cdf(u), Fraction(below, total))
        for tail in (tail for tail in (Fraction(above, total), Fraction(below, total)) if tail < Fraction(9, 10)):
            assert distribution.isf(float(tail)) == next(
                v for v in range(n * m + 1) if sum(exact[v + 1 :]) <= tail * total
            )
            assert distribution.ppf(float(tail)) == next(
                v for v in range(n * m + 1) if sum(exact[: v + 1]) >= tail * total
            )


@pytest.mark.parametrize("shift", [1000.0, 30.0, 3.0, 0.3, -30.0])
def test_p_values_of_mann_and_whitney_on_either_side(shift):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=50) + shift, rng.normal(size=45)
    counts, U = ways(50, 45), int((x[:, None] > y).sum())
    above, below = Fraction(sum(counts[U:]), comb(95, 50)), Fraction(sum(counts[: U + 1]), comb(95, 50))
    for alternative, p in (("greater", above), ("less", below), ("two-sided", min(2 * min(above, below), Fraction(1)))):
        close(mann_whitney_test(x, y, alternative=alternative).p_value, p)


@pytest.mark.parametrize("wins", [0, 1, 12, 36, 40])
def test_signs_signed_ranks_and_counts(wins):
    d = np.arange(1.0, 41) * np.where(np.arange(40) < wins, 1, -1)
    ranks = [1]
    for i in range(1, 41):
        ranks = [a + b for a, b in zip(ranks + [0] * i, [0] * i + ranks)]
    W = int(d[d > 0].sum())
    up, down = Fraction(sum(ranks[W:]), 2**40), Fraction(sum(ranks[: W + 1]), 2**40)
    close(paired_test(d, 0 * d, "wilcoxon", alternative="greater").p_value, up)
    close(paired_test(d, 0 * d, "wilcoxon", alternative="less").p_value, down)
    tail = Fraction(sum(comb(40, k) for k in range(wins, 41)), 2**40)
    close(paired_test(d, 0 * d, "sign", alternative="greater").p_value, tail)
    close(proportion_test(wins, 40, exact=True, alternative="greater").p_value, tail)
    truth, other = (
        np.ones(40, dtype=int),
        (np.arange(40) >= wins).astype(int),
    )  # a is always right, b wrong in so many rows
    close(paired_test(truth, other, "mcnemar_exact", y=truth, alternative="greater").p_value, Fraction(1, 2**wins))


def test_permutations_are_counted():
    x, y = np.arange(10.0, 18), np.arange(8.0)
    assert permutation_test(x, y, n_resamples=20_000, alternative="greater").p_value == pytest.approx(
        1 / comb(16, 8), rel=1e-12
    )
