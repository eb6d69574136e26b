"""compare: one-sided questions, pairs seen from either side, areas on a hold-out set, what the print-out says."""

import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import ShuffleSplit

from novum.datasets import load_tenfold_scores
from novum.evaluation import compare, delong_test, paired_test
from novum.naive_bayes import GaussianNB
from novum.tree import DecisionTreeClassifier

A, B = load_tenfold_scores().data.T
X, y = load_breast_cancer(return_X_y=True)
HOLD_OUT = ShuffleSplit(1, random_state=0)
TREE = DecisionTreeClassifier(max_depth=3, random_state=0)


def test_greater_means_that_the_first_is_better_whatever_the_test():
    models = {"nb": GaussianNB(), "dummy": DummyClassifier()}
    better = compare(models, X, y, cv=HOLD_OUT, alternative="greater")
    assert better.test == "mcnemar_exact" and better.pairs[0].difference > 0.2 and better.pairs[0].p_value < 0.001
    assert better.verdict(better.pairs[0]) == "nb better" and "significantly above zero" in better.sentence()
    worse = compare(models, X, y, cv=HOLD_OUT, alternative="less")
    assert worse.pairs[0].p_value > 0.99 and worse.verdict(worse.pairs[0]) == "dummy not shown better"
    assert "not shown to be above zero" in worse.sentence() and "one-sided" in repr(worse)
    assert worse.to_frame().alternative[0] == "less"
    low = compare({"B": B, "A": A}, test="paired_t", alternative="greater")
    assert "a difference of -.046, not shown to be above zero at significance .05, one-sided" in low.sentence()


def test_areas_on_a_hold_out_set_are_tested_by_delong():
    rows, labels = X, y
    split = ShuffleSplit(1, test_size=0.4, random_state=0)
    result = compare({"nb": GaussianNB(), "tree": TREE}, rows, labels, cv=split, scoring="roc_auc")
    train, test = next(split.split(rows))
    scores = [clone(m).fit(rows[train], labels[train]).predict_proba(rows[test])[:, 1] for m in (GaussianNB(), TREE)]
    reference = delong_test(labels[test], *scores)
    pair = result.pairs[0]
    assert (result.test, pair.p_value) == ("delong", pytest.approx(reference.p_value, rel=1e-12))
    assert pair.difference == pytest.approx(reference.difference, rel=1e-12)
    assert result.validity().loc["mcnemar", "valid"] == "no" and "nan" not in repr(result)


def test_a_pair_is_seen_from_either_side():
    result = compare({"A": A, "B": B})
    there, back = result.pair("A", "B"), result.pair("B", "A")
    assert (back.difference, back.p_value) == (-there.difference, there.p_value)
    low, high = there.result.interval()
    assert back.result.interval() == pytest.approx((-high, -low)) and back.result.statistic == -there.result.statistic
    assert back.posterior.a_better == there.posterior.b_better
    assert back.posterior.distribution.mean() == pytest.approx(-there.posterior.distribution.mean())
    counted = compare({"nb": GaussianNB(), "tree": TREE}, X, y, cv=HOLD_OUT)
    there, back = counted.pair("nb", "tree").result, counted.pair("tree", "nb").result
    assert back.statistic == there.n - there.statistic and back.estimate == pytest.approx(1 - there.estimate)


def test_the_print_out_says_what_its_columns_are():
    text = repr(compare({"A": A, "B": B, "C": A}))
    assert "adjusted p" in text and "difference" in text and "of each pair alone" in text
    assert "ranks ahead" in repr(compare({"A": A, "B": B, "C": A}, design="data sets"))
    assert "significant at significance .05" in compare({"A": A, "B": B}, test="paired_t").sentence()
    chi = paired_test([0, 0, 1, 1, 0], [1, 0, 0, 1, 1], "mcnemar", y=[0, 0, 1, 1, 0])
    assert repr(chi).startswith("McNemar's test, two-sided") and chi.to_frame().alternative.iloc[0] == "two-sided"
    assert "the share of disagreements that a loses is not .5" in chi.sentence()
