"""The printed tables of the notes, checked by what the notes compute from them."""

import itertools
from collections import Counter
from math import log2

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from novum import datasets
from novum.exceptions import ParameterError


def entropy(labels):
    counts = Counter(labels).values()
    return -sum(c / len(labels) * log2(c / len(labels)) for c in counts)


def gain(column, labels):
    parts = [[y for x, y in zip(column, labels) if x == value] for value in set(column)]
    return entropy(labels) - sum(len(part) / len(labels) * entropy(part) for part in parts)


def gains(table):
    return {name: gain(table.data[:, j], table.target) for j, name in enumerate(table.feature_names)}


@pytest.mark.notes("001", "play-tennis")
def test_play_tennis_has_nine_yes_and_the_gains_of_the_notes():
    tennis = datasets.load_play_tennis()
    assert tennis.data.shape == (14, 4) and Counter(tennis.target) == {"Yes": 9, "No": 5}
    assert tennis.row_names[0] == "D1" and "Day" not in tennis.feature_names
    expected = {"Outlook": 0.246750, "Humidity": 0.151836, "Wind": 0.048127, "Temperature": 0.029223}
    assert gains(tennis) == pytest.approx(expected, abs=5e-7)
    assert list(tennis.data[13]) == ["Rain", "Mild", "High", "Strong"] and tennis.target[13] == "No"


@pytest.mark.notes("001", "reduced-tennis")
def test_reduced_tennis_is_decided_by_outlook_alone():
    table = datasets.load_play_tennis("reduced")
    rows = [("Sunny", "Hot", "Yes"), ("Sunny", "Cold", "Yes"), ("Rain", "Hot", "No"), ("Rain", "Cold", "No")]
    assert list(table.feature_names) == ["Outlook", "Temperature"]
    assert [(*row, label) for row, label in zip(table.data.tolist(), table.target.tolist())] == rows
    assert gains(table) == pytest.approx({"Outlook": 1.0, "Temperature": 0.0})


@pytest.mark.notes("001", "noisy-tennis")
def test_noisy_tennis_changes_the_sunny_branch():
    table = datasets.load_play_tennis("noisy")
    assert entropy(table.target) == pytest.approx(0.970951, abs=5e-7)
    expected = {"Outlook": 0.2800, "Humidity": 0.0785, "Wind": 0.0785, "Temperature": 0.0636}
    assert gains(table) == pytest.approx(expected, abs=5e-5)
    sunny = table.data[:, 0] == "Sunny"
    inside = {name: gain(table.data[sunny, j], table.target[sunny]) for j, name in enumerate(table.feature_names)}
    assert (inside["Temperature"], inside["Humidity"]) == pytest.approx((0.585, 0.459), abs=5e-4)
    assert max(inside, key=inside.get) == "Temperature"


@pytest.mark.notes("000-a", "data-go-to-lesson")
def test_go_to_lesson_follows_its_formula():
    table = datasets.load_go_to_lesson()
    assert entropy(table.target) == pytest.approx(0.918296, abs=5e-7)
    expected = {"Outlook": 0.251629, "Transportation": 0.093285, "Lesson": 0.093285}
    assert gains(table) == pytest.approx(expected, abs=5e-7)
    assert Counter(table.target) == {"No": 8, "Yes": 4}


@pytest.mark.notes("001", "candy-bags")
def test_candy_bags_after_one_two_three_and_ten_limes():
    bags = datasets.load_candy_bags()
    posterior = {k: bags.prior * bags.lime**k / (bags.prior @ bags.lime**k) for k in (0, 1, 2, 3, 10)}
    np.testing.assert_allclose(posterior[1], [0, 0.1, 0.4, 0.3, 0.2], atol=1e-15)
    np.testing.assert_allclose(posterior[2], [0, 0.038, 0.308, 0.346, 0.308], atol=5e-4)
    np.testing.assert_allclose(posterior[3], [0, 0.013, 0.211, 0.355, 0.421], atol=5e-4)
    predictive = {k: p @ bags.lime for k, p in posterior.items()}
    assert predictive == pytest.approx({0: 0.5, 1: 0.65, 2: 0.730769, 3: 0.796053, 10: 0.97303}, abs=5e-6)
    assert [bags.hypotheses[np.argmax(posterior[k])] for k in (0, 2, 3)] == ["h3", "h4", "h5"]
    assert list(bags.target) == ["lime"] * 3


@pytest.mark.notes("000-a", "data-tenfold-scores")
def test_tenfold_scores_give_the_paired_t_of_the_notes():
    A, B = datasets.load_tenfold_scores().data.T
    assert stats.ttest_rel(A, B).statistic == pytest.approx(2.980346, abs=5e-7)
    assert np.std(A - B, ddof=1) / np.sqrt(10) == pytest.approx(0.0154344, abs=5e-8)
    np.testing.assert_allclose(A - B, [0.01, 0.05, 0.14, -0.05, 0.05, 0.08, 0.07, 0.03, 0.04, 0.04], atol=1e-15)


