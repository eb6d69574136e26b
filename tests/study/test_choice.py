"""Which model a study keeps."""

import numpy as np
import pandas as pd
import pytest

from novum.study import Study

QUICK = {"folds": 3, "repeats": 1, "n_jobs": 1, "models": ["GaussianNB", "LogisticRegression"], "ensemble": False}


REGRESSION = {**QUICK, "models": ["LinearRegression", "Ridge"]}


def test_the_choice_is_the_best_or_a_simpler_one_of_stated_cost():
    from novum.study.comparison.choose import Leader, choose
    from novum.study.scoring.measures import MEASURES

    measure = MEASURES["accuracy"]

    def leader(name, mean, p, simplicity, error=0.0, top=0.996):
        return Leader(name, "novum", mean, (mean, mean), mean - top, (0.0, 0.0), error, p, 0.0, simplicity, 0)

    best = leader("tree", 0.996, np.nan, 5)
    logistic, bayes = leader("logistic", 0.938, 0.007, 2, 0.02), leader("bayes", 0.924, 0.173, 3, 0.05)
    help_is_shown = leader("baseline", 0.6, 0.06, 0, 0.1)
    kept, reason = choose(
        [best, logistic, bayes, help_is_shown], measure
    )  # what cannot be distinguished is not kept for it
    assert kept.name == "tree" and reason == "best mean; two cannot be distinguished from it"
    no_help = leader("baseline", 0.6, 0.3, 0, 1.6)
    kept, reason = choose([best, logistic, bayes, no_help], measure)
    assert kept.name == "baseline" and "tree gains .396, its standard error is 1.600" in reason
    some_help = leader("baseline", 0.6, 0.3, 0, 1.2)  # .396 is a third of its error
    assert choose([best, logistic, bayes, some_help], measure)[0].name == "tree"
    always_the_same = leader("baseline", 0.6, 1.0, 0)  # on every fold: nothing is proved, and the best is kept
    assert choose([best, always_the_same], measure)[0].name == "tree"
    near = leader("logistic", 0.990, 0.5, 2, 0.014)
    assert choose([best, near, help_is_shown], measure)[0].name == "tree"  # .006 is too much
    assert choose([best, near._replace(mean=0.9955), help_is_shown], measure)[0].name == "logistic"
    kept, reason = choose([best, near, help_is_shown], measure, "simple")
    assert kept.name == "logistic" and "costs .006 against the best (at most .007" in reason and "2.0%" in reason
    assert choose([best, near._replace(standard_error=0.01), help_is_shown], measure, "simple")[0].name == "tree"
    far = leader("logistic", 0.97, 0.5, 2, 0.05)  # within its error, but above the practical tolerance
    assert choose([best, far, help_is_shown], measure, "simple")[0].name == "tree"
    error = MEASURES["rmse"]
    forest, line = (leader("forest", 2.80, np.nan, 8, top=2.8), leader("line", 2.84, 0.9, 1, 0.1, 2.8))
    assert choose([forest, line], error, "simple")[0].name == "line"
    assert choose([forest, line._replace(mean=2.87, difference=0.07)], error, "simple")[0].name == "forest"


def test_useless_candidates_do_not_change_the_choice():
    """The tests do not choose, so Holm's count of comparisons has no say."""
    from novum.study.comparison.choose import Leader, choose
    from novum.study.scoring.measures import MEASURES

    def leader(name, mean, simplicity):
        return Leader(
            name,
            "novum",
            mean,
            (mean, mean),
            mean - 0.9,
            (0, 0),
            0.01,
            np.nan if mean == 0.9 else 0.5,
            0.0,
            simplicity,
            0,
        )

    few = [leader("forest", 0.9, 8), leader("line", 0.89, 1), leader("baseline", 0.5, 0)]
    many = [*few[:2], *(leader(f"useless {i}", 0.6, 3) for i in range(20)), few[2]]
    for measure in (MEASURES["accuracy"],):
        assert choose(few, measure)[0].name == choose(many, measure)[0].name == "forest"


