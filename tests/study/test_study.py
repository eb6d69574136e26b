"""The study end to end on small tables: what it decides, what it refuses, that it repeats."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import BernoulliNB
from studytables import mixed

import novum
from novum.exceptions import DataError, ParameterError, ParameterTypeError
from novum.study import Listener, Study, StudyResult, predict_table
from novum.study.comparison.board import Board
from novum.study.comparison.candidates import candidates_for
from novum.study.comparison.compare import gather
from novum.study.comparison.fits import Outcome, Rows
from novum.study.comparison.folds import Parting, class_numbers, make_folds, plan, split_rows
from novum.study.comparison.tuning import Judge
from novum.study.scoring.measures import MEASURES, Predicted

QUICK = {
    "folds": 3,
    "repeats": 1,
    "n_jobs": 1,
    "models": ["GaussianNB", "LogisticRegression"],
    "tune": False,
    "ensemble": False,
}
REGRESSION = {**QUICK, "models": ["LinearRegression", "Ridge"]}


class Ear(Listener):
    def __init__(self):
        self.heard = []

    def step(self, name, lines):
        self.heard.append((name, lines))


@pytest.fixture(scope="module")
def result() -> StudyResult:
    return Study(mixed().drop(columns="spent"), "bought", **QUICK).run()


@pytest.mark.notes("000-a", "ml-pipeline")
def test_the_six_steps_come_in_order_and_the_test_rows_stay_unseen():
    """Formalise, collect, features, model class, train, evaluate on rows that nothing before has seen."""
    frame = mixed().drop(columns="spent")
    ear = Ear()
    result = Study(frame, "bought", **QUICK).run(ear)
    assert [name for name, _ in ear.heard] == ["formalise", "candidates", "train", "leaderboard", "keep", "hold-out"]
    train, held = split_rows(frame["bought"].to_numpy().astype(str), "classification", 0.25, 0)
    assert set(train) | set(held) == set(range(len(frame))) and not set(train) & set(held)
    assert len(held) == len(frame) // 4
    # rows put away are changed beyond recognition: nothing that came before the last step may notice
    spoiled = frame.copy()
    spoiled.loc[held, ["age", "income"]] = spoiled.loc[held, ["age", "income"]].to_numpy()[::-1] * 3
    other = Study(spoiled, "bought", **QUICK).run()
    assert [leader.mean for leader in other.leaders] == [leader.mean for leader in result.leaders]
    assert other.kept.name == result.kept.name
    coefficients = [dict(r.explanation.coefficients) for r in (result, other)]
    assert coefficients[0] == coefficients[1]
    # the last step is a test on the unseen rows, with an interval
    assert result.hold_out.interval.lower < result.hold_out.score < result.hold_out.interval.upper


def test_the_card(result):
    roles = {column.name: (column.role, column.reason) for column in result.card.columns}
    assert roles["customer_id"] == ("left out", "identifier: whole numbers, every row has its own")
    assert roles["country"] == ("left out", "one value only")
    assert roles["bought"][0] == "target"
    assert [roles[name][0] for name in ("age", "city", "since", "member")] == ["number", "category", "date", "number"]
    assert result.card.missing == 11 + 10
    text = "\n".join(result.formalised())
    count = (mixed()["bought"] == "yes").sum()
    assert (
        f"120 rows, 3 numbers, 1 category, 1 date; bought: no {120 - count}, yes {count} -> binary classification"
        in text
    )
    assert "21 cells missing" in text and "30 rows put away until the end" in text
    assert "since becomes year, month, weekday and day count" in text


def test_the_leaderboard(result):
    names = [leader.name for leader in result.leaders]
    assert sorted(names) == ["GaussianNB", "LogisticRegression", "baseline (most frequent)"]
    assert [leader.by for leader in result.leaders if leader.name == "GaussianNB"] == ["novum"]
    assert result.leaders[0].best and result.leaders[0].mean == max(leader.mean for leader in result.leaders)
    assert result.leaders[-1].name.startswith("baseline") and result.leaders[-1].verdict == "yes"
    printed = repr(result)
    assert "95 % interval" in printed and f"keep: {result.kept.name}" in printed
    assert "<table>" in result._repr_html_() and "baseline" in result._repr_html_()
    frame = result.to_frame()
    assert list(frame["model"]) == names and frame["kept"].sum() == 1
    assert frame.loc[frame["kept"], "model"].item() == result.kept.name


def test_the_same_seed_gives_the_same_study(result):
    again = Study(mixed().drop(columns="spent"), "bought", **QUICK).run()
    other = Study(mixed().drop(columns="spent"), "bought", **{**QUICK, "random_state": 1}).run()
    assert again.to_frame().drop(columns="fit_seconds").equals(result.to_frame().drop(columns="fit_seconds"))
    assert again.explanation.importances == result.explanation.importances
    assert again.hold_out.interval == result.hold_out.interval
    assert [leader.mean for leader in other.leaders] != [leader.mean for leader in result.leaders]


def test_processes_change_nothing(result):
    shared = Study(mixed().drop(columns="spent"), "bought", **{**QUICK, "n_jobs": 2, "repeats": 5}).run()
    alone = Study(mixed().drop(columns="spent"), "bought", **{**QUICK, "repeats": 5}).run()
    assert shared.scores.processes == 2
    np.testing.assert_array_equal(shared.scores.values, alone.scores.values)


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas], ids=["polars", "pyarrow"])
def test_every_frame_gives_the_same(make, result):
    other = Study(make(mixed().drop(columns="spent")), "bought", **QUICK).run()
    np.testing.assert_array_equal(other.scores.values, result.scores.values)


def test_renaming_the_classes_changes_nothing():
    frame = mixed().drop(columns="spent")
    renamed = frame.assign(bought=frame["bought"].map({"yes": "a", "no": "z"}))
    models = {**QUICK, "models": ["LogisticRegression"]}
    a, b = Study(frame, "bought", **models).run(), Study(renamed, "bought", **models).run()
    np.testing.assert_allclose(a.scores.values, b.scores.values)
    assert class_numbers(["b", "a", "b", "c"]).tolist() == [0, 1, 0, 2]


def test_a_regression():
    result = Study(mixed().drop(columns="bought"), "spent", **REGRESSION).run()
    assert result.task.title == "regression" and result.scoring.name == "rmse"
    assert result.leaders[0].mean < result.leaders[-1].mean  # smaller is better
    assert result.leaders[-1].name == "baseline (mean)"
    assert {leader.by for leader in result.leaders[:2]} == {"novum"}
    assert result.explanation.importances[0].column in ("age", "income")
    assert result.explanation.observed is not None
    assert Study(mixed().drop(columns="bought"), "spent", scoring="r2", **REGRESSION).run().leaders[0].mean > 0.5


def test_a_saved_model_predicts_the_same(result, tmp_path):
    frame = mixed().drop(columns="spent")
    paths = result.write_report(tmp_path / "out")
    assert sorted(path.name for path in paths) == [
        "MODEL_CARD.md",
        "model.novum",
        "report.html",
        "report.md",
        "scores.csv",
        "study.json",
        "unseen.parquet",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    found = predict_table(novum.load(tmp_path / "out" / "model.novum"), frame[frame.columns[::-1]], proba=True)
    np.testing.assert_array_equal(found.values, result.predict(frame))
    assert found.name == "predicted_bought" and set(found.probabilities) == {"yes", "no"}
    np.testing.assert_allclose(sum(found.probabilities.values()), 1)
    scores = pd.read_csv(tmp_path / "out" / "scores.csv")
    np.testing.assert_allclose(scores["accuracy"], [leader.mean for leader in result.leaders], rtol=1e-15)
    keep = tmp_path / "out" / "mine.txt"
    keep.write_text("mine")
    result.write_report(tmp_path / "out")  # again: replaced, and other files stay
    assert keep.read_text() == "mine"


def test_what_a_new_table_must_have(result):
    frame = mixed().drop(columns="spent")
    for change, match in [
        (lambda f: f.drop(columns="age"), r"lacks what the model needs, 'age'"),
        (lambda f: f.rename(columns={"income": "incomes"}), r"'income'; did you mean 'incomes'\?"),
        (lambda f: f.assign(age="old"), r"column 'age' must hold numbers and holds \w+: row 1 says 'old'"),
        (lambda f: f.assign(city="Oslo"), r"'city' has a value that the model never saw: 'Oslo' in row 1"),
        (lambda f: f.assign(since="soon"), r"column 'since' must hold dates"),
        (lambda f: f.assign(age=np.inf), r"'age' is infinite in row 1"),
    ]:
        with pytest.raises(DataError, match=match):
            result.predict(change(frame))
    assert len(result.predict(frame.assign(city="Oslo"), unseen=True)) == len(frame)
    assert len(result.predict(frame.assign(city=None, age=np.nan))) == len(frame)
    notes = predict_table(result.model, frame.assign(extra=1)).notes
    assert any("not used by the model" in note and "'extra'" in note for note in notes)


def test_models_that_are_no_studys(result):
    with pytest.raises(DataError, match="was not written by a study"):
        predict_table(LogisticRegression(), mixed())


# ---------------------------------------------------------------------------------------------------- choices


def test_the_simplest_that_cannot_be_distinguished_is_kept():
    """Noise: nothing beats the baseline, and the study says so."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc")).assign(y=rng.choice(["u", "v"], 80))
    result = Study(frame, "y", **QUICK).run()
    assert result.kept.name.startswith("baseline") and result.reason.startswith("no model")


