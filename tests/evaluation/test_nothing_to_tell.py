"""Values without variance prove nothing, whatever the test and wherever it prints."""

import numpy as np
import pytest

from novum.evaluation import compare, corrected_test, delong_test, paired_test, t_test
from novum.evaluation.comparison.ranks import iman_davenport
from novum.evaluation.hypotheses.result import shown_p

CONSTANT = {"a": [0.8] * 10, "b": [0.78] * 10}


def test_a_p_value_that_does_not_exist():
    assert shown_p(float("nan")) == "p is undefined"
    assert shown_p(0.0004) == "p < .001" and shown_p(0.25) == "p = .250"


@pytest.mark.parametrize("parts", [2, 5, 10])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("test", ["paired_t", "corrected_t", "wilcoxon", "sign"])
def test_constant_differences_of_folds(test, alternative, parts):
    found = compare({name: v[:parts] for name, v in CONSTANT.items()}, test=test, alternative=alternative)
    pair = found.pair("a", "b")
    assert np.isnan(pair.p_value) and np.isnan(pair.adjusted) and not found.is_conclusive(pair)
    assert "nothing can be concluded" in found.sentence() and "significant" not in found.sentence().split("(")[0]
    assert "inf" not in found.sentence() and "p is undefined" in repr(found) and "< .001" not in found._repr_html_()
    assert found.to_frame().verdict[0] in ("cannot tell", "a not shown better", "b not shown better")


def test_constant_differences_of_five_by_two():
    for test in ("5x2cv_t", "5x2cv_f"):
        found = compare(CONSTANT, design="5x2", test=test)
        assert np.isnan(found.pair("a", "b").p_value) and "nothing can be concluded" in found.sentence()


def test_bayesian():
    found = compare(CONSTANT, test="bayesian")
    assert "nothing can be concluded" in found.sentence() and found.verdict(found.pairs[0]) == "cannot tell"
    alike = compare({"a": [0.8] * 10, "b": [0.8] * 10}, test="bayesian")
    assert alike.verdict(alike.pairs[0]) == "practically equivalent"


def test_one_unknown_pair_leaves_the_others_adjusted():
    rng = np.random.default_rng(0)
    scores = {**CONSTANT, "c": 0.3 + 0.02 * rng.normal(size=10)}
    found = compare(scores)
    known = [one for one in found.pairs if "c" in (one.a, one.b)]
    assert all(one.adjusted >= 2 * one.p_value for one in known) and all(found.is_conclusive(one) for one in known)


def test_tests_alone():
    for found in (t_test([2.0] * 5, mean=1), paired_test([0.8] * 5, [0.7] * 5), t_test([1.0, 1], [2.0, 2])):
        assert np.isnan(found.p_value) and not found.reject()
        assert "p is undefined" in repr(found) and "cannot be decided whether" in found.sentence()
        assert "inf" not in repr(found) and "95 % interval" not in repr(found)
    assert t_test([2.0] * 5, mean=2).p_value == 1
    certain = corrected_test([0.8] * 4, [0.7] * 4, 1 / 3)
    assert np.isnan([certain.p_value, certain.statistic, *certain.interval]).all()
    y = np.repeat([0, 1], 10)
    assert np.isnan(delong_test(y, y, -y).p_value) and delong_test(y, y, y + 0.5).p_value == 1


def test_equal_ranks_on_few_data_sets_have_an_exact_p_value():
    found = iman_davenport(np.array([[1.0, 2, 3]] * 3))
    assert found.p_value == pytest.approx(1 / 36)  # the other two rows would have to be arranged alike by chance


def test_the_first_is_better_means_the_same_everywhere():
    """ "greater" tests whether the first model is better: for scores, for predictions, alone and in `compare`."""
    y = np.zeros(40, int)
    good, bad = y.copy(), y.copy()
    good[:2], bad[:14] = 1, 1
    assert paired_test(good, bad, "mcnemar_exact", y=y, alternative="greater").p_value < 0.01
    assert paired_test(good, bad, "mcnemar_exact", y=y, alternative="less").p_value > 0.9
    a, b = [0.9, 0.92, 0.91, 0.93, 0.9], [0.7, 0.75, 0.71, 0.7, 0.72]
    assert paired_test(a, b, "paired_t", alternative="greater").p_value < 0.01
    assert compare({"a": a, "b": b}, test="paired_t", alternative="greater").pair("a", "b").p_value < 0.01
