"""Cross-validation against scikit-learn's, brute force and the notes' numbers; nested; splits and their picture."""

import time

import joblib
import numpy as np
import pytest
from artists import canvas
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import model_selection
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)
from sklearn.svm import SVC, SVR

from novum.datasets import load_tenfold_scores
from novum.evaluation import (
    corrected_interval,
    cross_validate,
    evaluate,
    holdout_split,
    nested_cross_validate,
    plot_folds,
)
from novum.evaluation.resampling.cross_validation import collect_folds
from novum.exceptions import DataError, DataWarning, ParameterError
from novum.linear_model import LinearRegression, Ridge
from novum.naive_bayes import GaussianNB
from novum.neighbors import KNeighborsClassifier, NadarayaWatson

# tables of a few rows: that their intervals are in doubt is reported, and tested in test_doubts.py
pytestmark = pytest.mark.filterwarnings("ignore:.*interval of:novum.exceptions.DataWarning")

rng = np.random.default_rng(0)
X, y = load_iris(return_X_y=True)
SMALLEST = 1e-15  # what rounding leaves of a deviance, a difference of numbers of size one
T = np.array([[0.0], [1], [2], [3]])  # the notes' least-squares example
t = np.array([1.0, 2, 2, 4])


@pytest.mark.notes("000-a", "cv-variance")
@pytest.mark.notes("000-a", "kfold-cv")
@pytest.mark.notes("001", "kfold-cv")
@pytest.mark.notes("002", "kfold-cv")
@pytest.mark.notes("004", "kfold-cv")
@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", ["accuracy", "f1_macro"]])
@pytest.mark.parametrize(
    "cv", [10, RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0), GroupKFold(3), TimeSeriesSplit(3)]
)
def test_same_as_scikit_learn(scoring, cv):
    model, groups = GaussianNB(), np.arange(150) % 7 if isinstance(cv, GroupKFold) else None
    order = np.random.default_rng(1).permutation(150)
    data = X[order], y[order]
    options = {"groups": groups, "scoring": scoring, "cv": cv, "return_train_score": True, "return_indices": True}
    ours = cross_validate(model, *data, **options)
    theirs = model_selection.cross_validate(model, *data, **options)
    assert set(ours) == set(theirs)
    for key in theirs:
        if key.startswith(("test_", "train_")):
            assert_array_equal(ours[key], theirs[key])
    for part in ("train", "test"):
        for a, b in zip(ours["indices"][part], theirs["indices"][part]):
            assert_array_equal(a, b)
    name = ours.names[0]
    ratio = np.mean([len(b) / len(a) for a, b in zip(*(ours["indices"][k] for k in ("train", "test")))])
    low, high = corrected_interval(theirs[f"test_{name}"], ratio)
    assert_allclose(ours.interval(name), (max(low, 0), min(high, 1)))
    each = theirs[f"test_{name}"]
    assert ours.mean(name) == pytest.approx(each.mean())
    assert ours.standard_error(name) == pytest.approx(
        np.sqrt(((each - each.mean()) ** 2).sum() / (len(each) - 1) / len(each))
    )
    assert (
        "approximate" in repr(ours) and "<table>" in ours._repr_html_() and len(ours.to_frame()) == len(ours.test_sizes)
    )
    ax, scores = ours.plot(canvas(), name=name), theirs[f"test_{name}"]
    assert_array_equal(ax.lines[0].get_xydata(), np.column_stack([np.arange(1, len(scores) + 1), scores]))
    assert_allclose(ax.lines[1].get_ydata(), scores.mean())
    band = ax.patches[0].get_extents().transformed(ax.transData.inverted())
    assert_allclose([band.y0, band.y1], ours.interval(name))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("fold", name.replace("_", " "))
    row = next(line for line in repr(ours).splitlines() if line.strip().startswith(name.replace("_", " ")))
    assert float(row.split()[-1]) == pytest.approx(scores.std(ddof=1), abs=6e-4)
    sizes = sorted({len(rows) for rows in ours["indices"]["train"]})
    assert f"of {sizes[0]}" + (f"-{sizes[-1]}" if len(sizes) > 1 else "") + " + " in repr(ours)