def test_size_is_a_tie_breaker():
    """A model that is much smaller costs at most half a standard error, by folds or by rows, and five thousandths at that."""
    from novum.study.comparison.choose import Leader, choose
    from novum.study.scoring.measures import MEASURES

    def leader(name, mean, size, simplicity=8):
        p = np.nan if mean == 0.9 else 0.5
        return Leader(name, "novum", mean, (mean, mean), mean - 0.9, (0, 0), 0.01, p, 0.0, simplicity, 0, size)

    forest, boosting = leader("forest", 0.9, 500e6), leader("boosting", 0.897, 2e6)
    accuracy = MEASURES["accuracy"]
    assert choose([forest, boosting], accuracy)[0].name == "boosting"  # half of .01 is more than .003
    assert choose([forest, boosting._replace(error_by_rows=0.005)], accuracy)[0].name == "forest"
    assert choose([forest, boosting._replace(standard_error=0.005, error_by_rows=0.02)], accuracy)[0].name == "forest"
    far = boosting._replace(mean=0.894, difference=-0.006, standard_error=0.1)
    assert choose([forest, far], accuracy)[0].name == "forest"  # .006 is more than five thousandths
    near = boosting._replace(mean=0.8995, difference=-0.0005)
    kept, reason = choose([forest, near], accuracy)
    assert kept.name == "boosting" and reason.startswith("smaller than forest") and "half a standard error" in reason
    assert choose([forest, near._replace(standard_error=0.0009)], accuracy)[0].name == "forest"  # half of it is less
    assert choose([forest, boosting, leader("line", 0.885, 1e3, 1)], accuracy, "small")[0].name == "boosting"
    assert choose([forest, boosting._replace(mean=0.894)], accuracy, "small")[0].name == "forest"


def test_the_error_by_rows_is_that_of_paired_rows():
    """Against the bootstrap of the rows, two models on the same three folds; a fold's rows are drawn again together."""
    from novum.study.scoring.measures import MEASURES, Predicted
    from novum.study.scoring.row_values import error_of_difference, row_values

    rng = np.random.default_rng(4)
    n, classes = 600, np.array([0, 1])
    y = rng.integers(0, 2, n)
    tests = np.array_split(rng.permutation(n), 3)
    raw = y + rng.normal(0, 1.0, (2, n)) * 0.7 + rng.normal(0, 1, n)
    for name, made in {
        "auc": lambda z: Predicted(None, np.column_stack([-z, z])),
        "accuracy": lambda z: Predicted((z > 0.5).astype(int), None),
        "balanced_accuracy": lambda z: Predicted((z > 0.7).astype(int), None),
        "f1": lambda z: Predicted((z > 0.7).astype(int), None),
        "rmse": lambda z: Predicted(z, None),
        "r2": lambda z: Predicted(z, None),
    }.items():
        measure = MEASURES[name]
        by_rows = [row_values(measure, y, [made(z[test]) for test in tests], tests, classes) for z in raw]
        drawn = []
        for _ in range(400):
            again = [rng.choice(test, len(test)) for test in tests]
            drawn.append(
                np.mean(
                    [
                        measure.score(y[rows], made(raw[0][rows]), classes)
                        - measure.score(y[rows], made(raw[1][rows]), classes)
                        for rows in again
                    ]
                )
            )
        assert error_of_difference(*by_rows) == pytest.approx(np.std(drawn), rel=0.15), name
    assert row_values(MEASURES["median_error"], y, [Predicted(raw[0], None)], [np.arange(n)], None) is None


