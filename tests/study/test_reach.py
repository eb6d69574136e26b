"""Intervals, sets and warnings of drift: what they promise, measured by simulation."""

import json

import numpy as np
import pandas as pd
import pytest
from studytables import mixed

import novum
from novum.exceptions import DataError, ParameterError
from novum.study import Study, predict_table
from novum.study.data.schema import Schema, schema_of
from novum.study.data.table import table_of
from novum.study.memory.conformal import coverage_of, score_rows, sets_of, widths_of
from novum.study.memory.drift import drift_notes, reference_of
from novum.study.memory.kept import ATTRIBUTE, background_rows, forget
from novum.study.scoring.measures import Predicted


def test_intervals_cover_at_their_level():
    rng = np.random.default_rng(0)
    for level in (0.5, 0.9):
        hits = []
        for _ in range(400):
            errors = rng.standard_t(3, 60)
            width = widths_of(score_rows(errors[:59], Predicted(np.zeros(59), None), None), level)
            hits.append(abs(errors[59]) <= width)
        assert abs(np.mean(hits) - level) < 0.07


def test_sets_cover_at_their_level_and_are_never_empty():
    rng, classes = np.random.default_rng(1), np.array(["a", "b", "c"])
    proba = rng.dirichlet([0.6, 0.6, 0.6], 4000)
    y = classes[(proba.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1)]
    blurred = proba**2 / (proba**2).sum(axis=1, keepdims=True)  # a model that is too sure
    scores = score_rows(y[:2000], Predicted(None, blurred[:2000]), classes)
    found = coverage_of(y[2000:], Predicted(None, blurred[2000:]), classes, scores)
    assert [one.level for one in found] == [0.5, 0.8, 0.9, 0.95]
    for one in found:
        assert one.measured > one.level - 0.03 and one.interval.lower < one.measured < one.interval.upper
    assert found[2].measured == pytest.approx(0.9, abs=0.03)
    sets = sets_of(blurred[2000:], scores, 0.05)
    assert (sets.sum(axis=1) >= 1).all()
    assert [one.size for one in found] == sorted(one.size for one in found)


def test_predictions_with_intervals_and_sets(saved):
    new = pd.read_csv(saved / "new.csv", parse_dates=["since"])
    numbers = novum.load(saved / "numbers" / "model.novum")
    found = predict_table(numbers, new, level=0.9)
    assert (found.reach.lower < found.values).all() and (found.values < found.reach.upper).all()
    assert list(found.reach.columns(found.name)) == ["predicted_spent_lower", "predicted_spent_upper"]
    assert np.ptp(found.reach.upper - found.reach.lower) < 1e-9
    wider = predict_table(numbers, new, level=0.99)
    assert (wider.reach.upper > found.reach.upper).all()
    with pytest.raises(ParameterError, match=r"level 0.9999: .* allow a level of at most .994"):
        predict_table(numbers, new, level=0.9999)
    classes = novum.load(saved / "classes" / "model.novum")
    found = predict_table(classes, new, level=0.9)
    assert all(said in chosen and chosen[0] == said for said, chosen in zip(found.values, found.reach.sets))


def test_a_model_without_memory_says_what_it_cannot(saved):
    model = novum.load(saved / "numbers" / "model.novum")
    assert background_rows(model) == 50
    new = pd.read_csv(saved / "new.csv", parse_dates=["since"])
    assert predict_table(forget(model), new).drift == []
    with pytest.raises(DataError, match="without what intervals and sets needs"):
        predict_table(model, new, level=0.9)


@pytest.mark.parametrize(
    "change",
    [
        {"background": {}},
        {"scores": [3.0, 1.0]},
        {"scores": ["a"]},
        {"scores": None},
        {"players": ["nobody"]},
        {"reference": {}},
        {"usual": []},
        {"surprise": 1},
        {"background": {"age": ["old"]}},
        {"reference": {"age": {"rows": -1, "missing": 0}}},
        {"reference": {"age": {"rows": 9, "missing": 0, "values": [2.0, 1.0], "shares": [0.1, 1.0]}}},
        {"reference": {"city": {"rows": 9, "missing": 0, "levels": ["Rome"], "counts": [1, 2]}}},
    ],
)
def test_a_damaged_memory_is_refused(saved, change):
    model = novum.load(saved / "numbers" / "model.novum")
    kept = json.loads(getattr(model, ATTRIBUTE))
    for name, value in change.items():
        whole = isinstance(value, dict) and value and isinstance(kept.get(name), dict)
        kept[name] = {**kept[name], **value} if whole else value
    setattr(model, ATTRIBUTE, json.dumps(kept))
    for level in (None, 0.9):
        with pytest.raises(DataError, match="is damaged; study the table again"):
            predict_table(model, pd.read_csv(saved / "new.csv", parse_dates=["since"]), level=level)
    setattr(model, ATTRIBUTE, "[" * 100_000)
    with pytest.raises(DataError, match="is damaged"):
        predict_table(model, pd.read_csv(saved / "new.csv", parse_dates=["since"]))