@pytest.mark.notes("002", "kfold-cv")
def test_mean_over_rows_counts_every_row_once():
    found = cross_validate(LinearRegression(), X[:25, :3], X[:25, 3], cv=KFold(4), scoring="neg_mean_squared_error")
    losses = np.empty(25)
    for train, test in KFold(4).split(X[:25]):
        model = LinearRegression().fit(X[train, :3], X[train, 3])
        losses[test] = (X[test, 3] - model.predict(X[test, :3])) ** 2
    assert -found.mean(over="rows") == pytest.approx(losses.mean(), rel=1e-10)
    with pytest.raises(ParameterError, match="over='points'"):
        found.mean(over="points")


@pytest.mark.notes("000-a", "cv-variance")
def test_standard_error_of_the_notes_folds():
    for scores, mean, error in zip(load_tenfold_scores().data.T, (0.824, 0.778), (0.007180, 0.011136)):
        found = collect_folds({"test_score": scores}, (np.full(10, 9), np.ones(10)), [], 0.95, None, "other")
        assert found.mean() == pytest.approx(mean) and found.standard_error() == pytest.approx(error, abs=5e-7)


@pytest.mark.notes("003", "k-fold-cv")
@pytest.mark.notes("001", "kfold-cv-regression")
def test_two_contiguous_parts():
    found = cross_validate(LinearRegression(), T, t, cv=KFold(2), scoring="neg_mean_squared_error")
    assert_allclose(found["test_score"], [-6.5, -0.5])
    assert -found.mean() == pytest.approx(3.5)
    absolute = cross_validate(LinearRegression(), T, t, cv=KFold(2), scoring="neg_mean_absolute_error")
    parts = [np.abs(t[b] - LinearRegression().fit(T[a], t[a]).predict(T[b])).mean() for a, b in KFold(2).split(T)]
    assert -absolute.mean() == pytest.approx(np.mean(parts))


@pytest.mark.notes("003", "loo-cv")
def test_leave_one_out_by_leverage():
    found = cross_validate(LinearRegression(), T, t, cv=LeaveOneOut())
    assert -found.mean() == pytest.approx(0.7426304, abs=5e-8)
    design = np.column_stack([np.ones(4), T])
    hat = design @ np.linalg.pinv(design)
    assert_allclose(-found["test_score"], (((t - hat @ t) / (1 - np.diag(hat))) ** 2), rtol=1e-10)
    assert any("closed form" in note for note in found.notes)


@pytest.mark.notes("003", "loo-cv")
@pytest.mark.parametrize(
    "model", [LinearRegression(), Ridge(2.0), NadarayaWatson(bandwidth=0.5)], ids=lambda m: type(m).__name__
)
@pytest.mark.parametrize("scoring", ["neg_mean_squared_error", "neg_mean_absolute_error", "neg_mean_poisson_deviance"])
def test_closed_form_leave_one_out_equals_refitting(model, scoring):
    A, b = X[:40, :2], X[:40, 2]
    ours = cross_validate(model, A, b, cv=LeaveOneOut(), scoring=scoring)
    theirs = model_selection.cross_validate(model, A, b, cv=LeaveOneOut(), scoring=scoring)
    assert_allclose(ours["test_score"], theirs["test_score"], rtol=1e-8, atol=SMALLEST)
    assert any("closed form" in note for note in ours.notes)
    weight = rng.uniform(0.5, 2, size=40)
    if not isinstance(model, NadarayaWatson):
        ours = cross_validate(model, A, b, cv=KFold(40), scoring=scoring, params={"sample_weight": weight})
        theirs = model_selection.cross_validate(
            model, A, b, cv=KFold(40), scoring=scoring, params={"sample_weight": weight}
        )
        assert_allclose(ours["test_score"], theirs["test_score"], rtol=1e-8, atol=SMALLEST)


def test_leave_one_out_without_a_closed_form():
    A = np.eye(3)[[0, 1, 1, 1]]  # the first row alone decides its coefficient
    slow = cross_validate(LinearRegression(), A, t, cv=LeaveOneOut())
    assert not any("closed form" in note for note in slow.notes) and np.isfinite(slow["test_score"]).all()
    accuracy = cross_validate(KNeighborsClassifier(1), X[::5], y[::5], cv=LeaveOneOut())
    assert set(accuracy["test_score"]) <= {0.0, 1.0} and len(accuracy.test_sizes) == 30


