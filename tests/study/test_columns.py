"""How columns of many levels, ids and texts are read: chosen by validation, learned in the training part, the same in a file."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

import novum
from novum.linear_model import LogisticRegression
from novum.study import Study, predict_table
from novum.study.comparison.candidates import candidates_for
from novum.study.comparison.fits import CandidateFit, Fold, Rows, fit_task, prepared_rows
from novum.study.comparison.folds import Parting
from novum.study.comparison.matrix_columns import column_words, condensed, dense, matrix_places
from novum.study.comparison.pipelines import MANY, PLAIN, Treatment, columns_for
from novum.study.comparison.treatments import choose_treatment, family_of, id_columns
from novum.study.comparison.tuning import Judge
from novum.study.data.schema import check, prepare
from novum.study.data.table import table_of
from novum.study.scoring.measures import measure_for

QUICK = {"folds": 3, "repeats": 1, "tune": False, "ensemble": False, "n_jobs": 1}


def judge_of(kind, y):
    classes = np.unique(y) if kind == "classification" else None
    codes = np.unique(y, return_inverse=True)[1] if kind == "classification" else None
    parting = Parting(codes, None, False, len(y))
    return Judge(measure_for(kind, None), kind, classes, 0, parting.inner)


def shops(n, levels, seed, noise=0.5):
    rng = np.random.default_rng(seed)
    shop, x = rng.integers(0, levels, n), rng.normal(size=n)
    effect = 2 * rng.normal(size=levels)
    return shop, pd.DataFrame({"x": x, "y": effect[shop] + x + noise * rng.normal(size=n)})


def words_of(codes):
    return np.array([f"shop {c:03d}x" for c in codes], dtype=object)


def test_mean_targets_are_those_of_the_other_folds():
    """By brute force: a training row's code is the smoothed mean of the rows of the other folds; its own target has no part."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": words_of(rng.integers(0, 30, 200))})
    level = frame["a"].to_numpy()
    y = rng.normal(size=200) + np.array([int(name[5:8]) / 10 for name in level])
    columns = columns_for(frame, False, Treatment("target"), seed=3)
    coded = columns.fit_transform(frame, y)[:, 0]
    other = y.copy()
    other[17] += 1000.0
    moved = columns_for(frame, False, Treatment("target"), seed=3).fit_transform(frame, other)[:, 0]
    assert coded[17] == pytest.approx(moved[17], abs=1e-12)
    assert np.abs(moved - coded).max() > 1
    for train, test in KFold(5, shuffle=True, random_state=3).split(frame):
        mean, names = y[train].mean(), sorted(set(level[train]))
        parts = [y[[i for i in train if level[i] == name]] for name in names]
        within = sum(((part - part.mean()) ** 2).sum() for part in parts) / (len(train) - len(names))
        between = sum(len(part) * (part.mean() - mean) ** 2 for part in parts) - (len(names) - 1) * within
        strength = within / (between / (len(train) - sum(len(part) ** 2 for part in parts) / len(train)))
        for row in test:
            alike = [i for i in train if level[i] == level[row]]
            n = len(alike)
            expected = (y[alike].sum() + strength * mean) / (n + strength)
            assert coded[row] == pytest.approx(expected, abs=1e-10)
    unseen = columns.transform(pd.DataFrame({"a": ["never"]}))
    assert unseen[0, 0] == pytest.approx(y.mean(), abs=1e-12)


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_noise_of_many_levels_does_not_look_predictive(kind):
    """Every reading of a column of noise scores as the baseline does, within the error of the rows."""
    rng = np.random.default_rng(5)
    n = 1500
    frame = pd.DataFrame({"id": words_of(rng.integers(0, 400, n)), "number": rng.integers(0, 400, n).astype(float)})
    y = rng.normal(size=n) if kind == "regression" else rng.choice(np.array(["a", "b", "c"]), n)
    judge = judge_of(kind, y)
    rows = Rows(frame, y, None, judge, {})
    train, test = np.arange(1000), np.arange(1000, n)
    some = [c for c in candidates_for(kind, 1000, 0) if c.name in ("Ridge", "LogisticRegression", "GradientBoosting")]
    for candidate in some:
        for treatment in (PLAIN, Treatment("target", ids=("number",)), Treatment("native", ids=("number",))):
            if treatment.categories == "native" and candidate.scaled:
                continue
            rows.prepared.clear()
            rows.prepared[family_of(candidate), train.tobytes()] = treatment
            outcome = fit_task(rows, CandidateFit(0, 0, candidate, Fold(0, train, test)))
            assert not outcome.error
            if kind == "regression":
                assert outcome.score > 0.93 * y[test].std()
            else:
                assert outcome.score < 1 / 3 + 3 * np.sqrt(2 / 9 / len(test))
    assert id_columns(frame, ["number"], y, kind == "classification", 0) == ()