@pytest.mark.slow
def test_intervals_and_sets_of_whole_studies_cover_new_rows():
    """The saved model is fitted on all rows, so that its coverage is a matter of measurement: at 90 % about 90 %."""
    quick = {"folds": 2, "repeats": 1, "n_jobs": 1, "ensemble": False, "tune": False}

    def draw(rng, n):
        X = rng.normal(size=(n, 3))
        y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.5 * rng.standard_t(4, n)
        return pd.DataFrame(X, columns=list("abc")).assign(y=y)

    covered, within = [], []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table, new = draw(rng, 120), draw(rng, 1500)
        result = Study(table, "y", models=[("Ridge", "DecisionTree")[seed % 2]], random_state=seed, **quick).run()
        reach = predict_table(result.model, new, level=0.9).reach
        covered.append(((reach.lower <= new["y"]) & (new["y"] <= reach.upper)).mean())
        for frame in (table, new):
            frame["y"] = np.where(frame["y"] > 0.7, "high", np.where(frame["y"] < -0.7, "low", "middle"))
        result = Study(table, "y", models=["GaussianNB"], random_state=seed, **quick).run()
        reach = predict_table(result.model, new, level=0.9).reach
        within.append(np.mean([truth in chosen for truth, chosen in zip(new["y"], reach.sets)]))
    assert np.mean(covered) == pytest.approx(0.9, abs=0.025)
    assert 0.875 < np.mean(within) < 0.97


def drawn(rng, n, shift=0.0):
    frame = pd.DataFrame(
        {
            "x": rng.normal(shift, 1, n),
            "count": rng.poisson(2, n).astype(float),
            "kind": pd.Series(rng.choice(["a", "b", "c", "d"], n, p=[0.6, 0.25, 0.1, 0.05]), dtype=object),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 500, n), unit="D"),
        }
    )
    frame.loc[rng.random(n) < 0.1, "x"] = np.nan
    return frame


SCHEMA = Schema(
    "y",
    "regression",
    [],
    ["x", "count", "kind", "day"],
    ["number", "number", "category", "date"],
    [[], [], ["a", "b", "c", "d"], []],
)


@pytest.mark.parametrize("n", [1, 3, 12, 60, 400])
def test_rows_that_have_not_moved_are_seldom_warned_about(n):
    rng, alarms = np.random.default_rng(n), 0
    for trial in range(150):
        if trial % 15 == 0:
            reference = reference_of(table_of(drawn(rng, 300)), SCHEMA)
        alarms += bool(drift_notes(table_of(drawn(rng, n)), SCHEMA, reference))
    assert alarms <= 6  # promised is one in a hundred; seven of 150 would have probability .001


def test_rows_that_have_moved_are():
    rng = np.random.default_rng(0)
    reference = reference_of(table_of(drawn(rng, 500)), SCHEMA)
    plain = drawn(rng, 80)
    cases = {
        "x has moved": plain.assign(x=plain["x"] + 2),
        "count has moved": plain.assign(count=plain["count"] * 3),
        "kind has moved": plain.assign(kind="b"),
        "day has moved": plain.assign(day=plain["day"] + pd.Timedelta(400, "D")),
    }
    assert drift_notes(table_of(plain), SCHEMA, reference) == []
    for words, frame in cases.items():
        notes = drift_notes(table_of(frame), SCHEMA, reference)
        assert len(notes) == 1 and notes[0].startswith(words) and "adjusted for 5 tests" in notes[0]
    gone = drift_notes(table_of(plain.assign(x=plain["x"].where(plain["x"] > 0.5))), SCHEMA, reference)
    assert any("missing in 10 % of the rows then" in note or "missing in" in note for note in gone)
    far = plain.iloc[:3].assign(x=[900.0, 800.0, 950.0])
    assert len(drift_notes(table_of(far), SCHEMA, reference)) == 1  # three rows suffice when they are far off


def test_the_model_of_a_study_knows_the_distribution_of_its_columns(saved):
    model = novum.load(saved / "classes" / "model.novum")
    assert predict_table(model, mixed(90, seed=8)).drift == []
    moved = mixed(90, seed=8)
    moved["income"] *= 3
    assert [note.split()[0] for note in predict_table(model, moved).drift] == ["income"]
    assert schema_of(model).names == ["age", "income", "city", "since", "member"]