def test_closed_form_costs_at_most_two_fits():
    A = np.random.default_rng(0).normal(size=(20_000, 20))
    b = A.sum(axis=1) + np.random.default_rng(1).normal(size=20_000)
    ratios = []
    for _ in range(7):
        start = time.perf_counter()
        LinearRegression().fit(A, b)
        middle = time.perf_counter()
        cross_validate(LinearRegression(), A, b, cv=LeaveOneOut(), scoring="neg_mean_squared_error")
        ratios.append((time.perf_counter() - middle) / (middle - start))
    print("leave-one-out over one fit:", np.median(ratios))
    assert min(ratios) < 4  # two in a quiet process: see benchmarks/evaluation.py


class Fragile(DummyClassifier):
    """Fails where the first training row is that of the third fold."""

    def fit(self, X, y):
        if len(X) and X[0, 0] == 7.0:
            raise ValueError("row seven cannot be learned from")
        return super().fit(X, y)


def test_a_fold_that_fails_is_reported_by_name():
    A = np.zeros((40, 1))
    A[10, 0], A[0, 0] = 7.0, 0.0
    b = np.arange(40) % 2
    with pytest.warns(
        DataWarning, match=r"Fragile failed on fold 1 of 4 \(30 training rows and 10 test rows\): ValueError"
    ):
        found = cross_validate(Fragile(), A, b, cv=KFold(4))
    assert np.isnan(found["test_score"][0]) and np.isfinite(found["test_score"][1:]).all()
    assert found.failures[0].fold == 0 and "row seven" in repr(found) and np.isfinite(found.mean())
    with pytest.raises(DataError, match="fold 1 of 4"):
        cross_validate(Fragile(), A, b, cv=KFold(4), error_score="raise")
    with pytest.warns(DataWarning):
        assert cross_validate(Fragile(), A, b, cv=KFold(4), error_score=0.0)["test_score"][0] == 0
    with pytest.raises(DataError, match="failed on fold 1 of 2"):
        cross_validate(Fragile(), np.full((4, 1), 7.0), [0, 1, 0, 1], cv=2)


def test_one_split_has_no_interval():
    found = cross_validate(GaussianNB(), X, y, cv=PredefinedSplit(np.where(np.arange(150) % 3, -1, 0)))
    assert np.isnan(found.interval().lower) and np.isnan(found.standard_error()) and "nan" not in repr(found)


def test_work_spreads_over_dask():
    distributed = pytest.importorskip("distributed")
    plain = cross_validate(GaussianNB(), X, y, cv=4)
    with (
        distributed.LocalCluster(1, processes=False, threads_per_worker=2, dashboard_address=":0") as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        parallel = cross_validate(GaussianNB(), X, y, cv=4, n_jobs=2)
    assert_array_equal(plain["test_score"], parallel["test_score"])


@pytest.mark.notes("002", "nested-cv")
def test_nested_literally():
    search = GridSearchCV(
        KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]}, cv=KFold(3, shuffle=True, random_state=0)
    )
    outer = KFold(4, shuffle=True, random_state=1)
    found = nested_cross_validate(search, X, y, cv=outer)
    for j, (train, test) in enumerate(outer.split(X)):
        scores = [
            np.mean(model_selection.cross_val_score(KNeighborsClassifier(k), X[train], y[train], cv=search.cv))
            for k in (1, 5, 15)
        ]
        best = (1, 5, 15)[int(np.argmax(scores))]
        assert found.chosen[j] == {"n_neighbors": best} and found.inner_scores[j] == pytest.approx(max(scores))
        fitted = KNeighborsClassifier(best).fit(X[train], y[train])
        assert found.outer_scores[j] == pytest.approx(np.mean(fitted.predict(X[test]) == y[test]))
    assert found.optimism == pytest.approx((found.inner_scores - found.outer_scores).mean())
    assert found.mean == pytest.approx(found.outer_scores.mean()) and found.estimator.best_params_
    assert list(found.to_frame().columns) == ["outer_score", "inner_score", "n_neighbors"]
    assert found.plot().get_xlabel() == "outer fold" and "<table>" in found._repr_html_()


