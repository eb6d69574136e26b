"""Counts and skewed amounts: what they are taken for, the models that join, measures of ratios, logarithms brought to the mean."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_poisson_deviance, root_mean_squared_log_error

import novum
from novum.datasets.target import describe_column
from novum.exceptions import ParameterError
from novum.linear_model import LinearRegression, LogTargetRegressor
from novum.runtime.random import Stream, seed_of
from novum.study import Study, predict_table
from novum.study.comparison.candidates import TargetShape, candidates_for
from novum.study.data.task import AMOUNTS, COUNTS, target_shape
from novum.study.scoring.measures import MEASURES

QUICK = {"folds": 3, "repeats": 1, "tune": False, "ensemble": False, "n_jobs": 1}


def goals(n=700, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=list("abc"))
    frame["goals"] = rng.poisson(np.exp(0.4 + 0.6 * frame["a"] - 0.3 * frame["b"]))
    return frame


def test_goals_are_counts_and_codes_are_classes():
    rng = np.random.default_rng(0)
    assert describe_column(goals()["goals"].to_numpy()).kind == "regression"
    assert "counts" in describe_column(rng.poisson(1.4, 900)).reason
    assert describe_column(np.append(rng.poisson(1.5, 900), [11, 14])).kind == "regression"
    for codes in (
        rng.integers(0, 10, 900),  # digits
        rng.integers(1, 6, 900),  # answers from 1 to 5
        rng.choice(5, 900, p=[0.5, 0.2, 0.15, 0.1, 0.05]),  # few grades
        3 + rng.binomial(6, 0.5, 900),  # quality from 3 to 9
        10 - rng.poisson(1.5, 900).clip(0, 9),  # answers from 1 to 10 that agree
        rng.choice(7, 900, p=[0.3, 0.01, 0.3, 0.09, 0.2, 0.05, 0.05]),
    ):
        assert describe_column(codes).kind == "multiclass", np.unique(codes, return_counts=True)


def test_shapes_of_numbers():
    rng = np.random.default_rng(1)
    assert target_shape(rng.poisson(2.0, 500).astype(float)) == COUNTS
    assert target_shape(np.floor(rng.lognormal(4, 1, 500))) in (COUNTS, AMOUNTS)
    assert target_shape(rng.lognormal(8, 1, 500)) == AMOUNTS
    assert target_shape(rng.lognormal(8, 1, 500) - 1000.0) == ""
    assert target_shape(rng.normal(size=500)) == ""
    assert target_shape(100 + rng.normal(size=500)) == ""
    assert target_shape(rng.integers(0, 100, 500).astype(float)) == ""


def test_models_join_for_the_shapes_they_are_for():
    def names(shape, **options):
        return {candidate.name for candidate in candidates_for("regression", 500, 0, shape=shape, **options)}

    plain = names(None)
    assert not plain & {"Poisson", "Gamma", "Tweedie"}
    both = {"Ridge (log target)", "GradientBoosting (log target)"}
    assert names(TargetShape(COUNTS, False, False)) - plain == {"Poisson", "GradientBoosting (Poisson)", *both}
    assert names(TargetShape(AMOUNTS, True, False)) - plain == {"Gamma", "GradientBoosting (gamma)", *both}
    assert names(TargetShape(AMOUNTS, False, False)) - plain == {"Tweedie", "GradientBoosting (Poisson)", *both}
    only = names(TargetShape(COUNTS, False, False), models=["GradientBoosting (Poisson)"])
    assert only == {"baseline (mean)", "GradientBoosting (Poisson)"}


def test_measures_are_those_of_their_definition():
    rng = np.random.default_rng(2)
    y, f = rng.poisson(2.0, 200).astype(float), rng.lognormal(0, 1, 200)
    weight = rng.random(200)
    assert MEASURES["poisson_deviance"].of(y, f, weight) == pytest.approx(
        mean_poisson_deviance(y, f, sample_weight=weight)
    )
    assert MEASURES["rmsle"].of(y, f, weight) == pytest.approx(root_mean_squared_log_error(y, f, sample_weight=weight))
    assert np.isfinite(MEASURES["poisson_deviance"].of(y, f - 2))
    assert MEASURES["poisson_deviance"].of(y, np.maximum(y, 1e-6)) == pytest.approx(0, abs=1e-5)


def test_measures_of_ratios_refuse_numbers_below_zero():
    frame = goals(100)
    frame["goals"] -= 1
    with pytest.raises(ParameterError, match="numbers from 0 on"):
        Study(frame, "goals", task="regression", scoring="rmsle", **QUICK).run()


def test_predictions_of_logarithms_have_the_mean_of_the_target():
    """Where errors are lognormal with deviation s, exp(f) is exp(-s^2 / 2) times the mean; the corrected one is the mean."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40_000, 2))
    y = np.exp(1 + X @ [0.5, -0.3] + rng.normal(size=40_000))
    fitted = LogTargetRegressor(LinearRegression()).fit(X, y)
    plain = LogTargetRegressor(LinearRegression(), to_mean=False).fit(X, y)
    assert fitted.factor_ == pytest.approx(np.exp(0.5), rel=0.03)
    assert plain.factor_ == 1.0
    truth = np.exp(1 + X @ [0.5, -0.3] + 0.5)
    assert np.mean(fitted.predict(X) / truth) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("zeros", [False, True])
def test_the_factor_is_the_ratio_of_totals_out_of_folds(zeros):
    rng = np.random.default_rng(4)
    X, weight = rng.normal(size=(90, 2)), rng.random(90)
    y = np.exp(X[:, 0] + rng.normal(size=90))
    y[0] = 0.0 if zeros else y[0]
    shift = float(zeros)
    fitted = LogTargetRegressor(LinearRegression(), cv=3, random_state=5).fit(X, y, weight)
    z, total = np.log(y + shift), 0.0
    fold = Stream(seed_of(5)).permutation("folds", 0, 90) % 3
    for train, test in [(fold != k, fold == k) for k in range(3)]:
        line = LinearRegression().fit(X[train], z[train], sample_weight=weight[train])
        total += (weight[test] * np.exp(np.clip(line.predict(X[test]), z.min(), z.max()))).sum()
    assert fitted.factor_ == pytest.approx((weight * (y + shift)).sum() / total, rel=1e-12)
    assert (fitted.predict(10 * X) >= 0).all()
    assert fitted.predict(100 * X).max() <= fitted.factor_ * (y.max() + shift)


def test_a_study_of_counts_says_so_and_predicts_none_below_zero(tmp_path):
    frame = goals()
    models = ["Poisson", "GradientBoosting (Poisson)", "Ridge (log target)"]
    for name in models:
        result = Study(frame, "goals", scoring="poisson_deviance", models=[name], **QUICK).run()
        assert result.kept.name == name
        assert result.scoring.name == "poisson_deviance"
        assert any("goals: counts (0 to" in note for note in result.card.notes)
        assert {"rmsle", "rmse"} <= set(result.hold_out.every)
        path = tmp_path / "model.novum"
        novum.save(result.model, path)
        new = frame.drop(columns="goals")
        assert np.array_equal(predict_table(novum.load(path), new).values, result.predict(new))
        assert (result.predict(new) >= 0).all()
