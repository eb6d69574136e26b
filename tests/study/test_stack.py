"""The second layer over the best models."""

import runpy
import sys

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

import novum
from novum.study import Study, predict_table
from novum.study.comparison.blend import steady_weights
from novum.study.comparison.board import Board
from novum.study.comparison.candidates import Candidate
from novum.study.comparison.compare import parts_of
from novum.study.comparison.ensemble import best_stack, evidence_of
from novum.study.comparison.fits import Fold, Outcome, Rows
from novum.study.comparison.stack import Stack, logarithms, second_layer
from novum.study.comparison.tuning import Judge
from novum.study.insight.model_function import model_function_of
from novum.study.scoring.measures import MEASURES, Predicted

OPTIONS = {"folds": 4, "repeats": 1, "n_jobs": 1, "tune": False}


def said_of(n, seed=0, models=3, classes=3):
    """Return what models say of rows, each of them by a noise of its own, and the truth."""
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=(n, classes)) * 2
    truth = (softmax(raw, axis=1).cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return softmax(raw / 2 + rng.normal(size=(models, n, classes)), axis=-1), truth


def test_the_layer_of_classes_has_the_least_penalised_loss():
    made, truth = said_of(300)
    weight = np.random.default_rng(1).uniform(0.5, 2, 300)
    center = np.array([0.5, 0.3, 0.2])

    def loss(point):
        log_p = log_softmax(np.tensordot(point[:3], np.log(0.99 * made + 0.01 / 3), axes=1) + point[3:], axis=1)
        fit = -np.average(log_p[np.arange(300), truth], weights=weight)
        return fit + 10 / 600 * (np.sum((point[:3] - center) ** 2) + np.sum(point[3:] ** 2))

    a, b = second_layer(made, truth, weight, center)
    start = np.r_[center, 0, 0, 0]
    other = minimize(loss, start, method="Nelder-Mead", options={"maxiter": 20_000, "xatol": 1e-7, "fatol": 1e-11})
    assert loss(np.r_[a, b]) <= other.fun + 1e-7
    np.testing.assert_allclose(np.r_[a, b], other.x, atol=2e-3)
    assert a.sum() > 1.1  # each is too unsure of itself


def test_the_layer_of_numbers_is_ridge_without_negative_weights():
    rng = np.random.default_rng(2)
    truth = 50 + 3 * rng.normal(size=200)
    made = np.stack([truth + rng.normal(size=200) * 1.5 - 4, truth + rng.normal(size=200), rng.normal(size=200)])
    center = np.array([0.4, 0.6, 0.0])
    a, b = second_layer(made, truth, None, center)
    scale = np.sqrt(np.mean((truth - center @ made) ** 2))

    def loss(point):
        fit = np.mean((truth - point[:3] @ made - point[3]) ** 2) / (2 * scale**2)
        return fit + 10 / 400 * (np.sum((point[:3] - center) ** 2) + (point[3] / scale) ** 2)

    found = minimize(loss, np.r_[center, 0.0], bounds=[(0, None)] * 3 + [(None, None)], options={"ftol": 1e-14})
    np.testing.assert_allclose(np.r_[a, b], found.x, atol=2e-3)
    assert loss(np.r_[a, b]) <= found.fun + 1e-10
    _, b = second_layer(made[:, :1], truth[:1], None, center)  # one row says next to nothing
    assert abs(b[0]) < 5


def test_few_rows_leave_the_weights_as_they_are():
    made, truth = said_of(2)
    a, b = second_layer(made, truth, None, np.array([0.5, 0.5, 0.0]))
    np.testing.assert_allclose(a, [0.5, 0.5, 0.0], atol=0.2)
    np.testing.assert_allclose(b, 0.0, atol=0.2)


def board_of(made, truth, folds):
    """Return a board on which models have said what they say."""
    classes = np.arange(3)
    judge = Judge(MEASURES["log_loss"], "classification", classes, 0, None)
    board = Board(Rows(pd.DataFrame({"x": truth}), truth, None, judge), folds)
    board.candidates = [Candidate(f"model {m}", "novum", None, 1, scaled=False) for m in range(len(made))]
    for m, said in enumerate(made):
        for f, fold in enumerate(folds):
            proba = said[fold.test]
            score = MEASURES["log_loss"].score(truth[fold.test], Predicted(proba.argmax(axis=1), proba), classes, None)
            outcome = Outcome(m, f, score, 1.0, [], "", Predicted(proba.argmax(axis=1), proba), criterion=-score)
            board.take(outcome)
    return board


def test_a_fold_is_judged_by_the_layer_of_the_others():
    made, truth = said_of(600)
    parts = np.split(np.arange(600), 3)
    folds = [Fold(0, np.setdiff1d(np.arange(600), part), part) for part in parts]
    board = board_of(made, truth, folds)
    evidence = evidence_of(board, np.ones(3, dtype=bool))
    others = np.concatenate(parts[1:])
    said = made[evidence.members]
    center = steady_weights(said[:, others], truth[others])
    alone = Stack([], *second_layer(said[:, others], truth[others], None, center)).combined(said[:, parts[0]])
    found = best_stack(evidence)
    assert found.values[0] == pytest.approx(-np.log(alone[np.arange(200), truth[parts[0]]]).mean())
    assert found.values.mean() < min(board.values(m).mean() for m in range(3))
    few = [Fold(0, part, part) for part in np.split(np.arange(200), 2)]
    assert best_stack(evidence_of(board_of(made[:, :200], truth[:200], few), np.ones(2, dtype=bool))) is None


def table(kind):
    """Return a table of which two models see different halves: a line, and a product that no line sees."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(700, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    signal = 2 * X[:, 0] + 2 * np.sign(X[:, 1] * X[:, 2])
    if kind == "numbers":
        frame["y"] = 100 + 5 * signal + rng.normal(size=700)
    else:
        frame["y"] = np.where(signal + rng.logistic(size=700) / 2 > 0, "yes", "no")
    return frame


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_a_second_layer_that_is_kept_is_saved_explained_and_written(kind, tmp_path, monkeypatch):
    frame = table(kind)
    models = ["DecisionTree", "Ridge", "KNeighbors"] if kind == "numbers" else ["DecisionTree", "LDA", "KNeighbors"]
    scoring = None if kind == "numbers" else "log_loss"
    result = Study(frame, "y", models=models, scoring=scoring, **OPTIONS).run()
    names = [leader.name for leader in result.leaders]
    assert result.kept.name == "stack" and names[0] == "stack" and "ensemble" in names
    assert isinstance(result.judged_model, Stack) and result.made_of().startswith("It is a second layer over ")
    result.write_report(tmp_path / "out")
    assert not result.unsaved
    loaded = novum.load(tmp_path / "out" / "model.novum")
    said = predict_table(loaded, frame, proba=kind == "classes")
    if kind == "numbers":
        np.testing.assert_allclose(said.values, result.predict(frame))
    else:
        assert list(said.values) == list(result.predict(frame))
        np.testing.assert_allclose(said.probabilities["yes"] + said.probabilities["no"], 1.0)
    shares = {one.column: one.mean for one in result.explanation.importances}
    assert min(shares["a"], shares["b"], shares["c"]) > 3 * abs(shares["d"])
    machine = model_function_of(result.judged_model)
    prepared = result.formalisation.frame.iloc[:20]
    found = machine.values(machine.matrices(prepared))
    direct = result.judged_model.predict_proba if kind == "classes" else result.judged_model.predict
    np.testing.assert_allclose(found, np.asarray(direct(prepared)).reshape(20, -1))
    assert result.findings.attributions and result.findings.unseen is not None
    frame.to_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr(sys, "argv", ["study.py", str(tmp_path / "table.parquet")])
    ran = runpy.run_path(str(result.export(tmp_path / "study.py")))
    assert ran["score"] == result.hold_out.score and len(ran["CONSTANTS"]) == (1 if kind == "numbers" else 2)
    np.testing.assert_array_equal(ran["predict"](frame), result.predict(frame))


def test_the_mean_of_the_models_of_folds_goes_under_the_layer():
    """Where there was no time for a fit, the models of the folds share the weight of their part."""
    from novum.study.final import of_the_folds

    frame = table("numbers")
    result = Study(frame, "y", models=["DecisionTree", "Ridge", "KNeighbors"], time_limit=60, **OPTIONS).run()
    place = next(leader for leader in result.leaders if leader.name == "stack")
    start = result.formalisation
    rows = Rows(start.frame, start.task.y, None, Judge(result.scoring, "regression", None, 0, None))
    kept = of_the_folds([place], result.scores, rows, start.train, "accuracy")
    parts = parts_of(result.scores, place.position)
    assert isinstance(kept.model, Stack) and len(kept.model.estimators) == 4 * len(parts)
    assert sum(kept.model.weights) == pytest.approx(sum(part.weight for part in parts))
    assert kept.model.bias == list(parts[0].bias)
    held = start.held
    error = np.sqrt(np.mean((kept.model.predict(start.frame.iloc[held]) - start.task.y[held]) ** 2))
    assert error < 1.2 * place.mean


def test_parts_that_there_is_no_time_to_fit_are_the_models_of_their_folds():
    from novum.study.final import fit_kept, slow_parts

    frame = table("numbers")
    result = Study(frame, "y", models=["DecisionTree", "Ridge", "KNeighbors"], time_limit=60, **OPTIONS).run()
    place = next(leader for leader in result.leaders if leader.name == "ensemble").position
    parts, models = parts_of(result.scores, place), result.scores.joint[place].models
    took = [np.mean([one.seconds for one in some]) for some in models]
    slowest = int(np.argmax(took))
    assert slow_parts(result.scores, place, 2.5 * sum(took) + 1e-9, 1.0) == []
    assert slow_parts(result.scores, place, 5 * sum(took) - 1e-9, 2.0) == [slowest]
    assert slow_parts(result.scores, place, 0.0, 1.0) == list(range(len(parts)))
    start = result.formalisation
    rows = Rows(start.frame, start.task.y, None, Judge(result.scoring, "regression", None, 0, None))
    model, changes = fit_kept(rows, parts, start.train, fixed={slowest: models[slowest]})
    assert len(changes) == len(parts) and len(model.estimators) == len(parts) + 3
    assert sum(model.weights) == pytest.approx(1.0)
    fitted = [name for name, one in zip(range(len(parts)), model.estimators) if one is models[name][0].pipeline]
    assert fitted == [slowest]  # the first of every part come first, in the order of the parts
    names = [type(one[-1]).__name__ for one in model.estimators]
    assert [name.removesuffix("Regressor") for name in names[: len(parts)]] == [
        part.candidate.name.removesuffix("Regressor") for part in parts
    ]
    assert names[len(parts) :] == 3 * [names[slowest]]


def test_boosting_is_tried_early_where_rows_are_many():
    from novum.study.comparison.candidates import candidates_for
    from novum.study.comparison.portfolio import early_tries, quick_first, settings_to_try

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 6_000)
    parts = np.split(np.arange(6_000), 3)
    board = board_of(
        np.empty((0, 6_000, 2)), truth, [Fold(0, np.setdiff1d(np.arange(6_000), one), one) for one in parts]
    )
    candidates = candidates_for("classification", 6_000, 0)
    assert [one.name for one in quick_first(candidates)[-3:]] == ["ExtraTrees", "RandomForest", "AdaBoost"]
    for task in board.add(candidates[:3]):
        board.take(Outcome(task.model, task.fold, 0.5, 1.0, [], "", None, criterion=-0.5 + task.model / 10))
    tasks = early_tries(board, 2.0)
    assert [task.candidate.name for task in tasks] == ["GradientBoosting"] * 6 and all(
        task.seconds == 2.0 for task in tasks
    )
    later = [one for one in settings_to_try(board) if one.name == "GradientBoosting"]
    tag = tasks[0].candidate.candidacy
    assert [one.change for one in later] == list(tag.search[2:])


def test_logarithms_of_nothing_are_finite():
    assert np.isfinite(logarithms(np.array([[0.0, 1.0]]))).all()