def test_choosing_among_coin_tosses_is_optimistic():
    """Settings that guess, each from its own seed: the best of them looks better than one half, and is not."""
    A, b = np.zeros((60, 1)), np.arange(60) % 2
    search = GridSearchCV(DummyClassifier(strategy="uniform"), {"random_state": list(range(20))}, cv=3)
    found = nested_cross_validate(search, A, b, cv=KFold(6, shuffle=True, random_state=0), refit=False)
    assert found.inner_scores.min() > 0.55 and found.optimism > 0.05 and found.estimator is None
    with pytest.raises(ParameterError, match="goes to cross_validate"):
        nested_cross_validate(GaussianNB(), A, b)


@pytest.mark.notes("004", "kfold-cv")
@pytest.mark.notes("000-a", "model-selection")
@pytest.mark.notes("002", "cv-model-selection")
@pytest.mark.notes("000-b", "select-C-eps")
@pytest.mark.notes("000-c", "kernel-selection-cv")
def test_choosing_settings_by_scikit_learns_search():
    A, held, b, truth = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    grid = [{"kernel": ["rbf"], "gamma": [0.1, 1], "C": [1, 10]}, {"kernel": ["poly"], "degree": [2, 3], "C": [1]}]
    kernels = GridSearchCV(SVC(), grid, cv=5).fit(A, b)
    assert len(kernels.cv_results_["mean_test_score"]) == 6
    assert evaluate(kernels, held, truth, n_resamples=50)["accuracy"].value > 0.9
    xs = np.linspace(-2, 2, 80)[:, None]
    curve = np.sin(2 * xs[:, 0]) + 0.05 * np.random.default_rng(0).normal(size=80)
    validation = PredefinedSplit(np.where(np.arange(80) % 3, -1, 0))
    tubes = GridSearchCV(SVR(), {"C": [0.01, 10], "epsilon": [0.01, 1.0]}, cv=validation).fit(xs, curve)
    assert tubes.best_params_ == {"C": 10, "epsilon": 0.01}
    neighbors = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 7]}, cv=5).fit(A, b)
    best = max(neighbors.cv_results_["mean_test_score"])
    assert neighbors.best_score_ == best and neighbors.best_estimator_.score(held, truth) > 0.9


@pytest.mark.notes("000-a", "holdout")
@pytest.mark.notes("002", "train-val-test-split")
@pytest.mark.notes("003", "three-way-split")
def test_shares_that_give_no_whole_rows_are_rounded_at_their_ends():
    for n, sizes in ((11, (0.5, 0.25, 0.25)), (17, (0.8, 0.1, 0.1)), (13, (0.38, 0.31, 0.31))):
        ends = [0, *(int(end * n + 0.5) for end in np.cumsum(sizes))]
        assert [len(part) for part in holdout_split(np.arange(n), sizes=sizes, random_state=0)] == np.diff(
            ends
        ).tolist()


@pytest.mark.notes("000-a", "holdout")
@pytest.mark.notes("002", "train-val-test-split")
@pytest.mark.notes("003", "three-way-split")
@pytest.mark.parametrize("sizes", [(0.4, 0.3, 0.3), (0.8, 0.1, 0.1), (60, 45, 45)])
@pytest.mark.parametrize("stratified", [False, True])
def test_three_way_split(sizes, stratified):
    parts = holdout_split(X, y, np.arange(150), sizes=sizes, stratify=y if stratified else None, random_state=0)
    rows = parts[6:]
    assert sorted(np.concatenate(rows).tolist()) == list(range(150))
    expected = [round(s * 150) if s < 1 else s for s in sizes]
    assert [len(part) for part in rows] == expected
    for j in range(3):
        assert_array_equal(parts[j], X[rows[j]])
        assert_array_equal(parts[3 + j], y[rows[j]])
        if stratified:
            assert np.ptp(np.bincount(parts[3 + j])) <= 1
    again = holdout_split(np.arange(150), sizes=sizes, stratify=y if stratified else None, random_state=0)
    assert all(np.array_equal(a, b) for a, b in zip(again, rows))


