"""Dependence, slices, thresholds and learning curves, each against what it should be, computed another way."""

import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import partial_dependence as sklearn_dependence
from studytables import mixed

from novum.study.comparison.compare import parts_of
from novum.study.comparison.tuning import Judge, predict_rows
from novum.study.data.schema import prepare
from novum.study.data.table import table_of
from novum.study.final import fit_kept
from novum.study.insight.calibrated import error_by_chance
from novum.study.insight.curve import some_of
from novum.study.insight.dependence import partial_dependence
from novum.study.insight.model_function import frame_columns, model_function_of
from novum.study.insight.slices import find_slices
from novum.study.insight.threshold import best_threshold, thresholds_of, usual_threshold
from novum.study.scoring.measures import MEASURES, Predicted, measure_for


@pytest.mark.parametrize(
    "kind, column", [("classes", "income"), ("numbers", "age"), ("numbers", "city"), ("classes", "member")]
)
def test_partial_dependence_is_that_of_scikit_learn(request, kind, column):
    result = request.getfixturevalue(f"{kind}_result")
    frame = prepare(table_of(mixed(60, seed=9).drop(columns=["spent", "bought"])), result.schema)
    model, groups = result.model, frame_columns(result.schema)
    machine = model_function_of(model)
    places = [at[0] for at in machine.places(frame, {column: groups[column]})]
    found = partial_dependence(
        machine, machine.matrices(frame), frame, column, groups[column], places, 1 if kind == "classes" else 0
    )
    grid = [np.nan if v == "(missing)" else v for v in found.values]
    theirs = sklearn_dependence(
        model,
        frame,
        [column],
        kind="both",
        method="brute",
        custom_values={column: np.array(grid, dtype=object if column == "city" else float)},
        **({"response_method": "predict_proba"} if kind == "classes" else {}),
    )
    np.testing.assert_allclose(found.mean, theirs["average"][0], atol=1e-10)
    np.testing.assert_allclose(found.curves, theirs["individual"][0][: len(found.curves)], atol=1e-10)
    assert (found.lower <= found.curves.max()).all() and (found.lower <= found.upper).all()


def test_slices_find_a_planted_one_and_seldom_anything_else():
    rng = np.random.default_rng(0)
    n, false = 400, {True: 0, False: 0}
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.exponential(size=n),
            "c": pd.Series(rng.choice(["x", "y", "z", "w"], n), dtype=object),
            "d": rng.integers(0, 3, n).astype(float),
        }
    )
    frame.loc[::9, "a"] = np.nan
    for _ in range(120):
        false[True] += bool(find_slices(frame, (rng.random(n) < 0.2).astype(float), True).found)
        false[False] += bool(find_slices(frame, np.abs(rng.normal(size=n)), False).found)
    assert max(false.values()) <= 13  # 5 % of 120 is 6; more than 13 has probability .003
    wrong = (rng.random(n) < np.where(frame["c"] == "y", 0.45, 0.1)).astype(float)
    found = find_slices(frame, wrong, True)
    assert [one.words for one in found.found] == ["c is y"]
    assert found.found[0].rows == (frame["c"] == "y").sum()
    assert found.found[0].loss == pytest.approx(wrong[frame["c"] == "y"].mean())
    large = np.abs(rng.normal(size=n)) * np.where(frame["b"] > frame["b"].quantile(0.75), 2.5, 1.0)
    assert find_slices(frame, large, False).found[0].words.startswith("b above ")
    assert "none has" in find_slices(frame, np.zeros(n), True).sentence()


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1", "cost"])
def test_the_best_threshold_is_the_best_of_all(name):
    rng = np.random.default_rng(1)
    for trial in range(6):
        truth = (rng.random(40) < 0.35).astype(int)
        p = np.clip(0.3 * truth + 0.7 * rng.random(40), 0, 1).round(2)
        costs = np.array([[0.0, 1.0 + trial], [7.0, 0.0]]) if name == "cost" else None
        measure = measure_for("classification", name, 1, costs)
        best = best_threshold(measure, truth, p, 1, 0.5)
        brute = max(measure.better(measure.of(truth, (p >= t).astype(int))) for t in [0.0, *np.unique(p), 1.01])
        assert measure.better(measure.of(truth, (p >= best).astype(int))) == pytest.approx(brute, abs=1e-12)