def test_candidates_are_novums_where_it_has_them():
    by = {candidate.name: candidate.by for candidate in candidates_for("classification", 100, 0)}
    baseline, *others = by
    assert baseline == "baseline (most frequent)" and {by[name] for name in others} == {"novum"}
    usual = {"LogisticRegression", "LDA", "QDA", "KNeighbors", "DecisionTree", "AdaBoost", "GradientBoosting", "SVC"}
    assert usual | {"GaussianProcess", "RandomForest", "ExtraTrees", "GaussianNB"} <= set(by)
    assert not {"FindS", "RectangleLearner", "Perceptron", "RidgeClassifier", "LeastSquares", "MultinomialNB"} & set(by)
    regression = {candidate.name: candidate.by for candidate in candidates_for("regression", 100, 0)}
    assert regression["Ridge"] == regression["LinearRegression"] == "novum"
    assert {"SVR", "GaussianProcess", "GradientBoosting", "Lasso"} <= set(regression) and "ElasticNet" not in regression
    assert not {"SVC", "GaussianProcess"} & {
        c.name for c in candidates_for("classification", 100_000, 0)
    }  # too slow there
    unusual = candidates_for("regression", 100, 0, ["ElasticNet", "Ridge"])  # any of novum's, requested by name
    assert sorted(candidate.name for candidate in unusual[1:]) == ["ElasticNet", "Ridge"]
    with pytest.raises(ParameterError, match=r"'Magic' is no regressor of novum; the usual ones are .*Ridge"):
        candidates_for("regression", 100, 0, ["Magic"])


