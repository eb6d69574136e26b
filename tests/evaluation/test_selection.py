"""Feature selection: criteria as scorers, greedy paths, filters, embedded and stability selection, honest outer validation."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.feature_selection import (
    SelectFromModel,
    SelectKBest,
    SequentialFeatureSelector,
    chi2,
    f_regression,
    mutual_info_classif,
    r_regression,
)
from sklearn.model_selection import KFold, cross_val_score
from sklearn.pipeline import make_pipeline

from novum.evaluation import (
    StabilitySelection,
    backward_selection,
    criterion_scorer,
    forward_selection,
    model_criteria,
)
from novum.exceptions import DataError, ParameterError
from novum.linear_model import Lasso, LinearRegression, LogisticRegression
from novum.naive_bayes import BernoulliNB, GaussianNB
from novum.tree import DecisionTreeClassifier

X, y = load_diabetes(return_X_y=True)
rng = np.random.default_rng(0)
WIDE = rng.normal(size=(120, 8))
TARGET = 2 * WIDE[:, 1] - WIDE[:, 4] + 0.7 * WIDE[:, 6] + 0.5 * rng.normal(size=120)
ROWS = np.arange(120)


def score_of(columns, name, variance):
    columns = list(columns)
    model = LinearRegression().fit(WIDE[:, columns], TARGET)
    found = model_criteria(model, WIDE[:, columns], TARGET, noise_variance=variance)
    return (
        found.adjusted_r2
        if name == "adjusted_r2"
        else -{"cp": found.mallows_cp, "aic": found.aic, "bic": found.bic}[name]
    )


@pytest.mark.notes("003", "forward-selection")
@pytest.mark.parametrize("name", ["cp", "aic", "bic", "adjusted_r2"])
def test_forward_is_greedy_and_scikit_learns_selector_agrees(name):
    full = LinearRegression().fit(WIDE, TARGET)
    variance = float(((TARGET - full.predict(WIDE)) ** 2).sum() / (120 - 9))
    path = forward_selection(LinearRegression(), WIDE, TARGET, scoring=name)
    current = ()
    assert path.sets[0] == ()
    for chosen, score in zip(path.sets[1:], path.scores[1:]):  # literally
        tried = {
            tuple(sorted((*current, j))): score_of((*current, j), name, variance) for j in range(8) if j not in current
        }
        best = max(tried, key=tried.get)
        assert chosen == best and score == pytest.approx(tried[best], rel=1e-10)
        current = best
    assert set(path.sets[3]) == {1, 4, 6} and path.support[[1, 4, 6]].all()
    scorer = criterion_scorer(name, noise_variance=variance)
    selector = SequentialFeatureSelector(
        LinearRegression(), scoring=scorer, cv=[(ROWS, ROWS)], n_features_to_select=3, direction="forward"
    )
    assert tuple(selector.fit(WIDE, TARGET).get_support(indices=True)) == path.sets[3]
    if name == "bic":
        auto = SequentialFeatureSelector(
            LinearRegression(), scoring=scorer, cv=[(ROWS, ROWS)], n_features_to_select="auto", tol=1e-9
        )
        stop = next(
            i for i, gain in enumerate(np.diff(path.scores)) if gain < 1e-9
        )  # the first step that gains nothing
        assert tuple(auto.fit(WIDE, TARGET).get_support(indices=True)) == path.sets[stop]


@pytest.mark.notes("003", "backward-selection")
@pytest.mark.parametrize("name", ["aic", "bic"])
def test_backward_drops_one_at_a_time(name):
    path = backward_selection(LinearRegression(), WIDE, TARGET, scoring=name)
    assert [len(one) for one in path.sets] == list(range(8, -1, -1))
    assert all(set(b) < set(a) for a, b in zip(path.sets, path.sets[1:]))
    selector = SequentialFeatureSelector(
        LinearRegression(),
        scoring=criterion_scorer(name),
        cv=[(ROWS, ROWS)],
        n_features_to_select=4,
        direction="backward",
    )
    assert tuple(selector.fit(WIDE, TARGET).get_support(indices=True)) == path.sets[4]
    if name == "bic":
        best = max((c for k in range(1, 9) for c in combinations(range(8), k)), key=lambda c: score_of(c, "bic", None))
        assert tuple(np.flatnonzero(path.support)) == best  # here the greedy path finds the best of all 255 sets


def test_cross_validated_paths_frames_and_pictures():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(WIDE, columns=list("abcdefgh"))
    path = forward_selection(LinearRegression(), frame, TARGET, scoring="r2", cv=KFold(4), n_features=3)
    wanted = cross_val_score(LinearRegression(), WIDE[:, list(path.sets[2])], TARGET, cv=KFold(4)).mean()
    assert path.scores[2] == pytest.approx(wanted, rel=1e-10) and path.support.sum() == 3
    assert "kept b, e, g" in repr(path) and path.to_frame().shape == (4, 3)
    pytest.importorskip("matplotlib")
    assert path.plot().get_xlabel() == "number of features"
    labels = (TARGET > 0).astype(int)
    assert forward_selection(LogisticRegression(), WIDE, labels, scoring="bic").support[[1, 4]].all()


@pytest.mark.notes("003", "filter-selection")
def test_filters_of_scikit_learn_before_our_learners():
    correlation = SelectKBest(lambda X, y: np.abs(r_regression(X, y)), k=3).fit(WIDE, TARGET)
    wanted = np.sort(np.argsort([-abs(np.corrcoef(WIDE[:, j], TARGET)[0, 1]) for j in range(8)])[:3])
    assert list(correlation.get_support(indices=True)) == list(wanted)
    assert make_pipeline(SelectKBest(f_regression, k=3), LinearRegression()).fit(WIDE, TARGET).score(WIDE, TARGET) > 0.8
    labels = (TARGET > 0).astype(int)
    information = SelectKBest(lambda X, y: mutual_info_classif(X, y, random_state=0), k=2).fit(WIDE, labels)
    assert 1 in information.get_support(indices=True)
    binary = (WIDE > 0).astype(int)
    model = make_pipeline(SelectKBest(chi2, k=2), BernoulliNB()).fit(binary, labels)
    assert list(model[0].get_support(indices=True)) == [1, 4] and model.score(binary, labels) > 0.7


@pytest.mark.notes("003", "embedded-selection")
def test_embedded_selection_by_our_lasso_and_tree():
    lasso = SelectFromModel(Lasso(alpha=0.2)).fit(WIDE, TARGET)
    assert list(lasso.get_support(indices=True)) == list(np.flatnonzero(Lasso(alpha=0.2).fit(WIDE, TARGET).coef_))
    refit = make_pipeline(SelectFromModel(Lasso(alpha=0.2)), LinearRegression()).fit(WIDE, TARGET)
    assert refit[-1].coef_.size == lasso.get_support().sum() < 8
    labels = (TARGET > 0).astype(int)
    tree = SelectFromModel(DecisionTreeClassifier(max_depth=2, random_state=0), threshold=1e-12).fit(WIDE, labels)
    used = np.flatnonzero(tree.estimator_.feature_importances_)
    assert list(tree.get_support(indices=True)) == list(used) and len(used) <= 3
    assert make_pipeline(tree, GaussianNB()).fit(WIDE, labels).score(WIDE, labels) > 0.7


def test_selection_outside_the_folds_flatters():
    """Pure noise, many features: chosen on all rows they seem to predict, chosen inside the folds they do not."""
    noise = np.random.default_rng(1).normal(size=(60, 400))
    labels = np.arange(60) % 2
    folds = KFold(5, shuffle=True, random_state=0)
    few = SelectKBest(k=10)
    outside = cross_val_score(GaussianNB(), few.fit_transform(noise, labels), labels, cv=folds).mean()
    inside = cross_val_score(make_pipeline(few, GaussianNB()), noise, labels, cv=folds).mean()
    assert outside > 0.75 and inside < 0.65


# ------------------------------------------------------------------------------------------------------------ stability


def test_stability_selection_finds_the_three_and_keeps_its_bound():
    wide = np.random.default_rng(2).normal(size=(150, 60))
    target = 2 * wide[:, 1] - wide[:, 4] + wide[:, 6] + 0.5 * np.random.default_rng(3).normal(size=150)
    model = StabilitySelection(n_pairs=20).fit(wide, target)
    assert list(model.get_support(indices=True)) == [1, 4, 6]
    assert model.n_selected_ == int(np.sqrt(0.4 * 60)) and model.error_bound_ <= 1
    assert model.error_bound_ == pytest.approx(model.selection_probabilities_.sum() ** 2 / (0.4 * 60), rel=1e-12)
    assert model.transform(wide).shape == (150, 3)
    again = StabilitySelection(n_pairs=20).fit(wide, target)
    assert np.array_equal(again.selection_probabilities_, model.selection_probabilities_)
    other = StabilitySelection(Lasso(alpha=0.1), n_selected=5, n_pairs=10, random_state=1).fit(wide, target)
    assert other.support_[[1, 4, 6]].all()
    tree = StabilitySelection(DecisionTreeClassifier(max_depth=3, random_state=0), n_selected=3, n_pairs=10)
    assert tree.fit(wide, np.where(target > 0, "yes", "no")).support_[1]
    pytest.importorskip("matplotlib")
    assert model.plot().get_ylabel() == "share of halves that chose it"


def test_false_features_stay_below_the_bound():
    counts = []
    for seed in range(12):
        generator = np.random.default_rng(seed)
        wide = generator.normal(size=(60, 30))
        counts.append(StabilitySelection(n_pairs=10, max_false=0.5).fit(wide, generator.normal(size=60)).support_.sum())
    assert np.mean(counts) <= 0.5


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: criterion_scorer("cp"), "noise_variance"),
        (lambda: criterion_scorer("mdl"), "criterion"),
        (lambda: forward_selection(LinearRegression(), WIDE, TARGET, cv=3), "leave cv out"),
        (lambda: forward_selection(LinearRegression(), WIDE, TARGET, n_features=9), "8 features"),
        (lambda: forward_selection(LinearRegression(), WIDE[0], TARGET), "rows and columns"),
        (lambda: backward_selection(LinearRegression(), WIDE[:6], TARGET[:6], scoring="cp"), "more rows|exactly"),
        (lambda: StabilitySelection(threshold=0.5).fit(WIDE, TARGET), "threshold"),
        (lambda: StabilitySelection().fit(WIDE[:3], TARGET[:3]), "at least 4"),
        (lambda: StabilitySelection().fit(WIDE, np.where(TARGET > 0, "yes", "no")), "holds labels"),
        (lambda: forward_selection(GaussianNB(), WIDE, (TARGET > 0).astype(int)), "cross-validated"),
        (lambda: StabilitySelection(GaussianNB()).fit(WIDE, (TARGET > 0).astype(int)), "neither coef_"),
    ],
)
def test_refusals(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()