@pytest.mark.notes("000-a", "data-coin-weather")
def test_coin_and_weather_counts():
    coin, weather = datasets.load_example("coin"), datasets.load_example("weather")
    assert Counter(coin.data[:, 0]) == {"H": 4, "T": 3}
    assert Counter(weather.data[:, 0]) == {"R": 2, "C": 3, "S": 3}


@pytest.mark.notes("001", "airport-action")
def test_airport_table():
    table = datasets.load_example("airport")
    assert dict(zip(table.data[:, 0], table.target)) == {25: 0.04, 60: 0.84, 1440: 0.999}


@pytest.mark.notes("001", "integer-concept")
def test_four_hypotheses_fit_the_integers_and_disagree_elsewhere():
    table = datasets.load_example("integers")
    hypotheses = list(table.hypotheses.values())
    for n, label in zip(table.data[:, 0], table.target):
        assert {h(n) for h in hypotheses} == {label == "+"}
    said = {n: "".join("+-"[not h(n)] for h in hypotheses) for n in (2, 4, 9, 11)}
    assert said == {2: "-++-", 4: "-+--", 9: "+---", 11: "+-+-"}
    votes = [
        sum(1 if h(11) else -1 for h in group) for r in (1, 2, 3, 4) for group in itertools.combinations(hypotheses, r)
    ]
    assert Counter(map(np.sign, votes)) == {1: 5, -1: 5, 0: 5}


@pytest.mark.notes("000-b", "ex-bn-seven-rows")
def test_seven_rows_have_the_conditional_frequencies_of_the_notes():
    rows = [tuple(row) for row in datasets.load_example("seven_rows").data]

    def share(i, value, j, given):
        chosen = [row for row in rows if row[j] == given]
        return sum(row[i] == value for row in chosen) / len(chosen)

    assert [share(0, "T", 1, g) for g in "RGB"] == pytest.approx([2 / 3, 1, 1])
    assert [share(1, v, 0, "T") for v in "RGB"] == pytest.approx([1 / 3, 1 / 6, 1 / 2])
    likelihood = np.prod([share(0, row[0], 1, row[1]) for row in rows])
    assert likelihood == pytest.approx(4 / 27) and share(2, "T", 0, "T") == pytest.approx(2 / 3)


@pytest.mark.notes("000-b", "ex-bn-missing-rows")
def test_incomplete_rows_agree_with_the_complete_ones_where_known():
    whole, holes = datasets.load_example("seven_rows").data, datasets.load_example("seven_rows_incomplete").data
    unknown = np.array([[cell is None for cell in row] for row in holes])
    assert list(zip(*np.nonzero(unknown))) == [(1, 0), (3, 1), (5, 1)]
    assert (whole[~unknown] == holes[~unknown]).all()
    frame = datasets.load_example("seven_rows_incomplete", as_frame=True).frame
    assert frame.isna().sum().tolist() == [1, 2, 0]
    # the first expectation step from uniform tables, X1 -> X2, X1 -> X3: 5.5 rows are T
    assert sum({"T": 1, "F": 0, None: 0.5}[cell] for cell in holes[:, 0]) == 5.5


@pytest.mark.notes("000-b", "ex-topic-word-table")
def test_topic_words_give_the_smoothed_scores():
    words = datasets.load_topic_words()
    p = (words.data + 1) / (words.data + 1).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p[0], np.array([1, 11, 201, 4, 2]) / 219)
    scores = np.log(0.5) + np.log(p) @ [0, 1, 2, 0, 0]
    np.testing.assert_allclose(scores, [-3.855857, -10.397208], atol=5e-7)


def test_nile_and_the_files():
    nile = datasets.load_nile()
    assert nile["volume"].index[0] == 1871 and nile.frame.index.name == "year" and nile.data.shape == (100, 1)
    assert nile.volume.sum() == 91935 and nile["volume"].iloc[-1] == 740
    assert datasets.load_nile(as_frame=False).volume.dtype == np.float64
    cancer = pd.read_csv(datasets.path("breast_cancer.csv"))
    assert cancer.shape == (569, 31) and cancer["diagnosis"].value_counts().to_dict() == {
        "benign": 357,
        "malignant": 212,
    }
    assert pd.read_csv(datasets.path("diabetes.csv")).shape == (442, 11)
    with pytest.raises(ParameterError, match=r"path\(name='iris.csv'\): name must be one of 'breast_cancer.csv'"):
        datasets.path("iris.csv")


def test_every_loader_gives_frames_and_pairs():
    frame = datasets.load_play_tennis(as_frame=True).frame
    assert list(frame["Outlook"].cat.categories) == ["Sunny", "Overcast", "Rain"] and frame.index[0] == "D1"
    X, y = datasets.load_go_to_lesson(return_X_y=True, as_frame=True)
    assert X.shape == (12, 3) and y.name == "Go"
    for name in ("airport", "coin", "integers", "seven_rows", "weather"):
        assert datasets.load_example(name, as_frame=True).frame is not None
    with pytest.raises(ParameterError, match=r"load_play_tennis\(variant='tiny'\): variant must be one of 'full'"):
        datasets.load_play_tennis("tiny")