def test_estimators_of_your_own_and_ones_that_fail(tmp_path):
    models = {"mine": LogisticRegression(C=0.5), "broken": BernoulliNB(alpha=-1)}
    result = Study(mixed().drop(columns="spent"), "bought", **{**QUICK, "models": models}).run()
    assert {leader.name: leader.by for leader in result.leaders}["mine"] == "you"
    assert any(note.startswith("broken is left out: InvalidParameterError") for note in result.scores.notes)
    assert "broken is left out" in (result.write_report(tmp_path / "out")[0]).read_text()


def test_a_leak_is_pointed_out():
    frame = mixed().drop(columns="spent")
    frame["refunded"] = (frame["bought"] == "yes").astype(int)
    result = Study(frame, "bought", **QUICK).run()
    assert [name for name, _ in result.leaks] == ["refunded"]
    assert "look at refunded: alone it is right in 100.0% of the rows" in "\n".join(result.formalised())
    clean = Study(frame, "bought", drop=["refunded"], **QUICK).run()
    assert not clean.leaks and any("as you requested" in note for note in clean.card.notes)
    numbers = mixed().drop(columns="bought").assign(euros=lambda f: 2 * f["spent"] + 1)
    assert [name for name, _ in Study(numbers, "spent", **REGRESSION).run().leaks] == ["euros"]


def test_copies_and_missing_targets_are_noted():
    frame = mixed().drop(columns=["spent", "customer_id"])
    frame = pd.concat([frame, frame[:10]], ignore_index=True).assign(age2=lambda f: f["age"])
    frame.loc[20:24, "bought"] = None
    notes = "\n".join(Study(frame, "bought", **QUICK).run().card.notes)
    assert "10 rows are copies" in notes and "5 rows have no bought" in notes and "age2 is a copy of age" in notes


@pytest.mark.parametrize(
    "target, kind, reason",
    [
        (np.arange(60) % 3, "classification", "3 whole numbers that come back 20 times"),
        (np.arange(60) * 1.0, "regression", "60 different whole numbers"),
        (np.linspace(0, 1, 60), "regression", "real numbers"),
        (np.arange(60) % 2 == 0, "classification", "two values"),
        (np.array(["a", "b"] * 30), "classification", "two values"),
    ],
)
def test_the_task_and_why(target, kind, reason):
    from novum.study.data.table import table_of
    from novum.study.data.task import find_task

    task = find_task(table_of(pd.DataFrame({"t": target})).columns["t"], "t")
    assert task.kind == kind and reason in task.reason


# ---------------------------------------------------------------------------------------------------- stopping early


def board_of(pairs, candidates, folds):
    y = np.array(["a", "b"] * 20)
    judge = Judge(MEASURES["accuracy"], "classification", np.unique(y), 0, None)
    board = Board(Rows(pd.DataFrame({"x": np.arange(40.0)}), y, None, judge), folds)
    board.add(candidates)
    said = Predicted(y[:20], np.full((20, 2), 0.5))
    board.done = {(c, f): Outcome(c, f, 0.5 + c / 10 + f / 100, 0.1, [], "", said) for c, f in pairs}
    return board