def test_a_line_is_kept_beside_a_stack_that_cannot_be_told_from_it():
    """Classes of a line: all that a stack can add is chance."""
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.normal(size=(400, 3)), columns=["u", "v", "w"])
    frame["side"] = np.where(frame["u"] + frame["v"] + rng.normal(0, 0.5, 400) > 0, "up", "down")
    result = Study(frame, "side", models=["LogisticRegression", "RandomForest", "GradientBoosting"], n_jobs=1).run()
    best, kept = result.leaders[0], result.kept
    assert kept.name == "LogisticRegression" and best.mean - kept.mean <= 0.005


def test_the_better_model_is_kept_though_a_simpler_one_cannot_be_distinguished_from_it():
    """A ring of 60 rows: a line is right in half of them; too few rows to prove the forest's lead by Holm's steps."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["u", "v"])
    frame["inside"] = np.where(frame["u"] ** 2 + frame["v"] ** 2 < 1.2, "yes", "no")
    result = Study(
        frame,
        "inside",
        folds=5,
        repeats=1,
        n_jobs=1,
        models=["LogisticRegression", "QDA", "KNeighbors"],
        ensemble=False,
    ).run()
    best = result.leaders[0]
    assert result.kept.mean >= best.mean - 0.01 and result.kept.name != "LogisticRegression"


def test_a_model_that_is_always_right_is_kept():
    """The baseline then scores the same on every fold and so do the differences: no variance, no proof, and no doubt."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], 60)
    frame = pd.DataFrame(
        {"x": np.where(y == "a", -5, 5) + rng.normal(size=120) / 10, "z": rng.normal(size=120), "y": y}
    )
    result = Study(frame, "y", folds=5, repeats=1, n_jobs=1, models=["GaussianNB", "LogisticRegression"]).run()
    assert result.leaders[0].mean == 1.0 and result.kept.name == "LogisticRegression" and result.hold_out.score == 1.0


def test_half_of_the_weight_is_shared_by_the_first_three():
    from novum.study.comparison.blend import greedy_weights, steady_weights

    rng = np.random.default_rng(2)
    truth = rng.normal(size=40)
    said = truth + np.array([0.4, 0.41, 0.42, 0.8, 0.2])[:, None] * np.sign(rng.normal(size=(5, 40)))
    found = steady_weights(said, truth)
    np.testing.assert_allclose(found, greedy_weights(said, truth) / 2 + np.array([1, 1, 1, 0, 0]) / 6)
    np.testing.assert_allclose(steady_weights(said[:2], truth), greedy_weights(said[:2], truth) / 2 + 0.25)
    much_worse = steady_weights(said[[0, 3]], truth)  # a loss of four times the best one's is no equal
    np.testing.assert_allclose(much_worse, greedy_weights(said[[0, 3]], truth) / 2 + np.array([0.5, 0]))
    many = steady_weights(np.tile(said, 100), np.tile(truth, 100))  # 4,000 rows: an eighth
    np.testing.assert_allclose(many, greedy_weights(said, truth) * 7 / 8 + np.array([1, 1, 1, 0, 0]) / 24)


def test_a_network_predicts_numbers_far_from_zero():
    """Its target is brought to mean 0 and deviation 1; without that 300 passes do not reach 3,000."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["u", "v"])
    frame["weight"] = 3000 + 500 * frame["u"] + 100 * rng.normal(size=60)
    frame["rows"] = 1.0
    result = Study(frame, "weight", **{**REGRESSION, "models": ["MLP"], "tune": False, "weights": "rows"}).run()
    means = {leader.name: leader.mean for leader in result.leaders}
    assert means["MLP"] < 0.6 * means["baseline (mean)"]


def test_the_saved_model_has_seen_all_rows():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=80), "z": rng.normal(size=80)})
    frame["y"] = np.where(frame["x"] + rng.normal(size=80) / 3 > 0, "a", "b")
    result = Study(frame, "y", **{**QUICK, "models": ["GaussianNB"]}).run()
    assert result.kept.name == "GaussianNB" and result.model[-1].class_count_.sum() == len(frame)
    assert len(result.hold_out.y) == len(frame) // 4
