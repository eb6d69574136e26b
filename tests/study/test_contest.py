"""The contest of studies: its measures and its standing, by hand; the stored plays are what the guide says of them."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.study_contest.contest import baseline, results, score_of
from benchmarks.study_contest.standing import gaps, lines
from benchmarks.study_contest.tables import FIRST, SECOND, Contest


def test_the_lists_are_apart():
    assert len(FIRST) >= 30 and not {one.source for one in FIRST.values()} & {one.source for one in SECOND.values()}


def test_scores():
    truth = pd.Series(["is a", "is b", "is b", "is a"])
    said = pd.DataFrame({"is a": [0.9, 0.2, 0.6, 0.7], "is b": [0.1, 0.8, 0.4, 0.3]})
    assert score_of(Contest("", "", "auc"), truth, said) == 1.0
    assert score_of(Contest("", "", "log_loss"), truth, said) == pytest.approx(-np.mean(np.log([0.9, 0.8, 0.4, 0.7])))
    numbers = pd.Series([1.0, 3.0])
    assert score_of(Contest("", "", "rmse"), numbers, pd.DataFrame({"value": [1.0, 5.0]})) == pytest.approx(2**0.5)
    assert baseline(Contest("", "", "rmse"), pd.Series([0.0, 4.0]), numbers) == pytest.approx(1.0)
    assert baseline(Contest("", "", "auc"), truth, truth) == 0.5
    assert baseline(Contest("", "", "log_loss"), truth, truth) == pytest.approx(np.log(2))


def test_a_class_that_was_not_learned_costs_its_least_probability():
    said = pd.DataFrame({"is a": [0.5, 0.5], "is b": [0.5, 0.5]})
    assert score_of(Contest("", "", "log_loss"), pd.Series(["is a", "is c"]), said) == pytest.approx(
        -np.mean(np.log([0.5, 1e-6])), abs=1e-5
    )


def test_shares_of_the_gap():
    """An error of 10 for the baseline, 4 for the best of all, found with more seconds: 7 is half the way."""
    play = {"list": "first", "table": "cars", "split": 0, "baseline": 10.0}
    plays = [
        play | {"contestant": "one", "limit": 30.0, "score": 7.0, "seconds": 29.0},
        play | {"contestant": "two", "limit": 30.0, "error": "did not end"},
        play | {"contestant": "two", "limit": 120.0, "score": 4.0, "seconds": 110.0},
    ]
    assert gaps(plays, "first", 30.0) == {("cars", 0): {"one": pytest.approx(0.5), "two": 0.0}}
    said = lines(plays, "first", 30.0)
    assert said[2].split() == ["one", "1.000", "0.500", "0.500", "1", "0", "0.97"]
    assert said[3].split()[:6] == ["two", "2.000", "0.000", "0.000", "1", "1"]


def test_the_stored_plays_can_be_read():
    plays = results()
    assert {play["contestant"] for play in plays} == {"autogluon", "flaml", "lightgbm", "novum"}
    assert all(play["list"] in ("first", "second") and ("score" in play or play["error"]) for play in plays)
