"""Limits of columns: the kept model rises or falls on random pairs of rows, columns do not act together, others are left out."""

import numpy as np
import pytest
from studytables import mixed
from typer.testing import CliRunner

from novum.cli import application
from novum.exceptions import ParameterError
from novum.study import Study
from novum.study.comparison.limits import broken_pairs, table_columns

QUICK = {"folds": 3, "repeats": 1, "n_jobs": 1, "tune": False}
FORESTS = [
    "GradientBoosting",
    "RandomForest",
    "DecisionTree",
    "ExtraTrees",
    "LogisticRegression",
    "Ridge",
    "GaussianNB",
]


def noisy(target, n=300):
    """Return a table in which the target rises with age and income by much noise, so that free models turn round."""
    frame = mixed(n, seed=4).drop(columns={"bought": "spent", "spent": "bought"}[target])
    if target == "spent":
        frame["spent"] += np.random.default_rng(0).normal(0, 15, n)
    return frame


def random_pairs(result, column, up, n=400):
    """Return the change of the prediction between rows that differ in a column alone, over rows of the table."""
    rows, rng = result.formalisation.rows(), np.random.default_rng(5)
    frame = rows.X.iloc[rng.integers(len(rows.X), size=n)].reset_index(drop=True)
    ends = np.sort(rng.normal(frame[column].mean(), 2 * frame[column].std(), (n, 2)), axis=1)

    def said(values):
        moved = frame.assign(**{column: values})
        return result.model.predict_proba(moved)[:, 1] if result.task.labels else result.model.predict(moved)

    return (said(ends[:, 1]) - said(ends[:, 0])) * (1 if up else -1)


@pytest.mark.parametrize("target", ["bought", "spent"])
@pytest.mark.parametrize("kept", ["GradientBoosting", "RandomForest", "DecisionTree", "ensemble"])
def test_the_kept_model_is_monotone_on_random_pairs(target, kept):
    names = ["GradientBoosting", "RandomForest", "DecisionTree"] if kept == "ensemble" else [kept]
    told = {"increasing": ["age"], "decreasing": ["income"]}
    result = Study(noisy(target), target, models=names, ensemble=kept == "ensemble", **told, **QUICK).run()
    free = Study(noisy(target), target, models=names, ensemble=False, **QUICK).run()
    assert (random_pairs(result, "age", up=True) >= -1e-12).all()
    assert (random_pairs(result, "income", up=False) >= -1e-12).all()
    assert (random_pairs(free, "income", up=False) < 0).any()
    assert [line.split(":")[0] for line in result.limited] == [
        "the prediction only rises with age",
        "the prediction only falls with income",
    ]


def test_of_the_first_class_the_probability_rises_too():
    result = Study(
        noisy("bought"),
        "bought",
        positive="no",
        increasing=["age"],
        models=["GradientBoosting"],
        ensemble=False,
        **QUICK,
    ).run()
    assert (random_pairs(result, "age", up=False) >= -1e-12).all()  # of "yes", which is the second class
    assert result.limited[0].startswith("the prediction only rises with age")


def test_columns_do_not_act_together():
    frame = noisy("spent")
    result = Study(frame, "spent", interactions="none", models=["GradientBoosting"], ensemble=False, **QUICK).run()
    pairs = Study(frame, "spent", interactions="pairwise", models=["GradientBoosting"], ensemble=False, **QUICK).run()
    rows, rng = result.formalisation.rows(), np.random.default_rng(1)
    names = ["age", "income", "member"]
    one, other = (rows.X.iloc[rng.integers(len(rows.X), size=200)].reset_index(drop=True) for _ in range(2))

    def difference(model, columns):
        """Return the mixed difference in some columns, which is zero without an interaction of all of them."""
        total = 0.0
        for marks in range(2 ** len(columns)):
            chosen = [name for bit, name in enumerate(columns) if marks >> bit & 1]
            mixed_rows = one.assign(**{name: other[name] for name in chosen})
            total = total + (-1) ** len(chosen) * model.predict(mixed_rows)
        return np.abs(total).max()

    assert difference(result.model, ["age", "income"]) < 1e-9 < 0.1 < difference(pairs.model, ["age", "income"])
    assert difference(result.model, ["age", "city"]) < 1e-9
    assert difference(pairs.model, names) < 1e-9
    free = Study(frame, "spent", models=["GradientBoosting"], ensemble=False, **QUICK).run()
    assert difference(free.model, names) > 1e-3


def test_models_that_cannot_keep_to_it_are_left_out_with_a_sentence(tmp_path):
    path = tmp_path / "shop.csv"
    mixed(160).drop(columns="spent").to_csv(path, index=False)
    base = ["study", str(path), "--target", "bought", "--out", str(tmp_path / "out"), "--n-jobs", "1", "--no-tune"]
    options = ["--folds", "3", "--repeats", "1", "--models", "GradientBoosting,GaussianNB,LogisticRegression"]
    run = CliRunner().invoke(application(), [*base, *options, "--increasing", "age"])
    assert run.exit_code == 0, run.output
    assert "left out, since they cannot keep to the limits of the columns: LogisticRegression, GaussianNB" in run.stdout
    assert "  limits      the prediction only rises with age" in run.stdout
    assert "Limits that it keeps to" in (tmp_path / "out" / "report.html").read_text()
    for more, words in (
        (["--increasing", "city"], "--increasing city: the column is learned from as a category; name one of numbers."),
        (["--decreasing", "customer_id"], "--decreasing customer_id: the column is not learned from"),
        (["--increasing", "age", "--decreasing", "age"], "--decreasing age: the column cannot do both."),
        (["--interactions", "three"], "--interactions three: must be 'none' or 'pairwise'."),
        (["--increasing", "agee"], "has no column 'agee'; did you mean 'age'?"),
        (["--models", "GaussianNB", "--increasing", "age"], "none of GaussianNB can keep to it; GradientBoosting can."),
    ):
        run = CliRunner().invoke(application(), [*base, *more])
        assert run.exit_code == 2 and words in run.output, run.output


def test_of_three_classes_nothing_rises():
    frame = mixed(200).drop(columns="spent").assign(bought=lambda f: np.arange(len(f)) % 3)
    with pytest.raises(ParameterError, match="has 3 classes; which of their probabilities rises"):
        Study(frame, "bought", increasing=["age"], task="classification").run()


def test_pairs_that_break_a_limit_are_counted():
    X = np.random.default_rng(0).normal(size=(50, 2))
    places = {"a": [np.array([0])], "b": [np.array([1])]}
    found = broken_pairs(lambda m: m[0][:, 0] ** 3 - m[0][:, 1], [X], places, {"a": 1, "b": 1}, 0)
    assert found["a"] == (0, 950) and found["b"] == (950, 950)


def test_parts_of_a_date_are_one_column():
    names = ["age", "since (year)", "since (month)", "since (weekday)", "since (day)", "x (day)"]
    places = {name: np.array([place]) for place, name in enumerate(names)} | {"city": np.array([6, 7])}
    assert table_columns(places) == [{0}, {1, 2, 3, 4}, {5}, {6, 7}]
