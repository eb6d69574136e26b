"""What a user may request of a study: groups, times, weights, costs, measures, preferences; and that its figures are honest."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_regression

import novum
from novum.base.candidacy import Candidacy, settings_for
from novum.exceptions import DataError
from novum.study import Study
from novum.study.comparison.blend import Blend, greedy_weights
from novum.study.comparison.candidates import candidates_for, model_of
from novum.study.comparison.folds import Parting, make_folds

QUICK = {
    "folds": 3,
    "repeats": 1,
    "n_jobs": 1,
    "models": ["GaussianNB", "LogisticRegression"],
    "tune": False,
    "ensemble": False,
}


def people(n_people=40, rows=5, seed=0):
    """Return rows of persons who are alike in everything, among it an outcome that nothing explains."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(n_people, 3)).repeat(rows, axis=0) + rng.normal(size=(n_people * rows, 3)) / 100
    frame = pd.DataFrame(taste, columns=list("abc"))
    frame["patient_id"] = np.repeat([f"p{i:03d}" for i in range(n_people)], rows)
    frame["sick"] = np.repeat(rng.permutation(["yes", "no"] * (n_people // 2)), rows)
    return frame


def test_rows_of_one_person_stay_together():
    frame = people()
    options = {**QUICK, "models": ["RandomForest", "LogisticRegression"]}
    naive = Study(frame, "sick", drop=["patient_id"], **options).run()
    assert naive.leaders[0].mean > 0.9  # a neighbour is the same person
    assert any("--group patient_id" in note for note in Study(frame, "sick", **QUICK).run().card.notes)
    honest = Study(frame, "sick", group="patient_id", **options).run()
    assert honest.leaders[0].mean < 0.75 and not any("--group" in note for note in honest.card.notes)
    assert "patient_id" not in honest.schema.names
    groups = frame["patient_id"].factorize()[0]
    parting = Parting(None, groups, False, len(frame))
    for fold in make_folds(parting, 4, 2, 0):
        assert not set(groups[fold.train]) & set(groups[fold.test])
    with pytest.raises(DataError, match="groups are too few"):
        Study(frame.assign(g=np.arange(200) % 2), "sick", group="g", **QUICK).run()


def test_time_judges_by_what_came_later():
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=200)
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=200)})
    frame["y"] = frame["x"] + np.arange(200) / 20  # what trees learned of the past is no help
    options = {**QUICK, "models": ["DecisionTree", "LinearRegression"]}
    assert any("--time day" in note for note in Study(frame, "y", **options).run().card.notes)
    shuffled = frame.sample(frac=1, random_state=0)
    result = Study(shuffled, "y", time="day", **options).run()
    assert result.hold_out.y.min() > np.sort(frame["y"])[100] and result.kept.name == "LinearRegression"
    parting = Parting(None, None, True, 100)
    assert all(fold.train.max() < fold.test.min() for fold in make_folds(parting, 4, 3, 0))


def test_weights_of_rows():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=300), "w": rng.integers(0, 3, 300).astype(float)})
    frame["y"] = (
        frame["x"] * np.where(frame["w"] > 0, 2.0, -5.0) + rng.normal(size=300) / 10
    )  # rows of weight 0 are wrong
    options = {**QUICK, "models": ["LinearRegression", "KNeighbors"]}
    result = Study(frame, "y", weights="w", **options).run()
    assert result.kept.name == "LinearRegression" and result.hold_out.score < 0.2
    assert any(note.startswith("KNeighbors is left out") and "takes no weights" in note for note in result.scores.notes)
    assert result.schema.names == ["x"]