@pytest.mark.notes("001", "holdout-split")
@pytest.mark.notes("003", "hold-out-test")
@pytest.mark.notes("004", "train-test-split")
@pytest.mark.parametrize("sizes", [(2 / 3, 1 / 3), (0.8, 0.2), (0.9, 0.1)])
def test_two_way_split(sizes):
    train, test = holdout_split(np.arange(150), sizes=sizes, random_state=1)
    assert len(train) == round(150 * sizes[0]) and not set(train) & set(test)
    A, held, b, truth = holdout_split(X, y, sizes=sizes, stratify=y, random_state=1)
    assert evaluate(GaussianNB().fit(A, b), held, truth, n_resamples=50)["error"].value < 0.15


def test_splits_keep_groups_order_and_frames():
    pd = pytest.importorskip("pandas")
    groups = np.repeat(np.arange(15), 10)
    parts = holdout_split(np.arange(150), sizes=(0.5, 0.3, 0.2), groups=groups, random_state=0)
    owners = [set(groups[part]) for part in parts]
    assert not owners[0] & owners[1] and not owners[1] & owners[2] and sum(map(len, parts)) == 150
    assert abs(len(parts[0]) - 75) <= 10
    first, second = holdout_split(pd.DataFrame({"a": range(10)}), sizes=(0.7, 0.3), shuffle=False)
    assert list(first["a"]) == list(range(7)) and list(second["a"]) == [7, 8, 9]
    assert [len(p) for p in holdout_split(np.arange(10), sizes=(0.2, 0.2), random_state=0)] == [2, 2]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"sizes": (0.9, 0.3)}, "more than one"),
        ({"sizes": (200, 10)}, "cannot be split"),
        ({"sizes": (1.0,)}, "two or more"),
        ({"sizes": "half"}, "two or more"),
        ({"stratify": np.arange(150)}, "stratify"),
        ({"stratify": y, "shuffle": False}, "choose one"),
        ({"groups": np.zeros(150)}, "1 groups cannot fill"),
    ],
)
def test_splits_refuse(options, words):
    with pytest.raises((ParameterError, DataError), match=words):
        holdout_split(X, y, **options)


@pytest.mark.notes("002", "plot-nested-cv")
def test_fold_diagram():
    """Every drawn bar, decoded into rows, is the role those rows have in the fold."""

    def roles(ax, n):
        names = {
            tuple(line.get_markerfacecolor())
            if not isinstance(line.get_markerfacecolor(), str)
            else line.get_markerfacecolor(): line.get_label()
            for line in ax.lines
        }
        names = {to_hex(color): name for color, name in names.items()}
        found = {}
        for bars in ax.collections:
            for path in bars.get_paths():
                box, role = path.get_extents(), names[to_hex(bars.get_facecolor()[0])]
                assert box.height == pytest.approx(0.8)
                held = found.setdefault((round(box.y0 + 0.4), role), set())
                held.update(range(round(box.x0), round(box.x1)))
        return found

    order = np.array([5, 0, 7, 2, 9, 4, 11, 6, 1, 8, 3, 10])
    outer = PredefinedSplit(np.repeat([0, 1, 2], 4)[np.argsort(order)])  # folds that are no runs of rows
    ax = plot_folds(outer, np.zeros((12, 1)), inner=2, ax=canvas())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["train", "validation", "test"]
    drawn = roles(ax, 12)
    for fold in range(3):
        test = set(order[4 * fold : 4 * fold + 4].tolist())
        rest = sorted(set(range(12)) - test)
        for inside, validate in enumerate((rest[:4], rest[4:])):
            line = 2 * fold + inside
            assert drawn[line, "test"] == test and drawn[line, "validation"] == set(validate)
            assert drawn[line, "train"] == set(rest) - set(validate)
    assert ax.get_ylim()[0] > ax.get_ylim()[1] and ax.get_xlim() == (0, 12)  # the first fold on top
    plain = roles(plot_folds(GroupKFold(2), np.zeros(6), groups=[0, 0, 1, 1, 2, 2], ax=canvas()), 6)
    assert set(plain) == {(k, role) for k in (0, 1) for role in ("train", "test")}
    for k in (0, 1):
        assert plain[k, "train"] | plain[k, "test"] == set(range(6)) and not plain[k, "train"] & plain[k, "test"]