@pytest.mark.parametrize("numbers", [False, True])
def test_levels_and_ids_are_used_where_they_tell_something(numbers):
    """A column of 120 levels, as text or as numbers in no order, explains most of the target to every family."""
    shop, frame = shops(1200, 120, seed=2)
    frame["shop"] = shop * 7.0 + 3 if numbers else words_of(shop)
    result = Study(frame, "y", models=["Ridge", "GradientBoosting", "RandomForest"], **QUICK).run()
    means = {leader.name: leader.mean for leader in result.leaders}
    assert means["Ridge"] < 0.9
    assert means["GradientBoosting"] < 0.9
    assert means["RandomForest"] < 1.0
    assert means["baseline (mean)"] > 2
    assert any("shop" in note and "chosen by validation" in note for note in result.card.notes)


def test_a_table_without_such_columns_asks_nothing(monkeypatch):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=list("abc"))
    frame["few"] = np.array(["u", "v"], dtype=object)[np.arange(200) % 2]
    y = frame["a"].to_numpy()

    def refuse(*args, **kwargs):
        raise AssertionError("a model was fitted to choose what needs no choice")

    monkeypatch.setattr("novum.study.comparison.treatments.fold_score", refuse)
    for candidate in candidates_for("regression", 200, 0):
        found = choose_treatment(frame, y, np.arange(200), None, judge_of("regression", y), family_of(candidate))
        assert found == PLAIN


def test_ids_are_whole_numbers_that_say_more_as_names():
    rng = np.random.default_rng(3)
    n = 900
    effect = rng.normal(size=60)
    student, age = rng.integers(0, 60, n), rng.integers(18, 80, n)
    frame = pd.DataFrame({"student": student.astype(float), "age": age.astype(float), "real": rng.normal(size=n)})
    frame.loc[::50, "student"] = np.nan
    y = effect[student] + age / 40 + 0.3 * rng.normal(size=n)
    assert id_columns(frame, list(frame), y, False, 0) == ("student",)


@pytest.mark.parametrize("labels", [2, 4])
def test_the_file_reads_columns_as_the_study_did(tmp_path, labels):
    """Raw rows of a CSV, predicted by the saved model, get the numbers of the model in memory; unseen levels too."""
    rng = np.random.default_rng(7)
    n = 500
    shop, number = rng.integers(0, 40, n), rng.integers(0, 50, n)
    vocabulary = [f"{a}{b}ing" for a in "bcdfghjk" for b in ("al", "or", "ut", "ent")]
    text = [" ".join(rng.choice(vocabulary[(s % 2) * 10 :], 6)) for s in shop]
    score = (
        rng.normal(size=(50, labels))[number] + rng.normal(size=(40, labels))[shop] + 0.5 * rng.gumbel(size=(n, labels))
    )
    frame = pd.DataFrame({"shop": words_of(shop), "number": number, "text": text, "more": text[::-1]})
    frame["class"] = np.array(list("abcd"))[score.argmax(axis=1)]
    models = ["LogisticRegression", "GradientBoosting", "ExtraTrees", "KNeighbors"]
    for name in models:
        result = Study(frame, "class", models=[name], **QUICK).run()
        if result.kept.simplicity == 0:
            continue
        path = tmp_path / f"{name}.novum"
        novum.save(result.model, path)
        again = novum.load(path)
        new = frame.drop(columns="class").iloc[:60].copy()
        new.loc[0, "shop"] = "a shop nobody saw"
        new.loc[1, "number"] = 999
        csv = tmp_path / "new.csv"
        new.to_csv(csv, index=False)
        found = predict_table(again, pd.read_csv(csv), proba=True, unseen=True)
        assert np.array_equal(found.values, result.predict(new, unseen=True))
        prepared = prepare(check(table_of(new), result.schema, unseen=True)[0], result.schema)
        assert np.array_equal(np.column_stack(list(found.probabilities.values())), result.model.predict_proba(prepared))