def test_costs_decide_what_is_said(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    frame = pd.DataFrame({"x": x, "sick": np.where(x + rng.normal(size=400) > 1, "yes", "no")})
    plain = Study(frame, "sick", **QUICK).run()
    careful = Study(frame, "sick", costs={("yes", "no"): 20}, **QUICK).run()
    assert (
        careful.scoring.name == "cost"
        and (careful.hold_out.predicted == "yes").sum() > 2 * (plain.hold_out.predicted == "yes").sum()
    )
    costs = np.where(careful.hold_out.y == careful.hold_out.predicted, 0, np.where(careful.hold_out.y == "yes", 20, 1))
    assert careful.hold_out.score == pytest.approx(costs.mean())
    careful.write_report(tmp_path / "out")
    loaded = novum.load(tmp_path / "out" / "model.novum")
    assert (novum.study.predict_table(loaded, frame).values == careful.predict(frame)).all()
    assert (careful.predict(frame) == "yes").mean() > (plain.predict(frame) == "yes").mean()


@pytest.mark.parametrize("name", ["balanced_accuracy", "f1", "auc", "average_precision", "log_loss", "brier"])
def test_every_measure_of_classes(name):
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    frame = pd.DataFrame(
        {"x": x, "z": rng.normal(size=150), "y": np.where(x + rng.normal(size=150) / 2 > 0.8, "rare", "usual")}
    )
    result = Study(frame, "y", scoring=name, positive="rare", **QUICK).run()
    assert result.scoring.name == name and result.hold_out.every[name][0] == result.hold_out.score
    assert set(result.hold_out.every) == {
        *("accuracy", "balanced_accuracy", "f1", "auc", "average_precision", "log_loss", "brier"),
    }
    assert result.explanation.roc.positive == "rare"
    baseline = next(leader for leader in result.leaders if leader.simplicity == 0)
    assert result.scoring.better(result.leaders[0].mean) > result.scoring.better(baseline.mean)


def test_prefer_probabilities_judges_by_them():
    rng = np.random.default_rng(0)
    x = rng.normal(size=150)
    frame = pd.DataFrame({"x": x, "y": np.where(x > 0, "a", "b")})
    assert Study(frame, "y", prefer="probabilities", **QUICK).run().scoring.name == "log_loss"


# ---------------------------------------------------------------------------------------------------- honesty


def test_tuning_does_not_flatter():
    """Pure noise: the score of a tuned model is that of guessing, because a fold has no say in the settings that it judges."""
    rng = np.random.default_rng(0)
    means = []
    for seed in range(6):
        frame = pd.DataFrame(rng.normal(size=(80, 6)), columns=list("abcdef")).assign(
            y=rng.permutation(["u", "v"] * 40)
        )
        options = {
            "folds": 4,
            "repeats": 1,
            "n_jobs": 1,
            "models": ["KNeighbors", "DecisionTree"],
            "random_state": seed,
        }
        result = Study(frame, "y", **options).run()
        means += [leader.mean for leader in result.leaders if leader.simplicity]
    assert abs(np.mean(means) - 0.5) < 0.06


def test_penalties_are_in_units_of_the_data():
    """Lasso of a tenth must not be the mean where the target is counted in thousandths, nor nothing where in millions."""
    X, y = make_regression(120, 5, noise=5, random_state=0)
    kept = {}
    for factor in (1e-6, 1.0, 1e6):
        frame = pd.DataFrame(X, columns=list("abcde")).assign(y=y * factor)
        options = {
            "folds": 3,
            "repeats": 1,
            "n_jobs": 1,
            "models": ["Lasso", "SVR", "Ridge"],
            "tune": False,
            "ensemble": False,
        }
        result = Study(frame, "y", **options).run()
        kept[factor] = {leader.name: leader.mean / factor for leader in result.leaders}
    for name, mean in kept[1.0].items():
        assert kept[1e-6][name] == pytest.approx(mean, rel=0.02) and kept[1e6][name] == pytest.approx(mean, rel=0.02), (
            name
        )
    tag = Candidacy(rank=1, settings={"alpha": 0.1}, units={"alpha": "target"}, shares={"k": 0.1})
    assert settings_for(tag, {"k": 20}, 50, 3.0) == {"alpha": pytest.approx(0.3), "k": 5}


def test_boosting_works_on_forty_rows():
    x = np.linspace(0, 1, 40)
    frame = pd.DataFrame({"x": x, "z": x[::-1] ** 2, "y": np.where(x > 0.5, 1.0, 0.0) + x / 10})
    result = Study(frame, "y", task="regression", models=["GradientBoosting"], folds=3, repeats=1, n_jobs=1).run()
    assert result.kept.name == "GradientBoosting" and result.kept.mean < 0.25


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")  # three hundred epochs on noise
def test_every_listed_classifier_has_probabilities():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.array(["a", "b", "c"] * 20)
    for candidate in candidates_for("classification", 60, 0):
        proba = model_of(candidate, {}, y).fit(X, y).predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1, err_msg=candidate.name)


# ---------------------------------------------------------------------------------------------------- the ensemble


def test_greedy_weights():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=500)
    made = truth + rng.normal(size=(3, 500)) * np.array([[1.0], [1.0], [9.0]])
    weights = greedy_weights(made, truth)
    assert weights.sum() == pytest.approx(1) and weights[2] < 0.05 and abs(weights[0] - 0.5) < 0.15
    y = rng.integers(2, size=500)
    good, bad = np.where(y[:, None] == [0, 1], 0.8, 0.2), np.full((500, 2), 0.5)
    assert greedy_weights(np.stack([bad, good]), y).tolist() == [0, 1]


def test_an_ensemble_that_is_kept_can_be_saved(tmp_path):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(200, 3))
    frame = pd.DataFrame(x, columns=list("abc"))
    frame["y"] = 3 * x[:, 0] + np.sign(x[:, 1]) * 2 + rng.normal(size=200)
    options = {
        "folds": 3,
        "repeats": 1,
        "n_jobs": 1,
        "models": ["LinearRegression", "DecisionTree", "KNeighbors"],
        "tune": False,
    }
    result = Study(frame, "y", **options).run()
    assert result.leaders[0].name == "ensemble" and result.kept.name == "ensemble"
    assert isinstance(result.judged_model, Blend) and " + " in result.settings()
    result.write_report(tmp_path / "out")
    assert not result.unsaved
    loaded = novum.load(tmp_path / "out" / "model.novum")
    np.testing.assert_allclose(novum.study.predict_table(loaded, frame).values, result.predict(frame))
    assert len(result.explanation.importances) == 3


def test_few_of_a_class_are_no_trouble():
    codes = np.repeat([0, 1], [20, 4])
    parting = Parting(codes, None, False, len(codes))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(parting.splits(5, 0)) == 5
