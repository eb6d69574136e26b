"""The unit of a score takes no part in a comparison: squared errors of nanometres are compared as those of metres."""

import numpy as np
import pytest

from novum.evaluation import compare, corrected_test

TESTS = ["paired_t", "corrected_t", "wilcoxon", "sign"]


@pytest.mark.parametrize("unit", [1e-18, 1e-9, 1e12])
def test_p_values_have_no_unit(unit):
    rng = np.random.default_rng(5)
    a = rng.uniform(1, 2, 10)
    b = a + 0.1 * rng.normal(size=10) + 0.05
    assert corrected_test(unit * a, unit * b, 0.1).p_value == pytest.approx(corrected_test(a, b, 0.1).p_value, rel=1e-9)
    for test in TESTS:
        pair, scaled = (compare({"a": u * a, "b": u * b}, test=test).pairs[0] for u in (1.0, unit))
        assert scaled.p_value == pytest.approx(pair.p_value, rel=1e-9)
    pair, scaled = (
        compare({"a": u * a, "b": u * b}, test="bayesian", rope=0.01 * u).pairs[0].posterior for u in (1.0, unit)
    )
    assert scaled.sentence().split(", ")[::2] == pair.sentence().split(", ")[::2]  # without the words on the rope


def test_equal_scores_stay_equal_in_any_unit():
    a = np.linspace(0.5, 0.9, 8)
    for unit in (1e-18, 1.0, 1e12):
        same = corrected_test(unit * a, unit * a * (1 + 1e-16), 0.1)
        assert same.statistic == 0 and same.p_value == 1
