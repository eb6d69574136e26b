"""The interval of two proportions is the inverse of their test."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import xlog1py, xlogy

from novum.evaluation import proportion_test


def brute_score(s, n, r, m, gap):
    """Return the score statistic with the likelihood maximised numerically."""

    def loss(p):
        return -(xlogy(s, p + gap) + xlog1py(n - s, -(p + gap)) + xlogy(r, p) + xlog1py(m - r, -p))

    low, high = max(0.0, -gap) + 1e-12, min(1.0, 1 - gap) - 1e-12
    p = minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-13}).x
    return (s / n - r / m - gap) / np.sqrt((p + gap) * (1 - p - gap) / n + p * (1 - p) / m)


@pytest.mark.parametrize("table", [(45, 100, 30, 100), (1, 20, 7, 30), (9, 12, 2, 15), (0, 8, 5, 9), (6, 6, 3, 7)])
def test_ends_are_where_the_test_turns(table):
    s, n, r, m = table
    low, high = proportion_test([s, r], [n, m]).interval(0.95)
    for end, z in ((low, 1.959963985), (high, -1.959963985)):
        assert abs(end) == 1 or brute_score(s, n, r, m, end) == pytest.approx(z, abs=2e-5)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_interval_and_test_agree_on_every_small_table(alternative):
    for n, m in ((4, 7), (9, 5), (6, 6)):
        for s in range(n + 1):
            for r in range(m + 1):
                found = proportion_test([s, r], [n, m], alternative=alternative)
                for level in (0.05, 0.1):
                    low, high = found.interval(1 - level)
                    assert found.reject(level) != (low <= 0 <= high), (s, n, r, m)