def test_thresholds_follow_costs_and_the_positive_class():
    rng = np.random.default_rng(2)
    p = rng.random(4000)
    y = np.where(rng.random(4000) < p, "sick", "well")  # probabilities that are right; classes sick < well
    costs = np.array([[0.0, 9.0], [1.0, 0.0]])  # to miss a sick one costs nine
    judge = Judge(
        measure_for("classification", None, 0, costs), "classification", np.array(["sick", "well"]), 0, None, costs
    )
    assert usual_threshold(costs, 0) == pytest.approx(0.1)
    half = slice(0, 2000), slice(2000, 4000)
    parts = [(y[h], Predicted(None, np.column_stack([p[h], 1 - p[h]]))) for h in half]
    found = thresholds_of(judge, *parts[0], 0, "sick", MEASURES, parts[1])
    assert (
        found.honest
        and found.best == pytest.approx(0.1, abs=0.05)
        and "say sick from a probability of" in found.sentence
    )
    cost = np.where(
        y[half[0]] == "sick", np.where(p[half[0]] >= found.best, 0, 9), np.where(p[half[0]] >= found.best, 1, 0)
    )
    assert found.best_score == pytest.approx(cost.mean())
    assert thresholds_of(judge._replace(classes=np.array(["a", "b", "c"])), *parts[0], 0, "sick", MEASURES) is None


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_points_of_the_learning_curve_are_refits(request, kind):
    result = request.getfixturevalue(f"{kind}_result")
    curve, measure = result.findings.curve, result.scoring
    assert curve.sizes == sorted(curve.sizes) and curve.sizes[-1] == result.n_train
    assert curve.means[-1] == pytest.approx(result.hold_out.score)
    assert curve.verdict.startswith(("More rows", "Whether more rows"))
    rows, train, held = rebuilt(kind, result)
    parts = parts_of(result.scores, result.kept.position)
    for place, size in enumerate(curve.sizes[:-1]):
        drawn = some_of(train, rows.y, size, rows.judge.classes, False, (0, 0, size))
        assert len(drawn) == size == len(set(drawn)) and set(drawn) <= set(train)
        model, _ = fit_kept(rows, parts, drawn, result.changes)
        said = predict_rows(rows.judge, model, rows.frame.iloc[held])
        again = measure.score(rows.y[held], said, rows.judge.classes)
        assert curve.scores[place][0] == pytest.approx(again, abs=1e-12)


def rebuilt(kind, result):
    """Return the rows and parts of a study of the fixtures, made again."""
    from novum.study.comparison.fits import Rows
    from novum.study.comparison.folds import Parting, class_numbers, split_rows

    task, table = result.task, table_of(mixed(160))
    codes = class_numbers(task.y) if task.labels else None
    train, held = split_rows(task.y, task.kind, 0.25, 0, Parting(codes, None, False, len(task.y)))
    classes = np.unique(task.y) if task.labels else None
    judge = Judge(result.scoring, task.kind, classes, 0, None)
    return Rows(prepare(table, result.schema), task.y, None, judge), train, held


def test_an_error_of_calibration_that_chance_explains_is_no_fault():
    rng = np.random.default_rng(3)
    above = 0
    for seed in range(200):
        q = rng.random(90)
        edges = np.linspace(0, 1, 7)
        place = np.minimum((q * 6).astype(int), 5)
        gap = (rng.random(90) < q) - q
        above += np.abs(np.bincount(place, gap, minlength=6)).sum() / 90 > error_by_chance(q, edges, seed)
    assert 2 <= above <= 21  # 5 % of 200


def test_without_time_the_report_says_what_is_not_there(monkeypatch, tmp_path):
    from novum.study import Study, conclusion
    from novum.study.report.html import report_html

    monkeypatch.setattr(conclusion, "LOOKING", 0.0)
    quick = {"folds": 3, "repeats": 1, "n_jobs": 1, "ensemble": False, "tune": False}
    result = Study(mixed(80).drop(columns="spent"), "bought", models=["GaussianNB"], **quick).run()
    found = result.findings
    assert found.curve is None and found.folds == 0 and not found.attributions and len(found.notes) == 3
    assert len(found.scores) == result.n_held and not found.thresholds.honest
    text = report_html(result)
    assert "There was no time for a learning curve" in text and "chosen on these rows, which flatters it" in text
    assert len(result.write_report(tmp_path / "out")) == 7


def test_findings_of_the_two_studies(classes_result, numbers_result):
    for result in (classes_result, numbers_result):
        found = result.findings
        assert {one.column for one in found.attributions} == set(result.schema.names)
        assert all(one.interval.lower <= one.mean <= one.interval.upper for one in found.attributions)
        assert len(found.scores) == 160 and found.folds == 5 and found.notes == []
        assert [one.level for one in found.coverages] == [0.5, 0.8, 0.9, 0.95]
        top = result.explanation.importances[0]
        assert top.interval.lower < top.mean < top.interval.upper
    assert classes_result.findings.thresholds is not None and classes_result.findings.calibration is not None
    assert numbers_result.findings.thresholds is None and numbers_result.findings.calibration is None
    assert "|--- income" in numbers_result.findings.readable.rules
    assert "is not " in numbers_result.findings.readable.rules or "city" not in numbers_result.findings.readable.rules
