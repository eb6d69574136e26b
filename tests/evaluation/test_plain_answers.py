"""What evaluation refuses, and what it says of scores that do not exist: an error or a note that names the remedy."""

import warnings

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut
from sklearn.tree import DecisionTreeRegressor

from novum.evaluation import (
    ConformalRegressor,
    LearningCurveDisplay,
    StabilitySelection,
    backward_selection,
    bias_variance_decomposition,
    bootstrap,
    calibration,
    cross_validate,
    evaluate_predictions,
    forward_selection,
    holdout_split,
    model_criteria,
    rejection_rate,
    t_test,
    z_test,
)
from novum.evaluation.selection.stability import false_bound, most_selected
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import GaussianNB

# tables of a few rows: that their intervals are in doubt is reported, and tested in test_doubts.py
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
t = X @ [1.0, 2.0, 0.0] + rng.normal(size=30)
y = (t > 0).astype(int)
HOLES = np.where(np.arange(30) == 4, np.nan, t)


@pytest.mark.parametrize("p, q", [(10, 2), (40, 4), (90, 6), (160, 8), (250, 10), (41, 4), (39, 3)])
def test_stability_selection_takes_all_that_its_bound_allows(p, q):
    assert most_selected(1.0, 0.7, p) == q and false_bound(q, 0.7, p) <= 1


def test_the_bound_of_a_whole_root_is_not_above_one():
    rows = rng.normal(size=(40, 10))
    found = StabilitySelection(n_pairs=3).fit(rows, rows[:, 0] - rows[:, 1])
    assert found.n_selected_ == 2 and found.error_bound_ <= 1


def test_forward_selection_stops_before_the_fit_is_exact():
    noise, target = rng.normal(size=(20, 40)), rng.normal(size=20)
    for scoring in ("bic", "aic", "adjusted_r2"):
        with pytest.warns(DataWarning, match="40 features for 20 rows"):
            path = forward_selection(LinearRegression(), noise, target, scoring=scoring)
        assert len(path.sets[-1]) == 18 and np.isfinite(path.scores).all()
    with pytest.warns(DataWarning), pytest.raises(DataError, match="ask for fewer features"):
        forward_selection(LinearRegression(), noise, target, n_features=25)
    with pytest.raises(DataError, match="fits the rows exactly"):
        backward_selection(LinearRegression(), noise, target)


def test_bootstrap_reports_missing_values_and_resamples_without_one():
    few = bootstrap("roc_auc", [1, *[0] * 20], np.arange(21.0), random_state=0, n_resamples=200)
    assert "resamples have no value" in few.notes[0] and "note: " in repr(few)
    assert bootstrap(np.nanmedian, HOLES, random_state=0, n_resamples=50).notes == ()
    with pytest.raises(DataError, match="statistic of the data is nan"):
        bootstrap(np.median, HOLES, random_state=0, n_resamples=50)


def test_scores_that_do_not_exist_on_a_fold_are_reported():
    labels = np.r_[np.zeros(10, int), np.tile([0, 1], 10)]
    with (
        pytest.warns(UndefinedMetricWarning),
        pytest.warns(DataWarning, match=r"roc_auc does not exist on 1 of 3 folds \(1\)"),
    ):
        found = cross_validate(GaussianNB(), X, labels, cv=KFold(3), scoring=["roc_auc", "accuracy"])
    assert "roc_auc does not exist" in repr(found) and np.isfinite(found.mean("roc_auc"))


def test_groups_stay_together_in_a_number_of_folds():
    groups = np.arange(30) // 6
    ours = cross_validate(LinearRegression(), X, t, groups=groups, cv=5)
    theirs = cross_validate(LinearRegression(), X, t, groups=groups, cv=GroupKFold(5))
    np.testing.assert_array_equal(ours["test_score"], theirs["test_score"])