def test_places_and_words_fit_the_matrix():
    rng = np.random.default_rng(11)
    n = 150
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "id": rng.integers(0, 20, n).astype(float),
            "few": np.array(["u", "v", "w"], dtype=object)[rng.integers(0, 3, n)],
            "many": words_of(rng.integers(0, MANY + 15, n)),
            "text (words)": np.array(
                [f"some words and {'red' if i % 2 else 'blue'} things" for i in range(n)], dtype=object
            ),
        }
    )
    y = rng.integers(0, 3, n)
    for treatment in (
        Treatment("target", ("id",), "components"),
        Treatment("native", ("id",), "words"),
        Treatment("codes", (), "n-grams"),
        Treatment("one-hot", ("id",), "n-grams"),
    ):
        columns = columns_for(frame, True, treatment)
        X = dense(columns.fit_transform(frame, y))
        places = matrix_places(columns, frame)
        assert list(places) == list(frame.columns)
        assert sorted(np.concatenate(list(places.values()))) == list(range(X.shape[1]))
        names, levels = column_words(columns)
        assert len(names) == len(levels) == X.shape[1]
        for name, at in places.items():  # another column's cells move nothing here
            other = frame.copy()
            other[name] = other[name].to_numpy()[::-1]
            moved = np.flatnonzero((dense(columns.transform(other)) != dense(columns.transform(frame))).any(axis=0))
            assert set(moved) <= set(at)


def test_condensed_texts_say_the_same():
    rng = np.random.default_rng(4)
    kinds = rng.integers(0, 3, 120)
    words = np.array(
        [["red", "green", "blue"][k] + " paint of " + str(rng.choice(["oak", "elm", "ash"])) for k in kinds],
        dtype=object,
    )
    frame = pd.DataFrame({"x": rng.normal(size=120), "a (words)": words, "b (words)": words[::-1]})
    columns = columns_for(frame, True, Treatment(texts="n-grams"))
    X = columns.fit_transform(frame, kinds)
    assert X.format == "csr"
    model = LogisticRegression(max_iter=500).fit(X, kinds)
    fewer, small = condensed(columns, model)
    made = fewer.transform(frame)
    assert made.shape == (120, 1 + 2 * 3)
    assert small.predict_proba(made) == pytest.approx(model.predict_proba(X), abs=1e-12)
    assert {name: list(at) for name, at in matrix_places(fewer, frame).items()} == {
        "x": [0],
        "a (words)": [1, 2, 3],
        "b (words)": [4, 5, 6],
    }


def test_matrices_are_shared_by_what_reads_alike():
    shop, frame = shops(300, 40, seed=9)
    frame["shop"] = words_of(shop)
    y = frame.pop("y").to_numpy()
    rows = Rows(frame, y, None, judge_of("regression", y), {})
    train = np.arange(200)
    by_name = {candidate.name: candidate for candidate in candidates_for("regression", 200, 0)}
    first = prepared_rows(rows, by_name["Lasso"], train)
    assert prepared_rows(rows, by_name["SVR"], train)[1] is first[1]
    baseline = prepared_rows(rows, candidates_for("regression", 200, 0)[0], train)[0]
    assert [name for name, _, _ in baseline.transformers_ if name != "remainder"] == ["numbers", "categories"]