def test_what_is_finished_is_compared():
    candidates = candidates_for("classification", 100, 0, ["LogisticRegression", "GaussianNB"])
    folds = make_folds(Parting(np.arange(40) % 2, None, False, 40), 2, 2, 0)

    def scores_of(pairs, stopped=""):
        return gather(board_of(pairs, candidates, folds), 12, 1.0, 1, stopped)

    scores = scores_of([(c, f) for c in range(3) for f in range(4)])
    assert scores.values.shape == (3, 4) and not scores.notes
    first = [(c, f) for c in range(3) for f in range(2)]
    assert scores_of([*first, (0, 2), (0, 3), (1, 2)], "time limit").values.shape == (
        3,
        2,
    )  # one whole repetition for all
    scores = scores_of([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)], "interrupted")
    assert scores.values.shape == (2, 2) and scores.notes == [f"not finished: {candidates[2].name}"]
    assert scores_of([(0, 0)], "interrupted").values.shape[0] == 0


def test_ctrl_c_keeps_what_is_done(tmp_path):
    class Impatient(Listener):
        def advance(self, done, planned):
            if done == 2 * 3 + 1:
                raise KeyboardInterrupt

    result = Study(mixed().drop(columns="spent"), "bought", **QUICK).run(Impatient())
    assert not result.complete and len(result.leaders) == 2 and "interrupted" in repr(result)
    assert sorted(path.name for path in result.write_report(tmp_path / "out")) == [
        "report.html",
        "report.md",
        "scores.csv",
        "study.json",
    ]
    assert "Stopped before a model was kept" in (tmp_path / "out" / "report.html").read_text()
    with pytest.raises(DataError, match="interrupted"):
        result.predict(mixed())


def test_the_time_limit_uses_what_is_finished():
    result = Study(mixed().drop(columns="spent"), "bought", **{**QUICK, "repeats": 50, "time_limit": 0.5}).run()
    assert result.complete and result.scores.stopped == "time limit" and result.scores.fits < result.scores.planned
    assert len(result.scores.folds) == 2 or len(result.scores.folds) % 3 == 0  # two of a set, or whole sets


def test_folds_by_size():
    assert plan(426, 100, None, None, tuned=False) == (10, 3)
    assert plan(9000, 100, None, None, tuned=False) == (10, 1)
    assert plan(50_000, 100, None, None, tuned=False) == (5, 1)
    assert plan(426, 4, None, None, tuned=False) == (4, 3)
    assert plan(426, 100, 5, 2) == (5, 2)
    assert plan(426, 100, None, None) == (5, 2) and plan(9000, 100, None, None) == (3, 1)
    assert plan(150, 60, None, None) == (5, 4) and plan(251, 60, None, None) == (5, 2)


# ---------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "change, match",
    [
        (lambda f: f.assign(bought="yes"), "same value, 'yes', in every row"),
        (lambda f: f.assign(bought=None), "missing in every row"),
        (lambda f: f[:5], "5 rows with a target; a study needs at least 20"),
        (lambda f: f.assign(bought=f["since"]), "holds dates .its cells"),
        (lambda f: f.assign(bought=["a", "b", "c"] * 2 + ["yes"] * 114), "has one class of at least 4 rows"),
        (lambda f: f[["bought", "country"]], "no column is left to predict 'bought' from"),
        (lambda f: f.set_axis(["a"] * f.shape[1], axis=1), "'a' occurs more than once"),
        (lambda f: f.assign(age=np.inf), "'age' is infinite in row 1"),
    ],
)
def test_tables_that_teach_nothing(change, match):
    with pytest.raises(DataError, match=match):
        target = "a" if "occurs" in match else "bought"
        Study(change(mixed()), target, **QUICK).run()


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"target": "bougth"}, ParameterError, r"no column 'bougth'; did you mean 'bought'\?"),
        ({"drop": ["agee"]}, ParameterError, r"no column 'agee'; did you mean 'age'\?"),
        ({"task": "guessing"}, ParameterError, "task must be"),
        ({"scoring": "rmse"}, ParameterError, "scoring must be one of accuracy"),
        ({"task": "regression"}, DataError, "holds text"),
        ({"frame": [1, 2]}, ParameterTypeError, "must be a pandas, polars or pyarrow table"),
    ],
)
def test_arguments(arguments, error, match):
    given = {"frame": mixed(), "target": "bought", **arguments}
    with pytest.raises(error, match=match):
        Study(**given, **QUICK).run()
    for name, value in (
        ("random_state", -1),
        ("hold_out", 0.9),
        ("folds", 1),
        ("repeats", 0),
        ("time_limit", 0.0),
        ("n_jobs", 0),
    ):
        with pytest.raises(ParameterError, match=rf"Study\({name}="):
            Study(mixed(), "bought", **{name: value})