def test_many_whole_numbers_are_noted_to_be_perhaps_counts():
    counts = np.arange(12)
    assert "task='regression'" in evaluate_predictions(counts, counts[::-1]).notes[0]
    assert "task" not in str(evaluate_predictions(counts % 3, counts[::-1] % 3).notes)


def test_print_outs_name_what_they_show():
    q = np.linspace(0.05, 0.95, 30)
    found = calibration(y, q, n_bins=3, sample_weight=np.full(30, 0.5))
    assert "+ -" not in repr(found) and "weight" in repr(found).splitlines()[1]
    with pytest.raises(DataError, match="calibration: y_proba"):
        calibration(y, q[:4])
    assert "the same value" in evaluate_predictions(t, t).notes[-1]
    assert evaluate_predictions([1.0], [2.0], task="regression", n_resamples=10)._title() == "Evaluation of 1 row"
    table = repr(evaluate_predictions(y, y, sample_weight=np.full(30, 0.3375))).splitlines()
    assert not any("." in cell and len(cell.split(".")[1]) > 3 for line in table for cell in line.split())
    curve = LearningCurveDisplay.from_estimator(GaussianNB(), X, y, cv=3, train_sizes=[0.5, 1.0])
    assert "target" not in repr(curve) and repr(curve).startswith("learning curve")
    assert "in the bias" in repr(bias_variance_decomposition(Ridge(), X, t, n_repeats=5))
    assert "adjusted r2" in repr(model_criteria(LinearRegression().fit(X, t), X, t))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ConformalRegressor().fit(X, t).coverage(X, t[:1]), "one target per row"),
        (lambda: bootstrap("mean", HOLES), "NaN or infinity at row 4"),
        (lambda: bootstrap("pearson", t, t[:5]), "one length"),
        (lambda: bootstrap("pearson", t), "takes 2"),
        (lambda: evaluate_predictions(y, y, scoring=["roc_auc"]), "give y_proba or y_score"),
        (lambda: evaluate_predictions(y, y_score=t, scoring=["accuracy"]), "give y_pred"),
        (lambda: evaluate_predictions(t, t, scoring={"own": lambda a, b: "good"}), "must return a number; got str"),
        (lambda: evaluate_predictions(HOLES, t), "y holds NaN or infinity at row 4"),
        (lambda: cross_validate(GaussianNB(), X, y, scoring="acc"), "did you mean accuracy"),
        (lambda: cross_validate(GaussianNB(), X, y, scoring=["accuracy", "rocauc"]), "roc_auc"),
        (lambda: forward_selection(LinearRegression(), X, t, scoring="r_2"), "did you mean"),
        (lambda: cross_validate(GaussianNB(), X, y, cv=40), "cannot split the rows"),
        (lambda: cross_validate(GaussianNB(), X, y, cv=4, groups=y), "cannot split|cv=4"),
        (lambda: cross_validate(LinearRegression(), X, t, cv=LeaveOneOut(), scoring="r2"), "neg_mean_squared_error"),
        (lambda: model_criteria(DecisionTreeRegressor(max_depth=2).fit(X, t), X, t), "pass n_parameters"),
        (lambda: forward_selection(GaussianNB(), X, y), "cross-validated"),
        (lambda: holdout_split(X, y[:7]), "one length"),
        (lambda: holdout_split(X, y, stratify=y[:7]), "stratify"),
        (lambda: bias_variance_decomposition(DummyClassifier(), X, y.astype(str)), "loss='zero-one'"),
        (lambda: bias_variance_decomposition(Ridge(), X_test=X, y_test=t, sampler=lambda rng: 3), r"a pair \(X, y\)"),
        (lambda: rejection_rate(lambda x: 0.5, lambda rng: rng.normal(size=3)), "got float"),
        (lambda: t_test(t, paired=True), "pairs need y"),
        (lambda: z_test(t, sigma=1, paired=True), "pairs need y"),
    ],
)
def test_refusals(call, words):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((ParameterError, DataError), match=words):
            call()
