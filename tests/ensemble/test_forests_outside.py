"""Forests from files: the same trees whatever the cuts, rows drawn by their numbers, scores of the forests of memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chisquare, poisson
from sklearn.datasets import make_classification, make_regression

import novum
from novum.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    IsolationForest,
    RandomForestClassifier,
    RandomForestRegressor,
)
from novum.ensemble.forest import passes
from novum.ensemble.forest.samples import BlockSampling, most_draws, poisson_counts
from novum.exceptions import DataError, ParameterError

CLASSIFIERS = (RandomForestClassifier, ExtraTreesClassifier)
REGRESSORS = (RandomForestRegressor, ExtraTreesRegressor)


@pytest.fixture
def scan(tmp_path):
    """Return rows as a scan: `scan(X, y, w, batch_rows)`."""

    def make(X, y=None, weight=None, batch_rows=None):
        paths = {}
        for name, values in (("x", X), ("target", y), ("weight", weight)):
            if values is not None:
                paths[name] = tmp_path / f"{name}{len(list(tmp_path.iterdir()))}.npy"
                np.save(paths[name], values)
        more = {} if batch_rows is None else {"batch_rows": batch_rows}
        return novum.scan(paths.pop("x"), **paths, **more)

    return make


def same_trees(one, other):
    for a, b in zip(one.estimators_, other.estimators_, strict=True):
        for name, values in vars(a.tree_).items():
            assert_array_equal(values, getattr(b.tree_, name), err_msg=name)


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("gathered", [2**23, 2**13])
def test_cuts_and_threads_change_nothing(cls, gathered, scan, monkeypatch):
    monkeypatch.setattr(passes, "GATHERED_VALUES", gathered)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 6))
    X[rng.random(X.shape) < 0.02] = np.nan
    y = np.nansum(X[:, :2], axis=1) + rng.normal(size=4000)
    y = np.digitize(y, [-1, 1]) if cls in CLASSIFIERS else y
    weight = rng.integers(0, 3, 4000) / 2
    for w in (None, weight):
        one = cls(6, random_state=3, n_jobs=1).fit(scan(X, y, w))
        two = cls(6, random_state=3, n_jobs=2).fit(scan(X, y, w, 700))
        same_trees(one, two)
    assert_array_equal(np.concatenate(list(two.predict(scan(X, batch_rows=500)))), two.predict(X))
    there = weight > 0
    without = cls(6, random_state=3, bootstrap=False).fit(scan(X, y, weight))
    same_trees(without, cls(6, random_state=3, bootstrap=False).fit(scan(X[there], y[there], weight[there])))


@pytest.mark.parametrize("cls", [RandomForestClassifier, ExtraTreesRegressor])
def test_subtrees_grown_together_and_apart_are_the_same(cls, scan, monkeypatch):
    monkeypatch.setattr(passes, "GATHERED_VALUES", 2**12)  # what is put aside for (4) is small
    grown, gather = [], passes.gather_block

    def counted(plan, block):
        grown.append(sum((marks >= 0).sum() for marks in plan.marks))
        return gather(plan, block)

    monkeypatch.setattr(passes, "gather_block", counted)
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 6))
    y = np.digitize(X[:, 0] + rng.normal(size=4000), [-1, 1]) if cls in CLASSIFIERS else X[:, 0] + rng.normal(size=4000)
    forests = []
    for values in (0, 2**30):
        monkeypatch.setattr(passes, "gathered_values", lambda threads, values=values: values)
        forests.append(cls(2, max_features=0.5, random_state=3, n_jobs=2).fit(scan(X, y)))
        forests.append(list(grown))
        grown.clear()
    apart, ones, together, all_of_them = forests
    assert set(ones) == {1} and len(ones) > 10 and all_of_them == [len(ones)]
    same_trees(apart, together)


@pytest.mark.parametrize("cls", [*CLASSIFIERS, *REGRESSORS])
@pytest.mark.parametrize("gathered", [2**23, 2**15])
def test_scores_are_those_of_memory(cls, gathered, scan, monkeypatch):
    monkeypatch.setattr(passes, "GATHERED_VALUES", gathered)
    if cls in CLASSIFIERS:
        X, y = make_classification(8000, 12, n_informative=6, flip_y=0.1, random_state=1)
    else:
        X, y = make_regression(8000, 12, n_informative=6, noise=30, random_state=1)
    train, new = slice(0, 5000), slice(5000, None)
    scores = []
    for seed in range(2):
        inside = cls(20, random_state=seed).fit(X[train], y[train])
        outside = cls(20, random_state=seed).fit(scan(X[train], y[train]))
        scores.append([inside.score(X[new], y[new]), outside.score(X[new], y[new])])
        assert_allclose(inside.feature_importances_, outside.feature_importances_, atol=0.06)
    inside, outside = np.mean(scores, axis=0)
    error = np.sqrt(inside * (1 - inside) / 3000)
    assert abs(inside - outside) < 2 * error


def test_a_single_tree_without_draws_divides_its_rows(scan):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(3000, 3)), rng.integers(0, 3, 3000)
    X[:, 2] = rng.integers(0, 5, 3000)
    forest = RandomForestClassifier(2, bootstrap=False, max_features=None, random_state=0).fit(scan(X, y))
    tree = forest[0].tree_
    assert_array_equal(tree.n_node_samples[tree.apply(X)], np.bincount(tree.apply(X))[tree.apply(X)])
    assert forest.score(X, y) > 0.99  # rows of equal codes cannot be distinguished
    memory = RandomForestClassifier(2, bootstrap=False, max_features=None, random_state=0).fit(X[:250], y[:250])
    few = RandomForestClassifier(2, bootstrap=False, max_features=None, random_state=0).fit(scan(X[:250], y[:250]))
    assert_array_equal(few[0].tree_.feature, memory[0].tree_.feature)  # as many bins as values
    assert_allclose(few[0].tree_.threshold, memory[0].tree_.threshold, rtol=1e-12)


def test_leaves_of_equal_worth_take_turns(scan):
    rng = np.random.default_rng(10)
    source = scan(np.round(rng.normal(size=(400, 4))), rng.integers(0, 40, 400))
    for seed in (1, 2):
        forest = RandomForestClassifier(3, max_leaf_nodes=30, random_state=seed).fit(source)
        assert max(tree.get_n_leaves() for tree in forest) <= 30


def test_rows_are_drawn_by_their_numbers():
    sampling = BlockSampling(20_000, 1.0)
    counts = sampling.counts(7)
    assert_array_equal(counts[300:500], sampling.counts(7, range(300, 500)))
    assert_array_equal(sampling.left_out(7), np.flatnonzero(counts == 0))
    assert_array_equal(np.bincount(sampling.rows(7), minlength=20_000), counts)
    expected = 20_000 * np.append(poisson.pmf(np.arange(5), 1.0), poisson.sf(4, 1.0))
    assert chisquare(np.bincount(np.minimum(counts, 5), minlength=6), expected).pvalue > 0.01
    share = np.random.default_rng(0).random(1000)
    mean = np.repeat([0.0, 0.3, 2.0, 40.0, 3000.0], 200)
    reference = np.where(mean > 0, poisson.ppf(share, np.maximum(mean, 1e-9)), 0)
    assert_array_equal(poisson_counts(share, mean), reference)
    assert_array_equal(poisson_counts(share, 2.0), poisson.ppf(share, 2.0))
    assert poisson_counts(np.array([1 - 2.0**-53]), 2.0) <= most_draws(2.0)


def test_what_a_fit_records(scan):
    X, y = make_classification(2000, 8, random_state=0)
    labels = np.where(y, 5, 3)
    source = scan(X, labels)
    forest = RandomForestClassifier(4, random_state=0, class_weight="balanced", max_samples=0.5).fit(source)
    assert_array_equal(forest.classes_, [3, 5])
    assert forest.n_features_in_ == 8 and forest.max_features_ == 2 and len(forest) == 4
    assert abs(forest[0].tree_.weighted_n_node_samples[0] - 1000) < 150
    share = np.concatenate(list(forest.predict_proba(scan(X))))
    assert_array_equal(share, forest.predict_proba(X))
    with pytest.raises(ParameterError, match="not known after a fit outside memory"):
        _ = forest.estimators_samples_
    plain = RandomForestClassifier(2, random_state=0, warm_start=True).fit(source)
    assert [abs(len(rows) - 2000) < 200 for rows in plain.estimators_samples_] == [True, True]
    curve = plain.oob_curve(X, labels)
    assert curve.score[-1] > 0.7
    grown = plain.set_params(n_estimators=4).fit(source)
    same_trees(grown, RandomForestClassifier(4, random_state=0).fit(source))
    pruned = RandomForestClassifier(2, random_state=0, ccp_alpha=0.01, max_leaf_nodes=20).fit(source)
    assert pruned[0].get_n_leaves() <= 20


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"oob_score": True}, "oob_score=True"),
        ({"class_weight": "balanced_subsample"}, "balances over all rows"),
        ({"monotonic_cst": [1, 0]}, "monotonic_cst"),
    ],
)
def test_what_needs_memory_is_said(options, match, scan):
    with pytest.raises(ParameterError, match=match):
        RandomForestClassifier(2, **options).fit(scan(np.eye(2), np.array([0, 1])))


def test_a_tree_without_rows_is_said(scan):
    rng = np.random.default_rng(0)
    source = scan(rng.normal(size=(50, 2)), rng.normal(size=50))
    with pytest.raises(DataError, match="a tree drew none of the 50 rows"):
        RandomForestRegressor(8, max_samples=1, random_state=0).fit(source)


@pytest.mark.parametrize("options", [{}, {"contamination": 0.03}, {"bootstrap": True, "max_features": 0.5}])
def test_isolation_forests_are_those_of_memory(options, scan):
    X = np.random.default_rng(0).normal(size=(3000, 4))
    inside = IsolationForest(n_estimators=8, random_state=0, **options).fit(X)
    outside = IsolationForest(n_estimators=8, random_state=0, **options).fit(scan(X, batch_rows=700))
    same_trees(inside, outside)
    assert_allclose(outside.offset_, inside.offset_, rtol=1e-14)
    for method in ("predict", "decision_function", "score_samples"):
        batches = getattr(outside, method)(scan(X, batch_rows=500))
        assert_allclose(np.concatenate(list(batches)), getattr(inside, method)(X), rtol=1e-13, atol=1e-16)
    assert_array_equal(inside.estimators_samples_, outside.estimators_samples_)


def test_isolation_forests_draw_by_weight(scan):
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(2000, 3)), rng.integers(0, 3, 2000) * 1.3
    inside = IsolationForest(n_estimators=5, contamination=0.1, random_state=0).fit(X, sample_weight=weight)
    outside = IsolationForest(n_estimators=5, contamination=0.1, random_state=0).fit(scan(X, None, weight, 600))
    same_trees(inside, outside)
    assert_allclose(outside.offset_, inside.offset_, rtol=1e-14)
    with pytest.raises(ParameterError, match="not known"):
        _ = outside.estimators_samples_
    with pytest.raises(ParameterError, match="bootstrap=True"):
        IsolationForest(bootstrap=True).fit(scan(X, None, weight))
